//! TENSOR_LOAD and TENSOR_STORE, POLL_SEM, TEST_EVENT_SEM, MOVE_SHAPE.

use super::alu::Core;
use super::*;
use crate::sim::{Region, Space};
use proptest::prelude::*;

const SBUF: u64 = 0x20_0000_0000;
const SYNC: u64 = 0x28_0270_0000;

/// A load or store of `num` elements at an immediate address.
fn mem(
    opcode: u8,
    dtype: u8,
    imm: bool,
    num: [u8; 2],
    addr: u64,
    step: [i32; 2],
    data: &[u8],
) -> Bundle {
    bundle(
        opcode,
        &[
            (12, &[dtype, u8::from(imm), num[0], num[1]]),
            (16, &addr.to_le_bytes()),
            (24, &step[0].to_le_bytes()),
            (28, &step[1].to_le_bytes()),
            (32, data),
        ],
    )
}

fn load(dtype: u8, addr: u64, data: &[u8]) -> Bundle {
    mem(
        0xAA,
        dtype,
        false,
        [data.len() as u8, 1],
        addr,
        [1, 0],
        data,
    )
}

fn store(dtype: u8, addr: u64, data: &[u8]) -> Bundle {
    mem(
        0xAB,
        dtype,
        false,
        [data.len() as u8, 1],
        addr,
        [1, 0],
        data,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Stored and loaded again through every dtype, in two dimensions, against a map of bytes.
    #[test]
    fn stores_and_loads_agree_with_bytes(
        dtype in prop::sample::select(vec![(3u8, 1u64, false), (2, 1, true), (5, 2, false), (4, 2, true), (9, 4, false), (8, 4, true), (10, 4, false), (1, 8, false)]),
        n0 in 1..6u8, n1 in 1..4u8,
        s0 in 1..4i32, s1 in -40..40i32,
        values in prop::collection::vec(any::<u64>(), 32),
        sbuf in any::<bool>(),
    ) {
        let (code, size, signed) = dtype;
        let base = 0x4000 + if sbuf { SBUF + 5 * 0x4_0000 } else { 0 };
        let count = usize::from(n0) * usize::from(n1);
        let count_limit = if size == 8 { 16 } else { 32 };
        prop_assume!(count <= count_limit);
        let width = if size == 8 { 2 } else { 1 };
        let regs: Vec<u8> = (0..count as u8).map(|k| k * width).collect();
        let before: Vec<(u8, u32)> = regs.iter().zip(&values)
            .flat_map(|(r, v)| [(*r, *v as u32), (*r + 1, (*v >> 32) as u32)].into_iter().take(usize::from(width)))
            .collect();
        let (num, step) = ([n0, n1], [s0, s1]);
        let mut expected = std::collections::BTreeMap::new();
        let mut order = Vec::new();
        for i1 in 0..i64::from(n1) {
            for i0 in 0..i64::from(n0) {
                let at = (0x4000 + (i0 * i64::from(s0) + i1 * i64::from(s1)) * size as i64) as u64;
                let v = values[order.len()];
                order.push(at);
                (0..size).for_each(|b| { expected.insert(at + b, (v >> (8 * b)) as u8); });
            }
        }
        let mut core = Core::new();
        let m = core.run(mem(0xAB, code, false, num, base, step, &regs), &before).unwrap();
        prop_assert_eq!(found(m), [""; 0]);
        let (space, part) = if sbuf { (Space::Sbuf, 5) } else { (Space::Dram, 0) };
        for (at, byte) in &expected {
            prop_assert_eq!(bytes(m, Rect::new(space, part, 1, *at, 1)), vec![*byte]);
        }
        let out: Vec<u8> = (0..count as u8).map(|k| 32 + k * width).collect();
        let m = core.run(mem(0xAA, code, false, num, base, step, &out), &[]).unwrap();
        for (k, at) in order.iter().enumerate() {
            let raw = (0..size).rev().fold(0u64, |v, b| v << 8 | u64::from(expected[&(at + b)]));
            let shift = 64 - 8 * size as u32;
            let wide = if signed { ((raw << shift) as i64 >> shift) as u64 } else { raw };
            prop_assert_eq!(reg(m, out[k]), wide as u32, "element {}", k);
            if size == 8 {
                prop_assert_eq!(reg(m, out[k] + 1), (wide >> 32) as u32);
            }
        }
    }
}

#[test]
fn what_cannot_be_reached_is_a_fault() {
    let mut core = Core::new();
    let dram = Generation::V3.info().dram_bytes;
    let faults = [
        ("dtype", load(6, 0, &[1])),
        ("dtype", load(12, 0, &[1])),
        ("count", mem(0xAA, 9, false, [0, 1], 0, [1, 0], &[])),
        ("count", mem(0xAA, 9, false, [8, 5], 0, [1, 0], &[])),
        ("count", mem(0xAB, 9, true, [9, 1], 0, [1, 0], &[])),
        ("alignment", load(9, 2, &[1])),
        ("alignment", load(1, 4, &[2])),
        ("register", load(1, 8, &[3])),
        ("register", load(9, 8, &[64])),
        (
            "region",
            mem(0xAA, 9, false, [2, 1], 0x100_0000 - 4, [1, 0], &[1, 2]),
        ),
        ("region", mem(0xAA, 9, false, [2, 1], 0, [-1, 0], &[1, 2])),
        ("address", load(9, dram, &[1])),
        ("address", load(9, 0x28_0200_0000, &[1])),
        ("address", load(9, SBUF + 0x3_8000, &[1])),
        ("address", load(9, SBUF + 128 * 0x4_0000, &[1])),
        ("address", load(3, SYNC, &[1])),
        ("address", load(9, SYNC + 0x1400, &[1])),
        ("address", load(9, SYNC + 0x400, &[1])),
        ("address", store(9, SYNC + 0x1000, &[1])),
        ("address", store(9, SYNC + 0x2000, &[1])),
        ("not-modelled", load(9, 0x20 << 56, &[1])),
        ("not-modelled", load(9, 0x40 << 56, &[1])),
    ];
    for (rule, b) in faults {
        let f = core.run(b, &[(1, 0)]).unwrap_err();
        assert_eq!(f.rule, rule, "{f}");
    }
}

/// Every access is cut at the partitions where a generation backs the whole stride.
#[test]
fn words_run_on_into_the_next_partition_where_memory_is_whole() {
    let edge = SBUF + 0x4_0000 - 8;
    let b = store(1, edge, &[0, 2]);
    let mut m = with(Generation::V4, &[], Policy::default(), &[(SP, vec![b])]);
    given(&mut m, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    step(&mut m);
    assert_eq!(
        bytes(&m, Rect::new(Space::Sbuf, 0, 1, 0x3_FFF8, 8)),
        [1, 0, 0, 0, 2, 0, 0, 0]
    );
    assert_eq!(
        bytes(&m, Rect::new(Space::Sbuf, 1, 1, 0, 8)),
        [3, 0, 0, 0, 4, 0, 0, 0]
    );
}

#[test]
fn windows_read_and_change_semaphores_and_events() {
    let mut core = Core::new();
    let at = |window: u64, n: u64| SYNC + window + 4 * n;
    let regs = [(1, 10), (2, 3), (4, 0xFF)];
    let mut go = |b| core.run(b, &regs).unwrap().state().clone();
    assert_eq!(go(store(9, at(0x1400, 7), &[1])).sem(7), 10);
    assert_eq!(go(store(9, at(0x1800, 7), &[2])).sem(7), 13);
    assert_eq!(go(store(8, at(0x1C00, 7), &[1])).sem(7), 3);
    assert!(go(store(9, at(0, 200), &[4])).event(200));
    let state = go(load(9, at(0x1000, 7), &[5]));
    assert_eq!(state.reg(SP.index() as u8, 5), 3);
    let state = go(load(9, at(0, 200), &[5]));
    assert_eq!(state.reg(SP.index() as u8, 5), 1);
    assert!(!go(store(9, at(0, 200), &[1])).event(200));
}

#[test]
fn never_written_bytes_are_reported_or_fault() {
    let b = load(9, 0x100, &[1, 2]);
    let mut m = machine(&[(SP, vec![b])]);
    step(&mut m);
    assert_eq!(
        (reg(&m, 1), found(&m).as_slice()),
        (u32::MAX, ["uninit-read"].as_slice())
    );
    let strict = [("uninit.read", "fault")];
    let mut m = with(Generation::V3, &strict, Policy::default(), &[(SP, vec![b])]);
    assert_eq!(faults(&mut m).rule, "uninit-read");
}

fn poll(count: u8, op: u8, from: u64, to: u64) -> Bundle {
    bundle(
        0xB3,
        &[
            (12, &[count, 5, op]),
            (16, &from.to_le_bytes()),
            (24, &to.to_le_bytes()),
        ],
    )
}

/// The example of the header: 8, 3, 5, 4, 4, 10 folded by MIN give 3, six 3s are written.
#[test]
fn poll_writes_back_what_is_not_zero() {
    let words = |v: &[u32]| -> Vec<u8> { v.iter().flat_map(|w| w.to_le_bytes()).collect() };
    for (first, result) in [(8u32, 3u32), (0, 0)] {
        let mut m = machine(&[(SP, vec![poll(6, 9, 0x100, 0x200)])]);
        put(
            &mut m,
            Rect::dram(0x100, 24),
            &words(&[first, 3, 5, 4, 4, 10]),
        );
        step(&mut m);
        assert_eq!(reg(&m, 5), result);
        let written = m.state().is_written(&Rect::dram(0x200, 24));
        assert_eq!(written, result != 0);
        if written {
            assert_eq!(bytes(&m, Rect::dram(0x200, 24)), words(&[3; 6]));
        }
    }
    for count in [0, 17] {
        let mut m = machine(&[(SP, vec![poll(count, 9, 0, 0)])]);
        assert_eq!(faults(&mut m).rule, "count");
    }
}

fn test_es(mode: u8, update: u8, rounds: u8, ids: &[u8], regs: &[u8], threshold: u32) -> Bundle {
    bundle(
        0xB4,
        &[
            (12, &[mode, update, rounds, ids.len() as u8]),
            (16, ids),
            (32, regs),
            (48, &threshold.to_le_bytes()),
        ],
    )
}

#[test]
fn test_event_sem_by_mode() {
    let go = |b: Bundle| {
        let mut m = with(Generation::V4, &[], Policy::default(), &[(SP, vec![b])]);
        given(&mut m, &[(1, 2), (2, 5)]);
        m.edit(|w| {
            w.set_sem(30, 10);
            w.set_sem(31, 3);
            w.set_event(9, true);
        });
        match m.step(None) {
            Stepped::Retired { .. } => Ok(m),
            Stepped::Fault(f) => Err(f.rule),
            other => panic!("{other:?}"),
        }
    };
    let m = go(test_es(1, 0, 0, &[9, 8], &[1, 2], 0)).unwrap();
    assert_eq!((reg(&m, 1), reg(&m, 2)), (1, 0));
    for (update, sems) in [
        (0x85, [12, 8]),
        (0x87, [8, 3 - 5i32]),
        (0x99, [2, 5]),
        (0x13, [11, 4]),
        (0x14, [9, 2]),
    ] {
        let m = go(test_es(2, update, 0, &[30, 31], &[1, 2], 0)).unwrap();
        assert_eq!(
            [m.state().sem(30) as i32, m.state().sem(31) as i32],
            sems,
            "{update:#x}"
        );
    }
    let m = go(test_es(3, 0x99, 0, &[9, 8], &[1, 2], 0)).unwrap();
    assert_eq!(
        (m.state().event(9), m.state().event(8)),
        (false, true),
        "bit 0 of the registers"
    );
    // Two rounds on 30 only: 10 - 2, then 8 - 3; 31 stays below the threshold.
    let m = go(test_es(4, 0x97, 2, &[30, 31], &[1, 2], 4)).unwrap();
    assert_eq!(
        (m.state().sem(30), m.state().sem(31), reg(&m, 1), reg(&m, 2)),
        (5, 3, 4, 5)
    );
    assert_eq!(
        go(test_es(2, 0x15, 0, &[30], &[1], 0)).err(),
        Some("test-update")
    );
    assert!(go(test_es(7, 0x95, 0, &[30], &[1], 0)).is_err());
    assert_eq!(go(test_es(0, 0, 0, &[], &[], 0)).err(), Some("count"));
}

#[test]
fn move_shape_fills_a_shape_register() {
    let shape = |head: [u8; 3], reg: u8| {
        let steps: Vec<u8> = [1i32, -64, 3, 4]
            .iter()
            .flat_map(|s| s.to_le_bytes())
            .collect();
        let counts: Vec<u8> = [16u16, 2, 1, 1]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        bundle(
            0xB2,
            &[(12, &head), (16, &[reg]), (32, &steps), (48, &counts)],
        )
    };
    let mut core = Core::new();
    let m = core.run(shape([0, 1, 1], 2), &[]).unwrap();
    let words = m.state().hidden(Region::SHAPE_REGS.slice(16, 8));
    assert_eq!(words, [1, 16, -64i32 as u32, 2, 3, 1, 4, 1]);
    assert_eq!(
        core.run(shape([0, 1, 1], 4), &[]).unwrap_err().rule,
        "shape-register"
    );
    for head in [[1, 1, 1], [0, 2, 1], [0, 1, 0]] {
        assert_eq!(
            core.run(shape(head, 0), &[]).unwrap_err().rule,
            "not-modelled"
        );
    }
}
