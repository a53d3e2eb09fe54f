//! One step of time: what comes next, making it, taking it back, and getting to a known point.
//!
//! In the past the recorded future is followed, by redo where the journal has it and by stepping again where it has not, as long
//! as what is asked for is what was recorded. Anything else is a new path and drops the future. The session rests where all edits
//! made at a sequence number are applied.

use super::edit::Change;
use super::error::SessionError;
use super::{Mark, Session};
use crate::isa::Queue;
use crate::sim::{Settings, StepDone, StepKind, Stepped, Writer};

/// How far a travel got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reached {
    There,
    NotYet,
    Interrupted,
}

impl Session {
    /// The stream whose bundle the recorded future has next; `None` at the end, before an edit that was taken back by hand, and
    /// when other settings would give another future.
    pub(super) fn recorded(&self) -> Option<Queue> {
        let journal = self.machine.journal();
        let position = journal.position();
        if position >= self.timeline.end.position
            || self.timeline.settings_at(position) != Some(&self.active)
        {
            return None;
        }
        if let Some(record) = journal.record(position) {
            let queue = Queue::from_index(record.head.agent.into())?;
            return (record.head.kind == StepKind::Retire).then_some(queue);
        }
        if self.timeline.edit_at(position).is_some() {
            return None;
        }
        let chosen = self.timeline.chosen_at(position);
        chosen.or_else(|| self.machine.peek())
    }

    /// The stream and index of the bundle that comes next, if any can.
    pub(super) fn upcoming(&self) -> Option<(Queue, u64)> {
        let queue = self.recorded().or_else(|| self.machine.peek())?;
        Some((queue, self.machine.pc(queue)))
    }

    /// Executes one bundle: along the recorded path when it is what that has next, else on a new one.
    pub(super) fn execute(&mut self, only: Option<Queue>) -> Result<Stepped, SessionError> {
        let recorded = self.recorded();
        let Some(queue) = recorded.filter(|q| only.is_none_or(|o| o == *q)) else {
            return Ok(self.new_step(only));
        };
        let (at, seq) = (self.machine.journal().position(), self.seq());
        if self.machine.redo().is_none() {
            return self.replay_bundle();
        }
        self.rest()?;
        Ok(Stepped::Retired {
            queue,
            index: self
                .machine
                .journal()
                .record(at)
                .map_or(0, |r| r.head.index),
            done: StepDone {
                at,
                seq,
                undoable: true,
            },
        })
    }

    fn new_step(&mut self, only: Option<Queue>) -> Stepped {
        if self.timeline.end.position > self.mark().position
            && let Some(why) = self.hindrance(only)
        {
            return why;
        }
        self.diverge();
        self.machine_settings(self.active);
        let start = self.machine.journal().position();
        let stepped = self.machine.step(only);
        if let Stepped::Retired { done, .. } = &stepped {
            self.timeline.set(start, self.active);
            if let Some(queue) = only {
                self.timeline.chose(done.at, queue);
            }
            self.log.extend_from_slice(&self.machine.report().log);
            self.account(start, *done);
        }
        // Transfers may have finished also when nothing retired.
        self.timeline.end = self.mark();
        self.keep_up();
        stepped
    }

    /// Why a step cannot be made, so that the future need not be dropped for it.
    fn hindrance(&mut self, only: Option<Queue>) -> Option<Stepped> {
        match only {
            Some(queue) if self.machine.exited(queue) => Some(Stepped::Exited),
            Some(queue) => self.machine.blocked(queue).map(Stepped::Blocked),
            // With nothing to execute the machine only says so.
            None => self
                .machine
                .peek()
                .is_none()
                .then(|| self.machine.step(None)),
        }
    }

    /// Findings and checkpoints of a bundle that was just executed, its records beginning at `start`.
    fn account(&mut self, start: u64, done: StepDone) {
        self.observe(done.seq);
        let journal = self.machine.journal();
        let effects = (start..journal.position()).flat_map(|at| journal.effects(at));
        let bytes = effects.filter_map(|e| e.runs()).map(|r| r.bytes()).sum();
        if self.timeline.grown(bytes) || !done.undoable {
            self.save();
        }
    }

    /// Keeps a checkpoint of the present point.
    pub(super) fn save(&mut self) {
        let mark = self.mark();
        if !self.timeline.saved(mark.position) {
            self.timeline.save(mark, self.machine.checkpoint());
        }
        self.save_observer();
    }

    /// Leaves the recorded path here.
    pub(super) fn diverge(&mut self) {
        let here = self.mark();
        let end = self.timeline.end;
        if end.position > here.position {
            self.lost += end.seq.saturating_sub(here.seq);
            self.findings.drop_from(here.seq);
            self.epoch += 1;
            self.timeline.cut(here);
            self.machine.journal_mut().truncate_future();
            self.rewind_observer();
        }
    }

    /// The present point.
    pub fn mark(&self) -> Mark {
        let journal = self.machine.journal();
        Mark {
            position: journal.position(),
            seq: journal.seq(),
        }
    }

    pub(super) fn machine_settings(&mut self, settings: Settings) {
        if *self.machine.settings() != settings {
            self.machine.set_settings(settings);
        }
    }

    pub(super) fn use_active_settings(&mut self) {
        self.machine_settings(self.active);
    }

