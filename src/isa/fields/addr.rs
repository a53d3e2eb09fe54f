//! Address words: ADDR4 (isa 02) and ADDR8 (isa 09 §2).

use std::fmt;

use crate::isa::Bundle;
use crate::isa::field::{Field, FieldKind};
use crate::isa::generation::{
    BANK_BYTES, Generation, PSUM_BASE, PSUM_BYTES, PSUM_END, PSUM_STRIDE,
};

/// A memory of the core.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Space {
    /// On-chip state buffer.
    Sbuf,
    /// Accumulator memory of the PE.
    Psum,
    /// Device memory, reachable by DMA only.
    Dram,
}

impl Space {
    /// All memories, on-chip ones first.
    pub const ALL: [Space; 3] = [Space::Sbuf, Space::Psum, Space::Dram];

    /// Lower-case name, as in places.
    pub const fn name(self) -> &'static str {
        ["sbuf", "psum", "dram"][self as usize]
    }

    /// Bytes that exist per partition on `g`; for DRAM the size of the window.
    pub const fn backed(self, g: Generation) -> u64 {
        match self {
            Space::Sbuf => g.info().sbuf_bytes as u64,
            Space::Psum => PSUM_BYTES as u64,
            Space::Dram => g.info().dram_bytes,
        }
    }

    /// Address step from one partition to the next; `None` for DRAM.
    pub const fn stride(self, g: Generation) -> Option<u32> {
        match self {
            Space::Sbuf => Some(1 << g.info().sbuf_stride_log2),
            Space::Psum => Some(PSUM_STRIDE),
            Space::Dram => None,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An on-chip byte: memory, partition, offset in the partition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Location {
    /// SBUF or PSUM.
    pub space: Space,
    /// Partition, 0..128 unless the address lies outside the window.
    pub part: u16,
    /// Byte offset inside the partition.
    pub off: u32,
}

impl Location {
    /// The location of a 29-bit on-chip address (isa 02 §3); `None` above the PSUM window.
    pub fn of_address(a29: u32, g: Generation) -> Option<Location> {
        let log2 = g.info().sbuf_stride_log2;
        // v5 keeps the SBUF window below PSUM only nominally; its interior is not modelled.
        if a29 < PSUM_BASE {
            Some(Location {
                space: Space::Sbuf,
                part: (a29 >> log2) as u16,
                off: a29 & ((1 << log2) - 1),
            })
        } else if a29 < PSUM_END {
            let o = a29 - PSUM_BASE;
            Some(Location {
                space: Space::Psum,
                part: (o / PSUM_STRIDE) as u16,
                off: o % PSUM_STRIDE,
            })
        } else {
            None
        }
    }

    /// The 29-bit address; `None` for DRAM or outside the strides.
    pub fn address(self, g: Generation) -> Option<u32> {
        let log2 = g.info().sbuf_stride_log2;
        match self.space {
            Space::Sbuf if self.part < 128 && self.off < 1 << log2 => {
                Some(u32::from(self.part) << log2 | self.off)
            }
            Space::Psum if self.part < 128 && self.off < PSUM_STRIDE => {
                Some(PSUM_BASE | (u32::from(self.part) * PSUM_STRIDE) | self.off)
            }
            _ => None,
        }
    }

    /// PSUM bank of the byte.
    pub const fn bank(self) -> u32 {
        self.off / BANK_BYTES
    }

    /// Does the byte exist on `g` (isa 02 §3, backed bytes)?
    pub fn is_backed(self, g: Generation) -> bool {
        self.part < 128 && u64::from(self.off) < self.space.backed(g)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.space {
            Space::Psum => write!(
                f,
                "PSUM p{} bank {} +{:#x}",
                self.part,
                self.bank(),
                self.off % BANK_BYTES
            ),
            _ => write!(f, "SBUF p{} +{:#x}", self.part, self.off),
        }
    }
}

/// ADDR4: the first word of every descriptor (isa 02 §1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Addr4(pub u32);

/// What an ADDR4 word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddrForm {
    /// 29-bit on-chip byte address.
    Immediate(u32),
    /// The address is in that register.
    Register(u8),
    /// Index vector of a gather or scatter at that immediate address.
    IndexImmediate(u32),
    /// Index vector at the address in that register.
    IndexRegister(u8),
    /// Marker 0x60 or 0xE0: no meaning (isa 02 §1).
    Undefined,
}

impl Addr4 {
    /// Address bits of the immediate form.
    pub const MASK: u32 = 0x1FFF_FFFF;
    /// Bit 31: address in a register.
    pub const REGISTER: u32 = 1 << 31;
    /// Bit 30: shape in a register (v3 and later).
    pub const SHAPE: u32 = 1 << 30;
    /// Bit 29: this word addresses an index vector.
    pub const INDIRECT: u32 = 1 << 29;

    /// The word for an immediate location.
    pub fn at(location: Location, g: Generation) -> Option<Addr4> {
        location.address(g).map(Addr4)
    }

    /// Top byte.
    pub const fn marker(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The 29 address bits.
    pub const fn a29(self) -> u32 {
        self.0 & Self::MASK
    }

    /// Register number of a register form.
    pub const fn regnum(self) -> u8 {
        self.0 as u8
    }

    /// Is the shape in a register? Tested by mask, never by equality (isa 02 §1).
    pub const fn shape_register(self) -> bool {
        self.marker() & 0x70 == 0x40 || self.marker() & 0xF0 == 0xC0
    }

    /// Is this the index word of an indirect arm?
    pub const fn indirect(self) -> bool {
        self.marker() & 0x60 == 0x20
    }

    /// The form, by the marker masks of isa 02 §1.
    pub const fn form(self) -> AddrForm {
        let m = self.marker();
        if m & 0x60 == 0x60 {
            AddrForm::Undefined
        } else if m & 0xA0 == 0x80 {
            AddrForm::Register(self.regnum())
        } else if m & 0xE0 == 0x20 {
            AddrForm::IndexImmediate(self.a29())
        } else if m & 0xE0 == 0xA0 {
            AddrForm::IndexRegister(self.regnum())
        } else {
            AddrForm::Immediate(self.a29())
        }
    }

    /// Location of the immediate forms.
    pub fn location(self, g: Generation) -> Option<Location> {
        match self.form() {
            AddrForm::Immediate(a) | AddrForm::IndexImmediate(a) => Location::of_address(a, g),
            _ => None,
        }
    }
}

impl Field for Addr4 {
    const BITS: u16 = 32;
    const KIND: FieldKind = FieldKind::Addr4;
    fn get(bundle: &Bundle, at: u16) -> Self {
        Addr4(bundle.bits(at, 32) as u32)
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 32, u64::from(self.0));
    }
}

/// ADDR8: a 64-bit address with a marker in byte 7 (isa 09 §2.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Addr8(pub u64);

impl Addr8 {
    /// First byte of SBUF in the 64-bit map (isa 09 §2.3).
    pub const SBUF_BASE: u64 = 0x20_0000_0000;
    /// Bytes from one SBUF partition to the next in the 64-bit map.
    pub const SBUF_STRIDE: u64 = 0x4_0000;

    /// The address of an SBUF byte; PSUM has none that DMA can reach (isa 09 §2.3).
    pub fn at(location: Location) -> Option<Addr8> {
        let Location { space, part, off } = location;
        (space == Space::Sbuf && part < 128 && u64::from(off) < Self::SBUF_STRIDE)
            .then(|| Addr8(Self::SBUF_BASE + u64::from(part) * Self::SBUF_STRIDE + u64::from(off)))
    }

    /// Byte 7.
    pub const fn marker(self) -> u8 {
        (self.0 >> 56) as u8
    }

    /// Register numbers (low, high) of the register form.
    pub const fn registers(self) -> (u8, u8) {
        (self.0 as u8, (self.0 >> 8) as u8)
    }

    /// Is the address in a register pair?
    pub const fn in_register(self) -> bool {
        self.marker() & 0x80 != 0
    }

    /// Is the shape in a DGE shape register?
    pub const fn shape_register(self) -> bool {
        self.marker() & 0x40 != 0
    }

    /// Does it go through the DGE address table?
    pub const fn in_table(self) -> bool {
        self.marker() & 0x20 != 0
    }

    /// The immediate address, when the marker says so.
    pub const fn immediate(self) -> Option<u64> {
        if self.marker() & 0xBC == 0 {
            Some(self.0 & 0x00FF_FFFF_FFFF_FFFF)
        } else {
            None
        }
    }
}

impl Field for Addr8 {
    const BITS: u16 = 64;
    const KIND: FieldKind = FieldKind::Addr8;
    fn get(bundle: &Bundle, at: u16) -> Self {
        Addr8(bundle.bits(at, 64))
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 64, self.0);
    }
}

