//! Storing results, and the loop over lanes that most instructions share (isa 07 §1.3).

use std::ops::Range;

use super::cx::Cx;
use super::walk::{Lanes, Plan, Walk};
use crate::isa::{Engine, Severity};
use crate::num::{self, Kind, Narrowed, Rules};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;
use crate::sim::sync::Sync;
use crate::sim::{MemError, Rect, Runs, State};

/// Bytes computed before they are stored, where nothing forces more: they should still be in the
/// first-level cache then.
const BLOCK: usize = 32 << 10;

/// A resolved destination with the way it is stored.
#[derive(Debug)]
pub struct Dest {
    /// The operand.
    pub walk: Walk,
    plan: Plan,
}

impl Dest {
    /// Plans how a walk is stored.
    pub fn new(walk: Walk) -> Dest {
        Dest {
            plan: walk.plan(),
            walk,
        }
    }
}

impl Cx<'_, '_> {
    /// Resolves the destination in a slot.
    ///
    /// # Errors
    /// Traps of the resolver.
    pub fn dest(&mut self, slot: &'static str) -> Result<Dest, Trap> {
        let dest = Dest::new(self.operand(slot)?);
        if self.engine != Engine::Pe {
            super::pe::overwritten(self, &dest.plan.runs);
        }
        Ok(dest)
    }

    /// Stores the packed bytes of a lane, given in walk order.
    ///
    /// # Errors
    /// `bounds`, should the memory refuse the range.
    pub fn put_bytes(&mut self, dest: &Dest, lane: u16, bytes: &[u8]) -> Result<(), Trap> {
        let mut packed = std::mem::take(&mut self.scratch.packed);
        let stored = match &dest.plan.order {
            Some(order) => {
                packed.clear();
                packed.resize(dest.stored_bytes(), 0);
                reorder(order, dest.walk.elem as usize, bytes, &mut packed);
                &packed
            }
            None => bytes,
        };
        let done = self.put_lanes(dest, lane, 1, stored);
        self.scratch.packed = packed;
        done
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

    /// Stores every lane of a destination. `fill` gets the state, the lane and the packed bytes to
    /// set, in walk order; they hold no particular value before. With `hold` nothing is stored
    /// before the last lane is filled.
    ///
    /// # Errors
    /// Those of `fill`, `interrupt`, and `bounds` should the memory refuse the range.
    pub fn store_lanes(
        &mut self,
        dest: &Dest,
        hold: bool,
        fill: impl FnMut(&State, u16, &mut [u8]) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        let lanes = dest.walk.lanes;
        let block = match hold {
            true => lanes,
            false => (BLOCK / dest.stored_bytes().max(1)).clamp(1, 128) as u16,
        };
        let first = (0..lanes).step_by(usize::from(block.max(1)));
        let pieces: Vec<_> = first
            .map(|a| a..a.saturating_add(block).min(lanes))
            .collect();
        self.store_pieces(dest, pieces.iter().map(std::slice::from_ref), fill)
    }

    /// Stores some lanes of a destination, all of them filled before the first is stored.
    ///
    /// # Errors
    /// As [`Cx::store_lanes`].
    pub fn store_some(
        &mut self,
        dest: &Dest,
        lanes: &[Range<u16>],
        fill: impl FnMut(&State, u16, &mut [u8]) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        self.store_pieces(dest, std::iter::once(lanes), fill)
    }

    /// Stores batches of lanes one after another, each filled before it is stored.
    fn store_pieces<'p>(
        &mut self,
        dest: &Dest,
        batches: impl Iterator<Item = &'p [Range<u16>]>,
        mut fill: impl FnMut(&State, u16, &mut [u8]) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        let (walk, row) = (&dest.walk, dest.stored_bytes());
        if row == 0 {
            return Ok(());
        }
        let mut held = std::mem::take(&mut self.scratch.held);
        let mut ordered = vec![0; dest.plan.order.as_ref().map_or(0, |_| walk.bytes())];
        for batch in batches {
            let lanes: usize = batch.iter().map(ExactSizeIterator::len).sum();
            held.resize(row * lanes, 0);
            let numbers = batch.iter().cloned().flatten();
            for (lane, out) in numbers.zip(held.chunks_exact_mut(row)) {
                self.poll()?;
                match &dest.plan.order {
                    None => fill(self.writer.state(), lane, out)?,
                    Some(order) => {
                        fill(self.writer.state(), lane, &mut ordered)?;
                        reorder(order, walk.elem as usize, &ordered, out);
                    }
                }
            }
            let mut rest = held.as_slice();
            for piece in batch {
                let (now, later) = rest.split_at((row * piece.len()).min(rest.len()));
                self.put_lanes(dest, piece.start, piece.len() as u16, now)?;
                rest = later;
            }
        }
        self.scratch.held = held;
        Ok(())
    }

