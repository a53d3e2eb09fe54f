//! A heatmap of SBUF or PSUM: rows are partitions, columns bytes.

mod picture;
mod window;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::cmd::show;
use crate::isa::Space;
use crate::isa::generation::BANK_BYTES;
use crate::num::{self, Kind};
use crate::paint::spans;
use crate::session::{HeatMap, HeatMode, Place, Window};
use crate::tui::keymap::UiAction;
use crate::tui::walk::Walk;
use crate::tui::widgets::heatgrid::{self, Grid};

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

/// The kind after this one.
pub fn next_kind(kind: Kind) -> Kind {
    let at = KINDS.iter().position(|k| *k == kind).map_or(0, |i| i + 1);
    KINDS.get(at % KINDS.len()).copied().unwrap_or(Kind::Fp32)
}

/// Columns of the ruler on the left.
const RULER: u16 = 5;

/// What a picture depends on besides the moment.
#[derive(Clone, PartialEq, Debug)]
struct Drawn {
    window: Window,
    size: (usize, usize),
    kind: Option<Kind>,
    mode: HeatMode,
    places: usize,
}

/// A heatmap pane.
pub struct Heat {
    space: Space,
    /// Shows the moment compared with.
    before: bool,
    mode: HeatMode,
    /// How elements are read; `None`: as the places say, fp32 elsewhere.
    kind: Option<Kind>,
    /// Shown part; `None` before the first draw.
    window: Option<Window>,
    /// The person moved or zoomed: the window stays theirs.
    theirs: bool,
    /// The moment that the window was last fitted to.
    fitted: Option<(u64, u64)>,
    /// Element under the cursor, and how it is read.
    cursor: (u16, u32),
    under: Kind,
    /// Where the selection began.
    anchor: Option<(u16, u32)>,
    /// Cells of the last drawing, and where they begin in the pane.
    size: (usize, usize),
    /// Columns and half lines of a cell.
    scale: (usize, usize),
    origin: (u16, u16),
    cache: Option<(Drawn, HeatMap)>,
    /// Smallest and largest quantity of the last drawing.
    range: (f32, f32),
    /// The access pattern that is played instead of the contents.
    walk: Option<Walk>,
}

impl Heat {
    /// A pane over a memory, at the present or at the moment compared with.
    pub fn new(space: Space, before: bool) -> Heat {
        Heat {
            space,
            before,
            mode: HeatMode::default(),
            kind: None,
            window: None,
            theirs: false,
            fitted: None,
            cursor: (0, 0),
            under: Kind::Fp32,
            anchor: None,
            size: (1, 1),
            scale: (1, 1),
            origin: (0, 0),
            cache: None,
            range: (0.0, 0.0),
            walk: None,
        }
    }

    /// Plays an access pattern, or goes back to the contents. What is not in sight is brought there.
    pub fn play(&mut self, walk: Option<Walk>, view: &View<'_>) {
        if let Some(w) = &walk {
            let window = self.window(view);
            let (parts, bytes) = w.bounds();
            let inside = u64::from(window.parts.start) <= parts.start
                && parts.end <= u64::from(window.parts.end)
                && u64::from(window.bytes.start) <= bytes.start
                && bytes.end <= u64::from(window.bytes.end);
            // A pattern of a few columns would hardly be seen.
            let wide = bytes.end.saturating_sub(bytes.start) * 8
                >= u64::from(window.bytes.end - window.bytes.start);
            let geometry = view.session.state().geometry();
            if let (false, Ok(place)) = (
                inside && wide,
                Place::new(geometry, w.space(), parts, bytes, None),
            ) {
                self.show(&place, view);
            }
        }
        self.walk = walk;
    }

    /// The access pattern that is played.
    pub fn walk(&mut self) -> Option<&mut Walk> {
        self.walk.as_mut()
    }

    /// Shows the same part in the same way as another pane.
    pub fn mirror(&mut self, other: &Heat) {
        (self.space, self.mode, self.kind) = (other.space, other.mode, other.kind);
        (self.cursor, self.under, self.anchor) = (other.cursor, other.under, other.anchor);
        (self.window, self.theirs) = (other.window.clone(), true);
    }

