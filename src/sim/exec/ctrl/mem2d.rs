//! Register loads and stores through the 64-bit map: TENSOR_LOAD, TENSOR_STORE, POLL_SEM (isa 08
//! §7.3, §8.3).

use std::ops::Range;

use super::ExecFn;
use super::bus::Missing;
use super::scalar::alu;
use crate::isa::DType;
use crate::isa::fields::DataSrc;
use crate::isa::ops::ctrl::{CtrlPollSem, Mem2dStore};
use crate::isa::ops::pseudo::PseudoMem2dStore;
use crate::num::{Kind, sign_extend};
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0xAA, tensor_load),
    (0xAB, tensor_store),
    (0xB3, poll_sem),
    // The same with a variable instead of an address.
    (0xCD, tensor_store),
    (0xCE, tensor_load),
];

/// Elements of one bundle.
const MAX: usize = 32;

/// The elements of a MEM_2D bundle: addresses in the order of `data`.
struct Elements {
    kind: Kind,
    addrs: [u64; MAX],
    count: usize,
}

impl Elements {
    fn size(&self) -> u32 {
        self.kind.bytes() as u32
    }

    fn addrs(&self) -> impl Iterator<Item = (usize, u64)> + use<> {
        self.addrs.into_iter().take(self.count).enumerate()
    }
}

/// Loads and stores share the layout up to the meaning of `data`.
fn elements(cx: &mut Cx<'_, '_>) -> Result<Elements, Trap> {
    let f = Mem2dStore(&cx.instr.bundle);
    let dtype = f.dtype();
    let kind = match dtype {
        DType::U8 | DType::I8 | DType::U16 | DType::I16 => dtype.kind(),
        DType::U32 | DType::I32 | DType::FP32 | DType::U64 => dtype.kind(),
        _ => None,
    };
    let kind = kind.ok_or_else(|| {
        let m = format!("{dtype} is not loaded or stored by registers");
        Trap::at("dtype", "dtype", m)
    })?;
    let [n0, n1] = f.num_elem().0.map(usize::from);
    let count = n0 * n1;
    if count == 0 || count > MAX {
        let m = format!("{n0} x {n1} elements, 1..32 are possible");
        return Err(Trap::at("count", "num_elem", m));
    }
    let size = kind.bytes() as u64;
    let [s0, s1] = f.step_elem().0.map(i64::from);
    // The byte that each element starts at, counted from the first.
    let offset = |k: usize| {
        let (i0, i1) = ((k % n0) as i64, (k / n0) as i64);
        (i0 * s0 + i1 * s1) * size as i64
    };
    let offsets = || (0..count).map(|k| i128::from(offset(k)));
    let low = offsets().min().unwrap_or(0);
    let high = offsets().max().unwrap_or(0) + i128::from(size);
    let start = start(cx, low..high)?;
    if start % size != 0 {
        let m = format!("{start:#x} is not aligned to the {size} bytes of {dtype}");
        return Err(Trap::at("alignment", "start_addr", m));
    }
    let mut addrs = [0; MAX];
    for (k, addr) in addrs.iter_mut().take(count).enumerate() {
        *addr = start.wrapping_add_signed(offset(k));
        if *addr >> 24 != start >> 24 {
            let m = format!("element {k} at {addr:#x} leaves the 16 MiB region of {start:#x}");
            return Err(Trap::at("region", "start_addr", m));
        }
    }
    Ok(Elements { kind, addrs, count })
}

/// Address of the first element: an ADDR8, or an offset in a variable, which holds all the bytes that are touched.
fn start(cx: &mut Cx<'_, '_>, reach: Range<i128>) -> Result<u64, Trap> {
    let b = &cx.instr.bundle;
    if matches!(b.opcode(), 0xCD | 0xCE) {
        let f = PseudoMem2dStore(b);
        return cx.variable("var_id", f.var_id(), f.var_offset(), reach);
    }
    let word = Mem2dStore(b).start_addr();
    if word.shape_register() {
        return Err(Trap::not_modelled(
            "register load or store with a shape register",
        ));
    }
    cx.address("start_addr", word)
}

