//! MX descriptors (isa 03 §6).

use super::address::{Placement, bounds, index_address, start_address};
use super::slot::{Problem, Problems, same_quadrant};
use crate::isa::fields::{Addr4, Location, Mx, MxForm, MxIndirect, MxTensor};
use crate::isa::{DType, Generation};

/// The rules an MX descriptor breaks. `lanes` `None` checks the descriptor alone.
pub fn problems(mx: &Mx, dtype: DType, lanes: Option<u64>, g: Generation) -> Vec<Problem> {
    let mut out = Problems::default();
    if g < Generation::V4 {
        out.push("mx", 0, "MX descriptors exist on v4 and later");
        return out.0;
    }
    match mx.form() {
        MxForm::Static(m) => fixed(&mut out, m, dtype, lanes, g),
        MxForm::Indirect(m) => indirect(&mut out, m, dtype, lanes, g),
    }
    let reserved = match mx.form() {
        MxForm::Static(_) => 12..16,
        MxForm::Indirect(_) => 14..15,
    };
    if mx
        .raw
        .get(reserved.clone())
        .is_some_and(|r| r.iter().any(|b| *b != 0))
    {
        let message = format!("bytes {}..{} must be 0", reserved.start, reserved.end);
        out.push("reserved", reserved.start, message);
    }
    out.0
}

/// Packed data is checked as a 4-byte word, FP4 x4 as a 2-byte one.
fn container(dtype: DType) -> DType {
    if dtype == DType::FP4 {
        DType::U16
    } else {
        DType::U32
    }
}

fn data(
    out: &mut Problems,
    offset: usize,
    word: Addr4,
    dtype: DType,
    g: Generation,
) -> Option<Location> {
    let result = start_address(word, container(dtype), Placement::READ_SBUF, g);
    out.address(offset, "data: ", result)
}

fn scale(out: &mut Problems, offset: usize, word: Addr4, g: Generation) {
    let result = start_address(word, DType::U8, Placement::READ_SBUF, g);
    out.address(offset, "scale: ", result);
}

fn pidx(out: &mut Problems, offset: usize, pidx: u8) {
    if pidx & 3 != 0 || pidx > 15 {
        let message = format!("scale_pidx is {pidx}, scale_pidx must be 0, 4, 8 or 12");
        out.push("mx", offset, message);
    }
}

fn fixed(out: &mut Problems, m: MxTensor, dtype: DType, lanes: Option<u64>, g: Generation) {
    let start = data(out, 0, m.data, dtype, g);
    scale(out, 4, m.scale, g);
    let shape_register = m.data.marker() & 0x70 == 0x40;
    if !shape_register {
        if m.num == 0 {
            out.push("count", 8, "0 elements, allowed 1..65535");
        }
        if !matches!(m.step, 1 | -1) {
            out.push(
                "mx",
                10,
                format!("step is {}, step must be +1 or -1", m.step),
            );
        }
    }
    if m.data.marker() & 0xA0 == 0x80 {
        return;
    }
    pidx(out, 11, m.scale_pidx);
    let Some(start) = start else { return };
    out.lanes(0, start, lanes, g);
    if lanes.is_some() && !shape_register && m.num != 0 {
        let reach = i64::from(m.step) * (i64::from(m.num.div_ceil(4)) - 1);
        let size = container(dtype).bytes();
        if let Err(e) = bounds(start, (reach.min(0), reach.max(0)), size, g) {
            out.push("bounds", 0, e.to_string());
        }
    }
}

fn indirect(out: &mut Problems, m: MxIndirect, dtype: DType, lanes: Option<u64>, g: Generation) {
    let index = out.address(0, "index: ", index_address(m.index, g));
    let start = data(out, 4, m.data, dtype, g);
    scale(out, 8, m.scale, g);
    for (offset, word) in [(0, m.index), (4, m.data), (8, m.scale)] {
        if word.marker() & 0x80 != 0 {
            out.push(
                "mx",
                offset,
                "address in a register, an MX gather takes immediates only",
            );
        }
    }
    if m.num == 0 {
        out.push("count", 12, "0 elements, allowed 1..65535");
    }
    pidx(out, 15, m.scale_pidx);
    if let (Some(i), Some(d)) = (index, start) {
        same_quadrant(out, i, d, g);
        out.lanes(4, d, lanes, g);
    }
}
