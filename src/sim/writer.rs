//! The one door for changes of the state. A [`Writer`] is an open step: it is committed, or everything it did is taken back.

use super::effect::{Effect, Marks, exchange, exchange_small, marks_of, mask_bytes};
use super::hidden::Region;
use super::journal::{Journal, Record, StepDone, StepHead};
use super::memory::MemError;
use super::rect::{Rect, Runs, Space};
use super::state::State;
use super::strided;
use super::sync::Sync;
use super::written::{self, WORD};

/// An open step. Dropping it without [`Writer::commit`] takes back all its changes.
pub struct Writer<'a> {
    state: &'a mut State,
    journal: &'a mut Journal,
    record: Record,
    open: bool,
}

/// How a store is recorded.
#[derive(Clone, Copy)]
struct Plan {
    marks: Marks,
    /// Where its bytes go.
    payload: u64,
}

impl<'a> Writer<'a> {
    /// Begins a step. A redo tail is forgotten.
    pub(in crate::sim) fn begin(
        state: &'a mut State,
        journal: &'a mut Journal,
        head: StepHead,
    ) -> Writer<'a> {
        let record = journal.open(head);
        Writer {
            state,
            journal,
            record,
            open: true,
        }
    }

    /// Ends the step and keeps it.
    pub fn commit(mut self) -> StepDone {
        self.open = false;
        self.journal.close(self.record)
    }

    /// Ends the step and takes back its changes, as dropping does.
    pub fn abort(self) {}

    /// The state as changed so far.
    pub fn state(&self) -> &State {
        self.state
    }

    /// Sets bits of the record's notes.
    pub fn note(&mut self, bits: u8) {
        self.record.notes |= bits;
    }

    /// Records that the step reads a rectangle.
    pub fn read(&mut self, rect: Rect) {
        self.journal.push_read(&self.record, rect);
    }

    /// Records how the step orders itself against others.
    pub fn sync(&mut self, sync: Sync) {
        if self.journal.recording() {
            self.journal.push(Effect::Sync(sync));
        }
    }

    /// Stores packed bytes, partition after partition.
    pub fn store(&mut self, rect: &Rect, src: &[u8]) -> Result<(), MemError> {
        self.store_runs(&(*rect).into(), src)
    }

    /// Stores packed bytes: partition after partition, and inside one run after run.
    pub fn store_runs(&mut self, runs: &Runs, mut src: &[u8]) -> Result<(), MemError> {
        if src.len() as u64 != runs.bytes() {
            return Err(MemError::Size {
                rect: runs.first,
                found: src.len() as u64,
            });
        }
        let Some(plan) = self.plan(runs)? else {
            return Ok(());
        };
        if runs.count > 1 && runs.first.space != Space::Dram && plan.marks != Marks::Some {
            self.scatter(runs, plan, src);
            return Ok(());
        }
        self.rewrite(runs, plan, |dst| {
            if let Some(piece) = src.split_off(..dst.len()) {
                dst.copy_from_slice(piece);
            }
        });
        Ok(())
    }

    /// Stores one slice per partition; `row` gets 0 for the first.
    pub fn store_rows<'s>(
        &mut self,
        rect: &Rect,
        mut row: impl FnMut(usize) -> &'s [u8],
    ) -> Result<(), MemError> {
        let (mut number, mut rest, mut wrong) = (0, &[][..], None);
        self.change(&(*rect).into(), |dst| {
            if rest.is_empty() {
                rest = row(number);
                number += 1;
                if rest.len() != rect.len as usize {
                    wrong = Some(rest.len() as u64);
                }
            }
            match rest.split_off(..dst.len()) {
                Some(piece) => dst.copy_from_slice(piece),
                None => rest = &[],
            }
        })?;
        wrong.map_or(Ok(()), |found| {
            Err(MemError::Size {
                rect: Rect { parts: 1, ..*rect },
                found,
            })
        })
    }

    /// Lets `edit` change the bytes in place. It gets the pieces in order: partition after partition, inside one run after
    /// run; DRAM is also cut at page boundaries.
    pub fn change(&mut self, runs: &Runs, edit: impl FnMut(&mut [u8])) -> Result<(), MemError> {
        if let Some(plan) = self.plan(runs)? {
            self.rewrite(runs, plan, edit);
        }
        Ok(())
    }

    /// Checks a store and appends its effect; `None` when it holds no byte.
    fn plan(&mut self, runs: &Runs) -> Result<Option<Plan>, MemError> {
        self.state.geometry.check(&runs.bounds())?;
        if runs.bytes() == 0 {
            return Ok(None);
        }
        let payload = self.journal.payload_mut().log.end();
        if !self.journal.recording() {
            return Ok(Some(Plan {
                marks: Marks::None,
                payload,
            }));
        }
        let marks = marks_of(runs, self.state);
        if marks == Marks::None {
            self.journal.push(Effect::FirstBytes {
                runs: *runs,
                undone: false,
            });
            return Ok(Some(Plan { marks, payload }));
        }
        let masked = marks == Marks::Some;
        let log = &mut self.journal.payload_mut().log;
        log.reserve(runs.bytes() as usize + if masked { mask_bytes(runs) } else { 0 });
        if masked {
            self.state.all_segments(runs, |s| {
                for word in written::clear_mask(s.bits, s.bit, s.bytes.len()) {
                    log.push(&word.to_le_bytes());
                }
                true
            });
        }
        self.journal.push(Effect::Bytes {
            runs: *runs,
            payload,
            masked,
        });
        Ok(Some(Plan { marks, payload }))
    }

    /// Saves, marks and changes piece by piece, while each is in the cache.
    fn rewrite(&mut self, runs: &Runs, plan: Plan, mut edit: impl FnMut(&mut [u8])) {
        let log = &mut self.journal.payload_mut().log;
        let mut same = plan.marks == Marks::All;
        self.state.segments_mut(runs, |s| {
            let saved = if plan.marks == Marks::None {
                &[]
            } else {
                log.push(s.bytes)
            };
            if plan.marks != Marks::All {
                written::set(s.bits, s.bit, s.bytes.len());
            }
            edit(s.bytes);
            same = same && *saved == *s.bytes;
        });
        self.drop_equal(runs, plan, same);
    }

    /// The same for packed bytes into short runs on chip, by whole rows.
    fn scatter(&mut self, runs: &Runs, plan: Plan, src: &[u8]) {
        let (len, step) = (runs.first.len as usize, runs.step as usize);
        let size = len * runs.count as usize;
        let log = &mut self.journal.payload_mut().log;
        let mut same = plan.marks == Marks::All;
        let mut rows = src.chunks_exact(size);
        // Partitions start on word boundaries, so one mask serves every row.
        let shift = (runs.first.off % WORD as u64) as usize;
        let mut mask = vec![0; written::words_touched(shift, runs.bounds().len as usize)];
        (0..runs.count as usize).for_each(|i| written::set(&mut mask, shift + i * step, len));
        self.state.segments_mut(&runs.bounds().into(), |s| {
            let Some(src) = rows.next() else { return };
            if plan.marks == Marks::All {
                let saved = log.push_filled(size, |out| strided::gather(s.bytes, step, len, out));
                same = same && saved == src;
            } else {
                written::set_mask(s.bits, s.bit, &mask);
            }
            strided::scatter(src, s.bytes, step, len);
        });
        self.drop_equal(runs, plan, same);
    }

    /// A store that changed nothing keeps its range only.
    fn drop_equal(&mut self, runs: &Runs, plan: Plan, same: bool) {
        if same {
            self.journal.payload_mut().log.truncate(plan.payload);
            self.journal.replace_last(Effect::SameBytes(*runs));
        }
    }

    /// Marks bytes as never written; they get the reset value, as such bytes hold it.
    ///
    /// # Errors
    /// [`MemError::Bounds`] when a byte does not exist.
    pub fn forget(&mut self, runs: &Runs) -> Result<(), MemError> {
        self.state.geometry.check(&runs.bounds())?;
        if runs.bytes() == 0 || marks_of(runs, self.state) == Marks::None {
            return Ok(());
        }
        let recording = self.journal.recording();
        let log = &mut self.journal.payload_mut().log;
        let payload = log.end();
        if recording {
            log.reserve(mask_bytes(runs) + runs.bytes() as usize);
            self.state.all_segments(runs, |s| {
                for word in written::marked(s.bits, s.bit, s.bytes.len()) {
                    log.push(&word.to_le_bytes());
                }
                true
            });
        }
        let reset = self.state.reset.memory;
        self.state.segments_mut(runs, |s| {
            if recording {
                log.push(s.bytes);
            }
            s.bytes.fill(reset);
            written::clear(s.bits, s.bit, s.bytes.len());
        });
        if recording {
            self.journal.push(Effect::Bytes {
                runs: *runs,
                payload,
                masked: true,
            });
        }
        Ok(())
    }

    /// Sets a register and marks it defined.
    pub fn set_reg(&mut self, agent: u8, reg: u8, value: u32) {
        self.make(Effect::Reg {
            agent,
            reg,
            defined: true,
            value,
        });
    }

    /// Sets a semaphore.
    pub fn set_sem(&mut self, sem: u8, value: u32) {
        self.make(Effect::Sem { sem, value });
    }

    /// Sets or clears an event.
    pub fn set_event(&mut self, event: u8, set: bool) {
        self.make(Effect::Event { event, set });
    }

    /// Moves a program counter.
    pub fn set_pc(&mut self, agent: u8, index: u64) {
        self.make(Effect::Pc { agent, index });
    }

    /// Sets the condition bits of a stream.
    pub fn set_flags(&mut self, agent: u8, value: u8) {
        self.make(Effect::Flags { agent, value });
    }

    /// Sets a word of scheduler state.
    pub fn set_sched(&mut self, slot: u8, value: u64) {
        self.make(Effect::Sched { slot, value });
    }

    /// Replaces a bundle of the program, or removes the replacement.
    pub fn set_patch(&mut self, agent: u8, index: u64, bundle: Option<&[u8; 64]>) {
        let log = &mut self.journal.payload_mut().log;
        let payload = log.reserve(64);
        log.push(bundle.unwrap_or(&[0; 64]));
        self.make_any(Effect::Patch {
            agent,
            index,
            present: bundle.is_some(),
            payload,
        });
    }

    /// Sets the words of a hidden region; surplus words on either side are left alone.
    pub fn set_hidden(&mut self, region: Region, words: &[u32]) {
        let len = region
            .len
            .min(u32::try_from(words.len()).unwrap_or(u32::MAX));
        self.change_hidden(region.slice(0, len), |dst| {
            dst.iter_mut().zip(words).for_each(|(d, w)| *d = *w)
        });
    }

    /// Lets `edit` change the words of a hidden region in place.
    pub fn change_hidden(&mut self, region: Region, edit: impl FnOnce(&mut [u32])) {
        if self.journal.recording() {
            let words = self.state.hidden(region);
            let log = &mut self.journal.payload_mut().log;
            let payload = log.reserve(4 * words.len());
            log.push_filled(4 * words.len(), |out| {
                let out = out.as_chunks_mut::<4>().0;
                out.iter_mut()
                    .zip(words)
                    .for_each(|(o, w)| *o = w.to_le_bytes());
            });
            let len = words.len() as u32;
            self.journal.push(Effect::Hidden {
                start: region.start,
                len,
                payload,
            });
        }
        edit(self.state.hidden.words_mut(region));
    }

    /// Makes a change of a single word whose new value is in the effect; the old one takes its place.
    #[inline(always)]
    fn make(&mut self, mut effect: Effect) {
        exchange_small(&mut effect, &mut self.state.small);
        if self.journal.recording() {
            self.journal.push(effect);
        }
    }

    /// The same for any change.
    fn make_any(&mut self, mut effect: Effect) {
        exchange(&mut effect, self.journal.payload_mut(), self.state);
        if self.journal.recording() {
            self.journal.push(effect);
        }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if self.open {
            self.journal.cancel(&self.record, self.state);
        }
    }
}
