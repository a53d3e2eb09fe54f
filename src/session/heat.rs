//! Pictures of memory: a window cut into cells, each with what its elements and the journal say.
//!
//! A picture is a function of the state and of the records before the present position, so it is
//! right after going back, and a rewrite of the same value shows. It can follow the session: then
//! only the records between the point it knows and the present one are looked at.

use std::ops::Range;

use super::Session;
use super::contents::Look;
use super::trail::Trail;
use crate::isa::{Queue, Space};
use crate::num::Kind;
use crate::sim::{Rect, State, StepKind};

/// Records looked at for ages and counts when a picture is made anew: a bound on its time.
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
    /// NaN, infinity, largest magnitude, subnormal, zero.
    Special,
    /// Bytes that differ from the moment compared with.
    Diff,
    /// Named places.
    Place,
}

impl HeatMode {
    /// All modes, in the order of the mode key.
    pub const ALL: [HeatMode; 9] = [
        HeatMode::Value,
        HeatMode::Age,
        HeatMode::Writes,
        HeatMode::Reads,
        HeatMode::Init,
        HeatMode::Owner,
        HeatMode::Special,
        HeatMode::Diff,
        HeatMode::Place,
    ];

    /// Their names.
    pub const NAMES: &[&str] = &[
        "value", "age", "writes", "reads", "init", "owner", "special", "diff", "place",
    ];

    /// Name in titles.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or("")
    }

    /// The mode of a name.
    pub fn parse(name: &str) -> Option<HeatMode> {
        Self::ALL.into_iter().find(|m| m.name() == name)
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
    /// Zeros among the written elements (mode special).
    pub zeros: u64,
    /// A written element is subnormal (mode special).
    pub subnormal: bool,
    /// A written element has the largest finite magnitude (mode special).
    pub saturated: bool,
    /// Bytes that differ from the moment compared with (mode diff).
    pub changed: u64,
    /// Number of the named place, in the order of [`Session::places`] (mode place).
    pub place: Option<u32>,
    /// The last bundle wrote here.
    pub just_written: bool,
    /// The last bundle read here.
    pub just_read: bool,
}

/// Cells, row after row; row 0 is the first partition.
#[derive(Clone, PartialEq, Debug)]
pub struct HeatMap {
    /// Cells per row.
    pub columns: usize,
    /// All cells.
    pub cells: Vec<HeatCell>,
    grid: Grid,
    kind: Option<Kind>,
    mode: HeatMode,
    trail: Trail,
    /// Shows the moment compared with, not the present one.
    before: bool,
    /// Path of time, position and moment compared with that the contents show.
    seen: Option<(u64, u64, u64)>,
    /// How the elements were read there: names may get another meaning.
    typed: Vec<(Rect, Kind)>,
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

    /// May it share a byte with a rectangle?
    fn near(&self, r: &Rect) -> bool {
        r.space == self.space
            && r.off < self.bytes.end.into()
            && u64::from(self.bytes.start) < r.end()
            && u32::from(r.part) < self.parts.end.into()
            && u32::from(self.parts.start) < r.part_end()
    }
}

/// Where the cells of a window begin and end.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Grid {
    window: Window,
    /// Ascending; row `r` is `rows[r]..rows[r + 1]`. Likewise the columns.
    rows: Vec<u64>,
    columns: Vec<u64>,
}

impl Grid {
    fn new(window: &Window, rows: usize, columns: usize, kind: Kind) -> Grid {
        let row = |r| window.row(rows, r).start.into();
        let column = |c| window.column(columns, c, kind).start.into();
        Grid {
            rows: (0..=rows).map(row).collect(),
            columns: (0..=columns).map(column).collect(),
            window: window.clone(),
        }
    }

    /// Calls `f` with the number of every cell that shares a byte with a rectangle.
    pub(super) fn touched(&self, rect: &Rect, mut f: impl FnMut(usize)) {
        if rect.space != self.window.space || rect.is_empty() {
            return;
        }
        let width = self.columns.len().saturating_sub(1);
        let columns = met(&self.columns, rect.off, rect.end());
        for row in met(&self.rows, rect.part.into(), rect.part_end().into()) {
            columns.clone().for_each(|c| f(row * width + c));
        }
    }
}

