//! What an executing bundle sees of the machine.

use std::sync::atomic::{AtomicBool, Ordering};

use super::resolve::Resolver;
use super::walk::{Walk, raw};
use crate::isa::access;
use crate::isa::fields::{Addr4, Imm32, ImmSrc};
use crate::isa::{DType, Engine, Instr, Queue, Severity};
use crate::num::{self, Kind, Rules};
use crate::sim::code::Code;
use crate::sim::fault::{Finding, Trap};
use crate::sim::settings::{Id, Settings};
use crate::sim::sync::Sync;
use crate::sim::{Rect, Region, State, Writer};

/// What a step reports besides its effects.
#[derive(Debug, Default)]
pub struct Report {
    /// Findings, in order.
    pub findings: Vec<Finding>,
    /// Lines for the event log (NOTIFY and the like).
    pub log: Vec<String>,
}

/// Reused buffers, so that a bundle allocates nothing per lane.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) bytes: Vec<u8>,
    pub(super) packed: Vec<u8>,
    pub(super) held: Vec<u8>,
    /// Sequence numbers of the bundles that had a scalar or accumulator as input that was NaN, and that was infinite.
    pub(super) odd_input: (Option<u64>, Option<u64>),
    pub(super) panels: super::pe::Panels,
}

/// When a bundle runs, in the units of the scheduling policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// When it starts.
    pub start: u64,
    /// When its results can be seen by others; `None` unless the policy is timed.
    pub done: Option<u64>,
}

/// Which updates of a bundle have fired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sim) enum Fired {
    Nothing,
    Read,
    All,
}

/// An executing bundle and the machine as it may use it.
pub struct Cx<'a, 'w> {
    /// The bundle.
    pub instr: &'a Instr,
    /// The engine that executes it.
    pub engine: Engine,
    /// Its stream; also selects the register file.
    pub queue: Queue,
    /// Its index in the stream.
    pub index: u64,
    /// Where it goes on: index of the next bundle, changed by branches.
    pub next: u64,
    /// The stream ends with this bundle.
    pub exits: bool,
    /// The program.
    pub code: &'a Code,
    /// When it runs.
    pub time: Moment,
    /// Settings.
    pub settings: &'a Settings,
    pub(in crate::sim) fired: Fired,
    pub(in crate::sim) rules: Rules,
    pub(in crate::sim) trace: bool,
    pub(in crate::sim) writer: &'a mut Writer<'w>,
    pub(in crate::sim) report: &'a mut Report,
    pub(in crate::sim) scratch: &'a mut Scratch,
    pub(in crate::sim) interrupt: &'a AtomicBool,
    pub(in crate::sim) seq: u64,
}

/// A scalar operand: the same for all lanes, or one per lane.
#[derive(Clone, Debug)]
pub enum Scalars {
    /// One value, as raw bits.
    One(u32),
    /// Raw bits per lane.
    PerLane(Vec<u32>),
}

impl Scalars {
    /// Bits of a lane.
    pub fn bits(&self, lane: u16) -> u32 {
        match self {
            Scalars::One(v) => *v,
            Scalars::PerLane(all) => all.get(usize::from(lane)).copied().unwrap_or(0),
        }
    }

    /// Value of a lane.
    pub fn f32(&self, lane: u16) -> f32 {
        f32::from_bits(self.bits(lane))
    }

    /// The values as fp32.
    pub fn values(&self) -> impl Iterator<Item = f32> + '_ {
        let all = match self {
            Scalars::One(bits) => std::slice::from_ref(bits),
            Scalars::PerLane(all) => all,
        };
        all.iter().map(|bits| f32::from_bits(*bits))
    }
}

/// The element kind of a wire dtype; `fp8_fn` selects the variant of 0x0E (isa 13 §2).
pub fn kind_of(dtype: DType, fp8_fn: bool) -> Option<Kind> {
    match dtype.kind() {
        Some(Kind::Fp8E4) if fp8_fn => Some(Kind::Fp8E4Fn),
        kind => kind,
    }
}

impl Cx<'_, '_> {
    /// The state as changed so far.
    pub fn state(&self) -> &State {
        self.writer.state()
    }

    /// Number of the stream's register file.
    pub fn agent(&self) -> u8 {
        self.queue.index() as u8
    }

    /// The conversion switches.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Reports something that does not stop the run.
    pub fn finding(&mut self, severity: Severity, rule: &'static str, message: String) {
        self.report.findings.push(Finding {
            rule,
            severity,
            queue: self.queue,
            index: self.index,
            seq: self.seq,
            other: None,
            message,
        });
    }

