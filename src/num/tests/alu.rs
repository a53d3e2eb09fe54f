//! The fp32 operations against the rows of `alu_ops.tsv` and the NaN rules of isa 15 §3.4.

use proptest::prelude::*;

use crate::num::{IntOpError, Kind, MinMaxNan, Rhs, bit_op, f32_op, f32_zip, int_op, op};

const RULES: [MinMaxNan; 3] = [MinMaxNan::Num, MinMaxNan::X86, MinMaxNan::Propagate];
const NAN: f32 = f32::NAN;

/// (byte, name, class) of every row.
pub(super) fn rows() -> Vec<(u8, &'static str, &'static str)> {
    include_str!("../../../assets/isa/alu_ops.tsv")
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let byte = u8::from_str_radix(cells[0].trim_start_matches("0x"), 16).unwrap();
            (byte, cells[1], cells[5])
        })
        .collect()
}

/// The formula column for operands that are not NaN, in f64: one rounding to fp32 at the end gives the
/// correctly rounded result of every basic operation.
fn formula(name: &str, a: f64, b: f64) -> Option<f64> {
    let truth = |yes: bool| f64::from(u8::from(yes));
    Some(match name {
        "BYPASS" => a,
        "ADD" => a + b,
        "SUBTRACT" => a - b,
        "MULT" => a * b,
        "DIVIDE" => a / b,
        "MAX" => {
            if b > a {
                b
            } else {
                a
            }
        }
        "MIN" => {
            if b < a {
                b
            } else {
                a
            }
        }
        "LOGICAL_AND" => truth(a != 0.0 && b != 0.0),
        "LOGICAL_OR" => truth(a != 0.0 || b != 0.0),
        "LOGICAL_XOR" => truth((a != 0.0) != (b != 0.0)),
        "IS_EQ" => truth(a == b),
        "IS_GT" => truth(a > b),
        "IS_GE" => truth(a >= b),
        "IS_LE" => truth(a <= b),
        "IS_LT" => truth(a < b),
        "IS_NE" => truth(a != b),
        "ABSOLUTE_DIFF" => (a - b).abs(),
        "ABSOLUTE_VALUE" => a.abs(),
        "POW" => a.powf(b),
        "MOD" => a % b,
        "RSQRT" => 1.0 / f64::from(a.sqrt() as f32),
        "ABS_MAX" => a.abs().max(b.abs()),
        "ABS_MIN" => a.abs().min(b.abs()),
        "RE_LU" => {
            if a < 0.0 {
                0.0
            } else {
                a
            }
        }
        "SQUARE" => a * a,
        "SYMMETRIC_CLAMP" if a == 0.0 => a,
        "SYMMETRIC_CLAMP" => a.signum() * a.abs().max(b.abs()),
        _ => return None,
    })
}

fn operand() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -10f32..10f32,
        (-8i8..8).prop_map(f32::from),
        proptest::sample::select(
            &[
                0.0,
                -0.0,
                NAN,
                -NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::MAX,
                f32::MIN_POSITIVE
            ][..]
        ),
    ]
}

#[test]
fn each_byte_has_exactly_the_meanings_of_its_class() {
    let rows = rows();
    for byte in 0..=u8::MAX {
        let row = rows.iter().find(|r| r.0 == byte);
        let (name, class) = row.map_or(("", ""), |r| (r.1, r.2));
        let float = class.contains("arith");
        let bits = class.contains("bitvec") && name != "CRC32";
        let int = (class.starts_with("int") && !class.contains("arg")) || name == "MOD";
        assert_eq!(
            f32_op(byte, 1.0, 1.0, MinMaxNan::Num).is_some(),
            float,
            "{byte:#x} {name}"
        );
        assert_eq!(
            bit_op(byte, Kind::U32, 1, 1).is_some(),
            bits,
            "{byte:#x} {name}"
        );
        assert_eq!(
            int_op(byte, Kind::I32, 1, 1) != Err(IntOpError::NotInt),
            int,
            "{byte:#x} {name}"
        );
        let mut out = [9.0];
        assert_eq!(
            f32_zip(
                byte,
                &[1.0],
                Rhs::Scalar(1.0),
                false,
                MinMaxNan::Num,
                &mut out
            ),
            float
        );
        assert_eq!(out[0] == 9.0, !float, "{byte:#x} {name}");
    }
}

proptest! {
    #[test]
    fn operations_follow_their_formula(a in operand(), b in operand()) {
        for (byte, name, _) in rows() {
            let Some(got) = f32_op(byte, a, b, MinMaxNan::Num) else { continue };
            let want = formula(name, a.into(), b.into()).unwrap() as f32;
            let unary = matches!(name, "BYPASS" | "ABSOLUTE_VALUE" | "RSQRT" | "RE_LU" | "SQUARE");
            if a.is_nan() || (b.is_nan() && !unary) {
                // isa 15 §3.4 has its own test; logic and comparisons work on NaN as f64 does.
                if !["MAX", "MIN", "ABS_MAX", "ABS_MIN", "RE_LU", "SYMMETRIC_CLAMP"].contains(&name) {
                    prop_assert!(got == want || (got.is_nan() && want.is_nan()), "{} {:e} {:e}: {} {}", name, a, b, got, want);
                }
                continue;
            }
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            let near = name == "POW" && (got - want).abs() <= want.abs() * f32::EPSILON;
            prop_assert!(same || near, "{} {:e} {:e}: {:e}, formula {:e}", name, a, b, got, want);
        }
    }

    #[test]
    fn slices_agree_with_single_values(
        pairs in proptest::collection::vec((operand(), operand()), 0..70),
        room in 0usize..70,
        scalar in operand(),
        swap: bool,
        minmax in proptest::sample::select(&RULES[..]),
    ) {
        let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
        for (byte, name, _) in rows() {
            for rhs in [Rhs::Scalar(scalar), Rhs::Slice(&b)] {
                let mut out = vec![7.5; room];
                f32_zip(byte, &a, rhs, swap, minmax, &mut out);
                for (n, got) in out.iter().enumerate() {
                    let pair = match rhs {
                        Rhs::Scalar(s) => a.get(n).map(|a| (*a, s)),
                        Rhs::Slice(b) => a.get(n).copied().zip(b.get(n).copied()),
                    };
                    let want = pair.and_then(|(a, b)| if swap { f32_op(byte, b, a, minmax) } else { f32_op(byte, a, b, minmax) });
                    prop_assert_eq!(got.to_bits(), want.unwrap_or(7.5).to_bits(), "{} at {}", name, n);
                }
            }
        }
    }
}

