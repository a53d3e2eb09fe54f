//! The element formats and their names.

/// An element format: what the bytes of one element mean (isa 13 §1, §2).
///
/// The wire code 0x0E stands for two formats, so both have a kind: [`Kind::Fp8E4`] is the IEEE-like
/// one (largest value 240, has infinities), [`Kind::Fp8E4Fn`] the OCP one (448, none).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Kind {
    /// Unsigned 8 bit.
    U8,
    /// Signed 8 bit.
    I8,
    /// Unsigned 16 bit.
    U16,
    /// Signed 16 bit.
    I16,
    /// Unsigned 32 bit.
    U32,
    /// Signed 32 bit.
    I32,
    /// Unsigned 64 bit.
    U64,
    /// Signed 64 bit.
    I64,
    /// 1-8-7 float.
    Bf16,
    /// 1-5-10 float.
    Fp16,
    /// 1-8-23 float, the hub of all conversions.
    #[default]
    Fp32,
    /// fp32 storage whose mantissa is rounded when written; reads as fp32.
    Fp32r,
    /// E3M4, bias 3.
    Fp8E3,
    /// E4M3 with infinities, largest value 240.
    Fp8E4,
    /// E4M3 "fn": no infinities, largest value 448.
    Fp8E4Fn,
    /// E5M2, bias 15.
    Fp8E5,
    /// Scale exponent byte; as an element a plain unsigned byte (isa 13 §4.5).
    E8m0,
    /// Four E2M1 lanes in a 2-byte container, low nibble first (isa 13 §4.3).
    Fp4x4,
}

/// Every accepted spelling; the first one of a kind is its canonical name.
const NAMES: &[(Kind, &[&str])] = &[
    (Kind::U8, &["u8", "uint8"]),
    (Kind::I8, &["i8", "int8"]),
    (Kind::U16, &["u16", "uint16"]),
    (Kind::I16, &["i16", "int16"]),
    (Kind::U32, &["u32", "uint32"]),
    (Kind::I32, &["i32", "int32"]),
    (Kind::U64, &["u64", "uint64"]),
    (Kind::I64, &["i64", "int64"]),
    (Kind::Bf16, &["bf16", "bfloat16"]),
    (Kind::Fp16, &["fp16", "f16", "float16", "half"]),
    (Kind::Fp32, &["fp32", "f32", "float32", "float"]),
    (Kind::Fp32r, &["fp32r", "f32r", "float32r"]),
    (
        Kind::Fp8E3,
        &[
            "fp8e3",
            "f8e3",
            "float8e3",
            "float8_e3m4",
            "e3m4",
            "fp8_exp3",
        ],
    ),
    (
        Kind::Fp8E4,
        &[
            "fp8e4",
            "f8e4",
            "float8e4",
            "float8_e4m3",
            "e4m3",
            "fp8_exp4",
        ],
    ),
    (
        Kind::Fp8E4Fn,
        &["fp8e4fn", "f8e4fn", "float8e4fn", "float8_e4m3fn", "e4m3fn"],
    ),
    (
        Kind::Fp8E5,
        &[
            "fp8e5",
            "f8e5",
            "float8e5",
            "float8_e5m2",
            "e5m2",
            "fp8_exp5",
        ],
    ),
    (Kind::E8m0, &["e8m0", "float8_e8m0fnu"]),
    (Kind::Fp4x4, &["fp4x4", "float4_e2m1fn_x4", "fp4_exp2"]),
];

