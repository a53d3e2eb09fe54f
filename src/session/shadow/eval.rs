//! What bundles compute, in f64 (isa 05 §6, 06 §4, 07a, 07b). Bundles that are not here start anew from what they store.

use std::collections::BTreeSet;

use super::super::sources::in_stream;
use super::values::Values;
use crate::isa::access::{self, Operand, Shape};
use crate::isa::field::Role;
use crate::isa::fields::{ActFunc, Addr4, AddrForm, Location};
use crate::isa::{DType, Instr, Queue, Space};
use crate::num::{self, Kind};
use crate::sim::effect::Effect;
use crate::sim::exec::{activation, kind_of};
use crate::sim::settings::Id;
use crate::sim::{Machine, Rect, Region};

/// A value for an element.
pub(super) struct Computed {
    pub space: Space,
    pub part: u16,
    pub off: u64,
    pub len: usize,
    pub value: f64,
}

/// Wide values in the engines: of weights and accumulators; `None` where only the stored value is known.
pub(super) struct Latched {
    weights: Vec<Option<f64>>,
    act: Vec<Option<f64>>,
}

/// Fields of PE that make a bundle something else than a plain load or product.
const SPECIAL: [&str; 5] = [
    "perf_opt",
    "transpose_mode",
    "xpose_mode",
    "scalar_mode",
    "bg_xpose_mode",
];

/// Rows and columns of the array (isa 05 §2), and lanes.
const SIDE: usize = 128;

impl Latched {
    pub fn new(words: usize) -> Latched {
        Latched {
            weights: vec![None; words.min(SIDE * SIDE)],
            act: vec![None; SIDE],
        }
    }

    /// Forgets what a record stored in the engines in a way that is not known here.
    fn forget(&mut self, machine: &Machine, at: u64) {
        let stored = machine.journal().effects(at).filter_map(|e| match e {
            Effect::Hidden { start, len, .. } => Some((*start, start.saturating_add(*len))),
            _ => None,
        });
        let meets = |r: Region, (from, to): (u32, u32)| from < r.end() && r.start < to;
        stored.for_each(|words| {
            if meets(Region::WEIGHTS, words) {
                self.weights.fill(None);
            }
            if meets(Region::ACT_ACC, words) {
                self.act.fill(None);
            }
        });
    }
}

/// One bundle: its machine after the record, values before it.
struct Bundle<'m> {
    machine: &'m Machine,
    at: u64,
    instr: &'m Instr,
    queue: Queue,
    values: &'m Values,
}

/// The wide results of a record; `None`: what it stores starts anew.
pub(super) fn eval(
    machine: &Machine,
    at: u64,
    values: &Values,
    latched: &mut Latched,
) -> Option<Vec<Computed>> {
    let record = machine.journal().record(at)?;
    let queue = Queue::from_index(record.head.agent.into())?;
    let instr = machine.instr(queue, record.head.index)?;
    let b = Bundle {
        machine,
        at,
        instr: &instr,
        queue,
        values,
    };
    match instr.bundle.opcode() {
        // Constants are exact.
        0x49 => Some(Vec::new()),
        0x01 => {
            latch_weights(&b, latched);
            Some(Vec::new())
        }
        0x02 => product(&b, latched),
        0x21 => activate(&b, latched),
        0x24 => b.lanes(|b, lane, _| {
            let value = (*latched.act.get(usize::from(lane))?)?;
            Some(vec![value; b.count(&b.written()?)])
        }),
        0x41 => b.lanes(|b, _, ins| {
            let [x, y] = ins else { return None };
            let op = b.field("op")?;
            x.iter().zip(y).map(|(x, y)| alu(op, *x, *y)).collect()
        }),
        0x42 => b.lanes(|b, _, ins| fold(b, ins.first()?)),
        0x43 | 0x44 => b.lanes(|b, lane, ins| {
            let [x] = ins else { return None };
            let s0 = b.scalar("imm0", "imm0_src", lane)?;
            let s1 = if b.field("op1")? == 0 {
                0.0
            } else {
                b.scalar("imm1", "imm1_src", lane)?
            };
            let reverse = b.field("reverse_operands")?;
            let (op0, op1) = (b.field("op0")?, b.field("op1")?);
            x.iter()
                .map(|x| {
                    let y = stage(op0, *x, s0, reverse & 1 != 0)?;
                    stage(op1, y, s1, reverse & 2 != 0)
                })
                .collect()
        }),
        0x46 | 0x47 if b.field("op") == Some(0) => {
            let negated = b.field("negated").is_some_and(|n| n != 0);
            b.lanes(move |_, _, ins| {
                let [x] = ins else { return None };
                Some(x.iter().map(|x| if negated { -x } else { *x }).collect())
            })
        }
        0x48 => b.lanes(|_, _, ins| {
            let [x] = ins else { return None };
            Some(x.iter().map(|x| 1.0 / x).collect())
        }),
        0x9D => b.lanes(|b, lane, ins| {
            let [x, y] = ins else { return None };
            let s = b.scalar("imm0", "imm0_src", lane)?;
            let reverse = b.field("reverse_operands")?;
            let (op0, op1) = (b.field("op0")?, b.field("op1")?);
            x.iter()
                .zip(y)
                .map(|(x, y)| {
                    let z = stage(op0, *x, s, reverse & 1 != 0)?;
                    stage(op1, z, *y, reverse & 2 != 0)
                })
                .collect()
        }),
        0xB8 | 0xC1 | 0xC8 | 0xD4 => copy(&b),
        _ => {
            latched.forget(machine, at);
            None
        }
    }
}

