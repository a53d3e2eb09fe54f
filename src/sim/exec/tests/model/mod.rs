//! A slow model of instructions, written from the sheets: fields by byte, walks by nested loops, one
//! element at a time. Conversions come from `num`, which has its own reference.

mod alu;

use alu::*;

use crate::isa::{Bundle, DType};
use crate::num::{Kind, Rules, narrow, widen};

/// Bytes of a partition that the model knows.
pub const SIZE: usize = 2048;

/// SBUF, one row per partition.
pub type Memory = Vec<Vec<u8>>;

/// What a bundle does.
#[derive(Default, Debug)]
pub struct Outcome {
    /// Elements stored, in order: partition, offset, bytes.
    pub writes: Vec<(usize, usize, Vec<u8>)>,
    /// Accumulators afterwards, where it sets them.
    pub acc: Option<Vec<f32>>,
    /// Lanes with a NaN among their results before conversion.
    pub nan_lanes: Vec<usize>,
    /// An integer division by zero, so nothing of the above.
    pub divided_by_zero: bool,
}

pub const RULES: Rules = Rules {
    fp8_saturate: true,
    fp8_keep_nan: true,
    fp8_vendor_tiny: true,
    fp32r_bits: 11,
    int_trunc: false,
};

/// A tensor slot.
#[derive(Clone)]
pub struct View {
    pub kind: Kind,
    part: usize,
    offsets: Vec<usize>,
    pub nums: [usize; 4],
}

fn kind(code: u8) -> Kind {
    DType(code).kind().unwrap()
}

impl View {
    /// The slot of `rank` dimensions at byte `at`.
    pub fn new(b: &Bundle, at: usize, rank: usize, dtype: u8) -> View {
        let kind = kind(dtype);
        let addr = b.u32(at) as usize;
        let mut steps = [0i64; 4];
        let mut nums = [1usize; 4];
        for i in 0..rank {
            steps[i] = i64::from(b.u16(at + 4 + 2 * i) as i16);
            nums[i] = usize::from(b.u16(at + 4 + 2 * rank + 2 * i));
        }
        let mut offsets = Vec::new();
        for w in 0..nums[3] {
            for z in 0..nums[2] {
                for y in 0..nums[1] {
                    for x in 0..nums[0] {
                        let index = [x, y, z, w];
                        let steps = index.iter().zip(steps).map(|(i, s)| *i as i64 * s);
                        let byte = steps.sum::<i64>() * kind.bytes() as i64;
                        offsets.push(((addr & 0x3FFFF) as i64 + byte) as usize);
                    }
                }
            }
        }
        View {
            kind,
            part: addr >> 18,
            offsets,
            nums,
        }
    }

    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    pub fn raw(&self, mem: &Memory, lane: usize) -> Vec<u64> {
        let row = &mem[self.part + lane];
        let size = self.kind.bytes();
        let element = |at: &usize| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&row[*at..at + size]);
            u64::from_le_bytes(word)
        };
        self.offsets.iter().map(element).collect()
    }

    pub fn f32(&self, mem: &Memory, lane: usize) -> Vec<f32> {
        let raw = self.raw(mem, lane);
        raw.into_iter().map(|bits| widen(self.kind, bits)).collect()
    }

    fn ints(&self, mem: &Memory, lane: usize) -> Vec<i128> {
        let raw = self.raw(mem, lane);
        raw.into_iter().map(|bits| int(self.kind, bits)).collect()
    }

    fn put_raw(&self, out: &mut Outcome, lane: usize, k: usize, bits: u64) {
        let bytes = bits.to_le_bytes()[..self.kind.bytes()].to_vec();
        out.writes.push((self.part + lane, self.offsets[k], bytes));
    }

    fn put_f32(&self, out: &mut Outcome, lane: usize, k: usize, x: f32) {
        if x.is_nan() {
            out.nan_lanes.push(lane);
        }
        self.put_raw(out, lane, k, narrow(self.kind, x, &RULES));
    }
}

