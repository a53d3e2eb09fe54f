//! The command prompt: a line editor with history. Completion comes from the command floor.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key did to the prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// The line changed, or the cursor moved.
    Changed,
    /// Enter: this line is to be executed.
    Submit(String),
    /// The prompt was left.
    Cancel,
    /// Tab: complete at the cursor; true: Shift-Tab, backwards.
    Complete(bool),
    /// Nothing.
    Ignored,
}

/// A line being typed.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    text: String,
    /// Byte offset of the cursor, always on a character boundary.
    cursor: usize,
    history: Vec<String>,
    /// Position in the history while browsing; the end is the line being typed.
    browsing: Option<(usize, String)>,
    /// What is searched in the history, the line found, and the line that was there before.
    searching: Option<Search>,
}

#[derive(Clone, Debug)]
struct Search {
    query: String,
    /// Number of the line in the history; its length when none fits.
    at: usize,
    before: String,
}

/// Lines kept.
const HISTORY: usize = 1000;

impl Prompt {
    /// The line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Replaces the line; the cursor goes to its end.
    pub fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.cursor = self.text.len();
        self.browsing = None;
    }

    /// Replaces bytes `from..cursor` by a completion.
    pub fn complete(&mut self, from: usize, text: &str) {
        let from = from.min(self.cursor);
        if self.text.is_char_boundary(from) {
            self.text.replace_range(from..self.cursor, text);
            self.cursor = from + text.len();
        }
    }

    /// Inserts pasted or typed text; line breaks become spaces.
    pub fn insert(&mut self, text: &str) {
        let clean: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        self.text.insert_str(self.cursor, &clean);
        self.cursor += clean.len();
    }

    /// What is searched in the history.
    pub fn searched(&self) -> Option<&str> {
        self.searching.as_ref().map(|s| s.query.as_str())
    }

    /// Looks for the newest line before `limit` with the query in it.
    fn search(&mut self, query: String, limit: usize) {
        let fits = |l: &&String| l.contains(&query);
        let found = self
            .history
            .iter()
            .take(limit)
            .enumerate()
            .rev()
            .find(|(_, l)| fits(l));
        let before = self
            .searching
            .take()
            .map_or_else(|| self.text.clone(), |s| s.before);
        let (at, line) = match found {
            Some((at, line)) => (at, line.clone()),
            None => (self.history.len(), String::new()),
        };
        self.text = line;
        self.cursor = self.text.len();
        self.searching = Some(Search { query, at, before });
    }

    /// A key while the history is searched; false: it ends the search and means what it always does.
    fn search_key(&mut self, key: &KeyEvent) -> bool {
        let Some(Search { query, at, before }) = self.searching.clone() else {
            return false;
        };
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let mut query = query;
        match key.code {
            KeyCode::Char('r') if ctrl => self.search(query, at),
            KeyCode::Char(c) if !ctrl => {
                query.push(c);
                self.search(query, self.history.len());
            }
            KeyCode::Backspace => {
                query.pop();
                self.search(query, self.history.len());
            }
            KeyCode::Esc => {
                self.searching = None;
                self.set(before);
            }
            _ => {
                self.searching = None;
                return false;
            }
        }
        true
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Edit {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        if self.search_key(key) {
            return Edit::Changed;
        }
        match key.code {
            KeyCode::Enter => {
                let line = std::mem::take(&mut self.text);
                self.cursor = 0;
                self.browsing = None;
                if !line.trim().is_empty() && self.history.last() != Some(&line) {
                    self.history.push(line.clone());
                    if self.history.len() > HISTORY {
                        self.history.remove(0);
                    }
                }
                return Edit::Submit(line);
            }
            KeyCode::Esc => return Edit::Cancel,
            KeyCode::Char('c') if ctrl => return Edit::Cancel,
            KeyCode::Tab => return Edit::Complete(false),
            KeyCode::BackTab => return Edit::Complete(true),
            KeyCode::Backspace if self.text.is_empty() => return Edit::Cancel,
            KeyCode::Backspace => {
                let to = self.cursor;
                self.cursor = self.left();
                self.text.replace_range(self.cursor..to, "");
            }
            KeyCode::Delete => {
                let to = self.right();
                self.text.replace_range(self.cursor..to, "");
            }
            KeyCode::Char('w') if ctrl => {
                let head = self.text.get(..self.cursor).unwrap_or("").trim_end();
                let from = head.rfind(char::is_whitespace).map_or(0, |i| i + 1);
                self.text.replace_range(from..self.cursor, "");
                self.cursor = from;
            }
            KeyCode::Char('u') if ctrl => {
                self.text.replace_range(..self.cursor, "");
                self.cursor = 0;
            }
            KeyCode::Char('r') if ctrl => self.search(String::new(), self.history.len()),
            KeyCode::Char('k') if ctrl => self.text.truncate(self.cursor),
            KeyCode::Char('a') if ctrl => self.cursor = 0,
            KeyCode::Char('e') if ctrl => self.cursor = self.text.len(),
            KeyCode::Left => self.cursor = self.left(),
            KeyCode::Right => self.cursor = self.right(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Up => self.browse(-1),
            KeyCode::Down => self.browse(1),
            KeyCode::Char(c) if !ctrl && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            _ => return Edit::Ignored,
        }
        Edit::Changed
    }

    fn left(&self) -> usize {
        let head = self.text.get(..self.cursor).unwrap_or("");
        head.char_indices().next_back().map_or(0, |(i, _)| i)
    }

    fn right(&self) -> usize {
        let tail = self.text.get(self.cursor..).unwrap_or("");
        self.cursor + tail.chars().next().map_or(0, char::len_utf8)
    }

    fn browse(&mut self, by: isize) {
        let (at, typed) = self
            .browsing
            .take()
            .unwrap_or_else(|| (self.history.len(), self.text.clone()));
        let at = at.saturating_add_signed(by).min(self.history.len());
        self.text = self.history.get(at).unwrap_or(&typed).clone();
        self.cursor = self.text.len();
        self.browsing = Some((at, typed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn press(p: &mut Prompt, code: KeyCode) -> Edit {
        p.key(&KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn typed(p: &mut Prompt, text: &str) {
        for c in text.chars() {
            press(p, KeyCode::Char(c));
        }
    }

    #[test]
    fn history_keeps_the_line_being_typed() {
        let mut p = Prompt::default();
        for line in ["step", "continue"] {
            typed(&mut p, line);
            assert_eq!(press(&mut p, KeyCode::Enter), Edit::Submit(line.into()));
        }
        typed(&mut p, "wa");
        press(&mut p, KeyCode::Up);
        press(&mut p, KeyCode::Up);
        press(&mut p, KeyCode::Up);
        assert_eq!(p.text(), "step");
        for _ in 0..3 {
            press(&mut p, KeyCode::Down);
        }
        assert_eq!(p.text(), "wa");
    }

    #[test]
    fn history_is_searched_backwards() {
        let mut p = Prompt::default();
        for line in ["watch x", "step 3", "watch y", "continue"] {
            typed(&mut p, line);
            press(&mut p, KeyCode::Enter);
        }
        let again = KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL);
        typed(&mut p, "half");
        p.key(&again);
        typed(&mut p, "wat");
        assert_eq!((p.text(), p.searched()), ("watch y", Some("wat")));
        p.key(&again);
        assert_eq!(p.text(), "watch x");
        p.key(&again);
        assert_eq!(p.text(), "");
        press(&mut p, KeyCode::Esc);
        assert_eq!((p.text(), p.searched()), ("half", None));
        p.key(&again);
        typed(&mut p, "st");
        assert_eq!(press(&mut p, KeyCode::Enter), Edit::Submit("step 3".into()));
        assert_eq!(p.searched(), None);
    }

    proptest! {
        #[test]
        fn any_keys_leave_the_cursor_on_a_boundary(keys in prop::collection::vec((0u8..16, any::<char>(), any::<bool>()), 0..60)) {
            let mut p = Prompt::default();
            for (k, c, ctrl) in keys {
                let code = match k {
                    0 => KeyCode::Backspace, 1 => KeyCode::Delete, 2 => KeyCode::Left, 3 => KeyCode::Right,
                    4 => KeyCode::Home, 5 => KeyCode::End, 6 => KeyCode::Up, 7 => KeyCode::Down, 8 => KeyCode::Enter,
                    9 => KeyCode::Char('w'), 10 => KeyCode::Char('u'), 11 => KeyCode::Char('k'), 12 => KeyCode::Char('r'),
                    _ => KeyCode::Char(c),
                };
                let m = if ctrl { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
                p.key(&KeyEvent::new(code, m));
                prop_assert!(p.text().is_char_boundary(p.cursor()));
            }
        }
    }
}
