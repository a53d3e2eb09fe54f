//! Element-wise instructions of DVE and POOL (isa 07a).

use super::ExecFn;
use super::cx::Cx;
use super::dest::map_f32;
use crate::isa::ops::dve::S3s3d3Tt;
use crate::num::{self, Rhs};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(super) const EXEC: &[(u8, ExecFn)] = &[(0x41, tensor_tensor)];

/// 0x41: `dst[k] = src0[k] op src1[k]` (isa 07a A1).
fn tensor_tensor(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let op = S3s3d3Tt(&cx.instr.bundle).op();
    let (a, b) = (cx.operand("src0")?, cx.operand("src1")?);
    let dst = cx.dest("dst")?;
    let mm = cx.settings.min_max();
    map_f32(cx, [&a, &b], &dst, |_, [a, b], out| {
        if num::f32_zip(op.0, a, Rhs::Slice(b), false, mm, out) {
            Ok(())
        } else {
            Err(Trap::at("alu-op", "op", format!("{op} has no float form")))
        }
    })
}
