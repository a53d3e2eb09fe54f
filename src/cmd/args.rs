//! Arguments: each kind bundles its parser, its completer and the words that describe it.

use super::error::CmdError;
use super::lang::{self, ParseError, Span, nearest, word_at};
use super::lower;
use super::spec::{Arg, Command, Form};
use crate::isa::{OpRow, Queue, table};
use crate::num::Kind;
use crate::session::{Expr, Place, Session};

/// What may stand in an argument's place.
#[derive(Clone, Copy, Debug)]
pub enum ArgKind {
    /// A number, decimal or hex.
    Number,
    /// A real number.
    Real,
    /// A sequence number, `start`, `end`, or the name of a snapshot.
    Moment,
    /// An engine.
    Engine,
    /// `ENGINE:INDEX`, or an index in the stream in focus.
    Code,
    /// A place; its dtype is optional.
    Place,
    /// A data type.
    DType,
    /// An expression.
    Expr,
    /// What can be assigned: a register, a semaphore, an event, a place.
    Target,
    /// A place or an expression.
    Binding,
    /// An opcode, by name or byte.
    Op,
    /// A file name.
    File,
    /// A new name.
    Name,
    /// The key of a setting.
    Key,
    /// The value of the setting named before.
    SettingValue,
    /// The number of a breakpoint, or `all`.
    BreakId,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Everything up to the end of the line.
    Text,
    /// The name of a command.
    Command,
}

/// A parsed argument.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A real number.
    Real(f64),
    /// An engine's stream.
    Queue(Queue),
    /// A bundle of the program; `None`: the stream in focus.
    Code(Option<Queue>, u64),
    /// A place.
    Place(Place),
    /// A data type.
    DType(Kind),
    /// An expression.
    Expr(Expr),
    /// An opcode.
    Op(u8),
    /// A word or text.
    Text(String),
    /// A flag is there.
    Yes,
}

/// The parsed arguments of a command line.
#[derive(Debug)]
pub struct Args<'l> {
    /// The line.
    pub line: &'l str,
    values: Vec<(&'static str, Value, Span)>,
}

