//! Who touched a place: questions to the records of the journal up to the present point.

use super::Session;
use super::edit::EDIT_LIMIT;
use super::error::SessionError;
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
    /// Touched ranges inside the place, in the order in which they were touched.
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
    /// Bytes of the place that none of them wrote (`who` only): written before `known_from`, initial, or never.
    pub rest: u64,
}

impl Session {
    /// The last writers of a place, newest first: those that wrote a byte nobody wrote after them. At most `most`.
    ///
    /// # Errors
    /// A place of more than [`EDIT_LIMIT`] bytes.
    pub fn who(&self, place: &Place, most: usize) -> Result<Touches, SessionError> {
        if place.bytes() > EDIT_LIMIT {
            return Err(SessionError::too_large(place));
        }
        let mut open = Open::new(place);
        let mut answer = self.answer();
        let journal = self.machine.journal();
        for at in (journal.oldest()..journal.position()).rev() {
            if open.left == 0 {
                break;
            }
            let mut ranges = Vec::new();
            for rect in self.written(at, place) {
                if open.close(&rect) > 0 {
                    push_joined(&mut ranges, rect);
                }
            }
            if !ranges.is_empty() && !self.add(&mut answer, at, Access::Write, ranges, most) {
                break;
            }
        }
        answer.rest = open.left;
        Ok(answer)
    }

    /// Everything known to have stored to a place, oldest first, at most `most`.
    pub fn writes(&self, place: &Place, most: usize) -> Touches {
        self.all(place, Access::Write, most)
    }

    /// Everything known to have read a place, oldest first, at most `most`.
    pub fn reads(&self, place: &Place, most: usize) -> Touches {
        self.all(place, Access::Read, most)
    }

    fn all(&self, place: &Place, access: Access, most: usize) -> Touches {
        let mut answer = self.answer();
        let journal = self.machine.journal();
        for at in journal.oldest()..journal.position() {
            let mut ranges = Vec::new();
            match access {
                Access::Write => self
                    .written(at, place)
                    .for_each(|r| push_joined(&mut ranges, r)),
                Access::Read => journal
                    .reads(at)
                    .filter_map(|r| place.clip(&r))
                    .for_each(|r| push_joined(&mut ranges, r)),
            }
            if !ranges.is_empty() && !self.add(&mut answer, at, access, ranges, most) {
                break;
            }
        }
        answer
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
            rest: 0,
        }
    }

    /// Ranges of a place that a record stored to.
    fn written(&self, at: u64, place: &Place) -> impl Iterator<Item = Rect> {
        let effects = self.machine.journal().effects(at);
        let near = effects
            .filter_map(|e| e.runs())
            .filter(|r| place.clip(&r.bounds()).is_some());
        near.flat_map(|r| r.rects()).filter_map(|r| place.clip(&r))
    }

    /// Appends a touch; false when the answer is full.
    fn add(
        &self,
        answer: &mut Touches,
        at: u64,
        access: Access,
        ranges: Vec<Rect>,
        most: usize,
    ) -> bool {
        let Some(record) = self.machine.journal().record(at) else {
            return false;
        };
        if answer.list.len() >= most {
            answer.more = true;
            return false;
        }
        let actor = match record.head.kind {
            StepKind::Retire => Actor::Bundle,
            StepKind::Transfer => Actor::Transfer,
            StepKind::Edit => Actor::Edit,
        };
        let queue = Queue::from_index(record.head.agent.into()).filter(|_| actor != Actor::Edit);
        let instr = queue.and_then(|q| self.machine.instr(q, record.head.index));
        answer.list.push(Touch {
            seq: record.seq,
            actor,
            queue,
            engine: queue.and_then(|q| q.engine().or(instr.map(|i| i.home()))),
            index: record.head.index,
            access,
            ranges,
        });
        true
    }
}

/// Appends a rectangle, joined with the last one where they touch.
fn push_joined(ranges: &mut Vec<Rect>, rect: Rect) {
    match ranges.last_mut() {
        Some(last) if last.contains(&rect) => {}
        Some(last) => match last.join(&rect) {
            Some(joined) => *last = joined,
            None => ranges.push(rect),
        },
        None => ranges.push(rect),
    }
}

/// The bytes of a place that no writer was found for yet: a bit per byte, row after row.
struct Open {
    place: Place,
    bits: Vec<u64>,
    words: usize,
    left: u64,
}

impl Open {
    fn new(place: &Place) -> Open {
        let words = place.len.div_ceil(64) as usize;
        Open {
            place: *place,
            bits: vec![u64::MAX; words * usize::from(place.parts)],
            words,
            left: place.bytes(),
        }
    }

    /// Marks the bytes of a rectangle inside the place as found; gives how many were open.
    fn close(&mut self, rect: &Rect) -> u64 {
        let start = (rect.off - self.place.off) as usize;
        let end = start + rect.len as usize;
        let mut found = 0;
        for part in rect.partitions() {
            let row = usize::from(part - self.place.part) * self.words;
            for word in start / 64..end.div_ceil(64) {
                let low = u64::MAX << start.saturating_sub(word * 64).min(63);
                let high = u64::MAX >> (64 - (end - word * 64).min(64));
                if let Some(bits) = self.bits.get_mut(row + word) {
                    found += u64::from((*bits & low & high).count_ones());
                    *bits &= !(low & high);
                }
            }
        }
        self.left -= found.min(self.left);
        found
    }
}
