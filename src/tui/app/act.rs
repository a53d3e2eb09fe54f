//! Screen actions and the placeholders of bound lines.

use super::{App, Mode, Wish};
use crate::cmd::output::{Line, Tone};
use crate::cmd::screen::Grow;
use crate::session::StopSpec;
use crate::tui::keymap::{Binding, UiAction};
use crate::tui::layout::PaneId;
use crate::tui::menu::Palette;
use crate::tui::panes::Reaction;

/// Cells that a key moves a border by.
const BORDER: u16 = 2;

impl App {
    pub(super) fn run_binding(&mut self, binding: &Binding) {
        match binding {
            Binding::Ui(action) => self.act(*action),
            Binding::Line(template) => match self.fill(template) {
                Ok(line) => self.run_line(&line),
                Err(missing) => self.warn(missing),
            },
        }
    }

    /// Fills the placeholders of a bound line; an error says what is missing.
    fn fill(&mut self, template: &str) -> Result<String, String> {
        let (cell, selection) = self.aims();
        let mut line = template.to_owned();
        if line.contains("{bundle}") {
            let (queue, index) = self.view().selected;
            line = line.replace("{bundle}", &format!("{}:{index}", queue.name()));
        }
        line = line.replace("{cell}", &cell.to_string());
        line = line.replace("{selection}", &selection.to_string());
        if line.contains("{writer}") {
            let seq = self.shell.writer_of(&cell);
            let seq = seq.ok_or_else(|| format!("no known bundle wrote {cell}"))?;
            line = line.replace("{writer}", &seq.to_string());
        }
        Ok(line)
    }

    pub(super) fn set_focus(&mut self, id: PaneId) {
        self.focus = id;
        if matches!(id, PaneId::Sbuf | PaneId::Psum) {
            self.memory = id;
        }
    }

    fn turn_focus(&mut self, back: bool) {
        // Zoomed or tiny screens show one pane: there the order of the numbers counts.
        let shown: Vec<PaneId> = match self.areas.panes.len() {
            0 | 1 => self.tree.panes(),
            _ => self.areas.panes.iter().map(|p| p.0).collect(),
        };
        let at = shown.iter().position(|p| *p == self.focus).unwrap_or(0);
        let step = if back {
            shown.len().saturating_sub(1)
        } else {
            1
        };
        if let Some(id) = shown.get((at + step) % shown.len().max(1)) {
            self.set_focus(*id);
        }
    }

    pub(super) fn act(&mut self, action: UiAction) {
        match action {
            UiAction::Escape if self.stop_walk() => {}
            UiAction::Quit => self.wishes.push(Wish::Quit),
            UiAction::Suspend => self.wishes.push(Wish::Suspend),
            UiAction::Redraw => self.wishes.push(Wish::Redraw),
            UiAction::Mouse => {
                self.mouse = !self.mouse;
                self.wishes.push(Wish::Mouse(self.mouse));
                let text = if self.mouse {
                    "mouse on; hold Shift to select text as usual"
                } else {
                    "mouse off"
                };
                self.note(Line::plain(text));
            }
            UiAction::Copy => {
                let text = self.with_pane(self.focus, |pane, view| pane.copied(view));
                match text {
                    Some(t) => {
                        self.note(Line::toned(Tone::Dim, format!("copied: {t}")));
                        self.wishes.push(Wish::Copy(t));
                    }
                    None => self.note(Line::toned(Tone::Dim, "nothing to copy here")),
                }
            }
            UiAction::Prompt => self.mode = Mode::Prompt,
            UiAction::Palette => {
                self.palette = Palette::new(&self.keymap);
                self.mode = Mode::Palette;
            }
            UiAction::Search => self.mode = Mode::Search,
            UiAction::SearchNext => self.search(),
            UiAction::Help => self.mode = Mode::Help,
            UiAction::Repeat => {
                if let Some(line) = self.last_line.clone() {
                    self.run_line(&line);
                }
            }
            UiAction::UntilHere => {
                let (queue, index) = self.view().selected;
                self.run_line(&format!("until ${}.pc == {index}", queue.name()));
            }
            UiAction::ToggleBreak => self.toggle_break(),
            UiAction::DiffHere => {
                let seq = self.shell.session().seq().saturating_sub(1);
                self.run_line(&format!("diff {seq}"));
            }
            UiAction::NextPane => self.turn_focus(false),
            UiAction::PreviousPane => self.turn_focus(true),
            UiAction::ZoomPane => self.zoomed = !self.zoomed,
            UiAction::ClosePane => self.close(self.focus),
            UiAction::Wider => self.grow(Grow::Wider, BORDER),
            UiAction::Narrower => self.grow(Grow::Narrower, BORDER),
            UiAction::Taller => self.grow(Grow::Taller, BORDER),
            UiAction::Shorter => self.grow(Grow::Shorter, BORDER),
            UiAction::Pane1 => self.focus_number(0),
            UiAction::Pane2 => self.focus_number(1),
            UiAction::Pane3 => self.focus_number(2),
            UiAction::Pane4 => self.focus_number(3),
            UiAction::Pane5 => self.focus_number(4),
            UiAction::Pane6 => self.focus_number(5),
            UiAction::Pane7 => self.focus_number(6),
            UiAction::Pane8 => self.focus_number(7),
            UiAction::Pane9 => self.focus_number(8),
            _ => self.pass(action),
        }
    }

    fn focus_number(&mut self, n: usize) {
        if let Some(id) = self.tree.panes().get(n) {
            self.set_focus(*id);
        }
    }

    /// Gives an action to the focused pane; memory actions reach the heatmap from anywhere, stream
    /// actions the listing.
    fn pass(&mut self, action: UiAction) {
        let first = self.with_pane(self.focus, |pane, view| pane.act(action, view));
        if self.react(first) {
            return;
        }
        let other = match action {
            UiAction::HeatMode
            | UiAction::HeatModeBack
            | UiAction::DType
            | UiAction::ZoomIn
            | UiAction::ZoomOut
            | UiAction::ZoomAll
            | UiAction::ZoomFit
            | UiAction::Select => self.memory_pane(),
            UiAction::NextStream | UiAction::PreviousStream | UiAction::Follow => PaneId::Bundles,
            _ => return,
        };
        let second = self.with_pane(other, |pane, view| pane.act(action, view));
        self.react(second);
    }

    /// Does what a pane made of something; false when nothing came of it.
    pub(super) fn react(&mut self, reaction: Reaction) -> bool {
        match reaction {
            Reaction::Ignored => return false,
            Reaction::Used => {}
            Reaction::Run(line) => self.run_line(&line),
        }
        true
    }

    pub(super) fn search(&mut self) {
        if self.needle.is_empty() {
            return;
        }
        let needle = self.needle.clone();
        let found = self.with_panes(|panes, view| panes.bundles.search(view.session, &needle));
        self.set_focus(PaneId::Bundles);
        if !found {
            self.warn(format!("no bundle of this stream contains {needle:?}"));
        }
    }

    fn toggle_break(&mut self) {
        let (queue, index) = self.view().selected;
        let here = self.shell.session().stops().iter().find(
            |b| matches!(b.spec, StopSpec::Pc { queue: q, index: i } if q == queue && i == index),
        );
        let line = match here {
            Some(b) => format!("delete {}", b.id),
            None => format!("break pc {}:{index}", queue.name()),
        };
        self.run_line(&line);
    }
}
