//! What is wrong with a source text, and where.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::isa::text::{TextError, window};

/// An error of the assembler.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{file}:{line}:{}: found {found}, expected {expected}", columns.start)]
pub struct AsmError {
    /// Name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Columns at fault, from 1, in characters.
    pub columns: Range<usize>,
    /// The line.
    pub text: String,
    /// What is there.
    pub found: String,
    /// What may be there.
    pub expected: String,
    /// How to repair it.
    pub hint: Option<String>,
}

impl AsmError {
    pub(super) fn new(file: &str, line: usize, text: &str, error: TextError) -> AsmError {
        let column = |byte: usize| text.get(..byte).unwrap_or(text).chars().count() + 1;
        AsmError {
            file: file.to_owned(),
            line,
            columns: column(error.span.start)..column(error.span.end),
            text: text.to_owned(),
            found: error.found,
            expected: error.expected,
            hint: error.hint,
        }
    }

    /// The error with the line under it, marked, and the hint.
    pub fn report(&self) -> String {
        format!("{self}\n{}", Marked(self))
    }
}

struct Marked<'a>(&'a AsmError);

impl fmt::Display for Marked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AsmError { columns, text, .. } = self.0;
        // Columns count characters from 1.
        let byte = |column: usize| {
            let nth = text.char_indices().nth(column.saturating_sub(1));
            nth.map_or(text.len(), |(at, _)| at)
        };
        let (text, at) = window(text, byte(columns.start)..byte(columns.end));
        let chars = |range: Range<usize>| text.get(range).unwrap_or_default().chars().count();
        let (before, width) = (chars(0..at.start), chars(at).max(1));
        writeln!(f, "  {}", text.replace('\t', " "))?;
        write!(f, "  {:>1$}", "", before)?;
        write!(f, "{}", "^".repeat(width))?;
        match &self.0.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}
