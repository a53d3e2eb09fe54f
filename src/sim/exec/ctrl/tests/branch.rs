//! COMPARE_BRANCH and functions.

use super::alu::Core;
use super::*;
use proptest::prelude::*;

/// A branch: comparison, dtype, mode, immediate of the comparison, target.
fn branch(cmp: u8, dtype: u8, mode: u8, imm: u32, target: u64) -> Bundle {
    bundle(
        0xA9,
        &[
            (12, &[cmp, dtype, mode]),
            (16, &imm.to_le_bytes()),
            (32, &[0, 1, 2, 3]),
            (48, &target.to_le_bytes()),
        ],
    )
}

fn nops(n: usize) -> Vec<Bundle> {
    vec![Bundle::of_opcode(0xA4); n]
}

/// Where a stream of 10 bundles goes on after the branch at index 4.
fn after(b: Bundle, regs: &[(u8, u32)], settings: &[(&str, &str)]) -> Result<u64, &'static str> {
    let mut stream = nops(10);
    stream[4] = b;
    let mut m = with(Generation::V3, settings, Policy::default(), &[(SP, stream)]);
    m.edit(|w| w.set_pc(SP.index() as u8, 4));
    given(&mut m, regs);
    match m.step(None) {
        Stepped::Retired { .. } => Ok(m.pc(SP)),
        Stepped::Fault(f) => Err(f.rule),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn comparisons_follow_the_type(a in any::<u32>(), b in any::<u32>(), near in any::<bool>()) {
        let b = if near { a.wrapping_add(b % 3).wrapping_sub(1) } else { b };
        // Each type as an exactly ordered number; None for NaN.
        let number = |dtype: u8, v: u32| -> Option<f64> {
            Some(match dtype {
                3 => f64::from(v as u8),
                2 => f64::from(v as i8),
                5 => f64::from(v as u16),
                4 => f64::from(v as i16),
                9 => f64::from(v),
                8 => f64::from(v as i32),
                _ => f64::from(f32::from_bits(v)),
            }).filter(|x| !x.is_nan())
        };
        let mut core = Core::new();
        for dtype in [3u8, 2, 5, 4, 9, 8, 10] {
            let both = number(dtype, a).zip(number(dtype, b));
            let holds = |f: fn(f64, f64) -> bool| both.is_some_and(|(x, y)| f(x, y));
            let expected = [
                holds(|x, y| x < y), holds(|x, y| x <= y), holds(|x, y| x == y),
                both.is_none_or(|(x, y)| x != y), holds(|x, y| x >= y), holds(|x, y| x > y),
            ];
            for (op, taken) in (1u8..).zip(expected) {
                // Taken: back to itself; else on to the end.
                for (cmp, imm) in [(op, b), (op + 8, 0)] {
                    let m = core.run(branch(cmp, dtype, 3, imm, 0), &[(0, a), (1, b)]).unwrap();
                    prop_assert_eq!(m.pc(SP) == 0, taken, "op {} dtype {} {:#x} {:#x}", cmp, dtype, a, b);
                }
            }
        }
    }
}

#[test]
fn targets_by_mode() {
    let go = |mode, target| branch(0, 0, mode, 0, target);
    let no = &[][..];
    assert_eq!(after(go(3, 7), no, no_settings()), Ok(7));
    assert_eq!(
        after(go(3, 10), no, no_settings()),
        Ok(10),
        "the end is an exit"
    );
    assert_eq!(after(go(3, 11), no, no_settings()), Err("branch-target"));
    assert_eq!(
        after(go(3, u64::MAX), no, no_settings()),
        Err("branch-target")
    );
    // Modes 1 and 4 count bytes.
    let pair = |v: i64| [(2, v as u32), (3, (v >> 32) as u32)];
    assert_eq!(after(go(1, 0), &pair(64 * 9), no_settings()), Ok(9));
    assert_eq!(
        after(go(1, 0), &pair(64 * 9 + 4), no_settings()),
        Err("branch-target")
    );
    assert_eq!(
        after(go(1, 0), &pair(1 << 40), no_settings()),
        Err("branch-target")
    );
    assert_eq!(after(go(4, 0), &pair(64 * 2), no_settings()), Ok(6));
    assert_eq!(after(go(4, 0), &pair(-64 * 3), no_settings()), Ok(1));
    assert_eq!(
        after(go(4, 0), &pair(-64 * 5), no_settings()),
        Err("branch-target")
    );
    assert_eq!(
        after(go(4, 0), &pair(32), no_settings()),
        Err("branch-target")
    );
}

fn no_settings() -> &'static [(&'static str, &'static str)] {
    &[]
}

#[test]
fn unnamed_modes_are_not_modelled_when_taken() {
    let skip = [("unmodelled", "skip")];
    for mode in [0, 2, 5, 6, 7, 8, 9, 10] {
        let never = branch(1, 9, mode, 0, 0);
        assert_eq!(after(never, &[(0, 1)], no_settings()), Ok(5));
        let always = branch(0, 0, mode, 0, 0);
        assert_eq!(after(always, &[], no_settings()), Err("not-modelled"));
        assert_eq!(after(always, &[], &skip), Ok(5), "passed over");
    }
    for cmp in [7, 8, 15, 200] {
        let b = branch(cmp, 9, 3, 0, 0);
        assert!(after(b, &[(0, 0)], no_settings()).is_err());
    }
    for dtype in [0, 1, 6, 12, 99] {
        let b = branch(3, dtype, 3, 0, 0);
        assert!(after(b, &[(0, 0)], no_settings()).is_err());
    }
}

