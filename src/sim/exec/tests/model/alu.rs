//! The operations of isa 07 §5, one value at a time.

use super::*;

/// Value of raw bits as an integer of the kind's width and sign.
pub fn int(kind: Kind, bits: u64) -> i128 {
    let width = 8 * kind.bytes() as u32;
    let bits = i128::from(bits) & ((1i128 << width) - 1);
    if kind.is_signed() && bits >> (width - 1) & 1 == 1 {
        bits - (1 << width)
    } else {
        bits
    }
}

pub fn quiet(x: f64) -> f32 {
    if x.is_nan() {
        f32::from_bits(0x7FC0_0000)
    } else {
        x as f32
    }
}

pub fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// fp32 operations of `alu_ops.tsv`; f64 holds every sum, product and quotient of two fp32 numbers
/// so well that rounding again changes nothing.
pub fn f32_op(op: u8, a: f32, b: f32) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    // The operand that is not NaN wins; ties keep the left one.
    let best = |a: f32, b: f32, max: bool| {
        if a.is_nan() {
            return if b.is_nan() { a } else { b };
        }
        if b.is_nan() {
            return a;
        }
        let right = if max { b > a } else { b < a };
        if right { b } else { a }
    };
    match op {
        0x00 => a,
        0x04 => quiet(x + y),
        0x05 => quiet(x - y),
        0x06 => quiet(x * y),
        0x07 => quiet(x / y),
        0x08 => best(a, b, true),
        0x09 => best(a, b, false),
        0x0D => flag(a != 0.0 && b != 0.0),
        0x0E => flag(a != 0.0 || b != 0.0),
        0x0F => flag((a != 0.0) != (b != 0.0)),
        0x12 => flag(a == b),
        0x13 => flag(a > b),
        0x14 => flag(a >= b),
        0x15 => flag(a <= b),
        0x16 => flag(a < b),
        0x17 => quiet((x - y).abs()),
        0x18 => flag(a != b),
        0x19 => f32::from_bits(a.to_bits() & 0x7FFF_FFFF),
        0x20 => best(a.abs(), b.abs(), true),
        0x21 => best(a.abs(), b.abs(), false),
        0x22 => best(a, 0.0, true),
        0x23 => quiet(x * x),
        _ => panic!("no fp32 operation {op:#x}"),
    }
}

/// Integer operations of `alu_ops.tsv` on exact values; `None` for a division by zero.
pub fn int_op(op: u8, kind: Kind, a: i128, b: i128) -> Option<i128> {
    let unsigned = |x: i128| x & ((1i128 << (8 * kind.bytes())) - 1);
    let magnitude = |x: i128| int(kind, unsigned(x.abs()) as u64);
    let (ua, ub) = (unsigned(a), unsigned(b));
    Some(match op {
        0xC4 => a + b,
        0xC5 => a.wrapping_mul(b),
        0xC6 => a - b,
        0xC7 => a.checked_div(b)?,
        0xC8 | 0x1B => a.checked_rem(b)?,
        0xC9 => i128::from(a == b),
        0xCA => i128::from(a != b),
        0xCB => magnitude(a).max(magnitude(b)),
        0xCC => magnitude(a).min(magnitude(b)),
        0xCD => magnitude(int(kind, unsigned(a - b) as u64)),
        0xCF => a.max(b),
        0xD0 => a.min(b),
        0xD1 => i128::from(a > b),
        0xD2 => i128::from(a >= b),
        0xD3 => i128::from(a <= b),
        0xD4 => i128::from(a < b),
        0xD5 => ua.max(ub),
        0xD6 => ua.min(ub),
        0xD7 => i128::from(ua > ub),
        0xD8 => i128::from(ua >= ub),
        0xD9 => i128::from(ua <= ub),
        0xDA => i128::from(ua < ub),
        0xDB => ua.wrapping_mul(ub),
        0xDC => ua.checked_div(ub)?,
        0xDD => ua.checked_rem(ub)?,
        _ => panic!("no integer operation {op:#x}"),
    })
}

/// Bit operations on raw bits of a width.
pub fn bit_op(op: u8, kind: Kind, a: u64, b: u64) -> u64 {
    let width = 8 * kind.bytes() as u64;
    let mask = u64::MAX >> (64 - width);
    let sign = a >> (width - 1) & 1 == 1;
    let r = match op {
        0x00 => a,
        0x01 => !a,
        0x02 | 0x10 if b >= width => 0,
        0x02 | 0x10 => a << b,
        0x03 if b >= width => {
            if sign {
                u64::MAX
            } else {
                0
            }
        }
        0x03 if sign => a >> b | !(mask >> b),
        0x03 => a >> b,
        0x0A => a & b,
        0x0B => a | b,
        0x0C => a ^ b,
        0x11 if b >= width => 0,
        0x11 => a >> b,
        _ => panic!("no bit operation {op:#x}"),
    };
    r & mask
}

pub fn int_band(op: u8) -> bool {
    op >= 0xC4 || op == 0x1B
}

pub fn widest(kinds: &[Kind]) -> Kind {
    *kinds.iter().max_by_key(|k| k.bytes()).unwrap()
}

pub fn unary(op: u8) -> bool {
    matches!(op, 0x00 | 0x01 | 0x19 | 0x22 | 0x23)
}
