//! A position in a text, and the small words every value is made of.

use super::TextError;

/// Reads a text from left to right.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    pub fn new(text: &'a str) -> Self {
        Cursor { text, pos: 0 }
    }

    /// Byte offset of the next character.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or("")
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    pub fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    /// Skips blanks.
    pub fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.pos += 1;
        }
    }

    /// Takes `word` if it is next.
    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Takes `word` or fails.
    ///
    /// # Errors
    /// The word is not next.
    pub fn expect(&mut self, word: &str) -> Result<(), TextError> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(self.error(format!("`{word}`")))
        }
    }

    /// Takes characters while they satisfy `test`.
    pub fn take(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.pos += len;
        rest.get(..len).unwrap_or("")
    }

    /// Takes an identifier; empty when none is next.
    pub fn word(&mut self) -> &'a str {
        if self.peek().is_some_and(is_word_start) {
            self.take(is_word)
        } else {
            ""
        }
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// Something is.
    pub fn end(&self) -> Result<(), TextError> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("the end of the value"))
        }
    }

    /// An error at the next word.
    pub fn error(&self, expected: impl Into<String>) -> TextError {
        let rest = self.rest();
        let len = match rest.chars().next() {
            None => 0,
            Some(c) if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            Some(c) => c.len_utf8(),
        };
        let found = match rest.get(..len) {
            None | Some("") => "the end".to_owned(),
            Some(word) => super::quoted(word),
        };
        TextError::new(self.pos..self.pos + len, found, expected)
    }

    /// An error at what was taken since `from`.
    pub fn error_from(&self, from: usize, expected: impl Into<String>) -> TextError {
        let taken = self.text.get(from..self.pos).unwrap_or("");
        TextError::new(from..self.pos, super::quoted(taken), expected)
    }

    /// Is a number next?
    pub fn at_number(&self) -> bool {
        self.peek().is_some_and(|c| c.is_ascii_digit())
    }

    /// An unsigned number: decimal or `0x`, `_` between digits, `KiB` or `MiB` behind.
    ///
    /// # Errors
    /// No number, or one beyond 64 bits.
    pub fn number(&mut self, what: &str) -> Result<u64, TextError> {
        let start = self.pos;
        if !self.at_number() {
            return Err(self.error(what));
        }
        let (radix, digits) = if self.eat("0x") || self.eat("0X") {
            (16, self.take(|c| c.is_ascii_hexdigit() || c == '_'))
        } else {
            (10, self.take(|c| c.is_ascii_digit() || c == '_'))
        };
        let unit = if self.eat("KiB") {
            1 << 10
        } else if self.eat("MiB") {
            1 << 20
        } else {
            1
        };
        if self.peek().is_some_and(is_word) {
            self.take(is_word);
            return Err(self.error_from(start, what));
        }
        let plain: String = digits.chars().filter(|c| *c != '_').collect();
        u64::from_str_radix(&plain, radix)
            .ok()
            .and_then(|n| n.checked_mul(unit))
            .ok_or_else(|| self.error_from(start, "a number of at most 64 bits"))
    }

    /// A number within bounds.
    ///
    /// # Errors
    /// No number, or outside the bounds.
    pub fn number_in(&mut self, what: &str, low: u64, high: u64) -> Result<u64, TextError> {
        let start = self.pos;
        let n = self.number(what)?;
        if (low..=high).contains(&n) {
            Ok(n)
        } else {
            Err(self.error_from(start, format!("{what}, {low}..{high}")))
        }
    }

    /// A number with an optional sign, within bounds.
    ///
    /// # Errors
    /// No number, or outside the bounds.
    pub fn signed_in(&mut self, what: &str, low: i64, high: i64) -> Result<i64, TextError> {
        let start = self.pos;
        let negative = self.eat("-");
        let n = i128::from(self.number(what)?);
        let n = if negative { -n } else { n };
        match i64::try_from(n) {
            Ok(n) if (low..=high).contains(&n) => Ok(n),
            _ => Err(self.error_from(start, format!("{what}, {low}..{high}"))),
        }
    }
}

/// May an identifier start so?
pub(super) fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// May an identifier go on so?
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
