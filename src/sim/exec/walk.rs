//! A resolved operand: which bytes of which partitions, in which order (isa 03 §2).
//!
//! Resolving costs work per run of consecutive elements, once per bundle; lanes differ only in
//! their partition.

use crate::isa::access::{Operand, Shape};
use crate::isa::field::Role;
use crate::isa::fields::{Addr4, AddrForm, Dim, Indirect, Location, Pattern};
use crate::isa::{DType, Generation};
use crate::num::{self, Kind};
use crate::sim::fault::Trap;
use crate::sim::{Rect, Region, Runs, Space, State};

/// Elements per partition that one instruction may touch. More cannot be distinct (a partition
/// holds at most 512 KiB), so the rest would only be broadcast repetition without end.
pub const MAX_COUNT: u64 = 1 << 22;

/// An operand with its address, shape and dtype resolved and its bounds checked.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Name of the slot.
    pub field: &'static str,
    /// Source or destination.
    pub role: Role,
    /// SBUF or PSUM.
    pub space: Space,
    /// Partition of lane 0.
    pub part: u16,
    /// Partitions covered.
    pub lanes: u16,
    /// Wire dtype.
    pub dtype: DType,
    /// Kind of element under the present settings.
    pub kind: Kind,
    /// Bytes per element.
    pub elem: u32,
    /// Elements per partition.
    pub count: usize,
    /// Counts of the dimensions, fastest first.
    counts: [u16; 4],
    /// Byte offsets of the runs inside the partition, in walk order.
    starts: Vec<u32>,
    /// Elements per run.
    run: u32,
    /// Lowest byte and one past the highest.
    span: (u32, u32),
}

/// Where the registers and index vectors that operands may use come from.
pub struct Resolver<'a> {
    /// Machine state.
    pub state: &'a State,
    /// Generation.
    pub generation: Generation,
    /// Register file.
    pub agent: u8,
    /// Partitions that one index column covers: 32 on PE, else 16 (isa 03 §5).
    pub group: u32,
    /// Kind of element a dtype stands for under the present settings.
    pub kind: fn(DType, bool) -> Option<Kind>,
    /// Argument of `kind`: 0x0E is the fn variant.
    pub fp8_fn: bool,
}

