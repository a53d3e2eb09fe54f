//! The worked vectors of isa 07d: inputs and results as its text states them.

use super::{Rig, packed};
use crate::isa::{Bundle, Generation, Space};

const SHEET: &str = include_str!("../../../../assets/isa/vectors-dve-pool.tsv");

/// The bundle of a named vector.
fn bundle(name: &str) -> Bundle {
    let mut rows = SHEET.lines().map(|l| l.split('\t').collect::<Vec<_>>());
    let row = rows
        .find(|r| r[0] == name)
        .unwrap_or_else(|| panic!("no vector {name}"));
    Bundle::from_hex(row[2]).unwrap()
}

/// Every vector is executed below, but for the one that must be refused and the one of v5.
#[test]
fn every_vector_is_used() {
    let own = include_str!("vectors.rs");
    for line in SHEET.lines().skip(1) {
        let name = line.split('\t').next().unwrap();
        let used = own.contains(&format!("bundle(\"{name}\")"));
        assert!(used || name.starts_with("tensor_tensor_int_wide"), "{name}");
    }
    let refused = rig().run(bundle("ILLEGAL tensor_scalar bypass then add"));
    assert_eq!(refused.unwrap_err().operand, Some("op1"));
}

fn rig() -> Rig {
    Rig::new(Generation::V3)
}

fn ramp(n: u32) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

#[test]
fn memset() {
    let mut r = rig();
    r.clean(bundle("memset fp32 1.0"));
    for part in [0, 64, 127] {
        assert_eq!(r.u32(part, 0x1000, 256), [0x3F80_0000; 256]);
    }
    let rect = |off| crate::sim::Rect::new(Space::Sbuf, 127, 1, off, 4);
    assert!(r.m.state().is_written(&rect(0x13FC)));
    assert_eq!(r.m.state().unwritten(&rect(0x1400)), 4);

    let before = r.bytes(0, 0, 0x40);
    r.clean(bundle("memset bf16 strided"));
    for part in 0..3 {
        let mut expected = before.clone();
        if part < 2 {
            for at in [0x10, 0x14, 0x1C, 0x20, 0x28, 0x2C] {
                expected[at..at + 2].copy_from_slice(&0xBF80u16.to_le_bytes());
            }
        }
        assert_eq!(r.bytes(part, 0, 0x40), expected);
    }
}

#[test]
fn cast_rounds_to_nearest_even() {
    let mut r = rig();
    let mut bits = vec![0u32; 512];
    bits[..4].copy_from_slice(&[0x3F80_8000, 0x3F81_8000, 0x7F7F_FFFF, 0xFFC0_0001]);
    for part in 0..128 {
        r.put(Space::Sbuf, part, 0, &packed(&bits, u32::to_le_bytes));
    }
    let found = r.run(bundle("cast fp32->bf16")).unwrap();
    assert_eq!(
        found.iter().map(|f| f.rule).collect::<Vec<_>>(),
        ["narrow-overflow"]
    );
    let out = r.u16(127, 0x8000, 512);
    assert_eq!(out[..4], [0x3F80, 0x3F82, 0x7F80, 0x7FC0]);
}

#[test]
fn copy_from_psum() {
    let mut r = rig();
    let row = |part: u16| {
        (0..2048u32)
            .map(|i| (i * 7 + u32::from(part)) as u8)
            .collect::<Vec<_>>()
    };
    for part in 0..128 {
        r.put(Space::Psum, part, 0, &row(part));
    }
    r.clean(bundle("copy PSUM->SBUF"));
    for part in 0..128 {
        assert_eq!(r.bytes(part, 0x2000, 2048), row(part));
    }
}

