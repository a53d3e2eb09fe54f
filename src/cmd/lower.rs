//! From syntax to meaning: names are looked up, ranges are checked against the memories.

use super::error::CmdError;
use super::lang::{Bytes, Expr as Ast, ExprAst, Parts, PlaceAst, PlaceKind, nearest};
use crate::isa::{Queue, Space};
use crate::num::Kind;
use crate::session::{BinOp, Expr, Func, Place, Session, UnOp};

/// The place a syntax tree names.
///
/// # Errors
/// Unknown names and dtypes, and ranges outside the memory, at their span.
pub fn place(session: &Session, ast: &PlaceAst) -> Result<Place, CmdError> {
    let g = session.geometry();
    let dtype = match &ast.dtype {
        None => None,
        Some((name, span)) => Some(Kind::parse(name).ok_or_else(|| {
            let near = nearest(name, Kind::ALL.iter().map(|k| k.name()));
            let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
            CmdError::usage(span.clone(), format!("`{name}` is no data type{hint}"))
        })?),
    };
    let made = match &ast.kind {
        PlaceKind::Name(name) => {
            let named = session.named(name).ok_or_else(|| {
                let near = nearest(name, session.places().map(|p| p.name.as_str()));
                let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                CmdError::usage(ast.span.clone(), format!("no place is named `{name}`{hint}"))
            })?;
            return Ok(dtype.map_or(named.place, |k| named.place.with_dtype(k)));
        }
        PlaceKind::Sbuf { parts, bytes } => {
            let b = range(bytes, g.bytes(Space::Sbuf));
            Place::new(g, Space::Sbuf, partitions(parts), b, dtype)
        }
        PlaceKind::Psum { parts, bank: Some(bank), bytes } => {
            let b = (*bytes != Bytes::All).then(|| range(bytes, 0));
            Place::in_bank(g, partitions(parts), *bank, b, dtype)
        }
        PlaceKind::Psum { parts, bank: None, bytes } => {
            let b = range(bytes, g.bytes(Space::Psum));
            Place::new(g, Space::Psum, partitions(parts), b, dtype)
        }
        PlaceKind::Dram { bytes } => {
            let b = range(bytes, g.bytes(Space::Dram));
            Place::new(g, Space::Dram, 0..1, b, dtype)
        }
    };
    let mut made = made.map_err(|e| CmdError::usage(ast.span.clone(), e.to_string()))?;
    // A lone offset means one element when a dtype is given.
    if let (Some(kind), Some(Bytes::At(_))) = (dtype, bytes_of(&ast.kind)) {
        let end = made.off.saturating_add(kind.bytes() as u64);
        let parts = u64::from(made.part)..u64::from(made.part) + u64::from(made.parts);
        made = Place::new(g, made.space, parts, made.off..end, dtype)
            .map_err(|e| CmdError::usage(ast.span.clone(), e.to_string()))?;
    }
    Ok(made)
}

fn bytes_of(kind: &PlaceKind) -> Option<&Bytes> {
    match kind {
        PlaceKind::Sbuf { bytes, .. } | PlaceKind::Psum { bytes, .. } | PlaceKind::Dram { bytes } => Some(bytes),
        PlaceKind::Name(_) => None,
    }
}

fn partitions(parts: &Parts) -> std::ops::Range<u64> {
    match *parts {
        Parts::All => 0..128,
        Parts::One(p) => p..p.saturating_add(1),
        Parts::Range(a, b) => a..b,
    }
}

fn range(bytes: &Bytes, all: u64) -> std::ops::Range<u64> {
    match *bytes {
        Bytes::All => 0..all,
        Bytes::At(off) => off..off.saturating_add(1),
        Bytes::Range(lo, hi) => lo..hi,
        Bytes::Len { off, len } => off..off.saturating_add(len),
    }
}

/// Can it stand left of `=`?
pub fn assignable(ast: &ExprAst) -> bool {
    match &ast.expr {
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
    let queue = |name: &str| Queue::parse(name).ok_or_else(|| bad(format!("`{name}` is no engine")));
    let lowered = match &ast.expr {
        Ast::Int(i) => Expr::Int(i128::from(*i)),
        Ast::Float(f) => Expr::Float(*f),
        Ast::Str(s) => Expr::Str(s.clone()),
        Ast::Reg { engine, reg } => Expr::Reg(engine.as_deref().map(queue).transpose()?, *reg),
        Ast::Var(name) => variable(name).ok_or_else(|| bad(format!("no variable `${name}`")))?,
        Ast::EngineVar { engine, var } if var == "pc" => Expr::Pc(Some(queue(engine)?)),
        Ast::EngineVar { engine, var } => return Err(bad(format!("no variable `${engine}.{var}`"))),
        Ast::Sem(n) => Expr::Sem(boxed(n)?),
        Ast::Evt(n) => Expr::Evt(boxed(n)?),
        Ast::Place(p) => Expr::Place(place(session, p)?),
        Ast::Call { func, place: p } => {
            let f = Func::parse(func.name()).ok_or_else(|| bad("unknown function".into()))?;
            Expr::Fold(f, place(session, p)?)
        }
        Ast::Unary { op, operand } => {
            let op = UnOp::parse(op.symbol()).ok_or_else(|| bad("unknown operator".into()))?;
            Expr::Unary(op, boxed(operand)?)
        }
        Ast::Binary { op, left, right } => {
            let op = BinOp::parse(op.symbol()).ok_or_else(|| bad("unknown operator".into()))?;
            Expr::Binary(op, boxed(left)?, boxed(right)?)
        }
        Ast::Name(name) => match (session.let_value(name), session.named(name)) {
            (Some(e), _) => e.clone(),
            (None, Some(p)) => Expr::Place(p.place),
            (None, None) => {
                let names = session.places().map(|p| p.name.as_str()).chain(session.let_names());
                let hint = nearest(name, names).map_or(String::new(), |n| format!("; did you mean `{n}`?"));
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
