//! Why nothing moves, or why it moves in a circle: who waits for whom, and loops that change nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::Session;
use super::info::Stuck;
use crate::isa::Queue;
use crate::sim::effect::Effect;
use crate::sim::sync::Signal;
use crate::sim::waits::{Wait, touches};
use crate::sim::{Blocked, Policy, StepKind};

/// Records looked at for the last change of a semaphore.
const LOOK_BACK: u64 = 1 << 16;
/// Bundles looked at behind a wait.
const LOOK_AHEAD: u64 = 4096;
/// The longest loop that is recognised, in bundles of all streams.
const LONGEST_LOOP: usize = 2048;
/// Changes of a loop that are told.
const MOST_CHANGES: usize = 6;

/// What keeps streams from ever going on, as far as a look along straight lines can tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Knot {
    /// Streams with the bundles at which they stand, each waiting for the next, the last for the first.
    Circle(Vec<(Queue, u64)>),
    /// Nobody posts what a bundle waits for.
    Nobody {
        /// Stream of the bundle.
        queue: Queue,
        /// Its index.
        index: u64,
        /// The wait.
        wait: Wait,
        /// A bundle behind it in its own stream that would post it.
        own: Option<u64>,
    },
}

/// Who waits for whom.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitGraph {
    /// The streams that cannot start, in scheduling order.
    pub stuck: Vec<Stuck>,
    /// Streams that can.
    pub ready: Vec<Queue>,
    /// Those of `stuck` that never will.
    pub dead: Vec<Queue>,
    /// Why.
    pub knots: Vec<Knot>,
}

/// Something that a turn of a loop changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turned {
    /// Its name in expressions.
    pub what: String,
    /// Its value a turn ago.
    pub from: u64,
    /// Its value now.
    pub to: u64,
}

/// The same bundles over and over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The streams in it, with their lowest and highest index.
    pub streams: Vec<(Queue, u64, u64)>,
    /// Bundles of a turn.
    pub period: u64,
    /// Registers, semaphores and events that the last turn changed, the first few.
    pub changes: Vec<Turned>,
    /// It changed memory.
    pub memory: bool,
    /// The whole state is that of a turn ago: it never ends.
    pub endless: bool,
}

impl WaitGraph {
    /// A stream that cannot start and those that it waits for, directly or not, and that cannot either.
    pub fn behind(&self, queue: Queue) -> Vec<Stuck> {
        let of = |q: Queue| self.stuck.iter().find(|s| s.why.queue == q);
        let mut found: Vec<&Stuck> = of(queue).into_iter().collect();
        let mut at = 0;
        while let Some(s) = found.get(at).copied() {
            at += 1;
            let posters = s.posters.iter().flatten().filter(|p| !p.transfer);
            for q in posters
                .map(|p| p.queue)
                .chain(s.why.barrier.iter().copied())
            {
                let known = found.iter().any(|f| f.why.queue == q);
                found.extend(of(q).filter(|_| !known));
            }
        }
        found.into_iter().cloned().collect()
    }
}

/// The streams that can go on: those that are ready, and those whose waits such streams or transfers in flight can fulfil.
fn going(stuck: &[Stuck], ready: &[Queue]) -> BTreeSet<Queue> {
    let mut goes: BTreeSet<Queue> = ready.iter().copied().collect();
    loop {
        let before = goes.len();
        for s in stuck {
            let posts = s.waits().all(|(_, posters)| {
                let mut all = posters.iter();
                all.any(|p| p.transfer || goes.contains(&p.queue))
            });
            if posts && s.why.barrier.iter().all(|q| goes.contains(q)) {
                goes.insert(s.why.queue);
            }
        }
        if goes.len() == before {
            return goes;
        }
    }
}

