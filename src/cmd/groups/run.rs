//! Forward execution.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::shell::Shell;
use crate::cmd::show::{bundle, bundle_data, code, dropped, has_stream};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Expr, Goal, Session};

const COUNT: Arg = Arg::optional("n", ArgKind::Number);
const ON: Arg = Arg::keyword("on", "engine", ArgKind::Engine);

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["step", "s"],
        group: Group::Run,
        summary: "execute one bundle, or N",
        help: "The scheduler chooses the engine, unless `on` names one. Breakpoints on the way stop it.",
        examples: &[("step", "one bundle"), ("step 3", "three bundles")],
        forms: &[&[COUNT, ON]],
        run: Run::Move(step),
    },
    Command {
        names: &["next", "n"],
        group: Group::Run,
        summary: "execute one bundle, or N, of the engine in focus",
        help: "The other engines run as the scheduler has it. `focus` moves the focus.",
        examples: &[("next", "the next bundle of this engine")],
        forms: &[&[COUNT]],
        run: Run::Move(next),
    },
    Command {
        names: &["continue", "c"],
        group: Group::Run,
        summary: "run to the next stop",
        help: "Stops at breakpoints, faults, a deadlock, the end of all streams, an interrupt, and after `run.limit` bundles.",
        examples: &[("continue", "to the next stop")],
        forms: &[&[]],
        run: Run::Move(|_, _| Ok(Goal::Continue)),
    },
    Command {
        names: &["until"],
        group: Group::Run,
        summary: "run until an expression is true",
        help: "The expression is looked at between bundles; when it is true already, nothing runs. Breakpoints stop the run as well.",
        examples: &[("until $seq >= 2", "two bundles have retired")],
        forms: &[&[Arg::required("expr", ArgKind::Expr)]],
        run: Run::Move(until),
    },
    Command {
        names: &["skip"],
        group: Group::Run,
        summary: "step over the next bundle without executing it",
        help: "Also one that faulted. An edit: `undo` takes it back.",
        examples: &[("skip", "leave out the next bundle of the engine in focus")],
        forms: &[&[ON]],
        run: Run::Edit(skip),
    },
    Command {
        names: &["restart"],
        group: Group::Run,
        summary: "take the program back to its initial state",
        help: "Time, edits and findings are forgotten; breakpoints, lets and settings stay. Settings that act at load time take effect.",
        examples: &[("restart", "from the beginning")],
        forms: &[&[]],
        run: Run::Edit(restart),
    },
    Command {
        names: &["reload"],
        group: Group::Run,
        summary: "read the files of the program again, and restart",
        help: "",
        examples: &[("reload", "after the program was assembled again")],
        forms: &[&[]],
        run: Run::Shell(reload),
    },
    Command {
        names: &["focus"],
        group: Group::Run,
        summary: "move the focus to an engine",
        help: "`next`, `$pc`, `$r5` and a bundle index without engine mean the engine in focus. A stop at a breakpoint or fault moves it.",
        examples: &[("focus any", "the only stream of the sample")],
        forms: &[&[Arg::required("engine", ArgKind::Engine)]],
        run: Run::Edit(focus),
    },
];

fn step(s: &Session, a: &Args<'_>) -> Result<Goal, CmdError> {
    let only = a.queue("engine");
    if let Some(queue) = only {
        has_stream(s, queue).map_err(|e| e.at(a.span("engine")))?;
    }
    Ok(Goal::Steps(a.number("n").unwrap_or(1), only))
}

fn next(_: &Session, a: &Args<'_>) -> Result<Goal, CmdError> {
    Ok(Goal::Next(a.number("n").unwrap_or(1)))
}

fn until(_: &Session, a: &Args<'_>) -> Result<Goal, CmdError> {
    Ok(Goal::Until(a.expr("expr").unwrap_or(Expr::Int(1))))
}

fn skip(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let queue = a.queue("engine").unwrap_or_else(|| s.focus());
    let index = s.machine().pc(queue);
    let lost = s
        .skip(queue)
        .map_err(|e| CmdError::from(e).at(a.span("engine")))?;
    let mut line = Line::toned(Tone::Key, "skipped").then(Tone::Plain, ": ");
    line.0.extend(bundle(s, queue, index).0);
    let mut lines = vec![line, Line::pair("pc", code(queue, s.machine().pc(queue)))];
    lines.extend(dropped(lost));
    let mut map = bundle_data(queue, None, index);
    map.push(("dropped", lost.into()));
    Ok(Output::new(lines, Data::Map(map)))
}

fn restart(s: &mut Session, _: &Args<'_>) -> Result<Output, CmdError> {
    s.restart()?;
    Ok(Output::new(
        vec![Line::pair("seq", s.seq().to_string())],
        Data::Null,
    ))
}

fn reload(shell: &mut Shell, _: &Args<'_>) -> Result<Output, CmdError> {
    let program = shell.launch.program()?;
    let s = shell.session_mut();
    s.reload(program)?;
    let mut lines: Vec<Line> = s
        .program()
        .notes
        .iter()
        .map(|n| Line::pair("note", n.as_str()))
        .collect();
    lines.push(Line::pair("seq", s.seq().to_string()));
    Ok(Output::new(lines, Data::Null))
}

fn focus(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    if let Some(queue) = a.queue("engine") {
        s.set_focus(queue)
            .map_err(|e| CmdError::from(e).at(a.span("engine")))?;
    }
    let name = s.focus().name();
    Ok(Output::new(
        vec![Line::pair("focus", name)],
        Data::Map(vec![("engine", name.into())]),
    ))
}
