//! What a command line came to, as every front end, JSON and session files need it.

use super::error::CmdError;
use super::output::{Data, Output};
use super::report;
use super::spec::Run;
use crate::session::{Session, Stop};

/// What kind of command it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It looked.
    Look,
    /// It moved through time.
    Move,
    /// It changed the session.
    Change,
    /// It concerned the shell: recording, scripts, files, the end.
    Shell,
}

impl From<&Run> for Effect {
    fn from(run: &Run) -> Effect {
        match run {
            Run::Read(_) => Effect::Look,
            Run::Move(_) => Effect::Move,
            Run::Edit(_) => Effect::Change,
            Run::Shell(_) => Effect::Shell,
        }
    }
}

/// What a command line came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The line, comment and surrounding white space left out.
    pub command: String,
    /// Canonical name of the command; `None` when there is none of that name.
    pub name: Option<&'static str>,
    /// What kind of command it was; nothing can have changed after an unknown one.
    pub effect: Effect,
    /// Bundles retired after it.
    pub seq: u64,
    /// Its answer.
    pub result: Result<Output, CmdError>,
    /// Why the run ended, if it was one.
    pub stop: Option<Stop>,
    stop_data: Data,
}

impl Outcome {
    /// The outcome of a line, `stop` being the end of a run it made.
    pub(super) fn new(
        session: &Session,
        command: &str,
        of: Option<&'static super::Command>,
        result: Result<Output, CmdError>,
        stop: Option<Stop>,
    ) -> Outcome {
        Outcome {
            command: super::lang::strip_comment(command).trim().to_owned(),
            name: of.map(super::Command::name),
            effect: of.map_or(Effect::Look, |c| Effect::from(&c.run)),
            seq: session.seq(),
            result,
            stop_data: stop
                .as_ref()
                .map_or(Data::Null, |s| report::data(session, s)),
            stop,
        }
    }

    /// The object of interface §4.
    pub fn data(&self) -> Data {
        let mut map = vec![
            ("seq", self.seq.into()),
            ("command", self.command.as_str().into()),
            ("ok", self.result.is_ok().into()),
            ("stop", self.stop_data.clone()),
        ];
        match &self.result {
            Ok(output) => map.push(("output", output.data.clone())),
            Err(e) => map.push(("error", e.data())),
        }
        Data::Map(map)
    }
}
