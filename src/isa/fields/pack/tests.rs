//! Packing by example: order, fill, ranges, texts, addresses.

use super::*;
use crate::isa::Space;

fn a(step: i64, num: i64) -> Access {
    Access { step, num }
}

/// Tail of the packed descriptor after the address word, in hex.
fn tail(pattern: &[Access], rank: usize) -> Result<String, PackError> {
    let bytes = pack(Addr4(0), pattern, rank)?.to_bytes(Pattern::size(rank))?;
    Ok(bytes[4..].iter().map(|b| format!("{b:02x}")).collect())
}

const PART: Access = Access { step: 1, num: 128 };

#[test]
fn sizes() {
    assert_eq!([1, 2, 3, 4].map(Pattern::size), [8, 12, 16, 20]);
    let three = pack(Addr4(0), &[PART, a(1, 2)], 3).unwrap();
    assert_eq!(
        three.to_bytes(12).unwrap_err().to_string(),
        "ISA mem pattern 3D must have 16 bytes to encode"
    );
}

#[test]
fn innermost_first_without_ones() {
    let p = [PART, a(64, 16), a(5, 1), a(1, 32)];
    assert_eq!(tail(&p, 2).unwrap(), "0100400020001000");
    assert_eq!(
        tail(&[PART, a(1, 32)], 3).unwrap(),
        "010001000100200001000100"
    );
    assert_eq!(tail(&[PART, a(1, 1)], 1).unwrap(), "01000100");
    assert_eq!(tail(&[PART], 3).unwrap(), "010001000100010001000100");
    assert_eq!(
        tail(&[PART, a(64, 16), a(-1, 32)], 2).unwrap(),
        "ffff400020001000"
    );
    assert_eq!(tail(&[PART, a(1, 32)], 2).unwrap(), "0100010020000100");
}

#[test]
fn texts() {
    let four = [PART, a(1, 2), a(1, 2), a(1, 2), a(1, 2)];
    assert_eq!(
        tail(&four, 3).unwrap_err().to_string(),
        "Illegal ISA memory access dimension 4, which must be in range of [1, 3]D tensor for ISA mem pattern"
    );
    assert_eq!(
        tail(&[a(-1, 128), a(1, 2)], 1).unwrap_err().to_string(),
        "Negative step in Pattern[0] not supported"
    );
    assert_eq!(ordinal_bytes(20).unwrap_err().to_string(), "Unknown dtype");
    assert_eq!(
        address_word(0x1_0000_0000).unwrap_err().to_string(),
        "memory address out of uint32 range"
    );
    assert_eq!(address_word(0x0400_0000), Ok(Addr4(0x0400_0000)));
}

#[test]
fn ranges() {
    for step in [-32768, -1, 0, 32767] {
        assert!(tail(&[PART, a(step, 2)], 1).is_ok(), "{step}");
    }
    for step in [32768, -32769, 65536, 65537, -65537] {
        assert_eq!(tail(&[PART, a(step, 2)], 1), Err(PackError::Step(step)));
    }
    assert!(tail(&[PART, a(1, 65535)], 1).is_ok());
    for num in [0, 65536, 65537, -1] {
        assert_eq!(tail(&[PART, a(1, num)], 1), Err(PackError::Count(num)));
    }
}

#[test]
fn addresses() {
    let g = Generation::V3;
    let home = |space, part, off| Location { space, part, off };
    let at = |l: Location, offset, element| element_address(l, offset, element, g).map(|w| w.0);
    assert_eq!(at(home(Space::Sbuf, 0, 0), 0x10001, 4), Ok(0x0004_0004));
    assert_eq!(at(home(Space::Sbuf, 5, 0x1234), 0, 1), Ok(0x0014_1234));
    assert_eq!(at(home(Space::Sbuf, 32, 0), 0, 1), Ok(0x0080_0000));
    assert_eq!(
        at(home(Space::Psum, 64, 3 * 2048 + 0x40), 0, 4),
        Ok(0x0220_1840)
    );
    assert_eq!(
        at(home(Space::Sbuf, 0, 0), -1, 4),
        Err(PackError::Partition(-1))
    );
    assert_eq!(
        at(home(Space::Sbuf, 127, 0), 0x10000, 4),
        Err(PackError::Partition(128))
    );
    // Ordinals 16 and 19: step 3 is 12 bytes, 8 bytes per element.
    assert_eq!(ordinal_bytes(16).map(|b| 3 * b), Ok(12));
    assert_eq!(ordinal_bytes(19), Ok(8));
    assert_eq!(scale_address(77, 0, g), Some((Addr4(0x0100_0000), 13)));
    assert_eq!(scale_address(31, 0, g).map(|s| s.0), Some(Addr4(0)));
    assert_eq!(
        scale_address(127, 0, g).map(|s| s.0),
        Some(Addr4(0x0180_0000))
    );
}
