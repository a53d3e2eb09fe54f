//! The screen and the heatmaps as files.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::panes::View;
use super::panes::heat::Heat;
use super::widgets::heatgrid::{Alert, Cell};
use crate::paint::palette::{self, Palette, Rgb};
use crate::paint::picture::{Glyph, Mosaic, screen_ansi, screen_svg};

/// The picture of a screen: SVG when the name ends so, else text with escapes.
pub fn screen(buffer: &Buffer, path: &Path) -> String {
    let columns = usize::from(buffer.area.width);
    let glyphs: Vec<Glyph> = buffer
        .content
        .iter()
        .map(|c| {
            let has = |m| c.modifier.contains(m);
            Glyph {
                text: c.symbol().to_owned(),
                fore: rgb(c.fg),
                back: rgb(c.bg),
                style: [
                    has(Modifier::BOLD),
                    has(Modifier::DIM),
                    has(Modifier::UNDERLINED),
                    has(Modifier::REVERSED),
                ],
            }
        })
        .collect();
    if path.extension().is_some_and(|e| e == "svg") {
        screen_svg(columns, &glyphs)
    } else {
        screen_ansi(columns, &glyphs)
    }
}

/// What the colours of a terminal usually are.
fn rgb(colour: Color) -> Option<Rgb> {
    Some(match colour {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => Rgb(r, g, b),
        Color::Black => Rgb(27, 29, 35),
        Color::Red => Rgb(224, 108, 117),
        Color::Green => Rgb(127, 191, 111),
        Color::Yellow => Rgb(216, 179, 90),
        Color::Blue => Rgb(95, 159, 232),
        Color::Magenta => Rgb(198, 120, 221),
        Color::Cyan => Rgb(79, 184, 196),
        Color::Gray => Rgb(200, 204, 212),
        Color::DarkGray => Rgb(92, 99, 112),
        Color::White => Rgb(255, 255, 255),
        Color::Indexed(n) => palette::of_256(n),
        _ => Rgb(230, 230, 230),
    })
}

/// Columns of an exported heatmap at most.
const COLUMNS: usize = 1024;

/// The picture that a heatmap shows, in full resolution: a row for each partition.
pub fn heat(heat: &mut Heat, view: &View<'_>) -> Mosaic {
    let (window, unit) = heat.exported(view);
    let rows = usize::from(window.parts.end - window.parts.start).max(1);
    let elements = (window.bytes.end - window.bytes.start).div_ceil(unit.bytes() as u32) as usize;
    let columns = elements.clamp(1, COLUMNS);
    let grid = heat.export(view, rows, columns);
    let title = super::panes::Pane::title(heat, view).text();
    let cells = grid
        .cells
        .iter()
        .map(|c| colour(c, view.theme.palette))
        .collect();
    let start = |c: usize| window.column(columns, c, unit).start;
    Mosaic {
        columns,
        cells,
        pixels: ((COLUMNS / columns).clamp(1, 32), 6),
        title: format!("{title} {}", heat.legend(view).text()),
        rows: (0..rows)
            .step_by(8)
            .map(|r| (r, format!("p{}", window.row(rows, r).start)))
            .collect(),
        marks: (0..8)
            .map(|i| columns * i / 8)
            .map(|c| (c, format!("{:#x}", start(c))))
            .collect(),
    }
}

fn colour(cell: &Cell, palette: Palette) -> Option<Rgb> {
    match (cell.alert, cell.category, cell.level) {
        (Some(Alert::Nan), ..) => Some(Rgb(255, 40, 60)),
        (Some(Alert::Inf), ..) => Some(Rgb(255, 110, 220)),
        (Some(Alert::Uninit), ..) => Some(Rgb(255, 255, 255)),
        (None, Some(c), _) => Some(palette::distinct(c.colour.into())),
        (None, None, Some(level)) => Some(palette.colour(level.into())),
        (None, None, None) => None,
    }
}
