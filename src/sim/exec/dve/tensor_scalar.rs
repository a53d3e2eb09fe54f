//! One tensor and two scalars (isa 07a A2).

use crate::isa::DType;
use crate::isa::fields::{AluOp, ImmSrc};
use crate::isa::ops::dve::S3d3Ts;
use crate::num::{self, Kind, Rhs};
use crate::sim::exec::alu::{elements, int_band, int_trap, put, unary, widest, zip, zip_bits};
use crate::sim::exec::dest::map_lanes;
use crate::sim::exec::stream::tiles;
use crate::sim::exec::walk::Lanes;
use crate::sim::exec::{Cx, Dest, ExecFn, Scalars, map_bytes};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x43, |cx| arith(cx, false)),
    (0x44, |cx| arith(cx, true)),
    (0x53, |cx| bitvec(cx, false)),
    (0x54, |cx| bitvec(cx, true)),
    (0x93, transposed),
];

/// One of the two operations with its scalar.
#[derive(Debug)]
struct Stage {
    /// Slot of the operation, for messages.
    field: &'static str,
    /// The operation.
    op: AluOp,
    /// Its scalar; zero where the operation takes none.
    scalar: Scalars,
    /// The scalar is the left operand.
    swap: bool,
}

/// Reads the two stages. In the pointer forms both immediates are pointers whatever their source
/// says (isa 07a A2).
fn stages(cx: &mut Cx<'_, '_>, pointers: bool, dtype: DType) -> Result<[Stage; 2], Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3Ts(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let reverse = v.reverse_operands().0;
    let parts = [
        ("op0", v.op0(), "imm0", v.imm0(), v.imm0_src()),
        ("op1", v.op1(), "imm1", v.imm1(), v.imm1_src()),
    ];
    let mut stages = parts.map(|(field, op, ..)| Stage {
        field,
        op,
        scalar: Scalars::One(0),
        swap: false,
    });
    for (i, stage) in stages.iter_mut().enumerate() {
        let (.., slot, imm, src) = parts.get(i).copied().unwrap_or(parts[0]);
        if !unary(stage.op) {
            let src = if pointers { ImmSrc::POINTER } else { src };
            stage.scalar = cx.scalars(slot, imm, src, dtype, lanes)?;
            stage.swap = reverse >> i & 1 == 1;
        }
    }
    Ok(stages)
}

/// 0x43, 0x44: `dst[k] = (src[k] op0 imm0) op1 imm1`, operands swapped as asked.
fn arith(cx: &mut Cx<'_, '_>, pointers: bool) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3Ts(&bundle);
    if int_band(v.op0()) {
        return integer(cx, pointers);
    }
    let stages = stages(cx, pointers, DType::FP32)?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let hold = cx.overlap(&[&src], &dst)?;
    two_stages(cx, &stages, &src, hold, &dst)
}

/// 0x93: the same after a transpose of 32 x 32 tiles (isa 07a A2, inferred).
fn transposed(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let stages = stages(cx, false, DType::FP32)?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    cx.overlap(&[&src], &dst)?;
    let rows = tiles::transposed(cx, &src)?;
    two_stages(cx, &stages, &rows, false, &dst)
}

/// Both stages in fp32, without rounding between them but that of fp32.
fn two_stages<S: Lanes>(
    cx: &mut Cx<'_, '_>,
    [first, second]: &[Stage; 2],
    src: &S,
    hold: bool,
    dst: &Dest,
) -> Result<(), Trap> {
    let (mm, rules) = (cx.settings.min_max(), *cx.rules());
    let mut between = vec![0.0; src.count()];
    map_lanes(cx, &rules, hold, [src], dst, |lane, [x], out| {
        let run = |s: &Stage, x: &[f32], out: &mut [f32]| {
            let scalar = Rhs::Scalar(s.scalar.f32(lane));
            zip(s.field, s.op, x, scalar, s.swap, mm, out)
        };
        if second.op == AluOp::BYPASS {
            return run(first, x, out);
        }
        run(first, x, &mut between)?;
        run(second, &between, out)
    })
}

/// Integer operations with scalars of the source's type.
fn integer(cx: &mut Cx<'_, '_>, pointers: bool) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let stages = stages(cx, pointers, src.dtype)?;
    let wide = widest("op0", stages[0].op, &[src.kind, dst.walk.kind])?;
    map_bytes(cx, [&src], &dst, |lane, [row], out| {
        let out = out.chunks_exact_mut(dst.walk.elem as usize);
        for (x, out) in elements(src.kind, row).zip(out) {
            let mut r = x;
            for s in stages.iter().filter(|s| s.op != AluOp::BYPASS) {
                let scalar = num::sign_extend(s.scalar.bits(lane).into(), 32) as u64;
                let (a, b) = if s.swap { (scalar, r) } else { (r, scalar) };
                r = num::int_op(s.op.0, wide, a, b).map_err(|e| int_trap(s.field, s.op, e))?;
            }
            put(r, out);
        }
        Ok(())
    })
}

/// 0x53, 0x54: the same on raw bits; scalars are integers of the source's width.
fn bitvec(cx: &mut Cx<'_, '_>, pointers: bool) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    cx.same_widths(&[&src], &dst)?;
    let stages = stages(cx, pointers, src.dtype)?;
    let (mut scalars, mut between) = (vec![0; src.bytes()], vec![0; src.bytes()]);
    map_bytes(cx, [&src], &dst, |lane, [x], out| {
        let [first, second] = &stages;
        let mut run = |s: &Stage, x: &[u8], out: &mut [u8]| {
            repeat(s.scalar.bits(lane), src.kind, &mut scalars);
            zip_bits(s.field, s.op, src.kind, [x, &scalars], s.swap, out)
        };
        if second.op == AluOp::BYPASS {
            return run(first, x, out);
        }
        run(first, x, &mut between)?;
        run(second, &between, out)
    })
}

/// Fills a row with one element.
pub(super) fn repeat(bits: u32, kind: Kind, row: &mut [u8]) {
    for element in row.chunks_exact_mut(kind.bytes()) {
        put(bits.into(), element);
    }
}