/// A scalar: inline, or 4 or fewer bytes in each lane's partition.
fn scalar(b: &Bundle, mem: &Memory, at: usize, src: u8, dtype: u8, lane: usize, raw: bool) -> u32 {
    let word = b.u32(at);
    if src == 0 {
        return word;
    }
    let kind = kind(dtype);
    let (part, off) = (word as usize >> 18, word as usize & 0x3FFFF);
    let mut bits = [0; 8];
    bits[..kind.bytes()].copy_from_slice(&mem[part + lane][off..off + kind.bytes()]);
    let bits = u64::from_le_bytes(bits);
    if kind.is_float() && !raw {
        widen(kind, bits).to_bits()
    } else {
        bits as u32
    }
}

/// `a op s`, or `s op a` when swapped; functions of one operand take the tensor's.
fn with_scalar(op: u8, a: f32, s: f32, swap: bool) -> f32 {
    if swap && !unary(op) {
        f32_op(op, s, a)
    } else {
        f32_op(op, a, s)
    }
}

/// Start of the accumulator by command and fold operation.
fn start(cmd: u8, fold: u8, old: f32, seed: f32) -> f32 {
    match (cmd, fold) {
        (2, _) => old,
        (4, _) => seed,
        (_, 0x06) => 1.0,
        (_, 0x08) => f32::NEG_INFINITY,
        (_, 0x09) => f32::INFINITY,
        _ => 0.0,
    }
}

