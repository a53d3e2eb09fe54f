//! Random bundles against the slow model; what they touch, and that they can be taken back.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::Rig;
use super::model::{Memory, Outcome, SIZE, View, model};
use crate::isa::access::{self, Shape};
use crate::isa::field::{FieldKind, Role};
use crate::isa::{self, Bundle, DType, Generation, Queue, Severity, Space};
use crate::sim::{Rect, Region};

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

const INTS: [u8; 6] = [0x02, 0x03, 0x04, 0x05, 0x08, 0x09];
const FLOATS: [u8; 6] = [0x06, 0x07, 0x0A, 0x0D, 0x0E, 0x0F];
const PLAIN: [u8; 12] = [
    0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x06, 0x07, 0x0A, 0x0D, 0x0E, 0x0F,
];
const OUT: [u8; 13] = [
    0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x06, 0x07, 0x0A, 0x0B, 0x0D, 0x0E, 0x0F,
];
const ARITH: [u8; 17] = [
    0x00, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0D, 0x0E, 0x0F, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
    0x19,
];
const ARITH_V4: [u8; 4] = [0x20, 0x21, 0x22, 0x23];
const BITS: [u8; 9] = [0x00, 0x01, 0x02, 0x03, 0x10, 0x11, 0x0A, 0x0B, 0x0C];

fn size(dtype: u8) -> i64 {
    i64::from(DType(dtype).bytes())
}

/// A bundle in the making, with a twin for the model that has no register in it.
struct Case {
    dice: Dice,
    generation: Generation,
    lanes: u8,
    bundle: Bundle,
    plain: Bundle,
    /// Registers to set.
    regs: Vec<(u8, u32)>,
    /// Quadrant of all sources.
    quadrant: u32,
}

