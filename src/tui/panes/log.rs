//! Answers of commands, newest at the bottom.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::paint::spans;
use crate::tui::keymap::UiAction;

/// The log pane.
#[derive(Debug, Default)]
pub struct Log {
    /// Lines scrolled up from the end.
    back: usize,
    height: usize,
}

impl Log {
    /// Shows the end again.
    pub fn show_end(&mut self) {
        self.back = 0;
    }
}

impl Pane for Log {
    fn title(&self, _view: &View<'_>) -> Line {
        let more = match self.back {
            0 => String::new(),
            n => format!("↓{n} "),
        };
        Line::plain(" Log ").then(Tone::Warn, more)
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, _focused: bool) {
        self.height = usize::from(area.height);
        self.back = self.back.min(view.log.len().saturating_sub(self.height));
        let end = view.log.len() - self.back.min(view.log.len());
        let start = end.saturating_sub(self.height);
        let lines = view.log.get(start..end).unwrap_or(&[]);
        frame.render_widget(
            Text::from_iter(lines.iter().map(|l| spans::line(l, view.theme))),
            area,
        );
    }

    fn act(&mut self, action: UiAction, _view: &View<'_>) -> Reaction {
        let page = self.height.saturating_sub(1).max(1);
        match action {
            UiAction::Up => self.back += 1,
            UiAction::Down => self.back = self.back.saturating_sub(1),
            UiAction::PageUp => self.back += page,
            UiAction::PageDown => self.back = self.back.saturating_sub(page),
            UiAction::Home => self.back = usize::MAX / 2,
            UiAction::End | UiAction::Follow => self.back = 0,
            _ => return Reaction::Ignored,
        }
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Up, "older lines"),
            (UiAction::Down, "newer lines"),
            (UiAction::End, "newest line"),
        ]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        let at = view.log.len().checked_sub(1 + self.back)?;
        view.log.get(at).map(Line::text)
    }
}
