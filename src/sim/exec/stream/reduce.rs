//! Folds and scans of the innermost dimensions (isa 07b B1).

use crate::isa::fields::{AluOp, SubDim};
use crate::isa::ops::stream::S4d4Tr;
use crate::num::{self, Kind, op};
use crate::sim::exec::alu::{
    Chain, bit_op, elements, int_band, int_trap, put, visit_chain, widest,
};
use crate::sim::exec::dest::{map_lanes, map_raw};
use crate::sim::exec::stream::tiles::transposed;
use crate::sim::exec::walk::Lanes;
use crate::sim::exec::{Cx, Dest, ExecFn, Walk};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x42, |cx| {
        let op = S4d4Tr(&cx.instr.bundle).op();
        reduce(cx, op, false)
    }),
    (0x4E, |cx| scan(cx, false)),
    (0x52, |cx| bits(cx, false)),
    (0x5E, |cx| scan(cx, true)),
    (0x83, |cx| {
        let op = S4d4Tr(&cx.instr.bundle).op();
        reduce(cx, op, true)
    }),
    (0x84, |cx| bits(cx, true)),
    (0x8C, |cx| reduce(cx, AluOp::ADD, false)),
    (0x8D, |cx| reduce(cx, AluOp::MAX, false)),
];

/// Elements of a source that one fold takes: the product of the dimensions that `dims` names.
///
/// # Errors
/// `op-dim` for a value that is no member.
pub(in crate::sim::exec) fn period(
    src: &Walk,
    slot: &'static str,
    dims: SubDim,
) -> Result<usize, Trap> {
    let n = match dims {
        SubDim::X => 1,
        SubDim::XY => 2,
        SubDim::XYZ => 3,
        SubDim::XYZW => 4,
        _ => {
            let m = format!("{dims}; X, XY, XYZ or XYZW");
            return Err(Trap::at("op-dim", slot, m));
        }
    };
    Ok(src.inner(n))
}

/// The source, the destination and the length of a fold.
fn operands(cx: &mut Cx<'_, '_>) -> Result<(Walk, Dest, usize), Trap> {
    let dims = S4d4Tr(&cx.instr.bundle).op_dim();
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let period = period(&src, "op_dim", dims)?;
    Ok((src, dst, period))
}

/// Checks that there is one destination element per fold.
///
/// # Errors
/// `count`.
pub(in crate::sim::exec) fn one_per_fold(
    src: &Walk,
    dst: &Dest,
    period: usize,
) -> Result<(), Trap> {
    let results = src.count / period.max(1);
    if results == dst.walk.count {
        return Ok(());
    }
    let m = format!("{} elements for {results} results", dst.walk.count);
    Err(Trap::at("count", "dst", m))
}

/// 0x42: left fold, in fp32 or of integers by the operation's class; 0x83 transposes first.
fn reduce(cx: &mut Cx<'_, '_>, op: AluOp, transpose: bool) -> Result<(), Trap> {
    let (src, dst, period) = operands(cx)?;
    one_per_fold(&src, &dst, period)?;
    let hold = cx.overlap(&[&src], &dst)?;
    if transpose {
        let rows = transposed(cx, &src)?;
        fold(cx, op, &rows, false, &dst, period)
    } else {
        fold(cx, op, &src, hold, &dst, period)
    }
}

fn fold<S: Lanes>(
    cx: &mut Cx<'_, '_>,
    op: AluOp,
    src: &S,
    hold: bool,
    dst: &Dest,
    period: usize,
) -> Result<(), Trap> {
    let negated = S4d4Tr(&cx.instr.bundle).negated().0 != 0;
    if int_band(op) {
        return fold_integers(cx, op, negated, src, hold, dst, period);
    }
    let (mm, rules) = (cx.settings.min_max(), *cx.rules());
    map_lanes(cx, &rules, hold, [src], dst, |_, [x], out| {
        visit_chain("op", op, mm, Folds { x, period, out })?;
        if negated {
            out.iter_mut().for_each(|o| *o = -*o);
        }
        Ok(())
    })
}

/// A left fold of each `period` elements of `x`.
struct Folds<'a> {
    x: &'a [f32],
    period: usize,
    out: &'a mut [f32],
}

/// Folds that run side by side, so that they need not wait for each other's results.
const SIDE: usize = 8;

impl Chain for Folds<'_> {
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy, leave: impl Fn(f32) -> f32 + Copy) {
        let n = self.period.max(1);
        let blocks = self.x.chunks(SIDE * n).zip(self.out.chunks_mut(SIDE));
        for (x, out) in blocks {
            if x.len() == SIDE * n && out.len() == SIDE {
                let rows: [&[f32]; SIDE] =
                    std::array::from_fn(|i| x.get(i * n..(i + 1) * n).unwrap_or(&[]));
                let mut acc = rows.map(|r| r.first().copied().unwrap_or(0.0));
                for k in 1..n {
                    for (acc, row) in acc.iter_mut().zip(&rows) {
                        *acc = f(*acc, row.get(k).copied().unwrap_or(0.0));
                    }
                }
                out.copy_from_slice(&acc);
            } else {
                for (x, out) in x.chunks(n).zip(out.iter_mut()) {
                    *out = x.iter().copied().reduce(f).unwrap_or(0.0);
                }
            }
            // A fold of one element only passes it on.
            if n > 1 {
                out.iter_mut().for_each(|o| *o = leave(*o));
            }
        }
    }
}

