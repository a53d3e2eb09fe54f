//! The run loop: every way of moving time, forward and backward, with everything that can end the movement.

use std::sync::atomic::Ordering;

use super::Session;
use super::error::SessionError;
use super::expr::Expr;
use super::stop::{Hit, Stop, StopDetail, StopKind};
use super::stops::StopSpec;
use super::travel::Reached;
use crate::isa::Queue;
use crate::sim::{StepHead, StepKind, Stepped};

/// What a run is to achieve.
#[derive(Clone, PartialEq, Debug)]
pub enum Goal {
    /// So many bundles: of the scheduler's choice, or of one stream.
    Steps(u64, Option<Queue>),
    /// So many bundles of the stream in focus, the others running as the scheduler has it.
    Next(u64),
    /// The next stop.
    Continue,
    /// The expression is true; at once when it is.
    Until(Expr),
    /// So many bundles back.
    BackSteps(u64),
    /// The previous stop.
    BackContinue,
    /// So many bundles retired, by travel where that point is known, else by running; breakpoints are not looked at.
    Goto(u64),
    /// The furthest known point.
    End,
    /// The end of the program: through all that is known, then on without stops.
    Finish,
}

/// How long a run may work before it answers [`Progress::Again`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Bundles to execute or take back.
    pub bundles: u64,
}

impl Budget {
    /// Works until it stops.
    pub const UNLIMITED: Budget = Budget { bundles: u64::MAX };
}

/// How a run went.
#[derive(Debug)]
pub enum Progress {
    /// The budget is spent; [`Session::resume`] goes on.
    Again,
    /// The run is over; the stop is also [`Session::stop`].
    Stopped(Stop),
    /// It cannot be done. The state is at a bundle boundary.
    Failed(SessionError),
}

/// A run in progress.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Forward(Forward),
    Back(Back),
    /// To a sequence number, then perhaps further.
    Travel {
        seq: u64,
        then: Option<Forward>,
    },
}

/// Which bundles a forward run counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    Endless,
    /// Of any stream.
    Any(u64),
    /// Of one stream, which alone is executed.
    Only(Queue, u64),
    /// Of one stream, while all are executed.
    Of(Queue, u64),
}

#[derive(Clone, Debug)]
pub(super) struct Forward {
    count: Count,
    until: Option<Expr>,
    /// Ends when so many bundles are retired, and looks at no breakpoint.
    to: Option<u64>,
    done: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Back {
    left: Option<u64>,
    /// A replay that must end before anything else, and what it is for.
    replay: Option<(u64, After)>,
    /// The journal was filled again up to this position.
    refilled: Option<u64>,
    /// The record of the next bundle to take back, and what its watches said.
    judged: Option<(u64, Option<Box<Stop>>)>,
}

/// What a replay of a backward run is for.
#[derive(Clone, Debug)]
enum After {
    /// So that the journal can be followed back.
    Refill,
    /// To get before an edit or transfer that the journal cannot take back.
    Other,
    /// To get before such a bundle; what its watches said is known.
    Bundle(Option<Box<Stop>>, StepHead),
}

impl Session {
    /// Runs until the goal is reached, something stops it, or the budget is spent.
    pub fn run(&mut self, goal: Goal, budget: Budget) -> Progress {
        let forward = |count, until| Forward {
            count,
            until,
            to: None,
            done: 0,
        };
        let back = |left| {
            Task::Back(Back {
                left,
                ..Back::default()
            })
        };
        let known = self.timeline.end.seq;
        self.pending = Some(match goal {
            Goal::Steps(n, None) => Task::Forward(forward(Count::Any(n), None)),
            Goal::Steps(n, Some(queue)) => {
                if let Err(e) = self.has_stream(queue) {
                    return Progress::Failed(e);
                }
                Task::Forward(forward(Count::Only(queue, n), None))
            }
            Goal::Next(n) => Task::Forward(forward(Count::Of(self.focus, n), None)),
            Goal::Continue => Task::Forward(forward(Count::Endless, None)),
            Goal::Until(e) => Task::Forward(forward(Count::Endless, Some(e))),
            Goal::BackSteps(n) => back(Some(n)),
            Goal::BackContinue => back(None),
            Goal::End => Task::Travel {
                seq: known,
                then: None,
            },
            // Without stops on the way, so that it gives what a plain run gives.
            Goal::Finish => Task::Travel {
                seq: known,
                then: Some(Forward {
                    to: Some(u64::MAX),
                    ..forward(Count::Endless, None)
                }),
            },
            Goal::Goto(seq) => Task::Travel {
                seq: seq.min(known),
                then: (seq > known).then(|| Forward {
                    to: Some(seq),
                    ..forward(Count::Endless, None)
                }),
            },
        });
        self.resume(budget)
    }

