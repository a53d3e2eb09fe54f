//! What each setting of decisions §2 changes. Numbers are worked by hand from isa 13 §4.1 and §6, 15 §3.4.

use super::more::{bundle, row, row3, rules};
use super::{Rig, packed};
use crate::isa::{Engine, Generation, Queue, Space};
use crate::sim::settings::Settings;

fn rig(settings: &[(&str, &str)]) -> Rig {
    let mut all = Settings::default();
    for (key, value) in settings {
        all.set(key, value).unwrap();
    }
    Rig::with(Generation::V3, all)
}

/// fp32 bits through CAST to a type: the bytes that come out, and the rules of the findings.
fn cast(bits: &[u32], to: u8, settings: &[(&str, &str)]) -> (Vec<u8>, Vec<&'static str>) {
    let mut r = rig(settings);
    let n = bits.len() as u16;
    let size = if to == 0x0B { 4 } else { 1 };
    r.put(Space::Sbuf, 0, 0, &packed(bits, u32::to_le_bytes));
    let cast = bundle(
        0x47,
        &[(32, &[0x0A, to, 1])],
        &[(12, 0, &row(n)), (44, 0x100, &row(n))],
    );
    let found = rules(r.run(cast));
    (r.bytes(0, 0x100, size * u32::from(n)), found)
}

const E4: u8 = 0x0E;
const E5: u8 = 0x0F;

#[test]
fn narrow_floats() {
    let f = |x: f32| x.to_bits();
    // 300 is beyond 240 but not beyond 448; in E4M3fn it lies between 288 and 320.
    let large = [f(300.0), f(-300.0), f(1e9)];
    for (settings, expected) in [
        (&[][..], [0x77, 0xF7, 0x77]),
        (&[("numerics.fp8-overflow", "inf")], [0x78, 0xF8, 0x78]),
        (&[("numerics.fp8e4", "ieee")], [0x77, 0xF7, 0x77]),
        (&[("numerics.fp8e4", "fn")], [0x79, 0xF9, 0x7E]),
    ] {
        assert_eq!(cast(&large, E4, settings).0, expected, "{settings:?}");
    }
    let nan = [0x7FC0_0000, 0xFFC0_0000];
    assert_eq!(cast(&nan, E4, &[]).0, [0x7C, 0x7C]);
    assert_eq!(cast(&nan, E5, &[]).0, [0x7E, 0x7E]);
    let suppress = [("numerics.fp8-nan", "suppress")];
    assert_eq!(cast(&nan, E4, &suppress).0, [0x00, 0x80]);
    assert_eq!(cast(&nan, E5, &suppress).0, [0x00, 0x80]);
    // Three quarters of the smallest subnormal.
    let tiny = [f(0.75 / 65536.0), f(-0.75 / 65536.0)];
    assert_eq!(cast(&tiny, E5, &[]).0, [0x00, 0x80]);
    let rne = [("numerics.fp8-tiny", "rne")];
    assert_eq!(cast(&tiny, E5, &rne).0, [0x01, 0x81]);
    let tiny = [f(0.75 / 512.0), f(-0.75 / 512.0)];
    assert_eq!(cast(&tiny, E4, &[]).0, [0x01, 0x81]);
}

#[test]
fn fp32r_keeps_so_many_bits() {
    for (value, expected) in [
        ("11", 0x3F80_1000u32),
        ("10", 0x3F80_2000),
        ("13", 0x3F80_1400),
    ] {
        let (bytes, _) = cast(&[0x3F80_1234], 0x0B, &[("numerics.fp32r-bits", value)]);
        assert_eq!(bytes, expected.to_le_bytes(), "{value}");
    }
}

#[test]
fn narrowing_is_found() {
    let large = [1e9f32.to_bits()];
    assert_eq!(cast(&large, E4, &[]).1, ["narrow-overflow"]);
    let off = [("findings.narrow", "off")];
    assert_eq!(cast(&large, E4, &off).1, [] as [&str; 0]);
}

