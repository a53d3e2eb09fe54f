//! The log of steps: every change of the state with what it replaced, so that time runs both ways without re-execution.
//!
//! Positions: position `p` is the state after the records `0..p`. `first` is the oldest record whose ranges are still known,
//! `floor` the oldest position undo can reach, `cursor` where the state is now, records from `cursor` on are the redo tail.
//! Invariant: `first <= floor <= cursor <= end`. Effects, reads and payload of a record lie between its start positions and those
//! of the next record; all are dropped oldest first when the byte budget is exceeded, payload before ranges.

use super::effect::{Effect, Payload, exchange};
use super::rect::Rect;
use super::state::State;
use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};

/// Default byte budget. Growing costs more than reuse, so it is no larger than deep undo needs; checkpoints reach further.
pub const DEFAULT_BUDGET: u64 = 256 << 20;

/// Why a step is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// A bundle retired.
    Retire,
    /// A transfer that was in flight finished; stream and index are those of the bundle that issued it.
    Transfer,
    /// The user changed the state.
    Edit,
}

/// What is known of a step when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepHead {
    /// Retired bundle, finished transfer or edit.
    pub kind: StepKind,
    /// The stream it belongs to.
    pub agent: u8,
    /// Index of the bundle in the stream.
    pub index: u64,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Bundles retired before it.
    pub seq: u64,
    /// Kind, stream and index.
    pub head: StepHead,
    /// Bits for the user of the journal, set by `Writer::note`.
    pub notes: u8,
    effects: u64,
    reads: u64,
    payload: u64,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepDone {
    /// Its record number; the position after it is one more.
    pub at: u64,
    /// Bundles retired before it.
    pub seq: u64,
    /// False: it was too large for the budget, or nothing is recorded; undo cannot cross it.
    pub undoable: bool,
}

/// The log.
pub struct Journal {
    records: VecDeque<Record>,
    first: u64,
    floor: u64,
    cursor: u64,
    effects: Log<Effect>,
    reads: Log<Rect>,
    payload: Payload,
    /// Bundles retired before the end of the log.
    end_seq: u64,
    budget: u64,
    recording: bool,
    record_reads: bool,
}

/// A queue whose items keep their numbers when older ones are dropped.
struct Log<T> {
    items: VecDeque<T>,
    first: u64,
}

impl<T> Log<T> {
    const fn new() -> Log<T> {
        Log {
            items: VecDeque::new(),
            first: 0,
        }
    }

    fn end(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    fn index(&self, number: u64) -> usize {
        (number.saturating_sub(self.first) as usize).min(self.items.len())
    }

    fn range(&self, numbers: Range<u64>) -> Range<usize> {
        let start = self.index(numbers.start);
        start..self.index(numbers.end).max(start)
    }

    fn drop_before(&mut self, number: u64) {
        let n = self.index(number);
        self.items.drain(..n);
        self.first += n as u64;
    }

    fn truncate(&mut self, number: u64) {
        self.items.truncate(self.index(number));
    }

    fn bytes(&self) -> u64 {
        (self.items.len() * size_of::<T>()) as u64
    }
}

impl Default for Journal {
    fn default() -> Journal {
        Journal::new(DEFAULT_BUDGET)
    }
}

impl Journal {
    /// An empty log at position 0.
    pub fn new(budget: u64) -> Journal {
        Journal {
            records: VecDeque::new(),
            first: 0,
            floor: 0,
            cursor: 0,
            effects: Log::new(),
            reads: Log::new(),
            payload: Payload::default(),
            end_seq: 0,
            budget,
            recording: true,
            record_reads: true,
        }
    }

    /// Where the state is: the number of records applied.
    pub fn position(&self) -> u64 {
        self.cursor
    }

    /// The last position of the log.
    pub fn end(&self) -> u64 {
        self.first + self.records.len() as u64
    }

    /// The oldest record whose ranges are known.
    pub fn oldest(&self) -> u64 {
        self.first
    }

    /// The oldest position that undo reaches.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// Number of records kept.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True when no record is kept.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Bundles retired at the present position (`$seq`).
    pub fn seq(&self) -> u64 {
        self.seq_at(self.cursor)
    }

    /// Bundles retired at the end of the log.
    pub fn end_seq(&self) -> u64 {
        self.end_seq
    }

    /// Bundles retired at a position of the log.
    pub fn seq_at(&self, position: u64) -> u64 {
        self.record(position).map_or(self.end_seq, |r| r.seq)
    }

    /// Records that redo can make again.
    pub fn future_len(&self) -> u64 {
        self.end() - self.cursor
    }

