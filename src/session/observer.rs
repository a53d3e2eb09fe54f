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
use crate::sim::{Finding, Machine};

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
}

impl Observer {
    /// At the present point of a machine.
    pub fn new(machine: &Machine, watch: Watchfulness) -> Observer {
        let order = Order::new(machine.journal().position(), machine.queues(), watch.races);
        Observer {
            watch,
            saved: BTreeMap::from([(order.position(), order.clone())]),
            order,
        }
    }

    /// Looks at the records up to the present point, those that it has not seen.
    fn follow(&mut self, machine: &Machine) -> Vec<Meeting> {
        let mut found = Vec::new();
        let journal = machine.journal();
        while self.order.position() < journal.position() {
            if !self.order.follow(journal, &mut found) {
                // The record was too large for the journal. What came before it counts as ordered.
                self.order = Order::new(journal.position(), machine.queues(), self.watch.races);
            }
        }
        found
    }

    /// Goes back to a position of the journal, which is the present one.
    fn rewind(&mut self, machine: &Machine) {
        let position = machine.journal().position();
        self.saved.split_off(&(position + 1));
        if self.order.position() <= position {
            return;
        }
        let near = self.saved.values().next_back();
        let near = near.filter(|o| o.position() >= machine.journal().oldest());
        self.order = match near {
            Some(order) => order.clone(),
            None => Order::new(position, machine.queues(), self.watch.races),
        };
        self.follow(machine);
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
        let met = self.observer.follow(&self.machine);
        if self.findings.knows(seq) {
            return;
        }
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
        if self.observer.watch.findings {
            self.observer.rewind(&self.machine);
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
    if on.event {
        format!("$E[{}]==1", on.idx)
    } else {
        format!("$S[{}]>={count}", on.idx)
    }
}
