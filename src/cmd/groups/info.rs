//! `info`: tables of what there is.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::{ArgKind, known_rule};
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show::{self, bundle, bundle_data, list};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::cmd::{report, settings, waiting};
use crate::isa::Queue;
use crate::session::{Cause, FindingSummary, Session};
use crate::sim::Region;
use crate::sim::state::REGS;

type Topic = fn(&Session) -> Output;

/// What there is to see, with the function that shows it.
const TOPICS: &[(&str, Topic)] = &[
    ("breaks", super::stops::list),
    ("engines", engines),
    ("events", events),
    ("findings", findings),
    ("history", history),
    ("places", places),
    ("queues", queues),
    ("regs", |s| regs(s, None)),
    ("sems", sems),
    ("settings", all_settings),
    ("streams", streams),
    ("waits", |s| waiting::graph(&s.wait_graph())),
];

const WORDS: &[&str] = &{
    let mut words = [""; TOPICS.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = TOPICS[i].0;
        i += 1;
    }
    words
};

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["info", "i"],
    group: Group::Inspect,
    summary: "show tables of the state, the program and the session",
    help: "breaks: breakpoints. engines: what each stream does next or waits for. events, sems: those that are not 0. findings: what \
           was odd in the bundles retired so far, by rule; with a rule, by bundle. history: how far back time reaches. places: named regions. queues: DMA queues. \
           regs: registers that were set. settings: keys and values. streams: the program. waits: who waits for whom, and why some never go on.",
    examples: &[
        ("info engines", "what runs, what waits"),
        ("info waits", "who waits for whom"),
        ("info regs any", "registers of one engine"),
        ("info findings", "what was odd so far, by rule"),
        ("info findings uninit-read", "the bundles that a rule named"),
    ],
    forms: &[
        &[
            Arg::literal("findings"),
            Arg::required("rule", ArgKind::Rule),
        ],
        &[
            Arg::required("topic", ArgKind::Choice(WORDS)),
            Arg::optional("engine", ArgKind::Engine),
        ],
    ],
    run: Run::Read(info),
}];

fn info(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    if let Some(rule) = a.text("rule") {
        known_rule(s, &rule).map_err(|m| a.error("rule", m))?;
        return Ok(table(&s.findings_of(&rule)));
    }
    let topic = a.text("topic").unwrap_or_default();
    match a.queue("engine") {
        Some(queue) if topic == "regs" => return Ok(regs(s, Some(queue))),
        Some(_) => return Err(a.error("engine", "only `info regs` takes an engine")),
        None => {}
    }
    let show = TOPICS.iter().find(|t| t.0 == topic);
    Ok(show.map_or_else(Output::none, |t| t.1(s)))
}

fn regs(s: &Session, only: Option<Queue>) -> Output {
    let (mut lines, mut data) = (Vec::new(), Vec::new());
    for queue in s
        .machine()
        .queues()
        .filter(|q| only.is_none_or(|o| o == *q))
    {
        let agent = queue.index() as u8;
        let mut set = Vec::new();
        let name = queue.name();
        lines.push(Line::pair(
            format!("${name}.pc"),
            s.machine().pc(queue).to_string(),
        ));
        for reg in (0..REGS as u8).filter(|r| s.state().reg_defined(agent, *r)) {
            let value = s.state().reg(agent, reg);
            let key = format!("${name}.r{reg}");
            lines
                .push(Line::pair(key, value.to_string()).then(Tone::Dim, format!(" ({value:#x})")));
            set.push(Data::Map(vec![
                ("reg", reg.into()),
                ("value", value.into()),
            ]));
        }
        data.push(Data::Map(vec![
            ("engine", name.into()),
            ("pc", s.machine().pc(queue).into()),
            ("set", Data::List(set)),
        ]));
    }
    list("regs", lines, data)
}

fn sems(s: &Session) -> Output {
    let set = (0..=255u8)
        .map(|n| (n, s.state().sem(n)))
        .filter(|(_, v)| *v != 0);
    let (lines, data) = set
        .map(|(n, value)| {
            let line = Line::pair(format!("sem[{n}]"), value.to_string());
            (
                line,
                Data::Map(vec![("sem", n.into()), ("value", value.into())]),
            )
        })
        .unzip();
    list("sems", lines, data)
}