    /// Goes on with a run that answered [`Progress::Again`].
    pub fn resume(&mut self, budget: Budget) -> Progress {
        let mut left = budget.bundles;
        loop {
            let Some(mut task) = self.pending.take() else {
                return Progress::Stopped(self.last.clone());
            };
            let outcome = match &mut task {
                Task::Forward(f) => self.forward(f, &mut left),
                Task::Back(b) => self.back(b, &mut left),
                Task::Travel { seq, then } => match self.travel(*seq, &mut left) {
                    Ok(Reached::There) => match then.take() {
                        Some(f) => {
                            self.pending = Some(Task::Forward(f));
                            continue;
                        }
                        None => Ok(Some(self.arrival())),
                    },
                    Ok(Reached::NotYet) => Ok(None),
                    Ok(Reached::Interrupted) => Ok(Some(self.here(StopKind::Interrupt))),
                    Err(e) => Err(e),
                },
            };
            return match outcome {
                Ok(None) => {
                    self.pending = Some(task);
                    Progress::Again
                }
                Ok(Some(stop)) => Progress::Stopped(self.stopped(stop)),
                Err(e) => {
                    self.use_active_settings();
                    Progress::Failed(e)
                }
            };
        }
    }

    /// Is a run waiting to be resumed?
    pub fn is_running(&self) -> bool {
        self.pending.is_some()
    }

    /// Ends a run that waits to be resumed, as an interrupt does.
    pub fn cancel(&mut self) -> &Stop {
        if self.pending.take().is_some() {
            let stop = self.here(StopKind::Interrupt);
            self.stopped(stop);
        }
        &self.last
    }

    fn stopped(&mut self, mut stop: Stop) -> Stop {
        self.use_active_settings();
        stop.detail.lost = std::mem::take(&mut self.lost);
        if let Some(queue) = stop.queue
            && matches!(
                stop.kind,
                StopKind::Break | StopKind::Watch | StopKind::Fault | StopKind::Blocked
            )
        {
            self.focus = queue;
        }
        self.last = stop;
        self.last.clone()
    }

    /// Lowers a raised interrupt flag.
    pub(super) fn interrupted(&self) -> bool {
        let flag = self.machine.interrupt();
        flag.load(Ordering::Relaxed) && flag.swap(false, Ordering::Relaxed)
    }

    fn forward(&mut self, f: &mut Forward, left: &mut u64) -> Result<Option<Stop>, SessionError> {
        loop {
            let reached = match f.count {
                Count::Endless => f.to.is_some_and(|seq| self.seq() >= seq),
                Count::Any(n) | Count::Only(_, n) | Count::Of(_, n) => n == 0,
            };
            if reached {
                return Ok(Some(self.retired(StopKind::Step)));
            }
            if let Some(e) = &f.until
                && self.eval(e, None)?.is_true()
            {
                return Ok(Some(self.retired(StopKind::Until)));
            }
            if self.limit > 0 && f.done >= self.limit {
                let text = format!("{} bundles executed, the limit of a run", f.done);
                return Ok(Some(self.unended(StopKind::Limit).saying(text)));
            }
            if self.interrupted() {
                return Ok(Some(self.unended(StopKind::Interrupt)));
            }
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
            if let Some(stop) = self.forward_one(f)? {
                return Ok(Some(stop));
            }
        }
    }

