//! Sorting, runs of equal neighbours, positions of non-zero elements (isa 07c C3, C9).

use std::cmp::Ordering;

use crate::isa::fields::AluOp;
use crate::isa::ops::pool::{S1d2Sort, S3d3NonzeroWithCount};
use crate::isa::{DType, Severity};
use crate::num::{self, Kind};
use crate::sim::exec::alu::put;
use crate::sim::exec::walk::raw;
use crate::sim::exec::{Cx, ExecFn, map_bytes};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x96, sort),
    (0xBE, sequence_bounds),
    (0xF2, nonzero_with_count),
];

/// Order of two elements as numbers; NaN comes last either way.
fn order(kind: Kind, a: &[u8], b: &[u8], descending: bool) -> Ordering {
    if kind.is_int() {
        let value = |e: &[u8]| match kind.is_signed() {
            true => i128::from(num::sign_extend(raw(e), kind.bits())),
            false => i128::from(raw(e)),
        };
        let found = value(a).cmp(&value(b));
        return if descending { found.reverse() } else { found };
    }
    let (a, b) = (num::widen(kind, raw(a)), num::widen(kind, raw(b)));
    match a.partial_cmp(&b) {
        Some(found) if descending => found.reverse(),
        Some(found) => found,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

/// 0x96: values and source positions by turns, equal values in source order.
fn sort(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S1d2Sort(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let descending = match v.comparison() {
        AluOp::IS_LT => false,
        AluOp::IS_GT => true,
        other => {
            let m = format!("{other}; IS_LT or IS_GT");
            return Err(Trap::at("alu-op", "comparison", m));
        }
    };
    let offset = cx.raw_scalars(
        "index_offset",
        v.index_offset(),
        v.index_offset_src(),
        DType::U32,
        lanes,
    )?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_widths(&[&src], &dst)?;
    let kept = dst.walk.count / 2;
    if dst.walk.count % 2 != 0 || kept > src.count {
        let m = format!("{} elements for {} pairs", dst.walk.count, src.count);
        return Err(Trap::at("count", "dst", m));
    }
    if kept < src.count {
        let m = format!("the first {kept} of {} are kept", src.count);
        cx.finding(Severity::Warn, "sort-top", m);
    }
    let size = src.elem as usize;
    map_bytes(cx, [&src], &dst, |lane, [x], out| {
        let mut all: Vec<(u32, &[u8])> = (0..).zip(x.chunks_exact(size)).collect();
        all.sort_by(|a, b| order(src.kind, a.1, b.1, descending));
        for (out, (at, value)) in out.chunks_exact_mut(2 * size).zip(all) {
            let (first, second) = out.split_at_mut(size);
            first.copy_from_slice(value);
            put(at.wrapping_add(offset.bits(lane)).into(), second);
        }
        Ok(())
    })
}

/// Is the element neither zero nor NaN?
fn nonzero(kind: Kind, e: &[u8]) -> bool {
    if kind.is_int() {
        return raw(e) != 0;
    }
    let x = num::widen(kind, raw(e));
    x != 0.0 && !x.is_nan()
}

/// 0xF2: positions of the non-zero elements, padding, and their number in the last slot.
fn nonzero_with_count(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3NonzeroWithCount(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let offset = cx.scalars(
        "index_offset",
        v.index_offset(),
        v.index_offset_src(),
        DType::I32,
        lanes,
    )?;
    let padding = cx.scalars(
        "padding_val",
        v.padding_val(),
        v.padding_val_src(),
        DType::I32,
        lanes,
    )?;
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    if dst.walk.count != src.count + 1 {
        let m = format!("{} elements for {} and a count", dst.walk.count, src.count);
        return Err(Trap::at("count", "dst", m));
    }
    let (size, wide) = (src.elem as usize, dst.walk.elem as usize);
    map_bytes(cx, [&src], &dst, |lane, [x], out| {
        let mut slots = out.chunks_exact_mut(wide);
        let mut found = 0u32;
        let set = (0u32..)
            .zip(x.chunks_exact(size))
            .filter(|(_, e)| nonzero(src.kind, e));
        let last = slots.next_back();
        for (k, _) in set {
            if let Some(slot) = slots.next() {
                put(k.wrapping_add(offset.bits(lane)).into(), slot);
            }
            found += 1;
        }
        slots.for_each(|slot| put(padding.bits(lane).into(), slot));
        if let Some(slot) = last {
            put(found.into(), slot);
        }
        Ok(())
    })
}

/// 0xBE: start and end of the run of equal neighbours of each element; zeros are padding and give
/// (n, -1) (isa 16 D7).
fn sequence_bounds(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    let n = src.count;
    if dst.walk.count != 2 * n {
        let m = format!("{} elements for two rows of {n}", dst.walk.count);
        return Err(Trap::at("count", "dst", m));
    }
    let rules = *cx.rules();
    let number = |x: i64| match dst.walk.kind.is_int() {
        true => x as u64,
        false => num::narrow(dst.walk.kind, x as f32, &rules),
    };
    let (size, wide) = (src.elem as usize, dst.walk.elem as usize);
    map_bytes(cx, [&src], &dst, |_, [x], out| {
        let x: Vec<f32> = x
            .chunks_exact(size)
            .map(|e| num::widen(src.kind, raw(e)))
            .collect();
        let same = |a: usize, b: usize| x.get(a) == x.get(b);
        let (starts, ends) = out.split_at_mut(n * wide);
        let mut rows = starts
            .chunks_exact_mut(wide)
            .zip(ends.chunks_exact_mut(wide));
        let mut first = 0;
        while first < n {
            let mut end = first + 1;
            while end < n && same(first, end) {
                end += 1;
            }
            let padding = x.get(first) == Some(&0.0);
            let (a, b) = if padding {
                (n as i64, -1)
            } else {
                (first as i64, end as i64)
            };
            for (start, stop) in rows.by_ref().take(end - first) {
                put(number(a), start);
                put(number(b), stop);
            }
            first = end;
        }
        Ok(())
    })
}
