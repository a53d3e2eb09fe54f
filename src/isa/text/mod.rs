//! Text of bundles: the listing line and, field by field, printing and parsing.
//!
//! A line is `NAME [wait] [update] [ext wait update] operands key=value ... ;` (interface §5).
//! It is complete: whatever no word shows follows as `raw[13]=05`, so that assembling the line
//! gives the same 64 bytes. The text of a kind is written once, printing beside parsing:
//! [`events`] waits and updates, [`pattern`] operands, [`address`] address words, [`value`] the
//! rest. Parsing never looks at files or symbol tables; names go through [`Names`].

pub mod address;
mod cursor;
pub mod events;
mod line;
pub mod pattern;
#[cfg(test)]
mod tests;
pub mod value;
pub mod words;

use std::ops::Range;

use thiserror::Error;

use crate::isa::field::{FieldDesc, FieldKind};
use crate::isa::{Generation, Instr};

pub use address::{Names, NoNames, Target};
pub use cursor::Cursor;
pub use line::{dtype_operand, is_positional, line, line_with, residue, write_line};

/// Why a text is not a value: where in the text, what is there, what may be there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("found {found}, expected {expected}")]
pub struct TextError {
    /// Bytes of the parsed text at fault.
    pub span: Range<usize>,
    /// What is there.
    pub found: String,
    /// What may be there.
    pub expected: String,
    /// How to repair it.
    pub hint: Option<String>,
}

impl TextError {
    /// An error without a hint.
    pub fn new(
        span: Range<usize>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> TextError {
        TextError {
            span,
            found: found.into(),
            expected: expected.into(),
            hint: None,
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> TextError {
        self.hint = Some(text.into());
        self
    }

    /// The same error in a text that starts `by` bytes earlier.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> TextError {
        self.span = self.span.start + by..self.span.end + by;
        self
    }
}

/// Characters of a line that a message shows.
const SHOWN: usize = 160;

/// The part of a line that a message shows around the bytes at fault, and where they are in it: a long line is cut.
pub fn window(line: &str, at: Range<usize>) -> (String, Range<usize>) {
    if line.len() <= SHOWN {
        return (line.to_owned(), at);
    }
    let edge = |wanted: usize| {
        (0..=wanted.min(line.len()))
            .rev()
            .find(|i| line.is_char_boundary(*i))
    };
    let from = edge(at.start.saturating_sub(SHOWN / 4)).unwrap_or(0);
    let to = edge(from + SHOWN).unwrap_or(line.len());
    let mut text = String::new();
    if from > 0 {
        text.push_str("...");
    }
    let shift = text.len();
    text.push_str(line.get(from..to).unwrap_or_default());
    let place = |i: usize| i.clamp(from, to) - from + shift;
    let span = place(at.start)..place(at.end);
    if to < line.len() {
        text.push_str("...");
    }
    (text, span)
}

/// A word as messages quote it: in backquotes, cut when long.
pub fn quoted(word: &str) -> String {
    match word.char_indices().nth(SHOWN / 2) {
        Some((cut, _)) => format!("`{}...`", word.get(..cut).unwrap_or_default()),
        None => format!("`{word}`"),
    }
}

/// Appends the value of a field, without its key.
pub fn print(out: &mut String, instr: &Instr, field: &FieldDesc) {
    match field.kind {
        FieldKind::Pattern(rank, arm) => pattern::print_slot(out, instr, field, rank, arm),
        FieldKind::Mx => pattern::print_mx(out, instr, field),
        FieldKind::Data4 => pattern::print_data4(out, instr, field),
        FieldKind::Addr4 => address::print4(out, field.raw(&instr.bundle) as u32),
        FieldKind::Addr8 | FieldKind::PseudoAddr8 => {
            address::print8(out, field.raw(&instr.bundle));
        }
        FieldKind::Name => words::print_name(out, field.bytes(&instr.bundle)),
        FieldKind::Raw => words::print_raw(out, field.bytes(&instr.bundle)),
        FieldKind::List(bits, kind) => words::print_list(out, instr, field, bits, kind),
        FieldKind::EventsExt => {}
        _ => value::print(out, instr, field),
    }
}

/// Reads the value of a field into the bundle of `instr`. What the value depends on (the source
/// selector of an immediate) must be in place before.
///
/// # Errors
/// [`TextError`] with a span inside `text`.
pub fn parse(
    instr: &mut Instr,
    field: &FieldDesc,
    text: &str,
    names: &dyn Names,
) -> Result<(), TextError> {
    let mut c = Cursor::new(text);
    match field.kind {
        FieldKind::Pattern(rank, arm) => {
            pattern::parse_slot(&mut c, instr, field, rank, arm, names)?;
        }
        FieldKind::Mx => pattern::parse_mx(&mut c, instr, field, names)?,
        FieldKind::Data4 => pattern::parse_data4(&mut c, instr, field)?,
        FieldKind::Addr4 => {
            let word = address::parse4(&mut c, instr.generation, names)?;
            put(instr, field, u64::from(word));
        }
        FieldKind::Addr8 | FieldKind::PseudoAddr8 => {
            let word = address::parse8(&mut c, instr.generation, names)?;
            put(instr, field, word);
        }
        FieldKind::Name => words::parse_name(&mut c, instr, field)?,
        FieldKind::Raw => words::parse_raw(&mut c, instr, field)?,
        FieldKind::List(bits, kind) => words::parse_list(&mut c, instr, field, bits, kind)?,
        FieldKind::EventsExt => {
            return Err(c.error("the second lane after the word `ext`"));
        }
        _ => value::parse(&mut c, instr, field, names)?,
    }
    c.end()
}

/// Stores the raw value of a field of at most 64 bits.
fn put(instr: &mut Instr, field: &FieldDesc, raw: u64) {
    instr.bundle.put_bits(field.at, field.bits.min(64), raw);
}

/// The bundle of a generation that a text is read into.
pub fn blank(opcode: u8, generation: Generation) -> Instr {
    crate::isa::decode(&crate::isa::Bundle::of_opcode(opcode), generation)
}