    /// Executes one bundle, unless something is in the way.
    fn forward_one(&mut self, f: &mut Forward) -> Result<Option<Stop>, SessionError> {
        let only = match f.count {
            Count::Only(queue, _) => Some(queue),
            _ => None,
        };
        if let Count::Of(queue, _) = f.count
            && self.machine.exited(queue)
        {
            return Ok(Some(self.retired(StopKind::Exit)));
        }
        let quiet = f.to.is_some();
        // A run that starts at a breakpoint steps off it.
        if f.done > 0
            && !quiet
            && self.stops.armed.before()
            && let Some(queue) = only.or_else(|| self.upcoming().map(|(queue, _)| queue))
            && !self.machine.exited(queue)
            && let Some(stop) = self.before(queue, self.machine.pc(queue))
        {
            return Ok(Some(stop));
        }
        let (queue, at) = match self.execute(only)? {
            Stepped::Retired { queue, done, .. } => (queue, done.at),
            Stepped::Interrupted => {
                self.interrupted();
                return Ok(Some(self.here(StopKind::Interrupt)));
            }
            other => return Ok(Some(self.cannot(other))),
        };
        f.done += 1;
        match &mut f.count {
            Count::Any(n) | Count::Only(_, n) => *n -= 1,
            Count::Of(q, n) if *q == queue => *n -= 1,
            Count::Of(..) | Count::Endless => {}
        }
        if quiet || !self.stops.armed.after() {
            return Ok(None);
        }
        let hits = self.touched(at);
        Ok(self.after(at, hits))
    }

    fn back(&mut self, b: &mut Back, left: &mut u64) -> Result<Option<Stop>, SessionError> {
        loop {
            if let Some((position, _)) = b.replay {
                match self.replay_to(position, left)? {
                    Reached::There => {}
                    Reached::NotYet => return Ok(None),
                    Reached::Interrupted => return Ok(Some(self.here(StopKind::Interrupt))),
                }
                if let Some((_, After::Bundle(watched, head))) = b.replay.take()
                    && let Some(stop) = self.landed(b, watched.map(|w| *w), head)
                {
                    return Ok(Some(stop));
                }
            }
            if b.left == Some(0) {
                return Ok(Some(self.here(StopKind::Step)));
            }
            if self.seq() <= self.timeline.base().seq {
                return Ok(Some(self.here(StopKind::Start)));
            }
            if self.interrupted() {
                return Ok(Some(self.here(StopKind::Interrupt)));
            }
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
            if let Some(stop) = self.back_one(b) {
                return Ok(Some(stop));
            }
        }
    }

    /// Takes back one record, or prepares that. Everything since the last bundle goes with the bundle.
    fn back_one(&mut self, b: &mut Back) -> Option<Stop> {
        let journal = self.machine.journal();
        let position = journal.position();
        let undoable = position > journal.floor();
        if !undoable && b.refilled != Some(position) {
            if !self.restore_before(position) {
                return Some(self.out_of_reach());
            }
            b.refilled = Some(position);
            b.replay = Some((position, After::Refill));
            return None;
        }
        let at = position.checked_sub(1)?;
        let Some(head) = journal.record(at).map(|r| r.head) else {
            return Some(self.out_of_reach());
        };
        // Steps back from a hit begin with the bundle that made it: it was just reported.
        let reported = b.left.is_some()
            && self.last.kind == StopKind::Watch
            && self.last.seq + 1 == self.seq();
        if self.stops.armed.after() && b.judged.is_none() && !reported {
            // Before anything of the bundle is taken back: in the state in which the forward run judged it.
            b.judged = self.bundle_of(at).map(|at| {
                let hits = self.touched(at);
                (at, self.after(at, hits).map(Box::new))
            });
        }
        let watched = match &b.judged {
            Some((of, _)) if *of == at => b.judged.take().and_then(|(_, stop)| stop),
            _ => None,
        };
        if undoable {
            self.machine.undo();
            return match head.kind {
                StepKind::Retire => self.landed(b, watched.map(|w| *w), head),
                _ => None,
            };
        }
        if !self.restore_before(position) {
            return Some(self.out_of_reach());
        }
        let after = match head.kind {
            StepKind::Retire => After::Bundle(watched, head),
            _ => After::Other,
        };
        b.replay = Some((at, after));
        None
    }

    /// The record of the bundle that a record is, or that a finished transfer directly followed.
    fn bundle_of(&self, at: u64) -> Option<u64> {
        let journal = self.machine.journal();
        let mut back = (journal.oldest()..=at).rev();
        let kind = |at: u64| journal.record(at).map(|r| r.head.kind);
        let found = back.find(|at| kind(*at) != Some(StepKind::Transfer))?;
        (kind(found) == Some(StepKind::Retire)).then_some(found)
    }

