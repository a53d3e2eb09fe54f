//! Writing results to PSUM: zero regions, accumulation and accumulation groups (isa 05 §6.2).

use super::cells::{self, CellMask};
use super::tile::value;
use crate::isa::fields::{PsumFlags, Space};
use crate::isa::generation::{BANK_BYTES, PSUM_BYTES};
use crate::isa::{Generation, Severity};
use crate::num::{self, Kind, Narrowed, Rules, computed};
use crate::sim::exec::{Cx, Fresh, Walk};
use crate::sim::fault::Trap;
use crate::sim::settings::Id;
use crate::sim::sync::Sync;
use crate::sim::{Rect, Runs};

/// How a result meets its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Combine {
    /// Added to what is there.
    Add,
    /// Added to zero: the cell begins a group.
    Fresh,
    /// Stored.
    Store,
}

/// A destination in PSUM with its place in an accumulation group.
pub(super) struct Target {
    walk: Walk,
    runs: Vec<Runs>,
    /// Cells hold INT32.
    integer: bool,
    combine: Combine,
    /// Rectangle that BEGIN clears, when it does.
    region: Option<Rect>,
    ends: bool,
    mask: CellMask,
}

/// Walk positions of every stored cell, for walks that do not ascend.
struct Occurrences {
    order: Vec<u32>,
    ends: Vec<u32>,
}

impl Occurrences {
    /// `None` when the walk order is the order of storage.
    fn of(walk: &Walk) -> Option<Occurrences> {
        walk.plan().order?;
        let mut all: Vec<(u32, u32)> = walk.offsets().zip(0..).collect();
        all.sort_unstable();
        let ends = (1..=all.len())
            .filter(|i| all.get(*i).map(|e| e.0) != all.get(i - 1).map(|e| e.0))
            .map(|i| i as u32);
        Some(Occurrences {
            ends: ends.collect(),
            order: all.iter().map(|e| e.1).collect(),
        })
    }

    fn cell(&self, i: usize) -> &[u32] {
        let end = |i: usize| self.ends.get(i).copied().unwrap_or(0) as usize;
        let start = i.checked_sub(1).map_or(0, end);
        self.order.get(start..end(i)).unwrap_or(&[])
    }
}

impl Target {
    /// Resolves the destination of a matmul and checks what only PSUM asks for. `integer`: results
    /// of UINT8 operands.
    ///
    /// # Errors
    /// Traps of the operand; `space`, `psum-bank`, `psum-flags`, `zero-region`.
    pub fn of(cx: &mut Cx<'_, '_>, integer: bool) -> Result<Target, Trap> {
        let walk = cx.operand("dst")?;
        let bounds = walk.bounds();
        if walk.space != Space::Psum {
            let m = format!("{bounds} is in {}; the PE writes PSUM only", walk.space);
            return Err(Trap::at("space", "dst", m));
        }
        let early = cx.instr.generation < Generation::V4;
        let bank = |off: u64| off / u64::from(BANK_BYTES);
        if early && bounds.len > 0 && bank(bounds.off) != bank(bounds.end() - 1) {
            let m = format!("{bounds} crosses a bank of {BANK_BYTES} bytes, possible from v4");
            return Err(Trap::at("psum-bank", "dst", m));
        }
        let flags = value(cx, "psum_accumulate_flags") as u8;
        if !PsumFlags(flags).is_defined() || (early && flags > 3) {
            let allowed = if early { "0..3" } else { "0..4 and 6" };
            let m = format!("flags {flags}; {allowed} are legal");
            return Err(Trap::at("psum-flags", "psum_accumulate_flags", m));
        }
        let size = value(cx, "psum_zero_region") as u32;
        if size > if early { 0 } else { 3 } {
            let m = format!("zero region {size} of {}", cx.instr.generation);
            return Err(Trap::at("zero-region", "psum_zero_region", m));
        }
        let begins = flags & 1 != 0;
        let plan = walk.plan();
        let mask = CellMask::of(&plan.runs);
        let region = (begins && cx.settings.is(Id::ZeroRegionKey, 0)).then(|| {
            let len = BANK_BYTES << size;
            let first = walk.offsets().next().unwrap_or(0);
            Rect {
                off: u64::from(first / len * len),
                len: len.min(PSUM_BYTES),
                ..bounds
            }
        });
        Ok(Target {
            integer,
            combine: match flags {
                _ if begins => Combine::Fresh,
                0 if cx.settings.is(Id::PsumFlag0, 1) => Combine::Store,
                _ => Combine::Add,
            },
            region,
            ends: flags & 2 != 0,
            runs: plan.runs,
            mask,
            walk,
        })
    }

