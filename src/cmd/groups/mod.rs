//! The commands, a file per chapter. A record says how a command is read and explained, the function under it what it does.

mod chain;
mod code;
mod compare;
mod diff;
mod edit;
mod explore;
pub mod info;
mod inspect;
mod keep;
mod run;
mod save;
mod screen;
mod session;
mod shadow;
mod stops;
mod test;
mod time;
mod touch;

use super::spec::Command;

/// Every chapter, in the order of the help text.
pub const ALL: &[&[Command]] = &[
    run::COMMANDS,
    time::COMMANDS,
    stops::COMMANDS,
    keep::COMMANDS,
    inspect::COMMANDS,
    touch::COMMANDS,
    chain::COMMANDS,
    diff::COMMANDS,
    shadow::COMMANDS,
    info::COMMANDS,
    edit::COMMANDS,
    code::COMMANDS,
    explore::COMMANDS,
    compare::COMMANDS,
    test::COMMANDS,
    save::COMMANDS,
    session::COMMANDS,
    screen::COMMANDS,
];