fn events(s: &Session) -> Output {
    let set = (0..=255u8).filter(|n| s.state().event(*n));
    let (lines, data) = set
        .map(|n| {
            let line = Line::pair(format!("evt[{n}]"), "1");
            (
                line,
                Data::Map(vec![("event", n.into()), ("value", 1u8.into())]),
            )
        })
        .unzip();
    list("events", lines, data)
}

fn engines(s: &Session) -> Output {
    let (mut lines, mut data) = (Vec::new(), Vec::new());
    for stream in s.streams() {
        let (queue, pc) = (stream.queue, stream.pc);
        let status = match &stream.stuck {
            _ if stream.exited => "exited",
            Some(_) => "waits",
            None => "ready",
        };
        let focus = if queue == s.focus() { " (focus)" } else { "" };
        let mut line = Line::toned(Tone::Key, queue.name())
            .then(Tone::Plain, ": ")
            .then(
                if status == "waits" {
                    Tone::Warn
                } else {
                    Tone::Value
                },
                status,
            )
            .then(Tone::Dim, focus);
        if !stream.exited {
            line = line.then(Tone::Plain, " ");
            line.0.extend(bundle(s, queue, pc).0);
        }
        if stream.clock > 0 {
            line = line.then(Tone::Dim, format!(" free at {} ps", stream.clock));
        }
        lines.push(line);
        lines.extend(stream.stuck.iter().flat_map(waiting::stuck));
        let mut map = bundle_data(queue, None, pc);
        map.extend([
            ("status", status.into()),
            ("text", show::listing(s, queue, pc).into()),
            ("transfers", stream.transfers.into()),
            ("clock_ps", stream.clock.into()),
            (
                "waits",
                Data::List(stream.stuck.iter().flat_map(waiting::stuck_data).collect()),
            ),
        ]);
        data.push(Data::Map(map));
    }
    list("engines", lines, data)
}

/// Queues with something in them, and the transfers in flight.
pub fn queues(s: &Session) -> Output {
    const WORDS_EACH: usize = 4;
    let (mut lines, mut data) = (Vec::new(), Vec::new());
    for (n, words) in s
        .state()
        .hidden(Region::QUEUES)
        .chunks(WORDS_EACH)
        .enumerate()
    {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        let (cursor, issued, finished) = (word(0), word(1), word(2));
        if words.iter().all(|w| *w == 0) {
            continue;
        }
        let text = format!("issued {issued}, finished {finished}, next block {cursor}");
        lines.push(Line::pair(format!("queue {n}"), text));
        data.push(Data::Map(vec![
            ("queue", (n as u64).into()),
            ("issued", issued.into()),
            ("finished", finished.into()),
            ("cursor", cursor.into()),
        ]));
    }
    let mut named = Vec::new();
    for q in &s.program().queues {
        let posts = q
            .semaphore
            .map_or("posts nothing".to_owned(), |n| format!("posts sem[{n}]"));
        let copies = q.blocks.values().map(Vec::len);
        let blocks: Vec<String> = q.blocks.keys().map(u32::to_string).collect();
        let text = match blocks.as_slice() {
            [] => format!("{posts}, no blocks"),
            blocks => format!(
                "{posts}, blocks {}, {} copies",
                blocks.join(" "),
                copies.sum::<usize>()
            ),
        };
        lines.push(Line::pair(q.name.clone(), text));
        named.push(Data::Map(vec![
            ("name", q.name.as_str().into()),
            ("sem", q.semaphore.map(u64::from).into()),
            (
                "blocks",
                Data::List(q.blocks.keys().map(|b| u64::from(*b).into()).collect()),
            ),
        ]));
    }
    let mut flights = Vec::new();
    for t in s.transfers() {
        let mut line = Line::toned(Tone::Key, "transfer").then(Tone::Plain, ": ");
        line.0.extend(bundle(s, t.queue, t.index).0);
        lines.push(line.then(Tone::Dim, format!(" due at {}", t.due)));
        let mut map = bundle_data(t.queue, None, t.index);
        map.extend([
            ("seq", t.seq.into()),
            ("due", t.due.into()),
            ("sem", t.semaphore.into()),
        ]);
        flights.push(Data::Map(map));
    }
    let mut out = list("queues", lines, data);
    if let Data::Map(map) = &mut out.data {
        map.push(("named", Data::List(named)));
        map.push(("transfers", Data::List(flights)));
    }
    out
}

