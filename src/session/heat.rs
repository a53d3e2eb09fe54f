//! Pictures of memory: a window cut into cells, each with what its elements and the journal say.
//!
//! A picture is a function of the state and of the records before the present position, so it is
//! right after going back, and a rewrite of the same value shows.

use std::ops::Range;

use super::Session;
use crate::isa::{Queue, Space};
use crate::num::{Kind, widen_slice};
use crate::sim::{Rect, StepKind};

/// Records looked at for ages and counts, newest first: a bound on the time of a picture.
pub const HEAT_RECORDS: u64 = 16384;

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeatMode {
    /// Largest magnitude of the elements.
    #[default]
    Value,
    /// Bundles since the last write.
    Age,
    /// Writes.
    Writes,
    /// Reads.
    Reads,
    /// Never written, written in part, written.
    Init,
    /// Stream that wrote last.
    Owner,
}

impl HeatMode {
    /// All modes, in the order of the mode key.
    pub const ALL: [HeatMode; 6] = [
        HeatMode::Value,
        HeatMode::Age,
        HeatMode::Writes,
        HeatMode::Reads,
        HeatMode::Init,
        HeatMode::Owner,
    ];

    /// Name in titles.
    pub const fn name(self) -> &'static str {
        ["value", "age", "writes", "reads", "init", "owner"][self as usize]
    }
}

/// The part of a memory that is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// SBUF or PSUM.
    pub space: Space,
    /// Partitions.
    pub parts: Range<u16>,
    /// Bytes of each partition.
    pub bytes: Range<u32>,
}

/// One cell of a picture.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HeatCell {
    /// Bytes covered, and how many of them were never written.
    pub bytes: u64,
    /// Never-written bytes.
    pub unwritten: u64,
    /// Largest magnitude of the written elements that are numbers.
    pub magnitude: Option<f32>,
    /// A written element is NaN.
    pub nan: bool,
    /// A written element is infinite.
    pub inf: bool,
    /// Sequence number of the last write, within the records looked at.
    pub written_at: Option<u64>,
    /// Its stream; `None` with a sequence number is an edit.
    pub owner: Option<Queue>,
    /// Writes, within the records looked at.
    pub writes: u32,
    /// Reads, within the records looked at.
    pub reads: u32,
    /// The last bundle wrote here.
    pub just_written: bool,
    /// The last bundle read here.
    pub just_read: bool,
}

/// Cells, row after row; row 0 is the first partition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatMap {
    /// Cells per row.
    pub columns: usize,
    /// All cells.
    pub cells: Vec<HeatCell>,
}

/// Where the cuts of `rows` or `columns` cells through a range lie: cell `i` is `cut(i)..cut(i+1)`.
fn cut(range: (u64, u64), cells: usize, i: usize, unit: u64) -> u64 {
    let (lo, hi) = range;
    let units = (hi - lo).div_ceil(unit.max(1));
    let at = units * i as u64 / cells.max(1) as u64;
    (lo + at * unit).min(hi)
}

impl Window {
    /// The partitions of a row of cells.
    pub fn row(&self, rows: usize, r: usize) -> Range<u16> {
        let range = (u64::from(self.parts.start), u64::from(self.parts.end));
        cut(range, rows, r, 1) as u16..cut(range, rows, r + 1, 1) as u16
    }

    /// The bytes of a column of cells; cuts fall between elements of `kind`.
    pub fn column(&self, columns: usize, c: usize, kind: Kind) -> Range<u32> {
        let range = (u64::from(self.bytes.start), u64::from(self.bytes.end));
        let unit = kind.bytes() as u64;
        cut(range, columns, c, unit) as u32..cut(range, columns, c + 1, unit) as u32
    }

    fn rect(&self) -> Rect {
        let parts = self.parts.end.saturating_sub(self.parts.start);
        let len = self.bytes.end.saturating_sub(self.bytes.start);
        Rect::new(
            self.space,
            self.parts.start,
            parts,
            self.bytes.start.into(),
            len,
        )
    }
}

impl Session {
    /// The picture of a window in `rows` x `columns` cells, elements read as `kind`.
    pub fn heat(
        &self,
        window: &Window,
        rows: usize,
        columns: usize,
        kind: Kind,
        mode: HeatMode,
    ) -> HeatMap {
        let mut map = HeatMap {
            columns,
            cells: vec![HeatCell::default(); rows * columns],
        };
        let mut values = Vec::new();
        for (i, cell) in map.cells.iter_mut().enumerate() {
            let (r, c) = (i / columns.max(1), i % columns.max(1));
            let bytes = window.column(columns, c, kind);
            for part in window.row(rows, r) {
                self.look(window.space, part, &bytes, kind, mode, &mut values, cell);
            }
        }
        self.trace(window, rows, kind, mode, &mut map);
        map
    }

