//! Transfers against nested loops over a map of bytes.

mod edges;
mod flight;
mod listed;

use super::*;
use crate::isa::{Bundle, Engine, Generation};
use crate::sim::exec::ctrl::tests::{
    SP, bundle, bytes, found, given, machine, put, run, set, step, sync, with,
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
    combine_with(&[], op, dtypes, src, dst)
}

fn combine_with(
    settings: &[(&str, &str)],
    op: u8,
    dtypes: [u8; 2],
    src: &[u8],
    dst: &[u8],
) -> Vec<u8> {
    let b = dma(
        Side::line(0x100, src.len() as u16),
        Side::line(0x200, dst.len() as u16),
        op,
        dtypes,
    );
    let streams = [(SP, vec![b])];
    let mut m = with(Generation::V3, settings, Policy::default(), &streams);
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
    let saturate = [("numerics.fp8-accumulate-overflow", "saturate")];
    let sum = combine_with(&saturate, 1, [0x0F, 0x0F], &[0x7B], &[0x7B]);
    assert_eq!(sum, [0x7B]);
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
