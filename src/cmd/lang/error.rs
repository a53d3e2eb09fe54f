//! What a parser could not read: where, what stood there, what could have stood there.

use super::ast::Span;
use super::suggest::nearest;
use crate::isa::text::window;
use unicode_width::UnicodeWidthChar;

/// A text that does not follow the grammar. Its `Display` is one sentence without the position; [`ParseError::caret`] draws that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found {found}{}", alternatives(.expected), hint_tail(.hint))]
pub struct ParseError {
    /// Byte offsets of the offending token in the line; empty at its end.
    pub span: Span,
    /// The offending token in backquotes, or a description such as `end of line`.
    pub found: String,
    /// What would have been accepted, in the order of the grammar.
    pub expected: Vec<&'static str>,
    /// A way out, as a phrase: "did you mean `sbuf`?".
    pub hint: Option<String>,
}

impl ParseError {
    /// An error without a hint.
    pub fn new(span: Span, found: impl Into<String>, expected: &[&'static str]) -> Self {
        Self {
            span,
            found: found.into(),
            expected: expected.to_vec(),
            hint: None,
        }
    }

    /// Adds a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds "did you mean ..." when one of `candidates` is close to `word`.
    pub fn suggesting<'a>(self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(word, candidates) {
            Some(best) => self.with_hint(format!("did you mean `{best}`?")),
            None => self,
        }
    }

    /// The same error in a line where the parsed text starts at byte `by`.
    pub fn shifted(mut self, by: usize) -> Self {
        self.span = self.span.start.saturating_add(by)..self.span.end.saturating_add(by);
        self
    }

    /// Two lines: `line` and carets under the span. Wide characters and tabs keep the carets in their columns.
    pub fn caret(&self, line: &str) -> String {
        let (line, span) = window(line, self.span.clone());
        let mut marks = String::new();
        let mut carets = 0usize;
        for (at, ch) in line.char_indices() {
            let width = ch.width().unwrap_or(1);
            if at < span.start {
                marks.extend(std::iter::repeat_n(
                    if ch == '\t' { '\t' } else { ' ' },
                    if ch == '\t' { 1 } else { width },
                ));
            } else if at < span.end {
                carets += width;
            } else {
                break;
            }
        }
        marks.extend(std::iter::repeat_n('^', carets.max(1)));
        format!("{line}\n{marks}")
    }
}

/// Source text as it appears in messages: in backquotes, cut when long.
pub(super) fn quote(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("`{}...`", text.get(..cut).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}

fn alternatives(expected: &[&'static str]) -> String {
    match expected {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}

fn hint_tail(hint: &Option<String>) -> String {
    hint.as_ref().map(|h| format!("; {h}")).unwrap_or_default()
}
