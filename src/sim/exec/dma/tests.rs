//! Transfers against nested loops over a map of bytes.

use super::*;
use crate::isa::{Bundle, Engine, Generation};
use crate::sim::exec::ctrl::tests::{
    SP, bundle, bytes, faults, found, given, machine, put, run, set, step, sync, with,
};
use crate::sim::{Machine, Policy, Rect, Space, StepKind, Stepped};
use proptest::prelude::*;
use std::collections::BTreeMap;

const SBUF: u64 = 0x20_0000_0000;
const SYNC: u64 = 0x28_0270_0000;

/// A side of a copy as it stands in the bundle.
#[derive(Clone, Copy, Debug)]
struct Side {
    addr: u64,
    step: [i32; 2],
    num: [u16; 2],
    size: u16,
    bound: u8,
}

impl Side {
    const fn line(addr: u64, size: u16) -> Side {
        Side {
            addr,
            step: [0, 0],
            num: [1, 1],
            size,
            bound: 0,
        }
    }

    /// Start of every element, X fastest, by the formula of isa 09 §3.
    fn starts(&self) -> Vec<u64> {
        let mut out = Vec::new();
        for y in 0..i64::from(self.num[1]) {
            for x in 0..i64::from(self.num[0]) {
                let by = x * i64::from(self.step[0]) + y * i64::from(self.step[1]);
                out.push(self.addr.wrapping_add_signed(by));
            }
        }
        out
    }
}

/// Completion semaphore 10, increment 1.
fn dma(src: Side, dst: Side, op: u8, dtypes: [u8; 2]) -> Bundle {
    let i32s = |v: [i32; 2]| v.map(i32::to_le_bytes).concat();
    let u16s = |v: [u16; 2]| v.map(u16::to_le_bytes).concat();
    bundle(
        0xB8,
        &[
            (13, &[10, 1, op]),
            (16, &src.addr.to_le_bytes()),
            (24, &i32s(src.step)),
            (32, &u16s(src.num)),
            (36, &src.size.to_le_bytes()),
            (38, &[src.bound, dst.bound]),
            (40, &dst.addr.to_le_bytes()),
            (48, &i32s(dst.step)),
            (56, &u16s(dst.num)),
            (60, &dst.size.to_le_bytes()),
            (62, &dtypes),
        ],
    )
}

/// Memory by address: DRAM below the SBUF window, SBUF partitions of 256 KiB in it.
#[derive(Clone, Default)]
struct Bytes(BTreeMap<u64, u8>);

impl Bytes {
    fn rect(addr: u64, len: u32) -> Rect {
        match addr.checked_sub(SBUF) {
            Some(o) => Rect::new(Space::Sbuf, (o >> 18) as u16, 1, o & 0x3_FFFF, len),
            None => Rect::dram(addr, len),
        }
    }

    fn fill(&mut self, m: &mut Machine, addr: u64, len: u32, seed: u64) {
        let data: Vec<u8> = (0..u64::from(len))
            .map(|i| (seed.wrapping_mul(i + 1) >> 8) as u8)
            .collect();
        put(m, Bytes::rect(addr, len), &data);
        self.0.extend((addr..).zip(data));
    }

    fn agrees(&self, m: &Machine) -> Result<(), TestCaseError> {
        for (addr, byte) in &self.0 {
            let found = bytes(m, Bytes::rect(*addr, 1));
            prop_assert_eq!(found[0], *byte, "at {:#x}", addr);
        }
        Ok(())
    }

    /// Source bytes in order, each with whether it was skipped.
    fn gather(&self, side: &Side, limit: Option<u64>) -> Vec<Option<u8>> {
        let mut out = Vec::new();
        for start in side.starts() {
            let skipped = limit.is_some_and(|l| start > l);
            out.extend((0..u64::from(side.size)).map(|i| (!skipped).then(|| self.0[&(start + i)])));
        }
        out
    }

