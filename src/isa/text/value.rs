//! Values of at most 64 bits: numbers, enumerations, data types, registers, immediates.

use std::fmt::Write;

use super::address::{self, Names};
use super::cursor::is_word;
use super::{Cursor, TextError, put};
use crate::isa::field::{EnumDesc, FieldDesc, FieldKind};
use crate::isa::{DType, Instr};

/// Where a 32-bit immediate comes from (isa 04 §6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmForm {
    /// The value itself.
    Inline,
    /// ADDR4 of one scalar per lane.
    Pointer,
    /// Register that holds such an address.
    Register,
    /// The selector has an undefined value.
    Undefined,
}

impl ImmForm {
    /// The form a selector field asks for.
    pub fn of(instr: &Instr, src: &str, inverted: bool) -> ImmForm {
        match (instr.value(src).unwrap_or(0), inverted) {
            (0, false) | (1, true) => ImmForm::Inline,
            (1, false) | (0, true) => ImmForm::Pointer,
            (2, _) => ImmForm::Register,
            _ => ImmForm::Undefined,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            ImmForm::Inline => "INSTRUCTION",
            ImmForm::Pointer => "POINTER",
            ImmForm::Register => "REG_PTR",
            ImmForm::Undefined => "undefined",
        }
    }
}

/// A float whose shortest decimal means the same bits: zero or normal.
fn decimal(bits: u32) -> Option<f32> {
    let f = f32::from_bits(bits);
    (f == 0.0 || f.is_normal()).then_some(f)
}

/// The signed value of the low `bits` bits.
pub(super) fn sign_extend(raw: u64, bits: u16) -> i64 {
    let shift = 64u32.saturating_sub(u32::from(bits)).min(63);
    (raw << shift) as i64 >> shift
}

fn print_enum(out: &mut String, desc: &EnumDesc, raw: u64) {
    match u8::try_from(raw).ok().and_then(|v| desc.name_of(v)) {
        Some(name) => out.push_str(name),
        None => {
            let _ = write!(out, "{raw:#04x}");
        }
    }
}

fn print_flags(out: &mut String, flags: &[(u8, &str)], raw: u64) {
    let mut left = raw;
    let mut first = true;
    for &(mask, name) in flags {
        if mask != 0 && left & u64::from(mask) == u64::from(mask) {
            left &= !u64::from(mask);
            let _ = write!(out, "{}{name}", if first { "" } else { "|" });
            first = false;
        }
    }
    if left != 0 || first {
        let _ = write!(out, "{}{left:#x}", if first { "" } else { "|" });
    }
}

pub(super) fn print(out: &mut String, instr: &Instr, field: &FieldDesc) {
    let raw = field.raw(&instr.bundle);
    let _ = match field.kind {
        FieldKind::Int => write!(out, "{}", sign_extend(raw, field.bits)),
        FieldKind::Hex => write!(out, "{raw:#x}"),
        FieldKind::F32 => match decimal(raw as u32) {
            Some(f) => write!(out, "{f:?}"),
            None => write!(out, "{raw:#010x}"),
        },
        FieldKind::DType | FieldKind::OutDType | FieldKind::OptDType => {
            write!(out, "{}", DType(raw as u8))
        }
        FieldKind::Reg => write!(out, "r{raw}"),
        FieldKind::Imm { src, inverted } => match ImmForm::of(instr, src, inverted) {
            ImmForm::Inline => match decimal(raw as u32) {
                Some(f) if !is_bitvec(instr) => write!(out, "{f:?}"),
                _ => write!(out, "{raw:#x}"),
            },
            ImmForm::Pointer => write!(out, "@{raw:08x}"),
            ImmForm::Register => write!(out, "r{raw}"),
            ImmForm::Undefined => write!(out, "{raw:#x}"),
        },
        FieldKind::Enum(desc) => {
            print_enum(out, desc, raw);
            Ok(())
        }
        FieldKind::Flags(flags) => {
            print_flags(out, flags, raw);
            Ok(())
        }
        _ => write!(out, "{raw}"),
    };
}

