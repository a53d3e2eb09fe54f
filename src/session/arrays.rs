//! Arrays in and out of places, and comparison with a file.

use std::io::{Read, Write};
use std::sync::Arc;

use super::edit::{Change, EDIT_LIMIT};
use super::elements::{bits, value};
use super::error::SessionError;
use super::expr::EvalError;
use super::place::Place;
use super::value::Value;
use super::{Session, SessionError as Error};
use crate::num::Kind;
use crate::program::npy;
use crate::sim::{Rect, Space};

/// How far apart two elements may be and still count as equal: near enough by any of these is enough.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Difference.
    pub abs: f64,
    /// Difference by the larger of the two magnitudes.
    pub rel: f64,
    /// Steps from one float to the next of the type; of integers their difference.
    pub ulp: u64,
}

impl Tolerance {
    /// Are only equal elements equal?
    pub fn is_exact(&self) -> bool {
        *self == Tolerance::default()
    }

    /// Are two elements near enough? NaN equals NaN, infinities those of their sign.
    pub fn alike(&self, kind: Kind, a: u64, b: u64) -> bool {
        let apart = difference(kind, a, b);
        if apart <= self.abs {
            return true;
        }
        if !apart.is_finite() {
            return false;
        }
        let magnitude = match (value(kind, a), value(kind, b)) {
            (Value::Float(a), Value::Float(b)) => a.abs().max(b.abs()),
            (Value::Int(a), Value::Int(b)) => a.unsigned_abs().max(b.unsigned_abs()) as f64,
            _ => 0.0,
        };
        apart <= self.rel * magnitude || self.ulp > 0 && ulps(kind, a, b) <= self.ulp
    }
}

/// Steps from one element to the other through the values of its type; of fp4 containers those of the lanes that are furthest apart.
pub(super) fn ulps(kind: Kind, a: u64, b: u64) -> u64 {
    // Sign and magnitude, as all floats here are, in the order of their values; +0 and -0 are one value.
    let order = |bits: u64, width: u32| {
        let sign = bits >> (width - 1) & 1 == 1;
        let magnitude = (bits & ((1 << (width - 1)) - 1)) as i64;
        if sign { -magnitude } else { magnitude }
    };
    if kind == Kind::Fp4x4 {
        let lane = |bits: u64, i: u32| order(bits >> (4 * i) & 15, 4);
        let apart = (0..4).map(|i| lane(a, i).abs_diff(lane(b, i)));
        return apart.max().unwrap_or(0);
    }
    match (value(kind, a), value(kind, b)) {
        (Value::Int(a), Value::Int(b)) => u64::try_from((a - b).unsigned_abs()).unwrap_or(u64::MAX),
        _ => order(a, kind.bits()).abs_diff(order(b, kind.bits())),
    }
}

/// How a place compares with an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// Elements compared.
    pub elements: u64,
    /// Elements further apart than the tolerance.
    pub mismatches: u64,
    /// The first of those.
    pub first: Option<Mismatch>,
    /// Largest difference, over all elements that are numbers on both sides.
    pub max_diff: f64,
}

/// An element that differs.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    /// The element.
    pub at: Place,
    /// What memory holds.
    pub found: Value,
    /// What the array holds.
    pub expected: Value,
}

impl Place {
    /// The rectangle and element kind, when the place can be held in one piece.
    fn array(&self) -> Result<(Rect, Kind), SessionError> {
        let kind = match self.dtype {
            Some(kind) => kind,
            None => return Err(EvalError::NoDtype { place: *self }.into()),
        };
        self.elements(kind)?;
        if self.bytes() > EDIT_LIMIT {
            return Err(SessionError::too_large(self));
        }
        Ok((self.rect(), kind))
    }
}

impl Session {
    /// Stores an array into a place with dtype: any shape with the right number of elements, in C order, partitions outermost.
    /// Gives the steps of a former future that were dropped.
    ///
    /// # Errors
    /// A place without dtype or too large; an array of another size or type.
    pub fn load(&mut self, place: &Place, reader: impl Read) -> Result<u64, SessionError> {
        let (rect, _) = place.array()?;
        let bytes = fitting(place, reader)?;
        self.edit(vec![Change::Store(rect, Arc::from(bytes))])
    }

    /// Writes a place with dtype as an array of shape (partitions, elements), of DRAM (elements).
    ///
    /// # Errors
    /// A place without dtype or too large; the writer fails.
    pub fn dump(
        &self,
        place: &Place,
        writer: &mut impl Write,
        raw: bool,
    ) -> Result<(), SessionError> {
        let (rect, kind) = place.array()?;
        let mut bytes = Vec::new();
        self.state().read_into(&rect, &mut bytes)?;
        let columns = place.per_partition(kind)?;
        let shape = match place.space {
            Space::Dram => vec![columns],
            _ => vec![place.parts.into(), columns],
        };
        npy::write(writer, &shape, kind, &bytes, raw).map_err(|e| Error::Array {
            place: *place,
            error: e.into(),
        })
    }

