//! Bit-vector and integer operations against `alu_ops.tsv`, in unbounded arithmetic.

use proptest::prelude::*;

use super::alu::rows;
use crate::num::{IntOpError, Kind, bit_op, int_op, mask, op, sign_extend};

const INTS: [Kind; 8] = [
    Kind::U8,
    Kind::I8,
    Kind::U16,
    Kind::I16,
    Kind::U32,
    Kind::I32,
    Kind::U64,
    Kind::I64,
];

/// `x` as a number of `width` bits.
fn signed(x: i128, width: u32) -> i128 {
    let x = unsigned(x, width);
    if x >> (width - 1) == 1 {
        x - (1 << width)
    } else {
        x
    }
}

fn unsigned(x: i128, width: u32) -> i128 {
    x.rem_euclid(1 << width)
}

/// The formula column, before it is cut to the width; `Some(None)` is a division by zero.
fn integer(name: &str, kind: Kind, a: i128, b: i128) -> Option<Option<i128>> {
    let w = kind.bits();
    let (ua, ub, sa, sb) = (unsigned(a, w), unsigned(b, w), signed(a, w), signed(b, w));
    let (ka, kb) = if kind.is_signed() { (sa, sb) } else { (ua, ub) };
    let abs = |x: i128| signed(x.abs(), w);
    Some(Some(match name {
        "ADD_INT" => a + b,
        "SUBTRACT_INT" => a - b,
        "MULT_INT" | "MULT_UINT" => ua.wrapping_mul(ub),
        "DIVIDE_INT" | "MOD_INT" | "MOD" | "DIVIDE_UINT" | "MOD_UINT" if ub == 0 => {
            return Some(None);
        }
        "DIVIDE_INT" => ka / kb,
        "MOD_INT" | "MOD" => ka % kb,
        "DIVIDE_UINT" => ua / ub,
        "MOD_UINT" => ua % ub,
        "IS_EQUAL_INT" => (ua == ub).into(),
        "IS_NE_INT" => (ua != ub).into(),
        "ABS_MAX_INT" => abs(sa).max(abs(sb)),
        "ABS_MIN_INT" => abs(sa).min(abs(sb)),
        "ABS_DIFF_INT" => abs(signed(a - b, w)),
        "ABS_VALUE_INT" => abs(sa),
        "MAX_INT" => sa.max(sb),
        "MIN_INT" => sa.min(sb),
        "IS_GT_INT" => (sa > sb).into(),
        "IS_GE_INT" => (sa >= sb).into(),
        "IS_LE_INT" => (sa <= sb).into(),
        "IS_LT_INT" => (sa < sb).into(),
        "MAX_UINT" => ua.max(ub),
        "MIN_UINT" => ua.min(ub),
        "IS_GT_UINT" => (ua > ub).into(),
        "IS_GE_UINT" => (ua >= ub).into(),
        "IS_LE_UINT" => (ua <= ub).into(),
        "IS_LT_UINT" => (ua < ub).into(),
        _ => return None,
    }))
}

fn bitwise(name: &str, width: u32, a: i128, b: i128) -> Option<i128> {
    let (ua, ub, sa) = (unsigned(a, width), unsigned(b, width), signed(a, width));
    let amount = ub.min(i128::from(width)) as u32;
    Some(match name {
        "BYPASS" => ua,
        "BITWISE_NOT" => -1 - ua,
        "BITWISE_AND" => ua & ub,
        "BITWISE_OR" => ua | ub,
        "BITWISE_XOR" => ua ^ ub,
        "ARITH_SHIFT_LEFT" | "LOGICAL_SHIFT_LEFT" => {
            unsigned(ua, width - amount.min(width - 1)) << amount
        }
        "LOGICAL_SHIFT_RIGHT" => ua / 2i128.pow(amount),
        "ARITH_SHIFT_RIGHT" => sa.div_euclid(2i128.pow(amount)),
        _ => return None,
    })
}

/// Any bits, with small numbers and the ends of every width.
fn operand() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0u64..70),
        (0u64..5).prop_map(|n| n.wrapping_neg()),
        (0u32..64, 0u64..3).prop_map(|(bit, n)| (1u64 << bit).wrapping_sub(n)),
    ]
}

