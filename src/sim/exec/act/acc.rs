//! The ACT accumulators: one fp32 value per lane, apart from those of the DVE (isa 06 §4.1).

use crate::isa::fields::AccumCmd;
use crate::sim::Region;
use crate::sim::exec::{Cx, Scalars};
use crate::sim::fault::Trap;

impl Cx<'_, '_> {
    /// The accumulators of the first lanes.
    pub(super) fn act_accumulators(&self, lanes: u16) -> Vec<f32> {
        let words = self.hidden(Region::ACT_ACC).iter();
        words
            .take(usize::from(lanes))
            .map(|w| f32::from_bits(*w))
            .collect()
    }

    /// Stores accumulators; they count as not read since.
    pub(super) fn set_act_accumulators(&mut self, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.writer.set_hidden(Region::ACT_ACC, &words);
        self.mark_act_read(values.len() as u16, false);
    }

    /// Marks the accumulators of the first lanes as read or not.
    pub(super) fn mark_act_read(&mut self, lanes: u16, read: bool) {
        let before = self.hidden(Region::ACT_ACC_READ);
        let after: Vec<u32> = (0..)
            .zip(before)
            .map(|(i, word)| {
                let bits = u32::from(lanes).saturating_sub(32 * i);
                let mask = if bits >= 32 {
                    u32::MAX
                } else {
                    (1 << bits) - 1
                };
                if read { word | mask } else { word & !mask }
            })
            .collect();
        if after != before {
            self.writer.set_hidden(Region::ACT_ACC_READ, &after);
        }
    }
}

/// The accumulators a command starts from; `None` when it leaves them alone. The flag: this
/// bundle's results are added.
///
/// # Errors
/// `accumulator` for an undefined command.
pub(super) fn start(
    cx: &Cx<'_, '_>,
    command: AccumCmd,
    seed: Option<&Scalars>,
    lanes: u16,
) -> Result<Option<(Vec<f32>, bool)>, Trap> {
    let zero = || vec![0.0; usize::from(lanes)];
    Ok(match (command, seed) {
        (AccumCmd::IDLE, _) => None,
        (AccumCmd::ZERO, _) => Some((zero(), false)),
        (AccumCmd::ACCUMULATE, _) => Some((cx.act_accumulators(lanes), true)),
        (AccumCmd::ZERO_ACCUMULATE, _) => Some((zero(), true)),
        (AccumCmd::LOAD_ACCUMULATE, Some(seed)) => {
            Some(((0..lanes).map(|l| seed.f32(l)).collect(), true))
        }
        _ => {
            let m = format!("command {command}; 0..4 are defined");
            return Err(Trap::at("accumulator", "accumulator_cmd", m));
        }
    })
}