impl Resolver<'_> {
    /// Resolves an operand.
    ///
    /// # Errors
    /// `address`, `alignment`, `start-partition`, `bounds`, `dtype` or `count` traps that name the
    /// slot, what was found and what is allowed.
    pub fn resolve(&self, op: &Operand) -> Result<Walk, Trap> {
        let name = op.field.name;
        let kind = (self.kind)(op.dtype, self.fp8_fn).ok_or_else(|| {
            Trap::at(
                "dtype",
                name,
                format!("dtype {} has no element size", op.dtype),
            )
        })?;
        let elem = kind.bytes() as u32;
        match op.shape {
            Shape::Static(p) => {
                let at = self.location(name, p.addr, op.dtype, op.lanes)?;
                let dims = self.shape(name, &p)?;
                self.walk(op, kind, at, &dims, elem)
            }
            Shape::Indirect(i) => self.gather(op, kind, i, elem),
        }
    }

    /// The location of an address word, from the word itself or from its register. Register values
    /// get all the checks that static words got at decode (isa 02 §2).
    pub fn location(
        &self,
        name: &'static str,
        word: Addr4,
        dtype: DType,
        lanes: u16,
    ) -> Result<Location, Trap> {
        let (a29, from) = match word.form() {
            AddrForm::Immediate(a) | AddrForm::IndexImmediate(a) => (a, None),
            AddrForm::Register(r) | AddrForm::IndexRegister(r) => {
                (self.state.reg(self.agent, r) & Addr4::MASK, Some(r))
            }
            AddrForm::Undefined => {
                let m = format!("address word {:#010x} has an undefined marker", word.0);
                return Err(Trap::at("address", name, m));
            }
        };
        let via = from.map_or(String::new(), |r| format!(" (from r{r})"));
        let at = Location::of_address(a29, self.generation)
            .filter(|l| l.is_backed(self.generation))
            .ok_or_else(|| {
                Trap::at(
                    "address",
                    name,
                    format!("{a29:#010x}{via} is no backed SBUF or PSUM byte"),
                )
            })?;
        if let Some(align) = dtype.alignment(self.generation)
            && a29 % align != 0
        {
            let m = format!("{a29:#010x}{via} is not aligned to {align} bytes as {dtype} needs");
            return Err(Trap::at("alignment", name, m));
        }
        if from.is_some() && !start_partition_legal(at.part, lanes) {
            let m = format!(
                "{lanes} partitions cannot start at partition {}{via}",
                at.part
            );
            return Err(Trap::at("start-partition", name, m));
        }
        Ok(at)
    }

    /// The dimensions of a pattern, from its slot or from a shape register (decisions 1.2: the
    /// register number stands in step_elem[0]).
    fn shape(&self, name: &'static str, p: &Pattern) -> Result<Vec<Dim>, Trap> {
        if !p.addr.shape_register() {
            return Ok(p.dims().to_vec());
        }
        let n = p.dims().first().map_or(0, |d| d.step);
        let words = u32::try_from(n)
            .ok()
            .filter(|n| *n < 4)
            .map(|n| self.state.hidden(Region::SHAPE_REGS.slice(8 * n, 8)))
            .ok_or_else(|| {
                Trap::at(
                    "shape-register",
                    name,
                    format!("shape register {n}; there are 0..3"),
                )
            })?;
        Ok(words
            .chunks_exact(2)
            .map(|w| Dim {
                step: w.first().copied().unwrap_or(0) as i16,
                num: w.last().copied().unwrap_or(0) as u16,
            })
            .collect())
    }

    fn walk(
        &self,
        op: &Operand,
        kind: Kind,
        at: Location,
        dims: &[Dim],
        elem: u32,
    ) -> Result<Walk, Trap> {
        let name = op.field.name;
        let pattern = Pattern::new(Addr4(0), dims);
        let count = pattern.count();
        if count == 0 {
            let m = "a dimension has no elements; at least 1";
            return Err(Trap::at("count", name, m));
        }
        if count > MAX_COUNT {
            let m = format!("{count} elements per partition, at most {MAX_COUNT} are executed");
            return Err(Trap::at("count", name, m));
        }
        let (lo, hi) = pattern.extent();
        let lo = i64::from(at.off) + lo * i64::from(elem);
        let hi = i64::from(at.off) + (hi + 1) * i64::from(elem);
        let span = self.within(name, at, op.lanes, lo, hi)?;
        let mut run = 1;
        let starts = pattern
            .runs()
            .map(|r| {
                run = r.len;
                (i64::from(at.off) + r.first * i64::from(elem)) as u32
            })
            .collect();
        Ok(Walk {
            field: name,
            role: op.role,
            space: at.space,
            part: at.part,
            lanes: op.lanes,
            dtype: op.dtype,
            kind,
            elem,
            count: count as usize,
            counts: std::array::from_fn(|i| dims.get(i).map_or(1, |d| d.num)),
            starts,
            run,
            span,
        })
    }

    /// Generic gather: element i of every lane lies at the offset idx[i mod G][i div G] (isa 03 §5).
    fn gather(&self, op: &Operand, kind: Kind, ind: Indirect, elem: u32) -> Result<Walk, Trap> {
        let name = op.field.name;
        let index = self.location(name, ind.index, DType::U32, 1)?;
        let data = self.location(name, ind.data, op.dtype, op.lanes)?;
        let columns = u32::from(ind.num).div_ceil(self.group);
        let group = self.group.min(u32::from(ind.num)) as u16;
        let end = i64::from(index.off) + 4 * i64::from(columns);
        self.within(name, index, group, i64::from(index.off), end)?;
        let mut starts = Vec::with_capacity(usize::from(ind.num));
        let mut span = (u32::MAX, 0);
        for i in 0..u32::from(ind.num) {
            let (part, column) = (index.part + (i % self.group) as u16, i / self.group);
            let word = self
                .state
                .bytes(index.space, part, u64::from(index.off + 4 * column), 4);
            let idx = word
                .and_then(|b| b.first_chunk())
                .map_or(0, |b| u32::from_le_bytes(*b));
            let lo = i64::from(data.off) + i64::from(idx) * i64::from(elem);
            let (lo, hi) = self.within(name, data, op.lanes, lo, lo + i64::from(elem))?;
            span = (span.0.min(lo), span.1.max(hi));
            starts.push(lo);
        }
        Ok(Walk {
            field: name,
            role: op.role,
            space: data.space,
            part: data.part,
            lanes: op.lanes,
            dtype: op.dtype,
            kind,
            elem,
            count: usize::from(ind.num),
            counts: [ind.num, 1, 1, 1],
            starts,
            run: 1,
            span,
        })
    }

    /// Checks that bytes `lo..hi` of `lanes` partitions exist; nothing wraps (decisions 1.2).
    fn within(
        &self,
        name: &'static str,
        at: Location,
        lanes: u16,
        lo: i64,
        hi: i64,
    ) -> Result<(u32, u32), Trap> {
        let limit = at.space.backed(self.generation) as i64;
        if lo < 0 || hi > limit {
            let m = format!(
                "bytes {lo:#x}..{hi:#x} of {} partition {}, which has {limit:#x} bytes",
                at.space, at.part
            );
            return Err(Trap::at("bounds", name, m));
        }
        if u32::from(at.part) + u32::from(lanes) > 128 {
            let m = format!(
                "partitions {}..{}, there are 128",
                at.part,
                u32::from(at.part) + u32::from(lanes)
            );
            return Err(Trap::at("bounds", name, m));
        }
        Ok((lo as u32, hi as u32))
    }
}

