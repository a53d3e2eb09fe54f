//! Arrays in numpy's `.npy` files, to and from packed elements (interface §3).

use std::io::{self, Read, Write};

use thiserror::Error;

use crate::num::{Kind, Rules, narrow, widen};

/// Elements of an array, packed in C order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Size of each dimension, outermost first.
    pub shape: Vec<u64>,
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
}

/// Why an array cannot be read as elements of a type.
#[derive(Debug, Error)]
pub enum NpyError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// No array, or one of a form numpy does not write.
    #[error("not a .npy array: {0}")]
    Format(&'static str),
    /// The element type does not match.
    #[error("the array holds {found}, {kind} takes {allowed}")]
    Type {
        /// numpy's name of the element type.
        found: String,
        /// The wanted type.
        kind: Kind,
        /// numpy's names of what can be read as that type.
        allowed: &'static str,
    },
    /// Fewer bytes than the header says.
    #[error("the array ends after {found} of {expected} bytes")]
    Short {
        /// Bytes of the header's shape.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
}

/// How the bytes of a file become elements.
enum Reading {
    Bits,
    Round,
}

/// Reads an array as elements of `kind`. Floats narrower than fp32 come as raw bits or as `f4`,
/// which is rounded to nearest even.
///
/// # Errors
/// [`NpyError`]: damaged, of another element type, or short.
pub fn read(mut reader: impl Read, kind: Kind) -> Result<Array, NpyError> {
    let header = Header::read(&mut reader)?;
    let wrong = || NpyError::Type {
        found: header.descr.clone(),
        kind,
        allowed: accepted(kind),
    };
    let (big, letter, size) = element_type(&header.descr).ok_or_else(wrong)?;
    let reading = reading(kind, letter, size).ok_or_else(wrong)?;
    let expected = header
        .shape
        .iter()
        .try_fold(size as u64, |n, d| n.checked_mul(*d))
        .ok_or(NpyError::Format("its shape has more than 2^64 bytes"))?;
    let mut bytes = Vec::new();
    reader.take(expected).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    if found != expected {
        return Err(NpyError::Short { expected, found });
    }
    if big {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    let shape = header.shape;
    if header.fortran {
        bytes = c_order(&bytes, &shape, size);
    }
    if let Reading::Round = reading {
        bytes = round(&bytes, kind);
    }
    Ok(Array { shape, bytes })
}

/// The text in front of the data: a Python dictionary.
struct Header {
    descr: String,
    fortran: bool,
    shape: Vec<u64>,
}

/// Longest header that is read.
const HEADER_MAX: u64 = 1 << 20;

impl Header {
    fn read(reader: &mut impl Read) -> Result<Header, NpyError> {
        let mut start = [0; 8];
        reader
            .read_exact(&mut start)
            .map_err(|_| NpyError::Format("it has no header"))?;
        let [0x93, b'N', b'U', b'M', b'P', b'Y', version, _] = start else {
            return Err(NpyError::Format("it does not begin with \\x93NUMPY"));
        };
        if !(1..=3).contains(&version) {
            return Err(NpyError::Format("its format version is not 1, 2 or 3"));
        }
        let mut len = [0; 4];
        let width = if version == 1 { 2 } else { 4 };
        reader.read_exact(len.get_mut(..width).unwrap_or(&mut []))?;
        let len = u64::from(u32::from_le_bytes(len));
        let mut text = Vec::new();
        reader.take(len.min(HEADER_MAX)).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        Header::parse(&text).ok_or(NpyError::Format(
            "its header is not a dictionary of descr, fortran_order and shape",
        ))
    }

    fn parse(text: &str) -> Option<Header> {
        let value = |key: &str| {
            let after = text.split_once(&format!("'{key}'"))?.1;
            Some(after.trim_start().strip_prefix(':')?.trim_start())
        };
        let descr = value("descr")?;
        // A list of fields is kept as text: no element type matches it.
        let descr = match descr.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'')?.0,
            None => descr.split_once(']')?.0,
        };
        let fortran = value("fortran_order")?.starts_with("True");
        let shape = value("shape")?.strip_prefix('(')?.split_once(')')?.0;
        let dims = shape.split(',').map(str::trim).filter(|d| !d.is_empty());
        Some(Header {
            descr: descr.to_owned(),
            fortran,
            shape: dims.map(|d| d.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

/// `<f4`: byte order (is it big?), letter, bytes.
fn element_type(descr: &str) -> Option<(bool, char, usize)> {
    let mut chars = descr.chars();
    let order = chars.next()?;
    let letter = chars.next()?;
    let size = chars.as_str().parse().ok().filter(|n| *n > 0)?;
    matches!(order, '<' | '>' | '|' | '=').then_some((order == '>', letter, size))
}

fn reading(kind: Kind, letter: char, size: usize) -> Option<Reading> {
    let same = size == kind.bytes();
    let bits = match letter {
        'u' | 'V' => same,
        'i' | 'b' => same && kind.is_int(),
        'f' => same && matches!(kind, Kind::Fp32 | Kind::Fp32r | Kind::Fp16),
        _ => false,
    };
    let narrow = letter == 'f' && size == 4 && kind.is_float() && kind != Kind::Fp4x4;
    match (bits, narrow) {
        (true, _) => Some(Reading::Bits),
        (_, true) => Some(Reading::Round),
        _ => None,
    }
}

fn accepted(kind: Kind) -> &'static str {
    match (kind, kind.bytes()) {
        (Kind::Fp32 | Kind::Fp32r, _) => "f4, u4 or V4",
        (Kind::Fp16, _) => "f2, f4, u2 or V2",
        (Kind::Fp4x4, _) => "u2 or V2",
        (Kind::Bf16, _) => "f4, u2 or V2",
        (k, 1) if k.is_float() => "f4, u1 or V1",
        (_, 1) => "i1, u1, b1 or V1",
        (_, 2) => "i2, u2 or V2",
        (_, 4) => "i4, u4 or V4",
        _ => "i8, u8 or V8",
    }
}

/// Reorders elements whose first index runs fastest.
fn c_order(bytes: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0u64; shape.len()];
    for _ in 0..bytes.len() / size {
        let at = index
            .iter()
            .zip(shape)
            .rev()
            .fold(0, |at, (i, n)| at * n + i);
        let from = at as usize * size;
        out.extend_from_slice(bytes.get(from..from + size).unwrap_or(&[]));
        for (i, n) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *n {
                break;
            }
            *i = 0;
        }
    }
    out
}

fn round(bytes: &[u8], kind: Kind) -> Vec<u8> {
    let rules = Rules {
        fp8_vendor_tiny: false,
        ..Rules::DEFAULT
    };
    let floats = bytes.chunks_exact(4).filter_map(|b| b.first_chunk());
    floats
        .flat_map(|b| {
            let bits = narrow(kind, f32::from_le_bytes(*b), &rules);
            bits.to_le_bytes().into_iter().take(kind.bytes())
        })
        .collect()
}

/// Writes elements of `kind` as an array: `f4` for bf16 and fp8, `f2` for fp16, native types
/// otherwise; with `raw` the unsigned bits.
///
/// # Errors
/// The writer fails.
pub fn write(
    writer: &mut impl Write,
    shape: &[u64],
    kind: Kind,
    bytes: &[u8],
    raw: bool,
) -> io::Result<()> {
    let size = kind.bytes();
    let widened = !raw && matches!(kind, Kind::Bf16) || !raw && kind.is_float() && size == 1;
    let ty = match kind {
        _ if widened => "<f4".to_owned(),
        Kind::Fp4x4 => "<u2".to_owned(),
        k if !raw && k.is_float() => format!("<f{size}"),
        k if !raw && k.is_signed() => format!("{}i{size}", endian(size)),
        _ => format!("{}u{size}", endian(size)),
    };
    let dims: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let dict = format!(
        "{{'descr': '{ty}', 'fortran_order': False, 'shape': ({}), }}",
        dims.trim_end()
    );
    // The data starts at a multiple of 64 bytes; the header ends in a newline.
    let pad = 63 - (10 + dict.len()) % 64;
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&((dict.len() + pad + 1) as u16).to_le_bytes())?;
    writeln!(writer, "{dict}{:pad$}", "")?;
    if !widened {
        return writer.write_all(bytes);
    }
    for element in bytes.chunks_exact(size) {
        let mut word = [0; 8];
        word.iter_mut().zip(element).for_each(|(w, b)| *w = *b);
        writer.write_all(&widen(kind, u64::from_le_bytes(word)).to_le_bytes())?;
    }
    Ok(())
}

fn endian(size: usize) -> char {
    if size == 1 { '|' } else { '<' }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let dict = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        let len = (dict.len() + 1).next_multiple_of(64) as u16 + 54;
        out.extend(len.to_le_bytes());
        out.extend(dict.bytes());
        out.resize(10 + usize::from(len) - 1, b' ');
        out.push(b'\n');
        out.extend(data);
        out
    }

    #[test]
    fn types_orders_and_rounding() {
        let bytes = |file: Vec<u8>, kind| read(file.as_slice(), kind).map(|a| a.bytes);
        let two = 2.0f32.to_le_bytes();
        assert_eq!(
            bytes(npy("<f4", false, "(1,)", &two), Kind::Fp32).unwrap(),
            two
        );
        assert_eq!(
            bytes(npy("<f4", false, "(1,)", &two), Kind::Bf16).unwrap(),
            [0x00, 0x40]
        );
        assert_eq!(
            bytes(npy(">f4", false, "(1,)", &2.0f32.to_be_bytes()), Kind::Fp32).unwrap(),
            two
        );
        assert_eq!(
            bytes(npy("|V2", false, "(1,)", &[1, 2]), Kind::Bf16).unwrap(),
            [1, 2]
        );
        assert_eq!(
            bytes(npy("|i1", false, "(2,)", &[1, 255]), Kind::I8).unwrap(),
            [1, 255]
        );
        // (2, 3) in Fortran order: columns first.
        let f = npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]);
        assert_eq!(bytes(f, Kind::U8).unwrap(), [1, 2, 3, 4, 5, 6]);
        for (descr, kind) in [
            ("<f8", Kind::Fp32),
            ("<f2", Kind::Bf16),
            ("<i4", Kind::Fp32),
            ("<f4", Kind::I32),
            ("<i4", Kind::U16),
        ] {
            let e = bytes(npy(descr, false, "(1,)", &[0; 8]), kind).unwrap_err();
            assert!(e.to_string().contains("takes"), "{e}");
        }
        let short = bytes(npy("<f4", false, "(3,)", &[0; 8]), Kind::Fp32).unwrap_err();
        assert_eq!(short.to_string(), "the array ends after 8 of 12 bytes");
        assert!(bytes(b"hello".to_vec(), Kind::U8).is_err());
        let huge = npy("<f4", false, "(4294967296, 4294967296, 4)", &[]);
        assert!(bytes(huge, Kind::Fp32).is_err());
    }

    #[test]
    fn another_reader_agrees() {
        let mut file = Vec::new();
        let data: Vec<u8> = [1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0]
            .iter()
            .flat_map(|f| f.to_le_bytes())
            .collect();
        write(&mut file, &[2, 3], Kind::Fp32, &data, false).unwrap();
        let theirs = npyz::NpyFile::new(file.as_slice()).unwrap();
        assert_eq!(theirs.shape(), [2, 3]);
        assert_eq!(
            theirs.into_vec::<f32>().unwrap(),
            [1.5, -2.0, 3.0, 4.0, 5.0, 6.0]
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        for kind in Kind::ALL {
            for raw in [false, true] {
                let bytes: Vec<u8> = (0..kind.bytes() as u8 * 6).map(|i| i % 7 * 16).collect();
                let mut file = Vec::new();
                write(&mut file, &[2, 3], *kind, &bytes, raw).unwrap();
                let back = read(file.as_slice(), *kind).unwrap();
                assert_eq!(
                    (back.shape, back.bytes),
                    (vec![2, 3], bytes),
                    "{kind} {raw}"
                );
            }
        }
    }
}
