//! Conversion of elements, one at a time and in bulk.
//!
//! [`decode_with`] and [`encode_with`] hold the only table from kind to conversion. They hand the
//! conversion to a visitor as a closure, so that every kind gets its own tight loop.

use super::float::{bf16_decode, bf16_encode, fp16_decode, fp32r_drop, fp32r_encode};
use super::int::integral;
use super::kind::Kind;
use super::round::Rules;
use super::small::{
    E3M4, E3M4_VALUES, E4M3, E4M3_VALUES, E4M3FN_VALUES, E4M3Fn, E5M2, E5M2_VALUES, Fp16, Small,
    encode, fp4_pack_counting, fp4_unpack,
};

/// What a narrowing did to its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Narrowed {
    /// Finite values that were saturated or became infinite (or NaN in a format without Inf).
    pub overflow: u64,
    /// NaNs among the values given, whatever the target makes of them.
    pub nan: u64,
    /// Infinities among the values given.
    pub inf: u64,
}

impl Narrowed {
    fn count_odd(&mut self, values: &[f32]) {
        self.nan += values.iter().filter(|x| x.is_nan()).count() as u64;
        self.inf += values.iter().filter(|x| x.is_infinite()).count() as u64;
    }
}

impl std::ops::AddAssign for Narrowed {
    fn add_assign(&mut self, other: Self) {
        self.overflow = self.overflow.saturating_add(other.overflow);
        self.nan = self.nan.saturating_add(other.nan);
        self.inf = self.inf.saturating_add(other.inf);
    }
}

/// Uses the decoder of a kind with elements of `N` bytes.
trait Decoding {
    type Out;
    fn run<const N: usize>(self, decode: impl Fn([u8; N]) -> f32) -> Self::Out;
}

/// Uses the encoder of a kind with elements of `N` bytes; the flag is an overflow.
trait Encoding {
    type Out;
    fn run<const N: usize>(self, encode: impl Fn(f32) -> ([u8; N], bool)) -> Self::Out;
}

/// isa 13 §6.1. An fp4 container counts as its lane 0 here.
#[inline(always)]
fn decode_with<V: Decoding>(kind: Kind, visitor: V) -> V::Out {
    macro_rules! int {
        ($t:ty) => {
            visitor.run(|b| <$t>::from_le_bytes(b) as f32)
        };
    }
    macro_rules! lookup {
        ($values:ident) => {
            visitor.run(|[b]: [u8; 1]| $values[usize::from(b)])
        };
    }
    match kind {
        Kind::U8 | Kind::E8m0 => int!(u8),
        Kind::I8 => int!(i8),
        Kind::U16 => int!(u16),
        Kind::I16 => int!(i16),
        Kind::U32 => int!(u32),
        Kind::I32 => int!(i32),
        Kind::U64 => int!(u64),
        Kind::I64 => int!(i64),
        Kind::Bf16 => visitor.run(|b| bf16_decode(u16::from_le_bytes(b))),
        Kind::Fp16 => visitor.run(|b| fp16_decode(u16::from_le_bytes(b))),
        Kind::Fp32 | Kind::Fp32r => visitor.run(f32::from_le_bytes),
        Kind::Fp8E3 => lookup!(E3M4_VALUES),
        Kind::Fp8E4 => lookup!(E4M3_VALUES),
        Kind::Fp8E4Fn => lookup!(E4M3FN_VALUES),
        Kind::Fp8E5 => lookup!(E5M2_VALUES),
        Kind::Fp4x4 => visitor.run(|b| fp4_unpack(u16::from_le_bytes(b))[0]),
    }
}

/// isa 13 §6.2. An fp4 container gets the value in lane 0 and zeros in the others.
#[inline(always)]
fn encode_with<V: Encoding>(kind: Kind, rules: &Rules, visitor: V) -> V::Out {
    macro_rules! int {
        ($t:ty) => {{
            // The first value past the range is exact in fp32 for every width.
            let (lo, end) = (<$t>::MIN as f32, <$t>::MAX as f32 + 1.0);
            if rules.int_trunc {
                visitor.run(|x| {
                    let (r, over) = integral(x, true, lo, end);
                    ((r as $t).to_le_bytes(), over)
                })
            } else {
                visitor.run(|x| {
                    let (r, over) = integral(x, false, lo, end);
                    ((r as $t).to_le_bytes(), over)
                })
            }
        }};
    }
    macro_rules! small {
        ($f:ty, $t:ty) => {{
            let ends = <$f>::ends(rules);
            visitor.run(|x| {
                let (code, over) = encode::<$f>(x, &ends);
                ((code as $t).to_le_bytes(), over)
            })
        }};
    }
    match kind {
        Kind::U8 | Kind::E8m0 => int!(u8),
        Kind::I8 => int!(i8),
        Kind::U16 => int!(u16),
        Kind::I16 => int!(i16),
        Kind::U32 => int!(u32),
        Kind::I32 => int!(i32),
        Kind::U64 => int!(u64),
        Kind::I64 => int!(i64),
        Kind::Bf16 => visitor.run(|x| {
            let (code, over) = bf16_encode(x);
            (code.to_le_bytes(), over)
        }),
        Kind::Fp16 => small!(Fp16, u16),
        Kind::Fp32 => visitor.run(|x| (x.to_le_bytes(), false)),
        Kind::Fp32r => {
            let drop = fp32r_drop(rules.fp32r_bits);
            visitor.run(|x| {
                let (bits, over) = fp32r_encode(x, drop);
                (bits.to_le_bytes(), over)
            })
        }
        Kind::Fp8E3 => small!(E3M4, u8),
        Kind::Fp8E4 => small!(E4M3, u8),
        Kind::Fp8E4Fn => small!(E4M3Fn, u8),
        Kind::Fp8E5 => small!(E5M2, u8),
        Kind::Fp4x4 => visitor.run(|x| {
            let (code, over) = fp4_pack_counting([x, 0.0, 0.0, 0.0]);
            (code.to_le_bytes(), over != 0)
        }),
    }
}

