//! What differs.

use std::fs::File;
use std::io::BufReader;

use crate::cmd::args::{Args, Moment};
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Diff, Session, Side, Tolerance};

pub(super) const TOL: Arg = Arg::keyword("tol", "tol", ArgKind::Real);
pub(super) const REL: Arg = Arg::keyword("rel", "rel", ArgKind::Real);
pub(super) const ULP: Arg = Arg::keyword("ulp", "ulp", ArgKind::Number);

/// Ranges of a difference listed.
const RANGES: usize = 64;

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["diff"],
    group: Group::Inspect,
    summary: "show what differs between two points of time",
    help: "A point is a sequence number, `start`, `end` or a snapshot; the second one is the present unless it is given. With a \
               place only that is compared, element by element when it has a dtype; without, memories, registers, semaphores, \
               events and program counters. With an array file that and the place are compared as the place is now. Elements are equal \
               when they are no further apart than `tol T`, or `rel R` times the larger magnitude, or `ulp N` steps of the type. The \
               present point stays where it is.",
    examples: &[
        ("diff start", "since the beginning"),
        (
            "diff 0 0 sbuf[0:4, 0:64] as fp32",
            "of a place, between two points",
        ),
    ],
    forms: &[
        &[
            Arg::required("from", ArgKind::Moment),
            Arg::optional("to", ArgKind::Moment),
            Arg::optional("place", ArgKind::Place),
            TOL,
            REL,
            ULP,
        ],
        &[
            Arg::required("place", ArgKind::Place),
            Arg::required("file.npy", ArgKind::Array),
            TOL,
            REL,
            ULP,
        ],
    ],
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

/// `tol T rel R ulp N`
pub(super) fn tolerance(a: &Args<'_>) -> Result<Tolerance, CmdError> {
    let real = |name: &str| {
        let x = a.real(name).unwrap_or(0.0);
        if x.is_nan() || x < 0.0 {
            return Err(a.error(
                name,
                format!("expected a tolerance of at least 0, found {x}"),
            ));
        }
        Ok(x)
    };
    Ok(Tolerance {
        abs: real("tol")?,
        rel: real("rel")?,
        ulp: a.number("ulp").unwrap_or(0),
    })
}

fn diff(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let tolerance = tolerance(a)?;
    if let (Some(path), Some(place)) = (a.path("file.npy"), a.place("place")) {
        let file =
            File::open(&path).map_err(|e| CmdError::file(&path, e).at(a.span("file.npy")))?;
        let d = s.diff_array(&place, BufReader::new(file), &tolerance);
        let d = d.map_err(|e| CmdError::from(e).at(a.span("place")))?;
        return Ok(Output::new(diff_lines(&d), diff_data(&d)));
    }
    let typed = a.place("place").is_some_and(|p| p.dtype.is_some());
    if !tolerance.is_exact() && !typed {
        let m = "a tolerance is for elements: name a place with a dtype".to_owned();
        return Err(CmdError::new(ErrorKind::Usage, m));
    }
    let (from, to) = (side(s, a.moment("from")), side(s, a.moment("to")));
    let d = s
        .diff(&from, &to, a.place("place").as_ref(), &tolerance)
        .map_err(|e| {
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
