//! isa 06 §6.

use super::*;
use crate::isa::Space;
use crate::isa::fields::ActFunc;
use crate::num::{Kind, widen};
use crate::sim::{Region, Settings};

fn bf16(bits: &[u8]) -> f32 {
    widen(
        Kind::Bf16,
        u64::from(u16::from_le_bytes([bits[0], bits[1]])),
    )
}

fn put_psum(rig: &mut Rig, part: u16, off: u64, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    rig.put(Space::Psum, part, off, &bytes);
}

fn accumulators(rig: &Rig) -> Vec<f32> {
    let words = rig.m.state().hidden(Region::ACT_ACC);
    words.iter().map(|w| f32::from_bits(*w)).collect()
}

#[test]
fn act_1_identity_to_bf16() {
    let mut rig = Rig::new(Generation::V3);
    let row: Vec<f32> = (0..512).map(|i| i as f32).collect();
    for p in 0..128 {
        put_psum(&mut rig, p, 0, &row);
    }
    rig.clean(sheet_bundle("ACT-1"));
    for p in [0, 127] {
        let out = rig.bytes(p, 0x4000, 1024);
        assert!((0..512).all(|i| bf16(&out[2 * i..]) == widen_rne(i as f32)));
        assert_eq!(accumulators(&rig)[usize::from(p)], 511.0 * 256.0);
    }
}

fn widen_rne(x: f32) -> f32 {
    half::bf16::from_f32(x).to_f32()
}

#[test]
fn act_2_exp_with_a_bias_per_lane() {
    let mut rig = Rig::new(Generation::V3);
    for p in 0..128 {
        put_psum(&mut rig, p, 2048, &[8.0; 512]);
        rig.put_f32(p, 0x7000, &[if p == 3 { 0.5 } else { 0.0 }]);
    }
    rig.clean(table(0));
    rig.clean(sheet_bundle("ACT-2"));
    assert!(ulps(rig.f32(3, 0x5000, 512)[511], 4.481_689_f32) <= 1);
    assert!(ulps(rig.f32(2, 0x5000, 1)[0], std::f32::consts::E) <= 1);
    // A bias pointer in bf16.
    let mut b = sheet_bundle("ACT-2");
    b.put(32, &[0x6A]);
    for p in 0..128 {
        rig.put(
            Space::Sbuf,
            p,
            0x7000,
            &half::bf16::from_f32(-1.0).to_le_bytes(),
        );
    }
    rig.clean(b);
    assert_eq!(rig.f32(0, 0x5000, 1), [1.0]);
    // The same address from a register.
    let mut b = sheet_bundle("ACT-2");
    b.put(15, &[2]);
    b.put(40, &5u32.to_le_bytes());
    for p in 0..128 {
        rig.put_f32(p, 0x7100, &[-1.0]);
    }
    rig.m
        .edit(|w| w.set_reg(crate::isa::Queue::Any.index() as u8, 5, 0x7100));
    rig.clean(b);
    assert_eq!(rig.f32(0, 0x5000, 1), [1.0]);
}

fn table(set: u8) -> Bundle {
    let mut b = sheet_bundle("ACT-4");
    b.put(35, &[set]);
    b
}

#[test]
fn act_3_parametric_relu() {
    let mut rig = Rig::new(Generation::V3);
    let x = [-2.0, -0.5, 0.5, 1.0, 3.0, 0.0, -4.0, 8.0];
    for p in 0..4 {
        let row: Vec<u8> = x
            .iter()
            .flat_map(|v| half::bf16::from_f32(*v).to_le_bytes())
            .collect();
        rig.put(Space::Sbuf, p, 0x100, &row);
    }
    rig.clean(sheet_bundle("ACT-3"));
    let out = rig.bytes(3, 0x200, 16);
    let out: Vec<f32> = out.chunks_exact(2).map(bf16).collect();
    assert_eq!(out, [-0.5, -0.125, 0.5, 1.0, 3.0, 0.0, -1.0, 8.0]);
    assert_eq!(accumulators(&rig)[0], 0.0);
}

