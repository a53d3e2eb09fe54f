//! Batch-norm statistics, parameters and gradients (isa 07b B7, 15 §3.3).
//!
//! All recurrences are the reference simulator's, in fp32, one rounding per operation.

use crate::isa::fields::{DType4, Imm32, ImmSrc};
use crate::isa::ops::stream::{S2Bn, S2Bnpl2, S3s3d1Bn, S3s3d1Bn2, S4d2Bn};
use crate::isa::{DType, Severity};
use crate::num;
use crate::sim::Region;
use crate::sim::exec::dest::map_lanes;
use crate::sim::exec::stream::tiles::transposed;
use crate::sim::exec::walk::Lanes;
use crate::sim::exec::{Cx, Dest, ExecFn, Scalars, Walk, map_f32};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x60, stats),
    (0x61, |cx| stats2(cx, false)),
    (0x62, aggregate),
    (0x63, gradients),
    (0x64, load_parameters),
    (0x65, back_prop),
    (0x66, load_ram),
    (0x82, |cx| stats2(cx, true)),
    (0x8E, load_parameters2),
    (0x94, gradients2),
];

/// Parameters per lane: A, B, C, N, mean.
const PARAMS: usize = 5;

fn exactly(walk: &Walk, n: usize) -> Result<(), Trap> {
    if walk.count == n {
        return Ok(());
    }
    let m = format!("{} elements, exactly {n}", walk.count);
    Err(Trap::at("count", walk.field, m))
}

/// Sets the results of a lane.
fn set(out: &mut [f32], values: &[f32]) {
    let values = values.iter().copied().map(num::computed);
    out.iter_mut().zip(values).for_each(|(o, v)| *o = v);
}

/// Mean and summed squared deviation by Welford's recurrence.
fn welford<'a>(values: impl Iterator<Item = &'a f32>) -> [f32; 2] {
    let (mut n, mut mean, mut m2) = (0.0f32, 0.0f32, 0.0f32);
    for x in values {
        n += 1.0;
        let r = 1.0 / n;
        let next = (1.0 - r) * mean + r * x;
        m2 += (x - next) * (x - mean);
        mean = next;
    }
    [mean, m2]
}

/// 0x60: count, mean and scaled variance of a row; the count is the immediate.
fn stats(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let count = S4d2Bn(&cx.instr.bundle).even_count();
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    exactly(&dst.walk, 3)?;
    map_f32(cx, [&src], &dst, |_, [x], out| {
        let [mean, m2] = welford(x.iter());
        set(out, &[count, mean, m2]);
        Ok(())
    })
}

/// 0x61: the same for the even and the odd elements; 0x82 transposes first.
fn stats2(cx: &mut Cx<'_, '_>, transpose: bool) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    exactly(&dst.walk, 6)?;
    let hold = cx.overlap(&[&src], &dst)?;
    if transpose {
        let rows = transposed(cx, &src)?;
        halves(cx, &rows, false, &dst)
    } else {
        halves(cx, &src, hold, &dst)
    }
}

fn halves<S: Lanes>(cx: &mut Cx<'_, '_>, src: &S, hold: bool, dst: &Dest) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d2Bn(&bundle);
    let rules = *cx.rules();
    map_lanes(cx, &rules, hold, [src], dst, |_, [x], out| {
        let [even_mean, even_m2] = welford(x.iter().step_by(2));
        let [odd_mean, odd_m2] = welford(x.iter().skip(1).step_by(2));
        let (even, odd) = (v.even_count(), v.odd_count());
        set(out, &[even, even_mean, even_m2, odd, odd_mean, odd_m2]);
        Ok(())
    })
}

/// 0x62: merges {count, mean, scaled variance} triples into mean and variance.
fn aggregate(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    exactly(&dst.walk, 2)?;
    if src.count % 3 != 0 {
        let m = format!("{} elements, a multiple of 3", src.count);
        return Err(Trap::at("count", "src", m));
    }
    map_f32(cx, [&src], &dst, |_, [x], out| {
        let (mut count, mut mean, mut variance) = (0.0f32, 0.0f32, 0.0f32);
        for triple in x.as_chunks::<3>().0 {
            let [n, m, m2] = *triple;
            let sum = n + count;
            // Empty parts ahead of the first elements say nothing.
            if sum == 0.0 {
                continue;
            }
            let (r, d) = (1.0 / sum, mean - m);
            mean = (mean * count + n * m) * r;
            variance = (variance * count + m2) * r + n * count * d * d * r * r;
            count = sum;
        }
        if count == 0.0 {
            (mean, variance) = (f32::NAN, f32::NAN);
        }
        set(out, &[mean, variance]);
        Ok(())
    })
}

/// 0x63: both coefficients behind pointers.
fn gradients(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3s3d1Bn(&bundle);
    let dtype = DType::from(v.immediate_dtype());
    let lanes = u16::from(v.num_active_channels());
    let mean = cx.scalars("imm0", v.imm0(), ImmSrc::POINTER, dtype, lanes)?;
    let scale = cx.scalars("imm1", v.imm1(), ImmSrc::POINTER, dtype, lanes)?;
    accumulate(cx, &mean, &scale)
}