#[test]
fn nan_in_max() {
    let nan = f32::NAN;
    for (value, expected) in [
        ("num", [Some(2.0), Some(1.0), Some(2.0)]),
        // The second operand wins when either is NaN.
        ("x86", [Some(2.0), None, Some(2.0)]),
        ("propagate", [None, None, Some(2.0)]),
    ] {
        let mut r = rig(&[("numerics.minmax-nan", value)]);
        r.put_f32(0, 0, &[nan, 1.0, 1.0]);
        r.put_f32(0, 0x100, &[2.0, nan, 2.0]);
        let max = bundle(
            0x41,
            &[(12, &[0xAA, 0x0A, 0x08, 1])],
            &[
                (16, 0, &row3(3)),
                (32, 0x100, &row3(3)),
                (48, 0x200, &row3(3)),
            ],
        );
        let _ = r.run(max).unwrap();
        let found = r.f32(0, 0x200, 3);
        let found: Vec<_> = found.iter().map(|x| (!x.is_nan()).then_some(*x)).collect();
        assert_eq!(found, expected, "{value}");
    }
}

#[test]
fn overlapping_operands() {
    let reversed = [(-1, 4), (1, 1), (1, 1), (1, 1)];
    let copy = bundle(
        0x46,
        &[(32, &[0x0A, 0x0A, 1])],
        &[(12, 12, &reversed), (44, 0, &row(4))],
    );
    let run = |value| {
        let mut r = rig(&[("memory.overlap", value)]);
        r.put_f32(0, 0, &[1.0, 2.0, 3.0, 4.0]);
        r.run(copy)
    };
    assert_eq!(rules(run("warn")), ["overlap"]);
    assert_eq!(run("fault").unwrap_err().rule, "overlap");
    assert_eq!(rules(run("ignore")), [] as [&str; 0]);
}

/// Rules that `warn` turns into findings.
#[test]
fn rules_that_may_be_findings() {
    let act = Queue::Of(Engine::Act);
    let pool = Queue::Of(Engine::Pool);
    let find = bundle(
        0x6E,
        &[(32, &[0x0A, 0x09, 1])],
        &[(12, 0, &row(11)), (48, 0x200, &[(1, 8), (1, 1)])],
    );
    let high = bundle(
        0x46,
        &[(32, &[0x0A, 0x0A, 64])],
        &[(12, 32 << 18, &row(4)), (44, (32 << 18) + 0x100, &row(4))],
    );
    let psum = bundle(
        0x46,
        &[(32, &[0x0A, 0x0A, 1])],
        &[(12, 0x0200_0000, &row(4)), (44, 0, &row(4))],
    );
    for (key, rule, queue, b) in [
        ("check.engine", "engine", act, find),
        ("check.start-partition", "start-partition", Queue::Any, high),
        ("check.pool-psum", "pool-psum", pool, psum),
    ] {
        let run = |value| {
            let mut r = rig(&[(key, value), ("uninit.read", "ignore")]);
            r.queue = queue;
            r.run(b)
        };
        assert_eq!(run("error").unwrap_err().rule, rule);
        // Each operand that breaks the rule is reported.
        let found = rules(run("warn"));
        assert!(
            !found.is_empty() && found.iter().all(|r| *r == rule),
            "{key} {found:?}"
        );
    }
}

/// isa 07c C2: 16 lanes, 2 elements per index; index j is in lane j of the group.
#[test]
fn gather_indices_count_elements_or_rows() {
    for (value, expected) in [("element", [3u16, 4]), ("row", [6, 7])] {
        let mut r = rig(&[("pool.gather-index", value)]);
        for part in 0..16 {
            let data: Vec<u16> = (0..64).collect();
            r.put(Space::Sbuf, part, 0x1000, &packed(&data, u16::to_le_bytes));
            r.put(Space::Sbuf, part, 0x100, &3u16.to_le_bytes());
        }
        let mut b = bundle(
            0xE7,
            &[
                (12, &(0x2000_0000u32 | 0x100).to_le_bytes()),
                (16, &0x1000u32.to_le_bytes()),
                (20, &32u16.to_le_bytes()),
                (32, &[0x05, 0x05, 16, 2]),
                (38, &64u16.to_le_bytes()),
            ],
            &[(44, 0x2000, &row(32))],
        );
        b.put(1, &[0x10]);
        r.clean(b);
        assert_eq!(r.u16(5, 0x2000, 2), expected, "{value}");
        assert_eq!(r.u16(5, 0x2000 + 60, 2), expected, "{value}");
    }
}
