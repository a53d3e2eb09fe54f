//! Moving the bytes of a transfer (isa 09 §3): the source is read whole, in order, then written to
//! the destination in its order, cast or combined with it on the way (15 §4.3).

use super::Transfer;
use super::combine::Combiner;
use crate::isa::fields::DgeOp;
use crate::isa::{DType, Generation, Severity};
use crate::num::{self, Kind, Narrowed};
use crate::sim::Rect;
use crate::sim::exec::ctrl::bus::{Missing, Port, in_sync, memory};
use crate::sim::exec::cx::{Cx, kind_of};
use crate::sim::fault::Trap;
use crate::sim::settings::{Id, Settings};

/// One side of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leg {
    /// Address of the first element.
    pub addr: u64,
    /// Bytes of an element, contiguous.
    pub size: u32,
    /// Steps in bytes and counts, fastest first.
    pub dims: [(i32, u32); 4],
    /// Elements that start above it are skipped.
    pub limit: Option<u64>,
    /// Skipped elements are not reported.
    pub silent: bool,
}

/// Elements, and bytes, that one transfer may have here; more would only exhaust the host.
const MAX_ELEMENTS: u64 = 1 << 22;
const MAX_BYTES: u64 = 1 << 30;

impl Leg {
    /// No element.
    pub(super) const NOWHERE: Leg = Leg {
        addr: 0,
        size: 0,
        dims: [(0, 0); 4],
        limit: None,
        silent: false,
    };

    /// Number of elements.
    pub fn elements(&self) -> u64 {
        let counts = self.dims.iter().map(|d| u64::from(d.1));
        counts.fold(1, u64::saturating_mul)
    }

    fn bytes(&self) -> u64 {
        self.elements().saturating_mul(self.size.into())
    }

    /// The same bytes in the same order with neighbouring elements made one.
    pub(super) fn folded(mut self) -> Leg {
        if self.limit.is_some() || in_sync(self.addr) {
            return self;
        }
        loop {
            let [first, rest @ ..] = self.dims;
            let whole = u64::from(self.size) * u64::from(first.1);
            let follows = first.1 == 1 || first.0 as i64 == i64::from(self.size);
            if !follows || whole > u64::from(u32::MAX) || first == (0, 1) && rest == [(0, 1); 3] {
                return self;
            }
            let [a, b, c] = rest;
            self.size = whole as u32;
            self.dims = [a, b, c, (0, 1)];
        }
    }

    /// Start of every element, first dimension fastest.
    fn starts(&self) -> impl Iterator<Item = u64> + use<> {
        let (dims, mut at, mut addr) = (self.dims, [0u32; 4], self.addr);
        (0..self.elements()).map(move |_| {
            let here = addr;
            for (i, (step, count)) in at.iter_mut().zip(dims) {
                *i += 1;
                addr = addr.wrapping_add_signed(step.into());
                if *i < count {
                    break;
                }
                let back = i64::from(step).wrapping_mul(count.into());
                addr = addr.wrapping_sub(back as u64);
                *i = 0;
            }
            here
        })
    }
}

/// Where bytes of the destination go.
#[derive(Clone, Copy)]
enum Target {
    Memory(Rect),
    /// 4 bytes to an address in the event and semaphore windows.
    Port(u64),
}

/// What happens to the bytes on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Copy,
    Cast(Kind, Kind),
    Combine(Kind, Kind),
}

/// A transfer laid out over the memories, everything checked.
pub struct Plan {
    way: Way,
    /// Pieces of the source with their place in the stream of bytes.
    src: Vec<(u64, Rect)>,
    /// Pieces of the destination, by place in its own stream.
    dst: Vec<(u64, Target)>,
    /// Bytes of the source that are skipped, ascending.
    holes: Vec<(u64, u64)>,
    /// Skipped elements that are to be reported.
    skipped: u64,
    bytes: u64,
}

impl Plan {
    /// # Errors
    /// `address`, `alignment`, `count` or `dtype` traps.
    pub fn new(t: &Transfer, g: Generation, settings: &Settings) -> Result<Plan, Trap> {
        let mut plan = Plan::empty(t, settings)?;
        let src = checked(t.src.folded(), "src_start_addr")?;
        let dst = checked(t.dst.folded(), "dst_start_addr")?;
        plan.source(src, src.starts(), g)?;
        plan.destination(dst, dst.starts(), g)?;
        Ok(plan)
    }