/// An ALU operation (isa 07 §5, `alu_ops.tsv`); bit operations and integers have no wide form.
pub(super) fn alu(op: u64, a: f64, b: f64) -> Option<f64> {
    let flag = |holds: bool| f64::from(u8::from(holds));
    Some(match op {
        0x00 => a,
        0x04 => a + b,
        0x05 => a - b,
        0x06 => a * b,
        0x07 => a / b,
        // The operand that is a number wins.
        0x08 => a.max(b),
        0x09 => a.min(b),
        0x12 => flag(a == b),
        0x13 => flag(a > b),
        0x14 => flag(a >= b),
        0x15 => flag(a <= b),
        0x16 => flag(a < b),
        0x17 => (a - b).abs(),
        0x18 => flag(a != b),
        0x19 => a.abs(),
        0x1A => libm::pow(a, b),
        0x1D => 1.0 / a.sqrt(),
        0x20 => a.abs().max(b.abs()),
        0x21 => a.abs().min(b.abs()),
        0x22 => a.max(0.0),
        0x23 => a * a,
        _ => return None,
    })
}

fn stage(op: u64, x: f64, s: f64, swapped: bool) -> Option<f64> {
    match op {
        0 => Some(x),
        _ if swapped => alu(op, s, x),
        _ => alu(op, x, s),
    }
}

/// The innermost dimensions folded (isa 07b B1).
fn fold(b: &Bundle<'_>, x: &[f64]) -> Option<Vec<f64>> {
    let op = b
        .field("op")
        .filter(|op| matches!(op, 0x04 | 0x06 | 0x08 | 0x09 | 0x20 | 0x21))?;
    let dims = match b.field("op_dim")? {
        n @ 2..=5 => n as usize - 1,
        _ => return None,
    };
    let source = access::operands(b.instr).find(|o| o.role == Role::Read)?;
    let Shape::Static(p) = source.shape else {
        return None;
    };
    let per = p
        .dims()
        .iter()
        .take(dims)
        .map(|d| usize::from(d.num))
        .product::<usize>();
    let negated = b.field("negated").is_some_and(|n| n != 0);
    let first = |x: f64| if op >= 0x20 { x.abs() } else { x };
    let each = x.chunks(per.max(1)).map(|chunk| {
        let (head, rest) = chunk.split_first()?;
        let sum = rest
            .iter()
            .try_fold(first(*head), |acc, x| alu(op, acc, *x))?;
        Some(if negated { -sum } else { sum })
    });
    each.collect()
}

