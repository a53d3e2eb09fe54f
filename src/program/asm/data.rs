//! Values behind `.data` and `.fill`: numbers, hex bytes, a file.

use super::Files;
use super::place::Typed;
use crate::isa::DType;
use crate::isa::text::words::{hex_bytes, quoted};
use crate::isa::text::{Cursor, TextError};
use crate::num::{Kind, Rules, narrow};
use crate::program::{ImageData, npy};

/// What `.data` puts into the place.
pub fn data(c: &mut Cursor<'_>, to: &Typed, files: &Files) -> Result<ImageData, TextError> {
    let start = c.pos();
    let mut bytes = Vec::new();
    if c.peek() == Some('"') {
        bytes = file(c, kind(c, to.dtype)?, files)?;
    } else if let Some(hex) = hex(c)? {
        bytes = hex;
    } else {
        let kind = kind(c, to.dtype)?;
        loop {
            c.blanks();
            bytes.extend(element(c, kind)?);
            c.blanks();
            if !c.eat(",") {
                break;
            }
        }
    }
    let size = to.place.size();
    if bytes.len() as u64 != size {
        let found = format!("{} bytes", bytes.len());
        let expected = match to.dtype.map(DType::bytes).filter(|n| *n > 0) {
            Some(n) => format!("{size} bytes, {} elements of {n}", size / u64::from(n)),
            None => format!("{size} bytes"),
        };
        let span = start..c.pos();
        return Err(TextError::new(
            span,
            found,
            format!("{expected}, to fill {}", to.place),
        ));
    }
    Ok(ImageData::Bytes(bytes))
}

/// The element that `.fill` repeats.
pub fn fill(c: &mut Cursor<'_>, to: &Typed) -> Result<ImageData, TextError> {
    let start = c.pos();
    let element = match hex(c)? {
        Some(bytes) => bytes,
        None => element(c, kind(c, to.dtype)?)?,
    };
    if !to.place.width().is_multiple_of(element.len().max(1) as u64) {
        return Err(c.error_from(
            start,
            format!(
                "an element that fits {} bytes a whole number of times",
                to.place.width()
            ),
        ));
    }
    Ok(ImageData::Fill(element))
}

/// `hex 00ff...`.
fn hex(c: &mut Cursor<'_>) -> Result<Option<Vec<u8>>, TextError> {
    let mut probe = c.clone();
    if probe.word() != "hex" {
        return Ok(None);
    }
    let mut out = Vec::new();
    loop {
        probe.blanks();
        if probe.rest().is_empty() {
            break;
        }
        out.extend(hex_bytes(&mut probe)?);
    }
    *c = probe;
    Ok(Some(out))
}

fn kind(c: &Cursor<'_>, dtype: Option<DType>) -> Result<Kind, TextError> {
    let Some(dtype) = dtype else {
        return Err(c
            .error("`as DTYPE` before the `=`")
            .hint("numbers and files need a data type; raw bytes are `hex 00ff..`"));
    };
    dtype
        .kind()
        .ok_or_else(|| c.error(format!("a data type with elements, not {dtype}")))
}

/// One number as the bytes of an element.
fn element(c: &mut Cursor<'_>, kind: Kind) -> Result<Vec<u8>, TextError> {
    let start = c.pos();
    let bits = if c.rest().starts_with("0x") || kind == Kind::Fp4x4 {
        let max = u64::MAX >> (64 - kind.bits());
        c.number_in("the bits of an element in hex", 0, max)?
    } else if kind.is_float() {
        let text = c.take(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
        let value: f32 = text.parse().map_err(|_| match text {
            "" => c.error("a number"),
            _ => c.error_from(start, "a number"),
        })?;
        narrow(kind, value, &Rules::DEFAULT)
    } else if kind.is_signed() {
        let half = i64::MAX >> (64 - kind.bits());
        c.signed_in("a number", -half - 1, half)? as u64
    } else {
        c.number_in("a number", 0, u64::MAX >> (64 - kind.bits()))?
    };
    Ok(bits.to_le_bytes().into_iter().take(kind.bytes()).collect())
}

fn file(c: &mut Cursor<'_>, kind: Kind, files: &Files) -> Result<Vec<u8>, TextError> {
    let start = c.pos();
    let name = quoted(c)?;
    let name = String::from_utf8_lossy(&name).into_owned();
    let wrong = |c: &Cursor<'_>, why: String| {
        c.error_from(start, "a readable .npy file")
            .hint(format!("{name}: {why}"))
    };
    let array = match files {
        Files::In(dir) => {
            let file = std::fs::File::open(dir.join(&name));
            let file = file.map_err(|e| wrong(c, e.to_string()))?;
            npy::read(std::io::BufReader::new(file), kind)
        }
        Files::Embedded(all) => {
            let found = all.iter().find(|f| f.0 == name);
            let (_, bytes) = found.ok_or_else(|| wrong(c, "not part of the tool".to_owned()))?;
            npy::read(*bytes, kind)
        }
    };
    array.map(|a| a.bytes).map_err(|e| wrong(c, e.to_string()))
}
