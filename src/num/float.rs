//! The wide floats: bf16, fp16 (reading) and fp32r. Writing fp16 is the general encoder of `small`.

use super::round::{INF, add_half};

/// isa 13 §6.1: exact, NaN payload kept.
#[inline(always)]
pub(super) const fn bf16_decode(bits: u16) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

/// isa 13 §6.2: nearest even, carry into Inf, one NaN without sign. Second value: a finite input
/// became infinite.
#[inline(always)]
pub(super) const fn bf16_encode(x: f32) -> (u16, bool) {
    let bits = x.to_bits();
    let a = bits & 0x7FFF_FFFF;
    let rounded = add_half(bits, 16) >> 16;
    let code = if a > INF { 0x7FC0 } else { rounded };
    (code as u16, a < INF && rounded & 0x7FFF == 0x7F80)
}

/// isa 13 §6.1: exact, NaN payload kept.
#[inline(always)]
pub(super) const fn fp16_decode(bits: u16) -> f32 {
    let em = ((bits & 0x7FFF) as u32) << 13;
    let sign = ((bits & 0x8000) as u32) << 16;
    let rebias = if em >= 0x0F80_0000 {
        0x7000_0000
    } else {
        0x3800_0000
    };
    // A subnormal is read as a mantissa over 2^-14, then the implied one is taken off again.
    let subnormal = f32::from_bits(em + 0x3880_0000) - f32::from_bits(0x3880_0000);
    let a = if em < 0x0080_0000 {
        subnormal.to_bits()
    } else {
        em + rebias
    };
    f32::from_bits(a | sign)
}

/// How many mantissa bits an fp32r write drops.
#[inline(always)]
pub(super) const fn fp32r_drop(kept: u8) -> u32 {
    23u32.saturating_sub(kept as u32)
}

/// isa 13 §4.6: fp32 rounded to nearest even with `drop` (0..=23) low mantissa bits cleared; Inf and
/// NaN as they are. Second value: a finite input became infinite.
#[inline(always)]
pub(super) const fn fp32r_encode(x: f32, drop: u32) -> (u32, bool) {
    let bits = x.to_bits();
    let a = bits & 0x7FFF_FFFF;
    if drop == 0 || a >= INF {
        return (bits, false);
    }
    let rounded = add_half(bits, drop) & (u32::MAX << drop);
    (rounded, rounded & 0x7FFF_FFFF == INF)
}
