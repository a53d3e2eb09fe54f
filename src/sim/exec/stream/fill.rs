//! Instructions without tensor source: fill, generated numbers, accumulator (isa 07b B4..B6).

use crate::isa::fields::Data4;
use crate::isa::fields::{Addr4, Pattern};
use crate::isa::ops::stream::{D1Rd, D4Iota, D4Mr};
use crate::num::{self, Kind, Narrowed};
use crate::sim::Region;
use crate::sim::exec::alu::put;
use crate::sim::exec::{Cx, ExecFn, Fresh, map_bytes, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] =
    &[(0x49, memset), (0x7E, iota), (0x9B, read_accumulator)];

/// 0x49: the low bytes of the value in every element.
fn memset(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let value = D4Mr(&cx.instr.bundle).set_value().0;
    let dst = cx.dest("dst")?;
    let size = dst.walk.elem as usize;
    map_bytes(cx, [], &dst, |_, [], out| {
        out.chunks_exact_mut(size)
            .for_each(|element| put(value.into(), element));
        Ok(())
    })
}

/// The values a generator gives, in walk order, in wrapping i32.
pub(in crate::sim::exec) fn generated(data: &Data4) -> impl Iterator<Item = i32> {
    let base = data.base;
    Pattern::new(Addr4(0), &data.dims)
        .offsets()
        .map(move |off| base.wrapping_add(off as i32))
}

/// 0x7E: the generated number of each element and lane.
fn iota(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = D4Iota(&bundle);
    let dst = cx.dest("dst")?;
    let found = Pattern::new(Addr4(0), &v.data().dims).count();
    if found != dst.walk.count as u64 {
        let m = format!("{found} elements, dst has {}", dst.walk.count);
        return Err(Trap::at("count", "data", m));
    }
    let first: Vec<i32> = generated(&v.data()).collect();
    let at = |lane: u16| i32::from(lane as i16).wrapping_mul(v.channel_multiplier());
    let kind = dst.walk.kind;
    if !kind.is_int() {
        return map_f32(cx, [], &dst, |lane, [], out| {
            let values = first.iter().map(|x| x.wrapping_add(at(lane)) as f32);
            out.iter_mut().zip(values).for_each(|(o, x)| *o = x);
            Ok(())
        });
    }
    map_bytes(cx, [], &dst, |lane, [], out| {
        let elements = out.chunks_exact_mut(kind.bytes());
        for (x, out) in first.iter().zip(elements) {
            put(clamped(x.wrapping_add(at(lane)), kind), out);
        }
        Ok(())
    })
}

/// Narrow integers clamp, 32-bit ones take the bits (decisions 1.3).
fn clamped(x: i32, kind: Kind) -> u64 {
    let clamp = |lo: i32, hi: i32| i64::from(x.clamp(lo, hi));
    let value = match kind {
        Kind::U8 => clamp(0, u8::MAX.into()),
        Kind::I8 => clamp(i8::MIN.into(), i8::MAX.into()),
        Kind::U16 => clamp(0, u16::MAX.into()),
        Kind::I16 => clamp(i16::MIN.into(), i16::MAX.into()),
        _ => i64::from(x),
    };
    value as u64
}

/// 0x9B: the accumulator of each lane, which keeps its value.
fn read_accumulator(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let negated = D1Rd(&cx.instr.bundle).negated().0 != 0;
    let dst = cx.dest("dst")?;
    cx.check_idle(dst.walk.lanes);
    let acc = cx.hidden(Region::DVE_ACC).to_vec();
    let (rules, mut lost) = (*cx.rules(), Narrowed::default());
    cx.store_lanes(&dst, false, |_, lane, out| {
        let bits = acc.get(usize::from(lane)).copied().unwrap_or(0);
        let value = f32::from_bits(bits);
        let value = if negated { -value } else { value };
        lost += num::narrow_slice(dst.walk.kind, &vec![value; dst.walk.count], &rules, out);
        Ok(())
    })?;
    cx.report_narrowed(&dst, lost, Fresh::default());
    Ok(())
}
