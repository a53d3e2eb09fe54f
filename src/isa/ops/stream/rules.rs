//! Legality of the stream opcodes (isa 07 §5, 07b).

use crate::isa::field::DTypeOf;
use crate::isa::fields::{AluOp, CrossLaneAxis, CrossLaneOp, ImmSrc, List, PoolFunc, SubDim};
use crate::isa::legal::{Check, Severity};
use crate::isa::ops::alu_class;
use crate::isa::ops::dtype_class::{self as dt, DTypeSet};
use crate::isa::ops::rules::*;
use crate::isa::{DType, Engine};

use super::layouts::CtrlImMask;

/// Scalars of this family are fp32.
pub(super) const FP32: DTypeOf = DTypeOf::Fixed(DType::FP32.0);

/// Source of any type of the data path, destination too or FP32R.
pub(super) fn plain(c: &mut Check<'_>) {
    dtype_in(c, "in_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
}

/// Source of a class, destination of the same type.
fn unconverted(c: &mut Check<'_>, class: DTypeSet) {
    dtype_in(c, "in_dtype", class);
    same_dtype(c, "in_dtype", "out_dtype");
}

/// Dimensions that an `op_dim` names, innermost first.
fn folded_dims(code: u64) -> usize {
    match SubDim(code as u8) {
        SubDim::X => 1,
        SubDim::XY => 2,
        SubDim::XYZ => 3,
        SubDim::XYZW => 4,
        _ => 0,
    }
}

/// `op-dim`: a fold or scan names its dimensions.
fn fold_dims(c: &mut Check<'_>, field: &str) {
    one_of(c, "op-dim", field, &[2, 3, 4, 5]);
}

/// `element-count`: one destination element per fold (I).
fn fold_count(c: &mut Check<'_>, field: &str) {
    let dims = folded_dims(c.value(field));
    let (Some(src), Some(n)) = (pattern(c, "src"), count(c, "dst")) else {
        return;
    };
    let outer: u64 = src
        .dims()
        .iter()
        .skip(dims)
        .map(|d| u64::from(d.num))
        .product();
    if dims > 0 && n != outer {
        let message = format!(
            "dst has {n} elements; allowed: {outer}, the dimensions of src outside {}",
            word(c, field)
        );
        c.error("element-count", "dst", message);
    }
}

/// What every reduction obeys; `indirect-operand`: an indirect source has only X.
pub(super) fn reduce(c: &mut Check<'_>) {
    zero(c, &["mask_enable"]);
    fold_dims(c, "op_dim");
    fold_count(c, "op_dim");
    if indirect(c, "src").is_some() && folded_dims(c.value("op_dim")) > 1 {
        let message = format!(
            "src is indirect and op_dim is {}; allowed: X",
            word(c, "op_dim")
        );
        c.error("indirect-operand", "op_dim", message);
    }
}

/// 0x42, 0x83; `alu-engine`: DVE folds floats, POOL integers.
pub(super) fn reduce_arith(c: &mut Check<'_>) {
    reduce(c);
    let op = AluOp(c.value("op") as u8);
    let ints = alu_class::int_reduce(c.generation());
    op_in(c, "op", alu_class::general_arith(c.generation()).or(ints));
    if ints.has(op) {
        needs_pool(c);
        dtype_in(c, "in_dtype", dt::INT32_64);
        if alu_class::ARG_EXTREMA.has(op) {
            dtype_in(c, "out_dtype", DTypeSet::of(&[DType::U32]));
            int_signs(c, "op", &["in_dtype"], dt::ANY_SIGNED);
        } else {
            dtype_in(c, "out_dtype", dt::ANY_INT);
            int_signs(c, "op", &["in_dtype", "out_dtype"], dt::ANY_SIGNED);
        }
        return;
    }
    dtype_in(c, "in_dtype", dt::PLAIN64);
    dtype_in(c, "out_dtype", dt::PLAIN64_OUT);
    if engine(c) == Engine::Pool && alu_class::general_arith(c.generation()).has(op) {
        let message = format!(
            "{} runs on DVE; the stream is POOL's, which folds integers",
            word(c, "op")
        );
        c.error("alu-engine", "op", message);
    }
}

/// 0x52, 0x84, 0x5E: `shift-dtype`: LOGICAL_SHIFT_RIGHT takes INT32 only.
pub(super) fn fold_bitvec(c: &mut Check<'_>) {
    zero(c, &["negated"]);
    op_in(c, "op", alu_class::BITVEC);
    unconverted(c, dt::BITVEC_REDUCE);
    shifts(c, "in_dtype");
    crc_on_pool(c);
    let lsr = c.value("op") == u64::from(AluOp::LOGICAL_SHIFT_RIGHT.0);
    if lsr {
        one_of(c, "shift-dtype", "in_dtype", &[DType::I32.0]);
    }
}

/// What every scan obeys.
pub(super) fn cumulative(c: &mut Check<'_>) {
    zero(c, &["negated", "mask_enable"]);
    fold_dims(c, "op_dim");
    same_count(c, &["src", "dst"]);
}

/// What every move obeys: no operation, one destination element per source element.
pub(super) fn moves(c: &mut Check<'_>) {
    zero(c, &["negated", "mask_enable"]);
    move_op(c);
    same_count(c, &["src", "dst"]);
}

fn move_op(c: &mut Check<'_>) {
    op_in(c, "op", alu_class::BYPASS);
    one_of(c, "op-dim", "op_dim", &[SubDim::UNUSED.0, SubDim::X.0]);
}

/// 0x46, 0x6A: bit moves.
pub(super) fn bit_move(c: &mut Check<'_>) {
    moves(c);
    unconverted(c, dt::PLAIN);
}

/// 0x6B; `transpose-shape`: what the compiler asks of the source besides (finding).
pub(super) fn transpose(c: &mut Check<'_>) {
    channel_groups(c);
    zero(c, &["negated"]);
    move_op(c);
    unconverted(c, dt::PLAIN);
    count_multiple(c, "src", 32);
    if let (Some(s), Some(d)) = (count(c, "src"), count(c, "dst"))
        && d > s
    {
        let message = format!("dst has {d} elements; allowed: at most {s}, those of src");
        c.error("element-count", "dst", message);
    }
    let message = match pattern(c, "src").and_then(|p| p.dims().get(3).copied()) {
        Some(w) if w.num != 1 => format!("src has {} slices in W; the compiler makes 1", w.num),
        None if indirect(c, "src").is_some() => {
            "src is indirect; the compiler makes it static".to_owned()
        }
        _ => return,
    };
    c.at(Severity::Warn, "transpose-shape", "src", message);
}

/// 0x83, 0x84, 0x82: the source is transposed in 32x32 tiles first.
pub(super) fn transposed(c: &mut Check<'_>) {
    channel_groups(c);
    count_multiple(c, "src", 32);
}

/// 0x7C, 0x7D: operations by band, counts by axis.
pub(super) fn cross_lane(c: &mut Check<'_>, ops: &[CrossLaneOp]) {
    let codes: Vec<u8> = ops.iter().map(|o| o.0).collect();
    one_of(c, "reduce-op", "reduce_op", &codes);
    match CrossLaneAxis(c.value("reduce_axis") as u8) {
        CrossLaneAxis::ALL => count_in(c, "dst", 1, 1),
        CrossLaneAxis::PARTITIONS => same_count(c, &["src", "dst"]),
        _ => {}
    }
}

/// 0x7D: raw unsigned integers.
pub(super) fn cross_lane_bitvec(c: &mut Check<'_>) {
    unconverted(c, dt::UNSIGNED);
}

/// 0x45, 0x58: windows of `pool_dim`, a factor for the average only.
pub(super) fn pool(c: &mut Check<'_>, funcs: &[PoolFunc]) {
    let codes: Vec<u8> = funcs.iter().map(|f| f.0).collect();
    one_of(c, "pool-func", "pool_func", &codes);
    fold_dims(c, "pool_dim");
    fold_count(c, "pool_dim");
    dtype_in(c, "in_dtype", dt::PLAIN);
    if c.value("pool_func") != u64::from(PoolFunc::AVG_POOL.0) {
        fixed(c, "pool_scale", 1f32.to_bits());
    }
}

/// 0x49, 0x4B.
pub(super) fn fill(c: &mut Check<'_>) {
    dtype_in(c, "dtype", dt::PLAIN64_OUT);
    count_field(c);
}

/// 0xE9.
pub(super) fn read_indices(c: &mut Check<'_>) {
    dtype_in(c, "dtype", DTypeSet::of(&[DType::U16, DType::U32]));
    count_field(c);
    count_in(c, "dst", 8, 8);
    zero(c, &["set_value"]);
}

/// 0x7E.
pub(super) fn iota(c: &mut Check<'_>) {
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
    same_count(c, &["data", "dst"]);
}

/// The fields of S2_BN that only BATCH_NORM_PARAM_LOAD uses.
pub(super) fn load_only(c: &mut Check<'_>) {
    zero(c, &["imm1", "imm0_ptr", "imm0_src"]);
}

/// 0x64: three parameters, the mean behind a pointer, which sources 0 and 1 both name.
pub(super) fn param_load(c: &mut Check<'_>) {
    count_in(c, "src", 3, 3);
    dtype_in(c, "dtype", dt::STATS);
    finite(c, "imm1");
    let Some(f) = c.format().field("imm0_ptr") else {
        return;
    };
    match ImmSrc(c.value("imm0_src") as u8) {
        ImmSrc::REG_PTR => register(c, f),
        _ => pointer(c, f, FP32),
    }
}

/// `finite`: a count is a number.
pub(super) fn finite(c: &mut Check<'_>, field: &str) {
    let v = f32::from_bits(c.value(field) as u32);
    if !v.is_finite() {
        let message = format!("{field} is {v}; allowed: finite numbers");
        c.error("finite", field, message);
    }
}

/// 0x60, 0x61, 0x82: counts are immediates.
pub(super) fn stats(c: &mut Check<'_>, src_max: u64, dst: u64) {
    count_in(c, "src", 1, src_max);
    count_in(c, "dst", dst, dst);
    dtype_in(c, "in_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::STATS);
    finite(c, "even_count");
    finite(c, "odd_count");
}

/// 0x62.
pub(super) fn aggregate(c: &mut Check<'_>) {
    count_multiple(c, "src", 3);
    count_in(c, "dst", 2, 2);
    dtype_in(c, "in_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::STATS);
    zero(c, &["even_count", "odd_count"]);
}

/// 0x63, 0x94: gradient sums.
pub(super) fn gradients(c: &mut Check<'_>) {
    same_count(c, &["src0", "src1"]);
    count_in(c, "dst", 3, 3);
    let input = dt::STATS.or(DTypeSet::of(&[DType::I32]));
    dtype_in(c, "in0_dtype", input);
    dtype_in(c, "in1_dtype", input);
    dtype_in(c, "out_dtype", dt::STATS);
    two_sources(c);
}

/// 0x63: both coefficients are fp32 behind pointers.
pub(super) fn gradient_pointers(c: &mut Check<'_>) {
    one_of(c, "imm-dtype", "immediate_dtype", &[0, DType::FP32.0]);
    for name in ["imm0", "imm1"] {
        if let Some(f) = c.format().field(name) {
            pointer(c, f, FP32);
        }
    }
}

/// 0x94: coefficients behind pointers or registers.
pub(super) fn gradient_sources(c: &mut Check<'_>) {
    dtype_in(c, "immediate_dtype", dt::STATS);
    for name in ["imm0_src", "imm1_src"] {
        one_of(
            c,
            "imm-source",
            name,
            &[ImmSrc::POINTER.0, ImmSrc::REG_PTR.0],
        );
    }
    immediates(c, DTypeOf::Field("immediate_dtype"));
}

/// 0x8E.
pub(super) fn param_load2(c: &mut Check<'_>) {
    count_in(c, "src", 2, 2);
    dtype_in(c, "src_dtype", dt::STATS);
    dtype_in(c, "immediate_dtype", dt::STATS);
    finite(c, "element_count");
    immediates(c, DTypeOf::Field("immediate_dtype"));
}

/// 0x6C, 0x6E: eight results.
pub(super) fn search(c: &mut Check<'_>) {
    dtype_in(c, "in_dtype", dt::PLAIN);
    count_in(c, "dst", 8, 8);
    zero(c, &["even_count", "odd_count"]);
}

/// 0x6F.
pub(super) fn replace(c: &mut Check<'_>) {
    let both = dt::STATS.or(dt::BITVEC_REDUCE);
    dtype_in(c, "in_dtype", both);
    dtype_in(c, "out_dtype", both);
    count_in(c, "src", 1, 16384);
    same_count(c, &["src", "dst"]);
}

/// 0x9B.
pub(super) fn read_accumulator(c: &mut Check<'_>) {
    dtype_in(c, "dtype", dt::FLOAT_OUT);
    count_field(c);
    count_in(c, "dst", 1, 1);
}

/// `mask-byte`: a lane, 255, or what the compiler makes of it; any byte works (decisions 1.3).
pub(super) fn mask(c: &mut Check<'_>) {
    let List(bytes) = CtrlImMask(&c.instr.bundle).mask();
    let odd = |b: &u8| !matches!(b, 0..=0x3F | 0x60..=0x7F | 0xA0 | 0xFF);
    if let Some((i, b)) = bytes.iter().enumerate().find(|(_, b)| odd(b)) {
        let message =
            format!("mask[{i}] is {b}; usual: 0..31, 255, or a partition count with bit 5 set");
        c.at(Severity::Warn, "mask-byte", "mask", message);
    }
}
