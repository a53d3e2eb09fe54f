//! The small floats as parameters of one encoder and one decoder: fp8, fp4 and, for writing, fp16.

use super::round::{INF, Rules, add_half};

/// Parameters of a format with sign, exponent and mantissa (isa 13 §4.1). A code without its sign bit
/// is a magnitude; magnitudes are ordered like their values.
pub(super) trait Small {
    /// Explicit mantissa bits.
    const MAN: u32;
    /// Exponent bias.
    const BIAS: u32;
    /// Position of the sign bit.
    const SIGN: u32;
    /// Largest finite magnitude.
    const MAX: u32;
    /// Magnitude of infinity.
    const INF: Option<u32>;
    /// The NaN that is written.
    const NAN: u32;
    /// The vendor's encoder gives zero below the smallest subnormal (isa 13 §6.2 "cut-off").
    const CUT: bool = false;

    /// fp32 bits of the smallest normal value.
    const MIN_NORMAL: u32 = (128 - Self::BIAS) << 23;
    /// Adding this fp32 value leaves a sum whose last place is the smallest subnormal.
    const SUBNORMAL_SHIFT: u32 = (151 - Self::BIAS - Self::MAN) << 23;
    /// fp32 bits of the smallest subnormal.
    const MIN_SUBNORMAL: u32 = (128 - Self::BIAS - Self::MAN) << 23;

    /// What stands for values outside the finite range.
    fn ends(rules: &Rules) -> Ends {
        let nan = if rules.fp8_keep_nan {
            Special::bare(Self::NAN)
        } else {
            Special::signed(0)
        };
        let over = match Self::INF {
            _ if rules.fp8_saturate => Special::signed(Self::MAX),
            Some(inf) => Special::signed(inf),
            None => nan,
        };
        let cut = if Self::CUT && rules.fp8_vendor_tiny {
            Self::MIN_SUBNORMAL
        } else {
            0
        };
        Ends { over, nan, cut }
    }
}

/// A code with or without the sign of the input.
#[derive(Clone, Copy)]
pub(super) struct Special {
    code: u32,
    sign: u32,
}

impl Special {
    const fn signed(code: u32) -> Self {
        Special {
            code,
            sign: u32::MAX,
        }
    }
    const fn bare(code: u32) -> Self {
        Special { code, sign: 0 }
    }
}

/// The ends of a format under given rules, worked out once per slice.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    over: Special,
    nan: Special,
    /// Magnitudes (fp32 bits) below this become zero.
    cut: u32,
}

/// fp16 as a target (isa 13 §6.2).
pub(super) struct Fp16;
impl Small for Fp16 {
    const MAN: u32 = 10;
    const BIAS: u32 = 15;
    const SIGN: u32 = 15;
    const MAX: u32 = 0x7BFF;
    const INF: Option<u32> = Some(0x7C00);
    const NAN: u32 = 0x7E00;
    fn ends(_: &Rules) -> Ends {
        Ends {
            over: Special::signed(0x7C00),
            nan: Special::signed(Self::NAN),
            cut: 0,
        }
    }
}

/// `Fp8E3`.
pub(super) struct E3M4;
impl Small for E3M4 {
    const MAN: u32 = 4;
    const BIAS: u32 = 3;
    const SIGN: u32 = 7;
    const MAX: u32 = 0x6F;
    const INF: Option<u32> = Some(0x70);
    const NAN: u32 = 0x78;
}

/// `Fp8E4`, the 240 variant.
pub(super) struct E4M3;
impl Small for E4M3 {
    const MAN: u32 = 3;
    const BIAS: u32 = 7;
    const SIGN: u32 = 7;
    const MAX: u32 = 0x77;
    const INF: Option<u32> = Some(0x78);
    const NAN: u32 = 0x7C;
}

/// `Fp8E4Fn`, the 448 variant.
pub(super) struct E4M3Fn;
impl Small for E4M3Fn {
    const MAN: u32 = 3;
    const BIAS: u32 = 7;
    const SIGN: u32 = 7;
    const MAX: u32 = 0x7E;
    const INF: Option<u32> = None;
    const NAN: u32 = 0x7F;
    const CUT: bool = true;
}

/// `Fp8E5`.
pub(super) struct E5M2;
impl Small for E5M2 {
    const MAN: u32 = 2;
    const BIAS: u32 = 15;
    const SIGN: u32 = 7;
    const MAX: u32 = 0x7B;
    const INF: Option<u32> = Some(0x7C);
    const NAN: u32 = 0x7E;
    const CUT: bool = true;
}

