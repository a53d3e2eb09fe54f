//! Transfers whose elements start where an index vector or a transposition says: DMA_INDIRECT,
//! DMA_TRANSPOSE, DMA_GATHER_TRANSPOSE (isa 09 §4..§6, decisions 3).
//!
//! A list of starts does not fit into the slot of a pending transfer, so these land at issue whatever
//! `dma.delay` is, and start when the transfers before them in their queue have landed. The order inside a tile is inferred.

use super::transfer::{Leg, Plan};
use super::{Transfer, element_size, land_now, posts};
use crate::isa::DType;
use crate::isa::fields::{Addr4, Addr8, DgeOp, IndirectMode, Space};
use crate::isa::ops::dma::{DmaDirect2dXpose, DmaGatherXpose, DmaIndirect1d};
use crate::sim::Rect;
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0xBB, indirect),
    (0xBD, transpose),
    (0xF1, gather_transpose),
];

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

impl Cx<'_, '_> {
    fn move_listed(&mut self, how: &How, src: &Side, dst: &Side) -> Result<(), Trap> {
        let transfer = Transfer {
            queue: self.queue,
            index: self.index,
            seq: self.seq,
            due: self.time.start,
            semaphore: how.semaphore,
            increment: posts(self.settings) * how.increment,
            op: how.op,
            in_dtype: how.in_dtype,
            out_dtype: how.out_dtype,
            src: src.leg(),
            dst: dst.leg(),
        };
        let starts = [src.starts.as_slice(), dst.starts.as_slice()];
        let plan = Plan::listed(&transfer, starts, self.instr.generation, self.settings)?;
        self.complete();
        land_now(self, &transfer, &plan)
    }

    /// An address without shape register: these forms have no place for its dimensions.
    fn start(&mut self, slot: &'static str, word: Addr8) -> Result<u64, Trap> {
        if word.shape_register() {
            return Err(Trap::not_modelled(
                "shape register of an indirect or transposing transfer",
            ));
        }
        self.address(slot, word)
    }

    /// Index vector: words one after the other in a partition of SBUF (isa 02 §6).
    fn indices(&mut self, slot: &'static str, word: Addr4, count: u16) -> Result<Vec<u32>, Trap> {
        let count = u32::from(count);
        if count == 0 || count > MAX_INDICES {
            let m = format!("{count} indices, 1..{MAX_INDICES} are possible");
            return Err(Trap::at("count", slot, m));
        }
        let at = self.resolver().location(slot, word, DType::U32, 1)?;
        if at.space != Space::Sbuf || at.part != 0 {
            return Err(Trap::at(
                "dma-index",
                slot,
                format!("the index vector is at {at}, not in SBUF partition 0"),
            ));
        }
        let len = 4 * count;
        let backed = u64::from(self.instr.generation.info().sbuf_bytes);
        let off = u64::from(at.off);
        if off + u64::from(len) > backed {
            let m = format!("{len} bytes from {at} leave the partition");
            return Err(Trap::at("bounds", slot, m));
        }
        let rect = Rect::new(Space::Sbuf, 0, 1, off, len);
        let missing = self.read_rect(rect);
        if missing > 0 {
            self.uninit(missing, slot, &rect)?;
        }
        let mut bytes = Vec::new();
        self.state()
            .read_into(&rect, &mut bytes)
            .map_err(|e| Trap::at("address", slot, e.to_string()))?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|w| u32::from_le_bytes(*w)).collect())
    }

    /// Starts of the elements that an index vector names; beyond the limit they are skipped, or an
    /// error where the bundle says so.
    fn named(
        &self,
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
}

/// Starts over two dimensions, X fastest.
fn grid(start: u64, step: [i32; 2], num: [u16; 2]) -> impl Iterator<Item = u64> {
    let [s0, s1] = step.map(i64::from);
    let [n0, n1] = num.map(i64::from);
    (0..n1).flat_map(move |y| (0..n0).map(move |x| start.wrapping_add_signed(x * s0 + y * s1)))
}

/// A limit below every skipped start.
const BELOW_SKIPPED: Option<u64> = Some(SKIPPED - 1);

