//! The line front end: prompt, history, completion, hints. Without a terminal it reads plain lines and asks nothing.

mod helper;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::cmd::lang::word_at;
use crate::cmd::outcome::Outcome;
use crate::cmd::screen::Ask;
use crate::cmd::script::Origin;
use crate::cmd::{Exit, Shell, json};
use crate::paint::ansi;
use crate::paint::theme::Theme;
use crate::session::StopKind;
use helper::Helper;

/// How the REPL shows and keeps things.
#[derive(Clone, Debug)]
pub struct Options {
    /// JSON lines instead of text.
    pub json: bool,
    /// Colours of the text.
    pub theme: Theme,
    /// Where lines are kept between sessions; `None`: nowhere.
    pub history: Option<PathBuf>,
}

/// Commands that an empty line repeats.
const REPEATED: [&str; 3] = ["step", "next", "reverse-step"];

/// Reads and executes lines until the input ends or `quit`.
///
/// # Errors
/// Output cannot be written.
pub fn run(shell: Shell, options: &Options) -> io::Result<Exit> {
    let mut repl = Repl {
        options,
        out: io::stdout(),
        first: Exit::Done,
        stopped: false,
        repeat: None,
    };
    if io::stdin().is_terminal() {
        repl.interactive(shell)?;
        return Ok(Exit::Done);
    }
    repl.plain(shell)
}

struct Repl<'o> {
    options: &'o Options,
    out: io::Stdout,
    /// Exit code of the first command that failed.
    first: Exit,
    /// The last run ended in a fault or a deadlock.
    stopped: bool,
    /// The line that an empty line repeats.
    repeat: Option<String>,
}

impl Repl<'_> {
    /// Lines of standard input, nothing but answers on standard output.
    fn plain(&mut self, mut shell: Shell) -> io::Result<Exit> {
        self.script(&mut shell)?;
        for line in io::stdin().lock().lines() {
            if shell.is_over() {
                break;
            }
            self.line(&mut shell, &line?)?;
        }
        Ok(match (self.first, self.stopped) {
            (Exit::Done, true) => Exit::Stopped,
            (first, _) => first,
        })
    }

    fn interactive(&mut self, mut shell: Shell) -> io::Result<()> {
        self.script(&mut shell)?;
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .max_history_size(10_000)
            .map_err(io::Error::other)?
            .build();
        let mut editor: Editor<Helper, DefaultHistory> =
            Editor::with_config(config).map_err(io::Error::other)?;
        editor.set_helper(Some(Helper::new(shell, self.options.theme)));
        if let Some(file) = &self.options.history {
            // A history that is missing or damaged is no reason not to start.
            let _ = editor.load_history(file);
        }
        while let Some(helper) = editor.helper_mut() {
            if helper.shell.is_over() {
                break;
            }
            let prompt = helper.prompt();
            match editor.readline(&prompt) {
                Ok(text) => {
                    let Some(helper) = editor.helper_mut() else {
                        break;
                    };
                    self.pasted(&mut helper.shell, &text)?;
                }
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => break,
                Err(e) => return Err(io::Error::other(e)),
            }
        }
        if let Some(file) = &self.options.history {
            let kept = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            // Where nothing can be written, nothing is kept.
            let _ = kept.is_ok() && editor.save_history(file).is_ok();
        }
        Ok(())
    }

    /// What the user entered: one line, several when they were pasted, or nothing, which repeats a step.
    fn pasted(&mut self, shell: &mut Shell, text: &str) -> io::Result<()> {
        if text.trim().is_empty() {
            if let Some(line) = self.repeat.clone() {
                self.line(shell, &line)?;
            }
            return Ok(());
        }
        for line in text.lines() {
            if !shell.is_over() {
                self.line(shell, line)?;
            }
        }
        Ok(())
    }

    /// Executes a line, and the lines that it sources.
    fn line(&mut self, shell: &mut Shell, line: &str) -> io::Result<()> {
        let Some(outcome) = shell.execute(line) else {
            return Ok(());
        };
        self.show(&outcome, None, line)?;
        miss(shell)?;
        let repeats = outcome.name.is_some_and(|n| REPEATED.contains(&n));
        self.repeat = repeats.then(|| line.to_owned());
        self.script(shell)
    }

    /// Executes what waits in the script; the first command that fails ends it.
    fn script(&mut self, shell: &mut Shell) -> io::Result<()> {
        while !shell.is_over()
            && let Some(item) = shell.script.next()
        {
            let Some(outcome) = shell.execute(&item.text) else {
                continue;
            };
            self.show(&outcome, Some(&item.origin), &item.text)?;
            miss(shell)?;
            if outcome.result.is_err() {
                shell.script.clear();
            }
        }
        Ok(())
    }

    fn show(&mut self, outcome: &Outcome, origin: Option<&Origin>, line: &str) -> io::Result<()> {
        if let Some(stop) = &outcome.stop {
            self.stopped = matches!(stop.kind, StopKind::Fault | StopKind::Deadlock);
        } else if outcome.result.is_ok() && outcome.name == Some("expect") && is_about_stop(line) {
            self.stopped = false;
        }
        if self.options.json {
            writeln!(self.out, "{}", json::line(&outcome.data()))?;
        } else if let Ok(output) = &outcome.result {
            self.out
                .write_all(ansi::text(output, self.options.theme).as_bytes())?;
        }
        self.out.flush()?;
        if let Err(e) = &outcome.result {
            if self.first == Exit::Done {
                self.first = e.kind.exit();
            }
            if !self.options.json || io::stdin().is_terminal() {
                writeln!(io::stderr(), "{}", e.report(origin, line))?;
            }
        }
        Ok(())
    }
}

/// Is the word behind the command `stop`?
fn is_about_stop(line: &str) -> bool {
    let second = |line| {
        let first = word_at(line, 0).ok()??;
        word_at(line, first.span.end).ok()?
    };
    second(line).is_some_and(|w| w.text == "stop")
}

/// Says which files were asked for that only a screen can write.
fn miss(shell: &mut Shell) -> io::Result<()> {
    for missed in shell.asks().iter().filter_map(Ask::missed) {
        writeln!(io::stderr(), "tpbdbg: {missed}")?;
    }
    Ok(())
}
