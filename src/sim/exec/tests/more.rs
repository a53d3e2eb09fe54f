//! Instructions beyond the random model: worked numbers of isa 16, 07b and 07c.

use super::{Rig, packed};
use crate::isa::{Bundle, Engine, Generation, Queue, Space};
use crate::sim::settings::Settings;
use crate::sim::{Rect, Region};

/// Place of a pattern, its address, its steps and counts.
type Slot<'a> = (usize, u32, &'a [(i16, u16)]);

/// A bundle of an opcode with control bytes and patterns: place, address, steps and counts.
pub(super) fn bundle(opcode: u8, control: &[(usize, &[u8])], patterns: &[Slot<'_>]) -> Bundle {
    let mut b = Bundle::default();
    b.put(0, &[opcode, 0x10]);
    for (at, bytes) in control {
        b.put(*at, bytes);
    }
    for (at, addr, dims) in patterns {
        b.put(*at, &addr.to_le_bytes());
        for (i, (step, num)) in dims.iter().enumerate() {
            b.put(at + 4 + 2 * i, &step.to_le_bytes());
            b.put(at + 4 + 2 * dims.len() + 2 * i, &num.to_le_bytes());
        }
    }
    b
}

pub(super) const fn row(n: u16) -> [(i16, u16); 4] {
    [(1, n), (1, 1), (1, 1), (1, 1)]
}

pub(super) const fn row3(n: u16) -> [(i16, u16); 3] {
    [(1, n), (1, 1), (1, 1)]
}

const fn row2(n: u16) -> [(i16, u16); 2] {
    [(1, n), (1, 1)]
}

fn rig() -> Rig {
    Rig::new(Generation::V3)
}

pub(super) fn rules(
    found: Result<Vec<crate::sim::Finding>, crate::sim::Fault>,
) -> Vec<&'static str> {
    found.unwrap().iter().map(|f| f.rule).collect()
}

