//! The machine: one core with its program, settings and log.
//!
//! How a bundle executes is in `sim::step`, what is fetched in `sim::code`, why a stream waits in
//! `sim::blocked`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::code::{Code, Stream};
use super::exec::{Report, Scratch};
use super::race::Flight;
use super::sched::{self, Policy};
use super::settings::{Id, Settings};
use super::tables::Tables;
use crate::isa::{self, Bundle, Generation, Instr, Queue};
use crate::num::Rules;
use crate::sim::{Checkpoint, Geometry, Journal, Record, Reset, State};
use crate::sim::{StepDone, StepHead, StepKind, Writer};

/// Condition bits of a stream.
pub mod flag {
    /// The stream has exited (HALT, 0xDF, or a return outside a function).
    pub const EXITED: u8 = 1;
    /// Passed the barrier it stands at: its updates were applied at the release.
    pub const RELEASED: u8 = 2;
}

/// One core with its program.
pub struct Machine {
    pub(super) generation: Generation,
    pub(super) settings: Settings,
    pub(super) rules: Rules,
    /// [`Settings::altered`], asked at every step.
    pub(super) altered: bool,
    pub(super) policy: Policy,
    pub(super) code: Code,
    pub(super) state: State,
    pub(super) journal: Journal,
    pub(super) scratch: Scratch,
    pub(super) report: Report,
    pub(super) interrupt: Arc<AtomicBool>,
    /// Memory of the transfers in flight.
    pub(super) flights: Vec<Flight>,
    /// Steps record how they order themselves against others.
    pub(super) trace: bool,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine")
            .field("generation", &self.generation)
            .field("policy", &self.policy)
            .field("position", &self.journal.position())
            .finish_non_exhaustive()
    }
}

impl Machine {
    /// A core after reset, without program.
    pub fn new(generation: Generation, settings: Settings, policy: Policy) -> Machine {
        let geometry = Geometry {
            sbuf_bytes: generation.info().sbuf_bytes,
            psum_bytes: isa::generation::PSUM_BYTES,
            dram_bytes: generation.info().dram_bytes,
        };
        let ones = |id| settings.is(id, 0);
        let reset = Reset {
            memory: if ones(Id::InitMemory) { 0xFF } else { 0 },
            registers: if ones(Id::InitRegisters) { u32::MAX } else { 0 },
        };
        let mut state = State::new(geometry, reset);
        sched::seed(&mut state, policy);
        crate::sim::exec::seed(&mut state, settings.get(Id::RngSeed));
        Machine {
            generation,
            settings,
            rules: settings.rules(),
            altered: settings.altered(),
            policy,
            code: Code::new(generation, settings.checks()),
            state,
            journal: Journal::default(),
            scratch: Scratch::default(),
            report: Report::default(),
            interrupt: Arc::default(),
            flights: Vec::new(),
            trace: false,
        }
    }

    /// Gives a queue its stream. An open branch unit is settled by `branch.target` as it stands now.
    pub fn load(&mut self, queue: Queue, stream: Stream) {
        self.code.load(queue, stream, &self.settings);
    }

    /// Gives the program what its pseudo instructions name.
    pub fn set_tables(&mut self, tables: Tables) {
        self.code.tables = tables;
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
        self.rules = settings.rules();
        self.altered = settings.altered();
        self.code.set_checks(settings.checks());
    }

    /// Switches the record of waits and posts ([`crate::sim::sync`]); off at first.
    pub fn set_trace(&mut self, on: bool) {
        self.trace = on;
    }

    /// Scheduling policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The program.
    pub fn code(&self) -> &Code {
        &self.code
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
        self.code.stream(queue)
    }

    /// Queues that have a stream, in scheduling order.
    pub fn queues(&self) -> impl Iterator<Item = Queue> + '_ {
        Queue::ALL
            .into_iter()
            .filter(|q| self.code.stream(*q).is_some())
    }

    /// Index of the next bundle of a queue.
    pub fn pc(&self, queue: Queue) -> u64 {
        self.state.pc(queue.index() as u8)
    }

    /// Has the queue no bundle left to execute? Its end is an implicit exit (decisions 1.1).
    pub fn exited(&self, queue: Queue) -> bool {
        self.pc(queue) >= self.code.len(queue)
            || self.state.flags(queue.index() as u8) & flag::EXITED != 0
    }

    /// The bundle at a place of the program, patches included.
    pub fn bundle(&self, queue: Queue, index: u64) -> Option<Bundle> {
        self.code.bundle(&self.state, queue, index)
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

    /// Makes an undoable change on behalf of the user.
    pub fn edit<R>(&mut self, change: impl FnOnce(&mut Writer<'_>) -> R) -> R {
        self.edit_at(0, 0, change).0
    }

    fn edit_at<R>(
        &mut self,
        agent: u8,
        index: u64,
        change: impl FnOnce(&mut Writer<'_>) -> R,
    ) -> (R, StepDone) {
        let head = StepHead {
            kind: StepKind::Edit,
            agent,
            index,
        };
        let mut writer = Writer::begin(&mut self.state, &mut self.journal, head);
        let r = change(&mut writer);
        (r, writer.commit())
    }

    /// Steps over the head of a queue without executing it, faulted or blocked as it may be: an
    /// edit that names the bundle. `None` when the queue has exited.
    pub fn skip_head(&mut self, queue: Queue) -> Option<StepDone> {
        if self.exited(queue) {
            return None;
        }
        let (agent, index) = (queue.index() as u8, self.pc(queue));
        let (_, done) = self.edit_at(agent, index, |w| {
            w.set_pc(agent, index.saturating_add(1));
            let flags = w.state().flags(agent);
            if flags & flag::RELEASED != 0 {
                w.set_flags(agent, flags & !flag::RELEASED);
            }
        });
        Some(done)
    }

    /// Takes back one record; `None` when the log reaches no further.
    pub fn undo(&mut self) -> Option<Record> {
        self.journal.undo_one(&mut self.state)
    }

    /// Makes the next record again; `None` at the end of the log.
    pub fn redo(&mut self) -> Option<Record> {
        self.journal.redo_one(&mut self.state)
    }

    /// Begins at a state that was saved with `seq` bundles retired. `saved` is the policy it ran under: another one begins anew.
    pub fn start_from(&mut self, mut state: State, saved: Policy, seq: u64) {
        if saved != self.policy {
            sched::seed(&mut state, self.policy);
        }
        self.state = state;
        let position = self.journal.position();
        self.journal.rebase(position, seq);
    }

    /// Freezes the present state.
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.state.checkpoint()
    }

    /// Goes to a frozen state; `position` and `seq` are those of the log when it was made.
    pub fn restore(&mut self, from: &Checkpoint, position: u64, seq: u64) {
        self.state.restore(from);
        self.journal.rebase(position, seq);
    }
}
