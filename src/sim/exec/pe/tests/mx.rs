//! MX products and quantisation (isa 05 §7, vectors PE-6, PE-7, PE-12, N2..N4).

use super::*;
use crate::num::{Kind, widen};
use proptest::prelude::*;

const G: Generation = Generation::V4;

/// An MX bundle: data and scale addresses, logical elements, step, scale row at `at`.
fn mx(b: &mut Bundle, at: usize, data: u32, scale: u32, n: u16, step: i8, row: u8) {
    b.put(at, &data.to_le_bytes());
    b.put(at + 4, &scale.to_le_bytes());
    b.put(at + 8, &n.to_le_bytes());
    b.put(at + 10, &[step as u8, row]);
}

struct Shape {
    dtype: u8,
    rows: u8,
    row_grp: u8,
    m: u8,
    n: u16,
    bf16: bool,
    flags: u8,
}

fn ld(s: &Shape, step: i8) -> Bundle {
    let mut b = Bundle::of_opcode(9);
    let part = u32::from(base(s.row_grp)) << 18;
    let size = if s.dtype == 16 { 2 } else { 4 };
    // Natural column order: the walk starts at the last container and goes down.
    let back = if step < 0 { u32::from(s.m) - 1 } else { 0 };
    mx(
        &mut b,
        16,
        part + 0x1000 + size * back,
        part + 0x8000 + back,
        4 * u16::from(s.m),
        step,
        4,
    );
    for (at, v) in [
        (32, s.dtype),
        (38, s.rows),
        (39, s.m),
        (44, s.row_grp),
        (45, 15),
    ] {
        b.put(at, &[v]);
    }
    b
}

fn mm(s: &Shape) -> Bundle {
    let mut b = Bundle::of_opcode(10);
    let part = u32::from(base(s.row_grp)) << 18;
    mx(&mut b, 16, part + 0x2000, part + 0x9000, 4 * s.n, 1, 8);
    let out = if s.bf16 { 6 } else { 10 };
    for (at, v) in [
        (32, s.dtype),
        (38, s.rows),
        (39, s.m),
        (40, out),
        (43, s.flags),
        (44, s.row_grp),
        (45, 15),
    ] {
        b.put(at, &[v]);
    }
    pattern(G, Space::Psum, 0, 0, &[(1, s.n)]).write(&mut b, 48);
    b
}

fn base(group: u8) -> u8 {
    32 * group.trailing_zeros() as u8
}

/// isa 05 §9 N2.
#[test]
fn n2_scales() {
    let s = Shape {
        dtype: 14,
        rows: 32,
        row_grp: 1,
        m: 2,
        n: 1,
        bf16: false,
        flags: 3,
    };
    for (weight_scale, expected) in [(0x7F, 256.0), (0x7E, 128.0)] {
        let mut rig = Rig::new(G);
        for p in 0..32 {
            rig.put(Space::Sbuf, p, 0x1000, &[0x38; 8]);
            rig.put(Space::Sbuf, p, 0x2000, &[0x38; 4]);
        }
        for row in 0..4 {
            rig.put(Space::Sbuf, 4 + row, 0x8000, &[weight_scale; 2]);
            rig.put(Space::Sbuf, 8 + row, 0x9000, &[0x80]);
        }
        assert_eq!(rig.run(ld(&s, 1)), [""; 0]);
        assert_eq!(rig.run(mm(&s)), [""; 0]);
        for m in 0..2 {
            assert_eq!(rig.f32s(Space::Psum, m, 0, 1), [expected]);
        }
    }
}

/// The hex vectors: a full array, scale row 0.
#[test]
fn hex_vectors_run() {
    let pe6 = "09100000000000000000000000000000 00100000008000000002010000000000
               0e00000000008080000000000f0f0000 00000000000000000000000000000000";
    let pe7 = "0a100000000000000000000000000000 00200000009000000008010000000000
               0e000000000080800a0000030f0f0000 00000002010001000100000201000100";
    let mut rig = Rig::new(G);
    for p in 0..128 {
        rig.put(Space::Sbuf, p, 0x1000, &[0x38; 512]);
        rig.put(Space::Sbuf, p, 0x2000, &[0x40; 2048]);
    }
    for q in 0..4 {
        for row in 0..4 {
            rig.put(Space::Sbuf, 32 * q + row, 0x8000, &[0x7F; 128]);
            rig.put(Space::Sbuf, 32 * q + row, 0x9000, &[0x7E; 512]);
        }
    }
    assert_eq!(rig.run(Bundle::from_hex(pe6).unwrap()), [""; 0]);
    assert_eq!(rig.run(Bundle::from_hex(pe7).unwrap()), [""; 0]);
    for m in [0, 127] {
        // 512 products of 1 and 2 * 2^-1.
        assert_eq!(rig.f32s(Space::Psum, m, 0, 512), [512.0; 512]);
    }
}

