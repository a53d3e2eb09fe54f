//! How long a bundle takes under [`super::Policy::Timed`]: the public estimates of isa 17, nothing
//! cycle-exact. One table of constants, one rule per opcode group.
//!
//! Left out on purpose: dependencies between bundles of one engine (each may start when the engine
//! is free), shared-port conflicts, throttling of PE, and the share of HBM bandwidth.

use crate::isa::access::{Operand, Shape, operands};
use crate::isa::field::Role;
use crate::isa::fields::{Addr4, AddrForm};
use crate::isa::{DType, Engine, Generation, Instr, Space};
use crate::sim::exec::dma::issues;

/// Clock of each engine in MHz, in wire order (isa 17 §1); SP runs at the base clock.
const MHZ: [[u64; 5]; 3] = [
    [2800, 1400, 1400, 1120, 1400],
    [2400, 1200, 1200, 960, 1200],
    [2400, 1200, 1200, 1200, 1200],
];
/// Least cycles between two bundles (isa 17 §2, MIN_II).
const MIN_II: u64 = 64;
/// The same when an operand's address comes from a register.
const MIN_II_DYNAMIC: u64 = 600;
/// Cycles from the end of a bundle to its results being visible (isa 17 §2).
const DRAIN: u64 = 100;
/// Cycles from a semaphore update to its waiter's start; a placeholder (isa 17 §2).
const SEMAPHORE: u64 = 64;
/// Start-up cycles of a POOL instruction.
const POOL_START: u64 = 150;
/// Issue of a DMA bundle, picoseconds (isa 17 §2, HWDGE).
const DMA_ISSUE: u64 = 600_000;
/// From issue to the first byte of a transfer, picoseconds (isa 17 §4).
const DMA_START: u64 = 1_300_000;
/// Sustained bytes per nanosecond of one DMA engine, v2, v3, v4.
const DMA_RATE: [u64; 3] = [17, 23, 33];
/// DMA engines that share a transfer.
const DMA_ENGINES: u64 = 16;
/// A run of `b` bytes moves at `b / (b + this)` of the sustained rate.
const DMA_RUN: u64 = 256;

const fn row(g: Generation) -> usize {
    match g {
        Generation::V2 => 0,
        Generation::V3 => 1,
        Generation::V4 | Generation::V5 => 2,
    }
}

fn picoseconds(cycles: u64, engine: Engine, g: Generation) -> u64 {
    let clocks = MHZ.get(row(g)).and_then(|r| r.get(engine as usize));
    let mhz = clocks.copied().unwrap_or(1200);
    cycles.saturating_mul(1_000_000).div_ceil(mhz)
}

/// How long the engine is taken, picoseconds.
pub fn busy(instr: &Instr, engine: Engine) -> u64 {
    if issues(instr.bundle.opcode()) {
        return DMA_ISSUE;
    }
    picoseconds(cycles(instr, engine), engine, instr.generation)
}

/// From the end of a bundle to its results being visible, picoseconds.
pub fn drain(engine: Engine, g: Generation) -> u64 {
    picoseconds(DRAIN, engine, g)
}

/// From a semaphore update to the start of a bundle that waited for it, picoseconds.
pub fn semaphore(engine: Engine, g: Generation) -> u64 {
    picoseconds(SEMAPHORE, engine, g)
}

/// From the issue of a transfer of `runs` runs of `run` bytes to its completion, picoseconds.
pub fn transfer(g: Generation, runs: u64, run: u64, computes: bool) -> u64 {
    let rate = DMA_RATE.get(row(g)).copied().unwrap_or(23);
    let engines = runs.clamp(1, DMA_ENGINES);
    let halved = computes && g < Generation::V4;
    let bytes = runs.saturating_mul(run + DMA_RUN) << u32::from(halved);
    DMA_START + bytes.saturating_mul(1000).div_ceil(rate * engines)
}

/// What the rules look at.
struct Load {
    /// Elements per partition of the largest operand.
    n: u64,
    sources: usize,
    sbuf_sources: usize,
    all_sbuf: bool,
    /// Every operand is a 16-bit float.
    half: bool,
    /// Every innermost step is 1.
    dense: bool,
    fp32_source: bool,
    dynamic: bool,
}

