//! Stops in words of the session: which bundle a stop names, and what is to be said about it.

use super::stop::{Stop, StopDetail, StopKind};
use super::{Mark, Session};
use crate::isa::Queue;
use crate::sim::{Fault, StepKind, Stepped};

impl Session {
    /// A stop at a bundle.
    pub(super) fn naming(&self, kind: StopKind, seq: u64, queue: Queue, index: u64) -> Stop {
        let instr = self.machine.instr(queue, index);
        Stop {
            kind,
            seq,
            queue: Some(queue),
            engine: queue.engine().or(instr.map(|i| i.home())),
            index,
            detail: StopDetail::default(),
        }
    }

    /// A stop of a run that would have gone on: with the loop in which it was, and who waited meanwhile.
    pub(super) fn unended(&self, kind: StopKind) -> Stop {
        let mut stop = self.retired(kind);
        stop.detail.lasso = self.lasso().map(Box::new);
        if stop.detail.lasso.is_some() {
            stop.detail.blocked = self.wait_graph().stuck;
        }
        stop
    }

    /// A stop at the bundle that retired last.
    pub(super) fn retired(&self, kind: StopKind) -> Stop {
        match self.last_retired() {
            Some((seq, queue, index)) => self.naming(kind, seq, queue, index),
            None => self.here(kind),
        }
    }

    /// The bundle that retired last, as far as the journal knows.
    pub(super) fn last_retired(&self) -> Option<(u64, Queue, u64)> {
        let journal = self.machine.journal();
        let past = (journal.oldest()..journal.position()).rev();
        let record = past
            .map_while(|at| journal.record(at))
            .find(|r| r.head.kind == StepKind::Retire)?;
        let queue = Queue::from_index(record.head.agent.into())?;
        Some((record.seq, queue, record.head.index))
    }

    /// A stop at the bundle that would execute next.
    pub(super) fn here(&self, kind: StopKind) -> Stop {
        match self.upcoming() {
            Some((queue, index)) => self.naming(kind, self.seq(), queue, index),
            None => self.naming(kind, self.seq(), self.focus, self.machine.pc(self.focus)),
        }
    }

    pub(super) fn arrival(&self) -> Stop {
        let Mark { seq, .. } = self.timeline.base();
        self.here(if self.seq() == seq {
            StopKind::Start
        } else {
            StopKind::Step
        })
    }

    pub(super) fn out_of_reach(&self) -> Stop {
        let text = format!(
            "the history starts at seq {}; a larger `set history` keeps more",
            self.seq()
        );
        self.here(StopKind::Limit).saying(text)
    }

    /// The stop of a step that was not made.
    pub(super) fn cannot(&mut self, why: Stepped) -> Stop {
        match why {
            Stepped::Fault(fault) => self.faulted(fault),
            Stepped::Deadlock(blocked) => {
                let mut stop = self.retired(StopKind::Deadlock);
                stop.detail.blocked = blocked.into_iter().map(|b| self.explain_stuck(b)).collect();
                stop.detail.knots = self.wait_graph().knots;
                stop
            }
            Stepped::Blocked(b) => {
                let mut stop = self.naming(StopKind::Blocked, self.seq(), b.queue, b.index);
                let (queue, graph) = (b.queue, self.wait_graph());
                stop.detail.blocked = graph.behind(queue);
                if graph.dead.contains(&queue) {
                    stop.detail.knots = graph.knots;
                } else if !graph.ready.is_empty() {
                    let ready: Vec<&str> = graph.ready.iter().map(|q| q.name()).collect();
                    return stop.saying(format!("{} can go on", ready.join(" ")));
                }
                stop
            }
            Stepped::Exited | Stepped::Retired { .. } => self.retired(StopKind::Exit),
            Stepped::Interrupted => self.here(StopKind::Interrupt),
        }
    }

    pub(super) fn faulted(&mut self, fault: Fault) -> Stop {
        let mut stop = self.naming(StopKind::Fault, self.seq(), fault.queue, fault.index);
        stop.engine = Some(fault.engine);
        for id in self.stops.armed.faults.clone() {
            self.judge(id, None, &mut stop.detail);
        }
        stop.detail.fault = Some(fault);
        stop
    }
}

impl Stop {
    pub(super) fn saying(mut self, text: String) -> Stop {
        self.detail.text = Some(text);
        self
    }
}
