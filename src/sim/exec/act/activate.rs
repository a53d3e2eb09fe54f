//! ACTIVATE, ACTIVATE_QUANTIZE and the read-out of the accumulators (isa 06 §4.1, §4.2, §4.4).

use super::acc;
use super::stage::Stage;
use crate::isa::DType;
use crate::isa::fields::{AccumCmd, Imm32, ImmSrc, ImmSrcN};
use crate::isa::ops::act::{S3d3Ac, S3d3Aq};
use crate::num::computed;
use crate::sim::exec::{Cx, Walk, map_f32};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Source and destination must have as many elements (isa 06 §5).
pub(super) fn same_count(src: &Walk, dst: &Walk) -> Result<(), Trap> {
    if src.count == dst.count {
        return Ok(());
    }
    let m = format!(
        "{} elements per partition, {} has {}",
        dst.count, src.field, src.count
    );
    Err(Trap::at("element-count", dst.field, m))
}

/// The bias is numbered the other way round (isa 04 §6).
fn bias_src(n: ImmSrcN) -> ImmSrc {
    match n {
        ImmSrcN::POINTER => ImmSrc::POINTER,
        ImmSrcN::INSTRUCTION => ImmSrc::INSTRUCTION,
        other => ImmSrc(other.0),
    }
}

/// `out = scale * x + bias`, rounded once or twice (decisions 1.3).
pub(super) fn affine(fused: bool, scale: f32, bias: f32, x: &[f32], out: &mut [f32]) {
    let pairs = out.iter_mut().zip(x);
    if fused {
        pairs.for_each(|(y, x)| *y = computed(scale.mul_add(*x, bias)));
    } else {
        pairs.for_each(|(y, x)| *y = computed(scale * x + bias));
    }
}

/// 0x21 (isa 06 §4.1).
pub(super) fn activate(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S3d3Ac(&cx.instr.bundle);
    let lanes = u16::from(v.num_active_channels());
    let mut stage = Stage::of(cx, v.activation_func())?;
    let src = cx.operand("src")?;
    let scale = cx.scalars(
        "scale_value",
        v.scale_value(),
        v.scale_src(),
        DType::FP32,
        lanes,
    )?;
    let bias_dtype = DType::from(v.bias_dtype());
    let bias = cx.scalars(
        "bias",
        v.bias(),
        bias_src(v.bias_src_n()),
        bias_dtype,
        lanes,
    )?;
    // A pointer that nothing uses is not followed: the compiler writes one for copy and reciprocal.
    let command = v.accumulator_cmd();
    let seeded = command == AccumCmd::LOAD_ACCUMULATE;
    let mut seed = None;
    if seeded || stage.takes_alpha() {
        let imm = cx.scalars("imm", v.imm(), v.imm_src(), DType::FP32, lanes)?;
        seed = seeded.then(|| imm.clone());
        stage.set_alpha(imm);
    }
    let mut sums = acc::start(cx, command, seed.as_ref(), lanes)?;
    let dst = cx.dest("dst")?;
    same_count(&src, &dst.walk)?;
    let fused = cx.settings.is(Id::ActAffine, 1);
    map_f32(cx, [&src], &dst, |lane, [x], out| {
        affine(fused, scale.f32(lane), bias.f32(lane), x, out);
        stage.apply(lane, out);
        if let Some((sums, true)) = &mut sums
            && let Some(sum) = sums.get_mut(usize::from(lane))
        {
            *sum = computed(out.iter().fold(*sum, |sum, r| sum + r));
        }
        Ok(())
    })?;
    stage.report(cx);
    if let Some((sums, _)) = sums {
        cx.set_act_accumulators(&sums);
    }
    Ok(())
}

/// 0x22: integers in, integers out (isa 06 §4.2).
pub(super) fn activate_quantize(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S3d3Aq(&cx.instr.bundle);
    let lanes = u16::from(v.num_active_channels());
    let mut stage = Stage::of(cx, v.activation_func())?;
    if stage.takes_alpha() {
        let m = "parametric_relu has no parameter here".to_owned();
        return Err(Trap::at("act-func", "activation_func", m));
    }
    let src = cx.operand("src")?;
    let (pointer, dtype) = (Imm32(v.bias_addr().0), DType::from(v.bias_dtype()));
    let bias = cx.scalars("bias_addr", pointer, ImmSrc::POINTER, dtype, lanes)?;
    let dst = cx.dest("dst")?;
    same_count(&src, &dst.walk)?;
    let fused = cx.settings.is(Id::ActAffine, 1);
    let mut results = vec![0.0; src.count];
    map_f32(cx, [&src], &dst, |lane, [x], out| {
        affine(
            fused,
            v.dequant_scale_value(),
            bias.f32(lane),
            x,
            &mut results,
        );
        stage.apply(lane, &mut results);
        affine(
            fused,
            v.quant_scale_value(),
            v.quant_zero_value(),
            &results,
            out,
        );
        Ok(())
    })?;
    stage.report(cx);
    Ok(())
}

/// 0x24 (isa 06 §4.4).
pub(super) fn read_accumulator(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let dst = cx.dest("dst")?;
    if dst.walk.count != 1 {
        let m = format!(
            "{} elements per partition; an accumulator is one",
            dst.walk.count
        );
        return Err(Trap::at("element-count", "dst", m));
    }
    let lanes = dst.walk.lanes;
    let values = cx.act_accumulators(lanes);
    map_f32(cx, [], &dst, |lane, [], out| {
        out.fill(values.get(usize::from(lane)).copied().unwrap_or(0.0));
        Ok(())
    })?;
    cx.mark_act_read(lanes, true);
    Ok(())
}
