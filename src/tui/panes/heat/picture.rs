//! From what the session says of each cell to levels, letters and marks.

use super::{Drawn, Heat, View};
use crate::cmd::output::{Line, Tone};
use crate::isa::Queue;
use crate::paint::palette::LEVELS;
use crate::session::{HeatCell, HeatMap, HeatMode, Session};
use crate::tui::widgets::heatgrid::{Alert, Category, Cell, Grid, Touch};

impl Heat {
    /// The picture for this moment: the last one brought up to date, or a new one for another view.
    fn picture(&mut self, view: &View<'_>, rows: usize, columns: usize) -> &HeatMap {
        let drawn = Drawn {
            window: self.window(view),
            size: (rows, columns),
            kind: self.kind,
            mode: self.mode,
            places: view.session.places().len(),
        };
        let cached = self.cache.take().filter(|c| c.0 == drawn);
        let (drawn, map) = match cached {
            Some((drawn, mut map)) => {
                map.follow(view.session);
                (drawn, map)
            }
            None => {
                let make = if self.before {
                    Session::heat_before
                } else {
                    Session::heat
                };
                let map = make(
                    view.session,
                    &drawn.window,
                    rows,
                    columns,
                    self.kind,
                    self.mode,
                );
                (drawn, map)
            }
        };
        &self.cache.insert((drawn, map)).1
    }

    /// The cells with levels, marks, cursor and selection.
    pub(super) fn grid(&mut self, view: &View<'_>, rows: usize, columns: usize) -> Grid {
        let (mode, seq) = (self.mode, view.session.seq());
        let window = self.window(view);
        let (a, b) = (self.anchor.unwrap_or(self.cursor), self.cursor);
        let parts = a.0.min(b.0)..=a.0.max(b.0);
        let bytes = (a.1.min(b.1), a.1.max(b.1));
        let row_chosen: Vec<bool> = (0..rows)
            .map(|r| window.row(rows, r).any(|p| parts.contains(&p)))
            .collect();
        let unit = self.kind.unwrap_or_default();
        let col_chosen: Vec<bool> = (0..columns)
            .map(|c| {
                let r = window.column(columns, c, unit);
                r.start <= bytes.1 && bytes.0 < r.end
            })
            .collect();
        let picture = &self.picture(view, rows, columns).cells;
        let raw: Vec<Option<f32>> = picture.iter().map(|c| raw_level(c, mode, seq)).collect();
        let scale = Scale::of(raw.iter().flatten().copied());
        let cells = picture
            .iter()
            .zip(&raw)
            .enumerate()
            .map(|(i, (c, raw))| Cell {
                level: raw.map(|v| scale.level(v)),
                category: category(c, mode),
                alert: alert(c, mode),
                touch: if c.just_written {
                    Touch::Write
                } else if c.just_read {
                    Touch::Read
                } else {
                    Touch::None
                },
                chosen: row_chosen.get(i / columns.max(1)) == Some(&true)
                    && col_chosen.get(i % columns.max(1)) == Some(&true),
            });
        let cells = cells.collect();
        self.range = (scale.bottom, scale.top);
        Grid { columns, cells }
    }

    /// What levels and letters mean.
    pub fn legend(&self, view: &View<'_>) -> Line {
        let letters = |items: &[(char, &str)]| {
            items.iter().fold(Line::default(), |l, (c, word)| {
                l.then(Tone::Key, format!("{c} "))
                    .then(Tone::Dim, format!("{word} "))
            })
        };
        match self.mode {
            HeatMode::Owner => Queue::ALL
                .into_iter()
                .filter(|q| view.session.machine().stream(*q).is_some())
                .fold(Line::default(), |l, q| {
                    l.then(Tone::Key, format!("{} ", owner_letter(q)))
                        .then(Tone::Dim, format!("{q} "))
                }),
            HeatMode::Special => letters(&[
                ('N', "NaN"),
                ('∞', "inf"),
                ('M', "max"),
                ('s', "subnormal"),
                ('0', "zero"),
                ('·', "other"),
            ]),
            HeatMode::Init => letters(&[
                ('█', "written"),
                ('░', "in part"),
                ('?', "read, never written"),
            ]),
            HeatMode::Place => {
                let places = view.session.places();
                (0u32..)
                    .zip(places.iter())
                    .take(8)
                    .fold(Line::default(), |l, (i, p)| {
                        l.then(Tone::Key, format!("{} ", place_letter(i)))
                            .then(Tone::Dim, format!("{} ", p.name))
                    })
            }
            HeatMode::Diff if view.session.compared().is_none() => {
                Line::toned(Tone::Warn, "`heat against SEQ` names what to compare with ")
            }
            _ if self.range.1 <= 0.0 => Line::default(),
            _ => {
                let (bottom, top) = self.range;
                let bottom = bottom.min(top);
                Line::toned(Tone::Dim, format!("{} … {} ", number(bottom), number(top)))
            }
        }
    }
}

