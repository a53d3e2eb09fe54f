//! EngineType with its two name tables, and engine instances (isa 14 §1).

use std::fmt;

use super::{StructuralError, ir_enum, unknown};
use crate::isa::{Engine, Generation};

ir_enum! {
    /// Engine of an instruction in the compiler's numbering, which is not the wire's.
    EngineType {
        /// Not bound yet.
        Unassigned = 0 "Unassigned",
        /// GpSimd engine.
        Pool = 1 "Pool",
        /// Scalar engine.
        Activation = 2 "Activation",
        /// Tensor engine.
        Pe = 3 "PE",
        /// DMA.
        Dma = 4 "DMA",
        /// Vector engine.
        Dve = 5 "DVE",
        /// Sync engine.
        Sp = 6 "SP",
        /// Every engine: barriers and control flow.
        All = 7 "ALL",
    }
    misnamed
}

/// The error of a name that is no internal one: the hint when it is an external one.
fn misnamed(what: &'static str, value: String) -> StructuralError {
    match EngineType::parse_external(&value) {
        Ok(engine) => engine.misused(),
        Err(_) => unknown(what, value),
    }
}

/// External name and offset in the engine-count array of the compiler's hardware model, by ordinal.
const TABLE: [(&str, u32); 8] = [
    ("Unassigned", 0x6C),
    ("GPSIMD", 0x74),
    ("Scalar", 0x78),
    ("Tensor", 0x70),
    ("SyncDMA", 0x80),
    ("Vector", 0x7C),
    ("Sync", 0x84),
    ("All", 0x88),
];

impl EngineType {
    /// Bit per ordinal: the engines with a datapath or a sequencer of their own.
    pub const DATAPATH: u8 = 0x6E;

    /// The name that profiles and the runtime use.
    pub const fn external_name(self) -> &'static str {
        TABLE[self as usize].0
    }

    /// Offset of the engine's count in the compiler's hardware model, which has another order.
    pub const fn count_offset(self) -> u32 {
        TABLE[self as usize].1
    }

    /// Does it have a datapath? An all-engine barrier spans exactly these.
    pub const fn is_datapath(self) -> bool {
        Self::DATAPATH & 1 << self as u8 != 0
    }

    /// Instances per core: one of each on every generation (isa 12 §2.2).
    pub const fn count(self, _: Generation) -> u32 {
        1
    }

    /// The engine of the wire; `None` for DMA and the two pseudo engines.
    pub const fn engine(self) -> Option<Engine> {
        match self {
            EngineType::Pool => Some(Engine::Pool),
            EngineType::Activation => Some(Engine::Act),
            EngineType::Pe => Some(Engine::Pe),
            EngineType::Dve => Some(Engine::Dve),
            EngineType::Sp => Some(Engine::Sp),
            EngineType::Unassigned | EngineType::Dma | EngineType::All => None,
        }
    }

    /// The compiler's text when the external name stands where the internal one is wanted.
    pub const fn misused(self) -> StructuralError {
        StructuralError::External {
            external: self.external_name(),
            internal: self.name(),
        }
    }

    /// Reads an external name.
    ///
    /// # Errors
    /// The name is none.
    pub fn parse_external(text: &str) -> Result<Self, StructuralError> {
        Self::ALL
            .iter()
            .copied()
            .find(|e| e.external_name() == text)
            .ok_or_else(|| unknown("EngineType", text.to_owned()))
    }
}

/// An engine instance, e.g. `PE0`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EngineInfo {
    /// The engine.
    pub engine: EngineType,
    /// Which one of them.
    pub id: u32,
}

impl EngineInfo {
    /// Reads an engine name followed by the decimal id.
    ///
    /// # Errors
    /// No digits at the end, an id above 2^32-1, or no engine name before it.
    pub fn parse(text: &str) -> Result<Self, StructuralError> {
        let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = text.get(name.len()..).unwrap_or_default();
        let id = digits
            .parse()
            .map_err(|_| StructuralError::EngineId(text.to_owned()))?;
        let engine = EngineType::parse(name)?;
        Ok(EngineInfo { engine, id })
    }
}

impl fmt::Display for EngineInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.engine, self.id)
    }
}
