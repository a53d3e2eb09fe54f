//! The machine: streams, state, journal, and the step.
//!
//! Life of a step: the scheduler picks a stream whose head may start, the bundle is decoded and
//! checked (both cached), its waits are consumed, it executes, its updates fire, its program
//! counter moves. All of that is one journal record; a fault takes everything back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::isa::{
    self, Bundle, Engine, Engines, Exec, Generation, Instr, Queue, Severity, Violation,
};
use crate::sim::exec::{Cx, EXEC, Report, Scratch};
use crate::sim::fault::{Fault, Trap};
use crate::sim::sched::Policy;
use crate::sim::settings::{Id, Settings};
use crate::sim::waits::{Wait, waits};
use crate::sim::{Geometry, Journal, Reset, State, StepDone, StepHead, StepKind, Writer};

/// A source of bundles: a file, a buffer, an assembler's output.
pub trait Bundles: Send + Sync {
    /// Number of bundles.
    fn len(&self) -> u64;
    /// Bundle at an index; `None` past the end or when it cannot be read any more.
    fn bundle(&self, index: u64) -> Option<Bundle>;
    /// True when there is no bundle.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Bundles for Vec<Bundle> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }
    fn bundle(&self, index: u64) -> Option<Bundle> {
        self.get(usize::try_from(index).ok()?).copied()
    }
}

/// An instruction stream as the machine fetches it.
#[derive(Clone)]
pub struct Stream {
    /// Its bundles.
    pub bundles: Arc<dyn Bundles>,
    /// Immediate branch targets are byte displacements, not indices (isa 08 §6.3).
    pub branch_bytes: bool,
}

/// Condition bits of a stream.
pub mod flag {
    /// The stream has exited (HALT, 0xDF, or its end).
    pub const EXITED: u8 = 1;
    /// Passed the barrier it stands at: its updates were applied at the release.
    pub const RELEASED: u8 = 2;
}

/// Why the head of a stream cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The stream.
    pub queue: Queue,
    /// Its head.
    pub index: u64,
    /// Waits that do not hold.
    pub waits: Vec<Wait>,
    /// At an all-engine barrier: streams that have not arrived.
    pub barrier: Vec<Queue>,
}

/// What became of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum Stepped {
    /// A bundle retired.
    Retired {
        /// Stream.
        queue: Queue,
        /// Its index.
        index: u64,
        /// Where the journal has it.
        done: StepDone,
    },
    /// The stream that was asked for cannot start.
    Blocked(Blocked),
    /// No stream can start, not all have exited.
    Deadlock(Vec<Blocked>),
    /// The bundle cannot be executed; nothing changed.
    Fault(Fault),
    /// All streams (or the one asked for) have exited.
    Exited,
    /// The interrupt flag was raised inside a bundle; nothing changed.
    Interrupted,
}

/// A decoded head with what its execution needs.
#[derive(Clone)]
struct Prepared {
    key: (u8, u64),
    bundle: Bundle,
    instr: Instr,
    engine: Engine,
    trap: Option<Trap>,
    warnings: Vec<Violation>,
}

/// Decoded heads kept; a power of two.
const CACHE: usize = 4096;

/// One core with its program.
pub struct Machine {
    generation: Generation,
    settings: Settings,
    policy: Policy,
    streams: [Option<Stream>; Queue::COUNT],
    state: State,
    journal: Journal,
    cache: Vec<Option<Box<Prepared>>>,
    scratch: Scratch,
    report: Report,
    interrupt: Arc<AtomicBool>,
}

impl Machine {
    /// A core after reset, without program.
    pub fn new(generation: Generation, settings: Settings, policy: Policy) -> Machine {
        let geometry = Geometry {
            sbuf_bytes: generation.info().sbuf_bytes,
            psum_bytes: isa::generation::PSUM_BYTES,
            dram_bytes: generation.info().dram_bytes,
        };
        let reset = Reset {
            memory: if settings.is(Id::InitMemory, 0) {
                0xFF
            } else {
                0
            },
            registers: if settings.is(Id::InitRegisters, 0) {
                u32::MAX
            } else {
                0
            },
        };
        let mut state = State::new(geometry, reset);
        crate::sim::sched::seed(&mut state, policy);
        Machine {
            generation,
            settings,
            policy,
            streams: Default::default(),
            state,
            journal: Journal::default(),
            cache: vec![None; CACHE],
            scratch: Scratch::default(),
            report: Report::default(),
            interrupt: Arc::default(),
        }
    }

    /// Gives a queue its stream.
    pub fn load(&mut self, queue: Queue, stream: Stream) {
        if let Some(slot) = self.streams.get_mut(queue.index()) {
            *slot = Some(stream);
        }
        self.cache.fill(None);
    }

