//! Values of a place in rows and columns: partitions down, elements across, with headers that stay in sight.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::cmd::show;
use crate::isa::Space;
use crate::num::{self, Kind};
use crate::paint::spans;
use crate::session::Place;
use crate::sim;
use crate::tui::keymap::UiAction;

/// Columns of a value.
const VALUE: usize = 10;
/// Columns of a row header.
const HEADER: usize = 6;

/// The pane.
#[derive(Debug, Default)]
pub struct Tile {
    /// The place shown; `None`: the named place under the heatmap cursor, or what surrounds it.
    place: Option<Place>,
    cursor: (u64, u64),
    top: (u64, u64),
    size: (u64, u64),
}

impl Tile {
    /// Shows a place from now on.
    pub fn show(&mut self, place: Place) {
        self.place = Some(place);
        (self.cursor, self.top) = ((0, 0), (0, 0));
    }

    fn shown(&self, view: &View<'_>) -> Option<(Place, String)> {
        let places = view.session.places();
        let named = |p: &Place| {
            places
                .iter()
                .find(|n| n.place.rect() == p.rect())
                .map(|n| n.name.clone())
        };
        if let Some(place) = self.place {
            return Some((place, named(&place).unwrap_or_else(|| place.to_string())));
        }
        let (cell, _) = view.aim?;
        let around = places.iter().find(|p| p.place.clip(&cell.rect()).is_some());
        match around {
            Some(p) => Some((p.place, p.name.clone())),
            None => {
                // The whole memory, beginning at the cursor.
                let geometry = view.session.state().geometry();
                let all = Place::whole(geometry, cell.space);
                let off = cell.off;
                Some((
                    Place {
                        space: cell.space,
                        part: cell.part,
                        parts: all.parts - cell.part,
                        off,
                        len: all.len - off,
                        dtype: cell.dtype,
                    },
                    format!("from {cell}"),
                ))
            }
        }
    }

    /// Rows and columns of a place.
    fn extent(place: &Place) -> (u64, u64) {
        (
            place.parts.into(),
            place.len / Self::kind(place).bytes() as u64,
        )
    }

    fn kind(place: &Place) -> Kind {
        place.dtype.unwrap_or(Kind::Fp32)
    }

    fn element(place: &Place, row: u64, column: u64) -> sim::Rect {
        let size = Self::kind(place).bytes() as u64;
        sim::Rect::new(
            place.space,
            place.part + row as u16,
            1,
            place.off + column * size,
            size as u32,
        )
    }

    fn value(view: &View<'_>, place: &Place, row: u64, column: u64) -> (Tone, String) {
        let (rect, state) = (Self::element(place, row, column), view.session.state());
        if rect.space == Space::Dram || state.unwritten(&rect) > 0 {
            return (Tone::Dim, "·".to_owned());
        }
        let Some(bytes) = state.bytes(rect.space, rect.part, rect.off, rect.len) else {
            return (Tone::Dim, "?".to_owned());
        };
        let (kind, bits) = (Self::kind(place), show::bits(bytes));
        let v = num::to_f64(kind, bits);
        let tone = if v.is_finite() {
            Tone::Value
        } else {
            Tone::Bad
        };
        (tone, fixed(kind, bits, v))
    }
}

/// A value with its decimal point always at one place; as an exponent where that would say too little.
fn fixed(kind: Kind, bits: u64, v: f64) -> String {
    let plain = num::show(kind, bits);
    match v.abs() {
        _ if kind == Kind::Fp4x4
            || (!kind.is_float() && plain.len() <= VALUE)
            || !v.is_finite() =>
        {
            plain
        }
        0.0 => "0.0000".to_owned(),
        a if (1e-3..1e4).contains(&a) => format!("{v:.4}"),
        _ => format!("{v:.3e}"),
    }
}

/// The ranges that the last step stored to.
fn last_writes(view: &View<'_>) -> Vec<sim::Rect> {
    let journal = view.session.machine().journal();
    match journal.position().checked_sub(1) {
        Some(at) if at >= journal.oldest() => journal.writes(at).take(256).collect(),
        _ => Vec::new(),
    }
}