    fn scatter(&mut self, side: &Side, limit: Option<u64>, stream: &[Option<u8>]) {
        let mut next = stream.iter();
        for start in side.starts() {
            let skipped = limit.is_some_and(|l| start > l);
            for i in 0..u64::from(side.size) {
                if let (Some(b), false) = (next.next().unwrap(), skipped) {
                    self.0.insert(start + i, *b);
                }
            }
        }
    }
}

/// A shape of `count` elements of `size` bytes around `base`, of which `span` bytes are backed on
/// both sides.
fn shape(base: u64, num: [u16; 2], size: u16, step: [i32; 2]) -> Side {
    Side {
        addr: base,
        step,
        num,
        size,
        bound: 0,
    }
}

/// Two shapes with the same number of bytes.
fn sides() -> impl Strategy<Value = (Side, Side)> {
    let base = |high: u64| {
        prop_oneof![
            Just(0x8000 + high),
            Just(SBUF + (7 << 18) + 0x8000 + high),
            Just(SBUF + (7 << 18) + 0x8001)
        ]
    };
    let step = || prop_oneof![-200..200i32, Just(0), Just(16), Just(64), Just(32)];
    (
        prop::sample::select(vec![
            [(4u16, 3u16, 16u16), (3, 4, 16)],
            [(6, 2, 16), (1, 1, 192)],
            [(1, 5, 7), (35, 1, 1)],
            [(8, 8, 4), (4, 4, 16)],
            [(2, 3, 64), (2, 3, 64)],
        ]),
        base(0),
        base(0x4000),
        step(),
        step(),
        step(),
        step(),
    )
        .prop_map(|([s, d], from, to, s0, s1, d0, d1)| {
            (
                shape(from, [s.0, s.1], s.2, [s0, s1 * 4]),
                shape(to, [d.0, d.1], d.2, [d0, d1 * 4]),
            )
        })
}

