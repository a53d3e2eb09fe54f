//! Whole states that share what did not change: far jumps restore one and replay from it.
//!
//! Flat memories keep, beside their bytes, a table of shared page copies (the shadow) and a bit for every page changed since its
//! copy was made. Capturing copies the dirty pages and clones the table; restoring writes back the pages that differ. So both cost
//! as much as was changed, whatever the size of the memory. Any state can restore any checkpoint.

use super::dram::Dram;
use super::memory::{ChipPage, Geometry, PAGE};
use super::state::{Reset, Small, State};
use super::written::{self, WORD};
use std::sync::Arc;

/// A state at one moment, frozen.
#[derive(Clone)]
pub struct Checkpoint {
    geometry: Geometry,
    reset: Reset,
    sbuf: Vec<Arc<ChipPage>>,
    psum: Vec<Arc<ChipPage>>,
    dram: Dram,
    hidden: Vec<Arc<Words>>,
    small: Small,
    copied: u64,
}

/// A page of hidden words.
pub(super) type Words = [u32; PAGE / 4];

impl Checkpoint {
    /// Memory sizes of the frozen state.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// What its unwritten cells hold.
    pub fn reset(&self) -> Reset {
        self.reset
    }

    /// Bytes this checkpoint holds alone, roughly: the pages changed since the one before it, and its tables.
    pub fn cost(&self) -> u64 {
        let pointers = self.sbuf.len() + self.psum.len() + self.hidden.len();
        self.copied + (size_of::<Small>() + pointers * size_of::<Arc<ChipPage>>()) as u64
    }
}

impl State {
    /// Freezes the present state. Changes book-keeping only, nothing architectural.
    pub fn checkpoint(&mut self) -> Checkpoint {
        let mut pages = 0;
        let sbuf = self.sbuf.capture(&mut pages);
        let psum = self.psum.capture(&mut pages);
        let hidden = self.hidden.capture(&mut pages);
        let copied = pages * PAGE as u64 + self.dram.take_copied();
        let (dram, small) = (self.dram.clone(), self.small.clone());
        Checkpoint {
            geometry: self.geometry,
            reset: self.reset,
            sbuf,
            psum,
            dram,
            hidden,
            small,
            copied,
        }
    }

    /// Becomes equal to the state that was frozen.
    pub fn restore(&mut self, from: &Checkpoint) {
        if (self.geometry, self.reset) != (from.geometry, from.reset) {
            *self = State::new(from.geometry, from.reset);
        }
        self.sbuf.restore(&from.sbuf);
        self.psum.restore(&from.psum);
        self.hidden.restore(&from.hidden);
        self.dram = from.dram.clone();
        self.small = from.small.clone();
    }
}

/// The shared copies of the pages of one flat memory.
#[derive(Clone)]
pub(super) struct Shadow<P> {
    /// One bit per page: differs from its copy, or may.
    dirty: Vec<u64>,
    pages: Vec<Arc<P>>,
}

impl<P> Shadow<P> {
    /// Clean pages that all equal one.
    pub fn new(page: &Arc<P>, count: usize) -> Shadow<P> {
        Shadow {
            dirty: vec![0; count.div_ceil(WORD)],
            pages: vec![Arc::clone(page); count],
        }
    }

    /// Marks the pages that hold units `start..start+len`, of which `per_page` make a page.
    pub fn touch(&mut self, start: usize, len: usize, per_page: usize) {
        let first = start / per_page;
        written::set(
            &mut self.dirty,
            first,
            (start + len).div_ceil(per_page) - first,
        );
    }

    /// Copies the dirty pages and gives the whole table; counts the copies.
    pub fn capture(
        &mut self,
        copied: &mut u64,
        mut copy: impl FnMut(usize) -> Option<Arc<P>>,
    ) -> Vec<Arc<P>> {
        for (i, page) in self.pages.iter_mut().enumerate() {
            if !written::all_clear(&self.dirty, i, 1)
                && let Some(fresh) = copy(i)
            {
                *page = fresh;
                *copied += 1;
            }
        }
        self.dirty.fill(0);
        self.pages.clone()
    }

    /// Calls `put` for each page that differs from that of the table, and takes the table over.
    pub fn restore(&mut self, table: &[Arc<P>], mut put: impl FnMut(usize, &P)) {
        for (i, (own, page)) in self.pages.iter_mut().zip(table).enumerate() {
            if !Arc::ptr_eq(own, page) || !written::all_clear(&self.dirty, i, 1) {
                put(i, page);
                *own = Arc::clone(page);
            }
        }
        self.dirty.fill(0);
    }
}
