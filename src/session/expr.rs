//! Resolved expressions and their evaluation. Nothing here changes anything.

use thiserror::Error;

use super::elements::{self, fold};
use super::place::{Place, PlaceError};
use super::stop::Hit;
use super::value::{Value, binary, unary};
use crate::isa::Queue;
use crate::num::Kind;
use crate::sim::State;
use crate::sim::state::REGS;

/// Enums that are written as one fixed text each.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident, $text:ident: $($(#[$vmeta:meta])* $variant:ident = $spelling:literal),+ $(,)?) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $(#[doc = concat!("`", $spelling, "`")] $(#[$vmeta])* $variant),+ }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: [Self; [$($spelling),+].len()] = [$(Self::$variant),+];

            /// As users write it.
            pub const fn $text(self) -> &'static str {
                match self { $(Self::$variant => $spelling),+ }
            }

            /// The one that is written so.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($spelling => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

spelled! {
    /// Functions over the elements of a place.
    Func, name:
    Min = "min", Max = "max", Sum = "sum", Mean = "mean",
    /// Largest magnitude.
    AbsMax = "absmax",
    /// Number of NaNs.
    Nans = "nans",
    /// Number of infinities.
    Infs = "infs",
    /// Number of zeros of either sign.
    Zeros = "zeros",
    /// Number of elements with a never-written byte.
    Uninit = "uninit",
}

spelled! {
    /// Prefix operators.
    UnOp, symbol:
    Neg = "-", BitNot = "~", Not = "!",
}

spelled! {
    /// Infix operators.
    BinOp, symbol:
    Or = "||", And = "&&", Eq = "==", Ne = "!=", Lt = "<", Le = "<=", Gt = ">", Ge = ">=",
    BitOr = "|", BitXor = "^", BitAnd = "&", Shl = "<<", Shr = ">>", Add = "+", Sub = "-", Mul = "*", Div = "/", Rem = "%",
}

/// An expression without names: everything it speaks of is known to exist.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A literal.
    Int(i128),
    /// A literal.
    Float(f64),
    /// A literal.
    Str(String),
    /// Register of a stream; `None` is the stream in focus.
    Reg(Option<Queue>, u8),
    /// Index of the next bundle of a stream; `None` is the stream in focus.
    Pc(Option<Queue>),
    /// Bundles retired so far.
    Seq,
    /// Name of the stream in focus.
    EngineName,
    /// Kind of the last stop.
    Stop,
    /// Hash of the architectural state.
    Digest,
    /// A semaphore.
    Sem(Box<Expr>),
    /// An event: 0 or 1.
    Evt(Box<Expr>),
    /// The one element of a place.
    Place(Place),
    /// A function over a place.
    Fold(Func, Place),
    /// The touched element before the bundle, in a watch condition.
    Old,
    /// The touched element after the bundle, in a watch condition.
    New,
    /// Offset of the touched element inside its partition (DRAM: address), in a watch condition.
    Addr,
    /// Partition of the touched element, in a watch condition.
    Part,
    /// A prefix operator.
    Unary(UnOp, Box<Expr>),
    /// An infix operator.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// The same expression with a number of the caller's; an error inside carries the innermost one.
    Tagged(u32, Box<Expr>),
}

/// Why an expression has no value.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum EvalError {
    /// Integer division.
    #[error("division by zero")]
    DivideByZero,
    /// Integer overflow.
    #[error("the result does not fit in 128 bits")]
    Overflow,
    /// Shift distance.
    #[error("shift by {by}, allowed are 0..=127")]
    Shift {
        /// The distance.
        by: i128,
    },
    /// A prefix operator on the wrong type.
    #[error("`{op}` is not defined on {found}")]
    Operand {
        /// The operator.
        op: &'static str,
        /// Type of the operand.
        found: &'static str,
    },
    /// An infix operator on the wrong types.
    #[error("`{op}` is not defined on {left} and {right}")]
    Operands {
        /// The operator.
        op: &'static str,
        /// Type of the left side.
        left: &'static str,
        /// Type of the right side.
        right: &'static str,
    },
    /// A place used as a value.
    #[error(
        "{place} has {elements} elements; a value has one (use min, max, sum, ... over a place)"
    )]
    NotOne {
        /// The place.
        place: Place,
        /// Elements it has.
        elements: u64,
    },
    /// A place whose elements are not known.
    #[error("{place} has no dtype; add `as DTYPE`")]
    NoDtype {
        /// The place.
        place: Place,
    },
    /// A place that cannot be read.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A number outside its range.
    #[error("{what} {found}, allowed are 0..={last}")]
    Index {
        /// Register, semaphore or event.
        what: &'static str,
        /// What was asked for.
        found: Value,
        /// The last one.
        last: usize,
    },
    /// `$old` and its like elsewhere.
    #[error("{0} is known only in the condition of a watch on a place")]
    NoHit(&'static str),
    /// The bytes before the bundle were not kept.
    #[error("$old is no longer known: the bundle wrote more than the history holds")]
    OldGone,
    /// An error inside a tagged expression.
    #[error("{error}")]
    At {
        /// Number of the innermost tagged expression.
        tag: u32,
        /// The error.
        error: Box<EvalError>,
    },
}