#[test]
fn act_4_sets_and_residency() {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, &[1.0]);
    let exp = activate(ActFunc::exp.0, 1, 0);
    assert_eq!(rules(&mut rig, exp), ["act-table"], "none loaded");
    rig.clean(sheet_bundle("ACT-4"));
    assert_eq!(rig.m.state().hidden(Region::ACT_SET), [2]);
    assert_eq!(rules(&mut rig, exp), ["act-table"], "sigmoid_and_others");
    rig.clean(activate(ActFunc::sigmoid.0, 1, 0));
    for universal in [1, 2, 3, 4, 30, 31, 33, 35, 128, 130] {
        rig.clean(activate(universal, 1, 0));
    }
    assert_eq!(rig.run(table(21)).unwrap_err().rule, "act-set");
    // By name.
    let mut named = Bundle::of_opcode(0xC6);
    named.put(12, b"exp_and_others");
    rig.clean(named);
    rig.clean(exp);
    named.put(12, b"my_own_tables\0");
    assert_eq!(rules(&mut rig, named), ["act-table"]);
    rig.clean(activate(ActFunc::ln.0, 1, 0));
}

/// "Accumulator: lane input [1,2,3,4] FP32, identity ..." and ACT-5.
#[test]
fn act_5_accumulator_commands() {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, &[1.0, 2.0, 3.0, 4.0]);
    for (command, expected) in [(3, 10.0), (2, 20.0), (0, 20.0), (1, 0.0), (4, 15.0)] {
        let mut b = activate(1, 4, command);
        b.put(44, &5f32.to_le_bytes());
        rig.clean(b);
        assert_eq!(accumulators(&rig)[0], expected, "command {command}");
        assert_eq!(rig.f32(0, 0x10000, 4), [1.0, 2.0, 3.0, 4.0]);
    }
    assert_eq!(rig.m.state().hidden(Region::ACT_ACC_READ)[0] & 1, 0);
    rig.clean(sheet_bundle("ACT-5"));
    assert_eq!(rig.f32(0, 0x7100, 1), [15.0]);
    assert_eq!(rig.f32(127, 0x7100, 1), [0.0]);
    assert_eq!(rig.m.state().hidden(Region::ACT_ACC_READ), [u32::MAX; 4]);
    // Reading leaves it: the next command 2 goes on from 15.
    rig.clean(activate(1, 4, 2));
    assert_eq!(accumulators(&rig)[0], 25.0);
    // The seed may lie in memory, one per lane.
    rig.put_f32(0, 0x9000, &[100.0]);
    let mut b = activate(1, 4, 4);
    b.put(12, &[1]);
    b.put(44, &0x9000u32.to_le_bytes());
    rig.clean(b);
    assert_eq!(accumulators(&rig)[0], 110.0);
    assert!(rig.run(activate(1, 4, 5)).is_err());
}

/// The sum takes the fp32 value before conversion.
#[test]
fn accumulates_before_conversion() {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, &[0.25, 0.25, 0.25]);
    let mut b = activate(1, 3, 3);
    b.put(33, &[3]);
    rig.clean(b);
    assert_eq!(rig.bytes(0, 0x10000, 3), [0; 3]);
    assert_eq!(accumulators(&rig)[0], 0.75);
}

/// "x = 16777217 as INT32 converts to f32 16777216; scale 0.5, bias 1 gives 8388609."
#[test]
fn affine_rounding() {
    let mut rig = Rig::new(Generation::V3);
    rig.put(Space::Sbuf, 0, 0x100, &16_777_217i32.to_le_bytes());
    let mut b = activate(1, 1, 0);
    b.put(32, &[0xA8]);
    b.put(36, &0.5f32.to_le_bytes());
    b.put(40, &1f32.to_le_bytes());
    rig.clean(b);
    assert_eq!(rig.f32(0, 0x10000, 1), [8_388_609.0]);
    // (1 + 2^-12)^2 - 1: the square's last bit is lost when it is rounded first.
    let e = 2f32.powi(-12);
    for (value, expected) in [("separate", 2.0 * e), ("fused", 2.0 * e + e * e)] {
        let mut settings = Settings::default();
        settings.set("numerics.act-affine", value).unwrap();
        let mut rig = Rig::with(Generation::V3, settings);
        rig.put_f32(0, 0x100, &[1.0 + e]);
        let mut b = activate(1, 1, 0);
        b.put(36, &(1.0 + e).to_le_bytes());
        b.put(40, &(-1f32).to_le_bytes());
        rig.clean(b);
        assert_eq!(rig.f32(0, 0x10000, 1), [expected], "{value}");
    }
}

