//! Named states, and what differs between two points.

use std::collections::BTreeMap;
use std::io::Read;

use super::arrays::{Tolerance, difference, fitting};
use super::elements::bits;
use super::error::SessionError;
use super::place::Place;
use super::run::Budget;
use super::travel::Reached;
use super::{Mark, Session};
use crate::isa::Queue;
use crate::sim::state::REGS;
use crate::sim::{Checkpoint, Rect, Space, State};

/// A kept state.
pub struct Snapshot {
    /// Where it was taken.
    pub mark: Mark,
    state: Checkpoint,
}

/// One side of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// The present point.
    Now,
    /// A sequence number of the time line.
    Seq(u64),
    /// A snapshot.
    Snapshot(String),
}

/// What differs between two points.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diff {
    /// Ranges with other bytes, ascending; differences less than [`GAP`] bytes apart are one range.
    pub ranges: Vec<Rect>,
    /// Bytes that differ.
    pub bytes: u64,
    /// Elements that differ and how far at most, when the place has a dtype. Infinite: a NaN or infinity on one side only.
    pub elements: Option<(u64, f64)>,
    /// There are more ranges than are listed.
    pub more: bool,
    /// Registers: stream, number, before, after. Without a place only.
    pub registers: Vec<(Queue, u8, u32, u32)>,
    /// Semaphores: number, before, after. Without a place only.
    pub semaphores: Vec<(u8, u32, u32)>,
    /// Events: number, state after. Without a place only.
    pub events: Vec<(u8, bool)>,
    /// Program counters: stream, before, after. Without a place only.
    pub pcs: Vec<(Queue, u64, u64)>,
}

/// A moment that pictures of memory compare with.
pub(super) struct Compared {
    /// Its sequence number.
    pub seq: u64,
    /// Memory at that moment.
    pub state: Box<State>,
    /// Differs from that of every other comparison.
    pub number: u64,
}

/// Equal bytes that end a range.
pub const GAP: usize = 16;
/// Ranges listed at most.
const RANGES: usize = 4096;
/// Bytes compared at once; a multiple of every element size.
const PIECE: u32 = 1 << 16;

impl Session {
    /// Keeps the present state under a name; gives the one that had it.
    pub fn snapshot(&mut self, name: &str) -> Option<Snapshot> {
        let taken = Snapshot {
            mark: self.mark(),
            state: self.machine.checkpoint(),
        };
        self.snapshots.insert(name.to_owned(), taken)
    }

    /// The snapshots, by name.
    pub fn snapshots(&self) -> &BTreeMap<String, Snapshot> {
        &self.snapshots
    }

    /// Forgets a snapshot.
    pub fn drop_snapshot(&mut self, name: &str) -> Option<Snapshot> {
        self.snapshots.remove(name)
    }

    /// What differs between two points, everywhere or in a place. The present point stays where it is.
    ///
    /// # Errors
    /// A snapshot that does not exist, a sequence number out of reach.
    pub fn diff(
        &mut self,
        from: &Side,
        to: &Side,
        place: Option<&Place>,
        tolerance: &Tolerance,
    ) -> Result<Diff, SessionError> {
        let (a, b) = (self.state_of(from)?, self.state_of(to)?);
        let before = a.as_deref().unwrap_or(self.state());
        let after = b.as_deref().unwrap_or(self.state());
        Ok(match place {
            Some(place) => {
                let mut diff = Diff::default();
                compare(place, tolerance, &mut diff, &mut |rect, x, y| {
                    read(before, rect, x);
                    read(after, rect, y);
                });
                diff
            }
            None => everything(before, after),
        })
    }

    /// What differs between an array and a place with dtype as it is now: the array counts as what was before.
    ///
    /// # Errors
    /// As [`Session::load`].
    pub fn diff_array(
        &self,
        place: &Place,
        reader: impl Read,
        tolerance: &Tolerance,
    ) -> Result<Diff, SessionError> {
        let wanted = fitting(place, reader)?;
        let mut diff = Diff::default();
        compare(place, tolerance, &mut diff, &mut |rect, x, y| {
            let row = u64::from(rect.part - place.part) * place.len;
            let at = (row + rect.off - place.off) as usize;
            x.clear();
            x.extend_from_slice(wanted.get(at..at + rect.len as usize).unwrap_or_default());
            read(self.state(), rect, y);
        });
        Ok(diff)
    }

