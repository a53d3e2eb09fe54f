//! ACTIVATE2: two ALU stages, function, fold with an operator of choice (isa 06 §4.5).

use super::activate::same_count;
use super::stage::Stage;
use crate::isa::fields::{AluOp, Imm32, ImmSrc, ReduceCmd};
use crate::isa::ops::act::S2d2Ac;
use crate::num::{self, Rhs};
use crate::sim::exec::{Cx, Scalars, map_f32};
use crate::sim::fault::Trap;

/// What folding starts from (decisions 1.3).
fn identity(op: AluOp) -> Result<f32, Trap> {
    match op {
        AluOp::ADD | AluOp::ABS_MAX => Ok(0.0),
        AluOp::MAX => Ok(f32::NEG_INFINITY),
        AluOp::MIN | AluOp::ABS_MIN => Ok(f32::INFINITY),
        _ => {
            let m = format!("{op}; ADD, MAX, MIN, ABS_MAX and ABS_MIN fold");
            Err(Trap::at("alu-op", "reduce_op", m))
        }
    }
}

/// An ALU stage with its operand; a bypass has none and follows no pointer.
struct AluStage {
    slot: &'static str,
    op: AluOp,
    imm: Scalars,
    swap: bool,
}

impl AluStage {
    fn of(
        cx: &mut Cx<'_, '_>,
        (slot, op): (&'static str, AluOp),
        imm: Imm32,
        src: ImmSrc,
        swap: bool,
    ) -> Result<AluStage, Trap> {
        let v = S2d2Ac(&cx.instr.bundle);
        let imm = if op == AluOp::BYPASS {
            Scalars::One(0)
        } else {
            cx.scalars(
                slot,
                imm,
                src,
                v.imm_dtype(),
                u16::from(v.num_active_channels()),
            )?
        };
        Ok(AluStage {
            slot,
            op,
            imm,
            swap,
        })
    }

    fn run(&self, nan: num::MinMaxNan, lane: u16, x: &[f32], out: &mut [f32]) -> Result<(), Trap> {
        let rhs = Rhs::Scalar(self.imm.f32(lane));
        if num::f32_zip(
            self.op.0,
            x,
            rhs,
            self.swap && self.op != AluOp::BYPASS,
            nan,
            out,
        ) {
            return Ok(());
        }
        let m = format!("{} has no float form", self.op);
        Err(Trap::at("alu-op", self.slot, m))
    }
}

/// 0x25 (isa 06 §4.5).
pub(super) fn activate2(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S2d2Ac(&cx.instr.bundle);
    let lanes = u16::from(v.num_active_channels());
    let mut stage = Stage::of(cx, v.activation_func())?;
    let src = cx.operand("src")?;
    let reverse = v.reverse_operands().0;
    let first = AluStage::of(
        cx,
        ("imm0", v.op0()),
        v.imm0(),
        v.imm0_src(),
        reverse & 1 != 0,
    )?;
    let second = AluStage::of(
        cx,
        ("imm1", v.op1()),
        v.imm1(),
        v.imm1_src(),
        reverse & 2 != 0,
    )?;
    if stage.takes_alpha() {
        let (param, from) = (v.relu_param(), v.relu_param_src());
        stage.set_alpha(cx.scalars("relu_param", param, from, v.imm_dtype(), lanes)?);
    }
    let (command, fold) = (v.reduce_cmd(), v.reduce_op());
    let reset = || identity(fold).map(|start| vec![start; usize::from(lanes)]);
    let (mut acc, folds) = match command {
        ReduceCmd::IDLE => (None, false),
        ReduceCmd::RESET => (Some(reset()?), false),
        ReduceCmd::REDUCE => {
            identity(fold)?;
            (Some(cx.act_accumulators(lanes)), true)
        }
        ReduceCmd::RESET_REDUCE => (Some(reset()?), true),
        _ => {
            let m = format!("command {command}; 0..3 are defined");
            return Err(Trap::at("accumulator", "reduce_cmd", m));
        }
    };
    let dst = cx.dest("dst")?;
    same_count(&src, &dst.walk)?;
    let nan = cx.settings.min_max();
    let mut between = vec![0.0; src.count];
    map_f32(cx, [&src], &dst, |lane, [x], out| {
        first.run(nan, lane, x, &mut between)?;
        second.run(nan, lane, &between, out)?;
        stage.apply(lane, out);
        if let Some(acc) = acc.as_mut().and_then(|a| a.get_mut(usize::from(lane)))
            && folds
        {
            *acc = out.iter().fold(*acc, |acc, r| {
                num::f32_op(fold.0, acc, *r, nan).unwrap_or(acc)
            });
        }
        Ok(())
    })?;
    stage.report(cx);
    if let Some(acc) = acc {
        cx.set_act_accumulators(&acc);
    }
    Ok(())
}