impl Session {
    /// Who waits for whom now.
    pub fn wait_graph(&self) -> WaitGraph {
        let blocked: Vec<Blocked> = self
            .machine
            .queues()
            .filter_map(|q| self.machine.blocked(q))
            .collect();
        let stuck: Vec<Stuck> = blocked.into_iter().map(|b| self.explain_stuck(b)).collect();
        let waits = |q: &Queue| stuck.iter().any(|s| s.why.queue == *q);
        let queues = self.machine.queues();
        let ready = queues.filter(|q| !self.machine.exited(*q) && !waits(q));
        let ready: Vec<Queue> = ready.collect();
        let goes = going(&stuck, &ready);
        let queues = stuck.iter().map(|s| s.why.queue);
        WaitGraph {
            knots: self.knots(&stuck, &goes),
            dead: queues.filter(|q| !goes.contains(q)).collect(),
            ready,
            stuck,
        }
    }

    fn knots(&self, stuck: &[Stuck], goes: &BTreeSet<Queue>) -> Vec<Knot> {
        let dead = stuck.iter().filter(|s| !goes.contains(&s.why.queue));
        let mut knots = Vec::new();
        // The stream that each dead one waits for, where that is a dead one too.
        let mut next: BTreeMap<Queue, (u64, Queue)> = BTreeMap::new();
        for s in dead {
            let (queue, index) = (s.why.queue, s.why.index);
            let alone = s.waits().filter(|(_, posters)| posters.is_empty());
            let alone: Vec<Wait> = alone.map(|(w, _)| *w).collect();
            if alone.is_empty() {
                let helps = |q: &Queue| goes.contains(q);
                let unhelped = s
                    .waits()
                    .find(|(_, posters)| !posters.iter().any(|p| p.transfer || helps(&p.queue)));
                let poster = unhelped.and_then(|(_, posters)| posters.first());
                let missing = s.why.barrier.iter().find(|q| !helps(q));
                if let Some(to) = poster.map(|p| p.queue).or(missing.copied()) {
                    next.insert(queue, (index, to));
                }
            }
            knots.extend(alone.into_iter().map(|wait| Knot::Nobody {
                queue,
                index,
                own: self.own_post(queue, index, &wait),
                wait,
            }));
        }
        let mut seen = BTreeSet::new();
        for start in next.keys() {
            let mut path: Vec<(Queue, u64)> = Vec::new();
            let mut at = *start;
            while let Some((index, to)) = next.get(&at).filter(|_| seen.insert(at)) {
                path.push((at, *index));
                at = *to;
            }
            if let Some(from) = path.iter().position(|(q, _)| *q == at) {
                knots.push(Knot::Circle(path.split_off(from)));
            }
        }
        knots
    }

    /// The first bundle behind a wait in its own stream that would fulfil it.
    fn own_post(&self, queue: Queue, index: u64, wait: &Wait) -> Option<u64> {
        let code = self.machine.code();
        let end = code.len(queue).min(index.saturating_add(LOOK_AHEAD));
        (index..end).find(|i| {
            let instr = self.machine.instr(queue, *i);
            instr.is_some_and(|instr| touches(&instr, wait, &code.tables))
        })
    }

    /// Who changed a semaphore or event last: sequence number, stream, index. `None` as far as the journal goes back.
    pub(super) fn last_change(&self, on: Signal) -> Option<(u64, Queue, u64)> {
        let journal = self.machine.journal();
        let here = journal.position();
        let back = journal.oldest().max(here.saturating_sub(LOOK_BACK));
        let at = (back..here).rev().find(|at| {
            journal.effects(*at).any(|e| match e {
                Effect::Sem { sem, .. } => !on.event && *sem == on.idx,
                Effect::Event { event, .. } => on.event && *event == on.idx,
                _ => false,
            })
        })?;
        let record = journal.record(at)?;
        let queue = Queue::from_index(record.head.agent.into())?;
        (record.head.kind != StepKind::Edit).then_some((record.seq, queue, record.head.index))
    }

