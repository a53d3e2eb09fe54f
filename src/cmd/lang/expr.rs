//! Expressions: precedence climbing over the tokens.
//!
//! Weakest first: `||`, `&&`, `== !=`, `< <= > >=`, `|`, `^`, `&`, `<< >>`, `+ -`, `* / %`, then the prefixes `- ~ !`. That is C
//! with one trap removed: `| ^ &` bind tighter than comparisons (as in Python and Rust), so `$r1 & 3 == 0` tests the masked bits.
//! All binary operators group to the left; comparisons do not chain: `a < b < c` compares 0 or 1 with c.

use super::ast::{Expr, ExprAst, PlaceKind, Span, precedence};
use super::error::{ParseError, quote};
use super::place;
use super::token::{Cursor, Tok, is_reserved};
use super::{BinOp, Func, UnOp};

/// Deepest nesting of an expression, and tallest tree: what walks a tree by recursion is safe.
pub const MAX_DEPTH: usize = 128;

/// Variables without an engine.
pub const VARIABLES: [&str; 9] = [
    "pc", "seq", "engine", "stop", "digest", "old", "new", "addr", "part",
];
/// Variables behind an engine, beside its registers.
pub const ENGINE_VARIABLES: [&str; 1] = ["pc"];
/// Engine names a user may write: the short ones, the external ones, and the engine of a mixed stream.
pub const ENGINE_NAMES: [&str; 11] = [
    "pe", "act", "pool", "dve", "sp", "tensor", "scalar", "gpsimd", "vector", "sync", "any",
];

const OPERAND: [&str; 3] = ["a value", "a place", "`(`"];
const INDEXED: [&str; 5] = ["`sbuf`", "`psum`", "`dram`", "`sem`", "`evt`"];

/// A tree with its height.
struct Node {
    ast: ExprAst,
    height: usize,
}

/// Reads the longest expression.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<ExprAst, ParseError> {
    binary(c, 0, 0).map(|node| node.ast)
}

/// Operators of precedence `min` and above. `depth` counts the calls of this function and of `unary` on the stack.
fn binary(c: &mut Cursor<'_>, min: u8, depth: usize) -> Result<Node, ParseError> {
    let mut left = unary(c, depth)?;
    while let Some(op) = operator(c).filter(|op| precedence(*op) >= min) {
        let (_, at) = c.bump();
        let right = binary(c, precedence(op) + 1, deeper(depth, &at)?)?;
        let span = left.ast.span.start..right.ast.span.end;
        let height = deeper(left.height.max(right.height), &at)?;
        let kind = Expr::Binary {
            op,
            left: Box::new(left.ast),
            right: Box::new(right.ast),
        };
        left = Node {
            ast: ExprAst { kind, span },
            height,
        };
    }
    Ok(left)
}

fn operator(c: &Cursor<'_>) -> Option<BinOp> {
    match c.peek() {
        Tok::Sym(symbol) => BinOp::parse(symbol),
        _ => None,
    }
}

fn unary(c: &mut Cursor<'_>, depth: usize) -> Result<Node, ParseError> {
    let op = match c.peek() {
        Tok::Sym("-") => UnOp::Neg,
        Tok::Sym("~") => UnOp::BitNot,
        Tok::Sym("!") => UnOp::Not,
        _ => return operand(c, depth),
    };
    let (_, at) = c.bump();
    let inner = unary(c, deeper(depth, &at)?)?;
    let span = at.start..inner.ast.span.end;
    let height = deeper(inner.height, &at)?;
    Ok(Node {
        ast: ExprAst {
            kind: Expr::Unary {
                op,
                operand: Box::new(inner.ast),
            },
            span,
        },
        height,
    })
}

fn deeper(depth: usize, at: &Span) -> Result<usize, ParseError> {
    if depth < MAX_DEPTH {
        return Ok(depth + 1);
    }
    Err(ParseError::new(
        at.clone(),
        "an expression nested too deeply",
        &["at most 128 levels"],
    ))
}

fn operand(c: &mut Cursor<'_>, depth: usize) -> Result<Node, ParseError> {
    match c.peek() {
        Tok::Sym("(") => return parenthesised(c, depth),
        Tok::Word(word)
            if !is_reserved(word) || INDEXED.iter().any(|i| i.trim_matches('`') == *word) => {}
        Tok::Int(_) | Tok::Float(_) | Tok::Str(_) | Tok::Dollar(_) => {}
        _ => return Err(c.unexpected(&OPERAND)),
    }
    let (tok, span) = c.bump();
    let kind = match tok {
        Tok::Int(n) => Expr::Int(n),
        Tok::Float(x) => Expr::Float(x),
        Tok::Str(text) => string(c, text, &span)?,
        Tok::Dollar(name) => variable(name, &span)?,
        Tok::Word("sem") => return indexed(c, Expr::Sem, span, depth),
        Tok::Word("evt") => return indexed(c, Expr::Evt, span, depth),
        Tok::Word(word) => named(c, word, &span)?,
        _ => return Err(c.unexpected(&OPERAND)),
    };
    Ok(Node {
        ast: ExprAst {
            kind,
            span: span.start..c.end(),
        },
        height: 0,
    })
}

