//! Start addresses and the partitions they cover (isa 02 §2, §4, §5).

use thiserror::Error;

use crate::isa::fields::{Addr4, AddrForm, Location};
use crate::isa::generation::REGISTERS;
use crate::isa::{DType, Generation, Space};

/// Where an operand may lie and what happens to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// It is written.
    pub write: bool,
    /// PSUM is allowed.
    pub psum: bool,
    /// SBUF is allowed.
    pub sbuf: bool,
}

impl Placement {
    /// Read anywhere.
    pub const READ: Placement = Placement {
        write: false,
        psum: true,
        sbuf: true,
    };
    /// Written anywhere.
    pub const WRITE: Placement = Placement {
        write: true,
        psum: true,
        sbuf: true,
    };
    /// Read from SBUF only.
    pub const READ_SBUF: Placement = Placement {
        write: false,
        psum: false,
        sbuf: true,
    };
}

/// Why a start address is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum AddressError {
    /// Marker 0x60 or 0xE0.
    #[error("marker {0:#04x} has no meaning")]
    Marker(u8),
    /// A gather where none can be.
    #[error("indirect marker in a slot that has no indirect form")]
    Indirect,
    /// An index word must say so.
    #[error("index word {0:#010x} without the indirect marker")]
    NotIndirect(u32),
    /// The shape register came with v3.
    #[error("SHAPE_REG is v3 and later")]
    ShapeRegister,
    /// A register beyond the file.
    #[error("address register {0}, allowed 0..63")]
    Register(u8),
    /// Bits 8..23 of the register form.
    #[error("register form {0:#010x}, bits 8..23 must be 0")]
    RegisterBits(u32),
    /// v2 takes one register form only.
    #[error("register form {0:#010x}, v2 takes 0x800000rr only")]
    RegisterFormV2(u32),
    /// A data type without an entry in the alignment table.
    #[error("{0} has no alignment on this generation, so no address is valid")]
    NoAlignment(DType),
    /// Not a multiple of the alignment.
    #[error("address {a29:#010x} is misaligned, {dtype} needs {alignment}-byte alignment")]
    Misaligned {
        /// The 29 address bits.
        a29: u32,
        /// The data type.
        dtype: DType,
        /// What it needs.
        alignment: u32,
    },
    /// Outside both windows.
    #[error("address {0:#010x}: address is in neither SBUF nor PSUM")]
    Outside(u32),
    /// The operand must be elsewhere.
    #[error("operand in {0}, which it may not use")]
    Placement(Space),
    /// A narrow type written to PSUM.
    #[error("{0} written to PSUM, which takes i32, u32, fp32 and fp32r")]
    PsumWrite(DType),
}

impl AddressError {
    /// Id of the rule it breaks.
    pub const fn rule(self) -> &'static str {
        match self {
            AddressError::PsumWrite(_) => "psum-dtype",
            AddressError::Placement(_) => "placement",
            AddressError::Indirect | AddressError::NotIndirect(_) => "indirect",
            _ => "address",
        }
    }
}

/// Checks a start address word. `None`: the address is in a register and nothing else is known.
///
/// # Errors
/// The first rule it breaks, in the order of isa 02 §4.
pub fn start_address(
    word: Addr4,
    dtype: DType,
    place: Placement,
    g: Generation,
) -> Result<Option<Location>, AddressError> {
    match word.form() {
        AddrForm::Undefined => Err(AddressError::Marker(word.marker())),
        AddrForm::IndexImmediate(_) | AddrForm::IndexRegister(_) => Err(AddressError::Indirect),
        AddrForm::Register(n) => register_form(word, n, g).map(|()| None),
        AddrForm::Immediate(_) if word.shape_register() && g == Generation::V2 => {
            Err(AddressError::ShapeRegister)
        }
        AddrForm::Immediate(a29) => resolved_address(a29, dtype, place, g).map(Some),
    }
}

fn register_form(word: Addr4, n: u8, g: Generation) -> Result<(), AddressError> {
    if g == Generation::V2 && word.0 & 0xFFFF_FF00 != Addr4::REGISTER {
        return Err(AddressError::RegisterFormV2(word.0));
    }
    if word.0 & 0x00FF_FF00 != 0 {
        return Err(AddressError::RegisterBits(word.0));
    }
    if usize::from(n) >= REGISTERS {
        return Err(AddressError::Register(n));
    }
    Ok(())
}