/// isa 16 C16: eight values, of which seven are equal.
#[test]
fn equal_values_are_matched_one_to_one() {
    let mut r = rig();
    let data = [1.0, 2.0, 3.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0];
    r.put_f32(0, 0, &data);
    // MATCH_VALUE_LOAD reads the last slot first.
    let load = |r: &mut Rig, vals: [f32; 8]| {
        r.put_f32(0, 0x100, &vals);
        r.clean(bundle(
            0x6D,
            &[(32, &[0x0A, 0, 1])],
            &[(16, 0x11C, &[(-1, 8), (1, 1)])],
        ));
    };
    let find = |r: &mut Rig| {
        let b = bundle(
            0x6E,
            &[(32, &[0x0A, 0x09, 1])],
            &[(12, 0, &row(11)), (48, 0x200, &row2(8))],
        );
        r.clean(b);
        r.u32(0, 0x200, 8)
    };
    load(&mut r, [3.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]);
    assert_eq!(find(&mut r), [2, 4, 5, 6, 7, 8, 9, 10]);
    load(&mut r, [3.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]);
    r.clean(bundle(
        0x6F,
        &[(32, &[0x0A, 0x0A, 1])],
        &[(12, 0, &row(11)), (44, 0x300, &row(11))],
    ));
    let replaced = [1.0, 2.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(r.f32(0, 0x300, 11), replaced);
    assert_eq!(
        r.m.state().hidden(Region::INDEX_FLOPS)[..8],
        [2, 10, 9, 8, 7, 6, 5, 4]
    );
    let none = u32::MAX;
    load(&mut r, [9.0, 8.0, 8.0, 1.0, 1.0, 2.0, 7.0, 4.0]);
    assert_eq!(find(&mut r), [none, 4, 5, 0, none, 1, none, 3]);
}

/// isa 07b B6: duplicates count separately, NaN never counts.
#[test]
fn max8_keeps_duplicates_and_skips_nan() {
    let mut r = rig();
    let nan = f32::NAN;
    r.put_f32(0, 0, &[nan, 5.0, 5.0, -1.0, nan, 7.0, 2.0, 5.0, -3.0, 0.0]);
    r.clean(bundle(
        0x6C,
        &[(32, &[0x0A, 0x0A, 1])],
        &[(12, 0, &row(10)), (48, 0x100, &row2(8))],
    ));
    assert_eq!(
        r.f32(0, 0x100, 8),
        [-3.0, -1.0, 0.0, 2.0, 5.0, 5.0, 5.0, 7.0]
    );
}

/// isa 16 D7.
#[test]
fn sequence_bounds() {
    let mut r = rig();
    r.put_f32(0, 0, &[1.0, 1.0, 2.0, 2.0, 2.0, 5.0, 0.0, 0.0]);
    let dst = [(1, 8), (1, 1), (8, 2)];
    let b = bundle(
        0xBE,
        &[(12, &[1, 0, 0x0A, 0x08])],
        &[(16, 0, &row3(8)), (32, 0x100, &dst)],
    );
    r.clean(b);
    assert_eq!(r.u32(0, 0x100, 8), [0, 0, 2, 2, 2, 5, 8, 8]);
    let minus = u32::MAX;
    assert_eq!(r.u32(0, 0x120, 8), [2, 2, 5, 5, 5, 6, minus, minus]);
}

/// isa 16 D8, and NaN is not counted (07c C3).
#[test]
fn nonzero_with_count() {
    let mut r = rig();
    r.put_f32(0, 0, &[-0.0, 1.0, 1.0, f32::NAN, 0.0, -2.0, 0.0, 0.0]);
    let b = bundle(
        0xF2,
        &[
            (12, &[1, 0x0A, 0x08]),
            (32, &16i32.to_le_bytes()),
            (40, &(-1i32).to_le_bytes()),
        ],
        &[(16, 0, &row3(8)), (44, 0x100, &row3(9))],
    );
    r.clean(b);
    let pad = u32::MAX;
    assert_eq!(r.u32(0, 0x100, 9), [17, 18, 21, pad, pad, pad, pad, pad, 3]);
}

/// isa 07c C9, stable and with NaN last.
#[test]
fn sort() {
    let mut r = rig();
    let sort = |dtype: u8, comparison: u8, n: u16| {
        bundle(
            0x96,
            &[
                (12, &[1, 0, dtype | dtype << 4, comparison]),
                (36, &100u32.to_le_bytes()),
                (40, &[1]),
            ],
            &[(16, 0, &[(1, n)]), (24, 0x100, &[(1, 2), (2, n)])],
        )
    };
    r.put(
        Space::Sbuf,
        0,
        0,
        &packed(&[9u16, 3, 5, 1, 0, 0], u16::to_le_bytes),
    );
    r.clean(sort(0x05, 0x16, 6));
    let pairs = [0, 104, 0, 105, 1, 103, 3, 101, 5, 102, 9, 100];
    assert_eq!(r.u16(0, 0x100, 12), pairs);
    r.put_f32(0, 0, &[2.0, f32::NAN, -1.0, 2.0]);
    r.clean(sort(0x0A, 0x13, 4));
    let out = r.f32(0, 0x100, 8);
    assert_eq!([out[0], out[2], out[4]], [2.0, 2.0, -1.0]);
    assert!(out[6].is_nan());
    let index = r.u32(0, 0x100, 8);
    assert_eq!(
        [index[1], index[3], index[5], index[7]],
        [100, 103, 102, 101]
    );
}

/// isa 07b B1: bytes from 32 up leave the partition as it is.
#[test]
fn shuffle_skips_masked_lanes() {
    let mut r = rig();
    for part in 0..64u16 {
        r.put(Space::Sbuf, part, 0, &packed(&[part; 4], u16::to_le_bytes));
    }
    let mut mask = [0xFF; 32];
    (mask[0], mask[1], mask[31]) = (31, 0, 2);
    r.clean(bundle(0x69, &[(32, &mask)], &[]));
    let b = bundle(
        0x6A,
        &[(32, &[0x05, 0x05, 64])],
        &[(12, 0, &row(4)), (44, 0x100, &row(4))],
    );
    r.clean(b);
    for (part, from) in [(0, 31), (1, 0), (31, 2), (32, 63), (33, 32), (63, 34)] {
        assert_eq!(r.u16(part, 0x100, 4), [from; 4]);
    }
    let unwritten = Rect::new(Space::Sbuf, 2, 29, 0x100, 8);
    assert_eq!(r.m.state().unwritten(&unwritten), 29 * 8);
    // In place: every row is read before the first is written.
    let b = bundle(
        0x6A,
        &[(32, &[0x05, 0x05, 64])],
        &[(12, 0, &row(4)), (44, 0, &row(4))],
    );
    r.clean(b);
    assert_eq!(
        (r.u16(0, 0, 1), r.u16(1, 0, 1), r.u16(31, 0, 1)),
        (vec![31], vec![0], vec![2])
    );
    mask[5] = 0x45;
    assert_eq!(
        rules(r.run(bundle(0x69, &[(32, &mask)], &[]))),
        ["mask-byte"]
    );
}

/// isa 07b B1: every 32 x 32 tile is transposed where it stands.
#[test]
fn transpose_tiles_and_what_builds_on_them() {
    let mut r = rig();
    for part in 0..64u16 {
        let row: Vec<f32> = (0..64).map(|e| f32::from(part * 64 + e)).collect();
        r.put_f32(part, 0, &row);
    }
    // Element e of lane p after the transpose.
    let at = |p: usize, e: usize| ((p & !31 | e & 31) * 64 + (e & !31 | p & 31)) as f32;
    let ctl: &[u8] = &[0x0A, 0x0A, 64];
    let b = bundle(
        0x6B,
        &[(32, ctl)],
        &[(12, 0, &row(64)), (44, 0x100, &row(64))],
    );
    r.clean(b);
    for p in [0usize, 5, 40, 63] {
        let expected: Vec<f32> = (0..64).map(|e| at(p, e)).collect();
        assert_eq!(r.f32(p as u16, 0x100, 64), expected);
    }
    // TRANSPOSE_TENSOR_REDUCE: the maximum of each half row.
    let ctl: &[u8] = &[0x0A, 0x0A, 64, 0, 0x08, 2];
    let src = [(1, 32), (32, 2), (1, 1), (1, 1)];
    let b = bundle(0x83, &[(32, ctl)], &[(12, 0, &src), (44, 0x200, &row(2))]);
    r.clean(b);
    for p in [3usize, 62] {
        let half = |h: usize| (0..32).map(|e| at(p, 32 * h + e)).fold(f32::MIN, f32::max);
        assert_eq!(r.f32(p as u16, 0x200, 2), [half(0), half(1)]);
    }
    // TRANSPOSE_TENSOR_SCALAR: + 0.5.
    let b = bundle(
        0x93,
        &[
            (32, &[0x0A, 0x0A, 64, 0, 0x04]),
            (40, &0.5f32.to_le_bytes()),
        ],
        &[(16, 0, &row3(64)), (48, 0x300, &row3(64))],
    );
    r.clean(b);
    let expected: Vec<f32> = (0..64).map(|e| at(17, e) + 0.5).collect();
    assert_eq!(r.f32(17, 0x300, 64), expected);
    // TRANSPOSE_BATCH_NORM_STATS2: mean of the even and odd elements.
    let counts: &[u8] = &packed(&[32.0f32, 32.0], f32::to_le_bytes);
    let b = bundle(
        0x82,
        &[(32, &[0x0A, 0x0A, 64]), (40, counts)],
        &[(12, 0, &row(64)), (48, 0x400, &row2(6))],
    );
    r.clean(b);
    let mean = |odd: usize| (0..32).map(|k| at(9, 2 * k + odd)).sum::<f32>() / 32.0;
    let out = r.f32(9, 0x400, 6);
    for (found, exact) in [(out[1], mean(0)), (out[4], mean(1))] {
        assert!((found - exact).abs() < exact * 1e-5, "{found} {exact}");
    }
    // With mask_enable only lanes whose mask byte is a lane number are written.
    let mut mask = [0xFF; 32];
    mask[7] = 0;
    r.clean(bundle(0x69, &[(32, &mask)], &[]));
    let ctl: &[u8] = &[0x0A, 0x0A, 64, 0, 0, 0, 1];
    let b = bundle(
        0x6B,
        &[(32, ctl)],
        &[(12, 0, &row(64)), (44, 0x500, &row(64))],
    );
    r.clean(b);
    let unwritten = |p| {
        r.m.state()
            .unwritten(&Rect::new(Space::Sbuf, p, 1, 0x500, 256))
    };
    let lanes: Vec<u16> = (0..64).filter(|p| unwritten(*p) == 0).collect();
    assert_eq!(lanes, [7, 39]);
}

/// isa 15 §8: LFSR on DVE of v3, XORWOW on POOL; states in and out.
#[test]
fn random_numbers() {
    let xorwow = [0x0005_87D8, 0x000B_10BC, 0x0010_A972, 0x0017_4F16];
    let rng = bundle(
        0x4D,
        &[(28, &[4]), (32, &[0x09, 0, 2])],
        &[(44, 0, &row(4))],
    );
    let mut r = rig();
    r.clean(rng);
    assert_eq!(r.u32(1, 0, 4), [3, 6, 0xD, 0x1B]);
    let words = r.m.state().hidden(Region::RNG_DVE);
    assert_eq!((words[0], words[24], words[48]), (0x1B, 0x1B, 1));

    // On POOL, by its own queue.
    let mut r = rig();
    r.queue = Queue::Of(Engine::Pool);
    r.clean(rng);
    assert_eq!(r.u32(1, 0, 4), xorwow);
    // Six state words out, changed, and in again: the same numbers once more.
    let get = bundle(
        0x77,
        &[(12, &[3]), (32, &[0x09, 0, 2])],
        &[(44, 0x100, &row(6))],
    );
    r.clean(get);
    assert_eq!(r.u32(0, 0x100, 6)[5], 1 + 4 * 362_437);
    r.put(Space::Sbuf, 0, 0x100, &packed(&[1u32; 6], u32::to_le_bytes));
    let set = bundle(0x78, &[(12, &[3, 2, 0, 0x09])], &[(16, 0x100, &[(1, 6)])]);
    r.clean(set);
    r.clean(rng);
    assert_eq!(r.u32(0, 0, 4), xorwow);
    assert_ne!(r.u32(1, 0, 4), xorwow);

    // RAND2 of v4: four generators in turn, all alike after reset (isa 15 §8).
    let mut r = Rig::new(Generation::V4);
    let bounds = packed(&[-1.0f32, 3.0], f32::to_le_bytes);
    let b = bundle(
        0xE2,
        &[(12, &[3, 0, 1]), (32, &[0x0A, 0, 1]), (40, &bounds)],
        &[(48, 0, &row3(8))],
    );
    r.clean(b);
    let u = [0x3D30_FB00u32, 0x3DB1_0BC0].map(|w| f32::from_bits(w) * 4.0 - 1.0);
    assert_eq!(
        r.f32(0, 0, 8),
        [u[0], u[0], u[0], u[0], u[1], u[1], u[1], u[1]]
    );

    let mut settings = Settings::default();
    settings.set("rng.seed", "6").unwrap();
    let mut r = Rig::with(Generation::V3, settings);
    r.clean(rng);
    // State 1 xor 6 = 7: taps 31, 21, 1 and 0 give 0, so it shifts to 14.
    assert_eq!(r.u32(0, 0, 1), [14]);
}

/// isa 07b B7 and 15 §3.3, checked against the formulas in f64.
#[test]
fn batch_norm_gradients() {
    let mut r = rig();
    let (x, dy) = ([1.0f32, -2.0, 4.5, 0.25], [0.5f32, 1.0, -1.5, 2.0]);
    r.put_f32(0, 0, &x);
    r.put_f32(0, 0x40, &dy);
    r.put_f32(0, 0x80, &[0.75]);
    r.put_f32(0, 0x84, &[1.25]);
    let sums = |r: &Rig| r.f32(0, 0x100, 3);
    let t: Vec<f64> = x
        .iter()
        .zip(&dy)
        .map(|(x, dy)| (f64::from(*x) - 0.75) * f64::from(*dy) * 1.25)
        .collect();
    let exact = [2.0, t.iter().map(|t| t * 1.25).sum(), t.iter().sum::<f64>()];
    let near = |found: Vec<f32>| {
        for (found, exact) in found.iter().zip(exact) {
            assert!((f64::from(*found) - exact).abs() < 1e-5, "{found} {exact}");
        }
    };
    let pointers: &[u8] = &0x80u32.to_le_bytes();
    let second: &[u8] = &0x84u32.to_le_bytes();
    let patterns: &[Slot<'_>] = &[
        (16, 0, &row3(4)),
        (32, 0x40, &row3(4)),
        (48, 0x100, &[(1, 3)]),
    ];
    let b = bundle(
        0x94,
        &[(12, pointers), (56, second), (60, &[0xAA, 0xAA, 0x11, 1])],
        patterns,
    );
    r.clean(b);
    near(sums(&r));
    let b = bundle(
        0x63,
        &[(12, pointers), (56, second), (60, &[0xAA, 0x00, 0x0A, 1])],
        patterns,
    );
    r.run(b).unwrap();
    near(sums(&r));

    // A, B, C, N = 8 and the mean; dx = (dy*N - ((x-mean)*B + A))*C.
    let (a, b, c, n, mean) = (0.5f32, 0.25f32, 2.0f32, 8.0f32, 0.75f32);
    r.put_f32(0, 0xC0, &[a, b, c]);
    let load = bundle(
        0x64,
        &[(28, &n.to_le_bytes()), (32, &[0x0A, 0, 1]), (44, pointers)],
        &[(16, 0xC0, &row2(3))],
    );
    r.run(load).unwrap();
    let back = bundle(
        0x65,
        &[(12, &[0xAA, 0x0A, 0, 1])],
        &[
            (16, 0, &row3(4)),
            (32, 0x40, &row3(4)),
            (48, 0x200, &row3(4)),
        ],
    );
    r.clean(back);
    let expected: Vec<f32> = x
        .iter()
        .zip(&dy)
        .map(|(x, dy)| (dy * n - ((x - mean) * b + a)) * c)
        .collect();
    assert_eq!(r.f32(0, 0x200, 4), expected);
    // After PARAM_LOAD2 nobody knows which parameter is which.
    let load2 = bundle(
        0x8E,
        &[
            (28, &n.to_le_bytes()),
            (32, &[0x0A, 0x0A, 1]),
            (40, pointers),
            (44, second),
            (48, &[1, 1]),
        ],
        &[(12, 0xC0, &row2(2))],
    );
    r.clean(load2);
    assert_eq!(r.run(back).unwrap_err().rule, "not-modelled");
}

/// isa 07a A5: one scalar per slice of W.
#[test]
fn scalars_per_slice() {
    let mut r = rig();
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    r.put_f32(0, 0x40, &[10.0, 100.0, 1000.0]);
    let load = |n| bundle(0x70, &[(32, &[0x0A, 0, 1])], &[(16, 0x40, &row2(n))]);
    let slices = [(1, 2), (1, 1), (1, 1), (2, 3)];
    let multiply = bundle(
        0x4F,
        &[(32, &[0x0A, 0x0A, 1, 0, 0x06, 4])],
        &[(12, 0, &slices), (44, 0x80, &row(6))],
    );
    let rules_of = |r: &mut Rig, b| {
        let mut found = rules(r.run(b));
        found.retain(|rule| *rule != "dormant");
        found
    };
    assert!(rules_of(&mut r, load(3)).is_empty());
    assert!(rules_of(&mut r, multiply).is_empty());
    assert_eq!(
        r.f32(0, 0x80, 6),
        [10.0, 20.0, 300.0, 400.0, 5000.0, 6000.0]
    );
    rules_of(&mut r, load(2));
    assert_eq!(rules_of(&mut r, multiply), ["scalar-flops"]);
}

/// isa 07b B2: raw bits over lanes.
#[test]
fn cross_lane_bits() {
    let mut r = rig();
    for part in 0..4u16 {
        r.put(
            Space::Sbuf,
            part,
            0,
            &packed(&[1u16 << part, 0xF0F0, part], u16::to_le_bytes),
        );
    }
    let reduce = |op| {
        let ctl: &[u8] = &[0x05, 0x05, 4, op, 1];
        bundle(
            0x7D,
            &[(32, ctl)],
            &[(12, 0, &row(3)), (44, 0x100, &row(3))],
        )
    };
    for (op, expected) in [(3, [0xF, 0xF0F0, 3]), (4, [0, 0xF0F0, 0]), (5, [0xF, 0, 0])] {
        r.clean(reduce(op));
        assert_eq!(r.u16(0, 0x100, 3), expected);
    }
}

/// decisions 1.3: kept, marked, reported once it is used.
#[test]
fn accumulator_after_idle() {
    let run = |poison: bool| {
        let mut settings = Settings::default();
        if poison {
            settings.set("dve.acc-idle", "poison").unwrap();
        }
        let mut r = Rig::with(Generation::V3, settings);
        r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
        let stt = |command| {
            bundle(
                0x9D,
                &[
                    (36, &[0x06, 0x04]),
                    (40, &[0xAA, 0x0A, 1, 0x0A, command]),
                    (60, &1f32.to_le_bytes()),
                ],
                &[(12, 0, &row2(4)), (24, 0, &row2(4)), (48, 0x40, &row2(4))],
            )
        };
        let read = bundle(
            0x9B,
            &[(28, &[1]), (32, &[0x0A, 0, 1])],
            &[(44, 0x80, &[(1, 1)])],
        );
        r.clean(stt(3));
        r.clean(read);
        assert_eq!(r.f32(0, 0x80, 1), [20.0]);
        r.clean(stt(0));
        assert_eq!(rules(r.run(read)), ["acc-after-idle"]);
        let value = r.f32(0, 0x80, 1)[0];
        assert_eq!(rules(r.run(stt(2))), ["acc-after-idle"]);
        // Now it counts as set again.
        r.clean(read);
        value
    };
    assert_eq!(run(false), 20.0);
    assert!(run(true).is_nan());
}

/// isa 07c C7: addition by an extended instruction, groups of 16 partitions.
#[test]
fn extended_arithmetic() {
    let mut r = rig();
    for part in 0..32 {
        r.put_f32(part, 0, &[1.0, f32::from(part)]);
    }
    let control: &[u8] = &[2, 0b0001_0101, 0xAA, 0x0A, 0x04];
    let patterns: &[Slot<'_>] = &[(20, 0, &row2(2)), (32, 0, &row2(2)), (44, 0x40, &row2(2))];
    r.clean(bundle(0xF0, &[(12, control)], patterns));
    assert_eq!(r.f32(31, 0x40, 2), [2.0, 62.0]);
    assert!(
        !r.m.state()
            .is_written(&Rect::new(Space::Sbuf, 32, 1, 0x40, 8))
    );
    let f = r.run(bundle(0xF0, &[(12, &[7])], &[])).unwrap_err();
    assert_eq!(f.rule, "not-modelled");
}

/// decisions 1.2: other orders over shared bytes are reported, and read first.
#[test]
fn overlap_is_reported() {
    let mut r = rig();
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
    let copy = |src: &[(i16, u16)], from, to| {
        bundle(
            0x46,
            &[(32, &[0x0A, 0x0A, 1])],
            &[(12, from, src), (44, to, &row(4))],
        )
    };
    r.clean(copy(&row(4), 0, 0));
    let reversed = [(-1, 4), (1, 1), (1, 1), (1, 1)];
    assert_eq!(rules(r.run(copy(&reversed, 12, 0))), ["overlap"]);
    assert_eq!(r.f32(0, 0, 4), [4.0, 3.0, 2.0, 1.0]);
    assert_eq!(rules(r.run(copy(&row(4), 0, 4))), ["overlap"]);
    assert_eq!(r.f32(0, 0, 5), [4.0, 4.0, 3.0, 2.0, 1.0]);
}

/// decisions 1.3: CAST on POOL may be set to truncate.
#[test]
fn cast_on_pool() {
    let cast = bundle(
        0x47,
        &[(32, &[0x0A, 0x08, 1])],
        &[(12, 0, &row(3)), (44, 0x40, &row(3))],
    );
    let run = |queue, value: &str| {
        let mut settings = Settings::default();
        settings.set("numerics.pool-cast", value).unwrap();
        let mut r = Rig::with(Generation::V3, settings);
        r.queue = queue;
        r.put_f32(0, 0, &[1.5, -1.7, 2.5]);
        r.clean(cast);
        r.u32(0, 0x40, 3)
            .iter()
            .map(|w| *w as i32)
            .collect::<Vec<_>>()
    };
    assert_eq!(run(Queue::Of(Engine::Pool), "rne"), [2, -2, 2]);
    assert_eq!(run(Queue::Of(Engine::Pool), "trunc"), [1, -1, 2]);
    assert_eq!(run(Queue::Of(Engine::Dve), "trunc"), [2, -2, 2]);
}