    /// Adds one partition's bytes to a cell.
    #[expect(
        clippy::too_many_arguments,
        reason = "one row of a cell, called from one place"
    )]
    fn look(
        &self,
        space: Space,
        part: u16,
        bytes: &Range<u32>,
        kind: Kind,
        mode: HeatMode,
        values: &mut Vec<f32>,
        cell: &mut HeatCell,
    ) {
        let len = bytes.end.saturating_sub(bytes.start);
        let rect = Rect::new(space, part, 1, bytes.start.into(), len);
        let unwritten = self.state().unwritten(&rect);
        cell.bytes += u64::from(len);
        cell.unwritten += unwritten;
        if mode != HeatMode::Value || unwritten == u64::from(len) {
            return;
        }
        let Some(row) = self.state().bytes(space, part, bytes.start.into(), len) else {
            return;
        };
        values.clear();
        values.resize(row.len() / kind.bytes() * kind.lanes(), 0.0);
        widen_slice(kind, row, values);
        let size = kind.bytes() as u32;
        for (i, v) in values.iter().enumerate() {
            if unwritten > 0 {
                let off = u64::from(bytes.start) + u64::from(size) * (i / kind.lanes()) as u64;
                if !self
                    .state()
                    .is_written(&Rect::new(space, part, 1, off, size))
                {
                    continue;
                }
            }
            cell.nan |= v.is_nan();
            cell.inf |= v.is_infinite();
            if !v.is_nan() {
                cell.magnitude = Some(cell.magnitude.unwrap_or(0.0).max(v.abs()));
            }
        }
    }

    /// Adds what the records say: the last bundle's accesses, and ages, counts and owners when asked.
    fn trace(&self, window: &Window, rows: usize, kind: Kind, mode: HeatMode, map: &mut HeatMap) {
        let journal = self.machine().journal();
        let deep = !matches!(mode, HeatMode::Value | HeatMode::Init);
        let now = journal.position();
        let first = now
            .saturating_sub(if deep { HEAT_RECORDS } else { 1 })
            .max(journal.oldest());
        let whole = window.rect();
        for at in (first..now).rev() {
            let Some(record) = journal.record(at) else {
                break;
            };
            let last = at + 1 == now;
            let queue = match record.head.kind {
                StepKind::Edit => None,
                _ => Queue::from_index(record.head.agent.into()),
            };
            for rect in journal.writes(at).filter_map(|r| r.intersect(&whole)) {
                for_cells(window, rows, map, kind, &rect, |cell| {
                    cell.just_written |= last && queue.is_some();
                    cell.writes = cell.writes.saturating_add(1);
                    if cell.written_at.is_none() {
                        cell.written_at = Some(record.seq);
                        cell.owner = queue;
                    }
                });
            }
            for rect in journal.reads(at).filter_map(|r| r.intersect(&whole)) {
                for_cells(window, rows, map, kind, &rect, |cell| {
                    cell.just_read |= last;
                    cell.reads = cell.reads.saturating_add(1);
                });
            }
        }
    }
}

/// Calls `f` for every cell that shares a byte with a rectangle inside the window.
fn for_cells(
    window: &Window,
    rows: usize,
    map: &mut HeatMap,
    kind: Kind,
    rect: &Rect,
    mut f: impl FnMut(&mut HeatCell),
) {
    let columns = map.columns;
    let meets = |a: Range<u64>, lo: u64, hi: u64| a.start < hi && lo < a.end;
    let row_hits = (0..rows).filter(|r| {
        let p = window.row(rows, *r);
        meets(
            p.start.into()..p.end.into(),
            rect.part.into(),
            rect.part_end().into(),
        )
    });
    let row_hits: Vec<usize> = row_hits.collect();
    for c in 0..columns {
        let b = window.column(columns, c, kind);
        if !meets(b.start.into()..b.end.into(), rect.off, rect.end()) {
            continue;
        }
        for r in &row_hits {
            if let Some(cell) = map.cells.get_mut(r * columns + c) {
                f(cell);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_tile_the_window(lo in 0u32..1000, len in 1u32..5000, columns in 1usize..200, rows in 1usize..130, parts in 1u16..=128) {
            let w = Window { space: Space::Sbuf, parts: 0..parts, bytes: lo..lo + len };
            for kind in [Kind::U8, Kind::Bf16, Kind::Fp32] {
                let mut at = lo;
                for c in 0..columns {
                    let b = w.column(columns, c, kind);
                    prop_assert_eq!(b.start, at);
                    prop_assert!((b.start - lo) % kind.bytes() as u32 == 0);
                    at = b.end;
                }
                prop_assert_eq!(at, lo + len);
            }
            let mut at = 0;
            for r in 0..rows {
                prop_assert_eq!(w.row(rows, r).start, at);
                at = w.row(rows, r).end;
            }
            prop_assert_eq!(at, parts);
        }
    }
}
