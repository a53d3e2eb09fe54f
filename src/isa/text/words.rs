//! Names, raw bytes and lists.

use std::fmt::Write;

use super::cursor::{is_word, is_word_start};
use super::value::sign_extend;
use super::{Cursor, TextError};
use crate::isa::Instr;
use crate::isa::field::{FieldDesc, ListKind};

/// Bytes up to and with the last one that is not zero.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let len = bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
    bytes.get(..len).unwrap_or(bytes)
}

/// Can a name stand without quotes?
pub fn is_bare(name: &str) -> bool {
    name.starts_with(is_word_start) && name.chars().all(|c| is_word(c) || c == '.') && name != "ext"
}

/// Bare when it is a plain identifier, else quoted.
pub(super) fn print_name(out: &mut String, bytes: &[u8]) {
    let bytes = trimmed(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) if is_bare(text) => out.push_str(text),
        _ => {
            out.push('"');
            for &b in bytes {
                match b {
                    b'"' | b'\\' => {
                        let _ = write!(out, "\\{}", char::from(b));
                    }
                    b' '..=b'~' => out.push(char::from(b)),
                    _ => {
                        let _ = write!(out, "\\x{b:02x}");
                    }
                }
            }
            out.push('"');
        }
    }
}

pub(super) fn parse_name(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
) -> Result<(), TextError> {
    let start = c.pos();
    let bytes = if c.peek() == Some('"') {
        quoted(c)?
    } else {
        let name = c.take(|c| is_word(c) || c == '.');
        if name.is_empty() {
            return Err(c.error("a name, bare or in quotes"));
        }
        name.as_bytes().to_vec()
    };
    if bytes.len() > field.len() {
        return Err(c.error_from(start, format!("a name of at most {} bytes", field.len())));
    }
    store(instr, field, &bytes);
    Ok(())
}

/// Overwrites the whole field, zeros behind.
fn store(instr: &mut Instr, field: &FieldDesc, bytes: &[u8]) {
    let mut all = bytes.to_vec();
    all.resize(field.len(), 0);
    instr.bundle.put(field.byte(), &all);
}

/// A text in double quotes with `\"`, `\\` and `\xNN`.
pub fn quoted(c: &mut Cursor<'_>) -> Result<Vec<u8>, TextError> {
    c.expect("\"")?;
    let mut out = Vec::new();
    loop {
        let start = c.pos();
        match c.bump() {
            None => return Err(c.error("a closing quote")),
            Some('"') => return Ok(out),
            Some('\\') => match c.bump() {
                Some('x') => {
                    let hex: String = [c.bump(), c.bump()].into_iter().flatten().collect();
                    match u8::from_str_radix(&hex, 16) {
                        Ok(b) if hex.len() == 2 => out.push(b),
                        _ => return Err(c.error_from(start, "`\\x` and two hex digits")),
                    }
                }
                Some(q @ ('"' | '\\')) => out.push(q as u8),
                _ => return Err(c.error_from(start, "`\\\"`, `\\\\` or `\\xNN`")),
            },
            Some(q) => {
                let mut buffer = [0; 4];
                out.extend_from_slice(q.encode_utf8(&mut buffer).as_bytes());
            }
        }
    }
}

/// Hex digits up to the last non-zero byte.
pub(super) fn print_raw(out: &mut String, bytes: &[u8]) {
    let bytes = trimmed(bytes);
    if bytes.is_empty() {
        out.push_str("00");
    }
    for b in bytes {
        let _ = write!(out, "{b:02x}");
    }
}

pub(super) fn parse_raw(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
) -> Result<(), TextError> {
    let start = c.pos();
    let bytes = hex_bytes(c)?;
    if bytes.len() > field.len() {
        return Err(c.error_from(start, format!("at most {} bytes in hex", field.len())));
    }
    store(instr, field, &bytes);
    Ok(())
}

/// Pairs of hex digits.
pub fn hex_bytes(c: &mut Cursor<'_>) -> Result<Vec<u8>, TextError> {
    let start = c.pos();
    let text = c.take(is_word);
    let pairs = text.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?;
        u8::from_str_radix(pair, 16)
            .ok()
            .filter(|_| !pair.starts_with('+'))
    });
    match pairs.collect::<Option<Vec<u8>>>() {
        Some(bytes) if !bytes.is_empty() => Ok(bytes),
        _ if text.is_empty() => Err(c.error("bytes in hex, two digits each")),
        _ => Err(c.error_from(start, "bytes in hex, two digits each")),
    }
}

fn item(instr: &Instr, field: &FieldDesc, bits: u16, i: u16) -> u64 {
    instr.bundle.bits(field.at + bits * i, bits)
}

/// Items up to the last non-zero one.
pub(super) fn print_list(
    out: &mut String,
    instr: &Instr,
    field: &FieldDesc,
    bits: u16,
    kind: ListKind,
) {
    let n = field.bits / bits.max(1);
    let last = (0..n).rev().find(|&i| item(instr, field, bits, i) != 0);
    for i in 0..=last.unwrap_or(0) {
        if i > 0 {
            out.push(',');
        }
        let raw = item(instr, field, bits, i);
        let _ = match kind {
            ListKind::Int => write!(out, "{}", sign_extend(raw, bits)),
            ListKind::Hex => write!(out, "{raw:#x}"),
            ListKind::Reg => write!(out, "r{raw}"),
            ListKind::Uint | ListKind::Sem => write!(out, "{raw}"),
        };
    }
}

pub(super) fn parse_list(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
    bits: u16,
    kind: ListKind,
) -> Result<(), TextError> {
    let n = field.bits / bits.max(1);
    let max = if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    let mut raw = vec![0u64; usize::from(n)];
    let mut slots = raw.iter_mut();
    loop {
        let start = c.pos();
        let v = match kind {
            ListKind::Int if !c.rest().starts_with("0x") => {
                let half = 1i64 << (bits.clamp(1, 63) - 1);
                c.signed_in("a number", -half, half - 1)? as u64
            }
            ListKind::Reg => {
                c.eat("r");
                c.number_in("a register rN", 0, max)?
            }
            _ => c.number_in("a number", 0, max)?,
        };
        let Some(slot) = slots.next() else {
            return Err(c.error_from(start, format!("at most {n} items")));
        };
        *slot = v;
        if !c.eat(",") {
            break;
        }
    }
    for (i, v) in raw.iter().enumerate() {
        instr.bundle.put_bits(field.at + bits * i as u16, bits, *v);
    }
    Ok(())
}
