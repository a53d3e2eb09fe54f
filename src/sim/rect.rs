//! Rectangles of memory: the one way ranges are named in effects, read lists, watchpoints and heat maps.

pub use crate::isa::Space;
use std::fmt;

/// A rectangle of bytes: partitions `part..part+parts`, bytes `off..off+len` in each of them.
///
/// For DRAM `part` is 0, `parts` is 1 and `off` is the byte address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rect {
    /// The memory.
    pub space: Space,
    /// First partition.
    pub part: u16,
    /// Number of partitions.
    pub parts: u16,
    /// First byte inside the partition (DRAM: byte address).
    pub off: u64,
    /// Bytes per partition.
    pub len: u32,
}

impl Rect {
    /// A rectangle of an on-chip memory.
    pub const fn new(space: Space, part: u16, parts: u16, off: u64, len: u32) -> Rect {
        Rect {
            space,
            part,
            parts,
            off,
            len,
        }
    }

    /// A range of DRAM.
    pub const fn dram(off: u64, len: u32) -> Rect {
        Rect {
            space: Space::Dram,
            part: 0,
            parts: 1,
            off,
            len,
        }
    }

    /// True when it holds no byte.
    pub const fn is_empty(&self) -> bool {
        self.parts == 0 || self.len == 0
    }

    /// Number of bytes covered.
    pub const fn bytes(&self) -> u64 {
        self.parts as u64 * self.len as u64
    }

    /// One past the last byte inside a partition.
    pub const fn end(&self) -> u64 {
        self.off.saturating_add(self.len as u64)
    }

    /// One past the last partition.
    pub const fn part_end(&self) -> u32 {
        self.part as u32 + self.parts as u32
    }

    /// The partitions.
    pub const fn partitions(&self) -> std::ops::Range<u16> {
        self.part..self.part.saturating_add(self.parts)
    }

    /// The rectangle common to both, if any byte is.
    pub fn intersect(&self, other: &Rect) -> Option<Rect> {
        if self.space != other.space {
            return None;
        }
        let part = self.part.max(other.part);
        let parts = self
            .part_end()
            .min(other.part_end())
            .checked_sub(u32::from(part))?;
        let off = self.off.max(other.off);
        let len = self.end().min(other.end()).checked_sub(off)?;
        let rect = Rect {
            space: self.space,
            part,
            parts: parts as u16,
            off,
            len: len as u32,
        };
        (!rect.is_empty()).then_some(rect)
    }

    /// True when the two share a byte.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.intersect(other).is_some()
    }

    /// True when every byte of `other` lies in `self`; an empty rectangle lies in any.
    pub fn contains(&self, other: &Rect) -> bool {
        other.is_empty() || self.intersect(other) == Some(*other)
    }

    /// True when the byte `off` of partition `part` lies inside.
    pub fn contains_byte(&self, space: Space, part: u16, off: u64) -> bool {
        self.contains(&Rect {
            space,
            part,
            parts: 1,
            off,
            len: 1,
        })
    }

    /// The union, when it is itself a rectangle and the two do not overlap; used to keep range lists short.
    pub fn join(&self, next: &Rect) -> Option<Rect> {
        if self.space != next.space {
            return None;
        }
        if self.off == next.off && self.len == next.len && self.part_end() == u32::from(next.part) {
            return Some(Rect {
                parts: self.parts.checked_add(next.parts)?,
                ..*self
            });
        }
        if self.part == next.part && self.parts == next.parts && self.end() == next.off {
            return Some(Rect {
                len: self.len.checked_add(next.len)?,
                ..*self
            });
        }
        None
    }
}

impl fmt::Display for Rect {
    /// The place grammar of the command language: `sbuf[0:4, 0x100+64]`, `dram[0x1000+64]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.space, self.parts) {
            (Space::Dram, _) => write!(f, "dram[{:#x}+{}]", self.off, self.len),
            (s, 1) => write!(f, "{s}[{}, {:#x}+{}]", self.part, self.off, self.len),
            (s, _) => write!(
                f,
                "{s}[{}:{}, {:#x}+{}]",
                self.part,
                self.part_end(),
                self.off,
                self.len
            ),
        }
    }
}

/// Equal runs of bytes at a constant distance in the same partitions: `count` copies of `first`, each `step` bytes after the last.
///
/// Steps are larger than `first.len`: runs neither overlap nor touch. A plain rectangle is one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The run with the lowest offset.
    pub(super) first: Rect,
    /// Distance between the starts of neighbouring runs, bytes.
    pub(super) step: u32,
    /// Number of runs.
    pub(super) count: u32,
}

