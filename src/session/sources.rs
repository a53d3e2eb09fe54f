//! Where the bytes that a record stored come from: of element-wise bundles the same elements of their operands, of copies the
//! same place in the stream of bytes, of matrix products the moving columns and the weights, of others all they read.

use super::Session;
use super::cover::merged;
use crate::isa::access::{self, Operand, Shape};
use crate::isa::field::Role;
use crate::isa::{DType, Instr, Queue};
use crate::num::Kind;
use crate::sim::{Rect, Region, StepKind};

/// Something a value was made from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Source {
    /// Operand, or what else it is.
    pub name: &'static str,
    /// As what it was read.
    pub kind: Option<Kind>,
    pub from: From,
}

/// Where a source lies.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum From {
    /// In memory, before the record.
    Memory(Vec<Rect>),
    /// In the destination itself, before the record: the value was added to.
    Before(Vec<Rect>),
    /// In words of an engine.
    Hidden(Region),
}

/// Bundles whose result element k is made of element k of each operand, lane by lane (isa 06 §4, 07a, 07b B1).
const ELEMENTWISE: &[u8] = &[
    0x21, 0x22, 0x25, 0x30, 0x41, 0x43, 0x44, 0x46, 0x47, 0x48, 0x51, 0x53, 0x54, 0x72, 0x92, 0x98,
    0x99, 0x9A, 0x9D, 0x9E, 0xBC, 0xE8, 0xEA,
];
/// Bundles that stay inside a lane, whatever they do there.
const IN_LANE: &[u8] = &[
    0x42, 0x45, 0x4E, 0x52, 0x58, 0x5E, 0x61, 0x62, 0x6C, 0x6E, 0x6F, 0x82, 0xE6,
];
/// Matrix products (isa 05 §6).
const PRODUCTS: &[u8] = &[0x02, 0x07, 0x0A];

impl Session {
    /// What the bytes in `stored` were made from by the record at a position.
    pub(super) fn sources(&self, at: u64, stored: &[Rect]) -> Vec<Source> {
        let journal = self.machine.journal();
        let Some(record) = journal.record(at) else {
            return Vec::new();
        };
        if record.head.kind == StepKind::Edit {
            return Vec::new();
        }
        let queue = Queue::from_index(record.head.agent.into());
        let instr = queue.and_then(|q| self.machine.instr(q, record.head.index));
        let Some(instr) = instr else {
            return Vec::new();
        };
        let reads: Vec<Rect> = journal.reads(at).collect();
        let opcode = instr.bundle.opcode();
        let mut all = Vec::new();
        if PRODUCTS.contains(&opcode) {
            return product(&instr, &reads, stored);
        }
        match opcode {
            // Accumulators are read back (isa 06 §4.4, 07a A7).
            0x24 => all.push(hidden("accumulator", Region::ACT_ACC)),
            0x9B => all.push(hidden("accumulator", Region::DVE_ACC)),
            _ => {}
        }
        if ELEMENTWISE.contains(&opcode)
            && let Some(found) = elementwise(&instr, &reads, stored)
        {
            all.extend(found);
            return all;
        }
        if matches!(opcode, 0xB8 | 0xC1 | 0xC8 | 0xD4)
            && let Some(found) = stream(&reads, &journal.writes(at).collect::<Vec<_>>(), stored)
        {
            let kind = dtype_of_field(&instr, "in_dtype");
            all.push(memory("source", kind, found));
            return all;
        }
        let mut reads = reads;
        if IN_LANE.contains(&opcode) {
            let shift = lane_shift(&instr);
            reads = reads
                .iter()
                .flat_map(|r| stored.iter().filter_map(move |s| lanes_of(r, s, shift)))
                .collect();
        }
        if !reads.is_empty() {
            let kind = access::operands(&instr)
                .find(|o| o.role == Role::Read)
                .and_then(|o| o.dtype.kind());
            all.push(memory("reads", kind, reads));
        }
        all
    }
}

fn memory(name: &'static str, kind: Option<Kind>, rects: Vec<Rect>) -> Source {
    let from = From::Memory(merged(rects));
    Source { name, kind, from }
}

