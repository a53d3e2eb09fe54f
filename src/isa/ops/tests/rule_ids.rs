//! Every rule id of the sources is broken by a vector, in the stream of the engine the vector names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{bundle, lines};
use crate::isa::legal::check;
use crate::isa::{Engine, table};

/// Every file of bundles for rules. The last one has the rules of all bundles, whatever their opcode.
const VECTORS: [&str; 6] = [
    include_str!("../../../../tests/vectors/legal-pe.txt"),
    include_str!("../../../../tests/vectors/legal-act.txt"),
    include_str!("../../../../tests/vectors/legal-ctrl.txt"),
    include_str!("../../../../tests/vectors/legal-dma.txt"),
    include_str!("../../../../tests/vectors/legal-dve.txt"),
    COMMON,
];
const COMMON: &str = include_str!("../../../../tests/vectors/legal-common.txt");

/// What stands before a rule id where it is reported, in source text with single spaces.
const BEFORE: [&str; 12] = [
    "error(",
    "error( ",
    "push(",
    "push( ",
    "one_of(c, ",
    "one_of( c, ",
    "wrong(c, ",
    "wrong( c, ",
    "Error, ",
    "Warn, ",
    "Info, ",
    "everity, ",
];

/// Sources below a folder, tests apart.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The rule ids that the sources report.
fn rule_ids() -> BTreeSet<String> {
    let isa = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/isa");
    let mut files = Vec::new();
    sources(&isa.join("legal"), &mut files);
    sources(&isa.join("ops"), &mut files);
    let mut ids = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts: Vec<&str> = text.split('"').collect();
        // The errors of addresses and lanes name their rule in a match.
        let arms = file.ends_with("legal/address.rs");
        for pair in parts.windows(2) {
            let [before, id] = [pair[0], pair[1]];
            let marked =
                BEFORE.iter().any(|m| before.ends_with(m)) || arms && before.ends_with("=> ");
            let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            if marked && !id.is_empty() && id.bytes().all(word) {
                ids.insert(id.to_owned());
            }
        }
    }
    ids
}

/// The rules that a line's bundle breaks.
fn broken(line: &[&str]) -> BTreeSet<&'static str> {
    let (generation, engine) = line[1].split_once('/').unwrap_or((line[1], ""));
    let found = check(&bundle(generation, line[2]), Engine::parse(engine));
    found.iter().map(|v| v.rule).collect()
}

#[test]
fn bundles_break_the_common_rules_named_and_no_others() {
    let mut wrong = Vec::new();
    for line in lines(COMMON) {
        let named: BTreeSet<&str> = line[3].split(',').filter(|r| *r != "-").collect();
        let found = broken(&line);
        if found != named {
            wrong.push(format!("{}: said {named:?}, found {found:?}", line[0]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_id_is_broken_by_a_vector() {
    let ids = rule_ids();
    let vectors = VECTORS.into_iter().flat_map(lines);
    let seen: BTreeSet<String> = vectors
        .flat_map(|l| broken(&l))
        .map(str::to_owned)
        .collect();
    // Both ways: a rule that is reported but not found in the sources would escape this test.
    assert_eq!(seen.difference(&ids).collect::<Vec<_>>(), [] as [&str; 0]);
    assert_eq!(ids.difference(&seen).collect::<Vec<_>>(), [] as [&str; 0]);
    assert!(
        table::rows().count() >= 174 && ids.len() > 100,
        "{}",
        ids.len()
    );
}