    /// The generation.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Replaces the settings; those that act at load time do so at the next restart.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
        self.cache.fill(None);
    }

    /// Scheduling policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The log of steps.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The log, to set its budget.
    pub fn journal_mut(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// Raised from anywhere to stop inside a long bundle.
    pub fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    /// Shares an interrupt flag with the front end.
    pub fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }

    /// The stream of a queue.
    pub fn stream(&self, queue: Queue) -> Option<&Stream> {
        self.streams.get(queue.index()).and_then(Option::as_ref)
    }

    /// Queues that have a stream, in scheduling order.
    pub fn queues(&self) -> impl Iterator<Item = Queue> + '_ {
        Queue::ALL.into_iter().filter(|q| self.stream(*q).is_some())
    }

    /// Index of the next bundle of a queue.
    pub fn pc(&self, queue: Queue) -> u64 {
        self.state.pc(queue.index() as u8)
    }

    /// Has the queue no bundle left to execute? Its end is an implicit exit (decisions 1.1).
    pub fn exited(&self, queue: Queue) -> bool {
        match self.stream(queue) {
            Some(s) => {
                self.state.flags(queue.index() as u8) & flag::EXITED != 0
                    || self.pc(queue) >= s.bundles.len()
            }
            None => true,
        }
    }

    /// The bundle at a place of the program, patches included.
    pub fn bundle(&self, queue: Queue, index: u64) -> Option<Bundle> {
        let stream = self.stream(queue)?;
        match self.state.patch(queue.index() as u8, index) {
            Some(bytes) => Some(Bundle::new(*bytes)),
            None => stream.bundles.bundle(index),
        }
    }

    /// The bundle at a place, decoded.
    pub fn instr(&self, queue: Queue, index: u64) -> Option<Instr> {
        self.bundle(queue, index)
            .map(|b| isa::decode(&b, self.generation))
    }

    /// What the last step reported.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Why the head of a queue cannot start; `None` when it can, or has exited.
    pub fn blocked(&self, queue: Queue) -> Option<Blocked> {
        if self.exited(queue) {
            return None;
        }
        let index = self.pc(queue);
        let instr = self.instr(queue, index)?;
        let b = Blocked {
            queue,
            index,
            waits: waits(&instr, &self.state, queue)
                .filter(|w| !w.holds())
                .collect(),
            barrier: self.missing_at_barrier(queue, &instr),
        };
        (!b.waits.is_empty() || !b.barrier.is_empty()).then_some(b)
    }

    /// Streams that an all-engine barrier at the head of `queue` still waits for (isa 08 §9).
    fn missing_at_barrier(&self, queue: Queue, instr: &Instr) -> Vec<Queue> {
        let released = self.state.flags(queue.index() as u8) & flag::RELEASED != 0;
        if instr.bundle.opcode() != 0xD5 || released {
            return Vec::new();
        }
        self.queues()
            .filter(|q| !self.exited(*q))
            .filter(|q| {
                self.bundle(*q, self.pc(*q))
                    .is_none_or(|b| b.opcode() != 0xD5)
            })
            .collect()
    }

    /// Executes one bundle: of `only`, or of the stream the scheduler chooses.
    pub fn step(&mut self, only: Option<Queue>) -> Stepped {
        self.report.findings.clear();
        self.report.log.clear();
        let queue = match only {
            Some(q) if self.exited(q) => return Stepped::Exited,
            Some(q) => match self.blocked(q) {
                Some(b) => return Stepped::Blocked(b),
                None => q,
            },
            None => match self.choose() {
                Ok(q) => q,
                Err(stop) => return stop,
            },
        };
        self.execute(queue, only.is_none())
    }

    fn choose(&self) -> Result<Queue, Stepped> {
        let mut blocked = Vec::new();
        let order = crate::sim::sched::order(&self.state, self.policy);
        for q in order.into_iter().filter(|q| !self.exited(*q)) {
            match self.blocked(q) {
                None => return Ok(q),
                Some(b) => blocked.push(b),
            }
        }
        blocked.sort_by_key(|b: &Blocked| b.queue);
        Err(if blocked.is_empty() {
            Stepped::Exited
        } else {
            Stepped::Deadlock(blocked)
        })
    }

    /// Decodes and checks a head, from the cache where it is unchanged.
    fn prepare(&mut self, queue: Queue, index: u64, bundle: Bundle) -> Box<Prepared> {
        let key = (queue.index() as u8, index);
        let at = (index as usize)
            .wrapping_mul(Queue::COUNT)
            .wrapping_add(queue.index())
            % CACHE;
        if let Some(slot) = self.cache.get_mut(at)
            && let Some(p) = slot.take()
            && p.key == key
            && p.bundle == bundle
        {
            return p;
        }
        let instr = isa::decode(&bundle, self.generation);
        let engine = queue.engine().unwrap_or_else(|| instr.home());
        let found = isa::check(&instr, Some(engine));
        let trap = found
            .iter()
            .find(|v| v.severity == Severity::Error)
            .map(Trap::from);
        Box::new(Prepared {
            key,
            bundle,
            instr,
            engine,
            trap,
            warnings: found,
        })
    }

    fn execute(&mut self, queue: Queue, scheduled: bool) -> Stepped {
        let index = self.pc(queue);
        let Some(bundle) = self.bundle(queue, index) else {
            let t = Trap::new("fetch", "the bundle can no longer be read from its file");
            return self.fault(queue, Engine::Sp, index, t);
        };
        let p = self.prepare(queue, index, bundle);
        let result = self.attempt(queue, index, &p, scheduled);
        let engine = p.engine;
        let at = (index as usize)
            .wrapping_mul(Queue::COUNT)
            .wrapping_add(queue.index())
            % CACHE;
        if let Some(slot) = self.cache.get_mut(at) {
            *slot = Some(p);
        }
        match result {
            Ok(done) => Stepped::Retired { queue, index, done },
            Err(t) if t.rule == "interrupt" => Stepped::Interrupted,
            Err(t) => self.fault(queue, engine, index, t),
        }
    }

    fn fault(&mut self, queue: Queue, engine: Engine, index: u64, t: Trap) -> Stepped {
        self.report.findings.clear();
        Stepped::Fault(Fault {
            rule: t.rule,
            queue,
            engine,
            index,
            operand: t.operand,
            message: t.message,
        })
    }

    /// One atomic step: waits, reads, READ update, writes, COMPLETE update, program counter.
    fn attempt(
        &mut self,
        queue: Queue,
        index: u64,
        p: &Prepared,
        scheduled: bool,
    ) -> Result<StepDone, Trap> {
        if let Some(t) = &p.trap {
            return Err(t.clone());
        }
        let agent = queue.index() as u8;
        let (stream_len, branch_bytes) = self
            .stream(queue)
            .map_or((0, false), |s| (s.bundles.len(), s.branch_bytes));
        let seq = self.journal.seq();
        let release = self.barrier_release(queue, &p.instr);
        let head = StepHead {
            kind: StepKind::Retire,
            agent,
            index,
        };
        let mut writer = Writer::begin(&mut self.state, &mut self.journal, head);
        if scheduled {
            crate::sim::sched::advance(&mut writer, self.policy, queue);
        }
        let mut cx = Cx {
            instr: &p.instr,
            engine: p.engine,
            queue,
            index,
            next: index + 1,
            exits: false,
            stream_len,
            branch_bytes,
            settings: &self.settings,
            rules: self.settings.rules(),
            writer: &mut writer,
            report: &mut self.report,
            scratch: &mut self.scratch,
            interrupt: &self.interrupt,
            seq,
        };
        for v in &p.warnings {
            cx.finding(v.severity, v.rule, v.message.clone());
        }
        cx.consume_waits();
        run(&mut cx)?;
        if let Some(joined) = release {
            cx.release(&joined);
        } else if p.instr.bundle.opcode() != 0xD5 {
            cx.apply_updates(false);
            cx.apply_updates(true);
        }
        let (next, exits) = (cx.next, cx.exits);
        writer.set_pc(agent, next);
        let flags = writer.state().flags(agent) & !flag::RELEASED;
        let flags = flags | if exits { flag::EXITED } else { 0 };
        if flags != writer.state().flags(agent) {
            writer.set_flags(agent, flags);
        }
        if self.settings.altered() {
            writer.note(crate::sim::NOTE_SETTINGS);
        }
        Ok(writer.commit())
    }

    /// The bundles released with this one when it completes an all-engine barrier, in the order
    /// in which their updates apply (isa 08 §9).
    fn barrier_release(&self, queue: Queue, instr: &Instr) -> Option<Vec<(Queue, Instr)>> {
        let released = self.state.flags(queue.index() as u8) & flag::RELEASED != 0;
        if instr.bundle.opcode() != 0xD5 || released {
            return None;
        }
        let heads = self.queues().filter(|q| !self.exited(*q));
        Some(
            heads
                .filter_map(|q| Some((q, self.instr(q, self.pc(q))?)))
                .collect(),
        )
    }

    /// Makes an undoable change on behalf of the user.
    pub fn edit<R>(&mut self, change: impl FnOnce(&mut Writer<'_>) -> R) -> R {
        let head = StepHead {
            kind: StepKind::Edit,
            agent: 0,
            index: 0,
        };
        let mut writer = Writer::begin(&mut self.state, &mut self.journal, head);
        let r = change(&mut writer);
        writer.commit();
        r
    }

    /// Takes back one record; `None` when the log reaches no further.
    pub fn undo(&mut self) -> Option<crate::sim::Record> {
        self.journal.undo_one(&mut self.state)
    }

    /// Makes the next record again; `None` at the end of the log.
    pub fn redo(&mut self) -> Option<crate::sim::Record> {
        self.journal.redo_one(&mut self.state)
    }
}

