//! One change of the state, kept so that it can be taken back and made again.

use super::arena::Arena;
use super::hidden::Region;
use super::memory::Segment;
use super::rect::Runs;
use super::state::{Small, State};
use super::sync::Sync;
use super::written;
use std::mem::swap;

/// Bytes that effects refer to.
#[derive(Default)]
pub(super) struct Payload {
    /// Former values, addressed by position.
    pub log: Arena,
    /// New values of undone first writes: a stack, since redo runs against undo.
    pub redo: Arena,
}

/// What a store finds in the written bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    /// Every byte was written before.
    All,
    /// No byte was.
    None,
    /// Some were.
    Some,
}

/// One change. The value inside is the one the state does not hold: the old one while the change is made, the new one while it
/// is taken back. [`exchange`] swaps the two, so the same record serves undo and redo.
///
/// `payload` is a position in [`Payload::log`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Done: bytes stored and marked written. Undone: former bytes and written bits.
    Bytes {
        /// Where.
        runs: Runs,
        /// The mask, if any, and the bytes, partition after partition.
        payload: u64,
        /// True: some bytes were not written before. The mask names them; its bits flip both ways.
        masked: bool,
    },
    /// Done: bytes stored and marked where none was written before. Undone: reset bytes and no marks. Needs no payload while
    /// done; while undone the bytes are on the redo stack.
    FirstBytes {
        /// Where.
        runs: Runs,
        /// Whether it is taken back.
        undone: bool,
    },
    /// Done: bytes stored that were there already. Undone: nothing. Watchpoints and heat count it as a write.
    SameBytes(Runs),
    /// Done: a register set and marked defined. Undone: former value and mark.
    Reg {
        /// Register file.
        agent: u8,
        /// Number.
        reg: u8,
        /// Mark.
        defined: bool,
        /// Value.
        value: u32,
    },
    /// Done: a semaphore set. Undone: former count.
    Sem {
        /// Number.
        sem: u8,
        /// Count.
        value: u32,
    },
    /// Done: an event set or cleared. Undone: former state.
    Event {
        /// Number.
        event: u8,
        /// State.
        set: bool,
    },
    /// Done: a program counter moved. Undone: former bundle index.
    Pc {
        /// Stream.
        agent: u8,
        /// Bundle index.
        index: u64,
    },
    /// Done: condition bits of a stream set. Undone: former bits.
    Flags {
        /// Stream.
        agent: u8,
        /// Bits.
        value: u8,
    },
    /// Done: hidden words set. Undone: former words.
    Hidden {
        /// First word.
        start: u32,
        /// Number of words.
        len: u32,
        /// The words, little-endian.
        payload: u64,
    },
    /// Done: a scheduler word set. Undone: former word.
    Sched {
        /// Slot.
        slot: u8,
        /// Word.
        value: u64,
    },
    /// Done: a bundle of the program replaced, or its replacement removed. Undone: former replacement or none.
    Patch {
        /// Stream.
        agent: u8,
        /// Bundle index.
        index: u64,
        /// False: there is no replacement and the payload is void.
        present: bool,
        /// The 64 bytes.
        payload: u64,
    },
    /// No change: what the step did to order itself against others.
    Sync(Sync),
}

impl Effect {
    /// The memory it stores to.
    pub fn runs(&self) -> Option<Runs> {
        match self {
            Effect::Bytes { runs, .. }
            | Effect::FirstBytes { runs, .. }
            | Effect::SameBytes(runs) => Some(*runs),
            _ => None,
        }
    }
}

/// Bytes of the mask of a store that finds [`Marks::Some`]. Pages are whole words, so cuts at pages add none.
pub(super) fn mask_bytes(runs: &Runs) -> usize {
    let words = |off: u64| written::words_touched((off % 64) as usize, runs.first.len as usize);
    8 * usize::from(runs.first.parts) * runs.offsets().map(words).sum::<usize>()
}

/// Swaps the value in the effect with the one in the state. Twice is the identity.
pub(super) fn exchange(effect: &mut Effect, payload: &mut Payload, state: &mut State) {
    match effect {
        Effect::Bytes {
            runs,
            payload: at,
            masked,
        } => swap_bytes(runs, *at, *masked, payload, state),
        Effect::FirstBytes { runs, undone } => {
            swap_first_bytes(runs, *undone, payload, state);
            *undone = !*undone;
        }
        Effect::SameBytes(_) => {}
        Effect::Hidden {
            start,
            len,
            payload: at,
        } => {
            let words = state.hidden.words_mut(Region {
                name: "",
                start: *start,
                len: *len,
            });
            let saved = payload
                .log
                .get_mut(*at, 4 * *len as usize)
                .as_chunks_mut::<4>()
                .0;
            for (word, bytes) in words.iter_mut().zip(saved) {
                *bytes = std::mem::replace(word, u32::from_le_bytes(*bytes)).to_le_bytes();
            }
        }
        Effect::Patch {
            agent,
            index,
            present,
            payload: at,
        } => {
            let Some(saved) = payload.log.get_mut(*at, 64).first_chunk_mut::<64>() else {
                return;
            };
            let patches = &mut state.small.patches;
            let key = (*agent, *index);
            let former = if *present {
                patches.insert(key, *saved)
            } else {
                patches.remove(&key)
            };
            *present = former.is_some();
            *saved = former.unwrap_or(*saved);
        }
        small => exchange_small(small, &mut state.small),
    }
}

