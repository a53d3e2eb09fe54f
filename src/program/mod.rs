//! Many bundles with names: files, text, listings.
//!
//! A [`Program`] is one [`Stream`] per instruction queue plus named regions and initial data.
//! [`load`] makes one from files ([`manifest`] and [`neff`] are those with places and arrays), [`asm`] from text; [`listing`] prints it so that [`asm`] gives
//! the same bytes back, [`explain`] takes one bundle apart, [`check`] looks for broken rules, [`ap`] reads
//! access patterns as the compiler prints them.
//! Streams are read as they are needed: a file of any size opens at once.

pub mod ap;
pub mod asm;
pub mod check;
pub mod explain;
pub mod listing;
pub mod load;
pub mod manifest;
pub mod neff;
pub mod npy;
mod pages;
pub mod queues;
mod region;
mod stream;

use std::path::PathBuf;

use crate::isa::{Generation, Queue};

pub use region::{Image, ImageData, Place, PlaceError, Region};
pub use stream::{BranchForm, BranchSetting, BranchTargetError, ReadError, Stream};

/// A program: streams, regions, initial data.
#[derive(Debug, Default)]
pub struct Program {
    /// Generation the text asks for; `None` when only the command line can tell.
    pub generation: Option<Generation>,
    /// One stream per queue, in loading order.
    pub streams: Vec<Stream>,
    /// Named regions, in order of declaration.
    pub regions: Vec<Region>,
    /// What memory holds before the first bundle, in order.
    pub images: Vec<Image>,
    /// Variables that pseudo instructions name.
    pub variables: Vec<queues::Variable>,
    /// DMA queues that pseudo instructions name.
    pub queues: Vec<queues::DmaQueue>,
    /// What is worth saying about the files, e.g. empty streams.
    pub notes: Vec<String>,
    /// Scheduler, by its name and seed, when a manifest chooses it.
    pub scheduler: Option<Said<(String, u64)>>,
    /// Settings of a manifest: name and value.
    pub settings: Vec<Said<(String, String)>>,
    /// Arrays that places must hold at the end.
    pub expected: Vec<Expected>,
    /// The state to start from, instead of reset and images.
    pub start: Option<Start>,
}

/// Something that a file says, and where: `FILE:LINE:COLUMN`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said<T> {
    /// What it says.
    pub what: T,
    /// Where.
    pub at: String,
}

/// An array that a place must hold at the end.
#[derive(Clone, PartialEq, Debug)]
pub struct Expected {
    /// Name of the region.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Content of the file, a `.npy` array that fits the region.
    pub array: Vec<u8>,
    /// How far an element may be off.
    pub tolerance: f64,
}

/// A saved state of the core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// Its file.
    pub file: PathBuf,
    /// Content of the file.
    pub image: Vec<u8>,
    /// Bundles retired before it.
    pub seq: u64,
}

impl Program {
    /// The stream of a queue.
    pub fn stream(&self, queue: Queue) -> Option<&Stream> {
        self.streams.iter().find(|s| s.queue == queue)
    }

    /// The region of a name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|r| r.name == name)
    }
}
