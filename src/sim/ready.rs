//! Which heads may start, and which of them starts.

use super::code::Gate;
use super::exec::dma::descriptors;
use super::exec::{Transfer, frame, own_transfers};
use super::machine::Machine;
use super::sched::{self, Policy, slot};
use super::timing;
use super::waits::waits;
use crate::isa::{Engine, Queue};

/// A head that may start.
#[derive(Clone, Copy)]
pub(super) struct Ready {
    pub queue: Queue,
    pub index: u64,
    /// Its place in the cache; `None` when its file cannot be read any more.
    pub head: Option<usize>,
    /// The earliest time it may start.
    pub start: u64,
}

impl Machine {
    /// The present time under the counting policies: bundles retired and idle steps.
    pub(super) fn now(&self) -> u64 {
        let idle = self.state.sched(slot::IDLE);
        self.journal.seq().saturating_add(idle)
    }

    /// The head of a queue, if it may start.
    pub(super) fn ready(&mut self, queue: Queue) -> Option<Ready> {
        if self.exited(queue) {
            return None;
        }
        let index = self.pc(queue);
        let at = self.code.fetch(&self.state, queue, index);
        let mut ready = Ready {
            queue,
            index,
            head: at,
            start: self.now(),
        };
        let Some(head) = at.and_then(|at| self.code.head(at)) else {
            return Some(ready);
        };
        let gate = head.gate;
        let mut since = 0;
        if head.waits {
            for w in waits(&head.instr, &self.state, queue) {
                if !w.holds() {
                    return None;
                }
                since = since.max(w.since(&self.state));
            }
        }
        let open = gate == Gate::Open
            || (self.transfers_ahead(queue, gate) == 0
                && self.missing(queue, gate).next().is_none());
        if self.policy == Policy::Timed {
            ready.start = self.earliest(queue, head.engine, gate, since);
        }
        open.then_some(ready)
    }

    /// When a head whose waits hold since `since` can start under timed scheduling.
    pub(super) fn earliest(&self, queue: Queue, engine: Engine, gate: Gate, since: u64) -> u64 {
        let latency = match since {
            0 => 0,
            _ => timing::semaphore(engine, self.generation),
        };
        let own = sched::clock(&self.state, queue).max(since + latency);
        match gate {
            Gate::Drain => own.max(self.state.sched(slot::LANDED + queue.index() as u8)),
            Gate::Join | Gate::Return if self.joins(queue, gate) => self
                .queues()
                .filter(|q| !self.exited(*q))
                .map(|q| sched::clock(&self.state, q))
                .fold(own, u64::max),
            _ => own,
        }
    }

    /// The stream whose head the next scheduled step executes, in a settled state; `None` when no stream can start.
    pub fn peek(&self) -> Option<Queue> {
        let order = sched::order(&self.state, self.policy);
        let mut ready = order
            .into_iter()
            .filter(|q| !self.exited(*q) && self.blocked(*q).is_none());
        if self.policy != Policy::Timed {
            return ready.next();
        }
        ready.min_by_key(|q| {
            let instr = self.instr(*q, self.pc(*q))?;
            let engine = q.engine().unwrap_or_else(|| instr.home());
            let since = waits(&instr, &self.state, *q).map(|w| w.since(&self.state));
            let since = since.fold(0, u64::max);
            Some(self.earliest(*q, engine, super::code::gate(&instr.bundle), since))
        })
    }

    pub(super) fn choose(&mut self) -> Option<Ready> {
        let order = sched::order(&self.state, self.policy);
        if self.policy == Policy::Timed {
            let all = order.map(|q| self.ready(q));
            return all.into_iter().flatten().min_by_key(|r| r.start);
        }
        order.into_iter().find_map(|q| self.ready(q))
    }

    /// Does the head take part in a join that has not been released?
    pub(super) fn joins(&self, queue: Queue, gate: Gate) -> bool {
        match gate {
            Gate::Join => !self.released(queue),
            Gate::Return => {
                !self.released(queue) && frame(&self.state, queue.index() as u8).is_some()
            }
            _ => false,
        }
    }

    /// Streams that a join at the head of `queue` still waits for (isa 08 §9).
    pub(super) fn missing(&self, queue: Queue, gate: Gate) -> impl Iterator<Item = Queue> + '_ {
        let waits = self.joins(queue, gate);
        let opcode = if gate == Gate::Join { 0xD5 } else { 0xD2 };
        Queue::ALL.into_iter().filter(move |q| {
            waits
                && !self.exited(*q)
                && self
                    .bundle(*q, self.pc(*q))
                    .is_none_or(|b| b.opcode() != opcode)
        })
    }

    /// Transfers that must finish before those of the head have a slot each.
    fn slots_wanted(&self, queue: Queue, in_flight: u32) -> u32 {
        let head = self.bundle(queue, self.pc(queue));
        let wanted = head.map_or(0, |b| descriptors(&b, &self.code().tables));
        if wanted > Transfer::SLOTS {
            own_transfers(&self.state, queue)
        } else if in_flight + wanted > Transfer::SLOTS {
            in_flight
        } else {
            0
        }
    }

    /// Transfers that must finish before the head may start.
    pub(super) fn transfers_ahead(&self, queue: Queue, gate: Gate) -> u32 {
        let all = self.state.sched(slot::IN_FLIGHT) as u32;
        match gate {
            _ if all == 0 => 0,
            Gate::Drain => own_transfers(&self.state, queue),
            Gate::Return if self.joins(queue, gate) => own_transfers(&self.state, queue),
            Gate::Transfer => self.slots_wanted(queue, all),
            _ => 0,
        }
    }
}
