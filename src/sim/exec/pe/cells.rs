//! Who wrote which PSUM cell, and was the result read? The books behind the findings about
//! accumulation groups (isa 05 §6.2). They never change a value.
//!
//! One bit per 4-byte cell in each of three planes, ordered by bank so that the lanes of a bank are
//! one slice of words: last written by the PE; part of an open group; written by the PE and not read
//! since.

use std::ops::Range;

use crate::isa::generation::{BANK_BYTES, BANKS};
use crate::isa::{Severity, Space};
use crate::sim::exec::Cx;
use crate::sim::{Rect, Region, Runs};

/// Words per partition and bank.
const BANK_WORDS: usize = BANK_BYTES as usize / 4 / 32;
/// Words per partition.
const WORDS: usize = BANK_WORDS * BANKS as usize;
/// Words per plane.
const PLANE: u32 = 128 * WORDS as u32;

/// A plane of the books.
#[derive(Clone, Copy)]
enum Plane {
    /// The PE wrote the cell last.
    Pe,
    /// The cell belongs to a group without END.
    Open,
    /// The PE wrote the cell and no one read it since.
    Unread,
}

/// Cells of a partition, the same in every lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CellMask([u32; WORDS]);

impl CellMask {
    /// The cells that runs touch.
    pub fn of(runs: &[Runs]) -> CellMask {
        let mut words = [0u32; WORDS];
        for r in runs {
            for off in r.offsets() {
                let cells = off / 4..(off + u64::from(r.first.len)).div_ceil(4);
                set_bits(&mut words, cells);
            }
        }
        CellMask(words)
    }

    /// Is every cell of `other` one of its own?
    pub fn covers(&self, other: &CellMask) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| b & !a == 0)
    }

    fn bank(&self, bank: usize) -> &[u32] {
        self.0
            .get(bank * BANK_WORDS..(bank + 1) * BANK_WORDS)
            .unwrap_or(&[])
    }

    /// Banks it touches.
    fn banks(&self) -> impl Iterator<Item = usize> {
        (0..BANKS as usize).filter(|b| self.bank(*b).iter().any(|w| *w != 0))
    }
}

/// Sets a range of bits, whole words at a time.
fn set_bits(words: &mut [u32], bits: Range<u64>) {
    let (first, last) = (bits.start / 32, bits.end.div_ceil(32));
    for (i, word) in (first..last).zip(words.iter_mut().skip(first as usize)) {
        let from = bits.start.saturating_sub(32 * i).min(32);
        let to = bits.end.saturating_sub(32 * i).min(32);
        let below = |n: u64| if n >= 32 { u32::MAX } else { (1u32 << n) - 1 };
        *word |= below(to) & !below(from);
    }
}

/// The words of a bank's lanes.
fn words_of(plane: Plane, bank: usize, lanes: &Range<u16>) -> Region {
    let start = plane as u32 * PLANE + (bank * 128 * BANK_WORDS) as u32;
    let words = BANK_WORDS as u32;
    Region::PSUM_GROUP.slice(
        start + u32::from(lanes.start) * words,
        u32::from(lanes.end.saturating_sub(lanes.start)) * words,
    )
}

/// Applies `f(word, mask word)` in every lane; journals only where something changes.
fn update(
    cx: &mut Cx<'_, '_>,
    plane: Plane,
    lanes: &Range<u16>,
    mask: &CellMask,
    f: fn(u32, u32) -> u32,
) {
    for bank in mask.banks() {
        let (region, mask) = (words_of(plane, bank, lanes), mask.bank(bank));
        let pairs = |lane: &[u32]| lane.iter().zip(mask).any(|(w, m)| f(*w, *m) != *w);
        if cx.hidden(region).chunks_exact(BANK_WORDS).any(pairs) {
            cx.writer.change_hidden(region, |words| {
                for lane in words.chunks_exact_mut(BANK_WORDS) {
                    lane.iter_mut().zip(mask).for_each(|(w, m)| *w = f(*w, *m));
                }
            });
        }
    }
}