    /// A plan that moves nothing yet.
    fn empty(t: &Transfer, settings: &Settings) -> Result<Plan, Trap> {
        let way = way(t, settings.is(Id::Fp8E4, 2))?;
        sizes(t, way)?;
        Ok(Plan {
            way,
            src: Vec::new(),
            dst: Vec::new(),
            holes: Vec::new(),
            skipped: 0,
            bytes: t.src.bytes(),
        })
    }

    /// A plan whose elements start where the lists say, for shapes that no counts and steps give.
    /// The legs say how large the elements are, and how many there are.
    ///
    /// # Errors
    /// As for [`Plan::new`].
    pub(super) fn listed(
        t: &Transfer,
        [src, dst]: [&[u64]; 2],
        g: Generation,
        settings: &Settings,
    ) -> Result<Plan, Trap> {
        let mut plan = Plan::empty(t, settings)?;
        let from = checked(t.src, "src_start_addr")?;
        let to = checked(t.dst, "dst_start_addr")?;
        plan.source(from, src.iter().copied(), g)?;
        plan.destination(to, dst.iter().copied(), g)?;
        Ok(plan)
    }

    fn source(
        &mut self,
        leg: Leg,
        starts: impl Iterator<Item = u64>,
        g: Generation,
    ) -> Result<(), Trap> {
        let slot = "src_start_addr";
        let size = u64::from(leg.size);
        for (at, addr) in (0..).map(|i| i * size).zip(starts) {
            if leg.limit.is_some_and(|l| addr > l) {
                self.skipped += u64::from(!leg.silent);
                match self.holes.last_mut() {
                    Some(hole) if hole.1 == at => hole.1 += size,
                    _ => self.holes.push((at, at + size)),
                }
                continue;
            }
            let mut at = at;
            memory(addr, size, g, |rect| {
                match self.src.last_mut() {
                    Some((start, last)) if *start + last.bytes() == at => match last.join(&rect) {
                        Some(joined) => *last = joined,
                        None => self.src.push((at, rect)),
                    },
                    _ => self.src.push((at, rect)),
                }
                at += rect.bytes();
            })
            .map_err(|m| Trap::at("address", slot, m))?;
        }
        Ok(())
    }

    fn destination(
        &mut self,
        leg: Leg,
        starts: impl Iterator<Item = u64>,
        g: Generation,
    ) -> Result<(), Trap> {
        let slot = "dst_start_addr";
        let size = u64::from(leg.size);
        for (at, addr) in (0..).map(|i| i * size).zip(starts) {
            if leg.limit.is_some_and(|l| addr > l) {
                self.skipped += u64::from(!leg.silent);
                continue;
            }
            if size == 4 && in_sync(addr) {
                let writable = Port::at(addr).is_some_and(|p| !matches!(p, Port::Count(_)));
                if !writable || self.way != Way::Copy {
                    let m = format!("{addr:#x} cannot be written by this transfer");
                    return Err(Trap::at("address", slot, m));
                }
                self.dst.push((at, Target::Port(addr)));
                continue;
            }
            let mut at = at;
            memory(addr, size, g, |rect| {
                match self.dst.last_mut() {
                    Some((start, Target::Memory(last))) if *start + last.bytes() == at => {
                        match last.join(&rect) {
                            Some(joined) => *last = joined,
                            None => self.dst.push((at, Target::Memory(rect))),
                        }
                    }
                    _ => self.dst.push((at, Target::Memory(rect))),
                }
                at += rect.bytes();
            })
            .map_err(|m| Trap::at("address", slot, m))?;
        }
        Ok(())
    }

    /// What is read and what is written, windows left out.
    pub fn rects(&self) -> (Vec<Rect>, Vec<Rect>) {
        let to = |(_, target): &(u64, Target)| match target {
            Target::Memory(rect) => Some(*rect),
            Target::Port(_) => None,
        };
        let src = self.src.iter().map(|(_, rect)| *rect);
        (src.collect(), self.dst.iter().filter_map(to).collect())
    }

