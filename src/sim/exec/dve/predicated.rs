//! Stores where a predicate selects (isa 07a A1, A4).

use crate::isa::ops::dve::S3d3CpPredScalar;
use crate::num::{self, Kind};
use crate::sim::State;
use crate::sim::exec::{Cx, ExecFn, Fresh, Walk};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x72, |cx| copy(cx, false)),
    (0x99, |cx| copy(cx, true)),
    (0xE8, copy_scalar),
];

/// Marks the elements of a lane whose predicate is not zero, or with `inverted` those where it is.
struct Predicate {
    walk: Walk,
    buffer: Vec<u8>,
    inverted: bool,
}

impl Predicate {
    fn select(&mut self, state: &State, lane: u16, selected: &mut [bool]) {
        let row = self.walk.packed(state, lane, &mut self.buffer);
        match self.walk.elem {
            1 => nonzero::<1>(row, self.inverted, selected),
            2 => nonzero::<2>(row, self.inverted, selected),
            4 => nonzero::<4>(row, self.inverted, selected),
            _ => nonzero::<8>(row, self.inverted, selected),
        }
    }
}

fn nonzero<const N: usize>(row: &[u8], inverted: bool, selected: &mut [bool]) {
    for (selected, e) in selected.iter_mut().zip(row.as_chunks::<N>().0) {
        *selected = (*e != [0; N]) != inverted;
    }
}

/// 0x72, 0x99: `if src0[k] != 0 then dst[k] = src1[k]`, as bits or converted.
fn copy(cx: &mut Cx<'_, '_>, convert: bool) -> Result<(), Trap> {
    let (pred, src) = (cx.operand("src0")?, cx.operand("src1")?);
    let dst = cx.dest("dst")?;
    cx.same_counts(&[&pred, &src], &dst)?;
    if !convert {
        cx.same_widths(&[&src], &dst)?;
    }
    cx.overlap(&[&pred, &src], &dst)?;
    let mut pred = Predicate {
        walk: pred,
        buffer: Vec::new(),
        inverted: false,
    };
    let (rules, kind) = (*cx.rules(), dst.walk.kind);
    let (mut buffer, mut values) = (Vec::new(), Vec::new());
    let mut lost = num::Narrowed::default();
    cx.merge_lanes(&dst, |state, lane, out, selected| {
        pred.select(state, lane, selected);
        if !convert {
            out.copy_from_slice(src.packed(state, lane, &mut buffer));
            return Ok(());
        }
        src.read_f32(state, lane, &mut buffer, &mut values);
        // What is not stored must not be reported.
        for (x, selected) in values.iter_mut().zip(&*selected) {
            *x = if *selected { *x } else { 0.0 };
        }
        lost += num::narrow_slice(kind, &values, &rules, out);
        Ok(())
    })?;
    cx.report_narrowed(&dst, lost, Fresh::default());
    Ok(())
}

/// 0xE8: the immediate where the predicate is zero, or where it is not when reversed. The default is
/// the inverse of 0x72 (isa 07a A4).
fn copy_scalar(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3CpPredScalar(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let value = cx.raw_scalars(
        "src0_imm",
        v.src0_imm(),
        v.src0_imm_src(),
        v.in_dtype(),
        lanes,
    )?;
    let (pred, dst) = (cx.operand("pred")?, cx.dest("dst")?);
    cx.same_counts(&[&pred], &dst)?;
    cx.overlap(&[&pred], &dst)?;
    let mut pred = Predicate {
        walk: pred,
        buffer: Vec::new(),
        inverted: v.reversed_pred().0 == 0,
    };
    let kind: Kind = dst.walk.kind;
    cx.merge_lanes(&dst, |state, lane, out, selected| {
        pred.select(state, lane, selected);
        super::tensor_scalar::repeat(value.bits(lane), kind, out);
        Ok(())
    })
}
