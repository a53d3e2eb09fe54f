//! DMAMEMCPY and the transfers it leaves in flight (isa 09 §3, decisions 1.2).
//!
//! Everything a transfer needs from registers is read at issue, so a pending transfer is plain data
//! in hidden words. Without a delay it lands inside the issuing bundle.

mod combine;
pub(super) mod listed;
pub(super) mod queue;
mod transfer;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use listed::Listed;
pub use transfer::Leg;

use crate::isa::fields::{Addr8, DgeOp, PseudoAddr8};
use crate::isa::ops::dma::DmaDirect2d;
use crate::isa::ops::pseudo::PseudoDmaTrigger;
use crate::isa::{Bundle, DType, Generation, Queue, Severity};
use crate::sim::exec::{Cx, ExecFn};
use crate::sim::fault::Trap;
use crate::sim::sched::{self, slot};
use crate::sim::settings::{Id, Settings};
use crate::sim::sync::{Act, Sync};
use crate::sim::{Rect, Region, State, Tables, timing};
use transfer::Plan;

/// Functions, ascending by opcode.
pub(super) const EXEC: &[(u8, ExecFn)] = &[(0xB8, dma_memcpy), (0xD4, dma_memcpy)];

/// Does a bundle of this opcode move data by DMA? Pseudo opcodes included.
pub const fn issues(opcode: u8) -> bool {
    matches!(opcode, 0xB8 | 0xBB | 0xBD | 0xC1 | 0xD4 | 0xF1)
}

/// Transfers that a bundle issues: a block of a queue may hold many.
pub fn descriptors(bundle: &Bundle, tables: &Tables) -> u32 {
    if bundle.opcode() != 0xC1 {
        return u32::from(issues(bundle.opcode()));
    }
    let trigger = PseudoDmaTrigger(bundle);
    let queue = queue::find(tables, trigger.queue().bytes());
    let block = queue.and_then(|q| q.blocks.get(&trigger.block_id()));
    block.map_or(0, |b| u32::try_from(b.len()).unwrap_or(u32::MAX))
}

/// The semaphore that the transfer of a bundle posts when it is done; `None` when it posts nothing (isa 09 §3-§6, §9.1).
pub fn completion(bundle: &Bundle, tables: &Tables) -> Option<u8> {
    let counted =
        |sem: usize, increment: usize| (bundle.u8(increment) != 0).then(|| bundle.u8(sem));
    match bundle.opcode() {
        0xB8 | 0xD4 => counted(13, 14),
        0xBB => counted(12, 13),
        0xBD => Some(bundle.u8(62)),
        0xF1 => Some(bundle.u8(12)),
        0xC1 => queue::find(tables, PseudoDmaTrigger(bundle).queue().bytes())?.semaphore,
        _ => None,
    }
}

/// A transfer with all its addresses and shapes resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// Stream that issued it.
    pub queue: Queue,
    /// Bundle that issued it.
    pub index: u64,
    /// Bundles retired before that one.
    pub seq: u64,
    /// When it finishes, in the units of the scheduling policy.
    pub due: u64,
    /// Semaphore posted on completion.
    pub semaphore: u8,
    /// What is added to it.
    pub increment: u32,
    /// Arithmetic with the destination.
    pub op: DgeOp,
    /// Dtype read, 0 when not given.
    pub in_dtype: DType,
    /// Dtype written, 0 when not given.
    pub out_dtype: DType,
    /// Source.
    pub src: Leg,
    /// Destination.
    pub dst: Leg,
    /// Where its elements are, when no counts and steps say it; in flight the legs then say nothing.
    pub listed: Option<Listed>,
}