impl Bundle<'_> {
    fn field(&self, name: &str) -> Option<u64> {
        let field = self.instr.format.field(name)?;
        Some(field.raw(&self.instr.bundle))
    }

    /// What an element of an operand is under the present settings.
    fn kind(&self, dtype: DType) -> Option<Kind> {
        kind_of(dtype, self.machine.settings().is(Id::Fp8E4, 2))
    }

    /// Is a bundle of PE a plain one: no transpose, one value per cell, whole mantissas (isa 05 §6.5), no UINT8 with its zero point
    /// and its INT32 sums in cells called FP32 (§3.3, §5)?
    fn is_plain_pass(&self) -> bool {
        let clear = |f: &&str| self.field(f).unwrap_or(0) == 0;
        let mut operands = access::operands(self.instr);
        SPECIAL.iter().all(clear)
            && matches!(self.field("fp32_mode"), None | Some(0 | 3))
            && operands.all(|o| o.dtype != DType::U8)
    }

    fn written(&self) -> Option<Operand> {
        access::operands(self.instr).find(|o| o.role == Role::Write)
    }

    fn count(&self, o: &Operand) -> usize {
        match o.shape {
            Shape::Static(p) => p.offsets().count(),
            Shape::Indirect(_) => 0,
        }
    }

    /// Where the elements of an operand in the first lane start, and how they are read.
    fn layout(&self, o: &Operand) -> Option<(Location, Kind, Vec<u64>)> {
        let Shape::Static(p) = o.shape else {
            return None;
        };
        let base = self.place(p.addr)?;
        let kind = self.kind(o.dtype).filter(|k| *k != Kind::Fp4x4)?;
        let at = |off: i64| u64::try_from(i64::from(base.off) + off * kind.bytes() as i64).ok();
        let offsets = p.offsets().map(at).collect::<Option<Vec<u64>>>()?;
        Some((base, kind, offsets))
    }

    /// The location of an address word, or of the register it names.
    fn place(&self, addr: Addr4) -> Option<Location> {
        let word = match addr.form() {
            AddrForm::Immediate(a) => a,
            AddrForm::Register(r) => {
                self.machine.state().reg(self.queue.index() as u8, r) & Addr4::MASK
            }
            _ => return None,
        };
        Location::of_address(word, self.instr.generation)
    }

    /// Values of some elements of a partition before the record.
    fn fetch(&self, space: Space, part: u16, kind: Kind, offsets: &[u64]) -> Option<Vec<f64>> {
        let size = kind.bytes() as u64;
        let (low, high) = (*offsets.iter().min()?, *offsets.iter().max()? + size);
        let rect = Rect::new(space, part, 1, low, u32::try_from(high - low).ok()?);
        let machine = self.machine;
        let row = machine
            .journal()
            .bytes_at(machine.state(), self.at, &rect)?;
        let one = |off: &u64| {
            if let Some(wide) = self.values.get(space, part, *off, kind.bytes()) {
                return Some(wide);
            }
            let at = (off - low) as usize;
            let held = row.get(at..at + kind.bytes())?;
            Some(num::to_f64(kind, crate::session::elements::bits(held)))
        };
        offsets.iter().map(one).collect()
    }

    /// A scalar of a lane: inline, or behind a pointer.
    fn scalar(&self, name: &str, source: &str, lane: u16) -> Option<f64> {
        let raw = self.field(name)? as u32;
        // The pointer forms have no field that says so (isa 07a A2).
        let source = if self.instr.bundle.opcode() == 0x44 {
            1
        } else {
            self.field(source)?
        };
        let kind = match self.field(&format!("{name}_dtype")) {
            Some(code) => self.kind(DType(code as u8))?,
            None => Kind::Fp32,
        };
        match source {
            0 => Some(f64::from(f32::from_bits(raw))),
            1 => self.pointed(Addr4(raw), kind, lane),
            2 => self.pointed(Addr4(Addr4::REGISTER | (raw & 0xFF)), kind, lane),
            _ => None,
        }
    }

    fn pointed(&self, addr: Addr4, kind: Kind, lane: u16) -> Option<f64> {
        let at = self.place(addr)?;
        let all = self.fetch(at.space, at.part + lane, kind, &[at.off.into()])?;
        all.first().copied()
    }

    /// Computes lane by lane from the operands in slot order.
    fn lanes(
        &self,
        mut f: impl FnMut(&Self, u16, &[Vec<f64>]) -> Option<Vec<f64>>,
    ) -> Option<Vec<Computed>> {
        let to = self.written()?;
        let (base, kind, offsets) = self.layout(&to)?;
        let reads: Vec<Operand> = access::operands(self.instr)
            .filter(|o| o.role == Role::Read)
            .collect();
        let ins = reads
            .iter()
            .map(|o| self.layout(o))
            .collect::<Option<Vec<_>>>()?;
        let mut out = Vec::new();
        for lane in 0..to.lanes {
            let args = ins
                .iter()
                .map(|(at, kind, offsets)| self.fetch(at.space, at.part + lane, *kind, offsets));
            let args = args.collect::<Option<Vec<_>>>()?;
            let values = f(self, lane, &args)?;
            if values.len() != offsets.len() {
                return None;
            }
            out.extend(offsets.iter().zip(values).map(|(off, value)| Computed {
                space: base.space,
                part: base.part + lane,
                off: *off,
                len: kind.bytes(),
                value,
            }));
        }
        Some(out)
    }
}

