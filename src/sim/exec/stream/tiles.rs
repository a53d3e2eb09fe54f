//! Movement between lanes in groups of 32: shuffle and transpose (isa 07b B1).

use std::ops::Range;

use crate::isa::ops::stream::{CtrlImMask, S4d4Tr};
use crate::num::Kind;
use crate::sim::exec::walk::Lanes;
use crate::sim::exec::{Cx, ExecFn, Walk};
use crate::sim::fault::Trap;
use crate::sim::{Region, State};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] =
    &[(0x69, load_mask), (0x6A, shuffle), (0x6B, transpose)];

/// Lanes and elements of a tile.
const TILE: usize = 32;

/// 0x69: the 32 mask bytes.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn load_mask(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let mask = CtrlImMask(&cx.instr.bundle).mask().0;
    let words = mask.as_chunks().0.iter();
    let words: Vec<u32> = words.map(|w| u32::from_le_bytes(*w)).collect();
    cx.writer.set_hidden(Region::SHUFFLE_MASK, &words);
    Ok(())
}

/// Source lane inside the group for each lane of it; `None`: not written.
fn mask(cx: &Cx<'_, '_>) -> Vec<Option<u16>> {
    let words = cx.hidden(Region::SHUFFLE_MASK).iter();
    let bytes = words.flat_map(|w| w.to_le_bytes());
    bytes
        .map(|m| (m < TILE as u8).then_some(m.into()))
        .collect()
}

/// The lanes that `keep` names, as ranges.
fn ranges(lanes: u16, keep: impl Fn(u16) -> bool) -> Vec<Range<u16>> {
    let mut out: Vec<Range<u16>> = Vec::new();
    for lane in (0..lanes).filter(|l| keep(*l)) {
        match out.last_mut() {
            Some(last) if last.end == lane => last.end += 1,
            _ => out.push(lane..lane + 1),
        }
    }
    out
}

/// 0x6A: every lane takes the row of the lane that the mask names, in its group of 32.
fn shuffle(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    cx.same_widths(&[&src], &dst)?;
    let (mask, lanes) = (mask(cx), dst.walk.lanes);
    let source = |lane: u16| {
        let group = lane - lane % TILE as u16;
        let from = mask.get(usize::from(lane % TILE as u16)).copied().flatten();
        from.map(|m| group + m)
    };
    if let Some(lane) = (0..lanes).find(|l| source(*l).is_some_and(|s| s >= lanes)) {
        let m = format!("lane {lane} takes its row from a lane behind the {lanes} active ones");
        return Err(Trap::at("shuffle-lane", "src", m));
    }
    cx.overlap(&[&src], &dst)?;
    let mut buffer = Vec::new();
    let written = ranges(lanes, |l| source(l).is_some());
    cx.store_some(&dst, &written, |state, lane, out| {
        let from = source(lane).unwrap_or(lane);
        out.copy_from_slice(src.packed(state, from, &mut buffer));
        Ok(())
    })
}

/// Rows that were read before.
pub(in crate::sim::exec) struct Rows {
    field: &'static str,
    kind: Kind,
    count: usize,
    bytes: Vec<u8>,
}

impl Lanes for Rows {
    fn field(&self) -> &'static str {
        self.field
    }
    fn kind(&self) -> Kind {
        self.kind
    }
    fn count(&self) -> usize {
        self.count
    }
    fn packed<'b>(&'b self, _: &'b State, lane: u16, _: &'b mut Vec<u8>) -> &'b [u8] {
        let row = self.count * self.kind.bytes();
        let at = row * usize::from(lane);
        self.bytes.get(at..at + row).unwrap_or(&[])
    }
}

/// Reads a source with each tile of 32 lanes by 32 elements transposed in place of itself.
///
/// # Errors
/// `count` when lanes or elements are no multiple of 32.
pub(in crate::sim::exec) fn transposed(cx: &Cx<'_, '_>, src: &Walk) -> Result<Rows, Trap> {
    let lanes = usize::from(src.lanes);
    if !lanes.is_multiple_of(TILE) || !src.count.is_multiple_of(TILE) {
        let m = format!("{lanes} lanes of {} elements; both by 32", src.count);
        return Err(Trap::at("count", src.field, m));
    }
    let (size, row) = (src.elem as usize, src.bytes());
    let mut bytes = vec![0; lanes * row];
    let mut buffer = Vec::new();
    for lane in 0..src.lanes {
        cx.poll()?;
        let packed = src.packed(cx.state(), lane, &mut buffer);
        let (tile, a) = (usize::from(lane) / TILE * TILE, usize::from(lane) % TILE);
        for (e, element) in packed.chunks_exact(size).enumerate() {
            let (to, at) = (tile + e % TILE, e - e % TILE + a);
            let at = to * row + at * size;
            if let Some(slot) = bytes.get_mut(at..at + size) {
                slot.copy_from_slice(element);
            }
        }
    }
    Ok(Rows {
        field: src.field,
        kind: src.kind,
        count: src.count,
        bytes,
    })
}

/// 0x6B: the transposed tiles. With mask_enable lanes whose mask byte says "keep" are not written
/// (isa 07b B1, a choice).
fn transpose(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let masked = S4d4Tr(&cx.instr.bundle).mask_enable().0 != 0;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_widths(&[&src], &dst)?;
    if dst.walk.count > src.count {
        let m = format!("{} elements, src has {}", dst.walk.count, src.count);
        return Err(Trap::at("count", "dst", m));
    }
    cx.overlap(&[&src], &dst)?;
    let rows = transposed(cx, &src)?;
    let mask = mask(cx);
    let kept = |lane: u16| {
        masked
            && mask
                .get(usize::from(lane) % TILE)
                .copied()
                .flatten()
                .is_none()
    };
    let written = ranges(dst.walk.lanes, |l| !kept(l));
    let mut unused = Vec::new();
    cx.store_some(&dst, &written, |state, lane, out| {
        let row = rows.packed(state, lane, &mut unused);
        out.iter_mut().zip(row).for_each(|(o, b)| *o = *b);
        Ok(())
    })
}
