//! Transfers whose elements start where an index vector or a transposition says: DMA_INDIRECT,
//! DMA_TRANSPOSE, DMA_GATHER_TRANSPOSE (isa 09 §4..§6, decisions 3).
//!
//! What comes from registers is read at issue; the index vectors, like the data, when the transfer is done (I). The order inside a
//! tile is inferred.

use super::transfer::{Leg, Plan, report};
use super::{Transfer, element_size, issue, posts};
use crate::isa::fields::{Addr4, Addr8, DgeOp, IndirectMode, Space};
use crate::isa::ops::dma::{DmaDirect2dXpose, DmaGatherXpose, DmaIndirect1d};
use crate::isa::{Bundle, DType, Generation};
use crate::sim::exec::ctrl::bus::Missing;
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;
use crate::sim::settings::Settings;
use crate::sim::{Rect, State};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] =
    &[(0xBB, start), (0xBD, start), (0xF1, start)];

/// Indices of one leg (isa 09 §4).
const MAX_INDICES: u32 = 4096;
/// Elements of a transposition; more would only exhaust the host.
const MAX_ELEMENTS: u64 = 1 << 22;
/// Stands for an element that is skipped.
const SKIPPED: u64 = u64::MAX;
/// Rows of a tile (isa 09 §5).
const ROWS: u64 = 16;

/// Elements of one side.
struct Side {
    starts: Vec<u64>,
    size: u32,
    limit: Option<u64>,
    silent: bool,
}

impl Side {
    fn leg(&self) -> Leg {
        let step = i32::try_from(self.size).unwrap_or(i32::MAX);
        let first = self.starts.iter().find(|a| **a != SKIPPED);
        Leg {
            addr: first.copied().unwrap_or(0),
            size: self.size,
            dims: [(step, self.starts.len() as u32), (0, 1), (0, 1), (0, 1)],
            limit: self.limit,
            silent: self.silent,
        }
    }
}

/// Where to post, what to compute and between which types.
struct How {
    semaphore: u8,
    increment: u32,
    op: DgeOp,
    in_dtype: DType,
    out_dtype: DType,
}

/// A transfer with everything from registers resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The bundle; its addresses and bounds are those below.
    bundle: Bundle,
    /// First byte of source and destination.
    starts: [u64; 2],
    /// Highest index or address of source and destination.
    limits: [Option<u64>; 2],
    /// Where in partition 0 of SBUF the index vectors of source and destination are.
    indices: [u32; 2],
}

/// Words that a [`Listed`] takes in the slot of a pending transfer.
pub(super) const WORDS: usize = 27;

impl Listed {
    /// # Errors
    /// Registers that were never set, addresses and index vectors that cannot be.
    fn resolve(cx: &mut Cx<'_, '_>) -> Result<Listed, Trap> {
        let bundle = cx.instr.bundle;
        let (mut limits, mut indices) = ([None; 2], [0; 2]);
        let words = match bundle.opcode() {
            0xBB => {
                let f = DmaIndirect1d(&bundle);
                let mode = f.indirect_mode();
                if mode.0 > IndirectMode::BOTH.0 {
                    let m = format!("mode {mode} is not defined");
                    return Err(Trap::at("enum", "indirect_mode", m));
                }
                if mode != IndirectMode::DST {
                    limits[0] = cx.limit(f.src_idx_bound_enabled().0, f.src_idx_bound_reg().0)?;
                    let (word, n) = (f.src_idx_start_addr(), f.src_num_elem());
                    indices[0] = cx.index_vector("src_idx_start_addr", word, n)?;
                }
                if mode != IndirectMode::SRC {
                    limits[1] = cx.limit(f.dst_idx_bound_enabled().0, f.dst_idx_bound_reg().0)?;
                    let (word, n) = (f.dst_idx_start_addr(), f.dst_num_elem());
                    indices[1] = cx.index_vector("dst_idx_start_addr", word, n)?;
                }
                [f.src_start_addr(), f.dst_start_addr()]
            }
            0xBD => {
                let f = DmaDirect2dXpose(&bundle);
                limits[0] = cx.limit(f.src_bound_enabled().0, f.src_bound_reg().0)?;
                limits[1] = cx.limit(f.dst_bound_enabled().0, f.dst_bound_reg().0)?;
                [f.src_start_addr(), f.dst_start_addr()]
            }
            _ => {
                let f = DmaGatherXpose(&bundle);
                limits[0] = cx.limit(f.src_idx_bound_enabled().0, f.src_idx_bound_reg().0)?;
                limits[1] = cx.limit(f.dst_bound_enabled().0, f.dst_bound_reg().0)?;
                let (word, [_, n]) = (f.src_idx_start_addr(), f.src_num_elem().0);
                indices[0] = cx.index_vector("src_idx_start_addr", word, n)?;
                [f.src_start_addr(), f.dst_start_addr()]
            }
        };
        let [src, dst] = words;
        let starts = [
            cx.start("src_start_addr", src)?,
            cx.start("dst_start_addr", dst)?,
        ];
        Ok(Listed {
            bundle,
            starts,
            limits,
            indices,
        })
    }

