//! Tests of the PE: a machine to try bundles on, and builders for them.

#![expect(
    clippy::needless_range_loop,
    reason = "indices are those of the formulas in the sheet"
)]

mod dense;
mod groups;
mod modes;
mod mx;
mod random;
mod sparse;

use std::ops::{Deref, DerefMut};

use crate::isa::fields::{Addr4, Dim, Location, Pattern};
use crate::isa::{Bundle, Generation, Space};
use crate::sim::exec::tests;
use crate::sim::{Fault, Rect, Settings};

/// The machine of the other tests, with access to both memories.
struct Rig(tests::Rig);

impl Deref for Rig {
    type Target = tests::Rig;
    fn deref(&self) -> &tests::Rig {
        &self.0
    }
}

impl DerefMut for Rig {
    fn deref_mut(&mut self) -> &mut tests::Rig {
        &mut self.0
    }
}

impl Rig {
    fn new(g: Generation) -> Rig {
        Rig::with(g, &[])
    }

    /// With settings `(key, value)`.
    fn with(g: Generation, keys: &[(&str, &str)]) -> Rig {
        let mut settings = Settings::default();
        for (k, v) in keys {
            settings.set(k, v).unwrap();
        }
        Rig(tests::Rig::with(g, settings))
    }

    /// Executes one bundle.
    fn step(&mut self, b: Bundle) -> Result<Vec<&'static str>, Fault> {
        let found = self.0.run(b)?;
        Ok(found.iter().map(|f| f.rule).collect())
    }

    /// Executes one bundle that must not fault; the rules it broke.
    fn run(&mut self, b: Bundle) -> Vec<&'static str> {
        self.step(b).unwrap_or_else(|f| panic!("{f}"))
    }

    /// The rule of the fault that the bundle must raise.
    fn fault(&mut self, b: Bundle) -> &'static str {
        self.step(b).unwrap_err().rule
    }

    fn get(&self, space: Space, part: u16, off: u64, len: u32) -> Vec<u8> {
        self.m
            .state()
            .bytes(space, part, off, len)
            .unwrap()
            .to_vec()
    }

    fn put_f32(&mut self, space: Space, part: u16, off: u64, values: &[f32]) {
        self.put(space, part, off, &tests::packed(values, f32::to_le_bytes));
    }

    fn put_bf16(&mut self, space: Space, part: u16, off: u64, values: &[f32]) {
        let narrow = |v| half::bf16::from_f32(v).to_le_bytes();
        self.put(space, part, off, &tests::packed(values, narrow));
    }

    fn f32s(&self, space: Space, part: u16, off: u64, n: u32) -> Vec<f32> {
        let bytes = self.get(space, part, off, 4 * n);
        let words = bytes.as_chunks::<4>().0.iter();
        words.map(|b| f32::from_le_bytes(*b)).collect()
    }

    fn digest(&self) -> u64 {
        self.m.state().digest()
    }
}

/// A pattern of three dimensions.
fn pattern(g: Generation, space: Space, part: u16, off: u32, dims: &[(i16, u16)]) -> Pattern {
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
