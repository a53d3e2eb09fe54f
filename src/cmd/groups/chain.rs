//! Where a value comes from.

use super::touch::{bundle_line, places_text};
use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::num;
use crate::session::{Actor, Chain, ChainLimits, Link, LinkOrigin, Session};

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["chain"],
    group: Group::Inspect,
    summary: "follow a value back to where it was made",
    help: "The last writer of the place, the writers of what that one read, and so on, back to initial data, edits and constants. \
           Element-wise bundles and copies are followed element by element, matrix products to the moving columns, the loads of \
           the weights and all products that were summed; other bundles to all they read. At most 12 links deep (`depth N`) and 64 \
           in all (`count N`).",
    examples: &[("chain sbuf[0, 0:4]", "nobody yet")],
    forms: &[&[
        Arg::required("place", ArgKind::Place),
        Arg::keyword("depth", "depth", ArgKind::Number),
        Arg::keyword("count", "n", ArgKind::Number),
    ]],
    run: Run::Edit(chain),
}];

fn chain(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let Some(place) = a.place("place") else {
        return Ok(Output::none());
    };
    let default = ChainLimits::default();
    let most = |name: &str, or: usize| {
        let n = a.number(name);
        n.map_or(or, |n| usize::try_from(n).unwrap_or(usize::MAX))
    };
    let limits = ChainLimits {
        depth: most("depth", default.depth),
        links: most("n", default.links),
    };
    let chain = s
        .chain(&place, limits)
        .map_err(|e| CmdError::from(e).at(a.span("place")))?;
    let mut lines = Vec::new();
    let mut stack: Vec<(usize, usize)> = parts(&chain, None).rev().map(|i| (i, 0)).collect();
    while let Some((i, level)) = stack.pop() {
        let Some(link) = chain.links.get(i) else {
            continue;
        };
        lines.push(line(s, link, level));
        stack.extend(parts(&chain, Some(i)).rev().map(|i| (i, level + 1)));
    }
    if chain.cut > 0 {
        let m = format!(
            "questions not followed: {}; `depth N` and `count N` say how far to go",
            chain.cut
        );
        lines.push(Line::pair("more", m));
    }
    let links = chain.links.iter().map(|l| data(s, l));
    let data = vec![
        ("links", Data::List(links.collect())),
        ("cut", (chain.cut as u64).into()),
    ];
    Ok(Output::new(lines, Data::Map(data)))
}

/// The links whose value is part of that of a link.
fn parts(chain: &Chain, of: Option<usize>) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let all = chain.links.iter().enumerate();
    all.filter(move |(_, l)| l.parent == of).map(|(i, _)| i)
}

fn origin(link: &Link) -> &'static str {
    match &link.origin {
        LinkOrigin::Written(_) => "written",
        LinkOrigin::Latched(_) => "latched",
        LinkOrigin::Initial => "initial",
        LinkOrigin::Never => "never",
        LinkOrigin::Forgotten => "forgotten",
    }
}

/// `  src0: sbuf[0, 0x100+4] = 1.5 seq 3 dve:1 TENSOR_TENSOR ...`
fn line(s: &Session, link: &Link, level: usize) -> Line {
    let role = if link.role.is_empty() {
        "chain"
    } else {
        link.role
    };
    let indent = "  ".repeat(level);
    let mut line = Line::toned(Tone::Key, format!("{indent}{role}")).then(Tone::Plain, ": ");
    if !link.ranges.is_empty() {
        line = line.then(Tone::Place, places_text(&link.ranges));
    }
    if let Some((kind, bits)) = link.value {
        line = line.then(Tone::Value, format!(" = {}", num::show(kind, bits)));
    }
    let gap = if link.ranges.is_empty() { "" } else { " " };
    match &link.origin {
        LinkOrigin::Written(t) | LinkOrigin::Latched(t) => {
            line = line.then(Tone::Plain, gap);
            line.0.extend(bundle_line(s, t).0);
            line
        }
        LinkOrigin::Initial => line.then(Tone::Dim, format!("{gap}initial data")),
        LinkOrigin::Never => line.then(Tone::Warn, format!("{gap}never written")),
        LinkOrigin::Forgotten => line.then(Tone::Dim, format!("{gap}before the history")),
    }
}

fn data(s: &Session, link: &Link) -> Data {
    let ranges = link.ranges.iter();
    let ranges = ranges.map(|r| show::place_of(r, None).to_string().into());
    let value = link.value;
    let mut map = vec![
        ("parent", link.parent.map(|p| p as u64).into()),
        ("role", link.role.into()),
        ("ranges", Data::List(ranges.collect())),
        ("origin", origin(link).into()),
        (
            "value",
            value.map_or(Data::Null, |(kind, bits)| show::element(kind, bits)),
        ),
    ];
    if let LinkOrigin::Written(t) | LinkOrigin::Latched(t) = &link.origin {
        map.push(("seq", t.seq.into()));
        match t.queue.filter(|_| t.actor != Actor::Edit) {
            Some(queue) => {
                map.extend(show::bundle_data(queue, t.engine, t.index));
                map.push(("text", show::listing(s, queue, t.index).into()));
            }
            None => map.push(("text", "edit".into())),
        }
    }
    Data::Map(map)
}
