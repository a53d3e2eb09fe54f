//! Answers about the present point: streams, why they wait and who could help, transfers, the reach of the history.

use super::Session;
use crate::isa::{Instr, Queue};
use crate::sim::Blocked;
use crate::sim::exec::{Transfer, in_flight, own_transfers};
use crate::sim::sched::clock;
use crate::sim::sync::Signal;
use crate::sim::waits::Wait;

/// A stream that cannot go on.
#[derive(Clone, PartialEq, Debug)]
pub struct Stuck {
    /// The stream, its head, and what is missing.
    pub why: Blocked,
    /// For each wait of `why`: the next bundle of every other stream that would change what it looks at.
    pub posters: Vec<Vec<Poster>>,
    /// For each wait of `why`: the bundle that changed what it looks at last, with its sequence number.
    pub last: Vec<Option<(u64, Queue, u64)>>,
}

impl Stuck {
    /// The waits with those who could end them.
    pub fn waits(&self) -> impl Iterator<Item = (&Wait, &[Poster])> {
        let posters = self.posters.iter().map(Vec::as_slice);
        self.why.waits.iter().zip(posters)
    }
}

/// A bundle, or its transfer in flight, that could end a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Poster {
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
    /// It is a transfer in flight.
    pub transfer: bool,
    /// Bundles of the stream, this one and those behind it, that would post too.
    pub count: u64,
}

impl Session {
    /// Why the head of a stream cannot start; `None` when it can.
    pub fn stuck(&self, queue: Queue) -> Option<Stuck> {
        self.machine.blocked(queue).map(|b| self.explain_stuck(b))
    }

    pub(super) fn explain_stuck(&self, why: Blocked) -> Stuck {
        let posters = |wait: &Wait| {
            let flying = self.transfers().into_iter();
            let flying =
                flying.filter(|t| !wait.on_event() && t.semaphore == wait.idx && t.increment > 0);
            let mut all: Vec<Poster> = flying
                .map(|t| Poster {
                    queue: t.queue,
                    index: t.index,
                    transfer: true,
                    count: 1,
                })
                .collect();
            // They come stream after stream; the first of each is the next.
            for (queue, index) in self.machine.posters(why.queue, wait) {
                match all.last_mut() {
                    Some(p) if p.queue == queue && !p.transfer => p.count += 1,
                    _ => all.push(Poster {
                        queue,
                        index,
                        transfer: false,
                        count: 1,
                    }),
                }
            }
            all
        };
        let last = |wait: &Wait| self.last_change(Signal::new(wait.on_event(), wait.idx));
        Stuck {
            posters: why.waits.iter().map(posters).collect(),
            last: why.waits.iter().map(last).collect(),
            why,
        }
    }
}

/// A stream and where it is.
#[derive(Clone, PartialEq, Debug)]
pub struct StreamInfo {
    /// Whose.
    pub queue: Queue,
    /// Where it comes from.
    pub name: String,
    /// Bundles.
    pub len: u64,
    /// Index of the next bundle.
    pub pc: u64,
    /// It has exited.
    pub exited: bool,
    /// Why it cannot go on.
    pub stuck: Option<Stuck>,
    /// Its transfers in flight.
    pub transfers: u32,
    /// When it is free, picoseconds; 0 unless scheduling is timed.
    pub clock: u64,
}

/// How far time can move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryInfo {
    /// Bundles retired at the present point.
    pub seq: u64,
    /// Bundles retired at the furthest known point.
    pub end: u64,
    /// The oldest point that is reached by taking back.
    pub undo_from: u64,
    /// The oldest point that is reached at all, by replay.
    pub replay_from: u64,
    /// Records since this point are known: what touched what.
    pub known_from: u64,
    /// Records kept.
    pub records: u64,
    /// Bytes of the log.
    pub log_bytes: u64,
    /// Checkpoints kept.
    pub checkpoints: u64,
    /// Their bytes.
    pub checkpoint_bytes: u64,
    /// Bytes allowed, log and checkpoints together.
    pub budget: u64,
}

impl Session {
    /// The streams, in scheduling order.
    pub fn streams(&self) -> Vec<StreamInfo> {
        let queues = self.machine.queues();
        queues
            .map(|queue| StreamInfo {
                queue,
                name: self
                    .program
                    .stream(queue)
                    .map_or_else(String::new, |s| s.name.clone()),
                len: self.machine.code().len(queue),
                pc: self.machine.pc(queue),
                exited: self.machine.exited(queue),
                stuck: self.stuck(queue),
                transfers: own_transfers(self.state(), queue),
                clock: clock(self.state(), queue),
            })
            .collect()
    }

    /// The transfers in flight, the one that finishes first first.
    pub fn transfers(&self) -> Vec<Transfer> {
        let mut all: Vec<Transfer> = in_flight(self.state()).map(|(_, t)| t).collect();
        all.sort_by_key(|t| (t.due, t.seq));
        all
    }

    /// How far back and forth time can move.
    pub fn history_info(&self) -> HistoryInfo {
        let journal = self.machine.journal();
        let (checkpoints, checkpoint_bytes) = self.timeline.checkpoints();
        HistoryInfo {
            seq: journal.seq(),
            end: self.timeline.end.seq,
            undo_from: journal.seq_at(journal.floor()),
            replay_from: self.oldest_seq(),
            known_from: journal.seq_at(journal.oldest()),
            records: journal.len() as u64,
            log_bytes: journal.used(),
            checkpoints: checkpoints as u64,
            checkpoint_bytes,
            budget: self.history,
        }
    }

    /// Sequence numbers that time travel can start from without running again, ascending.
    pub fn checkpoints(&self) -> impl Iterator<Item = u64> + '_ {
        self.timeline.saved_seqs()
    }

    /// The bundles around a point of a stream, patches included: `from..from + count`, as far as the stream goes.
    pub fn bundles(
        &self,
        queue: Queue,
        from: u64,
        count: u64,
    ) -> impl Iterator<Item = (u64, Instr)> + '_ {
        let end = self
            .machine
            .code()
            .len(queue)
            .min(from.saturating_add(count));
        (from..end).map_while(move |index| Some((index, self.machine.instr(queue, index)?)))
    }
}
