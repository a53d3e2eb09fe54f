//! Element-wise instructions of DVE and POOL (isa 07a).

mod acc;
pub(super) mod cache;
pub(super) mod multi;
pub(super) mod predicated;
pub(super) mod scalar_tensor_tensor;
pub(super) mod select;
pub(super) mod tensor_scalar;
pub(super) mod tensor_tensor;
