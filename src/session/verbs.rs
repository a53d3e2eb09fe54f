//! What a user can do to the state besides running it. Every change is a record of the journal; made in the past, it drops the
//! future.

use std::sync::Arc;

use super::edit::{Change, EDIT_LIMIT};
use super::error::SessionError;
use super::expr::EvalError;
use super::place::Place;
use super::value::Value;
use super::{Let, MIN_HISTORY, Session};
use crate::isa::{Bundle, Queue};
use crate::num::{self, Kind, Rules};
use crate::sim::state::REGS;
use crate::sim::{Policy, Rect, StepKind};

/// When a setting takes effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At once.
    Now,
    /// At the next restart, because bundles have run.
    AtRestart,
}

impl Session {
    /// Makes an undoable change; gives the number of steps of a former future that it drops.
    ///
    /// # Errors
    /// A store outside its memory; what was stored before it is then still one edit.
    pub fn edit(&mut self, changes: Vec<Change>) -> Result<u64, SessionError> {
        self.pending = None;
        self.diverge();
        let changes: Arc<[Change]> = changes.into();
        let at = self.machine.journal().position();
        let made = self.make(&changes);
        let bytes = changes.iter().map(Change::size).sum();
        self.timeline.edited(at, changes);
        self.timeline.end = self.mark();
        self.keep_up();
        if self.timeline.grown(bytes) {
            self.save();
        }
        made?;
        Ok(std::mem::take(&mut self.lost))
    }

    /// Sets every element of a place.
    ///
    /// # Errors
    /// A place without dtype or too large, a value its elements cannot hold.
    pub fn set_place(&mut self, place: &Place, value: &Value) -> Result<u64, SessionError> {
        let kind = match place.dtype {
            Some(kind) => kind,
            None if place.bytes() == 1 => Kind::U8,
            None => return Err(EvalError::NoDtype { place: *place }.into()),
        };
        place.elements(kind)?;
        if place.bytes() > EDIT_LIMIT {
            return Err(SessionError::too_large(place));
        }
        let bits = element_bits(kind, value)?;
        let element = bits.to_le_bytes().into_iter().take(kind.bytes()).collect();
        self.edit(vec![Change::Fill(place.rect(), element)])
    }

    /// Stores packed bytes.
    ///
    /// # Errors
    /// Data of another size.
    pub fn store(&mut self, rect: Rect, bytes: Arc<[u8]>) -> Result<u64, SessionError> {
        if rect.bytes() != bytes.len() as u64 {
            let found = bytes.len() as u64;
            return Err(crate::sim::MemError::Size { rect, found }.into());
        }
        self.state().geometry().check(&rect)?;
        self.edit(vec![Change::Store(rect, bytes)])
    }

    /// Sets a register; negative values are taken modulo 2^32.
    ///
    /// # Errors
    /// A register or a value that does not exist.
    pub fn set_reg(&mut self, queue: Queue, reg: u8, value: &Value) -> Result<u64, SessionError> {
        let last = REGS - 1;
        if usize::from(reg) > last {
            let (what, found) = ("register", Value::Int(reg.into()));
            return Err(EvalError::Index { what, found, last }.into());
        }
        let word = word(format!("{}.r{reg}", queue.name()), value)?;
        self.edit(vec![Change::Reg(queue, reg, word)])
    }

    /// Sets a semaphore.
    ///
    /// # Errors
    /// A value that is no 32-bit integer.
    pub fn set_sem(&mut self, sem: u8, value: &Value) -> Result<u64, SessionError> {
        let word = word(format!("sem[{sem}]"), value)?;
        self.edit(vec![Change::Sem(sem, word)])
    }

    /// Sets or clears an event.
    ///
    /// # Errors
    /// A value that is neither 0 nor 1.
    pub fn set_event(&mut self, event: u8, value: &Value) -> Result<u64, SessionError> {
        match value {
            Value::Int(i @ (0 | 1)) => self.edit(vec![Change::Event(event, *i == 1)]),
            other => Err(SessionError::Assign {
                what: format!("evt[{event}]"),
                allowed: "0 or 1".to_owned(),
                found: other.to_string(),
            }),
        }
    }

