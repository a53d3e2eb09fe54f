//! Geometry, pages, and the on-chip memories SBUF and PSUM.
//!
//! A [`Bank`] is one flat, partition-major array, so that a run inside a partition is a slice. Partitions start on page
//! boundaries: a 4 KiB page never spans two of them. Invariant: a byte whose written bit is 0 holds the reset byte, so a page
//! without written bits is blank and is left out of digests and comparisons.

use super::checkpoint::Shadow;
use super::rect::{Rect, Space};
use super::written::WORD;
use std::sync::Arc;

/// Partitions of SBUF and PSUM on every generation (isa 12 §2.1).
pub const PARTITIONS: u16 = 128;
/// Bytes of a page of SBUF and PSUM, in digests and checkpoints.
pub const PAGE: usize = 4096;
/// Words of written bits per page.
pub(super) const PAGE_WORDS: usize = PAGE / WORD;

/// Sizes of the memories of one core (isa 12 §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Backed bytes per SBUF partition (the ACTIVE size).
    pub sbuf_bytes: u32,
    /// Backed bytes per PSUM partition.
    pub psum_bytes: u32,
    /// Bytes of DRAM.
    pub dram_bytes: u64,
}

impl Geometry {
    /// Partitions of a space; DRAM has one.
    pub const fn partitions(&self, space: Space) -> u16 {
        match space {
            Space::Sbuf | Space::Psum => PARTITIONS,
            Space::Dram => 1,
        }
    }

    /// Backed bytes of one partition of a space.
    pub const fn bytes(&self, space: Space) -> u64 {
        match space {
            Space::Sbuf => self.sbuf_bytes as u64,
            Space::Psum => self.psum_bytes as u64,
            Space::Dram => self.dram_bytes,
        }
    }

    /// Accepts exactly the rectangles whose every byte is backed.
    pub fn check(&self, rect: &Rect) -> Result<(), MemError> {
        let (partitions, bytes) = (self.partitions(rect.space), self.bytes(rect.space));
        let end = rect.off.checked_add(u64::from(rect.len));
        if rect.part_end() <= u32::from(partitions) && end.is_some_and(|e| e <= bytes) {
            return Ok(());
        }
        Err(MemError::Bounds {
            rect: *rect,
            partitions,
            bytes,
        })
    }
}

/// Why a memory access is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemError {
    /// The rectangle leaves the backed bytes; accesses never wrap (isa 12 §3.4).
    #[error("{rect} leaves {}: {partitions} partition(s) of {bytes:#x} bytes", rect.space)]
    Bounds {
        /// What was asked for.
        rect: Rect,
        /// Partitions there are.
        partitions: u16,
        /// Bytes there are in each.
        bytes: u64,
    },
    /// Source data and rectangle differ in size.
    #[error("{rect} holds {} bytes, the data {found}", rect.bytes())]
    Size {
        /// The destination.
        rect: Rect,
        /// Bytes given.
        found: u64,
    },
}

/// Contiguous bytes with their written bits; bit `bit + i` of `bits` belongs to `bytes[i]`.
#[derive(Clone, Copy)]
pub(super) struct Segment<'a> {
    pub bytes: &'a [u8],
    pub bits: &'a [u64],
    pub bit: usize,
}

/// Like [`Segment`], to be changed.
pub(super) struct SegmentMut<'a> {
    pub bytes: &'a mut [u8],
    pub bits: &'a mut [u64],
    pub bit: usize,
}

/// Bytes with their written bits: the unit that sparse DRAM and checkpoints share.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Page<const BYTES: usize, const WORDS: usize> {
    pub data: [u8; BYTES],
    pub bits: [u64; WORDS],
}

impl<const BYTES: usize, const WORDS: usize> Page<BYTES, WORDS> {
    /// A never-written page.
    pub fn blank(reset: u8) -> Arc<Self> {
        Arc::new(Page {
            data: [reset; BYTES],
            bits: [0; WORDS],
        })
    }

