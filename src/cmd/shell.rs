//! The shell around a session: one line in, one outcome out.

use std::path::{Path, PathBuf};

use super::args::{self, Context};
use super::command_of;
use super::complete::{Completion, complete};
use super::error::CmdError;
use super::lang::{Span, word_at};
use super::launch::{Input, Launch};
use super::outcome::Outcome;
use super::output::Output;
use super::record::Recorder;
use super::report;
use super::screen::Ask;
use super::script::Script;
use super::spec::{Command, Run};
use crate::session::{Budget, Goal, Place, Progress, Session};

/// What became of a command line.
#[derive(Debug)]
pub enum Started {
    /// Nothing but white space and comment.
    Empty,
    /// It is done.
    Done(Box<Outcome>),
    /// It runs; [`Shell::poll`] goes on with it.
    Running,
}

/// A run in progress.
struct Running {
    line: String,
    command: &'static Command,
    /// Its arguments, where what goes wrong on the way is told.
    at: Span,
    /// Not yet begun.
    goal: Option<Goal>,
}

/// A session with what is around it.
pub struct Shell {
    session: Session,
    pub(super) launch: Launch,
    pub(super) base: PathBuf,
    pub(super) recorder: Recorder,
    /// Directory of what is kept from session to session.
    pub state_dir: Option<PathBuf>,
    /// Lines that wait to be run.
    pub script: Script,
    pub(super) over: bool,
    asks: Vec<Ask>,
    running: Option<Running>,
}

impl Shell {
    /// Opens the program of a launch.
    ///
    /// # Errors
    /// A file that cannot be read or is malformed, a place outside its memory.
    pub fn open(launch: Launch) -> Result<Shell, CmdError> {
        let session = launch.open()?;
        Ok(Shell {
            session,
            recorder: Recorder::default(),
            state_dir: None,
            base: launch.base.clone(),
            launch,
            script: Script::default(),
            over: false,
            asks: Vec::new(),
            running: None,
        })
    }

    /// What to call the program: the file name of the first, and how many more there are.
    pub fn title(&self) -> String {
        let mut names = self.launch.programs.iter().map(|p| match &p.input {
            Input::File(path) => path.file_name().map_or_else(
                || path.display().to_string(),
                |n| n.to_string_lossy().into_owned(),
            ),
            other => other.to_string(),
        });
        match (names.next(), names.count()) {
            (None, _) => "no program".to_owned(),
            (Some(name), 0) => name,
            (Some(name), more) => format!("{name} +{more}"),
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    pub(super) fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Sequence number of the last write to a place, as far back as the history reaches; the present point stays where it is.
    pub fn writer_of(&mut self, place: &Place) -> Option<u64> {
        let touches = self.session.writers(place, 1, 1).ok()?;
        touches.list.first().map(|t| t.seq)
    }

    /// Shares the flag that interrupts a run.
    pub fn set_interrupt(&mut self, flag: std::sync::Arc<std::sync::atomic::AtomicBool>) {
        self.session.set_interrupt(flag);
    }

    /// Directory that relative file names of commands start from; empty for the current one.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Was `quit` given?
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// What commands asked of the screen since the last time.
    pub fn asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    /// Asks something of the screen. Nobody may take it, so little is kept.
    pub(super) fn ask(&mut self, ask: Ask) {
        const MOST: usize = 16;
        if self.asks.len() < MOST {
            self.asks.push(ask);
        }
    }

    /// Command lines executed so far, oldest first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.recorder.lines()
    }

    /// What may stand at the cursor.
    pub fn complete(&self, line: &str, pos: usize) -> Completion {
        complete(self.context(), line, pos)
    }

    fn context(&self) -> Context<'_> {
        Context {
            session: &self.session,
            base: &self.base,
        }
    }

    /// Begins a command line; a run in progress ends as by an interrupt.
    pub fn start(&mut self, line: &str) -> Started {
        if self.running.take().is_some() {
            self.session.cancel();
        }
        let word = match word_at(line, 0) {
            Ok(Some(word)) => word,
            Ok(None) => return Started::Empty,
            Err(e) => return self.done(line, None, Err(e.into())),
        };
        let command = match command_of(&word) {
            Ok(command) => command,
            Err(e) => return self.done(line, None, Err(e)),
        };
        let args = match args::parse(self.context(), command, line, word.span.end) {
            Ok(args) => args,
            Err(e) => return self.done(line, Some(command), Err(e)),
        };
        let result = match command.run {
            Run::Read(f) => f(&self.session, &args),
            Run::Edit(f) => f(&mut self.session, &args),
            Run::Shell(f) => f(self, &args),
            Run::Move(f) => match f(&self.session, &args) {
                Ok(goal) => {
                    self.running = Some(Running {
                        line: line.to_owned(),
                        command,
                        at: args.extent(),
                        goal: Some(goal),
                    });
                    return Started::Running;
                }
                Err(e) => Err(e),
            },
        };
        self.done(line, Some(command), result)
    }

    fn done(
        &mut self,
        line: &str,
        command: Option<&'static Command>,
        result: Result<Output, CmdError>,
    ) -> Started {
        let outcome = Outcome::new(&self.session, line, command, result, None);
        Started::Done(Box::new(self.noted(outcome)))
    }

    /// Goes on with the run that [`Shell::start`] began; `None` while it is not over, or when there is none.
    pub fn poll(&mut self, budget: Budget) -> Option<Outcome> {
        let running = self.running.as_mut()?;
        let progress = match running.goal.take() {
            Some(goal) => self.session.run(goal, budget),
            None => self.session.resume(budget),
        };
        let (result, stop) = match progress {
            Progress::Again => return None,
            Progress::Stopped(stop) => {
                let log = self.session.take_log();
                (Ok(report::output(&self.session, &stop, log)), Some(stop))
            }
            Progress::Failed(e) => (Err(CmdError::from(e).at(running.at.clone())), None),
        };
        let Running { line, command, .. } = self.running.take()?;
        let outcome = Outcome::new(&self.session, &line, Some(command), result, stop);
        Some(self.noted(outcome))
    }

    /// Ends the run in progress as an interrupt does.
    pub fn cancel(&mut self) -> Option<Outcome> {
        let Running { line, command, .. } = self.running.take()?;
        let stop = self.session.cancel().clone();
        let log = self.session.take_log();
        let output = report::output(&self.session, &stop, log);
        let outcome = Outcome::new(&self.session, &line, Some(command), Ok(output), Some(stop));
        Some(self.noted(outcome))
    }

    /// Executes a command line to its end; `None` for an empty one. Runs are interruptible through the flag.
    pub fn execute(&mut self, line: &str) -> Option<Outcome> {
        match self.start(line) {
            Started::Empty => None,
            Started::Done(outcome) => Some(*outcome),
            Started::Running => loop {
                if let Some(outcome) = self.poll(Budget::UNLIMITED) {
                    return Some(outcome);
                }
            },
        }
    }

    /// Writes the outcome where sessions are recorded.
    fn noted(&mut self, mut outcome: Outcome) -> Outcome {
        if let Err(e) = self.recorder.note(&outcome)
            && outcome.result.is_ok()
        {
            outcome.result = Err(e);
        }
        outcome
    }
}
