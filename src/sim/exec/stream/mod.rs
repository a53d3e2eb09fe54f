//! Copies, fills, reductions and generated numbers of DVE and POOL (isa 07b).

pub(super) mod fill;
pub(super) mod moves;
pub(super) mod reduce;
