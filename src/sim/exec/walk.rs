//! A resolved operand: which bytes of which partitions, in which order (isa 03 §2).
//!
//! Resolving costs work per run of consecutive elements, once per bundle; lanes differ only in
//! their partition. [`super::resolve`] makes them.

use crate::isa::DType;
use crate::isa::field::Role;
use crate::num::{self, Kind};
use crate::sim::{Rect, Runs, Space, State};

/// An operand with its address, shape and dtype resolved and its bounds checked.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Name of the slot.
    pub field: &'static str,
    /// Source or destination.
    pub role: Role,
    /// SBUF or PSUM.
    pub space: Space,
    /// Partition of lane 0.
    pub part: u16,
    /// Partitions covered.
    pub lanes: u16,
    /// Wire dtype.
    pub dtype: DType,
    /// Kind of element under the present settings.
    pub kind: Kind,
    /// Bytes per element.
    pub elem: u32,
    /// Elements per partition.
    pub count: usize,
    /// Counts of the dimensions, fastest first.
    pub(super) counts: [u16; 4],
    /// Byte offsets of the runs inside the partition, in walk order.
    pub(super) starts: Vec<u32>,
    /// Elements per run.
    pub(super) run: u32,
    /// Lowest byte and one past the highest.
    pub(super) span: (u32, u32),
}

/// How a destination is stored: disjoint runs ascending, and the walk index of every stored
/// element when that differs from the walk order.
#[derive(Debug)]
pub struct Plan {
    /// Bytes of lane 0.
    pub runs: Vec<Runs>,
    /// For each stored element the last walk index that names it; `None`: walk order.
    pub order: Option<Vec<u32>>,
}

impl Walk {
    /// The partition of a lane.
    pub fn partition(&self, lane: u16) -> u16 {
        self.part + lane
    }

    /// Elements in the `n` innermost dimensions.
    pub fn inner(&self, n: usize) -> usize {
        let counts = self.counts.iter().take(n);
        counts.map(|c| usize::from(*c)).product()
    }

    /// Bytes of a lane when packed in walk order.
    pub fn bytes(&self) -> usize {
        self.count * self.elem as usize
    }

    /// One run of all its elements, ascending.
    pub fn contiguous(&self) -> bool {
        self.starts.len() <= 1
    }

    /// Do two walks visit the same bytes in the same order?
    pub fn same_sequence(&self, other: &Walk) -> bool {
        self.space == other.space
            && self.part == other.part
            && self.elem == other.elem
            && self.run == other.run
            && self.starts == other.starts
    }

    /// The smallest rectangle around all bytes of all lanes.
    pub fn bounds(&self) -> Rect {
        let (lo, hi) = self.span;
        Rect::new(
            self.space,
            self.part,
            self.lanes,
            u64::from(lo),
            hi.saturating_sub(lo),
        )
    }

    /// Do the two share a byte?
    pub fn overlaps(&self, other: &Walk) -> bool {
        if !self.bounds().overlaps(&other.bounds()) {
            return false;
        }
        let (mut ours, mut theirs) = (self.rects().peekable(), other.rects().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            if a.overlaps(b) {
                return true;
            }
            if a.off < b.off {
                ours.next();
            } else {
                theirs.next();
            }
        }
        false
    }

    /// The bytes of all lanes, disjoint, ascending.
    pub fn rects(&self) -> impl Iterator<Item = Rect> + use<> {
        self.plan().runs.into_iter().flat_map(|r| r.rects())
    }