impl Case {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bundle.put(at, bytes);
        self.plain.put(at, bytes);
    }

    fn arith(&mut self) -> u8 {
        if self.generation >= Generation::V4 && self.dice.once_in(4) {
            self.dice.pick(&ARITH_V4)
        } else {
            self.dice.pick(&ARITH)
        }
    }

    /// Counts of `rank` dimensions, few elements in all.
    fn nums(&mut self, rank: usize) -> Vec<usize> {
        loop {
            let nums: Vec<usize> = (0..rank).map(|_| 1 + self.dice.below(7)).collect();
            if nums.iter().product::<usize>() <= 80 {
                return nums;
            }
        }
    }

    /// The same number of elements in another order of dimensions, or flat.
    fn reshaped(&mut self, nums: &[usize]) -> Vec<usize> {
        let mut nums = nums.to_vec();
        if self.dice.once_in(3) {
            let total = nums.iter().product();
            nums.fill(1);
            nums[0] = total;
        } else {
            let by = self.dice.below(nums.len());
            nums.rotate_left(by);
        }
        nums
    }

    /// Writes a pattern somewhere inside the bytes that the model knows.
    fn pattern(&mut self, at: usize, nums: &[usize], dtype: u8, source: bool) {
        let limit = SIZE as i64 / size(dtype);
        let mut tries = 0;
        let (steps, lo, hi) = loop {
            tries += 1;
            let mut dense = 1;
            let steps: Vec<i64> = nums
                .iter()
                .map(|n| {
                    let own = dense;
                    dense *= *n as i64;
                    match self.dice.below(if tries > 20 { 1 } else { 5 }) {
                        0 | 1 => own,
                        2 => 0,
                        3 => -own,
                        _ => self.dice.below(17) as i64 - 6,
                    }
                })
                .collect();
            let reach = || nums.iter().zip(&steps).map(|(n, s)| (*n as i64 - 1) * s);
            let lo: i64 = reach().map(|r| r.min(0)).sum();
            let hi: i64 = reach().map(|r| r.max(0)).sum();
            if hi - lo < limit {
                break (steps, lo, hi);
            }
        };
        // Often near the start, so that operands overlap.
        let room = limit - (hi - lo);
        let room = if self.dice.once_in(2) {
            room.min(8)
        } else {
            room
        };
        let base = -lo + self.dice.below(room as usize) as i64;
        let quadrant = match source {
            true => self.quadrant,
            false if self.dice.once_in(2) => self.quadrant,
            false => self.dice.below(4) as u32,
        };
        let addr = quadrant << 23 | (base * size(dtype)) as u32;
        self.address(at, addr);
        for (i, (n, s)) in nums.iter().zip(&steps).enumerate() {
            self.put(at + 4 + 2 * i, &(*s as i16).to_le_bytes());
            self.put(at + 4 + 2 * nums.len() + 2 * i, &(*n as u16).to_le_bytes());
        }
    }

    /// An address word, at times through a register.
    fn address(&mut self, at: usize, addr: u32) {
        self.plain.put(at, &addr.to_le_bytes());
        let word = if self.dice.once_in(6) {
            let reg = at as u8;
            self.regs.push((reg, addr));
            0x8000_0000 | u32::from(reg)
        } else {
            addr
        };
        self.bundle.put(at, &word.to_le_bytes());
    }

    /// A scalar: inline, behind a pointer, or behind a pointer in a register.
    fn scalar(&mut self, at: usize, src_at: usize, inline: u32, dtype: u8) {
        let addr = self.quadrant << 23 | (self.dice.below(SIZE / 4) as u32 * 4);
        let (word, plain, src) = match self.dice.below(4) {
            0 => (addr, addr, 1),
            1 => {
                let reg = at as u8;
                self.regs.push((reg, addr));
                (u32::from(reg), addr, 2)
            }
            _ => (inline, inline, 0),
        };
        assert!(size(dtype) <= 4);
        self.bundle.put(at, &word.to_le_bytes());
        self.plain.put(at, &plain.to_le_bytes());
        self.bundle.put(src_at, &[src]);
        self.plain.put(src_at, &[u8::from(src > 0)]);
    }

    fn number(&mut self) -> u32 {
        let all = [
            0.0,
            1.0,
            -1.0,
            2.5,
            -0.0,
            1e30,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        self.dice.pick(&all).to_bits()
    }

    /// An integer that fits a type, small more often than not.
    fn integer(&mut self, dtype: u8) -> u32 {
        let bits = self.dice.next() as u32;
        let mask = if self.dice.once_in(2) { 0x1F } else { u32::MAX };
        bits & mask & (u32::MAX >> (32 - 8 * size(dtype)))
    }

    fn tensor_tensor(&mut self) {
        let nums = self.nums(3);
        let (op, dtypes) = match self.dice.below(3) {
            0 => (
                self.arith(),
                [
                    self.dice.pick(&PLAIN),
                    self.dice.pick(&PLAIN),
                    self.dice.pick(&OUT),
                ],
            ),
            1 => {
                let signed = [0x02, 0x04, 0x08, 0x0C];
                let unsigned = [0x03, 0x05, 0x09, 0x01];
                let both = [0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0x1B, 0xC9, 0xCA];
                let (types, own): (_, &[u8]) = if self.dice.once_in(2) {
                    (
                        signed,
                        &[0xCB, 0xCC, 0xCD, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4],
                    )
                } else {
                    (
                        unsigned,
                        &[0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD],
                    )
                };
                let op = if self.dice.once_in(2) {
                    self.dice.pick(&both)
                } else {
                    self.dice.pick(own)
                };
                (op, [(); 3].map(|()| self.dice.pick(&types)))
            }
            _ => {
                self.put(0, &[0x51]);
                let dtype = self.dice.pick(&INTS);
                let op = self.dice.pick(&BITS);
                (op, [dtype; 3])
            }
        };
        self.put(12, &[dtypes[0] | dtypes[1] << 4, dtypes[2], op, self.lanes]);
        for (at, dtype) in [(16, dtypes[0]), (32, dtypes[1])] {
            let nums = self.reshaped(&nums);
            self.pattern(at, &nums, dtype, true);
        }
        self.pattern(48, &nums, dtypes[2], false);
    }

    fn tensor_scalar(&mut self, opcode: u8) {
        let nums = self.nums(3);
        let fold = self.dice.pick(&[0x04, 0x05, 0x06, 0x08, 0x09]);
        let (mut op0, mut op1) = (self.arith(), self.arith());
        let (mut input, mut output) = (self.dice.pick(&PLAIN), self.dice.pick(&OUT));
        let mut reverse = self.dice.below(4) as u8;
        let mut command = 0;
        match opcode {
            0x43 if op0 == 0 => op1 = 0,
            0x43 => {}
            0x53 => {
                (op0, op1) = (self.dice.pick(&BITS), self.dice.pick(&BITS));
                if op0 == 0 {
                    op1 = 0;
                }
                input = self.dice.pick(&INTS);
                output = input;
            }
            _ => {
                (op1, reverse, command) = (fold, 0, self.dice.pick(&[2, 3, 4]));
                input = self
                    .dice
                    .pick(&[0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x0E]);
            }
        }
        self.put(12, &[command]);
        self.put(32, &[input, output, self.lanes, 0, op0, op1, reverse, 0]);
        let dtype = if opcode == 0x53 { input } else { 0x0A };
        for (at, src_at) in [(40, 35), (44, 39)] {
            if opcode >= 0x9A && at == 44 && command != 4 {
                continue;
            }
            let inline = if opcode == 0x53 {
                self.integer(input)
            } else {
                self.number()
            };
            self.scalar(at, src_at, inline, dtype);
        }
        let source = self.reshaped(&nums);
        self.pattern(16, &source, input, true);
        self.pattern(48, &nums, output, false);
    }

    /// Folds, scans, moves and windows: one 4-D source, one 4-D destination.
    fn stream(&mut self, opcode: u8) {
        let nums = self.nums(4);
        let dims = 1 + self.dice.below(4);
        let (mut input, mut output) = (self.dice.pick(&PLAIN), self.dice.pick(&OUT));
        let mut op = 0;
        let mut op_dim = 0;
        let mut negated = 0;
        let mut out_nums = nums.clone();
        let outer = |nums: &[usize]| {
            let mut out = nums[dims..].to_vec();
            out.resize(4, 1);
            out
        };
        match opcode {
            0x42 => {
                (op, op_dim, negated) = (self.arith(), dims as u8 + 1, self.dice.below(2) as u8);
                out_nums = outer(&nums);
                if self.dice.once_in(2) {
                    input = self.dice.pick(&[0x08, 0x0C]);
                    output = self.dice.pick(&[0x08, 0x0C]);
                    op = self.dice.pick(&[0xC4, 0xC5, 0xC6, 0xCF, 0xD0, 0xDE, 0xDF]);
                    if op >= 0xDE {
                        output = 0x09;
                        negated = 0;
                    }
                }
            }
            0x52 | 0x5E => {
                input = self.dice.pick(&[0x03, 0x05, 0x08, 0x09]);
                output = input;
                (op, op_dim) = (self.dice.pick(&BITS), dims as u8 + 1);
                if opcode == 0x52 {
                    out_nums = outer(&nums);
                }
            }
            0x4E => (op, op_dim) = (self.arith(), dims as u8 + 1),
            0x46 => output = input,
            _ => {}
        }
        self.put(32, &[input, output, self.lanes, negated, op, op_dim]);
        let source = match opcode {
            0x46..=0x48 => self.reshaped(&nums),
            _ => nums,
        };
        self.pattern(12, &source, input, true);
        self.pattern(44, &out_nums, output, false);
    }

    fn pool(&mut self, opcode: u8) {
        let nums = self.nums(4);
        let dims = 1 + self.dice.below(4);
        let (input, mut output) = (self.dice.pick(&PLAIN), self.dice.pick(&OUT));
        let (mut function, mut scale) = (1 + self.dice.below(2) as u8, 1.0f32);
        if opcode == 0x58 {
            (function, output) = (0, self.dice.pick(&[0x03, 0x05, 0x09]));
        } else if function == 2 {
            scale = self.dice.pick(&[0.25, 0.5, 1.0 / 3.0]);
        }
        let mut outer = nums[dims..].to_vec();
        outer.resize(4, 1);
        self.put(
            32,
            &[input, output, self.lanes, 0, function, dims as u8 + 1],
        );
        self.put(40, &scale.to_le_bytes());
        self.pattern(12, &nums, input, true);
        self.pattern(44, &outer, output, false);
    }

    fn fill(&mut self, opcode: u8) {
        let nums = self.nums(4);
        if opcode == 0x49 {
            let dtype = self.dice.pick(&PLAIN);
            let count: usize = nums.iter().product();
            self.put(28, &(count as u32).to_le_bytes());
            self.put(32, &[dtype, 0, self.lanes]);
            let value = self.dice.next() as u32;
            self.put(40, &value.to_le_bytes());
            self.pattern(44, &nums, dtype, false);
            return;
        }
        let dtype = self.dice.pick(&OUT);
        let base = self.dice.pick(&[0, 10, -300, 70_000, i32::MAX]);
        self.put(12, &base.to_le_bytes());
        let generator = self.reshaped(&nums);
        for (i, n) in generator.iter().enumerate() {
            let step = self.dice.below(200) as i16 - 100;
            self.put(16 + 2 * i, &step.to_le_bytes());
            self.put(24 + 2 * i, &(*n as u16).to_le_bytes());
        }
        self.put(33, &[dtype, self.lanes]);
        let multiplier = self.dice.pick(&[0, 1, -7, 1 << 30]);
        self.put(36, &i32::to_le_bytes(multiplier));
        self.pattern(44, &nums, dtype, false);
    }

    fn scalar_tensor_tensor(&mut self, opcode: u8) {
        let nums = self.nums(2);
        let (mut op0, mut op1) = (self.arith(), self.arith());
        let mut dtypes = [
            self.dice.pick(&PLAIN),
            self.dice.pick(&PLAIN),
            self.dice.pick(&OUT),
        ];
        let (mut reverse, mut command) = (self.dice.below(4) as u8, self.dice.pick(&[0, 2, 3]));
        let mut imm = 0x0A;
        match opcode {
            0x9E => {
                dtypes = [self.dice.pick(&INTS); 3];
                (imm, command) = (dtypes[0], 0);
                (op0, op1) = (self.dice.pick(&BITS), self.dice.pick(&BITS));
            }
            0xE5 => command = 0,
            0xEA => {
                (op0, op1, reverse) = (0, 0x08, reverse & 1);
                dtypes[0] = self.dice.pick(&INTS);
                dtypes[1] = self
                    .dice
                    .pick(&[0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x0F]);
            }
            _ => {}
        }
        self.put(36, &[op0, op1, reverse]);
        self.put(
            40,
            &[
                dtypes[0] | dtypes[1] << 4,
                dtypes[2],
                self.lanes,
                imm,
                command,
            ],
        );
        let inline = if opcode == 0x9E {
            self.integer(imm)
        } else {
            self.number()
        };
        self.scalar(60, 39, inline, imm);
        for (at, dtype) in [(12, dtypes[0]), (24, dtypes[1])] {
            let nums = self.reshaped(&nums);
            self.pattern(at, &nums, dtype, true);
        }
        self.pattern(48, &nums, dtypes[2], false);
    }

    fn predicated(&mut self, opcode: u8) {
        let nums = self.nums(3);
        let pred = self.dice.pick(&INTS);
        let (data, mut out) = (self.dice.pick(&PLAIN), self.dice.pick(&PLAIN));
        let source = self.reshaped(&nums);
        match opcode {
            0xE8 => {
                let reversed = self.dice.below(2) as u8;
                self.put(32, &[pred, reversed, self.lanes]);
                self.put(41, &[data, data]);
                let inline = self.integer(data);
                self.scalar(44, 43, inline, data);
                self.pattern(16, &source, pred, true);
                self.pattern(48, &nums, data, false);
            }
            0x98 => {
                let wide: Vec<u8> = INTS
                    .into_iter()
                    .filter(|d| size(*d) == size(data))
                    .collect();
                let pred = self.dice.pick(&wide);
                let reversed = self.dice.below(2) as u8;
                self.put(32, &[reversed, self.lanes, data, pred]);
                let inline = self.integer(data);
                self.scalar(40, 38, inline, data);
                let inline = self.dice.below(2) as u32;
                self.scalar(44, 39, inline, pred);
                self.pattern(16, &source, data, true);
                self.pattern(48, &nums, data, false);
            }
            _ => {
                if opcode == 0x72 {
                    out = data;
                }
                self.put(12, &[pred | data << 4, out, 0, self.lanes]);
                self.pattern(16, &source, pred, true);
                let source = self.reshaped(&nums);
                self.pattern(32, &source, data, true);
                self.pattern(48, &nums, out, false);
            }
        }
    }

    fn range_select(&mut self) {
        let nums = self.nums(2);
        let (input, output) = (
            self.dice.pick(&FLOATS),
            self.dice.pick(&[0x06, 0x07, 0x0A, 0x0B]),
        );
        let command = self.dice.pick(&[0, 2, 3]);
        self.put(12, &[self.lanes, input | output << 4, command, 0x08]);
        let base = self.dice.below(9) as f32 - 4.0;
        self.put(16, &base.to_le_bytes());
        self.put(20, &f32::MIN.to_le_bytes());
        let ops = [0x12, 0x13, 0x14, 0x15, 0x16];
        let pair = [self.dice.pick(&ops), self.dice.pick(&ops)];
        self.put(36, &pair);
        for (at, src_at) in [(40, 38), (44, 39)] {
            let bound = (self.dice.below(20) as f32 - 2.0).to_bits();
            self.scalar(at, src_at, bound, 0x0A);
        }
        let source = self.reshaped(&nums);
        self.pattern(24, &source, input, true);
        self.pattern(48, &nums, output, false);
    }

    fn new(seed: u64) -> Case {
        let mut dice = Dice(seed);
        let mut case = Case {
            generation: dice.pick(&[Generation::V3, Generation::V4]),
            lanes: 1 + dice.below(4) as u8,
            bundle: Bundle::default(),
            plain: Bundle::default(),
            regs: Vec::new(),
            quadrant: dice.below(4) as u32,
            dice,
        };
        let opcode = case.dice.pick(&[
            0x41, 0x41, 0x41, 0x43, 0x43, 0x53, 0x9A, 0xE6, 0x42, 0x42, 0x52, 0x4E, 0x5E, 0x46,
            0x47, 0x48, 0x49, 0x7E, 0x9D, 0x9E, 0xE5, 0xEA, 0x72, 0x99, 0xE8, 0x98, 0xBC, 0x45,
            0x58,
        ]);
        case.put(0, &[opcode, 0x10]);
        match opcode {
            0x41 => case.tensor_tensor(),
            0x43 | 0x53 | 0x9A | 0xE6 => case.tensor_scalar(opcode),
            0x42 | 0x46..=0x48 | 0x4E | 0x52 | 0x5E => case.stream(opcode),
            0x49 | 0x7E => case.fill(opcode),
            0x9D | 0x9E | 0xE5 | 0xEA => case.scalar_tensor_tensor(opcode),
            0x72 | 0x99 | 0xE8 | 0x98 => case.predicated(opcode),
            0xBC => case.range_select(),
            _ => case.pool(opcode),
        }
        case
    }
}

