//! The step.
//!
//! Life of a step: transfers whose time has come finish, the scheduler picks a stream whose head
//! may start, its waits are consumed, it executes, its updates fire, its program counter moves. The
//! bundle is one journal record, every finished transfer another; a fault takes its record back.
//! Afterwards transfers finish again, so that a state between two steps is always a settled one.

use super::code::Gate;
use super::exec::{Cx, Fired, Moment, Transfer, frame, landing, own_transfers};
use super::fault::{Fault, Finding, Trap};
use super::machine::{Machine, flag};
use super::sched::{self, Policy, slot};
use super::settings::Id;
use super::timing;
use super::waits::waits;
use super::{Blocked, NOTE_SCHEDULED, NOTE_SETTINGS};
use super::{StepDone, StepHead, StepKind, Writer};
use crate::isa::access::operands;
use crate::isa::field::Role;
use crate::isa::{self, Engine, Instr, Queue, Severity};

/// What became of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum Stepped {
    /// A bundle retired.
    Retired {
        /// Stream.
        queue: Queue,
        /// Its index.
        index: u64,
        /// Where the journal has it; records of finished transfers may follow.
        done: StepDone,
    },
    /// The stream that was asked for cannot start.
    Blocked(Blocked),
    /// No stream can start, not all have exited.
    Deadlock(Vec<Blocked>),
    /// The bundle cannot be executed; nothing of it took effect.
    Fault(Fault),
    /// All streams (or the one asked for) have exited.
    Exited,
    /// The interrupt flag was raised inside a bundle or transfer; nothing of it took effect.
    Interrupted,
}

/// A head that may start.
#[derive(Clone, Copy)]
struct Ready {
    queue: Queue,
    index: u64,
    /// Its place in the cache; `None` when its file cannot be read any more.
    head: Option<usize>,
    /// The earliest time it may start.
    start: u64,
}

impl Machine {
    /// Executes one bundle: of `only`, or of the stream the scheduler chooses.
    pub fn step(&mut self, only: Option<Queue>) -> Stepped {
        self.report.findings.clear();
        self.report.log.clear();
        if self.settle().is_err() {
            return Stepped::Interrupted;
        }
        let ready = match only {
            Some(q) if self.exited(q) => return Stepped::Exited,
            Some(q) => self.ready(q),
            None => self.choose(),
        };
        let Some(ready) = ready else {
            return self.stuck(only);
        };
        let stepped = self.execute(ready, only.is_none());
        if matches!(stepped, Stepped::Retired { .. }) {
            // An interrupt leaves the rest to the next step.
            let _unsettled = self.settle();
            self.check_end(ready);
        }
        stepped
    }

    fn stuck(&self, only: Option<Queue>) -> Stepped {
        let blocked = |q| self.blocked(q);
        match only {
            Some(q) => blocked(q).map_or(Stepped::Exited, Stepped::Blocked),
            None => {
                let all: Vec<Blocked> = self.queues().filter_map(blocked).collect();
                if all.is_empty() {
                    Stepped::Exited
                } else {
                    Stepped::Deadlock(all)
                }
            }
        }
    }

    /// The present time under the counting policies: bundles retired and idle steps.
    fn now(&self) -> u64 {
        let idle = self.state.sched(slot::IDLE);
        self.journal.seq().saturating_add(idle)
    }

