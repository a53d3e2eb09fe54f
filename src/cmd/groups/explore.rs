//! Other schedules.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show::{bundle, bundle_data, code};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::isa::Queue;
use crate::session::{Divergence, Ending, Exploration, Reordered, Session, Variant};

/// Schedules by default.
const SCHEDULES: u64 = 16;
/// Schedules at most; more by another `seed`.
const MOST_SCHEDULES: u64 = 1000;
/// Schedules with another result that are described.
const MOST_SHOWN: usize = 4;

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["explore"],
    group: Group::Test,
    summary: "run the program under other schedules and compare the results",
    help: "N schedules (16 without), each from the start on a copy of the machine: a random order of the engines by a seed, step by step or in bursts, and \
           transfers that finish sooner or later. A program without races ends alike in all of them. Of one that differs: the \
           named places that differ, the first bundle whose own results do, and a script that shows it (edits made before the first bundle are to be \
           added to it); `save` writes the script of the first to a file.",
    examples: &[
        ("explore 4", "four other schedules"),
        ("explore 2 seed 100", "others than those"),
    ],
    forms: &[&[
        Arg::optional("n", ArgKind::Number),
        Arg::keyword("seed", "seed", ArgKind::Number),
        Arg::keyword("save", "file", ArgKind::File),
    ]],
    run: Run::Read(explore),
}];

fn explore(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (count, seed) = (a.number("n").unwrap_or(SCHEDULES), a.number("seed"));
    if count > MOST_SCHEDULES {
        let m = format!("{count} schedules, allowed are at most {MOST_SCHEDULES}");
        return Err(a.error("n", m));
    }
    let e = s.explore(count, seed.unwrap_or(1))?;
    let mut lines = vec![headline(&e)];
    for v in e.variants.iter().take(MOST_SHOWN) {
        lines.extend(variant(s, v));
    }
    if let Some(first) = e.variants.first() {
        let script = script(first, e.edits);
        lines.extend(script.iter().map(|l| Line::pair("script", l.as_str())));
        if let Some(path) = a.path("file") {
            let text = script.join("\n") + "\n";
            std::fs::write(&path, text).map_err(|e| CmdError::file(&path, e).at(a.span("file")))?;
            lines.push(Line::pair("saved", a.source("file")));
        }
    }
    if e.interrupted {
        lines.push(Line::pair("note", "interrupted before all were run"));
    }
    Ok(Output::new(lines, data(&e)))
}

fn headline(e: &Exploration) -> Line {
    let line = Line::toned(Tone::Key, "explore").then(
        Tone::Plain,
        format!(": {} schedules of {} bundles, ", e.schedules, e.bundles),
    );
    match e.variants.len() {
        0 => line.then(Tone::Value, format!("all end alike: {}", e.ending.name())),
        n => line.then(Tone::Bad, format!("{n} with another result")),
    }
}

fn variant(s: &Session, v: &Variant) -> Vec<Line> {
    let mut line = Line::toned(Tone::Key, "differs")
        .then(Tone::Plain, ": ")
        .then(
            Tone::Place,
            format!(
                "{} seed {} dma.delay {}",
                v.schedule.policy.name(),
                v.schedule.seed,
                v.schedule.delay
            ),
        )
        .then(Tone::Plain, format!(", {}", v.ending.name()));
    if let Ending::Fault(queue, index, rule) = &v.ending {
        line = line.then(Tone::Bad, format!(" {}:{index} {rule}", queue.name()));
    }
    if !v.places.is_empty() {
        line = line.then(
            Tone::Value,
            format!(", other values in {}", v.places.join(" ")),
        );
    }
    let mut lines = vec![line];
    lines.extend(v.first.as_ref().map(|d| divergence_line(s, d)));
    if let Some(r) = &v.reordered {
        let who = |(queue, index, transfer): (Queue, u64, bool)| {
            let of = if transfer { "the transfer of " } else { "" };
            format!("{of}{}", code(queue, index))
        };
        let line = Line::toned(Tone::Key, "last")
            .then(Tone::Plain, ": ")
            .then(Tone::Place, r.rect.to_string());
        let text = format!(
            " is stored last by {} here, by {} there",
            who(r.here),
            who(r.there)
        );
        lines.push(line.then(Tone::Plain, text));
    }
    lines
}

/// `first: pe:3 MATMUL ... at seq 12 here, at seq 9 there`
pub(super) fn divergence_line(s: &Session, d: &Divergence) -> Line {
    let what = if d.transfer {
        ": the transfer of "
    } else {
        ": "
    };
    let mut line = Line::toned(Tone::Key, "first").then(Tone::Plain, what);
    line.0.extend(bundle(s, d.queue, d.index).0);
    let at = |seq: Option<u64>| seq.map_or("never".to_owned(), |s| format!("at seq {s}"));
    let when = format!(" {} here, {} there", at(d.here), at(d.there));
    line.then(Tone::Plain, when)
}

pub(super) fn divergence_data(d: &Divergence) -> Data {
    let mut map = bundle_data(d.queue, None, d.index);
    map.extend([
        ("transfer", d.transfer.into()),
        ("here", d.here.into()),
        ("there", d.there.into()),
    ]);
    Data::Map(map)
}

/// Commands that go to the bundle that differs, under the schedule in which it does.
fn script(v: &Variant, edits: u64) -> Vec<String> {
    let mut lines = vec![
        format!("set sched {}", v.schedule.policy.name()),
        format!("set seed {}", v.schedule.seed),
        format!("set dma.delay {}", v.schedule.delay),
        "restart".to_owned(),
    ];
    if edits > 0 {
        lines.push(format!(
            "# make the {edits} edits before the first bundle here again"
        ));
    }
    lines.push(match v.first.and_then(|d| d.there) {
        Some(seq) => format!("goto {}", seq.saturating_add(1)),
        None => "goto end".to_owned(),
    });
    lines
}

fn data(e: &Exploration) -> Data {
    let reordered = |r: &Reordered| {
        let at = |(queue, index, transfer): (Queue, u64, bool)| {
            let mut map = bundle_data(queue, None, index);
            map.push(("transfer", transfer.into()));
            Data::Map(map)
        };
        Data::Map(vec![
            ("place", r.rect.to_string().into()),
            ("here", at(r.here)),
            ("there", at(r.there)),
        ])
    };
    let variant = |v: &Variant| {
        Data::Map(vec![
            ("sched", v.schedule.policy.name().into()),
            ("seed", v.schedule.seed.into()),
            ("dma_delay", v.schedule.delay.into()),
            ("stop", v.ending.name().into()),
            ("digest", v.digest.into()),
            ("places", v.places.clone().into()),
            (
                "first",
                v.first.as_ref().map_or(Data::Null, divergence_data),
            ),
            (
                "reordered",
                v.reordered.as_ref().map_or(Data::Null, reordered),
            ),
            ("script", script(v, e.edits).into()),
        ])
    };
    Data::Map(vec![
        ("stop", e.ending.name().into()),
        ("bundles", e.bundles.into()),
        ("digest", e.digest.into()),
        ("schedules", e.schedules.into()),
        ("interrupted", e.interrupted.into()),
        (
            "differ",
            Data::List(e.variants.iter().map(variant).collect()),
        ),
    ])
}