/// Partitions that cases use.
fn parts() -> impl Iterator<Item = u16> {
    (0..4).flat_map(|q| (0..4).map(move |p| 32 * q + p))
}

/// Fills the memory of a case: bytes that make zeros, ones, infinities and NaNs more likely.
fn fill(rig: &mut Rig, dice: &mut Dice) {
    let usual = [0x00, 0x00, 0x01, 0x3C, 0x3F, 0x40, 0x7F, 0x80, 0xBF, 0xFF];
    for part in parts() {
        let row: Vec<u8> = (0..SIZE)
            .map(|_| match dice.below(4) {
                0 => dice.next() as u8,
                _ => dice.pick(&usual),
            })
            .collect();
        rig.put(Space::Sbuf, part, 0, &row);
    }
}

fn memory(rig: &Rig) -> Memory {
    let mut rows = vec![Vec::new(); 128];
    for part in parts() {
        rows[usize::from(part)] = rig.bytes(part, 0, SIZE as u32);
    }
    rows
}

fn accumulators(rig: &Rig) -> Vec<f32> {
    let words = rig.m.state().hidden(Region::DVE_ACC);
    words.iter().map(|w| f32::from_bits(*w)).collect()
}

/// Every byte of some rectangles.
fn cells(rects: impl Iterator<Item = Rect>) -> BTreeSet<(u16, u64)> {
    rects
        .flat_map(|r| {
            r.partitions()
                .flat_map(move |p| (r.off..r.end()).map(move |o| (p, o)))
        })
        .collect()
}

