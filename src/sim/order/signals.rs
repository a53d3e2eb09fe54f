//! What a wait proves. The posts of a semaphore are kept, so that a wait is ordered behind those it needs, not behind all that
//! happen to be made: `$S[4]>=1` proves the first post, also when three are counted already.

use std::collections::BTreeMap;

use super::clock::{Agent, Clock};
use crate::sim::sync::{Act, Signal};

/// Posts of one semaphore that are kept; of more, the older half stands for what any wait knows.
const MOST_POSTS: usize = 256;

/// An agent at a time of its own.
pub type Moment = (Agent, u64);

/// A post since the signal was set.
#[derive(Clone, Copy, Debug)]
struct Post {
    by: Moment,
    act: Act,
    /// The count afterwards.
    value: u32,
    sums: Sums,
}

/// All posts up to some point.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    added: u64,
    taken: u64,
    /// What those knew who added, and those who subtracted.
    adders: Clock,
    takers: Clock,
}

/// A semaphore or event.
#[derive(Clone, Default, Debug)]
struct History {
    /// Who set it last, the count then, and what was known.
    set_by: Option<Moment>,
    base: u32,
    known: Clock,
    /// Posts that are not kept any more.
    older: Sums,
    posts: Vec<Post>,
}

impl History {
    fn sums(&self) -> Sums {
        self.posts.last().map_or(self.older, |p| p.sums)
    }

    fn value(&self) -> u32 {
        self.posts.last().map_or(self.base, |p| p.value)
    }

    fn post(&mut self, act: Act, by: Moment, clock: &Clock) {
        let mut sums = self.sums();
        match act {
            Act::Set(value) => {
                *self = History {
                    set_by: Some(by),
                    base: value,
                    known: *clock,
                    ..History::default()
                };
                return;
            }
            Act::Add(n) => {
                sums.added += u64::from(n);
                sums.adders.join(clock);
            }
            Act::Subtract(n) => {
                sums.taken += u64::from(n);
                sums.takers.join(clock);
            }
        }
        let value = act.applied(self.value());
        if self.posts.len() >= MOST_POSTS {
            let old = self.posts.drain(..MOST_POSTS / 2).next_back();
            self.older = old.map_or(self.older, |p| p.sums);
        }
        self.posts.push(Post {
            by,
            act,
            value,
            sums,
        });
    }

    /// The amounts of posts that surely come before a waiter, of those that `of` counts.
    fn before(&self, older: u64, waiter: &Clock, of: fn(Act) -> u32) -> i128 {
        let past = self.posts.iter().filter(|p| waiter.of(p.by.0) >= p.by.1);
        i128::from(older) + past.map(|p| i128::from(of(p.act))).sum::<i128>()
    }

    /// What lies in the past of a wait that holds.
    fn proves(&self, comparator: u8, threshold: u32, waiter: &Clock) -> Clock {
        let mut known = self.known;
        let (base, bound) = (i128::from(self.base), i128::from(threshold));
        match comparator {
            // Enough was added to make up for what was taken before.
            4 | 5 => {
                let taken = self.before(self.older.taken, waiter, |a| match a {
                    Act::Subtract(n) => n,
                    _ => 0,
                });
                let need = bound + i128::from(comparator == 4) - base + taken;
                if need > 0 {
                    let enough = |s: &Sums| i128::from(s.added) >= need;
                    known.join(&self.first(enough).adders);
                }
            }
            2 | 3 => {
                let added = self.before(self.older.added, waiter, |a| match a {
                    Act::Add(n) => n,
                    _ => 0,
                });
                let need = base + added - bound + i128::from(comparator == 2);
                if need > 0 {
                    let enough = |s: &Sums| i128::from(s.taken) >= need;
                    known.join(&self.first(enough).takers);
                }
            }
            // Everything up to the post that brought the count there.
            1 => {
                let held = self.posts.iter().rev().take_while(|p| p.value == threshold);
                let others = self.posts.len() - held.count();
                if let Some(p) = self.posts.get(others)
                    && (others > 0 || self.base != threshold)
                {
                    known.join(&p.sums.adders);
                    known.join(&p.sums.takers);
                }
            }
            _ => {}
        }
        known
    }

    /// The sums at the first point where they are enough; the last ones when they never are.
    fn first(&self, enough: impl Fn(&Sums) -> bool) -> Sums {
        if enough(&self.older) {
            return self.older;
        }
        let found = self.posts.iter().find(|p| enough(&p.sums));
        found.map_or_else(|| self.sums(), |p| p.sums)
    }
}

/// All semaphores and events.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals(BTreeMap<Signal, History>);

impl Signals {
    /// A post by an agent that knows so much.
    pub fn post(&mut self, on: Signal, act: Act, by: Moment, clock: &Clock) {
        self.0.entry(on).or_default().post(act, by, clock);
    }

    /// What a wait that holds adds to what the waiter knows.
    pub fn wait(&self, on: Signal, comparator: u8, threshold: u32, waiter: &Clock) -> Clock {
        let history = self.0.get(&on);
        history.map_or_else(Clock::default, |h| h.proves(comparator, threshold, waiter))
    }

    /// What reading the count tells: everything posted so far.
    pub fn look(&self, on: Signal) -> Clock {
        let Some(history) = self.0.get(&on) else {
            return Clock::default();
        };
        let mut known = history.known;
        known.join(&history.sums().adders);
        known.join(&history.sums().takers);
        known
    }

    /// The first post of an agent from a time on that a wait can rely on: the signal and its count afterwards.
    pub fn posted(&self, agent: Agent, from: u64) -> Option<(Signal, u32)> {
        let counts = |by: Moment| by.0 == agent && by.1 >= from;
        let of = |(on, h): (&Signal, &History)| {
            let set = h.set_by.filter(|by| counts(*by)).map(|by| (by.1, h.base));
            let adds = h.posts.iter().filter(|p| matches!(p.act, Act::Add(1..)));
            let mut adds = adds.filter(|p| counts(p.by)).map(|p| (p.by.1, p.value));
            let (time, value) = set.or_else(|| adds.next())?;
            (value > 0).then_some((time, *on, value))
        };
        let first = self.0.iter().filter_map(of).min_by_key(|f| f.0);
        first.map(|(_, on, value)| (on, value))
    }
}
