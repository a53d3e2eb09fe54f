//! Random numbers and dropout (isa 07c C4, C5). Deterministic; no claim that silicon gives the same.

use crate::isa::fields::{DropoutThreshold, RandAlgorithm, RandPost};
use crate::isa::ops::pool::{D3Rand, D4Rand, S1Rand, S3d3Dropout};
use crate::isa::{DType, Engine, Generation};
use crate::num::{self, rng};
use crate::sim::exec::alu::put;
use crate::sim::exec::{Cx, ExecFn, map_bytes, map_f32};
use crate::sim::fault::Trap;
use crate::sim::{Region, State};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x4D, raw),
    (0x76, older),
    (0x77, get_state),
    (0x78, set_state),
    (0x7F, dropout),
    (0xE2, uniform),
];

/// Generators of DVE and POOL: region and words per lane.
const DVE: (Region, usize) = (Region::RNG_DVE, 24);
const POOL: (Region, usize) = (Region::RNG_POOL, 7);

/// Mixes the seed of the setting `rng.seed` into the first word of every lane of a fresh state.
pub(in crate::sim) fn seed(state: &mut State, seed: u64) {
    for (region, stride) in [DVE, POOL] {
        state.change_initial_hidden(region, |words| {
            words
                .iter_mut()
                .step_by(stride)
                .for_each(|w| *w ^= seed as u32);
        });
    }
}

/// The generators of all lanes of an engine, as they step.
struct Generators {
    region: Region,
    words: Vec<u32>,
    /// Words of a lane in the region.
    stride: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One shift register in the first word.
    Lfsr,
    /// That many XORWOW states side by side, used in turn.
    Xorwow(usize),
}

impl Kind {
    /// State words of a lane.
    const fn words(self) -> usize {
        match self {
            Kind::Lfsr => 4,
            Kind::Xorwow(n) => 6 * n,
        }
    }
}

impl Generators {
    /// LFSR on DVE of v2 and v3, XORWOW on POOL and on DVE from v4 (decisions 1.3).
    fn of(cx: &Cx<'_, '_>) -> Generators {
        let kind = match cx.engine {
            Engine::Pool => Kind::Xorwow(1),
            _ if cx.instr.generation >= Generation::V4 => Kind::Xorwow(4),
            _ => Kind::Lfsr,
        };
        Generators::with(cx, kind)
    }

    fn with(cx: &Cx<'_, '_>, kind: Kind) -> Generators {
        let (region, stride) = match cx.engine {
            Engine::Pool => POOL,
            _ => DVE,
        };
        Generators {
            region,
            words: cx.hidden(region).to_vec(),
            stride,
            kind,
        }
    }

    fn lane(&mut self, lane: u16) -> &mut [u32] {
        let at = self.stride * usize::from(lane);
        self.words.get_mut(at..at + self.stride).unwrap_or_default()
    }

    /// The next number of a lane, for element `k`.
    fn draw(&mut self, lane: u16, k: usize) -> u32 {
        let kind = self.kind;
        let state = self.lane(lane);
        match kind {
            Kind::Lfsr => state.first_mut().map_or(0, |word| {
                let (next, out) = rng::lfsr(*word);
                *word = next;
                out
            }),
            Kind::Xorwow(n) => {
                let states = state.as_chunks_mut::<6>().0;
                states.get_mut(k % n).map_or(0, |state| {
                    let (next, out) = rng::xorwow(rng::xorwow_state(*state));
                    *state = next;
                    out
                })
            }
        }
    }

    /// Keeps the states of the first lanes.
    fn keep(self, cx: &mut Cx<'_, '_>, lanes: u16) {
        let used = self.stride * usize::from(lanes);
        let words = self.words.get(..used).unwrap_or(&self.words);
        cx.writer.set_hidden(self.region, words);
    }
}

/// 0x4D: draws cut to the width of the elements.
fn raw(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let generators = Generators::of(cx);
    draw_raw(cx, generators)
}

fn draw_raw(cx: &mut Cx<'_, '_>, mut generators: Generators) -> Result<(), Trap> {
    let dst = cx.dest("dst")?;
    let size = dst.walk.elem as usize;
    map_bytes(cx, [], &dst, |lane, [], out| {
        for (k, out) in out.chunks_exact_mut(size).enumerate() {
            put(generators.draw(lane, k).into(), out);
        }
        Ok(())
    })?;
    generators.keep(cx, dst.walk.lanes);
    Ok(())
}

/// Uniform numbers in a range given per lane.
fn draw_uniform(
    cx: &mut Cx<'_, '_>,
    mut generators: Generators,
    range: impl Fn(u16) -> [f32; 2],
) -> Result<(), Trap> {
    let dst = cx.dest("dst")?;
    map_f32(cx, [], &dst, |lane, [], out| {
        let [min, max] = range(lane);
        for (k, out) in out.iter_mut().enumerate() {
            let u = rng::unit(generators.draw(lane, k));
            *out = num::computed(min + u * (max - min));
        }
        Ok(())
    })?;
    generators.keep(cx, dst.walk.lanes);
    Ok(())
}