#[test]
fn tensor_tensor() {
    let mut r = rig();
    for part in 0..128 {
        r.put_f32(part, 0, &ramp(256));
        let b: Vec<u16> = (0..256)
            .map(|i| ((i as f32 * 0.5).to_bits() >> 16) as u16)
            .collect();
        r.put(Space::Sbuf, part, 0x400, &packed(&b, u16::to_le_bytes));
    }
    r.clean(bundle("tensor_tensor add"));
    let expected: Vec<f32> = (0..256).map(|i| i as f32 * 1.5).collect();
    assert_eq!(r.f32(77, 0x800, 256), expected);

    let words: Vec<u32> = (0..8).map(|i| i * 0x0101_0101).collect();
    for part in 0..4 {
        r.put(Space::Sbuf, part, 0, &packed(&words, u32::to_le_bytes));
        r.put(Space::Sbuf, part, 0x100, &0x1234_5678u32.to_le_bytes());
    }
    r.clean(bundle("tensor_tensor xor broadcast"));
    let expected: Vec<u32> = words.iter().map(|w| w ^ 0x1234_5678).collect();
    assert_eq!(r.u32(3, 0x200, 8), expected);
}

#[test]
fn tensor_scalar() {
    let mut r = rig();
    for part in 0..128 {
        r.put_f32(part, 0, &[1.5; 64]);
        r.put_f32(part, 0x3000, &[f32::from(part)]);
    }
    r.clean(bundle("tensor_scalar x*2+3"));
    assert_eq!(r.u32(9, 0x1000, 64), [0x40C0_0000; 64]);
    r.clean(bundle("tensor_scalar per-partition pointer add"));
    assert_eq!(r.f32(9, 0x1000, 64), [10.5; 64]);
    for part in 0..128 {
        r.put_f32(part, 0, &[0.25; 64]);
    }
    r.clean(bundle("tensor_scalar 1-x reversed"));
    assert_eq!(r.u16(127, 0x1000, 64), [0x3F40; 64]);
}

#[test]
fn tensor_reduce() {
    let mut r = rig();
    for part in 0..128 {
        r.put_f32(part, 0, &ramp(512));
    }
    r.clean(bundle("tensor_reduce add X"));
    let expected: Vec<f32> = (0..8)
        .map(|j| (64 * j..64 * j + 64).sum::<u32>() as f32)
        .collect();
    assert_eq!(r.f32(127, 0x4000, 8), expected);

    r.put_f32(0, 0, &(1..=8).map(|i| i as f32).collect::<Vec<_>>());
    r.clean(bundle("tensor_reduce max XY negated"));
    assert_eq!(r.f32(0, 0x100, 1), [-8.0]);
}

#[test]
fn reciprocal() {
    let mut r = rig();
    let row = [4.0, 0.0, -0.0, f32::INFINITY, 3.0, -2.0];
    let mut values = vec![1.0f32; 16];
    values[..6].copy_from_slice(&row);
    for part in 0..64 {
        r.put_f32(part, 0, &values);
    }
    r.clean(bundle("reciprocal"));
    let inf = f32::INFINITY;
    assert_eq!(
        r.f32(127, 0x100, 6),
        [0.25, inf, -inf, 0.0, 1.0 / 3.0, -0.5]
    );
}

#[test]
fn iota() {
    let mut r = rig();
    r.clean(bundle("iota int32"));
    assert_eq!(r.u32(0, 0x200, 8), [10, 12, 14, 16, 110, 112, 114, 116]);
    assert_eq!(
        r.u32(2, 0x200, 8),
        [2010, 2012, 2014, 2016, 2110, 2112, 2114, 2116]
    );
    r.clean(bundle("iota fp32 descending"));
    assert_eq!(r.f32(0, 0, 4), [0.0, -1.0, -2.0, -3.0]);
}

#[test]
fn cumulative() {
    let mut r = rig();
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
    r.clean(bundle("tensor_cumulative add"));
    assert_eq!(r.f32(0, 0x100, 4), [1.0, 3.0, 6.0, 10.0]);
}

#[test]
fn scalar_select() {
    let mut r = rig();
    for part in 0..128u16 {
        r.put_f32(part, 0, &[f32::from(part); 16]);
        let pred = if part % 3 == 0 { 0i32 } else { -5 };
        r.put(Space::Sbuf, part, 0x5000, &pred.to_le_bytes());
    }
    r.clean(bundle("tensor_scalar_select"));
    assert_eq!(r.f32(4, 0x400, 16), [4.0; 16]);
    assert_eq!(r.f32(9, 0x400, 16), [f32::NEG_INFINITY; 16]);
}

