//! Who touched which bytes last: stores that no later store covers, and reads since them. Kept by blocks of bytes, whole runs at
//! a time; partitions and gaps are compared where two accesses meet.

use std::collections::BTreeMap;

use super::clock::{Agent, Clock};
use crate::sim::{Rect, Runs, Space};

/// Accesses kept for a block; of more, those that every agent knows of go, then the oldest.
const MOST_ACCESSES: usize = 512;

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Who.
    pub agent: Agent,
    /// The bundle: its index, and the bundles retired before it.
    pub index: u64,
    /// As `index`.
    pub seq: u64,
    /// Stores; else reads.
    pub write: bool,
    /// The agent's time.
    pub(super) time: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    runs: Runs,
    access: Access,
    /// A store of which something was read.
    used: bool,
}

/// What a new access meets.
pub(super) struct Met {
    /// Accesses in conflict that no synchronisation orders before it, with common bytes.
    pub races: Vec<(Access, Rect)>,
    /// A store that it covers and that nobody has read.
    pub unread: Option<(Access, Rect)>,
}

/// The memory of accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    blocks: BTreeMap<(Space, u64), Vec<Entry>>,
}

/// Bytes of a block.
const fn block_bytes(space: Space) -> u64 {
    match space {
        Space::Sbuf => 4096,
        Space::Psum => 2048,
        Space::Dram => 1 << 14,
    }
}

fn blocks(bounds: &Rect) -> impl Iterator<Item = (Space, u64)> + use<> {
    let (space, size) = (bounds.space, block_bytes(bounds.space));
    (bounds.off / size..bounds.end().div_ceil(size)).map(move |b| (space, b))
}

impl Shadow {
    /// Adds an access by one who knows so much; `keeps` says that a store builds on what was there. `floor` is what every agent
    /// knows. Without `races` all earlier accesses count as ordered, and reads are not kept.
    pub fn add(
        &mut self,
        runs: &Runs,
        access: Access,
        clock: &Clock,
        keeps: bool,
        floor: impl Fn() -> Clock,
        races: bool,
    ) -> Met {
        let bounds = runs.bounds();
        let mut met = Met {
            races: Vec::new(),
            unread: None,
        };
        let mut read: Vec<Entry> = Vec::new();
        for key in blocks(&bounds) {
            if !races && !access.write && !self.blocks.contains_key(&key) {
                continue;
            }
            let entries = self.blocks.entry(key).or_default();
            entries.retain_mut(|e| {
                if !e.runs.near(&bounds) {
                    return true;
                }
                let old = &e.access;
                let ordered = !races || clock.of(old.agent) >= old.time;
                let both = old.write || access.write;
                if !ordered
                    && both
                    && met.races.iter().all(|(known, _)| known != old)
                    && let Some(rect) = e.runs.common(runs)
                {
                    met.races.push((*old, rect));
                }
                if old.write && !e.used && (!access.write || keeps) && e.runs.common(runs).is_some()
                {
                    e.used = true;
                    read.push(*e);
                }
                // A read does not stand for a store before it.
                let stands = access.write || !old.write;
                if !ordered || !stands || !runs.covers(&e.runs) {
                    return true;
                }
                let same = (old.agent, old.time) == (access.agent, access.time);
                if access.write && old.write && !e.used && !same && met.unread.is_none() {
                    met.unread = Some((*old, e.runs.bounds()));
                }
                false
            });
            if races || access.write {
                if entries.len() >= MOST_ACCESSES {
                    shrink(entries, &floor());
                }
                entries.push(Entry {
                    runs: *runs,
                    access,
                    used: false,
                });
            }
        }
        for e in read {
            self.used(&e);
        }
        met
    }

    /// Forgets what lies in some bytes: they were changed from outside.
    pub fn forget(&mut self, runs: &Runs) {
        for key in blocks(&runs.bounds()) {
            if let Some(entries) = self.blocks.get_mut(&key) {
                entries.retain(|e| !runs.covers(&e.runs));
            }
        }
    }

    /// A store lies in several blocks; all of them must know that it was read.
    fn used(&mut self, of: &Entry) {
        for key in blocks(&of.runs.bounds()) {
            let entries = self.blocks.get_mut(&key).into_iter().flatten();
            for e in entries.filter(|e| e.access == of.access) {
                e.used = true;
            }
        }
    }
}

fn shrink(entries: &mut Vec<Entry>, floor: &Clock) {
    entries.retain(|e| floor.of(e.access.agent) < e.access.time);
    if entries.len() >= MOST_ACCESSES {
        entries.drain(..MOST_ACCESSES / 4);
    }
}