impl Pane for Tile {
    fn title(&self, view: &View<'_>) -> Line {
        let line = Line::plain(" Tile ");
        match self.shown(view) {
            None => line,
            Some((place, name)) => {
                let (rows, columns) = Self::extent(&place);
                line.then(Tone::Key, name).then(
                    Tone::Dim,
                    format!(" · {} · {rows} × {columns} ", Self::kind(&place)),
                )
            }
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool) {
        let Some((place, _)) = self.shown(view) else {
            return;
        };
        let (rows, columns) = Self::extent(&place);
        let fits = ((usize::from(area.width).saturating_sub(HEADER)) / (VALUE + 1)).max(1) as u64;
        self.size = (u64::from(area.height).saturating_sub(1).max(1), fits);
        self.cursor = (
            self.cursor.0.min(rows.saturating_sub(1)),
            self.cursor.1.min(columns.saturating_sub(1)),
        );
        let scroll = |at: u64, top: u64, size: u64| top.min(at).max((at + 1).saturating_sub(size));
        self.top = (
            scroll(self.cursor.0, self.top.0, self.size.0),
            scroll(self.cursor.1, self.top.1, self.size.1),
        );
        let across = self.top.1..columns.min(self.top.1 + fits);
        let mut head = Line::toned(Tone::Dim, " ".repeat(HEADER));
        for c in across.clone() {
            let tone = if c == self.cursor.1 && focused {
                Tone::Key
            } else {
                Tone::Dim
            };
            head = head.then(tone, format!("{:>VALUE$} ", format!("[{c}]")));
        }
        let fresh = last_writes(view);
        let mut lines = vec![spans::line(&head, view.theme)];
        for r in self.top.0..rows.min(self.top.0 + self.size.0.saturating_sub(0)) {
            let tone = if r == self.cursor.0 && focused {
                Tone::Key
            } else {
                Tone::Dim
            };
            let header = Line::toned(
                tone,
                format!("{:<HEADER$}", format!("p{}", u64::from(place.part) + r)),
            );
            let mut row = spans::line(&header, view.theme);
            for c in across.clone() {
                let rect = Self::element(&place, r, c);
                let (tone, text) = Self::value(view, &place, r, c);
                let new = fresh.iter().any(|w| w.overlaps(&rect));
                let text = Line::toned(
                    if new { Tone::Warn } else { tone },
                    format!("{text:>VALUE$}"),
                );
                let mut style = Style::new();
                if new {
                    style = style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
                }
                if focused && (r, c) == self.cursor {
                    style = style.add_modifier(Modifier::REVERSED);
                }
                row.spans.extend(
                    spans::line(&text, view.theme)
                        .spans
                        .into_iter()
                        .map(|s| s.patch_style(style)),
                );
                row.spans.push(" ".into());
            }
            lines.push(row);
        }
        frame.render_widget(Text::from(lines), area);
    }

    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction {
        let (row, column) = self.cursor;
        let page = self.size.0.max(1);
        self.cursor = match action {
            UiAction::Up => (row.saturating_sub(1), column),
            UiAction::Down => (row + 1, column),
            UiAction::Left => (row, column.saturating_sub(1)),
            UiAction::Right => (row, column + 1),
            UiAction::PageUp => (row.saturating_sub(page), column),
            UiAction::PageDown => (row + page, column),
            UiAction::Home => (row, 0),
            UiAction::End => (row, u64::MAX / 2),
            UiAction::Escape => {
                self.place = None;
                (0, 0)
            }
            UiAction::DType => {
                let Some((mut place, _)) = self.shown(view) else {
                    return Reaction::Ignored;
                };
                place.dtype = Some(super::heat::next_kind(Self::kind(&place)));
                self.place = Some(place);
                (0, 0)
            }
            _ => return Reaction::Ignored,
        };
        if let Some((place, _)) = self.shown(view) {
            let (rows, columns) = Self::extent(&place);
            self.cursor = (
                self.cursor.0.min(rows.saturating_sub(1)),
                self.cursor.1.min(columns.saturating_sub(1)),
            );
        }
        Reaction::Used
    }

    fn click(&mut self, at: (u16, u16), _drag: bool, _view: &View<'_>) -> Reaction {
        let (x, y) = (usize::from(at.0), u64::from(at.1));
        if x >= HEADER && y > 0 {
            self.cursor = (
                self.top.0 + y - 1,
                self.top.1 + ((x - HEADER) / (VALUE + 1)) as u64,
            );
        }
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Right, "next element"),
            (UiAction::Down, "next partition"),
            (UiAction::DType, "read the elements in another way"),
            (UiAction::Escape, "show what the heatmap cursor is on"),
        ]
    }

    fn place(&self, view: &View<'_>) -> Option<Place> {
        let (place, _) = self.shown(view)?;
        let rect = Self::element(&place, self.cursor.0, self.cursor.1);
        Some(Place {
            dtype: Some(Self::kind(&place)),
            ..show::place_of(&rect, None)
        })
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        let (place, _) = self.shown(view)?;
        Some(Self::value(view, &place, self.cursor.0, self.cursor.1).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_aligned_and_never_too_wide() {
        let f = |v: f32| fixed(Kind::Fp32, v.to_bits().into(), v.into());
        assert_eq!(
            ["0.0000", "-1.2346", "1234.5000", "1.000e-4", "-2.500e8"],
            [f(0.0), f(-1.23456), f(1234.5), f(1e-4), f(-2.5e8)].map(String::leak)
        );
        for v in [
            -9999.99,
            f32::MIN,
            f32::MIN_POSITIVE,
            -1e-40,
            f32::NAN,
            f32::INFINITY,
        ] {
            assert!(f(v).len() <= VALUE, "{v} {}", f(v));
        }
        assert_eq!(fixed(Kind::I32, 0xFFFF_FFFB, -5.0), "-5");
    }
}