    /// Byte offsets of the elements inside the partition, in walk order.
    pub fn offsets(&self) -> impl Iterator<Item = u32> + '_ {
        let elem = self.elem;
        self.starts
            .iter()
            .flat_map(move |s| (0..self.run).map(move |i| s + i * elem))
    }

    /// How to store it, for all its lanes.
    pub fn plan(&self) -> Plan {
        let bytes = self.run * self.elem;
        let ascending = self.starts.windows(2).all(|w| match w {
            [a, b] => a + bytes <= *b,
            _ => true,
        });
        if ascending {
            return Plan {
                runs: self.group(self.starts.iter().copied(), bytes),
                order: None,
            };
        }
        let mut last: Vec<(u32, u32)> = self.offsets().zip(0..).collect();
        last.sort_unstable();
        // Of equal offsets the last in walk order stays (isa 03 §2).
        let mut kept: Vec<(u32, u32)> = Vec::with_capacity(last.len());
        for (off, i) in last {
            match kept.last_mut() {
                Some(k) if k.0 == off => k.1 = i,
                _ => kept.push((off, i)),
            }
        }
        Plan {
            runs: self.group(kept.iter().map(|k| k.0), self.elem),
            order: Some(kept.into_iter().map(|k| k.1).collect()),
        }
    }

    /// Joins ascending runs of `bytes` bytes into series with a constant distance.
    fn group(&self, starts: impl Iterator<Item = u32>, bytes: u32) -> Vec<Runs> {
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for s in starts {
            match joined.last_mut() {
                Some(j) if j.0 + j.1 == s => j.1 += bytes,
                _ => joined.push((s, bytes)),
            }
        }
        let mut out: Vec<Runs> = Vec::new();
        for (start, len) in joined {
            let next = Rect::new(self.space, self.part, self.lanes, u64::from(start), len);
            if let Some(last) = out.last_mut()
                && last.first.len == len
            {
                let gap = u64::from(start).saturating_sub(last.first.off);
                let step = if last.count == 1 {
                    gap
                } else {
                    u64::from(last.step)
                };
                if gap == step * u64::from(last.count) && step <= u64::from(u32::MAX) {
                    last.step = step as u32;
                    last.count += 1;
                    continue;
                }
            }
            out.push(Runs::from(next));
        }
        out
    }

    /// Copies the packed bytes of a lane, in walk order, to the end of `out`.
    pub fn gather_bytes(&self, state: &State, lane: u16, out: &mut Vec<u8>) {
        let row = self.span_row(state, lane);
        out.reserve(self.count * self.elem as usize);
        match self.elem {
            // Element copies of a known size compile to single moves.
            1 if self.run == 1 => self.gather_sized::<1>(row, out),
            2 if self.run == 1 => self.gather_sized::<2>(row, out),
            4 if self.run == 1 => self.gather_sized::<4>(row, out),
            8 if self.run == 1 => self.gather_sized::<8>(row, out),
            _ => {
                let (lo, bytes) = (self.span.0, (self.run * self.elem) as usize);
                for s in &self.starts {
                    let at = (s - lo) as usize;
                    out.extend_from_slice(row.get(at..at + bytes).unwrap_or(&[]));
                }
            }
        }
    }

    fn gather_sized<const N: usize>(&self, row: &[u8], out: &mut Vec<u8>) {
        let lo = self.span.0;
        out.extend(self.starts.iter().flat_map(|s| -> [u8; N] {
            let rest = row.get((s - lo) as usize..);
            rest.and_then(|r| r.first_chunk())
                .copied()
                .unwrap_or([0; N])
        }));
    }

    /// The bytes of a lane from the lowest to the highest that the walk visits.
    fn span_row<'s>(&self, state: &'s State, lane: u16) -> &'s [u8] {
        let (lo, hi) = self.span;
        let part = self.partition(lane);
        let row = state.bytes(self.space, part, u64::from(lo), hi.saturating_sub(lo));
        row.unwrap_or(&[])
    }

    /// The bytes of a lane without copying, when they are one run.
    pub fn row<'s>(&self, state: &'s State, lane: u16) -> Option<&'s [u8]> {
        self.contiguous().then(|| self.span_row(state, lane))
    }

    /// The packed bytes of a lane in walk order: in place where they are one run, else in `buffer`.
    pub fn packed<'b>(&self, state: &'b State, lane: u16, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        if let Some(row) = self.row(state, lane) {
            return row;
        }
        buffer.clear();
        self.gather_bytes(state, lane, buffer);
        buffer
    }

    /// Reads a lane as f32, in walk order; `buffer` is for walks of several runs.
    pub fn read_f32(&self, state: &State, lane: u16, buffer: &mut Vec<u8>, out: &mut Vec<f32>) {
        out.resize(self.count, 0.0);
        num::widen_slice(self.kind, self.packed(state, lane, buffer), out);
    }

    /// Reads a lane as raw element bits, zero-extended, in walk order.
    pub fn read_raw(&self, state: &State, lane: u16, buffer: &mut Vec<u8>, out: &mut Vec<u64>) {
        out.clear();
        let bytes = self.packed(state, lane, buffer);
        out.extend(bytes.chunks_exact(self.elem.max(1) as usize).map(raw));
    }
}

/// Rows of elements, one per lane: a walk through memory, or what was read before.
pub trait Lanes {
    /// Slot they belong to, for messages.
    fn field(&self) -> &'static str;
    /// Kind of element.
    fn kind(&self) -> Kind;
    /// Elements per lane.
    fn count(&self) -> usize;
    /// Packed bytes of a lane, in place or in `buffer`.
    fn packed<'b>(&'b self, state: &'b State, lane: u16, buffer: &'b mut Vec<u8>) -> &'b [u8];
}

impl Lanes for Walk {
    fn field(&self) -> &'static str {
        self.field
    }
    fn kind(&self) -> Kind {
        self.kind
    }
    fn count(&self) -> usize {
        self.count
    }
    fn packed<'b>(&'b self, state: &'b State, lane: u16, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        Walk::packed(self, state, lane, buffer)
    }
}

/// The bits of an element, zero-extended. Sizes that exist are single loads.
pub fn raw(element: &[u8]) -> u64 {
    match *element {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}
