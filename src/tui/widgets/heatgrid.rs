//! A grid of levels drawn two rows per terminal cell. Knows nothing of machines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::paint::palette::{self, GLYPHS, LEVELS, glyph};
use crate::paint::spans::{colour, ramp};
use crate::paint::theme::{Depth, Theme};

/// What stands out in a cell, whatever its level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Alert {
    /// An infinity is among the elements.
    Inf,
    /// A NaN is among the elements.
    Nan,
    /// Never-written bytes were read.
    Uninit,
}

/// Whether the last bundle touched a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Touch {
    /// No.
    #[default]
    None,
    /// Read.
    Read,
    /// Written.
    Write,
}

/// What a cell is, where that is not more or less of something. The letter says it without colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Category {
    /// Number of a distinct colour.
    pub colour: u8,
    /// Its letter.
    pub letter: char,
}

/// One cell of the grid.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cell {
    /// Level of the ramp; `None`: nothing there (never written).
    pub level: Option<u8>,
    /// Shown instead of a level.
    pub category: Option<Category>,
    /// Something that aggregation must not hide.
    pub alert: Option<Alert>,
    /// Touched by the last bundle.
    pub touch: Touch,
    /// Under the cursor or in the selection.
    pub chosen: bool,
}

/// Rows of cells, top first.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// Cells per row.
    pub columns: usize,
    /// Row after row.
    pub cells: Vec<Cell>,
}

impl Grid {
    /// The cell at a place; blank outside.
    pub fn cell(&self, row: usize, column: usize) -> Cell {
        if column >= self.columns {
            return Cell::default();
        }
        self.cells
            .get(row * self.columns + column)
            .copied()
            .unwrap_or_default()
    }