/// Dispatches to the function of the opcode; what has none is not modelled (decisions.md §3).
fn run(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let why = match cx.instr.op {
        Some(op) if matches!(op.engines, Engines::Nobody) => {
            return Err(Trap::new(
                "bad-opcode",
                format!("{} has no engine", op.name),
            ));
        }
        Some(op) => match op.exec {
            Exec::Modelled => "no function is registered",
            Exec::Unmodelled(why) => why,
        },
        None => {
            let m = format!(
                "opcode {:#04x} is defined on no generation",
                cx.instr.bundle.opcode()
            );
            return Err(Trap::new("bad-opcode", m));
        }
    };
    let byte = usize::from(cx.instr.bundle.opcode());
    match EXEC.get(byte).copied().flatten() {
        Some(f) => f(cx),
        None => skip(cx, why),
    }
}

/// A bundle without known meaning: a fault, or with `unmodelled skip` a no-op that is reported and
/// leaves its destinations uninitialised.
fn skip(cx: &mut Cx<'_, '_>, why: &'static str) -> Result<(), Trap> {
    if cx.settings.is(Id::Unmodelled, 0) {
        return Err(Trap::not_modelled(format!("{}: {why}", cx.instr.name())));
    }
    let m = format!("{} skipped: {why}", cx.instr.name());
    cx.finding(Severity::Warn, "skipped", m);
    Ok(())
}