    /// Steps again along the recorded path, where the next record is a bundle.
    fn replay_bundle(&mut self) -> Result<Stepped, SessionError> {
        let start = self.machine.journal().position();
        if let Some(settings) = self.timeline.settings_at(start) {
            self.machine_settings(*settings);
        }
        let stepped = self.machine.step(self.timeline.chosen_at(start));
        match &stepped {
            Stepped::Retired { done, .. } => {
                self.account(start, *done);
                self.rest()?;
            }
            Stepped::Interrupted => {}
            other => {
                let what = match other {
                    Stepped::Fault(f) => f.to_string(),
                    _ => "no stream can go on".to_owned(),
                };
                return Err(SessionError::Diverged {
                    seq: self.seq(),
                    what,
                });
            }
        }
        Ok(stepped)
    }

    /// Makes the next record of the recorded path, or a bundle with all its records; false when it was interrupted.
    pub(super) fn replay_one(&mut self) -> Result<bool, SessionError> {
        let position = self.machine.journal().position();
        if self.machine.redo().is_some() {
            return Ok(true);
        }
        if let Some(changes) = self.timeline.edit_at(position).cloned() {
            self.make(&changes)?;
            return Ok(true);
        }
        let stepped = self.replay_bundle()?;
        if stepped == Stepped::Interrupted {
            self.interrupted();
        }
        Ok(stepped != Stepped::Interrupted)
    }

    /// Makes an edit, and lets transfers finish that it sets free.
    pub(super) fn make(&mut self, changes: &[Change]) -> Result<(), SessionError> {
        let made = match changes {
            // The machine's own record of it names the bundle.
            [Change::Skip(queue)] => {
                self.machine.skip_head(*queue);
                Ok(())
            }
            _ => {
                let apply = |c: &Change, w: &mut Writer<'_>| c.apply(w);
                self.machine
                    .edit(|w| changes.iter().try_for_each(|c| apply(c, w)))
            }
        };
        // What an interrupt leaves over finishes with the next step.
        let _unsettled = self.machine.settle();
        Ok(made?)
    }

    /// Makes the recorded edits and finished transfers at the present sequence number.
    pub(super) fn rest(&mut self) -> Result<(), SessionError> {
        loop {
            let journal = self.machine.journal();
            let position = journal.position();
            let ahead = match journal.record(position) {
                Some(record) => record.head.kind != StepKind::Retire,
                None => {
                    position < self.timeline.end.position
                        && self.timeline.edit_at(position).is_some()
                }
            };
            if !ahead {
                return Ok(());
            }
            self.replay_one()?;
        }
    }

    /// Is the next record an edit?
    pub(super) fn edit_ahead(&self) -> bool {
        let journal = self.machine.journal();
        let next = journal.record(journal.position());
        next.is_some_and(|r| r.head.kind == StepKind::Edit)
    }

    /// Kind of the last record, if it can be taken back.
    pub(super) fn behind(&self) -> Option<StepKind> {
        let journal = self.machine.journal();
        let at = journal.position().checked_sub(1)?;
        let record = journal.record(at)?;
        (at >= journal.floor()).then_some(record.head.kind)
    }

    /// Becomes the last checkpoint before a position; false when there is none.
    pub(super) fn restore_before(&mut self, position: u64) -> bool {
        let limit = position.checked_sub(1);
        let Some((mark, state)) = limit.and_then(|p| self.timeline.checkpoint_before(p)) else {
            return false;
        };
        self.machine.restore(state, mark.position, mark.seq);
        true
    }

    /// Replays to a position ahead.
    pub(super) fn replay_to(
        &mut self,
        position: u64,
        left: &mut u64,
    ) -> Result<Reached, SessionError> {
        while self.machine.journal().position() < position {
            if self.interrupted() {
                return Ok(Reached::Interrupted);
            }
            if *left == 0 {
                return Ok(Reached::NotYet);
            }
            *left -= 1;
            if !self.replay_one()? {
                return Ok(Reached::Interrupted);
            }
        }
        Ok(Reached::There)
    }

    /// Goes to where `seq` bundles are retired, which is a known point: through the journal where it reaches, else from a
    /// checkpoint.
    pub(super) fn travel(&mut self, seq: u64, left: &mut u64) -> Result<Reached, SessionError> {
        loop {
            let journal = self.machine.journal();
            let position = journal.position();
            let goal = journal.positions_of(seq).map(|range| *range.end());
            if goal == Some(position) {
                self.rest()?;
                return Ok(Reached::There);
            }
            if self.interrupted() {
                return Ok(Reached::Interrupted);
            }
            if *left == 0 {
                return Ok(Reached::NotYet);
            }
            *left -= 1;
            match goal.filter(|g| *g >= journal.floor()) {
                Some(goal) if goal < position => {
                    self.machine.undo();
                }
                Some(_) => {
                    self.machine.redo();
                }
                None => {
                    let best = self.timeline.checkpoint_of_seq(seq);
                    let behind = journal.seq() > seq;
                    match best {
                        Some((mark, state)) if behind || mark.position > position => {
                            self.machine.restore(state, mark.position, mark.seq);
                        }
                        None if seq < self.start_seq() => {
                            let start = self.start_seq();
                            return Err(SessionError::BeforeStart { seq, start });
                        }
                        None if behind => {
                            return Err(SessionError::Unreachable {
                                seq,
                                oldest: self.oldest_seq(),
                            });
                        }
                        _ => {
                            if !self.replay_one()? {
                                return Ok(Reached::Interrupted);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Bundles retired before the session began: 0 but for a saved state.
    pub fn start_seq(&self) -> u64 {
        self.timeline.base().seq
    }

    /// The oldest sequence number that can be reached, by the journal or by replay.
    pub fn oldest_seq(&self) -> u64 {
        let journal = self.machine.journal();
        journal
            .seq_at(journal.floor())
            .min(self.timeline.oldest_seq())
    }
}
