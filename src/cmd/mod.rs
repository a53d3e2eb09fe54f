//! The command language: text to command to outcome.
//!
//! A command is one record ([`spec::Command`]) in a group file; look-up, parsing, completion, help
//! and the README table are derived from it. A front end holds a [`Shell`]: the session, the script
//! lines still to run, the recorder. [`Shell::start`] begins a line, [`Shell::poll`] goes on with a
//! run between two looks at the keyboard, [`Shell::execute`] does both; each line comes to one
//! [`Outcome`].

pub mod ap;
pub mod args;
pub mod complete;
pub mod error;
pub mod explain;
pub mod files;
pub mod groups;
pub mod help;
pub mod highlight;
pub mod json;
pub mod kind;
pub mod lang;
pub mod launch;
pub mod lower;
pub mod outcome;
pub mod output;
pub mod record;
pub mod report;
pub mod samples;
pub mod screen;
pub mod script;
pub mod settings;
pub mod shell;
pub mod show;
pub mod spec;
pub mod waiting;

pub use error::{CmdError, ErrorKind, Exit};
pub use launch::Launch;
pub use outcome::Outcome;
pub use output::{Data, Line, Output, Tone};
pub use shell::{Shell, Started};
pub use spec::Command;

use lang::Word;

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

/// The command a word means.
///
/// # Errors
/// A usage error at the word.
fn command_of(word: &Word) -> Result<&'static Command, CmdError> {
    lookup(&word.text).map_err(|fits| {
        let message = if fits.is_empty() {
            let near = lang::nearest(&word.text, commands().map(Command::name));
            let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
            format!("unknown command `{}`{hint}", word.text)
        } else {
            format!("`{}` may be {}", word.text, fits.join(", "))
        };
        CmdError::usage(word.span.clone(), message)
    })
}
