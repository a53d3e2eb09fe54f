//! What rustyline asks while a line is typed, answered by the command language.

use std::borrow::Cow;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Result};

use crate::cmd::Shell;
use crate::cmd::complete::hint;
use crate::cmd::highlight::highlight;
use crate::cmd::output::{Line, Tone};
use crate::paint::ansi;
use crate::paint::theme::Theme;

/// The shell, lent to the editor.
pub(super) struct Helper {
    pub shell: Shell,
    theme: Theme,
}

impl Helper {
    pub fn new(shell: Shell, theme: Theme) -> Helper {
        Helper { shell, theme }
    }

    /// `pe:12> `: the stream in focus and its next bundle.
    pub fn prompt(&self) -> String {
        let s = self.shell.session();
        format!("{}:{}> ", s.focus().name(), s.machine().pc(s.focus()))
    }
}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let found = self.shell.complete(line, pos);
        let pairs = found.candidates.into_iter().map(|c| Pair {
            display: if c.note.is_empty() {
                c.text.clone()
            } else {
                format!("{}  {}", c.text, c.note)
            },
            // A name that is complete is followed by a space; what opens something is not.
            replacement: match c.text.ends_with(['[', '(', ':', '/', '.']) || c.text.ends_with(".r")
            {
                true => c.text,
                false => c.text + " ",
            },
        });
        Ok((found.at, pairs.collect()))
    }
}

impl Hinter for Helper {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<String> {
        (pos == line.len()).then(|| hint(line))?
    }
}

impl Highlighter for Helper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        // Pasted text may hold several lines; the editor counts them.
        let lines = line
            .split('\n')
            .map(|l| ansi::line(&highlight(l), self.theme));
        Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(ansi::line(&Line::toned(Tone::Place, prompt), self.theme))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(ansi::line(&Line::toned(Tone::Dim, hint), self.theme))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}

impl Validator for Helper {}

impl rustyline::Helper for Helper {}
