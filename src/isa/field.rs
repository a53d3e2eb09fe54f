//! What a field of a bundle is: where it lies, what kind of value it holds, who reads it.
//!
//! A format (`isa::ops`) is a list of [`FieldDesc`]; decoding, listing, assembling, explaining and
//! checking are loops over that list. The bit layout of a kind lives in its type ([`Field`]), so a
//! row only says name, place and type.

use crate::isa::Bundle;

/// A type that can be read from and written to a place in a bundle.
pub trait Field: Sized {
    /// Width in bits.
    const BITS: u16;
    /// How the value is printed, parsed and checked.
    const KIND: FieldKind;
    /// Reads the value at bit `at`.
    fn get(bundle: &Bundle, at: u16) -> Self;
    /// Writes the value at bit `at`.
    fn put(self, bundle: &mut Bundle, at: u16);
}

/// How sure the sheets are of a fact (isa README, confidence marks).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Confidence {
    /// No mark: confirmed.
    #[default]
    Confirmed,
    /// (S) one good source or several weak ones.
    Strong,
    /// (I) our reading.
    Inferred,
    /// (?) unknown.
    Unknown,
}

impl Confidence {
    /// The mark of the sheets: empty, `S`, `I` or `?`.
    pub const fn mark(self) -> &'static str {
        ["", "S", "I", "?"][self as usize]
    }
}

/// A named enumeration of the wire (isa 14, 07 §4).
#[derive(Debug, PartialEq)]
pub struct EnumDesc {
    /// Name of the enumeration in the headers.
    pub name: &'static str,
    /// Members in ascending order of value.
    pub values: &'static [(u8, &'static str)],
    /// Values without a published name exist: a non-member is no violation by itself.
    pub open: bool,
}

impl EnumDesc {
    /// Name of a member.
    pub fn name_of(&self, value: u8) -> Option<&'static str> {
        let i = self.values.binary_search_by_key(&value, |v| v.0).ok()?;
        self.values.get(i).map(|v| v.1)
    }

    /// Value of a member, in any case.
    pub fn value_of(&self, name: &str) -> Option<u8> {
        self.values
            .iter()
            .find(|v| v.1.eq_ignore_ascii_case(name))
            .map(|v| v.0)
    }
}

/// Does the instruction read or write an operand?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Source.
    Read,
    /// Destination.
    Write,
}

/// Where the dtype of an operand is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DTypeOf {
    /// In the field of that name.
    Field(&'static str),
    /// Fixed by the opcode: the wire code.
    Fixed(u8),
}

/// Which arms a slot has besides the static one (isa 03 §1, §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// TENSORnD: static only.
    Tensor,
    /// MEM_PATTERNnD: static or indirect.
    Mem,
}

/// An operand: what a pattern field means to the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandDesc {
    /// Source or destination.
    pub role: Role,
    /// Its dtype.
    pub dtype: DTypeOf,
    /// Field that counts its partitions; `None` for exactly one.
    pub lanes: Option<&'static str>,
}

/// The kind of value a field holds: decides its text, its legal values and its explanation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FieldKind {
    /// Unsigned number, printed in decimal.
    Uint,
    /// Signed number, printed in decimal.
    Int,
    /// Unsigned number, printed in hex.
    Hex,
    /// IEEE binary32, printed as a decimal when that is exact.
    F32,
    /// Data type code (isa 13 §1).
    DType,
    /// Data type code of a matmul result: 0 stands for FP32 (isa 05 §5).
    OutDType,
    /// Data type code that may be left out: 0 means not given (isa 08 §6, §7.2).
    OptDType,
    /// Member of a named enumeration.
    Enum(&'static EnumDesc),
    /// Named bits `(mask, name)`; undefined bits print in hex.
    Flags(&'static [(u8, &'static str)]),
    /// Register number.
    Reg,
    /// Semaphore number.
    Sem,
    /// 32-bit immediate whose meaning another field selects: `(IMM_SRC field, inverted numbering)`.
    /// Inline value, pointer to one scalar per lane, or register holding such a pointer.
    Imm {
        /// The field that selects the source.
        src: &'static str,
        /// IMM_SRC_N numbering: 0 pointer, 1 inline (isa 04 §6).
        inverted: bool,
    },
    /// Static (or indirect) access pattern with this many dimensions.
    Pattern(u8, Arm),
    /// DATA4D: base, steps, counts of a value generator, not an address (isa 07 §1.1).
    Data4,
    /// MX operand descriptor (isa 03 §6).
    Mx,
    /// ADDR4 word outside a descriptor.
    Addr4,
    /// 64-bit Neuron address (isa 09 §2.1).
    Addr8,
    /// Pseudo ADDR8: variable reference (isa 09 §2.1).
    PseudoAddr8,
    /// Zero-terminated name.
    Name,
    /// Raw bytes.
    Raw,
    /// A row of equal items: `(item width in bits, item kind)`.
    List(u16, ListKind),
    /// EVENTS_EXTENDED (isa 01 §3.5).
    EventsExt,
}

/// Item of a [`FieldKind::List`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListKind {
    /// Unsigned decimal.
    Uint,
    /// Signed decimal.
    Int,
    /// Hex.
    Hex,
    /// Register numbers.
    Reg,
    /// Semaphore or event numbers.
    Sem,
}

