//! A bundle taken apart, as an answer.

use super::output::{Data, Line, Output, Tone};
use super::show::{bundle_data, code, with_listing};
use crate::isa::{Queue, Severity, Violation};
use crate::program::explain::{Explanation, Row};

/// The answer of `explain`; `at` is where the bundle stands in a program.
pub fn output(e: &Explanation, at: Option<(Queue, u64)>) -> Output {
    let head = at.map_or(Line::default(), |(queue, index)| {
        Line::toned(Tone::Place, code(queue, index)).then(Tone::Plain, ":")
    });
    let mut lines = vec![with_listing(head, &e.line)];
    if !e.doc.is_empty() {
        lines.push(Line::plain(e.doc.as_str()));
    }
    lines.push(Line::pair(
        "layout",
        format!("{} on {}", e.layout, e.generation),
    ));
    lines.push(Line::pair("engines", e.engines.as_str()));
    e.rows.iter().for_each(|r| row_lines(r, &mut lines));
    for (what, list) in [("reads", &e.reads), ("writes", &e.writes)] {
        lines.extend(list.iter().map(|text| Line::pair(what, text.as_str())));
    }
    lines.extend(e.broken.iter().map(broken_line));
    Output::new(lines, data(e, at))
}

fn row_lines(r: &Row, lines: &mut Vec<Line>) {
    let indent = if r.part { "  " } else { "" };
    let mut line = Line::toned(Tone::Dim, format!("{:>7}  ", r.position()))
        .then(
            Tone::Key,
            format!("{indent}{:<w$}", r.name, w = 26 - indent.len()),
        )
        .then(Tone::Place, format!(" {:<16}", r.raw));
    if !r.value.is_empty() {
        line = line.then(Tone::Value, format!(" {}", r.value));
    }
    if !r.meaning.is_empty() {
        line = line.then(Tone::Plain, format!("  {}", r.meaning));
    }
    if !r.confidence.mark().is_empty() {
        line = line.then(Tone::Dim, format!(" ({})", r.confidence.mark()));
    }
    lines.push(line);
    lines.extend(r.broken.iter().map(broken_line));
}

/// `error: rule: message`
fn broken_line(v: &Violation) -> Line {
    let tone = if v.severity == Severity::Error {
        Tone::Bad
    } else {
        Tone::Warn
    };
    Line::toned(tone, v.severity.name())
        .then(Tone::Plain, ": ")
        .then(Tone::Value, v.rule)
        .then(Tone::Plain, format!(": {}", v.message))
}

fn data(e: &Explanation, at: Option<(Queue, u64)>) -> Data {
    let mut map = at.map_or(Vec::new(), |(queue, index)| bundle_data(queue, None, index));
    map.extend([
        ("text", e.line.as_str().into()),
        ("doc", e.doc.as_str().into()),
        ("layout", e.layout.as_str().into()),
        ("engines", e.engines.as_str().into()),
        ("generation", e.generation.info().name.into()),
        ("fields", Data::List(e.rows.iter().map(row).collect())),
        ("reads", e.reads.clone().into()),
        ("writes", e.writes.clone().into()),
        (
            "broken",
            Data::List(e.broken.iter().map(violation).collect()),
        ),
    ]);
    Data::Map(map)
}

fn row(r: &Row) -> Data {
    Data::Map(vec![
        ("name", r.name.as_str().into()),
        ("byte", (r.byte as u64).into()),
        ("bit", u64::from(r.bit).into()),
        ("bits", u64::from(r.bits).into()),
        ("raw", r.raw.as_str().into()),
        ("value", r.value.as_str().into()),
        ("meaning", r.meaning.as_str().into()),
        ("confidence", r.confidence.mark().into()),
        ("part", r.part.into()),
        (
            "broken",
            Data::List(r.broken.iter().map(violation).collect()),
        ),
    ])
}

fn violation(v: &Violation) -> Data {
    Data::Map(vec![
        ("rule", v.rule.into()),
        ("severity", v.severity.name().into()),
        ("message", v.message.as_str().into()),
    ])
}
