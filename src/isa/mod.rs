//! What a bundle is: pure data and bit layout, no machine state, no I/O.
//!
//! [`Bundle`] is 64 bytes; [`table::OPS`] has one [`OpRow`] per opcode, which names its struct
//! layout ([`Format`], a list of fields) per generation. [`Instr`] is a bundle seen through its
//! row: it keeps the raw bytes, so decoding is total and re-encoding is the identity.
//! Family files under `ops/` hold formats, rows and their legality rules together.

#[macro_use]
mod macros;
pub mod access;
pub mod account;
pub mod bundle;
pub mod engine;
pub mod field;
pub mod fields;
pub mod generation;
pub mod legal;
pub mod ops;
pub mod structural;
pub mod table;
pub mod text;

pub use bundle::{BUNDLE_BYTES, Bundle, HexError};
pub use engine::{Engine, Queue};
pub use field::{Confidence, FieldDesc, FieldKind, Format};
pub use fields::{DType, Events, Space};
pub use generation::{GenSet, Generation};
pub use legal::{Severity, Violation, check};
pub use table::{Engines, Exec, Known, OpRow};

/// A bundle with the row and the layout it decodes by.
#[derive(Clone, Copy, Debug)]
pub struct Instr {
    /// The raw bytes.
    pub bundle: Bundle,
    /// Row of byte 0; `None` when no generation defines that byte.
    pub op: Option<&'static OpRow>,
    /// Layout of bytes 12..64 on this generation; [`ops::UNKNOWN`] when none is published.
    pub format: &'static Format,
    /// The generation it was decoded for.
    pub generation: Generation,
}

/// Sees a bundle through the tables of a generation. Total: every 64 bytes have an `Instr`.
pub fn decode(bundle: &Bundle, generation: Generation) -> Instr {
    let op = table::by_byte(bundle.opcode());
    Instr {
        bundle: *bundle,
        op,
        format: op.map_or(ops::UNKNOWN, |o| o.format(bundle, generation)),
        generation,
    }
}

impl Instr {
    /// Name in listings: the vendor's text name, `OP_0xNN` for an undefined opcode.
    pub fn name(&self) -> std::borrow::Cow<'static, str> {
        match self.op {
            Some(op) => op.listing_name().into(),
            None => format!("OP_{:#04x}", self.bundle.opcode()).into(),
        }
    }

    /// The EVENTS band.
    pub fn events(&self) -> Events {
        if self.format.bare {
            Events::NONE
        } else {
            Events::of(&self.bundle)
        }
    }

    /// Raw value of a field of this layout; `None` when the layout has no such field.
    pub fn value(&self, field: &str) -> Option<u64> {
        self.format.field(field).map(|f| f.raw(&self.bundle))
    }

    /// The engine that runs it in an `any` stream (isa 04, home engine).
    pub fn home(&self) -> Engine {
        self.op.map_or(Engine::Sp, |op| op.home(self))
    }
}