/// 0xE2: XORWOW, uniform between two bounds.
fn uniform(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = D3Rand(&bundle);
    if v.rand_algorithm() != RandAlgorithm::XORWOW || v.post_process() != RandPost::UNIFORM_IN_RANGE
    {
        let m = format!("{} with {}", v.rand_algorithm(), v.post_process());
        return Err(Trap::not_modelled(m));
    }
    let lanes = u16::from(v.num_active_channels());
    let min = cx.scalars("min", v.min(), v.min_src(), DType::FP32, lanes)?;
    let max = cx.scalars("max", v.max(), v.max_src(), DType::FP32, lanes)?;
    let generators = Generators::with(cx, Kind::Xorwow(4));
    draw_uniform(cx, generators, |lane| [min.f32(lane), max.f32(lane)])
}

/// 0x76: the older form, with a choice of generator.
fn older(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = D4Rand(&bundle);
    let pool = cx.engine == Engine::Pool;
    let kind = match v.rand_algorithm() {
        RandAlgorithm::LFSR => Kind::Lfsr,
        RandAlgorithm::XORWOW => Kind::Xorwow(if pool { 1 } else { 4 }),
        other => {
            let m = format!("{other}: where its state words go is not published");
            return Err(Trap::not_modelled(m));
        }
    };
    if v.rand_num_steps() > 1 {
        let m = format!("{} steps per draw", v.rand_num_steps());
        return Err(Trap::not_modelled(m));
    }
    let generators = Generators::with(cx, kind);
    match v.post_process() {
        RandPost::RAW_U32 => draw_raw(cx, generators),
        RandPost::UNIFORM_IN_RANGE => {
            let [min, max, ..] = v.params().0.map(f32::from_bits);
            draw_uniform(cx, generators, |_| [min, max])
        }
        other => Err(Trap::not_modelled(format!("post-processing {other}"))),
    }
}

/// Is that a number of state words per lane of this engine (isa 07c C5)?
fn known_size(cx: &Cx<'_, '_>, words: usize) -> bool {
    match cx.engine {
        Engine::Pool => matches!(words, 6 | 7),
        _ => matches!(words, 4 | 24),
    }
}

fn wrong_size(cx: &Cx<'_, '_>, words: usize) -> Trap {
    let known = match cx.engine {
        Engine::Pool => "6 or 7",
        _ => "4 or 24",
    };
    Trap::not_modelled(format!("{words} state words per lane; {known} are known"))
}

/// 0x77: state words to memory.
fn get_state(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let dst = cx.dest("dst")?;
    if !known_size(cx, dst.walk.count) || dst.walk.elem != 4 {
        return Err(wrong_size(cx, dst.walk.count));
    }
    let mut generators = Generators::of(cx);
    map_bytes(cx, [], &dst, |lane, [], out| {
        let state = generators.lane(lane);
        for (out, word) in out.chunks_exact_mut(4).zip(state) {
            put((*word).into(), out);
        }
        Ok(())
    })
}

/// 0x78: state words from memory where their number is one of the known ones, else from the bundle.
fn set_state(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S1Rand(&bundle);
    let mut generators = Generators::of(cx);
    let src = cx.operand("src")?;
    let lanes = src.lanes;
    let mut row = Vec::new();
    if known_size(cx, src.count) && src.elem == 4 {
        for lane in 0..lanes {
            cx.lane_raw(&src, lane, &mut row);
            let state = generators.lane(lane);
            state.iter_mut().zip(&row).for_each(|(s, w)| *s = *w as u32);
        }
    } else {
        let words = generators.kind.words();
        let inline = v.imm_state().0;
        let Some(inline) = inline.get(..words) else {
            return Err(wrong_size(cx, src.count));
        };
        for lane in 0..lanes {
            let state = generators.lane(lane);
            state.iter_mut().zip(inline).for_each(|(s, w)| *s = *w);
        }
    }
    generators.keep(cx, lanes);
    Ok(())
}

/// 0x7F: elements whose draw says so become zero, the others move unchanged.
fn dropout(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S3d3Dropout(&bundle);
    let lanes = u16::from(v.num_active_channels());
    let dtype = DType::from(v.threshold_dtype());
    let threshold = cx.scalars("threshold", v.threshold(), v.threshold_src(), dtype, lanes)?;
    let drops: fn(f32, f32) -> bool = match v.threshold_type() {
        DropoutThreshold::DROP_RATE => |u, threshold| u < threshold,
        DropoutThreshold::KEEP_RATE => |u, threshold| u > threshold,
        other => {
            let m = format!("{other}; DROP_RATE or KEEP_RATE");
            return Err(Trap::at("threshold-type", "threshold_type", m));
        }
    };
    let (src, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&src], &dst)?;
    cx.same_widths(&[&src], &dst)?;
    let mut generators = Generators::of(cx);
    let size = src.elem as usize;
    map_bytes(cx, [&src], &dst, |lane, [x], out| {
        let pairs = out.chunks_exact_mut(size).zip(x.chunks_exact(size));
        for (k, (out, x)) in pairs.enumerate() {
            if drops(rng::unit(generators.draw(lane, k)), threshold.f32(lane)) {
                out.fill(0);
            } else {
                out.copy_from_slice(x);
            }
        }
        Ok(())
    })?;
    generators.keep(cx, dst.walk.lanes);
    Ok(())
}