/// What a byte of the 64-bit address map is (isa 09 §2.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DevicePlace {
    /// Device memory, at that byte.
    Dram(u64),
    /// A backed SBUF byte.
    Sbuf(Location),
    /// The event and semaphore windows, at that offset (isa 08 §2).
    Sync(u32),
}

impl DevicePlace {
    /// First byte of the event and semaphore windows.
    pub const SYNC_BASE: u64 = 0x28_0270_0000;

    /// The byte at a 64-bit address; `None` where nothing answers, PSUM included.
    pub fn of(address: u64, g: Generation) -> Option<DevicePlace> {
        if address < Space::Dram.backed(g) {
            return Some(DevicePlace::Dram(address));
        }
        if let Some(o) = address.checked_sub(Self::SYNC_BASE) {
            return matches!(o, 0..0x400 | 0x1000..0x2000).then_some(DevicePlace::Sync(o as u32));
        }
        let o = address.checked_sub(Addr8::SBUF_BASE)?;
        let location = Location {
            space: Space::Sbuf,
            part: u16::try_from(o / Addr8::SBUF_STRIDE).ok()?,
            off: (o % Addr8::SBUF_STRIDE) as u32,
        };
        location.is_backed(g).then_some(DevicePlace::Sbuf(location))
    }
}