    /// Stores the selected elements of every lane and leaves the others as they are. `fill` sets
    /// the packed bytes in walk order and which elements are selected. Sources are read first.
    ///
    /// # Errors
    /// As [`Cx::store_lanes`].
    pub fn merge_lanes(
        &mut self,
        dest: &Dest,
        mut fill: impl FnMut(&State, u16, &mut [u8], &mut [bool]) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        self.writer.sync(Sync::Keeps);
        let walk = &dest.walk;
        let mut selected = vec![false; walk.count];
        let written = walk.rects().all(|r| self.state().is_written(&r));
        if dest.plan.order.is_none() && written {
            let mut buffer = Vec::new();
            return self.store_lanes(dest, true, |state, lane, out| {
                fill(state, lane, out, &mut selected)?;
                let former = walk.packed(state, lane, &mut buffer);
                keep(walk.elem as usize, former, &selected, out);
                Ok(())
            });
        }
        // Elements that keep their value must also stay unwritten, so each lane has runs of its own.
        let size = walk.elem as usize;
        let mut new = vec![0; walk.bytes()];
        let mut runs: Vec<(Rect, Vec<u8>)> = Vec::new();
        for lane in 0..walk.lanes {
            self.poll()?;
            fill(self.writer.state(), lane, &mut new, &mut selected)?;
            let chosen = walk.offsets().zip(&selected).zip(new.chunks_exact(size));
            let mut chosen: Vec<(u32, &[u8])> = chosen
                .filter(|((_, s), _)| **s)
                .map(|((off, _), bytes)| (off, bytes))
                .collect();
            chosen.sort_by_key(|c| c.0);
            for (i, (off, bytes)) in chosen.iter().enumerate() {
                if chosen.get(i + 1).is_some_and(|next| next.0 == *off) {
                    continue;
                }
                let part = walk.partition(lane);
                let rect = Rect::new(walk.space, part, 1, u64::from(*off), walk.elem);
                match runs.last_mut() {
                    Some((last, data)) if last.part == part && last.end() == rect.off => {
                        last.len += rect.len;
                        data.extend_from_slice(bytes);
                    }
                    _ => runs.push((rect, bytes.to_vec())),
                }
            }
        }
        for (rect, data) in runs {
            let done = self.writer.store(&rect, &data);
            done.map_err(|e| Trap::at("bounds", walk.field, e.to_string()))?;
        }
        Ok(())
    }

    /// Stores lanes whose bytes are given as they lie in memory, lane after lane.
    fn put_lanes(&mut self, dest: &Dest, first: u16, lanes: u16, bytes: &[u8]) -> Result<(), Trap> {
        let place = |runs: &Runs| {
            let mut runs = *runs;
            runs.first.part = dest.walk.partition(first);
            runs.first.parts = lanes;
            runs
        };
        let refused = |e: MemError| Trap::at("bounds", dest.walk.field, e.to_string());
        if let [runs] = dest.plan.runs.as_slice() {
            return self.writer.store_runs(&place(runs), bytes).map_err(refused);
        }
        let row = dest.stored_bytes();
        let (mut at, mut part) = (0, Vec::new());
        for runs in dest.plan.runs.iter().map(place) {
            let size = runs.bytes() as usize / usize::from(lanes.max(1));
            part.clear();
            for row in bytes.chunks_exact(row.max(1)) {
                part.extend_from_slice(row.get(at..at + size).unwrap_or(&[]));
            }
            at += size;
            self.writer.store_runs(&runs, &part).map_err(refused)?;
        }
        Ok(())
    }

    /// Reports what narrowing lost, once per instruction (decisions 1.3).
    pub fn report_narrowed(&mut self, dest: &Dest, lost: Narrowed, fresh: Fresh) {
        self.report_lost(dest.walk.kind, lost, fresh);
    }

    /// The same for results that were narrowed to `kind` in place.
    pub fn report_lost(&mut self, kind: Kind, lost: Narrowed, fresh: Fresh) {
        if lost.overflow > 0 && self.settings.is(Id::FindingsNarrow, 0) {
            let m = format!("{} finite values left the range of {kind}", lost.overflow);
            self.finding(Severity::Info, "narrow-overflow", m);
        }
        self.report_fresh(lost, fresh);
    }

