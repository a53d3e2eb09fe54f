//! The function stage that all activation bundles share: look-up, residency and range findings.

use super::functions::{self, Form, SETS};
use crate::isa::Severity;
use crate::isa::fields::ActFunc;
use crate::num::computed;
use crate::sim::Region;
use crate::sim::exec::{Cx, Scalars};
use crate::sim::fault::Trap;

/// Word of the resident set after a load whose name the catalogue does not have.
pub(super) const UNKNOWN_SET: u32 = u32::MAX - 1;

/// The function of a bundle, and what its arguments did.
pub(super) struct Stage {
    func: ActFunc,
    form: Form,
    alpha: Option<Scalars>,
    range: Option<(f32, f32)>,
    outside: u64,
    /// First argument outside the range: lane, element, value.
    first: Option<(u16, usize, f32)>,
}

impl Stage {
    /// Looks the function up. A function that is not in the resident set is the finding `act-table`.
    ///
    /// # Errors
    /// `not-modelled` for an id without published function.
    pub fn of(cx: &mut Cx<'_, '_>, func: ActFunc) -> Result<Stage, Trap> {
        let form = functions::form(func).ok_or_else(|| {
            Trap::not_modelled(format!("activation function {func} is not published"))
        })?;
        check_resident(cx, func);
        Ok(Stage {
            func,
            form,
            alpha: None,
            range: functions::range(func),
            outside: 0,
            first: None,
        })
    }

    /// Does the function take a parameter?
    pub fn takes_alpha(&self) -> bool {
        self.func == ActFunc::parametric_relu
    }

    /// Sets the parameter.
    pub fn set_alpha(&mut self, alpha: Scalars) {
        self.alpha = Some(alpha);
    }

    /// Replaces arguments by results.
    pub fn apply(&mut self, lane: u16, values: &mut [f32]) {
        if let Some((lo, hi)) = self.range {
            for (i, y) in values.iter().enumerate() {
                let v = functions::ranged(self.func, *y);
                if v < lo || v > hi {
                    self.outside += 1;
                    self.first = self.first.or(Some((lane, i, *y)));
                }
            }
        }
        match self.func {
            ActFunc::identity | ActFunc::copy => {
                values.iter_mut().for_each(|y| *y = computed(*y));
            }
            ActFunc::relu => {
                values
                    .iter_mut()
                    .for_each(|y| *y = if *y > 0.0 { *y } else { 0.0 });
            }
            _ => {
                let alpha = self.alpha.as_ref().map_or(0.0, |a| a.f32(lane));
                let (form, alpha) = (self.form, f64::from(alpha));
                values
                    .iter_mut()
                    .for_each(|y| *y = computed(form(f64::from(*y), alpha) as f32));
            }
        }
    }

    /// Reports arguments outside the range that hardware tables cover.
    pub fn report(&self, cx: &mut Cx<'_, '_>) {
        if let (Some((lo, hi)), Some((lane, i, y))) = (self.range, self.first) {
            let m = format!(
                "{} arguments of {} lie outside {lo:e}..{hi:e}, the first is {y:e} (channel {lane}, element {i})",
                self.outside, self.func
            );
            cx.finding(Severity::Warn, "act-range", m);
        }
    }
}

/// isa 06 §3: hardware gives garbage silently.
fn check_resident(cx: &mut Cx<'_, '_>, func: ActFunc) {
    let resident = cx.hidden(Region::ACT_SET).first().copied();
    let resident = resident.unwrap_or(u32::MAX);
    if functions::universal(func) || resident == UNKNOWN_SET {
        return;
    }
    let set = SETS.get(resident as usize);
    if set.is_some_and(|s| s.functions.contains(&func)) {
        return;
    }
    let m = match set {
        Some(s) => format!("{func} is not in the resident set {resident} {}", s.name),
        None => format!("{func} needs a function set, none was loaded"),
    };
    cx.finding(Severity::Warn, "act-table", m);
}
