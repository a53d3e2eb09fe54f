//! Accesses in words.

use std::fmt::Write;
use std::ops::Range;

use super::{Access, Thing};
use crate::isa::access::{Operand, Shape};
use crate::isa::fields::{Addr4, AddrForm, Location, MxForm};
use crate::isa::{Generation, Space};

/// A rectangle of on-chip bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// SBUF or PSUM.
    pub space: Space,
    /// Partitions.
    pub parts: Range<u32>,
    /// Bytes inside each partition; negative when the walk leaves it.
    pub bytes: Range<i64>,
}

impl Extent {
    fn of(start: Location, lanes: u16, (lo, hi): (i64, i64), size: u32) -> Extent {
        let (off, size) = (i64::from(start.off), i64::from(size));
        Extent {
            space: start.space,
            parts: u32::from(start.part)..u32::from(start.part) + u32::from(lanes),
            bytes: off + lo * size..off + (hi + 1) * size,
        }
    }
}

impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Extent {
            space,
            parts,
            bytes,
        } = self;
        write!(f, "{space}[{}:{}, ", parts.start, parts.end)?;
        if bytes.start < 0 {
            write!(f, "{}:{}]", bytes.start, bytes.end)
        } else {
            write!(f, "{:#x}:{:#x}]", bytes.start, bytes.end)
        }
    }
}

/// The smallest rectangle around a static operand with an immediate address.
pub fn extent(o: &Operand, g: Generation) -> Option<Extent> {
    let Shape::Static(p) = o.shape else {
        return None;
    };
    if p.addr.shape_register() && g != Generation::V2 {
        return None;
    }
    let start = p.addr.location(g)?;
    Some(Extent::of(start, o.lanes, p.extent(), o.dtype.bytes()))
}

impl Access {
    /// What is touched, in words.
    pub fn text(&self, g: Generation) -> String {
        let mut out = String::new();
        let _ = match &self.thing {
            Thing::Tensor(o) => tensor(&mut out, o, g),
            Thing::Mx {
                field,
                dtype,
                lanes,
                form,
            } => {
                let (data, scale, num) = match form {
                    MxForm::Static(m) => (m.data, m.scale, m.num),
                    MxForm::Indirect(m) => (m.data, m.scale, m.num),
                };
                write!(
                    out,
                    "{}: {dtype} x{num} on {lanes} partitions at {}, scales at {}",
                    field.name,
                    place(data, g),
                    place(scale, g)
                )
            }
            Thing::Scalars(field, addr) => {
                write!(
                    out,
                    "{}: one scalar per lane at {}",
                    field.name,
                    place(*addr, g)
                )
            }
            Thing::Far(field, addr) => match addr.immediate() {
                Some(a) => write!(out, "{}: address {a:#x}", field.name),
                None => write!(out, "{}: address known at run time", field.name),
            },
            Thing::Semaphore(n) => write!(out, "$S[{n}]"),
            Thing::Event(n) => write!(out, "$E[{n}]"),
            Thing::Register(128) => write!(out, "the PC, low half"),
            Thing::Register(129) => write!(out, "the PC, high half"),
            Thing::Register(n) => write!(out, "r{n}"),
        };
        out
    }
}

fn tensor(out: &mut String, o: &Operand, g: Generation) -> std::fmt::Result {
    let name = o.field.name;
    let dtype = o.dtype;
    match (o.shape, extent(o, g)) {
        (Shape::Static(p), Some(e)) => {
            write!(out, "{name}: {e} as {dtype}, {} elements", p.count())
        }
        (Shape::Static(p), None) => write!(
            out,
            "{name}: {dtype} on {} partitions at {}",
            o.lanes,
            place(p.addr, g)
        ),
        (Shape::Indirect(i), _) => write!(
            out,
            "{name}: {} {dtype} elements on {} partitions around {}, indices at {}",
            i.num,
            o.lanes,
            place(i.data, g),
            place(i.index, g)
        ),
    }
}

/// An address word in words.
pub fn place(word: Addr4, g: Generation) -> String {
    let shape = if word.shape_register() {
        ", SHAPE_REG: shape from a register"
    } else {
        ""
    };
    match word.form() {
        AddrForm::Register(n) => format!("the address in r{n}{shape}"),
        AddrForm::IndexRegister(n) => format!("the index address in r{n}"),
        AddrForm::Undefined => format!("marker {:#04x}, which has no meaning", word.marker()),
        _ => match word.location(g) {
            Some(l) => format!("{l}{shape}"),
            None => format!("{:#010x}, neither SBUF nor PSUM", word.a29()),
        },
    }
}
