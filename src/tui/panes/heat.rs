//! A heatmap of SBUF or PSUM: rows are partitions, columns bytes.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::isa::Space;
use crate::isa::generation::{BANK_BYTES, PARTITIONS};
use crate::num::{self, Kind};
use crate::paint::palette::LEVELS;
use crate::paint::spans;
use crate::session::{HeatCell, HeatMap, HeatMode, Place, Window};
use crate::sim;
use crate::tui::keymap::UiAction;
use crate::tui::widgets::heatgrid::{self, Alert, Cell, Grid, Touch};

/// Kinds the dtype key goes through.
const KINDS: [Kind; 9] = [
    Kind::Fp32,
    Kind::Bf16,
    Kind::Fp16,
    Kind::Fp8E4,
    Kind::Fp8E5,
    Kind::I32,
    Kind::I16,
    Kind::U8,
    Kind::I8,
];

/// Columns of the ruler on the left.
const RULER: u16 = 5;

/// What a picture depends on besides the moment.
#[derive(Clone, PartialEq, Debug)]
struct Drawn {
    window: Window,
    size: (usize, usize),
    kind: Kind,
    mode: HeatMode,
}

/// A heatmap pane.
#[derive(Debug)]
pub struct Heat {
    space: Space,
    mode: HeatMode,
    kind: Kind,
    /// Shown part; `None` before the first draw.
    window: Option<Window>,
    /// The person moved or zoomed: the window stays theirs.
    theirs: bool,
    /// Element under the cursor.
    cursor: (u16, u32),
    /// Where the selection began.
    anchor: Option<(u16, u32)>,
    /// Cells of the last drawing.
    size: (usize, usize),
    cache: Option<(Drawn, HeatMap)>,
}

impl Heat {
    /// A pane over a memory.
    pub fn new(space: Space) -> Heat {
        Heat {
            space,
            mode: HeatMode::default(),
            kind: Kind::Fp32,
            window: None,
            theirs: false,
            cursor: (0, 0),
            anchor: None,
            size: (1, 1),
            cache: None,
        }
    }

    fn all(&self, view: &View<'_>) -> Window {
        Window {
            space: self.space,
            parts: 0..PARTITIONS as u16,
            bytes: 0..self.space.backed(view.session.generation()) as u32,
        }
    }

    fn window(&self, view: &View<'_>) -> Window {
        self.window.clone().unwrap_or_else(|| self.all(view))
    }

    fn element(&self) -> u32 {
        self.kind.bytes() as u32
    }

    /// The element under the cursor.
    pub fn cell(&self, view: &View<'_>) -> Place {
        self.span(view, self.cursor, self.cursor)
    }

    /// The rectangle between two elements, both included.
    fn span(&self, view: &View<'_>, a: (u16, u32), b: (u16, u32)) -> Place {
        let parts = u64::from(a.0.min(b.0))..u64::from(a.0.max(b.0)) + 1;
        let bytes = u64::from(a.1.min(b.1))..u64::from(a.1.max(b.1)) + u64::from(self.element());
        let geometry = *view.session.state().geometry();
        let end = bytes.end.min(geometry.bytes(self.space));
        let made = Place::new(
            &geometry,
            self.space,
            parts,
            bytes.start..end,
            Some(self.kind),
        );
        made.unwrap_or_else(|_| Place::whole(&geometry, self.space))
    }