    /// Makes pictures of memory compare with a point; gives its sequence number. The present point stays where it is.
    ///
    /// # Errors
    /// A snapshot that does not exist, a sequence number out of reach.
    pub fn compare_with(&mut self, side: &Side) -> Result<u64, SessionError> {
        let state = match self.state_of(side)? {
            Some(state) => state,
            None => thaw(&self.machine.checkpoint()),
        };
        let seq = match side {
            Side::Now => self.seq(),
            Side::Seq(seq) => *seq,
            Side::Snapshot(name) => self.snapshots.get(name).map_or(0, |s| s.mark.seq),
        };
        let number = self.compared.as_ref().map_or(0, |c| c.number) + 1;
        self.compared = Some(Compared { seq, state, number });
        Ok(seq)
    }

    /// Sequence number and memory of the moment that pictures compare with.
    pub fn compared(&self) -> Option<(u64, &State)> {
        self.compared.as_ref().map(|c| (c.seq, &*c.state))
    }

    /// The state at a point; `None` for the present one.
    fn state_of(&mut self, side: &Side) -> Result<Option<Box<State>>, SessionError> {
        let here = self.mark();
        let seq = match side {
            Side::Now => return Ok(None),
            Side::Seq(seq) if *seq == here.seq => return Ok(None),
            Side::Seq(seq) => *seq,
            Side::Snapshot(name) => {
                let snapshot = self.snapshots.get(name);
                let s = snapshot.ok_or_else(|| SessionError::NoSnapshot(name.clone()))?;
                return Ok(Some(thaw(&s.state)));
            }
        };
        if seq > self.timeline.end.seq {
            let known = self.timeline.end.seq;
            return Err(SessionError::Future { seq, known });
        }
        let there = self.reach(seq).map(|()| self.machine.checkpoint());
        self.back_to(here)?;
        Ok(Some(thaw(&there?)))
    }

    fn reach(&mut self, seq: u64) -> Result<(), SessionError> {
        let mut left = Budget::UNLIMITED.bundles;
        match self.travel(seq, &mut left)? {
            Reached::There => Ok(()),
            _ => Err(SessionError::Interrupted),
        }
    }
}

fn thaw(from: &Checkpoint) -> Box<State> {
    let mut state = Box::new(State::new(from.geometry(), from.reset()));
    state.restore(from);
    state
}

