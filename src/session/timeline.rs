//! What makes a run repeatable: the things that came from outside (edits, steps of a chosen stream, settings) by position of the
//! journal, and frozen states to start from. Everything else follows from the state, so a position that the journal no longer
//! reaches is reached by restoring a checkpoint and stepping again.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::edit::Change;
use crate::isa::Queue;
use crate::sim::{Checkpoint, Settings};

/// A point of the time line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    /// Position in the journal: retired bundles and edits.
    pub position: u64,
    /// Bundles retired before it.
    pub seq: u64,
}

/// A frozen state.
struct Saved {
    seq: u64,
    state: Checkpoint,
}

/// The recorded past, and future, of a session.
pub(super) struct Timeline {
    base: Mark,
    /// The furthest known point.
    pub end: Mark,
    /// The records at these positions are edits.
    edits: Vec<(u64, Arc<[Change]>)>,
    /// From these positions on so many records are bundles of a stream that was chosen by hand.
    chosen: Vec<(u64, Queue, u64)>,
    /// From these positions on these settings are in force; the first is that of the base.
    settings: Vec<(u64, Settings)>,
    /// Bytes that edits hold.
    edit_bytes: u64,
    checkpoints: BTreeMap<u64, Saved>,
    /// Edits before this position were dropped: replay cannot start before it.
    replay_floor: u64,
    /// Bytes that checkpoints and edits may hold.
    budget: u64,
    /// Bytes changed and records made since the newest checkpoint.
    since: (u64, u64),
    /// Of each, how much calls for the next checkpoint.
    interval: (u64, u64),
}

impl Timeline {
    /// A time line that starts at a state.
    pub fn new(base: Mark, start: Checkpoint, settings: Settings) -> Timeline {
        let saved = Saved {
            seq: base.seq,
            state: start,
        };
        Timeline {
            base,
            end: base,
            edits: Vec::new(),
            chosen: Vec::new(),
            settings: vec![(base.position, settings)],
            edit_bytes: 0,
            checkpoints: BTreeMap::from([(base.position, saved)]),
            replay_floor: base.position,
            budget: u64::MAX,
            since: (0, 0),
            interval: (u64::MAX, u64::MAX),
        }
    }

    /// Says how much checkpoints and edits may hold, and how far a checkpoint may be from the next: the journal must be able to
    /// hold what lies between.
    pub fn set_budget(&mut self, budget: u64, interval: (u64, u64)) {
        (self.budget, self.interval) = (budget, interval);
        self.thin();
    }

    /// Where it starts.
    pub fn base(&self) -> Mark {
        self.base
    }

    /// Number and bytes of the checkpoints.
    pub fn checkpoints(&self) -> (usize, u64) {
        let bytes = self.checkpoints.values().map(|s| s.state.cost()).sum();
        (self.checkpoints.len(), bytes)
    }

