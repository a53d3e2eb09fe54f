//! Storing results, and the loop over lanes that most instructions share (isa 07 §1.3).

use super::cx::Cx;
use super::walk::{Plan, Walk};
use crate::isa::Severity;
use crate::num::{self, Narrowed};
use crate::sim::Runs;
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// A resolved destination with the way it is stored.
#[derive(Debug)]
pub struct Dest {
    /// The operand.
    pub walk: Walk,
    plan: Plan,
}

impl Cx<'_, '_> {
    /// Resolves the destination in a slot.
    ///
    /// # Errors
    /// Traps of the resolver.
    pub fn dest(&mut self, slot: &'static str) -> Result<Dest, Trap> {
        let walk = self.operand(slot)?;
        Ok(Dest {
            plan: walk.plan(),
            walk,
        })
    }

    /// Stores the packed bytes of a lane, given in walk order.
    ///
    /// # Errors
    /// `bounds`, should the memory refuse the range.
    pub fn put_bytes(&mut self, dest: &Dest, lane: u16, bytes: &[u8]) -> Result<(), Trap> {
        let walk = &dest.walk;
        let mut packed = std::mem::take(&mut self.scratch.packed);
        let mut rest = bytes;
        if let Some(order) = &dest.plan.order {
            let size = walk.elem as usize;
            packed.clear();
            for i in order {
                let at = *i as usize * size;
                packed.extend_from_slice(bytes.get(at..at + size).unwrap_or(&[]));
            }
            rest = &packed;
        }
        let mut done = Ok(());
        for runs in &dest.plan.runs {
            let mut runs: Runs = *runs;
            runs.first.part = walk.partition(lane);
            runs.first.parts = 1;
            let len = (runs.bytes() as usize).min(rest.len());
            let (now, later) = rest.split_at(len);
            rest = later;
            done = done.and(self.writer.store_runs(&runs, now));
        }
        self.scratch.packed = packed;
        done.map_err(|e| Trap::at("bounds", walk.field, e.to_string()))
    }

    /// Narrows and stores a lane given as f32 in walk order; tells what the conversion lost.
    ///
    /// # Errors
    /// As [`Cx::put_bytes`].
    pub fn put_f32(&mut self, dest: &Dest, lane: u16, values: &[f32]) -> Result<Narrowed, Trap> {
        let mut bytes = std::mem::take(&mut self.scratch.bytes);
        bytes.clear();
        bytes.resize(values.len() * dest.walk.elem as usize, 0);
        let lost = num::narrow_slice(dest.walk.kind, values, &self.rules, &mut bytes);
        let done = self.put_bytes(dest, lane, &bytes);
        self.scratch.bytes = bytes;
        done.map(|()| lost)
    }

    /// Reports what narrowing lost, once per instruction (decisions 1.3).
    pub fn report_narrowed(&mut self, dest: &Dest, lost: Narrowed, fresh_nan: bool) {
        let kind = dest.walk.kind;
        if lost.overflow > 0 && self.settings.is(Id::FindingsNarrow, 0) {
            let m = format!("{} finite values left the range of {kind}", lost.overflow);
            self.finding(Severity::Info, "narrow-overflow", m);
        }
        if fresh_nan {
            let m = format!("{} NaN written, no input was NaN", lost.nan);
            self.finding(Severity::Warn, "nan", m);
        }
    }

    /// Must all sources be read before the first store? Different element orders over shared bytes
    /// are the finding `overlap` (isa 03 §2).
    ///
    /// # Errors
    /// `overlap` when that is set to fault.
    pub fn overlap(&mut self, sources: &[&Walk], dest: &Dest) -> Result<bool, Trap> {
        let Some(src) = sources
            .iter()
            .find(|s| !s.same_sequence(&dest.walk) && s.overlaps(&dest.walk))
        else {
            return Ok(false);
        };
        let message = format!(
            "{} {} and {} {} share bytes in a different order",
            src.field,
            src.bounds(),
            dest.walk.field,
            dest.walk.bounds()
        );
        match self.settings.get(Id::MemoryOverlap) {
            0 => self.finding(Severity::Warn, "overlap", message),
            1 => return Err(Trap::at("overlap", dest.walk.field, message)),
            _ => {}
        }
        Ok(true)
    }
}

/// `dst[k] = f(sources[k]...)` in f32 for every lane: `f` gets the lane number, one slice per
/// source and the slice to fill. Reports narrowing and NaN.
///
/// # Errors
/// Traps of `f`, of storing, of overlap, and `interrupt`.
pub fn map_f32<const N: usize>(
    cx: &mut Cx<'_, '_>,
    sources: [&Walk; N],
    dest: &Dest,
    mut f: impl FnMut(u16, [&[f32]; N], &mut [f32]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let hold = cx.overlap(&sources, dest)?;
    let mut ins: [Vec<f32>; N] = std::array::from_fn(|_| Vec::new());
    let mut out = vec![0.0; dest.walk.count];
    let mut held = Vec::new();
    let (mut lost, mut fresh_nan) = (Narrowed::default(), false);
    for lane in 0..dest.walk.lanes {
        cx.poll()?;
        for (walk, buf) in sources.iter().zip(&mut ins) {
            cx.lane_f32(walk, lane, buf);
        }
        f(lane, ins.each_ref().map(Vec::as_slice), &mut out)?;
        if hold {
            held.extend_from_slice(&out);
            continue;
        }
        let now = cx.put_f32(dest, lane, &out)?;
        fresh_nan |= now.nan > 0 && !ins.iter().flatten().any(|x| x.is_nan());
        lost += now;
    }
    for (lane, row) in (0..).zip(held.chunks_exact(dest.walk.count.max(1))) {
        lost += cx.put_f32(dest, lane, row)?;
    }
    cx.report_narrowed(dest, lost, fresh_nan);
    Ok(())
}

/// The same on packed raw bytes: for copies and bit-vector operations.
///
/// # Errors
/// As [`map_f32`].
pub fn map_bytes<const N: usize>(
    cx: &mut Cx<'_, '_>,
    sources: [&Walk; N],
    dest: &Dest,
    mut f: impl FnMut(u16, [&[u8]; N], &mut Vec<u8>) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let hold = cx.overlap(&sources, dest)?;
    let mut ins: [Vec<u8>; N] = std::array::from_fn(|_| Vec::new());
    let mut out = Vec::new();
    let mut held = Vec::new();
    let row = dest.walk.count * dest.walk.elem as usize;
    for lane in 0..dest.walk.lanes {
        cx.poll()?;
        for (walk, buf) in sources.iter().zip(&mut ins) {
            cx.lane_bytes(walk, lane, buf);
        }
        out.clear();
        f(lane, ins.each_ref().map(Vec::as_slice), &mut out)?;
        out.resize(row, 0);
        if hold {
            held.extend_from_slice(&out);
        } else {
            cx.put_bytes(dest, lane, &out)?;
        }
    }
    for (lane, row) in (0..).zip(held.chunks_exact(row.max(1))) {
        cx.put_bytes(dest, lane, row)?;
    }
    Ok(())
}
