//! Tests of the PE: a machine to try bundles on, and builders for them.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas in the sheet"
)]

mod dense;
mod groups;
mod random;

use crate::isa::fields::{Addr4, Dim, Location, Pattern};
use crate::isa::{Bundle, Generation, Queue, Space};
use crate::sim::{Fault, Machine, Policy, Rect, Settings, Stepped, Stream};

/// A machine that is fed one bundle at a time.
pub(in crate::sim::exec) struct Rig {
    pub m: Machine,
}

impl Rig {
    pub fn new(g: Generation) -> Rig {
        Rig::with(g, &[])
    }

    /// With settings `(key, value)`.
    pub fn with(g: Generation, keys: &[(&str, &str)]) -> Rig {
        let mut settings = Settings::default();
        for (k, v) in keys {
            settings.set(k, v).unwrap();
        }
        let m = Machine::new(g, settings, Policy::default());
        Rig { m }
    }

    /// Executes one bundle.
    pub fn step(&mut self, b: Bundle) -> Result<(), Fault> {
        self.m.load(Queue::Any, Stream::new(vec![b]));
        self.m.edit(|w| {
            w.set_pc(Queue::Any.index() as u8, 0);
            w.set_flags(Queue::Any.index() as u8, 0);
        });
        match self.m.step(None) {
            Stepped::Retired { .. } => Ok(()),
            Stepped::Fault(f) => Err(f),
            other => panic!("{other:?}"),
        }
    }

    /// Executes one bundle that must not fault; the rules it broke.
    pub fn run(&mut self, b: Bundle) -> Vec<&'static str> {
        if let Err(f) = self.step(b) {
            panic!("{f}");
        }
        let found = &self.m.report().findings;
        found.iter().map(|f| f.rule).collect()
    }

    /// The rule of the fault that the bundle must raise.
    pub fn fault(&mut self, b: Bundle) -> &'static str {
        self.step(b).unwrap_err().rule
    }

    pub fn put(&mut self, space: Space, part: u16, off: u64, bytes: &[u8]) {
        let rect = Rect::new(space, part, 1, off, bytes.len() as u32);
        self.m.edit(|w| w.store(&rect, bytes)).unwrap();
    }

    pub fn get(&self, space: Space, part: u16, off: u64, len: u32) -> Vec<u8> {
        self.m
            .state()
            .bytes(space, part, off, len)
            .unwrap()
            .to_vec()
    }

    pub fn put_f32(&mut self, space: Space, part: u16, off: u64, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.put(space, part, off, &bytes);
    }

    pub fn put_bf16(&mut self, space: Space, part: u16, off: u64, values: &[f32]) {
        let narrow = |v: &f32| half::bf16::from_f32(*v).to_le_bytes();
        let bytes: Vec<u8> = values.iter().flat_map(narrow).collect();
        self.put(space, part, off, &bytes);
    }

    pub fn f32s(&self, space: Space, part: u16, off: u64, n: u32) -> Vec<f32> {
        let bytes = self.get(space, part, off, 4 * n);
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|b| f32::from_le_bytes(*b)).collect()
    }

    pub fn digest(&self) -> u64 {
        self.m.state().digest()
    }
}

/// A pattern of three dimensions.
pub(in crate::sim::exec) fn pattern(
    g: Generation,
    space: Space,
    part: u16,
    off: u32,
    dims: &[(i16, u16)],
) -> Pattern {
    let addr = Addr4::at(Location { space, part, off }, g).unwrap();
    let mut all = [Dim::UNIT; 3];
    for (slot, (step, num)) in all.iter_mut().zip(dims) {
        *slot = Dim {
            step: *step,
            num: *num,
        };
    }
    Pattern::new(addr, &all)
}

/// A dense PE bundle; `fields` are `(byte, value)`.
fn bundle(op: u8, src: Pattern, dst: Option<Pattern>, fields: &[(usize, u8)]) -> Bundle {
    let mut b = Bundle::of_opcode(op);
    src.write(&mut b, 16);
    if let Some(dst) = dst {
        dst.write(&mut b, 48);
    }
    for (at, value) in fields {
        b.put(*at, &[*value]);
    }
    b
}

const DTYPE: usize = 32;
const FP32_MODE: usize = 33;
const TRANSPOSE: usize = 34;
const PERF: usize = 35;
const ROWS: usize = 38;
const COLS: usize = 39;
const OUT: usize = 40;
const FLAGS: usize = 43;
const ROW_GRP: usize = 44;
const COL_GRP: usize = 45;
const XBUS: usize = 46;
const REGION: usize = 47;

/// Bus code of a column group on v2 (isa 05 §4); other generations have none.
fn xbus(g: Generation, col_grp: u8) -> u8 {
    match (g, col_grp) {
        (Generation::V2, 15) => 0x10,
        (Generation::V2, 3) => 1,
        (Generation::V2, 12) => 4,
        (Generation::V2, q) => q,
        _ => 0,
    }
}
