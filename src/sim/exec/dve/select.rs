//! Choice between tensor and immediate by scalar, index or position (isa 07a A4).

use crate::isa::DType;
use crate::isa::fields::{AffineCmp, AluOp};
use crate::isa::ops::dve::{S2d2Rs, S2d2TsAs, S3d3TsSelect};
use crate::num::{self, Rhs};
use crate::sim::exec::alu::zip;
use crate::sim::exec::dve::scalar_tensor_tensor::fold_max;
use crate::sim::exec::dve::tensor_scalar::repeat;
use crate::sim::exec::stream::fill::generated;
use crate::sim::exec::{Cx, ExecFn, map_bytes, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x92, affine_select),
    (0x98, scalar_select),
    (0xBC, range_select),
];

/// 0x98: the tensor where the scalar predicate of the lane holds, else the immediate, as bits.
fn scalar_select(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3TsSelect(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let pred = cx.raw_scalars(
        "pred_imm",
        v.pred_imm(),
        v.pred_imm_src(),
        v.pred_imm_dtype(),
        lanes,
    )?;
    let other = cx.raw_scalars("src1_imm", v.src1_imm(), v.src1_imm_src(), v.dtype(), lanes)?;
    let (src, dst) = (cx.operand("src0")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let reversed = v.reversed_pred().0 != 0;
    map_bytes(cx, [&src], &dst, |lane, [x], out| {
        if (pred.bits(lane) != 0) != reversed {
            out.copy_from_slice(x);
        } else {
            repeat(other.bits(lane), src.kind, out);
        }
        Ok(())
    })
}

/// 0xBC: elements whose index lies inside both bounds, the others filled; the maximum is folded when
/// asked. The index is compared, not the value (isa 07 §7.9).
fn range_select(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S2d2Rs(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let low = cx.scalars("bound0", v.bound0(), v.bound0_src(), DType::FP32, lanes)?;
    let high = cx.scalars("bound1", v.bound1(), v.bound1_src(), DType::FP32, lanes)?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let mut acc = cx.accumulators(v.reduce_cmd(), AluOp::MAX, None, dst.walk.lanes)?;
    let index: Vec<f32> = (0..src.count).map(|k| v.base() + k as f32).collect();
    let (mut first, mut second) = (vec![0.0; src.count], vec![0.0; src.count]);
    let (op0, op1, fill) = (v.comp_op0(), v.comp_op1(), v.fill_val());
    let mm = cx.settings.min_max();
    map_f32(cx, [&src], &dst, |lane, [x], out| {
        let bound = |s: &crate::sim::exec::Scalars| Rhs::Scalar(s.f32(lane));
        zip("comp_op0", op0, &index, bound(&low), false, mm, &mut first)?;
        zip(
            "comp_op1",
            op1,
            &index,
            bound(&high),
            false,
            mm,
            &mut second,
        )?;
        let inside = first
            .iter()
            .zip(&second)
            .map(|(a, b)| *a != 0.0 && *b != 0.0);
        for ((out, x), inside) in out.iter_mut().zip(x).zip(inside) {
            *out = if inside { *x } else { fill };
        }
        fold_max(&mut acc, lane, out, mm);
        Ok(())
    })?;
    if let Some(acc) = acc {
        cx.set_accumulators(&acc);
    }
    Ok(())
}

/// 0x92: elements whose generated value compares with 0, the others filled from a register.
fn affine_select(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S2d2TsAs(&bundle);
    let holds: fn(i32) -> bool = match v.fill_mode() {
        AffineCmp::GREATER_THAN => |m| m > 0,
        AffineCmp::GREATER_THAN_EQ => |m| m >= 0,
        AffineCmp::EQ => |m| m == 0,
        AffineCmp::NOT_EQ => |m| m != 0,
        other => {
            let m = format!("comparison {other}; 0 to 3 are defined");
            return Err(Trap::at("fill-mode", "fill_mode", m));
        }
    };
    let fill = f32::from_bits(cx.reg(v.fill_reg().0));
    cx.note_inputs([fill]);
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let mask: Vec<i32> = generated(&v.mask()).take(src.count).collect();
    if mask.len() != src.count {
        let m = format!("{} elements, dst has {}", mask.len(), src.count);
        return Err(Trap::at("count", "mask", m));
    }
    let kept = |lane: u16| {
        let at = i32::from(lane as i16).wrapping_mul(v.channel_multiplier());
        mask.iter().map(move |m| holds(m.wrapping_add(at)))
    };
    if src.kind != dst.walk.kind {
        return map_f32(cx, [&src], &dst, |lane, [x], out| {
            for ((out, x), kept) in out.iter_mut().zip(x).zip(kept(lane)) {
                *out = if kept { *x } else { fill };
            }
            Ok(())
        });
    }
    let fill = num::narrow(src.kind, fill, cx.rules()).to_le_bytes();
    let size = src.elem as usize;
    map_bytes(cx, [&src], &dst, |lane, [x], out| {
        let pairs = out.chunks_exact_mut(size).zip(x.chunks_exact(size));
        for ((out, x), kept) in pairs.zip(kept(lane)) {
            out.copy_from_slice(if kept {
                x
            } else {
                fill.get(..size).unwrap_or(x)
            });
        }
        Ok(())
    })
}
