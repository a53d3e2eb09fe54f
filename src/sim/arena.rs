//! The byte store of the journal: appended at the end, freed at both ends, never moved.
//!
//! Bytes have positions counted from the journal's start. Chunks are filled one after another; a reserved run lies in one chunk.

use std::collections::VecDeque;

/// Upper limit of the usual chunk size; a longer run gets a chunk of its own.
const CHUNK: usize = 4 << 20;
/// Emptied chunks kept for reuse: fresh memory costs more than the copy into it.
const SPARE: usize = 4;

struct Chunk {
    /// Position of the first byte.
    start: u64,
    data: Vec<u8>,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.start + self.data.len() as u64
    }
}

/// Chunked bytes addressed by position.
#[derive(Default)]
pub(super) struct Arena {
    chunks: VecDeque<Chunk>,
    spare: Vec<Vec<u8>>,
    /// One past the last byte.
    end: u64,
    /// Bytes before this position are gone.
    floor: u64,
}

impl Arena {
    /// One past the last byte.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Bytes that can still be read.
    pub fn live(&self) -> u64 {
        self.end - self.floor
    }

    /// Makes room for a run of `len` bytes that the following [`Arena::push`] calls fill; gives its position.
    pub fn reserve(&mut self, len: usize) -> u64 {
        let fits = self
            .chunks
            .back()
            .is_some_and(|c| c.data.capacity() - c.data.len() >= len);
        if !fits {
            if self.chunks.back().is_some_and(|c| c.data.is_empty()) {
                self.recycle_back();
            }
            let data = match self.spare.iter().position(|s| s.capacity() >= len) {
                Some(i) => self.spare.swap_remove(i),
                None => Vec::with_capacity(len.max(CHUNK)),
            };
            self.chunks.push_back(Chunk {
                start: self.end,
                data,
            });
        }
        self.end
    }

    /// Appends to the reserved run; gives the copy.
    pub fn push(&mut self, bytes: &[u8]) -> &[u8] {
        self.push_with(|data| data.extend_from_slice(bytes))
    }

    /// Appends `len` bytes to the reserved run, which `fill` sets.
    pub fn push_filled(&mut self, len: usize, fill: impl FnOnce(&mut [u8])) -> &[u8] {
        self.push_with(|data| {
            let start = data.len();
            data.resize(start + len, 0);
            fill(data.get_mut(start..).unwrap_or_default());
        })
    }

    fn push_with(&mut self, push: impl FnOnce(&mut Vec<u8>)) -> &[u8] {
        let Some(chunk) = self.chunks.back_mut() else {
            return &[];
        };
        let start = chunk.data.len();
        push(&mut chunk.data);
        self.end = chunk.end();
        chunk.data.get(start..).unwrap_or_default()
    }

    fn chunk_of(&self, pos: u64) -> Option<usize> {
        self.chunks
            .partition_point(|c| c.start <= pos)
            .checked_sub(1)
    }

    /// A run that was reserved in one piece; empty when it was freed.
    pub fn get(&self, pos: u64, len: usize) -> &[u8] {
        let chunk = self.chunk_of(pos).and_then(|i| self.chunks.get(i));
        chunk
            .and_then(|c| c.data.get((pos - c.start) as usize..)?.get(..len))
            .unwrap_or_default()
    }

    /// A run that was reserved in one piece, to be changed; empty when it was freed.
    pub fn get_mut(&mut self, pos: u64, len: usize) -> &mut [u8] {
        let chunk = self.chunk_of(pos).and_then(|i| self.chunks.get_mut(i));
        chunk
            .and_then(|c| c.data.get_mut((pos - c.start) as usize..)?.get_mut(..len))
            .unwrap_or_default()
    }

    /// Drops everything at and after `pos`.
    pub fn truncate(&mut self, pos: u64) {
        while self.chunks.back().is_some_and(|c| c.start >= pos) {
            self.recycle_back();
        }
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.data.truncate((pos - chunk.start) as usize);
        }
        self.end = self.end.min(pos);
        self.floor = self.floor.min(self.end);
    }

    /// Drops everything before `pos`.
    pub fn free_before(&mut self, pos: u64) {
        self.floor = self.floor.max(pos.min(self.end));
        while self.chunks.front().is_some_and(|c| c.end() <= self.floor) {
            if let Some(chunk) = self.chunks.pop_front() {
                self.recycle(chunk.data);
            }
        }
    }

    fn recycle_back(&mut self) {
        if let Some(chunk) = self.chunks.pop_back() {
            self.recycle(chunk.data);
        }
    }

    fn recycle(&mut self, mut data: Vec<u8>) {
        if self.spare.len() < SPARE {
            data.clear();
            self.spare.push(data);
        }
    }
}
