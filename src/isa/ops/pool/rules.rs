//! Legality of the POOL and miscellaneous opcodes (isa 07c).

use super::layouts::{ExtendedTta, S3d3TensDequant};
use crate::isa::fields::{AluOp, DequantFormat, RandAlgorithm, RandPost, RandSource};
use crate::isa::legal::{Check, Severity};
use crate::isa::ops::alu_class::{self, OpSet};
use crate::isa::ops::dtype_class::{self as dt, DTypeSet};
use crate::isa::ops::rules::*;
use crate::isa::{DType, Engine, Generation};

/// Types of positions and of the values they belong to.
const INT32_OR_FP32: DTypeSet = DTypeSet::of(&[DType::I32, DType::FP32]);

/// 0x67: the buffer holds 512 elements per lane.
pub(super) fn buffer_load(c: &mut Check<'_>) {
    dtype_in(c, "dtype", dt::PLAIN);
    count_in(c, "src", 1, 512);
}

/// 0x68.
pub(super) fn gather(c: &mut Check<'_>) {
    dtype_in(c, "in_dtype", dt::UNSIGNED);
    dtype_in(c, "out_dtype", dt::PLAIN);
    same_count(c, &["src", "dst"]);
}

/// 0xE7; `indirect-operand`: the source is a gather; `gather-run`, `gather-buffer`: its geometry.
pub(super) fn indirect_copy(c: &mut Check<'_>) {
    channels_in(c, &[16, 32, 48, 64, 80, 96, 112, 128]);
    dtype_in(c, "in_dtype", dt::PLAIN);
    same_dtype(c, "in_dtype", "out_dtype");
    one_of(
        c,
        "gather-run",
        "src_num_elem_per_idx",
        &[1, 2, 4, 8, 16, 32],
    );
    zero(c, &["dst_num_elem_per_idx", "dst_buffer_size"]);
    if c.value("src_buffer_size") < 2 {
        let message = format!(
            "src_buffer_size is {}; allowed: 2 and more",
            c.value("src_buffer_size")
        );
        c.error("gather-buffer", "src_buffer_size", message);
    }
    let Some(src) = indirect(c, "src") else {
        let message = "src is static; allowed: an index vector".to_owned();
        c.error("indirect-operand", "src", message);
        return;
    };
    let (n, run) = (u64::from(src.num), c.value("src_num_elem_per_idx").max(1));
    if n % run != 0 || n / run > 4096 {
        let message =
            format!("src has {n} elements in runs of {run}; allowed: whole runs, at most 4096");
        c.error("gather-run", "src", message);
    }
    same_count(c, &["src", "dst"]);
}

/// 0xF2: one slot more than the source has, for the count.
pub(super) fn nonzero(c: &mut Check<'_>) {
    dtype_in(c, "in_dtype", INT32_OR_FP32);
    dtype_in(c, "out_dtype", DTypeSet::of(&[DType::I32]));
    if let Some(n) = count(c, "src") {
        count_in(c, "dst", n + 1, n + 1);
    }
}

/// 0x7F.
pub(super) fn dropout(c: &mut Check<'_>) {
    dtype_in(c, "in_dtype", dt::PLAIN);
    same_dtype(c, "in_dtype", "out_dtype");
    one_of(c, "imm-dtype", "threshold_dtype", &[0, DType::FP32.0]);
    same_count(c, &["src", "dst"]);
}

/// 0x4D.
pub(super) fn rng(c: &mut Check<'_>) {
    dtype_in(c, "dtype", dt::PLAIN);
    count_field(c);
    zero(c, &["set_value"]);
}

/// 0xE2.
pub(super) fn rand2(c: &mut Check<'_>) {
    one_of(
        c,
        "rand-algorithm",
        "rand_algorithm",
        &[RandAlgorithm::XORWOW.0],
    );
    one_of(
        c,
        "rand-post-process",
        "post_process",
        &[RandPost::UNIFORM_IN_RANGE.0],
    );
    dtype_in(c, "dtype", dt::FLOAT_OUT);
}