    /// Bytes held, as the budget counts them.
    pub fn used(&self) -> u64 {
        self.payload.log.live() + self.payload.redo.live() + self.log_bytes()
    }

    fn log_bytes(&self) -> u64 {
        let records = (self.records.len() * size_of::<Record>()) as u64;
        records + self.effects.bytes() + self.reads.bytes()
    }

    /// The byte budget.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Changes the budget and drops what no longer fits, oldest first, the redo tail last. With 0 no step is kept.
    pub fn set_budget(&mut self, budget: u64) {
        self.budget = budget;
        self.evict();
    }

    /// Switches recording. While it is off nothing is kept, and a step that fails cannot be taken back: for measurements and
    /// throw-away states only. Turning it off forgets the log.
    pub fn set_recording(&mut self, on: bool) {
        self.recording = on;
        if !on {
            self.rebase(self.cursor, self.seq());
            self.drop_records_before(self.cursor);
        }
    }

    /// True when steps are recorded.
    pub fn recording(&self) -> bool {
        self.recording
    }

    /// Switches the recording of read ranges; on at first.
    pub fn set_record_reads(&mut self, on: bool) {
        self.record_reads = on;
    }

    /// A record by number.
    pub fn record(&self, at: u64) -> Option<&Record> {
        self.records
            .get(usize::try_from(at.checked_sub(self.first)?).ok()?)
    }

    /// The positions of the log at which exactly `seq` bundles are retired: the last has all edits made there.
    pub fn positions_of(&self, seq: u64) -> Option<RangeInclusive<u64>> {
        let start = self.first + self.records.partition_point(|r| r.seq < seq) as u64;
        let mut end = self.first + self.records.partition_point(|r| r.seq <= seq) as u64;
        if self.end_seq != seq {
            end = end.checked_sub(1)?;
        }
        (start <= end).then_some(start..=end)
    }

    /// The changes of a step, in order; empty when it is not known.
    pub fn effects(&self, at: u64) -> impl DoubleEndedIterator<Item = &Effect> {
        self.effects.items.range(self.effects.range(self.span(
            at,
            |r| r.effects,
            self.effects.end(),
        )))
    }

    /// What a step stored to, in order; empty when it is not known.
    pub fn writes(&self, at: u64) -> impl Iterator<Item = Rect> {
        self.effects(at)
            .filter_map(Effect::runs)
            .flat_map(|r| r.rects())
    }

    /// What a step read, in order; empty when it is not known.
    pub fn reads(&self, at: u64) -> impl DoubleEndedIterator<Item = Rect> {
        self.reads
            .items
            .range(
                self.reads
                    .range(self.span(at, |r| r.reads, self.reads.end())),
            )
            .copied()
    }

    /// Where something of a record starts and ends; empty for an unknown record.
    fn span(&self, at: u64, start: impl Fn(&Record) -> u64, end: u64) -> Range<u64> {
        let Some(record) = self.record(at) else {
            return end..end;
        };
        start(record)..self.record(at + 1).map_or(end, &start)
    }

    /// Takes back the last applied step; `None` when undo reaches no further.
    pub fn undo_one(&mut self, state: &mut State) -> Option<Record> {
        if self.cursor <= self.floor {
            return None;
        }
        let record = *self.record(self.cursor - 1)?;
        let span = self.span(self.cursor - 1, |r| r.effects, self.effects.end());
        self.undo_effects(span, state);
        self.cursor -= 1;
        Some(record)
    }

    /// Makes the next step again; `None` at the end of the log.
    pub fn redo_one(&mut self, state: &mut State) -> Option<Record> {
        let record = *self.record(self.cursor)?;
        let span = self
            .effects
            .range(self.span(self.cursor, |r| r.effects, self.effects.end()));
        for effect in self.effects.items.range_mut(span) {
            exchange(effect, &mut self.payload, state);
        }
        self.cursor += 1;
        Some(record)
    }

    fn undo_effects(&mut self, numbers: Range<u64>, state: &mut State) {
        let span = self.effects.range(numbers);
        for effect in self.effects.items.range_mut(span).rev() {
            exchange(effect, &mut self.payload, state);
        }
    }

    /// Forgets the redo tail; gives the number of records lost.
    pub fn truncate_future(&mut self) -> u64 {
        let lost = self.future_len();
        if let Some(record) = self.record(self.cursor).copied() {
            self.end_seq = record.seq;
            self.drop_tail(record.effects, record.reads, record.payload);
            self.records.truncate((self.cursor - self.first) as usize);
        }
        lost
    }