#[test]
fn predicated_copies() {
    let mut r = rig();
    let pred: Vec<u8> = (0..64).map(|i| i % 3).collect();
    for part in 0..128 {
        r.put(Space::Sbuf, part, 0, &pred);
        r.put_f32(part, 0x100, &ramp(64));
    }
    // Once where nothing was written: elements that are not selected stay unwritten.
    r.clean(bundle("copy_predicated"));
    let written = |r: &Rig, k: u64| {
        r.m.state()
            .is_written(&crate::sim::Rect::new(Space::Sbuf, 5, 1, 0x200 + 4 * k, 4))
    };
    for k in 0..64 {
        assert_eq!(written(&r, k), k % 3 != 0, "{k}");
    }
    for part in 0..128 {
        r.put_f32(part, 0x200, &[-1.0; 64]);
    }
    r.clean(bundle("copy_predicated"));
    let expected: Vec<f32> = (0..64)
        .map(|k| if k % 3 != 0 { k as f32 } else { -1.0 })
        .collect();
    assert_eq!(r.f32(127, 0x200, 64), expected);
    for part in 0..128 {
        r.put_f32(part, 0x200, &[-1.0; 64]);
    }
    r.clean(bundle("copy_predicated_scalar"));
    let expected: Vec<f32> = (0..64)
        .map(|k| if k % 3 != 0 { -f32::MAX } else { -1.0 })
        .collect();
    assert_eq!(r.f32(127, 0x200, 64), expected);
}

#[test]
fn tiles() {
    let mut r = rig();
    for part in 0..32u16 {
        let row: Vec<f32> = (0..32).map(|e| f32::from(100 * part + e)).collect();
        r.put_f32(part, 0, &row);
    }
    r.clean(bundle("stream_transpose 32x32"));
    for part in 0..32u16 {
        let column: Vec<f32> = (0..32).map(|e| f32::from(100 * e + part)).collect();
        assert_eq!(r.f32(part, 0x1000, 32), column);
    }
    for part in 0..32u16 {
        r.put(Space::Sbuf, part, 0, &packed(&[part; 8], u16::to_le_bytes));
    }
    r.clean(bundle("load_mask_select rotate"));
    r.clean(bundle("stream_shuffle"));
    for part in 0..32u16 {
        assert_eq!(r.u16(part, 0x1000, 8), [(part + 1) % 32; 8]);
    }
}

#[test]
fn search() {
    let mut r = rig();
    r.put_f32(0, 0, &ramp(16));
    r.clean(bundle("max8"));
    let top: Vec<f32> = (8..16).rev().map(|i| i as f32).collect();
    assert_eq!(r.f32(0, 0x100, 8), top);
    r.clean(bundle("match_value_load"));
    r.clean(bundle("find_index8"));
    let index: Vec<u32> = (8..16).rev().collect();
    assert_eq!(r.u32(0, 0x200, 8), index);
    r.clean(bundle("match_value_load"));
    r.clean(bundle("match_replace8"));
    let mut expected = ramp(16);
    expected[8..].fill(f32::NEG_INFINITY);
    assert_eq!(r.f32(0, 0x300, 16), expected);
    r.clean(bundle("dve_read_indices"));
    assert_eq!(r.u16(0, 0x400, 8), [15, 14, 13, 12, 11, 10, 9, 8]);
}

