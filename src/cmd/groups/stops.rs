//! Breakpoints and watches.

use crate::cmd::args::{Args, Value};
use crate::cmd::error::CmdError;
use crate::cmd::kind::{ArgKind, known_rule};
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Breakpoint, Session, StopSpec, Watch};

const IF: Arg = Arg::keyword("if", "condition", ArgKind::Expr);
const ONCE: Arg = Arg::flag("once");
const IGNORE: Arg = Arg::keyword("ignore", "ignore", ArgKind::Number);
const LOG: Arg = Arg::flag("log");
const CODE: Arg = Arg::required("code", ArgKind::Code);
const PLACE: Arg = Arg::required("place", ArgKind::Place);
const ACCESS: Arg = Arg::optional("access", ArgKind::Choice(&["r", "w", "rw", "change"]));
const IDS: Arg = Arg::rest("id", ArgKind::BreakId);

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["break", "b"],
        group: Group::Stops,
        summary: "stop at a bundle, an opcode, a semaphore, a fault, a place or a finding",
        help: "`pc` and `op` stop before the bundle executes, the others after it has retired. `if` stops only where the expression \
               is true; with `place` it may use $old, $new, $addr and $part. `once` removes the breakpoint when it has stopped, \
               `ignore N` passes over the first N hits, `log` says that it was hit and goes on.",
        examples: &[
            ("break pc any:2", "before bundle 2 of the stream"),
            (
                "break op 0xa0 once",
                "before the next bundle with this opcode",
            ),
            (
                "break sem 4 if sem[4] >= 2",
                "when semaphore 4 changes and has reached 2",
            ),
            ("break fault", "at a fault"),
            ("break place w sbuf[0, 0:64]", "when a bundle stores there"),
            ("break finding nan", "when a bundle causes this finding"),
        ],
        forms: &[
            &[Arg::literal("pc"), CODE, IF, ONCE, IGNORE, LOG],
            &[
                Arg::literal("op"),
                Arg::required("op", ArgKind::Op),
                IF,
                ONCE,
                IGNORE,
                LOG,
            ],
            &[
                Arg::literal("sem"),
                Arg::required("sem", ArgKind::Number),
                IF,
                ONCE,
                IGNORE,
                LOG,
            ],
            &[Arg::literal("fault"), IF, ONCE, IGNORE, LOG],
            &[Arg::literal("place"), ACCESS, PLACE, IF, ONCE, IGNORE, LOG],
            &[
                Arg::literal("finding"),
                Arg::required("rule", ArgKind::Rule),
                IF,
                ONCE,
                IGNORE,
                LOG,
            ],
            &[CODE, IF, ONCE, IGNORE, LOG],
        ],
        run: Run::Edit(add),
    },
    Command {
        names: &["watch"],
        group: Group::Stops,
        summary: "stop after a bundle that touched a place",
        help: "`r` stops at reads, `w` (default) at stores, also of equal bytes, `rw` at both, `change` at stores that change a byte. \
               The same as `break place`.",
        examples: &[
            ("watch sbuf[0, 0:64]", "stores to 64 bytes of partition 0"),
            (
                "watch change sbuf[0, 0] as fp32 if $new > $old",
                "while it grows",
            ),
        ],
        forms: &[&[ACCESS, PLACE, IF, ONCE, IGNORE, LOG]],
        run: Run::Edit(add),
    },
    Command {
        names: &["enable"],
        group: Group::Stops,
        summary: "look at breakpoints again",
        help: "",
        examples: &[("enable all", "every breakpoint")],
        forms: &[&[IDS]],
        run: Run::Edit(|s, a| able(s, a, true)),
    },
    Command {
        names: &["disable"],
        group: Group::Stops,
        summary: "keep breakpoints but do not look at them",
        help: "",
        examples: &[("disable all", "every breakpoint")],
        forms: &[&[IDS]],
        run: Run::Edit(|s, a| able(s, a, false)),
    },
    Command {
        names: &["delete", "d"],
        group: Group::Stops,
        summary: "remove breakpoints",
        help: "Their numbers are not used again.",
        examples: &[("delete all", "every breakpoint")],
        forms: &[&[IDS]],
        run: Run::Edit(delete),
    },
];

fn add(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let spec = spec(s, a)?;
    let condition = a
        .expr("condition")
        .map(|e| (e, a.source("condition").to_owned()));
    let text = match &spec {
        StopSpec::Place { access, .. } => format!("place {} {}", access.name(), a.source("place")),
        StopSpec::Op(_) => format!("op {}", a.source("op")),
        other => other.to_string(),
    };
    let id = s.stops_mut().add(Breakpoint {
        id: 0,
        spec,
        text,
        condition,
        once: a.has("once"),
        ignore: a.number("ignore").unwrap_or(0),
        log: a.has("log"),
        enabled: true,
        hits: 0,
    });
    let added = s.stops().get(id);
    let mut lines: Vec<Line> = added.map(line).into_iter().collect();
    for l in &mut lines {
        *l = std::mem::take(l).then(Tone::Dim, format!("  (delete {id})"));
    }
    Ok(Output::new(lines, data(added)))
}

