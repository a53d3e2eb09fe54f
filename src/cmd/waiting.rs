//! Who waits for whom, in words: at a deadlock, at a stop of a stream that cannot go on, at the end of patience.

use super::output::{Data, Line, Output, Tone};
use super::show::{bundle_data, code};
use crate::isa::Queue;
use crate::session::{Knot, Lasso, Poster, Stuck, Turned, WaitGraph};

/// One line per thing a stream waits for, and who could post it.
pub fn stuck(stuck: &Stuck) -> Vec<Line> {
    let why = &stuck.why;
    let head = || {
        Line::toned(Tone::Key, "waits")
            .then(Tone::Plain, ": ")
            .then(Tone::Place, code(why.queue, why.index))
    };
    let mut lines: Vec<Line> = Vec::new();
    for ((wait, posters), last) in stuck.waits().zip(&stuck.last) {
        let line = head().then(Tone::Value, format!(" {wait}"));
        let line = match last {
            Some((seq, queue, index)) => line.then(
                Tone::Dim,
                format!(", last posted by {} at seq {seq}", code(*queue, *index)),
            ),
            None => line,
        };
        let posters: Vec<String> = posters.iter().map(poster).collect();
        lines.push(if posters.is_empty() {
            line.then(Tone::Bad, ", no bundle ahead posts it")
        } else {
            line.then(
                Tone::Plain,
                format!(", next posted by {}", posters.join(", ")),
            )
        });
    }
    if !why.barrier.is_empty() {
        let missing: Vec<&str> = why.barrier.iter().map(|q| q.name()).collect();
        let text = format!(" barrier, not reached by {}", missing.join(" "));
        lines.push(head().then(Tone::Plain, text));
    }
    if why.transfers > 0 {
        lines.push(head().then(
            Tone::Plain,
            format!(" {} transfers in flight", why.transfers),
        ));
    }
    if why.counts_engines() {
        let text = "a multiple of 16 may count every DMA engine: `set dma.completion-count 16`";
        lines.push(Line::pair("note", text));
    }
    lines
}

/// `act:1`, with how many more bundles of the stream would do.
fn poster(p: &Poster) -> String {
    let at = code(p.queue, p.index);
    match p.count {
        _ if p.transfer => format!("the transfer of {at}, which is in flight"),
        1 => at,
        n => format!("{at} ({n} bundles ahead)"),
    }
}

/// Why streams never go on.
pub fn knots(knots: &[Knot]) -> Vec<Line> {
    let cause = || Line::toned(Tone::Key, "cause").then(Tone::Plain, ": ");
    let line = |knot: &Knot| match knot {
        Knot::Circle(path) => {
            let ring = path.iter().chain(path.first());
            let ring: Vec<String> = ring.map(|(q, i)| code(*q, *i)).collect();
            cause()
                .then(Tone::Place, ring.join(" -> "))
                .then(Tone::Plain, ", each waits for the next")
        }
        Knot::Nobody {
            queue,
            index,
            wait,
            own,
        } => {
            let what = if wait.on_event() { "$E" } else { "$S" };
            let line = cause()
                .then(Tone::Plain, "nothing ahead posts ")
                .then(Tone::Value, format!("{what}[{}]", wait.idx))
                .then(Tone::Plain, ", for which ")
                .then(Tone::Place, code(*queue, *index))
                .then(Tone::Plain, " waits");
            match own {
                Some(i) if i == index => line.then(Tone::Plain, "; it would post it itself"),
                Some(i) => line.then(
                    Tone::Plain,
                    format!("; {}, behind it, would", code(*queue, *i)),
                ),
                None => line,
            }
        }
    };
    knots.iter().map(line).collect()
}

/// As an object.
pub fn knot_data(knot: &Knot) -> Data {
    match knot {
        Knot::Circle(path) => {
            let at = path
                .iter()
                .map(|(q, i)| Data::Map(bundle_data(*q, None, *i)));
            Data::Map(vec![
                ("kind", "circle".into()),
                ("bundles", Data::List(at.collect())),
            ])
        }
        Knot::Nobody {
            queue,
            index,
            wait,
            own,
        } => {
            let table = if wait.on_event() { "evt" } else { "sem" };
            let mut map = vec![("kind", "nobody".into())];
            map.extend(bundle_data(*queue, None, *index));
            map.push(("on", format!("{table}[{}]", wait.idx).into()));
            map.push(("own", (*own).into()));
            Data::Map(map)
        }
    }
}

