//! Events: keys, pasted text, the mouse.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::{App, Mode};
use crate::tui::keymap::{Key, Match, UiAction};
use crate::tui::menu::{Completions, Does};
use crate::tui::panes;
use crate::tui::prompt::Edit;

impl App {
    /// Handles a terminal event; true when something may look different.
    pub fn handle(&mut self, event: &Event) -> bool {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Paste(text) => self.paste(text),
            Event::Mouse(mouse) => self.on_mouse(*mouse),
            Event::Resize(..) => true,
            _ => false,
        }
    }

    fn key(&mut self, event: &KeyEvent) -> bool {
        self.answer = None;
        let stops = |k: Key| matches!(k.to_string().as_str(), "Esc" | "C-c");
        if self.is_running() && Key::of(event).is_some_and(stops) {
            self.interrupt();
            return true;
        }
        match self.mode {
            Mode::Help => self.mode = Mode::Keys,
            Mode::Prompt | Mode::Search => self.prompt_key(event),
            Mode::Palette => self.palette_key(event),
            Mode::Keys => {
                let Some(key) = Key::of(event) else {
                    return false;
                };
                self.pending.push(key);
                match self.keymap.find(&self.pending) {
                    Match::Prefix => {}
                    Match::Nothing => self.pending.clear(),
                    Match::Bound(binding) => {
                        self.pending.clear();
                        self.run_binding(&binding);
                    }
                }
            }
        }
        true
    }

    fn prompt_key(&mut self, event: &KeyEvent) {
        let edit = self.prompt.key(event);
        if !matches!(edit, Edit::Complete(_)) {
            self.completions = Completions::default();
        }
        match (edit, self.mode) {
            (Edit::Submit(line), Mode::Search) => {
                self.mode = Mode::Keys;
                if !line.is_empty() {
                    self.needle = line;
                }
                self.search();
            }
            (Edit::Submit(line), _) => {
                self.mode = Mode::Keys;
                self.run_line(&line);
            }
            (Edit::Cancel, _) => {
                self.prompt.set("");
                self.mode = Mode::Keys;
            }
            (Edit::Complete(back), Mode::Prompt) => self.complete(back),
            _ => {}
        }
    }

    fn palette_key(&mut self, event: &KeyEvent) {
        match event.code {
            KeyCode::Up => self.palette.step(-1),
            KeyCode::Down | KeyCode::Tab => self.palette.step(1),
            KeyCode::PageUp => self.palette.step(-10),
            KeyCode::PageDown => self.palette.step(10),
            KeyCode::Enter => {
                self.mode = Mode::Keys;
                let does = self.palette.entry().map(|e| e.does.clone());
                match does {
                    Some(Does::Run(binding)) => self.run_binding(&binding),
                    Some(Does::Type(text)) => {
                        self.prompt.set(text);
                        self.mode = Mode::Prompt;
                    }
                    None => {}
                }
            }
            _ => match self.palette.input.key(event) {
                Edit::Cancel => self.mode = Mode::Keys,
                Edit::Changed => self.palette.search(),
                _ => {}
            },
        }
    }

    /// Completes what all candidates share and shows them when there are several; again, it goes through them.
    fn complete(&mut self, back: bool) {
        if !self.completions.list.is_empty() {
            let at = self.completions.at;
            if let Some(text) = self.completions.turn(back) {
                self.prompt.complete(at, text);
            }
            return;
        }
        let found = self
            .shell
            .complete(self.prompt.text(), self.prompt.cursor());
        let texts: Vec<&str> = found.candidates.iter().map(|c| c.text.as_str()).collect();
        let Some(first) = texts.first() else { return };
        let mut shared = texts.iter().fold(first.len(), |n, t| {
            let same = first
                .bytes()
                .zip(t.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            n.min(same)
        });
        while !first.is_char_boundary(shared) {
            shared -= 1;
        }
        let mut insert = first.get(..shared).unwrap_or("").to_owned();
        if texts.len() == 1 && !insert.ends_with('/') {
            insert.push(' ');
        }
        self.prompt.complete(found.at, &insert);
        if found.candidates.len() > 1 {
            let pairs = found.candidates.into_iter().map(|c| (c.text, c.note));
            self.completions = Completions {
                list: pairs.collect(),
                chosen: None,
                at: found.at,
            };
        }
    }

    fn paste(&mut self, text: &str) -> bool {
        let mut lines: Vec<&str> = text.lines().collect();
        // Complete lines are executed, the rest stays in the prompt.
        let rest = if text.ends_with('\n') {
            None
        } else {
            lines.pop()
        };
        for line in lines {
            self.run_line(line);
        }
        if let Some(rest) = rest {
            if self.mode == Mode::Palette {
                self.palette.input.insert(rest);
                self.palette.search();
                return true;
            }
            self.mode = Mode::Prompt;
            self.prompt.insert(rest);
        }
        true
    }

    fn on_mouse(&mut self, event: MouseEvent) -> bool {
        let at = Position::new(event.column, event.row);
        let Some((id, area)) = self.areas.panes.iter().find(|p| p.1.contains(at)).copied() else {
            return false;
        };
        let inside = panes::inside(area);
        let drag = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => false,
            MouseEventKind::Drag(MouseButton::Left) if id == self.focus => true,
            MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
                let down = event.kind == MouseEventKind::ScrollDown;
                let action = if down { UiAction::Down } else { UiAction::Up };
                let reaction = self.with_pane(id, |pane, view| pane.act(action, view));
                return self.react(reaction);
            }
            _ => return false,
        };
        self.set_focus(id);
        if inside.contains(at) {
            let at = (at.x - inside.x, at.y - inside.y);
            let reaction = self.with_pane(id, |pane, view| pane.click(at, drag, view));
            self.react(reaction);
        }
        true
    }
}