/// SP with one transfer and 24 KiB of known bytes around every base address.
fn scene(b: Bundle, seed: u64) -> (Machine, Bytes) {
    let mut m = machine(&[(SP, vec![b])]);
    let mut model = Bytes::default();
    model.fill(&mut m, 0x2000, 0xC000, seed | 1);
    model.fill(&mut m, SBUF + (7 << 18) + 0x2000, 0xC000, seed ^ 0x5555);
    (m, model)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn copies_equal_nested_loops((src, dst) in sides(), seed in any::<u64>()) {
        let (mut m, mut model) = scene(dma(src, dst, 0, [6, 6]), seed);
        step(&mut m);
        prop_assert_eq!(found(&m), [""; 0]);
        let stream = model.gather(&src, None);
        model.scatter(&dst, None, &stream);
        model.agrees(&m)?;
        prop_assert_eq!(m.state().sem(10), 1);
    }

    #[test]
    fn bounds_skip_elements(
        (mut src, mut dst) in sides(),
        seed in any::<u64>(),
        which in 1..4u8,
        at in any::<prop::sample::Index>(),
        silent in any::<bool>(),
    ) {
        let limit_of = |s: &Side| { let all = s.starts(); all[at.index(all.len())] };
        let quiet = if silent { 0x40 } else { 0 };
        let (ls, ld) = (limit_of(&src), limit_of(&dst));
        let (ls, ld) = ((which & 1 != 0).then_some(ls), (which & 2 != 0).then_some(ld));
        src.bound = if ls.is_some() { 0x80 | quiet | 20 } else { 0 };
        dst.bound = if ld.is_some() { 0x80 | quiet | 22 } else { 0 };
        let (mut m, mut model) = scene(dma(src, dst, 0, [0, 0]), seed);
        let halves = |n: u8, l: Option<u64>| l.map_or(vec![], |l| vec![(n, l as u32), (n + 1, (l >> 32) as u32)]);
        given(&mut m, &[halves(20, ls), halves(22, ld)].concat());
        step(&mut m);
        let over = |s: &Side, l: Option<u64>| l.map_or(0, |l| s.starts().iter().filter(|a| **a > l).count());
        let skipped = over(&src, ls) + over(&dst, ld);
        let expected: &[&str] = if skipped > 0 && !silent { &["dma-bound"] } else { &[] };
        prop_assert_eq!(found(&m), expected);
        let stream = model.gather(&src, ls);
        model.scatter(&dst, ld, &stream);
        model.agrees(&m)?;
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// One transfer of `src` bytes at 0x100 onto `dst` bytes at 0x200.
fn combine(op: u8, dtypes: [u8; 2], src: &[u8], dst: &[u8]) -> Vec<u8> {
    let b = dma(
        Side::line(0x100, src.len() as u16),
        Side::line(0x200, dst.len() as u16),
        op,
        dtypes,
    );
    let mut m = machine(&[(SP, vec![b])]);
    put(&mut m, Rect::dram(0x100, src.len() as u32), src);
    put(&mut m, Rect::dram(0x200, dst.len() as u32), dst);
    step(&mut m);
    bytes(&m, Rect::dram(0x200, dst.len() as u32))
}

#[test]
fn casts_and_arithmetic() {
    let a = [1.5f32, -2.0, f32::NAN, 7.0];
    let b = [0.25f32, 4.0, 3.0, f32::NAN];
    let fp = [10, 10];
    let at = |v: Vec<u8>| -> Vec<f32> {
        v.chunks_exact(4)
            .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    assert_eq!(
        at(combine(1, fp, &floats(&a[..2]), &floats(&b[..2]))),
        [1.75, 2.0]
    );
    assert_eq!(
        at(combine(2, fp, &floats(&a[..2]), &floats(&b[..2]))),
        [0.375, -8.0]
    );
    // fmaxf and fminf: the operand that is a number wins.
    assert_eq!(
        at(combine(3, fp, &floats(&a), &floats(&b))),
        [1.5, 4.0, 3.0, 7.0]
    );
    assert_eq!(
        at(combine(4, fp, &floats(&a), &floats(&b))),
        [0.25, -2.0, 3.0, 7.0]
    );
    // Integers wrap at their width.
    let sum = combine(1, [8, 8], &ints(&[i32::MAX, -5]), &ints(&[1, 2]));
    assert_eq!(sum, ints(&[i32::MIN, -3]));
    let most = combine(3, [8, 8], &ints(&[-1, 9]), &ints(&[-2, 3]));
    assert_eq!(most, ints(&[-1, 9]));
    // bf16: 1 + 2^-8 is a tie, to even: 1.
    assert_eq!(
        combine(1, [6, 6], &[0x80, 0x3B], &[0x80, 0x3F]),
        [0x80, 0x3F]
    );
    // Accumulating in fp8 overflows to infinity, plain casts saturate (decisions 1.3).
    assert_eq!(combine(1, [0x0F, 0x0F], &[0x7B], &[0x7B]), [0x7C]);
    assert_eq!(combine(0, [10, 0x0F], &floats(&[1e9]), &[0]), [0x7B]);
    // fp32 to bf16 and back, int32 to fp32.
    assert_eq!(
        combine(0, [10, 6], &floats(&[1.5, -2.0]), &[0; 4]),
        [0xC0, 0x3F, 0x00, 0xC0]
    );
    assert_eq!(combine(0, [6, 10], &[0xC0, 0x3F], &[0; 4]), floats(&[1.5]));
    assert_eq!(combine(0, [8, 10], &ints(&[-3]), &[0; 4]), floats(&[-3.0]));
    // bf16 added onto fp32.
    assert_eq!(
        combine(1, [6, 10], &[0xC0, 0x3F], &floats(&[1.0])),
        floats(&[2.5])
    );
}

/// The same destination twice: both are added.
#[test]
fn repeated_destinations_accumulate() {
    let src = Side {
        step: [4, 0],
        num: [4, 1],
        ..Side::line(0x100, 4)
    };
    let dst = Side {
        step: [0, 0],
        num: [4, 1],
        ..Side::line(0x200, 4)
    };
    let mut m = machine(&[(SP, vec![dma(src, dst, 1, [10, 10])])]);
    put(
        &mut m,
        Rect::dram(0x100, 16),
        &floats(&[1.0, 2.0, 3.0, 4.0]),
    );
    put(&mut m, Rect::dram(0x200, 4), &floats(&[0.5]));
    step(&mut m);
    assert_eq!(bytes(&m, Rect::dram(0x200, 4)), floats(&[10.5]));
}

#[test]
fn what_cannot_be_copied_is_a_fault() {
    let ok = Side::line(0x100, 64);
    let wide = Side {
        num: [2, 1],
        ..Side::line(0x100, 32)
    };
    let cases = [
        ("dma-bytes", dma(ok, Side::line(0x200, 63), 0, [0, 0])),
        ("dma-bytes", dma(ok, Side::line(0x200, 64), 0, [10, 6])),
        ("alignment", dma(Side::line(0x102, 64), ok, 1, [10, 10])),
        (
            "alignment",
            dma(
                ok,
                Side {
                    step: [2, 0],
                    ..wide
                },
                1,
                [10, 10],
            ),
        ),
        (
            "alignment",
            dma(Side::line(0x100, 6), Side::line(0x200, 6), 1, [10, 10]),
        ),
        ("dtype", dma(ok, ok, 1, [9, 9])),
        ("dtype", dma(ok, ok, 1, [5, 5])),
        ("dtype", dma(ok, ok, 1, [0, 0])),
        (
            "address",
            dma(Side::line(0x28_0200_0000, 64), ok, 0, [0, 0]),
        ),
        (
            "address",
            dma(ok, Side::line(0x28_0200_0000, 64), 0, [0, 0]),
        ),
        (
            "address",
            dma(ok, Side::line(SBUF + 0x3_7FF0, 64), 0, [0, 0]),
        ),
        (
            "address",
            dma(
                ok,
                Side::line(Generation::V3.info().dram_bytes - 63, 64),
                0,
                [0, 0],
            ),
        ),
        (
            "address",
            dma(Side::line(SYNC + 0x1000, 4), Side::line(0, 4), 0, [0, 0]),
        ),
        (
            "address",
            dma(Side::line(0, 4), Side::line(SYNC + 0x1000, 4), 0, [0, 0]),
        ),
        (
            "address",
            dma(Side::line(0, 8), Side::line(SYNC + 0x1800, 8), 0, [0, 0]),
        ),
        (
            "not-modelled",
            dma(
                Side {
                    addr: 0x20 << 56,
                    ..ok
                },
                ok,
                0,
                [0, 0],
            ),
        ),
        (
            "shape-register",
            dma(
                Side {
                    addr: 0x40 << 56 | 0x100,
                    ..ok
                },
                ok,
                0,
                [0, 0],
            ),
        ),
    ];
    for (rule, b) in cases {
        let mut m = machine(&[(SP, vec![b])]);
        put(&mut m, Rect::dram(0, 0x400), &[0; 0x400]);
        let f = faults(&mut m);
        assert_eq!(f.rule, rule, "{f}");
    }
}

#[test]
fn a_zero_size_is_64_kib() {
    let b = dma(
        Side::line(0x1_0000, 0),
        Side::line(SBUF + (3 << 18), 0),
        0,
        [0, 0],
    );
    let mut m = machine(&[(SP, vec![b])]);
    let data: Vec<u8> = (0..1u32 << 16).map(|i| (i / 7) as u8).collect();
    put(&mut m, Rect::dram(0x1_0000, 1 << 16), &data);
    step(&mut m);
    assert_eq!(bytes(&m, Rect::new(Space::Sbuf, 3, 1, 0, 1 << 16)), data);
}

/// Four words set, add, subtract semaphores and set an event.
#[test]
fn words_go_to_the_semaphore_windows() {
    let word = |at: u64, to: u64| dma(Side::line(at, 4), Side::line(SYNC + to, 4), 0, [0, 0]);
    let two = dma(
        Side {
            step: [4, 0],
            num: [2, 1],
            ..Side::line(0x100, 4)
        },
        Side {
            step: [4, 0],
            num: [2, 1],
            ..Side::line(SYNC + 0x1800 + 4 * 20, 4)
        },
        0,
        [0, 0],
    );
    let program = vec![
        two,
        word(0x104, 0x1400 + 4 * 30),
        word(0x100, 0x1C00 + 4 * 30),
        word(0x100, 4 * 7),
    ];
    let mut m = machine(&[(SP, program)]);
    put(&mut m, Rect::dram(0x100, 8), &ints(&[5, 9]));
    run(&mut m);
    let sems = [20, 21, 30, 10].map(|s| m.state().sem(s));
    assert_eq!((sems, m.state().event(7)), ([5, 9, 4, 4], true));
}

/// Addresses from registers, shapes from shape registers, and the count of completions.
#[test]
fn registers_give_addresses_and_shapes() {
    let by_shape = Side {
        addr: 0xC0 << 56 | 4 | 5 << 8,
        step: [2, 0],
        num: [0, 0],
        size: 8,
        bound: 0,
    };
    let b = dma(
        by_shape,
        Side {
            num: [6, 1],
            step: [8, 0],
            ..Side::line(0x800, 8)
        },
        0,
        [0, 0],
    );
    let shape = {
        let steps = [16i32, 256, 0, 0].map(i32::to_le_bytes).concat();
        let counts = [3u16, 2, 0, 0].map(u16::to_le_bytes).concat();
        bundle(
            0xB2,
            &[(12, &[0, 1, 1]), (16, &[2]), (32, &steps), (48, &counts)],
        )
    };
    let settings = [("dma.completion-count", "16")];
    let mut m = with(
        Generation::V3,
        &settings,
        Policy::default(),
        &[(SP, vec![shape, b])],
    );
    given(&mut m, &[(4, 0x400), (5, 0)]);
    let data: Vec<u8> = (0..0x200u32).map(|i| i as u8).collect();
    put(&mut m, Rect::dram(0x400, 0x200), &data);
    step(&mut m);
    step(&mut m);
    let expected: Vec<u8> = [0usize, 16, 32, 256, 272, 288]
        .iter()
        .flat_map(|s| data[*s..*s + 8].to_vec())
        .collect();
    assert_eq!(bytes(&m, Rect::dram(0x800, 48)), expected);
    assert_eq!(m.state().sem(10), 16);
}

/// The inline update fires at issue, the completion after the delay; DRAIN waits for it.
#[test]
fn delayed_transfers_land_later() {
    let mut b = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    b.put(6, &[0x13, 3]);
    let nop = Bundle::of_opcode(0xA4);
    let program = vec![b, nop, nop, nop, nop, Bundle::of_opcode(0xA2), nop];
    let delay = [("dma.delay", "3")];
    let mut m = with(
        Generation::V3,
        &delay,
        Policy::default(),
        &[(SP, program.clone())],
    );
    put(&mut m, Rect::dram(0x100, 4), &[1, 2, 3, 4]);
    let landed = |m: &Machine| {
        (
            m.state().sem(10),
            bytes(m, Rect::dram(0x200, 4)) == [1, 2, 3, 4],
        )
    };
    step(&mut m);
    assert_eq!((m.state().sem(3), landed(&m)), (1, (0, false)));
    step(&mut m);
    step(&mut m);
    assert_eq!(landed(&m), (0, false));
    step(&mut m);
    assert_eq!(landed(&m), (1, true), "three steps after the issue");
    let record = m.journal().record(m.journal().position() - 1).unwrap();
    assert_eq!(
        (record.head.kind, record.head.index),
        (StepKind::Transfer, 0)
    );

    // A shorter program: nothing else to do, so time advances.
    let mut m = with(
        Generation::V3,
        &delay,
        Policy::default(),
        &[(SP, vec![b, program[5], nop])],
    );
    put(&mut m, Rect::dram(0x100, 4), &[1, 2, 3, 4]);
    step(&mut m);
    assert_eq!(landed(&m), (1, true), "SP waits in DRAIN, time passes");
    assert_eq!(run(&mut m), Stepped::Exited);
}

#[test]
fn a_stream_waits_in_drain_while_others_run() {
    let b = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    let nop = Bundle::of_opcode(0xA4);
    let pe = Queue::Of(Engine::Pe);
    let streams = [(SP, vec![b, Bundle::of_opcode(0xA2)]), (pe, vec![nop; 20])];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "6")],
        Policy::default(),
        &streams,
    );
    put(&mut m, Rect::dram(0x100, 4), &[0; 4]);
    while m.pc(SP) == 0 {
        step(&mut m);
    }
    let blocked = m.blocked(SP).unwrap();
    assert_eq!((blocked.transfers, blocked.waits.len()), (1, 0));
    assert_eq!(m.blocked(pe), None);
    assert!(matches!(m.step(Some(SP)), Stepped::Blocked(_)));
    let flights: Vec<u64> = in_flight(m.state()).map(|(_, t)| t.index).collect();
    assert_eq!(flights, [0]);
    let issued = m.journal().seq();
    while m.pc(SP) == 1 {
        step(&mut m);
    }
    assert_eq!(m.journal().seq(), issued + 6 + 1);
}