    /// Every cell that many columns wide and rows high.
    #[must_use]
    pub fn scaled(self, (wide, high): (usize, usize)) -> Grid {
        let (wide, high) = (wide.max(1), high.max(1));
        if (wide, high) == (1, 1) {
            return self;
        }
        let columns = self.columns * wide;
        let cells = (0..self.rows() * high)
            .flat_map(|r| (0..columns).map(move |c| (r / high, c / wide)))
            .map(|(r, c)| self.cell(r, c));
        Grid {
            columns,
            cells: cells.collect(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }
}

/// Columns after which the letter of a category comes again.
const EVERY: usize = 8;

/// The colours of levels and categories, worked out once for a drawing.
struct Colours {
    levels: [Option<Color>; LEVELS],
    distinct: [Option<Color>; DISTINCT],
}

/// Colours of categories before they repeat.
const DISTINCT: usize = 8;

impl Colours {
    fn of(theme: Theme) -> Colours {
        Colours {
            levels: std::array::from_fn(|l| ramp(theme, l)),
            distinct: std::array::from_fn(|n| colour(palette::distinct(n), theme.depth)),
        }
    }

    fn level(&self, level: u8) -> Option<Color> {
        let at = usize::from(level).min(LEVELS - 1);
        self.levels.get(at).copied().flatten()
    }

    fn distinct(&self, number: u8) -> Option<Color> {
        let at = usize::from(number) % DISTINCT;
        self.distinct.get(at).copied().flatten()
    }
}

/// Draws a grid at the top left of an area; a terminal row holds grid rows `2r` and `2r + 1`.
pub fn draw(grid: &Grid, area: Rect, buf: &mut Buffer, theme: Theme) {
    let colours = Colours::of(theme);
    for r in 0..usize::from(area.height).min(grid.rows().div_ceil(2)) {
        for c in 0..usize::from(area.width).min(grid.columns) {
            let pair = (grid.cell(2 * r, c), grid.cell(2 * r + 1, c));
            let before = c.checked_sub(1).map(|c| grid.cell(2 * r, c).category);
            let (symbol, style) = if theme.depth == Depth::None {
                without_colour(pair)
            } else {
                with_colour(
                    pair,
                    &colours,
                    before != Some(pair.0.category) || c % EVERY == 0,
                )
            };
            let at = (area.x + c as u16, area.y + r as u16);
            if let Some(cell) = buf.cell_mut(at) {
                cell.set_char(symbol).set_style(style);
            }
        }
    }
}

/// The more urgent alert of two cells.
fn alert(pair: (Cell, Cell)) -> Option<Alert> {
    pair.0.alert.max(pair.1.alert)
}

const fn letter(alert: Alert) -> char {
    match alert {
        Alert::Nan => 'N',
        Alert::Inf => '∞',
        Alert::Uninit => '?',
    }
}

fn touched(pair: (Cell, Cell), touch: Touch) -> bool {
    pair.0.touch == touch || pair.1.touch == touch
}

fn chosen(pair: (Cell, Cell), style: Style) -> Style {
    if pair.0.chosen || pair.1.chosen {
        style.add_modifier(Modifier::REVERSED)
    } else {
        style
    }
}

/// Letters and ramp glyphs only: `w` and `r` mark the last bundle, alerts win over both.
fn without_colour(pair: (Cell, Cell)) -> (char, Style) {
    let level = pair.0.level.max(pair.1.level);
    let symbol = match (alert(pair), level) {
        (Some(a), _) => letter(a),
        (None, None) if let Some(c) = pair.0.category.or(pair.1.category) => c.letter,
        (None, _) if touched(pair, Touch::Write) => 'w',
        (None, _) if touched(pair, Touch::Read) => 'r',
        (None, Some(l)) => match glyph(usize::from(l)) {
            // A written zero must differ from a never-written byte.
            ' ' => GLYPHS.get(1).copied().unwrap_or('.'),
            g => g,
        },
        (None, None) => ' ',
    };
    (symbol, chosen(pair, Style::new()))
}

/// Half blocks in ramp colours; the last bundle's cells keep their level and get a mark. `labelled`: the letter of a category is
/// to be shown here, because hue must never be the only cue.
fn with_colour(pair: (Cell, Cell), colours: &Colours, labelled: bool) -> (char, Style) {
    let paint = |c: Cell| match (c.category, c.level) {
        (Some(k), _) => colours.distinct(k.colour),
        (None, Some(l)) => colours.level(l),
        (None, None) => None,
    };
    let (top, bottom) = (paint(pair.0), paint(pair.1));
    let letter_of = |c: Cell| c.category.map(|k| k.letter);
    let mark = match alert(pair) {
        Some(a) => Some((letter(a), Color::Red)),
        None if touched(pair, Touch::Write) => Some(('▪', Color::Magenta)),
        None if touched(pair, Touch::Read) => Some(('◦', Color::Cyan)),
        None => letter_of(pair.0)
            .or(letter_of(pair.1))
            .filter(|_| labelled)
            .map(|l| (l, Color::Black)),
    };
    let (symbol, style) = match (mark, top, bottom) {
        (Some((m, ink)), t, b) => {
            let style = Style::new().fg(ink).add_modifier(Modifier::BOLD);
            (m, t.or(b).map_or(style, |back| style.bg(back)))
        }
        (None, Some(t), Some(b)) => ('▀', Style::new().fg(t).bg(b)),
        (None, Some(t), None) => ('▀', Style::new().fg(t)),
        (None, None, Some(b)) => ('▄', Style::new().fg(b)),
        (None, None, None) => (' ', Style::new()),
    };
    (symbol, chosen(pair, style))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::palette::Palette;

    fn draw_one(cells: [Cell; 2], depth: Depth) -> String {
        let grid = Grid {
            columns: 1,
            cells: cells.to_vec(),
        };
        let area = Rect::new(0, 0, 1, 1);
        let mut buf = Buffer::empty(area);
        let palette = Palette::Sea;
        draw(
            &grid,
            area,
            &mut buf,
            Theme {
                depth,
                palette,
                light: false,
            },
        );
        buf[(0, 0)].symbol().to_owned()
    }

    #[test]
    fn one_nan_is_never_hidden() {
        let hot = Cell {
            level: Some(15),
            touch: Touch::Write,
            ..Cell::default()
        };
        let nan = Cell {
            alert: Some(Alert::Nan),
            ..Cell::default()
        };
        for depth in [Depth::None, Depth::Ansi, Depth::Cube, Depth::True] {
            assert_eq!(draw_one([hot, nan], depth), "N", "{depth:?}");
        }
    }

    #[test]
    fn levels_stay_readable_without_colour() {
        let at = |l| Cell {
            level: Some(l),
            ..Cell::default()
        };
        let seen: Vec<String> = (0..16)
            .map(|l| draw_one([at(l), at(l)], Depth::None))
            .collect();
        assert_ne!(seen[0], draw_one([Cell::default(); 2], Depth::None));
        let mut ramp = seen.clone();
        ramp.dedup();
        assert_eq!(ramp.len(), 7, "{seen:?}");
    }
}
