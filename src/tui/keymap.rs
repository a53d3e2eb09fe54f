//! Keys as data: the default map and a user's map merged over it.

use std::collections::BTreeMap;
use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde::Deserialize;
use thiserror::Error;

/// The map shipped with the program.
pub const DEFAULT: &str = include_str!("../../assets/keymap.toml");

/// One key press.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    code: Code,
    ctrl: bool,
    alt: bool,
    shift: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Code {
    Char(char),
    F(u8),
    Named(&'static str),
}

const NAMED: &[(&str, KeyCode)] = &[
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("BackTab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
];

impl Key {
    /// The key of a terminal event; `None` for keys that cannot be bound.
    pub fn of(event: &KeyEvent) -> Option<Key> {
        let named = NAMED
            .iter()
            .find(|n| n.1 == event.code)
            .map(|n| Code::Named(n.0));
        let code = match event.code {
            _ if named.is_some() => named?,
            KeyCode::Char(c) => Code::Char(c),
            KeyCode::F(n) => Code::F(n),
            _ => return None,
        };
        let has = |m| event.modifiers.contains(m);
        Some(Key {
            code,
            ctrl: has(KeyModifiers::CONTROL),
            alt: has(KeyModifiers::ALT),
            // A shifted letter already arrives as its capital; terminals differ on the flag.
            shift: has(KeyModifiers::SHIFT)
                && !matches!(code, Code::Char(_) | Code::Named("BackTab")),
        })
    }

    /// Reads one key of the notation of the keymap file.
    pub fn parse(text: &str) -> Option<Key> {
        let mut key = Key {
            code: Code::Char(' '),
            ctrl: false,
            alt: false,
            shift: false,
        };
        let mut rest = text;
        loop {
            let (flag, tail) = match rest.get(..2) {
                Some("C-") => (&mut key.ctrl, rest.get(2..)),
                Some("A-") => (&mut key.alt, rest.get(2..)),
                Some("S-") => (&mut key.shift, rest.get(2..)),
                _ => break,
            };
            match tail {
                Some(t) if !t.is_empty() => {
                    *flag = true;
                    rest = t;
                }
                _ => break,
            }
        }
        let mut chars = rest.chars();
        key.code = match (chars.next(), chars.next()) {
            (Some(c), None) => Code::Char(c),
            _ => match NAMED.iter().find(|n| n.0 == rest) {
                Some(n) => Code::Named(n.0),
                None => Code::F(
                    rest.strip_prefix('F')?
                        .parse()
                        .ok()
                        .filter(|n| (1..=24).contains(n))?,
                ),
            },
        };
        Some(key)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (on, text) in [(self.ctrl, "C-"), (self.alt, "A-"), (self.shift, "S-")] {
            if on {
                f.write_str(text)?;
            }
        }
        match self.code {
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "F{n}"),
            Code::Named(n) => f.write_str(n),
        }
    }
}

macro_rules! actions {
    ($($id:ident $name:literal $doc:literal;)*) => {
        /// What a key does to the screen.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum UiAction { $(#[doc = $doc] $id),* }

        /// Names and descriptions of all screen actions.
        pub const ACTIONS: &[(&str, UiAction, &str)] = &[$(($name, UiAction::$id, $doc)),*];
    };
}

actions! {
    UntilHere "until-here" "run until the selected bundle is next";
    Repeat "repeat" "run the last command again";
    ToggleBreak "toggle-break" "set or delete a breakpoint at the selected bundle";
    DiffHere "diff-here" "compare memory with the moment before the last stop";
    HeatMode "heat-mode" "next heatmap mode";
    HeatModeBack "heat-mode-back" "previous heatmap mode";
    DType "dtype" "next data type of the view";
    Left "left" "move left";
    Right "right" "move right";
    Up "up" "move up";
    Down "down" "move down";
    PageUp "page-up" "move up a page";
    PageDown "page-down" "move down a page";
    Home "home" "move to the start";
    End "end" "move to the end";
    Select "select" "begin or end selecting a rectangle";
    ZoomIn "zoom-in" "show less memory, larger";
    ZoomOut "zoom-out" "show more memory, smaller";
    NextPane "next-pane" "focus the next pane";
    PreviousPane "previous-pane" "focus the previous pane";
    ZoomAll "zoom-all" "show all of the memory";
    ZoomFit "zoom-fit" "show what the program has touched";
    Open "open" "go to what is selected";
    Toggle "toggle" "turn the selected breakpoint on or off";
    Remove "remove" "delete the selected breakpoint";
    ClosePane "close-pane" "take the pane away";
    Wider "wider" "make the pane wider";
    Narrower "narrower" "make the pane narrower";
    Taller "taller" "make the pane taller";
    Shorter "shorter" "make the pane shorter";
    ZoomPane "zoom-pane" "give the pane the whole screen, and back";
    Pane1 "pane-1" "focus pane 1";
    Pane2 "pane-2" "focus pane 2";
    Pane3 "pane-3" "focus pane 3";
    Pane4 "pane-4" "focus pane 4";
    Pane5 "pane-5" "focus pane 5";
    Pane6 "pane-6" "focus pane 6";
    Pane7 "pane-7" "focus pane 7";
    Pane8 "pane-8" "focus pane 8";
    Pane9 "pane-9" "focus pane 9";
    Palette "palette" "find a command or an action by a few letters";
    Prompt "prompt" "type a command";
    Search "search" "search the listing";
    SearchNext "search-next" "next match";
    Help "help" "keys of this pane";
    Mouse "mouse" "mouse on or off";
    Copy "copy" "copy the selected line or cell to the clipboard";
    Follow "follow" "bring the next bundle back into view";
    NextStream "next-stream" "show the next engine's stream";
    PreviousStream "previous-stream" "show the previous engine's stream";
    Escape "escape" "stop the run, leave the prompt, drop the selection";
    Redraw "redraw" "draw the whole screen again";
    Suspend "suspend" "stop the program, back to the shell";
    Quit "quit" "leave";
}

/// What a key sequence is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binding {
    /// A command line with placeholders.
    Line(String),
    /// A screen action.
    Ui(UiAction),
}

