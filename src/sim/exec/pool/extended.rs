//! Extended instructions and arguments of POOL software (isa 07c C7, C10).

use crate::isa::Severity;
use crate::isa::fields::{AluOp, ExtendedOp};
use crate::isa::ops::pool::{CtrlImPoolArgs, Extended, ExtendedTta};
use crate::sim::Region;
use crate::sim::exec::alu::{arith, no_meaning};
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[(0x7A, arguments), (0xF0, extended)];

/// 0x7A: kept; nothing here reads them.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn arguments(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let args = CtrlImPoolArgs(&cx.instr.bundle).args().0;
    cx.writer.set_hidden(Region::POOL_ARGS, &args);
    let m = "the arguments are kept, nothing reads them".to_owned();
    cx.finding(Severity::Info, "no-op", m);
    Ok(())
}

/// 0xF0, by its sub-opcode (decisions.md §3).
fn extended(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    match Extended(&cx.instr.bundle).extended_opcode() {
        ExtendedOp::ENGINE_NOP => Ok(()),
        ExtendedOp::TENSOR_TENSOR_ARITH => {
            let op = ExtendedTta(&cx.instr.bundle).op();
            if op != AluOp::ADD && op != AluOp::MULT {
                return Err(no_meaning("op", op, "ADD or MULT"));
            }
            let (a, b) = (cx.operand("src0")?, cx.operand("src1")?);
            let dst = cx.dest("dst")?;
            cx.same_counts(&[&a, &b], &dst)?;
            arith(cx, op, &a, &b, &dst)
        }
        other if other.is_defined() => Err(Trap::not_modelled(format!("sub-opcode {other}"))),
        other => Err(Trap::new(
            "bad-opcode",
            format!("sub-opcode {other} is not defined"),
        )),
    }
}