/// Checks an address itself: an immediate one, or the low 29 bits of a register at run time.
///
/// # Errors
/// The first rule it breaks: alignment, window, placement, PSUM data type.
pub fn resolved_address(
    a29: u32,
    dtype: DType,
    place: Placement,
    g: Generation,
) -> Result<Location, AddressError> {
    let Some(alignment) = dtype.alignment(g) else {
        return Err(AddressError::NoAlignment(dtype));
    };
    if !a29.is_multiple_of(alignment) {
        return Err(AddressError::Misaligned {
            a29,
            dtype,
            alignment,
        });
    }
    let Some(location) = Location::of_address(a29, g) else {
        return Err(AddressError::Outside(a29));
    };
    let allowed = match location.space {
        Space::Psum => place.psum,
        _ => place.sbuf,
    };
    if !allowed {
        return Err(AddressError::Placement(location.space));
    }
    if location.space == Space::Psum && place.write && !matches!(dtype.0, 8..=11) {
        return Err(AddressError::PsumWrite(dtype));
    }
    Ok(location)
}

/// Checks the word of an index vector: 4-byte aligned, SBUF, read (isa 02 §6).
///
/// # Errors
/// The first rule it breaks.
pub fn index_address(word: Addr4, g: Generation) -> Result<Option<Location>, AddressError> {
    match word.form() {
        AddrForm::IndexImmediate(a29) => {
            resolved_address(a29, DType::U32, Placement::READ_SBUF, g).map(Some)
        }
        AddrForm::IndexRegister(n) if word.0 & 0x00FF_FF00 == 0 && usize::from(n) < REGISTERS => {
            Ok(None)
        }
        AddrForm::IndexRegister(_) if word.0 & 0x00FF_FF00 != 0 => {
            Err(AddressError::RegisterBits(word.0))
        }
        AddrForm::IndexRegister(n) => Err(AddressError::Register(n)),
        AddrForm::Undefined => Err(AddressError::Marker(word.marker())),
        _ => Err(AddressError::NotIndirect(word.0)),
    }
}

/// Why a start partition and a number of lanes do not go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LaneError {
    /// No lanes, or more than there are.
    #[error("{0} lanes, allowed 1..128")]
    Count(u64),
    /// isa 02 §5.
    #[error(
        "{lanes} lanes from partition {part}, allowed: up to 32 from 0, 32, 64, 96; up to 64 from 0, 64; up to 128 from 0"
    )]
    Partition {
        /// Start partition.
        part: u16,
        /// Lanes.
        lanes: u64,
    },
    /// An offset where the partition has no memory.
    #[error("offset {off:#x} of the partition, {space} has {backed:#x} bytes there")]
    Pad {
        /// The memory.
        space: Space,
        /// The offset.
        off: u32,
        /// Bytes that exist.
        backed: u64,
    },
}

impl LaneError {
    /// Id of the rule it breaks.
    pub const fn rule(self) -> &'static str {
        match self {
            LaneError::Count(_) => "channels",
            LaneError::Partition { .. } => "start-partition",
            LaneError::Pad { .. } => "bounds",
        }
    }
}

/// Checks that lanes `start..start + n` are a legal set and the offset exists (isa 02 §5).
///
/// # Errors
/// The first rule it breaks: number, start partition, offset.
pub fn lanes(start: Location, n: u64, g: Generation) -> Result<(), LaneError> {
    if !(1..=128).contains(&n) {
        return Err(LaneError::Count(n));
    }
    let room = match start.part {
        0 => 128,
        64 => 64,
        32 | 96 => 32,
        _ => 0,
    };
    if n > room {
        return Err(LaneError::Partition {
            part: start.part,
            lanes: n,
        });
    }
    let backed = start.space.backed(g);
    if u64::from(start.off) >= backed {
        return Err(LaneError::Pad {
            space: start.space,
            off: start.off,
            backed,
        });
    }
    Ok(())
}

/// The bytes `first..=last` of a walk, relative to its partition, leave the backed ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("bytes {first}..{last} of each partition, {space} has 0..{backed}")]
pub struct BoundsError {
    /// The memory.
    pub space: Space,
    /// First byte.
    pub first: i64,
    /// Byte behind the last.
    pub last: i64,
    /// Bytes that exist.
    pub backed: u64,
}

/// Checks that elements `lo..=hi` of `size` bytes, counted from `start`, stay in the backed bytes.
///
/// # Errors
/// The range they cover.
pub fn bounds(
    start: Location,
    (lo, hi): (i64, i64),
    size: u32,
    g: Generation,
) -> Result<(), BoundsError> {
    let size = i64::from(size);
    let first = i64::from(start.off) + lo * size;
    let last = i64::from(start.off) + (hi + 1) * size;
    let backed = start.space.backed(g);
    if first >= 0 && last <= backed as i64 {
        return Ok(());
    }
    Err(BoundsError {
        space: start.space,
        first,
        last,
        backed,
    })
}

/// Base of the quadrant an SBUF location starts, when it starts one in the backed bytes.
pub fn quadrant(l: Location, g: Generation) -> Option<u16> {
    (l.space == Space::Sbuf && l.part.is_multiple_of(32) && l.is_backed(g)).then_some(l.part)
}
