//! What came before what, by synchronisation alone: a race detector over the journal.
//!
//! Agents have vector clocks ([`clock`]); posts and waits pass knowledge on ([`signals`]); [`shadow`] remembers the last accesses
//! to every byte. Two accesses to a byte by different agents, one of them a store, race when neither clock knows the other. The
//! schedule that ran does not matter, only what its waits prove. On the way the shadow tells of stores that nobody read.
//!
//! [`Order`] looks at one record after another. It is a function of the records, so it can be copied, thrown away and made again.

mod clock;
mod shadow;
mod signals;

#[cfg(test)]
mod tests;

pub use clock::Agent;
pub use shadow::Access;

use clock::{AGENTS, Clock};
use shadow::Shadow;
use signals::Signals;

use super::effect::Effect;
use super::sync::{Signal, Sync};
use super::{Journal, Rect, Runs, StepKind};
use crate::isa::Queue;

/// What an access meets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// Nothing orders the two.
    Race {
        /// The access that was executed first.
        first: Access,
        /// The other one.
        second: Access,
        /// Bytes that both touch.
        rect: Rect,
        /// A signal that the first one's agent posted since, and its count then.
        posted: Option<(Signal, u32)>,
    },
    /// A store covers one that nobody read.
    Unread {
        /// The store that was lost.
        first: Access,
        /// The one that covers it.
        second: Access,
        /// Bytes around what was lost.
        rect: Rect,
    },
}

/// A transfer in flight, with what its issuer knew.
#[derive(Clone, Debug)]
struct Pending {
    queue: Queue,
    index: u64,
    clock: Clock,
}

/// The detector, at a position of the journal.
#[derive(Clone, Debug)]
pub struct Order {
    at: u64,
    races: bool,
    streams: Vec<Queue>,
    clocks: [Clock; AGENTS],
    signals: Signals,
    shadow: Shadow,
    pending: Vec<Pending>,
}

/// A step as it is looked at: who acts, its two times (its reads; its stores), whether stores build on what was there.
struct Acting {
    agent: Agent,
    read: u64,
    write: u64,
    keeps: bool,
}

impl Order {
    /// A detector that begins at a position, for a program with these streams. Without `races` it finds stores that nobody reads
    /// and takes no notice of synchronisation.
    pub fn new(at: u64, streams: impl Iterator<Item = Queue>, races: bool) -> Order {
        Order {
            at,
            races,
            streams: streams.collect(),
            clocks: [Clock::default(); AGENTS],
            signals: Signals::default(),
            shadow: Shadow::default(),
            pending: Vec::new(),
        }
    }

    /// The record it looks at next.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Looks at the next record; false when the journal does not have it.
    pub fn follow(&mut self, journal: &Journal, found: &mut Vec<Meeting>) -> bool {
        let Some(record) = journal.record(self.at) else {
            return false;
        };
        let at = self.at;
        self.at += 1;
        let Some(queue) = Queue::from_index(record.head.agent.into()) else {
            return true;
        };
        if record.head.kind == StepKind::Edit {
            self.edited(journal, at);
            return true;
        }
        let mut acting = match record.head.kind {
            StepKind::Transfer => self.landed(queue, record.head.index),
            _ => self.begin(Agent::stream(queue)),
        };
        let mut stores = Vec::new();
        for effect in journal.effects(at) {
            match effect {
                Effect::Sync(Sync::Keeps) => acting.keeps = true,
                Effect::Sync(sync) if self.races => {
                    self.synchronise(&mut acting, *sync, record.head.index);
                }
                effect => {
                    if let Some(runs) = effect.runs() {
                        runs.push_onto(&mut stores);
                    }
                }
            }
        }
        let mut reads = Vec::new();
        journal
            .reads(at)
            .for_each(|rect| Runs::from(rect).push_onto(&mut reads));
        let access = |write| Access {
            agent: acting.agent,
            index: record.head.index,
            seq: record.seq,
            write,
            time: if write { acting.write } else { acting.read },
        };
        for runs in &reads {
            self.touch(runs, access(false), false, found);
        }
        for runs in &stores {
            self.touch(runs, access(true), acting.keeps, found);
        }
        true
    }

    fn clock(&self, agent: Agent) -> Clock {
        self.clocks.get(agent.number()).copied().unwrap_or_default()
    }

    fn clock_mut(&mut self, agent: Agent) -> Option<&mut Clock> {
        self.clocks.get_mut(agent.number())
    }

