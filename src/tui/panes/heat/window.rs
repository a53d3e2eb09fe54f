//! Which part of the memory a heatmap shows, and how the cursor moves in it.

use std::ops::Range;

use super::{Heat, View};
use crate::isa::generation::PARTITIONS;
use crate::session::{HEAT_RECORDS, Place, Window};
use crate::sim;

impl Heat {
    pub(super) fn all(&self, view: &View<'_>) -> Window {
        Window {
            space: self.space,
            parts: 0..PARTITIONS as u16,
            bytes: 0..self.space.backed(view.session.generation()) as u32,
        }
    }

    pub(super) fn window(&self, view: &View<'_>) -> Window {
        self.window.clone().unwrap_or_else(|| self.all(view))
    }

    /// Bytes of the element under the cursor.
    pub(super) fn element(&self) -> u32 {
        self.under.bytes() as u32
    }

    /// Shows a place, from now on.
    pub fn show(&mut self, place: &Place, view: &View<'_>) {
        let all = self.all(view);
        self.space = place.space;
        self.cursor = (place.part, place.off as u32);
        self.anchor = None;
        self.theirs = true;
        if place.dtype.is_some() {
            self.kind = place.dtype;
        }
        let end = (place.off + place.len).min(all.bytes.end.into()) as u32;
        self.window = Some(Window {
            space: place.space,
            parts: place.part..place.part + place.parts,
            bytes: place.off as u32..end,
        });
    }

    /// Bytes and partitions that one key press moves over.
    pub(super) fn stride(&self, view: &View<'_>) -> (u16, u32) {
        let w = self.window(view);
        let (rows, columns) = self.size;
        let parts = usize::from(w.parts.end - w.parts.start)
            .div_ceil(rows.max(1))
            .max(1) as u16;
        let bytes = (w.bytes.end - w.bytes.start).div_ceil(columns.max(1) as u32);
        (
            parts,
            bytes.next_multiple_of(self.element()).max(self.element()),
        )
    }

    pub(super) fn moved(&mut self, view: &View<'_>, parts: i64, bytes: i64) {
        let all = self.all(view);
        let last = all.bytes.end - self.element();
        let part = (i64::from(self.cursor.0) + parts).clamp(0, i64::from(all.parts.end) - 1);
        let byte = (i64::from(self.cursor.1) + bytes).clamp(0, i64::from(last));
        let byte = byte as u32 / self.element() * self.element();
        self.cursor = (part as u16, byte);
        self.look_under(view);
        let window = self.around(view, self.window(view));
        self.theirs |= window != self.window(view);
        self.window = Some(window);
    }

    /// The window moved by the least that brings the cursor into it.
    fn around(&self, view: &View<'_>, w: Window) -> Window {
        fn shift(range: Range<u32>, at: u32, limit: u32) -> Range<u32> {
            let len = range.end - range.start;
            let start = if at < range.start {
                at
            } else if at >= range.end {
                at + 1 - len.min(at + 1)
            } else {
                range.start
            };
            let start = start.min(limit.saturating_sub(len));
            start..start + len
        }
        let all = self.all(view);
        let parts = shift(
            u32::from(w.parts.start)..u32::from(w.parts.end),
            self.cursor.0.into(),
            all.parts.end.into(),
        );
        let byte = self.cursor.1 + self.element() - 1;
        let bytes = shift(w.bytes, byte, all.bytes.end);
        let start = bytes.start / self.element() * self.element();
        Window {
            space: self.space,
            parts: parts.start as u16..parts.end as u16,
            bytes: start..(start + (bytes.end - bytes.start)).min(all.bytes.end),
        }
    }

    /// Halves or doubles the bytes shown (and the partitions, once a row is one partition wide).
    pub(super) fn zoom(&mut self, view: &View<'_>, closer: bool) {
        self.theirs = true;
        let (all, w) = (self.all(view), self.window(view));
        let (rows, columns) = self.size;
        let smallest = columns.max(1) as u32 * self.element();
        let bytes = w.bytes.end - w.bytes.start;
        let parts = w.parts.end - w.parts.start;
        let (bytes, parts) = if closer {
            let fewer = if bytes / 2 < smallest {
                (parts / 2).max(rows.max(1) as u16)
            } else {
                parts
            };
            ((bytes / 2).max(smallest), fewer.min(parts))
        } else if parts < all.parts.end {
            (bytes, parts * 2)
        } else {
            (bytes.saturating_mul(2), parts)
        };
        let bytes = bytes.min(all.bytes.end);
        let parts = parts.min(all.parts.end);
        let from = self
            .cursor
            .1
            .saturating_sub(bytes / 2)
            .min(all.bytes.end - bytes);
        let from = from / self.element() * self.element();
        let top = self
            .cursor
            .0
            .saturating_sub(parts / 2)
            .min(all.parts.end - parts);
        self.window = Some(Window {
            space: self.space,
            parts: top..top + parts,
            bytes: from..from + bytes,
        });
    }

    /// Shows the bytes up to the last written one, as long as the person has not chosen a window: a
    /// picture of 24 MiB shows a program's few KiB as a speck. Grows in powers of two, so that it
    /// rarely moves.
    pub(super) fn fit(&mut self, view: &View<'_>) {
        if self.theirs {
            return;
        }
        let all = self.all(view);
        let shown = self.window.as_ref().map_or(0, |w| w.bytes.end);
        let now = view.session.moment();
        let end = match self.fitted.replace(now) {
            Some(before) if before == now => return,
            Some((epoch, at)) if epoch == now.0 && at.abs_diff(now.1) < HEAT_RECORDS => {
                self.stored(view, at.min(now.1)..at.max(now.1))
            }
            _ => self.written(view, shown),
        };
        if end > shown {
            let end = end.next_power_of_two().min(all.bytes.end);
            self.window = Some(Window {
                bytes: 0..end,
                ..all
            });
        }
    }

    /// The end of what records stored to.
    fn stored(&self, view: &View<'_>, records: Range<u64>) -> u32 {
        let journal = view.session.machine().journal();
        let runs = records.flat_map(|at| journal.effects(at).filter_map(|e| e.runs()));
        let bounds = runs.map(|r| r.bounds()).filter(|r| r.space == self.space);
        bounds.map(|r| r.end() as u32).max().unwrap_or(0)
    }

    /// The end of what was ever written, to a chunk; 0 when that is not behind `from`.
    fn written(&self, view: &View<'_>, from: u32) -> u32 {
        const CHUNK: u32 = 2048;
        let all = self.all(view);
        let chunk = |off: u32| CHUNK.min(all.bytes.end - off);
        let touched = |off: &u32| {
            let r = sim::Rect::new(self.space, 0, all.parts.end, (*off).into(), chunk(*off));
            view.session.state().unwritten(&r) < r.bytes()
        };
        let last = (from..all.bytes.end)
            .step_by(CHUNK as usize)
            .filter(touched)
            .last();
        last.map_or(0, |off| off + chunk(off))
    }
}
