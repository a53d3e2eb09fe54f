//! Data type codes of the wire (isa 13 §1, §3).

use std::fmt;

use crate::isa::Bundle;
use crate::isa::field::{Field, FieldKind};
use crate::isa::generation::{GenSet, Generation};
use crate::num::Kind;

/// A wire data type code; undefined codes are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DType(pub u8);

/// One row of the data type table.
struct Row {
    code: u8,
    name: &'static str,
    header: &'static str,
    kind: Option<Kind>,
    gens: GenSet,
}

const fn row(
    code: u8,
    name: &'static str,
    header: &'static str,
    kind: Option<Kind>,
    gens: GenSet,
) -> Row {
    Row {
        code,
        name,
        header,
        kind,
        gens,
    }
}

/// isa 13 §1; 0x0E is the IEEE-like variant unless a setting says otherwise (isa 13 §2).
const TABLE: &[Row] = &[
    row(0x01, "u64", "UINT64", Some(Kind::U64), GenSet::ALL),
    row(0x02, "i8", "INT8", Some(Kind::I8), GenSet::ALL),
    row(0x03, "u8", "UINT8", Some(Kind::U8), GenSet::ALL),
    row(0x04, "i16", "INT16", Some(Kind::I16), GenSet::ALL),
    row(0x05, "u16", "UINT16", Some(Kind::U16), GenSet::ALL),
    row(0x06, "bf16", "BFLOAT16", Some(Kind::Bf16), GenSet::ALL),
    row(0x07, "fp16", "FP16", Some(Kind::Fp16), GenSet::ALL),
    row(0x08, "i32", "INT32", Some(Kind::I32), GenSet::ALL),
    row(0x09, "u32", "UINT32", Some(Kind::U32), GenSet::ALL),
    row(0x0A, "fp32", "FP32", Some(Kind::Fp32), GenSet::ALL),
    row(0x0B, "fp32r", "FP32R", Some(Kind::Fp32r), GenSet::ALL),
    row(0x0C, "i64", "INT64", Some(Kind::I64), GenSet::ALL),
    row(0x0D, "fp8e3", "FP8_EXP3", Some(Kind::Fp8E3), GenSet::ALL),
    row(0x0E, "fp8e4", "FP8_EXP4", Some(Kind::Fp8E4), GenSet::ALL),
    row(0x0F, "fp8e5", "FP8_EXP5", Some(Kind::Fp8E5), GenSet::ALL),
    row(
        0x10,
        "fp4x4",
        "FP4_EXP2",
        Some(Kind::Fp4x4),
        GenSet::FROM_V4,
    ),
    row(0x11, "fp8e2", "FP8_EXP2", None, GenSet::V5),
    row(0x12, "i4", "INT4", None, GenSet::V5),
    row(0x13, "sfp8e8", "SFP8_E8", None, GenSet::V5),
    row(0x14, "sfp8e7", "SFP8_E7", None, GenSet::V5),
    row(0x15, "sfp8e6", "SFP8_E6", None, GenSet::V5),
    row(0x16, "sfp8e5", "SFP8_E5", None, GenSet::V5),
    row(0x19, "cptc1", "CPTC1", None, GenSet::FROM_V4),
    row(0x1A, "cptc2", "CPTC2", None, GenSet::FROM_V4),
    row(0x1B, "cptc3", "CPTC3", None, GenSet::FROM_V4),
    row(0x1C, "cptc4", "CPTC4", None, GenSet::FROM_V4),
    row(0x1D, "cptc5", "CPTC5", None, GenSet::FROM_V4),
    row(0x1E, "cptc6", "CPTC6", None, GenSet::FROM_V4),
    row(0x1F, "cptc7", "CPTC7", None, GenSet::FROM_V4),
];

impl DType {
    /// The sentinel; bit-vector hardware uses it, every check rejects it.
    pub const INVALID: DType = DType(0);
    /// 64-bit unsigned.
    pub const U64: DType = DType(0x01);
    /// 8-bit signed.
    pub const I8: DType = DType(0x02);
    /// 8-bit unsigned; also carries E8M0 scales on v4.
    pub const U8: DType = DType(0x03);
    /// 16-bit signed.
    pub const I16: DType = DType(0x04);
    /// 16-bit unsigned.
    pub const U16: DType = DType(0x05);
    /// bfloat16.
    pub const BF16: DType = DType(0x06);
    /// IEEE binary16.
    pub const FP16: DType = DType(0x07);
    /// 32-bit signed.
    pub const I32: DType = DType(0x08);
    /// 32-bit unsigned.
    pub const U32: DType = DType(0x09);
    /// IEEE binary32, the hub of all conversions.
    pub const FP32: DType = DType(0x0A);
    /// binary32 with a rounded mantissa: output only.
    pub const FP32R: DType = DType(0x0B);
    /// 64-bit signed.
    pub const I64: DType = DType(0x0C);
    /// E3M4.
    pub const FP8E3: DType = DType(0x0D);
    /// E4M3.
    pub const FP8E4: DType = DType(0x0E);
    /// E5M2.
    pub const FP8E5: DType = DType(0x0F);
    /// E2M1, four per 2-byte container.
    pub const FP4: DType = DType(0x10);

