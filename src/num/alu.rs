//! The fp32 meaning of the ALU operations (isa 07 §5, `alu_ops.tsv`).
//!
//! One table, [`visit_f32_op`], goes from operation byte to function and hands the function to a
//! visitor; single values and slices are two visitors, so both compute the same and loops vectorise.
//!
//! Hosts differ in the sign and payload of the NaN an operation makes, so a computed NaN is always
//! 0x7FC00000. Operations that only pass a value on (bypass, maximum, absolute value) keep its bits.

use super::bulk::wide;

/// Operation bytes of `NEURON_ISA_TPB_ALU_OP` (isa `alu_ops.tsv`).
#[expect(
    missing_docs,
    reason = "the names are the documentation; meanings in alu_ops.tsv"
)]
pub mod op {
    pub const BYPASS: u8 = 0x00;
    pub const BITWISE_NOT: u8 = 0x01;
    pub const ARITH_SHIFT_LEFT: u8 = 0x02;
    pub const ARITH_SHIFT_RIGHT: u8 = 0x03;
    pub const ADD: u8 = 0x04;
    pub const SUBTRACT: u8 = 0x05;
    pub const MULT: u8 = 0x06;
    pub const DIVIDE: u8 = 0x07;
    pub const MAX: u8 = 0x08;
    pub const MIN: u8 = 0x09;
    pub const BITWISE_AND: u8 = 0x0A;
    pub const BITWISE_OR: u8 = 0x0B;
    pub const BITWISE_XOR: u8 = 0x0C;
    pub const LOGICAL_AND: u8 = 0x0D;
    pub const LOGICAL_OR: u8 = 0x0E;
    pub const LOGICAL_XOR: u8 = 0x0F;
    pub const LOGICAL_SHIFT_LEFT: u8 = 0x10;
    pub const LOGICAL_SHIFT_RIGHT: u8 = 0x11;
    pub const IS_EQ: u8 = 0x12;
    pub const IS_GT: u8 = 0x13;
    pub const IS_GE: u8 = 0x14;
    pub const IS_LE: u8 = 0x15;
    pub const IS_LT: u8 = 0x16;
    pub const ABSOLUTE_DIFF: u8 = 0x17;
    pub const IS_NE: u8 = 0x18;
    pub const ABSOLUTE_VALUE: u8 = 0x19;
    pub const POW: u8 = 0x1A;
    pub const MOD: u8 = 0x1B;
    pub const CRC32: u8 = 0x1C;
    pub const RSQRT: u8 = 0x1D;
    pub const ABS_MAX: u8 = 0x20;
    pub const ABS_MIN: u8 = 0x21;
    pub const RE_LU: u8 = 0x22;
    pub const SQUARE: u8 = 0x23;
    pub const SYMMETRIC_CLAMP: u8 = 0x24;
    pub const ADD_INT: u8 = 0xC4;
    pub const MULT_INT: u8 = 0xC5;
    pub const SUBTRACT_INT: u8 = 0xC6;
    pub const DIVIDE_INT: u8 = 0xC7;
    pub const MOD_INT: u8 = 0xC8;
    pub const IS_EQUAL_INT: u8 = 0xC9;
    pub const IS_NE_INT: u8 = 0xCA;
    pub const ABS_MAX_INT: u8 = 0xCB;
    pub const ABS_MIN_INT: u8 = 0xCC;
    pub const ABS_DIFF_INT: u8 = 0xCD;
    pub const ABS_VALUE_INT: u8 = 0xCE;
    pub const MAX_INT: u8 = 0xCF;
    pub const MIN_INT: u8 = 0xD0;
    pub const IS_GT_INT: u8 = 0xD1;
    pub const IS_GE_INT: u8 = 0xD2;
    pub const IS_LE_INT: u8 = 0xD3;
    pub const IS_LT_INT: u8 = 0xD4;
    pub const MAX_UINT: u8 = 0xD5;
    pub const MIN_UINT: u8 = 0xD6;
    pub const IS_GT_UINT: u8 = 0xD7;
    pub const IS_GE_UINT: u8 = 0xD8;
    pub const IS_LE_UINT: u8 = 0xD9;
    pub const IS_LT_UINT: u8 = 0xDA;
    pub const MULT_UINT: u8 = 0xDB;
    pub const DIVIDE_UINT: u8 = 0xDC;
    pub const MOD_UINT: u8 = 0xDD;
    pub const AMAX_INT: u8 = 0xDE;
    pub const AMIN_INT: u8 = 0xDF;
    pub const AMAX_UINT: u8 = 0xE0;
    pub const AMIN_UINT: u8 = 0xE1;
}

