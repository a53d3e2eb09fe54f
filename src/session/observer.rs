//! What a retired bundle gives rise to besides its effects: findings of the machine, races and stores that nobody reads, places
//! that were never filled.
//!
//! The detector follows the journal and is copied with every checkpoint. When the future is dropped it goes back to a copy and
//! looks at the records since again, so it always knows the path that led here, and no other.

use std::collections::BTreeMap;

use super::Session;
use super::findings::FindingSummary;
use crate::isa::{Queue, Severity, Space};
use crate::sim::order::{Access, Meeting, Order};
use crate::sim::sync::Signal;
use crate::sim::waits::raises;
use crate::sim::{Finding, Machine, StepKind};

/// Bundles looked at for a post.
const LOOK_AHEAD: u64 = 4096;

/// What is looked for while running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watchfulness {
    /// Findings.
    pub findings: bool,
    /// Races; they are findings too.
    pub races: bool,
}

impl Default for Watchfulness {
    fn default() -> Watchfulness {
        Watchfulness {
            findings: true,
            races: false,
        }
    }
}

/// The detector of the present time line.
#[derive(Debug)]
pub(super) struct Observer {
    watch: Watchfulness,
    order: Order,
    saved: BTreeMap<u64, Order>,
    /// What was met since the last bundle was accounted for: the next one tells it.
    met: Vec<Meeting>,
    /// An edit came after the last bundle, so what transfers meet since belongs to the next one.
    edited: bool,
}

impl Observer {
    /// At the present point of a machine.
    pub fn new(machine: &Machine, watch: Watchfulness) -> Observer {
        let order = Order::new(machine.journal().position(), machine.queues(), watch.races);
        Observer {
            watch,
            saved: BTreeMap::from([(order.position(), order.clone())]),
            order,
            met: Vec::new(),
            edited: false,
        }
    }

    /// Looks at the records up to the present point, those that it has not seen; `again`: their bundles are accounted for.
    fn follow(&mut self, machine: &Machine, again: bool) {
        let journal = machine.journal();
        while self.order.position() < journal.position() {
            let at = self.order.position();
            let kind = journal.record(at).map(|r| r.head.kind);
            self.edited |= kind == Some(StepKind::Edit);
            let known = self.met.len();
            if !self.order.follow(journal, &mut self.met) {
                // The record was too large for the journal. What came before it counts as ordered.
                self.order = Order::new(journal.position(), machine.queues(), self.watch.races);
            }
            if kind == Some(StepKind::Retire) {
                self.edited = false;
            }
            if again && !self.edited {
                let told = if kind == Some(StepKind::Retire) {
                    0
                } else {
                    known
                };
                self.met.truncate(told);
            }
        }
    }

    /// Goes back to the present position of the journal; false when it holds too little of the way there from a copy.
    fn rewind(&mut self, machine: &Machine) -> bool {
        let position = machine.journal().position();
        self.saved.split_off(&(position + 1));
        if self.order.position() <= position {
            return true;
        }
        self.met.clear();
        self.edited = false;
        let near = self.saved.values().next_back();
        let Some(order) = near.filter(|o| o.position() >= machine.journal().oldest()) else {
            return false;
        };
        self.order = order.clone();
        self.follow(machine, true);
        true
    }
}

impl Session {
    /// What is looked for, from the next restart on at the latest.
    pub fn watchfulness(&self) -> Watchfulness {
        self.watchfulness
    }

    /// Sets what is looked for: at once when nothing has run yet, else from the next restart on.
    pub fn set_watchfulness(&mut self, watch: Watchfulness) -> super::When {
        self.watchfulness = watch;
        if self.timeline.end.seq > self.timeline.base().seq {
            return super::When::AtRestart;
        }
        self.observe_anew();
        super::When::Now
    }

    /// The findings of a rule so far, one for every bundle of the program that caused it.
    pub fn findings_of(&self, rule: &str) -> Vec<FindingSummary> {
        self.findings.sites(rule, self.seq())
    }

    pub(super) fn observe_anew(&mut self) {
        self.machine.set_trace(self.watchfulness.races);
        self.observer = Observer::new(&self.machine, self.watchfulness);
    }

    /// Accounts for the bundle that was executed last, which retired as `seq`.
    pub(super) fn observe(&mut self, seq: u64) {
        if !self.observer.watch.findings {
            return;
        }
        let known = self.findings.knows(seq);
        self.observer.follow(&self.machine, known);
        if known {
            return;
        }
        let met = std::mem::take(&mut self.observer.met);
        let mut found: Vec<Finding> = met.iter().map(|m| self.tell(seq, m)).collect();
        if self.machine.queues().all(|q| self.machine.exited(q)) {
            found.extend(self.never_filled(seq));
        }
        let reported = &self.machine.report().findings;
        self.findings.add(seq, reported.iter().chain(&found));
    }

    /// Keeps a copy of the detector with the checkpoint of the present point.
    pub(super) fn save_observer(&mut self) {
        let position = self.mark().position;
        let Observer { order, saved, .. } = &mut self.observer;
        if order.position() == position {
            saved.retain(|at, _| self.timeline.saved(*at));
            saved.insert(position, order.clone());
        }
    }

    /// The future after the present point is gone.
    pub(super) fn rewind_observer(&mut self) {
        if self.observer.watch.findings && !self.observer.rewind(&self.machine) {
            self.come_again();
        }
    }

