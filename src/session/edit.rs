//! Changes a user makes to the state. They are kept as data, so that a replay can make them again.

use std::sync::Arc;

use crate::isa::{Bundle, Queue};
use crate::sim::machine::flag;
use crate::sim::sync::{Act, Signal, Sync};
use crate::sim::{MemError, Rect, Writer};

/// Bytes of the largest place that one edit changes.
pub const EDIT_LIMIT: u64 = 1 << 30;

/// One change.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Packed bytes, partition after partition.
    Store(Rect, Arc<[u8]>),
    /// The same element over and over in every partition.
    Fill(Rect, Vec<u8>),
    /// A register of a stream.
    Reg(Queue, u8, u32),
    /// A semaphore.
    Sem(u8, u32),
    /// An event.
    Event(u8, bool),
    /// Index of the next bundle of a stream. Takes back an exit, and a passed barrier.
    Pc(Queue, u64),
    /// Steps over the head of a stream without executing it.
    Skip(Queue),
    /// A bundle of the program; `None` brings back the loaded one.
    Patch(Queue, u64, Option<Bundle>),
}

impl Change {
    /// Makes it.
    pub(super) fn apply(&self, w: &mut Writer<'_>) -> Result<(), MemError> {
        match self {
            Change::Store(rect, bytes) => return w.store(rect, bytes),
            Change::Fill(rect, element) => {
                let row: Vec<u8> = element
                    .iter()
                    .copied()
                    .cycle()
                    .take(rect.len as usize)
                    .collect();
                return w.store_rows(rect, |_| row.as_slice());
            }
            Change::Reg(queue, reg, value) => w.set_reg(agent(*queue), *reg, *value),
            Change::Sem(n, value) => {
                w.sync(set(Signal::new(false, *n), *value));
                w.set_sem(*n, *value);
            }
            Change::Event(n, on) => {
                w.sync(set(Signal::new(true, *n), u32::from(*on)));
                w.set_event(*n, *on);
            }
            Change::Pc(queue, index) => {
                w.set_pc(agent(*queue), *index);
                let flags = w.state().flags(agent(*queue)) & !(flag::EXITED | flag::RELEASED);
                w.set_flags(agent(*queue), flags);
            }
            Change::Skip(queue) => {
                let index = w.state().pc(agent(*queue));
                w.set_pc(agent(*queue), index.saturating_add(1));
                let flags = w.state().flags(agent(*queue)) & !flag::RELEASED;
                w.set_flags(agent(*queue), flags);
            }
            Change::Patch(queue, index, bundle) => {
                w.set_patch(agent(*queue), *index, bundle.as_ref().map(Bundle::bytes));
            }
        }
        Ok(())
    }

    /// Bytes it holds.
    pub(super) fn size(&self) -> u64 {
        match self {
            Change::Store(_, bytes) => bytes.len() as u64,
            _ => 64,
        }
    }
}

fn set(on: Signal, value: u32) -> Sync {
    Sync::Post {
        on,
        act: Act::Set(value),
        at_read: false,
    }
}

fn agent(queue: Queue) -> u8 {
    queue.index() as u8
}
