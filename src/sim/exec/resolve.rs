//! From the operand of a bundle to the bytes it names: addresses, shapes, registers, index vectors.

use super::walk::Walk;
use crate::isa::access::{Operand, Shape};
use crate::isa::fields::{Addr4, AddrForm, Dim, Indirect, Location, Pattern};
use crate::isa::{DType, Generation};
use crate::num::Kind;
use crate::sim::fault::Trap;
use crate::sim::{Region, State};

/// Elements per partition that one instruction may touch. More cannot be distinct (a partition
/// holds at most 512 KiB), so the rest would only be broadcast repetition without end.
pub const MAX_COUNT: u64 = 1 << 22;

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
    /// register number stands in `step_elem[0]`).
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
