//! Waits and updates of the EVENTS band (isa 01 §3).

use std::fmt;

use crate::isa::field::Field;
use crate::isa::fields::{EventsExt, TestMode, UpdateMode, WaitMode};
use crate::isa::ops::ctrl::Mem2dStore;
use crate::isa::{Instr, Queue, Severity};
use crate::sim::exec::ctrl::bus::changes;
use crate::sim::exec::{Cx, Fired, dma};
use crate::sim::sync::{Act, Signal, Sync};
use crate::sim::{Region, State, Tables};

/// A wait as it stands now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Mode.
    pub mode: WaitMode,
    /// Semaphore or event number.
    pub idx: u8,
    /// Threshold of a semaphore wait, read from its register where the mode says so.
    pub threshold: u32,
    /// Present count, or 0/1 for an event.
    pub value: u32,
}

impl Wait {
    /// Does it look at an event, not at a semaphore?
    pub fn on_event(&self) -> bool {
        self.mode.on_event()
    }

    /// When what it looks at was last changed, picoseconds; 0 unless the policy is timed.
    pub(super) fn since(&self, state: &State) -> u64 {
        let words = state.hidden(time_of(self.on_event(), self.idx));
        words.iter().rev().fold(0, |t, w| t << 32 | u64::from(*w))
    }

    /// Does it hold?
    pub fn holds(&self) -> bool {
        match self.mode.0 {
            0x06 | 0x07 => self.value == 1,
            0x0E | 0x0F => self.value == 0,
            _ => self.mode.holds(self.value, self.threshold),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op, threshold) = match self.mode.comparator() {
            Some(c) => {
                let ops = ["", "==", "<", "<=", ">", ">="];
                (*ops.get(usize::from(c)).unwrap_or(&"?"), self.threshold)
            }
            None => ("==", u32::from(self.mode.0 < 0x0E)),
        };
        let on = Signal::new(self.on_event(), self.idx);
        write!(f, "{on}{op}{threshold} (is {})", self.value)
    }
}

/// The waits of a bundle: one, or two for EVENT_SEMAPHORE, which must hold together (isa 08 §4).
/// Barriers do not evaluate theirs (isa 08 §9).
pub fn waits(instr: &Instr, state: &State, queue: Queue) -> impl Iterator<Item = Wait> + use<> {
    let e = instr.events();
    let inline = (e.wait, e.wait_idx, e.value);
    let ext = extended(instr).map(|x| (x.wait, x.wait_idx, x.wait_value));
    let barrier = is_barrier(instr);
    let resolve = |(mode, idx, value): (WaitMode, u8, u32)| Wait {
        mode,
        idx,
        threshold: threshold(mode, value, state, queue),
        value: if mode.on_event() {
            u32::from(state.event(idx))
        } else {
            state.sem(idx)
        },
    };
    let both = [Some(inline), ext].map(|w| w.map(resolve));
    both.into_iter()
        .flatten()
        .filter(move |w| !barrier && (w.mode.on_event() || w.mode.uses_value()))
}

/// Does the bundle wait for anything?
pub(super) fn has_waits(instr: &Instr) -> bool {
    let looks = |m: WaitMode| m.on_event() || m.uses_value();
    let ext = extended(instr).is_some_and(|x| looks(x.wait));
    !is_barrier(instr) && (ext || looks(instr.events().wait))
}

fn is_barrier(instr: &Instr) -> bool {
    matches!(instr.bundle.opcode(), 0xD5 | 0xD8)
}

/// The second lane of EVENT_SEMAPHORE.
fn extended(instr: &Instr) -> Option<EventsExt> {
    (instr.bundle.opcode() == 0xA0).then(|| EventsExt::get(&instr.bundle, 8 * 32))
}