    fn learn(&mut self, agent: Agent, what: &Clock) {
        if let Some(clock) = self.clock_mut(agent) {
            clock.join(what);
        }
    }

    /// The next times of an agent.
    fn begin(&mut self, agent: Agent) -> Acting {
        let mut acting = Acting {
            agent,
            read: 0,
            write: 0,
            keeps: false,
        };
        if let Some(clock) = self.clock_mut(agent) {
            acting.read = clock.of(agent) + 1;
            acting.write = acting.read + 1;
            clock.set(agent, acting.write);
        }
        acting
    }

    /// A transfer that was in flight acts.
    fn landed(&mut self, queue: Queue, index: u64) -> Acting {
        let mut of = self.pending.iter();
        if let Some(i) = of.position(|p| (p.queue, p.index) == (queue, index)) {
            let issued = self.pending.remove(i).clock;
            self.learn(Agent::transfers(queue), &issued);
        }
        self.begin(Agent::transfers(queue))
    }

    fn synchronise(&mut self, acting: &mut Acting, sync: Sync, index: u64) {
        let agent = acting.agent;
        let queue = agent.queue();
        match sync {
            Sync::Wait {
                on,
                comparator,
                threshold,
            } => {
                let known = self.clock(agent);
                let proof = self.signals.wait(on, comparator, threshold, &known);
                self.learn(agent, &proof);
            }
            Sync::Look(on) => {
                let known = self.signals.look(on);
                self.learn(agent, &known);
            }
            Sync::Post { on, act, at_read } => {
                let time = if at_read { acting.read } else { acting.write };
                let mut known = self.clock(agent);
                known.set(agent, time);
                self.signals.post(on, act, (agent, time), &known);
            }
            Sync::Issue => {
                let issuer = self.clock(agent);
                self.learn(Agent::transfers(queue), &issuer);
                *acting = self.begin(Agent::transfers(queue));
            }
            Sync::Depart => {
                let clock = self.clock(agent);
                self.pending.push(Pending {
                    queue,
                    index,
                    clock,
                });
            }
            Sync::Drain => {
                let transfers = self.clock(Agent::transfers(queue));
                self.learn(agent, &transfers);
            }
            Sync::Join { streams, drained } => {
                let met: Vec<Queue> = Queue::ALL
                    .into_iter()
                    .filter(|q| streams >> q.index() & 1 == 1)
                    .collect();
                let mut all = Clock::default();
                for q in &met {
                    all.join(&self.clock(Agent::stream(*q)));
                    if drained {
                        all.join(&self.clock(Agent::transfers(*q)));
                    }
                }
                met.iter().for_each(|q| self.learn(Agent::stream(*q), &all));
            }
            Sync::Keeps => {}
        }
    }

    /// Whoever changes the machine from outside does so while everything stands still.
    fn edited(&mut self, journal: &Journal, at: u64) {
        let mut all = Clock::default();
        self.clocks.iter().for_each(|c| all.join(c));
        self.clocks.iter_mut().for_each(|c| c.join(&all));
        self.pending.iter_mut().for_each(|p| p.clock.join(&all));
        let nobody = (Agent::stream(Queue::Any), 0);
        for effect in journal.effects(at) {
            match effect {
                Effect::Sync(Sync::Post { on, act, .. }) => {
                    self.signals.post(*on, *act, nobody, &all);
                }
                effect => {
                    if let Some(runs) = effect.runs() {
                        self.shadow.forget(&runs);
                    }
                }
            }
        }
    }

    fn touch(&mut self, runs: &Runs, access: Access, keeps: bool, found: &mut Vec<Meeting>) {
        let clock = self.clock(access.agent);
        let (clocks, streams, pending) = (&self.clocks, &self.streams, &self.pending);
        let floor = || {
            // Transfers to come know at least what their issuer knows.
            let of = |q: &Queue| clocks.get(Agent::stream(*q).number());
            let live = streams.iter().filter_map(of);
            let mut floor = Clock::ALL;
            live.chain(pending.iter().map(|p| &p.clock))
                .for_each(|c| floor.meet(c));
            floor
        };
        let met = self
            .shadow
            .add(runs, access, &clock, keeps, floor, self.races);
        for (first, rect) in met.races {
            found.push(Meeting::Race {
                first,
                second: access,
                rect,
                posted: self.signals.posted(first.agent, first.time),
            });
        }
        if let Some((first, rect)) = met.unread {
            found.push(Meeting::Unread {
                first,
                second: access,
                rect,
            });
        }
    }
}
