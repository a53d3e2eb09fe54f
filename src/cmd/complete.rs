//! What can be typed next: candidates at the cursor, and the usage of what is being typed.
//!
//! Derived from the forms of the commands; nothing here knows a command by name.

use std::path::Path;

use super::args::Context;
use super::kind::{self, ArgKind, Candidate};
use super::lang::{self, word_at};
use super::spec::{Arg, Form};
use super::{commands, lookup, settings};

/// Candidates and where in the line the text they replace starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// First byte that is replaced; the cursor is the end.
    pub at: usize,
    /// Sorted, without repetition.
    pub candidates: Vec<Candidate>,
}

/// Most files listed.
const MOST_FILES: usize = 1000;

/// What may stand at the cursor, byte `pos` of the line.
pub fn complete(cx: Context<'_>, line: &str, pos: usize) -> Completion {
    let text = line.get(..pos).unwrap_or(line);
    let Ok(first) = word_at(text, 0) else {
        return Completion::default();
    };
    let word = match first {
        Some(w) if w.span.end < text.len() => w,
        first => {
            let at = first.map_or(text.len(), |w| w.span.start);
            let all = commands().map(|c| Candidate::new(c.name(), c.summary));
            return filtered(text, vec![(at, all.collect())]);
        }
    };
    let Ok(command) = lookup(&word.text) else {
        return Completion::default();
    };
    let mut found = Vec::new();
    for form in command.forms {
        for next in expected(Some(cx), form, text, word.span.end) {
            found.push((next.at, list(cx, text, &next)));
        }
    }
    filtered(text, found)
}

/// Usage of the rest of the line: what the first form that fits so far still takes.
pub fn hint(line: &str) -> Option<String> {
    let word = word_at(line, 0).ok()??;
    if word.span.end == line.len() {
        return None;
    }
    let command = lookup(&word.text).ok()?;
    let open = command.forms.iter().find_map(|form| {
        let next = expected(None, form, line, word.span.end);
        let first = next.iter().find(|n| n.at == line.len())?;
        Some((form, first.arg))
    });
    let (form, arg) = open?;
    let rest = form.iter().skip(arg).map(Arg::usage);
    Some(rest.collect::<Vec<_>>().join(" "))
}

/// Keeps what begins with the text typed so far, and brings all to one start.
fn filtered(text: &str, found: Vec<(usize, Vec<Candidate>)>) -> Completion {
    let fits = |at: usize, c: &Candidate| c.text.starts_with(text.get(at..).unwrap_or(""));
    let at = found
        .iter()
        .filter(|(at, list)| list.iter().any(|c| fits(*at, c)))
        .map(|(at, _)| *at)
        .min()
        .unwrap_or(text.len());
    let mut candidates: Vec<Candidate> = Vec::new();
    for (from, list) in found {
        let front = text.get(at..from).unwrap_or("");
        let kept = list.into_iter().filter(|c| fits(from, c));
        candidates.extend(kept.map(|c| Candidate::new(format!("{front}{}", c.text), c.note)));
    }
    candidates.sort();
    candidates.dedup_by(|a, b| a.text == b.text);
    Completion { at, candidates }
}

/// Something a form takes at the cursor.
struct Next {
    /// Index of the argument in the form.
    arg: usize,
    /// Where its text, typed in part, starts.
    at: usize,
    what: What,
}

