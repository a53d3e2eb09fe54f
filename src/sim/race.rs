//! Accesses to memory that a transfer in flight reads or writes: whether they come before or after
//! it depends on its speed alone (isa 09 §11).

use super::exec::{Transfer, in_flight};
use super::fault::Finding;
use super::machine::Machine;
use super::sched::slot;
use super::{Rect, StepDone};
use crate::isa::{Queue, Severity};

/// The memory of a transfer in flight. Derived from the state, kept because laying out a transfer
/// costs as much as making it.
pub(super) struct Flight {
    key: (Queue, u64, u64),
    src: Vec<Rect>,
    dst: Vec<Rect>,
}

const fn key(t: &Transfer) -> (Queue, u64, u64) {
    (t.queue, t.index, t.seq)
}

impl Machine {
    /// Reports what the bundle of a step did to the memory of transfers issued before it.
    pub(super) fn find_races(&mut self, queue: Queue, index: u64, done: StepDone) {
        if self.state.sched(slot::IN_FLIGHT) == 0 {
            self.flights.clear();
            return;
        }
        let present: Vec<Transfer> = in_flight(&self.state).map(|(_, t)| t).collect();
        self.flights
            .retain(|f| present.iter().any(|t| key(t) == f.key));
        for t in present {
            if !self.flights.iter().any(|f| f.key == key(&t)) {
                let (src, dst) = t.rects(self.generation, &self.settings);
                let key = key(&t);
                self.flights.push(Flight { key, src, dst });
            }
        }
        // In the order of issue, whatever time travel made of the list.
        self.flights.sort_by_key(|f| f.key.2);
        let reads: Vec<Rect> = self.journal.reads(done.at).collect();
        let writes: Vec<Rect> = self.journal.writes(done.at).collect();
        for flight in self.flights.iter().filter(|f| f.key.2 < done.seq) {
            let meets = |own: &[Rect], other: &[Rect]| {
                own.iter()
                    .find_map(|a| other.iter().find_map(|b| a.intersect(b)))
            };
            let (from, at, _) = flight.key;
            let found = [
                ("reads", "writes", meets(&reads, &flight.dst)),
                ("writes", "writes", meets(&writes, &flight.dst)),
                ("writes", "reads", meets(&writes, &flight.src)),
            ];
            for (does, transfer, rect) in found {
                let Some(rect) = rect else { continue };
                self.report.findings.push(Finding {
                    rule: "dma-race",
                    severity: Severity::Warn,
                    queue,
                    index,
                    seq: done.seq,
                    other: None,
                    message: format!(
                        "{does} {rect}, which the transfer of {from}:{at} {transfer} meanwhile"
                    ),
                });
            }
        }
    }
}