    /// Sets the mode.
    pub fn set_mode(&mut self, mode: HeatMode) {
        self.mode = mode;
    }

    /// Sets how elements are read.
    pub fn set_kind(&mut self, kind: Kind, view: &View<'_>) {
        self.kind = Some(kind);
        self.moved(view, 0, 0);
    }

    /// How the element under the cursor is read: as said, else as the place around it says.
    fn look_under(&mut self, view: &View<'_>) {
        let at = crate::sim::Rect::new(self.space, self.cursor.0, 1, self.cursor.1.into(), 1);
        let places = view.session.places();
        let around = || {
            places
                .iter()
                .find(|p| p.place.clip(&at).is_some())?
                .place
                .dtype
        };
        self.under = self.kind.or_else(around).unwrap_or(Kind::Fp32);
    }

    /// The element under the cursor.
    pub fn cell(&self, view: &View<'_>) -> Place {
        self.span(view, self.cursor, self.cursor)
    }

    /// The selected rectangle; the element under the cursor when nothing is selected.
    pub fn selection(&self, view: &View<'_>) -> Place {
        self.span(view, self.anchor.unwrap_or(self.cursor), self.cursor)
    }

    /// The rectangle between two elements, both included.
    fn span(&self, view: &View<'_>, a: (u16, u32), b: (u16, u32)) -> Place {
        let parts = u64::from(a.0.min(b.0))..u64::from(a.0.max(b.0)) + 1;
        let bytes = u64::from(a.1.min(b.1))..u64::from(a.1.max(b.1)) + u64::from(self.element());
        let geometry = *view.session.state().geometry();
        let end = bytes.end.min(geometry.bytes(self.space));
        let kind = Some(self.under);
        let made = Place::new(&geometry, self.space, parts, bytes.start..end, kind);
        made.unwrap_or_else(|_| Place::whole(&geometry, self.space))
    }

    /// The window that is exported, and the elements that its columns are cut between.
    pub fn exported(&self, view: &View<'_>) -> (Window, Kind) {
        (self.window(view), self.kind.unwrap_or_default())
    }

    /// The picture in cells of its own, for export.
    pub fn export(&mut self, view: &View<'_>, rows: usize, columns: usize) -> Grid {
        let (size, anchor) = (self.size, self.anchor.take());
        let mut grid = self.grid(view, rows, columns);
        grid.cells.iter_mut().for_each(|c| c.chosen = false);
        (self.size, self.anchor) = (size, anchor);
        grid
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
        let rect = self.cell(view).rect();
        let state = match (self.before, view.session.compared()) {
            (false, _) => view.session.state(),
            (true, Some((_, state))) => state,
            (true, None) => {
                return Line::toned(Tone::Warn, "`heat against SEQ` names the moment to show");
            }
        };
        let Some(bytes) = state.bytes(self.space, part, off.into(), rect.len) else {
            return line;
        };
        if state.unwritten(&rect) > 0 {
            return line.then(Tone::Dim, "never written");
        }
        let bits = show::bits(bytes);
        let width = 2 * bytes.len();
        line.then(Tone::Value, format!("{} ", num::show(self.under, bits)))
            .then(Tone::Dim, format!("{} raw {bits:0width$x}", self.under))
    }

