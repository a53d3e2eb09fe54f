//! The EVENTS band from its words: waits, updates, the `ext` lane and the keys for leftovers.

use super::lexer::Word;
use crate::isa::field::EnumDesc;
use crate::isa::fields::{Events, EventsExt, UpdateMode, WaitMode};
use crate::isa::text::events::{self, Sync};
use crate::isa::text::{Cursor, TextError};

/// What was said about one wait or update: mode, index, operand.
#[derive(Clone, Copy, Default)]
struct Slot {
    mode: Option<(u8, u8)>,
    idx: Option<u8>,
    value: Option<u32>,
}

impl Slot {
    fn mode(self) -> u8 {
        self.mode.map_or(0, |m| m.0)
    }

    fn idx(self) -> u8 {
        self.mode.map(|m| m.1).or(self.idx).unwrap_or(0)
    }
}

/// A wait and an update with their operands.
#[derive(Clone, Copy, Default)]
pub struct Lane {
    wait: Slot,
    update: Slot,
    shared: Option<u32>,
}

impl Lane {
    /// Takes a `$..` word.
    pub fn word(&mut self, word: Word<'_>) -> Result<(), TextError> {
        let sync = events::parse(&mut Cursor::new(word.text)).map_err(|e| e.shifted(word.at))?;
        let (slot, what, mode, idx, value) = match sync {
            Sync::Wait { mode, idx, value } => (&mut self.wait, "wait", mode.0, idx, value),
            Sync::Update { mode, idx, value } => (&mut self.update, "update", mode.0, idx, value),
        };
        if slot.mode.is_some() {
            return Err(word
                .error(format!("one {what} per lane"))
                .hint("EVENT_SEMAPHORE has a second lane after the word `ext`"));
        }
        slot.mode = Some((mode, idx));
        slot.value = value;
        Ok(())
    }

    /// Takes a leftover key without its `ext_`; false when it is none.
    pub fn key(&mut self, key: &str, value: Word<'_>) -> Result<bool, TextError> {
        let mut c = Cursor::new(value.text);
        let taken = match key {
            "wait" => code(&mut c, &WaitMode::DESC).map(|m| self.wait.mode = Some(m)),
            "update" => code(&mut c, &UpdateMode::DESC).map(|m| self.update.mode = Some(m)),
            "wait_idx" => byte(&mut c).map(|i| self.wait.idx = Some(i)),
            "update_idx" => byte(&mut c).map(|i| self.update.idx = Some(i)),
            "sem_value" => long(&mut c).map(|v| self.shared = Some(v)),
            "wait_value" => long(&mut c).map(|v| self.wait.value = Some(v)),
            "update_value" => long(&mut c).map(|v| self.update.value = Some(v)),
            _ => return Ok(false),
        };
        taken
            .and_then(|()| c.end())
            .map(|()| true)
            .map_err(|e| e.shifted(value.at))
    }

    /// Nothing was said.
    pub fn is_empty(&self) -> bool {
        let Lane { wait, update, .. } = self;
        self.shared.is_none()
            && [wait, update]
                .iter()
                .all(|s| s.mode.is_none() && s.idx.is_none() && s.value.is_none())
    }

    /// The inline band: one operand serves both.
    pub fn events(&self) -> Result<Events, TextError> {
        let mut value = self.shared;
        for v in [self.wait.value, self.update.value].into_iter().flatten() {
            match value {
                Some(other) if other != v => {
                    return Err(TextError::new(
                        0..0,
                        format!("the operands {other} and {v}"),
                        "one value: wait and update of a bundle share the field",
                    )
                    .hint("EVENT_SEMAPHORE has a second lane after the word `ext`"));
                }
                _ => value = Some(v),
            }
        }
        Ok(Events {
            wait: WaitMode(self.wait.mode()),
            wait_idx: self.wait.idx(),
            update: UpdateMode(self.update.mode()),
            update_idx: self.update.idx(),
            value: value.unwrap_or(0),
        })
    }

    /// The extended band.
    pub fn ext(&self) -> EventsExt {
        EventsExt {
            wait: WaitMode(self.wait.mode()),
            wait_idx: self.wait.idx(),
            update: UpdateMode(self.update.mode()),
            update_idx: self.update.idx(),
            wait_value: self.wait.value.unwrap_or(0),
            update_value: self.update.value.unwrap_or(0),
        }
    }
}

fn byte(c: &mut Cursor<'_>) -> Result<u8, TextError> {
    c.number_in("a semaphore or event number", 0, 255)
        .map(|n| n as u8)
}

fn long(c: &mut Cursor<'_>) -> Result<u32, TextError> {
    c.number_in("a 32-bit number", 0, 0xFFFF_FFFF)
        .map(|n| n as u32)
}

/// `0x44:5` or `UNORDERED:5`.
fn code(c: &mut Cursor<'_>, desc: &EnumDesc) -> Result<(u8, u8), TextError> {
    let mode = if c.at_number() {
        c.number_in("a mode", 0, 255)? as u8
    } else {
        let start = c.pos();
        let word = c.word();
        desc.value_of(word)
            .ok_or_else(|| c.error_from(start, format!("a {} or its code", desc.name)))?
    };
    let idx = if c.eat(":") { byte(c)? } else { 0 };
    Ok((mode, idx))
}
