//! Trees as text: what `Display` prints parses to the same tree, with no parentheses to spare.

use super::ast::{Bytes, Expr, ExprAst, Parts, PlaceAst, PlaceKind, precedence};
use super::token::is_name;
use std::fmt;

/// A byte offset or address: hexadecimal from 10 on.
struct Address(u64);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 10 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:#x}", self.0)
        }
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str(":"),
            Self::One(part) => write!(f, "{part}"),
            Self::Range(start, end) => write!(f, "{start}:{end}"),
        }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::All => f.write_str(":"),
            Self::At(off) => write!(f, "{}", Address(off)),
            Self::Range(lo, hi) => write!(f, "{}:{}", Address(lo), Address(hi)),
            Self::Len { off, len } => write!(f, "{}+{len}", Address(off)),
        }
    }
}

impl fmt::Display for PlaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) if is_name(name) => f.write_str(name),
            Self::Name(name) => quoted(f, name),
            Self::Sbuf {
                parts: Parts::All,
                bytes: Bytes::All,
            } => f.write_str("sbuf"),
            Self::Sbuf {
                parts,
                bytes: Bytes::All,
            } => write!(f, "sbuf[{parts}]"),
            Self::Sbuf { parts, bytes } => write!(f, "sbuf[{parts}, {bytes}]"),
            Self::Psum {
                parts: Parts::All,
                bank: None,
                bytes: Bytes::All,
            } => f.write_str("psum"),
            Self::Psum { parts, bank, bytes } => {
                write!(f, "psum[{parts}")?;
                bank.iter()
                    .try_for_each(|bank| write!(f, ", bank {bank}"))?;
                match bytes {
                    Bytes::All => f.write_str("]"),
                    bytes => write!(f, ", {bytes}]"),
                }
            }
            Self::Dram { bytes: Bytes::All } => f.write_str("dram"),
            Self::Dram { bytes } => write!(f, "dram[{bytes}]"),
        }
    }
}

impl fmt::Display for PlaceAst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        self.dtype
            .iter()
            .try_for_each(|(dtype, _)| write!(f, " as {dtype}"))
    }
}

impl fmt::Display for ExprAst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(x) if x.is_nan() => f.write_str("nan"),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Str(text) => quoted(f, text),
            Self::Reg { engine: None, reg } => write!(f, "$r{reg}"),
            Self::Reg {
                engine: Some(engine),
                reg,
            } => write!(f, "${engine}.r{reg}"),
            Self::Var(var) => write!(f, "${var}"),
            Self::EngineVar { engine, var } => write!(f, "${engine}.{var}"),
            Self::Sem(index) => write!(f, "sem[{index}]"),
            Self::Evt(index) => write!(f, "evt[{index}]"),
            Self::Place(place) => place.fmt(f),
            Self::Call { func, place } => write!(f, "{}({place})", func.name()),
            Self::Unary { op, operand } => {
                f.write_str(op.symbol())?;
                child(f, operand, PREFIX)
            }
            Self::Binary { op, left, right } => {
                child(f, left, precedence(*op))?;
                write!(f, " {} ", op.symbol())?;
                child(f, right, precedence(*op) + 1)
            }
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// Above every infix operator.
const PREFIX: u8 = 10;

/// A child whose operator must bind at least as strongly as `least`, in parentheses if it does not.
fn child(f: &mut fmt::Formatter<'_>, expr: &ExprAst, least: u8) -> fmt::Result {
    match &expr.kind {
        Expr::Binary { op, .. } if precedence(*op) < least => write!(f, "({expr})"),
        _ => fmt::Display::fmt(expr, f),
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
