//! The elements of a place as numbers.

use super::expr::Func;
use super::place::Place;
use super::value::Value;
use crate::num::{self, Kind};
use crate::sim::{Rect, State};

/// Bytes of a partition looked at in one piece.
const PIECE: u32 = 1 << 20;

/// Little-endian bits of an element of up to 8 bytes.
pub(super) fn bits(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(w, b)| *w = *b);
    u64::from_le_bytes(word)
}

/// The number an element is; of an fp4 container lane 0.
pub(super) fn value(kind: Kind, bits: u64) -> Value {
    if kind.is_float() {
        Value::Float(num::widen(kind, bits).into())
    } else if kind.is_signed() {
        Value::Int(num::sign_extend(bits, kind.bits()).into())
    } else {
        Value::Int(num::mask(bits, kind.bits()).into())
    }
}

/// The values of the lanes of an element: four of an fp4 container, else one.
fn lanes(kind: Kind, bits: u64) -> ([f64; 4], usize) {
    if kind == Kind::Fp4x4 {
        (num::fp4_unpack(bits as u16).map(f64::from), 4)
    } else {
        ([num::to_f64(kind, bits), 0.0, 0.0, 0.0], 1)
    }
}

/// Calls `f` with the bits of every element, partition after partition; of DRAM piece after piece.
pub(super) fn each(state: &State, place: &Place, kind: Kind, mut f: impl FnMut(u64)) {
    let mut bytes = Vec::new();
    for part in 0..place.parts {
        let row = Place {
            part: place.part + part,
            parts: 1,
            ..*place
        };
        for rect in row.rects(PIECE) {
            bytes.clear();
            // A place lies inside its memory, so there is nothing to report.
            if state.read_into(&rect, &mut bytes).is_ok() {
                bytes.chunks_exact(kind.bytes()).for_each(|e| f(bits(e)));
            }
        }
    }
}

/// A function over the elements of a place that holds a whole number of them. As in numpy, a NaN element makes `min`, `max`,
/// `sum`, `mean` and `absmax` NaN; sums of integers are exact, sums of floats are added in order in f64.
pub(super) fn fold(state: &State, place: &Place, kind: Kind, func: Func) -> Value {
    match func {
        Func::Uninit => Value::Int(unwritten(state, place, kind).into()),
        Func::Nans => count(state, place, kind, f64::is_nan),
        Func::Infs => count(state, place, kind, f64::is_infinite),
        Func::Zeros => count(state, place, kind, |x| x == 0.0),
        _ if kind.is_float() => Value::Float(fold_floats(state, place, kind, func)),
        _ => fold_ints(state, place, kind, func),
    }
}

fn count(state: &State, place: &Place, kind: Kind, test: impl Fn(f64) -> bool) -> Value {
    let mut n = 0i128;
    each(state, place, kind, |bits| {
        let (values, len) = lanes(kind, bits);
        n += values.iter().take(len).filter(|x| test(**x)).count() as i128;
    });
    Value::Int(n)
}

fn fold_floats(state: &State, place: &Place, kind: Kind, func: Func) -> f64 {
    let join: fn(f64, f64) -> f64 = match func {
        Func::Min => |a, x| if x < a || x.is_nan() { x } else { a },
        Func::Max => |a, x| if x > a || x.is_nan() { x } else { a },
        Func::AbsMax => |a, x| {
            if x.abs() > a || x.is_nan() {
                x.abs()
            } else {
                a
            }
        },
        _ => |a, x| a + x,
    };
    let start = match func {
        Func::Min => f64::INFINITY,
        Func::Max => f64::NEG_INFINITY,
        _ => 0.0,
    };
    let (mut acc, mut n) = (start, 0u64);
    each(state, place, kind, |bits| {
        let (values, len) = lanes(kind, bits);
        for x in values.into_iter().take(len) {
            acc = if acc.is_nan() { acc } else { join(acc, x) };
            n += 1;
        }
    });
    if func == Func::Mean {
        acc / n as f64
    } else {
        acc
    }
}

fn fold_ints(state: &State, place: &Place, kind: Kind, func: Func) -> Value {
    let (mut acc, mut n) = (None, 0u64);
    each(state, place, kind, |bits| {
        let Value::Int(x) = value(kind, bits) else {
            return;
        };
        n += 1;
        let x = if func == Func::AbsMax { x.abs() } else { x };
        acc = Some(match (acc, func) {
            (None, _) => x,
            (Some(a), Func::Min) => x.min(a),
            (Some(a), Func::Max | Func::AbsMax) => x.max(a),
            // 2^64 elements of 64 bits fit in 128.
            (Some(a), _) => x.wrapping_add(a),
        });
    });
    let total = acc.unwrap_or(0);
    if func == Func::Mean {
        Value::Float(total as f64 / n as f64)
    } else {
        Value::Int(total)
    }
}

/// Elements with a never-written byte; whole rows are decided at once where they can be.
fn unwritten(state: &State, place: &Place, kind: Kind) -> u64 {
    let size = kind.bytes() as u32;
    let lanes = kind.lanes() as u64;
    let mut n = 0;
    for part in 0..place.parts {
        let row = Place {
            part: place.part + part,
            parts: 1,
            ..*place
        };
        // Pieces of a power of two bytes are whole elements.
        for rect in row.rects(4096) {
            let missing = state.unwritten(&rect);
            if missing == 0 {
                continue;
            }
            if missing == rect.bytes() {
                n += lanes * u64::from(rect.len / size);
                continue;
            }
            let element = |i: u32| Rect {
                off: rect.off + u64::from(i * size),
                len: size,
                ..rect
            };
            let some = (0..rect.len / size).filter(|i| !state.is_written(&element(*i)));
            n += lanes * some.count() as u64;
        }
    }
    n
}