/// Register of an element, even for 64-bit values, whose high word is in the next one.
fn register(kind: Kind, data: &[u8; MAX], k: usize) -> Result<u8, Trap> {
    let reg = data.get(k).copied().unwrap_or(0);
    if kind == Kind::U64 && reg % 2 != 0 {
        let m = format!("register {reg} of a 64-bit element is odd");
        return Err(Trap::at("register", "data", m));
    }
    Ok(reg)
}

/// 0xAA: memory to registers; narrow integers are extended by their signedness.
fn tensor_load(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let elements = elements(cx)?;
    let kind = elements.kind;
    let mut values = [0; MAX];
    let mut missing = Missing::default();
    for (k, addr) in elements.addrs() {
        let word = cx.load_word("start_addr", addr, elements.size(), &mut missing)?;
        if let Some(value) = values.get_mut(k) {
            *value = if kind.is_signed() {
                sign_extend(word, kind.bits()) as u64
            } else {
                word
            };
        }
    }
    missing.report(cx, "start_addr")?;
    cx.reads_done();
    let data = Mem2dStore(&cx.instr.bundle).data().0;
    for (k, value) in values.into_iter().enumerate().take(elements.count) {
        let reg = register(kind, &data, k)?;
        cx.target("data", reg, value as u32)?;
        if kind == Kind::U64 {
            cx.target("data", reg.saturating_add(1), (value >> 32) as u32)?;
        }
    }
    Ok(())
}

/// 0xAB: registers or immediates to memory; only the low bits are kept.
fn tensor_store(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let elements = elements(cx)?;
    let f = Mem2dStore(&cx.instr.bundle);
    let (kind, size) = (elements.kind, elements.size());
    let data = f.data().0;
    let immediate = match f.src_datasrc() {
        DataSrc::REGISTER => false,
        DataSrc::IMMEDIATE => true,
        src => {
            let m = format!("source {src}; REGISTER and IMMEDIATE are defined");
            return Err(Trap::at("enum", "src_datasrc", m));
        }
    };
    if immediate && elements.count * size as usize > MAX {
        let m = format!("{} elements of {size} bytes exceed 32", elements.count);
        return Err(Trap::at("count", "num_elem", m));
    }
    for (k, addr) in elements.addrs() {
        let value = if immediate {
            let bytes = data.iter().skip(k * size as usize).take(size as usize);
            bytes.rev().fold(0, |v, b| v << 8 | u64::from(*b))
        } else {
            let reg = register(kind, &data, k)?;
            let low = u64::from(cx.source("data", reg)?);
            match kind {
                Kind::U64 => low | u64::from(cx.source("data", reg.saturating_add(1))?) << 32,
                _ => low,
            }
        };
        cx.store_word("start_addr", addr, size, value)?;
    }
    Ok(())
}

/// 0xB3: fold consecutive words into a register; a non-zero result is written back once for each
/// word read.
fn poll_sem(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlPollSem(&cx.instr.bundle);
    let count = u64::from(f.n_read());
    if !(1..=16).contains(&count) {
        let m = format!("{count} words, 1..16 can be read");
        return Err(Trap::at("count", "n_read", m));
    }
    let mut missing = Missing::default();
    let mut result: Option<u64> = None;
    for i in 0..count {
        let word = cx.load_word("addr", f.addr().0.wrapping_add(4 * i), 4, &mut missing)?;
        result = Some(match result {
            None => word,
            Some(r) => alu(f.op(), Kind::U32, r, word, cx.settings.min_max())?,
        });
    }
    missing.report(cx, "addr")?;
    cx.reads_done();
    let result = result.unwrap_or(0);
    cx.target("result", f.result().0, result as u32)?;
    if result != 0 {
        for i in 0..count {
            let addr = f.res_writeback_addr().0.wrapping_add(4 * i);
            cx.store_word("res_writeback_addr", addr, 4, result)?;
        }
    }
    Ok(())
}