    /// Adds a line to the event log.
    pub fn log(&mut self, line: String) {
        self.report.log.push(line);
    }

    /// Records how the bundle orders itself against others, when that is asked for.
    pub(in crate::sim) fn sync(&mut self, sync: Sync) {
        if self.trace {
            self.writer.sync(sync);
        }
    }

    /// To be called once per lane of long work: lets an interrupt take the bundle back.
    ///
    /// # Errors
    /// The `interrupt` trap.
    pub fn poll(&self) -> Result<(), Trap> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Trap::new("interrupt", "interrupted"));
        }
        Ok(())
    }

    /// A register of the stream, 128/129 being the PC (isa 08 §7). Reading an undefined register
    /// is a finding.
    pub fn reg(&mut self, reg: u8) -> u32 {
        match reg {
            128 => self.pc() as u32,
            129 => (self.pc() >> 32) as u32,
            _ => {
                if !self.state().reg_defined(self.agent(), reg) {
                    let m = format!("r{reg} of {} was never set", self.queue);
                    self.finding(Severity::Warn, "uninit-reg", m);
                }
                self.state().reg(self.agent(), reg)
            }
        }
    }

    /// Byte address of the bundle in its stream (isa 08 §6.3).
    pub fn pc(&self) -> u64 {
        self.index.wrapping_mul(64)
    }

    /// Sets a register; writes to the PC numbers are ignored.
    pub fn set_reg(&mut self, reg: u8, value: u32) {
        if reg < 64 {
            self.writer.set_reg(self.agent(), reg, value);
        }
    }

    /// Resolves the operand in a slot, records reads of sources and reports never-written bytes.
    ///
    /// # Errors
    /// Traps of [`Resolver::resolve`]; `uninit-read` when that is set to fault.
    pub fn operand(&mut self, slot: &'static str) -> Result<Walk, Trap> {
        let op = self
            .instr
            .format
            .field(slot)
            .and_then(|f| access::operand(self.instr, f))
            .ok_or_else(|| Trap::at("not-modelled", slot, "this layout has no such operand"))?;
        let walk = self.resolver().resolve(&op)?;
        if walk.role == crate::isa::field::Role::Read {
            self.note_read(&walk)?;
        }
        Ok(walk)
    }

    /// Resolves operands under the present settings.
    pub fn resolver(&self) -> Resolver<'_> {
        Resolver {
            state: self.state(),
            generation: self.instr.generation,
            agent: self.agent(),
            group: if self.engine == Engine::Pe { 32 } else { 16 },
            kind: kind_of,
            fp8_fn: self.settings.is(Id::Fp8E4, 2),
        }
    }

    /// Records that a walk is read; never-written bytes are the finding or fault `uninit-read`.
    ///
    /// # Errors
    /// `uninit-read` when that is set to fault.
    pub fn note_read(&mut self, walk: &Walk) -> Result<(), Trap> {
        let bounds = walk.bounds();
        if walk.contiguous() {
            let unwritten = self.read_rect(bounds);
            return self.uninit(unwritten, walk.field, &bounds);
        }
        let clean = self.state().is_written(&bounds);
        let mut unwritten = 0;
        for rect in walk.rects() {
            self.touch(rect);
            if !clean {
                unwritten += self.state().unwritten(&rect);
            }
        }
        self.uninit(unwritten, walk.field, &bounds)
    }

    /// Records the read of a rectangle, for PSUM also in the books of the accumulation groups.
    fn touch(&mut self, rect: Rect) {
        self.writer.read(rect);
        if self.engine != Engine::Pe {
            super::pe::was_read(self, rect);
        }
    }

    /// Records the read of a rectangle and counts its never-written bytes.
    pub fn read_rect(&mut self, rect: Rect) -> u64 {
        self.touch(rect);
        let state = self.state();
        if state.is_written(&rect) {
            0
        } else {
            state.unwritten(&rect)
        }
    }

    /// Reports never-written bytes that were read.
    ///
    /// # Errors
    /// `uninit-read` when that is set to fault.
    pub fn uninit(&mut self, bytes: u64, slot: &'static str, around: &Rect) -> Result<(), Trap> {
        if bytes == 0 {
            return Ok(());
        }
        let message = format!("{slot} reads {bytes} never-written bytes of {around}");
        match self.settings.get(Id::UninitRead) {
            0 => self.finding(Severity::Warn, "uninit-read", message),
            1 => return Err(Trap::at("uninit-read", slot, message)),
            _ => {}
        }
        Ok(())
    }

    /// Reads a lane as f32, in walk order, into `out`.
    pub fn lane_f32(&mut self, walk: &Walk, lane: u16, out: &mut Vec<f32>) {
        walk.read_f32(self.writer.state(), lane, &mut self.scratch.bytes, out);
    }

    /// Reads a lane as raw element bits, zero-extended, in walk order, into `out`.
    pub fn lane_raw(&mut self, walk: &Walk, lane: u16, out: &mut Vec<u64>) {
        walk.read_raw(self.writer.state(), lane, &mut self.scratch.bytes, out);
    }

    /// Resolves a 32-bit immediate: inline bits, or the scalar that a pointer (in the bundle or in
    /// a register) names in each of `lanes` partitions, `dtype` wide (isa 07 §1.2). Pointed-to
    /// floats are widened to fp32 bits, integers extended by their signedness.
    ///
    /// # Errors
    /// `imm-src` for an undefined source; address traps of the pointer.
    pub fn scalars(
        &mut self,
        slot: &'static str,
        imm: Imm32,
        src: ImmSrc,
        dtype: DType,
        lanes: u16,
    ) -> Result<Scalars, Trap> {
        let kind = kind_of(dtype, self.settings.is(Id::Fp8E4, 2));
        let mut scalars = self.raw_scalars(slot, imm, src, dtype, lanes)?;
        if let (Scalars::PerLane(all), Some(kind)) = (&mut scalars, kind) {
            for bits in all {
                *bits = if kind.is_float() {
                    num::widen(kind, (*bits).into()).to_bits()
                } else if kind.is_int() && kind.is_signed() {
                    num::sign_extend((*bits).into(), kind.bits()) as u32
                } else {
                    *bits
                };
            }
        }
        if kind.is_some_and(Kind::is_float) {
            self.note_inputs(scalars.values());
        }
        Ok(scalars)
    }

    /// The same with pointed-to scalars as raw bits, zero-extended.
    ///
    /// # Errors
    /// As [`Cx::scalars`].
    pub fn raw_scalars(
        &mut self,
        slot: &'static str,
        imm: Imm32,
        src: ImmSrc,
        dtype: DType,
        lanes: u16,
    ) -> Result<Scalars, Trap> {
        let word = match src {
            ImmSrc::INSTRUCTION => return Ok(Scalars::One(imm.0)),
            ImmSrc::POINTER => Addr4(imm.0),
            ImmSrc::REG_PTR => Addr4(Addr4::REGISTER | (imm.0 & 0xFF)),
            _ => {
                return Err(Trap::at(
                    "imm-src",
                    slot,
                    format!("source {:#04x}; 0, 1 and 2 are defined", src.0),
                ));
            }
        };
        let kind = kind_of(dtype, self.settings.is(Id::Fp8E4, 2))
            .ok_or_else(|| Trap::at("dtype", slot, format!("dtype {dtype} has no element size")))?;
        let at = self.resolver().location(slot, word, dtype, lanes)?;
        let rect = Rect::new(
            at.space,
            at.part,
            lanes,
            u64::from(at.off),
            kind.bytes() as u32,
        );
        let missing = self.read_rect(rect);
        self.uninit(missing, slot, &rect)?;
        let mut bytes = Vec::new();
        self.state()
            .read_into(&rect, &mut bytes)
            .map_err(|e| Trap::at("bounds", slot, e.to_string()))?;
        let values = bytes.chunks_exact(kind.bytes()).map(|e| raw(e) as u32);
        Ok(Scalars::PerLane(values.collect()))
    }

    /// Tells of inputs that are no tensors: what is NaN or infinite because of them is none of the bundle's making.
    pub fn note_inputs(&mut self, values: impl IntoIterator<Item = f32>) {
        for x in values.into_iter().filter(|x| !x.is_finite()) {
            let (nan, inf) = &mut self.scratch.odd_input;
            *(if x.is_nan() { nan } else { inf }) = Some(self.seq);
        }
    }

    /// Was there such an input in this bundle that was NaN, and one that was infinite?
    pub(super) fn odd_input(&self) -> (bool, bool) {
        let (nan, inf) = self.scratch.odd_input;
        (nan == Some(self.seq), inf == Some(self.seq))
    }

    /// Words of a hidden region.
    pub fn hidden(&self, region: Region) -> &[u32] {
        self.state().hidden(region)
    }
}
