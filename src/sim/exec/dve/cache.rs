//! Tensor-scalar operations that also fold into the accumulator (isa 07a A2).

use crate::isa::DType;
use crate::isa::fields::{AccumCmd, AluOp};
use crate::isa::ops::dve::S3d3Ts;
use crate::num::{self, Rhs};
use crate::sim::exec::alu::{Chain, sum, unary, visit_chain, zip};
use crate::sim::exec::{Cx, ExecFn, Scalars, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x30, exponential),
    (0x9A, |cx| cache(cx, false)),
    (0xE6, |cx| cache(cx, true)),
];

/// The scalar of the first operation, where it is used, and the seed, where the command needs it.
fn scalars(cx: &mut Cx<'_, '_>, used: bool) -> Result<(Scalars, Option<Scalars>), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3Ts(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let first = match used {
        true => cx.scalars("imm0", v.imm0(), v.imm0_src(), DType::FP32, lanes)?,
        false => Scalars::One(0),
    };
    let seed = match v.accumulator_cmd() {
        AccumCmd::LOAD_ACCUMULATE => {
            Some(cx.scalars("imm1", v.imm1(), v.imm1_src(), DType::FP32, lanes)?)
        }
        _ => None,
    };
    Ok((first, seed))
}

/// Runs `acc = x op acc` over a row; with `store` the row becomes the running values.
struct Running<'a> {
    acc: &'a mut f32,
    row: &'a mut [f32],
    store: bool,
}

impl Chain for Running<'_> {
    #[inline(always)]
    fn run(self, f: impl Fn(f32, f32) -> f32 + Copy, leave: impl Fn(f32) -> f32 + Copy) {
        let mut acc = *self.acc;
        if self.store {
            for x in self.row {
                acc = f(*x, acc);
                *x = leave(acc);
            }
        } else {
            for x in self.row {
                acc = f(*x, acc);
            }
        }
        *self.acc = leave(acc);
    }
}

/// 0x9A: `t = src op0 imm0` is stored and folded, `acc = t op1 acc`; 0xE6 stores the running value.
fn cache(cx: &mut Cx<'_, '_>, store: bool) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3Ts(&bundle);
    let (scalar, seed) = scalars(cx, !unary(v.op0()))?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let (op0, op1, lanes) = (v.op0(), v.op1(), dst.walk.lanes);
    let command = v.accumulator_cmd();
    let acc = cx.accumulators(command, op1, seed.as_ref(), lanes)?;
    let Some(mut acc) = acc else {
        let m = "IDLE; ZERO_ACCUMULATE, ACCUMULATE or LOAD_ACCUMULATE";
        return Err(Trap::at("accumulator", "accumulator_cmd", m));
    };
    let mm = cx.settings.min_max();
    map_f32(cx, [&src], &dst, |lane, [x], row| {
        zip("op0", op0, x, Rhs::Scalar(scalar.f32(lane)), false, mm, row)?;
        if let Some(acc) = acc.get_mut(usize::from(lane)) {
            visit_chain("op1", op1, mm, Running { acc, row, store })?;
        }
        Ok(())
    })?;
    cx.set_accumulators(&acc);
    Ok(())
}

/// 0x30: `dst[k] = exp(src[k] - imm0)`, summed into the accumulator when asked. The hardware uses a
/// table that is not published; this is the exponential rounded to fp32.
fn exponential(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let command = S3d3Ts(&cx.instr.bundle).accumulator_cmd();
    let (maximum, seed) = scalars(cx, true)?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let mut acc = cx.accumulators(command, AluOp::ADD, seed.as_ref(), dst.walk.lanes)?;
    map_f32(cx, [&src], &dst, |lane, [x], row| {
        let maximum = maximum.f32(lane);
        for (x, y) in x.iter().zip(row.iter_mut()) {
            *y = num::computed(libm::exp(f64::from(x - maximum)) as f32);
        }
        if let Some(acc) = acc.as_mut().and_then(|a| a.get_mut(usize::from(lane))) {
            *acc = sum(*acc, row);
        }
        Ok(())
    })?;
    if let Some(acc) = acc {
        cx.set_accumulators(&acc);
    }
    Ok(())
}