#[test]
fn two_tensors_and_a_scalar() {
    let mut r = rig();
    r.put_f32(0, 0x40, &[1.0, 2.0, 3.0, 4.0]);
    for (a, expected) in [(1.0, [1.0, 3.0, 6.0, 10.0]), (2.0, [1.0, 4.0, 11.0, 26.0])] {
        r.put_f32(0, 0, &[a; 4]);
        r.clean(bundle("tensor_tensor_scan cumsum"));
        assert_eq!(r.f32(0, 0x80, 4), expected);
    }
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
    r.put_f32(0, 0x40, &[10.0, 20.0, 30.0, 40.0]);
    r.clean(bundle("scalar_tensor_tensor a*3+b"));
    assert_eq!(r.f32(0, 0x80, 4), [13.0, 26.0, 39.0, 52.0]);
    r.put(Space::Sbuf, 0, 0, &[1, 0, 1, 0]);
    r.put_f32(0, 0x40, &[1.0, 9.0, 3.0, 9.0]);
    r.clean(bundle("select_reduce"));
    assert_eq!(r.f32(0, 0x80, 4), [1.0, -f32::MAX, 3.0, -f32::MAX]);
    assert_eq!(accumulator(&r, 0), 3.0);
}

fn accumulator(r: &Rig, lane: usize) -> f32 {
    let words = r.m.state().hidden(crate::sim::Region::DVE_ACC);
    f32::from_bits(words[lane])
}