/// Are the immediates of this opcode bit-vectors?
fn is_bitvec(instr: &Instr) -> bool {
    instr.op.is_some_and(|op| op.bitvec)
}

pub(super) fn parse(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
    names: &dyn Names,
) -> Result<(), TextError> {
    let raw = match field.kind {
        FieldKind::Int => {
            let half = 1i64 << (field.bits.clamp(1, 63) - 1);
            if c.rest().starts_with("0x") {
                c.number_in("a number", 0, mask(field))?
            } else {
                c.signed_in("a number", -half, half - 1)? as u64
            }
        }
        FieldKind::F32 => float(c)?.to_bits().into(),
        FieldKind::DType | FieldKind::OutDType | FieldKind::OptDType => parse_dtype(c, field)?,
        FieldKind::Reg => parse_index(c, field, "r", "")?,
        FieldKind::Sem => parse_index(c, field, "$S[", "]")?,
        FieldKind::Imm { src, inverted } => parse_imm(c, instr, src, inverted, names)?,
        FieldKind::Enum(desc) => parse_enum(c, desc, mask(field))?,
        FieldKind::Flags(flags) => parse_flags(c, flags, mask(field))?,
        _ => c.number_in("a number", 0, mask(field))?,
    };
    put(instr, field, raw);
    Ok(())
}

fn mask(field: &FieldDesc) -> u64 {
    match field.bits {
        0 => 0,
        n @ 1..64 => (1 << n) - 1,
        _ => u64::MAX,
    }
}

/// A data type that fits the field.
pub(super) fn parse_dtype(c: &mut Cursor<'_>, field: &FieldDesc) -> Result<u64, TextError> {
    let start = c.pos();
    let dtype = dtype(c)?;
    let code = u64::from(dtype.0);
    if code > mask(field) {
        return Err(c.error_from(
            start,
            format!(
                "a data type of code 0..{:#x} in `{}`",
                mask(field),
                field.name
            ),
        ));
    }
    Ok(code)
}

/// A data type by name or code.
///
/// # Errors
/// Neither is next.
pub fn dtype(c: &mut Cursor<'_>) -> Result<DType, TextError> {
    let start = c.pos();
    let text = c.take(is_word);
    match text {
        "" => Err(c.error(DTYPES)),
        "0" => Ok(DType::INVALID),
        _ => DType::parse(text).ok_or_else(|| c.error_from(start, DTYPES)),
    }
}

const DTYPES: &str = "a data type (fp32, bf16, fp16, i32, u8, ... or a code 0x00..0xff)";

fn parse_index(
    c: &mut Cursor<'_>,
    field: &FieldDesc,
    prefix: &str,
    suffix: &str,
) -> Result<u64, TextError> {
    if c.eat(prefix) {
        let n = c.number_in("a number", 0, mask(field))?;
        c.expect(suffix)?;
        return Ok(n);
    }
    let what = if prefix == "r" {
        "a register rN"
    } else {
        "a semaphore number"
    };
    c.number_in(what, 0, mask(field))
}

fn parse_enum(c: &mut Cursor<'_>, desc: &EnumDesc, max: u64) -> Result<u64, TextError> {
    if c.at_number() {
        return c.number_in("a code", 0, max);
    }
    let start = c.pos();
    let word = c.word();
    match desc.value_of(word) {
        Some(v) if u64::from(v) <= max => Ok(v.into()),
        _ if word.is_empty() => Err(c.error(format!("a {} or a code", desc.name))),
        _ => {
            let names = desc.values.iter().map(|v| v.1);
            let error = c.error_from(start, format!("a {}: {}", desc.name, join(names.clone())));
            Err(match similar(word, names) {
                Some(name) => error.hint(format!("did you mean `{name}`?")),
                None => error,
            })
        }
    }
}

fn parse_flags(c: &mut Cursor<'_>, flags: &[(u8, &str)], max: u64) -> Result<u64, TextError> {
    let mut raw = 0;
    loop {
        let start = c.pos();
        if c.at_number() {
            raw |= c.number_in("flag bits", 0, max)?;
        } else {
            let word = c.word();
            match flags.iter().find(|f| f.1.eq_ignore_ascii_case(word)) {
                Some(f) => raw |= u64::from(f.0),
                None => {
                    let all = join(flags.iter().map(|f| f.1));
                    return Err(c.error_from(start, format!("flags: {all}")));
                }
            }
        }
        if !c.eat("|") {
            return Ok(raw);
        }
    }
}

