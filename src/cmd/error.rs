//! Errors of commands: where in the line, what was found, what was expected.

use super::lang::{ParseError, Span};
use super::output::Data;
use super::script::Origin;
use crate::session::SessionError;

/// The class of an error, which decides the exit code (interface §1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The line cannot be parsed, or names something that does not exist.
    Usage,
    /// A file is missing, unreadable, or of the wrong shape or type.
    File,
    /// An expectation failed.
    Expect,
    /// The command makes no sense now (nothing loaded, no history, ...).
    State,
}

impl ErrorKind {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        ["usage", "file", "expect", "state"][self as usize]
    }

    /// Exit code of a batch that ends with such an error.
    pub const fn exit(self) -> Exit {
        match self {
            ErrorKind::Expect => Exit::Failed,
            _ => Exit::Usage,
        }
    }
}

/// Exit codes (interface §1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Exit {
    /// Everything done, every expectation held.
    #[default]
    Done,
    /// An expectation failed, a replay differed, or `check` found an error.
    Failed,
    /// Usage, unreadable or malformed input, unknown command.
    Usage,
    /// The simulated program stopped on a fault or a deadlock and nothing handled it.
    Stopped,
}

impl From<Exit> for std::process::ExitCode {
    fn from(e: Exit) -> std::process::ExitCode {
        (e as u8).into()
    }
}

/// Why a command failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CmdError {
    /// Class.
    pub kind: ErrorKind,
    /// One sentence: what was found and what is allowed.
    pub message: String,
    /// Bytes of the line at fault.
    pub span: Option<Span>,
}

impl CmdError {
    /// An error of a class, anywhere in the line.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> CmdError {
        CmdError {
            kind,
            message: message.into(),
            span: None,
        }
    }

    /// A usage error at a span.
    pub fn usage(span: Span, message: impl Into<String>) -> CmdError {
        CmdError {
            kind: ErrorKind::Usage,
            message: message.into(),
            span: Some(span),
        }
    }

    /// An error of a file.
    pub fn file(path: &std::path::Path, why: impl std::fmt::Display) -> CmdError {
        CmdError::new(ErrorKind::File, format!("{}: {why}", path.display()))
    }

    /// The same error, at a span unless it has one.
    #[must_use]
    pub fn at(mut self, span: Span) -> CmdError {
        self.span.get_or_insert(span);
        self
    }

    /// The line with a caret under the span; empty when the error has no place.
    pub fn caret(&self, line: &str) -> String {
        let Some(span) = &self.span else {
            return String::new();
        };
        ParseError::new(span.clone(), String::new(), &[]).caret(line)
    }

    /// The error for a terminal: where it happened, the sentence, the line with carets.
    pub fn report(&self, origin: Option<&Origin>, line: &str) -> String {
        let origin = origin.map_or(String::new(), |o| format!("{o}: "));
        let caret = self.caret(line);
        let marked = if caret.is_empty() {
            String::new()
        } else {
            format!("\n{caret}")
        };
        let marked = marked.replace('\n', "\n  ");
        format!("tpbdbg: {origin}{}{marked}", self.message)
    }

    /// The `error` object of interface §4.
    pub fn data(&self) -> Data {
        let span = self.span.as_ref().map_or(Data::Null, |s| {
            Data::List(vec![(s.start as u64).into(), (s.end as u64).into()])
        });
        Data::Map(vec![
            ("kind", self.kind.name().into()),
            ("message", self.message.as_str().into()),
            ("span", span),
        ])
    }
}

impl From<SessionError> for CmdError {
    /// What a verb of the session refuses makes no sense now, or names something that does not exist.
    fn from(e: SessionError) -> CmdError {
        let kind = match e {
            SessionError::Unreachable { .. }
            | SessionError::BeforeStart { .. }
            | SessionError::Future { .. }
            | SessionError::Diverged { .. }
            | SessionError::Interrupted
            | SessionError::NoEdit { .. }
            | SessionError::NoRedo { .. } => ErrorKind::State,
            SessionError::Array { .. }
            | SessionError::Shape { .. }
            | SessionError::State { .. }
            | SessionError::Stream(_) => ErrorKind::File,
            _ => ErrorKind::Usage,
        };
        CmdError::new(kind, e.to_string())
    }
}

impl From<ParseError> for CmdError {
    fn from(e: ParseError) -> CmdError {
        CmdError {
            kind: ErrorKind::Usage,
            message: e.to_string(),
            span: Some(e.span),
        }
    }
}

/// `a, b or c`.
pub(super) fn alternatives(of: &[&str]) -> String {
    match of {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}