    /// Moves the program counter of a stream; one past the last bundle ends it.
    ///
    /// # Errors
    /// No such stream, an index beyond its end.
    pub fn set_pc(&mut self, queue: Queue, value: &Value) -> Result<u64, SessionError> {
        let len = self.stream_len(queue)?;
        match value {
            Value::Int(i) if (0..=i128::from(len)).contains(i) => {
                self.edit(vec![Change::Pc(queue, *i as u64)])
            }
            other => Err(SessionError::Assign {
                what: format!("{}.pc", queue.name()),
                allowed: format!("0..={len}"),
                found: other.to_string(),
            }),
        }
    }

    /// Replaces a bundle of the program; `None` brings back the loaded one.
    ///
    /// # Errors
    /// No such bundle.
    pub fn patch(
        &mut self,
        queue: Queue,
        index: u64,
        bundle: Option<Bundle>,
    ) -> Result<u64, SessionError> {
        let len = self.stream_len(queue)?;
        if index >= len {
            return Err(SessionError::NoBundle { queue, index, len });
        }
        self.edit(vec![Change::Patch(queue, index, bundle)])
    }

    /// Steps over the bundle at the program counter without executing it.
    ///
    /// # Errors
    /// No such stream, or it has no bundle left.
    pub fn skip(&mut self, queue: Queue) -> Result<u64, SessionError> {
        let len = self.stream_len(queue)?;
        let index = self.machine.pc(queue);
        if self.machine.exited(queue) {
            return Err(SessionError::NoBundle { queue, index, len });
        }
        self.edit(vec![Change::Skip(queue)])
    }

    /// Takes back the edit made last at the present sequence number.
    ///
    /// # Errors
    /// There is none.
    pub fn undo_edit(&mut self) -> Result<(), SessionError> {
        let before = self.mark();
        self.pending = None;
        while self.behind() == Some(StepKind::Transfer) {
            self.machine.undo();
        }
        if self.behind() == Some(StepKind::Edit) {
            self.machine.undo();
            return Ok(());
        }
        while self.machine.journal().position() < before.position && self.machine.redo().is_some() {
        }
        Err(SessionError::NoEdit { seq: before.seq })
    }

    /// Makes an edit again that was taken back.
    ///
    /// # Errors
    /// There is none.
    pub fn redo_edit(&mut self) -> Result<(), SessionError> {
        if !self.edit_ahead() {
            return Err(SessionError::NoRedo { seq: self.seq() });
        }
        self.pending = None;
        self.machine.redo();
        let next = |s: &Session| {
            let journal = s.machine.journal();
            journal.record(journal.position()).map(|r| r.head.kind)
        };
        while next(self) == Some(StepKind::Transfer) {
            self.machine.redo();
        }
        Ok(())
    }

    /// Sets a setting of the machine from its text. One that acts at load time restarts the program when nothing has run yet
    /// (keeping edits), otherwise it waits for the next restart.
    ///
    /// # Errors
    /// No such setting, or a value it does not take.
    pub fn set_setting(&mut self, name: &str, value: &str) -> Result<When, SessionError> {
        let mut settings = self.settings;
        let key = settings.set(name, value)?;
        self.settings = settings;
        if !key.at_load {
            self.active.set(name, value)?;
            self.use_active_settings();
            return Ok(When::Now);
        }
        self.load_again()
    }

    /// Scheduling policy, as the user set it, and the seed of the random order.
    pub fn schedule(&self) -> (Policy, u64) {
        (self.policy, self.seed)
    }

    /// Sets the scheduling policy, and the seed of the random order. They act at load time.
    ///
    /// # Errors
    /// As [`Session::restart`].
    pub fn set_schedule(&mut self, policy: Policy, seed: u64) -> Result<When, SessionError> {
        self.seed = seed;
        self.policy = match policy {
            Policy::Random(_) => Policy::Random(seed),
            Policy::Bursts(_) => Policy::Bursts(seed),
            other => other,
        };
        self.load_again()
    }

