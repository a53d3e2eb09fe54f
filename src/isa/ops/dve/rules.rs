//! Legality of the element-wise opcodes (isa 07 §5, 07a).

use crate::isa::field::DTypeOf;
use crate::isa::fields::{AccumCmd, AluOp, ImmSrc, ReverseOps, SubDim};
use crate::isa::legal::{Check, Severity};
use crate::isa::ops::alu_class::{self, OpSet};
use crate::isa::ops::dtype_class as dt;
use crate::isa::ops::rules::*;
use crate::isa::{DType, Generation};

/// Scalars of the arithmetic opcodes are fp32.
pub(super) const FP32: DTypeOf = DTypeOf::Fixed(DType::FP32.0);
/// Scalars of the bit-vector opcodes have the type of the source.
pub(super) const IN: DTypeOf = DTypeOf::Field("in_dtype");

/// The operation in a field.
fn op(c: &Check<'_>, field: &str) -> AluOp {
    AluOp(c.value(field) as u8)
}

/// The data type in a field.
fn dtype(c: &Check<'_>, field: &str) -> DType {
    DType(c.value(field) as u8)
}

/// Source of any type of the data path, destination too or FP32R.
pub(super) fn plain(c: &mut Check<'_>) {
    dtype_in(c, "in_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
}

/// The same for two sources.
pub(super) fn plain_pair(c: &mut Check<'_>) {
    dtype_in(c, "in0_dtype", dt::PLAIN);
    dtype_in(c, "in1_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
}

/// 0x41: types by the band of the operation.
pub(super) fn tensor_tensor_dtypes(c: &mut Check<'_>) {
    let fields = ["in0_dtype", "in1_dtype", "out_dtype"];
    let o = op(c, "op");
    if alu_class::int_alu(c.generation()).has(o) {
        for f in fields {
            dtype_in(c, f, dt::ANY_INT);
        }
        int_signs(c, "op", &fields, dt::ANY_SIGNED);
    } else if o == AluOp::POW {
        dtype_in(c, "in0_dtype", dt::FLOAT);
        dtype_in(c, "in1_dtype", dt::FLOAT);
        dtype_in(c, "out_dtype", dt::PLAIN_OUT);
    } else {
        plain_pair(c);
    }
}

/// 0x51: integers of one width.
pub(super) fn bitvec_pair(c: &mut Check<'_>) {
    for f in ["in0_dtype", "in1_dtype", "out_dtype"] {
        dtype_in(c, f, dt::ANY_INT);
    }
    same_width(c, "in0_dtype", "in1_dtype");
    same_width(c, "in0_dtype", "out_dtype");
    shifts(c, "out_dtype");
}

/// 0x72, 0x99: integer predicate, data without FP32R.
pub(super) fn predicated(c: &mut Check<'_>) {
    op_in(c, "op", alu_class::BYPASS);
    dtype_in(c, "in0_dtype", dt::INT);
    dtype_in(c, "in1_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::PLAIN);
}

/// 0x43, 0x44, 0x93: both operations general, or RSQRT alone, or on v5 both integer.
pub(super) fn scalar_arith_ops(c: &mut Check<'_>) {
    let (op0, op1) = (op(c, "op0"), op(c, "op1"));
    if op0 == AluOp::RSQRT {
        op_in(c, "op1", alu_class::BYPASS);
        zero(c, &["imm0", "imm1", "imm0_src", "imm1_src"]);
        return;
    }
    let ints = alu_class::INT_SCALAR_V5;
    if c.generation() == Generation::V5 && ints.has(op0) && ints.has(op1) {
        return;
    }
    let general = alu_class::general_arith(c.generation());
    op_in(c, "op0", general.or(OpSet::of(&[AluOp::RSQRT])));
    op_in(c, "op1", general);
}

/// 0x53, 0x54: integer type without conversion.
pub(super) fn scalar_bitvec(c: &mut Check<'_>) {
    op_in(c, "op0", alu_class::BITVEC);
    op_in(c, "op1", alu_class::BITVEC);
    dtype_in(c, "in_dtype", dt::INT);
    same_dtype(c, "in_dtype", "out_dtype");
    shifts(c, "in_dtype");
    crc_on_pool(c);
}

/// 0x44, 0x54: the source bytes are 0 and both immediates are pointers.
pub(super) fn pointer_form(c: &mut Check<'_>, dtype: DTypeOf) {
    zero(c, &["imm0_src", "imm1_src"]);
    for name in ["imm0", "imm1"] {
        if let Some(f) = c.format().field(name) {
            pointer(c, f, dtype);
        }
    }
}

/// `accumulator-cmd`: one of the commands that the opcode knows (isa 07 §6).
pub(super) fn accumulator(c: &mut Check<'_>, field: &str, allowed: &[AccumCmd]) {
    let codes: Vec<u8> = allowed.iter().map(|a| a.0).collect();
    one_of(c, "accumulator-cmd", field, &codes);
}

/// Commands of the opcodes that may fold their results.
pub(super) const OPTIONAL_FOLD: &[AccumCmd] = &[
    AccumCmd::IDLE,
    AccumCmd::ACCUMULATE,
    AccumCmd::ZERO_ACCUMULATE,
];

/// `indirect-operand`: public references know indirection for dst and src0 only (isa 16 §0.8).
pub(super) fn indirect_src1(c: &mut Check<'_>) {
    if indirect(c, "src1").is_some() {
        let message = "src1 is indirect; documented: dst and src0".to_owned();
        c.at(Severity::Warn, "indirect-operand", "src1", message);
    }
}

/// `accumulator-cmd`: the opcode has no accumulator.
pub(super) fn no_accumulator(c: &mut Check<'_>) {
    accumulator(c, "accumulator_cmd", &[AccumCmd::IDLE]);
}

/// `reverse-operands`: one of these.
pub(super) fn reverse(c: &mut Check<'_>, allowed: &[ReverseOps]) {
    let codes: Vec<u8> = allowed.iter().map(|a| a.0).collect();
    one_of(c, "reverse-operands", "reverse_operands", &codes);
}

/// `fixed-value`: imm1 is the seed of LOAD_ACCUMULATE and unused otherwise.
pub(super) fn seed(c: &mut Check<'_>) {
    if c.value("accumulator_cmd") != u64::from(AccumCmd::LOAD_ACCUMULATE.0) {
        zero(c, &["imm1", "imm1_src"]);
    }
}

/// 0x9A, 0xE6.
pub(super) fn cache(c: &mut Check<'_>) {
    accumulator(
        c,
        "accumulator_cmd",
        &[
            AccumCmd::ACCUMULATE,
            AccumCmd::ZERO_ACCUMULATE,
            AccumCmd::LOAD_ACCUMULATE,
        ],
    );
    op_in(c, "op0", alu_class::general_arith(c.generation()));
    op_in(c, "op1", alu_class::CACHE_REDUCE);
    reverse(c, &[ReverseOps::NONE]);
    seed(c);
    dtype_in(c, "in_dtype", dt::CACHE_IN);
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
}

/// 0x30.
pub(super) fn exponential(c: &mut Check<'_>) {
    wired_from(c, Generation::V4);
    op_in(c, "op0", alu_class::BYPASS);
    op_in(c, "op1", alu_class::BYPASS);
    reverse(c, &[ReverseOps::NONE]);
    accumulator(
        c,
        "accumulator_cmd",
        &[
            AccumCmd::IDLE,
            AccumCmd::ACCUMULATE,
            AccumCmd::ZERO_ACCUMULATE,
            AccumCmd::LOAD_ACCUMULATE,
        ],
    );
    seed(c);
    plain(c);
}

/// `exp-parity`: an accumulating EXPONENTIAL of narrow, contiguous elements needs an even number
/// of them; the part of the rule on outer dimensions is not published.
pub(super) fn exp_parity(c: &mut Check<'_>) {
    if c.value("accumulator_cmd") == u64::from(AccumCmd::IDLE.0) || indirect(c, "dst").is_some() {
        return;
    }
    let Some(src) = pattern(c, "src") else { return };
    let Some(x) = src.dims().first() else { return };
    if dtype(c, "in_dtype").bytes() < 4 && x.step == 1 && x.num % 2 != 0 {
        let message = format!(
            "src walks {} elements in X; allowed while accumulating {}: an even number",
            x.num,
            dtype(c, "in_dtype")
        );
        c.error("exp-parity", "src", message);
    }
}

/// `imm-dtype`: an inline scalar is fp32.
pub(super) fn inline_fp32(c: &mut Check<'_>) {
    if ImmSrc(c.value("imm0_src") as u8) == ImmSrc::INSTRUCTION {
        one_of(c, "imm-dtype", "imm0_dtype", &[DType::FP32.0]);
    }
}

/// 0x9D, 0xE5.
pub(super) fn stt_arith(c: &mut Check<'_>) {
    let general = alu_class::general_arith(c.generation());
    op_in(c, "op0", general);
    op_in(c, "op1", general);
    plain_pair(c);
    inline_fp32(c);
}

/// 0x9E: one integer type for everything.
pub(super) fn stt_bitvec(c: &mut Check<'_>) {
    op_in(c, "op0", alu_class::GENERAL_BITVEC);
    op_in(c, "op1", alu_class::GENERAL_BITVEC);
    dtype_in(c, "in0_dtype", dt::INT);
    for f in ["in1_dtype", "out_dtype", "imm0_dtype"] {
        same_dtype(c, "in0_dtype", f);
    }
    shifts(c, "in0_dtype");
    immediate_width(c, &["imm0"], "imm0_dtype");
}

/// 0xEA.
pub(super) fn select_reduce(c: &mut Check<'_>) {
    op_in(c, "op0", alu_class::BYPASS);
    op_in(c, "op1", OpSet::of(&[AluOp::MAX]));
    reverse(c, &[ReverseOps::NONE, ReverseOps::FIRST]);
    dtype_in(c, "in0_dtype", dt::INT);
    dtype_in(c, "in1_dtype", dt::CACHE_IN);
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
    inline_fp32(c);
}

/// 0xE8.
pub(super) fn predicated_scalar(c: &mut Check<'_>) {
    dtype_in(c, "pred_dtype", dt::INT);
    dtype_in(c, "in_dtype", dt::PLAIN);
    same_dtype(c, "in_dtype", "out_dtype");
    immediate_width(c, &["src0_imm"], "in_dtype");
}

/// 0x98.
pub(super) fn scalar_select(c: &mut Check<'_>) {
    dtype_in(c, "dtype", dt::PLAIN);
    dtype_in(c, "pred_imm_dtype", dt::INT);
    same_width(c, "dtype", "pred_imm_dtype");
    if ImmSrc(c.value("pred_imm_src") as u8) == ImmSrc::INSTRUCTION {
        one_of(c, "fixed-value", "pred_imm", &[0, 1]);
    }
}

/// 0xBC; `range-index`: every index is exact in fp32.
pub(super) fn range_select(c: &mut Check<'_>) {
    op_in(c, "comp_op0", alu_class::RANGE_COMPARES);
    op_in(c, "comp_op1", alu_class::RANGE_COMPARES);
    op_in(c, "reduce_op", OpSet::of(&[AluOp::MAX]));
    fixed(c, "fill_val", f32::MIN.to_bits());
    dtype_in(c, "in_dtype", dt::FLOAT);
    dtype_in(c, "out_dtype", dt::FLOAT_OUT);
    let base = f64::from(f32::from_bits(c.value("base") as u32));
    let count = count(c, "src").unwrap_or(0) as f64;
    if base.is_nan() || base + count > f64::from(1 << 24) {
        let message = format!("base {base} and {count} elements; allowed: a sum of at most 2^24");
        c.error("range-index", "base", message);
    }
}

/// 0x4F, 0x5F, 0x87: `scalar-count`: W is the number of preloaded scalars.
pub(super) fn multi_scalar(c: &mut Check<'_>, most: u16) {
    one_of(c, "op-dim", "op_dim", &[SubDim::XYZ.0]);
    reverse(c, &[ReverseOps::NONE, ReverseOps::BOTH]);
    let Some(src) = pattern(c, "src") else { return };
    if let Some(w) = src.dims().get(3).filter(|w| !(1..=most).contains(&w.num)) {
        let message = format!("src has {} slices in W; allowed: 1..{most}", w.num);
        c.error("scalar-count", "src", message);
    }
}

/// 0x88: `disabled`.
pub(super) fn disabled(c: &mut Check<'_>) {
    let message = format!("{} is disabled in the header", c.instr.name());
    c.at_byte(Severity::Error, "disabled", 0, message);
}
