//! `legal-*.txt`: bundles that obey and bundles that break rules.

use std::collections::BTreeSet;

use super::{bundle, lines};
use crate::isa::legal::check;

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
