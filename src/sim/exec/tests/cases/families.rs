//! The bundle of each family.

use super::*;

impl Case {
    pub(super) fn tensor_tensor(&mut self) {
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

    pub(super) fn tensor_scalar(&mut self, opcode: u8) {
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
    pub(super) fn stream(&mut self, opcode: u8) {
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

    pub(super) fn pool(&mut self, opcode: u8) {
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

    pub(super) fn fill(&mut self, opcode: u8) {
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

    pub(super) fn scalar_tensor_tensor(&mut self, opcode: u8) {
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

    pub(super) fn predicated(&mut self, opcode: u8) {
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

    pub(super) fn range_select(&mut self) {
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
}