    /// Sequence numbers of the checkpoints, ascending.
    pub fn saved_seqs(&self) -> impl Iterator<Item = u64> + '_ {
        self.checkpoints.values().map(|s| s.seq)
    }

    /// The oldest sequence number that replay reaches.
    pub fn oldest_seq(&self) -> u64 {
        let mut from = self.checkpoints.range(self.replay_floor..);
        from.next().map_or(self.end.seq, |(_, s)| s.seq)
    }

    /// Settings in force at a position.
    pub fn settings_at(&self, position: u64) -> Option<&Settings> {
        let n = self.settings.partition_point(|(at, _)| *at <= position);
        self.settings.get(n.checked_sub(1)?).map(|(_, s)| s)
    }

    /// The edit that made the record at a position.
    pub fn edit_at(&self, position: u64) -> Option<&Arc<[Change]>> {
        let found = self.edits.binary_search_by_key(&position, |(at, _)| *at);
        self.edits.get(found.ok()?).map(|(_, changes)| changes)
    }

    /// The edits before a position, oldest first.
    pub fn edits_before(&self, position: u64) -> impl Iterator<Item = &Arc<[Change]>> {
        let n = self.edits.partition_point(|(at, _)| *at < position);
        self.edits.iter().take(n).map(|(_, changes)| changes)
    }

    /// The stream that was chosen by hand for the record at a position.
    pub fn chosen_at(&self, position: u64) -> Option<Queue> {
        let n = self.chosen.partition_point(|(at, ..)| *at <= position);
        let (at, queue, count) = self.chosen.get(n.checked_sub(1)?)?;
        (position - at < *count).then_some(*queue)
    }

    /// Notes that the record at a position, the last one, is an edit.
    pub fn edited(&mut self, at: u64, changes: Arc<[Change]>) {
        self.edit_bytes += size(&changes);
        self.edits.push((at, changes));
    }

    /// Notes that the record at a position, the last one, is a bundle of a stream that was chosen by hand.
    pub fn chose(&mut self, at: u64, queue: Queue) {
        match self.chosen.last_mut() {
            Some((from, q, n)) if *q == queue && *from + *n == at => *n += 1,
            _ => self.chosen.push((at, queue, 1)),
        }
    }

    /// Notes the settings in force from a position on.
    pub fn set(&mut self, at: u64, settings: Settings) {
        if self.settings_at(at) != Some(&settings) {
            self.settings.push((at, settings));
        }
    }

    /// Forgets what lies after a point.
    pub fn cut(&mut self, at: Mark) {
        self.end = at;
        let keep = self.edits.partition_point(|(p, _)| *p < at.position);
        for (_, changes) in self.edits.drain(keep..) {
            self.edit_bytes = self.edit_bytes.saturating_sub(size(&changes));
        }
        self.chosen.retain(|(p, ..)| *p < at.position);
        if let Some((from, _, count)) = self.chosen.last_mut() {
            *count = (*count).min(at.position - *from);
        }
        self.settings
            .retain(|(p, _)| *p < at.position || *p == self.base.position);
        self.checkpoints.split_off(&(at.position + 1));
    }

    /// Accounts for a new record that changed so many bytes; true when a checkpoint is due.
    pub fn grown(&mut self, bytes: u64) -> bool {
        self.since = (self.since.0.saturating_add(bytes), self.since.1 + 1);
        self.since.0 >= self.interval.0 || self.since.1 >= self.interval.1
    }

    /// Keeps a checkpoint.
    pub fn save(&mut self, at: Mark, state: Checkpoint) {
        self.since = (0, 0);
        self.checkpoints
            .insert(at.position, Saved { seq: at.seq, state });
        self.thin();
    }

    /// Loses every checkpoint.
    #[cfg(test)]
    pub fn forget_checkpoints(&mut self) {
        self.checkpoints.clear();
    }

    /// Is there a checkpoint at a position?
    pub fn saved(&self, position: u64) -> bool {
        self.checkpoints.contains_key(&position)
    }

    /// The last checkpoint from which `limit` (a position it must not pass) can be replayed.
    pub fn checkpoint_before(&self, limit: u64) -> Option<(Mark, &Checkpoint)> {
        let mut usable = self
            .checkpoints
            .range(self.replay_floor..=limit.max(self.replay_floor));
        let (position, saved) = usable.next_back().filter(|(p, _)| **p <= limit)?;
        let mark = Mark {
            position: *position,
            seq: saved.seq,
        };
        Some((mark, &saved.state))
    }

    /// The last checkpoint with at most `seq` bundles retired.
    pub fn checkpoint_of_seq(&self, seq: u64) -> Option<(Mark, &Checkpoint)> {
        let usable = self.checkpoints.range(self.replay_floor..).rev();
        let (position, saved) = usable.into_iter().find(|(_, s)| s.seq <= seq)?;
        let mark = Mark {
            position: *position,
            seq: saved.seq,
        };
        Some((mark, &saved.state))
    }

    /// Drops checkpoints that are close to their neighbours for their age, then the oldest edits, until the budget holds.
    fn thin(&mut self) {
        while self.checkpoints().1.saturating_add(self.edit_bytes) > self.budget {
            let Some(victim) = self.most_dispensable() else {
                break;
            };
            self.checkpoints.remove(&victim);
        }
        if self.edit_bytes > self.budget / 2 {
            self.drop_edits();
        }
    }

    /// Neither the oldest nor the newest; of the others the one whose removal leaves the smallest hole, seen from the end.
    fn most_dispensable(&self) -> Option<u64> {
        let at: Vec<u64> = self.checkpoints.keys().copied().collect();
        let inner = at.windows(3).filter_map(|w| match w {
            [before, this, after] => {
                let age = self.end.position.saturating_sub(*this) + 1;
                // A hole as large as the age is old is the smallest score worth keeping; scaled to stay in integers.
                Some(((after - before).saturating_mul(1024) / age, *this))
            }
            _ => None,
        });
        inner.min().map(|(_, at)| at)
    }

    /// Forgets the edits before the newest checkpoint; what lies before it is then out of reach of replay.
    fn drop_edits(&mut self) {
        let Some(newest) = self.checkpoints.keys().next_back().copied() else {
            return;
        };
        let mut dropped = false;
        for (_, changes) in self.edits.iter_mut().take_while(|(at, _)| *at < newest) {
            self.edit_bytes = self.edit_bytes.saturating_sub(size(changes));
            *changes = Arc::new([]);
            dropped = true;
        }
        if dropped {
            self.replay_floor = newest;
            self.checkpoints = self.checkpoints.split_off(&newest);
        }
    }
}

fn size(changes: &[Change]) -> u64 {
    changes.iter().map(Change::size).sum()
}
