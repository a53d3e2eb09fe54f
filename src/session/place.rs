//! Places: checked ranges of memory that users name.

use std::fmt;

use thiserror::Error;

use crate::isa::generation::{BANK_BYTES, BANKS};
use crate::num::Kind;
use crate::sim::{Geometry, Rect, Space};

/// A range of memory inside its bounds: partitions `part..part+parts`, bytes `off..off+len` of each.
///
/// In DRAM there is one partition and `off` is the address. Made by [`Place::new`] only, so it always lies in its memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The memory.
    pub space: Space,
    /// First partition.
    pub part: u16,
    /// Number of partitions, at least 1.
    pub parts: u16,
    /// First byte inside each partition; in DRAM the address.
    pub off: u64,
    /// Bytes per partition, at least 1.
    pub len: u64,
    /// How its bytes are read; `None` when not said.
    pub dtype: Option<Kind>,
}

/// Why a place does not exist, or cannot be read so.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlaceError {
    /// No partition or no byte.
    #[error("an empty place of {space}: {what}")]
    Empty {
        /// The memory.
        space: Space,
        /// Which range.
        what: &'static str,
    },
    /// Partitions beyond the memory.
    #[error("partitions {from}:{to} of {space}, which has {limit} (0..={last})", last = limit - 1)]
    Partitions {
        /// The memory.
        space: Space,
        /// First partition.
        from: u64,
        /// One past the last.
        to: u64,
        /// Partitions there are.
        limit: u16,
    },
    /// Bytes beyond the memory.
    #[error("bytes {from:#x}:{to:#x} of {space}, which has {limit:#x}{per}", per = per(*space))]
    Bytes {
        /// The memory.
        space: Space,
        /// First byte.
        from: u64,
        /// One past the last.
        to: u64,
        /// Bytes there are.
        limit: u64,
    },
    /// No such bank.
    #[error("bank {bank} of psum, which has {BANKS} (0..={last})", last = BANKS - 1)]
    Bank {
        /// What was asked for.
        bank: u64,
    },
    /// Bytes beyond the bank.
    #[error("bytes {from:#x}:{to:#x} of a psum bank, which has {BANK_BYTES:#x}")]
    BankBytes {
        /// First byte.
        from: u64,
        /// One past the last.
        to: u64,
    },
    /// The bytes of a partition are not a whole number of elements.
    #[error("{place} has {} bytes per partition, not a multiple of the {} of {kind}", place.len, kind.bytes())]
    Elements {
        /// The place.
        place: Place,
        /// The element kind.
        kind: Kind,
    },
}

const fn per(space: Space) -> &'static str {
    match space {
        Space::Dram => "",
        _ => " per partition",
    }
}

impl Place {
    /// A place with partitions and bytes half-open; DRAM takes the partitions `0..1`.
    ///
    /// # Errors
    /// [`PlaceError`] names the limit that is broken.
    pub fn new(
        geometry: &Geometry,
        space: Space,
        parts: std::ops::Range<u64>,
        bytes: std::ops::Range<u64>,
        dtype: Option<Kind>,
    ) -> Result<Place, PlaceError> {
        let (limit, backed) = (geometry.partitions(space), geometry.bytes(space));
        if parts.is_empty() {
            return Err(PlaceError::Empty {
                space,
                what: "no partition",
            });
        }
        if bytes.is_empty() {
            return Err(PlaceError::Empty {
                space,
                what: "no byte",
            });
        }
        if parts.end > u64::from(limit) {
            return Err(PlaceError::Partitions {
                space,
                from: parts.start,
                to: parts.end,
                limit,
            });
        }
        if bytes.end > backed {
            return Err(PlaceError::Bytes {
                space,
                from: bytes.start,
                to: bytes.end,
                limit: backed,
            });
        }
        Ok(Place {
            space,
            part: parts.start as u16,
            parts: (parts.end - parts.start) as u16,
            off: bytes.start,
            len: bytes.end - bytes.start,
            dtype,
        })
    }