    fn row(self) -> Option<&'static Row> {
        let i = TABLE.binary_search_by_key(&self.0, |r| r.code).ok()?;
        TABLE.get(i)
    }

    /// All defined codes, ascending.
    pub fn all() -> impl Iterator<Item = DType> {
        TABLE.iter().map(|r| DType(r.code))
    }

    /// Listing name, e.g. `bf16`.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|r| r.name)
    }

    /// Name in the C headers, e.g. `BFLOAT16`.
    pub fn header_name(self) -> Option<&'static str> {
        self.row().map(|r| r.header)
    }

    /// The arithmetic kind; `None` for INVALID, undefined and transport-only codes.
    pub fn kind(self) -> Option<Kind> {
        self.row().and_then(|r| r.kind)
    }

    /// Is the code defined on `g`?
    pub fn defined_on(self, g: Generation) -> bool {
        self.row().is_some_and(|r| r.gens.has(g))
    }

    /// Bytes of one container on the wire; 0 when the code has none.
    pub fn bytes(self) -> u32 {
        self.kind().map_or(0, |k| k.bytes() as u32)
    }

    /// Required alignment of a start address, in bytes (isa 02 §4); `None`: always rejected.
    pub fn alignment(self, g: Generation) -> Option<u32> {
        match self.0 {
            0x02 | 0x03 | 0x0D..=0x0F => Some(1),
            0x04..=0x07 => Some(2),
            0x08..=0x0B => Some(4),
            0x01 | 0x0C => Some(8),
            0x10 if g >= Generation::V4 => Some(1),
            _ => None,
        }
    }

    /// Reads a listing name, a header name or `0xNN`.
    pub fn parse(text: &str) -> Option<DType> {
        if let Some(row) = TABLE
            .iter()
            .find(|r| r.name.eq_ignore_ascii_case(text) || r.header.eq_ignore_ascii_case(text))
        {
            return Some(DType(row.code));
        }
        if let Some(hex) = text.strip_prefix("0x") {
            return u8::from_str_radix(hex, 16).ok().map(DType);
        }
        let kind = Kind::parse(text)?;
        let kind = match kind {
            Kind::Fp8E4Fn => Kind::Fp8E4,
            Kind::E8m0 => Kind::U8,
            k => k,
        };
        TABLE
            .iter()
            .find(|r| r.kind == Some(kind))
            .map(|r| DType(r.code))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{:#04x}", self.0),
        }
    }
}

macro_rules! dtype_field {
    ($ty:ident, $bits:literal, $kind:ident) => {
        impl Field for $ty {
            const BITS: u16 = $bits;
            const KIND: FieldKind = FieldKind::$kind;
            fn get(bundle: &Bundle, at: u16) -> Self {
                $ty(bundle.bits(at, $bits) as u8)
            }
            fn put(self, bundle: &mut Bundle, at: u16) {
                bundle.put_bits(at, $bits, u64::from(self.0));
            }
        }
    };
}
dtype_field!(DType, 8, DType);

/// Half of a DTYPE_PAIR byte: only codes 0..=0xF fit (isa 13 §1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DType4(pub u8);
dtype_field!(DType4, 4, DType);

/// Dtype of a matmul result, where 0 means FP32 (isa 05 §5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutDType(pub u8);
dtype_field!(OutDType, 8, OutDType);

/// Dtype that may be left out: 0 means not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptDType(pub u8);
dtype_field!(OptDType, 8, OptDType);

impl OptDType {
    /// The dtype, or `default` when none is given.
    pub fn or(self, default: DType) -> DType {
        if self.0 == 0 { default } else { DType(self.0) }
    }
}

impl From<DType4> for DType {
    fn from(d: DType4) -> DType {
        DType(d.0)
    }
}

impl From<OutDType> for DType {
    fn from(d: OutDType) -> DType {
        if d.0 == 0 { DType::FP32 } else { DType(d.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_per_generation() {
        // isa 13 §1: v2 16 codes, v3 16, v4 24, v5 30, each including INVALID.
        let count = |g| 1 + DType::all().filter(|d| d.defined_on(g)).count();
        assert_eq!(Generation::ALL.map(count), [16, 16, 24, 30]);
    }

    #[test]
    fn names_parse_back() {
        for d in DType::all() {
            assert_eq!(DType::parse(&d.to_string()), Some(d));
            assert_eq!(d.header_name().and_then(DType::parse), Some(d));
        }
        assert_eq!(DType::parse("0x17"), Some(DType(0x17)));
        assert_eq!(DType(0x17).to_string(), "0x17");
    }
}