/// Why a keymap file is refused.
#[derive(Debug, Error)]
pub enum KeymapError {
    /// Not TOML, or of another shape.
    #[error("keymap: {0}")]
    Toml(#[from] toml::de::Error),
    /// An unknown key name.
    #[error("keymap: {sequence:?} holds no key I know at {found:?}")]
    Key {
        /// The sequence as written.
        sequence: String,
        /// Its unknown part.
        found: String,
    },
    /// An unknown screen action.
    #[error("keymap: {sequence:?} names the unknown action {found:?}")]
    Action {
        /// The sequence as written.
        sequence: String,
        /// The name.
        found: String,
    },
    /// Two spellings of one sequence in one file.
    #[error("keymap: {first:?} and {second:?} are the same keys")]
    Duplicate {
        /// The first spelling.
        first: String,
        /// The second one.
        second: String,
    },
    /// A sequence that another one begins with can never be typed.
    #[error("keymap: {short:?} hides {long:?}")]
    Hidden {
        /// The shorter sequence.
        short: String,
        /// The longer one.
        long: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    keys: BTreeMap<String, String>,
}

/// All bindings.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    bindings: BTreeMap<Vec<Key>, Binding>,
}

/// What a sequence typed so far means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Match {
    /// It is bound.
    Bound(Binding),
    /// Longer sequences begin so.
    Prefix,
    /// Nothing begins so.
    Nothing,
}

impl Keymap {
    /// Reads the default map and merges a user's map over it; a user binds a key to "" to free it.
    ///
    /// # Errors
    /// [`KeymapError`] names the entry at fault.
    pub fn load(user: Option<&str>) -> Result<Keymap, KeymapError> {
        let mut map = Keymap::default();
        map.merge(DEFAULT)?;
        if let Some(text) = user {
            map.merge(text)?;
        }
        map.check()?;
        Ok(map)
    }

