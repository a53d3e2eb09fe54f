//! Other schedules of the program: does its result depend on the order in which streams and transfers happen to go?
//!
//! Every schedule runs from the start on a machine of its own; the session does not move. A program without races ends in the same
//! memory, registers, semaphores and events whatever the schedule (isa 11 §5). Of one that does not, the first bundle is named
//! whose own results differ, which is where the race shows, not where it is made.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{NamedPlace, Session, SessionError, load};
use crate::isa::Queue;
use crate::program::Program;
use crate::sim::{Machine, Policy, Rect, Settings, StepKind, Stepped};

/// Bundles of a run at most, when the session has no limit of its own.
const MOST_BUNDLES: u64 = 1 << 22;
/// Bytes of log that a run needs at any time.
const LOG: u64 = 64 << 20;
/// Scheduler steps between issue and completion of a transfer; a schedule takes one of them.
const DELAYS: [u64; 8] = [0, 1, 3, 9, 2, 30, 5, 100];

/// A way to run the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The order of the engines.
    pub policy: Policy,
    /// Its seed.
    pub seed: u64,
    /// `dma.delay`.
    pub delay: u64,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All streams exited.
    Exit,
    /// No stream could go on.
    Deadlock,
    /// A bundle of a stream could not be executed, by this rule.
    Fault(Queue, u64, &'static str),
    /// It was longer than is allowed.
    Limit,
}

impl Ending {
    /// Word of `$stop`.
    pub const fn name(&self) -> &'static str {
        match self {
            Ending::Exit => "exit",
            Ending::Deadlock => "deadlock",
            Ending::Fault(..) => "fault",
            Ending::Limit => "limit",
        }
    }
}

/// A bundle in two runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
    /// It is the transfer of that bundle that stored something else.
    pub transfer: bool,
    /// Its sequence number in the session's own schedule; `None` when it does not come there.
    pub here: Option<u64>,
    /// Its sequence number in the other schedule.
    pub there: Option<u64>,
}

/// Bytes that the same stores reach in another order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reordered {
    /// The bytes.
    pub rect: Rect,
    /// Stream and index of the bundle that stores them last in the session's own schedule, and whether its transfer does.
    pub here: (Queue, u64, bool),
    /// The same in the other schedule.
    pub there: (Queue, u64, bool),
}

/// A schedule with another result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Which.
    pub schedule: Schedule,
    /// How it ended.
    pub ending: Ending,
    /// Hash of its result.
    pub digest: u64,
    /// Named places that differ.
    pub places: Vec<String>,
    /// The first bundle with other results, in the order of the session's own schedule. None has any when the same stores come
    /// in another order.
    pub first: Option<Divergence>,
    /// Such stores.
    pub reordered: Option<Reordered>,
}

/// What other schedules gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// How the session's own schedule ends, its bundles, and the hash of its result.
    pub ending: Ending,
    /// As `ending`.
    pub bundles: u64,
    /// Edits made before the first bundle, in every run.
    pub edits: u64,
    /// As `ending`.
    pub digest: u64,
    /// Schedules that were run.
    pub schedules: u64,
    /// Those with another result.
    pub variants: Vec<Variant>,
    /// It was interrupted before all were run.
    pub interrupted: bool,
}

/// What a bundle did: where it stood and a hash of what it stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Done {
    pub index: u64,
    pub seq: u64,
    pub stored: u64,
    /// It stored something to memory.
    pub stores: bool,
}

/// A finished run. Bundles by stream, and transfers by stream, in order.
pub(super) struct Finished {
    pub machine: Machine,
    pub edits: u64,
    pub ending: Ending,
    pub done: BTreeMap<(Queue, bool), Vec<Done>>,
}

