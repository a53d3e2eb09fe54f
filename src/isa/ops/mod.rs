//! The instruction families: struct layouts, opcode rows and their legality rules together.

pub mod act;
pub mod alu_class;
pub mod ctrl;
pub mod dma;
pub mod dtype_class;
pub mod dve;
pub mod pe;
pub mod placement;
pub mod pool;
pub mod pseudo;
pub mod rules;
pub mod stream;

formats! {
    /// No published layout: header, events and raw bytes.
    Unknown = open "?" {}
}

/// The layout of everything that has no published one.
pub const UNKNOWN: &crate::isa::Format = Unknown::FORMAT;

#[cfg(test)]
mod tests;