    /// Does it. A `late` transfer reports never-written bytes where another one would fault.
    ///
    /// # Errors
    /// `uninit-read` unless late, and `interrupt`.
    pub fn copy(&self, t: &Transfer, cx: &mut Cx<'_, '_>, late: bool) -> Result<(), Trap> {
        if self.skipped > 0 {
            let m = format!("{} elements beyond the bound were skipped", self.skipped);
            cx.finding(Severity::Warn, "dma-bound", m);
        }
        let mut stream = std::mem::take(&mut cx.scratch.bytes);
        stream.clear();
        let done = self
            .gather(cx, &mut stream, late)
            .and_then(|()| self.scatter(t, cx, &stream, late));
        cx.scratch.bytes = stream;
        done
    }

    fn gather(&self, cx: &mut Cx<'_, '_>, stream: &mut Vec<u8>, late: bool) -> Result<(), Trap> {
        let mut missing = Missing::default();
        for (at, rect) in &self.src {
            cx.poll()?;
            stream.resize(*at as usize, 0);
            missing.add(cx.read_rect(*rect), *rect);
            cx.state()
                .read_into(rect, stream)
                .map_err(|e| Trap::at("address", "src_start_addr", e.to_string()))?;
        }
        stream.resize(self.bytes as usize, 0);
        report(missing, cx, "src_start_addr", late)
    }

    fn scatter(
        &self,
        t: &Transfer,
        cx: &mut Cx<'_, '_>,
        stream: &[u8],
        late: bool,
    ) -> Result<(), Trap> {
        let mut converted = Vec::new();
        let mut lost = Narrowed::default();
        let (stream, scale) = match self.way {
            Way::Cast(from, to) => {
                let mut values = vec![0.0; stream.len() / from.bytes()];
                num::widen_slice(from, stream, &mut values);
                converted.resize(values.len() * to.bytes(), 0);
                lost += num::narrow_slice(to, &values, cx.rules(), &mut converted);
                (
                    converted.as_slice(),
                    (from.bytes() as u64, to.bytes() as u64),
                )
            }
            Way::Combine(from, to) => (stream, (from.bytes() as u64, to.bytes() as u64)),
            Way::Copy => (stream, (1, 1)),
        };
        let mut combine = Combiner::new(self.way, t.op, cx);
        for (at, target) in &self.dst {
            cx.poll()?;
            match target {
                Target::Port(addr) => {
                    if self.hole(*at, 4, scale).is_none() {
                        let word = bytes_of(stream, *at, 4);
                        let value = word.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
                        cx.store_port("dst_start_addr", *addr, value)?;
                    }
                }
                Target::Memory(rect) => {
                    for (at, rect) in self.without_holes(*at, *rect, scale) {
                        combine.store(cx, stream, at, &rect)?;
                    }
                }
            }
        }
        lost += combine.lost;
        if lost.overflow > 0 && cx.settings.is(Id::FindingsNarrow, 0) {
            let m = format!("{} finite values left the range", lost.overflow);
            cx.finding(Severity::Info, "narrow-overflow", m);
        }
        let missing = combine.missing;
        report(missing, cx, "dst_start_addr", late)
    }

    /// The first hole that reaches into `at..at + len` of the destination's stream.
    fn hole(&self, at: u64, len: u64, (from, to): (u64, u64)) -> Option<(u64, u64)> {
        let scaled = |p: u64| p / from * to;
        let i = self.holes.partition_point(|h| scaled(h.1) <= at);
        let hole = self.holes.get(i).map(|h| (scaled(h.0), scaled(h.1)))?;
        (hole.0 < at + len).then_some(hole)
    }

    /// A destination piece cut into those parts whose source was not skipped.
    fn without_holes(&self, at: u64, rect: Rect, scale: (u64, u64)) -> Vec<(u64, Rect)> {
        if self.holes.is_empty() {
            return vec![(at, rect)];
        }
        let mut out = Vec::new();
        for (i, part) in rect.partitions().enumerate() {
            let row = at + i as u64 * u64::from(rect.len);
            let end = row + u64::from(rect.len);
            let mut from = row;
            while from < end {
                let hole = self.hole(from, end - from, scale).unwrap_or((end, end));
                if hole.0 > from {
                    let piece = Rect {
                        part,
                        parts: 1,
                        off: rect.off + (from - row),
                        len: (hole.0.min(end) - from) as u32,
                        ..rect
                    };
                    out.push((from, piece));
                }
                from = hole.1.max(from + 1).min(end);
            }
        }
        out
    }
}