    /// Reports NaNs and infinities that were made, not passed on, once per instruction (decisions 1.3).
    pub fn report_fresh(&mut self, lost: Narrowed, fresh: Fresh) {
        let (nan, inf) = self.odd_input();
        if fresh.nan && !nan {
            let m = format!("{} NaN written, no input was NaN", lost.nan);
            self.finding(Severity::Warn, "nan", m);
        }
        if fresh.inf && !inf {
            let m = format!("{} infinities computed, no input was infinite", lost.inf);
            self.finding(Severity::Warn, "inf", m);
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

/// Are there NaNs, or infinities, among results whose operands have none?
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fresh {
    /// NaNs.
    pub nan: bool,
    /// Infinities.
    pub inf: bool,
}

impl Fresh {
    /// Looks at results with their operands; these only where there is something to explain.
    pub fn see(&mut self, now: Narrowed, any_operand: impl Fn(fn(f32) -> bool) -> bool) {
        self.nan |= now.nan > 0 && !any_operand(f32::is_nan);
        self.inf |= now.inf > 0 && !any_operand(f32::is_infinite);
    }
}

/// Puts the elements that stay into memory order.
fn reorder(order: &[u32], size: usize, bytes: &[u8], out: &mut [u8]) {
    for (i, out) in order.iter().zip(out.chunks_exact_mut(size.max(1))) {
        let at = *i as usize * size;
        if let Some(element) = bytes.get(at..at + size) {
            out.copy_from_slice(element);
        }
    }
}

/// Puts former elements back where the new ones are not selected.
fn keep(size: usize, former: &[u8], selected: &[bool], new: &mut [u8]) {
    match size {
        1 => keep_sized::<1>(former, selected, new),
        2 => keep_sized::<2>(former, selected, new),
        4 => keep_sized::<4>(former, selected, new),
        _ => keep_sized::<8>(former, selected, new),
    }
}

fn keep_sized<const N: usize>(former: &[u8], selected: &[bool], new: &mut [u8]) {
    let pairs = new
        .as_chunks_mut::<N>()
        .0
        .iter_mut()
        .zip(former.as_chunks::<N>().0);
    for ((new, former), selected) in pairs.zip(selected) {
        *new = if *selected { *new } else { *former };
    }
}

impl Dest {
    /// Bytes of a lane as they lie in memory: those of the walk without repetitions.
    fn stored_bytes(&self) -> usize {
        match &self.plan.order {
            Some(order) => order.len() * self.walk.elem as usize,
            None => self.walk.bytes(),
        }
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
    f: impl FnMut(u16, [&[f32]; N], &mut [f32]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let rules = *cx.rules();
    map_f32_by(cx, &rules, sources, dest, f)
}

/// [`map_f32`] under given conversion switches.
///
/// # Errors
/// As [`map_f32`].
pub fn map_f32_by<const N: usize>(
    cx: &mut Cx<'_, '_>,
    rules: &Rules,
    sources: [&Walk; N],
    dest: &Dest,
    f: impl FnMut(u16, [&[f32]; N], &mut [f32]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let hold = cx.overlap(&sources, dest)?;
    map_lanes(cx, rules, hold, sources, dest, f)
}

/// [`map_f32`] over lanes from anywhere.
pub(super) fn map_lanes<S: Lanes, const N: usize>(
    cx: &mut Cx<'_, '_>,
    rules: &Rules,
    hold: bool,
    sources: [&S; N],
    dest: &Dest,
    mut f: impl FnMut(u16, [&[f32]; N], &mut [f32]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let kinds = sources.iter().map(|s| (s.field(), s.kind()));
    for (field, kind) in kinds.chain([(dest.walk.field, dest.walk.kind)]) {
        if kind.lanes() > 1 {
            let m = format!("{kind} is no type of single elements");
            return Err(Trap::at("dtype", field, m));
        }
    }
    let mut ins: [Vec<f32>; N] = sources.map(|s| vec![0.0; s.count()]);
    let mut out = vec![0.0; dest.walk.count];
    let mut buffer = std::mem::take(&mut cx.scratch.bytes);
    let (mut lost, mut fresh) = (Narrowed::default(), Fresh::default());
    cx.store_lanes(dest, hold, |state, lane, bytes| {
        for (source, values) in sources.iter().zip(&mut ins) {
            let packed = source.packed(state, lane, &mut buffer);
            num::widen_slice(source.kind(), packed, values);
        }
        f(lane, ins.each_ref().map(Vec::as_slice), &mut out)?;
        let now = num::narrow_slice(dest.walk.kind, &out, rules, bytes);
        fresh.see(now, |odd| ins.iter().flatten().any(|x| odd(*x)));
        lost += now;
        Ok(())
    })?;
    cx.scratch.bytes = buffer;
    cx.report_narrowed(dest, lost, fresh);
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
    f: impl FnMut(u16, [&[u8]; N], &mut [u8]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let hold = cx.overlap(&sources, dest)?;
    map_raw(cx, hold, sources, dest, f)
}

/// [`map_bytes`] over lanes from anywhere.
pub(super) fn map_raw<S: Lanes, const N: usize>(
    cx: &mut Cx<'_, '_>,
    hold: bool,
    sources: [&S; N],
    dest: &Dest,
    mut f: impl FnMut(u16, [&[u8]; N], &mut [u8]) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let mut buffers: [Vec<u8>; N] = std::array::from_fn(|_| Vec::new());
    cx.store_lanes(dest, hold, |state, lane, out| {
        let mut rest = buffers.iter_mut();
        let ins = sources.map(|source| match rest.next() {
            Some(buffer) => source.packed(state, lane, buffer),
            None => &[],
        });
        f(lane, ins, out)
    })
}
