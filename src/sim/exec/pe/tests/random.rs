//! Random programs against nested loops written down from isa 05 §6.

use super::*;
use crate::num::{self, Kind, Rules};
use proptest::prelude::*;

/// What the loops know of the machine.
struct Model {
    weights: Vec<[[f32; 128]; 128]>,
    psum: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct Pass {
    row_grp: u8,
    col_grp: u8,
    rows: u8,
    cols: u8,
    n: u16,
    load: bool,
    w_type: u8,
    x_type: u8,
    flags: u8,
    region: u8,
    bf16_out: bool,
    order: Order,
    bank: u32,
    at: u32,
    seed: u64,
    double: bool,
}

/// Walks of the destination.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Ascending,
    Strided,
    Backwards,
    Repeated,
}

fn group() -> impl Strategy<Value = (u8, u8)> {
    prop_oneof![
        Just((1, 32)),
        Just((2, 32)),
        Just((4, 32)),
        Just((8, 32)),
        Just((3, 64)),
        Just((12, 64)),
        Just((15, 128))
    ]
    .prop_flat_map(|(g, max): (u8, u8)| (Just(g), 1..=max))
}

fn pass() -> impl Strategy<Value = Pass> {
    let order = prop_oneof![
        Just(Order::Ascending),
        Just(Order::Strided),
        Just(Order::Backwards),
        Just(Order::Repeated)
    ];
    let dtype = prop_oneof![Just(6u8), Just(7), Just(13), Just(14), Just(15), Just(10)];
    let shape = (
        group(),
        group(),
        1..40u16,
        any::<bool>(),
        dtype.clone(),
        dtype,
    );
    let rest = (
        0..7u8,
        0..4u8,
        any::<bool>(),
        order,
        0..8u32,
        0..256u32,
        any::<u64>(),
        any::<bool>(),
    );
    (shape, rest).prop_map(|(s, r)| {
        let ((row_grp, rows), (col_grp, cols), n, load, w_type, x_type) = s;
        let (flags, region, bf16_out, order, bank, at, seed, double) = r;
        Pass {
            row_grp,
            col_grp,
            rows,
            cols,
            n,
            load,
            w_type,
            x_type,
            flags,
            region,
            bf16_out,
            order,
            bank,
            at,
            seed,
            double,
        }
    })
}

fn base(group: u8) -> usize {
    32 * group.trailing_zeros() as usize
}

fn span(group: u8) -> usize {
    32 * group.count_ones() as usize
}

/// Deterministic elements: mostly small numbers of all magnitudes, now and then a special one.
fn elements(kind: Kind, n: usize, seed: &mut u64) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..n {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let r = (*seed >> 33) as u32;
        let special = [f32::INFINITY, f32::NAN, -0.0, f32::MIN_POSITIVE / 4.0];
        let x = if r % 997 < 4 {
            special[(r % 997) as usize]
        } else {
            ((r & 0xFFFF) as f32 / 32768.0 - 1.0) * 2f32.powi((r >> 16 & 7) as i32 - 3)
        };
        let bits = num::narrow(kind, x, &Rules::DEFAULT).to_le_bytes();
        out.extend_from_slice(&bits[..kind.bytes()]);
    }
    out
}

fn kind(dtype: u8) -> Kind {
    crate::isa::DType(dtype).kind().unwrap()
}

fn part_of(mode: u8, x: f32) -> f32 {
    // Round to 11 mantissa bits by hand: add half of what is dropped, ties to even.
    let high = {
        let b = x.to_bits();
        let round = 0x7FF + (b >> 12 & 1);
        if x.is_finite() {
            f32::from_bits(b.wrapping_add(round) & !0xFFF)
        } else {
            x
        }
    };
    match mode {
        1 if high.is_finite() => x - high,
        1 => 0.0,
        2 => high,
        _ => x,
    }
}

fn canonical(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(0x7FC0_0000)
    } else {
        x
    }
}

