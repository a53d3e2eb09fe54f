//! Legality of the control band (isa 08 §11).

use crate::isa::field::{Field, FieldKind};
use crate::isa::fields::{AluOp, BranchCmp, ClearMode, DataSrc, Hex64, UpdateMode};
use crate::isa::legal::{Check, Severity};
use crate::isa::ops::alu_class::OpSet;
use crate::isa::ops::dma::{address, marker, reachable};
use crate::isa::ops::dtype_class::DTypeSet;
use crate::isa::ops::rules::{dtype_in, engine, one_of, word};
use crate::isa::{DType, Engine, Generation};

/// MOVE.
pub(super) fn mov(c: &mut Check<'_>) {
    dtype_in(
        c,
        "dtype",
        DTypeSet::of(&[DType::I32, DType::U32, DType::FP32]),
    );
    let n = c.value("num_mov") as usize;
    if !(1..=8).contains(&n) {
        c.error("count", "num_mov", format!("num_mov is {n}; allowed: 1..8"));
        return;
    }
    let list = |field| {
        c.format()
            .field(field)
            .map_or(&[][..], |f| f.bytes(&c.instr.bundle))
    };
    let (src, dst) = (list("src_registers"), list("dst_registers"));
    let (src, unused) = src.split_at_checked(n).unwrap_or((src, &[]));
    let dst = dst.get(..n).unwrap_or(dst);
    let from_registers = DataSrc(c.value("move_source") as u8) == DataSrc::REGISTER;
    let twice = dst
        .iter()
        .enumerate()
        .find(|(i, r)| dst.iter().take(*i).any(|e| e == *r));
    let both = dst.iter().find(|r| from_registers && src.contains(r));
    let stale = unused.iter().any(|r| *r != 0);
    if let Some((_, r)) = twice {
        let message = format!("register {r} is written twice; allowed: different registers");
        c.error("move-overlap", "dst_registers", message);
    } else if let Some(r) = both {
        let message =
            format!("register {r} is source and destination; allowed: different registers");
        c.error("move-overlap", "dst_registers", message);
    }
    if stale {
        let message = format!("source slots from {n} are not 0; allowed: 0 beyond num_mov");
        c.error("move-slots", "src_registers", message);
    }
}

/// Scalar operations that POOL alone has.
const POOL_ONLY: OpSet = OpSet::of(&[AluOp::POW, AluOp::CRC32, AluOp::RSQRT]);

/// First generation of an operation (isa alu_ops.tsv).
fn since(op: AluOp) -> Generation {
    match op.0 {
        0x24 => Generation::V5,
        0x20..=0x23 => Generation::V4,
        0xC7..=0xE1 => Generation::V3,
        _ => Generation::V2,
    }
}

/// `alu-op`: the operation exists on the generation and on the sequencer.
fn alu_op(c: &mut Check<'_>) {
    let op = AluOp(c.value("op") as u8);
    if !op.is_defined() {
        return;
    }
    let (g, e) = (c.generation(), engine(c));
    if since(op) > g {
        let message = format!("op is {op}; allowed from {} on, this is {g}", since(op));
        c.error("alu-op", "op", message);
    } else if POOL_ONLY.has(op) && e != Engine::Pool {
        let message =
            format!("op is {op}, which runs on POOL; allowed on {e}: all but {POOL_ONLY}");
        c.error("alu-op", "op", message);
    }
}

/// ALU_OP (isa 08 §7.2).
pub(super) fn alu(c: &mut Check<'_>) {
    alu_op(c);
    let types = DTypeSet::of(&[
        DType::I16,
        DType::U16,
        DType::I32,
        DType::U32,
        DType::I64,
        DType::U64,
        DType::FP32,
    ]);
    dtype_in(c, "dtype", types);
    let (from, to) = (c.value("dtype"), c.value("dst_dtype"));
    if to != 0 && to != from {
        let message = format!(
            "dst_dtype is {}; expected: 0 or {}, the dtype",
            word(c, "dst_dtype"),
            word(c, "dtype")
        );
        c.at(Severity::Warn, "alu-dst-dtype", "dst_dtype", message);
    }
}

/// COMPARE_BRANCH (isa 08 §6); its target needs the stream and is checked there.
pub(super) fn branch(c: &mut Check<'_>) {
    if BranchCmp(c.value("cmp_op") as u8) != BranchCmp::ALWAYS {
        one_of(c, "dtype", "cmp_dtype", &[2, 3, 4, 5, 8, 9, 10]);
    }
}

const MEM_TYPES: DTypeSet = DTypeSet::of(&[
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::I32,
    DType::FP32,
    DType::U64,
]);

/// The rules of MEM_2D that do not depend on how the address is given (isa 08 §7.3).
pub(in crate::isa::ops) fn mem_2d(c: &mut Check<'_>) {
    let register_data = c
        .format()
        .field("data")
        .is_some_and(|f| f.kind != FieldKind::Raw);
    dtype_in(c, "dtype", MEM_TYPES);
    let nums = c.value("num_elem");
    let (inner, outer) = (nums & 0xFF, nums >> 8);
    if !(1..=32).contains(&inner) || !(1..=32).contains(&outer) || inner * outer > 32 {
        let message =
            format!("num_elem is {inner}, {outer}; allowed: 1..32 each, product up to 32");
        c.error("count", "num_elem", message);
    }
    let dtype = DType(c.value("dtype") as u8);
    let cap = 32 / u64::from(dtype.bytes().max(1));
    if !register_data && inner * outer > cap {
        let message = format!(
            "{} immediates of {dtype}; allowed: up to {cap}",
            inner * outer
        );
        c.error("count", "num_elem", message);
    }
    let odd = c
        .format()
        .field("data")
        .and_then(|f| f.bytes(&c.instr.bundle).iter().find(|r| **r % 2 != 0));
    if let Some(r) = odd.filter(|_| register_data && dtype == DType::U64) {
        let message = format!("data names register {r}; allowed with u64: even registers");
        c.error("register", "data", message);
    }
}