#[test]
fn pointers_that_nothing_uses_are_not_followed() {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, &[2.0]);
    // The compiler writes imm_src 1 with imm 0 for copy (isa 06 §2.1).
    let mut b = activate(128, 1, 0);
    b.put(12, &[1]);
    rig.clean(b);
    assert_eq!(rig.f32(0, 0x10000, 1), [2.0]);
}

#[test]
fn undo_restores_the_accumulators() {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, &[1.0, 2.0]);
    let mut digests = vec![rig.m.state().digest()];
    for b in [
        activate(1, 2, 3),
        table(0),
        activate(7, 2, 2),
        sheet_bundle("ACT-5"),
    ] {
        rig.clean(b);
        digests.push(rig.m.state().digest());
    }
    for d in digests.iter().rev().skip(1) {
        rig.m.undo().unwrap();
        assert_eq!(rig.m.state().digest(), *d);
    }
    for d in &digests[1..] {
        rig.m.redo().unwrap();
        assert_eq!(rig.m.state().digest(), *d);
    }
}

#[test]
fn faults() {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, &[1.0, 2.0]);
    for unpublished in [11, 18, 20, 27, 39, 127] {
        let e = rig.run(activate(unpublished, 1, 0)).unwrap_err();
        assert_eq!(e.rule, "not-modelled");
    }
    let mut b = activate(1, 2, 0);
    b.put(58, &[1]);
    assert_eq!(rig.run(b).unwrap_err().rule, "element-count");
}

/// "ACT-7 numeric": bytes for x = 256, -5, 2000; bias 0.
#[test]
fn act_7_quantize() {
    let mut rig = Rig::new(Generation::V3);
    for p in 0..64 {
        let mut row = [0i32; 256];
        row[..3].copy_from_slice(&[256, -5, 2000]);
        let bytes: Vec<u8> = row.iter().flat_map(|v| v.to_le_bytes()).collect();
        rig.put(Space::Psum, p, 0, &bytes);
        rig.put_f32(p, 0x7000, &[if p == 63 { 1.0 } else { 0.0 }]);
    }
    assert_eq!(rules(&mut rig, sheet_bundle("ACT-7")), ["narrow-overflow"]);
    assert_eq!(rig.bytes(0, 0x4000, 4), [0xA0, 128, 255, 128]);
    // Bias 1: (2 + 1) * 16 + 128, relu(1 - 5/128) * 16 + 128 = 143.375, saturated, 144.
    assert_eq!(rig.bytes(63, 0x4000, 4), [176, 143, 255, 144]);
    let mut b = sheet_bundle("ACT-7");
    b.put(35, &[4]);
    assert!(rig.run(b).is_err());
}

/// "ACT-6 numeric": silu(2 x + 0.5), the sum takes the fp32 value.
#[test]
fn act_6_two_stages() {
    let mut rig = Rig::new(Generation::V4);
    for p in 0..128 {
        let mut row = [0.0; 512];
        row[0] = 1.0;
        put_psum(&mut rig, p, 0, &row);
    }
    rig.clean(table(18));
    rig.clean(sheet_bundle("ACT-6"));
    assert_eq!(rig.bytes(5, 0x4000, 2), 0x4014u16.to_le_bytes());
    let silu = |y: f64| (y / (1.0 + (-y).exp())) as f32;
    let expected = (0..511).fold(silu(2.5), |sum, _| sum + silu(0.5));
    assert!((accumulators(&rig)[5] - expected).abs() < 1e-4 * expected);
}

