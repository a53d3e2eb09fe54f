//! Help texts and the table of commands for the README, all from the records.

use super::error::CmdError;
use super::lang::Word;
use super::output::{Data, Line, Output, Tone};
use super::spec::{Command, Group};
use super::{command_of, commands};

const GROUPS: [Group; 9] = [
    Group::Run,
    Group::Time,
    Group::Stops,
    Group::Inspect,
    Group::Edit,
    Group::Code,
    Group::Test,
    Group::Session,
    Group::Screen,
];

/// All commands by chapter, a line each.
pub fn overview() -> Output {
    let width = commands().map(|c| c.name().len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for group in GROUPS {
        lines.push(Line::toned(Tone::Op, group.title()));
        for c in commands().filter(|c| c.group == group) {
            let name = format!("  {:width$}", c.name());
            lines.push(Line::toned(Tone::Key, name).then(Tone::Plain, format!("  {}", c.summary)));
        }
    }
    lines.push(Line::plain(
        "`help COMMAND` explains one; unambiguous beginnings of names work.",
    ));
    let data = commands().map(|c| {
        Data::Map(vec![
            ("name", c.name().into()),
            ("group", c.group.title().into()),
            ("summary", c.summary.into()),
        ])
    });
    Output::new(
        lines,
        Data::Map(vec![("commands", Data::List(data.collect()))]),
    )
}

/// One command: usage, explanation, examples.
///
/// # Errors
/// No command of that name.
pub fn command(name: &str) -> Result<Output, CmdError> {
    let word = Word {
        text: name.to_owned(),
        span: 0..name.len(),
        quoted: false,
    };
    let c = command_of(&word).map_err(|e| CmdError { span: None, ..e })?;
    let usage: Vec<String> = c.usage().collect();
    let mut lines: Vec<Line> = usage
        .iter()
        .map(|u| Line::toned(Tone::Key, u.as_str()))
        .collect();
    let also = c.names.get(1..).unwrap_or_default();
    if !also.is_empty() {
        lines.push(Line::toned(Tone::Dim, format!("also: {}", also.join(", "))));
    }
    lines.push(Line::plain(format!("{}.", capital(c.summary))));
    if !c.help.is_empty() {
        lines.push(Line::plain(c.help));
    }
    for (line, note) in c.examples {
        lines.push(
            Line::toned(Tone::Value, format!("  {line}")).then(Tone::Dim, format!("  # {note}")),
        );
    }
    let examples = c.examples.iter().map(|e| Data::str(e.0));
    let data = Data::Map(vec![
        ("name", c.name().into()),
        ("aliases", also.to_vec().into()),
        ("usage", usage.into()),
        ("summary", c.summary.into()),
        ("help", c.help.into()),
        ("examples", Data::List(examples.collect())),
    ]);
    Ok(Output::new(lines, data))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
}

/// The table of the README.
pub fn markdown() -> String {
    let mut out = String::from("| command | what it does |\n|---|---|\n");
    for group in GROUPS {
        out.push_str(&format!("| **{}** | |\n", group.title()));
        for c in commands().filter(|c| c.group == group) {
            out.push_str(&format!(
                "| {} | {} |\n",
                usages(c),
                c.summary.replace('|', "\\|")
            ));
        }
    }
    out
}

fn usages(c: &Command) -> String {
    let mut all: Vec<String> = c
        .usage()
        .map(|u| format!("`{}`", u.replace('|', "\\|")))
        .collect();
    let also = c.names.get(1..).unwrap_or_default();
    if let Some(first) = all.first_mut() {
        also.iter()
            .for_each(|n| first.push_str(&format!(" (`{n}`)")));
    }
    all.join("<br>")
}
