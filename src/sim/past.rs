//! Looking at former bytes without moving the state: `$old` of a watchpoint, `diff` of a place.

use super::effect::{Effect, Payload, mask_bytes};
use super::journal::Journal;
use super::rect::Rect;
use super::state::State;

impl Journal {
    /// The bytes of a rectangle, partition after partition, as they were at a position between [`Journal::floor`] and the present
    /// one. `None` for any other position and outside the memory. Costs one look at each effect since.
    pub fn bytes_at(&self, state: &State, position: u64, rect: &Rect) -> Option<Vec<u8>> {
        if position < self.floor() || position > self.position() {
            return None;
        }
        let mut out = Vec::new();
        state.read_into(rect, &mut out).ok()?;
        for at in (position..self.position()).rev() {
            for effect in self.effects(at).rev() {
                take_back(effect, self.payload(), state.reset().memory, rect, &mut out);
            }
        }
        Some(out)
    }
}

/// Undoes a store inside a copy of a rectangle.
fn take_back(effect: &Effect, payload: &Payload, reset: u8, rect: &Rect, out: &mut [u8]) {
    let (runs, saved) = match effect {
        Effect::Bytes {
            runs,
            payload: at,
            masked,
        } => {
            let mask = if *masked { mask_bytes(runs) } else { 0 };
            (
                runs,
                Some(payload.log.get(*at + mask as u64, runs.bytes() as usize)),
            )
        }
        Effect::FirstBytes { runs, .. } => (runs, None),
        _ => return,
    };
    if !runs.bounds().overlaps(rect) {
        return;
    }
    let (len, count) = (runs.first.len as usize, runs.count as usize);
    for (i, run) in runs.rects().enumerate() {
        let Some(common) = run.intersect(rect) else {
            continue;
        };
        let size = common.len as usize;
        for part in common.partitions() {
            let to = usize::from(part - rect.part) * rect.len as usize
                + (common.off - rect.off) as usize;
            let from =
                (usize::from(part - run.part) * count + i) * len + (common.off - run.off) as usize;
            let Some(to) = out.get_mut(to..to + size) else {
                continue;
            };
            match saved.map(|s| s.get(from..from + size)) {
                Some(Some(former)) => to.copy_from_slice(former),
                Some(None) => {}
                None => to.fill(reset),
            }
        }
    }
}