    /// Offsets above the columns; in PSUM the banks. Below them, if there is room, the names of places.
    fn ruler(&self, view: &View<'_>, columns: usize, with_names: bool) -> Vec<Line> {
        let window = self.window(view);
        let unit = self.kind.unwrap_or_default();
        let (cells, scale) = (self.size.1, self.scale.0.max(1));
        let starts: Vec<u32> = (0..columns)
            .map(|c| window.column(cells, c / scale, unit).start)
            .collect();
        let mut text = vec![' '; columns];
        let mut put = |at: usize, label: &str| {
            let free = text
                .get(at.saturating_sub(1)..columns.min(at + label.len() + 1))
                .is_some_and(|t| t.iter().all(|c| *c == ' '));
            if free && at + label.len() <= columns {
                text.iter_mut()
                    .skip(at)
                    .zip(label.chars())
                    .for_each(|(t, c)| *t = c);
            }
        };
        if self.space == Space::Psum {
            let mut bank = None;
            for (c, start) in starts.iter().enumerate() {
                if bank.replace(start / BANK_BYTES) != Some(start / BANK_BYTES) {
                    put(c, &format!("b{}", start / BANK_BYTES));
                }
            }
        }
        for c in (0..columns).step_by(12_usize.next_multiple_of(scale)) {
            put(c, &format!("{:#x}", starts.get(c).copied().unwrap_or(0)));
        }
        let mut lines = vec![Line::toned(Tone::Dim, text.into_iter().collect::<String>())];
        if with_names {
            let mut names = vec![' '; columns];
            for p in view
                .session
                .places()
                .iter()
                .filter(|p| p.place.space == self.space)
            {
                let from = starts.partition_point(|s| u64::from(*s) < p.place.off);
                let to = starts.partition_point(|s| u64::from(*s) < p.place.off + p.place.len);
                let in_sight = p.place.off < window.bytes.end.into()
                    && p.place.off + p.place.len > window.bytes.start.into();
                if !in_sight {
                    continue;
                }
                let wide = to.saturating_sub(from).max(1);
                // A name that does not fit is cut, with a sign of that.
                let whole = p.name.chars().count() <= wide;
                let mut name: String = p
                    .name
                    .chars()
                    .take(wide - usize::from(!whole && wide > 1))
                    .collect();
                if !whole && wide > 1 {
                    name.push('…');
                }
                names
                    .iter_mut()
                    .skip(from)
                    .zip(name.chars())
                    .for_each(|(t, c)| *t = c);
            }
            lines.push(Line::toned(
                Tone::Place,
                names.into_iter().collect::<String>(),
            ));
        }
        lines
    }
}

impl Pane for Heat {
    fn title(&self, view: &View<'_>) -> Line {
        let w = self.window(view);
        let name = if self.space == Space::Psum {
            " PSUM "
        } else {
            " SBUF "
        };
        if let Some(walk) = &self.walk {
            let at = format!(" {}/{} ", walk.at(), walk.total());
            return Line::plain(name)
                .then(Tone::Warn, walk.caption.clone())
                .then(Tone::Value, at);
        }
        let kind = self.kind.map_or("as places", Kind::name);
        let mut line = Line::toned(Tone::Plain, name).then(Tone::Key, self.mode.name());
        if let (true, Some((seq, _))) = (
            self.before || self.mode == HeatMode::Diff,
            view.session.compared(),
        ) {
            let word = if self.before { "at" } else { "against" };
            line = line.then(Tone::Warn, format!(" {word} seq {seq}"));
        }
        line = line.then(Tone::Dim, format!(" · {kind} · ")).then(
            Tone::Place,
            format!(
                "p{}:{} × {:#x}:{:#x} ",
                w.parts.start, w.parts.end, w.bytes.start, w.bytes.end
            ),
        );
        if self.anchor.is_some() {
            return line.then(Tone::Warn, format!("{} ", self.selection(view)));
        }
        line
    }

