//! The record of a command: everything that look-up, parsing, completion, help, usage errors and
//! the README table need, in one place next to the function that runs it.

use super::args::Args;
use super::error::CmdError;
use super::kind::ArgKind;
use super::output::Output;
use super::shell::Shell;
use crate::session::{Goal, Session};

/// Chapter of the help text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Forward execution.
    Run,
    /// Time travel.
    Time,
    /// Breakpoints and watches.
    Stops,
    /// Looking at state.
    Inspect,
    /// Changing state.
    Edit,
    /// The program text.
    Code,
    /// Test verbs.
    Test,
    /// Files, scripts, settings.
    Session,
    /// The screen.
    Screen,
}

impl Group {
    /// Headline of the chapter.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Run => "Running",
            Group::Time => "Time travel",
            Group::Stops => "Breakpoints",
            Group::Inspect => "Looking",
            Group::Edit => "Changing",
            Group::Code => "Program text",
            Group::Test => "Testing",
            Group::Session => "Session",
            Group::Screen => "Screen",
        }
    }
}

/// How an argument stands in the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Must be there.
    Required,
    /// May be left out.
    Optional,
    /// Takes all that is left, at least once.
    Rest,
    /// `WORD value`, anywhere after the positional ones.
    Keyword(&'static str),
    /// The bare word, anywhere after the positional ones.
    Flag,
    /// This word or symbol must stand here.
    Literal(&'static str),
}

/// So many words to choose from are not spelled out in usage texts.
const LONG: usize = 12;

/// One argument of a command.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Name in usage texts and in [`Args`].
    pub name: &'static str,
    /// What may stand there.
    pub kind: ArgKind,
    /// How it stands there.
    pub form: Form,
}

impl Arg {
    /// Must be there.
    pub const fn required(name: &'static str, kind: ArgKind) -> Arg {
        let form = Form::Required;
        Arg { name, kind, form }
    }

    /// May be left out.
    pub const fn optional(name: &'static str, kind: ArgKind) -> Arg {
        let form = Form::Optional;
        Arg { name, kind, form }
    }

    /// One or more, up to the end of the line.
    pub const fn rest(name: &'static str, kind: ArgKind) -> Arg {
        let form = Form::Rest;
        Arg { name, kind, form }
    }

    /// `WORD value`, in any order behind the others.
    pub const fn keyword(word: &'static str, name: &'static str, kind: ArgKind) -> Arg {
        let form = Form::Keyword(word);
        Arg { name, kind, form }
    }

    /// A bare word, in any order behind the others.
    pub const fn flag(name: &'static str) -> Arg {
        let (kind, form) = (ArgKind::Text, Form::Flag);
        Arg { name, kind, form }
    }

    /// A word or symbol of the syntax.
    pub const fn literal(text: &'static str) -> Arg {
        Arg {
            name: text,
            kind: ArgKind::Text,
            form: Form::Literal(text),
        }
    }

    /// The word that introduces it, where that may stand in any order.
    pub(super) fn word(&self) -> Option<&'static str> {
        match self.form {
            Form::Keyword(word) => Some(word),
            Form::Flag => Some(self.name),
            _ => None,
        }
    }

    /// As usage texts show it.
    pub fn usage(&self) -> String {
        let value = match self.kind {
            ArgKind::Choice(words) if words.len() < LONG => words.join("|"),
            _ => self.name.to_uppercase(),
        };
        match self.form {
            Form::Required => value,
            Form::Optional => format!("[{value}]"),
            Form::Rest => format!("{value}..."),
            Form::Keyword(word) => format!("[{word} {value}]"),
            Form::Flag => format!("[{}]", self.name),
            Form::Literal(text) => text.to_owned(),
        }
    }
}

/// What a command does to the session; decides what follows it.
#[derive(Clone, Copy)]
pub enum Run {
    /// Looks.
    Read(fn(&Session, &Args<'_>) -> Result<Output, CmdError>),
    /// Moves through time: gives the goal, the one run loop does the rest.
    Move(fn(&Session, &Args<'_>) -> Result<Goal, CmdError>),
    /// Changes the session: an edit record, a breakpoint, a setting, a name.
    Edit(fn(&mut Session, &Args<'_>) -> Result<Output, CmdError>),
    /// Concerns the shell around the session: scripts, recording, files read again, the end.
    Shell(fn(&mut Shell, &Args<'_>) -> Result<Output, CmdError>),
}

/// One command.
pub struct Command {
    /// Canonical name, then aliases.
    pub names: &'static [&'static str],
    /// Chapter.
    pub group: Group,
    /// One line.
    pub summary: &'static str,
    /// More, for `help NAME`; may be empty.
    pub help: &'static str,
    /// Lines that work on the first sample program, each with a word on what it shows.
    pub examples: &'static [(&'static str, &'static str)],
    /// Alternative argument lists; the first that fits wins.
    pub forms: &'static [&'static [Arg]],
    /// The function.
    pub run: Run,
}

impl Command {
    /// Canonical name.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or("")
    }

    /// One usage line per form.
    pub fn usage(&self) -> impl Iterator<Item = String> + '_ {
        self.forms.iter().map(|form| {
            let args = form.iter().map(Arg::usage);
            let words: Vec<String> = std::iter::once(self.name().to_owned())
                .chain(args)
                .collect();
            words.join(" ")
        })
    }
}
