//! Breakpoints, and below them the stops so far, newest first: looking at one moves nothing, `open` goes there.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::scroll::Scroll;
use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::paint::spans;
use crate::tui::keymap::UiAction;

/// The pane.
#[derive(Debug, Default)]
pub struct StopsPane {
    scroll: Scroll,
}

/// What a row stands for.
enum Row {
    Break(u32, bool),
    Past(u64),
}

fn rows(view: &View<'_>) -> Vec<(Row, Line)> {
    let breaks = view.session.stops().iter().map(|b| {
        let (tone, sign) = if b.enabled {
            (Tone::Bad, "●")
        } else {
            (Tone::Dim, "○")
        };
        let mut line = Line::toned(tone, sign)
            .then(Tone::Place, format!(" #{:<3} ", b.id))
            .then(
                if b.enabled { Tone::Plain } else { Tone::Dim },
                b.text.clone(),
            );
        if let Some((_, text)) = &b.condition {
            line = line.then(Tone::Value, format!(" if {text}"));
        }
        let mut notes = format!("  {} hits", b.hits);
        for (on, text) in [
            (b.once, ", once".to_owned()),
            (b.log, ", log".to_owned()),
            (b.ignore > 0, format!(", ignores {}", b.ignore)),
        ] {
            if on {
                notes.push_str(&text);
            }
        }
        (Row::Break(b.id, b.enabled), line.then(Tone::Dim, notes))
    });
    let past = view.past.iter().rev().map(|p| {
        let here = p.seq == view.session.seq();
        let mut line = Line::toned(
            if here { Tone::Good } else { Tone::Dim },
            format!("{} seq {:<6} ", if here { "▸" } else { " " }, p.seq),
        );
        line.0.extend(p.text.0.iter().cloned());
        (Row::Past(p.seq), line)
    });
    breaks.chain(past).collect()
}

impl Pane for StopsPane {
    fn title(&self, view: &View<'_>) -> Line {
        let n = view.session.stops().iter().count();
        Line::plain(" Stops ").then(
            Tone::Dim,
            format!("{n} breakpoints, {} stops so far ", view.past.len()),
        )
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool) {
        let rows = rows(view);
        let shown = self.scroll.fit(rows.len(), area.height);
        let lines = shown.filter_map(|i| {
            let line = &rows.get(i)?.1;
            let chosen = focused && i == self.scroll.selected;
            Some(if chosen {
                spans::selected(line, true)
            } else {
                spans::line(line, view.theme)
            })
        });
        frame.render_widget(Text::from_iter(lines), area);
    }

    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction {
        let rows = rows(view);
        let line = match (action, rows.get(self.scroll.selected).map(|r| &r.0)) {
            (UiAction::Open, Some(Row::Past(seq))) => format!("goto {seq}"),
            (UiAction::Open | UiAction::Toggle, Some(Row::Break(id, on))) => {
                format!("{} {id}", if *on { "disable" } else { "enable" })
            }
            (UiAction::Remove, Some(Row::Break(id, _))) => format!("delete {id}"),
            _ => return self.scroll.act(action),
        };
        Reaction::Run(line)
    }

    fn click(&mut self, at: (u16, u16), _drag: bool, _view: &View<'_>) -> Reaction {
        self.scroll.show(self.scroll.at(at.1));
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Down, "next line"),
            (UiAction::Open, "go to the stop; breakpoint on or off"),
            (UiAction::Toggle, "breakpoint on or off"),
            (UiAction::Remove, "delete the breakpoint"),
        ]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        rows(view).get(self.scroll.selected).map(|r| r.1.text())
    }
}