/// Integer fold at the wider of the two types; the index forms give the position in the fold of
/// the first extremum.
fn fold_integers<S: Lanes>(
    cx: &mut Cx<'_, '_>,
    op: AluOp,
    negated: bool,
    src: &S,
    hold: bool,
    dst: &Dest,
    period: usize,
) -> Result<(), Trap> {
    let wide = widest("op", op, &[src.kind(), dst.walk.kind])?;
    map_raw(cx, hold, [src], dst, |_, [row], out| {
        let folds = row.chunks_exact(period * src.kind().bytes());
        for (x, out) in folds.zip(out.chunks_exact_mut(dst.walk.elem as usize)) {
            let mut x = elements(src.kind(), x);
            let result = match better(op) {
                Some(better) => position(x, better),
                None => {
                    let first = x.next().unwrap_or(0);
                    x.try_fold(first, |acc, x| int_op(op, wide, acc, x))?
                }
            };
            let result = if negated {
                result.wrapping_neg()
            } else {
                result
            };
            put(result, out);
        }
        Ok(())
    })
}

fn int_op(op: AluOp, kind: Kind, acc: u64, x: u64) -> Result<u64, Trap> {
    num::int_op(op.0, kind, acc, x).map_err(|e| int_trap("op", op, e))
}

/// Comparison of the operations that give the position of an extremum.
fn better(op: AluOp) -> Option<fn(u64, u64) -> bool> {
    match op.0 {
        op::AMAX_INT => Some(|new, best| new as i64 > best as i64),
        op::AMIN_INT => Some(|new, best| (new as i64) < best as i64),
        op::AMAX_UINT => Some(|new, best| new > best),
        op::AMIN_UINT => Some(|new, best| new < best),
        _ => None,
    }
}

fn position(elements: impl Iterator<Item = u64>, better: fn(u64, u64) -> bool) -> u64 {
    let mut best = (0, None);
    for (i, x) in (0..).zip(elements) {
        if best.1.is_none_or(|b| better(x, b)) {
            best = (i, Some(x));
        }
    }
    best.0
}

/// 0x52: left fold of raw bits; 0x84 transposes first.
fn bits(cx: &mut Cx<'_, '_>, transpose: bool) -> Result<(), Trap> {
    let (src, dst, period) = operands(cx)?;
    one_per_fold(&src, &dst, period)?;
    cx.same_widths(&[&src], &dst)?;
    let hold = cx.overlap(&[&src], &dst)?;
    if transpose {
        let rows = transposed(cx, &src)?;
        fold_bits(cx, &rows, false, &dst, period)
    } else {
        fold_bits(cx, &src, hold, &dst, period)
    }
}

fn fold_bits<S: Lanes>(
    cx: &mut Cx<'_, '_>,
    src: &S,
    hold: bool,
    dst: &Dest,
    period: usize,
) -> Result<(), Trap> {
    let op = S4d4Tr(&cx.instr.bundle).op();
    let (kind, size) = (src.kind(), src.kind().bytes());
    map_raw(cx, hold, [src], dst, |_, [row], out| {
        let folds = row.chunks_exact(period * size);
        for (x, out) in folds.zip(out.chunks_exact_mut(size)) {
            let mut x = elements(kind, x);
            let first = x.next().unwrap_or(0);
            put(x.try_fold(first, |a, x| bit_op("op", op, kind, a, x))?, out);
        }
        Ok(())
    })
}

/// A scan of each `period` elements of `x`, every value written.
struct Scans<'a> {
    x: &'a [f32],
    period: usize,
    out: &'a mut [f32],
}

impl Chain for Scans<'_> {
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy, leave: impl Fn(f32) -> f32 + Copy) {
        let n = self.period.max(1);
        for (x, out) in self.x.chunks(n).zip(self.out.chunks_mut(n)) {
            let mut acc = None;
            for (x, out) in x.iter().zip(out) {
                let (next, kept) = match acc {
                    Some(acc) => {
                        let next = f(acc, *x);
                        (next, leave(next))
                    }
                    None => (*x, *x),
                };
                *out = kept;
                acc = Some(next);
            }
        }
    }
}

/// 0x4E, 0x5E: inclusive scan that starts again for every outer index.
fn scan(cx: &mut Cx<'_, '_>, bitvec: bool) -> Result<(), Trap> {
    let op = S4d4Tr(&cx.instr.bundle).op();
    let (src, dst, period) = operands(cx)?;
    cx.same_counts(&[&src], &dst)?;
    let hold = cx.overlap(&[&src], &dst)?;
    if !bitvec && !int_band(op) {
        let (mm, rules) = (cx.settings.min_max(), *cx.rules());
        return map_lanes(cx, &rules, hold, [&src], &dst, |_, [x], out| {
            visit_chain("op", op, mm, Scans { x, period, out })
        });
    }
    let kind = if bitvec {
        cx.same_widths(&[&src], &dst)?;
        src.kind
    } else {
        widest("op", op, &[src.kind, dst.walk.kind])?
    };
    let step = |acc: u64, x: u64| {
        if bitvec {
            bit_op("op", op, kind, acc, x)
        } else {
            int_op(op, kind, acc, x)
        }
    };
    map_raw(cx, hold, [&src], &dst, |_, [row], out| {
        let mut acc = 0;
        let pairs = elements(src.kind, row).zip(out.chunks_exact_mut(dst.walk.elem as usize));
        for (i, (x, out)) in pairs.enumerate() {
            acc = if i % period.max(1) == 0 {
                x
            } else {
                step(acc, x)?
            };
            put(acc, out);
        }
        Ok(())
    })
}