/// func(scale * x + bias), and the sum of the results of each lane (isa 06 §4.1).
fn activate(b: &Bundle<'_>, latched: &mut Latched) -> Option<Vec<Computed>> {
    let form = activation(ActFunc(b.field("activation_func")? as u8))?;
    let command = b.field("accumulator_cmd")?;
    let mut sums: Vec<Option<f64>> = Vec::new();
    let done = b.lanes(|b, lane, ins| {
        let [x] = ins else { return None };
        let scale = b.scalar("scale_value", "scale_src", lane)?;
        let raw = b.field("bias")? as u32;
        let bias = match b.field("bias_src_n")? {
            0 => {
                let kind = b.kind(DType(b.field("bias_dtype")? as u8))?;
                b.pointed(Addr4(raw), kind, lane)?
            }
            1 => f64::from(f32::from_bits(raw)),
            _ => return None,
        };
        let out: Vec<f64> = x.iter().map(|x| form(scale * x + bias, 0.0)).collect();
        sums.push(Some(out.iter().sum()));
        Some(out)
    });
    for (lane, sum) in sums.into_iter().enumerate() {
        if let Some(acc) = latched.act.get_mut(lane) {
            *acc = match command {
                0 => *acc,
                2 => acc.zip(sum).map(|(a, s)| a + s),
                3 => sum,
                _ => None,
            };
        }
    }
    if done.is_none() && command != 0 {
        latched.act.fill(None);
    }
    done
}

/// First row or column and extent of a tile group (isa 05 §4).
fn group(code: u64) -> (usize, usize) {
    (
        32 * code.trailing_zeros() as usize,
        32 * code.count_ones() as usize,
    )
}

/// Weights of a plain load: one value per cell, whole mantissa.
fn latch_weights(b: &Bundle<'_>, latched: &mut Latched) {
    let plain = b.is_plain_pass();
    let groups = b.field("row_grp").zip(b.field("col_grp"));
    let sizes = b.field("num_active_rows").zip(b.field("num_active_cols"));
    let source = access::operands(b.instr).find(|o| o.role == Role::Read);
    let (Some((rows, cols)), Some((n_rows, n_cols)), Some(source)) = (groups, sizes, source) else {
        latched.weights.fill(None);
        return;
    };
    let ((r0, r_span), (c0, c_span)) = (group(rows), group(cols));
    let first_first = b.machine.settings().is(Id::WeightOrder, 1);
    for r in 0..r_span {
        let row = b.layout(&source).and_then(|(at, kind, offsets)| {
            let inside = (r as u64) < n_rows && plain;
            inside.then(|| b.fetch(at.space, at.part + r as u16, kind, &offsets))?
        });
        for c in 0..c_span {
            let Some(cell) = latched.weights.get_mut((r0 + r) * SIDE + c0 + c) else {
                continue;
            };
            *cell = match &row {
                _ if !plain => None,
                // Cells beyond the active ones hold zeros.
                _ if r as u64 >= n_rows || c as u64 >= n_cols => Some(0.0),
                None => None,
                Some(row) => {
                    let j = if first_first {
                        c
                    } else {
                        n_cols as usize - 1 - c
                    };
                    row.get(j).copied()
                }
            };
        }
    }
}

