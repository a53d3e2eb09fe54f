//! The numerics microscope: the run once more on a machine of its own, with every value also carried in f64 from its inputs.
//!
//! The other machine takes the recorded path, edits and chosen streams included, so what it says belongs to the present point
//! however that was reached. It starts where the session starts: there memory and wide values agree. What a bundle computes in a
//! way that [`eval`] does not know starts anew from the stored value.

mod eval;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arrays::{element, ulps};
use super::elements::bits;
use super::error::SessionError;
use super::expr::EvalError;
use super::place::Place;
use super::{Change, Session, load};
use crate::isa::Queue;
use crate::num::{self, Kind, Rules};
use crate::sim::{Machine, Region, StepKind, Stepped};
use eval::Latched;
use values::Values;

/// How errors are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Steps of the element's type from the wide value, rounded to it.
    Ulp,
    /// Difference by the magnitude of the wide value.
    Rel,
    /// Difference.
    Abs,
}

/// How far the elements of a place are from their wide values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Errors {
    /// Elements of the place.
    pub elements: u64,
    /// Those whose wide value was computed; the others are taken to be exact.
    pub carried: u64,
    /// Largest error in steps of the type.
    pub ulp: u64,
    /// Largest relative error.
    pub rel: f64,
    /// Largest difference.
    pub abs: f64,
    /// Mean relative error of the carried ones.
    pub mean_rel: f64,
    /// The element with the largest relative error: what memory holds and the wide value.
    pub worst: Option<(Place, u64, f64)>,
    /// Bundles, by name, whose results start anew from the stored values.
    pub anew: BTreeMap<String, u64>,
}

/// Where an error first exceeded a bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Exceeded {
    /// Number of the bundle.
    pub seq: u64,
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
    /// The errors right after it.
    pub errors: Errors,
}

/// The other machine, and what it carries.
pub(super) struct Microscope {
    machine: Machine,
    epoch: u64,
    values: Values,
    latched: Latched,
    anew: BTreeMap<String, u64>,
}

impl Session {
    /// Switches the microscope on, which costs nothing before the first question, or off, which forgets everything it carried.
    pub fn set_shadow(&mut self, on: bool) {
        self.shadow_on = on;
        self.shadow = None;
    }

    /// Is the microscope on?
    pub fn shadow_is_on(&self) -> bool {
        self.shadow_on
    }

    /// Errors of a place with dtype at the present point.
    ///
    /// # Errors
    /// A place without dtype; the user interrupts.
    pub fn errors(&mut self, place: &Place) -> Result<Errors, SessionError> {
        let kind = typed(place)?;
        let mut scope = self.microscope()?;
        let done = self.follow(&mut scope, self.mark().position, |_, _| false);
        let errors = scope.measure(place, kind);
        self.shadow = Some(scope);
        done.map(|_| errors)
    }

    /// The first bundle after which an element of a place is further from its wide value than a bound, up to the present point.
    ///
    /// # Errors
    /// As [`Session::errors`].
    pub fn first_error(
        &mut self,
        place: &Place,
        bound: f64,
        measure: Measure,
    ) -> Result<Option<Exceeded>, SessionError> {
        let kind = typed(place)?;
        self.shadow = None;
        let mut scope = self.microscope()?;
        let mut found = None;
        let end = self.mark().position;
        self.follow(&mut scope, end, |scope, at| {
            let journal = scope.machine.journal();
            let Some(record) = journal.record(at) else {
                return false;
            };
            if !journal.writes(at).any(|w| place.clip(&w).is_some()) {
                return false;
            }
            let (seq, head) = (record.seq, record.head);
            let errors = scope.measure(place, kind);
            let error = match measure {
                Measure::Ulp => errors.ulp as f64,
                Measure::Rel => errors.rel,
                Measure::Abs => errors.abs,
            };
            let Some(queue) = Queue::from_index(head.agent.into()).filter(|_| error > bound) else {
                return false;
            };
            found = Some(Exceeded {
                seq,
                queue,
                index: head.index,
                errors,
            });
            true
        })?;
        Ok(found)
    }

    /// The microscope on this path of time, not beyond the present point.
    fn microscope(&mut self) -> Result<Box<Microscope>, SessionError> {
        let here = self.mark().position;
        let kept = self
            .shadow
            .take()
            .filter(|s| s.epoch == self.epoch && s.machine.journal().position() <= here);
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let (mut machine, _) = load(&self.program, self.generation, self.active, self.policy)?;
        machine.set_interrupt(Arc::clone(self.machine.interrupt()));
        let latched = Latched::new(machine.state().hidden(Region::WEIGHTS).len());
        Ok(Box::new(Microscope {
            machine,
            epoch: self.epoch,
            values: Values::default(),
            latched,
            anew: BTreeMap::new(),
        }))
    }

