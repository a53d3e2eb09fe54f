//! The arguments of a command line: parsed by the forms of the command's record.

use std::path::{Path, PathBuf};

use super::error::{CmdError, alternatives};
use super::kind;
use super::lang::{Span, Word, nearest, strip_comment, word_at};
use super::spec::{Arg, Command, Form};
use crate::isa::Queue;
use crate::session::{Expr, Place, Session};

/// A parsed argument.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A real number.
    Real(f64),
    /// A point of time.
    Moment(Moment),
    /// A stream.
    Queue(Queue),
    /// A bundle of the program.
    Code(Queue, u64),
    /// A place.
    Place(Place),
    /// An expression.
    Expr(Expr),
    /// An opcode.
    Op(u8),
    /// A word or text.
    Text(String),
    /// A flag is there.
    Yes,
}

/// A point of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Moment {
    /// So many bundles have retired.
    Seq(u64),
    /// A snapshot.
    Snapshot(String),
    /// The furthest known point.
    End,
}

/// What surrounds a command line while it is read.
#[derive(Clone, Copy)]
pub struct Context<'s> {
    /// Names, geometry and focus come from here.
    pub session: &'s Session,
    /// Directory that relative file names start from; empty for the current one.
    pub base: &'s Path,
}

/// The parsed arguments of a command line.
#[derive(Debug)]
pub struct Args<'l> {
    /// The line.
    pub line: &'l str,
    /// Where the arguments begin.
    from: usize,
    base: PathBuf,
    values: Vec<(&'static str, Value, Span)>,
}

macro_rules! getters {
    ($($(#[doc = $doc:literal])* $name:ident: $variant:ident -> $ty:ty;)*) => {$(
        $(#[doc = $doc])*
        pub fn $name(&self, arg: &str) -> Option<$ty> {
            match self.value(arg)? {
                Value::$variant(v) => Some(v.clone()),
                _ => None,
            }
        }
    )*};
}

impl Args<'_> {
    fn value(&self, arg: &str) -> Option<&Value> {
        self.values.iter().find(|v| v.0 == arg).map(|v| &v.1)
    }

    getters! {
        /// A number.
        number: Number -> u64;
        /// A real number.
        real: Real -> f64;
        /// A point of time.
        moment: Moment -> Moment;
        /// A stream.
        queue: Queue -> Queue;
        /// A place.
        place: Place -> Place;
        /// An expression.
        expr: Expr -> Expr;
        /// An opcode byte.
        op: Op -> u8;
        /// A word or text.
        text: Text -> String;
    }

    /// A bundle of the program.
    pub fn code(&self, arg: &str) -> Option<(Queue, u64)> {
        match self.value(arg)? {
            Value::Code(queue, index) => Some((*queue, *index)),
            _ => None,
        }
    }

    /// A file name, seen from the directory of the script.
    pub fn path(&self, arg: &str) -> Option<PathBuf> {
        self.text(arg).map(|t| self.base.join(t))
    }

    /// All values of an argument that may be repeated, with their places in the line.
    pub fn all(&self, arg: &str) -> impl Iterator<Item = (&Value, Span)> {
        let of_name = move |v: &&(&str, Value, Span)| v.0 == arg;
        self.values
            .iter()
            .filter(of_name)
            .map(|v| (&v.1, v.2.clone()))
    }

    /// Is the argument there?
    pub fn has(&self, arg: &str) -> bool {
        self.value(arg).is_some()
    }

    /// Where an argument stands; the end of the line when it is not there.
    pub fn span(&self, arg: &str) -> Span {
        let end = self.line.len();
        let found = self.values.iter().find(|v| v.0 == arg);
        found.map_or(end..end, |v| v.2.clone())
    }

    /// Where the arguments stand, from the first to the last; the end of the line when there are none.
    pub fn extent(&self) -> Span {
        let end = self.line.len();
        let start = self.values.iter().map(|v| v.2.start).min().unwrap_or(end);
        start..self.values.iter().map(|v| v.2.end).max().unwrap_or(end)
    }

    /// The text of an argument as typed.
    pub fn source(&self, arg: &str) -> &str {
        self.line.get(self.span(arg)).unwrap_or("").trim()
    }

    /// Everything behind the name of the command, as typed.
    pub fn rest(&self) -> &str {
        strip_comment(self.line.get(self.from..).unwrap_or("")).trim()
    }

    /// An error at an argument.
    pub fn error(&self, arg: &str, message: impl Into<String>) -> CmdError {
        CmdError::usage(self.span(arg), message)
    }
}

/// Why a form does not fit.
struct Misfit {
    error: CmdError,
    /// What the form takes where it stopped; empty when the error says more than that.
    wanted: Vec<String>,
}

impl<E: Into<CmdError>> From<E> for Misfit {
    fn from(e: E) -> Misfit {
        Misfit {
            error: e.into(),
            wanted: Vec::new(),
        }
    }
}

impl Misfit {
    fn reach(&self) -> usize {
        self.error.span.as_ref().map_or(0, |s| s.start)
    }
}

/// Parses what follows the name of a command, from byte `at` of the line. The first form that fits
/// wins; otherwise the error of the form that got furthest is given.
///
/// # Errors
/// A usage error with its span.
pub fn parse<'l>(
    cx: Context<'_>,
    command: &Command,
    line: &'l str,
    at: usize,
) -> Result<Args<'l>, CmdError> {
    let mut misfits: Vec<Misfit> = Vec::new();
    for form in meant(command, line) {
        match parse_form(cx, form, line, at) {
            Ok(values) => {
                let base = cx.base.to_owned();
                return Ok(Args {
                    line,
                    from: at,
                    base,
                    values,
                });
            }
            Err(e) => misfits.push(e),
        }
    }
    let reach = misfits.iter().map(Misfit::reach).max().unwrap_or(at);
    misfits.retain(|m| m.reach() == reach);
    // An error that says more than what is expected goes first.
    if misfits.len() > 1 && misfits.iter().all(|m| !m.wanted.is_empty()) {
        let wanted: Vec<&str> = misfits
            .iter()
            .flat_map(|m| &m.wanted)
            .map(String::as_str)
            .collect();
        return Err(wanted_one_of(line, reach, &wanted));
    }
    misfits.sort_by_key(|m| !m.wanted.is_empty());
    let first = misfits.into_iter().next().map(|m| m.error);
    Err(first.unwrap_or_else(|| CmdError::usage(at..at, "this command has no arguments")))
}