    /// The head of a queue, if it may start.
    fn ready(&mut self, queue: Queue) -> Option<Ready> {
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
    fn earliest(&self, queue: Queue, engine: Engine, gate: Gate, since: u64) -> u64 {
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

    fn choose(&mut self) -> Option<Ready> {
        let order = sched::order(&self.state, self.policy);
        if self.policy == Policy::Timed {
            let all = order.map(|q| self.ready(q));
            return all.into_iter().flatten().min_by_key(|r| r.start);
        }
        order.into_iter().find_map(|q| self.ready(q))
    }

    /// Does the head take part in a join that has not been released?
    fn joins(&self, queue: Queue, gate: Gate) -> bool {
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

    /// Transfers that must finish before the head may start.
    pub(super) fn transfers_ahead(&self, queue: Queue, gate: Gate) -> u32 {
        let all = self.state.sched(slot::IN_FLIGHT) as u32;
        match gate {
            _ if all == 0 => 0,
            Gate::Drain => own_transfers(&self.state, queue),
            Gate::Return if self.joins(queue, gate) => own_transfers(&self.state, queue),
            Gate::Transfer if all >= Transfer::SLOTS => all,
            _ => 0,
        }
    }

    /// Finishes the transfers whose time has come. When no stream can start, time advances to the
    /// next one (decisions 1.2, dma.delay). Every step does this; it is needed after an edit only.
    ///
    /// # Errors
    /// The interrupt flag was raised; what is left finishes with the next step.
    pub fn settle(&mut self) -> Result<(), Trap> {
        while let Some((at, next)) = landing(&self.state) {
            let horizon = self.choose().map(|r| r.start);
            if horizon.is_some_and(|h| h < next.due) {
                break;
            }
            self.land(at, &next)?;
        }
        Ok(())
    }

    fn land(&mut self, at: u32, transfer: &Transfer) -> Result<(), Trap> {
        let now = self.now();
        let (queue, index) = (transfer.queue, transfer.index);
        let bundle = self.bundle(queue, index).unwrap_or_default();
        let instr = isa::decode(&bundle, self.generation);
        let seq = self.journal.seq();
        let timed = self.policy == Policy::Timed;
        let head = StepHead {
            kind: StepKind::Transfer,
            agent: queue.index() as u8,
            index,
        };
        let mut writer = Writer::begin(&mut self.state, &mut self.journal, head);
        if timed {
            writer.set_sched(slot::LANDED + head.agent, transfer.due);
        } else if transfer.due > now {
            let idle = writer.state().sched(slot::IDLE);
            writer.set_sched(slot::IDLE, idle.saturating_add(transfer.due - now));
        }
        let time = Moment {
            start: transfer.due,
            done: timed.then_some(transfer.due),
        };
        let mut cx = Cx {
            instr: &instr,
            engine: queue.engine().unwrap_or(Engine::Sp),
            queue,
            index,
            next: index,
            exits: false,
            code: &self.code,
            time,
            settings: &self.settings,
            fired: Fired::All,
            rules: self.rules,
            writer: &mut writer,
            report: &mut self.report,
            scratch: &mut self.scratch,
            interrupt: &self.interrupt,
            seq,
        };
        transfer.land(&mut cx, at)?;
        cx.log(format!("{queue}:{index} transfer finished"));
        writer.commit();
        Ok(())
    }

    fn execute(&mut self, ready: Ready, scheduled: bool) -> Stepped {
        let Ready { queue, index, .. } = ready;
        let reported = (self.report.findings.len(), self.report.log.len());
        let Some((at, head)) = ready.head.and_then(|at| Some((at, self.code.head(at)?))) else {
            let t = Trap::new("fetch", "the bundle can no longer be read from its file");
            return fault(queue, Engine::Sp, index, t);
        };
        let engine = head.engine;
        let mut result = self.attempt(ready, at, scheduled, None);
        if let Err(t) = &result {
            self.report.findings.truncate(reported.0);
            self.report.log.truncate(reported.1);
            if t.rule == "not-modelled" && self.settings.is(Id::Unmodelled, 1) {
                let why = t.message.clone();
                result = self.attempt(ready, at, scheduled, Some(&why));
            }
        }
        match result {
            Ok(done) => Stepped::Retired { queue, index, done },
            Err(t) if t.rule == "interrupt" => Stepped::Interrupted,
            Err(t) => fault(queue, engine, index, t),
        }
    }

    /// One atomic step: waits, READ update, execution, COMPLETE update, program counter. With
    /// `skip` the bundle is passed over for that reason (decisions §3).
    fn attempt(
        &mut self,
        ready: Ready,
        at: usize,
        scheduled: bool,
        skip: Option<&str>,
    ) -> Result<StepDone, Trap> {
        let Some(head) = self.code.head(at) else {
            return Err(Trap::new("fetch", "the bundle was lost"));
        };
        if let Some(t) = &head.trap {
            return Err(t.clone());
        }
        let Ready { queue, index, .. } = ready;
        let agent = queue.index() as u8;
        let joined = if self.joins(queue, head.gate) {
            self.joined(head.gate)
        } else {
            Vec::new()
        };
        let passed = self.released(queue) && matches!(head.gate, Gate::Join | Gate::Return);
        let seq = self.journal.seq();
        let busy = match self.policy {
            Policy::Timed => timing::busy(&head.instr, head.engine),
            _ => 0,
        };
        let time = self.moment(ready.start, busy, head.engine);
        let step = StepHead {
            kind: StepKind::Retire,
            agent,
            index,
        };
        let mut writer = Writer::begin(&mut self.state, &mut self.journal, step);
        if scheduled {
            sched::advance(&mut writer, self.policy, queue);
            writer.note(NOTE_SCHEDULED);
        }
        if self.altered {
            writer.note(NOTE_SETTINGS);
        }
        let mut cx = Cx {
            instr: &head.instr,
            engine: head.engine,
            queue,
            index,
            next: index + 1,
            exits: false,
            code: &self.code,
            time,
            settings: &self.settings,
            fired: if passed { Fired::All } else { Fired::Nothing },
            rules: self.rules,
            writer: &mut writer,
            report: &mut self.report,
            scratch: &mut self.scratch,
            interrupt: &self.interrupt,
            seq,
        };
        for v in &head.warnings {
            cx.finding(v.severity, v.rule, v.message.clone());
        }
        if head.waits {
            cx.consume_waits();
        }
        if !joined.is_empty() {
            cx.release(&joined);
        }
        if !reads_semaphores(head.instr.bundle.opcode()) {
            cx.reads_done();
        }
        match (skip, head.run) {
            (Some(why), _) => cx.skip(why),
            (None, Ok(run)) => run(&mut cx)?,
            (None, Err(why)) => {
                return Err(Trap::not_modelled(format!("{}: {why}", head.instr.name())));
            }
        }
        cx.complete();
        let (next, exits) = (cx.next, cx.exits);
        writer.set_pc(agent, next);
        let flags = writer.state().flags(agent);
        let then = flags & !flag::RELEASED | if exits { flag::EXITED } else { 0 };
        if then != flags {
            writer.set_flags(agent, then);
        }
        if self.policy == Policy::Timed {
            writer.set_sched(slot::CLOCK + agent, time.start.saturating_add(busy));
        }
        Ok(writer.commit())
    }

    fn moment(&self, start: u64, busy: u64, engine: Engine) -> Moment {
        let lasts = || busy.saturating_add(timing::drain(engine, self.generation));
        Moment {
            start,
            done: (self.policy == Policy::Timed).then(|| start.saturating_add(lasts())),
        }
    }

    /// The streams at a join and their heads, in the order in which their updates apply.
    fn joined(&self, gate: Gate) -> Vec<(Queue, Instr)> {
        let opcode = if gate == Gate::Join { 0xD5 } else { 0xD2 };
        let heads = self.queues().filter(|q| !self.exited(*q));
        heads
            .filter_map(|q| Some((q, self.instr(q, self.pc(q))?)))
            .filter(|(_, i)| i.bundle.opcode() == opcode)
            .collect()
    }

    /// At the end of the program no event may be left set (isa 08 §2).
    fn check_end(&mut self, last: Ready) {
        if !self.exited(last.queue) || self.queues().any(|q| !self.exited(q)) {
            return;
        }
        let set: Vec<String> = (0..=255)
            .filter(|e| self.state.event(*e))
            .map(|e| e.to_string())
            .collect();
        if !set.is_empty() {
            self.report.findings.push(Finding {
                rule: "event-left-set",
                severity: Severity::Warn,
                queue: last.queue,
                index: last.index,
                seq: self.journal.seq().saturating_sub(1),
                message: format!(
                    "events {} are set at the end of the program",
                    set.join(", ")
                ),
            });
        }
    }
}

fn fault(queue: Queue, engine: Engine, index: u64, t: Trap) -> Stepped {
    Stepped::Fault(Fault {
        rule: t.rule,
        queue,
        engine,
        index,
        operand: t.operand,
        message: t.message,
    })
}

/// These read semaphores as data and say themselves when they are done with it.
const fn reads_semaphores(opcode: u8) -> bool {
    matches!(opcode, 0xAA | 0xB3 | 0xB4)
}

impl Cx<'_, '_> {
    /// Passes over a bundle without known meaning: no effect, a finding, and destinations that are
    /// uninitialised from now on (decisions §3).
    fn skip(&mut self, why: &str) {
        self.finding(Severity::Warn, "skipped", format!("skipped: {why}"));
        let written = operands(self.instr).filter(|op| op.role == Role::Write);
        for op in written {
            let Ok(walk) = self.resolver().resolve(&op) else {
                continue;
            };
            for runs in walk.plan().runs {
                // The resolver has checked the bounds.
                let _outside = self.writer.forget(&runs);
            }
        }
    }

    /// Releases every stream at a join: updates apply once, in engine order (isa 08 §9). A return
    /// zeroes the semaphores first where a function's record says so (isa 08 §10).
    fn release(&mut self, joined: &[(Queue, Instr)]) {
        let agent = |q: &Queue| q.index() as u8;
        let returns = self.instr.bundle.opcode() == 0xD2;
        if returns
            && joined
                .iter()
                .filter_map(|(q, _)| frame(self.state(), agent(q)))
                .any(|f| f.resets)
        {
            for sem in 0..=255 {
                if self.state().sem(sem) != 0 {
                    self.post(sem, 0);
                }
            }
        }
        for (queue, instr) in joined {
            let e = instr.events();
            if let Some(action) = e.update.action() {
                let operand = if e.update.from_register() {
                    self.state().reg(agent(queue), e.value as u8)
                } else {
                    e.value
                };
                self.act(action, e.update_idx, operand);
            }
            if *queue != self.queue {
                let flags = self.state().flags(agent(queue)) | flag::RELEASED;
                self.writer.set_flags(agent(queue), flags);
                if self.time.done.is_some() {
                    self.writer
                        .set_sched(slot::CLOCK + agent(queue), self.time.start);
                }
            }
        }
        self.fired = Fired::All;
        for (queue, instr) in joined.iter().filter(|_| !returns) {
            let e = instr.events();
            let count = self.state().sem(e.wait_idx);
            if e.wait.uses_value() && !e.wait.from_register() && !e.wait.holds(count, e.value) {
                let m = format!("{queue}: $S[{}] is {count} after the barrier", e.wait_idx);
                self.finding(Severity::Warn, "barrier-wait", m);
            }
        }
    }
}

#[cfg(test)]
mod tests;