/// A quantity in few characters.
fn number(v: f32) -> String {
    if v == v.trunc() && v < 1e6 {
        format!("{v}")
    } else if (1e-3..1e5).contains(&v) {
        format!("{v:.3}")
    } else {
        format!("{v:.1e}")
    }
}

/// What aggregation must not hide.
fn alert(c: &HeatCell, mode: HeatMode) -> Option<Alert> {
    match mode {
        HeatMode::Value | HeatMode::Special if c.nan => Some(Alert::Nan),
        HeatMode::Value | HeatMode::Special if c.inf => Some(Alert::Inf),
        HeatMode::Init if c.reads > 0 && c.unwritten == c.bytes => Some(Alert::Uninit),
        _ => None,
    }
}

/// The letter of a stream in mode owner.
fn owner_letter(queue: Queue) -> char {
    let name = queue.name();
    // POOL and PE begin alike.
    if name == "pool" {
        'G'
    } else {
        name.chars().next().unwrap_or('?').to_ascii_uppercase()
    }
}

/// The letter of a named place.
fn place_letter(number: u32) -> char {
    let letters = ('a'..='z').chain('A'..='Z');
    letters.cycle().nth(number as usize % 52).unwrap_or('?')
}

fn category(c: &HeatCell, mode: HeatMode) -> Option<Category> {
    let (colour, letter) = match mode {
        HeatMode::Owner => match (c.owner, c.written_at) {
            (Some(q), _) => (q.index() as u8, owner_letter(q)),
            (None, Some(_)) => (7, 'e'),
            (None, None) => return None,
        },
        HeatMode::Place => c.place.map(|p| (p as u8, place_letter(p)))?,
        HeatMode::Special if c.magnitude.is_none() => return None,
        HeatMode::Special if c.saturated => (0, 'M'),
        HeatMode::Special if c.subnormal => (1, 's'),
        HeatMode::Special if c.magnitude == Some(0.0) => (2, '0'),
        HeatMode::Special => (3, '·'),
        _ => return None,
    };
    Some(Category { colour, letter })
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
        HeatMode::Init => Some(if c.unwritten == 0 { 16.0 } else { 1.0 }),
        HeatMode::Diff => (c.changed > 0).then_some(c.changed as f32),
        HeatMode::Owner | HeatMode::Special | HeatMode::Place => None,
    }
}

/// A logarithmic scale between the smallest and the largest quantity shown; 0 is level 0.
struct Scale {
    bottom: f32,
    top: f32,
    /// Where level 1 is, and the logarithm of the whole.
    from: f32,
    span: f32,
}

impl Scale {
    fn of(values: impl Iterator<Item = f32>) -> Scale {
        let (mut bottom, mut top) = (f32::INFINITY, 0.0f32);
        for v in values.filter(|v| *v > 0.0) {
            (bottom, top) = (bottom.min(v), top.max(v));
        }
        // At most six decades are told apart, so that one tiny value does not flatten the rest.
        let from = bottom.max(top * 1e-6);
        let span = (top / from).ln();
        Scale {
            bottom,
            top,
            from,
            span,
        }
    }

    fn level(&self, v: f32) -> u8 {
        if v <= 0.0 || self.top <= 0.0 {
            return 0;
        }
        let t = if self.span > 0.0 {
            (v.max(self.from) / self.from).ln() / self.span
        } else {
            1.0
        };
        1 + (t * (LEVELS - 2) as f32).round() as u8
    }
}
