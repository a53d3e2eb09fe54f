//! One preloaded scalar per outermost slice (isa 07a A5).

use crate::isa::Severity;
use crate::isa::fields::AluOp;
use crate::isa::ops::dve::S4d4Tsm;
use crate::num::{Rhs, op};
use crate::sim::Region;
use crate::sim::exec::alu::{unary, zip, zip_bits};
use crate::sim::exec::dve::tensor_scalar::repeat;
use crate::sim::exec::{Cx, Dest, ExecFn, Walk, map_bytes, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x4F, |cx| arith(cx, 1)),
    (0x5F, bitvec),
    (0x70, |cx| load(cx, true)),
    (0x71, |cx| load(cx, false)),
    (0x87, |cx| arith(cx, 2)),
];

/// Scalars a lane can hold.
const FLOPS: usize = 8;

/// 0x70, 0x71: up to 8 scalars per lane, as fp32 or as raw bits.
fn load(cx: &mut Cx<'_, '_>, widen: bool) -> Result<(), Trap> {
    let src = cx.operand("src")?;
    if src.count > FLOPS {
        let m = format!("{} elements, at most {FLOPS}", src.count);
        return Err(Trap::at("count", "src", m));
    }
    let mut flops = cx.hidden(Region::SCALAR_FLOPS).to_vec();
    let (mut values, mut bits) = (Vec::new(), Vec::new());
    for (lane, slots) in (0..src.lanes).zip(flops.chunks_exact_mut(FLOPS)) {
        cx.lane_f32(&src, lane, &mut values);
        cx.lane_raw(&src, lane, &mut bits);
        for ((slot, x), bits) in slots.iter_mut().zip(&values).zip(&bits) {
            *slot = if widen { x.to_bits() } else { *bits as u32 };
        }
    }
    let used = FLOPS * usize::from(src.lanes);
    cx.writer
        .set_hidden(Region::SCALAR_FLOPS, flops.get(..used).unwrap_or(&flops));
    cx.writer
        .set_hidden(Region::SCALAR_COUNT, &[src.count as u32]);
    Ok(())
}

/// The operands, the elements per slice and the scalars of all lanes.
struct Parts {
    src: Walk,
    dst: Dest,
    slice: usize,
    flops: Vec<u32>,
}

impl Parts {
    /// Scalar `i` of a lane.
    fn flop(&self, lane: u16, i: usize) -> u32 {
        let at = usize::from(lane) * FLOPS + i;
        self.flops.get(at).copied().unwrap_or(0)
    }
}

fn parts(cx: &mut Cx<'_, '_>, per_slice: usize) -> Result<Parts, Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    let slice = src.inner(3);
    let wanted = src.count / slice.max(1) * per_slice;
    if wanted > FLOPS {
        let m = format!("{wanted} scalars needed, a lane has {FLOPS}");
        return Err(Trap::at("count", "src", m));
    }
    let loaded = cx.hidden(Region::SCALAR_COUNT).first().copied();
    if loaded != Some(wanted as u32) {
        let m = format!("{wanted} scalars used, {} loaded", loaded.unwrap_or(0));
        cx.finding(Severity::Warn, "scalar-flops", m);
    }
    let flops = cx.hidden(Region::SCALAR_FLOPS).to_vec();
    Ok(Parts {
        src,
        dst,
        slice,
        flops,
    })
}

/// 0x4F: `dst[w,..] = src[w,..] op scalar[w]`; 0x87 multiplies by a second scalar of the slice.
fn arith(cx: &mut Cx<'_, '_>, per_slice: usize) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Tsm(&bundle);
    let (op, swap) = (v.op(), v.reverse_operands().0 & 1 != 0 && !unary(v.op()));
    let p = parts(cx, per_slice)?;
    let mm = cx.settings.min_max();
    let mut between = vec![0.0; p.slice];
    map_f32(cx, [&p.src], &p.dst, |lane, [x], out| {
        let slices = x.chunks_exact(p.slice).zip(out.chunks_exact_mut(p.slice));
        for (w, (x, out)) in slices.enumerate() {
            let scalar = |i: usize| Rhs::Scalar(f32::from_bits(p.flop(lane, per_slice * w + i)));
            if per_slice == 1 {
                zip("op", op, x, scalar(0), swap, mm, out)?;
            } else {
                zip("op", op, x, scalar(0), swap, mm, &mut between)?;
                zip("op", AluOp(op::MULT), &between, scalar(1), false, mm, out)?;
            }
        }
        Ok(())
    })
}

/// 0x5F: the same on raw bits.
fn bitvec(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Tsm(&bundle);
    let (op, swap) = (v.op(), v.reverse_operands().0 & 1 != 0 && !unary(v.op()));
    let p = parts(cx, 1)?;
    cx.same_widths(&[&p.src], &p.dst)?;
    let bytes = p.slice * p.src.elem as usize;
    let mut scalars = vec![0; bytes];
    map_bytes(cx, [&p.src], &p.dst, |lane, [x], out| {
        let slices = x.chunks_exact(bytes).zip(out.chunks_exact_mut(bytes));
        for (w, (x, out)) in slices.enumerate() {
            repeat(p.flop(lane, w), p.src.kind, &mut scalars);
            zip_bits("op", op, p.src.kind, [x, &scalars], swap, out)?;
        }
        Ok(())
    })
}