#[test]
fn accesses_during_a_transfer_are_races() {
    let b = dma(Side::line(0x100, 8), Side::line(0x200, 8), 0, [0, 0]);
    let word = |op: u8, at: u64| {
        bundle(
            op,
            &[(12, &[9, 0, 1, 1]), (16, &at.to_le_bytes()), (32, &[1])],
        )
    };
    let (load, store) = (|at| word(0xAA, at), |at| word(0xAB, at));
    let program = vec![
        b,
        load(0x100),
        load(0x204),
        store(0x104),
        store(0x1FC),
        store(0x200),
        load(0x208),
    ];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "9")],
        Policy::default(),
        &[(SP, program)],
    );
    put(&mut m, Rect::dram(0x100, 0x200), &[0; 0x200]);
    let races: Vec<usize> = (0..7)
        .map(|_| {
            step(&mut m);
            found(&m).iter().filter(|r| **r == "dma-race").count()
        })
        .collect();
    assert_eq!(races, [0, 0, 1, 1, 0, 1, 0]);
}

/// A wait that only a transfer in flight can satisfy is no deadlock; one that it cannot is.
#[test]
fn deadlock_needs_an_idle_memory() {
    let b = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    let program = |n: u32| vec![b, sync((5, 10, n), (0, 0, 0))];
    for (n, dead) in [(1, false), (2, true)] {
        let mut m = with(
            Generation::V3,
            &[("dma.delay", "50")],
            Policy::default(),
            &[(SP, program(n))],
        );
        put(&mut m, Rect::dram(0x100, 4), &[0; 4]);
        let end = run(&mut m);
        assert_eq!(matches!(end, Stepped::Deadlock(_)), dead, "{end:?}");
        assert_eq!(m.state().sem(10), 1);
    }
}

