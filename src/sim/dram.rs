//! Sparse device memory: pages appear when first written and are shared between clones until changed.

use super::memory::{self, Segment, SegmentMut};
use super::written::WORD;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a page: large enough that a transfer looks up few, small enough that a scattered store wastes little.
pub(super) const PAGE: usize = 32 << 10;
type Page = memory::Page<PAGE, { PAGE / WORD }>;

/// Device memory of one core.
#[derive(Clone)]
pub(super) struct Dram {
    pages: BTreeMap<u64, Arc<Page>>,
    /// Stands for every absent page.
    blank: Arc<Page>,
    /// Pages made or unshared since the last checkpoint.
    copied: u64,
}

/// Cuts a byte range at page boundaries: page number, first byte in the page, bytes.
fn pieces(off: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let (mut at, mut left) = (off, len);
    std::iter::from_fn(move || {
        let start = (at % PAGE as u64) as usize;
        let take = left.min(PAGE - start);
        let piece = (at / PAGE as u64, start, take);
        at = at.wrapping_add(take as u64);
        left -= take;
        (take > 0).then_some(piece)
    })
}

impl Dram {
    /// Blank memory.
    pub fn new(reset: u8) -> Dram {
        Dram {
            pages: BTreeMap::new(),
            blank: Page::blank(reset),
            copied: 0,
        }
    }

    /// The range, cut at page boundaries.
    pub fn segments(&self, off: u64, len: usize) -> impl Iterator<Item = Segment<'_>> {
        pieces(off, len).map(|(number, start, take)| {
            let page = self.pages.get(&number).unwrap_or(&self.blank);
            let bytes = page.data.get(start..start + take).unwrap_or_default();
            Segment {
                bytes,
                bits: &page.bits,
                bit: start,
            }
        })
    }

    /// Calls `f` with the range cut at page boundaries; absent pages are made.
    pub fn segments_mut(&mut self, off: u64, len: usize, mut f: impl FnMut(SegmentMut<'_>)) {
        for (number, start, take) in pieces(off, len) {
            let page = self
                .pages
                .entry(number)
                .or_insert_with(|| Arc::clone(&self.blank));
            self.copied += u64::from(Arc::get_mut(page).is_none());
            let Page { data, bits } = Arc::make_mut(page);
            let bytes = data.get_mut(start..start + take).unwrap_or_default();
            f(SegmentMut {
                bytes,
                bits,
                bit: start,
            });
        }
    }

    /// All pages with their number that have a written byte, in address order.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &Page)> {
        self.pages
            .iter()
            .map(|(n, p)| (*n, &**p))
            .filter(|(_, p)| !p.is_blank())
    }

    /// Bytes of the pages made or unshared since the last call.
    pub fn take_copied(&mut self) -> u64 {
        std::mem::take(&mut self.copied) * PAGE as u64
    }

    /// Bytes held by written pages: what the program really uses.
    pub fn resident(&self) -> u64 {
        self.pages().count() as u64 * PAGE as u64
    }
}

impl PartialEq for Dram {
    fn eq(&self, other: &Dram) -> bool {
        self.pages().eq(other.pages())
    }
}
