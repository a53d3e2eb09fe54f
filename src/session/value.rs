//! Values of expressions and their arithmetic. Integers are exact (128 bits, overflow is an error), floats are f64.

use std::cmp::Ordering;
use std::fmt;

use super::expr::{BinOp, EvalError, UnOp};

/// What an expression gives.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// Text.
    Str(String),
}

impl Value {
    /// `int`, `float` or `str`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
        }
    }

    /// Is it neither zero nor empty? NaN is true, as in C.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Int(i) => *i != 0,
            Value::Float(f) => *f != 0.0,
            Value::Str(s) => !s.is_empty(),
        }
    }

    /// As a float; integers are rounded. `None` for text.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(i) => Some(*i as f64),
            Value::Float(f) => Some(*f),
            Value::Str(_) => None,
        }
    }

    /// Exact comparison; `None` with a NaN or between text and number.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
            (Value::Int(a), Value::Float(b)) => compare(*a, *b),
            (Value::Float(a), Value::Int(b)) => compare(*b, *a).map(Ordering::reverse),
            (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// Compares without rounding the integer.
fn compare(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // Saturates beyond the range, where the integer is on the other side anyway.
    let floor = float.floor();
    if floor >= i128::MAX as f64 {
        return Some(Ordering::Less);
    }
    if floor < i128::MIN as f64 {
        return Some(Ordering::Greater);
    }
    Some(int.cmp(&(floor as i128)).then(if float > floor {
        Ordering::Less
    } else {
        Ordering::Equal
    }))
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(i) => i.fmt(f),
            Value::Float(x) if x.is_nan() => f.write_str("nan"),
            Value::Float(x) => write!(f, "{x:?}"),
            Value::Str(s) => f.write_str(s),
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Int(i128::from(b))
    }
}

/// A prefix operator on a value.
pub(super) fn unary(op: UnOp, v: Value) -> Result<Value, EvalError> {
    match (op, v) {
        (UnOp::Not, v) => Ok((!v.is_true()).into()),
        (UnOp::Neg, Value::Int(i)) => i.checked_neg().map(Value::Int).ok_or(EvalError::Overflow),
        (UnOp::Neg, Value::Float(f)) => Ok(Value::Float(-f)),
        (UnOp::BitNot, Value::Int(i)) => Ok(Value::Int(!i)),
        (op, v) => Err(EvalError::Operand {
            op: op.symbol(),
            found: v.type_name(),
        }),
    }
}

/// An infix operator on two values; `&&` and `||` are decided by the caller, who stops early.
pub(super) fn binary(op: BinOp, left: Value, right: Value) -> Result<Value, EvalError> {
    let mismatch = |left: &Value, right: &Value| EvalError::Operands {
        op: op.symbol(),
        left: left.type_name(),
        right: right.type_name(),
    };
    if let Some(holds) = relation(op) {
        if matches!(left, Value::Str(_)) != matches!(right, Value::Str(_)) {
            return Err(mismatch(&left, &right));
        }
        return Ok(holds(left.compare(&right)).into());
    }
    match (&left, &right) {
        (Value::Int(a), Value::Int(b)) => int(op, *a, *b).map(Value::Int),
        (Value::Str(_), _) | (_, Value::Str(_)) => Err(mismatch(&left, &right)),
        _ => match (left.as_f64(), right.as_f64()) {
            (Some(a), Some(b)) => float(op, a, b)
                .map(Value::Float)
                .ok_or_else(|| mismatch(&left, &right)),
            _ => Err(mismatch(&left, &right)),
        },
    }
}

/// The test that a relational operator makes; with a NaN only `!=` holds.
fn relation(op: BinOp) -> Option<fn(Option<Ordering>) -> bool> {
    Some(match op {
        BinOp::Eq => |o| o == Some(Ordering::Equal),
        BinOp::Ne => |o| o != Some(Ordering::Equal),
        BinOp::Lt => |o| o == Some(Ordering::Less),
        BinOp::Le => |o| matches!(o, Some(Ordering::Less | Ordering::Equal)),
        BinOp::Gt => |o| o == Some(Ordering::Greater),
        BinOp::Ge => |o| matches!(o, Some(Ordering::Greater | Ordering::Equal)),
        _ => return None,
    })
}