/// 0xB8: copy between two 2-D shapes over one stream of bytes. Both update forms fire at issue.
///
/// 0xD4 is the same with variables for addresses and without arithmetic; byte 15 says which bundle it
/// becomes, of which only this one is modelled (isa 09 §9.3).
fn dma_memcpy(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let f = DmaDirect2d(&cx.instr.bundle);
    let pseudo = cx.instr.bundle.opcode() == 0xD4;
    if pseudo && f.compute_op() != DgeOp::NONE {
        // isa 09 §9.3: the fields that these forms need besides are in the 0xDA record, at offsets that are only inferred.
        let becomes = match f.compute_op().0 {
            1 => "DMA_INDIRECT",
            2 => "DMA_TRANSPOSE",
            3 => "DMA_GATHER_TRANSPOSE",
            _ => "no known bundle",
        };
        let m = format!(
            "PSEUDO_DMA_DIRECT2D that becomes {becomes}: where its extension record holds the further fields is not published"
        );
        return Err(Trap::not_modelled(m));
    }
    let shape = |step: [i32; 2], num: [u16; 2]| {
        let [s0, s1] = step;
        let [n0, n1] = num.map(u32::from);
        [(s0, n0), (s1, n1)]
    };
    let size = element_size(f.src_elem_size());
    let inline = shape(f.src_step_elem().0, f.src_num_elem().0);
    let dims = cx.dims("src_step_elem", f.src_start_addr(), inline)?;
    let src = Leg {
        addr: cx.place(
            "src_start_addr",
            f.src_start_addr(),
            pseudo,
            reach(&dims, size),
        )?,
        size,
        dims,
        limit: cx.limit(f.src_bound_enabled().0, f.src_bound_reg().0)?,
        silent: f.src_bound_silent().0 == 1,
    };
    let size = element_size(f.dst_elem_size());
    let inline = shape(f.dst_step_elem().0, f.dst_num_elem().0);
    let dims = cx.dims("dst_step_elem", f.dst_start_addr(), inline)?;
    let dst = Leg {
        addr: cx.place(
            "dst_start_addr",
            f.dst_start_addr(),
            pseudo,
            reach(&dims, size),
        )?,
        size,
        dims,
        limit: cx.limit(f.dst_bound_enabled().0, f.dst_bound_reg().0)?,
        silent: f.dst_bound_silent().0 == 1,
    };
    let transfer = Transfer {
        queue: cx.queue,
        index: cx.index,
        seq: cx.seq,
        due: cx.time.start,
        semaphore: f.semaphore().0,
        increment: posts(cx.settings) * u32::from(f.sem_increment()),
        op: f.compute_op(),
        in_dtype: DType(f.in_dtype().0),
        out_dtype: DType(f.out_dtype().0),
        src,
        dst,
        listed: None,
    };
    let plan = Plan::new(&transfer, cx.instr.generation, cx.settings)?;
    cx.complete();
    issue(cx, transfer, &plan)
}

/// Increments of one completion.
fn posts(settings: &Settings) -> u32 {
    if settings.is(Id::DmaCompletionCount, 1) {
        16
    } else {
        1
    }
}

/// Finishes a transfer inside its bundle.
fn land_now(cx: &mut Cx<'_, '_>, transfer: &Transfer, plan: &Plan) -> Result<(), Trap> {
    cx.sync(Sync::Issue);
    transfer.finish(cx, plan, false)
}

/// Starts a transfer: without a delay it lands at once.
fn issue(cx: &mut Cx<'_, '_>, mut transfer: Transfer, plan: &Plan) -> Result<(), Trap> {
    let delay = cx.settings.get(Id::DmaDelay);
    if cx.time.done.is_some() {
        let dst = match transfer.listed {
            Some(_) => transfer.dst,
            None => transfer.dst.folded(),
        };
        let (runs, size) = (dst.elements(), dst.size);
        let computes = transfer.op != DgeOp::NONE;
        let lasts = timing::transfer(cx.instr.generation, runs, u64::from(size), computes);
        transfer.due = cx.time.start.saturating_add(lasts);
    } else if delay > 0 {
        let delay = delay.saturating_add(sched::jitter(cx.state(), delay));
        transfer.due = cx.time.start.saturating_add(delay).saturating_add(1);
    } else {
        return land_now(cx, &transfer, plan);
    }
    // A DMA queue works in order (isa 11 §4).
    let before = in_flight(cx.state()).filter(|(_, t)| t.queue == cx.queue);
    transfer.due = before.fold(transfer.due, |due, (_, t)| due.max(t.due));
    cx.sync(Sync::Depart);
    transfer.depart(cx)
}

/// The bytes from the lowest to the highest that a walk touches, counted from its first element.
fn reach(dims: &[(i32, u32)], size: u32) -> Range<i128> {
    let ends = dims
        .iter()
        .map(|(step, count)| i128::from(*step) * (i128::from(*count) - 1).max(0));
    let (low, high) = ends.fold((0, 0), |(low, high), end| {
        (low + end.min(0), high + end.max(0))
    });
    low..high + i128::from(size)
}

/// Bytes of an element; 0 stands for 64 KiB.
fn element_size(field: u16) -> u32 {
    if field == 0 { 1 << 16 } else { field.into() }
}

