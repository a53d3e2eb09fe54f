//! The syntax trees.

use crate::isa::Space;
use crate::session::{BinOp, Func, UnOp};

/// Byte offsets in the line.
pub type Span = std::ops::Range<usize>;

/// Partitions of a place. Not checked against the geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parts {
    /// Every partition.
    All,
    /// One partition.
    One(u64),
    /// Start and end, the end excluded and larger.
    Range(u64, u64),
}

/// Bytes of a place, inside the partition (for DRAM: byte addresses). Not checked against the geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bytes {
    /// Everything there is.
    All,
    /// One element at an offset; its size is that of the data type.
    At(u64),
    /// Start and end, the end excluded and larger.
    Range(u64, u64),
    /// Start and length, at least one byte; the end fits in 64 bits.
    Len {
        /// First byte.
        off: u64,
        /// Number of bytes.
        len: u64,
    },
}

/// A place as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceAst {
    /// Where.
    pub kind: PlaceKind,
    /// Data type behind `as`, unchecked, and its span.
    pub dtype: Option<(String, Span)>,
    /// The whole place, `as DTYPE` included.
    pub span: Span,
}

/// What a place names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceKind {
    /// `sbuf[PARTS, BYTES]`
    Sbuf {
        /// Partitions.
        parts: Parts,
        /// Bytes inside each.
        bytes: Bytes,
    },
    /// `psum[PARTS, bank B, BYTES]`
    Psum {
        /// Partitions.
        parts: Parts,
        /// Bank; bytes then count from its start.
        bank: Option<u64>,
        /// Bytes inside each partition or bank.
        bytes: Bytes,
    },
    /// `dram[BYTES]`
    Dram {
        /// Byte addresses.
        bytes: Bytes,
    },
    /// A region by name.
    Name(String),
}

impl PlaceKind {
    /// The memory, unless only the name of a region is known.
    pub fn space(&self) -> Option<Space> {
        match self {
            Self::Sbuf { .. } => Some(Space::Sbuf),
            Self::Psum { .. } => Some(Space::Psum),
            Self::Dram { .. } => Some(Space::Dram),
            Self::Name(_) => None,
        }
    }
}

/// An expression and where it stands, its parentheses included.
#[derive(Debug, Clone, PartialEq)]
pub struct ExprAst {
    /// The node.
    pub kind: Expr,
    /// Its text.
    pub span: Span,
}

/// A node of an expression. Literals are not negative; a sign is a [`UnOp::Neg`].
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// `42`, `0x10`, `2KiB`
    Int(u64),
    /// `1.5`, `1e-3`, `inf`, `nan`
    Float(f64),
    /// `"text"`
    Str(String),
    /// `$pe.r5`; `$r5` is the engine in focus.
    Reg {
        /// Engine name as written.
        engine: Option<String>,
        /// Register number, not checked against the register count.
        reg: u8,
    },
    /// `$seq`: one of [`VARIABLES`](super::VARIABLES).
    Var(String),
    /// `$pe.pc`
    EngineVar {
        /// Engine name as written.
        engine: String,
        /// One of [`ENGINE_VARIABLES`](super::ENGINE_VARIABLES).
        var: String,
    },
    /// `sem[N]`
    Sem(Box<ExprAst>),
    /// `evt[N]`
    Evt(Box<ExprAst>),
    /// A memory place, or a name with a data type.
    Place(PlaceAst),
    /// A function over a place.
    Call {
        /// Which.
        func: Func,
        /// Over what.
        place: PlaceAst,
    },
    /// A prefix operator.
    Unary {
        /// Which.
        op: UnOp,
        /// On what.
        operand: Box<ExprAst>,
    },
    /// An infix operator.
    Binary {
        /// Which.
        op: BinOp,
        /// Left side.
        left: Box<ExprAst>,
        /// Right side.
        right: Box<ExprAst>,
    },
    /// A name given by `let`, a manifest or a container.
    Name(String),
}

/// Binding strength of an infix operator, weakest 0; the reasons are in the documentation of the grammar.
pub const fn precedence(op: BinOp) -> u8 {
    match op {
        BinOp::Or => 0,
        BinOp::And => 1,
        BinOp::Eq | BinOp::Ne => 2,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 3,
        BinOp::BitOr => 4,
        BinOp::BitXor => 5,
        BinOp::BitAnd => 6,
        BinOp::Shl | BinOp::Shr => 7,
        BinOp::Add | BinOp::Sub => 8,
        BinOp::Mul | BinOp::Div | BinOp::Rem => 9,
    }
}
