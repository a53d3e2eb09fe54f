//! Tokens of places and expressions, handed out one ahead.

use super::ast::Span;
use super::error::{ParseError, quote};
use super::literal;
use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, satisfy};
use nom::combinator::recognize;
use nom::multi::many0_count;
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// Operators and punctuation; a longer symbol stands before its own beginnings.
const SYMBOLS: [&str; 28] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "..", "[", "]", "(", ")", ",", ":", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=",
];

/// Words that cannot be a plain name: they continue a place or a command.
const RESERVED: [&str; 9] = [
    "as", "if", "inf", "nan", "sbuf", "psum", "dram", "sem", "evt",
];

/// One token. `Bad` is text that is no token; it becomes an error only if a parser needs a token there, because a prefix
/// parser may stop in front of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tok<'a> {
    Int(u64),
    Float(f64),
    Str(String),
    Word(&'a str),
    /// `$` and the dotted word behind it, without the `$`.
    Dollar(&'a str),
    Sym(&'static str),
    End,
    Bad(ParseError),
}

/// The reading position: one token of look-ahead, and the end of the last token taken.
pub(super) struct Cursor<'a> {
    line: &'a str,
    tok: Tok<'a>,
    span: Span,
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at byte `at`; an offset that is no character boundary reads as the end of the line.
    pub fn new(line: &'a str, at: usize) -> Self {
        let at = if line.is_char_boundary(at) {
            at
        } else {
            line.len()
        };
        let (tok, span) = lex(line, at);
        Self {
            line,
            tok,
            span,
            end: at,
        }
    }

    pub fn peek(&self) -> &Tok<'a> {
        &self.tok
    }

    /// Span of the token that `peek` shows.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// End of the last token taken.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Takes a token; its span comes with it.
    pub fn bump(&mut self) -> (Tok<'a>, Span) {
        self.end = self.span.end;
        let (tok, span) = lex(self.line, self.span.end);
        (
            std::mem::replace(&mut self.tok, tok),
            std::mem::replace(&mut self.span, span),
        )
    }

    /// Takes the symbol if it is next.
    pub fn eat(&mut self, symbol: &str) -> Option<Span> {
        matches!(self.tok, Tok::Sym(s) if s == symbol).then(|| self.bump().1)
    }

    /// Takes the keyword if it is next.
    pub fn eat_word(&mut self, word: &str) -> Option<Span> {
        matches!(self.tok, Tok::Word(w) if w == word).then(|| self.bump().1)
    }

    /// Takes the symbol or fails with the alternatives.
    pub fn require(&mut self, symbol: &str, expected: &[&'static str]) -> Result<Span, ParseError> {
        self.eat(symbol).ok_or_else(|| self.unexpected(expected))
    }

    /// Takes an integer literal or fails with the alternatives.
    pub fn integer(&mut self, expected: &[&'static str]) -> Result<(u64, Span), ParseError> {
        match self.tok {
            Tok::Int(n) => Ok((n, self.bump().1)),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Fails unless everything is read.
    pub fn finish(&self, expected: &[&'static str]) -> Result<(), ParseError> {
        if self.tok == Tok::End {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// The error that the next token is none of `expected`; what is no token at all has its own error.
    pub fn unexpected(&self, expected: &[&'static str]) -> ParseError {
        let found = match &self.tok {
            Tok::Bad(error) => return error.clone(),
            Tok::End => "end of line".to_owned(),
            _ => quote(self.line.get(self.span()).unwrap_or_default()),
        };
        let error = ParseError::new(self.span(), found, expected);
        match self.tok {
            Tok::Sym("..") => error.with_hint("a range is written `a:b`, b excluded"),
            Tok::Sym("=") if expected.contains(&"an operator") => {
                error.with_hint("did you mean `==`?")
            }
            Tok::Word(word) => error.suggesting(
                word,
                expected
                    .iter()
                    .filter_map(|e| e.strip_prefix('`')?.strip_suffix('`')),
            ),
            _ => error,
        }
    }
}

/// The token at or after byte `at`, a character boundary.
fn lex(line: &str, at: usize) -> (Tok<'_>, Span) {
    let rest = line.get(at..).unwrap_or_default();
    let text = rest.trim_start();
    let at = at + (rest.len() - text.len());
    let (tok, len) = match text.chars().next() {
        None => (Tok::End, 0),
        Some('0'..='9') => literal::number(text, at),
        Some('"' | '\'') => match literal::string(text, at) {
            Ok((value, len)) => (Tok::Str(value), len),
            Err(error) => (Tok::Bad(error), text.len()),
        },
        Some(first) => symbol_or_word(text, first, at),
    };
    (tok, at..at + len)
}

fn symbol_or_word(text: &str, first: char, at: usize) -> (Tok<'_>, usize) {
    if let Some(symbol) = SYMBOLS.iter().find(|s| text.starts_with(**s)) {
        return (Tok::Sym(symbol), symbol.len());
    }
    if let Ok((after, variable)) = preceded(char('$'), dotted).parse(text) {
        return (Tok::Dollar(variable), text.len() - after.len());
    }
    match dotted(text) {
        Ok((_, "inf")) => (Tok::Float(f64::INFINITY), 3),
        Ok((_, "nan")) => (Tok::Float(f64::NAN), 3),
        Ok((_, word)) => (Tok::Word(word), word.len()),
        Err(_) => {
            let expected = if first == '$' {
                "a register or variable such as `$pe.r5` or `$seq`"
            } else {
                "a name, a number or an operator"
            };
            let len = first.len_utf8();
            (
                Tok::Bad(ParseError::new(
                    at..at + len,
                    quote(text.get(..len).unwrap_or_default()),
                    &[expected],
                )),
                len,
            )
        }
    }
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `word`, `word.0`, `file.npy`: a dot is part of the word when a word character follows it.
fn dotted(i: &str) -> IResult<&str, &str> {
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    let tail = (char('.'), take_while1(is_word_char));
    recognize((first, take_while(is_word_char), many0_count(tail))).parse(i)
}

/// Whether `text` can be written as a name without quotes: letters, digits, `_` and inner dots, no word of the grammar.
/// Other names are written in quotes.
pub fn is_name(text: &str) -> bool {
    matches!(dotted(text), Ok(("", word)) if !is_reserved(word))
}

/// Whether the grammar claims the word.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}