/// May `lanes` partitions start at `part`? (isa 02 §5)
pub const fn start_partition_legal(part: u16, lanes: u16) -> bool {
    match part {
        0 => lanes <= 128,
        64 => lanes <= 64,
        32 | 96 => lanes <= 32,
        _ => false,
    }
}

/// How a destination is stored: disjoint runs ascending, and the walk index of every stored
/// element when that differs from the walk order.
#[derive(Debug)]
pub struct Plan {
    /// Bytes of lane 0.
    pub runs: Vec<Runs>,
    /// For each stored element the last walk index that names it; `None`: walk order.
    pub order: Option<Vec<u32>>,
}

impl Walk {
    /// The partition of a lane.
    pub fn partition(&self, lane: u16) -> u16 {
        self.part + lane
    }

    /// Elements in the `n` innermost dimensions.
    pub fn inner(&self, n: usize) -> usize {
        let counts = self.counts.iter().take(n);
        counts.map(|c| usize::from(*c)).product()
    }

    /// Bytes of a lane when packed in walk order.
    pub fn bytes(&self) -> usize {
        self.count * self.elem as usize
    }

    /// One run of all its elements, ascending.
    pub fn contiguous(&self) -> bool {
        self.starts.len() <= 1
    }

    /// Do two walks visit the same bytes in the same order?
    pub fn same_sequence(&self, other: &Walk) -> bool {
        self.space == other.space
            && self.part == other.part
            && self.elem == other.elem
            && self.run == other.run
            && self.starts == other.starts
    }

    /// The smallest rectangle around all bytes of all lanes.
    pub fn bounds(&self) -> Rect {
        let (lo, hi) = self.span;
        Rect::new(
            self.space,
            self.part,
            self.lanes,
            u64::from(lo),
            hi.saturating_sub(lo),
        )
    }

    /// Do the two share a byte?
    pub fn overlaps(&self, other: &Walk) -> bool {
        if !self.bounds().overlaps(&other.bounds()) {
            return false;
        }
        let (mut ours, mut theirs) = (self.rects().peekable(), other.rects().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            if a.overlaps(b) {
                return true;
            }
            if a.off < b.off {
                ours.next();
            } else {
                theirs.next();
            }
        }
        false
    }

    /// The bytes of all lanes, disjoint, ascending.
    pub fn rects(&self) -> impl Iterator<Item = Rect> + use<> {
        self.plan().runs.into_iter().flat_map(|r| r.rects())
    }

