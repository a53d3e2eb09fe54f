//! Table look-up and gather of runs (isa 07c C1, C2).

use crate::isa::DType;
use crate::isa::Severity;
use crate::isa::access::{self, Shape};
use crate::isa::fields::IndexMiss;
use crate::isa::ops::pool::{S4Pb, S4d4Gt, S4d4Ic};
use crate::sim::exec::alu::put;
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;
use crate::sim::{Rect, Region, State};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] =
    &[(0x67, load_buffer), (0x68, gather), (0xE7, indirect_copy)];

/// Elements per lane of the pool buffer.
const BUFFER: usize = 512;

/// Partitions that share an index list.
const GROUP: u16 = 16;

/// 0x67: a window of the table, at most 512 elements per lane, that begins at index `start`.
fn load_buffer(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let start = S4Pb(&cx.instr.bundle).start();
    let src = cx.operand("src")?;
    if src.count > BUFFER || src.elem > 4 {
        let m = format!(
            "{} elements of {} bytes, at most {BUFFER} of 4",
            src.count, src.elem
        );
        return Err(Trap::at("count", "src", m));
    }
    let (mut row, mut words) = (Vec::new(), Vec::new());
    for lane in 0..src.lanes {
        cx.poll()?;
        cx.lane_raw(&src, lane, &mut row);
        words.extend(row.iter().map(|bits| *bits as u32));
        words.resize(BUFFER * usize::from(lane + 1), 0);
    }
    cx.writer.set_hidden(Region::POOL_BUFFER, &words);
    let info = [start, src.count as u32, src.elem];
    cx.writer.set_hidden(Region::POOL_BUFFER_INFO, &info);
    Ok(())
}

/// 0x68: `dst[k] = buffer[index[k]]`; an index outside the window stores the immediate or nothing.
fn gather(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Gt(&bundle);
    let (index, dst) = (cx.operand("src")?, cx.dest("dst")?);
    cx.same_counts(&[&index], &dst)?;
    let hold = cx.overlap(&[&index], &dst)?;
    let [start, stored, elem] = match cx.hidden(Region::POOL_BUFFER_INFO) {
        [start, stored, elem] => [*start, *stored, *elem],
        _ => [0; 3],
    };
    if stored == 0 {
        let m = "the pool buffer is empty, every index misses".to_owned();
        cx.finding(Severity::Warn, "pool-buffer", m);
    } else if elem != dst.walk.elem {
        let m = format!(
            "{}; the pool buffer holds elements of {elem} bytes",
            dst.walk.dtype
        );
        return Err(Trap::at("dtype", "dst", m));
    }
    let skip = match v.index_miss_behavior() {
        IndexMiss::IMMEDIATE_WRITE => false,
        IndexMiss::SKIP_WRITE => true,
        other => {
            let m = format!("{other}; IMMEDIATE_WRITE or SKIP_WRITE");
            return Err(Trap::at("index-miss", "index_miss_behavior", m));
        }
    };
    let buffer = cx.hidden(Region::POOL_BUFFER).to_vec();
    let (size, miss) = (dst.walk.elem as usize, v.immediate().0);
    let (mut bytes, mut raw) = (Vec::new(), Vec::new());
    let look = |lane: u16, index: u64| {
        let at = index.checked_sub(u64::from(start))?;
        let at = usize::try_from(at)
            .ok()
            .filter(|_| at < u64::from(stored))?;
        buffer.get(BUFFER * usize::from(lane) + at).copied()
    };
    let mut fill = |state: &State, lane: u16, out: &mut [u8], selected: &mut [bool]| {
        index.read_raw(state, lane, &mut bytes, &mut raw);
        let slots = out.chunks_exact_mut(size).zip(selected);
        for (index, (out, selected)) in raw.iter().zip(slots) {
            let found = look(lane, *index);
            put(found.unwrap_or(miss).into(), out);
            *selected = found.is_some();
        }
        Ok(())
    };
    if skip {
        cx.merge_lanes(&dst, fill)?;
    } else {
        let mut unused = vec![false; index.count];
        cx.store_lanes(&dst, hold, |state, lane, out| {
            fill(state, lane, out, &mut unused)
        })?;
    }
    if v.free_pool_buffer().0 != 0 {
        cx.writer.set_hidden(Region::POOL_BUFFER_INFO, &[0; 3]);
    }
    Ok(())
}