fn places(s: &Session) -> Output {
    let all = s.places();
    let line = |p: &crate::session::NamedPlace| {
        let shape = p.shape.as_ref().map_or(String::new(), |shape| {
            let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!(" ({})", dims.join(", "))
        });
        Line::toned(Tone::Key, p.name.as_str())
            .then(Tone::Plain, ": ")
            .then(Tone::Place, p.place.to_string())
            .then(Tone::Plain, shape)
            .then(Tone::Dim, format!(" {}", p.origin.name()))
    };
    list(
        "places",
        all.iter().map(line).collect(),
        all.iter().map(show::named_place).collect(),
    )
}

fn streams(s: &Session) -> Output {
    let row = |stream: crate::session::StreamInfo| {
        let line = Line::toned(Tone::Key, stream.queue.name())
            .then(Tone::Plain, ": ")
            .then(Tone::Value, format!("{} bundles", stream.len))
            .then(Tone::Dim, format!(" {}", stream.name));
        let map = vec![
            ("engine", stream.queue.name().into()),
            ("bundles", stream.len.into()),
            ("name", stream.name.as_str().into()),
            ("pc", stream.pc.into()),
        ];
        (line, Data::Map(map))
    };
    let (lines, data) = s.streams().into_iter().map(row).unzip();
    let mut out = list("streams", lines, data);
    let generation = Line::pair("generation", s.generation().to_string());
    out.lines.insert(0, generation);
    out
}

/// What was found up to the present point.
pub fn findings(s: &Session) -> Output {
    table(&s.findings())
}

fn table(all: &[FindingSummary]) -> Output {
    let at = |c: &Cause| report::Cause {
        seq: Some(c.seq),
        queue: c.queue,
        index: c.index,
    };
    report::findings(all.iter().map(|f| report::Finding {
        rule: f.rule,
        severity: f.severity,
        count: f.count,
        first: at(&f.first),
        last: at(&f.last),
        message: &f.message,
    }))
}

fn history(s: &Session) -> Output {
    let h = s.history_info();
    let checkpoints = format!("{}, {}", h.checkpoints, show::size(h.checkpoint_bytes));
    let log = format!("{} records, {}", h.records, show::size(h.log_bytes));
    let mut lines = vec![
        Line::pair("seq", format!("{} of {} known", h.seq, h.end)),
        Line::pair("undo", format!("back to seq {}", h.undo_from)),
        Line::pair("replay", format!("back to seq {}", h.replay_from)),
        Line::pair("accesses", format!("known since seq {}", h.known_from)),
        Line::pair("log", log),
        Line::pair("checkpoints", checkpoints),
        Line::pair("budget", show::size(h.budget)),
    ];
    let snapshots = s.snapshots().iter().map(|(name, snapshot)| {
        let seq = snapshot.mark.seq;
        lines.push(Line::pair(format!("snapshot {name}"), format!("seq {seq}")));
        Data::Map(vec![("name", name.as_str().into()), ("seq", seq.into())])
    });
    let snapshots = snapshots.collect();
    Output::new(
        lines,
        Data::Map(vec![
            ("seq", h.seq.into()),
            ("end", h.end.into()),
            ("undo_from", h.undo_from.into()),
            ("replay_from", h.replay_from.into()),
            ("known_from", h.known_from.into()),
            ("budget", h.budget.into()),
            ("snapshots", Data::List(snapshots)),
        ]),
    )
}

fn all_settings(s: &Session) -> Output {
    let (lines, data) = settings::values(s)
        .map(|(setting, value, default)| {
            let others = setting.words.iter().filter(|w| **w != value);
            let others: Vec<&str> = others.copied().collect();
            let or = if others.is_empty() {
                String::new()
            } else {
                format!(" (or {})", others.join(", "))
            };
            let line = Line::toned(Tone::Key, setting.key)
                .then(Tone::Plain, ": ")
                .then(
                    if default { Tone::Value } else { Tone::Warn },
                    value.as_str(),
                )
                .then(Tone::Plain, or)
                .then(Tone::Dim, format!("  {}", setting.doc));
            let map = vec![
                ("key", setting.key.into()),
                ("value", value.as_str().into()),
                ("default", default.into()),
                ("values", setting.words.to_vec().into()),
            ];
            (line, Data::Map(map))
        })
        .unzip();
    list("settings", lines, data)
}
