//! Pooling windows and reductions over lanes (isa 07b B2, B3).

use crate::isa::fields::{AluOp, CrossLaneAxis, CrossLaneOp, PoolFunc};
use crate::isa::ops::stream::{S4d4Cr, S4d4Pl};
use crate::num::{self, op};
use crate::sim::exec::alu::{bit_op, elements, put};
use crate::sim::exec::stream::reduce::{one_per_fold, period};
use crate::sim::exec::{Cx, Dest, ExecFn, Fresh, Walk, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x45, pool),
    (0x58, max_select),
    (0x7C, cross_lane),
    (0x7D, cross_lane_bits),
];

/// The larger one; the other one where one is NaN (isa 15 §3.4).
fn larger(acc: f32, x: f32) -> f32 {
    if x > acc || acc.is_nan() { x } else { acc }
}

/// 0x45: maximum or scaled sum of every window.
fn pool(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Pl(&bundle);
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let period = period(&src, "pool_dim", v.pool_dim())?;
    one_per_fold(&src, &dst, period)?;
    let (function, scale) = (v.pool_func(), v.pool_scale());
    if function != PoolFunc::MAX_POOL && function != PoolFunc::AVG_POOL {
        let m = format!("{function}; MAX_POOL or AVG_POOL");
        return Err(Trap::at("pool-func", "pool_func", m));
    }
    map_f32(cx, [&src], &dst, |_, [x], out| {
        for (window, out) in x.chunks_exact(period.max(1)).zip(out) {
            let values = window.iter().copied();
            *out = if function == PoolFunc::MAX_POOL {
                values.fold(f32::NEG_INFINITY, larger)
            } else {
                let sum = values.reduce(|acc, x| acc + x).unwrap_or(0.0);
                num::computed(sum * scale)
            };
        }
        Ok(())
    })
}

/// 0x58: position in its window of the first maximum.
fn max_select(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let dims = S4d4Pl(&cx.instr.bundle).pool_dim();
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let period = period(&src, "pool_dim", dims)?;
    one_per_fold(&src, &dst, period)?;
    map_f32(cx, [&src], &dst, |_, [x], out| {
        for (window, out) in x.chunks_exact(period.max(1)).zip(out) {
            let mut best = (0, f32::NEG_INFINITY);
            for (i, x) in window.iter().enumerate() {
                if *x > best.1 {
                    best = (i, *x);
                }
            }
            *out = best.0 as f32;
        }
        Ok(())
    })
}

/// Elements of the source that one result folds in each lane.
fn cross_period(src: &Walk, dst: &Dest, axis: CrossLaneAxis) -> Result<usize, Trap> {
    let period = match axis {
        CrossLaneAxis::ALL => src.count,
        CrossLaneAxis::PARTITIONS => 1,
        _ => {
            let m = format!("{axis}; ALL or PARTITIONS");
            return Err(Trap::at("reduce-axis", "reduce_axis", m));
        }
    };
    one_per_fold(src, dst, period)?;
    Ok(period)
}

/// 0x7C: sum, scaled sum or maximum over lanes, lane after lane, into one partition. For an average
/// every element is scaled before it is added.
fn cross_lane(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Cr(&bundle);
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let period = cross_period(&src, &dst, v.reduce_axis())?;
    let (op, scale) = match v.reduce_op() {
        CrossLaneOp::ADD => (op::ADD, None),
        CrossLaneOp::AVERAGE => (op::ADD, Some(v.scale())),
        CrossLaneOp::MAX => (op::MAX, None),
        other => {
            let m = format!("{other}; ADD, AVERAGE or MAX");
            return Err(Trap::at("reduce-op", "reduce_op", m));
        }
    };
    cx.overlap(&[&src], &dst)?;
    let (mm, rules) = (cx.settings.min_max(), *cx.rules());
    let mut acc: Vec<Option<f32>> = vec![None; dst.walk.count];
    let (mut row, mut nan_in, mut inf_in) = (Vec::new(), false, false);
    for lane in 0..src.lanes {
        cx.poll()?;
        cx.lane_f32(&src, lane, &mut row);
        nan_in |= row.iter().any(|x| x.is_nan());
        inf_in |= row.iter().any(|x| x.is_infinite());
        for (acc, x) in acc.iter_mut().zip(row.chunks_exact(period.max(1))) {
            for x in x {
                let x = scale.map_or(*x, |s| num::computed(x * s));
                *acc = match acc {
                    Some(a) => num::f32_op(op, *a, x, mm),
                    None => Some(x),
                };
            }
        }
    }
    let values: Vec<f32> = acc.into_iter().map(|a| a.unwrap_or(0.0)).collect();
    let mut lost = num::Narrowed::default();
    cx.store_lanes(&dst, false, |_, _, out| {
        lost = num::narrow_slice(dst.walk.kind, &values, &rules, out);
        Ok(())
    })?;
    let fresh = Fresh {
        nan: lost.nan > 0 && !nan_in,
        inf: lost.inf > 0 && !inf_in,
    };
    cx.report_narrowed(&dst, lost, fresh);
    Ok(())
}

/// 0x7D: bitwise or, and, exclusive or over lanes.
fn cross_lane_bits(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Cr(&bundle);
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let period = cross_period(&src, &dst, v.reduce_axis())?;
    cx.same_widths(&[&src], &dst)?;
    let op = match v.reduce_op() {
        CrossLaneOp::BITWISE_OR => AluOp::BITWISE_OR,
        CrossLaneOp::BITWISE_AND => AluOp::BITWISE_AND,
        CrossLaneOp::BITWISE_XOR => AluOp::BITWISE_XOR,
        other => {
            let m = format!("{other}; BITWISE_OR, BITWISE_AND or BITWISE_XOR");
            return Err(Trap::at("reduce-op", "reduce_op", m));
        }
    };
    cx.overlap(&[&src], &dst)?;
    let size = src.elem as usize;
    let mut acc: Vec<Option<u64>> = vec![None; dst.walk.count];
    let mut buffer = Vec::new();
    for lane in 0..src.lanes {
        cx.poll()?;
        let row = src.packed(cx.state(), lane, &mut buffer);
        for (acc, x) in acc.iter_mut().zip(row.chunks_exact(period * size)) {
            for x in elements(src.kind, x) {
                *acc = Some(match acc {
                    Some(a) => bit_op("reduce_op", op, src.kind, *a, x)?,
                    None => x,
                });
            }
        }
    }
    cx.store_lanes(&dst, false, |_, _, out| {
        for (out, acc) in out.chunks_exact_mut(size).zip(&acc) {
            put(acc.unwrap_or(0), out);
        }
        Ok(())
    })
}
