//! Registers: MOVE, ALU_OP, MOVE_SHAPE (isa 08 §7, §8.5).

use super::scalar::{alu, is_truth, scalar_kind};
use crate::isa::DType;
use crate::isa::fields::{AluOp, DataSrc, ShapeMove};
use crate::isa::ops::ctrl::{CtrlAl, CtrlMsImm, CtrlMv};
use crate::num::{Kind, mask, sign_extend};
use crate::sim::Region;
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] =
    &[(0xA7, move_registers), (0xA8, alu_op), (0xB2, move_shape)];

impl Cx<'_, '_> {
    /// Reads a source register: 0..63, or 128 and 129 for the PC (isa 08 §7).
    pub(in crate::sim::exec) fn source(
        &mut self,
        slot: &'static str,
        reg: u8,
    ) -> Result<u32, Trap> {
        if reg < 64 || matches!(reg, 128 | 129) {
            return Ok(self.reg(reg));
        }
        let m = format!("register {reg}; there are 0..63, 128 and 129");
        Err(Trap::at("register", slot, m))
    }

    /// Writes a destination register; the PC numbers ignore it.
    pub(in crate::sim::exec) fn target(
        &mut self,
        slot: &'static str,
        reg: u8,
        value: u32,
    ) -> Result<(), Trap> {
        if reg < 64 || matches!(reg, 128 | 129) {
            self.set_reg(reg, value);
            return Ok(());
        }
        let m = format!("register {reg}; there are 0..63");
        Err(Trap::at("register", slot, m))
    }
}

/// 0xA7: copy 32-bit words; all sources are read before the first destination is written.
fn move_registers(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlMv(&cx.instr.bundle);
    let count = usize::from(f.num_mov());
    if !(1..=8).contains(&count) {
        let m = format!("{count} words, 1..8 can be moved");
        return Err(Trap::at("count", "num_mov", m));
    }
    let values = match f.move_source() {
        DataSrc::IMMEDIATE => f.immediate().0,
        DataSrc::REGISTER => {
            let mut values = [0; 8];
            for (value, reg) in values.iter_mut().zip(f.src_registers().0).take(count) {
                *value = cx.source("src_registers", reg)?;
            }
            values
        }
        src => return Err(source_trap("move_source", src)),
    };
    for (value, reg) in values.into_iter().zip(f.dst_registers().0).take(count) {
        cx.target("dst_registers", reg, value)?;
    }
    Ok(())
}

fn source_trap(slot: &'static str, src: DataSrc) -> Trap {
    let m = format!("source {src}; REGISTER and IMMEDIATE are defined");
    Trap::at("enum", slot, m)
}

/// 0xA8: `dst = src0 op src1` on registers or register pairs.
fn alu_op(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlAl(&cx.instr.bundle);
    let dtype = f.dtype();
    let kind = scalar_kind(dtype).ok_or_else(|| dtype_trap("dtype", dtype))?;
    let out = f.dst_dtype().or(dtype);
    let out_kind = scalar_kind(out).ok_or_else(|| dtype_trap("dst_dtype", out))?;
    let wide = kind.bits() == 64;
    let mut a = u64::from(cx.source("src0_lo", f.src0_lo().0)?);
    if wide {
        a |= u64::from(cx.source("src0_hi", f.src0_hi().0)?) << 32;
    }
    let b = match f.src1_datasrc() {
        DataSrc::IMMEDIATE => f.immediate(),
        DataSrc::REGISTER if unary(f.op()) => 0,
        DataSrc::REGISTER => {
            let lo = u64::from(cx.source("src1_lo", f.src1_lo().0)?);
            if wide {
                lo | u64::from(cx.source("src1_hi", f.src1_hi().0)?) << 32
            } else {
                lo
            }
        }
        src => return Err(source_trap("src1_datasrc", src)),
    };
    let result = alu(f.op(), kind, a, b, cx.settings.min_max())?;
    // A comparison gives an integer whatever its operands are.
    let float_result = kind == Kind::Fp32 && !is_truth(f.op());
    if float_result != (out_kind == Kind::Fp32) && out != dtype {
        let m = format!("a result of {dtype} stored as {out}");
        return Err(Trap::not_modelled(m));
    }
    let signed = kind.is_signed() && !float_result;
    let value = if signed {
        sign_extend(result, kind.bits()) as u64
    } else {
        result
    };
    // 16-bit results fill the register by their own signedness.
    let value = match out_kind {
        Kind::I16 => sign_extend(value, 16) as u64,
        k => mask(value, k.bits()),
    };
    cx.target("dst_lo", f.dst_lo().0, value as u32)?;
    if out_kind.bits() == 64 {
        cx.target("dst_hi", f.dst_hi().0, (value >> 32) as u32)?;
    }
    Ok(())
}

fn dtype_trap(slot: &'static str, dtype: DType) -> Trap {
    let m = format!("registers do not compute {dtype}");
    Trap::at("dtype", slot, m)
}

/// The second operand is not looked at, so its register need not be defined.
fn unary(op: AluOp) -> bool {
    matches!(
        op,
        AluOp::BYPASS
            | AluOp::BITWISE_NOT
            | AluOp::ABSOLUTE_VALUE
            | AluOp::ABS_VALUE_INT
            | AluOp::RE_LU
            | AluOp::SQUARE
    )
}

/// 0xB2: one immediate shape into a shape register; the other forms have no published body.
fn move_shape(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlMsImm(&cx.instr.bundle);
    if f.move_type() != ShapeMove::IMMEDIATE || f.num_move() != 1 || f.shape_reg_type() != 1 {
        return Err(Trap::not_modelled(
            "only one immediate shape of register type 1 has a known layout",
        ));
    }
    let reg = f.shape_registers().0.first().copied().unwrap_or(0);
    if reg > 3 {
        let m = format!("shape register {reg}; there are 0..3");
        return Err(Trap::at("shape-register", "shape_registers", m));
    }
    let pairs = f.step_elem().0.into_iter().zip(f.num_elem().0);
    let words: Vec<u32> = pairs.flat_map(|(s, n)| [s as u32, u32::from(n)]).collect();
    let slot = Region::SHAPE_REGS.slice(8 * u32::from(reg), 8);
    cx.writer.set_hidden(slot, &words);
    Ok(())
}