/// What a bundle does to `mem` and, with these accumulators, to them.
pub fn model(b: &Bundle, mem: &Memory, acc: &[f32]) -> Outcome {
    let mut out = Outcome::default();
    let byte = |at: usize| b.array::<1>(at)[0];
    let opcode = byte(0);
    match opcode {
        0x41 | 0x51 => {
            let (op, lanes) = (byte(14), usize::from(byte(15)));
            let x = View::new(b, 16, 3, byte(12) & 15);
            let y = View::new(b, 32, 3, byte(12) >> 4);
            let d = View::new(b, 48, 3, byte(13));
            for lane in 0..lanes {
                if opcode == 0x51 {
                    let pairs = x.raw(mem, lane).into_iter().zip(y.raw(mem, lane));
                    for (k, (p, q)) in pairs.enumerate() {
                        d.put_raw(&mut out, lane, k, bit_op(op, x.kind, p, q));
                    }
                } else if int_band(op) {
                    let wide = widest(&[x.kind, y.kind, d.kind]);
                    let pairs = x.ints(mem, lane).into_iter().zip(y.ints(mem, lane));
                    for (k, (p, q)) in pairs.enumerate() {
                        match int_op(op, wide, p, q) {
                            Some(r) => d.put_raw(&mut out, lane, k, r as u64),
                            None => out.divided_by_zero = true,
                        }
                    }
                } else {
                    let pairs = x.f32(mem, lane).into_iter().zip(y.f32(mem, lane));
                    for (k, (p, q)) in pairs.enumerate() {
                        d.put_f32(&mut out, lane, k, f32_op(op, p, q));
                    }
                }
            }
        }
        0x43 | 0x53 | 0x9A | 0xE6 => {
            let (op0, op1, rev, lanes) = (byte(36), byte(37), byte(38), usize::from(byte(34)));
            let x = View::new(b, 16, 3, byte(32));
            let d = View::new(b, 48, 3, byte(33));
            let cmd = byte(12);
            let mut folded = acc.to_vec();
            for lane in 0..lanes {
                let dtype = if opcode == 0x53 { byte(32) } else { 0x0A };
                let s0 = scalar(b, mem, 40, byte(35), dtype, lane, false);
                let s1 = scalar(b, mem, 44, byte(39), dtype, lane, false);
                let (f0, f1) = (f32::from_bits(s0), f32::from_bits(s1));
                if opcode == 0x53 {
                    let mask = u64::MAX >> (64 - 8 * x.kind.bytes());
                    let stage = |op: u8, a: u64, s: u32, swap: bool| {
                        let s = u64::from(s) & mask;
                        if swap && !unary(op) {
                            bit_op(op, x.kind, s, a)
                        } else {
                            bit_op(op, x.kind, a, s)
                        }
                    };
                    for (k, a) in x.raw(mem, lane).into_iter().enumerate() {
                        let t = stage(op0, a, s0, rev & 1 != 0);
                        d.put_raw(&mut out, lane, k, stage(op1, t, s1, rev & 2 != 0));
                    }
                    continue;
                }
                let mut carry = start(cmd, op1, acc[lane], f1);
                for (k, a) in x.f32(mem, lane).into_iter().enumerate() {
                    let t = with_scalar(op0, a, f0, rev & 1 != 0);
                    match opcode {
                        0x43 => {
                            let r = with_scalar(op1, t, f1, rev & 2 != 0);
                            d.put_f32(&mut out, lane, k, r);
                        }
                        _ => {
                            carry = f32_op(op1, t, carry);
                            let r = if opcode == 0xE6 { carry } else { t };
                            d.put_f32(&mut out, lane, k, r);
                        }
                    }
                }
                folded[lane] = carry;
            }
            if opcode >= 0x9A {
                out.acc = Some(folded);
            }
        }
        0x42 | 0x52 | 0x4E | 0x5E => {
            let (op, dims, lanes) = (byte(36), usize::from(byte(37) - 1), usize::from(byte(34)));
            let negated = byte(35) != 0;
            let x = View::new(b, 12, 4, byte(32));
            let d = View::new(b, 44, 4, byte(33));
            let n: usize = x.nums[..dims].iter().product();
            let scan = opcode == 0x4E || opcode == 0x5E;
            let bits = opcode == 0x52 || opcode == 0x5E;
            for lane in 0..lanes {
                for j in 0..x.count() / n {
                    let range = j * n..(j + 1) * n;
                    if bits {
                        let x_raw = x.raw(mem, lane);
                        let mut acc = x_raw[j * n];
                        for k in range {
                            if k > j * n {
                                acc = bit_op(op, x.kind, acc, x_raw[k]);
                            }
                            if scan {
                                d.put_raw(&mut out, lane, k, acc);
                            }
                        }
                        if !scan {
                            d.put_raw(&mut out, lane, j, acc);
                        }
                    } else if int_band(op) {
                        let wide = widest(&[x.kind, d.kind]);
                        let values = x.ints(mem, lane);
                        let mut acc = values[j * n];
                        let mut best = j * n;
                        for k in range {
                            if k > j * n {
                                let (new, old) = (values[k], values[best]);
                                match op {
                                    0xDE | 0xE0 if new > old => best = k,
                                    0xDF | 0xE1 if new < old => best = k,
                                    0xDE..=0xE1 => {}
                                    _ => match int_op(op, wide, acc, values[k]) {
                                        Some(r) => acc = int(wide, r as u64),
                                        None => out.divided_by_zero = true,
                                    },
                                }
                            }
                            if scan {
                                d.put_raw(&mut out, lane, k, acc as u64);
                            }
                        }
                        if op >= 0xDE {
                            acc = (best - j * n) as i128;
                        }
                        if !scan {
                            let acc = if negated { -acc } else { acc };
                            d.put_raw(&mut out, lane, j, acc as u64);
                        }
                    } else {
                        let values = x.f32(mem, lane);
                        let mut acc = values[j * n];
                        for k in range {
                            if k > j * n {
                                acc = f32_op(op, acc, values[k]);
                            }
                            if scan {
                                d.put_f32(&mut out, lane, k, acc);
                            }
                        }
                        if !scan {
                            d.put_f32(&mut out, lane, j, if negated { -acc } else { acc });
                        }
                    }
                }
            }
        }
        0x46..=0x48 => {
            let lanes = usize::from(byte(34));
            let x = View::new(b, 12, 4, byte(32));
            let d = View::new(b, 44, 4, byte(33));
            for lane in 0..lanes {
                for k in 0..x.count() {
                    match opcode {
                        0x46 => d.put_raw(&mut out, lane, k, x.raw(mem, lane)[k]),
                        0x47 => d.put_f32(&mut out, lane, k, x.f32(mem, lane)[k]),
                        _ => d.put_f32(&mut out, lane, k, f32_op(0x07, 1.0, x.f32(mem, lane)[k])),
                    }
                }
            }
        }
        0x49 => {
            let d = View::new(b, 44, 4, byte(32));
            for lane in 0..usize::from(byte(34)) {
                for k in 0..d.count() {
                    d.put_raw(&mut out, lane, k, b.u32(40).into());
                }
            }
        }
        0x7E => {
            let d = View::new(b, 44, 4, byte(33));
            let multiplier = b.u32(36) as i32;
            let step = |i: usize| i64::from(b.u16(16 + 2 * i) as i16);
            let num = |i: usize| u64::from(b.u16(24 + 2 * i));
            for lane in 0..usize::from(byte(34)) {
                for k in 0..d.count() {
                    let (mut rest, mut v) = (k as u64, i64::from(b.u32(12) as i32));
                    for i in 0..4 {
                        v += (rest % num(i)) as i64 * step(i);
                        rest /= num(i);
                    }
                    let v = (v + lane as i64 * i64::from(multiplier)) as i32;
                    let bits = match d.kind {
                        Kind::I32 | Kind::U32 => v as u64,
                        Kind::U8 => v.clamp(0, 255) as u64,
                        Kind::I8 => v.clamp(-128, 127) as u64,
                        Kind::U16 => v.clamp(0, 65535) as u64,
                        Kind::I16 => v.clamp(-32768, 32767) as u64,
                        kind => narrow(kind, v as f32, &RULES),
                    };
                    d.put_raw(&mut out, lane, k, bits);
                }
            }
        }
        0x9D | 0x9E | 0xE5 | 0xEA => {
            let (op0, op1, rev, lanes) = (byte(36), byte(37), byte(38), usize::from(byte(42)));
            let x = View::new(b, 12, 2, byte(40) & 15);
            let y = View::new(b, 24, 2, byte(40) >> 4);
            let d = View::new(b, 48, 2, byte(41));
            let cmd = byte(44);
            let mut folded = acc.to_vec();
            for lane in 0..lanes {
                let s = scalar(b, mem, 60, byte(39), byte(43), lane, false);
                if opcode == 0x9E {
                    let mask = u64::MAX >> (64 - 8 * x.kind.bytes());
                    let s = u64::from(s) & mask;
                    let pairs = x.raw(mem, lane).into_iter().zip(y.raw(mem, lane));
                    for (k, (p, q)) in pairs.enumerate() {
                        let t = if rev & 1 != 0 && !unary(op0) {
                            bit_op(op0, x.kind, s, p)
                        } else {
                            bit_op(op0, x.kind, p, s)
                        };
                        let (l, r) = if rev & 2 != 0 { (q, t) } else { (t, q) };
                        d.put_raw(&mut out, lane, k, bit_op(op1, x.kind, l, r));
                    }
                    continue;
                }
                let s = f32::from_bits(s);
                let mut carry = s;
                let fold = if opcode == 0xEA { 0x08 } else { 0x04 };
                let mut sum = start(cmd, fold, acc[lane], 0.0);
                let pairs = x.f32(mem, lane).into_iter().zip(y.f32(mem, lane));
                for (k, (p, q)) in pairs.enumerate() {
                    let second = |t: f32| {
                        if rev & 2 != 0 {
                            f32_op(op1, q, t)
                        } else {
                            f32_op(op1, t, q)
                        }
                    };
                    let r = match opcode {
                        0xEA if (p != 0.0) == (rev & 1 != 0) => s,
                        0xEA => q,
                        0xE5 => {
                            let (l, r) = if rev & 1 != 0 { (carry, p) } else { (p, carry) };
                            carry = second(f32_op(op0, l, r));
                            carry
                        }
                        _ => second(with_scalar(op0, p, s, rev & 1 != 0)),
                    };
                    d.put_f32(&mut out, lane, k, r);
                    sum = f32_op(fold, sum, r);
                }
                folded[lane] = sum;
            }
            if cmd != 0 && opcode != 0xE5 {
                out.acc = Some(folded);
            }
        }
        0x72 | 0x99 => {
            let lanes = usize::from(byte(15));
            let p = View::new(b, 16, 3, byte(12) & 15);
            let x = View::new(b, 32, 3, byte(12) >> 4);
            let d = View::new(b, 48, 3, byte(13));
            for lane in 0..lanes {
                for k in 0..d.count() {
                    if p.raw(mem, lane)[k] == 0 {
                        continue;
                    }
                    if opcode == 0x72 {
                        d.put_raw(&mut out, lane, k, x.raw(mem, lane)[k]);
                    } else {
                        d.put_f32(&mut out, lane, k, x.f32(mem, lane)[k]);
                    }
                }
            }
        }
        0xE8 => {
            let p = View::new(b, 16, 3, byte(32));
            let d = View::new(b, 48, 3, byte(42));
            for lane in 0..usize::from(byte(34)) {
                let s = scalar(b, mem, 44, byte(43), byte(41), lane, true);
                for k in 0..d.count() {
                    if (p.raw(mem, lane)[k] != 0) == (byte(33) != 0) {
                        d.put_raw(&mut out, lane, k, s.into());
                    }
                }
            }
        }
        0x98 => {
            let x = View::new(b, 16, 3, byte(34));
            let d = View::new(b, 48, 3, byte(34));
            for lane in 0..usize::from(byte(33)) {
                let imm = scalar(b, mem, 40, byte(38), byte(34), lane, true);
                let pred = scalar(b, mem, 44, byte(39), byte(35), lane, true);
                for k in 0..d.count() {
                    let keep = (pred != 0) == (byte(32) == 0);
                    let bits = if keep {
                        x.raw(mem, lane)[k]
                    } else {
                        imm.into()
                    };
                    d.put_raw(&mut out, lane, k, bits);
                }
            }
        }
        0xBC => {
            let x = View::new(b, 24, 2, byte(13) & 15);
            let d = View::new(b, 48, 2, byte(13) >> 4);
            let number = |at: usize| f32::from_bits(b.u32(at));
            let mut folded = acc.to_vec();
            for lane in 0..usize::from(byte(12)) {
                let mut sum = start(byte(14), 0x08, acc[lane], 0.0);
                for (k, v) in x.f32(mem, lane).into_iter().enumerate() {
                    let i = number(16) + k as f32;
                    let bound =
                        |at, src| f32::from_bits(scalar(b, mem, at, src, 0x0A, lane, false));
                    let inside = f32_op(byte(36), i, bound(40, byte(38))) != 0.0
                        && f32_op(byte(37), i, bound(44, byte(39))) != 0.0;
                    let r = if inside { v } else { number(20) };
                    d.put_f32(&mut out, lane, k, r);
                    sum = f32_op(0x08, sum, r);
                }
                folded[lane] = sum;
            }
            if byte(14) != 0 {
                out.acc = Some(folded);
            }
        }
        0x45 | 0x58 => {
            let x = View::new(b, 12, 4, byte(32));
            let d = View::new(b, 44, 4, byte(33));
            let n: usize = x.nums[..usize::from(byte(37) - 1)].iter().product();
            let scale = f32::from_bits(b.u32(40));
            for lane in 0..usize::from(byte(34)) {
                for (j, window) in x.f32(mem, lane).chunks(n).enumerate() {
                    let (mut best, mut at) = (f32::NEG_INFINITY, 0);
                    for (i, v) in window.iter().enumerate() {
                        if *v > best {
                            (best, at) = (*v, i);
                        }
                    }
                    let sum = window[1..]
                        .iter()
                        .fold(window[0], |s, v| f32_op(0x04, s, *v));
                    let r = match (opcode, byte(36)) {
                        (0x58, _) => at as f32,
                        (_, 1) => best,
                        _ => f32_op(0x06, sum, scale),
                    };
                    d.put_f32(&mut out, lane, j, r);
                }
            }
        }
        _ => panic!("no model of {opcode:#x}"),
    }
    out
}