#[test]
fn transfers_in_flight_are_taken_back() {
    let transfers: Vec<Bundle> = (0..100u64)
        .map(|i| {
            dma(
                Side::line(0x100 + i, 4),
                Side::line(0x4000 + 4 * i, 4),
                0,
                [0, 0],
            )
        })
        .collect();
    let mut program = transfers;
    program.push(set(1, 1));
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "1000")],
        Policy::default(),
        &[(SP, program)],
    );
    let data: Vec<u8> = (0..=255).collect();
    put(&mut m, Rect::dram(0x100, 256), &data);
    let mut digests = vec![m.state().digest()];
    let start = m.journal().position();
    loop {
        match m.step(None) {
            Stepped::Retired { .. } => {}
            Stepped::Exited => break,
            other => panic!("{other:?}"),
        }
    }
    let expected: Vec<u8> = (0..100usize)
        .flat_map(|i| data[i..i + 4].to_vec())
        .collect();
    assert_eq!(bytes(&m, Rect::dram(0x4000, 400)), expected);
    assert_eq!(m.state().sem(10), 100);
    let end = m.state().digest();
    while m.journal().position() > start {
        m.undo().unwrap();
    }
    digests.push(m.state().digest());
    assert_eq!(digests[0], digests[1]);
    while m.redo().is_some() {}
    assert_eq!(m.state().digest(), end);
}
