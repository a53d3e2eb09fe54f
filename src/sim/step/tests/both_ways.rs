//! Random control programs, run forward and taken back.

use super::*;

/// A program of control bundles that stays among few registers, semaphores and events.
fn program() -> impl Strategy<Value = Vec<Bundle>> {
    let r = || 0..6u8;
    let s = || 0..4u8;
    let one = prop_oneof![
        3 => (r(), any::<u32>()).prop_map(|(n, v)| set(n, v)),
        3 => (0..=255u8, prop::sample::select(vec![8u8, 9, 1, 10]), r(), r(), r()).prop_map(|(op, d, a, b, c)| {
            bundle(0xA8, &[(12, &[op, d, 0, 0]), (16, &[a, a, b, b, c, c])])
        }),
        3 => (s(), prop::sample::select(vec![0x13u8, 0x14, 0x15, 0x17, 0x19, 0x11, 0x12, 0x03, 0x95]), 0..5u32)
            .prop_map(|(n, mode, v)| nop((0, 0), (mode, n), v)),
        1 => (s(), prop::sample::select(vec![1u8, 2, 3, 4, 5, 6, 7, 14, 15]), 0..3u32)
            .prop_map(|(n, mode, v)| nop((mode, n), (0x13, n), v)),
        2 => (prop::sample::select(vec![0u8, 1, 2, 3, 4, 5, 6, 9, 14]), r(), 0..24u64).prop_map(|(cmp, reg, to)| {
            let dtype = if cmp == 0 { 0 } else { 9 };
            bundle(0xA9, &[(12, &[cmp, dtype, 3]), (32, &[reg, 0]), (48, &to.to_le_bytes())])
        }),
        2 => (0..64u64, r(), any::<bool>()).prop_map(|(at, reg, store)| {
            let op = if store { 0xAB } else { 0xAA };
            bundle(op, &[(12, &[9, 0, 1, 1]), (16, &(4 * at).to_le_bytes()), (32, &[reg])])
        }),
        2 => (0..200u64, 0..200u64, 1..60u8, s()).prop_map(|(from, to, len, sem)| {
            let to = if to % 3 == 0 { 0x20_0000_0000 + to } else { to };
            bundle(0xB8, &[
                (13, &[sem, 1]), (16, &from.to_le_bytes()), (32, &[1, 0, 1, 0, len]),
                (40, &to.to_le_bytes()), (56, &[1, 0, 1, 0, len]),
            ])
        }),
        1 => Just(Bundle::of_opcode(0xA2)),
        1 => Just(Bundle::of_opcode(0xD5)),
        1 => (s(), s()).prop_map(|(a, b)| bundle(0xB0, &[(12, &[1, a.min(b), a.max(b)])])),
        1 => (0..3u8, r()).prop_map(|(mode, reg)| bundle(0xB4, &[(12, &[mode, 0x95, 0, 2]), (16, &[1, 2]), (32, &[reg, 7])])),
    ];
    prop::collection::vec(one, 1..24)
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::RoundRobin),
        any::<u64>().prop_map(Policy::Random),
        any::<u64>().prop_map(Policy::Bursts),
        Just(Policy::Timed)
    ]
}

/// Positions and digests after each step until the program ends, stops or 120 steps are done.
fn trace(m: &mut Machine, steps: usize) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    for _ in 0..steps {
        match m.step(None) {
            Stepped::Retired { .. } => out.push((m.journal().position(), m.state().digest())),
            _ => break,
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn control_programs_run_both_ways(
        a in program(), b in program(), c in program(),
        policy in policy(),
        delay in prop::sample::select(vec!["0", "1", "5"]),
        split in 0..60usize,
    ) {
        let streams = [(PE, a), (ACT, b), (SP, c)];
        let settings = [("dma.delay", delay)];
        let mut m = with(Generation::V4, &settings, policy, &streams);
        let start = m.state().digest();
        let seen = trace(&mut m, 60);
        let end = m.journal().position();

        // Back step by step, and forth again.
        for (position, digest) in seen.iter().rev() {
            while m.journal().position() > *position {
                m.undo().unwrap();
            }
            prop_assert_eq!(m.state().digest(), *digest);
        }
        while m.undo().is_some() {}
        prop_assert_eq!(m.state().digest(), start);
        while m.redo().is_some() {}
        prop_assert_eq!(m.journal().position(), end);

        // The same from the start in two runs, the second from a restored checkpoint.
        let mut n = with(Generation::V4, &settings, policy, &streams);
        let mut again = trace(&mut n, split);
        let (point, position, seq) = (n.checkpoint(), n.journal().position(), n.journal().seq());
        let rest = trace(&mut n, 60 - split.min(again.len()));
        n.restore(&point, position, seq);
        let once_more = trace(&mut n, 60 - split.min(again.len()));
        prop_assert_eq!(&rest, &once_more);
        again.extend(rest);
        again.truncate(seen.len());
        prop_assert_eq!(again, seen);
    }
}
