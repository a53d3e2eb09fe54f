//! Copy, conversion, reciprocal (isa 07b B1).

use crate::isa::fields::AluOp;
use crate::isa::{Engine, Generation};
use crate::num::Rhs;
use crate::num::op::DIVIDE;
use crate::sim::exec::alu::zip;
use crate::sim::exec::{Cx, ExecFn, map_bytes, map_f32, map_f32_by};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] =
    &[(0x46, copy), (0x47, cast), (0x48, reciprocal)];

/// 0x46: bits move unchanged; only ACT of v2 passes them through fp32 (isa 16 §0.5).
fn copy(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    if cx.engine == Engine::Act && cx.instr.generation == Generation::V2 {
        return cast(cx);
    }
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    cx.same_widths(&[&src], &dst)?;
    map_bytes(cx, [&src], &dst, |_, [x], out| {
        out.copy_from_slice(x);
        Ok(())
    })
}

/// 0x47: through fp32; POOL may be set to truncate to integers.
fn cast(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let mut rules = *cx.rules();
    rules.int_trunc = cx.engine == Engine::Pool && cx.settings.is(Id::PoolCast, 1);
    map_f32_by(cx, &rules, [&src], &dst, |_, [x], out| {
        out.copy_from_slice(x);
        Ok(())
    })
}

/// 0x48: `dst[k] = 1 / src[k]`, correctly rounded; the hardware's accuracy is not stated.
fn reciprocal(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let mm = cx.settings.min_max();
    map_f32(cx, [&src], &dst, |_, [x], out| {
        zip("op", AluOp(DIVIDE), x, Rhs::Scalar(1.0), true, mm, out)
    })
}