fn spec(s: &Session, a: &Args<'_>) -> Result<StopSpec, CmdError> {
    if let Some(place) = a.place("place") {
        let access = a
            .text("access")
            .and_then(|w| Watch::parse(&w))
            .unwrap_or(Watch::Write);
        return Ok(StopSpec::Place { access, place });
    }
    if let Some((queue, index)) = a.code("code") {
        show::exists(s, queue, index).map_err(|e| e.at(a.span("code")))?;
        return Ok(StopSpec::Pc { queue, index });
    }
    if let Some(op) = a.op("op") {
        return Ok(StopSpec::Op(op));
    }
    if let Some(n) = a.number("sem") {
        let sem = u8::try_from(n)
            .map_err(|_| a.error("sem", format!("semaphore {n}, allowed are 0..=255")))?;
        return Ok(StopSpec::Sem(sem));
    }
    match a.text("rule") {
        None => Ok(StopSpec::Fault),
        Some(rule) => {
            known_rule(s, &rule).map_err(|m| a.error("rule", m))?;
            Ok(StopSpec::Finding(rule))
        }
    }
}

/// The breakpoints an argument list names.
fn chosen(s: &Session, a: &Args<'_>) -> Result<Vec<u32>, CmdError> {
    let mut ids = Vec::new();
    for (value, span) in a.all("id") {
        match value {
            Value::Number(n) => {
                let id = u32::try_from(*n)
                    .ok()
                    .filter(|id| s.stops().get(*id).is_some());
                let known: Vec<String> = s.stops().iter().map(|b| b.id.to_string()).collect();
                ids.push(id.ok_or_else(|| {
                    let known = if known.is_empty() {
                        "there is none".to_owned()
                    } else {
                        format!("there are {}", known.join(" "))
                    };
                    CmdError::usage(span, format!("no breakpoint {n}; {known}"))
                })?);
            }
            _ => ids.extend(s.stops().iter().map(|b| b.id)),
        }
    }
    Ok(ids)
}

fn able(s: &mut Session, a: &Args<'_>, enabled: bool) -> Result<Output, CmdError> {
    let ids = chosen(s, a)?;
    for id in &ids {
        s.stops_mut().change(*id, |b| b.enabled = enabled);
    }
    let changed: Vec<&Breakpoint> = ids.iter().filter_map(|id| s.stops().get(*id)).collect();
    let lines = changed.iter().map(|b| line(b)).collect();
    Ok(Output::new(lines, data(changed)))
}

fn delete(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let ids = chosen(s, a)?;
    let gone: Vec<Breakpoint> = ids
        .iter()
        .filter_map(|id| s.stops_mut().remove(*id))
        .collect();
    let lines = gone
        .iter()
        .map(|b| Line::pair("deleted", format!("#{} {}", b.id, b.text)))
        .collect();
    Ok(Output::new(lines, data(&gone)))
}

/// `info breaks`.
pub(super) fn list(s: &Session) -> Output {
    let lines: Vec<Line> = s.stops().iter().map(line).collect();
    let lines = if lines.is_empty() {
        vec![Line::pair("breaks", "none")]
    } else {
        lines
    };
    Output::new(lines, data(s.stops().iter()))
}

/// `break: #1 pc pe:12 if $r0 > 3`
fn line(b: &Breakpoint) -> Line {
    let mut line = Line::toned(Tone::Key, "break")
        .then(Tone::Plain, ": ")
        .then(Tone::Place, format!("#{}", b.id))
        .then(Tone::Value, format!(" {}", b.text));
    if let Some((_, text)) = &b.condition {
        line = line.then(Tone::Plain, format!(" if {text}"));
    }
    for (is, word) in [
        (b.once, " once"),
        (b.log, " log"),
        (!b.enabled, " disabled"),
    ] {
        line = if is {
            line.then(Tone::Warn, word)
        } else {
            line
        };
    }
    if b.ignore > 0 {
        line = line.then(Tone::Plain, format!(" ignore {}", b.ignore));
    }
    if b.hits > 0 {
        line = line.then(Tone::Dim, format!(" hits {}", b.hits));
    }
    line
}

fn data<'b>(of: impl IntoIterator<Item = &'b Breakpoint>) -> Data {
    let one = |b: &Breakpoint| {
        Data::Map(vec![
            ("id", b.id.into()),
            ("kind", b.spec.kind().into()),
            ("spec", b.spec.to_string().into()),
            (
                "condition",
                b.condition.as_ref().map(|c| c.1.as_str()).into(),
            ),
            ("enabled", b.enabled.into()),
            ("hits", b.hits.into()),
            ("ignore", b.ignore.into()),
            ("once", b.once.into()),
            ("log", b.log.into()),
        ])
    };
    Data::Map(vec![(
        "breaks",
        Data::List(of.into_iter().map(one).collect()),
    )])
}
