//! The compiler's structural enumerations: engines, generations, accumulation, axes (isa 14).
//!
//! These numbers and names stand in compiler dumps (JSON), never in bundles; where a wire form
//! exists a conversion gives it. Names and error texts are the compiler's own.

mod accumulate;
mod arch;
mod axes;
mod engine;
mod json;
#[cfg(test)]
mod tests;

pub use accumulate::EngineAccumulationType;
pub use arch::{ArchLevel, MODELS, Model, hardware_model};
pub use axes::{
    AXES, AxisListType, CopyMode, DmaTranspose, IndirectDim, Reducer, TransposeOps, dma_transpose,
    reduce_ops,
};
pub use engine::{EngineInfo, EngineType};
pub use json::{InstructionFields, TensorFields};

use thiserror::Error;

/// Why a name, number or combination is none of the compiler's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StructuralError {
    /// Not a member, by name or by number.
    #[error("Unknown {what} '{value}'")]
    Unknown {
        /// The enumeration.
        what: &'static str,
        /// The name, or the number in decimal.
        value: String,
    },
    /// An external engine name where the internal one is wanted.
    #[error("ExternalEngineType used as EngineType. External: {external} Internal: {internal}")]
    External {
        /// The name found.
        external: &'static str,
        /// The name to use.
        internal: &'static str,
    },
    /// No hardware model, or no such generation number.
    #[error("Unknown architecture")]
    Architecture,
    /// An engine instance without a usable id.
    #[error("EngineInfo '{0}': expected an engine name and a decimal id up to 4294967295")]
    EngineId(String),
    /// An accumulation type that the encoder has no byte for.
    #[error("EngineAccumulationType '{0}' has no wire byte")]
    NoWireByte(&'static str),
    /// An axis list that a reduction cannot use.
    #[error("reduction over {axes}: allowed are X, XY, XYZ and XYZW")]
    ReduceAxes {
        /// The axis list found.
        axes: AxisListType,
    },
    /// An access pattern that is too short for the reduction.
    #[error("reduction of {reduced} dimensions on a pattern of {found}: at least {wanted} needed")]
    ReduceRank {
        /// Dimensions reduced.
        reduced: usize,
        /// Entries of the pattern, the partition included.
        found: usize,
        /// Entries needed.
        wanted: usize,
    },
    /// A DMA transpose of a pattern that is not 4-D.
    #[error("Source and destination access pattern must be 4-D")]
    TransposeRank,
    /// A DMA transpose to another memory than SBUF.
    #[error("Destination must be in the state buffer, found {0}: not a SB location")]
    TransposeSpace(crate::isa::Space),
}

/// Declares an enumeration of the compiler: numbers, names, both directions, JSON by name.
macro_rules! ir_enum {
    ($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $mdoc:literal])* $member:ident = $value:literal $text:literal),+ $(,)? } $unknown:expr) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name {
            $($(#[doc = $mdoc])* #[doc = concat!("`", $text, "`")] $member = $value),+
        }

        impl $name {
            /// All members, ascending.
            pub const ALL: &'static [$name] = &[$($name::$member),+];

            /// The compiler's number.
            pub const fn ordinal(self) -> u32 {
                self as u32
            }

            /// The name in compiler dumps.
            pub const fn name(self) -> &'static str {
                match self { $($name::$member => $text),+ }
            }

            /// The member of a number.
            ///
            /// # Errors
            /// The number is none.
            pub fn from_ordinal(n: u32) -> Result<Self, $crate::isa::structural::StructuralError> {
                Self::ALL.iter().copied().find(|m| m.ordinal() == n).ok_or_else(|| $unknown(stringify!($name), n.to_string()))
            }

            /// The member of a name, which is spelt exactly.
            ///
            /// # Errors
            /// The name is none.
            pub fn parse(text: &str) -> Result<Self, $crate::isa::structural::StructuralError> {
                Self::ALL.iter().copied().find(|m| m.name() == text).ok_or_else(|| $unknown(stringify!($name), text.to_owned()))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::isa::structural::StructuralError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}
use ir_enum;

/// `Unknown <enum> '<value>'`.
fn unknown(what: &'static str, value: String) -> StructuralError {
    StructuralError::Unknown { what, value }
}
