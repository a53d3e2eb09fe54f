//! The 64-bit address map that DMA, TENSOR_LOAD/STORE and POLL_SEM see (isa 09 §2.3, 08 §2).
//!
//! DRAM from 0, SBUF partition after partition at one window, events and semaphores at another. PSUM
//! has a window too, but no path from here.

use std::ops::Range;

use crate::isa::Generation;
use crate::isa::fields::{Addr8, DevicePlace};
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;
use crate::sim::sync::{Signal, Sync};
use crate::sim::{Rect, Space};

const PSUM: u64 = 0x28_0200_0000;
const PSUM_END: u64 = PSUM + (4 << 20);
const SYNC: u64 = DevicePlace::SYNC_BASE;
const SYNC_END: u64 = SYNC + (1 << 20);

/// What 4 aligned bytes of the event and semaphore windows do (isa 08 §2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// The event, bit 0; read and write.
    Event(u8),
    /// The count; read only.
    Count(u8),
    /// Sets the semaphore; write only, like the next two.
    Set(u8),
    /// Adds to it.
    Add(u8),
    /// Subtracts from it.
    Subtract(u8),
}

impl Port {
    /// The port at an address; `None` outside the windows and for unaligned addresses.
    pub fn at(addr: u64) -> Option<Port> {
        let off = addr.checked_sub(SYNC)?;
        let n = (off / 4 % 256) as u8;
        if off % 4 != 0 {
            return None;
        }
        match off / 0x400 {
            0 => Some(Port::Event(n)),
            4 => Some(Port::Count(n)),
            5 => Some(Port::Set(n)),
            6 => Some(Port::Add(n)),
            7 => Some(Port::Subtract(n)),
            _ => None,
        }
    }
}

/// Would a word written to the address change that semaphore or event?
pub fn changes(addr: u64, event: bool, idx: u8) -> bool {
    match Port::at(addr) {
        Some(Port::Event(n)) => event && n == idx,
        Some(Port::Set(n) | Port::Add(n) | Port::Subtract(n)) => !event && n == idx,
        _ => false,
    }
}

/// Is the address in the event and semaphore windows?
pub const fn in_sync(addr: u64) -> bool {
    addr >= SYNC && addr < SYNC_END
}

/// The memory at `addr..addr + len`, in order of address: one rectangle, or one for each SBUF
/// partition.
///
/// # Errors
/// Where an address leads instead.
pub fn memory(
    addr: u64,
    len: u64,
    g: Generation,
    mut piece: impl FnMut(Rect),
) -> Result<(), String> {
    let end = addr.checked_add(len).filter(|_| len <= u64::from(u32::MAX));
    let Some(end) = end else {
        return Err(format!("{addr:#x} + {len:#x} is no range of addresses"));
    };
    if end <= g.info().dram_bytes {
        piece(Rect::dram(addr, len as u32));
        return Ok(());
    }
    const STRIDE: u64 = Addr8::SBUF_STRIDE;
    let window = Addr8::SBUF_BASE..Addr8::SBUF_BASE + 128 * STRIDE;
    if window.contains(&addr) {
        let backed = u64::from(g.info().sbuf_bytes);
        let mut at = addr;
        while at < end {
            let o = at - Addr8::SBUF_BASE;
            let (part, off) = (o / STRIDE, o % STRIDE);
            let take = (end - at).min(STRIDE - off);
            if part >= 128 || off + take > backed {
                return Err(format!(
                    "{at:#x} + {take} leaves the {backed:#x} bytes of SBUF partition {part}"
                ));
            }
            piece(Rect::new(Space::Sbuf, part as u16, 1, off, take as u32));
            at += take;
        }
        return Ok(());
    }
    Err(if (PSUM..PSUM_END).contains(&addr) {
        format!("{addr:#x} is in PSUM, which cannot be reached from here")
    } else if in_sync(addr) {
        format!("{addr:#x} + {len}: events and semaphores take 4 aligned bytes at a time")
    } else {
        format!("{addr:#x} + {len} is outside dram, SBUF and the semaphore windows")
    })
}

impl Cx<'_, '_> {
    /// The address in an ADDR8 word, read from its registers where it says so. Table forms are not
    /// modelled: the tables' contents are unknown (isa 09 §2.1).
    pub(in crate::sim::exec) fn address(
        &mut self,
        slot: &'static str,
        word: Addr8,
    ) -> Result<u64, Trap> {
        if word.in_table() {
            let m = "address through a DGE table, whose contents are not known";
            return Err(Trap {
                operand: Some(slot),
                ..Trap::not_modelled(m)
            });
        }
        if word.in_register() {
            let (lo, hi) = word.registers();
            let lo = self.source(slot, lo)?;
            let hi = self.source(slot, hi)?;
            return Ok(u64::from(hi) << 32 | u64::from(lo));
        }
        word.immediate().ok_or_else(|| {
            let m = format!("address marker {:#04x} is not defined", word.marker());
            Trap::at("address", slot, m)
        })
    }

