//! ArchLevel and the look-up of hardware models by device name (isa 12 §1).

use super::{StructuralError, ir_enum};
use crate::isa::Generation;

ir_enum! {
    /// Generation of the silicon, as ten times its number.
    ArchLevel {
        /// First generation; an older record format, out of scope here.
        Gen1 = 10 "inferentia",
        /// NeuronCore v2.
        Gen2 = 20 "sunda",
        /// NeuronCore v3.
        Gen3 = 30 "gen3",
        /// NeuronCore v4.
        Gen4 = 40 "core_v4",
        /// NeuronCore v5: a name without hardware model.
        Gen5 = 50 "core_v5",
    }
    |_, _| StructuralError::Architecture
}

/// A hardware model: the device names that lead to it.
#[derive(Debug)]
pub struct Model {
    /// Its generation.
    pub level: ArchLevel,
    /// The names the look-up accepts, spelt exactly.
    pub names: &'static [&'static str],
}

/// The four hardware models, oldest first.
pub static MODELS: [Model; 4] = [
    Model {
        level: ArchLevel::Gen1,
        names: &["tonga", "inferentia", "inf1"],
    },
    Model {
        level: ArchLevel::Gen2,
        names: &["sunda", "trainium", "trn1", "inf2"],
    },
    Model {
        level: ArchLevel::Gen3,
        names: &["cayman", "gen3"],
    },
    Model {
        level: ArchLevel::Gen4,
        names: &["core_v4"],
    },
];

/// The model of a device name.
///
/// # Errors
/// No model has that name; `core_v5` has none.
pub fn hardware_model(name: &str) -> Result<&'static Model, StructuralError> {
    MODELS
        .iter()
        .find(|m| m.names.contains(&name))
        .ok_or(StructuralError::Architecture)
}

impl ArchLevel {
    /// The model of this generation.
    ///
    /// # Errors
    /// The fifth generation has none.
    pub fn model(self) -> Result<&'static Model, StructuralError> {
        hardware_model(self.name())
    }

    /// The name in the runtime and the cost model, a third name space.
    pub const fn runtime_target(self) -> &'static str {
        match self {
            ArchLevel::Gen1 => "inferentia",
            ArchLevel::Gen2 => "sunda",
            ArchLevel::Gen3 => "cayman",
            ArchLevel::Gen4 => "mariana",
            ArchLevel::Gen5 => "core_v5",
        }
    }

    /// The instruction set; `None` for the first generation.
    pub const fn generation(self) -> Option<Generation> {
        match self {
            ArchLevel::Gen1 => None,
            ArchLevel::Gen2 => Some(Generation::V2),
            ArchLevel::Gen3 => Some(Generation::V3),
            ArchLevel::Gen4 => Some(Generation::V4),
            ArchLevel::Gen5 => Some(Generation::V5),
        }
    }
}
