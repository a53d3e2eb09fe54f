//! Command files without a person in front: nothing is asked, the exit code tells how it went.

pub mod replay;

use std::io::{self, Write};

use crate::cmd::lang::words;
use crate::cmd::outcome::Outcome;
use crate::cmd::screen::Ask;
use crate::cmd::script::Item;
use crate::cmd::{Exit, Shell, json, lookup};
use crate::paint::ansi;
use crate::paint::theme::Theme;
use crate::session::StopKind;

/// How a batch is run and shown.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// JSON lines instead of text.
    pub json: bool,
    /// Go on after a failed command or a fault.
    pub keep_going: bool,
    /// Colours of the text.
    pub theme: Theme,
}

/// Runs the lines that wait in the shell's script to the end, or to the first that fails.
///
/// # Errors
/// Output cannot be written.
pub fn run(
    shell: &mut Shell,
    options: Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Exit> {
    let mut verdict = Verdict::default();
    let mut checked = false;
    while !shell.is_over()
        && let Some(item) = shell.script.next()
    {
        let handles = is_expect_stop(&item.text);
        if verdict.unhandled.is_some() && !handles && !options.keep_going && is_command(&item.text)
        {
            break;
        }
        let Some(outcome) = shell.execute(&item.text) else {
            continue;
        };
        print(&outcome, options, out)?;
        if let Err(e) = &outcome.result {
            writeln!(err, "{}", e.report(Some(&item.origin), &item.text))?;
        }
        for missed in shell.asks().iter().filter_map(Ask::missed) {
            writeln!(err, "tpbdbg: {}: {missed}", item.origin)?;
        }
        verdict.see(&outcome, &item, handles);
        checked |= item.text.trim() == ARRAYS;
        if verdict.first != Exit::Done && !options.keep_going {
            break;
        }
    }
    if let Some(why) = &verdict.unhandled {
        writeln!(err, "{why}")?;
    }
    let exit = verdict.exit();
    if exit == Exit::Done && !checked {
        return check_arrays(shell, options, out, err);
    }
    Ok(exit)
}

/// Looks at the arrays that a manifest expects, once its program has ended.
fn check_arrays(
    shell: &mut Shell,
    options: Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Exit> {
    let session = shell.session();
    if session.program().expected.is_empty() {
        return Ok(Exit::Done);
    }
    let machine = session.machine();
    if !machine.queues().all(|queue| machine.exited(queue)) {
        let note = "tpbdbg: the expected arrays were not looked at: the program has not ended";
        writeln!(err, "{note}")?;
        return Ok(Exit::Done);
    }
    let Some(outcome) = shell.execute(ARRAYS) else {
        return Ok(Exit::Done);
    };
    print(&outcome, options, out)?;
    let Err(e) = &outcome.result else {
        return Ok(Exit::Done);
    };
    writeln!(err, "{}", e.report(None, ARRAYS))?;
    Ok(e.kind.exit())
}

/// What a batch does at its end.
const ARRAYS: &str = "expect arrays";

/// Prints the answer of a command, as text or as JSON.
///
/// # Errors
/// It cannot be written.
pub fn print(outcome: &Outcome, options: Options, out: &mut dyn Write) -> io::Result<()> {
    if options.json {
        writeln!(out, "{}", json::line(&outcome.data()))?;
    } else if let Ok(output) = &outcome.result {
        out.write_all(ansi::text(output, options.theme).as_bytes())?;
    }
    out.flush()
}

/// What the exit code will be.
#[derive(Default)]
struct Verdict {
    /// Of the first command that failed.
    first: Exit,
    /// A run ended in a fault or a deadlock, and no `expect stop` took it.
    unhandled: Option<String>,
}

impl Verdict {
    fn see(&mut self, outcome: &Outcome, item: &Item, handles: bool) {
        if let Some(stop) = &outcome.stop {
            let bad = matches!(stop.kind, StopKind::Fault | StopKind::Deadlock);
            let why = || {
                format!(
                    "tpbdbg: {}: the program stopped on a {}",
                    item.origin, stop.kind
                )
            };
            self.unhandled = bad.then(why);
        }
        match &outcome.result {
            Ok(_) if handles => self.unhandled = None,
            Ok(_) => {}
            Err(e) if self.first == Exit::Done => self.first = e.kind.exit(),
            Err(_) => {}
        }
    }

    fn exit(&self) -> Exit {
        if self.unhandled.is_some() {
            Exit::Stopped
        } else {
            self.first
        }
    }
}

fn is_command(line: &str) -> bool {
    words(line).map_or(true, |w| !w.is_empty())
}

/// Is it an `expect stop`, which may make a fault an expected one?
fn is_expect_stop(line: &str) -> bool {
    let Ok(words) = words(line) else {
        return false;
    };
    let mut words = words.iter();
    let command = words.next().and_then(|w| lookup(&w.text).ok());
    command.is_some_and(|c| c.name() == "expect") && words.next().is_some_and(|w| w.text == "stop")
}