fn load(instr: &Instr) -> Load {
    let mut l = Load {
        n: 1,
        sources: 0,
        sbuf_sources: 0,
        all_sbuf: true,
        half: true,
        dense: true,
        fp32_source: false,
        dynamic: false,
    };
    for op in operands(instr) {
        l.n = l.n.max(elements(&op));
        let addr = address(&op);
        let in_sbuf = addr
            .location(instr.generation)
            .is_none_or(|at| at.space == Space::Sbuf);
        l.all_sbuf &= in_sbuf;
        l.half &= matches!(op.dtype, DType::BF16 | DType::FP16);
        l.dynamic |= matches!(
            addr.form(),
            AddrForm::Register(_) | AddrForm::IndexRegister(_)
        );
        if let Shape::Static(p) = op.shape {
            l.dense &= p.dims().first().is_none_or(|d| d.step == 1 || d.num == 1);
        }
        if op.role == Role::Read {
            l.sources += 1;
            l.sbuf_sources += usize::from(in_sbuf);
            l.fp32_source |= op.dtype == DType::FP32;
        }
    }
    l
}

fn elements(op: &Operand) -> u64 {
    match op.shape {
        Shape::Static(p) => p.count(),
        Shape::Indirect(i) => u64::from(i.num),
    }
}

fn address(op: &Operand) -> Addr4 {
    match op.shape {
        Shape::Static(p) => p.addr,
        Shape::Indirect(i) => i.data,
    }
}

/// Engine cycles until the next bundle may start (isa 17 §3).
fn cycles(instr: &Instr, engine: Engine) -> u64 {
    let l = load(instr);
    if l.sources == 0 && l.n == 1 {
        return MIN_II;
    }
    let stream = match engine {
        Engine::Pe => pe(instr, &l),
        Engine::Act => act(instr, &l),
        Engine::Pool => POOL_START.saturating_add(l.n),
        Engine::Dve => dve(instr, &l),
        Engine::Sp => l.n,
    };
    stream.max(if l.dynamic { MIN_II_DYNAMIC } else { MIN_II })
}

fn pe(instr: &Instr, l: &Load) -> u64 {
    match instr.bundle.opcode() {
        0x01 | 0x06 | 0x09 => l.n / 4,
        _ if l.fp32_source => l.n.saturating_mul(4),
        _ => l.n,
    }
}

fn act(instr: &Instr, l: &Load) -> u64 {
    let copies = matches!(instr.bundle.opcode(), 0x43 | 0x46 | 0x47);
    if copies && l.half && instr.generation >= Generation::V4 {
        l.n / 2
    } else {
        l.n
    }
}

fn dve(instr: &Instr, l: &Load) -> u64 {
    let fast = instr.generation >= Generation::V3 && l.half;
    let n = l.n;
    match instr.bundle.opcode() {
        // Two tensors: one element per cycle each, unless one comes from PSUM or the fast mode holds.
        0x41 | 0x51 | 0x72 | 0x8A | 0x8B | 0x8F | 0x99 => match l.sbuf_sources {
            2.. if !l.half => n.saturating_mul(2),
            _ => n,
        },
        0x9D | 0x9E | 0xE5 => n.saturating_mul(2),
        0x43 | 0x46 | 0x47 | 0x53 if fast => match (l.all_sbuf, l.dense) {
            (true, true) => n / 4,
            (true, false) | (false, true) => n / 2,
            _ => n,
        },
        0x42 if l.half => n / 2,
        0x48 => n.saturating_mul(8),
        0x62 => n.saturating_mul(13) / 3,
        0x9A => n.saturating_add(64),
        0x30 | 0xE2 | 0xE3 => n / 4,
        _ => n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Bundle, decode};

    fn instr(hex: &str, g: Generation) -> Instr {
        decode(&Bundle::from_hex(hex).unwrap(), g)
    }

    /// isa 01 §6: add of two SBUF fp32 tensors of 64 elements: 2 N cycles.
    #[test]
    fn two_tensors_cost_twice() {
        let hex = "41100000 00000000 00000000 aa0a0480 00000000 01000100 01004000 01000100
            00100000 01000100 01004000 01000100 00200000 01000100 01004000 01000100";
        let i = instr(hex, Generation::V2);
        assert_eq!(cycles(&i, Engine::Dve), 128);
        assert_eq!(busy(&i, Engine::Dve), 128_000_000 / 1120 + 1);
        assert_eq!(cycles(&i, Engine::Pool), 150 + 64);
    }

    /// isa 17 §4: 4 runs of 8 KiB through one engine each took 1416 ns beside the start-up.
    #[test]
    fn measured_transfer() {
        let one = transfer(Generation::V3, 4, 8192, false) - DMA_START;
        // Here each run has an engine of its own: a quarter of the time, within the efficiency rule.
        let ns = one / 1000;
        assert!((354..=370).contains(&ns), "{ns}");
    }

    #[test]
    fn control_costs_the_minimum() {
        let nop = instr(&format!("a410{}", "00".repeat(62)), Generation::V3);
        assert_eq!(busy(&nop, Engine::Sp), 64 * 1_000_000 / 1200 + 1);
    }
}
