//! What a session is made from: streams, initial memory, names.

use std::sync::Arc;

use super::place::{NamedPlace, Place};
use crate::isa::{Generation, Queue};
use crate::sim::{BranchUnit, Bundles};

/// A program as the session needs it.
#[derive(Clone, Default)]
pub struct Source {
    /// Generation the files ask for.
    pub generation: Option<Generation>,
    /// At most one stream per queue.
    pub streams: Vec<SourceStream>,
    /// What memory holds at the start, in order.
    pub images: Vec<Image>,
    /// Named regions.
    pub places: Vec<NamedPlace>,
    /// What is worth saying about the files.
    pub notes: Vec<String>,
}

/// One stream.
#[derive(Clone)]
pub struct SourceStream {
    /// Whose.
    pub queue: Queue,
    /// File name, or the like.
    pub name: String,
    /// Its bundles.
    pub bundles: Arc<dyn Bundles>,
    /// Unit of its branch targets.
    pub branch: BranchUnit,
}

/// Initial content of a place.
#[derive(Clone)]
pub struct Image {
    /// Where.
    pub place: Place,
    /// Packed bytes, partition after partition.
    pub bytes: Arc<[u8]>,
}
