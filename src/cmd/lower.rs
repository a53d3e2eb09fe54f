//! From syntax to meaning: names are looked up, ranges are checked against the memories.

use super::args::Args;
use super::error::{CmdError, ErrorKind};
use super::lang::{Bytes, Expr as Ast, ExprAst, Parts, PlaceAst, PlaceKind, nearest, word_at};
use crate::isa::generation::BANK_BYTES;
use crate::isa::{Queue, Space};
use crate::num::Kind;
use crate::session::{EvalError, Expr, Let, Place, PlaceError, Session, Value};

/// The place a syntax tree names.
///
/// # Errors
/// Unknown names and dtypes, and ranges outside the memory, at their span.
pub fn place(session: &Session, ast: &PlaceAst) -> Result<Place, CmdError> {
    let dtype = match &ast.dtype {
        None => None,
        Some((name, span)) => Some(Kind::parse(name).ok_or_else(|| {
            let hint = did_you_mean(nearest(name, Kind::ALL.iter().map(|k| k.name())));
            CmdError::usage(span.clone(), format!("`{name}` is no data type{hint}"))
        })?),
    };
    let g = *session.state().geometry();
    let limit = |space| g.bytes(space);
    // A lone offset is one element.
    let one = dtype.map_or(1, |k| k.bytes() as u64);
    let made: Result<Place, PlaceError> = match &ast.kind {
        PlaceKind::Name(name) => {
            let named = session
                .place(name)
                .ok_or_else(|| CmdError::usage(ast.span.clone(), unknown_place(session, name)))?;
            return Ok(dtype.map_or(named, |k| named.with_dtype(k)));
        }
        PlaceKind::Sbuf { parts, bytes } => {
            let bytes = range(bytes, limit(Space::Sbuf), one);
            Place::new(&g, Space::Sbuf, partitions(parts), bytes, dtype)
        }
        PlaceKind::Psum {
            parts,
            bank: Some(bank),
            bytes,
        } => {
            let bytes = range(bytes, BANK_BYTES.into(), one);
            Place::in_bank(&g, partitions(parts), *bank, Some(bytes), dtype)
        }
        PlaceKind::Psum {
            parts,
            bank: None,
            bytes,
        } => {
            let bytes = range(bytes, limit(Space::Psum), one);
            Place::new(&g, Space::Psum, partitions(parts), bytes, dtype)
        }
        PlaceKind::Dram { bytes } => {
            let bytes = range(bytes, limit(Space::Dram), one);
            Place::new(&g, Space::Dram, 0..1, bytes, dtype)
        }
    };
    made.map_err(|e| CmdError::usage(ast.span.clone(), e.to_string()))
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map_or(String::new(), |n| format!("; did you mean `{n}`?"))
}

fn unknown_place(session: &Session, name: &str) -> String {
    if session.lets().contains_key(name) {
        return format!("`{name}` names an expression, not a place");
    }
    let places = session.places();
    let near = nearest(name, places.iter().map(|p| p.name.as_str()));
    format!("no place is named `{name}`{}", did_you_mean(near))
}

/// Is it the name of an expression?
pub(super) fn is_expr_name(session: &Session, ast: &PlaceAst) -> bool {
    match &ast.kind {
        PlaceKind::Name(name) => match session.lets().get(name) {
            Some(Let::Expr(..)) => true,
            Some(Let::Place(_)) => false,
            None => session.place(name).is_none(),
        },
        _ => false,
    }
}

fn partitions(parts: &Parts) -> std::ops::Range<u64> {
    match *parts {
        Parts::All => 0..128,
        Parts::One(p) => p..p.saturating_add(1),
        Parts::Range(a, b) => a..b,
    }
}

fn range(bytes: &Bytes, all: u64, one: u64) -> std::ops::Range<u64> {
    match *bytes {
        Bytes::All => 0..all,
        Bytes::At(off) => off..off.saturating_add(one),
        Bytes::Range(lo, hi) => lo..hi,
        Bytes::Len { off, len } => off..off.saturating_add(len),
    }
}

/// Can it stand left of `=`?
pub fn assignable(ast: &ExprAst) -> bool {
    match &ast.kind {
        Ast::Reg { .. } | Ast::Sem(_) | Ast::Evt(_) | Ast::Place(_) | Ast::Name(_) => true,
        Ast::Var(name) => name == "pc",
        Ast::EngineVar { var, .. } => var == "pc",
        _ => false,
    }
}

