//! A whole state as bytes, to keep it in a file and to take it up again.
//!
//! Little-endian: 8 bytes `TPBSTATE`, version, memory sizes, reset values, the written pages of the three memories (number,
//! bytes, written bits), hidden words, registers and counters, patches, and the digest of the state, which tells damage.

use super::dram;
use super::hidden::{HIDDEN_WORDS, Region};
use super::memory::{Geometry, PAGE, PARTITIONS};
use super::rect::{Rect, Space};
use super::state::{Reset, State};
use super::written::{self, WORD};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"TPBSTATE";
/// Of this layout; hidden words, whose number is part of the file, may change without it.
const VERSION: u32 = 1;

/// Why bytes are no state.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImageError {
    /// Something else.
    #[error("no saved state: it does not begin with TPBSTATE")]
    Magic,
    /// Of another version of the tool.
    #[error("a saved state of version {found}, this tool reads {VERSION}")]
    Version {
        /// What it says.
        found: u32,
    },
    /// Of another version of the tool, or damaged.
    #[error("byte {at:#x}: {what}")]
    Value {
        /// Where.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// Ends too early.
    #[error("it ends at byte {at:#x}, in the middle")]
    Short {
        /// Its length.
        at: usize,
    },
    /// The digest in it is not that of what it holds.
    #[error("damaged: digest {found:#018x}, it should be {expected:#018x}")]
    Digest {
        /// Of what was read.
        found: u64,
        /// What the file says.
        expected: u64,
    },
}

impl State {
    /// The state as bytes, for [`State::from_image`].
    pub fn to_image(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let word = |out: &mut Vec<u8>, w: u32| out.extend(w.to_le_bytes());
        let long = |out: &mut Vec<u8>, w: u64| out.extend(w.to_le_bytes());
        word(&mut out, VERSION);
        word(&mut out, self.geometry.sbuf_bytes);
        word(&mut out, self.geometry.psum_bytes);
        long(&mut out, self.geometry.dram_bytes);
        out.push(self.reset.memory);
        word(&mut out, self.reset.registers);
        let page = |out: &mut Vec<u8>, number: u64, data: &[u8], bits: &[u64]| {
            long(out, number);
            out.extend(data);
            bits.iter().for_each(|w| long(out, *w));
        };
        for bank in [&self.sbuf, &self.psum] {
            long(&mut out, bank.pages().count() as u64);
            bank.pages()
                .for_each(|(n, data, bits)| page(&mut out, n, data, bits));
        }
        long(&mut out, self.dram.pages().count() as u64);
        self.dram
            .pages()
            .for_each(|(n, p)| page(&mut out, n, &p.data, &p.bits));
        word(&mut out, HIDDEN_WORDS);
        self.hidden.all().iter().for_each(|w| word(&mut out, *w));
        let s = &self.small;
        s.regs
            .as_flattened()
            .iter()
            .for_each(|w| word(&mut out, *w));
        s.defined.iter().for_each(|w| long(&mut out, *w));
        s.sems.iter().for_each(|w| word(&mut out, *w));
        s.events.iter().for_each(|w| long(&mut out, *w));
        s.pcs.iter().for_each(|w| long(&mut out, *w));
        out.extend(s.flags);
        s.sched.iter().for_each(|w| long(&mut out, *w));
        long(&mut out, s.patches.len() as u64);
        for ((agent, index), bundle) in &s.patches {
            out.push(*agent);
            long(&mut out, *index);
            out.extend(bundle);
        }
        long(&mut out, self.digest());
        out
    }