enum What {
    Kind(ArgKind),
    Word(&'static str),
    /// A data type behind `as`.
    DType,
}

/// What a form takes at the end of `text`; empty when it does not fit. With a session places and
/// expressions that are complete must mean something.
fn expected(cx: Option<Context<'_>>, form: &[Arg], text: &str, mut at: usize) -> Vec<Next> {
    let mut next = Vec::new();
    for (arg, a) in form.iter().enumerate().filter(|(_, a)| a.word().is_none()) {
        let Ok(word) = word_at(text, at) else {
            return next;
        };
        let start = word.as_ref().map_or(text.len(), |w| w.span.start);
        let what = match a.form {
            Form::Literal(l) => What::Word(l),
            _ => What::Kind(a.kind),
        };
        let optional = a.form == Form::Optional;
        let is_named = |w: &lang::Word| form.iter().any(|a| a.word() == Some(&w.text));
        if optional
            && word
                .as_ref()
                .is_some_and(|w| w.span.end < text.len() && is_named(w))
        {
            continue;
        }
        if a.kind.is_grammar() && word.is_some() {
            match grammar(text, at, a.kind) {
                Progress::Done(end) => {
                    if cx.is_some_and(|cx| kind::parse(a.kind, cx, text, at, a.form).is_err()) {
                        return next;
                    }
                    at = end;
                }
                Progress::Open { at, dtype } => {
                    let what = if dtype { What::DType } else { what };
                    next.push(Next { arg, at, what });
                    return next;
                }
                Progress::Wrong if optional => {}
                Progress::Wrong => return next,
            }
            if a.kind != ArgKind::Expr
                && word_at(text, at).is_ok_and(|w| w.is_none_or(|w| w.span.end == text.len()))
            {
                let start = word_at(text, at)
                    .ok()
                    .flatten()
                    .map_or(text.len(), |w| w.span.start);
                next.push(Next {
                    arg,
                    at: start,
                    what: What::Word("as"),
                });
            }
            continue;
        }
        let Some(word) = word.filter(|w| w.span.end < text.len()) else {
            next.push(Next {
                arg,
                at: start,
                what,
            });
            if optional {
                continue;
            }
            return next;
        };
        match (a.form, a.kind) {
            (Form::Literal(l), _) if word.text != l => return Vec::new(),
            (_, ArgKind::Text) if a.form == Form::Required => return next,
            (_, ArgKind::Choice(words)) if !words.contains(&word.text.as_str()) => {
                if !optional {
                    return Vec::new();
                }
                continue;
            }
            _ if optional && !plausible(a.kind, &word.text) => continue,
            _ => {}
        }
        at = word.span.end;
        if a.form == Form::Rest {
            let blank = |c: char| c.is_whitespace();
            let at = text.rfind(blank).map_or(at, |i| i + 1);
            let what = What::Kind(a.kind);
            next.push(Next { arg, at, what });
            return next;
        }
    }
    named(form, text, at, &mut next);
    next
}

/// May a whole word be an argument of a kind that could be left out?
fn plausible(kind: ArgKind, word: &str) -> bool {
    match kind {
        ArgKind::Number => lang::number(word).is_ok(),
        ArgKind::Code => word.contains(':'),
        ArgKind::Moment => !word.contains('['),
        _ => true,
    }
}

/// The arguments that are introduced by a word, behind the others.
fn named(form: &[Arg], text: &str, mut at: usize, next: &mut Vec<Next>) {
    let words = || {
        form.iter()
            .enumerate()
            .filter_map(|(i, a)| Some((i, a, a.word()?)))
    };
    let mut given: Vec<&str> = Vec::new();
    while let Ok(word) = word_at(text, at) {
        let open = word.as_ref().is_none_or(|w| w.span.end == text.len());
        if open {
            let at = word.map_or(text.len(), |w| w.span.start);
            let free = words().filter(|(_, _, w)| !given.contains(w));
            next.extend(free.map(|(arg, _, w)| Next {
                arg,
                at,
                what: What::Word(w),
            }));
            return;
        }
        let Some((arg, a, w)) = word.and_then(|w| words().find(|(_, _, name)| *name == w.text))
        else {
            return;
        };
        given.push(w);
        at = word_at(text, at).ok().flatten().map_or(at, |w| w.span.end);
        if a.form == Form::Flag {
            continue;
        }
        match word_at(text, at) {
            Ok(Some(_)) if a.kind.is_grammar() => match grammar(text, at, a.kind) {
                Progress::Done(end) => at = end,
                Progress::Open { at, dtype } => {
                    let what = if dtype {
                        What::DType
                    } else {
                        What::Kind(a.kind)
                    };
                    next.push(Next { arg, at, what });
                    return;
                }
                Progress::Wrong => return,
            },
            Ok(Some(w)) if w.span.end < text.len() => at = w.span.end,
            Ok(w) => {
                let at = w.map_or(text.len(), |w| w.span.start);
                next.push(Next {
                    arg,
                    at,
                    what: What::Kind(a.kind),
                });
                return;
            }
            Err(_) => return,
        }
    }
}

/// How far a place or expression got.
enum Progress {
    /// It ends before the end of the text.
    Done(usize),
    /// It reaches the end of the text; the piece being typed starts here, and is a data type or not.
    Open { at: usize, dtype: bool },
    /// It is none.
    Wrong,
}

fn grammar(text: &str, at: usize, kind: ArgKind) -> Progress {
    let end = match kind {
        ArgKind::Place => lang::place_at(text, at).map(|p| p.1),
        _ => lang::expr_at(text, at).map(|e| e.1),
    };
    let stops = |c: char| c.is_whitespace() || "()[],:+-*/%&|^~!<>=".contains(c);
    let piece = text.rfind(stops).map_or(at, |i| {
        i + text
            .get(i..)
            .and_then(|t| t.chars().next())
            .map_or(1, char::len_utf8)
    });
    let piece = piece.max(at);
    let before = text.get(at..piece).unwrap_or("").trim_end();
    let dtype = before.ends_with(" as");
    match end {
        Ok(end) if end < text.len() => Progress::Done(end),
        Err(e) if e.span.end < piece => Progress::Wrong,
        _ => Progress::Open { at: piece, dtype },
    }
}

fn list(cx: Context<'_>, text: &str, next: &Next) -> Vec<Candidate> {
    match next.what {
        What::Word(w) => vec![Candidate::new(w, "")],
        What::DType => kind::dtypes(),
        What::Kind(k @ (ArgKind::File | ArgKind::Array)) => files(
            cx.base,
            text.get(next.at..).unwrap_or(""),
            k == ArgKind::Array,
        ),
        What::Kind(k) => k.candidates(cx.session, key_before(text)),
    }
}

/// The setting named last, whose values are wanted.
fn key_before(text: &str) -> &str {
    let known = |w: &&str| settings::all().any(|s| s.key == *w);
    text.split_whitespace().rev().find(known).unwrap_or("")
}

/// Files and directories that continue a path. Names with spaces are quoted.
fn files(base: &Path, typed: &str, arrays: bool) -> Vec<Candidate> {
    let typed = typed.trim_start_matches(['"', '\'']);
    let dir = typed
        .rfind('/')
        .map_or("", |i| typed.get(..=i).unwrap_or(""));
    let Ok(entries) = base.join(if dir.is_empty() { "." } else { dir }).read_dir() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for entry in entries.flatten().take(MOST_FILES) {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let is_dir = entry.path().is_dir();
        let hidden = name.starts_with('.') && !typed.ends_with('.');
        if hidden || (arrays && !is_dir && !name.ends_with(".npy")) {
            continue;
        }
        let path = format!("{dir}{name}{}", if is_dir { "/" } else { "" });
        let quoted = path.contains(|c: char| c.is_whitespace() || "#'\"".contains(c));
        all.push(Candidate::new(
            if quoted { format!("'{path}'") } else { path },
            "",
        ));
    }
    all
}
