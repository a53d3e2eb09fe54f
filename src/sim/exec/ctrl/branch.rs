//! Branches and functions (isa 08 §6, §10). Program counters are bundle indices; where the device
//! counts bytes, a bundle is 64 of them.

use super::scalar::scalar_kind;
use crate::isa::fields::{BranchCmp, BranchTarget};
use crate::isa::ops::ctrl::CtrlBr;
use crate::isa::ops::pseudo::PseudoFunctionBegin;
use crate::isa::{DType, Severity};
use crate::num::{Kind, mask, sign_extend};
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;
use crate::sim::{Region, State};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0xA9, compare_branch),
    (0xD1, function_begin),
    (0xD2, function_return),
    (0xD3, function_call),
];

/// 0xA9: `if R[cmp_reg0] op rhs` go to the target.
fn compare_branch(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlBr(&cx.instr.bundle);
    if !taken(cx, &f)? {
        return Ok(());
    }
    let next = match f.target_mode() {
        BranchTarget::RELATIVE_IMMEDIATE => immediate_target(cx, f.br_immediate())?,
        BranchTarget::REGISTER => {
            let at = register_target(cx, &f)?;
            index_of(at)?
        }
        BranchTarget::RELATIVE_REGISTER => {
            let by = register_target(cx, &f)? as i64;
            index_of(cx.pc().wrapping_add_signed(by))?
        }
        mode => return Err(Trap::not_modelled(format!("branch target mode {mode}"))),
    };
    go_to(cx, next)
}

fn taken(cx: &mut Cx<'_, '_>, f: &CtrlBr<'_>) -> Result<bool, Trap> {
    let op = f.cmp_op();
    let by_register = op.0 >= BranchCmp::LT_REG.0;
    let order: fn(Order) -> bool = match op {
        BranchCmp::ALWAYS => return Ok(true),
        BranchCmp::LT_IMM | BranchCmp::LT_REG => |o| o == Order::Less,
        BranchCmp::LE_IMM | BranchCmp::LE_REG => |o| matches!(o, Order::Less | Order::Equal),
        BranchCmp::EQ_IMM | BranchCmp::EQ_REG => |o| o == Order::Equal,
        BranchCmp::NE_IMM | BranchCmp::NE_REG => |o| o != Order::Equal,
        BranchCmp::GE_IMM | BranchCmp::GE_REG => |o| matches!(o, Order::Greater | Order::Equal),
        BranchCmp::GT_IMM | BranchCmp::GT_REG => |o| o == Order::Greater,
        _ => {
            let m = format!("comparison {op} is not assigned");
            return Err(Trap::at("enum", "cmp_op", m));
        }
    };
    let left = cx.source("cmp_reg0", f.cmp_reg0().0)?;
    let right = if by_register {
        cx.source("cmp_reg1", f.cmp_reg1().0)?
    } else {
        f.cmp_immediate() as u32
    };
    let dtype = DType(f.cmp_dtype().0);
    compare(dtype, left, right).map(order).ok_or_else(|| {
        let m = format!("registers are not compared as {dtype}");
        Trap::at("dtype", "cmp_dtype", m)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    Equal,
    Greater,
    /// A NaN is among them: only "not equal" holds.
    Unordered,
}

/// Compares the low bits of two registers as a type (isa 08 §6.1).
fn compare(dtype: DType, left: u32, right: u32) -> Option<Order> {
    let kind = match dtype.kind()? {
        k @ (Kind::U8 | Kind::I8) => k,
        _ => scalar_kind(dtype).filter(|k| k.bits() <= 32)?,
    };
    let order = if kind == Kind::Fp32 {
        f32::from_bits(left).partial_cmp(&f32::from_bits(right))
    } else if kind.is_signed() {
        let value = |x| sign_extend(u64::from(x), kind.bits());
        Some(value(left).cmp(&value(right)))
    } else {
        let value = |x| mask(u64::from(x), kind.bits());
        Some(value(left).cmp(&value(right)))
    };
    Some(match order {
        Some(std::cmp::Ordering::Less) => Order::Less,
        Some(std::cmp::Ordering::Equal) => Order::Equal,
        Some(std::cmp::Ordering::Greater) => Order::Greater,
        None => Order::Unordered,
    })
}

/// Mode 3: a bundle index, or a displacement in bytes when the stream is in device form (§6.3).
fn immediate_target(cx: &mut Cx<'_, '_>, immediate: u64) -> Result<u64, Trap> {
    let (bytes, mixed) = cx.code.branch_bytes(cx.queue);
    if mixed {
        let m = "stream has pseudo opcodes and branches of the loaded form; targets are bytes";
        cx.finding(Severity::Warn, "branch-form", m.to_owned());
    }
    if !bytes {
        return Ok(immediate);
    }
    let by = i64::from(immediate as u32 as i32);
    index_of(cx.pc().wrapping_add_signed(by))
}

fn register_target(cx: &mut Cx<'_, '_>, f: &CtrlBr<'_>) -> Result<u64, Trap> {
    let lo = cx.source("target_reg_lo", f.target_reg_lo().0)?;
    let hi = cx.source("target_reg_hi", f.target_reg_hi().0)?;
    Ok(u64::from(hi) << 32 | u64::from(lo))
}

fn index_of(bytes: u64) -> Result<u64, Trap> {
    if bytes.is_multiple_of(64) {
        return Ok(bytes / 64);
    }
    let m = format!("target byte {bytes:#x} is no multiple of 64");
    Err(Trap::new("branch-target", m))
}

/// The end of the stream is a legal target: the engine exits.
fn go_to(cx: &mut Cx<'_, '_>, index: u64) -> Result<(), Trap> {
    let len = cx.code.len(cx.queue);
    if index > len {
        let m = format!("target index {index}, the stream has {len} bundles");
        return Err(Trap::new("branch-target", m));
    }
    cx.next = index;
    Ok(())
}

/// A call that has not returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Index of the function's 0xD1 record.
    pub record: u32,
    /// Registers of the return address, low and high word.
    pub registers: (u8, u8),
    /// The return zeroes all semaphores.
    pub resets: bool,
}

const FRAME_WORDS: u32 = 32;
/// Calls that may be open in one stream.
const DEPTH: u32 = (FRAME_WORDS - 1) / 2;

fn frames(agent: u8) -> Region {
    Region::CALLS.slice(FRAME_WORDS * u32::from(agent), FRAME_WORDS)
}

fn depth(state: &State, agent: u8) -> u32 {
    let words = state.hidden(frames(agent).word(0));
    words.first().copied().unwrap_or(0)
}

/// The innermost open call of a stream.
pub fn frame(state: &State, agent: u8) -> Option<Frame> {
    let top = depth(state, agent).checked_sub(1)?;
    let words = state.hidden(frames(agent).slice(1 + 2 * top, 2));
    let (record, info) = (*words.first()?, *words.last()?);
    Some(Frame {
        record,
        registers: (info as u8, (info >> 8) as u8),
        resets: info >> 16 & 1 == 1,
    })
}

/// 0xD1: only divides the stream into functions.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn function_begin(_: &mut Cx<'_, '_>) -> Result<(), Trap> {
    Ok(())
}