    /// Comes to the present point once more, from a checkpoint with a copy of the detector, for a log that does not reach back to one.
    fn come_again(&mut self) {
        let here = self.mark();
        // A checkpoint that a replay left has no copy.
        let from = self.observer.saved.iter().rev().find_map(|(at, order)| {
            let (mark, state) = self.timeline.checkpoint_before(*at)?;
            (mark.position == *at).then(|| (mark, state.clone(), order.clone()))
        });
        let Some((mark, state, order)) = from else {
            // What came before counts as ordered.
            let queues = self.machine.queues();
            self.observer.order = Order::new(here.position, queues, self.observer.watch.races);
            return;
        };
        self.machine.restore(&state, mark.position, mark.seq);
        self.observer.order = order;
        // An interrupt waits: the present point was one before.
        while self.mark().position < here.position && self.replay_one().is_ok() {
            self.observer.follow(&self.machine, true);
        }
    }

    /// Looks at what an edit, and transfers without a bundle, did: the log may not hold it any more when the next bundle comes.
    pub(super) fn keep_up(&mut self) {
        if self.observer.watch.findings {
            self.observer.follow(&self.machine, false);
        }
    }

    fn tell(&self, seq: u64, m: &Meeting) -> Finding {
        let (Meeting::Race { first, second, .. } | Meeting::Unread { first, second, .. }) = m;
        let (rule, severity) = match m {
            Meeting::Race { .. } => ("race", Severity::Error),
            Meeting::Unread { .. } => ("unread-store", Severity::Info),
        };
        let mut finding = Finding {
            rule,
            severity,
            queue: second.agent.queue(),
            index: second.index,
            seq,
            other: Some((first.agent.queue(), first.index)),
            message: String::new(),
        };
        // Only the first of a kind is told.
        if !self.findings.has(&finding) {
            finding.message = self.describe(m);
        }
        finding
    }

    fn describe(&self, m: &Meeting) -> String {
        let (Meeting::Race { first, second, .. } | Meeting::Unread { first, second, .. }) = m;
        let name = |a: &Access| {
            let of = if a.agent.is_transfer() {
                "the transfer of "
            } else {
                ""
            };
            format!("{of}{}:{}", a.agent.queue().name(), a.index)
        };
        let does = |a: &Access| if a.write { "writes" } else { "reads" };
        // The bundle is named beside the message.
        let who = if second.agent.is_transfer() {
            "the transfer "
        } else {
            ""
        };
        match m {
            Meeting::Race { rect, posted, .. } => format!(
                "{who}{} {rect}, which {} {}; nothing orders the two: {}",
                does(second),
                name(first),
                does(first),
                self.remedy(first, second, *posted)
            ),
            Meeting::Unread { rect, .. } => format!(
                "{who}overwrites {rect}, stored by {} at seq {} and never read",
                name(first),
                first.seq
            ),
        }
    }

    /// The wait that would order two accesses. The one that was executed first should come first, unless it read what was not
    /// there yet.
    fn remedy(&self, first: &Access, second: &Access, posted: Option<(Signal, u32)>) -> String {
        let early = !first.write
            && self
                .findings
                .at("uninit-read", first.agent.queue(), first.index);
        let (before, after) = if early {
            (second, first)
        } else {
            (first, second)
        };
        let waiter = format!("{}:{}", after.agent.queue().name(), after.index);
        let (poster, of) = (before.agent.queue().name(), before.index);
        if let Some((on, count)) = posted.filter(|_| !early) {
            return format!("{waiter} must wait for {}", threshold(on, count));
        }
        match self.next_post(before) {
            Some((index, on)) => {
                let now = self.state().sem(on.idx);
                // What was executed last has posted already.
                let done = early && index == of;
                let count = if done { now } else { now.saturating_add(1) };
                let on = threshold(on, count);
                format!("{waiter} must wait for {on}, which {poster}:{index} posts")
            }
            None => format!("{poster}:{of} must post a semaphore and {waiter} wait for it"),
        }
    }

    /// The first bundle that posts something when an access is done, in a straight line.
    fn next_post(&self, access: &Access) -> Option<(u64, Signal)> {
        let queue = access.agent.queue();
        let code = self.machine.code();
        let (len, tables) = (code.len(queue), &code.tables);
        let ahead = access.index..len.min(access.index.saturating_add(LOOK_AHEAD));
        ahead.into_iter().find_map(|index| {
            let instr = self.machine.instr(queue, index)?;
            let whole = access.write || index > access.index;
            let on = raises(&instr, access.agent.is_transfer(), whole, tables)?;
            Some((index, on))
        })
    }

    /// Places of the program that hold no written byte at its end.
    fn never_filled(&self, seq: u64) -> Vec<Finding> {
        let empty = |p: &&super::NamedPlace| {
            let rect = p.place.rect();
            p.place.bytes() > 0 && self.state().unwritten(&rect) == p.place.bytes()
        };
        let at = self.mark().position.checked_sub(1);
        let last = at.and_then(|at| self.machine.journal().record(at));
        let (queue, index) = last.map_or((Queue::Any, 0), |r| {
            let queue = Queue::from_index(r.head.agent.into());
            (queue.unwrap_or(Queue::Any), r.head.index)
        });
        let of = |p: &super::NamedPlace| Finding {
            rule: "place-unwritten",
            // Only the outside can make use of device memory.
            severity: match p.place.space {
                Space::Dram => Severity::Warn,
                _ => Severity::Info,
            },
            queue,
            index,
            seq,
            other: None,
            message: format!("{} ({}) was never written", p.name, p.place),
        };
        self.places.iter().filter(empty).map(of).collect()
    }
}

/// The wait for a count, or for an event.
fn threshold(on: Signal, count: u32) -> String {
    match on.event {
        true => format!("{on}==1"),
        false => format!("{on}>={count}"),
    }
}