/// A two-dimensional ACTIVATE2 on lane 0, identity, fp32.
fn activate2(ops: [u8; 2], imms: [f32; 2], reverse: u8, cmd: u8, fold: u8, n: u16) -> Bundle {
    let mut b = Bundle::of_opcode(0x25);
    for (at, addr) in [(12, 0x100u32), (48, 0x10000)] {
        b.put(at, &addr.to_le_bytes());
        b.put(at + 4, &[1, 0, 1, 0]);
        b.put(at + 8, &n.to_le_bytes());
        b.put(at + 10, &[1, 0]);
    }
    b.put(26, &[cmd]);
    b.put(28, &[10, ops[0], ops[1], fold, 10, 10, 1, 1]);
    b.put(36, &imms[0].to_le_bytes());
    b.put(40, &imms[1].to_le_bytes());
    b.put(60, &[reverse]);
    b
}

#[test]
fn activate2_stages_and_reversal() {
    let (mult, add, sub, bypass) = (6, 4, 5, 0);
    for (ops, reverse, expected) in [
        ([mult, add], 0, 3.0 * 5.0 + 7.0),
        ([mult, sub], 0, 3.0 * 5.0 - 7.0),
        ([mult, sub], 2, 7.0 - 3.0 * 5.0),
        ([mult, bypass], 0, 15.0),
        ([mult, bypass], 3, 15.0),
        ([add, bypass], 0, 8.0),
        ([sub, bypass], 0, -2.0),
        ([sub, bypass], 1, 2.0),
        ([bypass, bypass], 0, 3.0),
    ] {
        let mut rig = Rig::new(Generation::V4);
        rig.put_f32(0, 0x100, &[3.0]);
        rig.clean(activate2(ops, [5.0, 7.0], reverse, 0, 0, 1));
        assert_eq!(rig.f32(0, 0x10000, 1), [expected], "{ops:?} {reverse}");
    }
}

/// isa 06 §4.5, decisions 1.3: identities, RESET adds nothing, one accumulator with 0x21.
#[test]
fn activate2_folds() {
    let x = [3.0, -8.0, 5.0];
    let (inf, add, max, min, abs_max, abs_min) = (f32::INFINITY, 4, 8, 9, 0x20, 0x21);
    for (fold, identity, folded) in [
        (add, 0.0, 0.0),
        (max, -inf, 5.0),
        (min, inf, -8.0),
        (abs_max, 0.0, 8.0),
        (abs_min, inf, 3.0),
    ] {
        let mut rig = Rig::new(Generation::V4);
        rig.put_f32(0, 0x100, &x);
        let b = |cmd| activate2([0, 0], [0.0; 2], 0, cmd, fold, 3);
        rig.clean(b(1));
        assert_eq!(accumulators(&rig)[0], identity);
        rig.clean(b(2));
        assert_eq!(accumulators(&rig)[0], folded);
        rig.clean(activate2([0, 0], [0.0; 2], 0, 0, 0, 3));
        assert_eq!(accumulators(&rig)[0], folded);
        rig.clean(b(3));
        assert_eq!(accumulators(&rig)[0], folded);
        rig.clean(activate(1, 3, 2));
        assert_eq!(accumulators(&rig)[0], folded + 3.0 - 8.0 + 5.0);
    }
    let mut rig = Rig::new(Generation::V4);
    rig.put_f32(0, 0x100, &x);
    assert!(rig.run(activate2([0, 0], [0.0; 2], 0, 3, 6, 3)).is_err());
}

#[test]
fn activate2_parameter_in_memory() {
    let mut rig = Rig::new(Generation::V4);
    rig.put_f32(0, 0x100, &[-2.0]);
    rig.put(
        Space::Sbuf,
        0,
        0x9000,
        &half::bf16::from_f32(0.25).to_le_bytes(),
    );
    let mut b = activate2([0, 0], [0.0; 2], 0, 0, 0, 1);
    b.put(24, &[1]);
    b.put(28, &[6]);
    b.put(35, &[4]);
    b.put(44, &0x9000u32.to_le_bytes());
    rig.clean(b);
    assert_eq!(rig.f32(0, 0x10000, 1), [-0.5]);
}