impl Cx<'_, '_> {
    /// The address of a leg; in a pseudo instruction a byte of a variable.
    fn place(
        &mut self,
        slot: &'static str,
        word: Addr8,
        pseudo: bool,
        reach: Range<i128>,
    ) -> Result<u64, Trap> {
        let named = PseudoAddr8(word.0);
        match named.marker() {
            _ if !pseudo => self.address(slot, word),
            0x10 => self.variable(slot, named.variable(), named.offset(), reach),
            marker => {
                let m = format!("address marker {marker:#04x}: address tables are not published");
                Err(Trap::not_modelled(m))
            }
        }
    }

    /// The dimensions of a leg: from the bundle, or from the shape register that `step[0]` names
    /// (isa 09 §2.1). Missing ones have count 1.
    fn dims(
        &self,
        slot: &'static str,
        word: Addr8,
        inline: [(i32, u32); 2],
    ) -> Result<[(i32, u32); 4], Trap> {
        let [d0, d1] = inline;
        if !word.shape_register() {
            return Ok([d0, d1, (0, 1), (0, 1)]);
        }
        let reg = u32::try_from(d0.0).ok().filter(|r| *r < 4);
        let Some(reg) = reg.filter(|_| d0.1 == 0 && d1 == (0, 0)) else {
            let m = format!(
                "shape register {}, counts {} and {}, step {}: registers are 0..3, the rest must be 0",
                d0.0, d0.1, d1.1, d1.0
            );
            return Err(Trap::at("shape-register", slot, m));
        };
        let mut dims = [(0, 1); 4];
        let words = self.hidden(Region::SHAPE_REGS.slice(8 * reg, 8));
        for (dim, pair) in dims.iter_mut().zip(words.chunks_exact(2)) {
            let word = |i: usize| pair.get(i).copied().unwrap_or(0);
            // An unused pair is left 0; a shape without any pair has no elements.
            *dim = (word(0) as i32, word(1));
        }
        if dims.first().is_some_and(|d| d.1 > 0) {
            dims.iter_mut()
                .filter(|d| d.1 == 0)
                .for_each(|d| *d = (0, 1));
        }
        Ok(dims)
    }

    /// The highest address of a bound check. The limit is as wide as the addresses: its high word
    /// is in the next register, and 0 while that was never set (I).
    fn limit(&mut self, enabled: u8, reg: u8) -> Result<Option<u64>, Trap> {
        if enabled == 0 {
            return Ok(None);
        }
        let low = u64::from(self.source("bound_reg", reg)?);
        let next = reg + 1;
        let high = if self.state().reg_defined(self.agent(), next) {
            u64::from(self.state().reg(self.agent(), next))
        } else {
            0
        };
        Ok(Some(high << 32 | low))
    }
}

/// Words of a slot: 9 of the transfer itself, then 28 of two legs or 27 of a list, then the word that tells which.
const WORDS: u32 = 40;
const IS_LISTED: usize = 37;
const _: () = assert!(9 + listed::WORDS <= IS_LISTED);

impl Transfer {
    /// Transfers that can be in flight.
    pub const SLOTS: u32 = 64;

    /// Copies and posts; `late` when the issuing bundle has retired and cannot fault any more.
    fn finish(&self, cx: &mut Cx<'_, '_>, plan: &Plan, late: bool) -> Result<(), Trap> {
        if let Some(listed) = &self.listed {
            listed.read(cx, late)?;
        }
        plan.copy(self, cx, late)?;
        if self.increment > 0 {
            let count = cx.state().sem(self.semaphore);
            let act = Act::Add(self.increment);
            cx.post(self.semaphore, act.applied(count), act);
        }
        Ok(())
    }

    /// The memory it reads and the memory it writes; nothing under settings that forbid it.
    pub fn rects(
        &self,
        state: &State,
        g: Generation,
        settings: &Settings,
    ) -> (Vec<Rect>, Vec<Rect>) {
        let plan = self.plan(state, g, settings);
        plan.map_or_else(|_| Default::default(), |p| p.rects())
    }

    fn plan(&self, state: &State, g: Generation, settings: &Settings) -> Result<Plan, Trap> {
        match &self.listed {
            None => Plan::new(self, g, settings),
            Some(listed) => listed.plan(self, state, g, settings),
        }
    }

    /// Puts it in flight.
    fn depart(&self, cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
        let free = (0..Self::SLOTS).find(|at| words(cx.state(), *at).first() == Some(&0));
        let Some(at) = free else {
            // The scheduler does not start a transfer that finds no slot.
            return Err(Trap::new("dma-slots", "all transfer slots are taken"));
        };
        cx.writer.set_hidden(region(at), &self.pack());
        let count = cx.state().sched(slot::IN_FLIGHT);
        cx.writer.set_sched(slot::IN_FLIGHT, count + 1);
        Ok(())
    }

