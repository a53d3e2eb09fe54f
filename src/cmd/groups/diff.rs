//! What differs.

use crate::cmd::args::{Args, Moment};
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Diff, Session, Side};

/// Ranges of a difference listed.
const RANGES: usize = 64;

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["diff"],
    group: Group::Inspect,
    summary: "show what differs between two points of time",
    help: "A point is a sequence number, `start`, `end` or a snapshot; the second one is the present unless it is given. With a \
               place only that is compared, element by element when it has a dtype; without, memories, registers, semaphores, \
               events and program counters. The present point stays where it is.",
    examples: &[
        ("diff start", "since the beginning"),
        (
            "diff 0 0 sbuf[0:4, 0:64] as fp32",
            "of a place, between two points",
        ),
    ],
    forms: &[&[
        Arg::required("from", ArgKind::Moment),
        Arg::optional("to", ArgKind::Moment),
        Arg::optional("place", ArgKind::Place),
    ]],
    run: Run::Edit(diff),
}];

pub(super) fn side(s: &Session, moment: Option<Moment>) -> Side {
    match moment {
        None => Side::Now,
        Some(Moment::Seq(seq)) => Side::Seq(seq),
        Some(Moment::End) => Side::Seq(s.history_info().end),
        Some(Moment::Snapshot(name)) => Side::Snapshot(name),
    }
}

fn diff(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (from, to) = (side(s, a.moment("from")), side(s, a.moment("to")));
    let d = s.diff(&from, &to, a.place("place").as_ref()).map_err(|e| {
        let at = if a.has("to") { "to" } else { "from" };
        CmdError::from(e).at(a.span(at))
    })?;
    Ok(Output::new(diff_lines(&d), diff_data(&d)))
}

fn diff_lines(d: &Diff) -> Vec<Line> {
    let change = |key: String, from: String, to: String| Line::pair(key, format!("{from} -> {to}"));
    let mut lines = vec![Line::pair("bytes", format!("{} differ", d.bytes))];
    if let Some((count, most)) = d.elements {
        lines.push(Line::pair(
            "elements",
            format!("{count} differ, by at most {most:?}"),
        ));
    }
    for r in d.ranges.iter().take(RANGES) {
        lines.push(
            Line::toned(Tone::Key, "range")
                .then(Tone::Plain, ": ")
                .then(Tone::Place, show::place_of(r, None).to_string()),
        );
    }
    if d.more || d.ranges.len() > RANGES {
        let n = d.ranges.len().saturating_sub(RANGES);
        let least = if d.more { "at least " } else { "" };
        lines.push(Line::pair("more", format!("{least}{n} ranges")));
    }
    let pcs = d
        .pcs
        .iter()
        .map(|(q, x, y)| change(format!("${}.pc", q.name()), x.to_string(), y.to_string()));
    lines.extend(pcs);
    let regs = d.registers.iter();
    lines.extend(
        regs.map(|(q, r, x, y)| {
            change(format!("${}.r{r}", q.name()), x.to_string(), y.to_string())
        }),
    );
    lines.extend(
        d.semaphores
            .iter()
            .map(|(n, x, y)| change(format!("sem[{n}]"), x.to_string(), y.to_string())),
    );
    let events = d.events.iter();
    lines.extend(events.map(|(n, set)| {
        change(
            format!("evt[{n}]"),
            u8::from(!set).to_string(),
            u8::from(*set).to_string(),
        )
    }));
    lines
}

fn diff_data(d: &Diff) -> Data {
    let places = d.ranges.iter().map(|r| show::place_of(r, None).to_string());
    let pair = |x: u64, y: u64| [("before", Data::from(x)), ("after", Data::from(y))];
    let named = |name: String, x: u64, y: u64| {
        let name = [("name", Data::from(name))];
        Data::Map(name.into_iter().chain(pair(x, y)).collect())
    };
    let pcs = d
        .pcs
        .iter()
        .map(|(q, x, y)| named(format!("${}.pc", q.name()), *x, *y));
    let regs = d
        .registers
        .iter()
        .map(|(q, r, x, y)| named(format!("${}.r{r}", q.name()), u64::from(*x), u64::from(*y)));
    let sems = d
        .semaphores
        .iter()
        .map(|(n, x, y)| named(format!("sem[{n}]"), u64::from(*x), u64::from(*y)));
    let events = d
        .events
        .iter()
        .map(|(n, set)| named(format!("evt[{n}]"), u64::from(!set), u64::from(*set)));
    let elements = d.elements.map(|(count, most)| {
        Data::Map(vec![
            ("count", count.into()),
            ("max_diff", Data::Float(most)),
        ])
    });
    Data::Map(vec![
        ("bytes", d.bytes.into()),
        ("elements", elements.into()),
        ("ranges", places.collect::<Vec<_>>().into()),
        ("more", d.more.into()),
        (
            "changes",
            Data::List(pcs.chain(regs).chain(sems).chain(events).collect()),
        ),
    ])
}
