//! `legal-*.txt`: bundles that obey and bundles that break rules.

use std::collections::BTreeSet;

use super::{bundle, lines};
use crate::isa::legal::check;
use crate::isa::ops::{act, ctrl, dma, pe, pseudo};

const FILES: [(&str, &str); 4] = [
    ("pe", include_str!("../../../../tests/vectors/legal-pe.txt")),
    (
        "act",
        include_str!("../../../../tests/vectors/legal-act.txt"),
    ),
    (
        "ctrl",
        include_str!("../../../../tests/vectors/legal-ctrl.txt"),
    ),
    (
        "dma",
        include_str!("../../../../tests/vectors/legal-dma.txt"),
    ),
];

#[test]
fn bundles_break_the_rules_named_and_no_others() {
    for (file, text) in FILES {
        for line in lines(text) {
            let [id, generation, hex, wanted] = line.as_slice() else {
                panic!("{file}: {line:?}");
            };
            let instr = bundle(generation, hex);
            let found = check(&instr, None);
            let ids: BTreeSet<&str> = found.iter().map(|v| v.rule).collect();
            let wanted: BTreeSet<&str> = wanted.split(',').filter(|r| *r != "-").collect();
            assert_eq!(ids, wanted, "{file} {id}: {found:#?}");
        }
    }
}

#[test]
fn every_opcode_with_rules_has_bundles_that_obey_and_break_them() {
    let mut seen = [[false; 2]; 256];
    for line in FILES.iter().flat_map(|(_, text)| lines(text)) {
        let opcode = usize::from_str_radix(&line[2][..2], 16).expect(line[0]);
        seen[opcode][usize::from(line[3] != "-")] = true;
    }
    for family in [pe::OPS, act::OPS, ctrl::OPS, dma::OPS, pseudo::OPS] {
        for row in family.iter().filter(|r| !r.rules.is_empty()) {
            assert_eq!(seen[usize::from(row.byte)], [true; 2], "{}", row.name);
        }
    }
}
