//! The syntax trees.

/// Byte offsets in the line.
pub type Span = std::ops::Range<usize>;

/// A memory a place can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// State buffer.
    Sbuf,
    /// Partial sums, in banks.
    Psum,
    /// Device memory, without partitions.
    Dram,
}

impl Space {
    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbuf => "sbuf",
            Self::Psum => "psum",
            Self::Dram => "dram",
        }
    }

    /// The memory of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Sbuf, Self::Psum, Self::Dram]
            .into_iter()
            .find(|s| s.name() == name)
    }
}

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

/// Enums that are written as one fixed text each.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident, $text:ident, $from:ident: $($(#[$vmeta:meta])* $variant:ident = $spelling:literal),+ $(,)?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = concat!("`", $spelling, "`")] $(#[$vmeta])* $variant),+ }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: [Self; [$($spelling),+].len()] = [$(Self::$variant),+];

            /// As users write it.
            pub const fn $text(self) -> &'static str {
                match self { $(Self::$variant => $spelling),+ }
            }

            /// The one that is written so.
            pub fn $from(text: &str) -> Option<Self> {
                match text { $($spelling => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

spelled! {
    /// Functions over the elements of a place.
    Func, name, from_name:
    Min = "min", Max = "max", Sum = "sum", Mean = "mean",
    /// Largest magnitude.
    AbsMax = "absmax",
    /// Number of NaNs.
    Nans = "nans",
    /// Number of infinities.
    Infs = "infs",
    /// Number of zeros of either sign.
    Zeros = "zeros",
    /// Number of elements with a byte that was never written.
    Uninit = "uninit",
}

spelled! {
    /// Prefix operators.
    UnOp, symbol, from_symbol:
    Neg = "-", BitNot = "~", Not = "!",
}

spelled! {
    /// Infix operators, all grouping to the left.
    BinOp, symbol, from_symbol:
    Or = "||", And = "&&", Eq = "==", Ne = "!=", Lt = "<", Le = "<=", Gt = ">", Ge = ">=",
    BitOr = "|", BitXor = "^", BitAnd = "&", Shl = "<<", Shr = ">>", Add = "+", Sub = "-", Mul = "*", Div = "/", Rem = "%",
}

impl BinOp {
    /// Binding strength, weakest 0; the reasons are in the documentation of the grammar.
    pub const fn precedence(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Eq | Self::Ne => 2,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => 3,
            Self::BitOr => 4,
            Self::BitXor => 5,
            Self::BitAnd => 6,
            Self::Shl | Self::Shr => 7,
            Self::Add | Self::Sub => 8,
            Self::Mul | Self::Div | Self::Rem => 9,
        }
    }
}
