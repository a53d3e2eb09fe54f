//! SPARSITY_COMPRESS: the four extreme elements of every group with their positions (isa 05 §3.9).

use std::cmp::Ordering;

use crate::isa::DType;
use crate::isa::fields::{CompressOp, SubDim};
use crate::isa::ops::pe::{S2d2d2Sc, S3d3Sc};
use crate::num::{self, Kind, Narrowed};
use crate::sim::exec::cx::kind_of;
use crate::sim::exec::stream::reduce::period;
use crate::sim::exec::{Cx, Dest, Fresh, Walk};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Elements kept of a group.
const KEPT: usize = 4;

/// A kept element: value and position in its group.
type Kept = (f32, usize);

/// The rows of all lanes in stream order, after the optional transpose of 32 x 32 tiles.
fn rows(cx: &mut Cx<'_, '_>, src: &Walk, transpose: bool) -> Result<Vec<Vec<f32>>, Trap> {
    let mut rows = vec![Vec::new(); usize::from(src.lanes)];
    for (row, lane) in rows.iter_mut().zip(0..) {
        cx.poll()?;
        cx.lane_f32(src, lane, row);
    }
    if !transpose {
        return Ok(rows);
    }
    if !src.count.is_multiple_of(32) || !src.lanes.is_multiple_of(32) {
        let m = format!(
            "{} partitions of {} elements; multiples of 32",
            src.lanes, src.count
        );
        return Err(Trap::at("count", "transpose_src", m));
    }
    // Element (p, e) goes to partition (p & ~31) | (e & 31), element (e & ~31) | (p & 31).
    let at = |p: usize, e: usize| {
        let row = rows.get(p & !31 | e & 31);
        row.and_then(|r| r.get(e & !31 | p & 31))
            .copied()
            .unwrap_or(0.0)
    };
    Ok((0..rows.len())
        .map(|p| (0..src.count).map(|e| at(p, e)).collect())
        .collect())
}

/// The four elements that `op` ranks first; the best one last. NaN ranks behind everything, of
/// equals the lower position ranks first.
fn top(op: CompressOp, group: &[f32]) -> Option<[Kept; KEPT]> {
    let key = |x: f32| match op {
        CompressOp::ABS_MIN | CompressOp::ABS_MAX => x.abs(),
        _ => x,
    };
    let largest = op == CompressOp::MAX || op == CompressOp::ABS_MAX;
    let rank = |a: &Kept, b: &Kept| {
        let (x, y) = (key(a.0), key(b.0));
        let order = match x.partial_cmp(&y) {
            Some(o) if largest => o.reverse(),
            Some(o) => o,
            None => x.is_nan().cmp(&y.is_nan()),
        };
        if order == Ordering::Equal {
            a.1.cmp(&b.1)
        } else {
            order
        }
    };
    let mut all: Vec<Kept> = group.iter().copied().zip(0..).collect();
    all.sort_by(rank);
    let mut kept = *all.first_chunk::<KEPT>()?;
    kept.reverse();
    Some(kept)
}

/// What both forms share, from their fields.
struct Compress {
    src: Walk,
    rows: Vec<Vec<f32>>,
    period: usize,
    op: CompressOp,
    data: Kind,
}

impl Compress {
    fn of(
        cx: &mut Cx<'_, '_>,
        op: CompressOp,
        dims: SubDim,
        transpose: bool,
        data: DType,
    ) -> Result<Compress, Trap> {
        if !op.is_defined() {
            let m = format!("{op}; MIN, MAX, ABS_MIN and ABS_MAX are defined");
            return Err(Trap::at("compress-op", "op", m));
        }
        let src = cx.operand("src")?;
        let period = period(&src, "op_dim", dims)?;
        if period < KEPT || src.count % period != 0 {
            let m = format!(
                "groups of {period} of {} elements; at least {KEPT}",
                src.count
            );
            return Err(Trap::at("group-size", "op_dim", m));
        }
        let kind = kind_of(data, cx.settings.is(Id::Fp8E4, 2));
        let data = kind.filter(|k| k.lanes() == 1).ok_or_else(|| {
            Trap::at(
                "dtype",
                "out_data_dtype",
                format!("{data} is no type of single elements"),
            )
        })?;
        let rows = rows(cx, &src, transpose)?;
        Ok(Compress {
            src,
            rows,
            period,
            op,
            data,
        })
    }

    fn groups(&self) -> usize {
        self.src.count / self.period
    }