/// The expression a syntax tree means. Nodes are tagged with the start of their span, so that an
/// error of the evaluation can point at them.
///
/// # Errors
/// Unknown names and variables at their span.
pub fn expr(session: &Session, ast: &ExprAst) -> Result<Expr, CmdError> {
    let boxed = |e: &ExprAst| expr(session, e).map(Box::new);
    let bad = |m: String| CmdError::usage(ast.span.clone(), m);
    let queue =
        |name: &str| Queue::parse(name).ok_or_else(|| bad(format!("`{name}` is no engine")));
    let lowered = match &ast.kind {
        Ast::Int(i) => Expr::Int(i128::from(*i)),
        Ast::Float(f) => Expr::Float(*f),
        Ast::Str(s) => Expr::Str(s.clone()),
        Ast::Reg { engine, reg } => {
            let last = crate::sim::state::REGS - 1;
            if usize::from(*reg) > last {
                return Err(bad(format!("register r{reg}, allowed are r0..=r{last}")));
            }
            Expr::Reg(engine.as_deref().map(queue).transpose()?, *reg)
        }
        Ast::Var(name) => variable(name).ok_or_else(|| bad(format!("no variable `${name}`")))?,
        Ast::EngineVar { engine, var } if var == "pc" => Expr::Pc(Some(queue(engine)?)),
        Ast::EngineVar { engine, var } => {
            return Err(bad(format!("no variable `${engine}.{var}`")));
        }
        Ast::Sem(n) => Expr::Sem(boxed(n)?),
        Ast::Evt(n) => Expr::Evt(boxed(n)?),
        Ast::Place(p) => Expr::Place(place(session, p)?),
        Ast::Call { func, place: p } => Expr::Fold(*func, place(session, p)?),
        Ast::Unary { op, operand } => Expr::Unary(*op, boxed(operand)?),
        Ast::Binary { op, left, right } => Expr::Binary(*op, boxed(left)?, boxed(right)?),
        Ast::Name(name) => match (session.lets().get(name), session.place(name)) {
            (Some(Let::Expr(e, _)), _) => e.clone(),
            (_, Some(p)) => Expr::Place(p),
            _ => {
                let places = session.places();
                let names = places.iter().map(|p| p.name.as_str());
                let names = names.chain(session.lets().keys().map(String::as_str));
                let hint = did_you_mean(nearest(name, names));
                return Err(bad(format!("nothing is named `{name}`{hint}")));
            }
        },
    };
    let tag = u32::try_from(ast.span.start).unwrap_or(u32::MAX);
    Ok(Expr::Tagged(tag, Box::new(lowered)))
}

fn variable(name: &str) -> Option<Expr> {
    Some(match name {
        "pc" => Expr::Pc(None),
        "seq" => Expr::Seq,
        "engine" => Expr::EngineName,
        "stop" => Expr::Stop,
        "digest" => Expr::Digest,
        "old" => Expr::Old,
        "new" => Expr::New,
        "addr" => Expr::Addr,
        "part" => Expr::Part,
        _ => return None,
    })
}

/// The expression without tags, for use behind the line it was written in.
pub fn untagged(e: &Expr) -> Expr {
    let boxed = |e: &Expr| Box::new(untagged(e));
    match e {
        Expr::Tagged(_, e) => untagged(e),
        Expr::Sem(e) => Expr::Sem(boxed(e)),
        Expr::Evt(e) => Expr::Evt(boxed(e)),
        Expr::Unary(op, e) => Expr::Unary(*op, boxed(e)),
        Expr::Binary(op, l, r) => Expr::Binary(*op, boxed(l), boxed(r)),
        e => e.clone(),
    }
}

/// Value of an expression of a command line.
///
/// # Errors
/// A usage error at the part of the expression that has no value.
pub fn eval(session: &Session, expr: &Expr, args: &Args<'_>) -> Result<Value, CmdError> {
    session.eval(expr, None).map_err(|e| {
        let span = match &e {
            EvalError::At { tag, .. } => word_at(args.line, *tag as usize)
                .ok()
                .flatten()
                .map(|w| w.span),
            _ => None,
        };
        CmdError {
            span,
            ..CmdError::new(ErrorKind::Usage, e.to_string())
        }
    })
}