/// 0xE7: every group of 16 lanes copies runs of elements by the index list of its partitions.
fn indirect_copy(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let bundle = cx.instr.bundle;
    let v = S4d4Ic(&bundle);
    let operand = cx.instr.format.field("src");
    let operand = operand.and_then(|f| access::operand(cx.instr, f));
    let Some((operand, Shape::Indirect(at))) = operand.map(|o| (o, o.shape)) else {
        let m = "the first word is no index address (marker bit 29)";
        return Err(Trap::at("address", "src", m));
    };
    let (lanes, run) = (operand.lanes, usize::from(v.src_num_elem_per_idx()));
    if !lanes.is_multiple_of(GROUP) {
        let m = format!("{lanes} partitions, a multiple of {GROUP}");
        return Err(Trap::at("count", "num_active_channels", m));
    }
    if run == 0 || !usize::from(at.num).is_multiple_of(run) {
        let m = format!("{} elements in runs of {run}", at.num);
        return Err(Trap::at("count", "src_num_elem_per_idx", m));
    }
    let dst = cx.dest("dst")?;
    if dst.walk.count != usize::from(at.num) || dst.walk.dtype != operand.dtype {
        let m = format!(
            "{} elements of {}, the source gives {} of {}",
            dst.walk.count, dst.walk.dtype, at.num, operand.dtype
        );
        return Err(Trap::at("count", "dst", m));
    }
    let resolver = cx.resolver();
    let index = resolver.location("src", at.index, DType::U16, lanes)?;
    let data = resolver.location("src", at.data, operand.dtype, lanes)?;
    // Index j of a group lies in its partition j mod 16, element j div 16.
    let count = usize::from(at.num) / run;
    let columns = count.div_ceil(usize::from(GROUP)) as u32;
    let part = |lane: u16| index.part.saturating_add(lane);
    let list = Rect::new(
        index.space,
        index.part,
        lanes,
        u64::from(index.off),
        2 * columns,
    );
    let missing = cx.read_rect(list);
    cx.uninit(missing, "src", &list)?;
    let size = dst.walk.elem as usize;
    let limit = u64::from(v.src_buffer_size());
    let row_unit = cx.settings.is(Id::GatherIndex, 1);
    let mut lists: Vec<Vec<u64>> = Vec::new();
    for group in (0..lanes).step_by(usize::from(GROUP)) {
        let mut list = Vec::with_capacity(count);
        for j in 0..at.num / run as u16 {
            let (lane, column) = (group + j % GROUP, j / GROUP);
            let off = u64::from(index.off) + 2 * u64::from(column);
            let word = cx.state().bytes(index.space, part(lane), off, 2);
            let word = word.and_then(|b| b.first_chunk()).ok_or_else(|| {
                Trap::at(
                    "bounds",
                    "src",
                    format!("index {j} lies outside {}", index.space),
                )
            })?;
            let unit = if row_unit { run as u64 } else { 1 };
            list.push(u64::from(u16::from_le_bytes(*word)) * unit);
        }
        lists.push(list);
    }
    let reach = lists.iter().flatten().map(|i| i + run as u64);
    let outside = reach.clone().filter(|end| *end > limit).count();
    let used = reach.max().unwrap_or(0).min(limit);
    if outside > 0 {
        let m = format!("{outside} runs end behind the {limit} elements of the buffer");
        cx.finding(Severity::Warn, "index-range", m);
    }
    let row = Rect::new(
        data.space,
        data.part,
        lanes,
        u64::from(data.off),
        used as u32 * dst.walk.elem,
    );
    let missing = cx.read_rect(row);
    cx.uninit(missing, "src", &row)?;
    let hold = dst.walk.bounds().overlaps(&row) || dst.walk.bounds().overlaps(&list);
    cx.store_lanes(&dst, hold, |state, lane, out| {
        let source = state
            .bytes(row.space, row.part.saturating_add(lane), row.off, row.len)
            .ok_or_else(|| Trap::at("bounds", "src", format!("{row} does not exist")))?;
        let list = lists.get(usize::from(lane / GROUP)).map_or(&[][..], |l| l);
        for (first, out) in list.iter().zip(out.chunks_exact_mut(run * size)) {
            let from = source.get(*first as usize * size..).unwrap_or(&[]);
            let found = from.len().min(out.len());
            let (kept, zeros) = out.split_at_mut(found);
            kept.copy_from_slice(from.get(..found).unwrap_or(&[]));
            zeros.fill(0);
        }
        Ok(())
    })
}