    /// A place inside one PSUM bank; `bytes` count from the start of the bank, `None` is all of it.
    ///
    /// # Errors
    /// [`PlaceError`] names the limit that is broken.
    pub fn in_bank(
        geometry: &Geometry,
        parts: std::ops::Range<u64>,
        bank: u64,
        bytes: Option<std::ops::Range<u64>>,
        dtype: Option<Kind>,
    ) -> Result<Place, PlaceError> {
        if bank >= u64::from(BANKS) {
            return Err(PlaceError::Bank { bank });
        }
        let size = u64::from(BANK_BYTES);
        let bytes = bytes.unwrap_or(0..size);
        if bytes.end > size {
            return Err(PlaceError::BankBytes {
                from: bytes.start,
                to: bytes.end,
            });
        }
        let base = bank * size;
        let bytes = base + bytes.start..base + bytes.end;
        Place::new(geometry, Space::Psum, parts, bytes, dtype)
    }

    /// All of a memory.
    pub fn whole(geometry: &Geometry, space: Space) -> Place {
        Place {
            space,
            part: 0,
            parts: geometry.partitions(space),
            off: 0,
            len: geometry.bytes(space),
            dtype: None,
        }
    }

    /// The same range read as another kind.
    pub fn with_dtype(self, kind: Kind) -> Place {
        Place {
            dtype: Some(kind),
            ..self
        }
    }

    /// Bytes over all partitions.
    pub fn bytes(&self) -> u64 {
        u64::from(self.parts).saturating_mul(self.len)
    }

    /// Elements of a kind per partition; fp4 containers count as one.
    ///
    /// # Errors
    /// [`PlaceError::Elements`] when the bytes of a partition are no whole number of elements.
    pub fn per_partition(&self, kind: Kind) -> Result<u64, PlaceError> {
        let size = kind.bytes() as u64;
        if self.len.is_multiple_of(size) {
            Ok(self.len / size)
        } else {
            Err(PlaceError::Elements { place: *self, kind })
        }
    }

    /// Elements of a kind over all partitions.
    ///
    /// # Errors
    /// As [`Place::per_partition`].
    pub fn elements(&self, kind: Kind) -> Result<u64, PlaceError> {
        Ok(self
            .per_partition(kind)?
            .saturating_mul(u64::from(self.parts)))
    }

    /// The rectangle from byte `skip` of each partition on, at most `most` bytes wide.
    fn rect_from(&self, skip: u64, most: u32) -> Rect {
        Rect {
            space: self.space,
            part: self.part,
            parts: self.parts,
            off: self.off + skip,
            len: (self.len - skip).min(u64::from(most)) as u32,
        }
    }

    /// The rectangle; a DRAM place of 4 GiB or more is cut to its first `u32::MAX` bytes (see [`Place::rects`]).
    pub fn rect(&self) -> Rect {
        self.rect_from(0, u32::MAX)
    }

    /// Rectangles of at most `most` bytes per partition that together are the place, in order.
    pub fn rects(&self, most: u32) -> impl Iterator<Item = Rect> + use<> {
        let (place, step) = (*self, most.max(1));
        let mut at = 0;
        std::iter::from_fn(move || {
            let rect = (at < place.len).then(|| place.rect_from(at, step))?;
            at += u64::from(rect.len);
            Some(rect)
        })
    }

    /// The part of a rectangle that lies inside.
    pub fn clip(&self, rect: &Rect) -> Option<Rect> {
        if self.space != rect.space {
            return None;
        }
        let part = self.part.max(rect.part);
        let end = (u32::from(self.part) + u32::from(self.parts)).min(rect.part_end());
        let off = self.off.max(rect.off);
        let stop = (self.off + self.len).min(rect.end());
        (u32::from(part) < end && off < stop).then(|| Rect {
            space: self.space,
            part,
            parts: (end - u32::from(part)) as u16,
            off,
            len: (stop - off) as u32,
        })
    }
}

impl fmt::Display for Place {
    /// As the command language reads it: `sbuf[0:4, 0x100+64] as bf16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (space, part, off, len) = (self.space, self.part, self.off, self.len);
        match (space, self.parts) {
            (Space::Dram, _) => write!(f, "dram[{off:#x}+{len}]")?,
            (_, 1) => write!(f, "{space}[{part}, {off:#x}+{len}]")?,
            (_, n) => write!(
                f,
                "{space}[{part}:{}, {off:#x}+{len}]",
                u32::from(part) + u32::from(n)
            )?,
        }
        match self.dtype {
            Some(kind) => write!(f, " as {kind}"),
            None => Ok(()),
        }
    }
}