fn parenthesised(c: &mut Cursor<'_>, depth: usize) -> Result<Node, ParseError> {
    let (_, open) = c.bump();
    let mut node = binary(c, 0, deeper(depth, &open)?)?;
    let close = c.require(")", &["an operator", "`)`"])?;
    node.ast.span = open.start..close.end;
    Ok(node)
}

fn indexed(
    c: &mut Cursor<'_>,
    kind: fn(Box<ExprAst>) -> Expr,
    head: Span,
    depth: usize,
) -> Result<Node, ParseError> {
    let open = c.require("[", &["`[`"])?;
    let index = binary(c, 0, deeper(depth, &open)?)?;
    let close = c.require("]", &["an operator", "`]`"])?;
    let height = deeper(index.height, &open)?;
    Ok(Node {
        ast: ExprAst {
            kind: kind(Box::new(index.ast)),
            span: head.start..close.end,
        },
        height,
    })
}

/// A string, or a quoted region name when `as` makes it a place.
fn string(c: &mut Cursor<'_>, text: String, span: &Span) -> Result<Expr, ParseError> {
    if !matches!(c.peek(), Tok::Word("as")) {
        return Ok(Expr::Str(text));
    }
    place::with_dtype(c, PlaceKind::Name(text), span.clone()).map(Expr::Place)
}

/// A word: a memory, a function call, or a name.
fn named(c: &mut Cursor<'_>, word: &str, span: &Span) -> Result<Expr, ParseError> {
    let plain = place::space_of(word).is_none();
    match c.peek() {
        Tok::Sym("(") => call(c, word, span),
        Tok::Sym("[") if plain => Err(place::not_indexable(word, span.clone(), &INDEXED)),
        Tok::Word("as") => place::after_word(c, word, span.clone()).map(Expr::Place),
        _ if plain => Ok(Expr::Name(word.to_owned())),
        _ => place::after_word(c, word, span.clone()).map(Expr::Place),
    }
}

fn call(c: &mut Cursor<'_>, word: &str, span: &Span) -> Result<Expr, ParseError> {
    let names = Func::ALL.map(Func::name);
    let func = Func::parse(word).ok_or_else(|| {
        ParseError::new(
            span.clone(),
            format!("{}, which is no function", quote(word)),
            &names,
        )
        .suggesting(word, names)
    })?;
    c.bump();
    let place = place::parse(c)?;
    let expected: &[_] = if place.dtype.is_some() {
        &["`)`"]
    } else {
        &["`as`", "`)`"]
    };
    c.require(")", expected)?;
    Ok(Expr::Call { func, place })
}

/// `$r5`, `$pe.r5`, `$pe.pc`, `$seq`; `name` comes without the `$`.
fn variable(name: &str, span: &Span) -> Result<Expr, ParseError> {
    let found = || quote(&format!("${name}"));
    let (engine, rest) = match name.split_once('.') {
        Some((engine, rest)) => (Some(engine), rest),
        None => (None, name),
    };
    if let Some(engine) = engine.filter(|e| !ENGINE_NAMES.contains(e)) {
        let error = ParseError::new(span.clone(), found(), &["the name of an engine behind `$`"]);
        return Err(error.suggesting(engine, ENGINE_NAMES));
    }
    let known: &[&str] = if engine.is_some() {
        &ENGINE_VARIABLES
    } else {
        &VARIABLES
    };
    if known.contains(&rest) {
        return Ok(match engine {
            Some(engine) => Expr::EngineVar {
                engine: engine.to_owned(),
                var: rest.to_owned(),
            },
            None => Expr::Var(rest.to_owned()),
        });
    }
    match rest
        .strip_prefix('r')
        .filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        Some(digits) => {
            let reg = digits.parse().map_err(|_| {
                ParseError::new(span.clone(), found(), &["a register number below 256"])
            })?;
            Ok(Expr::Reg {
                engine: engine.map(str::to_owned),
                reg,
            })
        }
        None => {
            let expected: &[_] = if engine.is_some() {
                &["a register `rN`", "`pc`"]
            } else {
                &["a register `$rN` or `$ENGINE.rN`", "a variable"]
            };
            Err(ParseError::new(span.clone(), found(), expected)
                .suggesting(rest, known.iter().copied()))
        }
    }
}
