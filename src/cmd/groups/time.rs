//! Time travel.

use crate::cmd::args::{Args, Moment};
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Goal, Session};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["reverse-step", "rs"],
        group: Group::Time,
        summary: "take back one bundle, or N",
        help: "Edits made in between are taken back as well; they come again when time moves forward.",
        examples: &[
            ("reverse-step", "one bundle back"),
            ("rs 2", "two bundles back"),
        ],
        forms: &[&[Arg::optional("n", ArgKind::Number)]],
        run: Run::Move(back),
    },
    Command {
        names: &["reverse-continue", "rc"],
        group: Group::Time,
        summary: "run backward to the previous stop",
        help: "Stops where a forward run would: at breakpoints, at watched places, at the start.",
        examples: &[("reverse-continue", "to the previous stop")],
        forms: &[&[]],
        run: Run::Move(|_, _| Ok(Goal::BackContinue)),
    },
    Command {
        names: &["goto"],
        group: Group::Time,
        summary: "go to where so many bundles have retired",
        help: "Also to `start`, to `end` (the last known point), or to a snapshot. Breakpoints are not looked at.",
        examples: &[
            ("goto 2", "two bundles have retired"),
            ("goto start", "nothing has"),
        ],
        forms: &[&[Arg::required("seq", ArgKind::Moment)]],
        run: Run::Move(goto),
    },
    Command {
        names: &["snapshot"],
        group: Group::Time,
        summary: "give the present point of time a name",
        help: "For `goto` and `diff`. `info history` lists the snapshots.",
        examples: &[("snapshot before", "the present point is called `before`")],
        forms: &[&[Arg::required("name", ArgKind::Name)]],
        run: Run::Edit(snapshot),
    },
];

fn back(_: &Session, a: &Args<'_>) -> Result<Goal, CmdError> {
    Ok(Goal::BackSteps(a.number("n").unwrap_or(1)))
}

fn goto(s: &Session, a: &Args<'_>) -> Result<Goal, CmdError> {
    Ok(match a.moment("seq") {
        None | Some(Moment::End) => Goal::Finish,
        Some(Moment::Seq(seq)) => Goal::Goto(seq),
        Some(Moment::Snapshot(name)) => {
            Goal::Goto(s.snapshots().get(&name).map_or(s.seq(), |n| n.mark.seq))
        }
    })
}

fn snapshot(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let name = a.text("name").unwrap_or_default();
    if matches!(name.as_str(), "start" | "end") {
        return Err(a.error(
            "name",
            format!("`{name}` has a meaning of its own in `goto`"),
        ));
    }
    s.snapshot(&name);
    let line = Line::pair("snapshot", format!("{name} at seq {}", s.seq()));
    let data = Data::Map(vec![("name", name.into()), ("seq", s.seq().into())]);
    Ok(Output::new(vec![line], data))
}
