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
