//! `fields-*.txt`: bundles of the sheets and the values their text names.

use super::{bundle, lines};
use crate::isa::Instr;
use crate::isa::field::{FieldDesc, FieldKind};
use crate::isa::fields::Pattern;

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