struct DecodeOne(u64);
impl Decoding for DecodeOne {
    type Out = f32;
    #[inline(always)]
    fn run<const N: usize>(self, decode: impl Fn([u8; N]) -> f32) -> f32 {
        let bytes = self.0.to_le_bytes();
        bytes.first_chunk().map_or(0.0, |b| decode(*b))
    }
}

struct EncodeOne(f32);
impl Encoding for EncodeOne {
    type Out = u64;
    #[inline(always)]
    fn run<const N: usize>(self, encode: impl Fn(f32) -> ([u8; N], bool)) -> u64 {
        let mut bytes = [0; 8];
        if let Some(low) = bytes.first_chunk_mut() {
            *low = encode(self.0).0;
        }
        u64::from_le_bytes(bytes)
    }
}

/// Value of one element in the low bytes of `bits`; rounded to fp32 for wide integers. Of an fp4
/// container: lane 0 ([`fp4_unpack`] gives all).
#[must_use]
pub fn widen(kind: Kind, bits: u64) -> f32 {
    decode_with(kind, DecodeOne(bits))
}

/// The element for `x`, in the low bytes. fp32 keeps all bits. An fp4 container holds `x` in lane 0
/// and zeros above.
#[must_use]
pub fn narrow(kind: Kind, x: f32, rules: &Rules) -> u64 {
    encode_with(kind, rules, EncodeOne(x))
}

/// Runs a loop compiled for the widest vectors that this machine has.
#[inline(always)]
pub fn wide<R>(run: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(run)
}

struct DecodeSlice<'a>(&'a [u8], &'a mut [f32]);
impl Decoding for DecodeSlice<'_> {
    type Out = ();
    #[inline(always)]
    fn run<const N: usize>(self, decode: impl Fn([u8; N]) -> f32) {
        wide(
            #[inline(always)]
            || {
                for (bytes, x) in self.0.as_chunks::<N>().0.iter().zip(self.1) {
                    *x = decode(*bytes);
                }
            },
        );
    }
}

/// Elements per block of the counting loops: counters stay 32 bits wide inside one, which keeps them
/// in vector lanes of the width of the data.
const BLOCK: usize = 4096;

struct EncodeSlice<'a>(&'a [f32], &'a mut [u8]);
impl Encoding for EncodeSlice<'_> {
    type Out = Narrowed;
    #[inline(always)]
    fn run<const N: usize>(self, encode: impl Fn(f32) -> ([u8; N], bool)) -> Narrowed {
        wide(
            #[inline(always)]
            || {
                let mut total = Narrowed::default();
                let elements = self.1.as_chunks_mut::<N>().0;
                for (values, out) in self.0.chunks(BLOCK).zip(elements.chunks_mut(BLOCK)) {
                    let done = values.len().min(out.len());
                    let (mut overflow, mut odd) = (0u32, 0u32);
                    for (x, bytes) in values.iter().zip(out) {
                        let (code, over) = encode(*x);
                        *bytes = code;
                        overflow += u32::from(over);
                        odd += u32::from(!x.is_finite());
                    }
                    total.overflow += u64::from(overflow);
                    if odd > 0 {
                        total.count_odd(values.get(..done).unwrap_or(values));
                    }
                }
                total
            },
        )
    }
}

/// Widen packed little-endian elements. Works on as many whole elements as both slices hold; an fp4
/// container fills four places.
pub fn widen_slice(kind: Kind, src: &[u8], dst: &mut [f32]) {
    if kind == Kind::Fp4x4 {
        let containers = src.as_chunks::<2>().0.iter();
        for (container, lanes) in containers.zip(dst.as_chunks_mut::<4>().0) {
            *lanes = fp4_unpack(u16::from_le_bytes(*container));
        }
    } else {
        decode_with(kind, DecodeSlice(src, dst));
    }
}

/// Narrow to packed little-endian elements. Works on as many whole elements as both slices hold; four
/// values make an fp4 container.
pub fn narrow_slice(kind: Kind, src: &[f32], rules: &Rules, dst: &mut [u8]) -> Narrowed {
    if kind != Kind::Fp4x4 {
        return encode_with(kind, rules, EncodeSlice(src, dst));
    }
    let mut total = Narrowed::default();
    for (lanes, container) in src
        .as_chunks::<4>()
        .0
        .iter()
        .zip(dst.as_chunks_mut::<2>().0)
    {
        let (code, overflow) = fp4_pack_counting(*lanes);
        *container = code.to_le_bytes();
        total.overflow += u64::from(overflow);
        total.count_odd(lanes);
    }
    total
}