    /// Byte offsets of the elements inside the partition, in walk order.
    pub fn offsets(&self) -> impl Iterator<Item = u32> + '_ {
        let elem = self.elem;
        self.starts
            .iter()
            .flat_map(move |s| (0..self.run).map(move |i| s + i * elem))
    }

    /// How to store it, for all its lanes.
    pub fn plan(&self) -> Plan {
        let bytes = self.run * self.elem;
        let ascending = self.starts.windows(2).all(|w| match w {
            [a, b] => a + bytes <= *b,
            _ => true,
        });
        if ascending {
            return Plan {
                runs: self.group(self.starts.iter().copied(), bytes),
                order: None,
            };
        }
        let mut last: Vec<(u32, u32)> = self.offsets().zip(0..).collect();
        last.sort_unstable();
        // Of equal offsets the last in walk order stays (isa 03 §2).
        let mut kept: Vec<(u32, u32)> = Vec::with_capacity(last.len());
        for (off, i) in last {
            match kept.last_mut() {
                Some(k) if k.0 == off => k.1 = i,
                _ => kept.push((off, i)),
            }
        }
        Plan {
            runs: self.group(kept.iter().map(|k| k.0), self.elem),
            order: Some(kept.into_iter().map(|k| k.1).collect()),
        }
    }

    /// Joins ascending runs of `bytes` bytes into series with a constant distance.
    fn group(&self, starts: impl Iterator<Item = u32>, bytes: u32) -> Vec<Runs> {
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for s in starts {
            match joined.last_mut() {
                Some(j) if j.0 + j.1 == s => j.1 += bytes,
                _ => joined.push((s, bytes)),
            }
        }
        let mut out: Vec<Runs> = Vec::new();
        for (start, len) in joined {
            let next = Rect::new(self.space, self.part, self.lanes, u64::from(start), len);
            if let Some(last) = out.last_mut()
                && last.first.len == len
            {
                let gap = u64::from(start).saturating_sub(last.first.off);
                let step = if last.count == 1 {
                    gap
                } else {
                    u64::from(last.step)
                };
                if gap == step * u64::from(last.count) && step <= u64::from(u32::MAX) {
                    last.step = step as u32;
                    last.count += 1;
                    continue;
                }
            }
            out.push(Runs::from(next));
        }
        out
    }

    /// Copies the packed bytes of a lane, in walk order, to the end of `out`.
    pub fn gather_bytes(&self, state: &State, lane: u16, out: &mut Vec<u8>) {
        let row = self.span_row(state, lane);
        out.reserve(self.count * self.elem as usize);
        match self.elem {
            // Element copies of a known size compile to single moves.
            1 if self.run == 1 => self.gather_sized::<1>(row, out),
            2 if self.run == 1 => self.gather_sized::<2>(row, out),
            4 if self.run == 1 => self.gather_sized::<4>(row, out),
            8 if self.run == 1 => self.gather_sized::<8>(row, out),
            _ => {
                let (lo, bytes) = (self.span.0, (self.run * self.elem) as usize);
                for s in &self.starts {
                    let at = (s - lo) as usize;
                    out.extend_from_slice(row.get(at..at + bytes).unwrap_or(&[]));
                }
            }
        }
    }

    fn gather_sized<const N: usize>(&self, row: &[u8], out: &mut Vec<u8>) {
        let lo = self.span.0;
        out.extend(self.starts.iter().flat_map(|s| -> [u8; N] {
            let rest = row.get((s - lo) as usize..);
            rest.and_then(|r| r.first_chunk())
                .copied()
                .unwrap_or([0; N])
        }));
    }

    /// The bytes of a lane from the lowest to the highest that the walk visits.
    fn span_row<'s>(&self, state: &'s State, lane: u16) -> &'s [u8] {
        let (lo, hi) = self.span;
        let part = self.partition(lane);
        let row = state.bytes(self.space, part, u64::from(lo), hi.saturating_sub(lo));
        row.unwrap_or(&[])
    }

    /// The bytes of a lane without copying, when they are one run.
    pub fn row<'s>(&self, state: &'s State, lane: u16) -> Option<&'s [u8]> {
        self.contiguous().then(|| self.span_row(state, lane))
    }

    /// The packed bytes of a lane in walk order: in place where they are one run, else in `buffer`.
    pub fn packed<'b>(&self, state: &'b State, lane: u16, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        if let Some(row) = self.row(state, lane) {
            return row;
        }
        buffer.clear();
        self.gather_bytes(state, lane, buffer);
        buffer
    }

    /// Reads a lane as f32, in walk order; `buffer` is for walks of several runs.
    pub fn read_f32(&self, state: &State, lane: u16, buffer: &mut Vec<u8>, out: &mut Vec<f32>) {
        out.resize(self.count, 0.0);
        num::widen_slice(self.kind, self.packed(state, lane, buffer), out);
    }

    /// Reads a lane as raw element bits, zero-extended, in walk order.
    pub fn read_raw(&self, state: &State, lane: u16, buffer: &mut Vec<u8>, out: &mut Vec<u64>) {
        out.clear();
        let bytes = self.packed(state, lane, buffer);
        out.extend(bytes.chunks_exact(self.elem.max(1) as usize).map(raw));
    }
}

/// Rows of elements, one per lane: a walk through memory, or what was read before.
pub trait Lanes {
    /// Slot they belong to, for messages.
    fn field(&self) -> &'static str;
    /// Kind of element.
    fn kind(&self) -> Kind;
    /// Elements per lane.
    fn count(&self) -> usize;
    /// Packed bytes of a lane, in place or in `buffer`.
    fn packed<'b>(&'b self, state: &'b State, lane: u16, buffer: &'b mut Vec<u8>) -> &'b [u8];
}

impl Lanes for Walk {
    fn field(&self) -> &'static str {
        self.field
    }
    fn kind(&self) -> Kind {
        self.kind
    }
    fn count(&self) -> usize {
        self.count
    }
    fn packed<'b>(&'b self, state: &'b State, lane: u16, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        Walk::packed(self, state, lane, buffer)
    }
}

/// The bits of an element, zero-extended.
pub fn raw(element: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(element).for_each(|(w, b)| *w = *b);
    u64::from_le_bytes(word)
}
