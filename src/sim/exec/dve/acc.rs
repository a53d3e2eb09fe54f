//! The DVE accumulator: one fp32 value per lane (isa 07 §6).

use crate::isa::Severity;
use crate::isa::fields::{AccumCmd, AluOp};
use crate::num::op;
use crate::sim::Region;
use crate::sim::exec::{Cx, Scalars};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// What folding starts from: 0 for sums, 1 for products, the worst value for extrema.
const fn identity(fold: AluOp) -> f32 {
    match fold.0 {
        op::MULT => 1.0,
        op::MAX => f32::NEG_INFINITY,
        op::MIN => f32::INFINITY,
        _ => 0.0,
    }
}

impl Cx<'_, '_> {
    /// The accumulators that an instruction folds into, as its command asks; `None` when it leaves
    /// them alone. `seed` is the start value of LOAD_ACCUMULATE.
    ///
    /// # Errors
    /// `accumulator` for a command that is not defined or that lacks its seed.
    pub(in crate::sim::exec) fn accumulators(
        &mut self,
        command: AccumCmd,
        fold: AluOp,
        seed: Option<&Scalars>,
        lanes: u16,
    ) -> Result<Option<Vec<f32>>, Trap> {
        let start: Vec<f32> = match (command, seed) {
            (AccumCmd::IDLE, _) => {
                self.mark_idle(lanes);
                return Ok(None);
            }
            (AccumCmd::ACCUMULATE, _) => {
                self.check_idle(lanes);
                let words = self.hidden(Region::DVE_ACC).iter();
                words
                    .take(usize::from(lanes))
                    .map(|w| f32::from_bits(*w))
                    .collect()
            }
            (AccumCmd::ZERO_ACCUMULATE, _) => vec![identity(fold); usize::from(lanes)],
            (AccumCmd::LOAD_ACCUMULATE, Some(seed)) => (0..lanes).map(|l| seed.f32(l)).collect(),
            _ => {
                let m = format!("this instruction has no command {command}");
                return Err(Trap::at("accumulator", "accumulator_cmd", m));
            }
        };
        self.note_inputs(start.iter().copied());
        Ok(Some(start))
    }

    /// Keeps folded accumulators; they count as set.
    pub(in crate::sim::exec) fn set_accumulators(&mut self, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.writer.set_hidden(Region::DVE_ACC, &words);
        self.change_idle(values.len() as u16, |word, mask| word & !mask);
    }

    /// After an IDLE instruction the value is kept, or poisoned, and marked (decisions 1.3).
    fn mark_idle(&mut self, lanes: u16) {
        if self.settings.is(Id::DveAccIdle, 1) {
            let poison = vec![f32::NAN.to_bits(); usize::from(lanes)];
            self.writer.set_hidden(Region::DVE_ACC, &poison);
        }
        self.change_idle(lanes, |word, mask| word | mask);
    }

    fn change_idle(&mut self, lanes: u16, change: fn(u32, u32) -> u32) {
        let before = self.hidden(Region::DVE_ACC_IDLE);
        let after: Vec<u32> = before
            .iter()
            .zip(masks(lanes))
            .map(|(w, m)| change(*w, m))
            .collect();
        if after != before {
            self.writer.set_hidden(Region::DVE_ACC_IDLE, &after);
        }
    }

    /// Reports the use of accumulators that an IDLE instruction may have clobbered.
    pub(in crate::sim::exec) fn check_idle(&mut self, lanes: u16) {
        let words = self.hidden(Region::DVE_ACC_IDLE).iter().zip(masks(lanes));
        let marked: u32 = words.map(|(w, m)| (w & m).count_ones()).sum();
        if marked > 0 {
            let m = format!(
                "{marked} accumulators may have been clobbered by an instruction with command IDLE"
            );
            self.finding(Severity::Warn, "acc-after-idle", m);
        }
    }
}

/// The bits of the first `lanes` lanes.
fn masks(lanes: u16) -> impl Iterator<Item = u32> {
    (0..4u32).map(move |word| {
        let rest = u32::from(lanes).saturating_sub(32 * word).min(32);
        u32::MAX.checked_shr(32 - rest).unwrap_or(0)
    })
}
