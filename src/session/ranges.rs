//! Numbered places, arranged so that the ones a rectangle touches are found without looking at all.

use super::place::Place;
use crate::sim::{Rect, Space};

/// A place and its number.
#[derive(Clone, Copy, Debug)]
struct Entry {
    part: u32,
    part_end: u32,
    off: u64,
    end: u64,
    id: u32,
}

/// The places of one memory, ascending by offset.
#[derive(Debug, Default)]
struct Lane {
    entries: Vec<Entry>,
    /// Largest end among the entries up to and including each.
    reach: Vec<u64>,
    /// Partitions and bytes outside of which there is nothing.
    part: u32,
    part_end: u32,
    off: u64,
}

/// An index of places.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    lanes: [Lane; 3],
    count: usize,
}

impl Ranges {
    /// The index of some places.
    pub fn new(places: &[(Place, u32)]) -> Ranges {
        let mut ranges = Ranges {
            count: places.len(),
            ..Ranges::default()
        };
        for (p, id) in places {
            ranges.lane_mut(p.space).entries.push(Entry {
                part: p.part.into(),
                part_end: u32::from(p.part) + u32::from(p.parts),
                off: p.off,
                end: p.off + p.len,
                id: *id,
            });
        }
        ranges.lanes.iter_mut().for_each(Lane::arrange);
        ranges
    }

    /// Is there no place?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Calls `f` with the number of every place that shares a byte with the rectangle.
    pub fn touched(&self, rect: &Rect, f: impl FnMut(u32)) {
        let [sbuf, psum, dram] = &self.lanes;
        match rect.space {
            Space::Sbuf => sbuf.touched(rect, f),
            Space::Psum => psum.touched(rect, f),
            Space::Dram => dram.touched(rect, f),
        }
    }

    fn lane_mut(&mut self, space: Space) -> &mut Lane {
        let [sbuf, psum, dram] = &mut self.lanes;
        match space {
            Space::Sbuf => sbuf,
            Space::Psum => psum,
            Space::Dram => dram,
        }
    }
}

impl Lane {
    fn arrange(&mut self) {
        self.entries.sort_by_key(|e| (e.off, e.id));
        let mut reach = 0;
        self.reach = self
            .entries
            .iter()
            .map(|e| {
                reach = e.end.max(reach);
                reach
            })
            .collect();
        self.part = self.entries.iter().map(|e| e.part).min().unwrap_or(0);
        self.part_end = self.entries.iter().map(|e| e.part_end).max().unwrap_or(0);
        self.off = self.entries.first().map_or(0, |e| e.off);
    }

    fn touched(&self, rect: &Rect, mut f: impl FnMut(u32)) {
        let (part, part_end) = (u32::from(rect.part), rect.part_end());
        let outside = part >= self.part_end
            || part_end <= self.part
            || rect.end() <= self.off
            || self.reach.last().is_none_or(|r| *r <= rect.off);
        if outside || rect.is_empty() {
            return;
        }
        let n = self.entries.partition_point(|e| e.off < rect.end());
        let below = self.entries.iter().zip(&self.reach).take(n).rev();
        for (e, _) in below.take_while(|(_, reach)| **reach > rect.off) {
            if e.end > rect.off && e.part < part_end && part < e.part_end {
                f(e.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Geometry;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const GEOMETRY: Geometry = Geometry {
        sbuf_bytes: 4096,
        psum_bytes: 4096,
        dram_bytes: 4096,
    };

    fn place() -> impl Strategy<Value = Place> {
        (0..3usize, 0..20u64, 1..5u64, 0..200u64, 1..60u64).prop_map(
            |(s, part, parts, off, len)| {
                let space = Space::ALL[s];
                let parts = if space == Space::Dram {
                    0..1
                } else {
                    part..part + parts
                };
                Place::new(&GEOMETRY, space, parts, off..off + len, None).unwrap()
            },
        )
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(places in vec(place(), 0..40), probes in vec(place(), 1..20)) {
            let numbered: Vec<_> = places.iter().copied().zip(1..).collect();
            let index = Ranges::new(&numbered);
            for probe in probes {
                let rect = probe.rect();
                let mut found = Vec::new();
                index.touched(&rect, |id| found.push(id));
                found.sort();
                let scanned: Vec<u32> = numbered.iter().filter(|(p, _)| p.clip(&rect).is_some()).map(|(_, i)| *i).collect();
                prop_assert_eq!(found, scanned);
            }
        }
    }
}