/// `mem-source`: a load has nothing but registers to write.
pub(in crate::isa::ops) fn load_source(c: &mut Check<'_>) {
    one_of(c, "mem-source", "src_datasrc", &[DataSrc::REGISTER.0]);
}

/// TENSOR_LOAD.
pub(super) fn load(c: &mut Check<'_>) {
    store(c);
    load_source(c);
}

/// TENSOR_STORE, and what TENSOR_LOAD shares with it.
pub(super) fn store(c: &mut Check<'_>) {
    mem_2d(c);
    marker(c, "start_addr");
    let Some(start) = address(c, "start_addr").and_then(|a| a.immediate()) else {
        return;
    };
    let bytes = u64::from(DType(c.value("dtype") as u8).bytes().max(1));
    if !start.is_multiple_of(bytes) {
        let message = format!("start_addr is {start:#x}; allowed: a multiple of {bytes}");
        c.error("alignment", "start_addr", message);
    }
    let steps = c.value("step_elem");
    let nums = c.value("num_elem");
    let mut reach = (i128::from(start), i128::from(start) + i128::from(bytes) - 1);
    for (step, n) in [
        (steps as u32, nums & 0xFF),
        (((steps >> 32) as u32), nums >> 8),
    ] {
        let far = i128::from(step as i32) * i128::from(bytes) * i128::from(n.saturating_sub(1));
        reach = (reach.0 + far.min(0), reach.1 + far.max(0));
    }
    if reach.0 >> 24 != reach.1 >> 24 {
        let message = format!(
            "the tensor spans {:#x}..={:#x}; allowed: one aligned region of 16 MiB",
            reach.0, reach.1
        );
        c.error("region", "start_addr", message);
    }
    reachable(c, "start_addr", reach.0, reach.1);
}

/// EVENT_SEMAPHORE_RANGE_CLEAR (isa 08 §8.1).
pub(super) fn range_clear(c: &mut Check<'_>) {
    let (first, last) = (c.value("range_first"), c.value("range_last"));
    if ClearMode(c.value("clear_mode") as u8) == ClearMode::RANGE && first > last {
        let message = format!("range_last is {last}; allowed: {first}..255");
        c.error("clear-range", "range_last", message);
    }
}

/// MOVE_SHAPE (isa 08 §8.5).
pub(super) fn move_shape(c: &mut Check<'_>) {
    let n = c.value("num_move");
    if !(1..=4).contains(&n) {
        c.error(
            "count",
            "num_move",
            format!("num_move is {n}; allowed: 1..4"),
        );
    }
    let regs = c
        .format()
        .field("shape_registers")
        .map_or(&[][..], |f| f.bytes(&c.instr.bundle));
    if let Some(r) = regs.iter().find(|r| **r > 3) {
        let message = format!("shape_registers names {r}; allowed: 0..3");
        c.error("shape-register", "shape_registers", message);
    }
}

/// POLL_SEM (isa 08 §8.3).
pub(super) fn poll(c: &mut Check<'_>) {
    alu_op(c);
    let n = c.value("n_read");
    if n > 16 {
        c.error(
            "count",
            "n_read",
            format!("n_read is {n}; allowed: up to 16"),
        );
    }
    for field in ["addr", "res_writeback_addr"] {
        let Some(Hex64(a)) = c
            .format()
            .field(field)
            .map(|f| Hex64::get(&c.instr.bundle, f.at))
        else {
            continue;
        };
        if !a.is_multiple_of(4) {
            let message = format!("{field} is {a:#x}; allowed: a multiple of 4");
            c.error("alignment", field, message);
        }
    }
}

/// TEST_EVENT_SEM (isa 08 §8.4).
pub(super) fn test_events(c: &mut Check<'_>) {
    let n = c.value("num_evt_sem") as usize;
    if !(1..=16).contains(&n) {
        c.error(
            "count",
            "num_evt_sem",
            format!("num_evt_sem is {n}; allowed: 1..16"),
        );
        return;
    }
    let ids = c
        .format()
        .field("evt_sem_ids")
        .map_or(&[][..], |f| f.bytes(&c.instr.bundle));
    let (used, unused) = ids.split_at_checked(n).unwrap_or((ids, &[]));
    let twice = used
        .iter()
        .enumerate()
        .find(|(i, id)| used.iter().take(*i).any(|e| e == *id));
    if let Some((_, id)) = twice {
        c.error(
            "test-ids",
            "evt_sem_ids",
            format!("{id} is named twice; allowed: different numbers"),
        );
    } else if unused.iter().any(|id| *id != 0) {
        let message = format!("entries from {n} are not 0; allowed: 0 beyond num_evt_sem");
        c.error("test-ids", "evt_sem_ids", message);
    }
    test_update(c);
}

/// `test-update`: a value comes from a register, never from the bundle.
fn test_update(c: &mut Check<'_>) {
    let update = UpdateMode(c.value("update_type") as u8);
    if update.uses_value() && !update.from_register() {
        let message = format!(
            "update_type is {}; allowed: updates without value, or with one in a register",
            word(c, "update_type")
        );
        c.error("test-update", "update_type", message);
    }
}
