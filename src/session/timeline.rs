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

/// Something that came from outside.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// The record at its position is an edit.
    Edit(Arc<[Change]>),
    /// So many records from its position on are bundles of a chosen stream.
    Steps { queue: Queue, count: u64 },
    /// From its position on these settings are in force.
    Settings(Box<Settings>),
}

/// A frozen state.
struct Saved {
    seq: u64,
    state: Checkpoint,
}

/// The recorded past, and future, of a session.
pub(super) struct Timeline {
    base: Mark,
    /// Settings in force at the base.
    settings: Settings,
    /// The furthest known point.
    pub end: Mark,
    /// Ascending by position; at one position settings come first.
    inputs: Vec<(u64, Input)>,
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
            settings,
            end: base,
            inputs: Vec::new(),
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

    /// The oldest sequence number that replay reaches.
    pub fn oldest_seq(&self) -> u64 {
        let mut from = self.checkpoints.range(self.replay_floor..);
        from.next().map_or(self.end.seq, |(_, s)| s.seq)
    }

    /// Settings in force at a position.
    pub fn settings_at(&self, position: u64) -> &Settings {
        let n = self.inputs.partition_point(|(at, _)| *at <= position);
        let before = self.inputs.iter().take(n).rev();
        before
            .filter_map(|(_, input)| match input {
                Input::Settings(s) => Some(&**s),
                _ => None,
            })
            .next()
            .unwrap_or(&self.settings)
    }

    /// The edit that made the record at a position.
    pub fn edit_at(&self, position: u64) -> Option<&Arc<[Change]>> {
        self.inputs_at(position).find_map(|input| match input {
            Input::Edit(changes) => Some(changes),
            _ => None,
        })
    }

    /// The edits before a position, oldest first.
    pub fn edits_before(&self, position: u64) -> impl Iterator<Item = &Arc<[Change]>> {
        let n = self.inputs.partition_point(|(at, _)| *at < position);
        self.inputs
            .iter()
            .take(n)
            .filter_map(|(_, input)| match input {
                Input::Edit(changes) => Some(changes),
                _ => None,
            })
    }

    /// The stream that was chosen by hand for the record at a position.
    pub fn chosen_at(&self, position: u64) -> Option<Queue> {
        let n = self.inputs.partition_point(|(at, _)| *at <= position);
        let latest = self.inputs.get(..n)?.iter().rev();
        let (at, input) = latest
            .filter(|(_, i)| !matches!(i, Input::Settings(_)))
            .find(|(at, i)| *at == position || matches!(i, Input::Steps { .. }))?;
        match input {
            Input::Steps { queue, count } if position - at < *count => Some(*queue),
            _ => None,
        }
    }

    fn inputs_at(&self, position: u64) -> impl Iterator<Item = &Input> {
        let start = self.inputs.partition_point(|(at, _)| *at < position);
        let from = self.inputs.iter().skip(start);
        from.take_while(move |(at, _)| *at == position)
            .map(|(_, i)| i)
    }

    /// Notes what led to the record at a position, which is the new end.
    pub fn push(&mut self, at: u64, input: Input) {
        match (&input, self.inputs.last_mut()) {
            (Input::Steps { queue, count }, Some((from, Input::Steps { queue: q, count: n })))
                if q == queue && *from + *n == at =>
            {
                *n += count;
                return;
            }
            (Input::Edit(changes), _) => self.edit_bytes += size(changes),
            _ => {}
        }
        self.inputs.push((at, input));
    }

    /// Forgets what lies after a point.
    pub fn cut(&mut self, at: Mark) {
        self.end = at;
        let keep = self.inputs.partition_point(|(p, _)| *p < at.position);
        for (_, input) in self.inputs.drain(keep..) {
            if let Input::Edit(changes) = input {
                self.edit_bytes = self.edit_bytes.saturating_sub(size(&changes));
            }
        }
        if let Some((from, Input::Steps { count, .. })) = self.inputs.last_mut() {
            *count = (*count).min(at.position - *from);
        }
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
        let old = self.inputs.partition_point(|(at, _)| *at < newest);
        let mut dropped = false;
        for (_, input) in self.inputs.iter_mut().take(old) {
            if let Input::Edit(changes) = input {
                self.edit_bytes = self.edit_bytes.saturating_sub(size(changes));
                *changes = Arc::new([]);
                dropped = true;
            }
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
