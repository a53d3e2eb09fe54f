//! Two source tensors (isa 07a A1).

use crate::isa::fields::AluOp;
use crate::isa::ops::dve::S3s3d3Tt;
use crate::sim::exec::alu::{arith, zip_bits};
use crate::sim::exec::{Cx, ExecFn, map_bytes};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x41, |cx| {
        let op = S3s3d3Tt(&cx.instr.bundle).op();
        tensor_tensor(cx, op)
    }),
    (0x51, bitvec),
    (0x8A, |cx| tensor_tensor(cx, AluOp::ADD)),
    (0x8B, |cx| tensor_tensor(cx, AluOp::MULT)),
    (0x8F, |cx| tensor_tensor(cx, AluOp::SUBTRACT)),
];

/// `dst[k] = src0[k] op src1[k]`.
fn tensor_tensor(cx: &mut Cx<'_, '_>, op: AluOp) -> Result<(), Trap> {
    let (a, b) = (cx.operand("src0")?, cx.operand("src1")?);
    let dst = cx.dest("dst")?;
    cx.same_counts(&[&a, &b], &dst)?;
    arith(cx, op, &a, &b, &dst)
}

/// The same on raw bits.
fn bitvec(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let op = S3s3d3Tt(&cx.instr.bundle).op();
    let (a, b) = (cx.operand("src0")?, cx.operand("src1")?);
    let dst = cx.dest("dst")?;
    cx.same_counts(&[&a, &b], &dst)?;
    cx.same_widths(&[&a, &b], &dst)?;
    map_bytes(cx, [&a, &b], &dst, |_, rows, out| {
        zip_bits("op", op, a.kind, rows, false, out)
    })
}