/// PSEUDO_ADDR8: a variable and an offset in it (isa 09 §2.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PseudoAddr8(pub u64);

impl PseudoAddr8 {
    /// Byte 7.
    pub const fn marker(self) -> u8 {
        (self.0 >> 56) as u8
    }

    /// Byte offset inside the variable.
    pub const fn offset(self) -> u32 {
        self.0 as u32
    }

    /// Variable id, 24 bits.
    pub const fn variable(self) -> u32 {
        (self.0 >> 32) as u32 & 0xFF_FFFF
    }
}

impl Field for PseudoAddr8 {
    const BITS: u16 = 64;
    const KIND: FieldKind = FieldKind::PseudoAddr8;
    fn get(bundle: &Bundle, at: u16) -> Self {
        PseudoAddr8(bundle.bits(at, 64))
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 64, self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_addresses() {
        // isa 12 §3.3
        let g = Generation::V3;
        for (word, space, part, off) in [
            (0x0000_0000, Space::Sbuf, 0, 0),
            (0x0014_1234, Space::Sbuf, 5, 0x1234),
            (0x0080_0000, Space::Sbuf, 32, 0),
            (0x01FE_FFFC, Space::Sbuf, 127, 0x2FFFC),
            (0x0200_0000, Space::Psum, 0, 0),
            (0x0220_1840, Space::Psum, 64, 3 * 2048 + 0x40),
            (0x023F_BFFC, Space::Psum, 127, 7 * 2048 + 0x7FC),
        ] {
            let l = Location { space, part, off };
            assert_eq!(Location::of_address(word, g), Some(l), "{word:#x}");
            assert_eq!(l.address(g), Some(word));
        }
        assert_eq!(Location::of_address(0x0240_0000, g), None);
        assert!(
            !Location::of_address(0x0003_0000, Generation::V2)
                .is_some_and(|l| l.is_backed(Generation::V2))
        );
        assert!(!Location::of_address(0x0200_C000, g).is_some_and(|l| l.is_backed(g)));
    }

    #[test]
    fn device_map() {
        // isa 09 §2.3, 08 §2
        let sbuf = |part, off| {
            let space = Space::Sbuf;
            Some(DevicePlace::Sbuf(Location { space, part, off }))
        };
        let at = |a| DevicePlace::of(a, Generation::V3);
        assert_eq!(at(0x1000), Some(DevicePlace::Dram(0x1000)));
        assert_eq!(at((24 << 30) - 1), Some(DevicePlace::Dram((24 << 30) - 1)));
        assert_eq!(at(24 << 30), None);
        assert_eq!(at(0x20_0000_0100), sbuf(0, 0x100));
        assert_eq!(at(0x20_01FF_7FFF), sbuf(127, 0x37FFF));
        assert_eq!(at(0x20_0003_8000), None);
        assert_eq!(at(0x20_0200_0000), None);
        assert_eq!(at(0x28_0200_0000), None);
        assert_eq!(at(0x28_0270_1040), Some(DevicePlace::Sync(0x1040)));
        assert_eq!(at(0x28_0270_1FFC), Some(DevicePlace::Sync(0x1FFC)));
        assert_eq!(at(0x28_0270_0400), None);
        assert_eq!(at(0x28_0270_2000), None);
    }

    #[test]
    fn markers() {
        assert_eq!(Addr4(0x8000_0011).form(), AddrForm::Register(17));
        assert_eq!(Addr4(0xC000_0002).form(), AddrForm::Register(2));
        assert!(Addr4(0xC000_0002).shape_register());
        assert_eq!(Addr4(0x2000_0100).form(), AddrForm::IndexImmediate(0x100));
        assert_eq!(Addr4(0xA000_0003).form(), AddrForm::IndexRegister(3));
        assert_eq!(Addr4(0x6000_0000).form(), AddrForm::Undefined);
        assert!(Addr4(0x4200_0000).shape_register());
        assert!(!Addr4(0x0200_0000).shape_register());
    }
}