    /// True for a page no byte of which was written.
    pub fn is_blank(&self) -> bool {
        self.bits.iter().all(|w| *w == 0)
    }
}

/// A page of SBUF or PSUM.
pub(super) type ChipPage = Page<PAGE, PAGE_WORDS>;

/// SBUF or PSUM.
#[derive(Clone)]
pub(super) struct Bank {
    /// Bytes from one partition to the next in `data`: the backed size rounded up to pages.
    stride: usize,
    data: Vec<u8>,
    bits: Vec<u64>,
    shadow: Shadow<ChipPage>,
}

impl Bank {
    /// A blank memory of `bytes` backed bytes per partition.
    pub fn new(bytes: u32, reset: u8) -> Bank {
        let stride = (bytes as usize).next_multiple_of(PAGE);
        let size = stride * usize::from(PARTITIONS);
        Bank {
            stride,
            data: vec![reset; size],
            bits: vec![0; size / WORD],
            shadow: Shadow::new(&Page::blank(reset), size / PAGE),
        }
    }

    fn start(&self, part: u16, off: u64) -> usize {
        usize::from(part) * self.stride + off as usize
    }

    /// Bytes of one partition; `None` outside the array.
    pub fn row(&self, part: u16, off: u64, len: usize) -> Option<&[u8]> {
        let start = self.start(part, off);
        self.data.get(start..start.checked_add(len)?)
    }

    /// One run inside one partition; empty outside the array.
    pub fn segment(&self, part: u16, off: u64, len: usize) -> Segment<'_> {
        let bytes = self.row(part, off, len).unwrap_or_default();
        Segment {
            bytes,
            bits: &self.bits,
            bit: self.start(part, off),
        }
    }

    /// One run inside one partition, marked dirty; empty outside the array.
    pub fn segment_mut(&mut self, part: u16, off: u64, len: usize) -> SegmentMut<'_> {
        let start = self.start(part, off);
        let bytes = self
            .data
            .get_mut(start..start.saturating_add(len))
            .unwrap_or_default();
        if !bytes.is_empty() {
            self.shadow.touch(start, len, PAGE);
        }
        SegmentMut {
            bytes,
            bits: &mut self.bits,
            bit: start,
        }
    }

    /// The pages as shared copies; counts those that had to be made.
    pub fn capture(&mut self, copied: &mut u64) -> Vec<Arc<ChipPage>> {
        let (data, bits) = (
            self.data.as_chunks::<PAGE>().0,
            self.bits.as_chunks::<PAGE_WORDS>().0,
        );
        self.shadow.capture(copied, |i| {
            Some(Arc::new(Page {
                data: *data.get(i)?,
                bits: *bits.get(i)?,
            }))
        })
    }

    /// Takes over the pages of a memory of equal size.
    pub fn restore(&mut self, pages: &[Arc<ChipPage>]) {
        let data = self.data.as_chunks_mut::<PAGE>().0;
        let bits = self.bits.as_chunks_mut::<PAGE_WORDS>().0;
        self.shadow.restore(pages, |i, page| {
            if let (Some(data), Some(bits)) = (data.get_mut(i), bits.get_mut(i)) {
                (*data, *bits) = (page.data, page.bits);
            }
        });
    }

    /// All pages with their index that have a written byte, in address order.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8], &[u64])> {
        let pages = self
            .data
            .chunks_exact(PAGE)
            .zip(self.bits.chunks_exact(PAGE_WORDS));
        let written = pages
            .enumerate()
            .filter(|(_, (_, bits))| bits.iter().any(|w| *w != 0));
        written.map(|(i, (data, bits))| (i as u64, data, bits))
    }
}

impl PartialEq for Bank {
    fn eq(&self, other: &Bank) -> bool {
        self.bits == other.bits && self.data == other.data
    }
}
