//! Arithmetic of the sequencer on register values (isa 08 §7.2): integers wrap, comparisons and
//! logic give 0 or 1, fp32 is IEEE.

use crate::isa::DType;
use crate::isa::fields::AluOp;
use crate::num::{self, IntOpError, Kind, MinMaxNan, op};
use crate::sim::fault::Trap;

/// The kinds that registers are computed as: 16, 32 and 64-bit integers and fp32.
pub fn scalar_kind(dtype: DType) -> Option<Kind> {
    dtype.kind().filter(|k| {
        matches!(
            k,
            Kind::U16 | Kind::I16 | Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64 | Kind::Fp32
        )
    })
}

/// `a op b` on the low bits of both; the result has the kind's width, zero-extended.
///
/// # Errors
/// `divide-by-zero` of integers, `alu-op` for an operation the scalar core lacks.
pub fn alu(op: AluOp, kind: Kind, a: u64, b: u64, minmax: MinMaxNan) -> Result<u64, Trap> {
    let (a, b) = (num::mask(a, kind.bits()), num::mask(b, kind.bits()));
    let missing = || Trap::at("alu-op", "op", format!("{op} of {kind} is not supported"));
    if let Some(bits) = bitwise(op.0, kind, a, b) {
        return Ok(bits);
    }
    if kind.is_int() {
        let name = integer_name(op.0, kind.is_signed()).ok_or_else(missing)?;
        return match name {
            Integer::Op(byte) => num::int_op(byte, kind, a, b).map_err(|e| match e {
                IntOpError::DivideByZero => {
                    Trap::at("divide-by-zero", "op", format!("{op} of {a} by 0"))
                }
                IntOpError::NotInt => missing(),
            }),
            Integer::Value(f) => Ok(num::mask(f(kind, a, b), kind.bits())),
        };
    }
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    if matches!(op.0, op::POW | op::RSQRT) {
        return Err(missing());
    }
    let value = num::f32_op(op.0, x, y, minmax).ok_or_else(missing)?;
    Ok(u64::from(if is_truth(op) {
        value as u32
    } else {
        value.to_bits()
    }))
}

/// Does the operation give 0 or 1, as an integer, whatever its operands are?
pub fn is_truth(op: AluOp) -> bool {
    matches!(op.0, op::LOGICAL_AND..=op::LOGICAL_XOR | op::IS_EQ..=op::IS_LT | op::IS_NE)
}

/// Operations on raw bits; the scalar core masks shift amounts to 5 bits, to 6 for 64-bit values.
fn bitwise(byte: u8, kind: Kind, a: u64, b: u64) -> Option<u64> {
    let shifts = matches!(
        byte,
        op::ARITH_SHIFT_LEFT
            | op::ARITH_SHIFT_RIGHT
            | op::LOGICAL_SHIFT_LEFT
            | op::LOGICAL_SHIFT_RIGHT
    );
    let amount = if kind.bits() == 64 { b & 63 } else { b & 31 };
    num::bit_op(byte, kind, a, if shifts { amount } else { b })
}

enum Integer {
    /// An operation of the integer band.
    Op(u8),
    /// A function of the masked operands.
    Value(fn(Kind, u64, u64) -> u64),
}

/// The integer form of an operation: those below 0xC0 take their signedness from the type.
fn integer_name(byte: u8, signed: bool) -> Option<Integer> {
    use Integer::{Op, Value};
    let pick = |s, u| Op(if signed { s } else { u });
    Some(match byte {
        op::ADD => Op(op::ADD_INT),
        op::SUBTRACT => Op(op::SUBTRACT_INT),
        op::MULT => Op(op::MULT_INT),
        op::DIVIDE => Op(op::DIVIDE_INT),
        op::MOD => Op(op::MOD),
        op::MAX => pick(op::MAX_INT, op::MAX_UINT),
        op::MIN => pick(op::MIN_INT, op::MIN_UINT),
        op::IS_EQ => Op(op::IS_EQUAL_INT),
        op::IS_NE => Op(op::IS_NE_INT),
        op::IS_GT => pick(op::IS_GT_INT, op::IS_GT_UINT),
        op::IS_GE => pick(op::IS_GE_INT, op::IS_GE_UINT),
        op::IS_LE => pick(op::IS_LE_INT, op::IS_LE_UINT),
        op::IS_LT => pick(op::IS_LT_INT, op::IS_LT_UINT),
        op::ABS_MAX => pick(op::ABS_MAX_INT, op::MAX_UINT),
        op::ABS_MIN => pick(op::ABS_MIN_INT, op::MIN_UINT),
        op::LOGICAL_AND => Value(|_, a, b| u64::from(a != 0 && b != 0)),
        op::LOGICAL_OR => Value(|_, a, b| u64::from(a != 0 || b != 0)),
        op::LOGICAL_XOR => Value(|_, a, b| u64::from((a != 0) != (b != 0))),
        op::ABSOLUTE_DIFF if signed => {
            Value(|k, a, b| num::sign_extend(a, k.bits()).abs_diff(num::sign_extend(b, k.bits())))
        }
        op::ABSOLUTE_DIFF => Value(|_, a, b| a.abs_diff(b)),
        op::ABSOLUTE_VALUE if signed => Op(op::ABS_VALUE_INT),
        op::ABSOLUTE_VALUE => Value(|_, a, _| a),
        op::RE_LU => Value(|k, a, _| {
            let negative = k.is_signed() && num::sign_extend(a, k.bits()) < 0;
            if negative { 0 } else { a }
        }),
        op::SQUARE => Value(|_, a, _| a.wrapping_mul(a)),
        op::ADD_INT..=op::MOD_UINT => Op(byte),
        _ => return None,
    })
}