    fn merge(&mut self, text: &str) -> Result<(), KeymapError> {
        let file: File = toml::from_str(text)?;
        let mut spelled: BTreeMap<Vec<Key>, String> = BTreeMap::new();
        for (sequence, target) in file.keys {
            let mut keys = Vec::new();
            for part in sequence.split(' ') {
                keys.push(Key::parse(part).ok_or_else(|| KeymapError::Key {
                    sequence: sequence.clone(),
                    found: part.to_owned(),
                })?);
            }
            if let Some(first) = spelled.insert(keys.clone(), sequence.clone()) {
                let second = sequence;
                return Err(KeymapError::Duplicate { first, second });
            }
            let binding = match target.strip_prefix('@') {
                None if target.is_empty() => {
                    self.bindings.remove(&keys);
                    continue;
                }
                None => Binding::Line(target),
                Some(name) => {
                    let action = ACTIONS.iter().find(|a| a.0 == name);
                    Binding::Ui(action.map(|a| a.1).ok_or_else(|| KeymapError::Action {
                        sequence: sequence.clone(),
                        found: name.to_owned(),
                    })?)
                }
            };
            self.bindings.insert(keys, binding);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), KeymapError> {
        let all: Vec<&Vec<Key>> = self.bindings.keys().collect();
        for pair in all.windows(2) {
            // Sequences are sorted, so a prefix stands right before what it hides.
            if let [a, b] = pair
                && b.starts_with(a)
            {
                return Err(KeymapError::Hidden {
                    short: spelled(a),
                    long: spelled(b),
                });
            }
        }
        Ok(())
    }

    /// What the keys typed so far mean.
    pub fn find(&self, typed: &[Key]) -> Match {
        if let Some(b) = self.bindings.get(typed) {
            return Match::Bound(b.clone());
        }
        if self.bindings.keys().any(|k| k.starts_with(typed)) {
            Match::Prefix
        } else {
            Match::Nothing
        }
    }

    /// Every binding, by spelled sequence.
    pub fn all(&self) -> impl Iterator<Item = (String, &Binding)> {
        self.bindings.iter().map(|(k, b)| (spelled(k), b))
    }

    /// What may follow the keys typed so far: the rest of each sequence, spelled, and what it is bound to.
    pub fn after(&self, typed: &[Key]) -> Vec<(String, &Binding)> {
        let longer = self.bindings.iter().filter(|(k, _)| k.starts_with(typed));
        longer
            .map(|(k, b)| (spelled(k.get(typed.len()..).unwrap_or(&[])), b))
            .collect()
    }

    /// The sequences bound to something, shortest first.
    pub fn keys_of(&self, binding: &Binding) -> Vec<String> {
        let mut keys: Vec<String> = self
            .all()
            .filter(|(_, b)| *b == binding)
            .map(|(k, _)| k)
            .collect();
        keys.sort_by_key(String::len);
        keys
    }
}

fn spelled(keys: &[Key]) -> String {
    keys.iter()
        .map(Key::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.split(' ').map(|k| Key::parse(k).unwrap()).collect()
    }

    #[test]
    fn default_map_is_sound_and_uses_every_action() {
        let map = Keymap::load(None).unwrap();
        assert_eq!(map.find(&keys("g")), Match::Prefix);
        assert_eq!(
            map.find(&keys("g g")),
            Match::Bound(Binding::Line("goto start".into()))
        );
        assert_eq!(map.find(&keys("C-x")), Match::Nothing);
        for (name, action, _) in ACTIONS {
            assert!(
                !map.keys_of(&Binding::Ui(*action)).is_empty(),
                "@{name} has no key"
            );
        }
    }

    #[test]
    fn user_map_wins_and_errors_name_the_entry() {
        let map = Keymap::load(Some("[keys]\n\"s\" = \"\"\n\"x\" = \"print $seq\"")).unwrap();
        assert_eq!(map.find(&keys("s")), Match::Nothing);
        assert!(matches!(
            map.find(&keys("x")),
            Match::Bound(Binding::Line(_))
        ));
        let e = |t: &str| Keymap::load(Some(t)).unwrap_err().to_string();
        assert!(e("[keys]\n\"x\" = \"@fly\"").contains("\"fly\""));
        assert!(e("[keys]\n\"Fx\" = \"step\"").contains("\"Fx\""));
        assert!(e("[keys]\n\"g\" = \"step\"").contains("hides"));
        assert!(e("[keys\n").contains("line 1"));
        let twice = "[keys]\n\"C-S-F5\" = \"step\"\n\"S-C-F5\" = \"next\"";
        assert!(e(twice).contains("are the same keys"));
        assert!(e("[keys]\n\"x\" = \"step\"\n\"x\" = \"next\"").contains("duplicate"));
    }

    #[test]
    fn notation_round_trips() {
        for text in [
            "s", "S", "C-c", "A-x", "S-F5", "Space", "+", "-", "C--", "Left",
        ] {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Key::parse("F99"), None);
        assert_eq!(Key::parse(""), None);
    }
}
