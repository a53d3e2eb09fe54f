//! Operands: `fp32@00002000[1][64]`, indirect `fp32@20000100:00002000[64]`,
//! MX `fp8e4@00001000/00008000[1][512]p4`, generators `base[steps][counts]`.
//!
//! Steps and counts stand fastest dimension first; trailing dimensions {1,1} are left out, at
//! least one stays (isa 03 §3). A count of 0 is illegal unless the shape is in a register; one that
//! a bundle holds all the same is written `0?`, so that a typed 0 stays an error.

use std::fmt::Write;

use super::address::{self, Names};
use super::line::{dtype_operand, dtype_owner};
use super::{Cursor, TextError, put, value};
use crate::isa::field::{Arm, DTypeOf, Field, FieldDesc, FieldKind};
use crate::isa::fields::{Addr4, Data4, Dim, Mx, MxForm, Pattern};
use crate::isa::{DType, Instr};

/// `dtype@`, or `@` for a slot that is no operand.
fn print_dtype(out: &mut String, instr: &Instr, field: &FieldDesc) {
    if let Some(dtype) = dtype_operand(instr, field) {
        let _ = write!(out, "{dtype}");
    }
    out.push('@');
}

pub(super) fn print_slot(out: &mut String, instr: &Instr, field: &FieldDesc, rank: u8, arm: Arm) {
    print_dtype(out, instr, field);
    let pattern = Pattern::read(&instr.bundle, field.byte(), usize::from(rank));
    let _ = if arm == Arm::Mem && pattern.addr.indirect() {
        let (data, num) = (
            instr.bundle.u32(field.byte() + 4),
            instr.bundle.u16(field.byte() + 8),
        );
        write!(out, "{:08x}:{data:08x}[{}]", pattern.addr.0, Count(num))
    } else {
        let _ = write!(out, "{:08x}", pattern.addr.0);
        print_dims(out, pattern.dims(), pattern.addr.shape_register());
        Ok(())
    };
}

/// A static pattern as listings print it, without its dtype: `00002000[1][64]`.
pub fn plain(pattern: &Pattern) -> String {
    let mut text = format!("{:08x}", pattern.addr.0);
    print_dims(&mut text, pattern.dims(), pattern.addr.shape_register());
    text
}

/// A count in a listing.
struct Count(u16);

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => f.write_str("0?"),
            n => write!(f, "{n}"),
        }
    }
}

/// `[steps][counts]`; `zero`: counts of 0 are in order.
fn print_dims(out: &mut String, dims: &[Dim], zero: bool) {
    let used = dims.iter().rposition(|d| *d != Dim::UNIT).unwrap_or(0);
    let dims = dims.get(..=used).unwrap_or(dims);
    for (i, d) in dims.iter().enumerate() {
        let _ = write!(out, "{}{}", if i == 0 { '[' } else { ',' }, d.step);
    }
    for (i, d) in dims.iter().enumerate() {
        out.push_str(if i == 0 { "][" } else { "," });
        let _ = match d.num {
            0 if zero => write!(out, "0"),
            n => write!(out, "{}", Count(n)),
        };
    }
    out.push(']');
}

pub(super) fn print_data4(out: &mut String, instr: &Instr, field: &FieldDesc) {
    let data = Data4::get(&instr.bundle, field.at);
    let _ = write!(out, "{}", data.base);
    print_dims(out, &data.dims, false);
}

pub(super) fn print_mx(out: &mut String, instr: &Instr, field: &FieldDesc) {
    print_dtype(out, instr, field);
    let _ = match Mx::get(&instr.bundle, field.at).form() {
        MxForm::Static(m) => write!(
            out,
            "{:08x}/{:08x}[{}][{}]p{}",
            m.data.0,
            m.scale.0,
            m.step,
            Count(m.num),
            m.scale_pidx
        ),
        MxForm::Indirect(m) => write!(
            out,
            "{:08x}:{:08x}/{:08x}[{}]p{}",
            m.index.0,
            m.data.0,
            m.scale.0,
            Count(m.num),
            m.scale_pidx
        ),
    };
}

