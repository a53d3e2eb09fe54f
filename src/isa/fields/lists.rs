//! Numbers, register lists, names and raw bytes.

use crate::isa::Bundle;
use crate::isa::field::{Field, FieldKind, ListKind};

macro_rules! byte_field {
    ($(#[doc = $doc:literal] $name:ident => $kind:ident, $bits:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(pub u8);

        impl Field for $name {
            const BITS: u16 = $bits;
            const KIND: FieldKind = FieldKind::$kind;
            fn get(bundle: &Bundle, at: u16) -> Self {
                $name(bundle.bits(at, $bits) as u8)
            }
            fn put(self, bundle: &mut Bundle, at: u16) {
                bundle.put_bits(at, $bits, u64::from(self.0));
            }
        }
    )*};
}
byte_field! {
    /// Register number: 0..63, and 128/129 for the PC where reading it is allowed (isa 08 §7).
    Reg => Reg, 8;
    /// Register number of a bound check (isa 09 §2.4).
    Reg6 => Reg, 6;
    /// Semaphore number.
    Sem => Sem, 8;
}

macro_rules! hex_field {
    ($(#[doc = $doc:literal] $name:ident : $ty:ty;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(pub $ty);

        impl Field for $name {
            const BITS: u16 = <$ty>::BITS as u16;
            const KIND: FieldKind = FieldKind::Hex;
            fn get(bundle: &Bundle, at: u16) -> Self {
                $name(bundle.bits(at, <Self as Field>::BITS) as $ty)
            }
            fn put(self, bundle: &mut Bundle, at: u16) {
                bundle.put_bits(at, <Self as Field>::BITS, u64::from(self.0));
            }
        }
    )*};
}
hex_field! {
    /// A 32-bit word that is an address or an offset.
    Hex32: u32;
    /// A 64-bit device address without marker.
    Hex64: u64;
}

/// A 32-bit immediate: inline value, pointer to a scalar per lane, or register (isa 07 §1.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Imm32(pub u32);

impl Imm32 {
    /// The inline value as a float.
    pub const fn f32(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl Field for Imm32 {
    const BITS: u16 = 32;
    const KIND: FieldKind = FieldKind::Hex;
    fn get(bundle: &Bundle, at: u16) -> Self {
        Imm32(bundle.bits(at, 32) as u32)
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 32, u64::from(self.0));
    }
}

/// An unsigned number of `N` (1..=8) bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits<const N: u16>(pub u8);

impl<const N: u16> Field for Bits<N> {
    const BITS: u16 = N;
    const KIND: FieldKind = FieldKind::Uint;
    fn get(bundle: &Bundle, at: u16) -> Self {
        Bits(bundle.bits(at, N) as u8)
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, N, u64::from(self.0));
    }
}

macro_rules! array_field {
    ($(#[doc = $doc:literal] $name:ident : $kind:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name<const N: usize>(pub [u8; N]);

        impl<const N: usize> Field for $name<N> {
            const BITS: u16 = 8 * N as u16;
            const KIND: FieldKind = $kind;
            fn get(bundle: &Bundle, at: u16) -> Self {
                $name(bundle.array(usize::from(at / 8)))
            }
            fn put(self, bundle: &mut Bundle, at: u16) {
                bundle.put(usize::from(at / 8), &self.0);
            }
        }
    )*};
}
array_field! {
    /// Zero-terminated name of at most `N` bytes.
    Name: FieldKind::Name;
    /// `N` bytes without published structure.
    Raw: FieldKind::Raw;
    /// `N` register numbers.
    Regs: FieldKind::List(8, ListKind::Reg);
    /// `N` semaphore or event numbers.
    Sems: FieldKind::List(8, ListKind::Sem);
}

/// `N` numbers of one integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct List<T, const N: usize>(pub [T; N]);

macro_rules! list_field {
    ($($ty:ty => $kind:ident),*) => {$(
        impl<const N: usize> Field for List<$ty, N> {
            const BITS: u16 = <$ty>::BITS as u16 * N as u16;
            const KIND: FieldKind = FieldKind::List(<$ty>::BITS as u16, ListKind::$kind);
            fn get(bundle: &Bundle, at: u16) -> Self {
                List(std::array::from_fn(|i| bundle.bits(at + <$ty>::BITS as u16 * i as u16, <$ty>::BITS as u16) as $ty))
            }
            fn put(self, bundle: &mut Bundle, at: u16) {
                for (i, v) in self.0.iter().enumerate() {
                    bundle.put_bits(at + <$ty>::BITS as u16 * i as u16, <$ty>::BITS as u16, *v as u64);
                }
            }
        }
    )*};
}
list_field!(u8 => Uint, u16 => Uint, u32 => Hex, i16 => Int, i32 => Int);

impl<const N: usize> Name<N> {
    /// The bytes before the terminator.
    pub fn bytes(&self) -> &[u8] {
        let end = self.0.iter().position(|b| *b == 0).unwrap_or(N);
        self.0.get(..end).unwrap_or(&[])
    }
}