fn hidden(name: &'static str, region: Region) -> Source {
    Source {
        name,
        kind: None,
        from: From::Hidden(region),
    }
}

/// The element kind that a field names.
fn dtype_of_field(instr: &Instr, name: &str) -> Option<Kind> {
    let raw = instr.format.field(name)?.raw(&instr.bundle);
    DType(u8::try_from(raw).ok()?).kind()
}

/// From the first lane of what is stored to the first lane of what is read.
fn lane_shift(instr: &Instr) -> i32 {
    let first = |role| {
        let mut of_role = access::operands(instr).filter(move |o| o.role == role);
        of_role.find_map(|o| start(&o, instr))
    };
    match (first(Role::Read), first(Role::Write)) {
        (Some((from, _)), Some((to, _))) => i32::from(from) - i32::from(to),
        _ => 0,
    }
}

/// First partition and byte of an operand whose walk is in the bundle itself.
fn start(o: &Operand, instr: &Instr) -> Option<(u16, i64)> {
    let Shape::Static(p) = o.shape else {
        return None;
    };
    let at = p.addr.location(instr.generation)?;
    Some((at.part, i64::from(at.off)))
}

/// The partitions of a read that belong to those of a store.
fn lanes_of(read: &Rect, store: &Rect, shift: i32) -> Option<Rect> {
    let part = i32::from(store.part) + shift;
    let low = part.max(i32::from(read.part));
    let high = (part + i32::from(store.parts)).min(read.part_end() as i32);
    let (low, parts) = (u16::try_from(low).ok()?, u16::try_from(high - low).ok()?);
    (parts > 0).then_some(Rect {
        part: low,
        parts,
        ..*read
    })
}

/// Indices of the elements of a walk that share a byte with a range of a partition.
fn elements(o: &Operand, base: i64, range: &Rect) -> Vec<usize> {
    let Shape::Static(p) = o.shape else {
        return Vec::new();
    };
    let size = i64::from(o.dtype.bytes());
    let (low, high) = (range.off as i64, range.end() as i64);
    let inside = |off: &(usize, i64)| {
        let first = base + off.1 * size;
        first < high && first + size > low
    };
    let all = p.offsets().enumerate().filter(inside);
    all.map(|(k, _)| k).collect()
}

/// The bytes of some elements of a walk in some partitions.
fn bytes(o: &Operand, base: i64, like: &Rect, part: u16, indices: &[usize]) -> Vec<Rect> {
    let Shape::Static(p) = o.shape else {
        return Vec::new();
    };
    let size = i64::from(o.dtype.bytes());
    let offsets: Vec<i64> = p.offsets().collect();
    let at = |k: &usize| {
        let off = base + offsets.get(*k)? * size;
        Some(Rect {
            part,
            off: u64::try_from(off).ok()?,
            len: size as u32,
            ..*like
        })
    };
    indices.iter().filter_map(at).collect()
}

/// The same elements of every operand, and the scalars of the lanes; `None` when a walk is not in the bundle itself.
fn elementwise(instr: &Instr, reads: &[Rect], stored: &[Rect]) -> Option<Vec<Source>> {
    let operands: Vec<Operand> = access::operands(instr).collect();
    let to = operands.iter().find(|o| o.role == Role::Write)?;
    let (to_part, to_off) = start(to, instr)?;
    let mut all: Vec<Source> = Vec::new();
    let mut declared = Vec::new();
    for o in operands.iter().filter(|o| o.role == Role::Read) {
        let (part, off) = start(o, instr)?;
        let Shape::Static(p) = o.shape else {
            return None;
        };
        let space = p.addr.location(instr.generation)?.space;
        let mut rects = Vec::new();
        for s in stored {
            let lanes = s.part.checked_sub(to_part)?;
            let like = Rect { space, ..*s };
            let indices = elements(to, to_off, s);
            rects.extend(bytes(o, off, &like, part + lanes, &indices));
        }
        declared.push((part, o.lanes));
        // Only what was really read counts.
        let rects: Vec<Rect> = rects
            .iter()
            .flat_map(|r| reads.iter().filter_map(|read| read.intersect(r)))
            .collect();
        all.push(memory(o.field.name, o.dtype.kind(), rects));
    }
    // Scalars behind pointers stand at the same lanes, outside the operands.
    let own = |r: &Rect| {
        operands.iter().filter(|o| o.role == Role::Read).any(|o| {
            let Some((_, off)) = start(o, instr) else {
                return false;
            };
            !elements(o, off, r).is_empty()
        })
    };
    let scalars: Vec<Rect> = reads
        .iter()
        .filter(|r| r.len <= 4 && !own(r))
        .flat_map(|r| stored.iter().filter_map(move |s| lanes_of(r, s, 0)))
        .collect();
    if !scalars.is_empty() {
        all.push(memory("scalar", None, scalars));
    }
    Some(all)
}

