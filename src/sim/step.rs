//! The step.
//!
//! Life of a step: transfers whose time has come finish, the scheduler picks a stream whose head
//! may start, its waits are consumed, it executes, its updates fire, its program counter moves. The
//! bundle is one journal record, every finished transfer another; a fault takes its record back.
//! Afterwards transfers finish again, so that a state between two steps is always a settled one.

use super::code::Gate;
use super::exec::{Cx, Fired, Moment, Transfer, frame, landing};
use super::fault::{Fault, Finding, Trap};
use super::machine::{Machine, flag};
use super::ready::Ready;
use super::sched::{self, Policy, slot};
use super::settings::Id;
use super::sync::{Act, Sync};
use super::timing;
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
        if let Stepped::Retired { queue, index, done } = stepped {
            self.find_races(queue, index, done);
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
            trace: self.trace,
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
            trace: self.trace,
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
        if matches!(head.gate, Gate::Drain) {
            cx.sync(Sync::Drain);
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
                other: None,
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
        let streams = joined.iter().fold(0, |m, (q, _)| m | 1 << agent(q));
        self.sync(Sync::Join {
            streams,
            drained: returns,
        });
        if returns
            && joined
                .iter()
                .filter_map(|(q, _)| frame(self.state(), agent(q)))
                .any(|f| f.resets)
        {
            for sem in 0..=255 {
                if self.state().sem(sem) != 0 {
                    self.post(sem, 0, Act::Set(0));
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
