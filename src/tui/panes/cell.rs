//! The element under the heatmap cursor: its bytes read in every way, whose it is, who touched it.

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
use crate::session::Place;
use crate::tui::keymap::UiAction;

/// Ways to read the bytes, in the order shown.
const KINDS: &[Kind] = &[
    Kind::Fp32,
    Kind::Bf16,
    Kind::Fp16,
    Kind::Fp8E4,
    Kind::Fp8E5,
    Kind::Fp8E3,
    Kind::I32,
    Kind::U32,
    Kind::I16,
    Kind::U8,
    Kind::I8,
];

/// The pane; who touched the element is remembered until the moment changes.
#[derive(Debug, Default)]
pub struct CellPane {
    touched: Option<(Place, (u64, u64), Line)>,
}

impl CellPane {
    fn author(&mut self, cell: &Place, view: &View<'_>) -> Line {
        let moment = view.session.moment();
        if let Some((of, at, line)) = &self.touched
            && (of, *at) == (cell, moment)
        {
            return line.clone();
        }
        let last = view
            .session
            .who(cell, 1)
            .ok()
            .and_then(|t| t.list.into_iter().next());
        let line = match last {
            None => Line::toned(Tone::Key, "written  ").then(Tone::Dim, "by no known bundle"),
            Some(t) => {
                let line = Line::toned(Tone::Key, "written  ")
                    .then(Tone::Place, format!("seq {} ", t.seq));
                match t.queue {
                    Some(queue) => {
                        let mut line = line;
                        line.0.extend(show::bundle(view.session, queue, t.index).0);
                        line
                    }
                    None => line.then(Tone::Warn, "edit"),
                }
            }
        };
        self.touched = Some((*cell, moment, line.clone()));
        line
    }

    fn lines(&mut self, view: &View<'_>) -> Vec<Line> {
        let Some((cell, selection)) = view.aim else {
            return vec![Line::toned(Tone::Dim, "no element is under the cursor")];
        };
        let state = view.session.state();
        let mut lines =
            vec![Line::toned(Tone::Key, "place    ").then(Tone::Place, cell.to_string())];
        if cell.space == Space::Psum {
            let bank = cell.off / u64::from(BANK_BYTES);
            let within = cell.off % u64::from(BANK_BYTES);
            lines.push(
                Line::toned(Tone::Key, "bank     ")
                    .then(Tone::Place, format!("{bank} +{within:#x}")),
            );
        }
        for named in view
            .session
            .places()
            .iter()
            .filter(|p| p.place.clip(&cell.rect()).is_some())
        {
            let element = named.place.dtype.map_or(1, |k| k.bytes() as u64);
            let row = cell.part - named.place.part;
            let column = (cell.off - named.place.off) / element;
            lines.push(
                Line::toned(Tone::Key, "part of  ")
                    .then(Tone::Value, format!("{}[{row}, {column}]", named.name)),
            );
        }
        let len = 8.min(state.geometry().bytes(cell.space).saturating_sub(cell.off)) as u32;
        let bytes = state
            .bytes(cell.space, cell.part, cell.off, len)
            .unwrap_or(&[]);
        let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
        lines.push(Line::toned(Tone::Key, "bytes    ").then(Tone::Dim, hex.join(" ")));
        if state.unwritten(&cell.rect()) > 0 {
            lines.push(Line::toned(Tone::Warn, "never written"));
        } else {
            lines.push(self.author(&cell, view));
        }
        let mut line = Line::default();
        for (i, kind) in KINDS.iter().enumerate() {
            let Some(raw) = bytes.get(..kind.bytes()) else {
                continue;
            };
            line = line.then(Tone::Dim, format!("{:<8} ", kind.name())).then(
                Tone::Value,
                format!("{:<16}", num::show(*kind, show::bits(raw))),
            );
            if i % 2 == 1 {
                lines.push(std::mem::take(&mut line));
            }
        }
        if !line.0.is_empty() {
            lines.push(line);
        }
        if selection != cell {
            lines.push(Line::toned(Tone::Key, "selected ").then(
                Tone::Warn,
                format!("{selection}, {} bytes", selection.bytes()),
            ));
        }
        lines
    }
}

impl Pane for CellPane {
    fn title(&self, _view: &View<'_>) -> Line {
        Line::plain(" Cell ")
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, _focused: bool) {
        let lines = self.lines(view);
        frame.render_widget(
            Text::from_iter(lines.iter().map(|l| spans::line(l, view.theme))),
            area,
        );
    }

    fn act(&mut self, _action: UiAction, _view: &View<'_>) -> Reaction {
        Reaction::Ignored
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        view.aim.map(|(cell, _)| cell.to_string())
    }
}
