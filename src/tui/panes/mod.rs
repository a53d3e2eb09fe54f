//! The panes. Each draws from a [`View`] and turns keys into reactions; none can change the
//! machine.

pub mod bundles;
pub mod fields;
pub mod heat;
pub mod log;
pub mod state;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, BorderType};

use super::keymap::UiAction;
use crate::cmd::output::{Line, Tone};
use crate::isa::Queue;
use crate::paint::spans;
use crate::paint::theme::Theme;
use crate::session::{Place, Session};

/// What panes see.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The session, to look at.
    pub session: &'a Session,
    /// Colours.
    pub theme: Theme,
    /// The bundle selected in the listing.
    pub selected: (Queue, u64),
    /// Lines of the log, oldest first.
    pub log: &'a [Line],
}

/// What a pane made of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// Nothing: someone else may use it.
    Ignored,
    /// The pane changed what it shows.
    Used,
}

/// A pane of the screen.
pub trait Pane {
    /// The text on its frame.
    fn title(&self, view: &View<'_>) -> Line;
    /// Draws the inside.
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool);
    /// Handles a screen action that is aimed at the focused pane.
    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction;
    /// What its keys do, for the help of this pane: `(action, words)`.
    fn hints(&self) -> &'static [(UiAction, &'static str)];
    /// The place its cursor or selection stands for, if it shows memory.
    fn place(&self, _view: &View<'_>) -> Option<Place> {
        None
    }
    /// The text that `copy` takes.
    fn copied(&self, _view: &View<'_>) -> Option<String> {
        None
    }
    /// The machine moved: bring what matters into sight, only if it is out of sight.
    fn stopped(&mut self, _view: &View<'_>) {}
}

/// Draws a frame with a title and gives the area inside.
pub fn framed(
    frame: &mut Frame<'_>,
    area: Rect,
    title: &Line,
    view: &View<'_>,
    focused: bool,
) -> Rect {
    let border = if focused {
        spans::style(Tone::Key, view.theme).add_modifier(Modifier::BOLD)
    } else {
        Style::new().add_modifier(Modifier::DIM)
    };
    let block = Block::bordered()
        .border_type(if focused {
            BorderType::Thick
        } else {
            BorderType::Plain
        })
        .border_style(border)
        .title_top(spans::line(title, view.theme).style(Style::new()));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    inside
}
