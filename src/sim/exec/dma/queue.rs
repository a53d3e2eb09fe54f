//! Pseudo instructions that name the queues and variables of a container (isa 09 §9). With one core loaded a collective has one
//! participant: its result is its input.

use super::transfer::{Leg, Plan};
use super::{Transfer, issue, land_now, posts};
use crate::isa::DType;
use crate::isa::fields::DgeOp;
use crate::isa::ops::pseudo::{PseudoDmaRearm, PseudoDmaTrigger, PseudoTriggerCollective};
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;
use crate::sim::{DmaQueue, Tables};

/// Functions, ascending by opcode.
pub(in crate::sim::exec) const EXEC: &[(u8, ExecFn)] = &[
    (0xC1, trigger),
    (0xC2, rearm),
    (0xC8, collective),
    (0xCF, rearm),
    (0xDA, extension),
];

/// The queue of a name.
pub(super) fn find<'t>(tables: &'t Tables, name: &[u8]) -> Option<&'t DmaQueue> {
    tables.queues.get(std::str::from_utf8(name).ok()?)
}

/// The queue of a name. The code outlives the bundle, so the queue does not borrow from `cx`.
fn named<'a>(cx: &Cx<'a, '_>, name: &[u8]) -> Result<&'a DmaQueue, Trap> {
    find(&cx.code.tables, name).ok_or_else(|| {
        let queues = &cx.code.tables.queues;
        let name = String::from_utf8_lossy(name);
        let known: Vec<&str> = queues.keys().map(String::as_str).collect();
        let known = match known.as_slice() {
            [] => "the program has none; they come with a container".to_owned(),
            known => format!("there are {}", known.join(", ")),
        };
        Trap::at("dma-queue", "queue", format!("no queue {name:?}, {known}"))
    })
}

/// 0xC1: starts a block of a queue; its last descriptor posts the semaphore of the queue (isa 09 §9.1).
fn trigger(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = PseudoDmaTrigger(&cx.instr.bundle);
    let queue = named(cx, f.queue().bytes())?;
    let id = f.block_id();
    let Some(block) = queue.blocks.get(&id) else {
        let known: Vec<String> = queue.blocks.keys().map(u32::to_string).collect();
        let m = format!("no block {id}, the queue has {}", known.join(", "));
        return Err(Trap::at("dma-queue", "block_id", m));
    };
    let mut transfers = Vec::new();
    for (i, (src, dst)) in block.iter().enumerate() {
        let last = i + 1 == block.len();
        let mut transfer = transfer(cx, *src, *dst);
        if let Some(semaphore) = queue.semaphore.filter(|_| last) {
            transfer.semaphore = semaphore;
            transfer.increment = posts(cx.settings);
        }
        let plan = Plan::new(&transfer, cx.instr.generation, cx.settings)?;
        transfers.push((transfer, plan));
    }
    cx.complete();
    // The scheduler starts a block when there are slots for all of it; one that has more descriptors than there are slots lands
    // in the bundle, once nothing of its stream is in flight.
    let many = transfers.len() > Transfer::SLOTS as usize;
    for (transfer, plan) in transfers {
        if many {
            land_now(cx, &transfer, &plan)?;
        } else {
            issue(cx, transfer, &plan)?;
        }
    }
    Ok(())
}

/// 0xC2, 0xCF: a trigger names its block, so there is no cursor to rewind; the queue must exist (isa 09 §9.2).
fn rearm(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let name = PseudoDmaRearm(&cx.instr.bundle).queue();
    named(cx, name.bytes()).map(|_| ())
}

/// 0xC8: the variable read is copied to the one written (isa 09 §9.5).
fn collective(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = PseudoTriggerCollective(&cx.instr.bundle);
    let size = u64::from(DType(f.dtype().0).bytes());
    let bytes = f.num_elements().checked_mul(size);
    let bytes = bytes.and_then(|b| u32::try_from(b).ok());
    let Some(bytes) = bytes else {
        let m = format!(
            "{} elements of {size} bytes, more than a transfer takes",
            f.num_elements()
        );
        return Err(Trap::at("count", "num_elements", m));
    };
    let side = |slot: &'static str, id: u32| {
        let addr = cx.variable(slot, id, 0, 0..bytes.into())?;
        Ok::<Leg, Trap>(Leg {
            addr,
            size: bytes,
            dims: [(0, 1); 4],
            limit: None,
            silent: false,
        })
    };
    let src = side("input_tensor_id", f.input_tensor_id())?;
    let dst = side("output_tensor_id", f.output_tensor_id())?;
    let transfer = transfer(cx, src, dst);
    if bytes > 0 {
        let plan = Plan::new(&transfer, cx.instr.generation, cx.settings)?;
        transfer.finish(cx, &plan, false)?;
    }
    Ok(())
}

/// 0xDA: consumed with the 0xD4 or 0xD9 before it. Its fields stand at offsets that are only inferred, so one that says anything is
/// not modelled (isa 09 §9.3, decisions §3).
fn extension(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let before = cx.index.checked_sub(1);
    let before = before.and_then(|i| cx.code.bundle(cx.state(), cx.queue, i));
    if !before.is_some_and(|b| matches!(b.opcode(), 0xD4 | 0xD9)) {
        let m = "an extension record without a PSEUDO_DMA_DIRECT2D or PSEUDO_TRIGGER_COLLECTIVE2 before it";
        return Err(Trap::new("extension", m));
    }
    let said = cx.instr.bundle.bytes().iter().skip(4).position(|b| *b != 0);
    match said {
        None => Ok(()),
        Some(at) => {
            let m = format!(
                "byte {} of an extension record: its offsets are only inferred",
                at + 4
            );
            Err(Trap::not_modelled(m))
        }
    }
}

/// A copy of bytes that posts nothing.
fn transfer(cx: &Cx<'_, '_>, src: Leg, dst: Leg) -> Transfer {
    Transfer {
        queue: cx.queue,
        index: cx.index,
        seq: cx.seq,
        due: cx.time.start,
        semaphore: 0,
        increment: 0,
        op: DgeOp::NONE,
        in_dtype: DType(0),
        out_dtype: DType(0),
        src,
        dst,
        listed: None,
    }
}