pub(super) fn report(
    missing: Missing,
    cx: &mut Cx<'_, '_>,
    slot: &'static str,
    late: bool,
) -> Result<(), Trap> {
    match missing.report(cx, slot) {
        Err(t) if late => {
            cx.finding(Severity::Error, t.rule, t.message);
            Ok(())
        }
        other => other,
    }
}

pub(super) fn bytes_of(stream: &[u8], at: u64, len: u64) -> &[u8] {
    stream
        .get(at as usize..(at + len) as usize)
        .unwrap_or_default()
}

fn checked(leg: Leg, slot: &'static str) -> Result<Leg, Trap> {
    if leg.elements() == 0 {
        return Err(Trap::at("count", slot, "the shape has no elements"));
    }
    if leg.elements() > MAX_ELEMENTS || leg.bytes() > MAX_BYTES {
        let m = format!(
            "{} elements of {} bytes; {MAX_ELEMENTS} and 1 GiB in all are the limit here",
            leg.elements(),
            leg.size
        );
        return Err(Trap::at("count", slot, m));
    }
    Ok(leg)
}

/// Which kinds take part, and how.
fn way(t: &Transfer, fp8_fn: bool) -> Result<Way, Trap> {
    let given = |d: DType, other: DType| if d == DType::INVALID { other } else { d };
    let (from, to) = (
        given(t.in_dtype, t.out_dtype),
        given(t.out_dtype, t.in_dtype),
    );
    if t.op == DgeOp::NONE && from == to {
        return Ok(Way::Copy);
    }
    let kind = |slot, d: DType| {
        kind_of(d, fp8_fn)
            .filter(|k| *k != Kind::Fp4x4)
            .ok_or_else(|| Trap::at("dtype", slot, format!("{d} is not converted by a transfer")))
    };
    let (from, to) = (kind("in_dtype", from)?, kind("out_dtype", to)?);
    if t.op == DgeOp::NONE {
        return Ok(Way::Cast(from, to));
    }
    if t.op.0 > DgeOp::MIN.0 {
        let m = format!("compute operation {} is not defined", t.op);
        return Err(Trap::at("enum", "compute_op", m));
    }
    let accumulates = matches!(
        to,
        Kind::I32
            | Kind::I64
            | Kind::Fp32
            | Kind::Bf16
            | Kind::Fp16
            | Kind::Fp8E3
            | Kind::Fp8E4
            | Kind::Fp8E5
    );
    if !accumulates {
        let m = format!("{to} is not accumulated in memory");
        return Err(Trap::at("dtype", "out_dtype", m));
    }
    aligned(&t.src, from, "src_start_addr")?;
    aligned(&t.dst, to, "dst_start_addr")?;
    Ok(Way::Combine(from, to))
}

/// Arithmetic needs whole elements: start, steps and sizes are multiples of the dtype.
fn aligned(leg: &Leg, kind: Kind, slot: &'static str) -> Result<(), Trap> {
    let size = kind.bytes() as u64;
    let steps = leg.dims.iter().filter(|d| d.1 > 1).map(|d| d.0 as u64);
    let wrong = [leg.addr, u64::from(leg.size)]
        .into_iter()
        .chain(steps)
        .find(|v| v % size != 0);
    match wrong {
        Some(v) => {
            let m = format!(
                "{:#x} is no multiple of the {size} bytes of {kind}",
                v as i64
            );
            Err(Trap::at("alignment", slot, m))
        }
        None => Ok(()),
    }
}

/// Both sides hold the same number of elements (isa 09 §3).
fn sizes(t: &Transfer, way: Way) -> Result<(), Trap> {
    let (from, to) = match way {
        Way::Copy => (1, 1),
        Way::Cast(a, b) | Way::Combine(a, b) => (a.bytes() as u64, b.bytes() as u64),
    };
    let (src, dst) = (t.src.bytes(), t.dst.bytes());
    if src / from == dst / to && src % from == 0 && dst % to == 0 {
        return Ok(());
    }
    let m = format!("{src} bytes read, {dst} bytes written");
    Err(Trap::at("dma-bytes", "dst_num_elem", m))
}