/// The cells between edges that share something with `lo..hi`, which is not empty. Cells between equal edges hold nothing.
fn met(edges: &[u64], lo: u64, hi: u64) -> impl Iterator<Item = usize> + Clone {
    let ends = edges.get(1..).unwrap_or_default();
    let first = ends.partition_point(|e| *e <= lo);
    let last = edges.partition_point(|e| *e < hi).min(ends.len());
    (first..last).filter(|i| edges.get(*i) != ends.get(*i))
}

impl Session {
    /// Pictures count writes and reads from the present point on.
    pub fn reset_heat(&mut self) {
        self.heat_from = self.machine.journal().position();
    }

    /// The picture of a window in `rows` x `columns` cells, elements read as `kind`, or as the named places around them say.
    pub fn heat(
        &self,
        window: &Window,
        rows: usize,
        columns: usize,
        kind: Option<Kind>,
        mode: HeatMode,
    ) -> HeatMap {
        self.picture(window, (rows, columns), kind, mode, false)
    }

    /// The same of the moment compared with; blank when there is none.
    pub fn heat_before(
        &self,
        window: &Window,
        rows: usize,
        columns: usize,
        kind: Option<Kind>,
        mode: HeatMode,
    ) -> HeatMap {
        self.picture(window, (rows, columns), kind, mode, true)
    }

    fn picture(
        &self,
        window: &Window,
        (rows, columns): (usize, usize),
        kind: Option<Kind>,
        mode: HeatMode,
        before: bool,
    ) -> HeatMap {
        let mut map = HeatMap {
            columns,
            cells: vec![HeatCell::default(); rows * columns],
            grid: Grid::new(window, rows, columns, kind.unwrap_or_default()),
            kind,
            mode,
            trail: Trail::new(rows * columns),
            before,
            seen: None,
            typed: Vec::new(),
        };
        map.follow(self);
        map
    }
}

impl HeatMap {
    /// Becomes the picture of the present point.
    pub fn follow(&mut self, s: &Session) {
        let typed = self.typed(s);
        let stale = self.stale(s).filter(|_| typed == self.typed);
        self.typed.clone_from(&typed);
        let compared = s.compared.as_ref();
        let state = match (self.before, compared) {
            (true, Some(c)) => &c.state,
            (true, None) => return,
            (false, _) => s.state(),
        };
        let mut look = Look {
            state,
            other: compared.map(|c| &*c.state),
            space: self.grid.window.space,
            kind: self.kind.unwrap_or_default(),
            places: typed,
            mode: self.mode,
            values: Vec::new(),
        };
        let width = self.columns.max(1);
        let (rows, columns) = (&self.grid.rows, &self.grid.columns);
        for (i, cell) in self.cells.iter_mut().enumerate() {
            (cell.just_written, cell.just_read) = (false, false);
            if stale.as_ref().is_some_and(|s| s.get(i) != Some(&true)) {
                continue;
            }
            let edges = |edges: &[u64], i: usize| Some(*edges.get(i)?..*edges.get(i + 1)?);
            let (Some(parts), Some(bytes)) = (edges(rows, i / width), edges(columns, i % width))
            else {
                continue;
            };
            cell.clear_contents();
            for part in parts {
                look.add(part as u16, &(bytes.start as u32..bytes.end as u32), cell);
            }
        }
        if self.before {
            return;
        }
        match self.mode {
            HeatMode::Age | HeatMode::Writes | HeatMode::Reads | HeatMode::Owner => {
                self.trail.follow(s, &self.grid, &mut self.cells);
            }
            HeatMode::Place => self.name(s),
            _ => {}
        }
        mark_last(s, &self.grid, &mut self.cells);
    }

