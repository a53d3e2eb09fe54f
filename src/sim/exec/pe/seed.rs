//! PE_MANAGE_SEED: moves the seeds of stochastic rounding (isa 05 §3.6). Rounding itself is to
//! nearest, so they change no result.

use super::cells;
use crate::isa::fields::SeedMode;
use crate::isa::ops::pe::S2s1d2PeSeed;
use crate::sim::Region;
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;

/// Seeds per PSUM partition: two in each bank.
const SEEDS: usize = 16;

/// 0x08.
pub(super) fn manage_seed(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let v = S2s1d2PeSeed(&cx.instr.bundle);
    match v.mode() {
        SeedMode::NONE => Ok(()),
        SeedMode::LOAD_SEED => load(cx),
        SeedMode::SAVE_SEED => save(cx),
        mode => {
            let m = format!("mode {mode}; 0, 1 and 2 are defined");
            Err(Trap::at("seed-mode", "mode", m))
        }
    }
}

/// `seed[p][s] = SBUF[s][p]`.
fn load(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let src = cx.operand("src_seed")?;
    if usize::from(src.lanes) != SEEDS || src.count != 128 {
        let m = format!("{} x {} words; {SEEDS} x 128", src.lanes, src.count);
        return Err(Trap::at("count", "src_seed", m));
    }
    let mut seeds = cx.hidden(Region::PSUM_SEEDS).to_vec();
    let mut row = Vec::new();
    for s in 0..SEEDS {
        cx.lane_raw(&src, s as u16, &mut row);
        for (p, word) in row.iter().enumerate() {
            if let Some(seed) = seeds.get_mut(p * SEEDS + s) {
                *seed = *word as u32;
            }
        }
    }
    cx.writer.set_hidden(Region::PSUM_SEEDS, &seeds);
    Ok(())
}

/// `PSUM[p][bank b][i] = seed[p][2 b + i]`: the walk visits i first.
fn save(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    cx.operand("identity")?;
    let dst = cx.dest("dst_seed")?;
    if dst.walk.count != SEEDS {
        let m = format!("{} words per partition; {SEEDS}", dst.walk.count);
        return Err(Trap::at("count", "dst_seed", m));
    }
    let seeds = cx.hidden(Region::PSUM_SEEDS).to_vec();
    for lane in 0..dst.walk.lanes {
        let at = usize::from(dst.walk.partition(lane)) * SEEDS;
        let row = seeds.get(at..at + SEEDS).unwrap_or(&[]);
        let bytes: Vec<u8> = row.iter().flat_map(|w| w.to_le_bytes()).collect();
        cx.put_bytes(&dst, lane, &bytes)?;
    }
    let lanes = dst.walk.part..dst.walk.part + dst.walk.lanes;
    let mask = cells::CellMask::of(&dst.walk.plan().runs);
    cells::written(cx, lanes, &mask, true);
    Ok(())
}
