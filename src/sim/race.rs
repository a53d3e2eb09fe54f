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
    key: Key,
    src: Vec<Rect>,
    dst: Vec<Rect>,
}

/// Stream, index and sequence number of its bundle, and its slot: a bundle may issue several.
type Key = (Queue, u64, u64, u32);

const fn key(at: u32, t: &Transfer) -> Key {
    (t.queue, t.index, t.seq, at)
}

impl Machine {
    /// Reports what the bundle of a step did to the memory of transfers issued before it.
    pub(super) fn find_races(&mut self, queue: Queue, index: u64, done: StepDone) {
        if self.state.sched(slot::IN_FLIGHT) == 0 {
            self.flights.clear();
            return;
        }
        let present: Vec<(u32, Transfer)> = in_flight(&self.state).collect();
        self.flights
            .retain(|f| present.iter().any(|(at, t)| key(*at, t) == f.key));
        for (at, t) in present {
            if !self.flights.iter().any(|f| f.key == key(at, &t)) {
                let (src, dst) = t.rects(&self.state, self.generation, &self.settings);
                let key = key(at, &t);
                self.flights.push(Flight { key, src, dst });
            }
        }
        // In the order of issue, whatever time travel made of the list.
        self.flights.sort_by_key(|f| (f.key.2, f.key.3));
        let reads: Vec<Rect> = self.journal.reads(done.at).collect();
        let writes: Vec<Rect> = self.journal.writes(done.at).collect();
        for flight in self.flights.iter().filter(|f| f.key.2 < done.seq) {
            let meets = |own: &[Rect], other: &[Rect]| {
                own.iter()
                    .find_map(|a| other.iter().find_map(|b| a.intersect(b)))
            };
            let (from, at, ..) = flight.key;
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
