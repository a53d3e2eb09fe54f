//! The machine.
//!
//! Storage: [`rect`] names ranges, [`memory`] and [`dram`] hold bytes with [`written`] bits, [`hidden`] the engines' own words,
//! [`state`] all of it. [`writer`] is the only way to change a state; it logs an [`effect`] for every change in the [`journal`],
//! which can take steps back and make them again; a [`checkpoint`] is a whole state that shares unchanged pages with others.

mod arena;
pub mod checkpoint;
mod digest;
mod dram;
pub mod effect;
pub mod hidden;
pub mod journal;
pub mod memory;
pub mod rect;
pub mod state;
pub mod writer;
mod written;

#[cfg(test)]
mod tests;

pub use checkpoint::Checkpoint;
pub use hidden::Region;
pub use journal::{Journal, Record, StepDone, StepHead, StepKind};
pub use memory::{Geometry, MemError};
pub use rect::{Rect, Runs, Space};
pub use state::{Reset, State};
pub use writer::Writer;
