//! The rounding steps shared by all formats, and the switches that change conversions.
//!
//! Baseline x86-64 has no rounding instruction, so `f32::round_ties_even` would be a call per element;
//! the forms here are branch-free and vectorise.

/// The switches of decisions 1.3 that change what [`narrow`](super::narrow) gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// `numerics.fp8-overflow`: too large for fp8 becomes the largest finite value, else Inf.
    pub fp8_saturate: bool,
    /// `numerics.fp8-nan`: NaN stays NaN, else it becomes a signed zero.
    pub fp8_keep_nan: bool,
    /// `numerics.fp8-tiny`: e4m3fn and e5m2 give zero for everything below the smallest subnormal.
    pub fp8_vendor_tiny: bool,
    /// `numerics.fp32r-bits`: explicit mantissa bits kept when fp32r is written.
    pub fp32r_bits: u8,
    /// `numerics.pool-cast trunc`: float to integer truncates toward zero.
    pub int_trunc: bool,
}

impl Rules {
    /// The defaults of decisions 1.3.
    pub const DEFAULT: Rules = Rules {
        fp8_saturate: true,
        fp8_keep_nan: true,
        fp8_vendor_tiny: true,
        fp32r_bits: 11,
        int_trunc: false,
    };
}

impl Default for Rules {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Bits of +Inf; a magnitude above it is a NaN, below it finite.
pub(super) const INF: u32 = 0x7F80_0000;
/// From here on every fp32 is an integer.
const INTEGRAL: f32 = 8_388_608.0;

/// Nearest integer, ties to even. Not for NaN.
#[inline(always)]
pub(super) fn nearest(x: f32) -> f32 {
    let shift = INTEGRAL.copysign(x);
    let rounded = (x + shift) - shift;
    if x.abs() < INTEGRAL { rounded } else { x }
}

/// Integer toward zero. Not for NaN.
#[inline(always)]
pub(super) fn toward_zero(x: f32) -> f32 {
    if x.abs() < INTEGRAL {
        x as i32 as f32
    } else {
        x
    }
}

/// `bits + half a unit`, ties to even, where the unit is `1 << drop`; the caller drops the low bits.
/// On the magnitude of a float the carry runs into the exponent, and from the largest one into Inf.
#[inline(always)]
pub(super) const fn add_half(bits: u32, drop: u32) -> u32 {
    bits.wrapping_add(((1 << drop) >> 1) - 1)
        .wrapping_add((bits >> drop) & 1)
}
