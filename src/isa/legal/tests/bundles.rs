//! The rules of whole bundles.

use super::super::common;
use super::*;

/// Rule ids a bundle breaks, with their severity.
fn rules(hex: &str, g: Generation, engine: Option<Engine>) -> Vec<(&'static str, Severity)> {
    let i = decode(&bytes(hex), g);
    check(&i, engine)
        .into_iter()
        .map(|v| (v.rule, v.severity))
        .collect()
}

/// isa 01 §6: a legal TENSOR_TENSOR, 128 lanes.
const ADD: &str = "411000000000000000000000aa0a0480000000000100010001004000010001000010000001000100010040000100010000200000010001000100400001000100";

/// `ADD` with bytes replaced.
fn add(changes: &[(usize, &[u8])]) -> Vec<(&'static str, Severity)> {
    let mut b = bytes(ADD);
    for (at, new) in changes {
        b.put(*at, new);
    }
    let i = decode(&b, Generation::V3);
    check(&i, Some(Engine::Dve))
        .into_iter()
        .map(|v| (v.rule, v.severity))
        .collect()
}

#[test]
fn rules_of_every_bundle() {
    use Severity::{Error, Info, Warn};
    let none: [(&str, Severity); 0] = [];
    assert_eq!(add(&[]), none);
    assert_eq!(add(&[(1, &[0x11])]), [("header", Error)]);
    assert_eq!(add(&[(2, &[2])]), [("debug-cmd", Warn)]);
    assert_eq!(add(&[(2, &[7, 0x2A])]), none);
    assert_eq!(add(&[(4, &[8])]), [("events", Error)]);
    assert_eq!(add(&[(6, &[0x10])]), [("events", Error)]);
    assert_eq!(add(&[(4, &[0x85, 3, 0, 0, 64])]), [("register", Error)]);
    assert_eq!(add(&[(6, &[0x13, 3, 1])]), none);
    assert_eq!(add(&[(6, &[0x13, 3, 2])]), [("sem-step", Warn)]);
    assert_eq!(add(&[(4, &[5, 3, 0x13, 3, 9])]), none);
    assert_eq!(add(&[(14, &[0xC0])]), [("enum", Error)]);
    assert_eq!(add(&[(13, &[0])]), [("dtype", Error)]);
    assert_eq!(add(&[(13, &[0x10])]), [("dtype", Error)]);
    // Counts, lanes, bounds of the first source.
    assert_eq!(add(&[(26, &[0, 0])])[0], ("count", Error));
    assert_eq!(add(&[(15, &[0])])[0], ("channels", Error));
    assert_eq!(add(&[(15, &[129])])[0], ("channels", Error));
    assert_eq!(add(&[(18, &[4])])[0], ("start-partition", Error));
    assert!(!add(&[(15, &[32]), (18, &[0x80])]).contains(&("start-partition", Error)));
    assert_eq!(add(&[(48, &[0, 0x7F, 3])]), none);
    assert_eq!(add(&[(48, &[4, 0x7F, 3])]), [("bounds", Error)]);
    assert_eq!(add(&[(20, &[0xFF, 0xFF])]), [("bounds", Error)]);
    assert_eq!(add(&[(16, &[0xFC, 0, 0, 0, 0xFF, 0xFF])]), none);
    assert_eq!(add(&[(16, &[2])]), [("address", Error)]);
    assert_eq!(add(&[(19, &[4])]), [("address", Error)]);
    assert_eq!(add(&[(19, &[0x20])]), [("indirect", Error)]);
    assert_eq!(add(&[(19, &[0x60])]), [("address", Error)]);
    assert_eq!(add(&[(16, &[5, 0, 0, 0x80])]), none);
    assert_eq!(add(&[(16, &[5, 0, 0, 0x81])]), [("register-bits", Warn)]);
    // PSUM: bf16 may be read from it, not written to it.
    assert_eq!(add(&[(51, &[2])]), none);
    assert_eq!(add(&[(51, &[2]), (13, &[6])]), [("psum-dtype", Error)]);
    let nop = "a4100000";
    assert_eq!(
        rules(&format!("{nop}{}01", "0".repeat(56)), Generation::V3, None),
        [("reserved", Error)]
    );
    for (hex, g, expected) in [
        ("17100000", Generation::V3, ("bad-opcode", Error)),
        ("00100000", Generation::V3, ("bad-opcode", Error)),
        ("ff100000", Generation::V3, ("bad-opcode", Error)),
        ("b7100000", Generation::V3, ("bad-opcode", Error)),
        ("25100000", Generation::V3, ("bad-opcode", Error)),
    ] {
        assert_eq!(rules(hex, g, None), [expected], "{hex}");
    }
    assert!(rules("e3110000", Generation::V4, None).contains(&("header", Info)));
    assert!(rules("05100000", Generation::V3, None).contains(&("dormant", Warn)));
    // A DVE opcode in other streams.
    for (e, legal) in [
        (Engine::Dve, true),
        (Engine::Pool, true),
        (Engine::Pe, false),
        (Engine::Sp, false),
    ] {
        let found = rules(ADD, Generation::V3, Some(e)).contains(&("engine", Error));
        assert_eq!(found, !legal, "{e}");
    }
    // POOL cannot reach PSUM.
    let mut b = bytes(ADD);
    b.put(51, &[2]);
    let i = decode(&b, Generation::V3);
    assert_eq!(check(&i, Some(Engine::Pool)).len(), 1);
    let warn = CheckSettings {
        pool_psum: Warn,
        ..CheckSettings::default()
    };
    let found = check_with(&i, Some(Engine::Pool), &warn);
    assert_eq!((found[0].rule, found[0].severity), ("pool-psum", Warn));
}

#[test]
fn two_updates_and_late_modes() {
    let both = format!(
        "a0100000{}{}{}",
        "0000130300000000",
        "00".repeat(20),
        "0000130400000000"
    );
    let found = rules(&both, Generation::V3, None);
    assert_eq!(found, [("two-updates", Severity::Warn)]);
    for (hex, v3, v5) in [
        ("9103000011000000", false, true),
        ("fe00000000000000", false, true),
        ("0603000000000000", true, false),
        ("0000110300000000", true, false),
    ] {
        let b = bytes(hex);
        assert_eq!(band(&b, Generation::V3).1, v3, "{hex}");
        assert_eq!(band(&b, Generation::V5).1, v5, "{hex}");
    }
    assert_eq!(UpdateMode(0x10).name(), None);
}

#[test]
fn worked_bundles_are_legal() {
    let tables = [
        include_str!("../../../../tests/vectors/control.tsv"),
        include_str!("../../../../assets/isa/vectors-dve-pool.tsv"),
    ];
    for row in tables.iter().flat_map(|t| t.lines().skip(1)) {
        let cells: Vec<&str> = row.split('\t').collect();
        let hex = cells.iter().find(|c| c.len() == 128).unwrap();
        for g in Generation::MODELLED {
            let i = decode(&bytes(hex), g);
            if i.op.is_none_or(|o| !o.gens.has(g)) {
                continue;
            }
            // Rules of the rows are tested with the rows.
            let mut c = Check {
                instr: &i,
                engine: None,
                found: Vec::new(),
            };
            common::check(&mut c);
            for v in c.found {
                assert!(v.severity != Severity::Error, "{g} {}: {v:?}", cells[0]);
            }
        }
    }
}
