//! Sets of bytes: those of a place as bits, and rectangles without the seams between them.

use super::place::Place;
use crate::sim::Rect;

/// The bytes of a place that are still looked for: a bit per byte, row after row.
pub(super) struct Cover {
    place: Place,
    bits: Vec<u64>,
    words: usize,
    /// How many there are.
    pub left: u64,
}

impl Cover {
    /// All bytes of a place.
    pub fn of(place: &Place) -> Cover {
        let words = place.len.div_ceil(64) as usize;
        let mut cover = Cover {
            place: *place,
            bits: vec![u64::MAX; words * usize::from(place.parts)],
            words,
            left: place.bytes(),
        };
        // The last word of a row may reach beyond it.
        let tail = place.len % 64;
        if tail > 0 {
            for last in cover.bits.iter_mut().skip(words - 1).step_by(words) {
                *last = u64::MAX >> (64 - tail);
            }
        }
        cover
    }

    /// Takes the bytes of a rectangle inside the place out; gives those that were in. `but` are bytes that are left alone.
    pub fn take(&mut self, rect: &Rect, but: Option<&Cover>) -> Vec<Rect> {
        let start = (rect.off - self.place.off) as usize;
        let end = start + rect.len as usize;
        let mut found = Vec::new();
        for part in rect.partitions() {
            let row = usize::from(part - self.place.part) * self.words;
            for word in start / 64..end.div_ceil(64) {
                let low = u64::MAX << start.saturating_sub(word * 64).min(63);
                let high = u64::MAX >> (64 - (end - word * 64).min(64));
                let spared = but.and_then(|b| b.bits.get(row + word)).copied();
                let Some(bits) = self.bits.get_mut(row + word) else {
                    continue;
                };
                let taken = *bits & low & high & !spared.unwrap_or(0);
                *bits &= !taken;
                self.left -= u64::from(taken.count_ones());
                runs(taken, |at, len| {
                    found.push(Rect {
                        part,
                        parts: 1,
                        off: self.place.off + (word * 64) as u64 + at,
                        len,
                        ..*rect
                    });
                });
            }
        }
        merged(found)
    }

    /// What is left.
    pub fn rects(&self) -> Vec<Rect> {
        let mut found = Vec::new();
        for (i, bits) in self.bits.iter().enumerate() {
            let (row, word) = (i / self.words, i % self.words);
            runs(*bits, |at, len| {
                found.push(Rect {
                    part: self.place.part + row as u16,
                    parts: 1,
                    off: self.place.off + (word * 64) as u64 + at,
                    len,
                    ..self.place.rect()
                });
            });
        }
        merged(found)
    }
}

/// Calls `f` with the first bit and the number of bits of each run of ones.
fn runs(mut bits: u64, mut f: impl FnMut(u64, u32)) {
    let mut at = 0;
    while bits != 0 {
        let skip = bits.trailing_zeros();
        bits = bits.checked_shr(skip).unwrap_or(0);
        at += u64::from(skip);
        let len = bits.trailing_ones();
        f(at, len);
        bits = bits.checked_shr(len).unwrap_or(0);
        at += u64::from(len);
    }
}

/// The same bytes in fewer rectangles, ascending: pieces that touch or overlap in a row are one, and equal rows are one.
pub(super) fn merged(mut rects: Vec<Rect>) -> Vec<Rect> {
    let fold = |rects: Vec<Rect>, join: fn(&Rect, &Rect) -> Option<Rect>| {
        let mut out: Vec<Rect> = Vec::with_capacity(rects.len());
        for rect in rects {
            match out
                .last_mut()
                .and_then(|last| Some((join(last, &rect)?, last)))
            {
                Some((joined, last)) => *last = joined,
                None => out.push(rect),
            }
        }
        out
    };
    rects.sort_unstable_by_key(|r| (r.space, r.part, r.parts, r.off, r.len));
    let mut rows = fold(rects, |a, b| {
        let same = (a.space, a.part, a.parts) == (b.space, b.part, b.parts) && b.off <= a.end();
        same.then(|| Rect {
            len: (b.end().max(a.end()) - a.off) as u32,
            ..*a
        })
    });
    rows.sort_unstable_by_key(|r| (r.space, r.off, r.len, r.part));
    let mut all = fold(rows, |a, b| {
        let same = (a.space, a.off, a.len) == (b.space, b.off, b.len);
        (same && u32::from(b.part) <= a.part_end()).then(|| Rect {
            parts: (b.part_end().max(a.part_end()) - u32::from(a.part)) as u16,
            ..*a
        })
    });
    all.sort_unstable_by_key(|r| (r.space, r.part, r.off));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Geometry, Space};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const GEOMETRY: Geometry = Geometry {
        sbuf_bytes: 4096,
        psum_bytes: 4096,
        dram_bytes: 4096,
    };

    fn cells(rects: &[Rect]) -> BTreeSet<(u16, u64)> {
        let bytes = |r: &Rect| {
            let r = *r;
            r.partitions()
                .flat_map(move |p| (r.off..r.end()).map(move |o| (p, o)))
        };
        rects.iter().flat_map(bytes).collect()
    }

    fn rect() -> impl Strategy<Value = Rect> {
        (0..6u16, 1..4u16, 0..200u64, 1..90u32)
            .prop_map(|(part, parts, off, len)| Rect::new(Space::Sbuf, part, parts, off, len))
    }

    proptest! {
        #[test]
        fn the_same_bytes_in_fewer_pieces(rects in prop::collection::vec(rect(), 0..12)) {
            let out = merged(rects.clone());
            prop_assert_eq!(cells(&out), cells(&rects));
            prop_assert!(out.len() <= rects.len());
        }

        #[test]
        fn bytes_are_taken_once(takes in prop::collection::vec(rect(), 0..12), off in 0..90u64, len in 1..150u64) {
            let place = Place::new(&GEOMETRY, Space::Sbuf, 1..6, off..off + len, None).unwrap();
            let (mut first, mut second) = (Cover::of(&place), Cover::of(&place));
            let mut open = [cells(&[place.rect()]), cells(&[place.rect()])];
            for rect in takes.iter().filter_map(|r| place.clip(r)) {
                let all = cells(&[rect]);
                // The second level takes only what the first has given away before.
                let deep: BTreeSet<_> = all.intersection(&open[1]).filter(|c| !open[0].contains(c)).copied().collect();
                prop_assert_eq!(cells(&second.take(&rect, Some(&first))), deep.clone());
                let fresh: BTreeSet<_> = all.intersection(&open[0]).copied().collect();
                prop_assert_eq!(cells(&first.take(&rect, None)), fresh.clone());
                open[0].retain(|c| !fresh.contains(c));
                open[1].retain(|c| !deep.contains(c));
                prop_assert_eq!(first.left as usize, open[0].len());
            }
            prop_assert_eq!(cells(&first.rects()), open[0].clone());
            prop_assert_eq!(cells(&second.rects()), open[1].clone());
        }
    }
}