/// `rand-algorithm`: what the engine and the generation have.
pub(super) fn algorithm(c: &mut Check<'_>) {
    use RandAlgorithm as A;
    let allowed: &[A] = match (engine(c), c.generation()) {
        (Engine::Pool, Generation::V2) => &[A::LFSR],
        (Engine::Pool, _) => &[A::LFSR, A::XORWOW],
        (_, Generation::V2) => &[A::LFSR, A::PCG32, A::PHILOX],
        _ => &[A::LFSR, A::PCG32, A::PHILOX, A::XORWOW],
    };
    let codes: Vec<u8> = allowed.iter().map(|a| a.0).collect();
    one_of(c, "rand-algorithm", "rand_algorithm", &codes);
}

/// 0x76, 0x77: NORMAL is not supported.
pub(super) fn rand(c: &mut Check<'_>) {
    let allowed = [RandPost::RAW_U32.0, RandPost::UNIFORM_IN_RANGE.0];
    one_of(c, "rand-post-process", "post_process", &allowed);
    dtype_in(c, "dtype", dt::PLAIN_OUT);
}

/// 0x77: the words of the state that is read.
pub(super) fn rand_state(c: &mut Check<'_>) {
    let words = match (engine(c), RandSource(c.value("rand_generator") as u8)) {
        (Engine::Pool, RandSource::RNG_XORWOW) => 6,
        (Engine::Pool, RandSource::RNG_PHILOX) => 7,
        (Engine::Dve, RandSource::RNG_LFSR) => 4,
        (Engine::Dve, RandSource::RNG_XORWOW) => 24,
        _ => return,
    };
    count_in(c, "dst", words, words);
}

/// `wide-dtype`: what the operation of a wide result asks of a type.
fn wide_dtype(c: &mut Check<'_>, field: &str, class: DTypeSet) {
    let t = DType(c.value(field) as u8);
    if t.defined_on(c.generation()) && !class.has(t) {
        let message = format!("{field} is {t}; allowed for {}: {class}", word(c, "op"));
        c.error("wide-dtype", field, message);
    }
}

/// 0xF3, 0xF4: 64-bit results in halves.
pub(super) fn wide(c: &mut Check<'_>, first: &str, second: &str) {
    op_in(c, "op", alu_class::WIDE);
    dtype_in(c, first, dt::INT);
    dtype_in(c, second, dt::INT);
    let op = AluOp(c.value("op") as u8);
    let word32 = DTypeSet::of(&[DType::I32, DType::U32]);
    match op {
        AluOp::ADD_INT | AluOp::SUBTRACT_INT | AluOp::MULT_UINT => {
            wide_dtype(c, first, dt::UNSIGNED);
            wide_dtype(c, second, dt::UNSIGNED);
            wide_dtype(c, "out0_dtype", word32);
            wide_dtype(c, "out1_dtype", dt::UNSIGNED);
        }
        AluOp::MULT_INT => {
            wide_dtype(c, first, dt::SIGNED);
            wide_dtype(c, second, dt::SIGNED);
            wide_dtype(c, "out0_dtype", word32);
            wide_dtype(c, "out1_dtype", dt::SIGNED);
        }
        _ => {
            wide_dtype(c, second, dt::UNSIGNED);
            let signed = dt::SIGNED.has(DType(c.value(first) as u8));
            wide_dtype(
                c,
                "out1_dtype",
                if signed { dt::SIGNED } else { dt::UNSIGNED },
            );
        }
    }
}

