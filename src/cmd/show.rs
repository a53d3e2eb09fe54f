//! Pieces of answers that several commands share.

use super::error::{CmdError, ErrorKind};
use super::output::{Data, Line, Output, Tone};
use crate::isa::text::line;
use crate::isa::{Engine, Queue};
use crate::num::{self, Kind};
use crate::session::{NamedPlace, Place, Session, Value};
use crate::sim::Rect;

/// `pe:12`, as commands read it.
pub fn code(queue: Queue, index: u64) -> String {
    format!("{}:{index}", queue.name())
}

/// Is there such a bundle?
///
/// # Errors
/// A usage error that says what there is.
pub fn exists(session: &Session, queue: Queue, index: u64) -> Result<(), CmdError> {
    has_stream(session, queue)?;
    let len = session.machine().code().len(queue);
    if index < len {
        return Ok(());
    }
    let m = format!("{}: the stream has {len} bundles", code(queue, index));
    Err(CmdError::new(ErrorKind::Usage, m))
}

/// Has the program a stream of a queue?
///
/// # Errors
/// A usage error that says which it has.
pub fn has_stream(session: &Session, queue: Queue) -> Result<(), CmdError> {
    let all: Vec<Queue> = session.machine().queues().collect();
    if all.contains(&queue) {
        return Ok(());
    }
    let names: Vec<&str> = all.iter().map(|q| q.name()).collect();
    let m = format!(
        "the program has no stream of {}, it has {}",
        queue.name(),
        names.join(" ")
    );
    Err(CmdError::new(ErrorKind::Usage, m))
}

/// The line that says that a change in the past dropped a future.
pub fn dropped(steps: u64) -> Option<Line> {
    (steps > 0).then(|| Line::pair("dropped", format!("{steps} later steps")))
}

/// Listing line of a bundle, patches included; empty when there is none.
pub fn listing(session: &Session, queue: Queue, index: u64) -> String {
    let instr = session.machine().instr(queue, index);
    instr.map_or(String::new(), |i| line(&i))
}

/// `pe:12 MATMUL ...;`, the opcode toned.
pub fn bundle(session: &Session, queue: Queue, index: u64) -> Line {
    let line = Line::toned(Tone::Place, code(queue, index));
    with_listing(line, &listing(session, queue, index))
}

/// Appends a listing line, its opcode toned.
pub fn with_listing(line: Line, text: &str) -> Line {
    let (op, rest) = text.split_at(text.find([' ', ';']).unwrap_or(text.len()));
    if op.is_empty() {
        return line;
    }
    let gap = if line.0.is_empty() { "" } else { " " };
    line.then(Tone::Plain, gap)
        .then(Tone::Op, op)
        .then(Tone::Plain, rest)
}

/// `engine`, and `runs_on` where the stream does not tell: the keys that name a bundle in JSON.
pub fn bundle_data(queue: Queue, engine: Option<Engine>, index: u64) -> Vec<(&'static str, Data)> {
    let mut map = vec![("engine", queue.name().into()), ("index", index.into())];
    if queue == Queue::Any {
        map.push(("runs_on", engine.map(Engine::name).into()));
    }
    map
}

/// A rectangle as a place.
pub fn place_of(rect: &Rect, dtype: Option<Kind>) -> Place {
    Place {
        space: rect.space,
        part: rect.part,
        parts: rect.parts,
        off: rect.off,
        len: u64::from(rect.len),
        dtype,
    }
}

/// A value in JSON.
pub fn value(v: &Value) -> Data {
    match v {
        Value::Int(i) => Data::Int(*i),
        Value::Float(f) => Data::Float(*f),
        Value::Str(s) => Data::Str(s.clone()),
    }
}

/// An element in JSON: a number, of an fp4 container a list.
pub fn element(kind: Kind, bits: u64) -> Data {
    match kind {
        Kind::Fp4x4 => {
            let lanes = num::fp4_unpack(bits as u16);
            Data::List(lanes.iter().map(|l| Data::Float(f64::from(*l))).collect())
        }
        _ if kind.is_float() => Data::Float(num::to_f64(kind, bits)),
        _ if kind.is_signed() => Data::Int(num::sign_extend(bits, kind.bits()).into()),
        _ => Data::Int(num::mask(bits, kind.bits()).into()),
    }
}

/// Little-endian bits of an element of up to 8 bytes.
pub fn bits(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(w, b)| *w = *b);
    u64::from_le_bytes(word)
}

/// A named place in JSON.
pub fn named_place(p: &NamedPlace) -> Data {
    Data::Map(vec![
        ("name", p.name.as_str().into()),
        (
            "place",
            Place {
                dtype: None,
                ..p.place
            }
            .to_string()
            .into(),
        ),
        ("dtype", p.place.dtype.map(Kind::name).into()),
        ("shape", p.shape.clone().into()),
        ("origin", p.origin.name().into()),
    ])
}

/// A byte count for people: `24 MiB`, `1536 B`.
pub fn size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units
        .iter()
        .find(|(n, _)| bytes >= *n && bytes.is_multiple_of(*n));
    unit.map_or(format!("{bytes} B"), |(n, name)| {
        format!("{} {name}", bytes / n)
    })
}

/// A table: its lines, or one that says there are none, and its rows under `key`.
pub fn list(key: &'static str, mut lines: Vec<Line>, rows: Vec<Data>) -> Output {
    if lines.is_empty() {
        lines.push(
            Line::toned(Tone::Key, key)
                .then(Tone::Plain, ": ")
                .then(Tone::Dim, "none"),
        );
    }
    Output::new(lines, Data::Map(vec![(key, Data::List(rows))]))
}
