//! Command lines as words: what a command reads when its argument is not a place or an expression.

use super::ast::Span;
use super::error::ParseError;
use super::literal;

/// A word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word without its quotes.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
    /// Whether any part of it was quoted: a quoted word is never a keyword.
    pub quoted: bool,
}

/// All words of a line, its comment left out. White space separates; quotes keep it (`"a b".npy` is one word).
pub fn words(line: &str) -> Result<Vec<Word>, ParseError> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(word) = word_at(line, at)? {
        at = word.span.end;
        all.push(word);
    }
    Ok(all)
}

/// The first word of `line` from byte `at` on; `None` at its end or at a comment.
pub fn word_at(line: &str, at: usize) -> Result<Option<Word>, ParseError> {
    let rest = line.get(at..).unwrap_or_default();
    let body = rest.trim_start();
    let start = line.len() - body.len();
    if body.is_empty() || body.starts_with('#') {
        return Ok(None);
    }
    let mut word = Word {
        text: String::new(),
        span: start..start,
        quoted: false,
    };
    while let Some(rest) = line.get(word.span.end..) {
        if rest.starts_with(['"', '\'']) {
            let (text, len) = literal::string(rest, word.span.end)?;
            word.text.push_str(&text);
            word.span.end += len;
            word.quoted = true;
            continue;
        }
        let stops = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '#');
        let plain = rest
            .get(..rest.find(stops).unwrap_or(rest.len()))
            .unwrap_or_default();
        if plain.is_empty() {
            break;
        }
        word.text.push_str(plain);
        word.span.end += plain.len();
    }
    Ok(Some(word))
}

/// The line without its comment (`#` outside quotes, to the end) and without white space before that. A line with an open
/// quote has no comment; whoever reads the words will report the quote.
pub fn strip_comment(line: &str) -> &str {
    let mut at = 0;
    while let Some(rest) = line.get(at..) {
        let Some(found) = rest.find(['#', '"', '\'']) else {
            break;
        };
        at += found;
        let mark = line.get(at..).unwrap_or_default();
        if mark.starts_with('#') {
            return line.get(..at).unwrap_or_default().trim_end();
        }
        match literal::string(mark, at) {
            Ok((_, len)) => at += len,
            Err(_) => break,
        }
    }
    line.trim_end()
}
