//! Named rectangles of memory and what they hold at the start.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::isa::generation::PARTITIONS;
use crate::isa::text::Target;
use crate::isa::{DType, Generation, Space, fields::Location};

/// Partitions times bytes of a memory; DRAM has the one partition 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The memory.
    pub space: Space,
    /// Partitions, half-open.
    pub parts: Range<u16>,
    /// Bytes inside each partition, half-open; in DRAM addresses.
    pub bytes: Range<u64>,
}

/// Why a place does not exist.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlaceError {
    /// Partitions beyond the memory.
    #[error("partitions {from}:{to} of {space}, which has 0..{PARTITIONS}")]
    Partitions {
        /// The memory.
        space: Space,
        /// First partition.
        from: u64,
        /// Partition behind the last.
        to: u64,
    },
    /// Bytes beyond the memory.
    #[error("bytes {from:#x}:{to:#x} of {space}, which has 0..{limit:#x}{per} on {generation}")]
    Bytes {
        /// The memory.
        space: Space,
        /// First byte.
        from: u64,
        /// Byte behind the last.
        to: u64,
        /// Bytes that exist.
        limit: u64,
        /// ` per partition`, or nothing.
        per: &'static str,
        /// The generation.
        generation: Generation,
    },
}

impl Place {
    /// A place inside a memory of the generation.
    ///
    /// # Errors
    /// [`PlaceError`] names the limit.
    pub fn new(
        space: Space,
        parts: Range<u64>,
        bytes: Range<u64>,
        generation: Generation,
    ) -> Result<Place, PlaceError> {
        let all = if space == Space::Dram {
            1
        } else {
            PARTITIONS as u64
        };
        let limit = space.backed(generation);
        if parts.end > all {
            return Err(PlaceError::Partitions {
                space,
                from: parts.start,
                to: parts.end,
            });
        }
        if bytes.end > limit {
            return Err(PlaceError::Bytes {
                space,
                from: bytes.start,
                to: bytes.end,
                limit,
                per: if space == Space::Dram {
                    ""
                } else {
                    " per partition"
                },
                generation,
            });
        }
        Ok(Place {
            space,
            parts: parts.start as u16..parts.end as u16,
            bytes,
        })
    }

    /// Its first byte.
    pub fn target(&self) -> Target {
        match self.space {
            Space::Dram => Target::Dram(self.bytes.start),
            space => Target::Chip(Location {
                space,
                part: self.parts.start,
                off: self.bytes.start as u32,
            }),
        }
    }

    /// Bytes per partition.
    pub fn width(&self) -> u64 {
        self.bytes.end.saturating_sub(self.bytes.start)
    }

    /// Bytes over all partitions.
    pub fn size(&self) -> u64 {
        self.width() * self.parts.len() as u64
    }
}

impl fmt::Display for Place {
    /// As the assembler and the command language read it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start: lo, end: hi } = self.bytes;
        match self.space {
            Space::Dram => write!(f, "dram[{lo:#x}:{hi:#x}]"),
            space => {
                let Range { start, end } = self.parts;
                write!(f, "{space}[{start}:{end}, {lo:#x}:{hi:#x}]")
            }
        }
    }
}

/// A named place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Where.
    pub place: Place,
    /// Data type of its elements, when declared.
    pub dtype: Option<DType>,
    /// Shape of the array it holds, outermost dimension first, when declared.
    pub shape: Option<Vec<u64>>,
}

/// Bytes a place holds before the first bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Where.
    pub place: Place,
    /// What.
    pub data: ImageData,
}

/// Content of an [`Image`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageData {
    /// All bytes, partition after partition.
    Bytes(Vec<u8>),
    /// One element, repeated.
    Fill(Vec<u8>),
}

impl Image {
    /// The bytes of one partition, counted from the first of the place.
    pub fn row(&self, index: usize) -> Vec<u8> {
        let width = self.place.width() as usize;
        match &self.data {
            ImageData::Bytes(all) => {
                let from = index.saturating_mul(width);
                let to = from.saturating_add(width).min(all.len());
                all.get(from..to).unwrap_or(&[]).to_vec()
            }
            ImageData::Fill(element) => element.iter().copied().cycle().take(width).collect(),
        }
    }
}