    /// The resolved destination.
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// Turns it into the destination of a transpose: `lanes` partitions, the first `count` elements.
    pub fn reshape(&mut self, lanes: u16, count: usize) -> Result<(), Trap> {
        let free = 128 - self.walk.part;
        if lanes > free || self.walk.count != count {
            let m = format!(
                "transposed result of {lanes} partitions and {count} elements; \
                 the destination has {free} partitions and {} elements",
                self.walk.count
            );
            return Err(Trap::at("count", "dst", m));
        }
        self.walk.lanes = lanes;
        self.runs = self.walk.plan().runs;
        if let Some(r) = &mut self.region {
            r.parts = lanes;
        }
        Ok(())
    }

    /// Clears the zero region, keeps the books of the accumulation group and reports what is
    /// undefined on hardware.
    ///
    /// # Errors
    /// `bounds`, should the memory refuse the range.
    fn begin(&self, cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
        let lanes = self.walk.part..self.walk.part + self.walk.lanes;
        if let Some(region) = self.region {
            let cleared = CellMask::of(&[Runs::from(region)]);
            cells::clear(cx, lanes.clone(), &cleared, &self.mask, &region);
            if !self.mask.covers(&cleared) {
                let zeroed = cx.writer.change(&Runs::from(region), |bytes| bytes.fill(0));
                zeroed.map_err(|e| Trap::at("bounds", "dst", e.to_string()))?;
            }
        }
        if self.combine == Combine::Add {
            cx.writer.sync(Sync::Keeps);
            let rects = self.runs.iter().flat_map(|r| r.rects());
            let unwritten: u64 = rects.map(|r| cx.state().unwritten(&r)).sum();
            let foreign = if cx.instr.generation < Generation::V4 {
                cells::foreign(cx, lanes.clone(), &self.mask)
            } else {
                0
            };
            if unwritten > 0 || foreign > 0 {
                let around = self.walk.bounds();
                let m = if unwritten > 0 {
                    format!("accumulates onto {unwritten} never-written bytes of {around}")
                } else {
                    format!(
                        "accumulates onto {foreign} cells of {around} whose last writer is not the PE"
                    )
                };
                cx.finding(Severity::Warn, "psum-acc", m);
            }
        }
        cells::written(cx, lanes, &self.mask, self.ends);
        Ok(())
    }