    /// Makes what acts at load time act: at once when nothing has run, keeping edits.
    fn load_again(&mut self) -> Result<When, SessionError> {
        if self.timeline.end.seq > self.timeline.base().seq {
            return Ok(When::AtRestart);
        }
        let here = self.mark().position;
        let edits: Vec<Arc<[Change]>> = self.timeline.edits_before(here).cloned().collect();
        let stop = self.last.clone();
        self.restart()?;
        self.last = stop;
        for changes in edits {
            self.edit(changes.to_vec())?;
        }
        Ok(When::Now)
    }

    /// The settings as the user set them; those that act at load time may wait for a restart.
    pub fn settings(&self) -> &crate::sim::Settings {
        &self.settings
    }

    /// Bytes that the log of steps and the checkpoints may hold together, at least [`MIN_HISTORY`].
    pub fn history(&self) -> u64 {
        self.history
    }

    /// Sets the bytes of history; what no longer fits is dropped, oldest first. Half is for the log of steps, half for
    /// checkpoints, which are so close that the log can hold what lies between two.
    pub fn set_history(&mut self, bytes: u64) {
        self.history = bytes.max(MIN_HISTORY);
        self.split_history(self.history);
    }

    pub(super) fn split_history(&mut self, bytes: u64) {
        let half = bytes / 2;
        self.machine.journal_mut().set_budget(half);
        self.timeline
            .set_budget(half, (half / 4, (half / 4096).max(1)));
    }

    /// Bundles after which a run stops; 0: none.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Sets the bundles after which a run stops; 0: none.
    pub fn set_limit(&mut self, bundles: u64) {
        self.limit = bundles;
    }

    /// Moves the focus.
    ///
    /// # Errors
    /// The program has no such stream.
    pub fn set_focus(&mut self, queue: Queue) -> Result<(), SessionError> {
        self.has_stream(queue)?;
        self.focus = queue;
        Ok(())
    }

    /// Forgets a name given by `let`.
    pub fn forget(&mut self, name: &str) -> Option<Let> {
        self.lets.remove(name)
    }

    fn stream_len(&self, queue: Queue) -> Result<u64, SessionError> {
        self.has_stream(queue)?;
        Ok(self.machine.stream(queue).map_or(0, |s| s.bundles.len()))
    }
}

/// A 32-bit word; negative integers as two's complement.
fn word(what: String, value: &Value) -> Result<u32, SessionError> {
    match value {
        Value::Int(i) if (i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(i) => Ok(*i as u32),
        other => Err(SessionError::Assign {
            what,
            allowed: "an integer of 32 bits".to_owned(),
            found: other.to_string(),
        }),
    }
}

/// The bits of an element that holds a value: integers must fit, floats are rounded to nearest even.
fn element_bits(kind: Kind, value: &Value) -> Result<u64, SessionError> {
    let refuse = |allowed: String| SessionError::Assign {
        what: kind.to_string(),
        allowed,
        found: value.to_string(),
    };
    if kind.is_float() {
        let x = value
            .as_f64()
            .ok_or_else(|| refuse("a number".to_owned()))? as f32;
        return Ok(match kind {
            Kind::Fp4x4 => num::fp4_pack([x; 4]).into(),
            _ => num::narrow(kind, x, &ROUNDING),
        });
    }
    let bits = kind.bits();
    let (low, high) = if kind.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    let int = match value {
        Value::Int(i) => Some(*i),
        Value::Float(f) if f.fract() == 0.0 => Some(*f as i128),
        _ => None,
    };
    match int {
        Some(i) if (low..=high).contains(&i) => Ok(num::mask(i as u64, bits)),
        _ => Err(refuse(format!("an integer in {low}..={high}"))),
    }
}

/// What users write is rounded to nearest even, also where a setting makes the machine do otherwise.
pub(super) const ROUNDING: Rules = Rules {
    fp8_vendor_tiny: false,
    ..Rules::DEFAULT
};
