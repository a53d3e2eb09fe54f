//! Everything a core remembers, and nothing else. Read by all, changed only through [`super::writer::Writer`].

use super::dram::Dram;
use super::hidden::{Hidden, Region};
use super::memory::{Bank, Geometry, MemError, Segment, SegmentMut};
use super::rect::{Rect, Runs, Space};
use super::written;
use std::collections::BTreeMap;

/// Streams with a register file and a program counter of their own: PE, ACT, POOL, DVE, SP (isa 11 §1) and ANY.
pub const AGENTS: usize = 6;
/// Registers per agent (isa 08 §7).
pub const REGS: usize = 64;
/// Semaphores per core.
pub const SEMS: usize = 256;
/// Events per core.
pub const EVENTS: usize = 256;
/// Words of scheduler state.
pub const SCHED_WORDS: usize = 64;

/// What memory and registers hold before anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reset {
    /// Every byte of memory (`init.memory`).
    pub memory: u8,
    /// Every register (`init.registers`).
    pub registers: u32,
}

impl Default for Reset {
    /// All ones, as the vendor's simulator does (isa 12 §7).
    fn default() -> Reset {
        Reset {
            memory: 0xFF,
            registers: u32::MAX,
        }
    }
}

/// A program patch: stream and bundle index it replaces.
pub(super) type PatchKey = (u8, u64);

/// The architectural state of one core.
///
/// Agents are numbered as in [`AGENTS`]. A number outside its range reads as the reset value, and a write to it is dropped.
#[derive(Clone, PartialEq)]
pub struct State {
    pub(super) geometry: Geometry,
    pub(super) reset: Reset,
    pub(super) sbuf: Bank,
    pub(super) psum: Bank,
    pub(super) dram: Dram,
    pub(super) hidden: Hidden,
    pub(super) small: Small,
}

/// Registers, flags and counters: cheap to clone, so checkpoints hold it whole.
#[derive(Clone, PartialEq)]
pub(super) struct Small {
    pub regs: [[u32; REGS]; AGENTS],
    /// One bit per register: written since reset.
    pub defined: [u64; AGENTS],
    pub sems: [u32; SEMS],
    pub events: [u64; EVENTS / 64],
    pub pcs: [u64; AGENTS],
    pub flags: [u8; AGENTS],
    pub sched: [u64; SCHED_WORDS],
    /// Bundles that replace those of the loaded program.
    pub patches: BTreeMap<PatchKey, [u8; 64]>,
}

impl State {
    /// The state after reset.
    pub fn new(geometry: Geometry, reset: Reset) -> State {
        State {
            geometry,
            reset,
            sbuf: Bank::new(geometry.sbuf_bytes, reset.memory),
            psum: Bank::new(geometry.psum_bytes, reset.memory),
            dram: Dram::new(reset.memory),
            hidden: Hidden::new(),
            small: Small {
                regs: [[reset.registers; REGS]; AGENTS],
                defined: [0; AGENTS],
                sems: [0; SEMS],
                events: [0; EVENTS / 64],
                pcs: [0; AGENTS],
                flags: [0; AGENTS],
                sched: [0; SCHED_WORDS],
                patches: BTreeMap::new(),
            },
        }
    }

    /// Sets a scheduler word of a fresh state, before any step.
    pub(super) fn set_initial_sched(&mut self, slot: u8, value: u64) {
        if let Some(word) = self.small.sched.get_mut(usize::from(slot)) {
            *word = value;
        }
    }

    /// Changes hidden words of a fresh state, before any step.
    pub(super) fn change_initial_hidden(
        &mut self,
        region: Region,
        change: impl FnOnce(&mut [u32]),
    ) {
        change(self.hidden.words_mut(region));
    }

    /// Memory sizes.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// What unwritten cells hold.
    pub fn reset(&self) -> Reset {
        self.reset
    }

    /// A register's value.
    pub fn reg(&self, agent: u8, reg: u8) -> u32 {
        let file = self.small.regs.get(usize::from(agent));
        file.and_then(|f| f.get(usize::from(reg)))
            .copied()
            .unwrap_or(self.reset.registers)
    }

    /// True when the register was written since reset.
    pub fn reg_defined(&self, agent: u8, reg: u8) -> bool {
        let bits = self
            .small
            .defined
            .get(usize::from(agent))
            .copied()
            .unwrap_or(0);
        bits.checked_shr(u32::from(reg)).unwrap_or(0) & 1 == 1
    }

    /// A semaphore's count.
    pub fn sem(&self, sem: u8) -> u32 {
        self.small.sems.get(usize::from(sem)).copied().unwrap_or(0)
    }

    /// True when the event is set.
    pub fn event(&self, event: u8) -> bool {
        let word = self
            .small
            .events
            .get(usize::from(event) / 64)
            .copied()
            .unwrap_or(0);
        word >> (event % 64) & 1 == 1
    }

