//! Transpose passes: bits of one operand, steered by an identity in the other (isa 05 §6.5).

use super::psum::Target;
use super::tile::{Latched, SIDE, Tile};
use crate::num::{self, Kind, Rules};
use crate::sim::exec::cx::kind_of;
use crate::sim::exec::{Cx, Walk};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Sources disagree on which operand is the identity, so both are accepted, the moving one first.
pub(super) fn run(
    cx: &mut Cx<'_, '_>,
    tile: Tile,
    src: &Walk,
    target: &mut Target,
    latched: Option<Latched>,
) -> Result<(), Trap> {
    let (rows, cols) = (tile.rows.active as usize, tile.cols.active as usize);
    let width = src.count;
    let mut moving = Vec::new();
    let mut raw = Vec::new();
    let (mut values, mut bits) = (Vec::new(), Vec::new());
    for r in 0..rows {
        cx.lane_f32(src, r as u16, &mut values);
        cx.lane_raw(src, r as u16, &mut bits);
        moving.extend_from_slice(&values);
        raw.extend_from_slice(&bits);
    }
    let (base, words) = (tile.cols.base as usize, cx.hidden(tile.rows_of(0)));
    let weights: Vec<f32> = words
        .chunks_exact(SIDE as usize)
        .take(rows)
        .flat_map(|row| row.get(base..base + cols).unwrap_or(&[]))
        .map(|w| f32::from_bits(*w))
        .collect();

    let to = target.walk().kind;
    if is_identity(&moving, width) {
        if target.walk().count != width {
            let m = format!("{width} moving elements for {}", target.walk().count);
            return Err(Trap::at("count", "src", m));
        }
        let rules = *cx.rules();
        let fp8_fn = cx.settings.is(Id::Fp8E4, 2);
        let from = latched
            .and_then(|l| kind_of(l.dtype, fp8_fn))
            .unwrap_or(Kind::Fp32);
        return target.store_bits(cx, |m, n| {
            // Columns of the identity past its rows are 0.
            let w = if n < rows {
                weights.get(n * cols + m)
            } else {
                None
            };
            let w = w.copied().unwrap_or(0.0);
            carry(from, bits_of(from, w, &rules), w, to)
        });
    }
    if is_identity(&weights, cols) {
        let Ok(lanes) = u16::try_from(width) else {
            return Err(Trap::at(
                "count",
                "src",
                format!("{width} elements become partitions"),
            ));
        };
        target.reshape(lanes, rows)?;
        return target.store_bits(cx, |n, k| {
            let at = k * width + n;
            let x = moving.get(at).copied().unwrap_or(0.0);
            carry(src.kind, raw.get(at).copied().unwrap_or(0), x, to)
        });
    }
    Err(Trap::not_modelled(
        "transpose pass in which neither operand is an identity",
    ))
}

/// 1 where column equals row, else 0.
fn is_identity(values: &[f32], width: usize) -> bool {
    let mut rows = values.chunks(width.max(1)).enumerate();
    !values.is_empty()
        && rows.all(|(k, row)| {
            let mut cells = row.iter().enumerate();
            cells.all(|(n, x)| *x == f32::from(u8::from(n == k)))
        })
}

/// The element that a latched value came from.
fn bits_of(kind: Kind, value: f32, rules: &Rules) -> u64 {
    match kind {
        // Narrowing would replace the payload of a NaN.
        Kind::Bf16 => u64::from(value.to_bits() >> 16),
        Kind::Fp16 if value.is_nan() => {
            let b = value.to_bits();
            u64::from(b >> 16 & 0x8000 | 0x7C00 | b >> 13 & 0x03FF)
        }
        _ => num::narrow(kind, value, rules),
    }
}

/// What a PSUM element gets: the operand's bits, in the low bytes of a 16-bit element if they are 8.
/// A 32-bit element of a narrower operand holds its exact value; one too narrow, the rounded value.
fn carry(from: Kind, bits: u64, value: f32, to: Kind) -> u64 {
    if to.bytes() == 4 && from.bytes() < 4 {
        u64::from(value.to_bits())
    } else if to.bytes() < from.bytes() {
        num::narrow(to, value, &Rules::DEFAULT)
    } else {
        bits
    }
}