/// Reads the data type in front of the `@` and stores it in the field that holds it.
fn parse_dtype(c: &mut Cursor<'_>, instr: &mut Instr, field: &FieldDesc) -> Result<(), TextError> {
    let Some(operand) = field.operand else {
        return c.expect("@");
    };
    let start = c.pos();
    if c.peek() == Some('@') {
        return match operand.dtype {
            DTypeOf::Fixed(_) => c.expect("@"),
            DTypeOf::Field(_) => Err(c
                .error("the data type of the operand before the `@`")
                .hint("write fp32@ADDRESS[steps][counts]")),
        };
    }
    match operand.dtype {
        DTypeOf::Fixed(code) => {
            let found = value::dtype(c)?;
            if found != DType(code) {
                return Err(c.error_from(start, format!("{}, fixed by the opcode", DType(code))));
            }
        }
        DTypeOf::Field(_) => match dtype_owner(instr.format, field) {
            None => {
                value::dtype(c)?;
            }
            Some(owner) => {
                let mut code = value::parse_dtype(c, owner)?;
                if owner.kind == FieldKind::OutDType && code == u64::from(DType::FP32.0) {
                    code = 0;
                }
                put(instr, owner, code);
            }
        },
    }
    c.expect("@")
        .map_err(|e| e.hint("an operand is dtype@address[steps][counts]"))
}

pub(super) fn parse_slot(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
    rank: u8,
    arm: Arm,
    names: &dyn Names,
) -> Result<(), TextError> {
    parse_dtype(c, instr, field)?;
    let start = c.pos();
    let word = address::word4(c, instr.generation, names)?;
    if c.peek() == Some(':') {
        if arm == Arm::Tensor {
            return Err(c.error("`[`").hint("this slot has no indirect form"));
        }
        c.expect(":")?;
        let index = index_word(word).ok_or_else(|| c.error_from(start, INDEX))?;
        let data = address::word4(c, instr.generation, names)?;
        let num = count(c)?;
        let byte = field.byte();
        instr.bundle.put(byte, &index.to_le_bytes());
        instr.bundle.put(byte + 4, &data.to_le_bytes());
        instr.bundle.put(byte + 8, &num.to_le_bytes());
        return Ok(());
    }
    if arm == Arm::Mem && Addr4(word).indirect() {
        return Err(c
            .error_from(
                start,
                "`:` and the address of the data behind an index address",
            )
            .hint("an indirect operand is dtype@index:data[elements]"));
    }
    let dims = parse_dims(c, usize::from(rank), Addr4(word).shape_register())?;
    Pattern::new(Addr4(word), &dims).write(&mut instr.bundle, field.byte());
    Ok(())
}

const INDEX: &str = "the address of an index vector (bit 29 set, or a place)";

/// An index word: with the INDIRECT bit, which a place does not have by itself.
fn index_word(word: u32) -> Option<u32> {
    let word = Addr4(word);
    if word.indirect() {
        Some(word.0)
    } else if word.marker() & 0x60 == 0 {
        Some(word.0 | Addr4::INDIRECT)
    } else {
        None
    }
}

/// `[n]`, a number of elements.
fn count(c: &mut Cursor<'_>) -> Result<u16, TextError> {
    c.expect("[")?;
    c.blanks();
    let n = one_count(c, false)?;
    c.blanks();
    c.expect("]")?;
    Ok(n as u16)
}

/// A count: 1..65535, `0?`, or a plain 0 where `zero` says so.
fn one_count(c: &mut Cursor<'_>, zero: bool) -> Result<i64, TextError> {
    let start = c.pos();
    let expected = "a count, 1..65535";
    let n = c
        .signed_in("a count", 0, i64::from(u16::MAX))
        .map_err(|e| TextError {
            expected: expected.to_owned(),
            ..e
        })?;
    match (n, c.eat("?")) {
        (0, true) => Ok(0),
        (0, false) if !zero => Err(c
            .error_from(start, expected)
            .hint("an illegal count found in a bundle is written 0?")),
        (_, true) => Err(c.error_from(start, "`?` behind a count of 0 only")),
        (n, false) => Ok(n),
    }
}

