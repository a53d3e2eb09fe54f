//! Who touched a place: questions to the records of the journal up to the present point.

use std::collections::VecDeque;

use super::Session;
use super::cover::{Cover, merged};
use super::edit::EDIT_LIMIT;
use super::error::SessionError;
use super::lookback::Detail;
use super::place::Place;
use super::stop::Access;
use crate::isa::{Engine, Queue};
use crate::sim::{Rect, StepKind};

/// What touched a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// A bundle.
    Bundle,
    /// A transfer that a bundle had issued, when it finished.
    Transfer,
    /// The user.
    Edit,
}

/// One touch.
#[derive(Clone, PartialEq, Debug)]
pub struct Touch {
    /// Bundles retired before it: of a bundle its own number.
    pub seq: u64,
    /// What it was.
    pub actor: Actor,
    /// Stream of the bundle; `None` for an edit that names none.
    pub queue: Option<Queue>,
    /// Engine of the bundle.
    pub engine: Option<Engine>,
    /// Index of the bundle.
    pub index: u64,
    /// Read or written.
    pub access: Access,
    /// Touched ranges inside the place, ascending; of `who` those bytes whose last writer it is.
    pub ranges: Vec<Rect>,
}

impl Touch {
    /// The smallest range around all touched ones.
    pub fn bounds(&self) -> Option<Rect> {
        self.ranges.iter().copied().reduce(|a, b| {
            let (part, off) = (a.part.min(b.part), a.off.min(b.off));
            Rect {
                space: a.space,
                part,
                parts: (a.part_end().max(b.part_end()) - u32::from(part)) as u16,
                off,
                len: (a.end().max(b.end()) - off) as u32,
            }
        })
    }
}

/// An answer about a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Touches {
    /// The touches, in the order of the question.
    pub list: Vec<Touch>,
    /// Records before this sequence number are no longer known; 0: all are.
    pub known_from: u64,
    /// There are more touches than were asked for.
    pub more: bool,
    /// How many there are, listed or not.
    pub total: u64,
    /// Bytes of the place that none of them wrote (`who` only): written before `known_from`, initial, or never.
    pub rest: u64,
}

/// What is asked of the accesses to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// Reads or stores.
    pub access: Access,
    /// From this sequence number on; `None`: as far back as the journal holds. An earlier one is reached by replay.
    pub from: Option<u64>,
    /// Before this one; `None` is the present.
    pub to: Option<u64>,
    /// At most so many are listed.
    pub most: usize,
    /// List the last ones of them, not the first ones.
    pub last: bool,
}

impl Session {
    /// The last writers of a place, newest first: those that wrote a byte nobody wrote after them. At most `most`, and only as far
    /// back as the journal holds.
    ///
    /// # Errors
    /// A place of more than [`EDIT_LIMIT`] bytes.
    pub fn who(&self, place: &Place, most: usize) -> Result<Touches, SessionError> {
        let mut writers = Writers::new(self, place, 1, most)?;
        let journal = self.machine.journal();
        let mut all = (journal.oldest()..journal.position()).rev();
        let _ = all.all(|at| writers.look(self, at));
        Ok(writers.answer())
    }

    /// The same for the last `depth` writers of every byte, as far back as the history reaches.
    ///
    /// # Errors
    /// A place of more than [`EDIT_LIMIT`] bytes; the user interrupts.
    pub fn writers(
        &mut self,
        place: &Place,
        depth: usize,
        most: usize,
    ) -> Result<Touches, SessionError> {
        let mut writers = Writers::new(self, place, depth, most)?;
        let whole = self.look_back(Detail::Ranges, |s, at| writers.look(s, at))?;
        let mut answer = writers.answer();
        answer.known_from = if whole { 0 } else { self.oldest_seq() };
        Ok(answer)
    }

