//! QUANTIZE_MX: narrow elements with a scale per 8 partitions x 4 elements (isa 05 §7).

use super::mx::{LANES, MxOperand};
use crate::isa::DType;
use crate::isa::ops::pe::S3dmx1Quant;
use crate::num::{self, Kind, Narrowed, Rules};
use crate::sim::exec::{Cx, Fresh};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Exponent of the largest finite value.
const fn emax(kind: Kind) -> u32 {
    match kind {
        Kind::Fp4x4 => 2,
        Kind::Fp8E4 => 7,
        Kind::Fp8E4Fn => 8,
        _ => 15,
    }
}

/// The scale byte of a block whose largest fp32 exponent field is `field`: by the public reference,
/// or by the compiler's simulator, one binade apart.
const fn scale_byte(field: u32, emax: u32, compiler: bool) -> u8 {
    if compiler {
        let byte = field.saturating_sub(emax);
        if byte == 0 { 1 } else { byte as u8 }
    } else {
        let byte = field.saturating_sub(emax - 1);
        if byte > 254 { 254 } else { byte as u8 }
    }
}

/// 0xE3.
pub(super) fn quantize_mx(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S3dmx1Quant(&cx.instr.bundle);
    let lanes = u16::from(v.num_active_channels());
    let src = cx.operand("src")?;
    let dst = MxOperand::of(cx, "dst", 48, v.out_dtype(), lanes)?;
    if src.dtype != DType::BF16 && src.dtype != DType::FP16 {
        let m = format!("{}; BF16 or FP16", src.dtype);
        return Err(Trap::at("dtype", "in_dtype", m));
    }
    if src.count != LANES * dst.containers() {
        let m = format!(
            "{} elements per partition for {} containers",
            src.count,
            dst.containers()
        );
        return Err(Trap::at("count", "src", m));
    }
    let rules = Rules {
        // Bit 0 of byte 1 asks for saturation whatever the configuration says (isa 05 §3.8).
        fp8_saturate: cx.rules().fp8_saturate || cx.instr.bundle.u8(1) & 1 != 0,
        ..*cx.rules()
    };
    let compiler = cx.settings.is(Id::MxQuant, 1);
    let (mut data, mut scales) = (Vec::new(), Vec::new());
    let mut lost = Narrowed::default();
    let (mut nan_source, mut inf_source) = (false, false);
    let mut rows: Vec<Vec<f32>> = vec![Vec::new(); 8];
    for block in (0..lanes).step_by(8) {
        cx.poll()?;
        let members = (lanes - block).min(8);
        for (row, lane) in rows.iter_mut().zip(block..block + members) {
            cx.lane_f32(&src, lane, row);
        }
        let rows = rows.get_mut(..usize::from(members)).unwrap_or_default();
        let mut factors = Vec::with_capacity(dst.containers());
        for c in 0..dst.containers() {
            let cells = rows
                .iter()
                .filter_map(|r| r.get(LANES * c..LANES * (c + 1)));
            let field = cells
                .flatten()
                .map(|x| x.to_bits() >> 23 & 0xFF)
                .max()
                .unwrap_or(0);
            let byte = scale_byte(field, emax(dst.kind), compiler);
            scales.push(byte);
            // 2^(127 - byte), in f64 for its range.
            factors.push(f64::from_bits((1023 + 127 - u64::from(byte)) << 52));
        }
        for row in rows {
            nan_source |= row.iter().any(|x| x.is_nan());
            inf_source |= row.iter().any(|x| x.is_infinite());
            for (cell, factor) in row.chunks_exact_mut(LANES).zip(&factors) {
                cell.iter_mut()
                    .for_each(|x| *x = (f64::from(*x) * factor) as f32);
            }
            let at = data.len();
            data.resize(at + dst.containers() * dst.container_bytes(), 0);
            let out = data.get_mut(at..).unwrap_or_default();
            lost += num::narrow_slice(dst.kind, row, &rules, out);
        }
    }
    dst.write(cx, &data, &scales)?;
    let fresh = Fresh {
        nan: lost.nan > 0 && !nan_source,
        inf: lost.inf > 0 && !inf_source,
    };
    cx.report_lost(dst.kind, lost, fresh);
    Ok(())
}
