//! The command language: text to command to output.
//!
//! A command is one record ([`spec::Command`]) in a group file; look-up, parsing, completion, help
//! and the README table are derived from it. The one door that changes a session is [`execute`]
//! (or [`start`] and [`finish`] around the run loop, for front ends that draw while it runs).

pub mod args;
pub mod complete;
pub mod error;
pub mod groups;
pub mod help;
pub mod lang;
pub mod lower;
pub mod output;
pub mod report;
pub mod spec;

use crate::session::{Budget, Goal, Progress, Session, Stop};
use error::CmdError;
use lang::word_at;
use output::Output;
use spec::{Command, Run};

/// What became of a command line.
pub enum Started {
    /// Nothing but white space and comment.
    Empty,
    /// It is done.
    Done(Output),
    /// It wants to run: the caller runs the session until it stops, then calls [`finish`].
    Running(Goal),
}

/// All commands, in the order of the help text.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    groups::ALL.iter().flat_map(|g| g.iter())
}

/// The command a name or an unambiguous prefix means; whole names win over prefixes.
///
/// # Errors
/// The names it might mean; empty when there is none.
pub fn lookup(name: &str) -> Result<&'static Command, Vec<&'static str>> {
    if let Some(c) = commands().find(|c| c.names.contains(&name)) {
        return Ok(c);
    }
    let fits: Vec<&Command> = commands().filter(|c| c.name().starts_with(name)).collect();
    match fits.as_slice() {
        [one] if !name.is_empty() => Ok(one),
        _ => Err(fits.iter().map(|c| c.name()).collect()),
    }
}

/// Parses and begins a command line.
///
/// # Errors
/// [`CmdError`] with its place in the line.
pub fn start(session: &mut Session, line: &str) -> Result<Started, CmdError> {
    let Some(word) = word_at(line, 0)? else {
        return Ok(Started::Empty);
    };
    let command = lookup(&word.text).map_err(|fits| unknown(&word, &fits))?;
    let args = args::parse(session, command, line, word.span.end)?;
    Ok(match command.run {
        Run::Read(f) => Started::Done(f(session, &args)?),
        Run::Edit(f) => Started::Done(f(session, &args)?),
        Run::Move(f) => Started::Running(f(session, &args)?),
    })
}

/// The output of a run that has stopped.
pub fn finish(session: &Session, stop: &Stop) -> Output {
    report::stop(session, stop)
}

/// Executes a command line to its end. Runs are interruptible through the session's flag.
///
/// # Errors
/// [`CmdError`] with its place in the line.
pub fn execute(session: &mut Session, line: &str) -> Result<(Output, Option<Stop>), CmdError> {
    match start(session, line)? {
        Started::Empty => Ok((Output::none(), None)),
        Started::Done(output) => Ok((output, None)),
        Started::Running(goal) => {
            let stop = run(session, goal);
            Ok((finish(session, &stop), Some(stop)))
        }
    }
}

/// Runs a goal until it stops.
fn run(session: &mut Session, goal: Goal) -> Stop {
    let mut goal = goal;
    loop {
        match session.run(goal, Budget::unlimited()) {
            Progress::Again(g) => goal = g,
            Progress::Stopped(stop) => return stop,
        }
    }
}

fn unknown(word: &lang::Word, fits: &[&'static str]) -> CmdError {
    let message = if fits.is_empty() {
        let near = lang::nearest(&word.text, commands().map(Command::name));
        let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        format!("unknown command `{}`{hint}", word.text)
    } else {
        format!("`{}` may be {}", word.text, fits.join(", "))
    };
    CmdError::usage(word.span.clone(), message)
}