    /// Index of the next bundle of a stream.
    pub fn pc(&self, agent: u8) -> u64 {
        self.small.pcs.get(usize::from(agent)).copied().unwrap_or(0)
    }

    /// Condition bits of a stream (exited, halted, ...); their meaning belongs to the scheduler.
    pub fn flags(&self, agent: u8) -> u8 {
        self.small
            .flags
            .get(usize::from(agent))
            .copied()
            .unwrap_or(0)
    }

    /// The words of a hidden region.
    pub fn hidden(&self, region: Region) -> &[u32] {
        self.hidden.words(region)
    }

    /// A word of scheduler state; slots are named by the scheduler.
    pub fn sched(&self, slot: u8) -> u64 {
        self.small
            .sched
            .get(usize::from(slot))
            .copied()
            .unwrap_or(0)
    }

    /// The bundle that replaces the loaded one at this place, if it was patched.
    pub fn patch(&self, agent: u8, index: u64) -> Option<&[u8; 64]> {
        self.small.patches.get(&(agent, index))
    }

    /// Every patched place and its bundle, in order.
    pub fn patches(&self) -> impl Iterator<Item = (u8, u64, &[u8; 64])> {
        self.small
            .patches
            .iter()
            .map(|((agent, index), bundle)| (*agent, *index, bundle))
    }

    /// Bytes of written DRAM pages.
    pub fn dram_resident(&self) -> u64 {
        self.dram.resident()
    }

    /// Addresses of the DRAM pages that hold a written byte, ascending.
    pub fn dram_pages(&self) -> impl Iterator<Item = u64> + '_ {
        self.dram
            .pages()
            .map(|(n, _)| n * super::memory::PAGE as u64)
    }

    /// `off..off+len` of one partition of SBUF or PSUM without copying; `None` for DRAM and outside the backed bytes.
    pub fn bytes(&self, space: Space, part: u16, off: u64, len: u32) -> Option<&[u8]> {
        self.geometry
            .check(&Rect::new(space, part, 1, off, len))
            .ok()?;
        self.bank(space)?.row(part, off, len as usize)
    }

    /// Appends the bytes of a rectangle, partition after partition.
    pub fn read_into(&self, rect: &Rect, out: &mut Vec<u8>) -> Result<(), MemError> {
        self.geometry.check(rect)?;
        out.reserve(rect.bytes() as usize);
        self.all_segments(&(*rect).into(), |s| {
            out.extend_from_slice(s.bytes);
            true
        });
        Ok(())
    }

    /// Number of never-written bytes; bytes outside the memory do not count.
    pub fn unwritten(&self, rect: &Rect) -> u64 {
        let mut n = 0;
        self.all_segments(&(*rect).into(), |s| {
            n += written::count_clear(s.bits, s.bit, s.bytes.len());
            true
        });
        n
    }

    /// True when every byte of the rectangle was written.
    pub fn is_written(&self, rect: &Rect) -> bool {
        self.all_segments(&(*rect).into(), |s| {
            written::all_set(s.bits, s.bit, s.bytes.len())
        })
    }

    /// Calls `f` for each contiguous piece, partition after partition and run after run, while it answers true.
    /// The cuts depend on the runs alone. Pieces outside the memory are empty.
    pub(super) fn all_segments<'s>(
        &'s self,
        runs: &Runs,
        mut f: impl FnMut(Segment<'s>) -> bool,
    ) -> bool {
        let Runs { first, .. } = runs;
        let len = first.len as usize;
        if first.is_empty() {
            return true;
        }
        match self.bank(first.space) {
            Some(bank) => first
                .partitions()
                .all(|part| runs.offsets().all(|off| f(bank.segment(part, off, len)))),
            None => runs
                .offsets()
                .all(|off| self.dram.segments(off, len).all(&mut f)),
        }
    }

    /// Like [`State::all_segments`], to change every piece.
    pub(super) fn segments_mut(&mut self, runs: &Runs, mut f: impl FnMut(SegmentMut<'_>)) {
        let Runs { first, .. } = runs;
        let len = first.len as usize;
        if first.is_empty() {
            return;
        }
        let bank = match first.space {
            Space::Sbuf => &mut self.sbuf,
            Space::Psum => &mut self.psum,
            Space::Dram => {
                return runs
                    .offsets()
                    .for_each(|off| self.dram.segments_mut(off, len, &mut f));
            }
        };
        for part in first.partitions() {
            runs.offsets()
                .for_each(|off| f(bank.segment_mut(part, off, len)));
        }
    }

    fn bank(&self, space: Space) -> Option<&Bank> {
        match space {
            Space::Sbuf => Some(&self.sbuf),
            Space::Psum => Some(&self.psum),
            Space::Dram => None,
        }
    }
}
