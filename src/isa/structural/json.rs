//! The JSON keys of compiler dumps that hold these enumerations, by name (isa 14 §0, §3, §5).

use serde::Deserialize;

use super::{EngineAccumulationType, IndirectDim};

/// Keys of an instruction record; keys it does not have are `None`, others are ignored.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default)]
pub struct InstructionFields {
    /// Accumulator command of a predicated copy.
    pub accumulator_cmd: Option<EngineAccumulationType>,
    /// Accumulator command of exponential and range select; not the dormant ReduceCmdType.
    pub reduce_cmd: Option<EngineAccumulationType>,
    /// Group flag of a matmul, unrelated to the commands above.
    pub accumulation_flag: Option<bool>,
    /// Axis of a dynamic access pattern that goes through an index vector.
    pub indirect_dim: Option<IndirectDim>,
    /// Largest index.
    pub indirect_dim_max_index: Option<i64>,
    /// Several indirected axes.
    pub indirect_dims: Option<Vec<IndirectDim>>,
    /// Indices of a tensor-indirect access.
    pub num_tensor_indirect_indices: Option<i64>,
}

/// Keys of a tensor record.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TensorFields {
    /// Entry of the pattern that is the partition axis; 0 is W.
    pub partition_dim: u32,
}