/// The bytes that a bundle says it touches in one way.
fn declared(b: &Bundle, g: Generation, role: Role) -> BTreeSet<(u16, u64)> {
    let instr = isa::decode(b, g);
    let mut all = BTreeSet::new();
    for op in access::operands(&instr).filter(|op| op.role == role) {
        let Shape::Static(p) = op.shape else { continue };
        let at = p.addr.location(g).unwrap();
        for off in p.offsets() {
            let first = (i64::from(at.off) + off * i64::from(op.dtype.bytes())) as u64;
            for lane in 0..op.lanes {
                all.extend((0..u64::from(op.dtype.bytes())).map(|i| (at.part + lane, first + i)));
            }
        }
    }
    all
}

/// Must the finding `nan` appear? `None` where scalars or accumulators may have been NaN.
fn fresh_nan(case: &Case, mem: &Memory, outcome: &Outcome) -> Option<bool> {
    let b = &case.plain;
    let opcode = b.opcode();
    let plain_arith = matches!(opcode, 0x41 | 0x42 | 0x45 | 0x47 | 0x48 | 0x4E);
    if !plain_arith {
        return None;
    }
    let instr = isa::decode(b, case.generation);
    let fresh = outcome.nan_lanes.iter().any(|lane| {
        !access::operands(&instr)
            .filter(|op| op.role == Role::Read)
            .any(|op| {
                let FieldKind::Pattern(rank, _) = op.field.kind else {
                    return false;
                };
                let view = View::new(b, op.field.byte(), usize::from(rank), op.dtype.0);
                view.f32(mem, *lane).iter().any(|x| x.is_nan())
            })
    });
    Some(fresh)
}

