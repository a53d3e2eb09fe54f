//! Places with ranges: `sbuf[0:128, 0+4096]`, `psum[0:64, bank 2]`, `dram[0x1000+64]`, a name
//! (interface §2).

use std::ops::Range;

use crate::isa::generation::{BANK_BYTES, BANKS, PARTITIONS};
use crate::isa::text::{Cursor, TextError, address, value};
use crate::isa::{DType, Generation, Space};
use crate::program::{Place, Region};

/// A place with the data type behind `as`.
pub struct Typed {
    /// Where.
    pub place: Place,
    /// Data type, of the text or of the region it names.
    pub dtype: Option<DType>,
}

/// Reads a place and `as DTYPE`.
pub fn typed(c: &mut Cursor<'_>, regions: &[Region], g: Generation) -> Result<Typed, TextError> {
    let start = c.pos();
    let (space, parts, bytes) = match address::place_name(c) {
        "sbuf" => rectangle(c, Space::Sbuf, g)?,
        "psum" => rectangle(c, Space::Psum, g)?,
        "dram" => dram(c, g)?,
        "" => return Err(c.error("a place: sbuf[..], psum[..], dram[..] or a name")),
        name => {
            let Some(region) = regions.iter().find(|r| r.name == name) else {
                let error = c.error_from(start, "a place: sbuf[..], psum[..], dram[..] or a name");
                let close = value::similar(name, regions.iter().map(|r| r.name.as_str()));
                return Err(match close {
                    Some(close) => error.hint(format!("a place is called `{close}`")),
                    None => error,
                });
            };
            let dtype = as_dtype(c)?.or(region.dtype);
            let place = region.place.clone();
            return Ok(Typed { place, dtype });
        }
    };
    let end = c.clone();
    let dtype = as_dtype(c)?;
    let bytes = match bytes {
        Bytes::Range(r) => r,
        Bytes::At(off) => {
            let Some(size) = dtype.map(DType::bytes).filter(|n| *n > 0) else {
                return Err(end
                    .error_from(start, "a range of bytes")
                    .hint("write off+len or lo:hi, or say `as DTYPE` for one element"));
            };
            off..off.saturating_add(u64::from(size))
        }
    };
    let place = Place::new(space, parts, bytes, g).map_err(|e| {
        end.error_from(start, "a place inside the memory")
            .hint(e.to_string())
    })?;
    Ok(Typed { place, dtype })
}

/// The optional ` as DTYPE`.
fn as_dtype(c: &mut Cursor<'_>) -> Result<Option<DType>, TextError> {
    let mut probe = c.clone();
    probe.blanks();
    if probe.word() != "as" {
        return Ok(None);
    }
    probe.blanks();
    let dtype = value::dtype(&mut probe)?;
    *c = probe;
    Ok(Some(dtype))
}

enum Bytes {
    Range(Range<u64>),
    At(u64),
}

type Rectangle = (Space, Range<u64>, Bytes);

/// `[PARTS]`, `[PARTS, BYTES]`, `[PARTS, bank B]`, `[PARTS, bank B, BYTES]`, or nothing.
fn rectangle(c: &mut Cursor<'_>, space: Space, g: Generation) -> Result<Rectangle, TextError> {
    let all = Bytes::Range(0..space.backed(g));
    if !c.eat("[") {
        return Ok((space, 0..PARTITIONS as u64, all));
    }
    c.blanks();
    let parts = if c.eat(":") {
        0..PARTITIONS as u64
    } else {
        let first = c.number("a partition")?;
        if c.eat(":") {
            first..c.number("the partition behind the last")?
        } else {
            first..first.saturating_add(1)
        }
    };
    c.blanks();
    let mut base = 0;
    let mut bytes = all;
    if c.eat(",") {
        c.blanks();
        if space == Space::Psum && c.eat("bank") {
            c.blanks();
            let bank = c.number_in("a bank", 0, u64::from(BANKS) - 1)?;
            base = bank * u64::from(BANK_BYTES);
            bytes = Bytes::Range(0..u64::from(BANK_BYTES));
            c.blanks();
            if c.eat(",") {
                bytes = byte_range(c, u64::from(BANK_BYTES))?;
            }
        } else {
            bytes = byte_range(c, space.backed(g))?;
        }
    }
    c.blanks();
    c.expect("]")?;
    let bytes = match bytes {
        Bytes::Range(r) => Bytes::Range(r.start.saturating_add(base)..r.end.saturating_add(base)),
        Bytes::At(off) => Bytes::At(off.saturating_add(base)),
    };
    Ok((space, parts, bytes))
}

fn dram(c: &mut Cursor<'_>, g: Generation) -> Result<Rectangle, TextError> {
    let limit = Space::Dram.backed(g);
    if !c.eat("[") {
        return Ok((Space::Dram, 0..1, Bytes::Range(0..limit)));
    }
    let bytes = byte_range(c, limit)?;
    c.blanks();
    c.expect("]")?;
    Ok((Space::Dram, 0..1, bytes))
}

/// `off`, `lo:hi`, `off+len` or `:`; never empty.
fn byte_range(c: &mut Cursor<'_>, all: u64) -> Result<Bytes, TextError> {
    c.blanks();
    if c.eat(":") {
        return Ok(Bytes::Range(0..all));
    }
    let start = c.pos();
    let low = c.number("a byte offset")?;
    let high = if c.eat(":") {
        c.number("the byte behind the last")?
    } else if c.eat("+") {
        low.saturating_add(c.number("a number of bytes")?)
    } else {
        return Ok(Bytes::At(low));
    };
    if low >= high {
        return Err(c.error_from(start, "at least one byte"));
    }
    Ok(Bytes::Range(low..high))
}
