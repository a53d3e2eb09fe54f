//! Why a run stopped: what, where, who, and what it changed. And what was found on the way.

use super::output::{Data, Line, Output, Tone};
use super::show::{bundle, bundle_data, code, dropped, element, listing, place_of};
use super::waiting::{knot_data, knots, lasso, lasso_data, stuck, stuck_data};
use crate::isa::{Queue, Severity};
use crate::num;
use crate::session::{Hit, Session, Stop, StopKind};
use crate::sim::{Runs, StepKind};

/// Ranges listed at most.
const MOST_RANGES: usize = 8;

/// The output of a run that stopped, with the lines logged on the way.
pub fn output(session: &Session, stop: &Stop, log: Vec<String>) -> Output {
    let mut lines: Vec<Line> = log.iter().map(|l| Line::pair("log", l.as_str())).collect();
    lines.push(headline(session, stop));
    lines.extend(stop.detail.hits.iter().map(change));
    lines.extend(stop.detail.lasso.iter().map(|l| lasso(l)));
    lines.extend(stop.detail.blocked.iter().flat_map(stuck));
    lines.extend(knots(&stop.detail.knots));
    if let Some(text) = stop
        .detail
        .text
        .as_deref()
        .filter(|_| stop.kind != StopKind::Limit)
    {
        lines.push(Line::pair("note", text));
    }
    lines.push(Line::pair("seq", session.seq().to_string()));
    let wrote = wrote(session, stop);
    if !wrote.is_empty() {
        lines.push(Line::pair("wrote", wrote.join(" ")));
    }
    lines.extend(dropped(stop.detail.lost));
    let mut map = vec![
        ("wrote", wrote.into()),
        ("dropped", stop.detail.lost.into()),
    ];
    if !log.is_empty() {
        map.push(("log", log.into()));
    }
    Output::new(lines, Data::Map(map))
}

/// The first line: the kind of the stop, and what it names.
pub fn headline(session: &Session, stop: &Stop) -> Line {
    let tone = match stop.kind {
        StopKind::Fault | StopKind::Deadlock | StopKind::Blocked => Tone::Bad,
        StopKind::Break | StopKind::Watch => Tone::Warn,
        _ => Tone::Value,
    };
    let mut line = Line::toned(Tone::Key, "stop")
        .then(Tone::Plain, ": ")
        .then(tone, stop.kind.name());
    for id in &stop.detail.breaks {
        line = line.then(Tone::Place, format!(" #{id}"));
    }
    let at = |line: Line, word: &str| match stop.queue {
        Some(queue) if listing(session, queue, stop.index).is_empty() => line
            .then(Tone::Plain, " at the end of ")
            .then(Tone::Place, queue.name()),
        Some(queue) => {
            let mut line = line.then(Tone::Plain, format!(" {word}"));
            line.0.extend(bundle(session, queue, stop.index).0);
            line
        }
        None => line,
    };
    match (stop.kind, stop.detail.hits.first(), &stop.detail.fault) {
        (StopKind::Watch, Some(hit), _) => {
            let line = line.then(
                Tone::Place,
                format!(" {}", place_of(&hit.range, hit.place.dtype)),
            );
            at(line, &format!("{} by ", past(hit)))
        }
        (_, _, Some(fault)) => {
            let line = line.then(Tone::Place, format!(" {}", code(fault.queue, fault.index)));
            let operand = fault.operand.map_or(String::new(), |o| format!("{o}: "));
            line.then(Tone::Bad, format!(" {}", fault.rule))
                .then(Tone::Plain, format!(": {operand}{}", fault.message))
        }
        (StopKind::Deadlock | StopKind::Start, ..) => line,
        (StopKind::Exit, ..) => at(line, "after "),
        (StopKind::Limit, ..) => {
            let text = stop.detail.text.as_deref().unwrap_or_default();
            line.then(Tone::Plain, format!(" {text}"))
        }
        _ => at(line, ""),
    }
}

fn past(hit: &Hit) -> &'static str {
    match hit.access {
        crate::session::Access::Read => "read",
        crate::session::Access::Write => "written",
    }
}

/// `change: sbuf[0, 0x100+4] as fp32 0.0 -> 1.5`
fn change(hit: &Hit) -> Line {
    let kind = hit.kind();
    let (old, new) = hit.bits();
    let place = place_of(&hit.element, Some(kind));
    let line = Line::toned(
        Tone::Key,
        if past(hit) == "read" {
            "value"
        } else {
            "change"
        },
    )
    .then(Tone::Plain, ": ")
    .then(Tone::Place, place.to_string())
    .then(Tone::Plain, " ");
    let now = num::show(kind, new);
    match (past(hit), old) {
        ("read", _) => line.then(Tone::Value, now),
        (_, Some(old)) => line.then(Tone::Value, format!("{} -> {now}", num::show(kind, old))),
        (_, None) => line.then(Tone::Value, format!("? -> {now}")),
    }
}