/// The sum over the rows of weight times moving value, onto what was there (isa 05 §6.2).
fn product(b: &Bundle<'_>, latched: &Latched) -> Option<Vec<Computed>> {
    const BEGIN: u64 = 1;
    if !b.is_plain_pass() {
        return None;
    }
    let ((r0, _), (c0, _)) = (group(b.field("row_grp")?), group(b.field("col_grp")?));
    let (n_rows, n_cols) = (b.field("num_active_rows")?, b.field("num_active_cols")?);
    let moving = access::operands(b.instr).find(|o| o.role == Role::Read)?;
    let (from, kind, offsets) = b.layout(&moving)?;
    let to = b.written()?;
    let (base, out_kind, out) = b.layout(&to)?;
    let flags = b.field("psum_accumulate_flags")?;
    let begins = flags & BEGIN != 0 || flags == 0 && b.machine.settings().is(Id::PsumFlag0, 1);
    let rows = (0..n_rows as u16).map(|r| b.fetch(from.space, from.part + r, kind, &offsets));
    let rows = rows.collect::<Option<Vec<_>>>()?;
    // A cell that is visited twice is added to twice.
    let cells: BTreeSet<&u64> = out.iter().collect();
    if out.len() != offsets.len() || cells.len() != out.len() {
        return None;
    }
    let mut computed = Vec::new();
    for c in 0..n_cols as usize {
        let column = (0..rows.len()).map(|r| *latched.weights.get((r0 + r) * SIDE + c0 + c)?);
        let column = column.collect::<Option<Vec<f64>>>()?;
        let part = base.part + c as u16;
        let before = match begins {
            true => vec![0.0; out.len()],
            false => b.fetch(base.space, part, out_kind, &out)?,
        };
        for (i, (off, before)) in out.iter().zip(before).enumerate() {
            let terms = rows
                .iter()
                .zip(&column)
                .map(|(x, w)| w * x.get(i).copied().unwrap_or(0.0));
            computed.push(Computed {
                space: base.space,
                part,
                off: *off,
                len: out_kind.bytes(),
                value: before + terms.sum::<f64>(),
            });
        }
    }
    Some(computed)
}

/// A copy by DMA: elements keep their value where their bytes go; a cast changes their size (isa 09 §3).
fn copy(b: &Bundle<'_>) -> Option<Vec<Computed>> {
    let casts = match b.instr.bundle.opcode() {
        0xB8 => {
            if b.field("compute_op")? != 0 {
                return None;
            }
            let dtype = |name| Some(DType(b.field(name)? as u8));
            let (from, to) = (dtype("in_dtype")?, dtype("out_dtype")?);
            let size = |d: DType| u64::from(d.bytes().max(1));
            (from != to).then(|| (size(from), size(to)))
        }
        _ => None,
    };
    let (old, new) = casts.unwrap_or((1, 1));
    let journal = b.machine.journal();
    let reads: Vec<Rect> = journal.reads(b.at).collect();
    let writes: Vec<Rect> = journal.writes(b.at).collect();
    let total = |rects: &[Rect]| rects.iter().map(Rect::bytes).sum::<u64>();
    if total(&reads) / old * new != total(&writes) {
        return None;
    }
    let (from, to) = (in_stream(&reads), in_stream(&writes));
    let mut out = Vec::new();
    for (at, row) in &from {
        for (off, len, value) in b.values.inside(row.space, row.part, row.off..row.end()) {
            let stream = at + (off - row.off);
            let (stream, len) = match casts {
                None => (stream, u64::from(len)),
                Some(_) if u64::from(len) == old && stream % old == 0 => (stream / old * new, new),
                Some(_) => continue,
            };
            let i = to.partition_point(|(at, r)| at + u64::from(r.len) <= stream);
            let Some((start, r)) = to.get(i) else {
                continue;
            };
            if stream + len <= start + u64::from(r.len) {
                out.push(Computed {
                    space: r.space,
                    part: r.part,
                    off: r.off + (stream - start),
                    len: len as usize,
                    value,
                });
            }
        }
    }
    Some(out)
}