    /// The loop in which the last bundles went, if they did.
    pub fn lasso(&self) -> Option<Lasso> {
        let journal = self.machine.journal();
        let past = (journal.oldest()..journal.position()).rev();
        let records = past.map_while(|at| Some((at, journal.record(at)?)));
        let bundles = records.filter(|(_, r)| r.head.kind == StepKind::Retire);
        let last: Vec<(u64, u8, u64)> = bundles
            .take(2 * LONGEST_LOOP)
            .map(|(at, r)| (at, r.head.agent, r.head.index))
            .collect();
        let same = |a: &(u64, u8, u64), b: &(u64, u8, u64)| (a.1, a.2) == (b.1, b.2);
        let period = (1..=last.len() / 2).find(|p| {
            let (turn, before) = last.split_at(*p);
            turn.iter().zip(before).all(|(a, b)| same(a, b))
        })?;
        let turn = last.get(..period)?;
        let since = turn.last()?.0;
        let mut streams: BTreeMap<Queue, (u64, u64)> = BTreeMap::new();
        for (_, agent, index) in turn {
            let queue = Queue::from_index(usize::from(*agent))?;
            let (low, high) = streams.entry(queue).or_insert((*index, *index));
            (*low, *high) = ((*low).min(*index), (*high).max(*index));
        }
        let (changes, other) = self.turned(since);
        let memory = self.memory_turned(since);
        Some(Lasso {
            streams: streams.into_iter().map(|(q, (a, b))| (q, a, b)).collect(),
            period: period as u64,
            endless: changes.is_empty() && !memory && !other && self.repeats(),
            changes: changes.into_iter().take(MOST_CHANGES).collect(),
            memory,
        })
    }

    /// Does the scheduler go the same way again from the same state?
    fn repeats(&self) -> bool {
        let alone = self.wait_graph().ready.len() == 1;
        let same = alone || self.machine.policy() == Policy::RoundRobin;
        same && self.transfers().is_empty()
    }

    /// What differs from the state before a record: words with a name, and whether anything else may.
    fn turned(&self, since: u64) -> (Vec<Turned>, bool) {
        let journal = self.machine.journal();
        let (mut before, mut other) = (BTreeMap::new(), false);
        for at in since..journal.position() {
            for effect in journal.effects(at) {
                // An effect holds the former value; the first of a turn holds that before the turn.
                match effect {
                    Effect::Reg {
                        agent, reg, value, ..
                    } => {
                        before.entry((0u8, *agent, *reg)).or_insert(*value);
                    }
                    Effect::Sem { sem, value } => {
                        before.entry((1, *sem, 0)).or_insert(*value);
                    }
                    Effect::Event { event, set } => {
                        before.entry((2, *event, 0)).or_insert(u32::from(*set));
                    }
                    // Counters of the scheduler and of accesses say nothing about the program.
                    Effect::Hidden { .. } | Effect::Patch { .. } => other = true,
                    _ => {}
                }
            }
        }
        let state = self.state();
        let changes = before.into_iter().filter_map(|((table, a, b), from)| {
            let name = |agent: u8| Queue::from_index(agent.into()).map_or("any", Queue::name);
            let (what, to) = match table {
                0 => (format!("${}.r{b}", name(a)), state.reg(a, b)),
                1 => (format!("sem[{a}]"), state.sem(a)),
                _ => (format!("evt[{a}]"), u32::from(state.event(a))),
            };
            (from != to).then(|| Turned {
                what,
                from: from.into(),
                to: to.into(),
            })
        });
        (changes.collect(), other)
    }

    /// Does memory differ from what it was before a record? Yes, where that is not known.
    fn memory_turned(&self, since: u64) -> bool {
        let journal = self.machine.journal();
        (since..journal.position()).any(|at| {
            journal.effects(at).any(|e| match e {
                Effect::SameBytes(_) => false,
                e => e.runs().is_some_and(|runs| {
                    let bounds = runs.bounds();
                    let mut now = Vec::new();
                    let read = self.state().read_into(&bounds, &mut now);
                    read.is_err() || journal.bytes_at(self.state(), since, &bounds) != Some(now)
                }),
            })
        })
    }
}