/// 0xBB: element i of an indirect side is at `start + index[i] * step` (isa 09 §4).
fn indirect(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = DmaIndirect1d(&cx.instr.bundle);
    let mode = f.indirect_mode();
    if mode.0 > IndirectMode::BOTH.0 {
        return Err(Trap::at(
            "enum",
            "indirect_mode",
            format!("mode {mode} is not defined"),
        ));
    }
    let is_error = f.index_oob_is_error().0 == 1;
    let start = cx.start("src_start_addr", f.src_start_addr())?;
    let src = if mode == IndirectMode::DST {
        grid(start, [f.src_step_elem(), 0], [f.src_num_elem(), 1]).collect()
    } else {
        let limit = cx.limit(f.src_idx_bound_enabled().0, f.src_idx_bound_reg().0)?;
        let slot = "src_idx_start_addr";
        let indices = cx.indices(slot, f.src_idx_start_addr(), f.src_num_elem())?;
        cx.named(slot, start, f.src_step_elem(), &indices, (limit, is_error))?
    };
    let start = cx.start("dst_start_addr", f.dst_start_addr())?;
    let dst: Vec<u64> = if mode == IndirectMode::SRC {
        grid(start, [f.dst_step_elem(), 0], [f.dst_num_elem(), 1]).collect()
    } else {
        let limit = cx.limit(f.dst_idx_bound_enabled().0, f.dst_idx_bound_reg().0)?;
        let slot = "dst_idx_start_addr";
        let indices = cx.indices(slot, f.dst_idx_start_addr(), f.dst_num_elem())?;
        cx.named(slot, start, f.dst_step_elem(), &indices, (limit, is_error))?
    };
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
    cx.move_listed(&how, &src, &dst)
}

/// More elements than a transposition may have.
fn too_many(count: u64) -> Result<(), Trap> {
    if count == 0 || count > MAX_ELEMENTS {
        let m = format!("{count} elements; 1..{MAX_ELEMENTS} are possible here");
        return Err(Trap::at("count", "src_num_elem", m));
    }
    Ok(())
}

/// 0xBD: each tile of 16 rows is written as its columns, 16 elements each (isa 09 §5). A destination
/// element is a whole tile, or one such column.
fn transpose(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = DmaDirect2dXpose(&cx.instr.bundle);
    let size = u64::from(f.in_dtype().bytes());
    let cols = u64::from(f.tile_src_cols());
    let area = |num: [u16; 2]| num.map(u64::from).iter().product::<u64>();
    let tiles = area(f.src_num_elem().0);
    too_many(tiles.saturating_mul(ROWS * cols * size))?;
    let start = cx.start("src_start_addr", f.src_start_addr())?;
    let row_step = i64::from(f.tile_src_row_step());
    let mut src = Vec::new();
    for tile in grid(start, f.src_step_elem().0, f.src_num_elem().0) {
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
    let start = cx.start("dst_start_addr", f.dst_start_addr())?;
    let src = Side {
        starts: src,
        size: size as u32,
        limit: cx.limit(f.src_bound_enabled().0, f.src_bound_reg().0)?,
        silent: f.src_bound_silent().0 == 1,
    };
    let dst = Side {
        starts: grid(start, f.dst_step_elem().0, f.dst_num_elem().0).collect(),
        size: bytes as u32,
        limit: cx.limit(f.dst_bound_enabled().0, f.dst_bound_reg().0)?,
        silent: f.dst_bound_silent().0 == 1,
    };
    let how = How {
        semaphore: f.semaphore().0,
        increment: 1,
        op: DgeOp::NONE,
        in_dtype: f.in_dtype(),
        out_dtype: f.out_dtype(),
    };
    cx.move_listed(&how, &src, &dst)
}

/// 0xF1: rows named by the index vector become columns (isa 09 §6).
fn gather_transpose(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = DmaGatherXpose(&cx.instr.bundle);
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
    let limit = cx.limit(f.src_idx_bound_enabled().0, f.src_idx_bound_reg().0)?;
    let slot = "src_idx_start_addr";
    let indices = cx.indices(slot, f.src_idx_start_addr(), rows)?;
    let start = cx.start("src_start_addr", f.src_start_addr())?;
    let [s0, s1] = f.src_step_elem().0;
    let found = cx.named(slot, start, s1, &indices, (limit, false))?;
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
    let start = cx.start("dst_start_addr", f.dst_start_addr())?;
    let src = Side {
        starts: src,
        size: size as u32,
        limit: BELOW_SKIPPED,
        silent: f.src_idx_bound_silent().0 == 1,
    };
    let step = [size as i32, f.dst_step_1()];
    let dst = Side {
        starts: grid(start, step, [columns, lines]).collect(),
        size: size as u32,
        limit: cx.limit(f.dst_bound_enabled().0, f.dst_bound_reg().0)?,
        silent: f.dst_bound_silent().0 == 1,
    };
    let how = How {
        semaphore: f.semaphore().0,
        increment: 1,
        op: DgeOp::NONE,
        in_dtype: dtype,
        out_dtype: DType(f.out_dtype().0),
    };
    cx.move_listed(&how, &src, &dst)
}
