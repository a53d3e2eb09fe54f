//! Folds and scans of the innermost dimensions (isa 07b B1).

use crate::isa::fields::{AluOp, SubDim};
use crate::isa::ops::stream::S4d4Tr;
use crate::num::{self, F32Visitor, op};
use crate::sim::exec::alu::{bit_op, elements, int_band, int_trap, no_meaning, put, widest};
use crate::sim::exec::{Cx, Dest, ExecFn, Walk, map_bytes, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x42, |cx| {
        let op = S4d4Tr(&cx.instr.bundle).op();
        reduce(cx, op)
    }),
    (0x52, bitvec),
    (0x8C, |cx| reduce(cx, AluOp::ADD)),
    (0x8D, |cx| reduce(cx, AluOp::MAX)),
];

/// Elements of a source that make one output: the product of the dimensions `dims` names.
///
/// # Errors
/// `op-dim` for a value that is no member or names more dimensions than the walk has.
pub(in crate::sim::exec) fn period(src: &Walk, dims: SubDim) -> Result<usize, Trap> {
    let n = match dims {
        SubDim::X => 1,
        SubDim::XY => 2,
        SubDim::XYZ => 3,
        SubDim::XYZW => 4,
        _ => {
            let m = format!("{dims}; X, XY, XYZ or XYZW");
            return Err(Trap::at("op-dim", "op_dim", m));
        }
    };
    Ok(src.inner(n))
}

/// The source, the destination and the length of a fold.
fn operands(cx: &mut Cx<'_, '_>) -> Result<(Walk, Dest, usize), Trap> {
    let dims = S4d4Tr(&cx.instr.bundle).op_dim();
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let period = period(&src, dims)?;
    let outputs = src.count / period.max(1);
    if outputs != dst.walk.count {
        let m = format!("{} elements for {outputs} results", dst.walk.count);
        return Err(Trap::at("count", "dst", m));
    }
    Ok((src, dst, period))
}

/// 0x42: left fold in fp32, or of integers by the operation's class.
fn reduce(cx: &mut Cx<'_, '_>, op: AluOp) -> Result<(), Trap> {
    let negated = S4d4Tr(&cx.instr.bundle).negated().0 != 0;
    let (src, dst, period) = operands(cx)?;
    if int_band(op) {
        return integer(cx, op, negated, &src, &dst, period);
    }
    let mm = cx.settings.min_max();
    map_f32(cx, [&src], &dst, |_, [x], out| {
        num::visit_f32_op(op.0, mm, Folds { x, period, out })
            .ok_or_else(|| no_meaning("op", op, "floating-point"))?;
        if negated {
            out.iter_mut().for_each(|o| *o = -*o);
        }
        Ok(())
    })
}

/// A left fold of each `period` elements of `x`.
pub(in crate::sim::exec) struct Folds<'a> {
    /// Elements.
    pub x: &'a [f32],
    /// Elements per result.
    pub period: usize,
    /// Results.
    pub out: &'a mut [f32],
}

/// Folds that run side by side, so that they need not wait for each other's results.
const SIDE: usize = 8;

impl F32Visitor for Folds<'_> {
    type Out = ();
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) {
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
                for (x, out) in x.chunks(n).zip(out) {
                    *out = x.iter().copied().reduce(f).unwrap_or(0.0);
                }
            }
        }
    }
}

/// Integer fold at the wider of the two types; the index forms give the position in the fold of
/// the first extremum.
fn integer(
    cx: &mut Cx<'_, '_>,
    op: AluOp,
    negated: bool,
    src: &Walk,
    dst: &Dest,
    period: usize,
) -> Result<(), Trap> {
    let wide = widest("op", op, &[src.kind, dst.walk.kind])?;
    let step =
        |acc: u64, x: u64| num::int_op(op.0, wide, acc, x).map_err(|e| int_trap("op", op, e));
    map_bytes(cx, [src], dst, |_, [row], out| {
        let folds = row.chunks_exact(period * src.elem as usize);
        for (x, out) in folds.zip(out.chunks_exact_mut(dst.walk.elem as usize)) {
            let mut x = elements(src.kind, x);
            let result = match better(op) {
                Some(better) => position(x, better),
                None => {
                    let first = x.next().unwrap_or(0);
                    x.try_fold(first, step)?
                }
            };
            put(
                if negated {
                    result.wrapping_neg()
                } else {
                    result
                },
                out,
            );
        }
        Ok(())
    })
}

/// Comparison of the operations that give the position of an extremum.
fn better(op: AluOp) -> Option<fn(u64, u64) -> bool> {
    match op.0 {
        op::AMAX_INT => Some(|new, best| (new as i64) > best as i64),
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

/// 0x52: left fold of raw bits.
fn bitvec(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let op = S4d4Tr(&cx.instr.bundle).op();
    let (src, dst, period) = operands(cx)?;
    cx.same_widths(&[&src], &dst)?;
    let size = src.elem as usize;
    map_bytes(cx, [&src], &dst, |_, [row], out| {
        let folds = row.chunks_exact(period * size);
        for (x, out) in folds.zip(out.chunks_exact_mut(size)) {
            let mut x = elements(src.kind, x);
            let first = x.next().unwrap_or(0);
            put(
                x.try_fold(first, |acc, x| bit_op("op", op, src.kind, acc, x))?,
                out,
            );
        }
        Ok(())
    })
}
