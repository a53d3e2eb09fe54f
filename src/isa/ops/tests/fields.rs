//! `fields-*.txt`: bundles of the sheets and the values their text names.

use super::{bundle, lines};
use crate::isa::field::{FieldDesc, FieldKind};
use crate::isa::fields::Pattern;
use crate::isa::{Bundle, Generation, Instr, Known, check, decode, table};

const FILES: [(&str, &str); 4] = [
    (
        "pe",
        include_str!("../../../../tests/vectors/fields-pe.txt"),
    ),
    (
        "act",
        include_str!("../../../../tests/vectors/fields-act.txt"),
    ),
    (
        "ctrl",
        include_str!("../../../../tests/vectors/fields-ctrl.txt"),
    ),
    (
        "dma",
        include_str!("../../../../tests/vectors/fields-dma.txt"),
    ),
];

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn join<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|i| i.to_string()).collect::<Vec<_>>().join(",")
}

/// A value wider than a word, in the notation of the vector files.
fn wide(instr: &Instr, f: &FieldDesc) -> String {
    match f.kind {
        FieldKind::Pattern(rank, _) => {
            let p = Pattern::read(&instr.bundle, f.byte(), usize::from(rank));
            let steps = join(p.dims().iter().map(|d| d.step));
            let counts = join(p.dims().iter().map(|d| d.num));
            format!("{:#x}[{steps}][{counts}]", p.addr.0)
        }
        FieldKind::Name => {
            let text = f.bytes(&instr.bundle).split(|b| *b == 0).next();
            String::from_utf8_lossy(text.unwrap_or_default()).into_owned()
        }
        FieldKind::List(width, _) => {
            join((0..f.bits / width).map(|i| instr.bundle.bits(f.at + i * width, width)))
        }
        _ => f
            .bytes(&instr.bundle)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect(),
    }
}

#[test]
fn bundles_of_the_sheets_decode_to_the_values_named_there() {
    for (file, text) in FILES {
        for line in lines(text) {
            let [id, generation, hex, name, values @ ..] = line.as_slice() else {
                panic!("{file}: {line:?}");
            };
            let instr = bundle(generation, hex);
            assert_eq!(instr.name(), *name, "{file} {id}");
            for v in values {
                let (field, value) = v.split_once('=').expect(v);
                let f = instr
                    .format
                    .field(field)
                    .unwrap_or_else(|| panic!("{file} {id}: no field {field}"));
                let is_list = matches!(f.kind, FieldKind::List(..));
                match number(value) {
                    Some(n) if f.bits <= 64 && !is_list => {
                        assert_eq!(f.raw(&instr.bundle), n, "{file} {id} {field}");
                    }
                    _ => assert_eq!(wide(&instr, f), *value, "{file} {id} {field}"),
                }
            }
        }
    }
}

#[test]
fn every_vector_of_the_control_table_is_named_as_it_says() {
    let text = include_str!("../../../../tests/vectors/control.tsv");
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let instr = bundle("v4", cells[3]);
        let said = cells[4].split_whitespace().next().unwrap_or_default();
        // Some rows begin with the operation instead of the opcode name.
        if said.len() > 3 && crate::isa::table::by_name(said).is_some() {
            assert_eq!(instr.name(), said, "{}", cells[0]);
        }
        assert_eq!(instr.bundle.to_hex(), cells[3], "{}", cells[0]);
    }
}

#[test]
fn real_bundles_list_as_the_vendor_prints_them() {
    // isa 10 §6
    let text = include_str!("../../../../tests/vectors/control.tsv");
    for (id, line) in [
        (
            "D03",
            "PSEUDO_TRIGGER_COLLECTIVE $S[10]>0 $S[22]++@complete ctype=ALL_REDUCE input_tensor_id=3 output_tensor_id=4 num_elements=32 dtype=fp32 op=ADD group_id=0;",
        ),
        ("D01", "PSEUDO_DMA_TRIGGER q_gradient_in block_id=0;"),
        (
            "D02",
            "PSEUDO_DMA_TRIGGER $S[22]>0 q_gradient_out block_id=0;",
        ),
        ("C05", "EVENT_SEMAPHORE $S[11]>0;"),
    ] {
        let row = text.lines().map(|l| l.split('\t').collect::<Vec<_>>());
        let hex = row.filter(|r| r[0] == id).map(|r| r[3]).next().expect(id);
        let instr = bundle("v2", hex);
        assert_eq!(crate::isa::text::line(&instr), line);
    }
}