/// 0xF0 sub-opcode 2.
pub(super) fn extended_arith(c: &mut Check<'_>) {
    if c.format().name != ExtendedTta::FORMAT.name {
        return;
    }
    op_in(c, "op", OpSet::of(&[AluOp::ADD, AluOp::MULT]));
    dtype_in(c, "in0_dtype", dt::PLAIN);
    dtype_in(c, "in1_dtype", dt::PLAIN);
    dtype_in(c, "out_dtype", dt::PLAIN_OUT);
    same_count(c, &["src0", "src1", "dst"]);
}

/// 0x7B; `dequant-format`, `group-size`: and the word counts that follow from them.
pub(super) fn dequantize(c: &mut Check<'_>) {
    wired_from(c, Generation::V3);
    let word32 = DTypeSet::of(&[DType::U32]);
    dtype_in(c, "in_dtype", word32);
    dtype_in(c, "out_dtype", word32);
    one_of(c, "dequant-format", "dequant_fmt", &[1, 2, 3, 4]);
    let six_bit = S3d3TensDequant(&c.instr.bundle).dequant_fmt() == DequantFormat::E2M3TO_E4M3;
    let grouped = c.value("group_size") != 0;
    one_of(
        c,
        "group-size",
        "group_size",
        if six_bit { &[0] } else { &[0, 8] },
    );
    let (from, to) = match (six_bit, grouped) {
        (true, _) => (3, 4),
        (false, true) => (5, 8),
        (false, false) => (1, 2),
    };
    count_multiple(c, "src", from);
    if let Some(n) = count(c, "src").filter(|n| n % from == 0) {
        count_in(c, "dst", n / from * to, n / from * to);
    }
}

/// 0x96; `sort-order`, `sort-size`.
pub(super) fn sort(c: &mut Check<'_>) {
    let types = DTypeSet::of(&[
        DType::FP16,
        DType::BF16,
        DType::U16,
        DType::I16,
        DType::FP32,
        DType::U32,
        DType::I32,
    ]);
    dtype_in(c, "in_dtype", types);
    same_dtype(c, "in_dtype", "out_dtype");
    one_of(
        c,
        "sort-order",
        "comparison",
        &[AluOp::IS_LT.0, AluOp::IS_GT.0],
    );
    let (Some(src), Some(dst)) = (pattern(c, "src"), pattern(c, "dst")) else {
        return;
    };
    let n = src.count();
    let most = if DType(c.value("in_dtype") as u8).bytes() == 2 {
        4096
    } else {
        2048
    };
    let lanes = c.value("num_active_channels");
    if n * lanes > most {
        let message = format!("{n} elements on {lanes} lanes; allowed: {most} together");
        c.error("sort-size", "src", message);
    }
    let (pair, kept) = match dst.dims() {
        [x, y, ..] => (u64::from(x.num), u64::from(y.num)),
        _ => return,
    };
    if pair != 2 || kept > n {
        let message =
            format!("dst walks {pair} x {kept}; allowed: 2 x {n}, value and position by turns");
        c.error("element-count", "dst", message);
    } else if kept < n {
        let message =
            format!("dst takes {kept} of {n} elements; the predicate of the header refuses that");
        c.at(Severity::Warn, "sort-top", "dst", message);
    }
}

/// 0xBE.
pub(super) fn sequence_bounds(c: &mut Check<'_>) {
    channels_in(c, &[1]);
    dtype_in(c, "in_dtype", INT32_OR_FP32);
    dtype_in(c, "out_dtype", INT32_OR_FP32);
    let rows = pattern(c, "dst").and_then(|p| p.dims().get(2).copied());
    let (Some(n), Some(rows)) = (count(c, "src"), rows) else {
        return;
    };
    if rows.num != 2 {
        let message = format!(
            "dst has {} rows in Z; allowed: 2, starts and ends",
            rows.num
        );
        c.error("element-count", "dst", message);
    } else {
        count_in(c, "dst", 2 * n, 2 * n);
    }
}

/// 0xBF.
pub(super) fn collective(c: &mut Check<'_>) {
    count_in(c, "src", 1, 256);
    same_count(c, &["src", "dst"]);
}
