//! Who touched what.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Access, Actor, Question, Session, SessionError, Side, Touch, Touches};
use crate::sim::Rect;

const PLACE: Arg = Arg::required("place", ArgKind::Place);
const COUNT: Arg = Arg::keyword("count", "n", ArgKind::Number);
const FROM: Arg = Arg::keyword("from", "from", ArgKind::Moment);
const TO: Arg = Arg::keyword("to", "to", ArgKind::Moment);
const WHICH: Arg = Arg::required("which", ArgKind::Choice(&["first", "last", "count"]));

/// Accesses listed when no count is given.
const ACCESSES: u64 = 64;
/// Ranges of an access that a line shows.
const RANGES: usize = 6;

const HELP: &str = "Oldest first, at most 64 unless `count N` says otherwise. `first` and `last` show one, `count` says how many there are. \
                    Without `from` as far back as the log holds; an earlier `from` runs that part again, and the present point stays \
                    where it is. `to` leaves out what began there or later.";

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["who"],
        group: Group::Inspect,
        summary: "name the last writers of a place",
        help: "Newest first, each with the bytes that nobody wrote after it. `-n N` gives the last N writers of every byte. At most 64 \
               lines, unless `count N` says otherwise. Reaches as far back as `goto` does.",
        examples: &[
            ("who sbuf[0, 0:64]", "nobody yet"),
            ("who sbuf[0, 0:64] -n 3", "the last three of each byte"),
        ],
        forms: &[&[PLACE, Arg::keyword("-n", "depth", ArgKind::Number), COUNT]],
        run: Run::Edit(who),
    },
    Command {
        names: &["writes"],
        group: Group::Inspect,
        summary: "list everything that stored to a place",
        help: HELP,
        examples: &[
            (
                "writes psum[0, bank 2]",
                "stores to a bank of one partition",
            ),
            ("writes sbuf[0, 0:64] first", "the first of all"),
        ],
        forms: &[&[PLACE, WHICH, FROM, TO], &[PLACE, FROM, TO, COUNT]],
        run: Run::Edit(writes),
    },
    Command {
        names: &["reads"],
        group: Group::Inspect,
        summary: "list everything that read a place",
        help: HELP,
        examples: &[("reads sbuf[0, 0:64]", "reads of 64 bytes of a partition")],
        forms: &[&[PLACE, WHICH, FROM, TO], &[PLACE, FROM, TO, COUNT]],
        run: Run::Edit(reads),
    },
];

fn most(a: &Args<'_>) -> usize {
    usize::try_from(a.number("n").unwrap_or(ACCESSES)).unwrap_or(usize::MAX)
}

fn who(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let Some(place) = a.place("place") else {
        return Ok(Output::none());
    };
    let depth = usize::try_from(a.number("depth").unwrap_or(1)).unwrap_or(usize::MAX);
    if depth == 0 {
        return Err(a.error("depth", "expected at least 1, found 0".to_owned()));
    }
    let touches = s
        .writers(&place, depth, most(a))
        .map_err(|e| CmdError::from(e).at(a.span("place")))?;
    let mut answer = accesses(s, "who", &touches);
    let untouched = touches.list.is_empty() && touches.known_from == 0;
    if untouched && s.state().unwritten(&place.rect()) < place.bytes() {
        // Written all the same: by what came before the first bundle.
        let text = match s.start_seq() {
            0 => "it holds initial data".to_owned(),
            start => format!("it was written before seq {start}, where the state was saved"),
        };
        answer.lines.push(Line::pair("note", text));
    }
    Ok(answer)
}

fn writes(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    all(s, a, "writes", Access::Write)
}

fn reads(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    all(s, a, "reads", Access::Read)
}

fn all(
    s: &mut Session,
    a: &Args<'_>,
    key: &'static str,
    access: Access,
) -> Result<Output, CmdError> {
    let Some(place) = a.place("place") else {
        return Ok(Output::none());
    };
    let which = a.text("which");
    let seq = |name: &str| match super::diff::side(s, a.moment(name)) {
        Side::Now => Ok(None),
        Side::Seq(seq) => Ok(Some(seq)),
        Side::Snapshot(snapshot) => match s.snapshots().get(&snapshot) {
            Some(snapshot) => Ok(Some(snapshot.mark.seq)),
            None => Err(CmdError::from(SessionError::NoSnapshot(snapshot)).at(a.span(name))),
        },
    };
    let (from, to) = (seq("from")?, seq("to")?);
    let everything = which.is_some().then(|| s.start_seq());
    let question = Question {
        access,
        from: from.or(everything.filter(|_| which.as_deref() != Some("last"))),
        to,
        most: which.as_ref().map_or(most(a), |_| 1),
        last: which.as_deref() == Some("last"),
    };
    let mut touches = s
        .accesses(&place, &question)
        .map_err(|e| CmdError::from(e).at(a.span("place")))?;
    match which.as_deref() {
        Some("count") => {
            let lines = vec![Line::pair(key, touches.total.to_string())];
            let data = vec![
                ("count", touches.total.into()),
                ("known_from", touches.known_from.into()),
            ];
            return Ok(Output::new(lines, Data::Map(data)));
        }
        Some(_) => touches.more = false,
        None => {}
    }
    Ok(accesses(s, key, &touches))
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
        let (shown, all) = (touches.list.len(), touches.total);
        lines.push(Line::pair(
            "more",
            format!("{shown} of {all}; `count N` shows N"),
        ));
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
    let mut data = vec![
        ("accesses", Data::List(list.collect())),
        ("more", touches.more.into()),
        ("known_from", touches.known_from.into()),
    ];
    if touches.more {
        data.push(("total", touches.total.into()));
    }
    Output::new(lines, Data::Map(data))
}

/// Ranges, the first few of many.
pub(super) fn places_text(ranges: &[Rect]) -> String {
    let shown = ranges.iter().take(RANGES);
    let shown: Vec<String> = shown.map(|r| show::place_of(r, None).to_string()).collect();
    let more = ranges.len().saturating_sub(RANGES);
    match more {
        0 => shown.join(", "),
        n => format!("{}, and {n} more ranges", shown.join(", ")),
    }
}

/// The smallest place around all ranges.
fn bounds_text(t: &Touch) -> String {
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
    let mut line = Line::toned(Tone::Key, key).then(Tone::Plain, ": ");
    line.0.extend(bundle_line(s, t).0);
    line.then(Tone::Place, places_text(&t.ranges))
}

/// `seq 12 pe:3 MATMUL ...; `
pub(super) fn bundle_line(s: &Session, t: &Touch) -> Line {
    let mut line = Line::toned(Tone::Place, format!("seq {} ", t.seq));
    if t.actor != Actor::Bundle {
        line = line.then(Tone::Value, format!("{} ", actor(t)));
    }
    if let Some(queue) = t.queue {
        line.0.extend(show::bundle(s, queue, t.index).0);
        line = line.then(Tone::Plain, " ");
    }
    line
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
        ("place", bounds_text(t).into()),
        ("actor", actor(t).into()),
    ]);
    if t.ranges.len() > 1 {
        let all = t
            .ranges
            .iter()
            .map(|r| show::place_of(r, None).to_string().into());
        map.push(("ranges", Data::List(all.collect())));
    }
    Data::Map(map)
}
