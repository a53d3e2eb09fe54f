//! Element-wise instructions of DVE and POOL (isa 07a).

mod acc;
pub(super) mod tensor_scalar;
pub(super) mod tensor_tensor;
