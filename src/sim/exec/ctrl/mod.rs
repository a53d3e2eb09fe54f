//! Synchronisation of the control band, and the bundles that only wait and post (isa 08 §4, §5, §8).

pub(in crate::sim::exec) mod branch;
pub(in crate::sim) mod bus;
pub(in crate::sim::exec) mod mem2d;
pub(in crate::sim::exec) mod regs;
mod scalar;

#[cfg(test)]
pub(in crate::sim) mod tests;

use crate::isa::fields::{ClearMode, PseudoSub, TestMode};
use crate::isa::ops::ctrl::{CtrlEr, CtrlTestEs};
use crate::isa::ops::pseudo::{PseudoCoreBarrier, PseudoInst};
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;
use crate::sim::sync::{Act, Signal, Sync};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0x9F, nothing),
    (0xA0, nothing),
    (0xA1, halt),
    // The scheduler starts a DRAIN only when nothing of its stream is in flight.
    (0xA2, nothing),
    (0xA3, nothing),
    (0xA4, nothing),
    (0xA6, notify),
    (0xB0, range_clear),
    (0xB1, nothing),
    (0xB4, test_event_sem),
    (0xB5, nothing),
    (0xCC, nothing),
    // The join is the scheduler's as well (isa 08 §9).
    (0xD5, nothing),
    (0xD8, core_barrier),
    (0xDD, nothing),
    (0xDE, nothing),
    (0xDF, pseudo_inst),
];

/// Waits and updates are all there is, or what else there is has no effect in an in-order model.
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn nothing(_: &mut Cx<'_, '_>) -> Result<(), Trap> {
    Ok(())
}

/// 0xA1: the engine stops (isa 08 §5).
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn halt(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    cx.exits = true;
    Ok(())
}

/// 0xA6: a line in the event log (isa 08 §5).
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn notify(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let payload = cx.instr.bundle.slice(12, 52);
    let end = payload.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
    let mut line = format!("{}:{} NOTIFY", cx.queue, cx.index);
    for b in payload.iter().take(end) {
        line.push_str(&format!(" {b:02x}"));
    }
    cx.log(line);
    Ok(())
}

/// 0xD8: with one core loaded the barrier is met at once (isa 08 §9).
#[expect(clippy::unnecessary_wraps, reason = "the signature of the table")]
fn core_barrier(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let id = PseudoCoreBarrier(&cx.instr.bundle).barrier_id();
    let (queue, index) = (cx.queue, cx.index);
    cx.log(format!(
        "{queue}:{index} core barrier {id} passed, one core is loaded"
    ));
    Ok(())
}

/// 0xDF: EXIT_EXECUTION ends the stream (isa 08 §10).
fn pseudo_inst(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    match PseudoInst(&cx.instr.bundle).sub() {
        PseudoSub::EXIT_EXECUTION => cx.exits = true,
        PseudoSub::LIBRARY_RELOAD_INDEX => {}
        sub => return Err(Trap::not_modelled(format!("PSEUDO_INST sub-opcode {sub}"))),
    }
    Ok(())
}

/// 0xB0: zero semaphores by range or mask (isa 08 §8.1).
fn range_clear(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlEr(&cx.instr.bundle);
    match f.clear_mode() {
        ClearMode::RANGE => {
            for sem in f.range_first().0..=f.range_last().0 {
                cx.post(sem, 0, Act::Set(0));
            }
        }
        ClearMode::BITMASK => {
            let mask = f.bitmask().0;
            for sem in 0..=255u8 {
                let word = mask.get(usize::from(sem / 32)).copied().unwrap_or(0);
                if word >> (sem % 32) & 1 == 1 {
                    cx.post(sem, 0, Act::Set(0));
                }
            }
        }
        mode => return Err(Trap::not_modelled(format!("clear mode {mode}"))),
    }
    Ok(())
}

/// 0xB4: read or update up to 16 semaphores or events (isa 08 §8.4).
fn test_event_sem(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = CtrlTestEs(&cx.instr.bundle);
    let (mode, update) = (f.mode(), f.update_type());
    let count = usize::from(f.num_evt_sem());
    if !(1..=16).contains(&count) {
        let m = format!("{count} entries, 1..16 are possible");
        return Err(Trap::at("count", "num_evt_sem", m));
    }
    let (ids, regs) = (f.evt_sem_ids().0, f.value_registers().0);
    let entries = || ids.into_iter().zip(regs).take(count);
    let reads = matches!(mode, TestMode::READ_SEM | TestMode::READ_EVT);
    if reads {
        let state = cx.state();
        let mut values = [0; 16];
        for (value, (id, _)) in values.iter_mut().zip(entries()) {
            *value = match mode {
                TestMode::READ_SEM => state.sem(id),
                _ => u32::from(state.event(id)),
            };
        }
        for (id, _) in entries() {
            cx.sync(Sync::Look(Signal::new(mode == TestMode::READ_EVT, id)));
        }
        cx.reads_done();
        for (value, (_, reg)) in values.into_iter().zip(entries()) {
            cx.target("value_registers", reg, value)?;
        }
        return Ok(());
    }
    let on_event = mode == TestMode::UPDATE_EVT;
    let action = match update.action() {
        // An event written from a register takes its bit 0.
        Some(a @ (1 | 2 | 9)) if on_event => a,
        Some(a @ (3 | 4)) if !on_event => a,
        Some(a @ (5 | 7 | 9)) if !on_event && update.from_register() => a,
        _ => {
            let m = format!("update type {:#04x} in mode {mode}", update.0);
            return Err(Trap::not_modelled(m));
        }
    };
    match mode {
        TestMode::UPDATE_SEM => {
            for (id, reg) in entries() {
                let operand = cx.source("value_registers", reg)?;
                cx.act(action, id, operand);
            }
        }
        TestMode::UPDATE_EVT => {
            for (id, reg) in entries() {
                let set = match action {
                    9 => cx.source("value_registers", reg)? & 1 == 1,
                    a => a == 1,
                };
                cx.act(if set { 1 } else { 2 }, id, 0);
            }
        }
        TestMode::COND_UPDATE_SEM => {
            for _ in 0..f.repeat_count().max(1) {
                for (id, reg) in entries() {
                    cx.sync(Sync::Look(Signal::new(false, id)));
                    if cx.state().sem(id) >= f.threshold() {
                        let operand = cx.source("value_registers", reg)?;
                        cx.act(action, id, operand);
                        cx.target("value_registers", reg, operand.wrapping_add(1))?;
                    }
                }
            }
        }
        _ => return Err(Trap::not_modelled(format!("test mode {mode}"))),
    }
    Ok(())
}
