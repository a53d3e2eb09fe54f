//! Kinds of arguments: each has its parser, its completer and the words that describe it here.

use super::args::{Context, Moment, Value};
use super::error::CmdError;
use super::lang::{self, Word, nearest, word_at};
use super::spec::Form;
use super::{commands, lower, settings};
use crate::isa::legal::SOFT;
use crate::isa::{OpRow, Queue, table};
use crate::num::Kind;
use crate::session::{Func, Session};
use crate::sim::rules::RULES;

/// What may stand in an argument's place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ArgKind {
    /// A number, decimal or hex.
    Number,
    /// A real number.
    Real,
    /// A sequence number, `start`, `end`, or the name of a snapshot.
    Moment,
    /// An engine.
    Engine,
    /// `ENGINE:INDEX`; where it must stand, an index alone means the stream in focus.
    Code,
    /// A place; its dtype is optional.
    Place,
    /// An expression.
    Expr,
    /// What can be assigned: a register, a semaphore, an event, a place.
    Target,
    /// A place or an expression.
    Binding,
    /// An opcode, by name or byte.
    Op,
    /// The id of a finding's rule.
    Rule,
    /// A file name.
    File,
    /// The name of an array file, which ends in `.npy`.
    Array,
    /// A new name.
    Name,
    /// The key of a setting.
    Key,
    /// The value of the setting named before.
    SettingValue,
    /// The number of a breakpoint, or `all`.
    BreakId,
    /// One of these words; where it must stand, a beginning that is clear.
    Choice(&'static [&'static str]),
    /// Everything up to the end of the line.
    Text,
    /// The name of a command.
    Command,
}

/// Something that may stand where the cursor is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// A word on it; may be empty.
    pub note: String,
}

impl Candidate {
    pub(super) fn new(text: impl Into<String>, note: impl Into<String>) -> Candidate {
        Candidate {
            text: text.into(),
            note: note.into(),
        }
    }
}

impl ArgKind {
    /// What may stand there, for help and errors.
    pub fn describe(self) -> String {
        let text = match self {
            ArgKind::Number => "a number",
            ArgKind::Real => "a real number",
            ArgKind::Moment => "a sequence number, `start`, `end` or a snapshot",
            ArgKind::Engine => "an engine (pe act pool dve sp any)",
            ArgKind::Code => "a bundle such as pe:12",
            ArgKind::Place => "a place such as sbuf[0:4, 0x100+64]",
            ArgKind::Expr => "an expression",
            ArgKind::Target => "a register, `$pc`, a semaphore, an event or a place",
            ArgKind::Binding => "a place or an expression",
            ArgKind::Op => "an opcode such as MATMUL or 0x02",
            ArgKind::Rule => "the rule of a finding such as uninit-read",
            ArgKind::File => "a file name",
            ArgKind::Array => "a file name in `.npy`",
            ArgKind::Name => "a name",
            ArgKind::Key => "a setting (`info settings` lists them)",
            ArgKind::SettingValue => "a value",
            ArgKind::BreakId => "the number of a breakpoint, or `all`",
            ArgKind::Choice(_) => {
                let words = self.expected();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                return super::error::alternatives(&words);
            }
            ArgKind::Text => "text up to the end of the line",
            ArgKind::Command => "a command",
        };
        text.to_owned()
    }

    /// What may stand there, one by one.
    pub(super) fn expected(self) -> Vec<String> {
        match self {
            ArgKind::Choice(words) => words.iter().map(|w| format!("`{w}`")).collect(),
            kind => vec![kind.describe()],
        }
    }

    /// Is it read by the grammar of places and expressions?
    pub(super) const fn is_grammar(self) -> bool {
        use ArgKind::*;
        matches!(self, Place | Expr | Target | Binding)
    }