/// What maximum and minimum do with NaN and ties (`numerics.minmax-nan`, isa 15 §3.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MinMaxNan {
    /// The operand that is not NaN wins; both NaN or a tie: the left one.
    #[default]
    Num,
    /// As the x86 instructions: the right operand unless the left one is strictly better.
    X86,
    /// NaN wins; both NaN or a tie: the left one.
    Propagate,
}

/// Uses the function of an operation; see [`visit_f32_op`].
pub trait F32Visitor {
    /// What the use gives.
    type Out;
    /// Called once; `f(left, right)`, unary operations ignore `right`.
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) -> Self::Out;
}

trait NanRule {
    /// `left` or `right`, given which of them is strictly better.
    fn pick(left: f32, right: f32, left_better: bool, right_better: bool) -> f32;

    #[inline(always)]
    fn max(a: f32, b: f32) -> f32 {
        Self::pick(a, b, a > b, b > a)
    }
    #[inline(always)]
    fn min(a: f32, b: f32) -> f32 {
        Self::pick(a, b, a < b, b < a)
    }
}

struct Num;
impl NanRule for Num {
    #[inline(always)]
    fn pick(left: f32, right: f32, _: bool, right_better: bool) -> f32 {
        if right_better | (left.is_nan() & !right.is_nan()) {
            right
        } else {
            left
        }
    }
}

struct X86;
impl NanRule for X86 {
    #[inline(always)]
    fn pick(left: f32, right: f32, left_better: bool, _: bool) -> f32 {
        if left_better { left } else { right }
    }
}

struct Propagate;
impl NanRule for Propagate {
    #[inline(always)]
    fn pick(left: f32, right: f32, _: bool, right_better: bool) -> f32 {
        if right_better | (right.is_nan() & !left.is_nan()) {
            right
        } else {
            left
        }
    }
}

/// A computed result; every NaN becomes 0x7FC00000.
#[inline(always)]
#[must_use]
pub fn computed(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(0x7FC0_0000)
    } else {
        x
    }
}

#[inline(always)]
fn truth(yes: bool) -> f32 {
    if yes { 1.0 } else { 0.0 }
}

