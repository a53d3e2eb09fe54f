//! What is found in small programs, and how it follows time.

use super::*;
use crate::num::Kind;

/// Adds of 16 fp32 in 4 partitions: sources and destination in units of 64 bytes.
fn adds(of: &[(u8, u8, u8)]) -> Lines {
    let line = |(a, b, d): &(u8, u8, u8)| Line {
        op: Op::Add(*a, *b, *d, 16, 1, 4),
        wait: 0,
        update: 0,
        sem: 0,
        value: 0,
    };
    lines(vec![of.iter().map(line).collect()])
}

/// Rule, count, first and last sequence number.
fn found(s: &Session) -> Vec<(&'static str, u64, u64, u64)> {
    let all = s.findings().into_iter();
    all.map(|f| (f.rule, f.count, f.first.seq, f.last.seq))
        .collect()
}

#[test]
fn infinities_and_nans_are_told_where_they_are_born() {
    let mut s = session(&adds(&[
        (0, 0, 1),
        (1, 1, 2),
        (3, 1, 3),
        (1, 4, 5),
        (5, 5, 6),
    ]));
    let large = place(&s, 0, 4, 0, 64).with_dtype(Kind::Fp32);
    s.set_place(&large, &Value::Float(3e38)).unwrap();
    let minus = place(&s, 2, 1, 4 * 64 + 8, 4).with_dtype(Kind::Fp32);
    s.set_place(&minus, &Value::Float(f64::NEG_INFINITY))
        .unwrap();
    run(&mut s, Goal::Continue);
    // Inf + -Inf is the one NaN that is made; what comes after passes it on.
    assert_eq!(found(&s), [("inf", 1, 0, 0), ("nan", 1, 3, 3)]);
    run(&mut s, Goal::Goto(3));
    assert_eq!(found(&s), [("inf", 1, 0, 0)]);
}

#[test]
fn stores_that_nobody_reads_are_told_when_they_are_covered() {
    // 6 is stored three times: read in between once.
    let program = adds(&[(0, 1, 6), (6, 1, 7), (0, 1, 6), (1, 1, 6), (1, 1, 7)]);
    let mut s = session(&program);
    run(&mut s, Goal::Continue);
    assert_eq!(found(&s), [("unread-store", 2, 3, 4)]);
    let sites: Vec<_> = s.findings_of("unread-store");
    let told: Vec<_> = sites
        .iter()
        .map(|f| (f.first.index, f.message.as_str()))
        .collect();
    let m = |off: &str, index: u64| {
        format!(
            "overwrites sbuf[0:4, {off}+64], stored by dve:{index} at seq {index} and never read"
        )
    };
    assert_eq!(
        told,
        [(3, m("0x180", 2).as_str()), (4, m("0x1c0", 1).as_str())]
    );
    // A store of other bytes of the same block is none of them.
    let mut s = session(&adds(&[(0, 1, 6), (0, 1, 5), (0, 1, 7)]));
    run(&mut s, Goal::Continue);
    assert_eq!(found(&s), []);
}

#[test]
fn findings_can_be_switched_off() {
    let program = adds(&[(0, 1, 6), (1, 1, 6)]);
    let mut s = session(&program);
    let off = Watchfulness {
        findings: false,
        races: false,
    };
    run(&mut s, Goal::Steps(1, None));
    assert_eq!(s.set_watchfulness(off), When::AtRestart);
    run(&mut s, Goal::Continue);
    let before = found(&s);
    assert_eq!(before, [("unread-store", 1, 1, 1)]);
    s.restart().unwrap();
    run(&mut s, Goal::Continue);
    assert_eq!(found(&s), []);
    assert_eq!(s.set_watchfulness(Watchfulness::default()), When::AtRestart);
    s.restart().unwrap();
    run(&mut s, Goal::Continue);
    assert_eq!(found(&s), before);
}
