//! The record of a command: everything that look-up, parsing, completion, help, usage errors and
//! the README table need, in one place next to the function that runs it.

use super::args::{ArgKind, Args};
use super::error::CmdError;
use super::output::Output;
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
    /// The literal text must stand here.
    Literal(&'static str),
}

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

/// What a command does to the session; decides what follows it.
#[derive(Clone, Copy)]
pub enum Run {
    /// Looks.
    Read(fn(&Session, &Args<'_>) -> Result<Output, CmdError>),
    /// Moves through time: gives the goal, the one run loop does the rest.
    Move(fn(&Session, &Args<'_>) -> Result<Goal, CmdError>),
    /// Changes the session: an edit record, a breakpoint, a setting, a name.
    Edit(fn(&mut Session, &Args<'_>) -> Result<Output, CmdError>),
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
    /// Lines that work on the sample program, each with a word on what it shows.
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
}