    /// Tells that the state was replaced by the one at a position (a checkpoint was restored). Records before the position stay
    /// when it lies behind the present one; everything else is forgotten.
    pub fn rebase(&mut self, position: u64, seq: u64) {
        self.truncate_future();
        if position < self.first || position > self.cursor {
            self.drop_records_before(self.end());
            self.first = position;
        }
        self.floor = if self.records.is_empty() {
            position
        } else {
            self.floor.min(position)
        };
        self.cursor = position;
        self.truncate_future();
        self.end_seq = seq;
    }

    fn drop_tail(&mut self, effects: u64, reads: u64, payload: u64) {
        self.effects.truncate(effects);
        self.reads.truncate(reads);
        self.payload.log.truncate(payload);
        self.payload.redo.truncate(0);
    }

    fn drop_records_before(&mut self, at: u64) {
        let n = (at.saturating_sub(self.first) as usize).min(self.records.len());
        self.records.drain(..n);
        self.first += n as u64;
        self.raise_floor(self.first);
        let (effects, reads) = match self.records.front() {
            Some(r) => (r.effects, r.reads),
            None => (self.effects.end(), self.reads.end()),
        };
        self.effects.drop_before(effects);
        self.reads.drop_before(reads);
    }

    fn raise_floor(&mut self, position: u64) {
        if position > self.floor {
            self.floor = position;
            self.payload.log.free_before(
                self.record(position)
                    .map_or(self.payload.log.end(), |r| r.payload),
            );
        }
    }

    /// Drops what exceeds the budget. Ranges may use half of it, so that they outlive the payload.
    fn evict(&mut self) {
        while self.log_bytes() > self.budget / 2 && self.first < self.cursor {
            self.drop_records_before(self.first + 1);
        }
        while self.used() > self.budget && self.floor < self.cursor {
            self.raise_floor(self.floor + 1);
        }
        while self.used() > self.budget && self.first < self.cursor {
            self.drop_records_before(self.first + 1);
        }
        if self.used() > self.budget {
            self.truncate_future();
        }
    }

    // What follows is the side of the writer: `open`, changes, then `close` or `cancel`.

    /// Begins a step: the redo tail is forgotten.
    pub(super) fn open(&mut self, head: StepHead) -> Record {
        self.truncate_future();
        Record {
            seq: self.end_seq,
            head,
            notes: 0,
            effects: self.effects.end(),
            reads: self.reads.end(),
            payload: self.payload.log.end(),
        }
    }

    /// Appends an effect that is about to be made.
    pub(super) fn push(&mut self, effect: Effect) {
        self.effects.items.push_back(effect);
    }

    /// Replaces the effect pushed last.
    pub(super) fn replace_last(&mut self, effect: Effect) {
        if let Some(last) = self.effects.items.back_mut() {
            *last = effect;
        }
    }

    /// Appends a read range; joins it with the one before where they touch.
    pub(super) fn push_read(&mut self, open: &Record, rect: Rect) {
        if !self.recording || !self.record_reads || rect.is_empty() {
            return;
        }
        let own = self.reads.end() > open.reads;
        match self.reads.items.back_mut().filter(|_| own) {
            Some(last) if last.contains(&rect) => {}
            Some(last) => match last.join(&rect) {
                Some(joined) => *last = joined,
                None => self.reads.items.push_back(rect),
            },
            None => self.reads.items.push_back(rect),
        }
    }

    /// The bytes of effects.
    pub(super) fn payload(&self) -> &Payload {
        &self.payload
    }

    /// The bytes of effects, to be changed.
    pub(super) fn payload_mut(&mut self) -> &mut Payload {
        &mut self.payload
    }

    /// Ends a step.
    pub(super) fn close(&mut self, record: Record) -> StepDone {
        let at = self.cursor;
        self.cursor += 1;
        self.end_seq += u64::from(record.head.kind == StepKind::Retire);
        if !self.recording {
            (self.first, self.floor) = (self.cursor, self.cursor);
            self.drop_tail(record.effects, record.reads, record.payload);
            return StepDone {
                at,
                seq: record.seq,
                undoable: false,
            };
        }
        self.records.push_back(record);
        if self.payload.log.end() - record.payload > self.budget / 8 {
            self.raise_floor(self.cursor);
        }
        self.evict();
        StepDone {
            at,
            seq: record.seq,
            undoable: self.floor <= at,
        }
    }

    /// Takes back an open step.
    pub(super) fn cancel(&mut self, record: &Record, state: &mut State) {
        self.undo_effects(record.effects..self.effects.end(), state);
        self.drop_tail(record.effects, record.reads, record.payload);
    }
}