/// Integer arithmetic; `/` and `%` truncate toward zero as in C.
fn int(op: BinOp, a: i128, b: i128) -> Result<i128, EvalError> {
    let shift = || u32::try_from(b).ok().filter(|n| *n < 128);
    let result = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div | BinOp::Rem if b == 0 => return Err(EvalError::DivideByZero),
        BinOp::Div => a.checked_div(b),
        BinOp::Rem => a.checked_rem(b),
        BinOp::BitAnd => Some(a & b),
        BinOp::BitOr => Some(a | b),
        BinOp::BitXor => Some(a ^ b),
        BinOp::Shl | BinOp::Shr => {
            let n = shift().ok_or(EvalError::Shift { by: b })?;
            if op == BinOp::Shr {
                Some(a >> n)
            } else {
                let shifted = a << n;
                (shifted >> n == a).then_some(shifted)
            }
        }
        _ => None,
    };
    result.ok_or(EvalError::Overflow)
}

/// Float arithmetic by IEEE rules; `None` for operators of integers.
fn float(op: BinOp, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        BinOp::Rem => a % b,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bin(op: BinOp, a: Value, b: Value) -> String {
        binary(op, a, b).map_or_else(|e| e.to_string(), |v| v.to_string())
    }

    #[test]
    fn arithmetic() {
        use BinOp::*;
        use Value::{Float as F, Int as I};
        #[rustfmt::skip]
        let rows = [
            (Add, I(2), I(3), "5"), (Div, I(-7), I(2), "-3"), (Rem, I(-7), I(2), "-1"), (Div, I(7), F(2.0), "3.5"),
            (Div, I(1), I(0), "division by zero"), (Rem, I(1), I(0), "division by zero"), (Div, F(1.0), I(0), "inf"),
            (Mul, I(i128::MAX), I(2), "the result does not fit in 128 bits"),
            (Shl, I(1), I(64), "18446744073709551616"), (Shl, I(1), I(127), "the result does not fit in 128 bits"),
            (Shl, I(1), I(128), "shift by 128, allowed are 0..=127"), (Shr, I(-8), I(1), "-4"), (Shr, I(1), I(-1), "shift by -1, allowed are 0..=127"),
            (BitAnd, I(0xF0), I(0x3C), "48"), (BitOr, I(1), F(1.0), "`|` is not defined on int and float"),
            (Eq, I(1), F(1.0), "1"), (Eq, F(f64::NAN), F(f64::NAN), "0"), (Ne, F(f64::NAN), I(0), "1"), (Ge, F(f64::NAN), I(0), "0"),
            (Eq, I((1 << 53) + 1), F((1u64 << 53) as f64), "0"), (Gt, I((1 << 53) + 1), F((1u64 << 53) as f64), "1"),
            (Lt, I(0), F(0.5), "1"), (Lt, I(-1), F(-0.5), "1"), (Gt, I(0), F(-0.5), "1"), (Lt, I(5), F(f64::INFINITY), "1"), (Gt, I(5), F(f64::NEG_INFINITY), "1"),
            (Eq, Value::Str("pe".into()), Value::Str("pe".into()), "1"), (Eq, Value::Str("1".into()), I(1), "`==` is not defined on str and int"),
            (Add, Value::Str("a".into()), Value::Str("b".into()), "`+` is not defined on str and str"),
        ];
        for (op, a, b, text) in rows {
            assert_eq!(bin(op, a.clone(), b.clone()), text, "{a:?} {op:?} {b:?}");
        }
        assert_eq!(unary(UnOp::BitNot, I(5)).unwrap(), I(-6));
        assert_eq!(unary(UnOp::Not, F(f64::NAN)).unwrap(), I(0));
        assert!(unary(UnOp::BitNot, F(1.0)).is_err());
        assert!(unary(UnOp::Neg, I(i128::MIN)).is_err());
    }

    proptest! {
        #[test]
        fn small_integers_compare_as_floats_do(a in -1000i128..1000, b in -1000.0f64..1000.0) {
            prop_assert_eq!(Value::Int(a).compare(&Value::Float(b)), (a as f64).partial_cmp(&b));
            prop_assert_eq!(Value::Float(b).compare(&Value::Int(a)), b.partial_cmp(&(a as f64)));
        }

        #[test]
        fn any_pair_is_total(a: i128, b: f64) {
            if !b.is_nan() {
                let o = Value::Int(a).compare(&Value::Float(b));
                prop_assert_eq!(o, Value::Float(b).compare(&Value::Int(a)).map(Ordering::reverse));
                prop_assert!(o.is_some());
            }
        }
    }
}