/// 0xD3: the return address goes to the registers that the function names, execution to the bundle
/// after its record.
fn function_call(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let (bundle, agent) = (&cx.instr.bundle, cx.agent());
    let called = cx.code.function(cx.queue, bundle).and_then(|index| {
        let begin = cx.code.bundle(cx.state(), cx.queue, index)?;
        Some((index, begin))
    });
    let Some((index, begin)) = called else {
        let name = String::from_utf8_lossy(bundle.slice(12, 36)).into_owned();
        let m = format!(
            "the stream has no function {:?}",
            name.trim_end_matches('\0')
        );
        return Err(Trap::at("call-target", "function", m));
    };
    let open = depth(cx.state(), agent);
    if open >= DEPTH {
        let m = format!("{open} calls are open, at most {DEPTH} can be");
        return Err(Trap::at("call-depth", "function", m));
    }
    let f = PseudoFunctionBegin(&begin);
    let (lo, hi) = (f.return_addr_reg_lo().0, f.return_addr_reg_hi().0);
    let back = cx.index.saturating_add(1).wrapping_mul(64);
    cx.target("return_addr_reg_lo", lo, back as u32)?;
    cx.target("return_addr_reg_hi", hi, (back >> 32) as u32)?;
    let resets = u32::from(f.return_reset_semaphores() != 0);
    let info = u32::from(lo) | u32::from(hi) << 8 | resets << 16;
    let slot = frames(agent).slice(1 + 2 * open, 2);
    cx.writer.set_hidden(slot, &[index as u32, info]);
    cx.writer.set_hidden(frames(agent).word(0), &[open + 1]);
    go_to(cx, index.saturating_add(1))
}

/// 0xD2: back to the address in the function's registers; outside any function the engine ends
/// (isa 11 §9). The scheduler has drained the stream and joined it with the others, and zeroed the
/// semaphores where asked to.
fn function_return(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let agent = cx.agent();
    let Some(frame) = frame(cx.state(), agent) else {
        cx.exits = true;
        return Ok(());
    };
    let lo = cx.source("return_addr_reg_lo", frame.registers.0)?;
    let hi = cx.source("return_addr_reg_hi", frame.registers.1)?;
    let open = depth(cx.state(), agent).saturating_sub(1);
    cx.writer.set_hidden(frames(agent).word(0), &[open]);
    let back = index_of(u64::from(hi) << 32 | u64::from(lo))?;
    go_to(cx, back)
}