    /// The index vectors it reads, with the field that names each.
    fn vectors(&self) -> impl Iterator<Item = (&'static str, Rect)> + use<> {
        let [src, dst] = match self.bundle.opcode() {
            0xBB => {
                let f = DmaIndirect1d(&self.bundle);
                let mode = f.indirect_mode();
                let (src, dst) = (mode != IndirectMode::DST, mode != IndirectMode::SRC);
                [src.then(|| f.src_num_elem()), dst.then(|| f.dst_num_elem())]
            }
            0xBD => [None, None],
            _ => [Some(DmaGatherXpose(&self.bundle).src_num_elem().0[1]), None],
        };
        let names = ["src_idx_start_addr", "dst_idx_start_addr"];
        let all = names.into_iter().zip(self.indices).zip([src, dst]);
        all.filter_map(|((name, off), n)| {
            Some((
                name,
                Rect::new(Space::Sbuf, 0, 1, off.into(), 4 * u32::from(n?)),
            ))
        })
    }

    /// Notes that the index vectors are read. A `late` transfer reports never-written ones where another faults.
    ///
    /// # Errors
    /// `uninit-read` unless late.
    pub(super) fn read(&self, cx: &mut Cx<'_, '_>, late: bool) -> Result<(), Trap> {
        for (slot, rect) in self.vectors() {
            let mut missing = Missing::default();
            missing.add(cx.read_rect(rect), rect);
            report(missing, cx, slot, late)?;
        }
        Ok(())
    }

    /// What it does, and where the elements of both sides are by the index vectors as they are now.
    fn expand(&self, state: &State) -> Result<(How, Side, Side), Trap> {
        match self.bundle.opcode() {
            0xBB => self.indirect(state),
            0xBD => self.transpose(),
            _ => self.gather_transpose(state),
        }
    }

    /// The plan of the transfer that it is part of.
    ///
    /// # Errors
    /// Elements outside the memories.
    pub(super) fn plan(
        &self,
        t: &Transfer,
        state: &State,
        g: Generation,
        settings: &Settings,
    ) -> Result<Plan, Trap> {
        let (_, src, dst) = self.expand(state)?;
        let t = Transfer {
            src: src.leg(),
            dst: dst.leg(),
            ..*t
        };
        Plan::listed(&t, [&src.starts, &dst.starts], g, settings)
    }

    pub(super) fn pack(&self) -> [u32; WORDS] {
        let mut out = [0; WORDS];
        let halves = |v: u64| [v as u32, (v >> 32) as u32];
        let (bundle, _) = self.bundle.bytes().as_chunks::<4>();
        let bundle = bundle.iter().map(|w| u32::from_le_bytes(*w));
        let starts = self.starts.into_iter().flat_map(halves);
        let limits = self.limits.into_iter().flat_map(|l| halves(l.unwrap_or(0)));
        let [src, dst] = self.limits.map(|l| u32::from(l.is_some()));
        let words = bundle.chain(starts).chain(limits).chain([src | dst << 1]);
        let words = words.chain(self.indices);
        out.iter_mut().zip(words).for_each(|(o, w)| *o = w);
        out
    }

    pub(super) fn unpack(words: &[u32]) -> Listed {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        let both = |i: usize| u64::from(word(i + 1)) << 32 | u64::from(word(i));
        let mut bundle = Bundle::default();
        for i in 0..16 {
            bundle.put(4 * i, &word(i).to_le_bytes());
        }
        let limit = |i: u32| (word(24) >> i & 1 == 1).then(|| both(20 + 2 * i as usize));
        Listed {
            bundle,
            starts: [both(16), both(18)],
            limits: [limit(0), limit(1)],
            indices: [word(25), word(26)],
        }
    }
}

/// 0xBB, 0xBD, 0xF1: issues the transfer.
fn start(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let listed = Listed::resolve(cx)?;
    let (how, src, dst) = listed.expand(cx.state())?;
    let transfer = Transfer {
        queue: cx.queue,
        index: cx.index,
        seq: cx.seq,
        due: cx.time.start,
        semaphore: how.semaphore,
        increment: posts(cx.settings) * how.increment,
        op: how.op,
        in_dtype: how.in_dtype,
        out_dtype: how.out_dtype,
        src: src.leg(),
        dst: dst.leg(),
        listed: Some(listed),
    };
    let starts = [src.starts.as_slice(), dst.starts.as_slice()];
    let plan = Plan::listed(&transfer, starts, cx.instr.generation, cx.settings)?;
    cx.complete();
    issue(cx, transfer, &plan)
}