proptest! {
    #[test]
    fn operations_follow_their_formula(a in operand(), b in operand(), kind in proptest::sample::select(&INTS[..])) {
        let width = kind.bits();
        for (byte, name, _) in rows() {
            if let Some(want) = integer(name, kind, a.into(), b.into()) {
                let want = want.map(|x| unsigned(x, width) as u64).ok_or(IntOpError::DivideByZero);
                prop_assert_eq!(int_op(byte, kind, a, b), want, "{} {} {:#x} {:#x}", name, kind, a, b);
            }
            if let Some(want) = bitwise(name, width, a.into(), b.into()) {
                let want = unsigned(want, width) as u64;
                prop_assert_eq!(bit_op(byte, kind, a, b), Some(want), "{} {} {:#x} {:#x}", name, kind, a, b);
            }
        }
    }

    #[test]
    fn widths(bits: u64, width in 1u32..=64) {
        prop_assert_eq!(i128::from(mask(bits, width)), unsigned(bits.into(), width));
        prop_assert_eq!(i128::from(sign_extend(bits, width)), signed(bits.into(), width));
    }
}

#[test]
fn boundaries() {
    #[rustfmt::skip]
    let rows = [
        (op::ADD_INT, Kind::I8, 0x7F, 1, Ok(0x80)), (op::ADD_INT, Kind::U32, 0xFFFF_FFFF, 1, Ok(0)),
        (op::SUBTRACT_INT, Kind::U16, 0, 1, Ok(0xFFFF)), (op::MULT_INT, Kind::I32, 0x1_0000, 0x1_0000, Ok(0)),
        (op::MULT_INT, Kind::I64, u64::MAX, u64::MAX, Ok(1)),
        (op::DIVIDE_INT, Kind::I32, 0x8000_0000, 0xFFFF_FFFF, Ok(0x8000_0000)), (op::MOD_INT, Kind::I32, 0x8000_0000, 0xFFFF_FFFF, Ok(0)),
        (op::DIVIDE_INT, Kind::I64, 1 << 63, u64::MAX, Ok(1 << 63)),
        (op::DIVIDE_INT, Kind::I8, 0xF9, 2, Ok(0xFD)), (op::MOD_INT, Kind::I8, 0xF9, 2, Ok(0xFF)), (op::MOD, Kind::U8, 0xF9, 2, Ok(1)),
        (op::MOD_UINT, Kind::U8, 5, 0x100, Err(IntOpError::DivideByZero)), (op::MOD, Kind::I8, 5, 0, Err(IntOpError::DivideByZero)),
        (op::ABS_VALUE_INT, Kind::I16, 0x8000, 0, Ok(0x8000)), (op::ABS_MAX_INT, Kind::I8, 0x80, 1, Ok(1)),
        (op::ABS_DIFF_INT, Kind::I8, 3, 10, Ok(7)), (op::MAX_INT, Kind::I8, 0xFF, 0, Ok(0)), (op::MAX_UINT, Kind::U8, 0xFF, 0, Ok(0xFF)),
        (op::ADD_INT, Kind::Fp32, 1, 1, Err(IntOpError::NotInt)), (op::ADD_INT, Kind::E8m0, 1, 1, Err(IntOpError::NotInt)),
        (op::AMAX_INT, Kind::I32, 1, 1, Err(IntOpError::NotInt)), (op::ADD, Kind::I32, 1, 1, Err(IntOpError::NotInt)),
    ];
    for (byte, kind, a, b, want) in rows {
        assert_eq!(
            int_op(byte, kind, a, b),
            want,
            "{byte:#x} {kind} {a:#x} {b:#x}"
        );
    }
}

#[test]
fn shifts_by_the_width_and_more() {
    for kind in INTS {
        let w = u64::from(kind.bits());
        let top = 1 << (w - 1);
        for amount in [w, w + 1, mask(u64::MAX, kind.bits())] {
            assert_eq!(
                bit_op(op::LOGICAL_SHIFT_LEFT, kind, 1, amount),
                Some(0),
                "{kind}"
            );
            assert_eq!(
                bit_op(op::LOGICAL_SHIFT_RIGHT, kind, top, amount),
                Some(0),
                "{kind}"
            );
            assert_eq!(
                bit_op(op::ARITH_SHIFT_RIGHT, kind, top, amount),
                Some(mask(u64::MAX, kind.bits())),
                "{kind}"
            );
            assert_eq!(
                bit_op(op::ARITH_SHIFT_RIGHT, kind, top - 1, amount),
                Some(0),
                "{kind}"
            );
        }
        assert_eq!(
            bit_op(op::LOGICAL_SHIFT_LEFT, kind, 1, w - 1),
            Some(top),
            "{kind}"
        );
        assert_eq!(
            bit_op(op::ARITH_SHIFT_RIGHT, kind, top, w - 1),
            Some(mask(u64::MAX, kind.bits())),
            "{kind}"
        );
    }
}

#[test]
fn the_error_reads_well() {
    assert_eq!(
        IntOpError::DivideByZero.to_string(),
        "integer division by zero"
    );
}
