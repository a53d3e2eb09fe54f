//! LDWEIGHTS: latching a tile of weights (isa 05 §6.1).

use super::tile::{Latched, SIDE, Tile, value};
use crate::isa::fields::{Fp32Mode, PerfOpt, Space};
use crate::isa::{DType, Generation};
use crate::num::{self, Kind, Rules};
use crate::sim::exec::{Cx, Walk};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// How the values of a cell lie in a pattern (isa 05 §6.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Members {
    /// One value per cell.
    One,
    /// All first members, then all second ones.
    Halves,
    /// First and second member side by side.
    Pairs,
}

impl Members {
    /// Values per cell.
    pub fn count(self) -> usize {
        if self == Members::One { 1 } else { 2 }
    }

    /// Position in the pattern of member `r` of cell `i`, of `cells`.
    pub fn position(self, r: usize, i: usize, cells: usize) -> usize {
        match self {
            Members::Pairs => 2 * i + r,
            _ => r * cells + i,
        }
    }
}

/// Reads of an operand must stay in SBUF, whatever a register says (isa 05 §5).
pub(super) fn in_sbuf(walk: &Walk) -> Result<(), Trap> {
    if walk.space == Space::Sbuf {
        return Ok(());
    }
    let m = format!(
        "{} is in {}; the PE reads SBUF only",
        walk.bounds(),
        walk.space
    );
    Err(Trap::at("space", walk.field, m))
}

/// The layouts of v5 name tiles in another way whose encoding is not published.
pub(super) fn not_v5(cx: &Cx<'_, '_>) -> Result<(), Trap> {
    if cx.instr.generation >= Generation::V5 {
        return Err(Trap::not_modelled("tile selection of v5 is not published"));
    }
    Ok(())
}

/// Leaves of every value the part that PE_FP32MODE selects (isa 05 §6.3). The remainder of what
/// rounds to infinity, and of infinities and NaN, is 0, so that both parts add up to the value.
pub(super) fn take_part(mode: u8, rules: &Rules, values: &mut [f32]) {
    let high = |x: f32| f32::from_bits(num::narrow(Kind::Fp32r, x, rules) as u32);
    match Fp32Mode(mode) {
        Fp32Mode::HIGH => values.iter_mut().for_each(|x| *x = high(*x)),
        Fp32Mode::LOW => values.iter_mut().for_each(|x| {
            let h = high(*x);
            *x = if h.is_finite() { *x - h } else { 0.0 };
        }),
        _ => {}
    }
}

/// Zero point of UINT8 operands: both bytes of the field hold it (isa 05 §3.3).
pub(super) fn zero_point(cx: &Cx<'_, '_>, dtype: DType) -> u8 {
    if dtype == DType::U8 {
        value(cx, "quant_offset") as u8
    } else {
        0
    }
}

/// fp32_mode of operands that have one.
pub(super) fn fp32_mode(cx: &Cx<'_, '_>, dtype: DType) -> u8 {
    if dtype == DType::FP32 {
        value(cx, "fp32_mode") as u8
    } else {
        0
    }
}

/// Is one of the transpose fields set? (isa 05 §6.5)
pub(super) fn transposes(cx: &Cx<'_, '_>) -> bool {
    value(cx, "transpose_mode") != 0 || value(cx, "xpose_mode") != 0
}

/// 0x01 (isa 05 §6.1).
pub(super) fn ldweights(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    not_v5(cx)?;
    let tile = Tile::of(cx)?;
    let src = cx.operand("src")?;
    in_sbuf(&src)?;
    let perf = value(cx, "perf_opt") as u8;
    let members = match PerfOpt(perf) {
        PerfOpt::NONE | PerfOpt::DOUBLE_COLUMN | PerfOpt::DOUBLE_PIXEL => Members::One,
        PerfOpt::DOUBLE_ROW => Members::Halves,
        PerfOpt::DOUBLE_ROW_SW_INTERLEAVE => Members::Pairs,
        _ => {
            return Err(Trap::at(
                "perf-opt",
                "perf_opt",
                format!("mode {perf}; 0..4 are defined"),
            ));
        }
    };
    let cols = tile.cols.active as usize;
    let planes = members.count();
    if src.count != planes * cols {
        let m = format!(
            "{} elements per partition for {cols} columns of {planes} values",
            src.count
        );
        return Err(Trap::at("count", src.field, m));
    }
    let latched = Latched {
        dtype: src.dtype,
        fp32_mode: fp32_mode(cx, src.dtype),
        planes: planes as u8,
        transpose: transposes(cx),
        zero_point: zero_point(cx, src.dtype),
    };
    let zero = f32::from(latched.zero_point);
    // A transpose moves bits, so the whole value must be there.
    let part = if latched.transpose {
        0
    } else {
        latched.fp32_mode
    };
    let rules = *cx.rules();
    let last_first = cx.settings.is(Id::WeightOrder, 0);

    let mut block = vec![0u32; planes * tile.rows.len as usize * cols];
    let mut row = Vec::new();
    for r in 0..tile.rows.active as usize {
        cx.poll()?;
        cx.lane_f32(&src, r as u16, &mut row);
        take_part(part, &rules, &mut row);
        for p in 0..planes {
            let at = (p * tile.rows.len as usize + r) * cols;
            let cells = block.get_mut(at..at + cols).unwrap_or_default();
            for (col, cell) in cells.iter_mut().enumerate() {
                let j = if last_first { cols - 1 - col } else { col };
                let w = row
                    .get(members.position(p, j, cols))
                    .copied()
                    .unwrap_or(0.0);
                *cell = (w - zero).to_bits();
            }
        }
    }
    latch(cx, tile, planes, &block);
    tile.set_latched(cx, latched);
    Ok(())
}

/// Stores `[plane][row of the group][active column]` in the array. What the groups select outside
/// the active part becomes 0, other groups stay (isa 05 §6.1).
pub(super) fn latch(cx: &mut Cx<'_, '_>, tile: Tile, planes: usize, block: &[u32]) {
    let (base, len, active) = (
        tile.cols.base as usize,
        tile.cols.len as usize,
        tile.cols.active as usize,
    );
    let plane_len = tile.rows.len as usize * active;
    for (p, values) in (0..planes as u32).zip(block.chunks_exact(plane_len)) {
        cx.writer.change_hidden(tile.rows_of(p), |words| {
            let rows = words.chunks_exact_mut(SIDE as usize);
            for (row, values) in rows.zip(values.chunks_exact(active)) {
                let cells = row.get_mut(base..base + len).unwrap_or_default();
                let (used, rest) = cells.split_at_mut(active);
                used.copy_from_slice(values);
                rest.fill(0);
            }
        });
    }
}