impl Kind {
    /// Every kind, in declaration order.
    pub const ALL: &'static [Kind] = &[
        Kind::U8,
        Kind::I8,
        Kind::U16,
        Kind::I16,
        Kind::U32,
        Kind::I32,
        Kind::U64,
        Kind::I64,
        Kind::Bf16,
        Kind::Fp16,
        Kind::Fp32,
        Kind::Fp32r,
        Kind::Fp8E3,
        Kind::Fp8E4,
        Kind::Fp8E4Fn,
        Kind::Fp8E5,
        Kind::E8m0,
        Kind::Fp4x4,
    ];

    /// Bytes of one element (of one container for [`Kind::Fp4x4`]).
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Kind::U8
            | Kind::I8
            | Kind::Fp8E3
            | Kind::Fp8E4
            | Kind::Fp8E4Fn
            | Kind::Fp8E5
            | Kind::E8m0 => 1,
            Kind::U16 | Kind::I16 | Kind::Bf16 | Kind::Fp16 | Kind::Fp4x4 => 2,
            Kind::U32 | Kind::I32 | Kind::Fp32 | Kind::Fp32r => 4,
            Kind::U64 | Kind::I64 => 8,
        }
    }

    /// Bits of one element.
    #[must_use]
    pub const fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// Values in one container.
    #[must_use]
    pub const fn lanes(self) -> usize {
        if matches!(self, Kind::Fp4x4) { 4 } else { 1 }
    }

    /// Canonical name, as in the command language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::U8 => "u8",
            Kind::I8 => "i8",
            Kind::U16 => "u16",
            Kind::I16 => "i16",
            Kind::U32 => "u32",
            Kind::I32 => "i32",
            Kind::U64 => "u64",
            Kind::I64 => "i64",
            Kind::Bf16 => "bf16",
            Kind::Fp16 => "fp16",
            Kind::Fp32 => "fp32",
            Kind::Fp32r => "fp32r",
            Kind::Fp8E3 => "fp8e3",
            Kind::Fp8E4 => "fp8e4",
            Kind::Fp8E4Fn => "fp8e4fn",
            Kind::Fp8E5 => "fp8e5",
            Kind::E8m0 => "e8m0",
            Kind::Fp4x4 => "fp4x4",
        }
    }

    /// The kind of a name or alias (numpy, compiler and wire spellings), case ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Kind> {
        NAMES
            .iter()
            .find(|(_, names)| names.iter().any(|name| name.eq_ignore_ascii_case(text)))
            .map(|(kind, _)| *kind)
    }

    /// Two's-complement or unsigned integer. [`Kind::E8m0`] is neither integer nor float.
    #[must_use]
    pub const fn is_int(self) -> bool {
        matches!(
            self,
            Kind::U8
                | Kind::I8
                | Kind::U16
                | Kind::I16
                | Kind::U32
                | Kind::I32
                | Kind::U64
                | Kind::I64
        )
    }

    /// Can hold negative values.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        !matches!(
            self,
            Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 | Kind::E8m0
        )
    }

    /// Floating point, [`Kind::Fp4x4`] included.
    #[must_use]
    pub const fn is_float(self) -> bool {
        !self.is_int() && !matches!(self, Kind::E8m0)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_once_and_its_name_parses() {
        assert_eq!(Kind::ALL.len(), NAMES.len());
        for (kind, (listed, names)) in Kind::ALL.iter().zip(NAMES) {
            assert_eq!(kind, listed);
            assert_eq!(kind.name(), names[0]);
            for name in *names {
                assert_eq!(Kind::parse(name), Some(*kind), "{name}");
                assert_eq!(Kind::parse(&name.to_uppercase()), Some(*kind), "{name}");
            }
        }
        let mut all: Vec<&str> = NAMES.iter().flat_map(|(_, n)| n.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "two kinds share a spelling");
        assert_eq!(Kind::parse("u7"), None);
        assert_eq!(Kind::parse(""), None);
    }

    #[test]
    fn containers_match_the_dtype_table() {
        // isa dtypes.tsv: wire name, bytes, signed; FP4 travels in 2-byte containers (isa 13 §2).
        for line in include_str!("../../assets/isa/dtypes.tsv")
            .lines()
            .filter(|l| !l.starts_with('#'))
        {
            let cells: Vec<&str> = line.split('\t').collect();
            let name = match cells[1] {
                "FP8_EXP4/fn" => "fp8e4fn",
                name => name,
            };
            let Some(kind) = Kind::parse(name) else {
                continue;
            };
            if kind != Kind::Fp4x4 {
                assert_eq!(kind.bytes().to_string(), cells[2], "{name}");
            }
            assert_eq!(u8::from(kind.is_signed()).to_string(), cells[4], "{name}");
        }
        assert_eq!((Kind::Fp4x4.bytes(), Kind::Fp4x4.lanes()), (2, 4));
    }
}