fn threshold(mode: WaitMode, value: u32, state: &State, queue: Queue) -> u32 {
    let agent = queue.index() as u8;
    match mode.0 {
        0x81..=0x85 => state.reg(agent, value as u8),
        // v5: value packs {register:8, offset:24}.
        0x91..=0x95 => state.reg(agent, value as u8).wrapping_add(value >> 8),
        _ => value,
    }
}

/// Where the time of the last change of a semaphore or event is kept.
fn time_of(event: bool, idx: u8) -> Region {
    let all = if event {
        Region::EVENT_TIMES
    } else {
        Region::SEM_TIMES
    };
    all.slice(2 * u32::from(idx), 2)
}

impl Cx<'_, '_> {
    /// Side effects of the event waits that have passed: THEN_CLEAR and THEN_SET (isa 01 §3.1).
    pub(in crate::sim) fn consume_waits(&mut self) {
        let e = self.instr.events();
        let ext = extended(self.instr).map(|x| (x.wait, x.wait_value));
        for (mode, value) in [Some((e.wait, e.value)), ext].into_iter().flatten() {
            if mode.from_register() {
                // Read once more, so that an undefined register is reported.
                self.reg(value as u8);
            }
        }
        for w in waits(self.instr, self.state(), self.queue) {
            self.sync(Sync::Wait {
                on: Signal::new(w.on_event(), w.idx),
                comparator: w.mode.comparator().unwrap_or(0),
                threshold: w.threshold,
            });
            match w.mode.0 {
                0x07 => self.post_event(w.idx, false),
                0x0F => self.post_event(w.idx, true),
                _ => {}
            }
        }
    }

    /// Says that all sources are read: the READ updates fire. Once per bundle.
    pub(in crate::sim) fn reads_done(&mut self) {
        if self.fired == Fired::Nothing {
            self.apply_updates(false);
            self.fired = Fired::Read;
        }
    }

    /// Says that the bundle is complete: what is left of its updates fires. Once per bundle; DMA
    /// bundles are complete when the transfer is issued (isa 01 §3.2).
    pub(in crate::sim) fn complete(&mut self) {
        self.reads_done();
        if self.fired == Fired::Read {
            self.fired = Fired::All;
            self.apply_updates(true);
        }
    }

    fn apply_updates(&mut self, on_complete: bool) {
        let e = self.instr.events();
        let ext = extended(self.instr);
        if e.update.0 != 0 && e.update.on_complete() == on_complete {
            self.update(e.update, e.update_idx, e.value);
        }
        if let Some(x) = ext
            && x.update.0 != 0
            && x.update.on_complete() == on_complete
        {
            self.update(x.update, x.update_idx, x.update_value);
        }
    }

    fn update(&mut self, mode: UpdateMode, idx: u8, value: u32) {
        let Some(action) = mode.action() else { return };
        let operand = if mode.from_register() {
            self.reg(value as u8)
        } else {
            value
        };
        self.act(action, idx, operand);
    }

    /// One update action on a semaphore or event (isa 01 §3.2).
    pub fn act(&mut self, action: u8, idx: u8, operand: u32) {
        let count = self.state().sem(idx);
        let act = match action {
            3 => Act::Add(1),
            4 => Act::Subtract(1),
            5 => Act::Add(operand),
            7 => Act::Subtract(operand),
            _ => Act::Set(operand),
        };
        match action {
            1 | 2 => {
                let set = self.state().event(idx);
                self.post_event(idx, action == 1);
                if set == (action == 1) {
                    let now = if set { "set" } else { "clear" };
                    let m = format!("event {idx} is already {now}");
                    self.finding(Severity::Warn, "event-protocol", m);
                }
            }
            3 | 4 | 5 | 7 | 9 => self.post(idx, act.applied(count), act),
            _ => {}
        }
    }

    /// Sets a semaphore.
    pub(super) fn post(&mut self, sem: u8, count: u32, act: Act) {
        self.sync(Sync::Post {
            on: Signal::new(false, sem),
            act,
            at_read: self.fired == Fired::Nothing,
        });
        self.writer.set_sem(sem, count);
        self.stamp(false, sem);
    }