impl Cx<'_, '_> {
    /// Releases every stream at an all-engine barrier: updates apply once, in engine order.
    fn release(&mut self, joined: &[(Queue, Instr)]) {
        let own = (self.instr, self.queue);
        for (queue, instr) in joined {
            let e = instr.events();
            if let Some(action) = e.update.action() {
                let operand = if e.update.from_register() {
                    self.state().reg(queue.index() as u8, e.value as u8)
                } else {
                    e.value
                };
                self.act(action, e.update_idx, operand);
            }
            if *queue != own.1 {
                let agent = queue.index() as u8;
                let flags = self.state().flags(agent) | flag::RELEASED;
                self.writer.set_flags(agent, flags);
            }
        }
        for (queue, instr) in joined {
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
mod tests {
    use super::*;
    use crate::isa::Space;
    use crate::sim::Rect;

    fn machine(bundles: &[&str]) -> Machine {
        let mut m = Machine::new(Generation::V3, Settings::default(), Policy::default());
        let all: Vec<Bundle> = bundles
            .iter()
            .map(|h| Bundle::from_hex(h).unwrap())
            .collect();
        let stream = Stream {
            bundles: Arc::new(all),
            branch_bytes: false,
        };
        m.load(Queue::Any, stream);
        m
    }

    /// isa 01 §6: the full TENSOR_TENSOR add.
    const ADD: &str = "41100000 00000000 00000000 aa0a0480 00000000 01000100 01004000 01000100
        00100000 01000100 01004000 01000100 00200000 01000100 01004000 01000100";

    #[test]
    fn adds_and_steps_back() {
        let mut m = machine(&[ADD]);
        let a: Vec<u8> = (0..64u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
        m.edit(|w| {
            for off in [0, 0x1000] {
                let rect = Rect::new(Space::Sbuf, 0, 128, off, 256);
                w.store_rows(&rect, |_| a.as_slice()).unwrap();
            }
        });
        let before = m.state().digest();
        assert!(matches!(m.step(None), Stepped::Retired { .. }));
        assert!(m.report().findings.is_empty(), "{:?}", m.report());
        let out = m.state().bytes(Space::Sbuf, 127, 0x2000, 256).unwrap();
        for (i, e) in out.chunks_exact(4).enumerate() {
            assert_eq!(f32::from_le_bytes(e.try_into().unwrap()), 2.0 * i as f32);
        }
        let after = m.state().digest();
        assert_eq!(m.step(None), Stepped::Exited);
        m.undo().unwrap();
        assert_eq!(m.state().digest(), before);
        m.redo().unwrap();
        assert_eq!(m.state().digest(), after);
    }

    #[test]
    fn deadlock_names_the_wait() {
        let wait = format!("a41000000507{}", "00".repeat(2)) + "04000000" + &"00".repeat(52);
        let mut m = machine(&[&wait]);
        let Stepped::Deadlock(blocked) = m.step(None) else {
            panic!("not a deadlock")
        };
        assert_eq!(blocked[0].waits[0].to_string(), "$S[7]>=4 (is 0)");
    }
}