/// What an expression can see.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The machine's state.
    pub state: &'a State,
    /// Bundles retired so far.
    pub seq: u64,
    /// The stream in focus.
    pub focus: Queue,
    /// Kind of the last stop.
    pub stop: &'a str,
    /// The access being judged by a condition.
    pub hit: Option<&'a Hit>,
}

impl Expr {
    /// Parts that an expression with a name may have: names stand for their meaning, so names of names grow fast.
    pub const MOST_PARTS: usize = 1 << 12;

    /// Its operators and operands, counted up to [`Expr::MOST_PARTS`].
    pub fn parts(&self) -> usize {
        let mut count = 0;
        let mut open = vec![self];
        while let Some(e) = open.pop() {
            count += 1;
            if count > Self::MOST_PARTS {
                break;
            }
            match e {
                Expr::Sem(e) | Expr::Evt(e) | Expr::Unary(_, e) | Expr::Tagged(_, e) => {
                    open.push(e)
                }
                Expr::Binary(_, a, b) => open.extend([&**a, &**b]),
                _ => {}
            }
        }
        count
    }

    /// Its value.
    ///
    /// # Errors
    /// [`EvalError`].
    pub fn eval(&self, env: &Env<'_>) -> Result<Value, EvalError> {
        Ok(match self {
            Expr::Int(i) => Value::Int(*i),
            Expr::Float(f) => Value::Float(*f),
            Expr::Str(s) => Value::Str(s.clone()),
            Expr::Reg(queue, reg) => {
                let last = REGS - 1;
                if usize::from(*reg) > last {
                    let (what, found) = ("register", Value::Int(i128::from(*reg)));
                    return Err(EvalError::Index { what, found, last });
                }
                Value::Int(env.state.reg(agent(*queue, env), *reg).into())
            }
            Expr::Pc(queue) => Value::Int(env.state.pc(agent(*queue, env)).into()),
            Expr::Seq => Value::Int(env.seq.into()),
            Expr::EngineName => Value::Str(env.focus.name().to_owned()),
            Expr::Stop => Value::Str(env.stop.to_owned()),
            Expr::Digest => Value::Int(env.state.digest().into()),
            Expr::Sem(n) => Value::Int(env.state.sem(number("semaphore", n, env)?).into()),
            Expr::Evt(n) => env.state.event(number("event", n, env)?).into(),
            Expr::Place(place) => one(env.state, place)?,
            Expr::Fold(func, place) => {
                let kind = kind_of(place)?;
                place.elements(kind)?;
                fold(env.state, place, kind, *func)
            }
            Expr::Old => {
                let hit = env.hit.ok_or(EvalError::NoHit("$old"))?;
                let old = hit.old.as_deref().ok_or(EvalError::OldGone)?;
                elements::value(hit.kind(), elements::bits(old))
            }
            Expr::New => {
                let hit = env.hit.ok_or(EvalError::NoHit("$new"))?;
                elements::value(hit.kind(), elements::bits(&hit.new))
            }
            Expr::Addr => {
                let hit = env.hit.ok_or(EvalError::NoHit("$addr"))?;
                Value::Int(hit.element.off.into())
            }
            Expr::Part => {
                let hit = env.hit.ok_or(EvalError::NoHit("$part"))?;
                Value::Int(hit.element.part.into())
            }
            Expr::Unary(op, e) => unary(*op, e.eval(env)?)?,
            Expr::Binary(BinOp::And, l, r) => {
                (l.eval(env)?.is_true() && r.eval(env)?.is_true()).into()
            }
            Expr::Binary(BinOp::Or, l, r) => {
                (l.eval(env)?.is_true() || r.eval(env)?.is_true()).into()
            }
            Expr::Binary(op, l, r) => binary(*op, l.eval(env)?, r.eval(env)?)?,
            Expr::Tagged(tag, e) => e.eval(env).map_err(|error| match error {
                EvalError::At { .. } => error,
                error => EvalError::At {
                    tag: *tag,
                    error: Box::new(error),
                },
            })?,
        })
    }
}

fn agent(queue: Option<Queue>, env: &Env<'_>) -> u8 {
    queue.unwrap_or(env.focus).index() as u8
}

fn number(what: &'static str, n: &Expr, env: &Env<'_>) -> Result<u8, EvalError> {
    let found = n.eval(env)?;
    match found {
        Value::Int(i) => u8::try_from(i).ok(),
        _ => None,
    }
    .ok_or(EvalError::Index {
        what,
        found,
        last: 255,
    })
}

/// The kind a place is read as; a single byte needs none.
fn kind_of(place: &Place) -> Result<Kind, EvalError> {
    match place.dtype {
        Some(kind) => Ok(kind),
        None if place.bytes() == 1 => Ok(Kind::U8),
        None => Err(EvalError::NoDtype { place: *place }),
    }
}

fn one(state: &State, place: &Place) -> Result<Value, EvalError> {
    let kind = kind_of(place)?;
    let elements = place.elements(kind)?.saturating_mul(kind.lanes() as u64);
    if elements != 1 {
        return Err(EvalError::NotOne {
            place: *place,
            elements,
        });
    }
    let mut bytes = Vec::new();
    // The place was checked when it was made; what cannot be read has no bytes and is 0.
    let _ = state.read_into(&place.rect(), &mut bytes);
    Ok(elements::value(kind, elements::bits(&bytes)))
}