/// `[steps][counts]` filled up to `rank` with {1,1}; `zero`: counts of 0 are in order.
fn parse_dims(c: &mut Cursor<'_>, rank: usize, zero: bool) -> Result<Vec<Dim>, TextError> {
    let start = c.pos();
    let step = |c: &mut Cursor<'_>| c.signed_in("a step", i64::from(i16::MIN), i64::from(i16::MAX));
    let steps = numbers(c, step).map_err(|e| hint_missing(e, "steps"))?;
    let middle = c.pos();
    let counts = numbers(c, |c| one_count(c, zero)).map_err(|e| hint_missing(e, "counts"))?;
    if steps.len() != counts.len() {
        return Err(TextError::new(
            middle..c.pos(),
            format!("{} counts", counts.len()),
            format!("{}, one per step", steps.len()),
        ));
    }
    if steps.len() > rank {
        return Err(TextError::new(
            start..c.pos(),
            format!("{} dimensions", steps.len()),
            format!("at most {rank} in this slot"),
        )
        .hint(
            crate::isa::fields::PackError::Dimensions {
                found: steps.len(),
                rank,
            }
            .to_string(),
        ));
    }
    let mut dims: Vec<Dim> = steps
        .iter()
        .zip(&counts)
        .map(|(&step, &num)| Dim {
            step: step as i16,
            num: num as u16,
        })
        .collect();
    dims.resize(rank, Dim::UNIT);
    Ok(dims)
}

fn hint_missing(error: TextError, what: &str) -> TextError {
    if error.expected == "`[`" {
        error.hint(format!(
            "an operand ends in [steps][counts]; the {what} are missing"
        ))
    } else {
        error
    }
}

/// `[a,b,..]`.
fn numbers(
    c: &mut Cursor<'_>,
    one: impl Fn(&mut Cursor<'_>) -> Result<i64, TextError>,
) -> Result<Vec<i64>, TextError> {
    c.expect("[")?;
    let mut out = Vec::new();
    loop {
        c.blanks();
        out.push(one(c)?);
        c.blanks();
        if c.eat("]") {
            return Ok(out);
        }
        if !c.eat(",") {
            return Err(c.error("`,` or `]`"));
        }
    }
}

pub(super) fn parse_data4(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
) -> Result<(), TextError> {
    let base = c.signed_in("a base value", i64::from(i32::MIN), i64::from(u32::MAX))?;
    let dims = parse_dims(c, 4, false)?;
    Pattern::new(Addr4(base as u32), &dims).write(&mut instr.bundle, field.byte());
    Ok(())
}

pub(super) fn parse_mx(
    c: &mut Cursor<'_>,
    instr: &mut Instr,
    field: &FieldDesc,
    names: &dyn Names,
) -> Result<(), TextError> {
    parse_dtype(c, instr, field)?;
    let start = c.pos();
    let first = address::word4(c, instr.generation, names)?;
    let byte = field.byte();
    if c.eat(":") {
        let index = index_word(first).ok_or_else(|| c.error_from(start, INDEX))?;
        let data = address::word4(c, instr.generation, names)?;
        c.expect("/")?;
        let scale = address::word4(c, instr.generation, names)?;
        let num = count(c)?;
        let pidx = scale_pidx(c)?;
        for (i, word) in [index, data, scale].into_iter().enumerate() {
            instr.bundle.put(byte + 4 * i, &word.to_le_bytes());
        }
        instr.bundle.put(byte + 12, &num.to_le_bytes());
        instr.bundle.put(byte + 15, &[pidx]);
        return Ok(());
    }
    if Addr4(first).indirect() {
        return Err(c.error_from(start, "`:` behind an index address"));
    }
    c.expect("/")
        .map_err(|e| e.hint("an MX operand is dtype@data/scale[step][count]pN"))?;
    let scale = address::word4(c, instr.generation, names)?;
    let step = match numbers(c, |c| c.signed_in("a step", -128, 127))?.as_slice() {
        [one] => *one as i8,
        _ => return Err(c.error_from(start, "one step")),
    };
    let num = count(c)?;
    let pidx = scale_pidx(c)?;
    instr.bundle.put(byte, &first.to_le_bytes());
    instr.bundle.put(byte + 4, &scale.to_le_bytes());
    instr.bundle.put(byte + 8, &num.to_le_bytes());
    instr.bundle.put(byte + 10, &[step as u8, pidx]);
    Ok(())
}

/// `pN`: partition of the scales in the quadrant; 0 when left out.
fn scale_pidx(c: &mut Cursor<'_>) -> Result<u8, TextError> {
    if c.eat("p") {
        Ok(c.number_in("a scale partition", 0, 255)? as u8)
    } else {
        Ok(0)
    }
}
