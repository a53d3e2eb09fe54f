//! What a step did to order itself against other streams: marks in the journal, without effect on the state. The race detector
//! ([`crate::sim::order`]) reads them.

use std::fmt;

/// A semaphore or an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal {
    /// An event, not a semaphore.
    pub event: bool,
    /// Its number.
    pub idx: u8,
}

impl Signal {
    /// The semaphore or event of a number.
    pub const fn new(event: bool, idx: u8) -> Signal {
        Signal { event, idx }
    }
}

impl fmt::Display for Signal {
    /// As the listing writes it: `$S[3]`, `$E[3]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}[{}]", if self.event { 'E' } else { 'S' }, self.idx)
    }
}

/// How a post changes a semaphore; events are set to 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Adds.
    Add(u32),
    /// Subtracts.
    Subtract(u32),
    /// Replaces.
    Set(u32),
}

impl Act {
    /// The count afterwards, modulo 2^32.
    pub const fn applied(self, count: u32) -> u32 {
        match self {
            Act::Add(n) => count.wrapping_add(n),
            Act::Subtract(n) => count.wrapping_sub(n),
            Act::Set(n) => n,
        }
    }
}

/// An act of synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// A wait held.
    Wait {
        /// What it looked at.
        on: Signal,
        /// 1 EQ, 2 LT, 3 LE, 4 GT, 5 GE; 0 for an event.
        comparator: u8,
        /// What the count was compared with.
        threshold: u32,
    },
    /// A count or event was read as data.
    Look(Signal),
    /// A count or event was changed.
    Post {
        /// Which.
        on: Signal,
        /// How.
        act: Act,
        /// A READ update: the stores of the bundle are not done yet (isa 01 §3.2).
        at_read: bool,
    },
    /// What follows in this step is done by the transfer that the bundle issued.
    Issue,
    /// The transfer that the bundle issued is left in flight.
    Depart,
    /// The transfers of the stream have finished.
    Drain,
    /// Streams met at a barrier.
    Join {
        /// Bit per queue index.
        streams: u8,
        /// Their transfers have finished too.
        drained: bool,
    },
    /// What the step stores depends on what was there: it adds, or leaves elements out.
    Keeps,
}