/// Hands the function of an operation to `visitor`; None if the byte has no fp32 meaning (bit-vector
/// and integer operations, CRC32, gaps).
#[inline(always)]
pub fn visit_f32_op<V: F32Visitor>(op: u8, minmax: MinMaxNan, visitor: V) -> Option<V::Out> {
    Some(match op {
        op::BYPASS => visitor.run(|a, _| a),
        op::ADD => visitor.run(|a, b| computed(a + b)),
        op::SUBTRACT => visitor.run(|a, b| computed(a - b)),
        op::MULT => visitor.run(|a, b| computed(a * b)),
        op::DIVIDE => visitor.run(|a, b| computed(a / b)),
        op::LOGICAL_AND => visitor.run(|a, b| truth((a != 0.0) & (b != 0.0))),
        op::LOGICAL_OR => visitor.run(|a, b| truth((a != 0.0) | (b != 0.0))),
        op::LOGICAL_XOR => visitor.run(|a, b| truth((a != 0.0) ^ (b != 0.0))),
        op::IS_EQ => visitor.run(|a, b| truth(a == b)),
        op::IS_GT => visitor.run(|a, b| truth(a > b)),
        op::IS_GE => visitor.run(|a, b| truth(a >= b)),
        op::IS_LE => visitor.run(|a, b| truth(a <= b)),
        op::IS_LT => visitor.run(|a, b| truth(a < b)),
        op::IS_NE => visitor.run(|a, b| truth(a != b)),
        op::ABSOLUTE_DIFF => visitor.run(|a, b| computed((a - b).abs())),
        op::ABSOLUTE_VALUE => visitor.run(|a, _| a.abs()),
        // In f64 and from a fixed library: the host's own powf differs between systems.
        op::POW => visitor.run(|a, b| computed(libm::pow(a.into(), b.into()) as f32)),
        op::MOD => visitor.run(|a, b| computed(a % b)),
        op::RSQRT => visitor.run(|a, _| computed(1.0 / a.sqrt())),
        op::SQUARE => visitor.run(|a, _| computed(a * a)),
        _ => {
            return match minmax {
                MinMaxNan::Num => visit_extremum::<Num, V>(op, visitor),
                MinMaxNan::X86 => visit_extremum::<X86, V>(op, visitor),
                MinMaxNan::Propagate => visit_extremum::<Propagate, V>(op, visitor),
            };
        }
    })
}

#[inline(always)]
fn visit_extremum<R: NanRule, V: F32Visitor>(op: u8, visitor: V) -> Option<V::Out> {
    Some(match op {
        op::MAX => visitor.run(R::max),
        op::MIN => visitor.run(R::min),
        op::ABS_MAX => visitor.run(|a, b| R::max(a.abs(), b.abs())),
        op::ABS_MIN => visitor.run(|a, b| R::min(a.abs(), b.abs())),
        op::RE_LU => visitor.run(|a, _| R::max(a, 0.0)),
        // The header's own formula, although the name suggests the smaller one.
        op::SYMMETRIC_CLAMP => visitor.run(|a, b| {
            let bound = R::max(a.abs(), b.abs()).copysign(a);
            if a == 0.0 || a.is_nan() { a } else { bound }
        }),
        _ => return None,
    })
}

struct One(f32, f32);
impl F32Visitor for One {
    type Out = f32;
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) -> f32 {
        f(self.0, self.1)
    }
}

/// `a op b` in fp32; None if the byte has no fp32 meaning. Comparisons and logic give 1.0 or 0.0.
#[must_use]
pub fn f32_op(op: u8, a: f32, b: f32, minmax: MinMaxNan) -> Option<f32> {
    visit_f32_op(op, minmax, One(a, b))
}

/// The second operand of [`f32_zip`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rhs<'a> {
    /// The same value for every element.
    Scalar(f32),
    /// One value per element.
    Slice(&'a [f32]),
}

struct Zip<'a> {
    a: &'a [f32],
    b: Rhs<'a>,
    swap: bool,
    out: &'a mut [f32],
}

impl F32Visitor for Zip<'_> {
    type Out = ();
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) {
        wide(
            #[inline(always)]
            || {
                if self.swap {
                    zip(self.a, self.b, self.out, |a, b| f(b, a));
                } else {
                    zip(self.a, self.b, self.out, f);
                }
            },
        );
    }
}

#[inline(always)]
fn zip(a: &[f32], b: Rhs<'_>, out: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    match b {
        Rhs::Scalar(b) => {
            for (out, a) in out.iter_mut().zip(a) {
                *out = f(*a, b);
            }
        }
        Rhs::Slice(b) => {
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                *out = f(*a, *b);
            }
        }
    }
}

/// [`f32_op`] element by element, as far as all slices reach; with `swap` it is `b op a`. False, and
/// `out` untouched, if the byte has no fp32 meaning.
pub fn f32_zip(
    op: u8,
    a: &[f32],
    b: Rhs<'_>,
    swap: bool,
    minmax: MinMaxNan,
    out: &mut [f32],
) -> bool {
    visit_f32_op(op, minmax, Zip { a, b, swap, out }).is_some()
}
