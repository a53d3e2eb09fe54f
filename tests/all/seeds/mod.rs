//! The claims of the four seed documents, as the sheets settle them.
//!
//! `seed-claims.txt` lists every claim. A claim is tested by a row of `seed-descriptors.tsv` that
//! bears its id, or by a test whose name does (`fn t1_q26_sizes` tests T1 and Q26).

mod addr4;
mod descriptors;
mod quick_reference;
mod rig;
mod rows;
mod structural_enums;

use std::collections::{BTreeMap, BTreeSet};

const CLAIMS: &str = include_str!("../../vectors/seed-claims.txt");

/// Claims without a test, and why.
const ABSENT: &[(&str, &str)] = &[(
    "T35",
    "offsets inside the compiler's own object: nothing to observe",
)];

/// Ids in the names of the tests of a source text.
fn named(source: &str) -> impl Iterator<Item = String> + '_ {
    let tests = source.split("#[test]").skip(1);
    let names = tests.filter_map(|t| t.trim_start().strip_prefix("fn ")?.split('(').next());
    names.flat_map(|n| n.split('_').map(str::to_uppercase))
}

#[test]
fn every_claim_is_tested_or_absent() {
    let sources = [
        include_str!("addr4.rs"),
        include_str!("descriptors.rs"),
        include_str!("quick_reference.rs"),
        include_str!("structural_enums.rs"),
        include_str!("../neff.rs"),
    ];
    let mut tested: BTreeSet<String> = sources.into_iter().flat_map(named).collect();
    tested.extend(rows::ids());
    let claims: BTreeMap<&str, &str> = CLAIMS
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split_once('\t').unwrap())
        .collect();
    assert_eq!(claims.len(), 151);
    for (id, status) in &claims {
        assert!(
            ["agrees", "refined", "corrected", "missing"].contains(status),
            "{id} {status}"
        );
        let absent = ABSENT.iter().any(|(a, _)| a == id);
        assert_ne!(tested.contains(*id), absent, "{id} ({status})");
    }
    let typos: Vec<String> = rows::ids()
        .filter(|id| !claims.contains_key(id.as_str()))
        .collect();
    assert_eq!(typos, [] as [&str; 0]);
}
