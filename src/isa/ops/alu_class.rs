//! Classes of ALU operations: what the opcodes accept, per generation (isa 07 §5).

use std::fmt;

use crate::isa::fields::AluOp;
use crate::isa::{Generation, Instr};

/// A set of ALU operations, a bit per code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpSet([u64; 4]);

impl OpSet {
    /// The set of these operations.
    pub const fn of(ops: &[AluOp]) -> OpSet {
        let mut bits = [0; 4];
        let mut i = 0;
        while i < ops.len() {
            bits[(ops[i].0 / 64) as usize] |= 1 << (ops[i].0 % 64);
            i += 1;
        }
        OpSet(bits)
    }

    /// Members of either set.
    pub const fn or(self, other: OpSet) -> OpSet {
        let (a, b) = (self.0, other.0);
        OpSet([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// Members of this set that the other one lacks.
    pub const fn without(self, other: OpSet) -> OpSet {
        let (a, b) = (self.0, other.0);
        OpSet([a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]])
    }

    /// Is it a member?
    pub const fn has(self, op: AluOp) -> bool {
        self.0[(op.0 / 64) as usize] >> (op.0 % 64) & 1 != 0
    }

    /// Number of members.
    pub const fn len(self) -> u32 {
        let b = self.0;
        b[0].count_ones() + b[1].count_ones() + b[2].count_ones() + b[3].count_ones()
    }

    /// Has it no member?
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The members, ascending by code.
    pub fn iter(self) -> impl Iterator<Item = AluOp> {
        (0..=255).map(AluOp).filter(move |op| self.has(*op))
    }
}

impl fmt::Display for OpSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, op) in self.iter().enumerate() {
            write!(f, "{}{op}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// Only BYPASS: moves and conversions.
pub const BYPASS: OpSet = OpSet::of(&[AluOp::BYPASS]);

/// Bit operations of a tensor pair.
pub const GENERAL_BITVEC: OpSet = OpSet::of(&[
    AluOp::BYPASS,
    AluOp::BITWISE_NOT,
    AluOp::ARITH_SHIFT_LEFT,
    AluOp::ARITH_SHIFT_RIGHT,
    AluOp::LOGICAL_SHIFT_LEFT,
    AluOp::LOGICAL_SHIFT_RIGHT,
    AluOp::BITWISE_AND,
    AluOp::BITWISE_OR,
    AluOp::BITWISE_XOR,
]);

/// Bit operations of a tensor with scalars or with itself.
pub const BITVEC: OpSet = GENERAL_BITVEC.or(OpSet::of(&[AluOp::CRC32]));

/// Shifts to the left.
pub const LEFT_SHIFTS: OpSet = OpSet::of(&[AluOp::ARITH_SHIFT_LEFT, AluOp::LOGICAL_SHIFT_LEFT]);

/// Shifts to the right.
pub const RIGHT_SHIFTS: OpSet = OpSet::of(&[AluOp::ARITH_SHIFT_RIGHT, AluOp::LOGICAL_SHIFT_RIGHT]);

/// Folds of the accumulating tensor-scalar operations.
pub const CACHE_REDUCE: OpSet = OpSet::of(&[
    AluOp::ADD,
    AluOp::SUBTRACT,
    AluOp::MULT,
    AluOp::MAX,
    AluOp::MIN,
]);

/// Comparisons of RANGE_SELECT.
pub const RANGE_COMPARES: OpSet = OpSet::of(&[
    AluOp::IS_EQ,
    AluOp::IS_GT,
    AluOp::IS_GE,
    AluOp::IS_LE,
    AluOp::IS_LT,
]);

/// Operations with a 64-bit result (v5).
pub const WIDE: OpSet = OpSet::of(&[
    AluOp::ADD_INT,
    AluOp::SUBTRACT_INT,
    AluOp::MULT_INT,
    AluOp::MULT_UINT,
])
.or(LEFT_SHIFTS)
.or(RIGHT_SHIFTS);

/// Positions of extrema.
pub const ARG_EXTREMA: OpSet = OpSet::of(&[
    AluOp::AMAX_INT,
    AluOp::AMIN_INT,
    AluOp::AMAX_UINT,
    AluOp::AMIN_UINT,
]);

/// Integer operations on signed operands.
pub const SIGNED: OpSet = OpSet::of(&[
    AluOp::ADD_INT,
    AluOp::MULT_INT,
    AluOp::SUBTRACT_INT,
    AluOp::DIVIDE_INT,
    AluOp::MOD_INT,
    AluOp::MOD,
    AluOp::IS_EQUAL_INT,
    AluOp::IS_NE_INT,
    AluOp::ABS_DIFF_INT,
    AluOp::ABS_MAX_INT,
    AluOp::ABS_MIN_INT,
    AluOp::MAX_INT,
    AluOp::MIN_INT,
    AluOp::IS_GT_INT,
    AluOp::IS_GE_INT,
    AluOp::IS_LE_INT,
    AluOp::IS_LT_INT,
    AluOp::AMAX_INT,
    AluOp::AMIN_INT,
]);

/// Integer operations on unsigned operands.
pub const UNSIGNED: OpSet = OpSet::of(&[
    AluOp::ADD_INT,
    AluOp::MULT_INT,
    AluOp::SUBTRACT_INT,
    AluOp::DIVIDE_INT,
    AluOp::MOD_INT,
    AluOp::MOD,
    AluOp::DIVIDE_UINT,
    AluOp::MOD_UINT,
    AluOp::MULT_UINT,
    AluOp::IS_EQUAL_INT,
    AluOp::IS_NE_INT,
    AluOp::MAX_UINT,
    AluOp::MIN_UINT,
    AluOp::IS_GT_UINT,
    AluOp::IS_GE_UINT,
    AluOp::IS_LE_UINT,
    AluOp::IS_LT_UINT,
    AluOp::AMAX_UINT,
    AluOp::AMIN_UINT,
]);

/// Integer operations of tensor-scalar on v5.
pub const INT_SCALAR_V5: OpSet = OpSet::of(&[
    AluOp::BYPASS,
    AluOp::ADD_INT,
    AluOp::MULT_INT,
    AluOp::SUBTRACT_INT,
    AluOp::MAX_INT,
    AluOp::MIN_INT,
    AluOp::ABS_MAX_INT,
    AluOp::ABS_MIN_INT,
    AluOp::ABS_DIFF_INT,
    AluOp::IS_EQUAL_INT,
    AluOp::IS_GT_INT,
    AluOp::IS_GE_INT,
    AluOp::IS_LE_INT,
    AluOp::IS_LT_INT,
    AluOp::IS_NE_INT,
]);

/// Integer operations that v2 has: its enumeration ends at 0xC6.
const INT_V2: OpSet = OpSet::of(&[
    AluOp::ADD_INT,
    AluOp::MULT_INT,
    AluOp::SUBTRACT_INT,
    AluOp::MOD,
]);

const GENERAL_ARITH_V2: OpSet = OpSet::of(&[
    AluOp::BYPASS,
    AluOp::ADD,
    AluOp::SUBTRACT,
    AluOp::MULT,
    AluOp::MAX,
    AluOp::MIN,
    AluOp::LOGICAL_AND,
    AluOp::LOGICAL_OR,
    AluOp::LOGICAL_XOR,
    AluOp::IS_EQ,
    AluOp::IS_GT,
    AluOp::IS_GE,
    AluOp::IS_LE,
    AluOp::IS_LT,
    AluOp::IS_NE,
    AluOp::ABSOLUTE_DIFF,
    AluOp::ABSOLUTE_VALUE,
]);

/// fp32 operations of the general data path: 17 on v2 and v3, 21 from v4.
pub const fn general_arith(g: Generation) -> OpSet {
    match g {
        Generation::V2 | Generation::V3 => GENERAL_ARITH_V2,
        Generation::V4 | Generation::V5 => GENERAL_ARITH_V2.or(OpSet::of(&[
            AluOp::ABS_MAX,
            AluOp::ABS_MIN,
            AluOp::RE_LU,
            AluOp::SQUARE,
        ])),
    }
}

/// Integer operations of a tensor pair: 26, on v2 the four its enumeration has.
pub const fn int_alu(g: Generation) -> OpSet {
    match g {
        Generation::V2 => INT_V2,
        _ => SIGNED.or(UNSIGNED).without(ARG_EXTREMA),
    }
}

/// Integer operations of a reduction: those of a tensor pair and, from v3, the arg-extrema.
pub const fn int_reduce(g: Generation) -> OpSet {
    match g {
        Generation::V2 => INT_V2,
        _ => SIGNED.or(UNSIGNED),
    }
}

/// TENSOR_TENSOR_ARITH_OP.
pub const fn tensor_tensor(g: Generation) -> OpSet {
    general_arith(g).or(OpSet::of(&[AluOp::POW])).or(int_alu(g))
}

/// Arithmetic scans: every arithmetic operation except DIVIDE, POW and MOD.
pub const fn cumulative(g: Generation) -> OpSet {
    let ints = match g {
        Generation::V2 => INT_V2.without(OpSet::of(&[AluOp::MOD])),
        _ => OpSet::of(&[
            AluOp::ADD_INT,
            AluOp::MULT_INT,
            AluOp::SUBTRACT_INT,
            AluOp::DIVIDE_INT,
            AluOp::MOD_INT,
        ]),
    };
    general_arith(g).or(ints).or(OpSet::of(&[AluOp::RSQRT]))
}

/// Does the operation of a two-engine arithmetic opcode exist on POOL only: the integer band and
/// POW (isa 07 §2, decisions 1.1 "home engine")?
pub fn needs_pool(instr: &Instr) -> bool {
    let pool_only = match instr.bundle.opcode() {
        0x41 => int_alu(Generation::V3).or(OpSet::of(&[AluOp::POW])),
        0x42 | 0x83 => int_reduce(Generation::V3),
        _ => return false,
    };
    instr
        .value("op")
        .is_some_and(|op| pool_only.has(AluOp(op as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_sheet() {
        use Generation::{V2, V3, V4, V5};
        assert_eq!(
            [BITVEC, GENERAL_BITVEC, CACHE_REDUCE, INT_SCALAR_V5].map(OpSet::len),
            [10, 9, 5, 15]
        );
        assert_eq!(
            [V2, V3, V4, V5].map(|g| general_arith(g).len()),
            [17, 17, 21, 21]
        );
        assert_eq!([V2, V3, V4, V5].map(|g| int_alu(g).len()), [4, 26, 26, 26]);
        // arith26 minus {DIVIDE, POW, MOD}, with two integer operations fewer on v2
        assert_eq!([V2, V3, V4].map(|g| cumulative(g).len()), [21, 23, 27]);
    }

    #[test]
    fn classes_agree_with_the_operation_table() {
        let sheet = include_str!("../../../assets/isa/alu_ops.tsv");
        for line in sheet.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let code = u8::from_str_radix(&cells[0][2..], 16).expect("hex code");
            let (op, class, gens) = (AluOp(code), cells[5], cells[8]);
            assert_eq!(op.to_string(), cells[1]);
            assert_eq!(BITVEC.has(op), class.contains("bitvec"), "{op}");
            for g in Generation::ALL {
                let exists = gens.contains(g.info().name);
                for set in [tensor_tensor(g), cumulative(g), int_reduce(g)] {
                    assert!(exists || !set.has(op), "{op} on {g}");
                }
                if class.starts_with("int signed") || class.starts_with("int unsigned") {
                    assert_eq!(
                        int_reduce(g).has(op),
                        exists && op != AluOp::ABS_VALUE_INT,
                        "{op} on {g}"
                    );
                }
            }
        }
    }
}
