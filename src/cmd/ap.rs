//! An access pattern made readable, as an answer.

use super::error::CmdError;
use super::output::{Data, Line, Output, Tone};
use crate::isa::Generation;
use crate::isa::text::pattern;
use crate::program::ap::{Answer, Broken, analyse, parse, start_text};

/// The answer of `ap` for a text.
///
/// # Errors
/// A text that is no access pattern, with the span at fault.
pub fn output(text: &str, g: Generation) -> Result<(Output, Answer), CmdError> {
    let given = parse(text, g).map_err(|e| {
        let hint = e.hint.as_ref().map_or(String::new(), |h| format!("; {h}"));
        CmdError::usage(e.span.clone(), format!("{e}{hint}"))
    })?;
    let answer = analyse(&given, g);
    let output = Output::new(lines(&answer, g), data(&answer, g));
    Ok((output, answer))
}

fn lines(a: &Answer, g: Generation) -> Vec<Line> {
    let mut lines = Vec::new();
    lines.extend(a.name.iter().map(|n| Line::pair("tensor", n.as_str())));
    let assumed = if a.assumed { ", as none is given" } else { "" };
    lines.push(Line::pair("dtype", format!("{}{assumed}", a.dtype)));
    if let Some(p) = &a.pattern {
        lines.push(Line::pair("start", start_text(p.addr, g)));
        lines.push(Line::pair("partitions", a.lanes.to_string()));
        lines.push(Line::pair(
            "elements",
            format!("{} in each partition", p.count()),
        ));
        let operand = format!("{}@{}", a.dtype, pattern::plain(p));
        lines.push(Line::pair("operand", operand));
    } else if let Some(start) = a.start {
        lines.push(Line::pair("start", start.to_string()));
        lines.push(Line::pair("partitions", a.lanes.to_string()));
    }
    for (rank, p) in a.descriptors() {
        lines.push(Line::pair(format!("TENSOR{rank}D"), hex(&p)));
    }
    if let Some((first, end)) = a.bytes {
        lines.push(Line::pair("bytes", range(first, end)));
    }
    lines.extend(
        a.picture
            .iter()
            .map(|row| Line::toned(Tone::Dim, row.as_str())),
    );
    lines.extend(a.broken.iter().map(broken));
    lines
}

/// `error: rule: message`
fn broken(b: &Broken) -> Line {
    Line::toned(Tone::Bad, "error")
        .then(Tone::Plain, ": ")
        .then(Tone::Value, b.rule)
        .then(Tone::Plain, format!(": {}", b.message))
}

fn range(first: i64, end: i64) -> String {
    let hex = |n: i64| format!("{}{:#x}", if n < 0 { "-" } else { "" }, n.unsigned_abs());
    format!("{}..{} of each partition", hex(first), hex(end))
}

/// The bytes of a descriptor, in words.
fn hex(p: &crate::isa::fields::Pattern) -> String {
    let bytes = p.to_bytes(crate::isa::fields::Pattern::size(p.dims().len()));
    let words: Vec<String> = bytes
        .unwrap_or_default()
        .chunks(4)
        .map(|w| w.iter().map(|b| format!("{b:02x}")).collect())
        .collect();
    words.join(" ")
}

fn data(a: &Answer, g: Generation) -> Data {
    let descriptors = a.descriptors();
    let descriptors = descriptors.iter().map(|(rank, p)| {
        Data::Map(vec![
            ("rank", (*rank as u64).into()),
            ("hex", hex(p).replace(' ', "").into()),
        ])
    });
    let broken = a.broken.iter().map(|b| {
        Data::Map(vec![
            ("rule", b.rule.into()),
            ("severity", "error".into()),
            ("message", b.message.as_str().into()),
        ])
    });
    let start = a.start.map(|l| {
        Data::Map(vec![
            ("space", l.space.name().into()),
            ("partition", l.part.into()),
            ("byte", l.off.into()),
        ])
    });
    let operand = a
        .pattern
        .map(|p| format!("{}@{}", a.dtype, pattern::plain(&p)));
    Data::Map(vec![
        ("tensor", a.name.clone().into()),
        ("dtype", a.dtype.to_string().into()),
        ("generation", g.info().name.into()),
        ("start", start.unwrap_or_default()),
        ("partitions", a.lanes.into()),
        ("elements", a.elements().into()),
        ("operand", operand.into()),
        ("descriptors", Data::List(descriptors.collect())),
        ("first", a.bytes.map(|b| b.0).into()),
        ("end", a.bytes.map(|b| b.1).into()),
        ("picture", a.picture.clone().into()),
        ("broken", Data::List(broken.collect())),
    ])
}
