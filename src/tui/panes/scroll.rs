//! A list with a selected row that stays where the person put it.

use std::ops::Range;

use super::Reaction;
use crate::tui::keymap::UiAction;

/// Selected row and first visible row of a list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scroll {
    /// The selected row.
    pub selected: usize,
    top: usize,
    len: usize,
    height: usize,
}

impl Scroll {
    /// Takes note of the size of the list and of the pane; gives the visible rows.
    pub fn fit(&mut self, len: usize, height: u16) -> Range<usize> {
        (self.len, self.height) = (len, usize::from(height));
        self.selected = self.selected.min(len.saturating_sub(1));
        self.top = self.top.min(len.saturating_sub(self.height));
        self.show(self.selected);
        self.top..(self.top + self.height).min(len)
    }

    /// Selects a row and brings it into sight by the least move.
    pub fn show(&mut self, row: usize) {
        self.selected = row.min(self.len.saturating_sub(1));
        if self.selected < self.top {
            self.top = self.selected;
        } else if self.selected >= self.top + self.height.max(1) {
            self.top = self.selected + 1 - self.height.max(1);
        }
    }

    /// The row at a line of the pane.
    pub fn at(&self, line: u16) -> usize {
        self.top + usize::from(line)
    }

    /// Takes note of the size of the list between two drawings.
    pub fn grown(&mut self, len: usize) {
        self.len = len;
    }

    /// Moves the selection.
    pub fn act(&mut self, action: UiAction) -> Reaction {
        let page = self.height.saturating_sub(1).max(1);
        let to = match action {
            UiAction::Up => self.selected.saturating_sub(1),
            UiAction::Down => self.selected.saturating_add(1),
            UiAction::PageUp => self.selected.saturating_sub(page),
            UiAction::PageDown => self.selected.saturating_add(page),
            UiAction::Home => 0,
            UiAction::End => usize::MAX,
            _ => return Reaction::Ignored,
        };
        self.show(to);
        Reaction::Used
    }
}
