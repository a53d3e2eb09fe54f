//! Memory from and to array files, and compared with them.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use super::error::{CmdError, ErrorKind};
use super::show;
use crate::num::{self, Kind};
use crate::program::npy;
use crate::session::{Place, Session};

/// The data type of a place that is loaded, dumped or compared.
fn kind_of(place: &Place) -> Result<Kind, CmdError> {
    place.dtype.ok_or_else(|| {
        CmdError::new(ErrorKind::Usage, format!("{place} has no dtype; add `as DTYPE`"))
    })
}

/// Elements of a place in a file, packed: partitions outermost.
///
/// # Errors
/// The place has no dtype; the file is unreadable, of another element type, or of another number of elements.
pub fn read(place: &Place, path: &Path) -> Result<Vec<u8>, CmdError> {
    let kind = kind_of(place)?;
    let per = place.per_partition(kind).map_err(|e| CmdError::new(ErrorKind::Usage, e.to_string()))?;
    let file = File::open(path).map_err(|e| CmdError::file(path, e))?;
    let array = npy::read(BufReader::new(file), kind).map_err(|e| CmdError::file(path, e))?;
    if array.bytes.len() as u64 != place.bytes() {
        let dims: Vec<String> = array.shape.iter().map(u64::to_string).collect();
        let found = array.bytes.len() / kind.bytes();
        let why = format!(
            "shape ({}) has {found} elements, {place} has {} ({}, {per})",
            dims.join(", "),
            per.saturating_mul(place.parts.into()),
            place.parts,
        );
        return Err(CmdError::file(path, why));
    }
    Ok(array.bytes)
}

/// Writes a place to a file, as (partitions, elements), of DRAM as (elements).
///
/// # Errors
/// The place has no dtype, or the file cannot be written.
pub fn write(session: &Session, place: &Place, path: &Path, raw: bool) -> Result<Vec<u64>, CmdError> {
    let kind = kind_of(place)?;
    let per = place.per_partition(kind).map_err(|e| CmdError::new(ErrorKind::Usage, e.to_string()))?;
    let bytes = packed(session, place);
    let shape = match place.space {
        crate::isa::Space::Dram => vec![per],
        _ => vec![place.parts.into(), per],
    };
    let told = |e| CmdError::file(path, e);
    let mut file = BufWriter::new(File::create(path).map_err(told)?);
    npy::write(&mut file, &shape, kind, &bytes, raw).and_then(|()| file.flush()).map_err(told)?;
    Ok(shape)
}

/// The bytes of a place, partition after partition.
fn packed(session: &Session, place: &Place) -> Vec<u8> {
    let mut bytes = Vec::new();
    for rect in place.rects(u32::MAX) {
        // The place was checked when it was made. Only DRAM has several rectangles.
        let _ = session.state().read_into(&rect, &mut bytes);
    }
    bytes
}

/// Where a place differs from a file by more than `tol`, as a sentence; `None` where it does not. NaN equals NaN.
///
/// # Errors
/// As [`read`].
pub fn difference(session: &Session, place: &Place, path: &Path, tol: f64) -> Result<Option<String>, CmdError> {
    let kind = kind_of(place)?;
    let expected = read(place, path)?;
    let found = packed(session, place);
    let size = kind.bytes();
    let (mut count, mut first, mut worst) = (0u64, None, 0f64);
    for (i, (e, f)) in expected.chunks_exact(size).zip(found.chunks_exact(size)).enumerate() {
        let (e, f) = (show::bits(e), show::bits(f));
        let off = distance(kind, e, f);
        if off.is_some_and(|d| d <= tol) {
            continue;
        }
        count += 1;
        worst = off.map_or(f64::INFINITY, |d| d.max(worst));
        first.get_or_insert((i as u64, e, f));
    }
    let Some((i, e, f)) = first else {
        return Ok(None);
    };
    let per = (place.len / size as u64).max(1);
    let at = Place {
        part: place.part.saturating_add(u16::try_from(i / per).unwrap_or(u16::MAX)),
        parts: 1,
        off: place.off + (i % per) * size as u64,
        len: size as u64,
        ..*place
    };
    let total = expected.len() / size;
    Ok(Some(format!(
        "{count} of {total} elements differ, first at {at}: expected {}, found {}; largest difference {worst:?}",
        num::show(kind, e),
        num::show(kind, f),
    )))
}

/// How far two elements are apart; `None` when one is NaN and the other is not, or infinities differ.
fn distance(kind: Kind, a: u64, b: u64) -> Option<f64> {
    if num::mask(a, kind.bits()) == num::mask(b, kind.bits()) {
        return Some(0.0);
    }
    if kind == Kind::Fp4x4 {
        let lanes = num::fp4_unpack(a as u16).into_iter().zip(num::fp4_unpack(b as u16));
        return Some(lanes.map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max));
    }
    if kind.is_int() {
        let wide = |bits| match kind.is_signed() {
            true => i128::from(num::sign_extend(bits, kind.bits())),
            false => i128::from(num::mask(bits, kind.bits())),
        };
        return Some((wide(a) - wide(b)).unsigned_abs() as f64);
    }
    let (a, b) = (num::to_f64(kind, a), num::to_f64(kind, b));
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Some(0.0),
        (false, false) if a == b => Some(0.0),
        (false, false) if a.is_finite() && b.is_finite() => Some((a - b).abs()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let bits = |x: f32| u64::from(x.to_bits());
        let d = |a, b| distance(Kind::Fp32, bits(a), bits(b));
        assert_eq!(d(1.0, 1.5), Some(0.5));
        assert_eq!(d(0.0, -0.0), Some(0.0));
        assert_eq!(d(f32::NAN, -f32::NAN), Some(0.0));
        assert_eq!(d(f32::NAN, 1.0), None);
        assert_eq!(d(f32::INFINITY, 1.0), None);
        assert_eq!(d(f32::INFINITY, f32::NEG_INFINITY), None);
        assert_eq!(distance(Kind::I8, 0xFF, 1), Some(2.0));
        assert_eq!(distance(Kind::U64, u64::MAX, u64::MAX - 1), Some(1.0));
        assert_eq!(distance(Kind::Fp4x4, 0x0002, 0x0004), Some(1.0));
    }
}
