//! Places: `sbuf[0:128, 0x2000+2048] as fp32`, `psum[0:128, bank 2, 0:4]`, `dram[0x1000+64]`, a name.
//!
//! Inside the brackets stand literal numbers, not expressions: `4+8` is eight bytes from offset 4. A lone `:` means all, and so does the
//! bare name of a memory. The size of the memories is the caller's to check.

use super::Space;
use super::ast::{Bytes, Parts, PlaceAst, PlaceKind, Span};
use super::error::{ParseError, quote};
use super::token::{Cursor, Tok, is_reserved};

pub(super) const EXPECTED: [&str; 4] = ["`sbuf`", "`psum`", "`dram`", "a name"];

/// The memory of that name.
pub fn space_of(name: &str) -> Option<Space> {
    Space::ALL.into_iter().find(|s| s.name() == name)
}

/// Reads a place, `as DTYPE` included.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<PlaceAst, ParseError> {
    match c.peek() {
        Tok::Word(word) if !is_reserved(word) || space_of(word).is_some() => {
            let word = *word;
            let (_, span) = c.bump();
            after_word(c, word, span)
        }
        Tok::Str(_) => match c.bump() {
            (Tok::Str(name), span) => with_dtype(c, PlaceKind::Name(name), span),
            _ => Err(c.unexpected(&EXPECTED)),
        },
        _ => Err(c.unexpected(&EXPECTED)),
    }
}

/// Reads what follows the first word of a place, already taken.
pub(super) fn after_word(
    c: &mut Cursor<'_>,
    word: &str,
    span: Span,
) -> Result<PlaceAst, ParseError> {
    let indexed = matches!(c.peek(), Tok::Sym("["));
    let kind = match space_of(word) {
        None if indexed => return Err(not_indexable(word, span, &["`sbuf`", "`psum`", "`dram`"])),
        None => PlaceKind::Name(word.to_owned()),
        Some(space) => match (space, c.eat("[").is_some()) {
            (Space::Sbuf, false) => PlaceKind::Sbuf {
                parts: Parts::All,
                bytes: Bytes::All,
            },
            (Space::Psum, false) => PlaceKind::Psum {
                parts: Parts::All,
                bank: None,
                bytes: Bytes::All,
            },
            (Space::Dram, false) => PlaceKind::Dram { bytes: Bytes::All },
            (Space::Sbuf, true) => sbuf(c)?,
            (Space::Psum, true) => psum(c)?,
            (Space::Dram, true) => dram(c)?,
        },
    };
    with_dtype(c, kind, span)
}

