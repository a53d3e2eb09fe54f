//! Random bundles that are legal and whose outcome the model knows.

mod families;

use super::model::SIZE;
use crate::isa::{Bundle, DType, Generation};

/// Numbers from a seed.
pub struct Dice(u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
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
pub struct Case {
    pub dice: Dice,
    pub generation: Generation,
    pub lanes: u8,
    pub bundle: Bundle,
    pub plain: Bundle,
    /// Registers to set.
    pub regs: Vec<(u8, u32)>,
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

    pub fn new(seed: u64) -> Case {
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