/// What the bundle named by a forward stop wrote.
fn wrote(session: &Session, stop: &Stop) -> Vec<String> {
    let journal = session.machine().journal();
    // A stop before its bundle, and one after a backward move, names the bundle to come.
    let last = journal
        .position()
        .checked_sub(1)
        .and_then(|at| Some((at, journal.record(at)?)));
    let Some((at, record)) = last else {
        return Vec::new();
    };
    if record.head.kind != StepKind::Retire || record.seq != stop.seq || stop.queue.is_none() {
        return Vec::new();
    }
    // A large store is several effects; what follows the one before, or lies inside it, is no range of its own.
    let mut joined: Vec<Runs> = Vec::new();
    for runs in journal.effects(at).filter_map(|e| e.runs()) {
        runs.push_onto(&mut joined);
    }
    let shown = joined.iter().take(MOST_RANGES);
    let mut ranges: Vec<String> = shown
        .map(|r| place_of(&r.bounds(), None).to_string())
        .collect();
    if joined.len() > MOST_RANGES {
        ranges.push("...".to_owned());
    }
    ranges
}

/// The `stop` object of interface §4.
pub fn data(session: &Session, stop: &Stop) -> Data {
    let mut map = vec![("kind", stop.kind.name().into()), ("seq", stop.seq.into())];
    match stop.queue {
        Some(queue) => {
            map.extend(bundle_data(queue, stop.engine, stop.index));
            map.push(("text", listing(session, queue, stop.index).into()));
        }
        None => map.extend([("engine", Data::Null), ("index", Data::Null)]),
    }
    map.push(("detail", detail(stop)));
    Data::Map(map)
}

fn detail(stop: &Stop) -> Data {
    let d = &stop.detail;
    let mut map = Vec::new();
    if !d.breaks.is_empty() {
        map.push(("breaks", d.breaks.clone().into()));
    }
    if !d.hits.is_empty() {
        map.push(("hits", Data::List(d.hits.iter().map(hit).collect())));
    }
    if let Some(f) = &d.fault {
        map.push(("rule", f.rule.into()));
        map.push(("operand", f.operand.into()));
        map.push(("message", f.message.as_str().into()));
    }
    if !d.blocked.is_empty() {
        map.push((
            "waits",
            Data::List(d.blocked.iter().flat_map(stuck_data).collect()),
        ));
    }
    if !d.knots.is_empty() {
        map.push((
            "causes",
            Data::List(d.knots.iter().map(knot_data).collect()),
        ));
    }
    if let Some(l) = &d.lasso {
        map.push(("loop", lasso_data(l)));
    }
    if let Some(text) = &d.text {
        map.push(("note", text.as_str().into()));
    }
    Data::Map(map)
}

fn hit(hit: &Hit) -> Data {
    let kind = hit.kind();
    let (old, new) = hit.bits();
    Data::Map(vec![
        ("id", hit.id.into()),
        ("place", hit.place.to_string().into()),
        ("access", hit.access.name().into()),
        ("range", place_of(&hit.range, None).to_string().into()),
        (
            "element",
            place_of(&hit.element, Some(kind)).to_string().into(),
        ),
        ("old", old.map_or(Data::Null, |b| element(kind, b))),
        ("new", element(kind, new)),
    ])
}

/// A bundle that caused a finding.
pub struct Cause {
    /// Its sequence number; `None` when nothing was executed.
    pub seq: Option<u64>,
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
}

/// All findings of one rule, of a run or of a check.
pub struct Finding<'m> {
    /// The rule.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How often.
    pub count: u64,
    /// The first cause.
    pub first: Cause,
    /// The last one.
    pub last: Cause,
    /// What was found the first time.
    pub message: &'m str,
}

/// The table of findings, as interface §4 has it.
pub fn findings<'m>(all: impl Iterator<Item = Finding<'m>>) -> Output {
    let at = |c: &Cause| {
        let named = [("engine", c.queue.name().into()), ("index", c.index.into())];
        Data::Map([("seq", c.seq.into())].into_iter().chain(named).collect())
    };
    let row = |f: Finding<'_>| {
        let tone = match f.severity {
            Severity::Error => Tone::Bad,
            Severity::Warn => Tone::Warn,
            Severity::Info => Tone::Plain,
        };
        let times = if f.count == 1 {
            String::new()
        } else {
            format!(" x{}", f.count)
        };
        let line = Line::toned(tone, f.severity.name())
            .then(Tone::Plain, ": ")
            .then(Tone::Value, format!("{}{times}", f.rule))
            .then(
                Tone::Place,
                format!(" {}", code(f.first.queue, f.first.index)),
            )
            .then(Tone::Plain, format!(" {}", f.message));
        let data = Data::Map(vec![
            ("rule", f.rule.into()),
            ("severity", f.severity.name().into()),
            ("count", f.count.into()),
            ("first", at(&f.first)),
            ("last", at(&f.last)),
            ("message", f.message.into()),
        ]);
        (line, data)
    };
    let (lines, data) = all.map(row).unzip();
    super::show::list("findings", lines, data)
}
