//! Files, scripts, help, the end.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::shell::Shell;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::cmd::{help, record};
use crate::session::Session;

/// Command lines that `history` shows when no number is given.
const SOME: u64 = 20;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["record"],
        group: Group::Session,
        summary: "write this session, commands and results, to a file",
        help: "From the start of the session on, so that `tpbdbg replay FILE` can run it again and compare. `record off` ends it.",
        examples: &[],
        forms: &[
            &[Arg::literal("off")],
            &[Arg::required("file", ArgKind::File)],
        ],
        run: Run::Shell(record_to),
    },
    Command {
        names: &["source"],
        group: Group::Session,
        summary: "run the commands of a file",
        help: "One command per line, `#` begins a comment. The first command that fails ends it.",
        examples: &[],
        forms: &[&[Arg::required("file", ArgKind::File)]],
        run: Run::Shell(source),
    },
    Command {
        names: &["history"],
        group: Group::Session,
        summary: "show the commands given so far",
        help: "The last 20, unless N is given.",
        examples: &[("history 5", "the last five")],
        forms: &[&[Arg::optional("n", ArgKind::Number)]],
        run: Run::Shell(history),
    },
    Command {
        names: &["help", "h"],
        group: Group::Session,
        summary: "list the commands, or explain one",
        help: "",
        examples: &[("help break", "forms and examples of one command")],
        forms: &[&[Arg::optional("command", ArgKind::Command)]],
        run: Run::Read(show_help),
    },
    Command {
        names: &["quit", "q", "exit"],
        group: Group::Session,
        summary: "end the debugger",
        help: "",
        examples: &[],
        forms: &[&[]],
        run: Run::Shell(quit),
    },
];

fn record_to(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let Some(path) = a.path("file") else {
        let lines = match shell.recorder.stop() {
            Some(path) => vec![Line::pair("recorded", path.display().to_string())],
            None => vec![Line::pair("note", "nothing was being recorded")],
        };
        return Ok(Output::new(lines, Data::Null));
    };
    let header = record::header(&shell.launch, shell.session(), &path)?;
    let earlier = shell.recorder.start(&path, &header)?;
    let mut lines = vec![Line::pair("recording", path.display().to_string())];
    if earlier > 0 {
        lines.push(Line::pair(
            "note",
            format!("{earlier} earlier commands are part of it"),
        ));
    }
    Ok(Output::new(
        lines,
        Data::Map(vec![("file", path.display().to_string().into())]),
    ))
}

fn source(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let path = a.path("file").unwrap_or_default();
    let name = a.text("file").unwrap_or_default();
    let inserted = shell.script.insert_file(&path, name.as_ref());
    inserted.map_err(|e| e.at(a.span("file")))?;
    Ok(Output::none())
}

fn history(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let n = a.number("n").unwrap_or(SOME);
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    let all: Vec<&str> = shell.history().collect();
    let from = all.len().saturating_sub(n);
    let last = || all.iter().enumerate().skip(from);
    let lines = last()
        .map(|(i, l)| Line::pair((i + 1).to_string(), *l))
        .collect();
    let list = last().map(|(_, l)| (*l).into()).collect();
    Ok(Output::new(
        lines,
        Data::Map(vec![("commands", Data::List(list))]),
    ))
}

fn show_help(_: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    match a.text("command") {
        None => Ok(help::overview()),
        Some(name) => help::command(&name).map_err(|e| e.at(a.span("command"))),
    }
}

fn quit(shell: &mut Shell, _: &Args<'_>) -> Result<Output, CmdError> {
    shell.over = true;
    shell.script.clear();
    Ok(Output::none())
}