/// The words of an index vector; those outside the memory are 0.
fn words_at(state: &State, rect: &Rect) -> Vec<u32> {
    let mut bytes = Vec::new();
    // Resolving checked that the vector lies in its partition.
    let _ = state.read_into(rect, &mut bytes);
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

impl Cx<'_, '_> {
    /// An address without shape register: these forms have no place for its dimensions.
    fn start(&mut self, slot: &'static str, word: Addr8) -> Result<u64, Trap> {
        if word.shape_register() {
            return Err(Trap::not_modelled(
                "shape register of an indirect or transposing transfer",
            ));
        }
        self.address(slot, word)
    }

    /// Where an index vector is: words one after the other in partition 0 of SBUF (isa 02 §6).
    fn index_vector(&self, slot: &'static str, word: Addr4, count: u16) -> Result<u32, Trap> {
        let count = u32::from(count);
        if count == 0 || count > MAX_INDICES {
            let m = format!("{count} indices, 1..{MAX_INDICES} are possible");
            return Err(Trap::at("count", slot, m));
        }
        let at = self.resolver().location(slot, word, DType::U32, 1)?;
        if at.space != Space::Sbuf || at.part != 0 {
            let m = format!("the index vector is at {at}, not in SBUF partition 0");
            return Err(Trap::at("dma-index", slot, m));
        }
        let len = 4 * count;
        let backed = u64::from(self.instr.generation.info().sbuf_bytes);
        if u64::from(at.off) + u64::from(len) > backed {
            let m = format!("{len} bytes from {at} leave the partition");
            return Err(Trap::at("bounds", slot, m));
        }
        Ok(at.off)
    }
}

/// Starts of the elements that an index vector names; beyond the limit they are skipped, or an
/// error where the bundle says so.
fn named(
    slot: &'static str,
    start: u64,
    step: i32,
    indices: &[u32],
    (limit, is_error): (Option<u64>, bool),
) -> Result<Vec<u64>, Trap> {
    let mut out = Vec::with_capacity(indices.len());
    for (i, index) in indices.iter().enumerate() {
        if limit.is_some_and(|l| u64::from(*index) > l) {
            if is_error {
                let m = format!("index {index} of element {i} is beyond its bound");
                return Err(Trap::at("bounds", slot, m));
            }
            out.push(SKIPPED);
            continue;
        }
        let by = i64::from(*index).wrapping_mul(step.into());
        out.push(start.wrapping_add_signed(by));
    }
    Ok(out)
}

/// Starts over two dimensions, X fastest.
fn grid(start: u64, step: [i32; 2], num: [u16; 2]) -> impl Iterator<Item = u64> {
    let [s0, s1] = step.map(i64::from);
    let [n0, n1] = num.map(i64::from);
    (0..n1).flat_map(move |y| (0..n0).map(move |x| start.wrapping_add_signed(x * s0 + y * s1)))
}

/// A limit below every skipped start.
const BELOW_SKIPPED: Option<u64> = Some(SKIPPED - 1);

/// More elements than a transposition may have.
fn too_many(count: u64) -> Result<(), Trap> {
    if count == 0 || count > MAX_ELEMENTS {
        let m = format!("{count} elements; 1..{MAX_ELEMENTS} are possible here");
        return Err(Trap::at("count", "src_num_elem", m));
    }
    Ok(())
}

impl Listed {
    /// 0xBB: element i of an indirect side is at `start + index[i] * step` (isa 09 §4).
    fn indirect(&self, state: &State) -> Result<(How, Side, Side), Trap> {
        let f = DmaIndirect1d(&self.bundle);
        let is_error = f.index_oob_is_error().0 == 1;
        let [from, to] = self.starts;
        let mut src = grid(from, [f.src_step_elem(), 0], [f.src_num_elem(), 1]).collect();
        let mut dst = grid(to, [f.dst_step_elem(), 0], [f.dst_num_elem(), 1]).collect();
        for (slot, rect) in self.vectors() {
            let indices = words_at(state, &rect);
            let [low, high] = self.limits;
            if slot == "src_idx_start_addr" {
                src = named(slot, from, f.src_step_elem(), &indices, (low, is_error))?;
            } else {
                dst = named(slot, to, f.dst_step_elem(), &indices, (high, is_error))?;
            }
        }
        let src = Side {
            starts: src,
            size: element_size(f.src_elem_size()),
            limit: BELOW_SKIPPED,
            silent: f.src_idx_bound_silent().0 == 1,
        };
        let dst = Side {
            starts: dst,
            size: element_size(f.dst_elem_size()),
            limit: BELOW_SKIPPED,
            silent: f.dst_idx_bound_silent().0 == 1,
        };
        let how = How {
            semaphore: f.semaphore().0,
            increment: f.sem_increment().into(),
            op: f.compute_op(),
            in_dtype: DType(f.in_dtype().0),
            out_dtype: DType(f.out_dtype().0),
        };
        Ok((how, src, dst))
    }

    /// 0xBD: each tile of 16 rows is written as its columns, 16 elements each (isa 09 §5). A destination
    /// element is a whole tile, or one such column.
    fn transpose(&self) -> Result<(How, Side, Side), Trap> {
        let f = DmaDirect2dXpose(&self.bundle);
        let size = u64::from(f.in_dtype().bytes());
        let cols = u64::from(f.tile_src_cols());
        let area = |num: [u16; 2]| num.map(u64::from).iter().product::<u64>();
        let tiles = area(f.src_num_elem().0);
        too_many(tiles.saturating_mul(ROWS * cols * size))?;
        let [from, to] = self.starts;
        let row_step = i64::from(f.tile_src_row_step());
        let mut src = Vec::new();
        for tile in grid(from, f.src_step_elem().0, f.src_num_elem().0) {
            for col in 0..cols {
                let column = tile.wrapping_add(col * size);
                src.extend((0..ROWS as i64).map(|row| column.wrapping_add_signed(row * row_step)));
            }
        }
        let written = area(f.dst_num_elem().0);
        let bytes = match written {
            n if n == tiles => ROWS * cols * size,
            n if n == tiles * cols => ROWS * size,
            n => {
                let m = format!(
                    "{n} elements for {tiles} tiles of {cols} columns; one for each tile or each column"
                );
                return Err(Trap::at("dma-bytes", "dst_num_elem", m));
            }
        };
        let [low, high] = self.limits;
        let src = Side {
            starts: src,
            size: size as u32,
            limit: low,
            silent: f.src_bound_silent().0 == 1,
        };
        let dst = Side {
            starts: grid(to, f.dst_step_elem().0, f.dst_num_elem().0).collect(),
            size: bytes as u32,
            limit: high,
            silent: f.dst_bound_silent().0 == 1,
        };
        let how = How {
            semaphore: f.semaphore().0,
            increment: 1,
            op: DgeOp::NONE,
            in_dtype: f.in_dtype(),
            out_dtype: f.out_dtype(),
        };
        Ok((how, src, dst))
    }

    /// 0xF1: rows named by the index vector become columns (isa 09 §6).
    fn gather_transpose(&self, state: &State) -> Result<(How, Side, Side), Trap> {
        let f = DmaGatherXpose(&self.bundle);
        let dtype = DType(f.in_dtype().0);
        let size = u64::from(dtype.bytes()).max(1);
        let [n0, rows] = f.src_num_elem().0;
        let piece = u64::from(f.elem_size()) / size;
        let (width, count) = (u64::from(n0) * piece, u64::from(rows));
        too_many(width.saturating_mul(count))?;
        let [columns, lines] = f.dst_num_elem().0;
        if u64::from(lines) != width || columns != rows {
            let m = format!("{columns} x {lines} elements for {rows} rows of {width}");
            return Err(Trap::at("dma-bytes", "dst_num_elem", m));
        }
        let ([from, to], [low, high]) = (self.starts, self.limits);
        let [s0, s1] = f.src_step_elem().0;
        let mut found = Vec::new();
        for (slot, rect) in self.vectors() {
            found = named(slot, from, s1, &words_at(state, &rect), (low, false))?;
        }
        let mut src = Vec::new();
        for x in 0..i64::from(n0) {
            for part in 0..piece {
                let by = x * i64::from(s0) + (part * size) as i64;
                let at = |row: &u64| match *row {
                    SKIPPED => SKIPPED,
                    row => row.wrapping_add_signed(by),
                };
                src.extend(found.iter().map(at));
            }
        }
        let src = Side {
            starts: src,
            size: size as u32,
            limit: BELOW_SKIPPED,
            silent: f.src_idx_bound_silent().0 == 1,
        };
        let step = [size as i32, f.dst_step_1()];
        let dst = Side {
            starts: grid(to, step, [columns, lines]).collect(),
            size: size as u32,
            limit: high,
            silent: f.dst_bound_silent().0 == 1,
        };
        let how = How {
            semaphore: f.semaphore().0,
            increment: 1,
            op: DgeOp::NONE,
            in_dtype: dtype,
            out_dtype: DType(f.out_dtype().0),
        };
        Ok((how, src, dst))
    }
}