/// A decimal, or the bits in hex.
fn float(c: &mut Cursor<'_>) -> Result<f32, TextError> {
    if c.rest().starts_with("0x") {
        return Ok(f32::from_bits(
            c.number_in("fp32 bits", 0, 0xFFFF_FFFF)? as u32
        ));
    }
    let start = c.pos();
    let text = c.take(|c| is_word(c) || matches!(c, '.' | '+' | '-'));
    let infinite = text
        .trim_start_matches(['-', '+'])
        .eq_ignore_ascii_case("inf");
    match text.parse::<f32>() {
        Ok(f) if f.is_finite() || infinite || f.is_nan() => Ok(f),
        Ok(_) => Err(c.error_from(start, "a number within fp32")),
        Err(_) if text.is_empty() => Err(c.error(FLOAT)),
        Err(_) => Err(c.error_from(start, FLOAT)),
    }
}

const FLOAT: &str = "a decimal number or fp32 bits in hex";

/// An immediate. The notation must agree with the selector: `@..` is a pointer, `rN` a register, a
/// decimal is the value itself; hex is any of them.
fn parse_imm(
    c: &mut Cursor<'_>,
    instr: &Instr,
    src: &str,
    inverted: bool,
    names: &dyn Names,
) -> Result<u64, TextError> {
    let form = ImmForm::of(instr, src, inverted);
    let start = c.pos();
    if c.rest().starts_with("0x") {
        return c.number_in("32 bits", 0, 0xFFFF_FFFF);
    }
    if c.eat("@") {
        let word = address::word4(c, instr.generation, names)?;
        return match form {
            ImmForm::Pointer => Ok(word.into()),
            _ => Err(wrong_form(
                c.error_from(start, needs(form)),
                src,
                ImmForm::Pointer,
            )),
        };
    }
    if c.peek() == Some('r') {
        c.eat("r");
        let n = c.number_in("a register number", 0, 0xFFFF_FFFF)?;
        return match form {
            ImmForm::Register => Ok(n),
            _ => Err(wrong_form(
                c.error_from(start, needs(form)),
                src,
                ImmForm::Register,
            )),
        };
    }
    match form {
        ImmForm::Inline if !is_bitvec(instr) => Ok(float(c)?.to_bits().into()),
        ImmForm::Inline => {
            let low = -(1i64 << 31);
            Ok(u64::from(c.signed_in("32 bits", low, 0xFFFF_FFFF)? as u32))
        }
        _ => Err(c.error(needs(form))),
    }
}

fn needs(form: ImmForm) -> &'static str {
    match form {
        ImmForm::Inline => "a number",
        ImmForm::Pointer => "a pointer `@00001000` or hex",
        ImmForm::Register => "a register rN or hex",
        ImmForm::Undefined => "hex",
    }
}

fn wrong_form(error: TextError, src: &str, wanted: ImmForm) -> TextError {
    error.hint(format!("write {src}={} as well", wanted.name()))
}

/// Comma-separated, cut after a dozen.
fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (i, name) in names.enumerate() {
        if i == 12 {
            out.push_str(", ...");
            break;
        }
        let _ = write!(out, "{}{name}", if i == 0 { "" } else { ", " });
    }
    out
}

/// The closest name, when it is close.
pub fn similar<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = word.len().max(3) / 3;
    // A name of another length is too far away before it is looked at, so a word of any length costs little.
    let near = names.filter(|n| n.len().abs_diff(word.len()) <= most);
    let best = near.map(|n| (distance(word, n), n)).min_by_key(|d| d.0)?;
    (best.0 <= most).then_some(best.1)
}

/// Levenshtein distance, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let change = corner + usize::from(!x.eq_ignore_ascii_case(&y));
            corner = *cell;
            left = change.min(corner + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}
