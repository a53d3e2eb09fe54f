//! The eight largest elements, and searches for eight values (isa 07b B6).

use crate::isa::ops::stream::S4d4Mr;
use crate::sim::Region;
use crate::sim::exec::alu::put;
use crate::sim::exec::{Cx, Dest, ExecFn, Walk, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x6C, max8),
    (0x6D, load_values),
    (0x6E, find_index8),
    (0x6F, match_replace8),
    (0xE9, read_indices),
];

/// Values per lane.
const SLOTS: usize = 8;

fn eight(walk: &Walk) -> Result<(), Trap> {
    if walk.count == SLOTS {
        return Ok(());
    }
    let m = format!("{} elements, exactly {SLOTS}", walk.count);
    Err(Trap::at("count", walk.field, m))
}

/// 0x6C: the eight largest, smallest first; NaN never counts.
fn max8(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    eight(&dst.walk)?;
    map_f32(cx, [&src], &dst, |_, [x], out| {
        // Ascending, so that the first slot is the one to beat.
        let mut best = [f32::NEG_INFINITY; SLOTS];
        for x in x {
            if *x > best[0] {
                let at = best.iter().take_while(|b| *x > **b).count();
                best.copy_within(1..at, 0);
                if let Some(slot) = best.get_mut(at.saturating_sub(1)) {
                    *slot = *x;
                }
            }
        }
        out.iter_mut().zip(best).for_each(|(o, b)| *o = b);
        Ok(())
    })
}

/// 0x6D: eight values per lane, the last element in slot 0; none is matched yet.
fn load_values(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let src = cx.operand("src")?;
    eight(&src)?;
    let (mut row, mut words) = (Vec::new(), Vec::new());
    for lane in 0..src.lanes {
        cx.lane_f32(&src, lane, &mut row);
        words.extend(row.iter().rev().map(|x| x.to_bits()));
    }
    cx.writer.set_hidden(Region::MATCH_VALUES, &words);
    let flags = vec![0; usize::from(src.lanes)];
    cx.writer.set_hidden(Region::MATCH_FLAGS, &flags);
    Ok(())
}

/// The search state of all lanes.
struct Search {
    values: Vec<f32>,
    flags: Vec<u32>,
    index: Vec<u32>,
}

impl Search {
    fn new(cx: &Cx<'_, '_>, lanes: u16) -> Search {
        let words = |region, n| cx.hidden(region).iter().take(n).copied();
        let n = usize::from(lanes);
        Search {
            values: words(Region::MATCH_VALUES, SLOTS * n)
                .map(f32::from_bits)
                .collect(),
            flags: words(Region::MATCH_FLAGS, n).collect(),
            index: vec![u32::MAX; SLOTS * n],
        }
    }

    /// Gives each element to at most one unmatched slot with an equal value, the first in `order`;
    /// `hit` is told the positions.
    fn run(&mut self, lane: u16, row: &[f32], order: [usize; SLOTS], mut hit: impl FnMut(usize)) {
        let lane = usize::from(lane);
        let values = self.values.chunks_exact(SLOTS).nth(lane);
        let index = self.index.chunks_exact_mut(SLOTS).nth(lane);
        let (Some(values), Some(index)) = (values, index) else {
            return;
        };
        let Some(flags) = self.flags.get_mut(lane) else {
            return;
        };
        for (i, x) in row.iter().enumerate() {
            let free = |n: &&usize| *flags >> **n & 1 == 0 && values.get(**n) == Some(x);
            if let Some(n) = order.iter().find(free) {
                *flags |= 1 << n;
                if let Some(slot) = index.get_mut(*n) {
                    *slot = i as u32;
                }
                hit(i);
            }
        }
    }

    fn keep(self, cx: &mut Cx<'_, '_>) {
        cx.writer.set_hidden(Region::MATCH_FLAGS, &self.flags);
        cx.writer.set_hidden(Region::INDEX_FLOPS, &self.index);
    }
}

/// 0x6E: positions of the eight values, the lowest of equal slots served first; all ones for none.
fn find_index8(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    eight(&dst.walk)?;
    let mut search = Search::new(cx, src.lanes);
    let mut row = Vec::new();
    for lane in 0..src.lanes {
        cx.poll()?;
        cx.lane_f32(&src, lane, &mut row);
        search.run(lane, &row, [0, 1, 2, 3, 4, 5, 6, 7], |_| ());
    }
    cx.overlap(&[&src], &dst)?;
    store_indices(cx, &dst, &search.index)?;
    search.keep(cx);
    Ok(())
}

fn store_indices(cx: &mut Cx<'_, '_>, dst: &Dest, index: &[u32]) -> Result<(), Trap> {
    let size = dst.walk.elem as usize;
    cx.store_lanes(dst, false, |_, lane, out| {
        let row = index.iter().skip(SLOTS * usize::from(lane));
        for (out, i) in out.chunks_exact_mut(size).zip(row) {
            put((*i).into(), out);
        }
        Ok(())
    })
}

/// 0x6F: elements equal to an unmatched value become the immediate, the highest of equal slots
/// served first (decisions 1.3).
fn match_replace8(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let value = S4d4Mr(&cx.instr.bundle).immediate();
    cx.note_inputs([value]);
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let mut search = Search::new(cx, src.lanes);
    map_f32(cx, [&src], &dst, |lane, [x], out| {
        out.copy_from_slice(x);
        search.run(lane, x, [7, 6, 5, 4, 3, 2, 1, 0], |i| {
            if let Some(slot) = out.get_mut(i) {
                *slot = value;
            }
        });
        Ok(())
    })?;
    search.keep(cx);
    Ok(())
}

/// 0xE9: the index flops of each lane.
fn read_indices(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let dst = cx.dest("dst")?;
    eight(&dst.walk)?;
    let index = cx.hidden(Region::INDEX_FLOPS).to_vec();
    store_indices(cx, &dst, &index)
}
