//! MATMUL: the moving operand through the latched tile into PSUM (isa 05 §6.2).

use super::kernel::Panels;
use super::load::{Members, fp32_mode, in_sbuf, not_v5, take_part, transposes, zero_point};
use super::psum::Target;
use super::tile::{Latched, SIDE, Tile, value};
use super::transpose;
use crate::isa::fields::PerfOpt;
use crate::isa::{DType, Severity};
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Moving elements per partition: what fills a partition of PSUM in its smallest dtype.
const MAX_MOVING: usize = 8192;

/// How the moving elements of a partition lie, and how many cells they feed.
fn members(cx: &Cx<'_, '_>, moving: usize, cells: usize) -> Result<Members, Trap> {
    let perf = PerfOpt(value(cx, "perf_opt") as u8);
    let members = match perf {
        PerfOpt::NONE | PerfOpt::DOUBLE_COLUMN | PerfOpt::DOUBLE_PIXEL => Members::One,
        // Only weights are interleaved by software (isa 15 §4).
        PerfOpt::DOUBLE_ROW | PerfOpt::DOUBLE_ROW_SW_INTERLEAVE => Members::Halves,
        _ => {
            let m = format!("mode {perf}; 0..4 are defined");
            return Err(Trap::at("perf-opt", "perf_opt", m));
        }
    };
    if perf == PerfOpt::DOUBLE_PIXEL && moving == 2 * cells {
        return Err(Trap::not_modelled(
            "how DOUBLE_PIXEL pairs moving elements is not published",
        ));
    }
    if moving != members.count() * cells || cells > MAX_MOVING {
        let m = format!(
            "{moving} elements per partition for {cells} of the destination in mode {perf}"
        );
        return Err(Trap::at("count", "src", m));
    }
    Ok(members)
}

/// Does the moving dtype go with the latched one? FP32 and UINT8 only with themselves (isa 05 §5).
fn check_mix(cx: &mut Cx<'_, '_>, moving: DType, latched: Option<Latched>) {
    let alone = |d: DType| d == DType::FP32 || d == DType::U8;
    if let Some(l) = latched
        && l.dtype != moving
        && (alone(l.dtype) || alone(moving))
    {
        let m = format!("moving {moving} meets weights latched as {}", l.dtype);
        cx.finding(Severity::Warn, "pe-dtype-mix", m);
    }
}

/// 0x02 (isa 05 §6.2).
pub(super) fn matmul(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    not_v5(cx)?;
    let tile = Tile::of(cx)?;
    let src = cx.operand("src")?;
    in_sbuf(&src)?;
    let mut target = Target::of(cx, src.dtype == DType::U8)?;
    let latched = tile.latched(cx);
    check_mix(cx, src.dtype, latched);
    if transposes(cx) || latched.is_some_and(|l| l.transpose) {
        return transpose::run(cx, tile, &src, &mut target, latched);
    }

    let width = target.walk().count;
    let members = members(cx, src.count, width)?;
    let planes = members.count();
    if let Some(l) = latched
        && usize::from(l.planes) != planes
    {
        let m = format!(
            "a pass over {planes} values per cell meets weights latched with {}",
            l.planes
        );
        return Err(Trap::not_modelled(m));
    }
    let (rows, cols) = (tile.rows.active as usize, tile.cols.active as usize);
    let zero = f32::from(zero_point(cx, src.dtype));
    let (part, rules) = (fp32_mode(cx, src.dtype), *cx.rules());
    run_panels(cx, &target, (rows * planes, cols, width), |cx, panels| {
        set_weights(cx, tile, planes, panels);
        let mut values = Vec::new();
        for r in 0..rows {
            cx.poll()?;
            cx.lane_f32(&src, r as u16, &mut values);
            take_part(part, &rules, &mut values);
            if zero != 0.0 {
                values.iter_mut().for_each(|x| *x -= zero);
            }
            for (p, values) in values.chunks(width.max(1)).enumerate() {
                panels.set_moving(p * rows + r, values);
            }
        }
        Ok(())
    })
}

/// Runs a pass of `(depth, columns, width)` whose operands `fill` sets, and writes the result.
pub(super) fn run_panels<'a, 'w>(
    cx: &mut Cx<'a, 'w>,
    target: &Target,
    (depth, columns, width): (usize, usize, usize),
    fill: impl FnOnce(&mut Cx<'a, 'w>, &mut Panels) -> Result<(), Trap>,
) -> Result<(), Trap> {
    let mut panels = std::mem::take(&mut cx.scratch.panels);
    panels.start(depth, columns, width);
    let done = fill(cx, &mut panels).and_then(|()| {
        panels.multiply(cx.settings.is(Id::PeSum, 1));
        target.accumulate(cx, |m| panels.row(m), |odd| panels.any_operand(odd))
    });
    cx.scratch.panels = panels;
    done
}

/// Contraction index `rows * plane + row` gets the latched weights of that row (isa 05 §6.4).
fn set_weights(cx: &Cx<'_, '_>, tile: Tile, planes: usize, panels: &mut Panels) {
    let rows = tile.rows.active as usize;
    let (from, to) = (
        tile.cols.base as usize,
        tile.cols.base as usize + tile.cols.active as usize,
    );
    for p in 0..planes {
        let words = cx
            .hidden(tile.rows_of(p as u32))
            .chunks_exact(SIDE as usize);
        for (r, row) in words.take(rows).enumerate() {
            let row = row.get(from..to).unwrap_or(&[]);
            panels.set_weights(p * rows + r, row.iter().map(|w| f32::from_bits(*w)));
        }
    }
}