    /// Writes a pass: `row(m)` gives the results of column `m` in walk order.
    ///
    /// # Errors
    /// `bounds`, `interrupt`.
    pub fn accumulate<'r>(
        &self,
        cx: &mut Cx<'_, '_>,
        row: impl Fn(usize) -> &'r [f32],
        any_operand: impl Fn(fn(f32) -> bool) -> bool,
    ) -> Result<(), Trap> {
        self.begin(cx)?;
        let occurrences = Occurrences::of(&self.walk);
        let mut fold = Fold {
            kind: self.walk.kind,
            integer: self.integer,
            combine: self.combine,
            rules: *cx.rules(),
            cells: Vec::new(),
            lost: Narrowed::default(),
            old: (false, false),
        };
        let mut first = 0;
        for runs in &self.runs {
            let per_run = (runs.first.len / self.walk.elem.max(1)) as usize;
            let per_lane = per_run * runs.count as usize;
            let mut piece = 0;
            let stored = cx.writer.change(runs, |bytes| {
                let (lane, run) = (piece / runs.count as usize, piece % runs.count as usize);
                piece += 1;
                let at = first + run * per_run;
                match &occurrences {
                    None => fold.run(bytes, row(lane).get(at..at + per_run).unwrap_or(&[])),
                    Some(o) => fold.scattered(bytes, row(lane), at, o),
                }
            });
            stored.map_err(|e| Trap::at("bounds", "dst", e.to_string()))?;
            first += per_lane;
        }
        let mut fresh = Fresh::default();
        fresh.see(fold.lost, any_operand);
        let (nan, inf) = fold.old;
        fresh = Fresh {
            nan: fresh.nan && !nan,
            inf: fresh.inf && !inf,
        };
        cx.report_lost(fold.kind, fold.lost, fresh);
        Ok(())
    }

    /// Stores raw elements: `element(lane, i)` of every walk position.
    ///
    /// # Errors
    /// `bounds`.
    pub fn store_bits(
        &self,
        cx: &mut Cx<'_, '_>,
        element: impl Fn(usize, usize) -> u64,
    ) -> Result<(), Trap> {
        let plain = Target {
            combine: Combine::Store,
            runs: self.runs.clone(),
            walk: self.walk.clone(),
            mask: self.mask.clone(),
            ..*self
        };
        plain.begin(cx)?;
        let dest = super::super::Dest::new(self.walk.clone());
        let size = self.walk.elem as usize;
        let mut bytes = Vec::new();
        for lane in 0..self.walk.lanes {
            bytes.clear();
            for i in 0..self.walk.count {
                let word = element(usize::from(lane), i).to_le_bytes();
                bytes.extend_from_slice(word.get(..size).unwrap_or(&word));
            }
            cx.put_bytes(&dest, lane, &bytes)?;
        }
        Ok(())
    }
}

/// The arithmetic of cells, run by run.
struct Fold {
    kind: Kind,
    integer: bool,
    combine: Combine,
    rules: Rules,
    cells: Vec<f32>,
    lost: Narrowed,
    /// Cells were NaN, or infinite, before.
    old: (bool, bool),
}

impl Fold {
    /// Consecutive cells and the results for them.
    fn run(&mut self, bytes: &mut [u8], results: &[f32]) {
        if self.integer {
            let cells = bytes.as_chunks_mut::<4>().0;
            for (cell, r) in cells.iter_mut().zip(results) {
                *cell = self.integer_cell(*cell, *r).to_le_bytes();
            }
            return;
        }
        self.cells.clear();
        self.cells.resize(results.len(), 0.0);
        match self.combine {
            Combine::Store => self.cells.copy_from_slice(results),
            Combine::Fresh => {
                for (cell, r) in self.cells.iter_mut().zip(results) {
                    *cell = 0.0 + *r;
                }
            }
            Combine::Add => {
                num::widen_slice(self.kind, bytes, &mut self.cells);
                let mut odd = false;
                for (cell, r) in self.cells.iter_mut().zip(results) {
                    odd |= !cell.is_finite();
                    *cell = computed(*cell + *r);
                }
                if odd {
                    let mut old = vec![0.0f32; results.len()];
                    num::widen_slice(self.kind, bytes, &mut old);
                    self.old.0 |= old.iter().any(|x| x.is_nan());
                    self.old.1 |= old.iter().any(|x| x.is_infinite());
                }
            }
        }
        self.lost += num::narrow_slice(self.kind, &self.cells, &self.rules, bytes);
    }

    fn integer_cell(&self, cell: [u8; 4], result: f32) -> i32 {
        match self.combine {
            Combine::Add => i32::from_le_bytes(cell).wrapping_add(result as i32),
            _ => result as i32,
        }
    }

    /// Cells from number `first` on, each with all the walk positions that name it, in order.
    fn scattered(&mut self, bytes: &mut [u8], results: &[f32], first: usize, o: &Occurrences) {
        let combine = self.combine;
        let size = self.kind.bytes();
        for (i, cell) in bytes.chunks_exact_mut(size).enumerate() {
            for (n, at) in o.cell(first + i).iter().enumerate() {
                if n > 0 && combine == Combine::Fresh {
                    self.combine = Combine::Add;
                }
                let result = results.get(*at as usize).copied().unwrap_or(0.0);
                self.run(cell, &[result]);
            }
            self.combine = combine;
        }
    }
}