/// 0x94: coefficients behind pointers or register pointers.
fn gradients2(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3s3d1Bn2(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let dtype = v.immediate_dtype();
    let mean = pointed(cx, "imm0", v.imm0(), v.imm0_src().0, dtype, lanes)?;
    let scale = pointed(cx, "imm1", v.imm1(), v.imm1_src().0, dtype, lanes)?;
    accumulate(cx, &mean, &scale)
}

fn pointed(
    cx: &mut Cx<'_, '_>,
    slot: &'static str,
    imm: Imm32,
    src: u8,
    dtype: DType4,
    lanes: u16,
) -> Result<Scalars, Trap> {
    let src = ImmSrc(src);
    if src == ImmSrc::INSTRUCTION {
        let m = "a value in the bundle; pointer or register pointer";
        return Err(Trap::at("imm-src", slot, m));
    }
    cx.scalars(slot, imm, src, dtype.into(), lanes)
}

/// The three sums of a lane, from 0.
fn accumulate(cx: &mut Cx<'_, '_>, mean: &Scalars, scale: &Scalars) -> Result<(), Trap> {
    let (x, dy) = (cx.operand("src0")?, cx.operand("src1")?);
    let dst = cx.dest("dst")?;
    exactly(&dst.walk, 3)?;
    if x.count != dy.count {
        let m = format!("{} elements, src0 has {}", dy.count, x.count);
        return Err(Trap::at("count", "src1", m));
    }
    map_f32(cx, [&x, &dy], &dst, |lane, [x, dy], out| {
        let (m, vf) = (mean.f32(lane), scale.f32(lane));
        let mut sums = [0.0f32; 3];
        for (x, dy) in x.iter().zip(dy) {
            let t = (x - m) * dy * vf;
            sums[2] += t;
            sums[1] += t * vf;
            sums[0] += dy;
        }
        set(out, &sums);
        Ok(())
    })
}

/// 0x64: A, B, C from the source, N from the bundle, the mean behind a pointer.
fn load_parameters(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S2Bn(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let source = match v.imm0_src() {
        ImmSrc::INSTRUCTION => ImmSrc::POINTER,
        other => other,
    };
    let mean = cx.scalars("imm0_ptr", v.imm0_ptr(), source, DType::FP32, lanes)?;
    let src = cx.operand("src")?;
    exactly(&src, 3)?;
    let (mut row, mut words) = (Vec::new(), Vec::with_capacity(PARAMS * usize::from(lanes)));
    for lane in 0..src.lanes {
        cx.lane_f32(&src, lane, &mut row);
        words.extend(row.iter().map(|x| x.to_bits()));
        words.extend([v.imm1().to_bits(), mean.bits(lane)]);
    }
    cx.writer.set_hidden(Region::BN_PARAMS, &words);
    cx.writer.set_hidden(Region::BN_SOURCE, &[0x64]);
    Ok(())
}

/// 0x8E: kept as they come; which of them is A, B, C and mean is not published.
fn load_parameters2(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S2Bnpl2(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let dtype = v.immediate_dtype();
    let third = cx.scalars("imm0_ptr", v.imm0_ptr(), v.imm0_src(), dtype, lanes)?;
    let fourth = cx.scalars("imm1_ptr", v.imm1_ptr(), v.imm1_src(), dtype, lanes)?;
    let src = cx.operand("src")?;
    exactly(&src, 2)?;
    let (mut row, mut words) = (Vec::new(), Vec::new());
    for lane in 0..src.lanes {
        cx.lane_f32(&src, lane, &mut row);
        words.extend(row.iter().map(|x| x.to_bits()));
        words.extend([
            third.bits(lane),
            v.element_count().to_bits(),
            fourth.bits(lane),
        ]);
    }
    cx.writer.set_hidden(Region::BN_PARAMS, &words);
    cx.writer.set_hidden(Region::BN_SOURCE, &[0x8E]);
    Ok(())
}

/// 0x65: `dx = (dy*N - ((x - mean)*B + A))*C`.
fn back_prop(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    match cx.hidden(Region::BN_SOURCE).first() {
        Some(0x64) => {}
        Some(0x8E) => {
            let m = "the parameters of BATCH_NORM_PARAM_LOAD2 cannot be told apart";
            return Err(Trap::not_modelled(m));
        }
        _ => {
            let m = "no BATCH_NORM_PARAM_LOAD came before".to_owned();
            cx.finding(Severity::Warn, "batch-norm-params", m);
        }
    }
    let (x, dy) = (cx.operand("src0")?, cx.operand("src1")?);
    let dst = cx.dest("dst")?;
    cx.same_counts(&[&x, &dy], &dst)?;
    let words = cx.hidden(Region::BN_PARAMS);
    let params: Vec<[f32; PARAMS]> = words
        .as_chunks()
        .0
        .iter()
        .map(|p| p.map(f32::from_bits))
        .collect();
    map_f32(cx, [&x, &dy], &dst, |lane, [x, dy], out| {
        let p = params.get(usize::from(lane)).copied();
        let [a, b, c, n, mean] = p.unwrap_or_default();
        for ((out, x), dy) in out.iter_mut().zip(x).zip(dy) {
            *out = num::computed((dy * n - ((x - mean) * b + a)) * c);
        }
        Ok(())
    })
}

/// 0x66: the body is not published and the table is preset, so nothing happens.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn load_ram(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let m = "the table of reciprocals keeps its preset values".to_owned();
    cx.finding(Severity::Info, "no-op", m);
    Ok(())
}