/// The rows of rectangles with their place in the stream of their bytes.
pub(super) fn in_stream(rects: &[Rect]) -> Vec<(u64, Rect)> {
    let mut at = 0;
    let mut out = Vec::new();
    for r in rects {
        for part in r.partitions() {
            out.push((
                at,
                Rect {
                    part,
                    parts: 1,
                    ..*r
                },
            ));
            at += u64::from(r.len);
        }
    }
    out
}

/// The same places of the stream of bytes that a copy reads and writes; `None` when the two differ in length.
fn stream(reads: &[Rect], writes: &[Rect], stored: &[Rect]) -> Option<Vec<Rect>> {
    let total = |rects: &[Rect]| rects.iter().map(Rect::bytes).sum::<u64>();
    if total(reads) != total(writes) {
        return None;
    }
    let (from, to) = (in_stream(reads), in_stream(writes));
    let mut found = Vec::new();
    for (at, row) in &to {
        for piece in stored.iter().filter_map(|s| s.intersect(row)) {
            let low = at + (piece.off - row.off);
            let high = low + u64::from(piece.len);
            let begin = from.partition_point(|(at, r)| at + u64::from(r.len) <= low);
            for (at, r) in from.iter().skip(begin).take_while(|(at, _)| *at < high) {
                let first = low.max(*at) - at;
                let last = high.min(at + u64::from(r.len)) - at;
                found.push(Rect {
                    off: r.off + first,
                    len: (last - first) as u32,
                    ..*r
                });
            }
        }
    }
    Some(found)
}

/// Flag of a matrix product: the zero region is cleared first (isa 05 §6.2).
const BEGIN: u64 = 1;

/// The moving columns that belong to the result columns, the weights, and the sum that was there before.
fn product(instr: &Instr, reads: &[Rect], stored: &[Rect]) -> Vec<Source> {
    let flags = instr.format.field("psum_accumulate_flags");
    let begins = flags.is_some_and(|f| f.raw(&instr.bundle) & BEGIN != 0);
    let operands: Vec<Operand> = access::operands(instr).collect();
    let to = operands.iter().find(|o| o.role == Role::Write);
    let from = operands.iter().find(|o| o.role == Role::Read);
    let moving = to.zip(from).and_then(|(to, from)| {
        let (_, to_off) = start(to, instr)?;
        let (part, off) = start(from, instr)?;
        let Shape::Static(p) = from.shape else {
            return None;
        };
        let space = p.addr.location(instr.generation)?.space;
        // Every row of the moving operand takes part.
        let like = Rect {
            space,
            parts: from.lanes,
            ..*stored.first()?
        };
        let mut indices: Vec<usize> = Vec::new();
        for s in stored {
            indices.extend(elements(to, to_off, s));
        }
        indices.sort_unstable();
        indices.dedup();
        let rects = bytes(from, off, &like, part, &indices);
        let read = rects
            .iter()
            .flat_map(|r| reads.iter().filter_map(|x| x.intersect(r)));
        Some(read.collect::<Vec<Rect>>())
    });
    let moving = moving
        .filter(|m| !m.is_empty())
        .unwrap_or_else(|| reads.to_vec());
    let mut all = vec![
        memory("moving", from.and_then(|o| o.dtype.kind()), moving),
        hidden("weights", Region::WEIGHTS),
    ];
    if !begins {
        let from = From::Before(stored.to_vec());
        all.push(Source {
            name: "sum",
            kind: None,
            from,
        });
    }
    all
}