impl Session {
    /// Runs `count` other schedules, with seeds from `seed` on, and compares what they end in with what this session's schedule
    /// ends in. Edits made before the first bundle are made there too.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn explore(&self, count: u64, seed: u64) -> Result<Exploration, SessionError> {
        let mut out = Exploration {
            ending: Ending::Limit,
            bundles: 0,
            edits: 0,
            digest: 0,
            schedules: 0,
            variants: Vec::new(),
            interrupted: false,
        };
        let Some(own) = self.whole_run(&self.program, self.active, self.policy, u64::MAX)? else {
            out.interrupted = true;
            return Ok(out);
        };
        out.edits = own.edits;
        out.ending = own.ending.clone();
        out.bundles = own.machine.journal().seq();
        out.digest = own.machine.state().outcome();
        for i in 0..count {
            let seed = seed.wrapping_add(i);
            let delay = DELAYS[(seed / 4 % DELAYS.len() as u64) as usize];
            let policy = if seed % 4 == 0 {
                Policy::Random(seed)
            } else {
                Policy::Bursts(seed)
            };
            let schedule = Schedule {
                policy,
                seed,
                delay,
            };
            let mut settings = self.active;
            settings.set("dma.delay", &delay.to_string())?;
            let Some(other) = self.whole_run(&self.program, settings, policy, u64::MAX)? else {
                out.interrupted = true;
                break;
            };
            out.schedules += 1;
            let digest = other.machine.state().outcome();
            // How far the other streams came at a fault or a limit is the schedule's, not the program's.
            let cut = matches!(own.ending, Ending::Limit | Ending::Fault(..));
            if other.ending == own.ending && (cut || digest == out.digest) {
                continue;
            }
            let first = first_divergence(&own, &other);
            out.variants.push(Variant {
                schedule,
                places: self.differing(&own.machine, &other.machine),
                reordered: match first {
                    Some(_) => None,
                    None => reordered(&own.machine, &other.machine),
                },
                first,
                ending: other.ending,
                digest,
            });
        }
        Ok(out)
    }

    /// A program from the start to its end, or until so many bundles have retired; `None` when it was interrupted.
    pub(super) fn whole_run(
        &self,
        program: &Arc<Program>,
        settings: Settings,
        policy: Policy,
        bundles: u64,
    ) -> Result<Option<Finished>, SessionError> {
        let (mut machine, timeline) = load(program, self.generation, settings, policy)?;
        machine.set_interrupt(Arc::clone(self.machine.interrupt()));
        machine.journal_mut().set_budget(LOG);
        let mut at = timeline.base().position;
        // An edit that was taken back is known until something else happens.
        let present = self.mark();
        while (present.seq > timeline.base().seq || at < present.position)
            && let Some(changes) = self.timeline.edit_at(at)
        {
            machine.edit(|w| changes.iter().try_for_each(|c| c.apply(w)))?;
            at += 1;
        }
        let edits = at - timeline.base().position;
        let most = if self.limit > 0 {
            self.limit
        } else {
            MOST_BUNDLES
        };
        let most = most.min(bundles);
        let mut done: BTreeMap<(Queue, bool), Vec<Done>> = BTreeMap::new();
        let ending = loop {
            if machine.interrupt().swap(false, Ordering::Relaxed) {
                return Ok(None);
            }
            if machine.journal().seq() >= most {
                break Ending::Limit;
            }
            let start = machine.journal().position();
            let stepped = machine.step(None);
            let journal = machine.journal();
            for at in start..journal.position() {
                let Some(record) = journal.record(at) else {
                    continue;
                };
                let Some(queue) = Queue::from_index(record.head.agent.into()) else {
                    continue;
                };
                // A transfer may finish inside its bundle, or later.
                let late = record.head.kind == StepKind::Transfer;
                let bundle = Done {
                    index: record.head.index,
                    seq: record.seq,
                    stored: machine.stored(at, false),
                    // What a transfer stores inside its bundle is not the bundle's.
                    stores: journal.writes(at).next().is_some() && !machine.transferred(at),
                };
                if !late {
                    done.entry((queue, false)).or_default().push(bundle);
                }
                if machine.transferred(at) {
                    let stored = machine.stored(at, true);
                    let list = done.entry((queue, true)).or_default();
                    list.push(Done {
                        stored,
                        stores: true,
                        ..bundle
                    });
                }
            }
            match stepped {
                Stepped::Retired { .. } => {}
                Stepped::Exited => break Ending::Exit,
                Stepped::Deadlock(_) | Stepped::Blocked(_) => break Ending::Deadlock,
                Stepped::Fault(f) => break Ending::Fault(f.queue, f.index, f.rule),
                Stepped::Interrupted => {
                    machine.interrupt().store(false, Ordering::Relaxed);
                    return Ok(None);
                }
            }
        };
        Ok(Some(Finished {
            machine,
            edits,
            ending,
            done,
        }))
    }

    /// Named places whose bytes, or written bits, differ.
    pub(super) fn differing(&self, a: &Machine, b: &Machine) -> Vec<String> {
        let differs = |p: &NamedPlace| {
            let rect = p.place.rect();
            let (mut x, mut y) = (Vec::new(), Vec::new());
            // The place lies in the memory.
            let read = a.state().read_into(&rect, &mut x);
            let other = b.state().read_into(&rect, &mut y);
            let marks = a.state().unwritten(&rect) != b.state().unwritten(&rect);
            read.is_ok() && other.is_ok() && (marks || x != y)
        };
        let all = self.places().into_iter();
        all.filter(differs).map(|p| p.name).collect()
    }
}