fn everything(a: &State, b: &State) -> Diff {
    let mut diff = Diff::default();
    let geometry = a.geometry();
    for space in [Space::Sbuf, Space::Psum] {
        whole(a, b, &Place::whole(geometry, space), &mut diff);
    }
    let mut pages: Vec<u64> = a.dram_pages().chain(b.dram_pages()).collect();
    pages.sort_unstable();
    pages.dedup();
    let page = crate::sim::memory::PAGE as u64;
    let end = geometry.bytes(Space::Dram);
    // Neighbouring pages are one place, so that ranges may cross them.
    for run in pages.chunk_by(|a, b| a + page == *b) {
        let (Some(off), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        let place = Place {
            off: *off,
            len: (last + page).min(end).saturating_sub(*off),
            ..Place::whole(geometry, Space::Dram)
        };
        whole(a, b, &place, &mut diff);
    }
    let queues = Queue::ALL.into_iter();
    for queue in queues {
        let agent = queue.index() as u8;
        let regs = (0..REGS as u8).map(|r| (queue, r, a.reg(agent, r), b.reg(agent, r)));
        diff.registers.extend(regs.filter(|(.., x, y)| x != y));
        let (x, y) = (a.pc(agent), b.pc(agent));
        diff.pcs.extend((x != y).then_some((queue, x, y)));
    }
    let sems = (0..=255).map(|n| (n, a.sem(n), b.sem(n)));
    diff.semaphores = sems.filter(|(_, x, y)| x != y).collect();
    let events = (0..=255).filter(|n| a.event(*n) != b.event(*n));
    diff.events = events.map(|n| (n, b.event(n))).collect();
    diff
}

/// Adds what differs in a place, byte by byte.
fn whole(a: &State, b: &State, place: &Place, diff: &mut Diff) {
    compare(place, &Tolerance::default(), diff, &mut |rect, x, y| {
        read(a, rect, x);
        read(b, rect, y);
    });
}

/// Adds what differs in a place; `fetch` gives the bytes of both sides. With a dtype elements that are near enough do not differ.
fn compare(
    place: &Place,
    tolerance: &Tolerance,
    diff: &mut Diff,
    fetch: &mut impl FnMut(&Rect, &mut Vec<u8>, &mut Vec<u8>),
) {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut above: Vec<usize> = Vec::new();
    let mut elements = place.dtype.map(|kind| (kind, 0, 0.0f64));
    for part in place.part..place.part + place.parts {
        let row = Place {
            part,
            parts: 1,
            ..*place
        };
        let first = diff.ranges.len();
        for rect in row.rects(PIECE) {
            fetch(&rect, &mut x, &mut y);
            if x == y {
                continue;
            }
            if let Some((kind, count, most)) = &mut elements {
                let size = kind.bytes();
                let pairs = x.chunks_exact(size).zip(y.chunks_exact_mut(size));
                for (a, b) in pairs.filter(|(a, b)| a != b) {
                    if !tolerance.is_exact() && tolerance.alike(*kind, bits(a), bits(b)) {
                        b.copy_from_slice(a);
                        continue;
                    }
                    *count += 1;
                    *most = most.max(difference(*kind, bits(a), bits(b)));
                }
            }
            differing(&rect, &x, &y, diff, first);
        }
        above = stack(&mut diff.ranges, first, &above);
        if diff.ranges.len() > RANGES {
            diff.ranges.truncate(RANGES);
            diff.more = true;
        }
    }
    diff.elements = elements.map(|(_, count, most)| (count, most));
}

fn read(state: &State, rect: &Rect, out: &mut Vec<u8>) {
    out.clear();
    // Inside the memory, as every place is; otherwise both sides are empty.
    let _ = state.read_into(rect, out);
}

/// Adds the differing ranges of a piece of a row; `first` is where the ranges of the row begin.
fn differing(rect: &Rect, x: &[u8], y: &[u8], diff: &mut Diff, first: usize) {
    let bytes = x.iter().zip(y).enumerate();
    for (i, _) in bytes.filter(|(_, (x, y))| x != y) {
        diff.bytes += 1;
        let off = rect.off + i as u64;
        let full = diff.ranges.len() > RANGES;
        match diff.ranges.get_mut(first..).and_then(<[Rect]>::last_mut) {
            Some(last) if off < last.end() + GAP as u64 => last.len = (off + 1 - last.off) as u32,
            _ if full => diff.more = true,
            _ => diff.ranges.push(Rect {
                off,
                len: 1,
                ..*rect
            }),
        }
    }
}

/// Joins the ranges of a row, from `first` on, with equal ones of the row above, whose positions are `above`; gives the positions
/// of the ranges that end in this row.
fn stack(ranges: &mut Vec<Rect>, first: usize, above: &[usize]) -> Vec<usize> {
    let row: Vec<Rect> = ranges.drain(first.min(ranges.len())..).collect();
    let mut ends = Vec::new();
    let mut candidates = above.iter().copied().peekable();
    for rect in row {
        while candidates
            .next_if(|at| ranges.get(*at).is_some_and(|r| r.off < rect.off))
            .is_some()
        {}
        let upper = candidates.peek().copied();
        let joined = upper.and_then(|at| {
            let joined = ranges.get(at)?.join(&rect)?;
            (joined.parts > 1 && joined.len == rect.len).then_some((at, joined))
        });
        match joined {
            Some((at, joined)) => {
                if let Some(slot) = ranges.get_mut(at) {
                    *slot = joined;
                }
                ends.push(at);
            }
            None => {
                ends.push(ranges.len());
                ranges.push(rect);
            }
        }
    }
    ends
}
