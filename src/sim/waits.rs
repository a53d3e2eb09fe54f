//! Waits and updates of the EVENTS band (isa 01 §3).

use std::fmt;

use crate::isa::field::Field;
use crate::isa::fields::{EventsExt, UpdateMode, WaitMode};
use crate::isa::{Instr, Queue, Severity};
use crate::sim::exec::Cx;
use crate::sim::{State, Writer};

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
        match self.mode.comparator() {
            Some(c) => {
                let op = ["", "==", "<", "<=", ">", ">="]
                    .get(usize::from(c))
                    .unwrap_or(&"?");
                write!(
                    f,
                    "$S[{}]{op}{} (is {})",
                    self.idx, self.threshold, self.value
                )
            }
            None => {
                let want = u8::from(self.mode.0 < 0x0E);
                write!(f, "$E[{}]=={want} (is {})", self.idx, self.value)
            }
        }
    }
}

/// The waits of a bundle: one, or two for EVENT_SEMAPHORE, which must hold together (isa 08 §4).
/// Barriers do not evaluate theirs (isa 08 §9).
pub fn waits(instr: &Instr, state: &State, queue: Queue) -> impl Iterator<Item = Wait> + use<> {
    let e = instr.events();
    let inline = (e.wait, e.wait_idx, e.value);
    let ext = extended(instr).map(|x| (x.wait, x.wait_idx, x.wait_value));
    let is_barrier = matches!(instr.bundle.opcode(), 0xD5 | 0xD8);
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
        .filter(move |w| !is_barrier && (w.mode.on_event() || w.mode.uses_value()))
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

impl Cx<'_, '_> {
    /// Side effects of the event waits that have passed: THEN_CLEAR and THEN_SET (isa 01 §3.1).
    pub(in crate::sim) fn consume_waits(&mut self) {
        let passed: Vec<Wait> = waits(self.instr, self.state(), self.queue).collect();
        for w in passed {
            match w.mode.0 {
                0x07 => self.writer.set_event(w.idx, false),
                0x0F => self.writer.set_event(w.idx, true),
                _ => {}
            }
        }
    }

    /// Applies the updates of the bundle: those that fire on completion, or those that fire when
    /// the reads are done.
    pub(in crate::sim) fn apply_updates(&mut self, on_complete: bool) {
        let e = self.instr.events();
        let ext = extended(self.instr);
        if on_complete
            && let Some(x) = ext
            && x.update.0 != 0
            && e.update.0 != 0
        {
            let m = "inline and extended update in one bundle".to_owned();
            self.finding(Severity::Warn, "two-updates", m);
        }
        let second = ext.map(|x| (x.update, x.update_idx, x.update_value));
        for (mode, idx, value) in [Some((e.update, e.update_idx, e.value)), second]
            .into_iter()
            .flatten()
        {
            if mode.on_complete() == on_complete {
                self.update(mode, idx, value);
            }
        }
    }

    fn update(&mut self, mode: UpdateMode, idx: u8, value: u32) {
        let Some(action) = mode.action() else { return };
        if matches!(action, 3 | 4) && value > 1 && !self.instr.events().wait.uses_value() {
            let m = format!("value {value} of an update that moves $S[{idx}] by 1");
            self.finding(Severity::Warn, "sem-step", m);
        }
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
        let set = self.state().event(idx);
        let w: &mut Writer<'_> = self.writer;
        match action {
            1 | 2 => {
                w.set_event(idx, action == 1);
                if set == (action == 1) {
                    let m = format!(
                        "event {idx} is already {}",
                        if set { "set" } else { "clear" }
                    );
                    self.finding(Severity::Warn, "event-protocol", m);
                }
            }
            3 => w.set_sem(idx, count.wrapping_add(1)),
            4 => w.set_sem(idx, count.wrapping_sub(1)),
            5 => w.set_sem(idx, count.wrapping_add(operand)),
            7 => w.set_sem(idx, count.wrapping_sub(operand)),
            9 => w.set_sem(idx, operand),
            _ => {}
        }
    }
}
