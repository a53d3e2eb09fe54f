//! Gather, random numbers, sorting and the rest of POOL (isa 07c).

pub(super) mod extended;
pub(super) mod gather;
pub(super) mod random;
pub(super) mod sort;
