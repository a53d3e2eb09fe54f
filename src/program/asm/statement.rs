//! One instruction statement into one bundle.

use std::collections::BTreeMap;

use super::lexer::Word;
use super::parts::{Parts, sort};
use crate::isa::field::{DTypeOf, Field, FieldDesc, FieldKind};
use crate::isa::fields::DType;
use crate::isa::text::value::similar;
use crate::isa::text::{self, Names, TextError};
use crate::isa::{Bundle, Generation, Instr, OpRow, table};
use crate::program::BranchForm;

/// What a statement may refer to.
pub struct Context<'a> {
    /// Generation the bundle is for.
    pub generation: Generation,
    /// Named places.
    pub names: &'a dyn Names,
    /// Labels of the stream: bundle indices.
    pub labels: &'a BTreeMap<String, u64>,
    /// Index of this bundle in its stream.
    pub index: u64,
    /// How the stream writes branch targets.
    pub branch: BranchForm,
}

/// Assembles a statement whose first word is an opcode name.
///
/// # Errors
/// [`TextError`] with a span in the line.
pub fn bundle(words: &[Word<'_>], cx: &Context<'_>) -> Result<Bundle, TextError> {
    let Some((name, rest)) = words.split_first() else {
        return Err(TextError::new(0..0, "nothing", "an instruction"));
    };
    let (opcode, op) = opcode(*name)?;
    let parts = sort(rest)?;
    let mut base = Bundle::of_opcode(opcode);
    for (at, bytes) in &parts.raw {
        base.put(*at, bytes);
    }
    for (at, value) in parts.header.iter().enumerate() {
        if let Some(v) = value {
            base.put(at + 1, &[*v]);
        }
    }
    let span = name.at..rest.last().map_or(name.at, |w| w.at + w.text.len());
    // A selector byte of the body can choose the layout: read again until it stays.
    let mut instr = crate::isa::decode(&base, cx.generation);
    for _ in 0..4 {
        let format = instr.format;
        instr.bundle = base;
        let result = fill(&mut instr, &parts, cx, span.clone());
        let chosen = op.map_or(format, |o| o.format(&instr.bundle, cx.generation));
        if std::ptr::eq(chosen, format) {
            return result.map(|()| instr.bundle);
        }
        instr.format = chosen;
    }
    Err(name.error("fields that agree on one layout of the opcode"))
}

/// The opcode of a header name, listing name or `OP_0xNN`.
fn opcode(name: Word<'_>) -> Result<(u8, Option<&'static OpRow>), TextError> {
    if let Some(row) = table::by_name(name.text) {
        return Ok((row.byte, Some(row)));
    }
    let hex = name.text.strip_prefix("OP_0x").unwrap_or("");
    if let (1..=2, Ok(byte)) = (hex.len(), u8::from_str_radix(hex, 16)) {
        return Ok((byte, table::by_byte(byte)));
    }
    let error = name.error("an opcode name, OP_0xNN, a label or a directive");
    let names = table::rows().flat_map(|r| [r.name, r.listing_name()]);
    Err(match similar(name.text, names) {
        Some(close) => error.hint(format!("did you mean `{close}`?")),
        None => error,
    })
}

/// Fills the layout of `instr` from the words. Goes on after an error, so that a selector further
/// right still counts; the first error is returned.
fn fill(
    instr: &mut Instr,
    parts: &Parts<'_>,
    cx: &Context<'_>,
    span: std::ops::Range<usize>,
) -> Result<(), TextError> {
    let mut first = Ok(());
    let mut note = |r: Result<(), TextError>| {
        if first.is_ok() {
            first = r;
        }
    };
    note(put_events(instr, parts, span.clone()));
    note(put_ext(instr, parts));
    let mut told = Vec::new();
    for (field, word) in match_positions(instr, parts, span, &mut note) {
        note(put_field(instr, field, word, cx, &mut told));
    }
    let (late, early): (Vec<_>, Vec<_>) = parts.keys.iter().copied().partition(|(key, _)| {
        let field = instr.format.field(key.text);
        field.is_some_and(|f| matches!(f.kind, FieldKind::Imm { .. }))
    });
    for (key, value) in early.into_iter().chain(late) {
        note(match instr.format.field(key.text) {
            Some(field) => put_key(instr, field, value, parts, cx, &mut told),
            None => Err(unknown_key(instr, key)),
        });
    }
    first
}

fn put_events(
    instr: &mut Instr,
    parts: &Parts<'_>,
    span: std::ops::Range<usize>,
) -> Result<(), TextError> {
    if parts.inline.is_empty() {
        return Ok(());
    }
    if instr.format.bare {
        let found = "a wait or an update".to_owned();
        let expected = format!("no events: {} has no band for them", instr.format.name);
        return Err(TextError::new(span, found, expected));
    }
    let events = parts.inline.events().map_err(|mut e| {
        e.span = span;
        e
    })?;
    events.put(&mut instr.bundle);
    Ok(())
}

fn put_ext(instr: &mut Instr, parts: &Parts<'_>) -> Result<(), TextError> {
    let Some(word) = parts.saw_ext else {
        return Ok(());
    };
    let field = instr
        .format
        .fields
        .iter()
        .find(|f| f.kind == FieldKind::EventsExt);
    match field {
        Some(f) => {
            parts.ext.ext().put(&mut instr.bundle, f.at);
            Ok(())
        }
        None => Err(word.error(format!(
            "fields of {}, which has no second lane",
            instr.name()
        ))),
    }
}

/// Pairs the words without key with the operand and name slots that no key sets.
fn match_positions<'a>(
    instr: &Instr,
    parts: &Parts<'a>,
    span: std::ops::Range<usize>,
    note: &mut dyn FnMut(Result<(), TextError>),
) -> Vec<(&'static FieldDesc, Word<'a>)> {
    let open = |name: bool| {
        instr.format.fields.iter().filter(move |f| {
            text::is_positional(f)
                && (f.kind == FieldKind::Name) == name
                && !parts.keys.iter().any(|k| k.0.text == f.name)
        })
    };
    let (mut names, mut operands) = (open(true), open(false));
    let mut pairs = Vec::new();
    for &word in &parts.positional {
        let slot = if word.has_at() {
            operands.next()
        } else {
            names.next()
        };
        match slot {
            Some(field) => pairs.push((field, word)),
            None => note(Err(extra(instr, word))),
        }
    }
    let missing: Vec<&str> = operands.map(|f| f.name).collect();
    if !missing.is_empty() {
        note(Err(TextError::new(
            span,
            format!("no operand for {}", missing.join(", ")),
            format!("the operands {}", operand_names(instr)),
        )
        .hint("an operand is dtype@address[steps][counts]")));
    }
    pairs
}