    /// The address `offset` bytes into a variable, which the container places. `reach` are the bytes touched, counted from there:
    /// all of them must be the variable's.
    pub(in crate::sim::exec) fn variable(
        &self,
        slot: &'static str,
        id: u32,
        offset: u32,
        reach: Range<i128>,
    ) -> Result<u64, Trap> {
        let Some((addr, len)) = self.code.tables.variables.get(&id) else {
            let m = format!("no variable {id}; they come with a container");
            return Err(Trap::at("variable", slot, m));
        };
        let (low, high) = (
            reach.start + i128::from(offset),
            reach.end + i128::from(offset),
        );
        if low < 0 || high > i128::from(*len) {
            let m = format!("bytes {low}..{high} of variable {id}, which has {len}");
            return Err(Trap::at("bounds", slot, m));
        }
        Ok(addr.saturating_add(offset.into()))
    }

    /// Reads `size` (1..=8) bytes, little-endian. Adds the never-written ones to `missing`.
    pub(in crate::sim::exec) fn load_word(
        &mut self,
        slot: &'static str,
        addr: u64,
        size: u32,
        missing: &mut Missing,
    ) -> Result<u64, Trap> {
        if size == 4 && in_sync(addr) {
            return match Port::at(addr) {
                Some(Port::Event(n)) => {
                    self.sync(Sync::Look(Signal::new(true, n)));
                    Ok(u64::from(self.state().event(n)))
                }
                Some(Port::Count(n)) => {
                    self.sync(Sync::Look(Signal::new(false, n)));
                    Ok(u64::from(self.state().sem(n)))
                }
                _ => Err(Trap::at(
                    "address",
                    slot,
                    format!("{addr:#x} cannot be read"),
                )),
            };
        }
        let mut bytes = std::mem::take(&mut self.scratch.bytes);
        bytes.clear();
        let found = memory(addr, u64::from(size), self.instr.generation, |rect| {
            missing.add(self.read_rect(rect), rect);
            // The map gives only backed bytes.
            let _outside = self.state().read_into(&rect, &mut bytes);
        });
        let word = bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
        self.scratch.bytes = bytes;
        found
            .map(|()| word)
            .map_err(|m| Trap::at("address", slot, m))
    }

    /// Writes the low `size` (1..=8) bytes, little-endian.
    pub(in crate::sim::exec) fn store_word(
        &mut self,
        slot: &'static str,
        addr: u64,
        size: u32,
        value: u64,
    ) -> Result<(), Trap> {
        if size == 4 && in_sync(addr) {
            return self.store_port(slot, addr, value as u32);
        }
        let bytes = value.to_le_bytes();
        let mut rest = bytes.get(..size as usize).unwrap_or(&bytes);
        let mut done = Ok(());
        memory(addr, u64::from(size), self.instr.generation, |rect| {
            let (now, later) = rest.split_at((rect.len as usize).min(rest.len()));
            rest = later;
            let stored = self.writer.store(&rect, now);
            done = done.and(stored);
        })
        .map_err(|m| Trap::at("address", slot, m))?;
        done.map_err(|e| Trap::at("address", slot, e.to_string()))
    }

    /// Writes a word to the event and semaphore windows.
    pub(in crate::sim::exec) fn store_port(
        &mut self,
        slot: &'static str,
        addr: u64,
        value: u32,
    ) -> Result<(), Trap> {
        match Port::at(addr) {
            Some(Port::Event(n)) => self.act(if value & 1 == 1 { 1 } else { 2 }, n, 0),
            Some(Port::Set(n)) => self.act(9, n, value),
            Some(Port::Add(n)) => self.act(5, n, value),
            Some(Port::Subtract(n)) => self.act(7, n, value),
            _ => {
                let m = format!("{addr:#x} cannot be written");
                return Err(Trap::at("address", slot, m));
            }
        }
        Ok(())
    }
}

/// Never-written bytes met while reading, and where the first of them were.
#[derive(Default)]
pub struct Missing {
    bytes: u64,
    first: Option<Rect>,
}

impl Missing {
    pub fn add(&mut self, bytes: u64, rect: Rect) {
        if bytes > 0 {
            self.bytes += bytes;
            self.first.get_or_insert(rect);
        }
    }

    /// Reports them.
    pub fn report(self, cx: &mut Cx<'_, '_>, slot: &'static str) -> Result<(), Trap> {
        match self.first {
            Some(rect) => cx.uninit(self.bytes, slot, &rect),
            None => Ok(()),
        }
    }
}