/// Bytes when a hint says so anywhere in the stream, else an index; a setting overrides it.
#[test]
fn unit_of_immediate_targets() {
    let plain = branch(0, 0, 3, 0, 128);
    let mut hinted = plain;
    hinted.put(3, &[2]);
    assert_eq!(after(plain, &[], no_settings()), Err("branch-target"));
    assert_eq!(after(plain, &[], &[("branch.target", "rel-bytes")]), Ok(6));
    assert_eq!(after(hinted, &[], no_settings()), Ok(6));
    assert_eq!(
        after(hinted, &[], &[("branch.target", "index")]),
        Err("branch-target")
    );
    let back = branch(0, 0, 3, 0, u64::from(-128i32 as u32));
    assert_eq!(after(back, &[], &[("branch.target", "rel-bytes")]), Ok(2));
    let odd = branch(0, 0, 3, 0, 65);
    assert_eq!(
        after(odd, &[], &[("branch.target", "rel-bytes")]),
        Err("branch-target")
    );

    // The hint is on another branch than the one that runs first.
    let mut stream = nops(8);
    stream[0] = plain;
    stream[7] = hinted;
    let mut m = machine(&[(SP, stream.clone())]);
    step(&mut m);
    assert_eq!((m.pc(SP), found(&m).len()), (2, 0));
    // With pseudo opcodes beside it the same, but reported.
    stream[5] = Bundle::of_opcode(0xCC);
    let mut m = machine(&[(SP, stream)]);
    step(&mut m);
    assert_eq!(
        (m.pc(SP), found(&m).as_slice()),
        (2, ["branch-form"].as_slice())
    );
}

/// `for i in 0..5 { r1 += i }`: counter, back edge, fall-through.
#[test]
fn a_loop_runs_its_count() {
    let add = |dst: u8, a: u8, b: u8| bundle(0xA8, &[(12, &[4, 9, 0]), (16, &[a, 0, b, 0, dst])]);
    let inc = bundle(
        0xA8,
        &[(12, &[4, 9, 1]), (16, &[0, 0, 0, 0, 0]), (24, &[1])],
    );
    let stream = vec![
        set(0, 0),
        set(1, 0),
        add(1, 1, 0),
        inc,
        branch(1, 9, 3, 5, 2),
    ];
    let mut m = machine(&[(SP, stream)]);
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!((reg(&m, 1), m.journal().seq()), (10, 2 + 3 * 5));
}

fn named(opcode: u8, name: &str, tail: &[u8]) -> Bundle {
    bundle(opcode, &[(12, name.as_bytes()), (48, tail)])
}

#[test]
fn functions_nest_and_return() {
    let ret = Bundle::of_opcode(0xD2);
    let exit = bundle(0xDF, &[(12, &[1])]);
    let stream = vec![
        named(0xD3, "outer", &[]),
        exit,
        named(0xD1, "outer", &[0, 60, 61]),
        named(0xD3, "inner", &[]),
        ret,
        named(0xD1, "inner", &[0, 58, 59]),
        set(1, 7),
        ret,
    ];
    let mut m = machine(&[(SP, stream)]);
    m.edit(|w| w.set_sem(3, 9));
    let mut path = Vec::new();
    while let Stepped::Retired { index, .. } = m.step(None) {
        path.push(index);
    }
    assert_eq!(path, [0, 3, 6, 7, 4, 1]);
    assert_eq!(m.state().sem(3), 9, "no record asks for a reset");
}

#[test]
fn a_return_outside_a_function_ends_the_engine() {
    let mut m = machine(&[(SP, vec![Bundle::of_opcode(0xD2), set(1, 1)])]);
    step(&mut m);
    assert_eq!((m.step(None), reg(&m, 1)), (Stepped::Exited, u32::MAX));
}

#[test]
fn calls_that_cannot_be_made() {
    let mut m = machine(&[(SP, vec![named(0xD3, "nowhere", &[])])]);
    assert_eq!(faults(&mut m).rule, "call-target");
    let mut m = machine(&[(
        SP,
        vec![named(0xD1, "f", &[0, 1, 2]), named(0xD3, "f", &[])],
    )]);
    let Stepped::Fault(f) = run(&mut m) else {
        panic!("endless recursion")
    };
    assert_eq!(f.rule, "call-depth");
}

/// Two engines return together; the semaphores are zeroed once, when both have arrived.
#[test]
fn returns_join_the_engines() {
    let begin = named(0xD1, "f", &[1, 60, 61]);
    let ret = Bundle::of_opcode(0xD2);
    let call = named(0xD3, "f", &[]);
    let exit = bundle(0xDF, &[(12, &[1])]);
    let quick = vec![call, sync((0, 0, 0), (0x15, 8, 5)), exit, begin, ret];
    let slow = vec![
        call,
        sync((0, 0, 0), (0x15, 9, 6)),
        exit,
        begin,
        sync((0, 0, 0), (0x15, 7, 1)),
        Bundle::of_opcode(0xA4),
        ret,
    ];
    let mut m = machine(&[(PE, quick), (SP, slow)]);
    step(&mut m);
    let b = m.blocked(PE).unwrap();
    assert_eq!((b.barrier, b.waits.len()), (vec![SP], 0));
    assert_eq!(run(&mut m), Stepped::Exited);
    let sems = [7, 8, 9].map(|s| m.state().sem(s));
    assert_eq!(
        sems,
        [0, 5, 6],
        "posted before the join: zeroed; after it: kept"
    );
}