    /// Compares a place with dtype with an array that fits it, element by element: near enough by `tolerance`.
    ///
    /// # Errors
    /// As [`Session::load`].
    pub fn compare(
        &self,
        place: &Place,
        reader: impl Read,
        tolerance: &Tolerance,
    ) -> Result<Comparison, SessionError> {
        let (rect, kind) = place.array()?;
        let wanted = fitting(place, reader)?;
        let mut found = Vec::new();
        self.state().read_into(&rect, &mut found)?;
        let size = kind.bytes();
        let mut result = Comparison {
            elements: place.elements(kind)?,
            mismatches: 0,
            first: None,
            max_diff: 0.0,
        };
        let pairs = found.chunks_exact(size).zip(wanted.chunks_exact(size));
        for (i, (a, b)) in pairs.enumerate().filter(|(_, (a, b))| a != b) {
            let diff = difference(kind, bits(a), bits(b));
            if diff.is_finite() {
                result.max_diff = result.max_diff.max(diff);
            }
            if tolerance.alike(kind, bits(a), bits(b)) {
                continue;
            }
            result.mismatches += 1;
            result.first.get_or_insert_with(|| Mismatch {
                at: element(place, kind, i as u64),
                found: value(kind, bits(a)),
                expected: value(kind, bits(b)),
            });
        }
        Ok(result)
    }
}

/// Bytes of an array with as many elements as a place.
pub(super) fn fitting(place: &Place, reader: impl Read) -> Result<Vec<u8>, SessionError> {
    let (rect, kind) = place.array()?;
    let array = npy::read(reader, kind).map_err(|error| Error::Array {
        place: *place,
        error,
    })?;
    if array.bytes.len() as u64 != rect.bytes() {
        return Err(Error::Shape {
            place: *place,
            elements: place.elements(kind)?,
            shape: array.shape,
        });
    }
    Ok(array.bytes)
}

/// The `n`-th element of a place.
pub(super) fn element(place: &Place, kind: Kind, n: u64) -> Place {
    let size = kind.bytes() as u64;
    let columns = (place.len / size).max(1);
    Place {
        part: place.part + (n / columns) as u16,
        parts: 1,
        off: place.off + n % columns * size,
        len: size,
        dtype: Some(kind),
        ..*place
    }
}

/// How far apart two elements are; infinite when they are not comparable. Of fp4 containers the lanes that differ most.
pub(super) fn difference(kind: Kind, a: u64, b: u64) -> f64 {
    if kind == Kind::Fp4x4 {
        let lanes = |c| crate::num::fp4_unpack(c as u16).map(f64::from);
        let apart = lanes(a)
            .into_iter()
            .zip(lanes(b))
            .map(|(a, b)| (a - b).abs());
        return apart.fold(0.0, f64::max);
    }
    match (value(kind, a), value(kind, b)) {
        (Value::Int(a), Value::Int(b)) => (a - b).unsigned_abs() as f64,
        (Value::Float(a), Value::Float(b)) if a == b || a.is_nan() && b.is_nan() => 0.0,
        (Value::Float(a), Value::Float(b)) if a.is_finite() && b.is_finite() => (a - b).abs(),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num;

    /// Neighbours in the order of values are one step apart, and steps add up.
    #[test]
    fn steps_are_counted_through_the_values() {
        for kind in [
            Kind::Bf16,
            Kind::Fp16,
            Kind::Fp8E3,
            Kind::Fp8E4,
            Kind::Fp8E5,
        ] {
            let all = 0..1u64 << kind.bits();
            let mut values: Vec<(f64, u64)> = all.map(|b| (num::to_f64(kind, b), b)).collect();
            values.retain(|v| v.0.is_finite());
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            for w in values.windows(2) {
                let same = w[0].0 == w[1].0;
                assert_eq!(ulps(kind, w[0].1, w[1].1), u64::from(!same), "{kind} {w:?}");
            }
            let (first, last) = (values[0].1, values[values.len() - 1].1);
            // Both zeros are in the list.
            assert_eq!(ulps(kind, first, last), values.len() as u64 - 2);
        }
        assert_eq!(ulps(Kind::I16, 0xFFFF, 3), 4);
        assert_eq!(ulps(Kind::U8, 0xFF, 3), 252);
    }

    #[test]
    fn near_enough_by_any_measure() {
        let near = |t: Tolerance, a: f32, b: f32| {
            t.alike(Kind::Fp32, a.to_bits().into(), b.to_bits().into())
        };
        let exact = Tolerance::default();
        let abs = Tolerance { abs: 0.5, ..exact };
        let rel = Tolerance { rel: 0.01, ..exact };
        let ulp = Tolerance { ulp: 2, ..exact };
        let next = |x: f32, n: u32| f32::from_bits(x.to_bits() + n);
        for (a, b, by) in [
            (1.0, 1.5, [false, true, false, false]),
            (1.0, 1.6, [false, false, false, false]),
            (1000.0, 1009.0, [false, false, true, false]),
            (1e30, next(1e30, 2), [false, false, true, true]),
            (1e30, next(1e30, 3), [false, false, true, false]),
            (0.0, -0.0, [true; 4]),
            (f32::NAN, f32::NAN, [true; 4]),
            (f32::NAN, 1.0, [false; 4]),
            (f32::INFINITY, f32::MAX, [false; 4]),
            (f32::INFINITY, f32::NEG_INFINITY, [false; 4]),
        ] {
            let found = [exact, abs, rel, ulp].map(|t| near(t, a, b));
            assert_eq!(found, by, "{a} {b}");
        }
    }
}
