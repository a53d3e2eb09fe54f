//! One bundle taken apart: every field with its bytes, raw value, meaning and the rule it breaks.

mod rows;
mod slots;

use std::fmt;

use crate::isa::account::accesses;
use crate::isa::field::Role;
use crate::isa::legal::{CheckSettings, check_with};
use crate::isa::{Bundle, Confidence, Engine, Generation, Severity, Violation, decode, text};

/// One line: a field, a part of one, or bytes without a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Name; parts of a slot are `src.num[1]`.
    pub name: String,
    /// First byte.
    pub byte: usize,
    /// First bit inside that byte.
    pub bit: u16,
    /// Width in bits.
    pub bits: u16,
    /// The bytes or bits, in hex.
    pub raw: String,
    /// The value as a listing words it; empty when raw says it all.
    pub value: String,
    /// What the value means.
    pub meaning: String,
    /// How sure the sheets are.
    pub confidence: Confidence,
    /// The rules broken here.
    pub broken: Vec<Violation>,
    /// A part of the row before it.
    pub part: bool,
}

/// A bundle, explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The listing line.
    pub line: String,
    /// What the opcode does.
    pub doc: String,
    /// Its layout.
    pub layout: String,
    /// Who runs it.
    pub engines: String,
    /// The generation it was read by.
    pub generation: Generation,
    /// All fields in order of position.
    pub rows: Vec<Row>,
    /// What it reads, in words.
    pub reads: Vec<String>,
    /// What it writes, in words.
    pub writes: Vec<String>,
    /// Broken rules that belong to no row.
    pub broken: Vec<Violation>,
}

/// Explains a bundle of a stream of `engine`.
pub fn explain(
    bundle: &Bundle,
    generation: Generation,
    engine: Option<Engine>,
    settings: &CheckSettings,
) -> Explanation {
    let instr = decode(bundle, generation);
    let mut rows = rows::rows(&instr);
    let mut broken = Vec::new();
    for v in check_with(&instr, engine, settings) {
        // The narrowest row that holds the byte.
        let holds = |r: &&mut Row| {
            let end = r.byte + (usize::from(r.bit + r.bits)).div_ceil(8);
            (r.byte..end).contains(&v.byte)
        };
        match rows.iter_mut().filter(holds).min_by_key(|r| r.bits) {
            Some(row) => row.broken.push(v),
            None => broken.push(v),
        }
    }
    let of = |role: Role| {
        accesses(&instr)
            .iter()
            .filter(|a| a.role == role)
            .map(|a| a.text(generation))
            .collect()
    };
    let (doc, engines) = match instr.op {
        Some(op) => (op.doc.to_owned(), rows::engines(op)),
        None => ("no opcode of any generation".to_owned(), "none".to_owned()),
    };
    Explanation {
        line: text::line(&instr),
        doc,
        layout: rows::layout(&instr),
        engines,
        generation,
        rows,
        reads: of(Role::Read),
        writes: of(Role::Write),
        broken,
    }
}

impl Row {
    /// `16`, `12.4` for bits, `16..20` for several bytes.
    pub fn position(&self) -> String {
        if !self.bits.is_multiple_of(8) || self.bit != 0 {
            return match self.bits {
                1 => format!("{}.{}", self.byte, self.bit),
                n => format!("{}.{}-{}", self.byte, self.bit, self.bit + n - 1),
            };
        }
        match usize::from(self.bits / 8) {
            1 => self.byte.to_string(),
            n => format!("{}..{}", self.byte, self.byte + n),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = if self.part { "  " } else { "" };
        let name = format!("{indent}{}", self.name);
        write!(f, "{:>7}  {name:<24} {:<16}", self.position(), self.raw)?;
        if !self.value.is_empty() {
            write!(f, " {}", self.value)?;
        }
        if !self.meaning.is_empty() {
            write!(f, "  {}", self.meaning)?;
        }
        if !self.confidence.mark().is_empty() {
            write!(f, " ({})", self.confidence.mark())?;
        }
        for v in &self.broken {
            write!(f, "\n         {}", Broken(v))?;
        }
        Ok(())
    }
}

struct Broken<'a>(&'a Violation);

impl fmt::Display for Broken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            rule,
            severity,
            message,
            ..
        } = self.0;
        write!(f, "{}[{rule}] {message}", Severity::name(*severity))
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.line)?;
        if !self.doc.is_empty() {
            writeln!(f, "{}", self.doc)?;
        }
        writeln!(f, "layout: {} on {}", self.layout, self.generation)?;
        writeln!(f, "engines: {}", self.engines)?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        for (what, list) in [("reads", &self.reads), ("writes", &self.writes)] {
            for (i, text) in list.iter().enumerate() {
                let head = if i == 0 {
                    format!("{what}:")
                } else {
                    String::new()
                };
                writeln!(f, "{head:<7} {text}")?;
            }
        }
        for v in &self.broken {
            writeln!(f, "{}", Broken(v))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
