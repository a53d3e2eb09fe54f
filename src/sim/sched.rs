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
    /// A seeded random order that stays for a while: streams run far ahead of others. Transfers that
    /// take time take up to five times `dma.delay`.
    Bursts(u64),
    /// Every stream has a clock; the head that can start earliest goes first, of equal ones the
    /// first in wire order. Durations are those of `sim::timing`, and transfers take time whatever
    /// `dma.delay` says.
    Timed,
}

impl Policy {
    /// Reads one of [`Policy::NAMES`].
    pub fn parse(name: &str, seed: u64) -> Option<Policy> {
        let all = [
            Policy::RoundRobin,
            Policy::Timed,
            Policy::Random(seed),
            Policy::Bursts(seed),
        ];
        all.into_iter().find(|p| p.name() == name)
    }

    /// All names.
    pub const NAMES: [&'static str; 4] = [
        Policy::RoundRobin.name(),
        Policy::Timed.name(),
        Policy::Random(0).name(),
        Policy::Bursts(0).name(),
    ];

    /// The seed of a random order.
    pub const fn seed(self) -> Option<u64> {
        match self {
            Policy::Random(seed) | Policy::Bursts(seed) => Some(seed),
            _ => None,
        }
    }

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Policy::RoundRobin => "round-robin",
            Policy::Random(_) => "random",
            Policy::Bursts(_) => "bursts",
            Policy::Timed => "timed",
        }
    }
}

/// Steps that an order of bursts lasts on average.
const BURST: u64 = 8;

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
    /// What the present order of bursts is made from.
    pub const BURST: u8 = 4;
    /// When each queue is free again, picoseconds.
    pub const CLOCK: u8 = 8;
    /// When the last transfer of each queue finished, picoseconds.
    pub const LANDED: u8 = 16;
}

/// Puts the seed of a policy into a fresh state.
pub(super) fn seed(state: &mut State, policy: Policy) {
    if let Some(seed) = policy.seed() {
        // An odd constant spreads small seeds; 0 is the one fixed point of the generator.
        let word = seed ^ 0x9E37_79B9_7F4A_7C15;
        let word = if word == 0 { 1 } else { word };
        state.set_initial_sched(slot::RANDOM, word);
        if matches!(policy, Policy::Bursts(_)) {
            // Few words are drawn, so neighbouring seeds must differ from the first one on.
            let word = mixed(seed) | 1;
            state.set_initial_sched(slot::RANDOM, word);
            state.set_initial_sched(slot::BURST, word);
        }
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
        Policy::Random(_) | Policy::Bursts(_) => {
            let mut r = match policy {
                Policy::Bursts(_) => state.sched(slot::BURST),
                _ => state.sched(slot::RANDOM),
            };
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
        Policy::Bursts(_) => {
            let r = xorshift(writer.state().sched(slot::RANDOM));
            writer.set_sched(slot::RANDOM, r);
            // The middle bits: the low ones are next to be used for the order.
            if (r >> 32).is_multiple_of(BURST) {
                writer.set_sched(slot::BURST, r);
            }
        }
        Policy::Timed => {}
    }
}

/// When a queue is free, picoseconds; 0 unless the policy is timed.
pub fn clock(state: &State, queue: Queue) -> u64 {
    state.sched(slot::CLOCK + queue.index() as u8)
}

/// A word in which every bit of the seed counts: the finalizer of Steele, Lea and Flood's SplitMix.
const fn mixed(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Steps that a transfer takes longer than `delay`, up to four times that; 0 unless the policy is bursts.
pub(super) fn jitter(state: &State, delay: u64) -> u64 {
    if state.sched(slot::BURST) == 0 {
        return 0;
    }
    let most = delay.saturating_mul(4).saturating_add(1);
    (state.sched(slot::RANDOM) >> 16) % most
}

/// Marsaglia's 64-bit xorshift: quick, and the whole state is one word.
const fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}
