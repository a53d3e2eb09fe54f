//! A pane that shows the answer of a looking command, kept up to date.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::scroll::Scroll;
use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Output, Tone};
use crate::paint::spans;
use crate::session::Session;
use crate::tui::keymap::UiAction;

/// The pane.
pub struct Report {
    name: &'static str,
    answer: fn(&Session) -> Output,
    scroll: Scroll,
}

impl Report {
    /// A pane over an answer.
    pub fn new(name: &'static str, answer: fn(&Session) -> Output) -> Report {
        Report {
            name,
            answer,
            scroll: Scroll::default(),
        }
    }
}

impl Pane for Report {
    fn title(&self, _view: &View<'_>) -> Line {
        Line::plain(format!(" {} ", self.name))
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool) {
        let lines = (self.answer)(view.session).lines;
        let shown = self.scroll.fit(lines.len(), area.height);
        if lines.is_empty() {
            let none = Line::toned(Tone::Dim, "none");
            frame.render_widget(Text::from(spans::line(&none, view.theme)), area);
            return;
        }
        let rows = shown.filter_map(|i| {
            let line = lines.get(i)?;
            let chosen = focused && i == self.scroll.selected;
            Some(if chosen {
                spans::selected(line, true)
            } else {
                spans::line(line, view.theme)
            })
        });
        frame.render_widget(Text::from_iter(rows), area);
    }

    fn act(&mut self, action: UiAction, _view: &View<'_>) -> Reaction {
        self.scroll.act(action)
    }

    fn click(&mut self, at: (u16, u16), _drag: bool, _view: &View<'_>) -> Reaction {
        self.scroll.show(self.scroll.at(at.1));
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Down, "next line"),
            (UiAction::Up, "previous line"),
        ]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        let lines = (self.answer)(view.session).lines;
        lines.get(self.scroll.selected).map(Line::text)
    }
}