/// Where a name comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// `let` of the user.
    Let,
    /// The program's files: source text, manifest, container.
    Program,
}

impl Origin {
    /// Lower-case word for tables.
    pub const fn name(self) -> &'static str {
        ["let", "program"][self as usize]
    }
}

/// A place with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPlace {
    /// The name.
    pub name: String,
    /// What it names.
    pub place: Place,
    /// Shape of the array it holds, outermost dimension first.
    pub shape: Option<Vec<u64>>,
    /// Where the name comes from.
    pub origin: Origin,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GEOMETRY: Geometry = Geometry {
        sbuf_bytes: 0x38000,
        psum_bytes: 0x4000,
        dram_bytes: 24 << 30,
    };

    fn new(
        space: Space,
        parts: std::ops::Range<u64>,
        bytes: std::ops::Range<u64>,
    ) -> Result<Place, PlaceError> {
        Place::new(&GEOMETRY, space, parts, bytes, None)
    }

    #[test]
    fn limits_are_named() {
        let text = |r: Result<Place, PlaceError>| r.unwrap_err().to_string();
        assert_eq!(
            text(new(Space::Sbuf, 100..129, 0..4)),
            "partitions 100:129 of sbuf, which has 128 (0..=127)"
        );
        assert_eq!(
            text(new(Space::Sbuf, 0..1, 0x37FFF..0x38001)),
            "bytes 0x37fff:0x38001 of sbuf, which has 0x38000 per partition"
        );
        assert_eq!(
            text(new(Space::Dram, 0..1, 0..u64::MAX)),
            "bytes 0x0:0xffffffffffffffff of dram, which has 0x600000000"
        );
        assert_eq!(
            text(new(Space::Psum, 3..3, 0..4)),
            "an empty place of psum: no partition"
        );
        let bank = |b, r| Place::in_bank(&GEOMETRY, 0..1, b, r, None);
        assert_eq!(text(bank(8, None)), "bank 8 of psum, which has 8 (0..=7)");
        assert_eq!(
            text(bank(1, Some(0x7F0..0x801))),
            "bytes 0x7f0:0x801 of a psum bank, which has 0x800"
        );
        assert_eq!(bank(3, None).unwrap().off, 3 * 2048);
        let odd = new(Space::Sbuf, 0..2, 0..6).unwrap();
        assert_eq!(
            odd.elements(Kind::Fp32).unwrap_err().to_string(),
            "sbuf[0:2, 0x0+6] has 6 bytes per partition, not a multiple of the 4 of fp32"
        );
        assert_eq!(odd.elements(Kind::Bf16), Ok(6));
    }

    #[test]
    fn printed_in_the_place_grammar() {
        let p = new(Space::Sbuf, 0..4, 0x100..0x140).unwrap();
        assert_eq!(
            p.with_dtype(Kind::Bf16).to_string(),
            "sbuf[0:4, 0x100+64] as bf16"
        );
        assert_eq!(
            new(Space::Psum, 7..8, 0..4).unwrap().to_string(),
            "psum[7, 0x0+4]"
        );
        assert_eq!(
            new(Space::Dram, 0..1, 16..18).unwrap().to_string(),
            "dram[0x10+2]"
        );
    }

    proptest! {
        #[test]
        fn pieces_are_the_place(off in 0..100u64, len in 1..300u64, most in 1..80u32, clip in 0..64u64) {
            let place = new(Space::Dram, 0..1, off..off + len).unwrap();
            let mut at = off;
            for r in place.rects(most) {
                prop_assert!(r.off == at && r.len > 0 && r.len <= most);
                prop_assert_eq!(place.clip(&r), Some(r));
                at = r.end();
            }
            prop_assert_eq!(at, off + len);
            prop_assert_eq!(place.clip(&Rect::dram(clip, 40)), place.rect().intersect(&Rect::dram(clip, 40)));
        }
    }
}
