//! Address words: `00001000` (ADDR4), `@0000000000001000` (ADDR8), and what stands for them:
//! `sbuf[32, 0x100]`, `psum[0, bank 3]`, `dram[0x1000]`, `r7`, `NAME+0x40`.

use std::fmt::Write;

use super::cursor::{is_word, is_word_start};
use super::{Cursor, TextError};
use crate::isa::fields::{Addr4, Addr8, AddrForm, Location};
use crate::isa::generation::{BANK_BYTES, BANKS, REGISTERS};
use crate::isa::{Generation, Space};

/// A byte that an address can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// SBUF or PSUM.
    Chip(Location),
    /// Device memory.
    Dram(u64),
}

impl Target {
    /// The byte `offset` further in the same partition; `None` when it leaves 64 (DRAM) or 32 bits.
    pub fn plus(self, offset: u64) -> Option<Target> {
        match self {
            Target::Chip(l) => {
                let off = u32::try_from(u64::from(l.off).checked_add(offset)?).ok()?;
                Some(Target::Chip(Location { off, ..l }))
            }
            Target::Dram(a) => a.checked_add(offset).map(Target::Dram),
        }
    }
}

/// Looks names up.
pub trait Names {
    /// First byte of the region of that name.
    fn target(&self, name: &str) -> Option<Target>;
    /// A known name like the given one.
    fn similar(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Knows no names.
pub struct NoNames;

impl Names for NoNames {
    fn target(&self, _name: &str) -> Option<Target> {
        None
    }
}

/// Appends an ADDR4 word outside a descriptor: `@00001000`.
pub(super) fn print4(out: &mut String, word: u32) {
    let _ = write!(out, "@{word:08x}");
}

/// Appends an ADDR8 word: `@` and 16 hex digits.
pub(super) fn print8(out: &mut String, word: u64) {
    let _ = write!(out, "@{word:016x}");
}

/// Reads an ADDR4 word, with or without the `@`.
pub(super) fn parse4(
    c: &mut Cursor<'_>,
    g: Generation,
    names: &dyn Names,
) -> Result<u32, TextError> {
    c.eat("@");
    word4(c, g, names)
}

/// Reads an ADDR4 word: exactly 8 hex digits, a `0x` number, a register, a place or a name.
pub(super) fn word4(
    c: &mut Cursor<'_>,
    g: Generation,
    names: &dyn Names,
) -> Result<u32, TextError> {
    let start = c.pos();
    if let Some(word) = hex_digits(c, 8) {
        return Ok(word as u32);
    }
    if c.rest().starts_with("0x") {
        let Ok(word) = u32::try_from(c.number(EXPECTED4)?) else {
            return Err(c
                .error_from(start, "an address of 32 bits")
                .hint("memory address out of uint32 range"));
        };
        // 8 plain digits are the bits of a listing; a number is meant as an address.
        let plain = matches!(Addr4(word).form(), AddrForm::Immediate(_));
        if plain && Location::of_address(word & Addr4::MASK, g).is_none() {
            return Err(c.error_from(start, "an address in SBUF or PSUM"));
        }
        return Ok(word);
    }
    if let Some(n) = register(c)? {
        return Ok(Addr4::REGISTER | u32::from(n));
    }
    match target(c, g, names, EXPECTED4)? {
        Target::Chip(l) => l
            .address(g)
            .ok_or_else(|| c.error_from(start, "a byte inside the partition")),
        Target::Dram(_) => Err(c
            .error_from(start, "an address in sbuf or psum")
            .hint("device memory is reached by DMA only")),
    }
}

const EXPECTED4: &str =
    "an address: 8 hex digits, 0x.., sbuf[P, OFF], psum[P, bank B], rN or a name";
const EXPECTED8: &str = "an address: 0x.., dram[ADDRESS], sbuf[P, OFF], rLO:rHI or a name";

/// Reads an ADDR8 word: hex after `@`, a number, `rLO:rHI`, a place or a name.
pub(super) fn parse8(
    c: &mut Cursor<'_>,
    g: Generation,
    names: &dyn Names,
) -> Result<u64, TextError> {
    let start = c.pos();
    if c.eat("@")
        && let Some(word) = hex_digits(c, 16)
    {
        return Ok(word);
    }
    if c.at_number() {
        return c.number(EXPECTED8);
    }
    if let Some(low) = register(c)? {
        c.expect(":")?;
        let Some(high) = register(c)? else {
            return Err(c.error("the register with the high half, rN"));
        };
        return Ok(0x80 << 56 | u64::from(high) << 8 | u64::from(low));
    }
    match target(c, g, names, EXPECTED8)? {
        Target::Dram(address) => Ok(address),
        Target::Chip(l) => Addr8::at(l).map(|a| a.0).ok_or_else(|| {
            c.error_from(start, "an address in dram or sbuf")
                .hint("psum has no address in the 64-bit map")
        }),
    }
}

/// Exactly `n` hex digits that end there.
fn hex_digits(c: &mut Cursor<'_>, n: usize) -> Option<u64> {
    let mut probe = c.clone();
    let digits = probe.take(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = u64::from_str_radix(digits, 16).ok()?;
    (digits.len() == n).then(|| {
        *c = probe;
        value
    })
}

/// A register `rN`, when one is next.
pub(super) fn register(c: &mut Cursor<'_>) -> Result<Option<u8>, TextError> {
    let mut probe = c.clone();
    let word = probe.word();
    let digits = word.strip_prefix('r').unwrap_or("");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    let start = c.pos();
    *c = probe;
    match digits.parse() {
        Ok(n) if usize::from(n) < REGISTERS => Ok(Some(n)),
        _ => Err(c.error_from(start, "a register, r0..r63")),
    }
}

/// A place of one byte, or a name with an optional `+OFFSET`.
pub fn target(
    c: &mut Cursor<'_>,
    g: Generation,
    names: &dyn Names,
    expected: &str,
) -> Result<Target, TextError> {
    let start = c.pos();
    let word = place_name(c);
    match word {
        "" => return Err(c.error(expected)),
        "sbuf" | "psum" | "dram" => {
            if !c.eat("[") {
                return Err(c.error("`[`"));
            }
            let space = match word {
                "sbuf" => Space::Sbuf,
                "psum" => Space::Psum,
                _ => Space::Dram,
            };
            return place(c, space, g);
        }
        _ => {}
    }
    let Some(base) = names.target(word) else {
        let error = c.error_from(start, expected);
        return Err(match names.similar(word) {
            Some(name) => error.hint(format!("a place is called `{name}`")),
            None => error.hint(format!("declare it: .place {word} sbuf[0:128, 0+4096]")),
        });
    };
    if !c.eat("+") {
        return Ok(base);
    }
    let offset = c.number("an offset in bytes")?;
    base.plus(offset)
        .ok_or_else(|| c.error_from(start, "an offset inside the memory"))
}

/// A name of a region: an identifier that may hold dots.
pub fn place_name<'a>(c: &mut Cursor<'a>) -> &'a str {
    if c.peek().is_some_and(is_word_start) {
        c.take(|c| is_word(c) || c == '.')
    } else {
        ""
    }
}

/// What follows `sbuf[`, `psum[` or `dram[`: one byte, inside the memory.
fn place(c: &mut Cursor<'_>, space: Space, g: Generation) -> Result<Target, TextError> {
    c.blanks();
    let backed = space.backed(g);
    if space == Space::Dram {
        let address = c.number_in("a byte address", 0, backed - 1)?;
        close(c)?;
        return Ok(Target::Dram(address));
    }
    let part = c.number_in("a partition", 0, 127)? as u16;
    c.blanks();
    c.expect(",")
        .map_err(|e| e.hint("an address is one byte: sbuf[PARTITION, OFFSET]"))?;
    c.blanks();
    let mut off = 0;
    let mut room = backed;
    if space == Space::Psum && c.eat("bank") {
        c.blanks();
        let bank = c.number_in("a bank", 0, u64::from(BANKS) - 1)?;
        off = bank * u64::from(BANK_BYTES);
        room = u64::from(BANK_BYTES);
        c.blanks();
        if !c.eat(",") {
            close(c)?;
            return Ok(chip(space, part, off));
        }
        c.blanks();
    }
    off += c.number_in("a byte offset", 0, room - 1)?;
    close(c)?;
    Ok(chip(space, part, off))
}

fn chip(space: Space, part: u16, off: u64) -> Target {
    Target::Chip(Location {
        space,
        part,
        off: off as u32,
    })
}

fn close(c: &mut Cursor<'_>) -> Result<(), TextError> {
    c.blanks();
    c.expect("]")
        .map_err(|e| e.hint("an address is one byte, not a range"))
}
