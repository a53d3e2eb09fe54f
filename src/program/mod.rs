//! Many bundles with names: files, text, listings.
//!
//! A [`Program`] is one [`Stream`] per instruction queue plus named regions and initial data.
//! [`load`] makes one from files, [`asm`] from text; [`listing`] prints it so that [`asm`] gives
//! the same bytes back, [`explain`] takes one bundle apart, [`check`] looks for broken rules, [`ap`] reads
//! access patterns as the compiler prints them.
//! Streams are read as they are needed: a file of any size opens at once.

pub mod ap;
pub mod asm;
pub mod check;
pub mod explain;
pub mod listing;
pub mod load;
pub mod neff;
pub mod npy;
mod pages;
pub mod queues;
mod region;
mod stream;

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