    /// Bytes and partitions that one key press moves over.
    fn stride(&self, view: &View<'_>) -> (u16, u32) {
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

    fn moved(&mut self, view: &View<'_>, parts: i64, bytes: i64) {
        let all = self.all(view);
        let last = all.bytes.end - self.element();
        let part = (i64::from(self.cursor.0) + parts).clamp(0, i64::from(all.parts.end) - 1);
        let byte = (i64::from(self.cursor.1) + bytes).clamp(0, i64::from(last));
        let byte = byte as u32 / self.element() * self.element();
        self.cursor = (part as u16, byte);
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
    fn zoom(&mut self, view: &View<'_>, closer: bool) {
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
    fn fit(&mut self, view: &View<'_>) {
        if self.theirs {
            return;
        }
        let all = self.all(view);
        let chunk = 2048;
        let shown = self.window.as_ref().map_or(0, |w| w.bytes.end);
        let touched = |off: &u32| {
            let r = sim::Rect::new(
                self.space,
                0,
                all.parts.end,
                (*off).into(),
                chunk.min(all.bytes.end - off),
            );
            view.session.state().unwritten(&r) < r.bytes()
        };
        let last = (shown..all.bytes.end)
            .step_by(chunk as usize)
            .filter(touched)
            .last();
        if let Some(off) = last {
            let end = (off + chunk).next_power_of_two().min(all.bytes.end);
            self.window = Some(Window {
                bytes: 0..end,
                ..all
            });
        }
    }

    /// The picture for this moment: the last one brought up to date, or a new one for another view.
    fn picture(&mut self, view: &View<'_>, rows: usize, columns: usize) -> &[HeatCell] {
        let drawn = Drawn {
            window: self.window(view),
            size: (rows, columns),
            kind: self.kind,
            mode: self.mode,
        };
        let cached = self.cache.take().filter(|c| c.0 == drawn);
        let (drawn, map) = match cached {
            Some((drawn, mut map)) => {
                map.follow(view.session);
                (drawn, map)
            }
            None => {
                let map = view
                    .session
                    .heat(&drawn.window, rows, columns, self.kind, self.mode);
                (drawn, map)
            }
        };
        &self.cache.insert((drawn, map)).1.cells
    }

    /// The cells with levels, marks, cursor and selection.
    fn grid(&mut self, view: &View<'_>, rows: usize, columns: usize) -> Grid {
        let (mode, kind, seq) = (self.mode, self.kind, view.session.seq());
        let window = self.window(view);
        let (a, b) = (self.anchor.unwrap_or(self.cursor), self.cursor);
        let parts = a.0.min(b.0)..=a.0.max(b.0);
        let bytes = (a.1.min(b.1), a.1.max(b.1));
        let row_chosen: Vec<bool> = (0..rows)
            .map(|r| window.row(rows, r).any(|p| parts.contains(&p)))
            .collect();
        let col_chosen: Vec<bool> = (0..columns)
            .map(|c| {
                let r = window.column(columns, c, kind);
                r.start <= bytes.1 && bytes.0 < r.end
            })
            .collect();
        let picture = self.picture(view, rows, columns);
        let top = picture
            .iter()
            .filter_map(|c| raw_level(c, mode, seq))
            .fold(0.0f32, f32::max);
        let bottom = picture
            .iter()
            .filter_map(|c| raw_level(c, mode, seq))
            .filter(|v| *v > 0.0)
            .fold(f32::INFINITY, f32::min);
        let cells = picture.iter().enumerate().map(|(i, c)| {
            let level = raw_level(c, mode, seq).map(|v| level(v, bottom, top));
            Cell {
                level,
                alert: if c.nan {
                    Some(Alert::Nan)
                } else if c.inf {
                    Some(Alert::Inf)
                } else {
                    None
                },
                touch: if c.just_written {
                    Touch::Write
                } else if c.just_read {
                    Touch::Read
                } else {
                    Touch::None
                },
                chosen: row_chosen.get(i / columns.max(1)) == Some(&true)
                    && col_chosen.get(i % columns.max(1)) == Some(&true),
            }
        });
        Grid {
            columns,
            cells: cells.collect(),
        }
    }

    /// Value, raw bits, last writer of the element under the cursor.
    fn readout(&self, view: &View<'_>) -> Line {
        let (part, off) = self.cursor;
        let bank = if self.space == Space::Psum {
            format!(" bank {}+{:#x}", off / BANK_BYTES, off % BANK_BYTES)
        } else {
            format!(" +{off:#x}")
        };
        let line = Line::toned(Tone::Place, format!("p{part}{bank} "));
        let place = self.cell(view);
        let rect = place.rect();
        let state = view.session.state();
        let Some(bytes) = state.bytes(self.space, part, off.into(), rect.len) else {
            return line;
        };
        if state.unwritten(&rect) > 0 {
            return line.then(Tone::Dim, "never written");
        }
        let mut raw = [0; 8];
        raw.iter_mut().zip(bytes).for_each(|(w, b)| *w = *b);
        let bits = u64::from_le_bytes(raw);
        let width = 2 * bytes.len();
        line.then(Tone::Value, format!("{} ", num::show(self.kind, bits)))
            .then(Tone::Dim, format!("{} raw {bits:0width$x}", self.kind))
    }
}

/// The quantity of a cell that its mode turns into a level; `None`: nothing there.
fn raw_level(c: &HeatCell, mode: HeatMode, seq: u64) -> Option<f32> {
    match mode {
        HeatMode::Value if c.unwritten == c.bytes => None,
        HeatMode::Value => Some(c.magnitude.unwrap_or(0.0).min(f32::MAX)),
        HeatMode::Age => c.written_at.map(|w| seq.saturating_sub(w) as f32),
        HeatMode::Writes => (c.writes > 0).then_some(c.writes as f32),
        HeatMode::Reads => (c.reads > 0).then_some(c.reads as f32),
        HeatMode::Init if c.unwritten == c.bytes => None,
        HeatMode::Init => Some(if c.unwritten == 0 { 2.0 } else { 1.0 }),
        HeatMode::Owner => c.owner.map(|q| 1.0 + q.index() as f32),
    }
}

/// Logarithmic level between the smallest and the largest quantity shown; 0 is level 0.
fn level(v: f32, bottom: f32, top: f32) -> u8 {
    if v <= 0.0 || top <= 0.0 {
        return 0;
    }
    // At most six decades are told apart, so that one tiny value does not flatten the rest.
    let bottom = bottom.max(top * 1e-6);
    let span = (top / bottom).ln();
    let t = if span > 0.0 {
        (v.max(bottom) / bottom).ln() / span
    } else {
        1.0
    };
    1 + (t * (LEVELS - 2) as f32).round() as u8
}

impl Pane for Heat {
    fn title(&self, view: &View<'_>) -> Line {
        let w = self.window(view);
        let name = if self.space == Space::Psum {
            " PSUM "
        } else {
            " SBUF "
        };
        let line = Line::toned(Tone::Plain, name)
            .then(Tone::Key, self.mode.name())
            .then(Tone::Dim, format!(" · {} · ", self.kind))
            .then(
                Tone::Place,
                format!(
                    "p{}:{} × {:#x}:{:#x} ",
                    w.parts.start, w.parts.end, w.bytes.start, w.bytes.end
                ),
            );
        if self.anchor.is_some() {
            let place = self.span(view, self.anchor.unwrap_or(self.cursor), self.cursor);
            return line.then(Tone::Warn, format!("{place} "));
        }
        line
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, _focused: bool) {
        self.fit(view);
        let ruler = if area.width > 3 * RULER { RULER } else { 0 };
        let readout = u16::from(area.height > 3);
        let map = Rect {
            x: area.x + ruler,
            width: area.width - ruler,
            height: area.height - readout,
            ..area
        };
        let parts = self.window(view).parts;
        let rows = (usize::from(map.height) * 2)
            .min(usize::from(parts.end - parts.start))
            .max(1);
        let columns = usize::from(map.width).max(1);
        self.size = (rows, columns);
        let grid = self.grid(view, rows, columns);
        heatgrid::draw(&grid, map, frame.buffer_mut(), view.theme);
        let window = self.window(view);
        for r in (0..rows.div_ceil(2)).step_by(4).filter(|_| ruler > 0) {
            let p = window.row(rows, 2 * r).start;
            let at = Rect {
                y: area.y + r as u16,
                width: ruler,
                height: 1,
                ..area
            };
            let label = Line::toned(Tone::Dim, format!("p{p}"));
            frame.render_widget(Text::from(spans::line(&label, view.theme)), at);
        }
        if readout > 0 {
            let at = Rect {
                y: area.bottom() - 1,
                height: 1,
                ..area
            };
            frame.render_widget(Text::from(spans::line(&self.readout(view), view.theme)), at);
        }
    }

    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction {
        let (parts, bytes) = self.stride(view);
        let (parts, bytes) = (i64::from(parts), i64::from(bytes));
        match action {
            UiAction::Up => self.moved(view, -parts, 0),
            UiAction::Down => self.moved(view, parts, 0),
            UiAction::Left => self.moved(view, 0, -bytes),
            UiAction::Right => self.moved(view, 0, bytes),
            UiAction::PageUp => self.moved(view, -8 * parts, 0),
            UiAction::PageDown => self.moved(view, 8 * parts, 0),
            UiAction::Home => self.moved(view, 0, i64::MIN / 4),
            UiAction::End => self.moved(view, 0, i64::MAX / 4),
            UiAction::Select => {
                self.anchor = match self.anchor {
                    None => Some(self.cursor),
                    Some(_) => None,
                };
            }
            UiAction::Escape => self.anchor = None,
            UiAction::ZoomIn => self.zoom(view, true),
            UiAction::ZoomOut => self.zoom(view, false),
            UiAction::HeatMode => {
                let at = HeatMode::ALL
                    .iter()
                    .position(|m| *m == self.mode)
                    .unwrap_or(0);
                self.mode = HeatMode::ALL
                    .get((at + 1) % HeatMode::ALL.len())
                    .copied()
                    .unwrap_or_default();
            }
            UiAction::DType => {
                let at = KINDS.iter().position(|k| *k == self.kind).unwrap_or(0);
                self.kind = KINDS
                    .get((at + 1) % KINDS.len())
                    .copied()
                    .unwrap_or(Kind::Fp32);
                self.moved(view, 0, 0);
            }
            _ => return Reaction::Ignored,
        }
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Left, "move the cursor"),
            (UiAction::Select, "select a rectangle"),
            (UiAction::ZoomIn, "closer"),
            (UiAction::ZoomOut, "farther"),
            (UiAction::HeatMode, "value, age, writes, reads, init, owner"),
            (UiAction::DType, "data type of the elements"),
        ]
    }

    fn place(&self, view: &View<'_>) -> Option<Place> {
        Some(self.span(view, self.anchor.unwrap_or(self.cursor), self.cursor))
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        self.place(view).map(|p| p.to_string())
    }
}