/// The last store of the first run whose bytes the second run leaves in another state, and who stores them last there.
fn reordered(own: &Machine, other: &Machine) -> Option<Reordered> {
    let bytes = |m: &Machine, rect: &Rect| {
        let mut bytes = Vec::new();
        m.state().read_into(rect, &mut bytes).ok()?;
        Some(bytes)
    };
    let differs = |rect: Rect| {
        let (a, b) = (bytes(own, &rect)?, bytes(other, &rect)?);
        let at = a.iter().zip(&b).position(|(a, b)| a != b)?;
        let (row, column) = (at / rect.len as usize, at % rect.len as usize);
        Some(Rect {
            part: rect.part + row as u16,
            parts: 1,
            off: rect.off + column as u64,
            len: 1,
            ..rect
        })
    };
    let named = |m: &Machine, at: u64| {
        let head = m.journal().record(at)?.head;
        let queue = Queue::from_index(head.agent.into())?;
        Some((queue, head.index, m.transferred(at)))
    };
    let back = |m: &Machine| (m.journal().oldest()..m.journal().position()).rev();
    let (at, rect) =
        back(own).find_map(|at| Some((at, own.journal().writes(at).find_map(differs)?)))?;
    let last = |at: &u64| other.journal().writes(*at).any(|w| w.overlaps(&rect));
    let there = back(other).find(last)?;
    Some(Reordered {
        rect,
        here: named(own, at)?,
        there: named(other, there)?,
    })
}

/// The first bundle, in the order of the first run, that did something else in the second.
fn first_divergence(own: &Finished, other: &Finished) -> Option<Divergence> {
    // The same bundle, the same results; when is of no interest.
    diverges(
        own,
        other,
        |_| true,
        |a, b| (a.index, a.stored) == (b.index, b.stored),
    )
}

/// The first bundle, in the order of the first run, that is not alike in the second; of each stream those count that `counts`.
pub(super) fn diverges(
    own: &Finished,
    other: &Finished,
    counts: impl Fn(&Done) -> bool,
    alike: impl Fn(&Done, &Done) -> bool,
) -> Option<Divergence> {
    let keys: std::collections::BTreeSet<_> = own.done.keys().chain(other.done.keys()).collect();
    let list = |run: &Finished, key: &(Queue, bool)| -> Vec<Done> {
        let all = run.done.get(key).into_iter().flatten();
        all.filter(|d| counts(d)).copied().collect()
    };
    let of_stream = |key: &(Queue, bool)| {
        let (a, b) = (list(own, key), list(other, key));
        let at = a.iter().zip(&b).take_while(|(a, b)| alike(a, b)).count();
        let (here, there) = (a.get(at), b.get(at));
        Some(Divergence {
            queue: key.0,
            index: here.or(there)?.index,
            transfer: key.1,
            here: here.map(|d| d.seq),
            there: there.map(|d| d.seq),
        })
    };
    let all = keys.into_iter().filter_map(of_stream);
    all.min_by_key(|d| (d.here.is_none(), d.here, d.there))
}
