//! What every vector of the project declares to read and write is what its execution touches; and every opcode has a vector.

use std::collections::{BTreeMap, BTreeSet};

use super::Rig;
use crate::isa::access::{self, Shape};
use crate::isa::field::{FieldKind, Role};
use crate::isa::{self, Bundle, Exec, Generation, OpRow, Space, table, text};
use crate::sim::Rect;

/// Every file of vectors that holds bundles.
const FILES: [&str; 14] = [
    include_str!("../../../../tests/vectors/fields-act.txt"),
    include_str!("../../../../tests/vectors/fields-ctrl.txt"),
    include_str!("../../../../tests/vectors/fields-dma.txt"),
    include_str!("../../../../tests/vectors/fields-pe.txt"),
    include_str!("../../../../tests/vectors/legal-act.txt"),
    include_str!("../../../../tests/vectors/legal-ctrl.txt"),
    include_str!("../../../../tests/vectors/legal-dma.txt"),
    include_str!("../../../../tests/vectors/legal-dve.txt"),
    include_str!("../../../../tests/vectors/legal-pe.txt"),
    include_str!("../../../../tests/vectors/control.tsv"),
    include_str!("../../../../tests/vectors/descriptors.tsv"),
    include_str!("../../../../tests/vectors/neff-members.txt"),
    include_str!("../../../../tests/vectors/rows.txt"),
    include_str!("../../../../assets/isa/vectors-dve-pool.tsv"),
];

fn bundles() -> BTreeSet<[u8; 64]> {
    let words = FILES.iter().flat_map(|f| f.split_whitespace());
    let long = words.filter(|w| w.len() == 128);
    long.filter_map(|w| Some(*Bundle::from_hex(w).ok()?.bytes()))
        .collect()
}

#[test]
fn every_opcode_has_a_vector() {
    let seen: BTreeSet<u8> = bundles().iter().map(|b| b[0]).collect();
    for row in table::rows() {
        assert!(seen.contains(&row.byte), "{:#04x} {}", row.byte, row.name);
    }
}

#[test]
fn opcodes_without_a_body_list_and_behave_as_the_vectors_say() {
    let rows = include_str!("../../../../tests/vectors/rows.txt");
    let mut rig = Rig::new(Generation::V4);
    for line in rows.lines().filter(|l| !l.starts_with('#')) {
        let [hex, listing, outcome] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let bundle = Bundle::from_hex(hex).unwrap();
        assert_eq!(text::line(&isa::decode(&bundle, Generation::V4)), listing);
        match rig.run(bundle) {
            Ok(_) => assert_eq!(outcome, "retires", "{listing}"),
            Err(f) => assert_eq!(f.rule, outcome, "{listing}"),
        }
    }
}

type Cells = BTreeSet<(Space, u16, u64)>;

/// The bytes of rectangles in some partitions.
fn touched(rects: impl Iterator<Item = Rect>, parts: &BTreeSet<u16>) -> Cells {
    let chip = rects.filter(|r| r.space != Space::Dram);
    chip.flat_map(|r| {
        let mine = r.partitions().filter(|p| parts.contains(p));
        let cells = mine.flat_map(move |p| (r.off..r.end()).map(move |o| (r.space, p, o)));
        cells.collect::<Vec<_>>()
    })
    .collect()
}

/// What the operands of one role declare, in their first and last partition, and those partitions. `None` when a walk is not
/// in the bundle itself.
fn declared(b: &Bundle, g: Generation, role: Role) -> Option<(Cells, BTreeSet<u16>)> {
    let instr = isa::decode(b, g);
    let (mut cells, mut parts) = (Cells::new(), BTreeSet::new());
    for op in access::operands(&instr).filter(|op| op.role == role) {
        let Shape::Static(p) = op.shape else {
            return None;
        };
        let at = p.addr.location(g).filter(|_| !p.addr.shape_register())?;
        let size = u64::from(op.dtype.bytes());
        for lane in [0, op.lanes.saturating_sub(1)] {
            parts.insert(at.part + lane);
            for off in p.offsets() {
                let first = (i64::from(at.off) + off * size as i64) as u64;
                cells.extend((0..size).map(|i| (at.space, at.part + lane, first + i)));
            }
        }
    }
    Some((cells, parts))
}

/// Are there access patterns in its layout? The MX form has another test (isa 05 §7).
fn has_operands(row: &OpRow) -> bool {
    let fields = row.formats.iter().flat_map(|(_, f)| f.fields);
    fields
        .into_iter()
        .any(|f| f.operand.is_some() && matches!(f.kind, FieldKind::Pattern(..)))
}

#[test]
fn vectors_touch_what_they_declare() {
    let mut compared: BTreeMap<u8, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for g in Generation::MODELLED {
        let mut rig = Rig::new(g);
        // No byte is read before it is written; no index is large; registers hold a good address.
        let any = rig.queue.index() as u8;
        rig.m
            .edit(|w| (0..64).for_each(|r| w.set_reg(any, r, 0x3000)));
        for part in 0..128 {
            rig.put(Space::Sbuf, part, 0, &vec![1; 0x10000]);
            rig.put(Space::Psum, part, 0, &vec![1; 0x4000]);
        }
        for bytes in bundles() {
            let b = Bundle::new(bytes);
            let instr = isa::decode(&b, g);
            let here = instr.op.is_some_and(|r| r.gens.has(g));
            if !here || access::operands(&instr).next().is_none() {
                continue;
            }
            let mut plain = b;
            plain.put(4, &[0; 8]);
            if rig.run(plain).is_err() {
                continue;
            }
            let at = rig.m.journal().position() - 1;
            for role in [Role::Read, Role::Write] {
                let Some((declared, parts)) = declared(&plain, g, role) else {
                    continue;
                };
                let found = match role {
                    Role::Read => touched(rig.m.journal().reads(at), &parts),
                    _ => touched(rig.m.journal().writes(at), &parts),
                };
                if !declared.is_empty() {
                    *compared.entry(plain.opcode()).or_default() += 1;
                }
                let beyond: Cells = found.difference(&declared).copied().collect();
                let explained = match (plain.opcode(), role) {
                    // It reads or writes one of its two operands, by its mode (isa 05 §3.6).
                    (0x08, _) => continue,
                    // BEGIN clears the zero region around the destination (isa 05 §6.2).
                    (0x02 | 0x07 | 0x0A, Role::Write) => beyond.iter().all(|c| c.0 == Space::Psum),
                    // Two scalars of at most 4 bytes per partition may stand behind pointers (isa 07 §5).
                    (_, Role::Read) => beyond.len() <= 8 * parts.len(),
                    _ => beyond.is_empty(),
                };
                if !explained || !declared.is_subset(&found) {
                    let more: Vec<_> = found.difference(&declared).take(3).collect();
                    let less: Vec<_> = declared.difference(&found).take(3).collect();
                    wrong.push(format!(
                        "{g} {role:?} {} more {more:?} less {less:?}",
                        text::line(&instr)
                    ));
                }
            }
            // The next bundle takes its place.
            rig.m.undo().unwrap();
            rig.program.pop();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Every opcode that executes and has operands takes part.
    let missing: Vec<&str> = table::rows()
        .filter(|r| Generation::MODELLED.iter().any(|g| r.gens.has(*g)))
        .filter(|r| matches!(r.exec, Exec::Modelled) && has_operands(r))
        .filter(|r| !compared.contains_key(&r.byte))
        .map(|r| r.name)
        .collect();
    assert_eq!(missing, [] as [&str; 0]);
}
