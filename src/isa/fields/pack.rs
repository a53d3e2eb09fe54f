//! Packing a compiler-style access pattern into a descriptor (isa 03 §3).
//!
//! The compiler orders a pattern outermost first: index 0 walks the partitions, the last index is
//! the innermost free dimension. On the wire slot 0 is the innermost and partitions are not there.

use thiserror::Error;

use super::addr::{Addr4, Location};
use super::pattern::{Dim, Pattern};
use crate::isa::{DType, Generation};

/// One dimension of a compiler-style pattern, wide enough for values that do not fit the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Step: in elements, for the partition dimension in partitions.
    pub step: i64,
    /// Iterations.
    pub num: i64,
}

/// Why a pattern has no descriptor. The texts are the compiler's where it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PackError {
    /// A slot of the wrong length.
    #[error("ISA mem pattern {rank}D must have {bytes} bytes to encode")]
    SlotSize {
        /// Dimensions of the pattern.
        rank: usize,
        /// Bytes it needs.
        bytes: usize,
    },
    /// More dimensions than the slot has.
    #[error(
        "Illegal ISA memory access dimension {found}, which must be in range of [1, {rank}]D tensor for ISA mem pattern"
    )]
    Dimensions {
        /// Free dimensions with a count other than 1.
        found: usize,
        /// Dimensions of the slot.
        rank: usize,
    },
    /// A step that is no signed 16-bit number.
    #[error("step {0} is outside -32768..32767")]
    Step(i64),
    /// A count that is no positive 16-bit number.
    #[error("count {0} is outside 1..65535")]
    Count(i64),
    /// Partitions can only be walked upward.
    #[error("Negative step in Pattern[0] not supported")]
    NegativePartitionStep,
    /// An address beyond 32 bits.
    #[error("memory address out of uint32 range")]
    AddressRange,
    /// A data type ordinal beyond the compiler's table.
    #[error("Unknown dtype")]
    UnknownDType,
    /// A partition that does not exist.
    #[error("partition {0} is outside 0..127")]
    Partition(i64),
}

/// Packs the free dimensions `pattern[1..]` into a descriptor of `rank` dimensions: innermost
/// first, count-1 dimensions dropped, spare slots {1,1}.
///
/// # Errors
/// A negative partition step, a step or count that does not fit, too many dimensions.
pub fn pack(addr: Addr4, pattern: &[Access], rank: usize) -> Result<Pattern, PackError> {
    if pattern.first().is_some_and(|p| p.step < 0) {
        return Err(PackError::NegativePartitionStep);
    }
    let mut dims = Vec::with_capacity(4);
    for d in pattern.iter().skip(1).rev() {
        let num = match u16::try_from(d.num) {
            Ok(n) if n > 0 => n,
            _ => return Err(PackError::Count(d.num)),
        };
        let step = i16::try_from(d.step).map_err(|_| PackError::Step(d.step))?;
        if num != 1 {
            dims.push(Dim { step, num });
        }
    }
    if dims.len() > rank {
        return Err(PackError::Dimensions {
            found: dims.len(),
            rank,
        });
    }
    dims.resize(rank, Dim::UNIT);
    Ok(Pattern::new(addr, &dims))
}

impl Pattern {
    /// The bytes of the descriptor, for a slot of `slot` bytes.
    ///
    /// # Errors
    /// [`PackError::SlotSize`] unless the slot has 4 + 4N bytes.
    pub fn to_bytes(&self, slot: usize) -> Result<Vec<u8>, PackError> {
        let rank = self.dims().len();
        let bytes = Pattern::size(rank);
        if slot != bytes {
            return Err(PackError::SlotSize { rank, bytes });
        }
        let mut b = crate::isa::Bundle::default();
        self.write(&mut b, 0);
        Ok(b.slice(0, bytes).to_vec())
    }
}

/// Bytes of an element by the compiler's dtype ordinal (isa 13 §2).
const ORDINAL_BYTES: [u32; 20] = [1, 1, 2, 1, 1, 1, 1, 1, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8];

/// Bytes of an element of a compiler dtype ordinal.
///
/// # Errors
/// [`PackError::UnknownDType`] above 19.
pub fn ordinal_bytes(ordinal: usize) -> Result<u32, PackError> {
    ORDINAL_BYTES
        .get(ordinal)
        .copied()
        .ok_or(PackError::UnknownDType)
}

/// Wire code of a data type by the compiler's dtype ordinal (isa 13 §2).
const ORDINAL_WIRE: [u8; 20] = [
    0x03, 0x02, 0x10, 0x0D, 0x0E, 0x0E, 0x03, 0x0F, 0x0E, 0x0F, 0x05, 0x04, 0x06, 0x07, 0x09, 0x08,
    0x0A, 0x0B, 0x01, 0x0C,
];

/// Data type of a compiler dtype ordinal; before v4 the FP4 container travels as u16.
///
/// # Errors
/// [`PackError::UnknownDType`] above 19.
pub fn ordinal_dtype(ordinal: usize, g: Generation) -> Result<DType, PackError> {
    let wire = ORDINAL_WIRE.get(ordinal).copied().map(DType);
    match wire.ok_or(PackError::UnknownDType)? {
        DType::FP4 if g < Generation::V4 => Ok(DType::U16),
        dtype => Ok(dtype),
    }
}

/// Address of element `offset` of an object that starts at `home`: whole partition strides in the
/// offset move the partition, the remainder moves inside it.
///
/// # Errors
/// A partition outside 0..127, an offset outside the partition.
pub fn element_address(
    home: Location,
    offset: i64,
    element: u32,
    g: Generation,
) -> Result<Addr4, PackError> {
    let stride = i64::from(home.space.stride(g).ok_or(PackError::AddressRange)?);
    let bytes = offset
        .checked_mul(i64::from(element))
        .ok_or(PackError::AddressRange)?;
    let inside = i64::from(home.off)
        .checked_add(bytes)
        .ok_or(PackError::AddressRange)?;
    let part = i64::from(home.part) + inside.div_euclid(stride);
    if !(0..128).contains(&part) {
        return Err(PackError::Partition(part));
    }
    let location = Location {
        space: home.space,
        part: part as u16,
        off: inside.rem_euclid(stride) as u32,
    };
    location
        .address(g)
        .map(Addr4)
        .ok_or(PackError::AddressRange)
}

/// The word of a resolved address, which must fit 32 bits and one of the windows.
///
/// # Errors
/// [`PackError::AddressRange`] beyond 32 bits.
pub fn address_word(address: u64) -> Result<Addr4, PackError> {
    u32::try_from(address)
        .map(Addr4)
        .map_err(|_| PackError::AddressRange)
}

/// Address word of MX scales in `part`: the base of its quadrant, the partition itself goes to
/// `scale_pidx` (isa 02 §3, 03 §6.1). Returns the word and `scale_pidx`.
pub fn scale_address(part: u16, off: u32, g: Generation) -> Option<(Addr4, u8)> {
    let location = Location {
        space: super::addr::Space::Sbuf,
        part: part / 32 * 32,
        off,
    };
    Some((Addr4(location.address(g)?), (part % 32) as u8))
}

#[cfg(test)]
mod tests;