    /// Positions must fit the tag.
    fn check_tag_bits(&self, bits: u32) -> Result<(), Trap> {
        if bits >= 32 || self.period <= 1 << bits {
            return Ok(());
        }
        let m = format!(
            "positions in groups of {} do not fit {bits} bits",
            self.period
        );
        Err(Trap::at("tag-width", "op_dim", m))
    }

    fn check_count(&self, dst: &Dest, per_group: usize) -> Result<(), Trap> {
        let allowed = per_group * self.groups();
        if dst.walk.count == allowed {
            return Ok(());
        }
        let m = format!("{} elements for {allowed} results", dst.walk.count);
        Err(Trap::at("count", dst.walk.field, m))
    }

    /// The kept elements of a lane, group after group: bits of the data and positions.
    fn lane(&self, cx: &Cx<'_, '_>, lane: u16, lost: &mut Narrowed) -> Vec<(u64, usize)> {
        let row = self
            .rows
            .get(usize::from(lane))
            .map_or(&[][..], Vec::as_slice);
        let mut out = Vec::with_capacity(KEPT * self.groups());
        let mut bytes = [0; 8];
        for group in row.chunks_exact(self.period) {
            for (x, position) in top(self.op, group).into_iter().flatten() {
                *lost += num::narrow_slice(self.data, &[x], cx.rules(), &mut bytes);
                out.push((u64::from_le_bytes(bytes), position));
            }
        }
        out
    }
}

/// 0xE0: elements {data, tag}, data low.
pub(super) fn interleaved(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S3d3Sc(&cx.instr.bundle);
    let c = Compress::of(
        cx,
        v.op(),
        v.op_dim(),
        v.transpose_src().0 != 0,
        v.out_data_dtype(),
    )?;
    let dst = cx.dest("dst")?;
    c.check_count(&dst, KEPT)?;
    let half = 4 * dst.walk.elem;
    if c.data.bits() != half {
        let m = format!(
            "{} in elements of {} bytes; data take one half",
            c.data, dst.walk.elem
        );
        return Err(Trap::at("dtype", "out_struct_dtype", m));
    }
    c.check_tag_bits(half)?;
    let mut lost = Narrowed::default();
    for lane in 0..dst.walk.lanes {
        let kept = c.lane(cx, lane, &mut lost);
        let bytes: Vec<u8> = kept
            .iter()
            .flat_map(|(data, position)| {
                let element = data | (*position as u64) << half;
                element
                    .to_le_bytes()
                    .into_iter()
                    .take(dst.walk.elem as usize)
            })
            .collect();
        cx.put_bytes(&dst, lane, &bytes)?;
    }
    cx.report_lost(c.data, lost, Fresh::default());
    Ok(())
}

/// 0xE1: data and tags to two destinations; four packed tags make one word.
pub(super) fn apart(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S2d2d2Sc(&cx.instr.bundle);
    let packed = v.packed_tags().0 != 0;
    let c = Compress::of(
        cx,
        v.op(),
        v.op_dim(),
        v.transpose_src().0 != 0,
        v.out_data_dtype(),
    )?;
    let (data, tags) = (cx.dest("data")?, cx.dest("tag")?);
    c.check_count(&data, KEPT)?;
    c.check_count(&tags, if packed { 1 } else { KEPT })?;
    c.check_tag_bits(if packed { 4 } else { 8 * tags.walk.elem })?;
    let mut lost = Narrowed::default();
    for lane in 0..data.walk.lanes {
        let kept = c.lane(cx, lane, &mut lost);
        let bytes = |words: &mut dyn Iterator<Item = u64>, size: u32| -> Vec<u8> {
            words
                .flat_map(|w| w.to_le_bytes().into_iter().take(size as usize))
                .collect()
        };
        let values = bytes(&mut kept.iter().map(|k| k.0), data.walk.elem);
        cx.put_bytes(&data, lane, &values)?;
        let positions: Vec<u64> = kept.iter().map(|k| k.1 as u64).collect();
        let words = if packed {
            let pack = |four: &[u64]| four.iter().rev().fold(0, |word, t| word << 4 | t);
            bytes(&mut positions.chunks(KEPT).map(pack), tags.walk.elem)
        } else {
            bytes(&mut positions.into_iter(), tags.walk.elem)
        };
        cx.put_bytes(&tags, lane, &words)?;
    }
    cx.report_lost(c.data, lost, Fresh::default());
    Ok(())
}