fn check(rig: &mut Rig, seed: u64) -> Result<(), TestCaseError> {
    let mut case = Case::new(seed);
    let instr = isa::decode(&case.bundle, case.generation);
    let errors: Vec<_> = isa::check(&instr, Some(instr.home()))
        .into_iter()
        .filter(|v| v.severity == Severity::Error)
        .collect();
    // Few enough to go unlisted: shifts of narrow types, mostly.
    prop_assume!(errors.is_empty());
    fill(rig, &mut case.dice);
    rig.m.edit(|w| {
        for (reg, value) in &case.regs {
            w.set_reg(Queue::Any.index() as u8, *reg, *value);
        }
    });
    let (before, acc) = (memory(rig), accumulators(rig));
    let outcome = model(&case.plain, &before, &acc);
    // A digest of the whole state is slow: only every few cases.
    let digest = |rig: &Rig| seed.is_multiple_of(4).then(|| rig.m.state().digest());
    let start = digest(rig);
    let what = format!("{:?} seed {seed}", case.bundle);
    let found = match rig.run(case.bundle) {
        Ok(found) => found,
        Err(f) => {
            prop_assert!(outcome.divided_by_zero, "{what}: {f}");
            prop_assert_eq!(f.rule, "divide-by-zero");
            prop_assert_eq!(digest(rig), start);
            return Ok(());
        }
    };
    prop_assert!(!outcome.divided_by_zero, "{}", what);
    let mut expected = before.clone();
    for (part, off, bytes) in &outcome.writes {
        expected[*part][*off..off + bytes.len()].copy_from_slice(bytes);
    }
    let after = memory(rig);
    for part in 0..128 {
        for (off, (found, expected)) in after[part].iter().zip(&expected[part]).enumerate() {
            prop_assert_eq!(
                found,
                expected,
                "{} partition {} byte {:#x}",
                &what,
                part,
                off
            );
        }
    }
    if let Some(acc) = &outcome.acc {
        let bits = |all: &[f32]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&accumulators(rig)), bits(acc), "{}", &what);
    }
    if let Some(fresh) = fresh_nan(&case, &before, &outcome) {
        prop_assert_eq!(found.iter().any(|f| f.rule == "nan"), fresh, "{}", &what);
    }
    let at = rig.m.journal().position() - 1;
    let writes = cells(rig.m.journal().writes(at));
    let reads = cells(rig.m.journal().reads(at));
    let (g, plain) = (case.generation, &case.plain);
    let all = declared(plain, g, Role::Write);
    if matches!(plain.opcode(), 0x72 | 0x99 | 0xE8) {
        // Elements that are not selected may be stored as they were or left alone.
        prop_assert!(writes.is_subset(&all), "{}", &what);
    } else {
        prop_assert_eq!(writes, all, "{}", &what);
    }
    // Scalars behind pointers are read besides the declared operands.
    let declared = declared(plain, g, Role::Read);
    prop_assert!(declared.is_subset(&reads), "{}", &what);
    prop_assert!(
        reads.len() <= declared.len() + 8 * usize::from(case.lanes),
        "{}",
        &what
    );

    let done = digest(rig);
    rig.m.undo().unwrap();
    prop_assert_eq!(digest(rig), start, "{}", &what);
    prop_assert_eq!(memory(rig), before, "{}", &what);
    rig.m.redo().unwrap();
    prop_assert_eq!(digest(rig), done, "{}", &what);
    prop_assert_eq!(memory(rig), after, "{}", &what);
    Ok(())
}

#[test]
fn bundles_do_what_the_sheets_say() {
    let rigs = [Generation::V3, Generation::V4].map(|g| RefCell::new(Rig::new(g)));
    let config = Config {
        cases: 400,
        max_global_rejects: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let done = TestRunner::new(config).run(&any::<u64>(), |seed| {
        let v4 = Case::new(seed).generation == Generation::V4;
        check(&mut rigs[usize::from(v4)].borrow_mut(), seed)
    });
    done.unwrap();
}