    /// Moves the microscope along the recorded path to a position, or until `stop` says so after a record.
    fn follow(
        &self,
        scope: &mut Microscope,
        to: u64,
        mut stop: impl FnMut(&Microscope, u64) -> bool,
    ) -> Result<(), SessionError> {
        while scope.machine.journal().position() < to {
            if self.interrupted() {
                return Err(SessionError::Interrupted);
            }
            let start = scope.machine.journal().position();
            if let Some(settings) = self.timeline.settings_at(start) {
                scope.machine.set_settings(*settings);
            }
            match self.timeline.edit_at(start) {
                Some(changes) => match changes.as_ref() {
                    [Change::Skip(queue)] => {
                        scope.machine.skip_head(*queue);
                    }
                    changes => scope
                        .machine
                        .edit(|w| changes.iter().try_for_each(|c| c.apply(w)))?,
                },
                None => {
                    let stepped = scope.machine.step(self.timeline.chosen_at(start));
                    if !matches!(stepped, Stepped::Retired { .. }) {
                        let what = "the microscope cannot take the recorded step".to_owned();
                        return Err(SessionError::Diverged {
                            seq: scope.machine.journal().seq(),
                            what,
                        });
                    }
                }
            }
            let _ = scope.machine.settle();
            for at in start..scope.machine.journal().position() {
                scope.record(at);
                if stop(scope, at) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Steps from the largest value of a type to one outside its range; 0 inside.
fn beyond(kind: Kind, rounded: u64, wide: f64) -> u64 {
    let largest = num::to_f64(kind, rounded);
    let step = (largest - num::to_f64(kind, rounded.wrapping_sub(1))).abs();
    let apart = (wide - largest).abs();
    if apart > step && step > 0.0 {
        // Saturates; a NaN is 0.
        (apart / step) as u64
    } else {
        0
    }
}

fn typed(place: &Place) -> Result<Kind, SessionError> {
    let kind = place.dtype.ok_or(EvalError::NoDtype { place: *place })?;
    place.elements(kind)?;
    Ok(kind)
}

impl Microscope {
    /// Carries the values over a record that was just made.
    fn record(&mut self, at: u64) {
        let journal = self.machine.journal();
        let Some(head) = journal.record(at).map(|r| r.head) else {
            return;
        };
        let computed = match head.kind {
            StepKind::Edit => Some(Vec::new()),
            _ => eval::eval(&self.machine, at, &self.values, &mut self.latched),
        };
        let writes: Vec<_> = self.machine.journal().writes(at).collect();
        for rect in &writes {
            self.values.clear(rect);
        }
        match computed {
            // A bundle that is passed over as not modelled stores nothing.
            Some(computed) if !writes.is_empty() => {
                for c in computed {
                    self.values.set(c.space, c.part, c.off, c.len, c.value);
                }
            }
            None if !writes.is_empty() => {
                let queue = Queue::from_index(head.agent.into());
                let instr = queue.and_then(|q| self.machine.instr(q, head.index));
                let name = instr.map_or("?".into(), |i| i.name());
                *self.anew.entry(name.into_owned()).or_default() += 1;
            }
            _ => {}
        }
    }

    fn measure(&self, place: &Place, kind: Kind) -> Errors {
        let mut errors = Errors {
            anew: self.anew.clone(),
            ..Errors::default()
        };
        let size = kind.bytes();
        let mut bytes = Vec::new();
        // A place lies in the memory.
        let _ = self.machine.state().read_into(&place.rect(), &mut bytes);
        let mut worst = -1.0;
        for (i, held) in bytes.chunks_exact(size).enumerate() {
            errors.elements += 1;
            let at = element(place, kind, i as u64);
            let Some(wide) = self.values.get(at.space, at.part, at.off, size) else {
                continue;
            };
            errors.carried += 1;
            let held = bits(held);
            let value = num::to_f64(kind, held);
            let same = value == wide || value.is_nan() && wide.is_nan();
            let abs = if same { 0.0 } else { (value - wide).abs() };
            let rounded = num::narrow(kind, wide as f32, &Rules::DEFAULT);
            let apart = match same {
                true => 0,
                false => ulps(kind, held, rounded) + beyond(kind, rounded, wide),
            };
            // What is too small for the type, and zero in it, is no relative error.
            let vanished = apart == 0 && value == 0.0;
            let rel = if abs == 0.0 || vanished {
                0.0
            } else {
                abs / wide.abs()
            };
            errors.ulp = errors.ulp.max(apart);
            errors.abs = errors.abs.max(abs);
            // An infinite one counts, a NaN is the worst of all.
            let rel = if rel.is_nan() { f64::INFINITY } else { rel };
            errors.rel = errors.rel.max(rel);
            errors.mean_rel += rel;
            if rel > worst {
                worst = rel;
                errors.worst = Some((at, held, wide));
            }
        }
        if errors.carried > 0 {
            errors.mean_rel /= errors.carried as f64;
        }
        errors
    }
}