/// One field of a format.
#[derive(Clone, Copy, Debug)]
pub struct FieldDesc {
    /// Name in the listing, the assembler and `explain`.
    pub name: &'static str,
    /// First bit: `8 * byte + bit`.
    pub at: u16,
    /// Width in bits.
    pub bits: u16,
    /// Kind of value.
    pub kind: FieldKind,
    /// For a pattern: what the instruction does with it.
    pub operand: Option<OperandDesc>,
    /// Printed in the listing even when all bits are 0.
    pub always: bool,
    /// Confidence of the sheet.
    pub confidence: Confidence,
    /// One line: meaning, unit, legal values.
    pub doc: &'static str,
}

impl FieldDesc {
    /// First byte.
    pub const fn byte(&self) -> usize {
        (self.at / 8) as usize
    }

    /// Bytes touched.
    pub const fn len(&self) -> usize {
        ((self.at % 8 + self.bits) as usize).div_ceil(8)
    }

    /// Never true: every field has at least one bit.
    pub const fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// Raw value of a field of at most 64 bits.
    pub fn raw(&self, bundle: &Bundle) -> u64 {
        bundle.bits(self.at, self.bits.min(64))
    }

    /// The bytes of a field that starts on a byte boundary.
    pub fn bytes<'b>(&self, bundle: &'b Bundle) -> &'b [u8] {
        bundle.slice(self.byte(), self.len())
    }

    /// Are all its bits 0?
    pub fn is_zero(&self, bundle: &Bundle) -> bool {
        if self.bits <= 64 {
            self.raw(bundle) == 0
        } else {
            self.bytes(bundle).iter().all(|b| *b == 0)
        }
    }
}

/// The same fields with every MEM_PATTERNnD slot turned into TENSORnD.
pub const fn static_slots<const N: usize>(mut fields: [FieldDesc; N]) -> [FieldDesc; N] {
    let mut i = 0;
    while i < N {
        if let FieldKind::Pattern(rank, _) = fields[i].kind {
            fields[i].kind = FieldKind::Pattern(rank, Arm::Tensor);
        }
        i += 1;
    }
    fields
}

/// A struct layout shared by several opcodes.
#[derive(Debug)]
pub struct Format {
    /// Struct name of the headers, e.g. `S3D3_TS`.
    pub name: &'static str,
    /// What it is, with the sheet.
    pub doc: &'static str,
    /// Fields in listing order (ascending position unless the vendor prints otherwise), header and
    /// EVENTS excluded.
    pub fields: &'static [FieldDesc],
    /// Some bytes of the body have no published meaning: they are kept and shown, never an error.
    pub open: bool,
    /// There is no EVENTS band: bytes 4..12 belong to the body (0xDA, and v5 DMA and micro-code).
    pub bare: bool,
}

impl Format {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&'static FieldDesc> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// First bit of the body: byte 12, or 4 without EVENTS band.
    pub const fn body(&self) -> u16 {
        if self.bare { 32 } else { 96 }
    }

    /// The bits, byte by byte, that belong to the header, the EVENTS band or a field. What is
    /// left is reserved, or unexplained in an open format; some fields fill only part of a byte.
    pub const fn covered(&self) -> [u8; 64] {
        let mut mask = [0; 64];
        let mut bit = 0;
        while bit < self.body() {
            mask[(bit / 8) as usize] |= 1 << (bit % 8);
            bit += 1;
        }
        let mut i = 0;
        while i < self.fields.len() {
            let f = &self.fields[i];
            let mut bit = f.at;
            while bit < f.at + f.bits {
                mask[(bit / 8) as usize] |= 1 << (bit % 8);
                bit += 1;
            }
            i += 1;
        }
        mask
    }

    /// Compile-time check: inside the body, no two fields share a bit.
    pub const fn well_formed(&self) -> bool {
        let mut i = 0;
        while i < self.fields.len() {
            let f = &self.fields[i];
            if f.at < self.body() || f.bits == 0 || f.at + f.bits > 512 {
                return false;
            }
            let mut j = 0;
            while j < i {
                let g = &self.fields[j];
                if f.at < g.at + g.bits && g.at < f.at + f.bits {
                    return false;
                }
                j += 1;
            }
            i += 1;
        }
        true
    }
}

macro_rules! uint_field {
    ($($ty:ty),*) => {$(
        impl Field for $ty {
            const BITS: u16 = <$ty>::BITS as u16;
            const KIND: FieldKind = FieldKind::Uint;
            fn get(bundle: &Bundle, at: u16) -> Self {
                bundle.bits(at, <Self as Field>::BITS) as $ty
            }
            fn put(self, bundle: &mut Bundle, at: u16) {
                bundle.put_bits(at, <Self as Field>::BITS, u64::from(self));
            }
        }
    )*};
}
uint_field!(u8, u16, u32, u64);

impl Field for i32 {
    const BITS: u16 = 32;
    const KIND: FieldKind = FieldKind::Int;
    fn get(bundle: &Bundle, at: u16) -> Self {
        bundle.bits(at, 32) as u32 as i32
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 32, u64::from(self as u32));
    }
}

impl Field for f32 {
    const BITS: u16 = 32;
    const KIND: FieldKind = FieldKind::F32;
    fn get(bundle: &Bundle, at: u16) -> Self {
        f32::from_bits(bundle.bits(at, 32) as u32)
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 32, u64::from(self.to_bits()));
    }
}
