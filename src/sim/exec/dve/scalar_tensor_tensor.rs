//! One scalar and two tensors (isa 07a A3).

use crate::isa::fields::{AccumCmd, AluOp};
use crate::isa::ops::dve::S2s2d2Stt;
use crate::num::{self, F32Visitor, MinMaxNan, Rhs, op};
use crate::sim::exec::alu::{no_meaning, sum, unary, zip, zip_bits};
use crate::sim::exec::dve::tensor_scalar::repeat;
use crate::sim::exec::{Cx, Dest, ExecFn, Scalars, Walk, map_bytes, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x9D, arith),
    (0x9E, bitvec),
    (0xE5, scan),
    (0xEA, select_reduce),
];

/// The operands that all forms share.
struct Parts {
    a: Walk,
    b: Walk,
    dst: Dest,
    scalar: Scalars,
    ops: [AluOp; 2],
    /// Which operation swaps its operands.
    swap: [bool; 2],
    command: AccumCmd,
}

fn parts(cx: &mut Cx<'_, '_>) -> Result<Parts, Trap> {
    let bundle = cx.instr.bundle;
    let v = S2s2d2Stt(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let reverse = v.reverse_operands().0;
    let scalar = cx.scalars("imm0", v.imm0(), v.imm0_src(), v.imm0_dtype(), lanes)?;
    let (a, b, dst) = (cx.operand("src0")?, cx.operand("src1")?, cx.dest("dst")?);
    cx.same_counts(&[&a, &b], &dst)?;
    Ok(Parts {
        a,
        b,
        dst,
        scalar,
        ops: [v.op0(), v.op1()],
        // A one-operand function takes the tensor whichever side it stands on.
        swap: [reverse & 1 != 0 && !unary(v.op0()), reverse & 2 != 0],
        command: v.accumulator_cmd(),
    })
}

/// 0x9D: `dst[k] = (src0[k] op0 imm0) op1 src1[k]`; the results are summed into the accumulator
/// when asked.
fn arith(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let p = parts(cx)?;
    let mut acc = cx.accumulators(p.command, AluOp::ADD, None, p.dst.walk.lanes)?;
    let mm = cx.settings.min_max();
    let mut between = vec![0.0; p.dst.walk.count];
    let ([op0, op1], [swap0, swap1]) = (p.ops, p.swap);
    map_f32(cx, [&p.a, &p.b], &p.dst, |lane, [a, b], out| {
        let scalar = Rhs::Scalar(p.scalar.f32(lane));
        zip("op0", op0, a, scalar, swap0, mm, &mut between)?;
        zip("op1", op1, &between, Rhs::Slice(b), swap1, mm, out)?;
        if let Some(acc) = acc.as_mut().and_then(|a| a.get_mut(usize::from(lane))) {
            *acc = sum(*acc, out);
        }
        Ok(())
    })?;
    if let Some(acc) = acc {
        cx.set_accumulators(&acc);
    }
    Ok(())
}

/// 0x9E: the same on raw bits.
fn bitvec(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let p = parts(cx)?;
    cx.same_widths(&[&p.a, &p.b], &p.dst)?;
    let bytes = p.dst.walk.bytes();
    let (mut scalars, mut between) = (vec![0; bytes], vec![0; bytes]);
    let ([op0, op1], [swap0, swap1]) = (p.ops, p.swap);
    map_bytes(cx, [&p.a, &p.b], &p.dst, |lane, [a, b], out| {
        repeat(p.scalar.bits(lane), p.a.kind, &mut scalars);
        zip_bits("op0", op0, p.a.kind, [a, &scalars], swap0, &mut between)?;
        zip_bits("op1", op1, p.a.kind, [&between, b], swap1, out)
    })
}

/// `r = (a op0 r) op1 b` along a row, given the second operation as a function.
struct Recurrence<'a> {
    a: &'a [f32],
    b: &'a [f32],
    start: f32,
    op0: AluOp,
    swap: [bool; 2],
    mm: MinMaxNan,
    out: &'a mut [f32],
}

impl F32Visitor for Recurrence<'_> {
    type Out = Option<()>;
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy) -> Option<()> {
        let [swap0, swap1] = self.swap;
        let second = |t, b| if swap1 { f(b, t) } else { f(t, b) };
        let mut r = self.start;
        let rows = self.out.iter_mut().zip(self.a.iter().zip(self.b));
        if self.op0.0 == op::MULT {
            for (out, (a, b)) in rows {
                r = second(num::computed(a * r), *b);
                *out = r;
            }
            return Some(());
        }
        for (out, (a, b)) in rows {
            let (x, y) = if swap0 { (r, *a) } else { (*a, r) };
            r = second(num::f32_op(self.op0.0, x, y, self.mm)?, *b);
            *out = r;
        }
        Some(())
    }
}

/// 0xE5: `r = (src0[k] op0 r) op1 src1[k]`, started with imm0; the carry stays fp32.
fn scan(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let p = parts(cx)?;
    let mm = cx.settings.min_max();
    let [op0, op1] = p.ops;
    let reverse = S2s2d2Stt(&cx.instr.bundle).reverse_operands().0;
    map_f32(cx, [&p.a, &p.b], &p.dst, |lane, [a, b], out| {
        let row = Recurrence {
            a,
            b,
            start: p.scalar.f32(lane),
            op0,
            swap: [reverse & 1 != 0, p.swap[1]],
            mm,
            out,
        };
        num::visit_f32_op(op1.0, mm, row)
            .ok_or_else(|| no_meaning("op1", op1, "floating-point"))?
            .ok_or_else(|| no_meaning("op0", op0, "floating-point"))
    })
}

/// 0xEA: `dst[k] = src0[k] ? src1[k] : imm0`, FIRST inverting the predicate; the maximum of the
/// results is folded when asked.
fn select_reduce(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let p = parts(cx)?;
    let inverted = S2s2d2Stt(&cx.instr.bundle).reverse_operands().0 & 1 != 0;
    let mut acc = cx.accumulators(p.command, AluOp::MAX, None, p.dst.walk.lanes)?;
    let mm = cx.settings.min_max();
    map_f32(cx, [&p.a, &p.b], &p.dst, |lane, [pred, data], out| {
        let fill = p.scalar.f32(lane);
        for ((out, pred), x) in out.iter_mut().zip(pred).zip(data) {
            *out = if (*pred != 0.0) != inverted { *x } else { fill };
        }
        fold_max(&mut acc, lane, out, mm);
        Ok(())
    })?;
    if let Some(acc) = acc {
        cx.set_accumulators(&acc);
    }
    Ok(())
}

/// Folds the maximum of a row into the accumulator of a lane, when there are accumulators.
pub(super) fn fold_max(acc: &mut Option<Vec<f32>>, lane: u16, row: &[f32], mm: MinMaxNan) {
    if let Some(acc) = acc.as_mut().and_then(|a| a.get_mut(usize::from(lane))) {
        let max = |a, b| num::f32_op(op::MAX, a, b, mm).unwrap_or(a);
        *acc = row.iter().fold(*acc, |acc, x| max(acc, *x));
    }
}