    /// Every access to a place that is asked for, oldest first.
    ///
    /// # Errors
    /// The user interrupts.
    pub fn accesses(&mut self, place: &Place, q: &Question) -> Result<Touches, SessionError> {
        let mut answer = self.answer();
        let mut list = VecDeque::new();
        let from = q.from.unwrap_or(answer.known_from);
        let to = q.to.unwrap_or(u64::MAX);
        let mut look = |s: &Session, at: u64| {
            let Some(record) = s.machine.journal().record(at) else {
                return true;
            };
            if record.seq < from {
                return false;
            }
            if record.seq >= to {
                return true;
            }
            let ranges = s.accessed(at, place, q.access);
            if ranges.is_empty() {
                return true;
            }
            answer.total += 1;
            // Newest first: the list keeps its newest end, or its oldest.
            if !q.last || list.len() < q.most {
                list.extend(s.touch(at, q.access, ranges));
            }
            if list.len() > q.most {
                list.pop_front();
            }
            true
        };
        if from < self.answer().known_from {
            self.look_back(Detail::Ranges, &mut look)?;
        } else {
            let journal = self.machine.journal();
            let mut all = (journal.oldest()..journal.position()).rev();
            let _ = all.all(|at| look(self, at));
        }
        answer.list = list.into_iter().rev().collect();
        answer.more = answer.total > answer.list.len() as u64;
        answer.known_from = answer.known_from.min(from);
        Ok(answer)
    }

    /// The ranges of a place that a record read or stored to.
    fn accessed(&self, at: u64, place: &Place, access: Access) -> Vec<Rect> {
        merged(match access {
            Access::Write => self.written(at, place).collect(),
            Access::Read => {
                let reads = self.machine.journal().reads(at);
                reads.filter_map(|r| place.clip(&r)).collect()
            }
        })
    }

    fn answer(&self) -> Touches {
        let journal = self.machine.journal();
        let whole = journal.oldest() <= self.timeline.base().position;
        Touches {
            list: Vec::new(),
            known_from: if whole {
                0
            } else {
                journal.seq_at(journal.oldest())
            },
            more: false,
            total: 0,
            rest: 0,
        }
    }

    /// Ranges of a place that a record stored to.
    pub(super) fn written(&self, at: u64, place: &Place) -> impl Iterator<Item = Rect> {
        let effects = self.machine.journal().effects(at);
        let near = effects
            .filter_map(|e| e.runs())
            .filter(|r| place.clip(&r.bounds()).is_some());
        near.flat_map(|r| r.rects()).filter_map(|r| place.clip(&r))
    }

    /// A record as a touch.
    pub(super) fn touch(&self, at: u64, access: Access, ranges: Vec<Rect>) -> Option<Touch> {
        let record = self.machine.journal().record(at)?;
        let actor = match record.head.kind {
            StepKind::Retire => Actor::Bundle,
            StepKind::Transfer => Actor::Transfer,
            StepKind::Edit => Actor::Edit,
        };
        let queue = Queue::from_index(record.head.agent.into()).filter(|_| actor != Actor::Edit);
        let instr = queue.and_then(|q| self.machine.instr(q, record.head.index));
        Some(Touch {
            seq: record.seq,
            actor,
            queue,
            engine: queue.and_then(|q| q.engine().or(instr.map(|i| i.home()))),
            index: record.head.index,
            access,
            ranges,
        })
    }
}

/// A search for the last writers of a place.
struct Writers {
    place: Place,
    /// Of each byte the newest writers still to be found, level after level.
    open: Vec<Cover>,
    most: usize,
    answer: Touches,
}

impl Writers {
    fn new(s: &Session, place: &Place, depth: usize, most: usize) -> Result<Writers, SessionError> {
        let bytes = place.bytes().saturating_mul(depth.max(1) as u64);
        if bytes > EDIT_LIMIT {
            return Err(SessionError::too_large(place));
        }
        Ok(Writers {
            place: *place,
            open: (0..depth.max(1)).map(|_| Cover::of(place)).collect(),
            most,
            answer: s.answer(),
        })
    }

    /// Looks at a record; false when nothing more is wanted.
    fn look(&mut self, s: &Session, at: u64) -> bool {
        let mut ranges = Vec::new();
        for rect in s.written(at, &self.place) {
            // The deepest level first, so that a record counts once for each byte.
            for level in (0..self.open.len()).rev() {
                let (above, below) = self.open.split_at_mut(level);
                if let Some(open) = below.first_mut() {
                    ranges.extend(open.take(&rect, above.last()));
                }
            }
        }
        if !ranges.is_empty() {
            self.answer.total += 1;
            if self.answer.list.len() >= self.most {
                self.answer.more = true;
            } else {
                let touch = s.touch(at, Access::Write, merged(ranges));
                self.answer.list.extend(touch);
            }
        }
        self.open.iter().any(|open| open.left > 0)
    }

    fn answer(mut self) -> Touches {
        self.answer.rest = self.open.first().map_or(0, |open| open.left);
        self.answer
    }
}
