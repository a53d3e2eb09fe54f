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

    /// Compares a place with dtype with an array that fits it, element by element: no further apart than `tolerance`. NaN equals
    /// NaN, infinities equal those of their sign.
    ///
    /// # Errors
    /// As [`Session::load`].
    pub fn compare(
        &self,
        place: &Place,
        reader: impl Read,
        tolerance: f64,
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
            if diff <= tolerance {
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
fn fitting(place: &Place, reader: impl Read) -> Result<Vec<u8>, SessionError> {
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