fn check(g: Generation, f64_sum: bool, first_first: bool, written: bool, passes: &[Pass]) {
    let mut keys = vec![];
    if f64_sum {
        keys.push(("numerics.pe-sum", "f64"));
    }
    if first_first {
        keys.push(("pe.weight-order", "first-first"));
    }
    if written {
        keys.push(("pe.zero-region", "written"));
    }
    let mut rig = Rig::with(g, &keys);
    let mut model = Model {
        weights: vec![[[0.0; 128]; 128]; 2],
        psum: vec![vec![0xFF; 16384]; 128],
    };
    let start = rig.digest();
    let mut loaded: Option<u8> = None;
    // Which quadrants hold two values per cell: a pass may only meet weights of its own mode.
    let mut doubled = [[false; 4]; 4];
    for p in passes {
        let mut seed = p.seed;
        // fp32 goes with fp32 only; two values per cell are an fp8 matter on v4.
        let double = p.double && g == Generation::V4;
        let w_type = if double { 14 } else { p.w_type };
        // v2 has no bus for the last quadrant; two members need all columns (isa 05 §4, §5).
        let col_grp = match p.col_grp {
            _ if double => 15,
            8 if g == Generation::V2 => 4,
            grp => grp,
        };
        let mode = |t: u8, seed: u64| if t == 10 { 1 + (seed % 3) as u8 } else { 0 };
        let (rows, cols, n) = (usize::from(p.rows), usize::from(p.cols), usize::from(p.n));
        let (rb, cb) = (base(p.row_grp), base(col_grp));
        let planes = if double { 2 } else { 1 };
        let fields = |t: u8, m: u8| {
            vec![
                (DTYPE, t),
                (FP32_MODE, m),
                (ROWS, p.rows),
                (COLS, p.cols),
                (ROW_GRP, p.row_grp),
                (COL_GRP, col_grp),
                (PERF, u8::from(double)),
                (XBUS, xbus(g, col_grp)),
            ]
        };
        // Members lie 128 elements apart: a multiple of 16 (isa 05 §5).
        let dims = |n: usize| [(1i16, n as u16), (1, 1), (128, planes as u16)];
        let quadrants = |g: u8| (0..4usize).filter(move |q| g >> q & 1 != 0);
        let mixed =
            quadrants(p.row_grp).any(|r| quadrants(col_grp).any(|c| doubled[r][c] != double));
        if p.load || loaded.is_none() || mixed {
            for r in quadrants(p.row_grp) {
                for c in quadrants(col_grp) {
                    doubled[r][c] = double;
                }
            }
            let k = kind(w_type);
            let m = mode(w_type, p.seed);
            for r in 0..rows {
                let bytes = elements(k, 128 * planes, &mut seed);
                rig.put(Space::Sbuf, (rb + r) as u16, 0, &bytes);
                for pl in 0..planes {
                    for j in 0..cols {
                        let at = (pl * 128 + j) * k.bytes();
                        let mut word = [0; 8];
                        word[..k.bytes()].copy_from_slice(&bytes[at..at + k.bytes()]);
                        let w = part_of(m, num::widen(k, u64::from_le_bytes(word)));
                        let col = if first_first { j } else { cols - 1 - j };
                        model.weights[pl][rb + r][cb + col] = w;
                    }
                }
            }
            for pl in 0..planes {
                for r in 0..span(p.row_grp) {
                    for c in 0..span(col_grp) {
                        if r >= rows || c >= cols {
                            model.weights[pl][rb + r][cb + c] = 0.0;
                        }
                    }
                }
            }
            let src = pattern(g, Space::Sbuf, rb as u16, 0, &dims(cols));
            rig.run(bundle(1, src, None, &fields(w_type, m)));
            loaded = Some(w_type);
        }
        let x_type = match loaded {
            Some(10) => 10,
            _ if double => 15,
            _ if p.x_type == 10 => 6,
            _ => p.x_type,
        };
        let k = kind(x_type);
        let m = mode(x_type, p.seed >> 8);
        let mut x = vec![vec![vec![0.0f32; n]; planes]; rows];
        for (r, x) in x.iter_mut().enumerate() {
            let bytes = elements(k, 128 * planes, &mut seed);
            rig.put(Space::Sbuf, (rb + r) as u16, 0x1000, &bytes);
            for (pl, x) in x.iter_mut().enumerate() {
                for (i, x) in x.iter_mut().enumerate() {
                    let at = (pl * 128 + i) * k.bytes();
                    let mut word = [0; 8];
                    word[..k.bytes()].copy_from_slice(&bytes[at..at + k.bytes()]);
                    *x = part_of(m, num::widen(k, u64::from_le_bytes(word)));
                }
            }
        }
        let bf16 = p.bf16_out && g == Generation::V4;
        let size = if bf16 { 2 } else { 4 };
        let flags = match (g, p.flags) {
            (Generation::V4, 5) => 4,
            (Generation::V4, f) => f,
            (_, f) => f % 4,
        };
        let region = if g == Generation::V4 { p.region } else { 0 };
        // Element i of the destination lies at element index walk(i) from the start.
        let (first, step) = match p.order {
            Order::Ascending | Order::Repeated => (p.at, 1),
            Order::Strided => (p.at, 3),
            Order::Backwards => (p.at + n as u32 - 1, -1),
        };
        let start_off = p.bank * 2048 + first * size;
        let (dst_dims, walk): (Vec<(i16, u16)>, Vec<i64>) =
            if p.order == Order::Repeated && n % 2 == 0 {
                (
                    vec![(1, p.n / 2), (0, 2)],
                    (0..n as i64).map(|i| i % (n as i64 / 2)).collect(),
                )
            } else {
                (
                    vec![(step, p.n)],
                    (0..n as i64).map(|i| i * i64::from(step)).collect(),
                )
            };
        let mut f = fields(x_type, m);
        f.extend([
            (FLAGS, flags),
            (REGION, region),
            (OUT, if bf16 { 6 } else { 0 }),
        ]);
        let src = pattern(g, Space::Sbuf, rb as u16, 0x1000, &dims(n));
        let dst = pattern(g, Space::Psum, cb as u16, start_off, &dst_dims);
        rig.run(bundle(2, src, Some(dst), &f));

        for c in 0..cols {
            let row = &mut model.psum[cb + c];
            if flags & 1 != 0 {
                if written {
                    for w in &walk {
                        let at = (i64::from(start_off) + w * i64::from(size)) as usize;
                        row[at..at + size as usize].fill(0);
                    }
                } else {
                    let len = 2048usize << region;
                    let at = start_off as usize / len * len;
                    row[at..at + len].fill(0);
                }
            }
            for (i, w) in walk.iter().enumerate() {
                let sum = if f64_sum {
                    let mut s = 0f64;
                    for pl in 0..planes {
                        for r in 0..rows {
                            s += f64::from(model.weights[pl][rb + r][cb + c])
                                * f64::from(x[r][pl][i]);
                        }
                    }
                    s as f32
                } else {
                    let mut s = 0f32;
                    for pl in 0..planes {
                        for r in 0..rows {
                            let product = model.weights[pl][rb + r][cb + c] * x[r][pl][i];
                            s += product;
                        }
                    }
                    s
                };
                let at = (i64::from(start_off) + w * i64::from(size)) as usize;
                if bf16 {
                    let cell: &mut [u8; 2] = (&mut row[at..at + 2]).try_into().unwrap();
                    let old = half::bf16::from_le_bytes(*cell).to_f32();
                    let new = half::bf16::from_f32(canonical(old + sum));
                    *cell = if new.is_nan() {
                        [0xC0, 0x7F]
                    } else {
                        new.to_le_bytes()
                    };
                } else {
                    let cell: &mut [u8; 4] = (&mut row[at..at + 4]).try_into().unwrap();
                    *cell = canonical(f32::from_le_bytes(*cell) + sum).to_le_bytes();
                }
            }
        }
        for (part, row) in model.psum.iter().enumerate() {
            assert_eq!(
                rig.get(Space::Psum, part as u16, 0, 16384),
                *row,
                "{p:?} partition {part}"
            );
        }
    }
    let end = rig.digest();
    while rig.m.undo().is_some() {}
    assert_eq!(rig.digest(), start);
    while rig.m.redo().is_some() {}
    assert_eq!(rig.digest(), end);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn equals_nested_loops(
        g in prop_oneof![Just(Generation::V2), Just(Generation::V3), Just(Generation::V4)],
        f64_sum in any::<bool>(),
        first_first in any::<bool>(),
        written in any::<bool>(),
        passes in prop::collection::vec(pass(), 1..4),
    ) {
        check(g, f64_sum, first_first, written, &passes);
    }
}