impl Runs {
    /// `count` runs, made one where they touch; `None` when they overlap or span more than 32 bits.
    pub fn new(first: Rect, step: u32, count: u32) -> Option<Runs> {
        let span = u64::from(step).checked_mul(u64::from(count.saturating_sub(1)))?;
        let span = u32::try_from(span.checked_add(u64::from(first.len))?).ok()?;
        first.off.checked_add(u64::from(span))?;
        if count > 1 && step == first.len {
            return Some(Rect { len: span, ..first }.into());
        }
        (count <= 1 || step > first.len).then_some(Runs { first, step, count })
    }

    /// The smallest rectangle around all runs.
    pub fn bounds(&self) -> Rect {
        if self.count == 0 {
            return Rect {
                len: 0,
                ..self.first
            };
        }
        let span = u64::from(self.step) * u64::from(self.count - 1) + u64::from(self.first.len);
        Rect {
            len: u32::try_from(span).unwrap_or(u32::MAX),
            ..self.first
        }
    }

    /// Number of bytes covered.
    pub fn bytes(&self) -> u64 {
        self.first.bytes().saturating_mul(u64::from(self.count))
    }

    /// First byte of each run, ascending.
    pub fn offsets(&self) -> impl Iterator<Item = u64> + Clone + use<> {
        let (off, step) = (self.first.off, u64::from(self.step));
        (0..u64::from(self.count)).map(move |i| off.saturating_add(i * step))
    }

    /// Does the rectangle around them share a byte with another?
    pub(super) fn near(&self, bounds: &Rect) -> bool {
        self.bounds().overlaps(bounds)
    }

    /// The run that holds a byte offset, or the next one.
    fn run_at(&self, off: u64) -> u64 {
        let into = off.saturating_sub(self.first.off);
        let run = into / u64::from(self.step.max(1));
        let inside = into - run * u64::from(self.step.max(1)) < u64::from(self.first.len);
        run + u64::from(!inside)
    }

    /// The first rectangle common to both.
    pub fn common(&self, other: &Runs) -> Option<Rect> {
        let (few, many) = if self.count <= other.count {
            (self, other)
        } else {
            (other, self)
        };
        few.bounds().intersect(&many.bounds())?;
        few.rects().find_map(|r| {
            let run = many.run_at(r.off);
            let off = many.first.off + run * u64::from(many.step);
            let hit = Rect { off, ..many.first };
            (run < u64::from(many.count)).then(|| hit.intersect(&r))?
        })
    }

    /// Does it surely hold every byte of another? One run around it does, and runs at the same places.
    pub fn covers(&self, other: &Runs) -> bool {
        if self.count == 1 || other.count == 0 {
            return self.first.contains(&other.bounds());
        }
        let placed = Rect {
            len: other.first.len,
            ..self.first
        };
        let alike = self.first.off == other.first.off
            && (self.step == other.step || other.count == 1)
            && self.count >= other.count
            && self.first.len >= other.first.len;
        alike && placed.contains(&other.first)
    }

    /// Both as one, when that is a series of runs again.
    pub fn join(&self, next: &Runs) -> Option<Runs> {
        let (a, b) = (&self.first, &next.first);
        let shape = |r: &Runs| (r.count > 1).then_some((r.step, r.count));
        if shape(self) == shape(next) && (a.space, a.off, a.len) == (b.space, b.off, b.len) {
            let parts = a.parts.checked_add(b.parts)?;
            return (a.part_end() == u32::from(b.part)).then_some(Runs {
                first: Rect { parts, ..*a },
                ..*self
            });
        }
        if self.count == 1
            && next.count == 1
            && let Some(joined) = a.join(b)
        {
            return Some(joined.into());
        }
        // One more run at the same distance.
        let same = (a.space, a.part, a.parts, a.len) == (b.space, b.part, b.parts, b.len);
        let gap = b.off.checked_sub(a.off)?;
        let step = match self.count {
            1 => gap,
            _ => u64::from(self.step),
        };
        let follows = next.count == 1 && gap == step.checked_mul(self.count.into())?;
        if !same || !follows || step <= u64::from(a.len) {
            return None;
        }
        Runs::new(*a, u32::try_from(step).ok()?, self.count.checked_add(1)?)
    }

