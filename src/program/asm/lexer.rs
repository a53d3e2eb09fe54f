//! Lines into statements, statements into words.
//!
//! Words are separated by blanks; blanks inside brackets and quotes belong to the word. `;` ends a
//! statement, `#` starts a comment.

use crate::isa::text::{TextError, quoted};

/// A word and where it starts in the line, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    /// The text.
    pub text: &'a str,
    /// Byte offset in the line.
    pub at: usize,
}

impl<'a> Word<'a> {
    /// An error about the whole word.
    pub fn error(&self, expected: impl Into<String>) -> TextError {
        TextError::new(
            self.at..self.at + self.text.len(),
            quoted(self.text),
            expected,
        )
    }

    /// The part of the word from byte `from` on.
    pub fn tail(&self, from: usize) -> Word<'a> {
        Word {
            text: self.text.get(from..).unwrap_or(""),
            at: self.at + from,
        }
    }

    /// Splits `key=value` and `raw[12]=value`.
    pub fn key_value(&self) -> Option<(Word<'a>, Word<'a>)> {
        let eq = self.text.find('=')?;
        let key = self.text.get(..eq)?;
        let name = key.split('[').next().unwrap_or("");
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let indexed = key.len() == name.len() || key.ends_with(']');
        let word = Word {
            text: key,
            at: self.at,
        };
        (named && indexed).then(|| (word, self.tail(eq + 1)))
    }

    /// Does an `@` stand outside quotes?
    pub fn has_at(&self) -> bool {
        !self.text.starts_with('"') && self.text.contains('@')
    }

    /// The name of a label, when the word is `NAME:`.
    pub fn label(&self) -> Option<&'a str> {
        let name = self.text.strip_suffix(':')?;
        is_name(name).then_some(name)
    }
}

/// Is it a name of a label or place?
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// What one character does to the cutting.
struct Lexer<'a> {
    line: &'a str,
    start: Option<usize>,
    words: Vec<Word<'a>>,
    all: Vec<Vec<Word<'a>>>,
}

impl Lexer<'_> {
    fn end_word(&mut self, end: usize) {
        if let Some(at) = self.start.take() {
            let text = self.line.get(at..end).unwrap_or("");
            self.words.push(Word { text, at });
        }
    }

    fn end_statement(&mut self, end: usize) {
        self.end_word(end);
        if !self.words.is_empty() {
            self.all.push(std::mem::take(&mut self.words));
        }
    }
}

/// Cuts a line into its statements; empty ones are left out.
///
/// # Errors
/// A quote or bracket that is not closed.
pub fn statements(line: &str) -> Result<Vec<Vec<Word<'_>>>, TextError> {
    let mut lexer = Lexer {
        line,
        start: None,
        words: Vec::new(),
        all: Vec::new(),
    };
    let mut brackets = Vec::new();
    let mut chars = line.char_indices();
    let mut end = line.len();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                lexer.start.get_or_insert(at);
                if !close_quote(&mut chars) {
                    return Err(TextError::new(
                        at..line.len(),
                        "an open quote",
                        "a closing `\"`",
                    ));
                }
            }
            '#' => {
                end = at;
                break;
            }
            ';' => {
                if let Some(open) = brackets.pop() {
                    return Err(unclosed(open));
                }
                lexer.end_statement(at);
            }
            '[' => {
                brackets.push(at);
                lexer.start.get_or_insert(at);
            }
            ']' => {
                brackets.pop();
                lexer.start.get_or_insert(at);
            }
            c if c.is_whitespace() && brackets.is_empty() => lexer.end_word(at),
            _ => {
                lexer.start.get_or_insert(at);
            }
        }
    }
    if let Some(open) = brackets.pop() {
        return Err(unclosed(open));
    }
    lexer.end_statement(end);
    Ok(lexer.all)
}

fn unclosed(open: usize) -> TextError {
    TextError::new(open..open + 1, "an open `[`", "a closing `]`")
}

/// Skips to behind the closing quote.
fn close_quote(chars: &mut std::str::CharIndices<'_>) -> bool {
    while let Some((_, c)) = chars.next() {
        match c {
            '"' => return true,
            '\\' => {
                chars.next();
            }
            _ => {}
        }
    }
    false
}