/// Cells for which `f(word, mask word)` has a bit set, over all lanes.
fn count(
    cx: &Cx<'_, '_>,
    plane: Plane,
    lanes: &Range<u16>,
    mask: &CellMask,
    f: impl Fn(u32, u32) -> u32,
) -> u32 {
    let mut sum = 0;
    for bank in mask.banks() {
        let mask = mask.bank(bank);
        for lane in cx
            .hidden(words_of(plane, bank, lanes))
            .chunks_exact(BANK_WORDS)
        {
            sum += lane
                .iter()
                .zip(mask)
                .map(|(w, m)| f(*w, *m).count_ones())
                .sum::<u32>();
        }
    }
    sum
}

const fn set(word: u32, mask: u32) -> u32 {
    word | mask
}

const fn clear_bits(word: u32, mask: u32) -> u32 {
    word & !mask
}

/// BEGIN clears a region: results in it that no one read, outside the cells the bundle writes, are
/// lost.
pub(super) fn clear(
    cx: &mut Cx<'_, '_>,
    lanes: Range<u16>,
    cleared: &CellMask,
    written: &CellMask,
    region: &Rect,
) {
    let mut outside = cleared.clone();
    outside
        .0
        .iter_mut()
        .zip(&written.0)
        .for_each(|(o, w)| *o &= !w);
    let lost = count(cx, Plane::Unread, &lanes, &outside, |w, m| w & m);
    if lost > 0 {
        let m = format!("BEGIN clears {region}: {lost} cells of another group were never read");
        cx.finding(Severity::Warn, "psum-group-clobber", m);
    }
    update(cx, Plane::Unread, &lanes, cleared, clear_bits);
    update(cx, Plane::Open, &lanes, cleared, clear_bits);
    update(cx, Plane::Pe, &lanes, cleared, set);
}

/// Cells whose last writer is not the PE.
pub(super) fn foreign(cx: &Cx<'_, '_>, lanes: Range<u16>, mask: &CellMask) -> u32 {
    count(cx, Plane::Pe, &lanes, mask, |w, m| m & !w)
}

/// The PE wrote cells; `ends`: their group is complete.
pub(super) fn written(cx: &mut Cx<'_, '_>, lanes: Range<u16>, mask: &CellMask, ends: bool) {
    update(cx, Plane::Pe, &lanes, mask, set);
    update(cx, Plane::Unread, &lanes, mask, set);
    let open = if ends { clear_bits } else { set };
    update(cx, Plane::Open, &lanes, mask, open);
}

/// Another engine reads PSUM. Results of a group without END are not complete (isa 05 §6.2).
pub(in crate::sim::exec) fn was_read(cx: &mut Cx<'_, '_>, rect: Rect) {
    if rect.space != Space::Psum || rect.is_empty() {
        return;
    }
    let mask = CellMask::of(&[Runs::from(rect)]);
    let lanes = rect.partitions();
    let open = count(cx, Plane::Open, &lanes, &mask, |w, m| w & m);
    if open > 0 {
        let m = format!("reads {open} cells of {rect} whose accumulation group has not ended");
        cx.finding(Severity::Warn, "psum-open", m);
    }
    update(cx, Plane::Unread, &lanes, &mask, clear_bits);
}

/// Another engine is about to write PSUM.
pub(in crate::sim::exec) fn overwritten(cx: &mut Cx<'_, '_>, runs: &[Runs]) {
    for r in runs.iter().filter(|r| r.first.space == Space::Psum) {
        let (mask, lanes) = (CellMask::of(&[*r]), r.first.partitions());
        for plane in [Plane::Pe, Plane::Open, Plane::Unread] {
            update(cx, plane, &lanes, &mask, clear_bits);
        }
    }
}