    /// What may stand there now. Files are not listed here: see [`super::complete`].
    pub(super) fn candidates(self, session: &Session, key: &str) -> Vec<Candidate> {
        let plain = |words: &[&str]| words.iter().map(|w| Candidate::new(*w, "")).collect();
        match self {
            ArgKind::Engine => Queue::ALL.into_iter().map(|q| engine(q, "")).collect(),
            ArgKind::Code => session
                .program()
                .streams
                .iter()
                .map(|s| engine(s.queue, ":"))
                .collect(),
            ArgKind::Place => places(session),
            ArgKind::Expr | ArgKind::Target | ArgKind::Binding => expressions(session),
            ArgKind::Op => table::rows()
                .map(|r| Candidate::new(r.listing_name(), r.doc))
                .collect(),
            ArgKind::Rule => {
                let found = session.all_findings();
                let told = |rule: &str| found.iter().find(|f| f.rule == rule);
                let listed = RULES.iter().map(|(rule, doc)| {
                    let note = told(rule).map_or((*doc).to_owned(), |f| f.message.clone());
                    Candidate::new(*rule, note)
                });
                // Rules of legality that a setting turns into findings.
                let other = |rule: &&str| RULES.iter().all(|(known, _)| known != rule);
                let others = found.iter().filter(|f| other(&f.rule));
                listed
                    .chain(others.map(|f| Candidate::new(f.rule, f.message.clone())))
                    .collect()
            }
            ArgKind::Moment => {
                let ends = [
                    Candidate::new("start", "seq 0"),
                    Candidate::new("end", "the end of the program"),
                ];
                let named = session.snapshots().iter();
                let named =
                    named.map(|(n, s)| Candidate::new(n.as_str(), format!("seq {}", s.mark.seq)));
                ends.into_iter().chain(named).collect()
            }
            ArgKind::Key => settings::all()
                .map(|s| Candidate::new(s.key, s.doc))
                .collect(),
            ArgKind::SettingValue => {
                let row = settings::all().find(|s| s.key == key);
                row.map_or(Vec::new(), |s| plain(s.words))
            }
            ArgKind::BreakId => session
                .stops()
                .iter()
                .map(|b| Candidate::new(b.id.to_string(), b.text.clone()))
                .chain([Candidate::new("all", "")])
                .collect(),
            ArgKind::Choice(words) => plain(words),
            ArgKind::Command => commands()
                .map(|c| Candidate::new(c.name(), c.summary))
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn engine(queue: Queue, tail: &str) -> Candidate {
    let note = queue
        .engine()
        .map_or("one stream for all", |e| e.external_name());
    Candidate::new(format!("{}{tail}", queue.name()), note)
}

fn places(session: &Session) -> Vec<Candidate> {
    let spaces = ["sbuf[", "psum[", "dram["].map(|s| Candidate::new(s, "memory"));
    let named = session.places().into_iter();
    let named = named.map(|p| Candidate::new(p.name, p.place.to_string()));
    spaces.into_iter().chain(named).collect()
}

fn expressions(session: &Session) -> Vec<Candidate> {
    let vars = lang::VARIABLES
        .iter()
        .map(|v| Candidate::new(format!("${v}"), "variable"));
    let streams = session.program().streams.iter();
    let regs = streams.map(|s| Candidate::new(format!("${}.r", s.queue.name()), "register"));
    let funcs = Func::ALL
        .iter()
        .map(|f| Candidate::new(format!("{}(", f.name()), "over a place"));
    let tables = [
        Candidate::new("sem[", "semaphore"),
        Candidate::new("evt[", "event"),
    ];
    let lets = session
        .lets()
        .keys()
        .map(|n| Candidate::new(n.clone(), "let"));
    let all = vars
        .chain(regs)
        .chain(funcs)
        .chain(tables)
        .chain(lets)
        .chain(places(session));
    let mut all: Vec<Candidate> = all.collect();
    all.dedup_by(|a, b| a.text == b.text);
    all
}

/// Parses an argument at byte `at`; gives the value and where it ends.
pub(super) fn parse(
    kind: ArgKind,
    cx: Context<'_>,
    line: &str,
    at: usize,
    form: Form,
) -> Result<(Value, usize), CmdError> {
    match kind {
        ArgKind::Place => {
            let (ast, end) = lang::place_at(line, at)?;
            Ok((Value::Place(lower::place(cx.session, &ast)?), end))
        }
        ArgKind::Expr => expression(cx, line, at),
        ArgKind::Target => {
            let (ast, end) = lang::expr_at(line, at)?;
            if !lower::assignable(&ast) {
                let m = format!("expected {}", kind.describe());
                return Err(CmdError::usage(ast.span, m));
            }
            Ok((Value::Expr(lower::expr(cx.session, &ast)?), end))
        }
        ArgKind::Binding => match lang::place_at(line, at) {
            Ok((ast, end))
                if word_at(line, end)?.is_none() && !lower::is_expr_name(cx.session, &ast) =>
            {
                Ok((Value::Place(lower::place(cx.session, &ast)?), end))
            }
            _ => expression(cx, line, at),
        },
        ArgKind::Text => {
            let rest = line.get(at..).unwrap_or("").trim();
            Ok((Value::Text(rest.to_owned()), line.len()))
        }
        _ => {
            let missing = || CmdError::usage(at..at, format!("expected {}", kind.describe()));
            let word = word_at(line, at)?.ok_or_else(missing)?;
            let value = of_word(kind, cx, &word, form)?;
            Ok((value, word.span.end))
        }
    }
}

fn expression(cx: Context<'_>, line: &str, at: usize) -> Result<(Value, usize), CmdError> {
    let (ast, end) = lang::expr_at(line, at)?;
    Ok((Value::Expr(lower::expr(cx.session, &ast)?), end))
}

/// Kinds that are one word.
fn of_word(kind: ArgKind, cx: Context<'_>, word: &Word, form: Form) -> Result<Value, CmdError> {
    let text = word.text.as_str();
    let wrong = |hint: Option<&str>| -> CmdError {
        let mut m = format!("expected {}, found `{text}`", kind.describe());
        if let Some(h) = hint {
            m.push_str(&format!("; did you mean `{h}`?"));
        }
        CmdError::usage(word.span.clone(), m)
    };
    // A word that is a number in all but its last letters has an error of its own.
    let number = || match lang::number(text) {
        Ok(n) => Ok(n),
        Err(e) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            Err(e.shifted(word.span.start).into())
        }
        Err(_) => Err(wrong(None)),
    };
    Ok(match kind {
        ArgKind::Number => Value::Number(number()?),
        ArgKind::Real => Value::Real(lang::float(text).map_err(|_| wrong(None))?),
        ArgKind::Moment => Value::Moment(match text {
            "start" => Moment::Seq(cx.session.start_seq()),
            "end" => Moment::End,
            _ if cx.session.snapshots().contains_key(text) => Moment::Snapshot(text.to_owned()),
            _ => {
                let names = cx.session.snapshots().keys().map(String::as_str);
                let near = nearest(text, names);
                Moment::Seq(number().map_err(|e| near.map_or(e, |n| wrong(Some(n))))?)
            }
        }),
        ArgKind::Engine => {
            let names = || Queue::ALL.into_iter().map(Queue::name);
            Value::Queue(Queue::parse(text).ok_or_else(|| wrong(nearest(text, names())))?)
        }
        ArgKind::Code => match text.split_once(':') {
            Some((engine, index)) => {
                let queue = Queue::parse(engine).ok_or_else(|| wrong(None))?;
                Value::Code(queue, lang::number(index).map_err(|_| wrong(None))?)
            }
            None if form == Form::Optional => return Err(wrong(None)),
            None => Value::Code(
                cx.session.focus(),
                lang::number(text).map_err(|_| wrong(None))?,
            ),
        },
        ArgKind::Op => {
            let by_byte = lang::number(text).ok().and_then(|n| u8::try_from(n).ok());
            let op = table::by_name(text).map(|r| r.byte).or(by_byte);
            let names = || table::rows().map(OpRow::listing_name);
            Value::Op(op.ok_or_else(|| wrong(nearest(text, names())))?)
        }
        ArgKind::Name if !lang::is_name(text) || word.quoted => return Err(wrong(None)),
        ArgKind::Array if !text.ends_with(".npy") => return Err(wrong(None)),
        ArgKind::Key => {
            let known = || settings::all().map(|s| s.key);
            if !known().any(|k| k == text) {
                return Err(wrong(nearest(text, known())));
            }
            Value::Text(text.to_owned())
        }
        ArgKind::BreakId if text != "all" => Value::Number(number()?),
        ArgKind::Choice(words) => Value::Text(
            choice(words, word, form).ok_or_else(|| wrong(nearest(text, words.iter().copied())))?,
        ),
        _ => Value::Text(text.to_owned()),
    })
}

/// The word itself; where one must stand, also the only one that begins so.
fn choice(words: &[&'static str], word: &Word, form: Form) -> Option<String> {
    let text = word.text.as_str();
    if word.quoted {
        return None;
    }
    if let Some(whole) = words.iter().find(|w| **w == text) {
        return Some((*whole).to_owned());
    }
    let mut fits = words
        .iter()
        .filter(|w| w.starts_with(text) && form == Form::Required);
    match (fits.next(), fits.next()) {
        (Some(one), None) => Some((*one).to_owned()),
        _ => None,
    }
}

/// Names of data types, as they may follow `as`.
pub(super) fn dtypes() -> Vec<Candidate> {
    Kind::ALL
        .iter()
        .map(|k| Candidate::new(k.name(), format!("{} bytes", k.bytes())))
        .collect()
}

/// Is a rule one that findings may have?
///
/// # Errors
/// A sentence with the nearest one.
pub fn known_rule(session: &Session, rule: &str) -> Result<(), String> {
    let known = ArgKind::Rule.candidates(session, "");
    if known.iter().any(|c| c.text == rule) || SOFT.contains(&rule) {
        return Ok(());
    }
    let near = super::lang::nearest(
        rule,
        known
            .iter()
            .map(|c| c.text.as_str())
            .chain(SOFT.iter().copied()),
    );
    let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
    Err(format!("no rule `{rule}`{hint}"))
}
