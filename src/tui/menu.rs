//! Lists that are chosen from: the completions of the prompt, and the palette of everything there is.

use super::fuzzy;
use super::keymap::{ACTIONS, Binding, Keymap};
use super::prompt::Prompt;
use crate::cmd::commands;
use crate::cmd::screen::{LAYOUTS, PaneId};
use crate::cmd::spec::Form;
use crate::session::HeatMode;

/// Completions of the word at the cursor.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Texts and words on them.
    pub list: Vec<(String, String)>,
    /// The one that stands in the prompt.
    pub chosen: Option<usize>,
    /// Where they begin in the line.
    pub at: usize,
}

impl Completions {
    /// Chooses the next one, or the one before; gives its text.
    pub fn turn(&mut self, back: bool) -> Option<&str> {
        let n = self.list.len();
        let next = match (self.chosen, back) {
            (None, false) => 0,
            (None, true) => n.saturating_sub(1),
            (Some(i), false) => (i + 1) % n.max(1),
            (Some(i), true) => (i + n.saturating_sub(1)) % n.max(1),
        };
        self.chosen = Some(next);
        self.list.get(next).map(|c| c.0.as_str())
    }
}

/// What an entry of the palette does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Does {
    /// It runs.
    Run(Binding),
    /// It goes to the prompt, where arguments are missing.
    Type(String),
}

/// An entry of the palette.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What is searched first.
    pub name: String,
    /// One line on it; searched too.
    pub doc: String,
    /// Keys that do the same.
    pub keys: String,
    /// What it does.
    pub does: Does,
}

/// Everything that can be done, found by a few letters.
#[derive(Debug, Default)]
pub struct Palette {
    /// What is typed.
    pub input: Prompt,
    entries: Vec<Entry>,
    /// Numbers of the entries that fit, best first.
    found: Vec<usize>,
    /// Row of the chosen one.
    pub chosen: usize,
}

impl Palette {
    /// All commands, screen actions, panes, layouts and heat modes.
    pub fn new(keymap: &Keymap) -> Palette {
        let keys = |b: &Binding| keymap.keys_of(b).join(" or ");
        let mut entries = Vec::new();
        for c in commands() {
            let needs = !c.forms.iter().any(|f| {
                f.iter()
                    .all(|a| !matches!(a.form, Form::Required | Form::Rest | Form::Literal(_)))
            });
            let line = Binding::Line(c.name().to_owned());
            entries.push(Entry {
                name: c.name().to_owned(),
                doc: c.summary.to_owned(),
                keys: keys(&line),
                does: if needs {
                    Does::Type(format!("{} ", c.name()))
                } else {
                    Does::Run(line)
                },
            });
        }
        for (name, action, doc) in ACTIONS {
            let binding = Binding::Ui(*action);
            entries.push(Entry {
                name: (*name).to_owned(),
                doc: (*doc).to_owned(),
                keys: keys(&binding),
                does: Does::Run(binding),
            });
        }
        let panes = PaneId::ALL
            .iter()
            .map(|p| (format!("layout open {}", p.name()), p.doc()));
        let layouts = LAYOUTS
            .iter()
            .map(|l| (format!("layout {l}"), "arrange the panes"));
        let modes = HeatMode::NAMES
            .iter()
            .map(|m| (format!("heat mode {m}"), "what the heatmaps show"));
        for (line, doc) in panes.chain(layouts).chain(modes) {
            let binding = Binding::Line(line.clone());
            entries.push(Entry {
                name: line,
                doc: doc.to_owned(),
                keys: keys(&binding),
                does: Does::Run(binding),
            });
        }
        let mut palette = Palette {
            entries,
            ..Palette::default()
        };
        palette.search();
        palette
    }

    /// Looks for what is typed now.
    pub fn search(&mut self) {
        let query = self.input.text();
        let score = |e: &Entry| {
            let name = fuzzy::score(query, &e.name).map(|s| 2 * s);
            // The description counts, but less than the name.
            name.max(fuzzy::score(query, &e.doc).map(|s| s - 40))
        };
        let mut found: Vec<(i32, usize)> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(i, e)| Some((-score(e)?, i)))
            .collect();
        if !query.trim().is_empty() {
            found.sort_unstable();
        }
        self.found = found.into_iter().map(|f| f.1).collect();
        self.chosen = 0;
    }

    /// The entries that fit, best first.
    pub fn found(&self) -> impl Iterator<Item = &Entry> {
        self.found.iter().filter_map(|i| self.entries.get(*i))
    }

    /// Moves the choice.
    pub fn step(&mut self, by: isize) {
        let last = self.found.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// The chosen entry.
    pub fn entry(&self) -> Option<&Entry> {
        self.found().nth(self.chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_commands_actions_panes_and_modes() {
        let mut p = Palette::new(&Keymap::load(None).unwrap());
        for (query, name) in [
            ("revcont", "reverse-continue"),
            ("open tile", "layout open tile"),
            ("zoompane", "zoom-pane"),
            ("heat own", "heat mode owner"),
            ("watch", "watch"),
        ] {
            p.input.set(query);
            p.search();
            assert_eq!(p.entry().unwrap().name, name, "{query}");
        }
        // Words of the description find it too.
        p.input.set("whole screen again");
        p.search();
        assert_eq!(p.entry().unwrap().name, "redraw");
        p.input.set("qqqqqq");
        p.search();
        assert_eq!(p.entry(), None);
        p.step(5);
        assert_eq!(p.chosen, 0);
    }

    #[test]
    fn commands_without_arguments_run_others_are_typed() {
        let p = Palette::new(&Keymap::load(None).unwrap());
        let of = |name: &str| p.entries.iter().find(|e| e.name == name).unwrap();
        assert_eq!(
            of("continue").does,
            Does::Run(Binding::Line("continue".into()))
        );
        assert!(of("continue").keys.contains("F5"));
        assert_eq!(of("goto").does, Does::Type("goto ".into()));
    }

    #[test]
    fn completions_turn_round() {
        let list = ["a", "b"].map(|t| (t.to_owned(), String::new())).to_vec();
        let mut c = Completions {
            list,
            ..Completions::default()
        };
        let seen: Vec<String> = [false, false, false, true]
            .map(|b| c.turn(b).unwrap().to_owned())
            .to_vec();
        assert_eq!(seen, ["a", "b", "a", "b"]);
        assert_eq!(Completions::default().turn(false), None);
    }
}