/// The forms that may be meant: one with a symbol such as `=` is not, where the line has none.
fn meant(command: &Command, line: &str) -> impl Iterator<Item = &'static [Arg]> {
    let possible = move |form: &&&[Arg], line: &str| {
        form.iter().all(|a| match a.form {
            Form::Literal(t) if !t.starts_with(char::is_alphabetic) => line.contains(t),
            _ => true,
        })
    };
    let forms = command.forms;
    let none = !forms.iter().any(|f| possible(&f, line));
    forms
        .iter()
        .filter(move |f| none || possible(f, line))
        .copied()
}

fn wanted_one_of(line: &str, at: usize, wanted: &[&str]) -> CmdError {
    let found = word_at(line, at).ok().flatten();
    let expected = alternatives(wanted);
    let Some(word) = found else {
        let end = line.len();
        return CmdError::usage(end..end, format!("expected {expected}, found end of line"));
    };
    let mut m = format!("expected {expected}, found `{}`", word.text);
    let literal = wanted.iter().map(|w| w.trim_matches('`'));
    if let Some(near) = nearest(&word.text, literal) {
        m.push_str(&format!("; did you mean `{near}`?"));
    }
    CmdError::usage(word.span, m)
}

type Parsed = Vec<(&'static str, Value, Span)>;

fn parse_form(cx: Context<'_>, form: &[Arg], line: &str, start: usize) -> Result<Parsed, Misfit> {
    let mut values: Parsed = Vec::new();
    let mut at = start;
    let named = |word: &Word| {
        form.iter()
            .find(|a| !word.quoted && a.word() == Some(&word.text))
    };
    // Why an optional argument was passed over, in case what stands there fits nothing else.
    let mut passed: Option<Misfit> = None;
    for arg in form.iter().filter(|a| a.word().is_none()) {
        let next = word_at(line, at)?;
        match (next, arg.form) {
            (next, Form::Literal(text)) => at = literal(line, at, next, text)?,
            (None, Form::Optional) => {}
            (None, _) => {
                let end = line.len();
                let m = format!("expected {}, found end of line", arg.kind.describe());
                return Err(Misfit {
                    error: CmdError::usage(end..end, m),
                    wanted: arg.kind.expected(),
                });
            }
            (Some(word), Form::Optional) if named(&word).is_some() => {}
            (Some(word), arg_form) => {
                let mut next = Some(word);
                while let Some(word) = next.take() {
                    match kind::parse(arg.kind, cx, line, at, arg_form) {
                        Ok((value, end)) => {
                            values.push((arg.name, value, word.span.start..end));
                            at = end;
                        }
                        Err(error) => {
                            let at_word = error
                                .span
                                .as_ref()
                                .is_some_and(|s| s.start == word.span.start);
                            let plain = at_word && error.message.starts_with("expected");
                            let wanted = if plain {
                                arg.kind.expected()
                            } else {
                                Vec::new()
                            };
                            let misfit = Misfit { error, wanted };
                            if arg_form != Form::Optional || !at_word {
                                return Err(misfit);
                            }
                            passed = Some(misfit);
                        }
                    }
                    if arg_form == Form::Rest {
                        next = word_at(line, at)?;
                    }
                }
            }
        }
    }
    while let Some(word) = word_at(line, at)? {
        let Some(arg) = named(&word) else {
            return Err(trailing(form, word, passed));
        };
        if values.iter().any(|v| v.0 == arg.name) {
            let m = format!("`{}` is given twice", word.text);
            return Err(CmdError::usage(word.span, m).into());
        }
        at = word.span.end;
        if arg.form == Form::Flag {
            values.push((arg.name, Value::Yes, word.span));
            continue;
        }
        let Some(first) = word_at(line, at)? else {
            let m = format!(
                "expected {} behind `{}`, found end of line",
                arg.kind.describe(),
                word.text
            );
            return Err(CmdError::usage(at..at, m).into());
        };
        let (value, end) = kind::parse(arg.kind, cx, line, at, arg.form)?;
        values.push((arg.name, value, first.span.start..end));
        at = end;
    }
    Ok(values)
}

/// The literal text at byte `at`; where it ends.
fn literal(line: &str, at: usize, next: Option<Word>, text: &'static str) -> Result<usize, Misfit> {
    let from = next.as_ref().map_or(line.len(), |w| w.span.start);
    let is_word = text.starts_with(char::is_alphabetic);
    let there = match &next {
        Some(w) if is_word => w.text == text && !w.quoted,
        _ => line.get(from..).unwrap_or("").starts_with(text),
    };
    if there {
        return Ok(from + text.len());
    }
    let end = next.as_ref().map_or(at.max(from), |w| w.span.end);
    let found = next.map_or("end of line".to_owned(), |w| format!("`{}`", w.text));
    Err(Misfit {
        error: CmdError::usage(from..end, format!("expected `{text}`, found {found}")),
        wanted: vec![format!("`{text}`")],
    })
}

/// The error at a word that nothing of the form takes.
fn trailing(form: &[Arg], word: Word, passed: Option<Misfit>) -> Misfit {
    let words: Vec<&'static str> = form.iter().filter_map(Arg::word).collect();
    let mut expected: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    if let Some(Misfit { error, wanted }) = passed
        && error
            .span
            .as_ref()
            .is_some_and(|s| s.start == word.span.start)
    {
        if error.message.contains("did you mean") {
            return error.into();
        }
        expected.splice(0..0, wanted);
    }
    expected.push("end of line".to_owned());
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let mut m = format!(
        "expected {}, found `{}`",
        alternatives(&expected),
        word.text
    );
    if let Some(near) = nearest(&word.text, words) {
        m.push_str(&format!("; did you mean `{near}`?"));
    }
    CmdError::usage(word.span, m).into()
}
