//! One bundle at a time on a small machine: memory in, bundle, memory out.

mod cases;
mod declared;
mod model;
mod more;
mod properties;
mod settings;
mod vectors;

use crate::isa::{Bundle, Generation, Queue, Space};
use crate::sim::fault::Fault;
use crate::sim::{Finding, Machine, Policy, Rect, Settings, Stepped, Stream};

/// A machine that is fed bundles.
pub(super) struct Rig {
    pub m: Machine,
    /// The queue that gets the bundles.
    pub queue: Queue,
    program: Vec<Bundle>,
}

impl Rig {
    pub fn new(generation: Generation) -> Rig {
        Rig::with(generation, Settings::default())
    }

    pub fn with(generation: Generation, settings: Settings) -> Rig {
        Rig {
            m: Machine::new(generation, settings, Policy::default()),
            queue: Queue::Any,
            program: Vec::new(),
        }
    }

    /// Executes a bundle; gives what it reported.
    pub fn run(&mut self, bundle: Bundle) -> Result<Vec<Finding>, Fault> {
        self.program.push(bundle);
        let stream = Stream::new(self.program.clone());
        self.m.load(self.queue, stream);
        match self.m.step(None) {
            Stepped::Retired { .. } => Ok(self.m.report().findings.clone()),
            Stepped::Fault(f) => {
                self.program.pop();
                Err(f)
            }
            other => panic!("{other:?}"),
        }
    }

    /// Executes a bundle that must not report anything.
    pub fn clean(&mut self, bundle: Bundle) {
        let found = self.run(bundle).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }

    /// Writes bytes of one partition.
    pub fn put(&mut self, space: Space, part: u16, off: u64, bytes: &[u8]) {
        let rect = Rect::new(space, part, 1, off, bytes.len() as u32);
        self.m.edit(|w| w.store(&rect, bytes)).unwrap();
    }

    /// Bytes of one partition of SBUF.
    pub fn bytes(&self, part: u16, off: u64, len: u32) -> Vec<u8> {
        let row = self.m.state().bytes(Space::Sbuf, part, off, len);
        row.unwrap().to_vec()
    }

    pub fn put_f32(&mut self, part: u16, off: u64, values: &[f32]) {
        self.put(Space::Sbuf, part, off, &packed(values, |v| v.to_le_bytes()));
    }

    pub fn f32(&self, part: u16, off: u64, n: u32) -> Vec<f32> {
        let bytes = self.bytes(part, off, 4 * n);
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect()
    }

    pub fn u32(&self, part: u16, off: u64, n: u32) -> Vec<u32> {
        let bytes = self.bytes(part, off, 4 * n);
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| u32::from_le_bytes(*b))
            .collect()
    }

    pub fn u16(&self, part: u16, off: u64, n: u32) -> Vec<u16> {
        let bytes = self.bytes(part, off, 2 * n);
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| u16::from_le_bytes(*b))
            .collect()
    }
}

/// Little-endian bytes of values.
pub(super) fn packed<T: Copy, const N: usize>(values: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|v| bytes(*v)).collect()
}