    /// A state from its bytes; `geometry` is that of the core it is meant for.
    ///
    /// # Errors
    /// [`ImageError`]: something else, of another core or version, cut, damaged.
    pub fn from_image(bytes: &[u8], geometry: Geometry) -> Result<State, ImageError> {
        let mut r = Reader { bytes, at: 0 };
        if r.take(8).ok() != Some(MAGIC) {
            return Err(ImageError::Magic);
        }
        let found = r.word()?;
        if found != VERSION {
            return Err(ImageError::Version { found });
        }
        let at = r.at;
        let found = Geometry {
            sbuf_bytes: r.word()?,
            psum_bytes: r.word()?,
            dram_bytes: r.long()?,
        };
        if found != geometry {
            let what = "memories of other sizes: the state is of another generation".to_owned();
            return Err(ImageError::Value { at, what });
        }
        let reset = Reset {
            memory: r.byte()?,
            registers: r.word()?,
        };
        let mut state = State::new(geometry, reset);
        for space in [Space::Sbuf, Space::Psum, Space::Dram] {
            r.pages(&mut state, space)?;
        }
        let at = r.at;
        let words = r.word()?;
        if words != HIDDEN_WORDS {
            let what = format!("{words} hidden words, this tool has {HIDDEN_WORDS}");
            return Err(ImageError::Value { at, what });
        }
        for region in Region::ALL {
            for word in state.hidden.words_mut(*region) {
                *word = r.word()?;
            }
        }
        let s = &mut state.small;
        for word in s.regs.as_flattened_mut() {
            *word = r.word()?;
        }
        r.longs(&mut s.defined)?;
        for word in &mut s.sems {
            *word = r.word()?;
        }
        r.longs(&mut s.events)?;
        r.longs(&mut s.pcs)?;
        for flag in &mut s.flags {
            *flag = r.byte()?;
        }
        r.longs(&mut s.sched)?;
        for _ in 0..r.long()? {
            let key = (r.byte()?, r.long()?);
            let bundle = r.array()?;
            s.patches.insert(key, bundle);
        }
        let (found, expected) = (state.digest(), r.long()?);
        if found != expected {
            return Err(ImageError::Digest { found, expected });
        }
        if r.at != bytes.len() {
            let what = "bytes behind the end".to_owned();
            return Err(ImageError::Value { at: r.at, what });
        }
        Ok(state)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], ImageError> {
        let short = ImageError::Short {
            at: self.bytes.len(),
        };
        let end = self.at.checked_add(len).ok_or(short.clone())?;
        let bytes = self.bytes.get(self.at..end).ok_or(short)?;
        self.at = end;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ImageError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn byte(&mut self) -> Result<u8, ImageError> {
        self.array().map(u8::from_le_bytes)
    }

    fn word(&mut self) -> Result<u32, ImageError> {
        self.array().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, ImageError> {
        self.array().map(u64::from_le_bytes)
    }

    fn longs(&mut self, all: &mut [u64]) -> Result<(), ImageError> {
        for word in all {
            *word = self.long()?;
        }
        Ok(())
    }

    /// The pages of a memory, in ascending order; of their bytes only the written ones count.
    fn pages(&mut self, state: &mut State, space: Space) -> Result<(), ImageError> {
        let size = if space == Space::Dram {
            dram::PAGE
        } else {
            PAGE
        };
        let per_row = state.geometry.bytes(space).div_ceil(size as u64);
        let rows = match space {
            Space::Dram => 1,
            _ => u64::from(PARTITIONS),
        };
        let mut next = 0;
        for _ in 0..self.long()? {
            let at = self.at;
            let number = self.long()?;
            if number < next || number >= per_row * rows {
                let what = format!("page {number} of {space}, out of order or out of range");
                return Err(ImageError::Value { at, what });
            }
            next = number + 1;
            let data = self.take(size)?;
            let mut bits = vec![0; size / WORD];
            self.longs(&mut bits)?;
            let (part, off) = (number / per_row, number % per_row * size as u64);
            let len = (size as u64).min(state.geometry.bytes(space) - off) as u32;
            let page = Rect::new(space, part as u16, 1, off, len);
            let reset = state.reset.memory;
            state.segments_mut(&page.into(), |to| {
                for (i, (cell, byte)) in to.bytes.iter_mut().zip(data).enumerate() {
                    let written = !written::all_clear(&bits, i, 1);
                    *cell = if written { *byte } else { reset };
                }
                written::set_mask(to.bits, to.bit, &bits);
            });
        }
        Ok(())
    }
}
