//! EngineAccumulationType and its wire bytes (isa 14 §3).

use super::{StructuralError, ir_enum, unknown};
use crate::isa::fields::AccumCmd;

ir_enum! {
    /// Command to the fp32 lane accumulator of ACT or DVE, in the compiler's numbering.
    EngineAccumulationType {
        /// No accumulator.
        Idle = 0 "Idle",
        /// Clear only.
        Zero = 1 "Zero",
        /// Internal to the compiler.
        Accumulate = 2 "Accumulate",
        /// Start from the identity, then fold.
        ZeroAccumulate = 3 "ZeroAccumulate",
        /// Continue.
        AddAccumulate = 4 "AddAccumulate",
        /// Start from the immediate, then fold.
        LoadAccumulate = 5 "LoadAccumulate",
    }
    unknown
}

impl EngineAccumulationType {
    /// The byte in a bundle.
    ///
    /// # Errors
    /// `Accumulate` has none.
    pub const fn wire(self) -> Result<AccumCmd, StructuralError> {
        match self {
            EngineAccumulationType::Idle => Ok(AccumCmd::IDLE),
            EngineAccumulationType::Zero => Ok(AccumCmd::ZERO),
            EngineAccumulationType::Accumulate => Err(StructuralError::NoWireByte(self.name())),
            EngineAccumulationType::ZeroAccumulate => Ok(AccumCmd::ZERO_ACCUMULATE),
            EngineAccumulationType::AddAccumulate => Ok(AccumCmd::ACCUMULATE),
            EngineAccumulationType::LoadAccumulate => Ok(AccumCmd::LOAD_ACCUMULATE),
        }
    }

    /// The command of a byte; `None` when the byte is undefined.
    pub fn from_wire(cmd: AccumCmd) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.wire() == Ok(cmd))
    }
}
