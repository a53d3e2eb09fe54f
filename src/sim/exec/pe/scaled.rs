//! LDWEIGHTS_MX and MATMUL_MX: products of scaled narrow elements (isa 05 §7).
//!
//! Scales are applied to the elements, so a container is four latched fp32 weights, one per plane, and
//! the contraction index is `4 * row + element`.

use super::load::latch;
use super::matmul::run_panels;
use super::mx::{LANES, MxOperand, report_odd_scale};
use super::psum::Target;
use super::tile::{Latched, SIDE, Tile, value};
use crate::isa::DType;
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

fn source(cx: &mut Cx<'_, '_>) -> Result<(Tile, MxOperand), Trap> {
    let tile = Tile::of(cx)?;
    let dtype = DType(value(cx, "in_dtype") as u8);
    let src = MxOperand::of(cx, "src", 16, dtype, tile.rows.active as u16)?;
    src.note_read(cx)?;
    Ok((tile, src))
}

/// 0x09.
pub(super) fn ldweights_mx(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (tile, src) = source(cx)?;
    let cols = tile.cols.active as usize;
    if src.containers() != cols {
        let m = format!(
            "{} containers per partition for {cols} columns",
            src.containers()
        );
        return Err(Trap::at("count", "src", m));
    }
    let last_first = cx.settings.is(Id::WeightOrder, 0);
    let rows = tile.rows.len as usize;
    let mut block = vec![0u32; LANES * rows * cols];
    let (mut values, mut odd) = (Vec::new(), false);
    for r in 0..tile.rows.active as usize {
        odd |= src.read(cx, r as u16, &mut values);
        for (j, container) in values.chunks_exact(LANES).enumerate() {
            let col = if last_first { cols - 1 - j } else { j };
            for (p, w) in container.iter().enumerate() {
                if let Some(cell) = block.get_mut((p * rows + r) * cols + col) {
                    *cell = w.to_bits();
                }
            }
        }
    }
    report_odd_scale(cx, odd);
    latch(cx, tile, LANES, &block);
    let latched = Latched {
        dtype: DType(value(cx, "in_dtype") as u8),
        fp32_mode: 0,
        planes: LANES as u8,
        transpose: false,
        zero_point: 0,
    };
    tile.set_latched(cx, latched);
    Ok(())
}

/// 0x0A.
pub(super) fn matmul_mx(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (tile, src) = source(cx)?;
    let target = Target::of(cx, false)?;
    if let Some(l) = tile.latched(cx)
        && usize::from(l.planes) != LANES
    {
        let m = format!("MX pass over weights latched as plain {}", l.dtype);
        return Err(Trap::not_modelled(m));
    }
    let width = target.walk().count;
    if src.containers() != width {
        let m = format!(
            "{} containers per partition for {width} of the destination",
            src.containers()
        );
        return Err(Trap::at("count", "src", m));
    }
    let (rows, cols) = (tile.rows.active as usize, tile.cols.active as usize);
    let base = tile.cols.base as usize;
    run_panels(cx, &target, (LANES * rows, cols, width), |cx, panels| {
        for p in 0..LANES {
            let words = cx
                .hidden(tile.rows_of(p as u32))
                .chunks_exact(SIDE as usize);
            for (r, row) in words.take(rows).enumerate() {
                let row = row.get(base..base + cols).unwrap_or(&[]);
                panels.set_weights(LANES * r + p, row.iter().map(|w| f32::from_bits(*w)));
            }
        }
        let (mut values, mut element, mut odd) = (Vec::new(), Vec::new(), false);
        for r in 0..rows {
            cx.poll()?;
            odd |= src.read(cx, r as u16, &mut values);
            for p in 0..LANES {
                element.clear();
                element.extend(values.iter().skip(p).step_by(LANES));
                panels.set_moving(LANES * r + p, &element);
            }
        }
        report_odd_scale(cx, odd);
        Ok(())
    })
}