    /// Counts a bundle that was taken back and looks at the breakpoints before it.
    fn landed(&mut self, b: &mut Back, watched: Option<Stop>, head: StepHead) -> Option<Stop> {
        if let Some(n) = &mut b.left {
            *n -= 1;
        }
        let broke = match Queue::from_index(head.agent.into()) {
            Some(queue) if self.stops.armed.before() => self.before(queue, head.index),
            _ => None,
        };
        let (Some(mut stop), Some(broke)) = (watched.clone(), broke.clone()) else {
            return watched.or(broke);
        };
        stop.detail.breaks.extend(broke.detail.breaks);
        stop.detail.breaks.sort_unstable();
        stop.detail.text = stop.detail.text.or(broke.detail.text);
        Some(stop)
    }

    /// Breakpoints on a bundle about to execute.
    fn before(&mut self, queue: Queue, index: u64) -> Option<Stop> {
        let armed = &self.stops.armed;
        let mut ids: Vec<u32> = Vec::new();
        if let Some(of_pc) = armed.pcs.get(&(queue, index)) {
            ids.extend(of_pc);
        }
        if !armed.ops.is_empty()
            && let Some(bundle) = self.machine.bundle(queue, index)
            && let Some(of_op) = armed.ops.get(&bundle.opcode())
        {
            ids.extend(of_op);
        }
        ids.sort_unstable();
        let mut detail = StopDetail::default();
        for id in ids {
            self.judge(id, None, &mut detail);
        }
        (!detail.breaks.is_empty()).then(|| Stop {
            detail,
            ..self.naming(StopKind::Break, self.seq(), queue, index)
        })
    }

    /// Judges what the bundle of a record, the last one applied, touched.
    fn after(&mut self, at: u64, touched: Vec<(u32, Option<Hit>)>) -> Option<Stop> {
        let mut detail = StopDetail::default();
        let seq = self.machine.journal().record(at)?.seq;
        let finding = touched.iter().find_map(|(id, _)| {
            let StopSpec::Finding(rule) = &self.stops.get(*id)?.spec else {
                return None;
            };
            self.findings.told(rule, seq).map(str::to_owned)
        });
        for (id, hit) in touched {
            self.judge(id, hit, &mut detail);
        }
        if detail.breaks.is_empty() {
            return None;
        }
        detail.text = detail.text.or(finding);
        let kind = if detail.hits.is_empty() {
            StopKind::Break
        } else {
            StopKind::Watch
        };
        let record = self.machine.journal().record(at).copied()?;
        let queue = Queue::from_index(record.head.agent.into())?;
        Some(Stop {
            detail,
            ..self.naming(kind, record.seq, queue, record.head.index)
        })
    }

    /// Decides whether a breakpoint whose event has happened stops the run, and notes it if so.
    pub(super) fn judge(&mut self, id: u32, hit: Option<Hit>, detail: &mut StopDetail) {
        let Some(b) = self.stops.get(id) else { return };
        let verdict = b.condition.as_ref().map_or(Ok(true), |(e, _)| {
            self.eval(e, hit.as_ref()).map(|v| v.is_true())
        });
        let text = b.text.clone();
        match verdict {
            Ok(false) => return,
            Ok(true) => {
                let (passes, log) = (b.ignore > 0, b.log);
                if !self.stops.hit(id) {
                    if log && !passes {
                        self.log_hit(id, &text, hit.as_ref());
                    }
                    return;
                }
            }
            // A condition that has no value is shown where it happens instead of passed over.
            Err(e) => detail.text = Some(format!("condition of breakpoint {id}: {e}")),
        }
        detail.breaks.push(id);
        detail.hits.extend(hit);
    }

    fn log_hit(&mut self, id: u32, text: &str, hit: Option<&Hit>) {
        let seq = self.seq();
        let touched = hit.map_or(String::new(), |h| {
            format!(", {} {}", h.access.name(), h.range)
        });
        self.log
            .push(format!("breakpoint {id} at seq {seq}: {text}{touched}"));
    }

    pub(super) fn has_stream(&self, queue: Queue) -> Result<(), SessionError> {
        if self.machine.stream(queue).is_some() {
            return Ok(());
        }
        let present: Vec<&str> = self.machine.queues().map(Queue::name).collect();
        Err(SessionError::NoStream {
            queue,
            present: present.join(" "),
        })
    }
}
