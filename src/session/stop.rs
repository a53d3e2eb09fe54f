//! Why a run stopped, and where.

use std::fmt;

use super::hang::{Knot, Lasso};
use super::info::Stuck;
use super::place::Place;
use crate::isa::{Engine, Queue};
use crate::num::Kind;
use crate::sim::{Fault, Rect};

/// The word of `$stop`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StopKind {
    /// The bundles asked for were executed, or the sequence number asked for is reached.
    Step,
    /// A breakpoint on a bundle, a semaphore or a finding.
    Break,
    /// A breakpoint on a place.
    Watch,
    /// The expression of `until` is true.
    Until,
    /// All streams have exited, or the one asked for.
    Exit,
    /// A bundle cannot be executed.
    Fault,
    /// No stream can go on.
    Deadlock,
    /// The stream asked for cannot go on.
    Blocked,
    /// The user interrupted.
    Interrupt,
    /// A limit was reached: bundles of a run, or the reach of the history.
    Limit,
    /// Nothing is before this point.
    Start,
}

impl StopKind {
    /// Lower-case word, as `$stop` gives it.
    pub const fn name(self) -> &'static str {
        match self {
            StopKind::Step => "step",
            StopKind::Break => "break",
            StopKind::Watch => "watch",
            StopKind::Until => "until",
            StopKind::Exit => "exit",
            StopKind::Fault => "fault",
            StopKind::Deadlock => "deadlock",
            StopKind::Blocked => "blocked",
            StopKind::Interrupt => "interrupt",
            StopKind::Limit => "limit",
            StopKind::Start => "start",
        }
    }

    /// The kind of a word.
    pub fn parse(word: &str) -> Option<StopKind> {
        use StopKind::*;
        let all = [
            Step, Break, Watch, Until, Exit, Fault, Deadlock, Blocked, Interrupt, Limit, Start,
        ];
        all.into_iter().find(|k| k.name() == word)
    }
}

impl fmt::Display for StopKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a bundle did to a watched place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// It read.
    Read,
    /// It stored.
    Write,
}

impl Access {
    /// `read` or `write`.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }
}

/// A bundle touched a watched place.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The breakpoint.
    pub id: u32,
    /// The watched place.
    pub place: Place,
    /// How it was touched.
    pub access: Access,
    /// The first touched range inside the place; for a `change` watch the first one that changed lies in it.
    pub range: Rect,
    /// The first touched (or changed) element, in one partition.
    pub element: Rect,
    /// Its bytes before the bundle; `None` when they were not kept.
    pub old: Option<Vec<u8>>,
    /// Its bytes after the bundle.
    pub new: Vec<u8>,
}

impl Hit {
    /// How the element is read: as the place says, else as a byte.
    pub fn kind(&self) -> Kind {
        self.place.dtype.unwrap_or(Kind::U8)
    }
}

/// Where and why a run stopped.
///
/// `seq`, `queue` and `index` name one bundle: after `break`, `fault`, `blocked`, and every backward move the one that would
/// execute next (`seq` is then `$seq`); after other forward moves the one that retired last (`$seq` is `seq + 1`).
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// Why.
    pub kind: StopKind,
    /// Sequence number of the bundle.
    pub seq: u64,
    /// Its stream; `None` when there is no bundle to name.
    pub queue: Option<Queue>,
    /// The engine that executes it.
    pub engine: Option<Engine>,
    /// Its index in the stream.
    pub index: u64,
    /// What is to be said about it.
    pub detail: StopDetail,
}

impl Stop {
    /// The stop before anything has run; `seq` bundles retired before.
    pub fn start(seq: u64) -> Stop {
        Stop {
            kind: StopKind::Start,
            seq,
            queue: None,
            engine: None,
            index: 0,
            detail: StopDetail::default(),
        }
    }
}

/// What is known about a stop, by kind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StopDetail {
    /// Breakpoints that stopped here, ascending.
    pub breaks: Vec<u32>,
    /// Watched places that were touched.
    pub hits: Vec<Hit>,
    /// The fault.
    pub fault: Option<Fault>,
    /// Streams that cannot go on, with what could let them.
    pub blocked: Vec<Stuck>,
    /// Why streams never will, as far as that can be told.
    pub knots: Vec<Knot>,
    /// The loop in which a run was that did not end.
    pub lasso: Option<Box<Lasso>>,
    /// Steps of a former future that the run dropped.
    pub lost: u64,
    /// Anything else, as a sentence.
    pub text: Option<String>,
}
