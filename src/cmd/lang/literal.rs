//! Numbers and quoted strings.

use super::ast::Span;
use super::error::{ParseError, quote};
use super::token::{Tok, is_word_char};
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, tag_no_case, take_while, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{opt, recognize};
use nom::multi::fold_many0;
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

/// Byte multiples that may follow an integer.
const SUFFIXES: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// The pieces of a number as written.
struct Numeral<'a> {
    hex: bool,
    whole: &'a str,
    /// Fraction or exponent, both raw; present = floating point.
    real: Option<&'a str>,
    /// Whatever word characters follow; a byte multiple if legal.
    suffix: &'a str,
}

/// Reads a number at the start of `rest` (which starts with a digit); `at` is its offset in the line. Returns the token, a
/// [`Tok::Bad`] when the number is malformed or too large, and its length in bytes.
pub(super) fn number<'a>(rest: &'a str, at: usize) -> (Tok<'a>, usize) {
    let Ok((after, numeral)) = alt((hexadecimal, decimal)).parse(rest) else {
        return (
            Tok::Bad(ParseError::new(at..at, "no digits", &["a number"])),
            0,
        );
    };
    let len = rest.len() - after.len();
    let text = rest.get(..len).unwrap_or_default();
    (
        numeral.value(text, at..at + len).unwrap_or_else(Tok::Bad),
        len,
    )
}

fn hexadecimal(i: &str) -> IResult<&str, Numeral<'_>> {
    let hex_digit = |c: char| c.is_ascii_hexdigit() || c == '_';
    (
        preceded(tag_no_case("0x"), take_while(hex_digit)),
        take_while(is_word_char),
    )
        .map(|(whole, suffix)| Numeral {
            hex: true,
            whole,
            real: None,
            suffix,
        })
        .parse(i)
}

fn decimal(i: &str) -> IResult<&str, Numeral<'_>> {
    let digits = || take_while1(|c: char| c.is_ascii_digit() || c == '_');
    let fraction = || {
        (
            char('.'),
            digit1,
            take_while(|c: char| c.is_ascii_digit() || c == '_'),
        )
    };
    let exponent = || (one_of("eE"), opt(one_of("+-")), digit1);
    let real = alt((
        recognize((fraction(), opt(exponent()))),
        recognize(exponent()),
    ));
    (digits(), opt(real), take_while(is_word_char))
        .map(|(whole, real, suffix)| Numeral {
            hex: false,
            whole,
            real,
            suffix,
        })
        .parse(i)
}

impl<'a> Numeral<'a> {
    fn value(&self, text: &str, span: Span) -> Result<Tok<'a>, ParseError> {
        if self.real.is_some() {
            self.real_value(text, span)
        } else {
            self.integer_value(text, span)
        }
    }

    fn integer_value(&self, text: &str, span: Span) -> Result<Tok<'a>, ParseError> {
        let radix = if self.hex { 16 } else { 10 };
        let digits = || self.whole.chars().filter_map(|c| c.to_digit(radix));
        let names = || SUFFIXES.iter().map(|(name, _)| *name);
        let unit = match (self.suffix, digits().next()) {
            ("", Some(_)) => Some(1),
            (suffix, Some(_)) => SUFFIXES
                .iter()
                .find(|(name, _)| *name == suffix)
                .map(|(_, unit)| *unit),
            (_, None) => None,
        };
        let unit = unit.ok_or_else(|| {
            ParseError::new(span.clone(), quote(text), &["a number"])
                .suggesting(self.suffix, names())
        })?;
        digits()
            .try_fold(0u64, |n, d| {
                n.checked_mul(u64::from(radix))?.checked_add(u64::from(d))
            })
            .and_then(|n| n.checked_mul(unit))
            .map(Tok::Int)
            .ok_or_else(|| {
                ParseError::new(
                    span,
                    format!("{}, which is too large", quote(text)),
                    &["a number below 2^64"],
                )
            })
    }

    fn real_value(&self, text: &str, span: Span) -> Result<Tok<'a>, ParseError> {
        if !self.suffix.is_empty() {
            let error = ParseError::new(span, quote(text), &["a number"]);
            return Err(error.with_hint("a number with a fraction or an exponent takes no suffix"));
        }
        let plain: String = text.chars().filter(|c| *c != '_').collect();
        match plain.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(Tok::Float(x)),
            _ => Err(ParseError::new(
                span,
                format!("{}, which is too large", quote(text)),
                &["a number that fits in 64-bit floating point"],
            )),
        }
    }
}

/// Reads a quoted string at the start of `rest`, which starts with a quote; returns its contents and length, or the error
/// that it never closes. Inside `"` a backslash takes away the meaning of `"` and of itself; inside `'` nothing is special.
pub(super) fn string(rest: &str, at: usize) -> Result<(String, usize), ParseError> {
    let single = delimited(char('\''), take_while(|c| c != '\''), char('\'')).map(str::to_owned);
    match alt((single, double)).parse(rest) {
        Ok((after, text)) => Ok((text, rest.len() - after.len())),
        Err(_) => {
            let close = if rest.starts_with('"') {
                "a closing `\"`"
            } else {
                "a closing `'`"
            };
            Err(ParseError::new(
                at..at + rest.len(),
                "end of line",
                &[close],
            ))
        }
    }
}

fn double(i: &str) -> IResult<&str, String> {
    let escape = preceded(char('\\'), recognize(one_of("\"\\")));
    let piece = alt((escape, tag("\\"), is_not("\"\\")));
    let body = fold_many0(piece, String::new, |mut all, piece: &str| {
        all.push_str(piece);
        all
    });
    delimited(char('"'), body, char('"')).parse(i)
}