/// [`exchange`] for the effects that need no payload: every step has some, so it is inlined where
/// the variant is known.
#[inline(always)]
pub(super) fn exchange_small(effect: &mut Effect, small: &mut Small) {
    match effect {
        Effect::Reg {
            agent,
            reg,
            defined,
            value,
        } => {
            let agent = usize::from(*agent);
            if let Some(cell) = small
                .regs
                .get_mut(agent)
                .and_then(|f| f.get_mut(usize::from(*reg)))
            {
                swap(cell, value);
            }
            if let Some(bits) = small.defined.get_mut(agent) {
                swap_bit(bits, *reg, defined);
            }
        }
        Effect::Sem { sem, value } => {
            if let Some(cell) = small.sems.get_mut(usize::from(*sem)) {
                swap(cell, value);
            }
        }
        Effect::Event { event, set } => {
            if let Some(bits) = small.events.get_mut(usize::from(*event / 64)) {
                swap_bit(bits, *event % 64, set);
            }
        }
        Effect::Pc { agent, index } => {
            if let Some(cell) = small.pcs.get_mut(usize::from(*agent)) {
                swap(cell, index);
            }
        }
        Effect::Flags { agent, value } => {
            if let Some(cell) = small.flags.get_mut(usize::from(*agent)) {
                swap(cell, value);
            }
        }
        Effect::Sched { slot, value } => {
            if let Some(cell) = small.sched.get_mut(usize::from(*slot)) {
                swap(cell, value);
            }
        }
        Effect::Bytes { .. }
        | Effect::FirstBytes { .. }
        | Effect::SameBytes(_)
        | Effect::Hidden { .. }
        | Effect::Patch { .. }
        | Effect::Sync(_) => {}
    }
}

fn swap_bit(bits: &mut u64, bit: u8, value: &mut bool) {
    let mask = 1u64.checked_shl(u32::from(bit)).unwrap_or(0);
    let former = *bits & mask != 0;
    if former != *value {
        *bits ^= mask;
    }
    *value = former;
}

fn swap_bytes(runs: &Runs, at: u64, masked: bool, payload: &mut Payload, state: &mut State) {
    let size = runs.bytes() as usize;
    let mask = if masked { mask_bytes(runs) } else { 0 };
    let saved = payload.log.get_mut(at, mask + size);
    let Some((mut mask, mut saved)) = saved.split_at_mut_checked(mask) else {
        return;
    };
    state.segments_mut(runs, |s| {
        let len = s.bytes.len();
        if let Some(piece) = saved.split_off_mut(..len) {
            s.bytes.swap_with_slice(piece);
        }
        if masked && let Some(words) = mask.split_off_mut(..8 * written::words_touched(s.bit, len))
        {
            written::flip_mask(s.bits, s.bit, words);
        }
    });
}

fn swap_first_bytes(runs: &Runs, undone: bool, payload: &mut Payload, state: &mut State) {
    let size = runs.bytes();
    if undone {
        let at = payload.redo.end().saturating_sub(size);
        let mut saved = &*payload.redo.get_mut(at, size as usize);
        state.segments_mut(runs, |s| {
            if let Some(piece) = saved.split_off(..s.bytes.len()) {
                s.bytes.copy_from_slice(piece);
            }
            written::flip(s.bits, s.bit, s.bytes.len());
        });
        payload.redo.truncate(at);
    } else {
        let reset = state.reset.memory;
        payload.redo.reserve(size as usize);
        state.segments_mut(runs, |s| {
            payload.redo.push(s.bytes);
            s.bytes.fill(reset);
            written::flip(s.bits, s.bit, s.bytes.len());
        });
    }
}

/// Looks at the surroundings first: for short runs the bits between them usually agree.
pub(super) fn marks_of(runs: &Runs, state: &State) -> Marks {
    let set = |s: Segment<'_>| written::all_set(s.bits, s.bit, s.bytes.len());
    let clear = |s: Segment<'_>| written::all_clear(s.bits, s.bit, s.bytes.len());
    let bounds = Runs::from(runs.bounds());
    if state.all_segments(&bounds, set) || (runs.count > 1 && state.all_segments(runs, set)) {
        Marks::All
    } else if state.all_segments(&bounds, clear)
        || (runs.count > 1 && state.all_segments(runs, clear))
    {
        Marks::None
    } else {
        Marks::Some
    }
}
