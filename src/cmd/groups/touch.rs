//! Who touched what.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Access, Actor, Session, Touch, Touches};

const PLACE: Arg = Arg::required("place", ArgKind::Place);
const COUNT: Arg = Arg::keyword("count", "n", ArgKind::Number);

/// Accesses listed when no count is given.
const ACCESSES: u64 = 64;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["who"],
        group: Group::Inspect,
        summary: "name the last writers of a place",
        help: "Newest first: each wrote a byte that nobody wrote after it. At most 64, unless `count N` says otherwise.",
        examples: &[("who sbuf[0, 0:64]", "nobody yet")],
        forms: &[&[PLACE, COUNT]],
        run: Run::Read(who),
    },
    Command {
        names: &["writes"],
        group: Group::Inspect,
        summary: "list everything that stored to a place",
        help: "Oldest first. At most 64, unless `count N` says otherwise.",
        examples: &[(
            "writes psum[0, bank 2]",
            "stores to a bank of one partition",
        )],
        forms: &[&[PLACE, COUNT]],
        run: Run::Read(writes),
    },
    Command {
        names: &["reads"],
        group: Group::Inspect,
        summary: "list everything that read a place",
        help: "Oldest first. At most 64, unless `count N` says otherwise.",
        examples: &[("reads sbuf[0, 0:64]", "reads of 64 bytes of a partition")],
        forms: &[&[PLACE, COUNT]],
        run: Run::Read(reads),
    },
];

fn most(a: &Args<'_>) -> usize {
    usize::try_from(a.number("n").unwrap_or(ACCESSES)).unwrap_or(usize::MAX)
}

fn who(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let Some(place) = a.place("place") else {
        return Ok(Output::none());
    };
    let touches = s
        .who(&place, most(a))
        .map_err(|e| CmdError::from(e).at(a.span("place")))?;
    Ok(accesses(s, "who", &touches))
}

fn writes(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let place = a.place("place");
    Ok(place.map_or_else(Output::none, |p| {
        accesses(s, "writes", &s.writes(&p, most(a)))
    }))
}

fn reads(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let place = a.place("place");
    Ok(place.map_or_else(Output::none, |p| {
        accesses(s, "reads", &s.reads(&p, most(a)))
    }))
}

/// The answer of `who`, `writes` and `reads` (interface §4).
fn accesses(s: &Session, key: &'static str, touches: &Touches) -> Output {
    let mut lines: Vec<Line> = touches
        .list
        .iter()
        .map(|t| access_line(s, key, t))
        .collect();
    if lines.is_empty() {
        lines.push(
            Line::toned(Tone::Key, key)
                .then(Tone::Plain, ": ")
                .then(Tone::Dim, "nobody"),
        );
    }
    if touches.more {
        lines.push(Line::pair("more", "there are more; `count N` shows N"));
    }
    if touches.rest > 0 && !touches.list.is_empty() {
        lines.push(Line::pair(
            "rest",
            format!("{} bytes that none of them wrote", touches.rest),
        ));
    }
    if touches.known_from > 0 {
        let text = format!(
            "accesses before seq {} are no longer known",
            touches.known_from
        );
        lines.push(Line::pair("note", text));
    }
    let list = touches.list.iter().map(|t| access_data(s, t));
    Output::new(
        lines,
        Data::Map(vec![
            ("accesses", Data::List(list.collect())),
            ("more", touches.more.into()),
            ("known_from", touches.known_from.into()),
        ]),
    )
}

fn place_text(t: &Touch) -> String {
    t.bounds()
        .map_or(String::new(), |r| show::place_of(&r, None).to_string())
}

fn actor(t: &Touch) -> &'static str {
    match t.actor {
        Actor::Bundle => "bundle",
        Actor::Transfer => "transfer",
        Actor::Edit => "edit",
    }
}

/// `who: seq 12 pe:3 MATMUL ...; sbuf[...]`
fn access_line(s: &Session, key: &str, t: &Touch) -> Line {
    let mut line = Line::toned(Tone::Key, key)
        .then(Tone::Plain, ": ")
        .then(Tone::Place, format!("seq {} ", t.seq));
    if t.actor != Actor::Bundle {
        line = line.then(Tone::Value, format!("{} ", actor(t)));
    }
    if let Some(queue) = t.queue {
        line.0.extend(show::bundle(s, queue, t.index).0);
        line = line.then(Tone::Plain, " ");
    }
    line.then(Tone::Place, place_text(t))
}

fn access_data(s: &Session, t: &Touch) -> Data {
    let mut map = vec![("seq", t.seq.into())];
    match t.queue {
        Some(queue) => {
            map.extend(show::bundle_data(queue, t.engine, t.index));
            map.push(("text", show::listing(s, queue, t.index).into()));
        }
        None => map.extend([
            ("engine", Data::Null),
            ("index", Data::Null),
            ("text", actor(t).into()),
        ]),
    }
    let kind = match t.access {
        Access::Read => "read",
        Access::Write => "write",
    };
    map.extend([
        ("kind", kind.into()),
        ("place", place_text(t).into()),
        ("actor", actor(t).into()),
    ]);
    Data::Map(map)
}
