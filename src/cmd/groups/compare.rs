//! Two runs.

use std::sync::Arc;

use super::explore::{divergence_data, divergence_line};
use crate::cmd::args::Args;
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::kind::ArgKind;
use crate::cmd::launch::{Given, Input, Launch};
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::shell::Shell;
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::num;
use crate::session::{Budget, Course, Goal, Progress, Runs, Session};
use crate::sim::Policy;

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["compare"],
    group: Group::Test,
    summary: "run another program and go to where the two runs part",
    help: "PROGRAM is a file as on the command line, a manifest, `sample:NAME`, or `.` for this program again. Both run from the start; \
           their streams are aligned by what they store, so that bundles that store nothing may be more or fewer. Told are the first \
           bundle that stores something else, with the first element, and the named places that differ at the end; the session \
           goes to behind that bundle. A manifest brings its own settings and order, others run under those of this session; \
           `sched` and `seed` choose another order. Edits made before the first bundle are made in both runs, later ones in none.",
    examples: &[(
        "compare . sched random seed 3",
        "this program in another order",
    )],
    forms: &[&[
        Arg::required("program", ArgKind::File),
        Arg::keyword("sched", "sched", ArgKind::Choice(&Policy::NAMES)),
        Arg::keyword("seed", "seed", ArgKind::Number),
    ]],
    run: Run::Shell(compare),
}];

fn compare(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let name = a.text("program").unwrap_or_default();
    let generation = shell.session().generation();
    let mut launch = if name == "." {
        shell.launch.clone()
    } else {
        let input = match name.strip_prefix("sample:") {
            Some(sample) => Input::Sample(sample.to_owned()),
            None => Input::File(a.path("program").unwrap_or_default()),
        };
        Launch {
            programs: vec![Given { input, queue: None }],
            // The same initial memory.
            loads: shell.launch.loads.clone(),
            max_unpacked: shell.launch.max_unpacked,
            ..Launch::default()
        }
    };
    launch.sched = a.text("sched").or(launch.sched);
    launch.seed = a.number("seed").or(launch.seed);
    let told = |e: CmdError| e.at(a.span("program"));
    let program = launch.program().map_err(told)?;
    if let Some(found) = program.generation.filter(|g| *g != generation) {
        let m = format!("{name} is for {found}, this session runs {generation}");
        return Err(told(CmdError::new(ErrorKind::Usage, m)));
    }
    let options = launch.options(&program).map_err(told)?;
    let session = shell.session();
    let settings = if program.settings.is_empty() {
        *session.settings()
    } else {
        options.settings
    };
    let chosen = launch.sched.is_some() || launch.seed.is_some() || program.scheduler.is_some();
    let policy = if chosen {
        options.policy
    } else {
        session.schedule().0
    };
    let runs = session.compare_runs(&Arc::new(program), settings, policy)?;
    let Some(runs) = runs else {
        return Err(CmdError::new(ErrorKind::State, "interrupted".to_owned()));
    };
    if let Some(seq) = runs.first.and_then(|d| d.here) {
        go(shell.session_mut(), seq.saturating_add(1));
    }
    let session = shell.session();
    Ok(Output::new(lines(session, &runs), data(&runs)))
}

/// Goes to where so many bundles have retired, along the known path or on.
fn go(s: &mut Session, seq: u64) {
    let known = s.history_info().end;
    let goals = [
        Goal::Goto(seq.min(known)),
        Goal::Steps(seq.saturating_sub(known), None),
    ];
    for goal in goals.into_iter().take(if seq > known { 2 } else { 1 }) {
        let mut progress = s.run(goal, Budget::UNLIMITED);
        while matches!(progress, Progress::Again) {
            progress = s.resume(Budget::UNLIMITED);
        }
    }
}

fn lines(s: &Session, runs: &Runs) -> Vec<Line> {
    let course = |c: &Course| format!("{} bundles, {}", c.bundles, c.ending.name());
    let mut lines = vec![
        Line::pair("here", course(&runs.here)),
        Line::pair("there", course(&runs.there)),
    ];
    let Some(d) = &runs.first else {
        let alike = "both store the same";
        lines.push(
            Line::toned(Tone::Key, "compare")
                .then(Tone::Plain, ": ")
                .then(Tone::Value, alike),
        );
        return lines;
    };
    lines.push(divergence_line(s, d));
    if !runs.other_text.is_empty() && runs.other_text != show::listing(s, d.queue, d.index) {
        lines.push(Line::pair("there", runs.other_text.clone()));
    }
    if let Some(p) = &runs.parted {
        let shown = |bits: u64| match p.at.dtype {
            Some(kind) => num::show(kind, bits),
            None => format!("{bits:#04x}"),
        };
        let text = format!(
            "{} {} here, {} there",
            p.at,
            shown(p.bits.0),
            shown(p.bits.1)
        );
        lines.push(Line::pair("value", text));
    }
    if !runs.places.is_empty() {
        lines.push(Line::pair(
            "places",
            format!("{} differ at the end", runs.places.join(" ")),
        ));
    }
    lines.push(Line::pair("seq", s.seq().to_string()));
    lines
}

fn data(runs: &Runs) -> Data {
    let course = |c: &Course| {
        Data::Map(vec![
            ("stop", c.ending.name().into()),
            ("bundles", c.bundles.into()),
            ("digest", c.digest.into()),
        ])
    };
    let first = runs.first.as_ref().map_or(Data::Null, divergence_data);
    let value = runs.parted.as_ref().map_or(Data::Null, |p| {
        let shown = |bits: u64| match p.at.dtype {
            Some(kind) => show::element(kind, bits),
            None => bits.into(),
        };
        Data::Map(vec![
            ("place", p.at.to_string().into()),
            ("here", shown(p.bits.0)),
            ("there", shown(p.bits.1)),
        ])
    });
    Data::Map(vec![
        ("here", course(&runs.here)),
        ("there", course(&runs.there)),
        ("first", first),
        ("value", value),
        ("places", runs.places.clone().into()),
    ])
}