    /// The cells that records between the moment shown and the present one stored to; `None`: all must be looked at again.
    fn stale(&mut self, s: &Session) -> Option<Vec<bool>> {
        let compared = s.compared.as_ref().map_or(0, |c| c.number);
        let (epoch, here) = if self.before { (0, 0) } else { s.moment() };
        let seen = self.seen.replace((epoch, here, compared))?;
        let journal = s.machine().journal();
        let from = seen.1.min(here);
        let known = self.before || (journal.oldest() <= from && seen.1 <= journal.end());
        if (seen.0, seen.2) != (epoch, compared) || !known || seen.1.abs_diff(here) > HEAT_RECORDS {
            return None;
        }
        let mut stale = vec![false; self.cells.len()];
        for at in from..seen.1.max(here) {
            each_write(s, at, &self.grid, |i| {
                if let Some(flag) = stale.get_mut(i) {
                    *flag = true;
                }
            });
        }
        Some(stale)
    }

    /// The named places that say how their elements are read, by offset; none when the picture says it for all.
    fn typed(&self, s: &Session) -> Vec<(Rect, Kind)> {
        if self.kind.is_some() {
            return Vec::new();
        }
        let places = s.places();
        let near = places
            .iter()
            .filter(|p| self.grid.window.near(&p.place.rect()));
        let mut typed: Vec<(Rect, Kind)> = near
            .filter_map(|p| Some((p.place.rect(), p.place.dtype?)))
            .collect();
        typed.sort_by_key(|(r, _)| r.off);
        typed
    }

    /// Says which named place a cell belongs to: of several the one that begins last.
    fn name(&mut self, s: &Session) {
        let mut places: Vec<(usize, Rect)> = s
            .places()
            .iter()
            .map(|p| p.place.rect())
            .enumerate()
            .collect();
        places.sort_by_key(|(_, r)| (r.off, r.part));
        self.cells.iter_mut().for_each(|c| c.place = None);
        for (number, rect) in places {
            let cells = &mut self.cells;
            self.grid.touched(&rect, |i| {
                if let Some(cell) = cells.get_mut(i) {
                    cell.place = Some(number as u32);
                }
            });
        }
    }
}

impl HeatCell {
    /// Forgets what the contents of memory add up to.
    fn clear_contents(&mut self) {
        *self = HeatCell {
            written_at: self.written_at,
            owner: self.owner,
            writes: self.writes,
            reads: self.reads,
            ..HeatCell::default()
        };
    }
}

/// Marks what the bundle that retired last touched.
fn mark_last(s: &Session, grid: &Grid, cells: &mut [HeatCell]) {
    let journal = s.machine().journal();
    let here = journal.position();
    let kind = |at: u64| journal.record(at).map(|r| r.head.kind);
    let mut back = (journal.oldest()..here).rev();
    let Some(bundle) = back.find(|at| kind(*at) == Some(StepKind::Retire)) else {
        return;
    };
    for at in (bundle..here).filter(|at| kind(*at) != Some(StepKind::Edit)) {
        each_write(s, at, grid, |i| {
            if let Some(cell) = cells.get_mut(i) {
                cell.just_written = true;
            }
        });
        for rect in journal.reads(at) {
            grid.touched(&rect, |i| {
                if let Some(cell) = cells.get_mut(i) {
                    cell.just_read = true;
                }
            });
        }
    }
}

/// Calls `f` with the number of every cell that a record stored to, perhaps more than once.
pub(super) fn each_write(s: &Session, at: u64, grid: &Grid, mut f: impl FnMut(usize)) {
    for runs in s.machine().journal().effects(at).filter_map(|e| e.runs()) {
        if grid.window.near(&runs.bounds()) {
            runs.rects().for_each(|r| grid.touched(&r, &mut f));
        }
    }
}

/// Do the bytes of a rectangle differ between two states?
pub fn changed(a: &State, b: &State, rect: &Rect) -> bool {
    let bytes = |s: &State| {
        let mut out = Vec::new();
        s.read_into(rect, &mut out).map(|()| out)
    };
    bytes(a) != bytes(b)
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
                    prop_assert!((b.start - lo).is_multiple_of(kind.bytes() as u32));
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