fn operand_names(instr: &Instr) -> String {
    let all: Vec<&str> = instr
        .format
        .fields
        .iter()
        .filter(|f| text::is_positional(f))
        .map(|f| f.name)
        .collect();
    all.join(", ")
}

fn extra(instr: &Instr, word: Word<'_>) -> TextError {
    let all = operand_names(instr);
    if all.is_empty() {
        word.error("key=value; this opcode has no operands")
    } else {
        word.error(format!("key=value behind the operands {all}"))
    }
}

fn unknown_key(instr: &Instr, key: Word<'_>) -> TextError {
    let names: Vec<&str> = instr.format.fields.iter().map(|f| f.name).collect();
    let error = key.error(if names.is_empty() {
        "raw[N]=hex; the layout of this opcode is not published".to_owned()
    } else {
        format!("a field of {}: {}", instr.format.name, names.join(", "))
    });
    match similar(key.text, names.into_iter()) {
        Some(close) => error.hint(format!("did you mean `{close}`?")),
        None => error,
    }
}

/// Data types told by operands so far: field position, code, operand.
type Told = Vec<(u16, u64, &'static str)>;

/// Reads a value; operands that share a data type field must agree.
fn put_field(
    instr: &mut Instr,
    field: &'static FieldDesc,
    word: Word<'_>,
    cx: &Context<'_>,
    told: &mut Told,
) -> Result<(), TextError> {
    text::parse(instr, field, word.text, cx.names).map_err(|e| e.shifted(word.at))?;
    if let Some(DTypeOf::Field(name)) = field.operand.map(|o| o.dtype)
        && let Some(owner) = instr.format.field(name)
    {
        let code = owner.raw(&instr.bundle);
        match told.iter().find(|t| t.0 == owner.at) {
            Some((_, other, first)) if *other != code => {
                let dtype = DType(*other as u8);
                return Err(word.error(format!("{dtype}, the data type it shares with {first}")));
            }
            _ => told.push((owner.at, code, field.name)),
        }
    }
    Ok(())
}

/// Reads `key=value`; a branch target may be a label.
fn put_key(
    instr: &mut Instr,
    field: &'static FieldDesc,
    value: Word<'_>,
    parts: &Parts<'_>,
    cx: &Context<'_>,
    told: &mut Told,
) -> Result<(), TextError> {
    if field.name == "br_immediate" && super::lexer::is_name(value.text) {
        let Some(target) = cx.labels.get(value.text) else {
            let error = value.error("a label of this stream or a number");
            let close = similar(value.text, cx.labels.keys().map(String::as_str));
            return Err(match close {
                Some(close) => error.hint(format!("did you mean `{close}`?")),
                None => error,
            });
        };
        let Some(raw) = cx.branch.encode(cx.index, *target) else {
            return Err(value.error("a label less than 2^31 bytes away"));
        };
        instr.bundle.put_bits(field.at, field.bits, raw);
        if cx.branch == BranchForm::RelBytes && parts.header[2].is_none() {
            instr.bundle.put(3, &[2]);
        }
        return Ok(());
    }
    put_field(instr, field, value, cx, told)?;
    let owner = told.iter().find(|t| t.0 == field.at);
    if let Some((_, code, operand)) = owner
        && field.kind != FieldKind::OutDType
        && *code != field.raw(&instr.bundle)
    {
        let dtype = DType(*code as u8);
        return Err(value.error(format!(
            "{dtype}, the data type before the `@` of {operand}"
        )));
    }
    Ok(())
}
