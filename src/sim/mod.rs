//! The machine.
//!
//! Storage: [`rect`] names ranges, [`memory`] and [`dram`] hold bytes with [`written`] bits, [`hidden`] the engines' own words,
//! [`state`] all of it. [`writer`] is the only way to change a state; it logs an [`effect`] for every change in the [`journal`],
//! which can take steps back and make them again; a [`checkpoint`] is a whole state that shares unchanged pages with others.
//!
//! Execution: [`code`] fetches and decodes, [`sched`] picks a stream, [`waits`] and [`blocked`] tell whether its head may start,
//! [`step`] makes one step of it with a function of [`exec`], at the pace of [`timing`]. [`machine`] is what others use.

mod arena;
pub mod blocked;
pub mod checkpoint;
pub mod code;
mod digest;
mod dram;
pub mod effect;
pub mod exec;
pub mod fault;
pub mod hidden;
mod image;
pub mod journal;
pub mod machine;
pub mod memory;
pub mod order;
mod past;
mod race;
mod ready;
pub mod rect;
pub mod rules;
pub mod sched;
pub mod settings;
pub mod state;
pub mod step;
mod strided;
pub mod sync;
pub mod tables;
pub mod timing;
pub mod waits;
pub mod writer;
mod written;

#[cfg(test)]
mod tests;

pub use blocked::Blocked;
pub use checkpoint::Checkpoint;
pub use code::{BranchUnit, Bundles, Code, Stream};
pub use exec::dma::Leg;
pub use fault::{Fault, Finding, Trap};
pub use hidden::Region;
pub use image::ImageError;
pub use journal::{Journal, Record, StepDone, StepHead, StepKind};
pub use machine::Machine;
pub use memory::{Geometry, MemError};
pub use rect::{Rect, Runs, Space};
pub use sched::Policy;
pub use settings::Settings;
pub use state::{Reset, State};
pub use step::Stepped;
pub use tables::{DmaQueue, Tables};
pub use writer::Writer;

/// Note bit of a record: a setting differed from its default (decisions.md §2).
pub const NOTE_SETTINGS: u8 = 1;
/// Note bit of a record: the scheduler chose the stream; else it was asked for.
pub const NOTE_SCHEDULED: u8 = 2;
