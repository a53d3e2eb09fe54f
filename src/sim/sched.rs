//! Which stream goes next. The choice is part of the state, so replay is exact (isa 11 §5).

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
}

/// Scheduler words of the state.
pub mod slot {
    /// Queue index to look at first.
    pub const NEXT: u8 = 0;
    /// State of the random order.
    pub const RANDOM: u8 = 1;
    /// Scheduler steps made.
    pub const STEPS: u8 = 2;
}

/// Puts the seed of a policy into a fresh state.
pub(super) fn seed(state: &mut State, policy: Policy) {
    if let Policy::Random(seed) = policy {
        // An odd constant keeps seed 0 away from the generator's fixed point.
        state.set_initial_sched(slot::RANDOM, seed ^ 0x9E37_79B9_7F4A_7C15);
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
    }
    all
}

/// Records that `queue` was chosen.
pub(super) fn advance(writer: &mut Writer<'_>, policy: Policy, queue: Queue) {
    let steps = writer.state().sched(slot::STEPS);
    writer.set_sched(slot::STEPS, steps.wrapping_add(1));
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
    }
}

/// Marsaglia's 64-bit xorshift: quick, and the whole state is one word.
const fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}