/// isa 15 §3.4: (operation, left, right, result per rule). Distinct NaNs show which operand came out.
#[test]
fn extrema_follow_the_nan_rules() {
    let (p, q) = (f32::from_bits(0x7FC0_0001), f32::from_bits(0xFFC0_0002));
    #[rustfmt::skip]
    let rows = [
        (op::MAX, p, 1.0, [1.0, 1.0, p]),      (op::MAX, 1.0, p, [1.0, p, p]),
        (op::MAX, p, q, [p, q, p]),            (op::MAX, -0.0, 0.0, [-0.0, 0.0, -0.0]),
        (op::MAX, 0.0, -0.0, [0.0, -0.0, 0.0]), (op::MAX, 2.0, 1.0, [2.0; 3]), (op::MAX, 1.0, 2.0, [2.0; 3]),
        (op::MIN, p, 1.0, [1.0, 1.0, p]),      (op::MIN, 1.0, p, [1.0, p, p]),
        (op::MIN, 0.0, -0.0, [0.0, -0.0, 0.0]), (op::MIN, 2.0, 1.0, [1.0; 3]), (op::MIN, 1.0, 2.0, [1.0; 3]),
        (op::ABS_MAX, -3.0, 2.0, [3.0; 3]),    (op::ABS_MAX, q, -2.0, [2.0, 2.0, -q]),
        (op::ABS_MIN, -3.0, -2.0, [2.0; 3]),   (op::ABS_MIN, -2.0, p, [2.0, p, p]),
        (op::RE_LU, p, 5.0, [0.0, 0.0, p]),    (op::RE_LU, -1.0, 5.0, [0.0; 3]), (op::RE_LU, 4.0, 5.0, [4.0; 3]),
        (op::RE_LU, f32::NEG_INFINITY, p, [0.0; 3]),
    ];
    for (byte, a, b, want) in rows {
        for (rule, want) in RULES.into_iter().zip(want) {
            let got = f32_op(byte, a, b, rule).unwrap();
            assert_eq!(
                got.to_bits(),
                want.to_bits(),
                "{byte:#x} {a} {b} {rule:?}: {got}"
            );
        }
    }
}

#[test]
fn special_values() {
    let inf = f32::INFINITY;
    #[rustfmt::skip]
    let rows = [
        (op::DIVIDE, 1.0, 0.0, inf), (op::DIVIDE, -1.0, 0.0, -inf), (op::DIVIDE, 0.0, 0.0, NAN),
        (op::RSQRT, 0.0, 9.0, inf), (op::RSQRT, -1.0, 9.0, NAN), (op::RSQRT, 4.0, 9.0, 0.5), (op::RSQRT, inf, 9.0, 0.0),
        (op::SUBTRACT, inf, inf, NAN), (op::MULT, 0.0, inf, NAN), (op::ABSOLUTE_DIFF, -inf, -inf, NAN),
        (op::LOGICAL_AND, NAN, 1.0, 1.0), (op::LOGICAL_XOR, NAN, 1.0, 0.0), (op::LOGICAL_OR, -0.0, 0.0, 0.0),
        (op::IS_EQ, NAN, NAN, 0.0), (op::IS_NE, NAN, NAN, 1.0), (op::IS_GE, NAN, 0.0, 0.0), (op::IS_LT, 0.0, NAN, 0.0),
        (op::IS_EQ, 0.0, -0.0, 1.0), (op::POW, 2.0, 10.0, 1024.0), (op::POW, -8.0, 0.5, NAN), (op::POW, NAN, 0.0, 1.0),
        (op::MOD, -7.0, 3.0, -1.0), (op::MOD, 7.0, -3.0, 1.0), (op::MOD, 5.5, 0.0, NAN),
        (op::SYMMETRIC_CLAMP, -1.0, 3.0, -3.0), (op::SYMMETRIC_CLAMP, 4.0, -3.0, 4.0),
    ];
    for (byte, a, b, want) in rows {
        let got = f32_op(byte, a, b, MinMaxNan::Num).unwrap();
        // A computed NaN is the positive canonical one on every host.
        let want = if want.is_nan() {
            0x7FC0_0000
        } else {
            want.to_bits()
        };
        assert_eq!(got.to_bits(), want, "{byte:#x} {a} {b}: {got}");
    }
    let odd = f32::from_bits(0xFF80_0001);
    assert_eq!(
        f32_op(op::BYPASS, odd, 0.0, MinMaxNan::Num)
            .unwrap()
            .to_bits(),
        0xFF80_0001
    );
    assert_eq!(
        f32_op(op::ABSOLUTE_VALUE, odd, 0.0, MinMaxNan::Num)
            .unwrap()
            .to_bits(),
        0x7F80_0001
    );
}
