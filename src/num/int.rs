//! Integers at a width: float to integer, masking, and the bit-vector and integer ALU operations.

use super::alu::op;
use super::kind::Kind;
use super::round::{nearest, toward_zero};

/// The integral value that `x` stands for before clamping (isa 13 §6.2): rounded, with a NaN standing
/// for the infinity of its sign. Second value: `x` is finite and the result lies outside `lo..end`.
#[inline(always)]
pub(super) fn integral(x: f32, trunc: bool, lo: f32, end: f32) -> (f32, bool) {
    let y = if x.is_nan() {
        f32::INFINITY.copysign(x)
    } else {
        x
    };
    let r = if trunc { toward_zero(y) } else { nearest(y) };
    (r, (r < lo || r >= end) && y.is_finite())
}

/// The low `width` (1..=64) bits.
#[inline]
#[must_use]
pub const fn mask(bits: u64, width: u32) -> u64 {
    let unused = 64u32.saturating_sub(width);
    if unused == 64 {
        0
    } else {
        bits << unused >> unused
    }
}

/// The low `width` (1..=64) bits as a two's-complement number.
#[inline]
#[must_use]
pub const fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64u32.saturating_sub(width);
    if unused == 64 {
        0
    } else {
        (bits << unused) as i64 >> unused
    }
}

/// A bit-vector operation on raw bits of the kind's width; None for other bytes, CRC32 among them (its
/// polynomial is not published). A shift amount is unsigned; from the width up it leaves zeros, or
/// sign bits for the arithmetic right shift (decisions 1.3).
#[must_use]
pub const fn bit_op(op: u8, kind: Kind, a: u64, b: u64) -> Option<u64> {
    let width = kind.bits();
    let (a, b) = (mask(a, width), mask(b, width));
    // Amounts from the width up need no case of their own: 64 stands for them all, and the mask at the
    // end or the sign extension does the rest.
    let amount = if b < 64 { b as u32 } else { 64 };
    let result = match op {
        op::BYPASS => a,
        op::BITWISE_NOT => !a,
        op::BITWISE_AND => a & b,
        op::BITWISE_OR => a | b,
        op::BITWISE_XOR => a ^ b,
        op::ARITH_SHIFT_LEFT | op::LOGICAL_SHIFT_LEFT => match a.checked_shl(amount) {
            Some(shifted) => shifted,
            None => 0,
        },
        op::LOGICAL_SHIFT_RIGHT => match a.checked_shr(amount) {
            Some(shifted) => shifted,
            None => 0,
        },
        op::ARITH_SHIFT_RIGHT => {
            let amount = if amount > 63 { 63 } else { amount };
            (sign_extend(a, width) >> amount) as u64
        }
        _ => return None,
    };
    Some(mask(result, width))
}

/// Why an integer operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IntOpError {
    /// Quotient or remainder by zero.
    #[error("integer division by zero")]
    DivideByZero,
    /// The byte is no two-operand integer operation, or the kind no integer.
    #[error("not an integer operation on an integer type")]
    NotInt,
}

/// An integer operation at the kind's width, wrapping (isa `alu_ops.tsv` 0xC4..0xDD and MOD 0x1B).
/// Comparisons give 1 or 0. `*_INT` orders as signed and `*_UINT` as unsigned; DIVIDE_INT, MOD_INT and
/// MOD, legal for both, follow the kind.
///
/// # Errors
/// [`IntOpError::DivideByZero`]; [`IntOpError::NotInt`] for any other byte, the index reductions
/// (0xDE..0xE1) included, and for kinds that are not integers.
pub const fn int_op(op: u8, kind: Kind, a: u64, b: u64) -> Result<u64, IntOpError> {
    if !kind.is_int() {
        return Err(IntOpError::NotInt);
    }
    let width = kind.bits();
    let (ua, ub) = (mask(a, width), mask(b, width));
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let divides = matches!(
        op,
        op::MOD | op::DIVIDE_INT | op::MOD_INT | op::DIVIDE_UINT | op::MOD_UINT
    );
    if divides && ub == 0 {
        return Err(IntOpError::DivideByZero);
    }
    let result = match op {
        op::ADD_INT => ua.wrapping_add(ub),
        op::SUBTRACT_INT => ua.wrapping_sub(ub),
        op::MULT_INT | op::MULT_UINT => ua.wrapping_mul(ub),
        op::DIVIDE_INT if kind.is_signed() => sa.wrapping_div(sb) as u64,
        op::DIVIDE_INT | op::DIVIDE_UINT => ua / ub,
        op::MOD | op::MOD_INT if kind.is_signed() => sa.wrapping_rem(sb) as u64,
        op::MOD | op::MOD_INT | op::MOD_UINT => ua % ub,
        op::IS_EQUAL_INT => (ua == ub) as u64,
        op::IS_NE_INT => (ua != ub) as u64,
        op::ABS_MAX_INT => larger(abs(sa, width), abs(sb, width)) as u64,
        op::ABS_MIN_INT => smaller(abs(sa, width), abs(sb, width)) as u64,
        op::ABS_DIFF_INT => abs(sign_extend(ua.wrapping_sub(ub), width), width) as u64,
        op::ABS_VALUE_INT => abs(sa, width) as u64,
        op::MAX_INT => larger(sa, sb) as u64,
        op::MIN_INT => smaller(sa, sb) as u64,
        op::IS_GT_INT => (sa > sb) as u64,
        op::IS_GE_INT => (sa >= sb) as u64,
        op::IS_LE_INT => (sa <= sb) as u64,
        op::IS_LT_INT => (sa < sb) as u64,
        op::MAX_UINT => {
            if ua >= ub {
                ua
            } else {
                ub
            }
        }
        op::MIN_UINT => {
            if ua <= ub {
                ua
            } else {
                ub
            }
        }
        op::IS_GT_UINT => (ua > ub) as u64,
        op::IS_GE_UINT => (ua >= ub) as u64,
        op::IS_LE_UINT => (ua <= ub) as u64,
        op::IS_LT_UINT => (ua < ub) as u64,
        _ => return Err(IntOpError::NotInt),
    };
    Ok(mask(result, width))
}

/// Magnitude at a width; the most negative number stays itself.
const fn abs(x: i64, width: u32) -> i64 {
    sign_extend(x.wrapping_abs() as u64, width)
}

const fn larger(a: i64, b: i64) -> i64 {
    if a >= b { a } else { b }
}

const fn smaller(a: i64, b: i64) -> i64 {
    if a <= b { a } else { b }
}