macro_rules! getters {
    ($($(#[doc = $doc:literal])* $name:ident: $variant:ident -> $ty:ty, $get:expr;)*) => {$(
        $(#[doc = $doc])*
        pub fn $name(&self, arg: &str) -> Option<$ty> {
            match self.value(arg)? {
                Value::$variant(v) => Some($get(v)),
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
        number: Number -> u64, |v: &u64| *v;
        /// A real number.
        real: Real -> f64, |v: &f64| *v;
        /// An engine's stream.
        queue: Queue -> Queue, |v: &Queue| *v;
        /// A place.
        place: Place -> Place, |v: &Place| *v;
        /// A data type.
        dtype: DType -> Kind, |v: &Kind| *v;
        /// An expression.
        expr: Expr -> Expr, Expr::clone;
        /// An opcode byte.
        op: Op -> u8, |v: &u8| *v;
        /// A word or text.
        text: Text -> String, String::clone;
    }

    /// A bundle of the program, the stream in focus filled in.
    pub fn code(&self, session: &Session, arg: &str) -> Option<(Queue, u64)> {
        match self.value(arg)? {
            Value::Code(queue, index) => Some((queue.unwrap_or_else(|| session.focus()), *index)),
            _ => None,
        }
    }

    /// Is the argument there?
    pub fn has(&self, arg: &str) -> bool {
        self.value(arg).is_some()
    }

    /// Where an argument stands; the end of the line when it is not there.
    pub fn span(&self, arg: &str) -> Span {
        let end = self.line.len();
        self.values
            .iter()
            .find(|v| v.0 == arg)
            .map_or(end..end, |v| v.2.clone())
    }

    /// The text of an argument as typed.
    pub fn source(&self, arg: &str) -> &str {
        self.line.get(self.span(arg)).unwrap_or("").trim()
    }

    /// An error at an argument.
    pub fn error(&self, arg: &str, message: impl Into<String>) -> CmdError {
        CmdError::usage(self.span(arg), message)
    }
}

/// Parses what follows the name of a command, from byte `at` of the line. The first form that fits
/// wins; otherwise the error of the form that got furthest is given.
///
/// # Errors
/// A usage error with its span.
pub fn parse<'l>(session: &Session, command: &Command, line: &'l str, at: usize) -> Result<Args<'l>, CmdError> {
    let mut best: Option<CmdError> = None;
    for form in command.forms {
        match parse_form(session, form, line, at) {
            Ok(values) => return Ok(Args { line, values }),
            Err(e) => {
                let reach = |e: &CmdError| e.span.as_ref().map_or(0, |s| s.start);
                if best.as_ref().is_none_or(|b| reach(&e) > reach(b)) {
                    best = Some(e);
                }
            }
        }
    }
    Err(best.unwrap_or_else(|| CmdError::usage(at..at, "this command takes no arguments")))
}

type Parsed = Vec<(&'static str, Value, Span)>;

fn parse_form(session: &Session, form: &[Arg], line: &str, start: usize) -> Result<Parsed, CmdError> {
    let mut values: Parsed = Vec::new();
    let mut at = start;
    let named = |text: &str| form.iter().find(|a| keyword(a) == Some(text));
    for arg in form.iter().filter(|a| keyword(a).is_none()) {
        let next = word_at(line, at)?;
        let is_named = next.as_ref().is_some_and(|w| !w.quoted && named(&w.text).is_some());
        let optional = arg.form == Form::Optional;
        match (&next, arg.form) {
            (_, Form::Literal(text)) => {
                let rest = line.get(at..).unwrap_or("");
                let skipped = rest.len() - rest.trim_start().len();
                let from = at + skipped;
                if !rest.trim_start().starts_with(text) {
                    return Err(expected(line, from, text));
                }
                at = from + text.len();
            }
            (None, _) if optional => {}
            (None, _) => {
                let end = line.len();
                return Err(CmdError::usage(end..end, format!("{} is missing: {}", arg.name, arg.kind.describe())));
            }
            (Some(_), _) if is_named && optional => {}
            (Some(word), _) => match arg.kind.parse(session, line, at, &values) {
                Ok((value, end)) => {
                    values.push((arg.name, value, word.span.start..end));
                    at = end;
                }
                // An optional choice that does not stand here leaves the word to what follows.
                Err(_) if optional && matches!(arg.kind, ArgKind::Choice(_)) => {}
                Err(e) => return Err(e),
            },
        }
    }
    while let Some(word) = word_at(line, at)? {
        let Some(arg) = named(&word.text).filter(|_| !word.quoted) else {
            let mut e = ParseError::new(word.span.clone(), format!("`{}`", word.text), &["end of line"]);
            let words: Vec<&'static str> = form.iter().filter_map(keyword).collect();
            if !words.is_empty() {
                e = ParseError::new(word.span.clone(), format!("`{}`", word.text), &words);
                e = e.suggesting(&word.text, words.iter().copied());
            }
            return Err(e.into());
        };
        if values.iter().any(|v| v.0 == arg.name) {
            return Err(CmdError::usage(word.span, format!("`{}` is given twice", word.text)));
        }
        at = word.span.end;
        if arg.form == Form::Flag {
            values.push((arg.name, Value::Yes, word.span));
            continue;
        }
        if word_at(line, at)?.is_none() {
            let m = format!("`{}` wants {}", word.text, arg.kind.describe());
            return Err(CmdError::usage(at..at, m));
        }
        let (value, end) = arg.kind.parse(session, line, at, &values)?;
        values.push((arg.name, value, at..end));
        at = end;
    }
    Ok(values)
}

/// The word that introduces a keyword argument or is a flag.
fn keyword(arg: &Arg) -> Option<&'static str> {
    match arg.form {
        Form::Keyword(word) => Some(word),
        Form::Flag => Some(arg.name),
        _ => None,
    }
}

fn expected(line: &str, at: usize, text: &'static str) -> CmdError {
    match word_at(line, at) {
        Ok(Some(w)) => ParseError::new(w.span, format!("`{}`", w.text), &[text]).into(),
        _ => CmdError::usage(at..at, format!("found the end of the line, expected `{text}`")),
    }
}

impl ArgKind {
    /// What may stand there, for help and errors.
    pub fn describe(self) -> String {
        match self {
            ArgKind::Number => "a number".into(),
            ArgKind::Real => "a real number".into(),
            ArgKind::Moment => "a sequence number, `start`, `end` or a snapshot".into(),
            ArgKind::Engine => "an engine (pe act pool dve sp)".into(),
            ArgKind::Code => "a bundle, e.g. pe:12".into(),
            ArgKind::Place => "a place, e.g. sbuf[0:4, 0x100+64]".into(),
            ArgKind::DType => "a data type, e.g. bf16".into(),
            ArgKind::Expr => "an expression".into(),
            ArgKind::Target => "a register, semaphore, event or place".into(),
            ArgKind::Binding => "a place or an expression".into(),
            ArgKind::Op => "an opcode, e.g. MATMUL or 0x02".into(),
            ArgKind::File => "a file name".into(),
            ArgKind::Name => "a name".into(),
            ArgKind::Key => "a setting (see `info settings`)".into(),
            ArgKind::SettingValue => "a value of the setting".into(),
            ArgKind::BreakId => "the number of a breakpoint, or `all`".into(),
            ArgKind::Choice(words) => words.join(" | "),
            ArgKind::Text => "text up to the end of the line".into(),
            ArgKind::Command => "a command".into(),
        }
    }

    /// Parses the argument at byte `at`; gives the value and where it ends.
    fn parse(self, session: &Session, line: &str, at: usize, before: &Parsed) -> Result<(Value, usize), CmdError> {
        match self {
            ArgKind::Place => {
                let (ast, end) = lang::place_at(line, at)?;
                return Ok((Value::Place(lower::place(session, &ast)?), end));
            }
            ArgKind::Expr | ArgKind::Target => {
                let (ast, end) = lang::expr_at(line, at)?;
                if matches!(self, ArgKind::Target) && !lower::assignable(&ast) {
                    return Err(CmdError::usage(ast.span, format!("expected {}", self.describe())));
                }
                return Ok((Value::Expr(lower::expr(session, &ast)?), end));
            }
            ArgKind::Binding => {
                if let Ok((ast, end)) = lang::place_at(line, at)
                    && word_at(line, end)?.is_none()
                {
                    return Ok((Value::Place(lower::place(session, &ast)?), end));
                }
                let (ast, end) = lang::expr_at(line, at)?;
                return Ok((Value::Expr(lower::expr(session, &ast)?), end));
            }
            ArgKind::Text => {
                let rest = line.get(at..).unwrap_or("").trim();
                return Ok((Value::Text(rest.to_owned()), line.len()));
            }
            _ => {}
        }
        let word = word_at(line, at)?
            .ok_or_else(|| CmdError::usage(at..at, format!("expected {}", self.describe())))?;
        let wrong = |hint: Option<&str>| -> CmdError {
            let mut m = format!("found `{}`, expected {}", word.text, self.describe());
            if let Some(h) = hint {
                m.push_str(&format!("; did you mean `{h}`?"));
            }
            CmdError::usage(word.span.clone(), m)
        };
        let text = word.text.as_str();
        let value = match self {
            ArgKind::Number => Value::Number(lang::number(text).map_err(|e| CmdError::from(e.shifted(word.span.start)))?),
            ArgKind::Real => Value::Real(lang::float(text).map_err(|e| CmdError::from(e.shifted(word.span.start)))?),
            ArgKind::Moment => {
                let seq = match text {
                    "start" => Some(0),
                    "end" => Some(u64::MAX),
                    _ => session.snapshot(text).or_else(|| lang::number(text).ok()),
                };
                Value::Number(seq.ok_or_else(|| wrong(nearest(text, session.snapshots().map(|s| s.0))))?)
            }
            ArgKind::Engine => Value::Queue(Queue::parse(text).ok_or_else(|| wrong(nearest(text, engine_names())))?),
            ArgKind::Code => {
                let (queue, index) = match text.split_once(':') {
                    Some((e, i)) => (Some(Queue::parse(e).ok_or_else(|| wrong(None))?), i),
                    None => (None, text),
                };
                Value::Code(queue, lang::number(index).map_err(|_| wrong(None))?)
            }
            ArgKind::DType => Value::DType(Kind::parse(text).ok_or_else(|| wrong(nearest(text, Kind::ALL.iter().map(|k| k.name()))))?),
            ArgKind::Op => {
                let by_byte = lang::number(text).ok().and_then(|n| u8::try_from(n).ok());
                let op = table::by_name(text).map(|r| r.byte).or(by_byte);
                Value::Op(op.ok_or_else(|| wrong(nearest(text, table::rows().map(OpRow::listing_name))))?)
            }
            ArgKind::Name => {
                if !lang::is_name(text) {
                    return Err(wrong(None));
                }
                Value::Text(text.to_owned())
            }
            ArgKind::Key => {
                let known = || session.setting_keys();
                if !known().any(|k| k == text) {
                    return Err(wrong(nearest(text, known())));
                }
                Value::Text(text.to_owned())
            }
            ArgKind::SettingValue => {
                let _ = before;
                Value::Text(text.to_owned())
            }
            ArgKind::BreakId if text == "all" => Value::Text("all".to_owned()),
            ArgKind::BreakId => Value::Number(lang::number(text).map_err(|_| wrong(None))?),
            ArgKind::Choice(words) => {
                let found = words.iter().find(|w| **w == text && !word.quoted);
                Value::Text((*found.ok_or_else(|| wrong(nearest(text, words.iter().copied())))?).to_owned())
            }
            _ => Value::Text(text.to_owned()),
        };
        Ok((value, word.span.end))
    }
}

/// Names of all streams.
pub fn engine_names() -> impl Iterator<Item = &'static str> {
    Queue::ALL.into_iter().map(Queue::name)
}