    fn footer(&self, view: &View<'_>) -> Line {
        let legend = self.legend(view);
        if legend.0.is_empty() {
            return legend;
        }
        let mut line = Line::plain(" ");
        line.0.extend(legend.0);
        line
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, _focused: bool) {
        self.fit(view);
        let left = if area.width > 3 * RULER { RULER } else { 0 };
        let readout = u16::from(area.height > 3);
        let named = view
            .session
            .places()
            .iter()
            .any(|p| p.place.space == self.space);
        let top = u16::from(area.height > 6) + u16::from(area.height > 9 && named);
        let map = Rect {
            x: area.x + left,
            width: area.width - left,
            y: area.y + top,
            height: area.height - readout - top,
        };
        self.origin = (left, top);
        let parts = self.window(view).parts;
        let window = self.window(view);
        let elements = (window.bytes.end - window.bytes.start)
            .div_ceil(self.kind.unwrap_or_default().bytes() as u32);
        let rows = (usize::from(map.height) * 2)
            .min(usize::from(parts.end - parts.start))
            .max(1);
        let columns = usize::from(map.width).min(elements as usize).max(1);
        // Few elements are drawn large.
        self.scale = (
            usize::from(map.width) / columns,
            (usize::from(map.height) * 2 / rows).min(4),
        );
        self.size = (rows, columns);
        let grid = match &self.walk {
            Some(walk) => walk.grid(&window, rows, columns, self.kind.unwrap_or_default()),
            None => self.grid(view, rows, columns),
        };
        let grid = grid.scaled(self.scale);
        heatgrid::draw(&grid, map, frame.buffer_mut(), view.theme);
        if top > 0 {
            let lines = self.ruler(view, columns * self.scale.0, top > 1);
            let at = Rect {
                y: area.y,
                height: top,
                ..map
            };
            frame.render_widget(
                Text::from_iter(lines.iter().map(|l| spans::line(l, view.theme))),
                at,
            );
        }
        let lines = (rows * self.scale.1).div_ceil(2);
        for r in (0..lines).step_by(4).filter(|_| left > 0) {
            let p = window.row(rows, 2 * r / self.scale.1.max(1)).start;
            let at = Rect {
                x: area.x,
                y: map.y + r as u16,
                width: left,
                height: 1,
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
            UiAction::ZoomAll => {
                self.theirs = true;
                self.window = Some(self.all(view));
            }
            UiAction::ZoomFit => {
                (self.theirs, self.window, self.fitted) = (false, None, None);
            }
            UiAction::HeatMode | UiAction::HeatModeBack => {
                let n = HeatMode::ALL.len();
                let at = HeatMode::ALL
                    .iter()
                    .position(|m| *m == self.mode)
                    .unwrap_or(0);
                let to = if action == UiAction::HeatMode {
                    at + 1
                } else {
                    at + n - 1
                };
                self.mode = HeatMode::ALL.get(to % n).copied().unwrap_or_default();
            }
            UiAction::DType => {
                self.kind = match self.kind {
                    None => Some(Kind::Fp32),
                    Some(Kind::I8) => None,
                    Some(k) => Some(next_kind(k)),
                };
                self.look_under(view);
                self.moved(view, 0, 0);
            }
            _ => return Reaction::Ignored,
        }
        Reaction::Used
    }

    fn click(&mut self, at: (u16, u16), drag: bool, view: &View<'_>) -> Reaction {
        let (Some(x), Some(y)) = (
            at.0.checked_sub(self.origin.0),
            at.1.checked_sub(self.origin.1),
        ) else {
            return Reaction::Used;
        };
        let window = self.window(view);
        let (rows, columns) = self.size;
        let row = (2 * usize::from(y) / self.scale.1.max(1)).min(rows.saturating_sub(1));
        let column = (usize::from(x) / self.scale.0.max(1)).min(columns.saturating_sub(1));
        let to = (
            window.row(rows, row).start,
            window
                .column(columns, column, self.kind.unwrap_or_default())
                .start,
        );
        self.anchor = if drag {
            self.anchor.or(Some(self.cursor))
        } else {
            None
        };
        self.cursor = to;
        self.look_under(view);
        self.moved(view, 0, 0);
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Left, "move the cursor"),
            (UiAction::Select, "select a rectangle"),
            (UiAction::ZoomIn, "closer"),
            (UiAction::ZoomOut, "farther"),
            (UiAction::ZoomAll, "all of the memory"),
            (UiAction::ZoomFit, "what the program has touched"),
            (
                UiAction::HeatMode,
                "value, age, writes, reads, init, owner, special, diff, place",
            ),
            (UiAction::DType, "data type of the elements"),
        ]
    }

    fn place(&self, view: &View<'_>) -> Option<Place> {
        Some(self.selection(view))
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        self.place(view).map(|p| p.to_string())
    }

    fn stopped(&mut self, view: &View<'_>) {
        self.fit(view);
        self.look_under(view);
    }
}