/// `loop: pe:3..9, 7 bundles over and over; a turn changes $pe.r5 (12 -> 11)`
pub fn lasso(l: &Lasso) -> Line {
    let streams: Vec<String> = l
        .streams
        .iter()
        .map(|(q, a, b)| match a == b {
            true => code(*q, *a),
            false => format!("{}..{b}", code(*q, *a)),
        })
        .collect();
    let line = Line::toned(Tone::Key, "loop")
        .then(Tone::Plain, ": ")
        .then(Tone::Place, streams.join(" "))
        .then(
            Tone::Plain,
            format!(", {} bundles over and over; ", l.period),
        );
    if l.endless {
        return line.then(Tone::Bad, "a turn changes nothing, so it never ends");
    }
    let mut changes: Vec<String> = l
        .changes
        .iter()
        .map(|c| format!("{} ({} -> {})", c.what, c.from, c.to))
        .collect();
    if l.memory {
        changes.push("memory".to_owned());
    }
    line.then(
        Tone::Plain,
        match changes.is_empty() {
            true => "a turn changes only what an engine keeps to itself".to_owned(),
            false => format!("a turn changes {}", changes.join(", ")),
        },
    )
}

/// As an object.
pub fn lasso_data(l: &Lasso) -> Data {
    let stream = |(q, a, b): &(Queue, u64, u64)| {
        Data::Map(vec![
            ("engine", q.name().into()),
            ("from", (*a).into()),
            ("to", (*b).into()),
        ])
    };
    let change = |c: &Turned| {
        Data::Map(vec![
            ("what", c.what.as_str().into()),
            ("from", c.from.into()),
            ("to", c.to.into()),
        ])
    };
    Data::Map(vec![
        (
            "streams",
            Data::List(l.streams.iter().map(stream).collect()),
        ),
        ("period", l.period.into()),
        (
            "changes",
            Data::List(l.changes.iter().map(change).collect()),
        ),
        ("memory", l.memory.into()),
        ("endless", l.endless.into()),
    ])
}

/// `info waits`: who waits for whom.
pub fn graph(g: &WaitGraph) -> Output {
    let mut lines: Vec<Line> = g.stuck.iter().flat_map(stuck).collect();
    lines.extend(knots(&g.knots));
    let names = |all: &[Queue]| -> Vec<&'static str> { all.iter().map(|q| q.name()).collect() };
    if !g.ready.is_empty() {
        lines.push(Line::pair("ready", names(&g.ready).join(" ")));
    }
    if lines.is_empty() {
        lines.push(Line::pair("waits", "none"));
    }
    Output::new(
        lines,
        Data::Map(vec![
            (
                "waits",
                Data::List(g.stuck.iter().flat_map(stuck_data).collect()),
            ),
            ("ready", names(&g.ready).into()),
            ("never", names(&g.dead).into()),
            (
                "causes",
                Data::List(g.knots.iter().map(knot_data).collect()),
            ),
        ]),
    )
}

/// One object per thing a stream waits for.
pub fn stuck_data(stuck: &Stuck) -> Vec<Data> {
    let why = &stuck.why;
    let mut all = Vec::new();
    for ((wait, posters), last) in stuck.waits().zip(&stuck.last) {
        let table = if wait.mode.on_event() { "evt" } else { "sem" };
        let posters = posters.iter().map(|p| {
            let mut map = bundle_data(p.queue, None, p.index);
            map.extend([("count", p.count.into()), ("transfer", p.transfer.into())]);
            Data::Map(map)
        });
        let last = last.map_or(Data::Null, |(seq, queue, index)| {
            let mut map = bundle_data(queue, None, index);
            map.push(("seq", seq.into()));
            Data::Map(map)
        });
        all.push(vec![
            ("on", format!("{table}[{}]", wait.idx).into()),
            ("condition", wait.mode.name().into()),
            ("threshold", wait.threshold.into()),
            ("value", wait.value.into()),
            ("posters", Data::List(posters.collect())),
            ("last", last),
        ]);
    }
    if !why.barrier.is_empty() {
        let missing: Vec<&str> = why.barrier.iter().map(|q| q.name()).collect();
        all.push(vec![("barrier", missing.into())]);
    }
    if why.transfers > 0 {
        all.push(vec![("transfers", why.transfers.into())]);
    }
    let named = |rest: Vec<(&'static str, Data)>| {
        let mut map = bundle_data(why.queue, None, why.index);
        map.extend(rest);
        Data::Map(map)
    };
    all.into_iter().map(named).collect()
}