    /// Sets or clears an event.
    pub(super) fn post_event(&mut self, event: u8, set: bool) {
        self.sync(Sync::Post {
            on: Signal::new(true, event),
            act: Act::Set(u32::from(set)),
            at_read: self.fired == Fired::Nothing,
        });
        self.writer.set_event(event, set);
        self.stamp(true, event);
    }

    fn stamp(&mut self, event: bool, idx: u8) {
        if let Some(t) = self.time.done {
            let words = [t as u32, (t >> 32) as u32];
            self.writer.set_hidden(time_of(event, idx), &words);
        }
    }
}

/// Would the bundle change what `wait` looks at when it executes?
pub fn touches(instr: &Instr, wait: &Wait, tables: &Tables) -> bool {
    let (event, idx) = (wait.on_event(), wait.idx);
    let posts = |m: UpdateMode, at: u8| at == idx && m.action().is_some() && m.on_event() == event;
    let e = instr.events();
    if posts(e.update, e.update_idx)
        || extended(instr).is_some_and(|x| posts(x.update, x.update_idx))
    {
        return true;
    }
    let b = &instr.bundle;
    match b.opcode() {
        0xB0 if !event => match b.u8(12) {
            1 => (b.u8(13)..=b.u8(14)).contains(&idx),
            2 => b.u32(32 + usize::from(idx / 32) * 4) >> (idx % 32) & 1 == 1,
            _ => false,
        },
        0xB4 => {
            let mode = TestMode(b.u8(12));
            let updates = if event {
                mode == TestMode::UPDATE_EVT
            } else {
                matches!(mode, TestMode::UPDATE_SEM | TestMode::COND_UPDATE_SEM)
            };
            let used = usize::from(b.u8(15).min(16));
            updates && b.slice(16, used).contains(&idx)
        }
        0xAB => window(&Mem2dStore(b)).any(|addr| changes(addr, event, idx)),
        0xB3 => (0..u64::from(b.u8(12).min(16)))
            .any(|i| changes(b.u64(24).wrapping_add(4 * i), event, idx)),
        // A transfer may also write to the window of the semaphores.
        0xB8 | 0xD4 if changes(b.u64(40), event, idx) => true,
        _ => !event && dma::completion(b, tables) == Some(idx),
    }
}

/// The first semaphore or event that a bundle raises: through its transfer, or by its updates; with `whole` only by those that
/// fire when its stores are done.
pub fn raises(instr: &Instr, transfer: bool, whole: bool, tables: &Tables) -> Option<Signal> {
    if transfer {
        return dma::completion(&instr.bundle, tables).map(|sem| Signal::new(false, sem));
    }
    let raised = |m: UpdateMode, idx: u8| {
        let raises = matches!(m.action(), Some(1 | 3 | 5 | 9));
        let late = m.on_complete() || !whole;
        (raises && late).then(|| Signal::new(m.on_event(), idx))
    };
    let e = instr.events();
    raised(e.update, e.update_idx)
        .or_else(|| extended(instr).and_then(|x| raised(x.update, x.update_idx)))
}

/// Immediate addresses of a store of words.
fn window<'b>(f: &Mem2dStore<'b>) -> impl Iterator<Item = u64> + use<'b> {
    let start = f
        .start_addr()
        .immediate()
        .filter(|_| f.dtype().bytes() == 4);
    let ([n0, n1], [s0, s1]) = (f.num_elem().0, f.step_elem().0.map(i64::from));
    let at = move |k: i64| {
        let (i0, i1) = (k % i64::from(n0.max(1)), k / i64::from(n0.max(1)));
        start.map(|a| a.wrapping_add_signed(4 * (i0 * s0 + i1 * s1)))
    };
    let count = (i64::from(n0) * i64::from(n1)).min(32);
    (0..count).filter_map(at)
}