/// The error for an index behind a word that takes none.
pub(super) fn not_indexable(word: &str, span: Span, expected: &[&'static str]) -> ParseError {
    ParseError::new(
        span,
        format!("{}, which takes no index", quote(word)),
        expected,
    )
    .suggesting(word, expected.iter().map(|e| e.trim_matches('`')))
}

/// Adds `as DTYPE`, if it follows, to a place whose head starts at `head`.
pub(super) fn with_dtype(
    c: &mut Cursor<'_>,
    kind: PlaceKind,
    head: Span,
) -> Result<PlaceAst, ParseError> {
    let mut dtype = None;
    if c.eat_word("as").is_some() {
        let Tok::Word(name) = *c.peek() else {
            return Err(c.unexpected(&["a data type"]));
        };
        dtype = Some((name.to_owned(), c.bump().1));
    }
    Ok(PlaceAst {
        kind,
        dtype,
        span: head.start..c.end(),
    })
}

fn sbuf(c: &mut Cursor<'_>) -> Result<PlaceKind, ParseError> {
    let (parts, single) = parts(c)?;
    let bytes = if comma_or_close(c, single)? {
        closed_bytes(c, &["a byte offset", "`:`"])?
    } else {
        Bytes::All
    };
    Ok(PlaceKind::Sbuf { parts, bytes })
}

fn psum(c: &mut Cursor<'_>) -> Result<PlaceKind, ParseError> {
    let (parts, single) = parts(c)?;
    let (mut bank, mut bytes) = (None, Bytes::All);
    if comma_or_close(c, single)? {
        if c.eat_word("bank").is_some() {
            bank = Some(c.integer(&["a bank number"])?.0);
            if comma_or_close(c, false)? {
                bytes = closed_bytes(c, &["a byte offset", "`:`"])?;
            }
        } else {
            bytes = closed_bytes(c, &["`bank`", "a byte offset", "`:`"])?;
        }
    }
    Ok(PlaceKind::Psum { parts, bank, bytes })
}

fn dram(c: &mut Cursor<'_>) -> Result<PlaceKind, ParseError> {
    let bytes = if c.eat("]").is_some() {
        Bytes::All
    } else {
        closed_bytes(c, &["a byte address", "`:`", "`]`"])?
    };
    Ok(PlaceKind::Dram { bytes })
}

/// Partitions; also whether a `:` could still have followed.
fn parts(c: &mut Cursor<'_>) -> Result<(Parts, bool), ParseError> {
    if c.eat(":").is_some() {
        return Ok((Parts::All, false));
    }
    let (first, start) = c.integer(&["a partition", "`:`"])?;
    if c.eat(":").is_none() {
        return Ok((Parts::One(first), true));
    }
    let (end, stop) = c.integer(&["a partition"])?;
    ordered(first, end, start.start..stop.end)?;
    Ok((Parts::Range(first, end), false))
}

/// True after a comma, false after the closing bracket.
fn comma_or_close(c: &mut Cursor<'_>, or_colon: bool) -> Result<bool, ParseError> {
    if c.eat(",").is_some() {
        return Ok(true);
    }
    let expected: &[_] = if or_colon {
        &["`:`", "`,`", "`]`"]
    } else {
        &["`,`", "`]`"]
    };
    c.require("]", expected).map(|_| false)
}

/// Bytes and the closing bracket.
fn closed_bytes(c: &mut Cursor<'_>, expected: &[&'static str]) -> Result<Bytes, ParseError> {
    if c.eat(":").is_some() {
        return c.require("]", &["`]`"]).map(|_| Bytes::All);
    }
    let (off, start) = c
        .integer(expected)
        .map_err(|error| bank_outside_psum(c, error, expected))?;
    if c.eat(":").is_some() {
        let (hi, stop) = c.integer(&["a byte offset"])?;
        ordered(off, hi, start.start..stop.end)?;
        return c.require("]", &["`]`"]).map(|_| Bytes::Range(off, hi));
    }
    if c.eat("+").is_some() {
        let (len, stop) = c.integer(&["a number of bytes"])?;
        let span = start.start..stop.end;
        if len == 0 {
            return Err(ParseError::new(
                span,
                format!("the empty range `{off}+0`"),
                &["a length of at least 1"],
            ));
        }
        if off.checked_add(len).is_none() {
            return Err(ParseError::new(
                span,
                format!("`{off}+{len}`, which is too large"),
                &["an end below 2^64"],
            ));
        }
        return c.require("]", &["`]`"]).map(|_| Bytes::Len { off, len });
    }
    c.require("]", &["`:`", "`+`", "`]`"])
        .map(|_| Bytes::At(off))
}

fn bank_outside_psum(c: &Cursor<'_>, error: ParseError, expected: &[&'static str]) -> ParseError {
    if matches!(c.peek(), Tok::Word("bank")) && !expected.contains(&"`bank`") {
        return error.with_hint("only `psum` has banks, named once after the partitions");
    }
    error
}

/// A half-open range holds something.
fn ordered(start: u64, end: u64, span: Span) -> Result<(), ParseError> {
    if start < end {
        return Ok(());
    }
    Err(ParseError::new(
        span,
        format!("the empty range `{start}:{end}`"),
        &["a start below the end"],
    )
    .with_hint("the end is excluded"))
}
