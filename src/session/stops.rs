//! Breakpoints: what to stop at, and the tables that find out quickly.

use std::collections::BTreeMap;
use std::fmt;

use super::expr::Expr;
use super::place::Place;
use super::ranges::Ranges;
use crate::isa::Queue;

/// Which accesses a watch on a place stops at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Watch {
    /// Reads.
    Read,
    /// Stores, also of equal bytes.
    Write,
    /// Both.
    ReadWrite,
    /// Stores that change a byte.
    Change,
}

impl Watch {
    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Watch::Read => "r",
            Watch::Write => "w",
            Watch::ReadWrite => "rw",
            Watch::Change => "change",
        }
    }

    /// The mode of a word.
    pub fn parse(word: &str) -> Option<Watch> {
        [Watch::Read, Watch::Write, Watch::ReadWrite, Watch::Change]
            .into_iter()
            .find(|w| w.name() == word)
    }
}

/// What a breakpoint stops at.
#[derive(Clone, PartialEq, Debug)]
pub enum StopSpec {
    /// Before a bundle executes.
    Pc {
        /// Its stream.
        queue: Queue,
        /// Its index.
        index: u64,
    },
    /// Before a bundle with this opcode byte executes.
    Op(u8),
    /// After a bundle changed a semaphore.
    Sem(u8),
    /// At a fault, which stops a run anyway; for its condition and count.
    Fault,
    /// After a bundle touched a place.
    Place {
        /// Which accesses.
        access: Watch,
        /// The place.
        place: Place,
    },
    /// After a bundle caused a finding of this rule.
    Finding(String),
}

impl StopSpec {
    /// Word of `info breaks`.
    pub const fn kind(&self) -> &'static str {
        match self {
            StopSpec::Pc { .. } => "pc",
            StopSpec::Op(_) => "op",
            StopSpec::Sem(_) => "sem",
            StopSpec::Fault => "fault",
            StopSpec::Place { .. } => "place",
            StopSpec::Finding(_) => "finding",
        }
    }
}

impl fmt::Display for StopSpec {
    /// As the command language reads it behind `break`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopSpec::Pc { queue, index } => write!(f, "pc {}:{index}", queue.name()),
            StopSpec::Op(byte) => write!(f, "op {byte:#04x}"),
            StopSpec::Sem(n) => write!(f, "sem {n}"),
            StopSpec::Fault => f.write_str("fault"),
            StopSpec::Place { access, place } => write!(f, "place {} {place}", access.name()),
            StopSpec::Finding(rule) => write!(f, "finding {rule}"),
        }
    }
}

/// A breakpoint.
#[derive(Clone, PartialEq, Debug)]
pub struct Breakpoint {
    /// Its number, never used twice.
    pub id: u32,
    /// What it stops at.
    pub spec: StopSpec,
    /// The same as the user wrote it.
    pub text: String,
    /// Stops only where this is true; with its text.
    pub condition: Option<(Expr, String)>,
    /// Gone after it stopped once.
    pub once: bool,
    /// Hits that will still be passed over.
    pub ignore: u64,
    /// Says that it was hit and never stops.
    pub log: bool,
    /// Is it looked at?
    pub enabled: bool,
    /// How often it was hit, passed-over hits included.
    pub hits: u64,
}

/// All breakpoints, and the enabled ones arranged for the run loop.
#[derive(Debug, Default)]
pub struct Stops {
    all: BTreeMap<u32, Breakpoint>,
    last: u32,
    pub(super) armed: Armed,
}

/// The enabled breakpoints by what they look at.
#[derive(Debug, Default)]
pub(super) struct Armed {
    pub pcs: BTreeMap<(Queue, u64), Vec<u32>>,
    pub ops: BTreeMap<u8, Vec<u32>>,
    pub sems: BTreeMap<u8, Vec<u32>>,
    pub faults: Vec<u32>,
    pub findings: Vec<u32>,
    pub reads: Ranges,
    pub writes: Ranges,
}

impl Armed {
    /// Must the next bundle be looked at before it executes?
    pub fn before(&self) -> bool {
        !self.pcs.is_empty() || !self.ops.is_empty()
    }

    /// Must a retired bundle be looked at?
    pub fn after(&self) -> bool {
        !self.sems.is_empty()
            || !self.findings.is_empty()
            || !self.reads.is_empty()
            || !self.writes.is_empty()
    }
}

impl Stops {
    /// Adds a breakpoint; its `id` is given here and returned, `hits` start at 0.
    pub fn add(&mut self, breakpoint: Breakpoint) -> u32 {
        self.last += 1;
        let id = self.last;
        self.all.insert(
            id,
            Breakpoint {
                id,
                hits: 0,
                ..breakpoint
            },
        );
        self.arm();
        id
    }

    /// A breakpoint.
    pub fn get(&self, id: u32) -> Option<&Breakpoint> {
        self.all.get(&id)
    }

    /// All of them, ascending by number.
    pub fn iter(&self) -> impl Iterator<Item = &Breakpoint> {
        self.all.values()
    }

    /// Changes a breakpoint; false when there is none of that number.
    pub fn change(&mut self, id: u32, change: impl FnOnce(&mut Breakpoint)) -> bool {
        let found = self.all.get_mut(&id).map(change).is_some();
        if found {
            self.arm();
        }
        found
    }

    /// Removes a breakpoint.
    pub fn remove(&mut self, id: u32) -> Option<Breakpoint> {
        let gone = self.all.remove(&id);
        self.arm();
        gone
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        self.all.clear();
        self.arm();
    }

    /// Forgets how often each was hit.
    pub(super) fn forget_hits(&mut self) {
        self.all.values_mut().for_each(|b| b.hits = 0);
    }

    /// Counts a hit whose condition holds; true when it stops the run.
    pub(super) fn hit(&mut self, id: u32) -> bool {
        let Some(b) = self.all.get_mut(&id) else {
            return false;
        };
        b.hits += 1;
        if b.ignore > 0 {
            b.ignore -= 1;
            return false;
        }
        let stops = !b.log;
        if b.once {
            self.remove(id);
        }
        stops
    }

    fn arm(&mut self) {
        let mut armed = Armed::default();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for b in self.all.values().filter(|b| b.enabled) {
            match &b.spec {
                StopSpec::Pc { queue, index } => {
                    armed.pcs.entry((*queue, *index)).or_default().push(b.id)
                }
                StopSpec::Op(byte) => armed.ops.entry(*byte).or_default().push(b.id),
                StopSpec::Sem(n) => armed.sems.entry(*n).or_default().push(b.id),
                StopSpec::Fault => armed.faults.push(b.id),
                StopSpec::Finding(_) => armed.findings.push(b.id),
                StopSpec::Place { access, place } => {
                    if matches!(access, Watch::Read | Watch::ReadWrite) {
                        reads.push((*place, b.id));
                    }
                    if *access != Watch::Read {
                        writes.push((*place, b.id));
                    }
                }
            }
        }
        armed.reads = Ranges::new(&reads);
        armed.writes = Ranges::new(&writes);
        self.armed = armed;
    }
}
