//! Why a stream cannot start, and who could help it.

use super::machine::{Machine, flag};
use super::waits::{Wait, touches, waits};
use crate::isa::Queue;

/// Why the head of a stream cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The stream.
    pub queue: Queue,
    /// Its head.
    pub index: u64,
    /// Waits that do not hold.
    pub waits: Vec<Wait>,
    /// At a barrier or return: streams that have not arrived.
    pub barrier: Vec<Queue>,
    /// Transfers in flight that it waits for: its own, or any when all slots are taken.
    pub transfers: u32,
}

impl Blocked {
    /// A wait for a multiple of 16 may count on every DMA engine posting
    /// (`set dma.completion-count 16`, decisions 1.2).
    pub fn counts_engines(&self) -> bool {
        self.waits
            .iter()
            .any(|w| !w.on_event() && w.threshold != 0 && w.threshold.is_multiple_of(16))
    }
}

/// Bundles of each stream that [`Machine::posters`] looks at.
const LOOK_AHEAD: u64 = 4096;

impl Machine {
    /// Why the head of a queue cannot start; `None` when it can, or has exited.
    pub fn blocked(&self, queue: Queue) -> Option<Blocked> {
        if self.exited(queue) {
            return None;
        }
        let index = self.pc(queue);
        let instr = self.instr(queue, index)?;
        let gate = super::code::gate(&instr.bundle);
        let b = Blocked {
            queue,
            index,
            waits: waits(&instr, self.state(), queue)
                .filter(|w| !w.holds())
                .collect(),
            barrier: self.missing(queue, gate).collect(),
            transfers: self.transfers_ahead(queue, gate),
        };
        let free = b.waits.is_empty() && b.barrier.is_empty() && b.transfers == 0;
        (!free).then_some(b)
    }

    /// Bundles of other streams that would change what `wait` looks at, from their heads on in a
    /// straight line, at most 4096 of each; in order of streams.
    pub fn posters(&self, queue: Queue, wait: &Wait) -> Vec<(Queue, u64)> {
        let mut found = Vec::new();
        for other in self.queues().filter(|q| *q != queue && !self.exited(*q)) {
            let start = self.pc(other);
            let end = self.code().len(other).min(start.saturating_add(LOOK_AHEAD));
            found.extend((start..end).filter_map(|index| {
                let instr = self.instr(other, index)?;
                touches(&instr, wait, &self.code().tables).then_some((other, index))
            }));
        }
        found
    }

    /// Has the queue passed its barrier already, its updates applied at the release?
    pub(super) fn released(&self, queue: Queue) -> bool {
        self.state().flags(queue.index() as u8) & flag::RELEASED != 0
    }
}
