//! The grammar of the command language: text in, syntax tree with byte spans out.
//!
//! Nothing here knows the machine, the session or the names a user defined: a place that leaves its memory, an unknown
//! data type or an unknown name is found by the caller, which has the span to point at.
//!
//! `token` cuts text into tokens (nom) and hands them out one ahead; `place` and `expr` are the two grammars over them;
//! `words` splits whole command lines. The `*_at` functions parse from an offset and stop at the first token that cannot
//! continue, so a command can embed a place or an expression among its own words; their spans count from the start of the
//! line, not from the offset.
//!
//! Invariants: no input panics; recursion and tree height are bounded by [`MAX_DEPTH`]; time is linear in the input.

mod ast;
mod error;
mod expr;
mod literal;
mod place;
mod print;
mod suggest;
mod token;
mod words;

#[cfg(test)]
mod tests;

pub use crate::isa::Space;
pub use crate::session::{BinOp, Func, UnOp};
pub use ast::{Bytes, Expr, ExprAst, Parts, PlaceAst, PlaceKind, Span, precedence};
pub use error::ParseError;
pub use expr::{ENGINE_NAMES, ENGINE_VARIABLES, MAX_DEPTH, VARIABLES};
pub use place::space_of;
pub use suggest::nearest;
pub use token::is_name;
pub use words::{Word, strip_comment, word_at, words};

use token::{Cursor, Tok};

/// Parses a whole text as one place, `as DTYPE` included.
pub fn place(input: &str) -> Result<PlaceAst, ParseError> {
    let mut c = Cursor::new(input, 0);
    let ast = place::parse(&mut c)?;
    let expected: &[_] = if ast.dtype.is_some() {
        &["end of line"]
    } else {
        &["`as`", "end of line"]
    };
    c.finish(expected)?;
    Ok(ast)
}

/// Parses the longest place at the start of `input`; also returns how many bytes it took.
pub fn place_prefix(input: &str) -> Result<(PlaceAst, usize), ParseError> {
    place_at(input, 0)
}

/// Parses the longest place of `line` from byte `at` on; also returns the offset just after it.
pub fn place_at(line: &str, at: usize) -> Result<(PlaceAst, usize), ParseError> {
    let mut c = Cursor::new(line, at);
    let ast = place::parse(&mut c)?;
    Ok((ast, c.end()))
}

/// Parses a whole text as one expression.
pub fn expr(input: &str) -> Result<ExprAst, ParseError> {
    let mut c = Cursor::new(input, 0);
    let ast = expr::parse(&mut c)?;
    c.finish(&["an operator", "end of line"])?;
    Ok(ast)
}

/// Parses the longest expression at the start of `input`; also returns how many bytes it took. Any word after a complete
/// operand (`if`, `once`, `tol`, a file name) ends the expression.
pub fn expr_prefix(input: &str) -> Result<(ExprAst, usize), ParseError> {
    expr_at(input, 0)
}

/// Parses the longest expression of `line` from byte `at` on; also returns the offset just after it.
pub fn expr_at(line: &str, at: usize) -> Result<(ExprAst, usize), ParseError> {
    let mut c = Cursor::new(line, at);
    let ast = expr::parse(&mut c)?;
    Ok((ast, c.end()))
}

/// Parses a whole text as an unsigned integer: decimal or `0x`, `_` between digits, `KiB`, `MiB` or `GiB` behind them.
pub fn number(input: &str) -> Result<u64, ParseError> {
    let mut c = Cursor::new(input, 0);
    let (n, _) = c.integer(&["a number"])?;
    c.finish(&["end of line"])?;
    Ok(n)
}

/// Parses a whole text as a real number with an optional `-`: integer or float notation, `inf`, `nan`.
pub fn float(input: &str) -> Result<f64, ParseError> {
    let mut c = Cursor::new(input, 0);
    let negative = c.eat("-").is_some();
    let value = match *c.peek() {
        Tok::Int(n) => n as f64,
        Tok::Float(x) => x,
        _ => return Err(c.unexpected(&["a number"])),
    };
    c.bump();
    c.finish(&["end of line"])?;
    Ok(if negative { -value } else { value })
}