    /// Finishes it, in the slot where it is.
    pub(in crate::sim) fn land(&self, cx: &mut Cx<'_, '_>, at: u32) -> Result<(), Trap> {
        match self.plan(cx.state(), cx.instr.generation, cx.settings) {
            Ok(plan) => self.finish(cx, &plan, true)?,
            // Possible at issue, but not under the settings or indices of now; it must not come again.
            Err(t) => cx.finding(Severity::Error, t.rule, t.message),
        }
        cx.writer.set_hidden(region(at).word(0), &[0]);
        let count = cx.state().sched(slot::IN_FLIGHT);
        cx.writer
            .set_sched(slot::IN_FLIGHT, count.saturating_sub(1));
        Ok(())
    }

    fn pack(&self) -> [u32; WORDS as usize] {
        let mut out = [0; WORDS as usize];
        let halves = |v: u64| [v as u32, (v >> 32) as u32];
        let what = u32::from_le_bytes([
            self.queue.index() as u8 + 1,
            self.op.0,
            self.in_dtype.0,
            self.out_dtype.0,
        ]);
        let mut words = vec![what];
        words.extend(halves(self.index));
        words.extend(halves(self.seq));
        words.extend(halves(self.due));
        words.extend([u32::from(self.semaphore), self.increment]);
        if let Some(listed) = &self.listed {
            words.extend(listed.pack());
            words.resize(IS_LISTED, 0);
            words.push(1);
        }
        let legs = match self.listed {
            None => vec![&self.src, &self.dst],
            Some(_) => Vec::new(),
        };
        for leg in legs {
            words.extend(halves(leg.addr));
            words.extend(halves(leg.limit.unwrap_or(0)));
            let flags = u32::from(leg.limit.is_some()) | u32::from(leg.silent) << 1;
            words.extend([leg.size, flags]);
            words.extend(leg.dims.iter().flat_map(|(s, n)| [*s as u32, *n]));
        }
        out.iter_mut().zip(words).for_each(|(o, w)| *o = w);
        out
    }

    fn unpack(words: &[u32]) -> Option<Transfer> {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        let both = |i: usize| u64::from(word(i + 1)) << 32 | u64::from(word(i));
        let [queue, op, in_dtype, out_dtype] = word(0).to_le_bytes();
        let leg = |at: usize| Leg {
            addr: both(at),
            limit: (word(at + 5) & 1 == 1).then(|| both(at + 2)),
            silent: word(at + 5) & 2 != 0,
            size: word(at + 4),
            dims: std::array::from_fn(|i| (word(at + 6 + 2 * i) as i32, word(at + 7 + 2 * i))),
        };
        let listed =
            (word(IS_LISTED) == 1).then(|| Listed::unpack(words.get(9..).unwrap_or_default()));
        let legs = match listed {
            None => [leg(9), leg(23)],
            Some(_) => [Leg::NOWHERE; 2],
        };
        let [src, dst] = legs;
        Some(Transfer {
            queue: Queue::from_index(usize::from(queue.checked_sub(1)?))?,
            index: both(1),
            seq: both(3),
            due: both(5),
            semaphore: word(7) as u8,
            increment: word(8),
            op: DgeOp(op),
            in_dtype: DType(in_dtype),
            out_dtype: DType(out_dtype),
            src,
            dst,
            listed,
        })
    }
}

fn region(at: u32) -> Region {
    Region::PENDING.slice(WORDS * at, WORDS)
}

fn words(state: &State, at: u32) -> &[u32] {
    state.hidden(region(at))
}

/// The transfers in flight with their slots.
pub fn in_flight(state: &State) -> impl Iterator<Item = (u32, Transfer)> + '_ {
    let any = state.sched(slot::IN_FLIGHT) > 0;
    let slots = if any { 0..Transfer::SLOTS } else { 0..0 };
    slots.filter_map(|at| Some((at, Transfer::unpack(words(state, at))?)))
}

/// The transfer that finishes next; of those due at once the one issued first.
pub fn landing(state: &State) -> Option<(u32, Transfer)> {
    in_flight(state).min_by_key(|(_, t)| (t.due, t.seq))
}

/// Transfers of a stream that are in flight.
pub fn own_transfers(state: &State, queue: Queue) -> u32 {
    in_flight(state).filter(|(_, t)| t.queue == queue).count() as u32
}