/// Value of element i of a container (isa 05 §7): a byte, or a nibble, low first.
fn element(dtype: u8, container: &[u8], i: usize) -> f32 {
    const E2M1: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    match dtype {
        14 => widen(Kind::Fp8E4Fn, u64::from(container[i])),
        15 => widen(Kind::Fp8E5, u64::from(container[i])),
        _ => {
            let nibble = container[i / 2] >> (4 * (i % 2)) & 15;
            let v = E2M1[usize::from(nibble & 7)];
            if nibble > 7 { -v } else { v }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn equals_nested_loops(
        dtype in prop::sample::select(vec![14u8, 15, 16]),
        (row_grp, rows) in prop::sample::select(vec![(1u8, 32u8), (2, 32), (12, 64), (3, 64), (15, 128)]),
        m in (1u8..=8).prop_map(|m| 2 * m),
        n in 1u16..20,
        natural in any::<bool>(),
        bf16 in any::<bool>(),
        seed in any::<u32>(),
    ) {
        let s = Shape { dtype, rows, row_grp, m, n, bf16, flags: 3 };
        let mut state = seed;
        let mut byte = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        let size = if dtype == 16 { 2 } else { 4 };
        let (rows, m) = (usize::from(rows), usize::from(m));
        let n = usize::from(n);
        let mut rig = Rig::new(G);
        let first = u16::from(base(row_grp));
        // No NaN or Inf codes: 0x7E and below, either sign; e5m2 ends at 0x7B.
        let mut fill = |len: usize| -> Vec<u8> {
            (0..len).map(|_| {
                let max = if dtype == 15 { 0x7C } else if dtype == 14 { 0x7F } else { 0x80 };
                (byte(max) | byte(2) << 7) as u8
            }).collect()
        };
        let w: Vec<Vec<u8>> = (0..rows).map(|_| fill(m * size)).collect();
        let x: Vec<Vec<u8>> = (0..rows).map(|_| fill(n * size)).collect();
        let ws: Vec<Vec<u8>> = (0..rows / 8).map(|_| fill(m).iter().map(|b| 0x70 + (b & 0x1F)).collect()).collect();
        let xs: Vec<Vec<u8>> = (0..rows / 8).map(|_| fill(n).iter().map(|b| 0x70 + (b & 0x1F)).collect()).collect();
        for p in 0..rows {
            rig.put(Space::Sbuf, first + p as u16, 0x1000, &w[p]);
            rig.put(Space::Sbuf, first + p as u16, 0x2000, &x[p]);
        }
        for g in 0..rows / 8 {
            let part = first + 32 * (g as u16 / 4) + g as u16 % 4;
            rig.put(Space::Sbuf, part + 4, 0x8000, &ws[g]);
            rig.put(Space::Sbuf, part + 8, 0x9000, &xs[g]);
        }
        let start = rig.digest();
        rig.run(ld(&s, if natural { -1 } else { 1 }));
        rig.run(mm(&s));
        let two = |e: u8| 2f64.powi(i32::from(e) - 127);
        for mm in 0..m {
            let container = if natural { mm } else { m - 1 - mm };
            for nn in 0..n {
                let mut sum = 0f32;
                for p in 0..rows {
                    for i in 0..4 {
                        let a = f64::from(element(dtype, &w[p][container * size..], i)) * two(ws[p / 8][container]);
                        let b = f64::from(element(dtype, &x[p][nn * size..], i)) * two(xs[p / 8][nn]);
                        let product = a as f32 * b as f32;
                        sum += product;
                    }
                }
                if bf16 {
                    let found = rig.get(Space::Psum, mm as u16, 2 * nn as u64, 2);
                    prop_assert_eq!(found, half::bf16::from_f32(sum + 0.0).to_le_bytes());
                } else {
                    let found = rig.f32s(Space::Psum, mm as u16, 4 * nn as u64, 1)[0];
                    prop_assert_eq!(found.to_bits(), (sum + 0.0).to_bits());
                }
            }
        }
        while rig.m.undo().is_some_and(|_| rig.digest() != start) {}
        prop_assert_eq!(rig.digest(), start);
    }
}

fn quantize(dtype: u8, n: u16) -> Bundle {
    let mut b = Bundle::of_opcode(0xE3);
    pattern(G, Space::Sbuf, 0, 0x1000, &[(1, n)]).write(&mut b, 16);
    b.put(33, &[32, 6, dtype]);
    mx(&mut b, 48, 0x4000, 0x8000, n, 1, 4);
    b
}

/// isa 05 §9 N3, N4.
#[test]
fn n3_n4_quantisation() {
    for (rule, dtype, block, scale, data) in [
        (
            "compiler",
            14,
            [6.0, 0.0, -6.0, 3.0],
            0x79,
            &[0x7C, 0, 0xFC, 0x74][..],
        ),
        (
            "nki",
            14,
            [6.0, 0.0, -6.0, 3.0],
            0x7A,
            &[0x74, 0, 0xF4, 0x6C],
        ),
        ("compiler", 14, [0.0; 4], 1, &[0; 4]),
        ("nki", 14, [0.0; 4], 0, &[0; 4]),
        // 6.0, 5.0 (tie, even mantissa), 0.25 (tie), -1.0; lane 0 in the low nibble.
        ("compiler", 16, [6.0, 5.0, 0.25, -1.0], 127, &[0x67, 0xA0]),
    ] {
        let mut rig = Rig::with(G, &[("numerics.mx-quant", rule)]);
        for p in 0..32 {
            // The block is partitions 8..16; others hold zeros.
            let row = if (8..16).contains(&p) {
                block
            } else {
                [0.0; 4]
            };
            rig.put_bf16(Space::Sbuf, p, 0x1000, &row);
        }
        assert_eq!(rig.run(quantize(dtype, 4)), [""; 0], "{rule}");
        assert_eq!(
            rig.get(Space::Sbuf, 5, 0x8000, 1),
            [scale],
            "{rule} {block:?}"
        );
        assert_eq!(
            rig.get(Space::Sbuf, 12, 0x4000, data.len() as u32),
            data,
            "{rule} {block:?}"
        );
        let zero = u8::from(rule == "compiler");
        assert_eq!(rig.get(Space::Sbuf, 4, 0x8000, 1), [zero]);
    }
}

/// PE-12 runs; what it writes is read back within the spacing of its format.
#[test]
fn quantised_values_come_back() {
    let pe12 = "e3110000000000000000000000000000 00100000010001000100800001000100
                0080060e000000000000000000000000 00400000008000008000010000000000";
    let mut rig = Rig::new(G);
    let value =
        |p: u16, i: u16| (f32::from(p) - 60.0) * 2f32.powi(i32::from(i / 4) - 16) + f32::from(i);
    for p in 0..128 {
        let row: Vec<f32> = (0..128).map(|i| value(p, i)).collect();
        rig.put_bf16(Space::Sbuf, p, 0x1000, &row);
    }
    // Byte 1 is 0x11: legal here, and worth a note (decisions 1.1).
    assert_eq!(rig.run(Bundle::from_hex(pe12).unwrap()), ["header"]);
    for p in [0u16, 9, 77, 127] {
        let data = rig.get(Space::Sbuf, p, 0x4000, 128);
        for (i, code) in (0..).zip(&data) {
            let row = 32 * (p / 32) + (p % 32) / 8;
            let scale = rig.get(Space::Sbuf, row, 0x8000 + u64::from(i / 4), 1)[0];
            let unit = 2f32.powi(i32::from(scale) - 127);
            let found = widen(Kind::Fp8E4Fn, u64::from(*code)) * unit;
            let x = half::bf16::from_f32(value(p, i)).to_f32();
            // Three mantissa bits, and nothing finer than the smallest subnormal 2^-9.
            let spacing = (x.abs() / 16.0).max(unit * 2f32.powi(-9));
            assert!((found - x).abs() <= spacing, "{p} {i}: {x} {found}");
            assert!(found.abs() <= 448.0 * unit);
        }
    }
}

/// Saturation: by the setting, or by bit 0 of byte 1 whatever it says (isa 05 §3.8).
#[test]
fn saturate_bit() {
    let keys = [
        ("numerics.mx-quant", "compiler"),
        ("numerics.fp8-overflow", "inf"),
    ];
    for (bit, expected) in [(0u8, 0x7C), (1, 0x7B)] {
        let mut rig = Rig::with(G, &keys);
        for p in 0..32 {
            // Largest exponent in the block is that of 2^15; 1.99 * 2^15 rounds past 57344.
            rig.put_bf16(Space::Sbuf, p, 0x1000, &[1.9921875, 1.0, 0.0, 0.0]);
        }
        let mut b = quantize(15, 4);
        b.put(1, &[0x10 | bit]);
        assert!(rig.run(b).contains(&"narrow-overflow"));
        assert_eq!(rig.get(Space::Sbuf, 0, 0x4000, 1), [expected]);
    }
}

#[test]
fn odd_scales_and_wrong_descriptors() {
    let s = Shape {
        dtype: 14,
        rows: 32,
        row_grp: 1,
        m: 2,
        n: 1,
        bf16: false,
        flags: 3,
    };
    let mut rig = Rig::new(G);
    for p in 0..32 {
        rig.put(Space::Sbuf, p, 0x1000, &[0x38; 8]);
        rig.put(Space::Sbuf, p, 0x8000, &[0xFF; 2]);
    }
    assert_eq!(rig.run(ld(&s, 1)), ["mx-scale"]);
    for (at, value) in [(24, 6), (26, 2), (27, 3), (27, 16), (32, 6), (16, 2)] {
        let mut b = ld(&s, 1);
        b.put(at, &[value]);
        assert!(rig.step(b).is_err(), "byte {at}");
    }
    // A plain pass does not know what to do with four weights per cell.
    let mut plain = bundle(
        2,
        pattern(G, Space::Sbuf, 0, 0x1000, &[(1, 2)]),
        Some(pattern(G, Space::Psum, 0, 0, &[(1, 2)])),
        &[
            (DTYPE, 14),
            (ROWS, 32),
            (COLS, 2),
            (ROW_GRP, 1),
            (COL_GRP, 15),
        ],
    );
    plain.put(FLAGS, &[3]);
    assert_eq!(rig.fault(plain), "not-modelled");
}
