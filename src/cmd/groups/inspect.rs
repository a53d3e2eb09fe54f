//! Looking at values.

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::lower::{eval, untagged};
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::isa::Space;
use crate::num::{self, Kind};
use crate::session::{Expr, Place, Session, Value};

const PLACE: Arg = Arg::required("place", ArgKind::Place);
const COUNT: Arg = Arg::keyword("count", "n", ArgKind::Number);

/// Elements that `x` shows when no count is given.
const SOME: u64 = 4096;
/// Elements that `x` shows at most.
const MOST: u64 = 1 << 20;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["x"],
        group: Group::Inspect,
        summary: "show memory as values",
        help: "A row is one partition, or a piece of it. Without `as DTYPE` bytes are shown. `count N` shows N elements of each \
               partition, counted from the start of the place; without it at most 4096 elements are shown. `?` stands behind \
               elements with a byte that was never written.",
        examples: &[
            (
                "x sbuf[0:2, 0:16] as fp32",
                "four elements of two partitions",
            ),
            (
                "x sbuf[0, 0] as bf16 count 4",
                "four elements from an offset on",
            ),
        ],
        forms: &[&[PLACE, COUNT]],
        run: Run::Read(x),
    },
    Command {
        names: &["print", "p"],
        group: Group::Inspect,
        summary: "show the value of an expression",
        help: "Integers are exact; a place with one element is its value; min max sum mean absmax nans infs zeros uninit take a place.",
        examples: &[
            ("print $digest", "hash of the whole state"),
            ("print max(sbuf[0, 0:64] as fp32)", "over a place"),
            ("p sem[4] + 1", "a semaphore"),
        ],
        forms: &[&[Arg::required("expr", ArgKind::Expr)]],
        run: Run::Read(print),
    },
];

fn print(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let expr = a.expr("expr").unwrap_or(Expr::Int(0));
    let value = eval(s, &expr, a)?;
    let text = match (&value, untagged(&expr)) {
        (Value::Int(i), Expr::Digest) => format!("{i:#018x}"),
        _ => value.to_string(),
    };
    let data = Data::Map(vec![
        ("value", show::value(&value)),
        ("type", value.type_name().into()),
    ]);
    Ok(Output::new(vec![Line::pair(a.source("expr"), text)], data))
}

fn x(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let Some(place) = a.place("place") else {
        return Ok(Output::none());
    };
    let bad = |m: String| a.error("place", m);
    let kind = place.dtype.unwrap_or(Kind::U8);
    let size = kind.bytes() as u64;
    let parts = u64::from(place.parts);
    let has = place.per_partition(kind).map_err(|e| bad(e.to_string()))?;
    let wanted = a.number("n").unwrap_or(has.min((SOME / parts).max(1)));
    if wanted.saturating_mul(parts) > MOST {
        let m = format!(
            "{wanted} elements of {parts} partitions; `x` shows at most {MOST}, `dump` writes any number"
        );
        return Err(bad(m));
    }
    if wanted == 0 {
        return Err(a.error("n", "expected at least 1, found 0"));
    }
    let end = place.off.saturating_add(wanted.saturating_mul(size));
    let from = u64::from(place.part);
    let shown = Place::new(
        s.state().geometry(),
        place.space,
        from..from + parts,
        place.off..end,
        place.dtype,
    );
    let shown = shown.map_err(|e| bad(e.to_string()))?;
    let mut lines = Vec::new();
    let mut rows = Vec::new();
    for part in shown.part..shown.part + shown.parts {
        let row = Place {
            part,
            parts: 1,
            ..shown
        };
        rows.push(show_row(s, &row, kind, &mut lines));
    }
    let more = has.saturating_sub(wanted);
    if more > 0 && !a.has("n") {
        let text = format!("{more} elements per partition not shown; `count {has}` shows all");
        lines.push(Line::pair("more", text));
    }
    let bare = Place {
        dtype: None,
        ..shown
    };
    Ok(Output::new(
        lines,
        Data::Map(vec![
            ("place", bare.to_string().into()),
            ("dtype", kind.name().into()),
            ("values", Data::List(rows)),
            ("more", more.into()),
        ]),
    ))
}

/// Appends the lines of one partition; gives its values.
fn show_row(s: &Session, row: &Place, kind: Kind, lines: &mut Vec<Line>) -> Data {
    let size = kind.bytes();
    let per_line = if row.dtype.is_none() { 16 } else { 8 };
    let mut bytes = Vec::new();
    // The place was checked when it was made.
    let _ = s.state().read_into(&row.rect(), &mut bytes);
    let mut values = Vec::new();
    for (i, chunk) in bytes.chunks(size * per_line).enumerate() {
        let off = row.off + (i * size * per_line) as u64;
        let head = match row.space {
            Space::Dram => format!("dram[{off:#x}]"),
            space => format!("{space}[{}, {off:#x}]", row.part),
        };
        let mut line = Line::toned(Tone::Place, head).then(Tone::Plain, ":");
        for (j, element) in chunk.chunks(size).enumerate() {
            let bits = show::bits(element);
            let text = match row.dtype {
                None => format!(" {bits:02x}"),
                Some(_) => format!(" {}", num::show(kind, bits)),
            };
            let at = Place {
                off: off + (j * size) as u64,
                len: size as u64,
                ..*row
            };
            line = if s.state().is_written(&at.rect()) {
                line.then(Tone::Value, text)
            } else {
                line.then(Tone::Dim, text + "?")
            };
            values.push(show::element(kind, bits));
        }
        lines.push(line);
    }
    Data::List(values)
}
