//! The 64-byte bundle: bytes, hex text, little-endian and bit access (isa 01 §1).

use std::fmt;

use thiserror::Error;

/// Bytes per bundle; the program counter advances by this much (isa 01 §1).
pub const BUNDLE_BYTES: usize = 64;

/// One instruction record of a stream: 64 bytes, little-endian fields, byte 0 the opcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bundle([u8; BUNDLE_BYTES]);

/// Why a text is not a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HexError {
    /// A character that is neither a hex digit nor a separator.
    #[error("character {at}: found {found:?}, expected a hex digit")]
    NotHex {
        /// Offset of the character in the text, in bytes.
        at: usize,
        /// The character.
        found: char,
    },
    /// A number of digits that does not make 64 bytes.
    #[error("found {digits} hex digits, a bundle has 128 (64 bytes)")]
    Length {
        /// How many hex digits the text has.
        digits: usize,
    },
}

impl Default for Bundle {
    fn default() -> Self {
        Bundle([0; BUNDLE_BYTES])
    }
}

impl Bundle {
    /// A bundle of exactly these bytes.
    pub const fn new(bytes: [u8; BUNDLE_BYTES]) -> Self {
        Bundle(bytes)
    }

    /// The empty bundle of an opcode: header `{op, 0x10, 0, 0}`, the rest zero (isa 01 §1, zero rule).
    pub const fn of_opcode(opcode: u8) -> Self {
        let mut bytes = [0; BUNDLE_BYTES];
        bytes[0] = opcode;
        bytes[1] = 0x10;
        Bundle(bytes)
    }

    /// The bundle at the start of `bytes`; `None` when fewer than 64 are left.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk::<BUNDLE_BYTES>().map(|b| Bundle(*b))
    }

    /// Reads 128 hex digits; white space, `_`, `:`-terminated row labels and `|` between them are ignored.
    ///
    /// # Errors
    /// [`HexError`] names the first character that does not belong, or the wrong number of digits.
    pub fn from_hex(text: &str) -> Result<Self, HexError> {
        let mut bytes = [0; BUNDLE_BYTES];
        let mut digits = 0;
        for (at, c) in text.char_indices() {
            if c.is_whitespace() || matches!(c, '_' | '|' | ',') {
                continue;
            }
            let Some(d) = c.to_digit(16) else {
                return Err(HexError::NotHex { at, found: c });
            };
            if let Some(b) = bytes.get_mut(digits / 2) {
                *b = (*b << 4) | d as u8;
            }
            digits += 1;
        }
        if digits == 2 * BUNDLE_BYTES {
            Ok(Bundle(bytes))
        } else {
            Err(HexError::Length { digits })
        }
    }

    /// All 64 bytes.
    pub const fn bytes(&self) -> &[u8; BUNDLE_BYTES] {
        &self.0
    }

    /// Byte 0, the only discriminant of the record.
    pub const fn opcode(&self) -> u8 {
        self.0[0]
    }

    /// Byte `at`; 0 outside the bundle.
    pub fn u8(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// Little-endian u16 at byte `at`.
    pub fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    /// Little-endian u32 at byte `at`.
    pub fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    /// Little-endian u64 at byte `at`.
    pub fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    /// `N` bytes from `at`; bytes outside the bundle read as 0.
    pub fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        match self.0.get(at..).and_then(|s| s.first_chunk::<N>()) {
            Some(a) => *a,
            None => std::array::from_fn(|i| self.u8(at.saturating_add(i))),
        }
    }

    /// The bytes `at..at + len`, cut at the end of the bundle.
    pub fn slice(&self, at: usize, len: usize) -> &[u8] {
        let end = at.saturating_add(len).min(BUNDLE_BYTES);
        self.0.get(at..end).unwrap_or(&[])
    }

    /// Writes `bytes` from byte `at`; what would fall outside is dropped.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        for (slot, b) in self.0.iter_mut().skip(at).zip(bytes) {
            *slot = *b;
        }
    }

    /// `width` (1..=64) bits from bit `at` of the bundle, bit 0 being the lowest bit of byte 0.
    pub fn bits(&self, at: u16, width: u16) -> u64 {
        let word = u128::from_le_bytes(self.array(usize::from(at / 8)));
        let mask = if width >= 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        (word >> (at % 8)) as u64 & mask
    }

    /// Stores the low `width` bits of `value` at bit `at`; the other bits stay.
    pub fn put_bits(&mut self, at: u16, width: u16, value: u64) {
        let byte = usize::from(at / 8);
        let mask = if width >= 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        let mut word = u128::from_le_bytes(self.array(byte));
        word &= !(u128::from(mask) << (at % 8));
        word |= u128::from(value & mask) << (at % 8);
        self.put(byte, &word.to_le_bytes());
    }

    /// 128 hex digits, no separators.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|b| format!("{b:02x}")).collect()
    }
}

impl From<[u8; BUNDLE_BYTES]> for Bundle {
    fn from(bytes: [u8; BUNDLE_BYTES]) -> Self {
        Bundle(bytes)
    }
}

impl fmt::Debug for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bundle({})", self.to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hex_errors_name_the_place() {
        assert_eq!(
            Bundle::from_hex("41 1x"),
            Err(HexError::NotHex { at: 4, found: 'x' })
        );
        assert_eq!(
            Bundle::from_hex("4110"),
            Err(HexError::Length { digits: 4 })
        );
    }

    proptest! {
        #[test]
        fn hex_round_trip(bytes in prop::array::uniform32(any::<u8>()), tail in prop::array::uniform32(any::<u8>())) {
            let mut all = [0; 64];
            all[..32].copy_from_slice(&bytes);
            all[32..].copy_from_slice(&tail);
            let b = Bundle::new(all);
            prop_assert_eq!(Bundle::from_hex(&b.to_hex()), Ok(b));
        }

        #[test]
        fn bits_round_trip(at in 0u16..500, width in 1u16..=64, value: u64, fill: u8) {
            prop_assume!(at + width <= 512);
            let mut b = Bundle::new([fill; 64]);
            let before = b;
            b.put_bits(at, width, value);
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            prop_assert_eq!(b.bits(at, width), value & mask);
            for bit in (0..512).filter(|i| !(at..at + width).contains(i)) {
                prop_assert_eq!(b.bits(bit, 1), before.bits(bit, 1));
            }
        }
    }
}
