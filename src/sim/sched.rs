//! Which stream goes next. The choice is part of the state, so replay is exact (isa 11 §5).
//!
//! Time is counted in retired bundles plus idle steps under the counting policies, in picoseconds
//! under [`Policy::Timed`]. Transfers in flight finish when that time comes.

use crate::isa::Queue;
use crate::sim::{State, Writer};

/// Scheduling policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// PE, ACT, POOL, DVE, SP in turn; blocked streams are skipped.
    #[default]
    RoundRobin,
    /// A seeded random order.
    Random(u64),
    /// Every stream has a clock; the head that can start earliest goes first, of equal ones the
    /// first in wire order. Durations are those of `sim::timing`, and transfers take time whatever
    /// `dma.delay` says.
    Timed,
}

impl Policy {
    /// Reads the name of the command line: `round-robin`, `timed` or `random`.
    pub fn parse(name: &str, seed: u64) -> Option<Policy> {
        match name {
            "round-robin" => Some(Policy::RoundRobin),
            "random" => Some(Policy::Random(seed)),
            "timed" => Some(Policy::Timed),
            _ => None,
        }
    }

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::RoundRobin => "round-robin",
            Policy::Random(_) => "random",
            Policy::Timed => "timed",
        }
    }
}

/// Scheduler words of the state.
pub mod slot {
    /// Queue index to look at first.
    pub const NEXT: u8 = 0;
    /// State of the random order.
    pub const RANDOM: u8 = 1;
    /// Steps in which nothing retired because all streams waited for a transfer.
    pub const IDLE: u8 = 2;
    /// Transfers in flight.
    pub const IN_FLIGHT: u8 = 3;
    /// When each queue is free again, picoseconds.
    pub const CLOCK: u8 = 8;
    /// When the last transfer of each queue finished, picoseconds.
    pub const LANDED: u8 = 16;
}

/// Puts the seed of a policy into a fresh state.
pub(super) fn seed(state: &mut State, policy: Policy) {
    if let Policy::Random(seed) = policy {
        // An odd constant spreads small seeds; 0 is the one fixed point of the generator.
        let word = seed ^ 0x9E37_79B9_7F4A_7C15;
        state.set_initial_sched(slot::RANDOM, if word == 0 { 1 } else { word });
    }
}

/// The queues in the order in which they may start now.
pub fn order(state: &State, policy: Policy) -> [Queue; Queue::COUNT] {
    let mut all = Queue::ALL;
    match policy {
        Policy::RoundRobin => {
            let next = (state.sched(slot::NEXT) as usize) % Queue::COUNT;
            all.rotate_left(next);
        }
        Policy::Random(_) => {
            let mut r = state.sched(slot::RANDOM);
            for i in (1..all.len()).rev() {
                r = xorshift(r);
                all.swap(i, (r % (i as u64 + 1)) as usize);
            }
        }
        Policy::Timed => {}
    }
    all
}

/// Records that `queue` was chosen.
pub(super) fn advance(writer: &mut Writer<'_>, policy: Policy, queue: Queue) {
    match policy {
        Policy::RoundRobin => {
            let next = (queue.index() as u64 + 1) % Queue::COUNT as u64;
            if writer.state().sched(slot::NEXT) != next {
                writer.set_sched(slot::NEXT, next);
            }
        }
        Policy::Random(_) => {
            let r = writer.state().sched(slot::RANDOM);
            writer.set_sched(slot::RANDOM, xorshift(r));
        }
        Policy::Timed => {}
    }
}

/// When a queue is free, picoseconds; 0 unless the policy is timed.
pub fn clock(state: &State, queue: Queue) -> u64 {
    state.sched(slot::CLOCK + queue.index() as u8)
}

/// Marsaglia's 64-bit xorshift: quick, and the whole state is one word.
const fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}
