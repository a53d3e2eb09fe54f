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
pub mod exec;
pub mod fault;
pub mod hidden;
pub mod journal;
pub mod machine;
pub mod memory;
mod past;
pub mod rect;
pub mod sched;
pub mod settings;
pub mod state;
mod strided;
pub mod waits;
pub mod writer;
mod written;

#[cfg(test)]
mod tests;

pub use checkpoint::Checkpoint;
pub use fault::{Fault, Finding, Trap};
pub use hidden::Region;
pub use journal::{Journal, Record, StepDone, StepHead, StepKind};
pub use machine::{Blocked, Bundles, Machine, Stepped, Stream};
pub use memory::{Geometry, MemError};
pub use rect::{Rect, Runs, Space};
pub use sched::Policy;
pub use settings::Settings;
pub use state::{Reset, State};
pub use writer::Writer;

/// Note bit of a record: a setting differed from its default (decisions.md §2).
pub const NOTE_SETTINGS: u8 = 1;