/// One lane of `Fp4x4`: no special codes, overflow always saturates (isa 13 §4.2, §6.2).
pub(super) struct E2M1;
impl Small for E2M1 {
    const MAN: u32 = 1;
    const BIAS: u32 = 1;
    const SIGN: u32 = 3;
    const MAX: u32 = 7;
    const INF: Option<u32> = None;
    const NAN: u32 = 0;
    fn ends(_: &Rules) -> Ends {
        Ends {
            over: Special::signed(Self::MAX),
            nan: Special::signed(0),
            cut: 0,
        }
    }
}

/// Round to nearest even. Second value: a finite input was beyond the finite range.
#[inline(always)]
pub(super) fn encode<S: Small>(x: f32, ends: &Ends) -> (u32, bool) {
    let bits = x.to_bits();
    let a = bits & 0x7FFF_FFFF;
    let sign = (bits >> 31) << S::SIGN;
    let drop = 23 - S::MAN;
    let normal = (add_half(a, drop) >> drop).wrapping_sub((127 - S::BIAS) << S::MAN);
    let shifted = f32::from_bits(a) + f32::from_bits(S::SUBNORMAL_SHIFT);
    let subnormal = shifted.to_bits().wrapping_sub(S::SUBNORMAL_SHIFT);
    let rounded = if a < S::MIN_NORMAL { subnormal } else { normal };
    let code = if a < ends.cut { 0 } else { rounded };
    let over = code > S::MAX;
    let in_range = if over {
        ends.over.code | (sign & ends.over.sign)
    } else {
        code | sign
    };
    let nan = ends.nan.code | (sign & ends.nan.sign);
    (if a > INF { nan } else { in_range }, over & (a < INF))
}

/// Exact value of a code; NaNs become the canonical fp32 NaN with the sign kept.
pub(super) const fn decode<S: Small>(code: u32) -> f32 {
    let a = code & ((1 << S::SIGN) - 1);
    let sign = (code >> S::SIGN & 1) << 31;
    let value = if let Some(inf) = S::INF
        && a == inf
    {
        INF
    } else if a > S::MAX {
        0x7FC0_0000
    } else {
        let em = a << (23 - S::MAN);
        if a >> S::MAN == 0 {
            let over = f32::from_bits(em + S::MIN_NORMAL) - f32::from_bits(S::MIN_NORMAL);
            over.to_bits()
        } else {
            em + ((127 - S::BIAS) << 23)
        }
    };
    f32::from_bits(value | sign)
}

const fn table<S: Small, const N: usize>() -> [f32; N] {
    let mut values = [0.0; N];
    let mut code = 0;
    while code < N {
        values[code] = decode::<S>(code as u32);
        code += 1;
    }
    values
}

/// Values of the 256 codes of each fp8 format.
pub(super) static E3M4_VALUES: [f32; 256] = table::<E3M4, 256>();
pub(super) static E4M3_VALUES: [f32; 256] = table::<E4M3, 256>();
pub(super) static E4M3FN_VALUES: [f32; 256] = table::<E4M3Fn, 256>();
pub(super) static E5M2_VALUES: [f32; 256] = table::<E5M2, 256>();
static E2M1_VALUES: [f32; 16] = table::<E2M1, 16>();

/// The four lanes of an fp4 container, lane 0 in the low nibble (isa 13 §4.3).
#[must_use]
#[inline]
pub fn fp4_unpack(container: u16) -> [f32; 4] {
    [0, 4, 8, 12].map(|shift| E2M1_VALUES[usize::from(container >> shift & 15)])
}

/// Round four values to fp4 and pack them; the inverse of [`fp4_unpack`].
#[must_use]
#[inline]
pub fn fp4_pack(lanes: [f32; 4]) -> u16 {
    fp4_pack_counting(lanes).0
}

/// As [`fp4_pack`], with the number of finite lanes that were too large.
#[inline]
pub(super) fn fp4_pack_counting(lanes: [f32; 4]) -> (u16, u32) {
    let ends = E2M1::ends(&Rules::DEFAULT);
    let [a, b, c, d] = lanes.map(|x| encode::<E2M1>(x, &ends));
    let code = a.0 | b.0 << 4 | c.0 << 8 | d.0 << 12;
    (
        code as u16,
        u32::from(a.1) + u32::from(b.1) + u32::from(c.1) + u32::from(d.1),
    )
}

/// The block scale `2^(byte - 127)` of MX data. Byte 0xFF is 2^128, which fp32 has only as +Inf
/// (isa 13 §4.5, decisions 1.3).
#[must_use]
pub const fn e8m0_scale(byte: u8) -> f32 {
    // Exponent field 0 would be zero: 2^-127 is the subnormal with the top mantissa bit.
    f32::from_bits(if byte == 0 {
        0x0040_0000
    } else {
        (byte as u32) << 23
    })
}
