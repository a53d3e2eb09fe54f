//! Copies, fills, reductions, searches and statistics of DVE and POOL (isa 07b).

pub(super) mod batch_norm;
pub(super) mod fill;
pub(super) mod moves;
pub(super) mod pool;
pub(super) mod reduce;
pub(super) mod search;
pub(super) mod tiles;