#[test]
fn accumulating_tensor_scalar() {
    let mut r = rig();
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
    r.clean(bundle("ts_cache_cumulative"));
    assert_eq!(r.f32(0, 0x80, 4), [2.0, 6.0, 12.0, 20.0]);
    assert_eq!(accumulator(&r, 0), 20.0);
    r.clean(bundle("ts_cache_reduce"));
    assert_eq!(r.f32(0, 0x80, 4), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(accumulator(&r, 0), 8.0);
    r.clean(bundle("dve_read_accumulator negated"));
    assert_eq!(r.f32(0, 0xC0, 1), [-8.0]);
    assert_eq!(accumulator(&r, 0), 8.0);
}

#[test]
fn range_select() {
    let mut r = rig();
    r.put_f32(0, 0, &(10..18).map(|i| i as f32).collect::<Vec<_>>());
    r.clean(bundle("range_select"));
    let fill = -f32::MAX;
    assert_eq!(
        r.f32(0, 0x40, 8),
        [fill, fill, 12.0, 13.0, 14.0, fill, fill, fill]
    );
    assert_eq!(accumulator(&r, 0), 14.0);
}

#[test]
fn pooling() {
    let mut r = rig();
    for part in 0..128 {
        r.put_f32(part, 0, &ramp(16));
    }
    r.clean(bundle("pool max 2x2"));
    assert_eq!(r.f32(127, 0x100, 4), [5.0, 7.0, 13.0, 15.0]);
    r.clean(bundle("pool avg 2x2"));
    assert_eq!(r.f32(127, 0x100, 4), [2.5, 4.5, 10.5, 12.5]);
}

#[test]
fn cross_lane() {
    let mut r = rig();
    for part in 0..128u16 {
        r.put_f32(part, 0, &[f32::from(part), 1.0, -1.0, 0.5]);
    }
    r.clean(bundle("cross_lane_reduce add partitions"));
    assert_eq!(r.f32(0, 0x100, 4), [8128.0, 128.0, -128.0, 64.0]);
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
    r.put_f32(1, 0, &[5.0, 6.0, 7.0, 8.0]);
    r.clean(bundle("cross_lane_reduce average all"));
    assert_eq!(r.f32(0, 0x100, 1), [4.5]);
}

#[test]
fn affine_select() {
    let mut r = rig();
    for part in 0..4 {
        r.put_f32(part, 0, &[1.0, 2.0, 3.0, 4.0]);
    }
    r.m.edit(|w| w.set_reg(crate::isa::Queue::Any.index() as u8, 7, (-9.0f32).to_bits()));
    r.clean(bundle("affine_select causal"));
    for part in 0..4u16 {
        let row = [1.0, 2.0, 3.0, 4.0].map(|x| if x <= f32::from(part) + 1.0 { x } else { -9.0 });
        assert_eq!(r.f32(part, 0x40, 4), row);
    }
}

#[test]
fn dropout_zeroes_about_a_tenth() {
    let mut r = rig();
    for part in 0..128 {
        r.put_f32(part, 0, &[3.5; 16]);
    }
    // The reset state gives every lane the same draws: 3, 6, 13, ... (isa 15 §8).
    r.clean(bundle("dropout drop_rate 0.1"));
    let out = r.f32(9, 0x40, 16);
    let mut state = 1u32;
    for x in out {
        let bit = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1;
        state = state << 1 | bit;
        let u = f32::from_bits(state & 0x7F_FFFF | 0x3F80_0000) - 1.0;
        assert_eq!(x, if u < 0.1 { 0.0 } else { 3.5 });
    }
}

#[test]
fn exponential() {
    let mut r = Rig::new(Generation::V4);
    let x: Vec<f32> = (0..16).map(|i| i as f32 * 0.25).collect();
    for part in 0..128 {
        r.put_f32(part, 0, &x);
        r.put_f32(part, 0x500, &[3.75]);
    }
    r.clean(bundle("exponential minus row max, sum"));
    let mut sum = 0.0;
    for (x, y) in x.iter().zip(r.u16(127, 0x100, 16)) {
        let exact = f64::from(x - 3.75).exp();
        sum += exact;
        let y = f64::from(f32::from_bits(u32::from(y) << 16));
        assert!((y - exact).abs() <= exact / 256.0, "{x}: {y} {exact}");
    }
    assert!((f64::from(accumulator(&r, 127)) - sum).abs() < 1e-5 * sum);
    let f = Rig::new(Generation::V3).run(bundle("exponential minus row max, sum"));
    assert_eq!(f.unwrap_err().rule, "not-wired");
}

#[test]
fn batch_norm() {
    let mut r = rig();
    r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
    r.clean(bundle("bn_stats2"));
    let stats = r.f32(0, 0x100, 6);
    assert_eq!(stats, [2.0, 2.0, 2.0, 2.0, 3.0, 2.0]);
    r.put_f32(0, 0x100, &stats);
    r.clean(bundle("bn_aggregate"));
    assert_eq!(r.f32(0, 0x140, 2), [2.5, 1.25]);
}

#[test]
fn gather() {
    let mut r = rig();
    let index: Vec<u32> = (0..16).map(|i| 15 - i).collect();
    for part in 0..128 {
        r.put(Space::Sbuf, part, 0, &packed(&index, u32::to_le_bytes));
        r.put_f32(part, 0x4000, &ramp(12));
    }
    // Without a buffer everything misses.
    let found = r.run(bundle("gather")).unwrap();
    assert_eq!(found[0].rule, "pool-buffer");
    assert_eq!(r.f32(3, 0x800, 16), [0.0; 16]);
    // 0x67 of 12 elements at 0x4000 from index 0 (isa 07c C1).
    let mut load = Bundle::default();
    load.put(0, &[0x67, 0x10]);
    load.put(12, &0x4000u32.to_le_bytes());
    load.put(16, &packed(&[1u16, 1, 1, 1, 12, 1, 1, 1], u16::to_le_bytes));
    load.put(32, &[0x0A, 0, 128]);
    load.put(44, &0x1FFu32.to_le_bytes());
    r.clean(load);
    r.clean(bundle("gather"));
    let expected: Vec<f32> = index
        .iter()
        .map(|i| if *i < 12 { *i as f32 } else { 0.0 })
        .collect();
    assert_eq!(r.f32(127, 0x800, 16), expected);
}

#[test]
fn indirect_copy() {
    let mut r = rig();
    for part in 0..128u16 {
        let row: Vec<u16> = (0..1024).map(|i| i * 3 + part).collect();
        r.put(Space::Sbuf, part, 0x1000, &packed(&row, u16::to_le_bytes));
        // Index j of a group lies in partition j of it: the same start for all of its lanes.
        let index = 4 * (part % 16) + 100 * (part / 16);
        r.put(Space::Sbuf, part, 0x100, &index.to_le_bytes());
    }
    r.clean(bundle("indirect_copy"));
    for part in [0u16, 17, 127] {
        let row = (0..16u16).flat_map(|j| {
            let first = 4 * j + 100 * (part / 16);
            (first..first + 4).map(|i| i * 3 + part)
        });
        assert_eq!(r.u16(part, 0x4000, 64), row.collect::<Vec<_>>());
    }
}
