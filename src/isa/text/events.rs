//! Waits `$S[10]>0`, `$E[5]==1:clear` and updates `$S[22]++@complete`, `$E[3]=0@read`.

use std::fmt::Write;

use super::{Cursor, TextError};
use crate::isa::fields::{UpdateMode, WaitMode};

/// A wait or an update with its operand, as read from text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// `$S[10]>0`.
    Wait {
        /// Mode code.
        mode: WaitMode,
        /// Semaphore or event.
        idx: u8,
        /// Threshold, when the mode has one.
        value: Option<u32>,
    },
    /// `$S[22]++@complete`.
    Update {
        /// Mode code.
        mode: UpdateMode,
        /// Semaphore or event.
        idx: u8,
        /// Operand, when the mode has one.
        value: Option<u32>,
    },
}

/// Comparators, longest first, with the low bits of their mode.
const COMPARE: [(&str, u8); 5] = [("==", 1), ("<=", 3), (">=", 5), ("<", 2), (">", 4)];
/// Updates with an operand and the low bits of their mode.
const CHANGE: [(&str, u8); 3] = [("+=", 5), ("-=", 7), ("=", 9)];

/// Appends the wait; false when there is none or its mode has no notation.
pub fn print_wait(out: &mut String, mode: WaitMode, idx: u8, value: u32) -> bool {
    if let Some(low) = mode.comparator() {
        let sign = COMPARE.iter().find(|c| c.1 == low).map_or("", |c| c.0);
        let _ = write!(out, "$S[{idx}]{sign}");
        match mode.0 & 0xF0 {
            0x80 => write!(out, "r{value}"),
            0x90 => write!(out, "r{}+{}", value & 0xFF, value >> 8),
            _ => write!(out, "{}", Number(value)),
        }
        .is_ok()
    } else if mode.on_event() {
        let (state, then) = match mode.0 {
            0x06 => (1, ""),
            0x07 => (1, ":clear"),
            0x0E => (0, ""),
            _ => (0, ":set"),
        };
        write!(out, "$E[{idx}]=={state}{then}").is_ok()
    } else {
        false
    }
}

/// Appends the update; false when there is none or its mode is undefined.
pub fn print_update(out: &mut String, mode: UpdateMode, idx: u8, value: u32) -> bool {
    let Some(action) = mode.action() else {
        return false;
    };
    let _ = match action {
        1 | 2 => write!(out, "$E[{idx}]={}", 2 - action),
        3 => write!(out, "$S[{idx}]++"),
        4 => write!(out, "$S[{idx}]--"),
        _ => {
            let sign = CHANGE.iter().find(|c| c.1 == action).map_or("", |c| c.0);
            let _ = write!(out, "$S[{idx}]{sign}");
            if mode.from_register() {
                write!(out, "r{value}")
            } else {
                write!(out, "{}", Number(value))
            }
        }
    };
    out.push_str(if mode.on_complete() {
        "@complete"
    } else {
        "@read"
    });
    true
}

/// Decimal when short, hex when not.
struct Number(u32);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 < 0x1_0000 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:#x}", self.0)
        }
    }
}

/// Reads a word that starts with `$S[` or `$E[`.
///
/// # Errors
/// The word is neither a wait nor an update.
pub fn parse(c: &mut Cursor<'_>) -> Result<Sync, TextError> {
    let event = c.eat("$E[");
    if !event {
        c.expect("$S[").map_err(|e| TextError {
            expected: "`$S[` or `$E[`".into(),
            ..e
        })?;
    }
    let idx = c.number_in("a semaphore or event number", 0, 255)? as u8;
    c.expect("]")?;
    let sync = if event {
        parse_event(c, idx)?
    } else {
        parse_semaphore(c, idx)?
    };
    c.end()?;
    Ok(sync)
}

fn parse_event(c: &mut Cursor<'_>, idx: u8) -> Result<Sync, TextError> {
    if c.eat("==") {
        let set = c.number_in("0 or 1", 0, 1)? == 1;
        let mode = match (set, c.peek()) {
            (true, Some(':')) => c.expect(":clear").map(|()| 0x07)?,
            (false, Some(':')) => c.expect(":set").map(|()| 0x0F)?,
            (true, _) => 0x06,
            (false, _) => 0x0E,
        };
        return Ok(Sync::Wait {
            mode: WaitMode(mode),
            idx,
            value: None,
        });
    }
    if !c.eat("=") {
        return Err(c.error("`==` (wait) or `=` (update)"));
    }
    let action = 2 - c.number_in("0 or 1", 0, 1)? as u8;
    Ok(Sync::Update {
        mode: UpdateMode(action | when(c)?),
        idx,
        value: None,
    })
}

fn parse_semaphore(c: &mut Cursor<'_>, idx: u8) -> Result<Sync, TextError> {
    for (word, action) in [("++", 3), ("--", 4)] {
        if c.eat(word) {
            return Ok(Sync::Update {
                mode: UpdateMode(action | when(c)?),
                idx,
                value: None,
            });
        }
    }
    for (sign, low) in COMPARE {
        if c.eat(sign) {
            let (mark, value) = operand(c, true)?;
            return Ok(Sync::Wait {
                mode: WaitMode(mark | low),
                idx,
                value: Some(value),
            });
        }
    }
    for (sign, action) in CHANGE {
        if c.eat(sign) {
            let (mark, value) = operand(c, false)?;
            return Ok(Sync::Update {
                mode: UpdateMode(mark | action | when(c)?),
                idx,
                value: Some(value),
            });
        }
    }
    Err(c.error("a comparison (== < <= > >=) or an update (++ -- += -= =)"))
}

/// A number or a register: the high bits of the mode and the value field.
fn operand(c: &mut Cursor<'_>, with_offset: bool) -> Result<(u8, u32), TextError> {
    if !c.eat("r") {
        let n = c.number_in("a number or a register rN", 0, 0xFFFF_FFFF)?;
        return Ok((0, n as u32));
    }
    let start = c.pos();
    let register = c.number_in("a register number", 0, 0xFFFF_FFFF)? as u32;
    if !(with_offset && c.eat("+")) {
        return Ok((0x80, register));
    }
    if register > 255 {
        return Err(c.error_from(start, "a register number of 8 bits"));
    }
    let offset = c.number_in("an offset", 0, 0xFF_FFFF)? as u32;
    Ok((0x90, offset << 8 | register))
}

/// `@complete`, `@read`, or nothing for complete.
fn when(c: &mut Cursor<'_>) -> Result<u8, TextError> {
    if !c.eat("@") {
        return Ok(0x10);
    }
    match c.word() {
        "complete" => Ok(0x10),
        "read" => Ok(0),
        _ => Err(c.error("`complete` or `read` after the `@`")),
    }
}
