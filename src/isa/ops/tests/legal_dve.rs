//! `legal-dve.txt`: for each rule of the DVE and POOL opcodes bundles that obey and that break it.

use super::{bundle, lines};
use crate::isa::legal::Severity;
use crate::isa::{Engine, check};

const VECTORS: &str = include_str!("../../../../tests/vectors/legal-dve.txt");

#[test]
fn bundles_break_the_rules_that_the_sheets_say_and_no_others() {
    let mut wrong = Vec::new();
    for line in lines(VECTORS) {
        let [id, place, hex, rules] = line.as_slice() else {
            panic!("{line:?}");
        };
        let (generation, engine) = place.split_once('/').unwrap_or((place, ""));
        let instr = bundle(generation, hex);
        let found = check(&instr, Engine::parse(engine));
        let mut broken: Vec<String> = found
            .iter()
            .map(|v| match v.severity {
                Severity::Error => v.rule.to_owned(),
                _ => format!("{}?", v.rule),
            })
            .collect();
        broken.sort_unstable();
        broken.dedup();
        let said: Vec<&str> = rules.split(',').filter(|r| *r != "-").collect();
        if broken != said {
            wrong.push(format!("{id}: said {said:?}, found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_opcode_with_rules_has_bundles_that_obey_and_break_them() {
    let mut seen = [[false; 2]; 256];
    for line in lines(VECTORS) {
        let opcode = usize::from_str_radix(&line[2][..2], 16).expect(line[0]);
        let breaks = !matches!(line[3], "-" | "dormant?");
        seen[opcode][usize::from(breaks)] = true;
    }
    let families = [
        super::super::dve::OPS,
        super::super::stream::OPS,
        super::super::pool::OPS,
    ];
    for row in families.into_iter().flatten() {
        let [obeys, breaks] = seen[usize::from(row.byte)];
        let illegal = row.byte == 0x88;
        assert_eq!(breaks, !row.rules.is_empty(), "{}", row.name);
        assert_eq!(obeys, !row.rules.is_empty() && !illegal, "{}", row.name);
    }
}