    /// Adds itself to a list: not at all when the last there is a rectangle that holds it, as one with the last where possible.
    pub fn push_onto(self, all: &mut Vec<Runs>) {
        match all.last_mut() {
            Some(last) if last.count == 1 && last.first.contains(&self.bounds()) => {}
            Some(last) => match last.join(&self) {
                Some(joined) => *last = joined,
                None => all.push(self),
            },
            None => all.push(self),
        }
    }

    /// The rectangles, lowest offset first.
    pub fn rects(self) -> impl Iterator<Item = Rect> + Clone {
        self.offsets().map(move |off| Rect { off, ..self.first })
    }
}

impl From<Rect> for Runs {
    fn from(first: Rect) -> Runs {
        Runs {
            first,
            step: first.len,
            count: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn rect() -> impl Strategy<Value = Rect> {
        (0..2u8, 0..6u16, 0..6u16, 0..12u64, 0..8u32).prop_map(|(s, part, parts, off, len)| Rect {
            space: Space::ALL[usize::from(s)],
            part,
            parts,
            off,
            len,
        })
    }

    fn cells(r: &Rect) -> BTreeSet<(Space, u32, u64)> {
        let parts = u32::from(r.part)..r.part_end();
        parts
            .flat_map(|p| (r.off..r.end()).map(move |o| (r.space, p, o)))
            .collect()
    }

    proptest! {
        #[test]
        fn set_operations_agree_with_cell_sets(a in rect(), b in rect()) {
            let (ca, cb) = (cells(&a), cells(&b));
            prop_assert_eq!(ca.len() as u64, a.bytes());
            let both: BTreeSet<_> = ca.intersection(&cb).copied().collect();
            prop_assert_eq!(a.overlaps(&b), !both.is_empty());
            prop_assert_eq!(a.intersect(&b).map(|r| cells(&r)).unwrap_or_default(), both);
            prop_assert_eq!(a.contains(&b), cb.is_subset(&ca));
            if let Some(j) = a.join(&b) {
                let union: BTreeSet<_> = ca.union(&cb).copied().collect();
                prop_assert_eq!(cells(&j), union);
                prop_assert_eq!(j.bytes(), a.bytes() + b.bytes());
            }
        }

        #[test]
        fn runs_cover_count_times_first(first in rect(), gap in 0..5u32, count in 0..5u32) {
            let runs = Runs::new(first, first.len + gap, count).unwrap();
            let mut all = BTreeSet::new();
            for r in runs.rects() {
                prop_assert!(runs.bounds().contains(&r));
                all.extend(cells(&r));
            }
            prop_assert_eq!(all.len() as u64, runs.bytes());
        }
    }

    fn runs() -> impl Strategy<Value = Runs> {
        (rect(), 1..4u32, 0..4u32)
            .prop_map(|(first, gap, count)| Runs::new(first, first.len + gap, count).unwrap())
    }

    fn all_cells(r: &Runs) -> BTreeSet<(Space, u32, u64)> {
        r.rects().flat_map(|r| cells(&r)).collect()
    }

    proptest! {
        #[test]
        fn runs_meet_where_their_cells_do(a in runs(), b in runs()) {
            let (ca, cb) = (all_cells(&a), all_cells(&b));
            match a.common(&b) {
                Some(r) => {
                    let common = cells(&r);
                    prop_assert!(!common.is_empty());
                    prop_assert!(common.is_subset(&ca) && common.is_subset(&cb));
                }
                None => prop_assert!(ca.is_disjoint(&cb)),
            }
            if a.covers(&b) {
                prop_assert!(cb.is_subset(&ca), "{:?} {:?}", a, b);
            }
            if let Some(j) = a.join(&b) {
                let union: BTreeSet<_> = ca.union(&cb).copied().collect();
                prop_assert_eq!(all_cells(&j), union);
            }
        }
    }

    #[test]
    fn printed_as_places() {
        assert_eq!(
            Rect::new(Space::Sbuf, 0, 4, 0x100, 64).to_string(),
            "sbuf[0:4, 0x100+64]"
        );
        assert_eq!(
            Rect::new(Space::Psum, 7, 1, 0, 4).to_string(),
            "psum[7, 0x0+4]"
        );
        assert_eq!(Rect::dram(0x1000, 8).to_string(), "dram[0x1000+8]");
    }
}
