//! Classes of data types that operands accept (isa 07 §5).

use std::fmt;

use crate::isa::DType;

/// A set of data types, a bit per code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DTypeSet(u32);

impl DTypeSet {
    /// The set of these types.
    pub const fn of(types: &[DType]) -> DTypeSet {
        let mut bits = 0;
        let mut i = 0;
        while i < types.len() {
            bits |= 1 << (types[i].0 & 31);
            i += 1;
        }
        DTypeSet(bits)
    }

    /// Members of either set.
    pub const fn or(self, other: DTypeSet) -> DTypeSet {
        DTypeSet(self.0 | other.0)
    }

    /// Is it a member?
    pub const fn has(self, t: DType) -> bool {
        t.0 < 32 && self.0 >> t.0 & 1 != 0
    }
}

impl fmt::Display for DTypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = DType::all().filter(|t| self.has(*t));
        for (i, t) in members.enumerate() {
            write!(f, "{}{t}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// Integers of 8, 16 and 32 bits.
pub const INT: DTypeSet = SIGNED.or(UNSIGNED);
/// Signed integers of 8, 16 and 32 bits.
pub const SIGNED: DTypeSet = DTypeSet::of(&[DType::I8, DType::I16, DType::I32]);
/// Unsigned integers of 8, 16 and 32 bits.
pub const UNSIGNED: DTypeSet = DTypeSet::of(&[DType::U8, DType::U16, DType::U32]);
/// 64-bit integers.
pub const INT64: DTypeSet = DTypeSet::of(&[DType::I64, DType::U64]);
/// Integers of every width.
pub const ANY_INT: DTypeSet = INT.or(INT64);
/// Signed integers of every width.
pub const ANY_SIGNED: DTypeSet = SIGNED.or(DTypeSet::of(&[DType::I64]));
/// Integers of the integer unit of POOL.
pub const INT32_64: DTypeSet = DTypeSet::of(&[DType::I32, DType::U32]).or(INT64);
/// Floats of the data path.
pub const FLOAT: DTypeSet = DTypeSet::of(&[
    DType::FP8E3,
    DType::FP8E4,
    DType::FP8E5,
    DType::FP16,
    DType::BF16,
    DType::FP32,
]);
/// Floats as output: FP32R too.
pub const FLOAT_OUT: DTypeSet = FLOAT.or(FP32R);
/// Types of the general data path.
pub const PLAIN: DTypeSet = INT.or(FLOAT);
/// As output: FP32R too.
pub const PLAIN_OUT: DTypeSet = PLAIN.or(FP32R);
/// Types of the general data path and 64-bit integers.
pub const PLAIN64: DTypeSet = PLAIN.or(INT64);
/// As output: FP32R too.
pub const PLAIN64_OUT: DTypeSet = PLAIN64.or(FP32R);
/// Bit-vectors of the reductions and scans.
pub const BITVEC_REDUCE: DTypeSet = DTypeSet::of(&[DType::U8, DType::U16, DType::U32, DType::I32]);
/// Floats of the statistics.
pub const STATS: DTypeSet = DTypeSet::of(&[DType::FP32, DType::BF16, DType::FP16]);
/// Inputs of the accumulating tensor-scalar operations: no 32-bit integers.
pub const CACHE_IN: DTypeSet = FLOAT.or(DTypeSet::of(&[
    DType::I8,
    DType::U8,
    DType::I16,
    DType::U16,
]));
const FP32R: DTypeSet = DTypeSet::of(&[DType::FP32R]);