#[test]
fn layouts_bear_the_names_of_the_opcode_table() {
    for row in table::rows() {
        let variants = (0..=255).filter_map(|selector| {
            let mut b = crate::isa::Bundle::of_opcode(row.byte);
            b.put(12, &[selector, selector]);
            row.variant.and_then(|choose| choose(&b))
        });
        let named = row.formats.iter().map(|(_, f)| *f).chain(variants);
        for f in named {
            let ours = row.layout.split_whitespace().next();
            assert!(
                ours == Some(f.name) || f.name.starts_with("EXTENDED"),
                "{}: {} against {}",
                row.name,
                f.name,
                row.layout
            );
        }
        // What the sheets call solid has a layout; INVALID has no body.
        assert!(
            row.decode != Known::Solid || !row.formats.is_empty() || row.byte == 0xFF,
            "{}",
            row.name
        );
    }
}

/// A legal bundle becomes illegal, or at least is found, by any undefined value of an enumeration.
#[test]
fn undefined_members_are_found_in_every_field() {
    let files = [
        include_str!("../../../../tests/vectors/legal-pe.txt"),
        include_str!("../../../../tests/vectors/legal-act.txt"),
        include_str!("../../../../tests/vectors/legal-ctrl.txt"),
        include_str!("../../../../tests/vectors/legal-dma.txt"),
        include_str!("../../../../tests/vectors/legal-dve.txt"),
    ];
    let mut silent = std::collections::BTreeSet::new();
    let mut tried = std::collections::BTreeSet::new();
    for line in files.into_iter().flat_map(lines).filter(|l| l[3] == "-") {
        let generation = line[1].split('/').next().unwrap();
        let instr = bundle(generation, line[2]);
        for f in instr.format.fields {
            let FieldKind::Enum(desc) = f.kind else {
                continue;
            };
            for value in (0..1u64 << f.bits).filter(|v| desc.name_of(*v as u8).is_none()) {
                let mut b = instr.bundle;
                b.put_bits(f.at, f.bits, value);
                let changed = crate::isa::decode(&b, instr.generation);
                tried.insert((instr.name(), f.name));
                if !desc.open && crate::isa::check(&changed, Some(changed.home())).is_empty() {
                    silent.insert(format!("{} {} {value:#x}", instr.name(), f.name));
                }
            }
        }
    }
    assert!(tried.len() > 100, "{}", tried.len());
    assert_eq!(silent, std::collections::BTreeSet::new());
}

/// What the common rules say of each value of each enumeration, in every layout on every generation that has it: `enum` for an
/// undefined one, unless the enumeration is open, and never for a member.
#[test]
fn members_are_values_and_nothing_else_is() {
    let mut wrong = std::collections::BTreeSet::new();
    for row in table::rows() {
        for g in Generation::MODELLED
            .into_iter()
            .filter(|g| row.gens.has(*g))
        {
            let b = Bundle::of_opcode(row.byte);
            let fields = decode(&b, g).format.fields;
            for f in fields {
                let FieldKind::Enum(desc) = f.kind else {
                    continue;
                };
                for value in 0..1u64 << f.bits {
                    let mut b = b;
                    b.put_bits(f.at, f.bits, value);
                    let changed = decode(&b, g);
                    // The field may choose another layout.
                    if changed.format.field(f.name).is_none() {
                        continue;
                    }
                    let undefined = desc.name_of(value as u8).is_none() && !desc.open;
                    let found = check(&changed, Some(changed.home()));
                    let said = found
                        .iter()
                        .any(|v| v.rule == "enum" && v.field == Some(f.name));
                    if said != undefined {
                        wrong.insert(format!("{g} {} {} {value:#x}", row.name, f.name));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, std::collections::BTreeSet::new());
}
