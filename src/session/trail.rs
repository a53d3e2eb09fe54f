//! Ages, owners and counts of the cells of a heat picture, kept up to date by the records that time moved over.

use super::Session;
use super::heat::{Grid, HEAT_RECORDS, HeatCell, each_write};
use crate::isa::Queue;
use crate::sim::StepKind;

/// What a cell was counted for.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Stamp {
    /// The pass that counted it last: a cell counts once for each record.
    write: u64,
    read: u64,
    /// Position after the last write; 0: none.
    last: u64,
}

/// A cell whose last write lies ahead, to be found again.
const OPEN: u64 = u64::MAX;

/// How far the cells have followed the session.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Trail {
    stamps: Vec<Stamp>,
    /// The position that the cells show.
    at: u64,
    /// The path of time they are right on.
    epoch: Option<u64>,
    /// Counts begin here.
    since: u64,
    /// Records before this one were not looked at.
    from: u64,
    passes: u64,
}

impl Trail {
    pub fn new(cells: usize) -> Trail {
        Trail {
            stamps: vec![Stamp::default(); cells],
            at: 0,
            epoch: None,
            since: 0,
            from: 0,
            passes: 0,
        }
    }

    /// Brings the cells to the present point.
    pub fn follow(&mut self, s: &Session, grid: &Grid, cells: &mut [HeatCell]) {
        let journal = s.machine().journal();
        let here = journal.position();
        if self.since != s.heat_from {
            (self.since, self.epoch) = (s.heat_from, None);
        }
        let known = self.epoch == Some(s.epoch) && journal.oldest() <= self.at.min(here);
        if !known || self.at > journal.end() || self.at.abs_diff(here) > HEAT_RECORDS {
            self.from = journal.oldest().max(here.saturating_sub(HEAT_RECORDS));
            self.stamps.fill(Stamp::default());
            for c in cells.iter_mut() {
                (c.writes, c.reads, c.written_at, c.owner) = (0, 0, None, None);
            }
            (self.epoch, self.at) = (Some(s.epoch), self.from);
        }
        if here < self.at {
            for at in (here..self.at).rev() {
                self.count(s, at, false, grid, cells);
            }
            self.find_last(s, here, grid, cells);
        } else {
            for at in self.at..here {
                self.count(s, at, true, grid, cells);
            }
        }
        self.at = here;
    }

    /// Adds or takes away a record.
    fn count(&mut self, s: &Session, at: u64, add: bool, grid: &Grid, cells: &mut [HeatCell]) {
        self.passes += 1;
        let pass = self.passes;
        let counted = u32::from(at >= self.since);
        let step = |n: u32| {
            if add {
                n.saturating_add(counted)
            } else {
                n.saturating_sub(counted)
            }
        };
        let (seq, owner) = author(s, at);
        let stamps = &mut self.stamps;
        each_write(s, at, grid, |i| {
            if let (Some(cell), Some(stamp)) = (cells.get_mut(i), stamps.get_mut(i))
                && stamp.write != pass
            {
                stamp.write = pass;
                cell.writes = step(cell.writes);
                if add {
                    (cell.written_at, cell.owner, stamp.last) = (seq, owner, at + 1);
                }
            }
        });
        for rect in s.machine().journal().reads(at) {
            grid.touched(&rect, |i| {
                if let (Some(cell), Some(stamp)) = (cells.get_mut(i), stamps.get_mut(i))
                    && stamp.read != pass
                {
                    stamp.read = pass;
                    cell.reads = step(cell.reads);
                }
            });
        }
    }

    /// After going back: finds the last writes of the cells whose last write is ahead now.
    fn find_last(&mut self, s: &Session, here: u64, grid: &Grid, cells: &mut [HeatCell]) {
        let mut open = 0u64;
        for (cell, stamp) in cells.iter_mut().zip(&mut self.stamps) {
            if stamp.last > here {
                (cell.written_at, cell.owner, stamp.last) = (None, None, OPEN);
                open += 1;
            }
        }
        for at in (self.from..here).rev() {
            if open == 0 {
                break;
            }
            let (seq, owner) = author(s, at);
            let stamps = &mut self.stamps;
            each_write(s, at, grid, |i| {
                if let (Some(cell), Some(stamp)) = (cells.get_mut(i), stamps.get_mut(i))
                    && stamp.last == OPEN
                {
                    (cell.written_at, cell.owner, stamp.last) = (seq, owner, at + 1);
                    open -= 1;
                }
            });
        }
        let unknown = self.stamps.iter_mut().filter(|s| s.last == OPEN);
        unknown.for_each(|s| s.last = 0);
    }
}

/// Sequence number and stream of a record; no stream for an edit.
fn author(s: &Session, at: u64) -> (Option<u64>, Option<Queue>) {
    let Some(record) = s.machine().journal().record(at) else {
        return (None, None);
    };
    let queue = match record.head.kind {
        StepKind::Edit => None,
        _ => Queue::from_index(record.head.agent.into()),
    };
    (Some(record.seq), queue)
}
