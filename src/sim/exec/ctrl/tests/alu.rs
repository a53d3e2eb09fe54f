//! ALU_OP against wide integer arithmetic and f64.

use super::*;
use crate::isa::fields::AluOp;
use crate::sim::fault::Fault;
use proptest::prelude::*;

/// Wire dtype, width, signed.
const INTEGERS: [(u8, u32, bool); 6] = [
    (9, 32, false),
    (8, 32, true),
    (1, 64, false),
    (12, 64, true),
    (5, 16, false),
    (4, 16, true),
];

/// One machine for many single bundles.
pub(super) struct Core(Machine);

impl Core {
    pub fn new() -> Core {
        Core(machine(&[]))
    }

    /// Executes a bundle on SP with these registers set.
    pub fn run(&mut self, b: Bundle, regs: &[(u8, u32)]) -> Result<&Machine, Fault> {
        self.0.load(SP, Stream::new(vec![b]));
        let agent = SP.index() as u8;
        self.0.edit(|w| {
            w.set_pc(agent, 0);
            regs.iter().for_each(|(n, v)| w.set_reg(agent, *n, *v));
        });
        match self.0.step(Some(SP)) {
            Stepped::Retired { .. } => Ok(&self.0),
            Stepped::Fault(f) => Err(f),
            other => panic!("{other:?}"),
        }
    }
}

/// `R5:R4 = R1:R0 op R3:R2`, or an immediate for the second operand.
fn alu(core: &mut Core, op: u8, dtype: u8, a: u64, b: u64, immediate: bool) -> Result<u64, Fault> {
    let bundle = bundle(
        0xA8,
        &[
            (12, &[op, dtype, u8::from(immediate), 0]),
            (16, &[0, 1, 2, 3, 4, 5]),
            (24, &if immediate { b } else { 0 }.to_le_bytes()),
        ],
    );
    let halves = |v: u64| [v as u32, (v >> 32) as u32];
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    let regs = [(0, a0), (1, a1), (2, b0), (3, b1), (4, 0xAAAA_AAAA), (5, 0)];
    let m = core.run(bundle, &regs)?;
    let wide = matches!(dtype, 1 | 12);
    let high = u64::from(reg(m, 5));
    assert!(
        wide || high == 0,
        "a 32-bit result leaves the next register alone"
    );
    Ok(high << 32 | u64::from(reg(m, 4)))
}

/// The operation on mathematical integers; the caller reduces it.
fn reference(op: u8, width: u32, signed: bool, a: u64, b: u64) -> Option<i128> {
    let modulus = 1i128 << width;
    let unsigned = |v: u64| i128::from(v).rem_euclid(modulus);
    let natural = |v: u64| {
        let u = unsigned(v);
        if signed && u >= modulus / 2 {
            u - modulus
        } else {
            u
        }
    };
    let as_signed = |v: u64| {
        let u = unsigned(v);
        if u >= modulus / 2 { u - modulus } else { u }
    };
    // The core masks to 5 bits, 6 for 64-bit values.
    let amount = (b % if width == 64 { 64 } else { 32 }) as u32;
    let (x, y) = (natural(a), natural(b));
    let (sx, sy) = (as_signed(a), as_signed(b));
    let (ux, uy) = (unsigned(a), unsigned(b));
    // Magnitudes wrap at the most negative number before they are compared.
    let magnitude = |v: i128| {
        if v == -modulus / 2 && signed {
            v
        } else {
            v.abs()
        }
    };
    let bool = |t: bool| Some(i128::from(t));
    Some(match op {
        0x00 => x,
        0x01 => -1 - x,
        0x02 | 0x10 => ux << amount,
        0x03 => sx >> amount,
        0x11 => ux >> amount,
        0x04 | 0xC4 => x + y,
        0x05 | 0xC6 => x - y,
        0x06 | 0xC5 | 0xDB => x.wrapping_mul(y),
        0x07 | 0xC7 if y != 0 => x / y,
        0x1B | 0xC8 if y != 0 => x % y,
        0xDC if uy != 0 => ux / uy,
        0xDD if uy != 0 => ux % uy,
        0x08 => x.max(y),
        0x09 => x.min(y),
        0xCF => sx.max(sy),
        0xD0 => sx.min(sy),
        0xD5 => ux.max(uy),
        0xD6 => ux.min(uy),
        0x0A => x & y,
        0x0B => x | y,
        0x0C => x ^ y,
        0x0D => return bool(ux != 0 && uy != 0),
        0x0E => return bool(ux != 0 || uy != 0),
        0x0F => return bool((ux != 0) ^ (uy != 0)),
        0x12 | 0xC9 => return bool(ux == uy),
        0x18 | 0xCA => return bool(ux != uy),
        0x13 => return bool(x > y),
        0x14 => return bool(x >= y),
        0x15 => return bool(x <= y),
        0x16 => return bool(x < y),
        0xD1 => return bool(sx > sy),
        0xD2 => return bool(sx >= sy),
        0xD3 => return bool(sx <= sy),
        0xD4 => return bool(sx < sy),
        0xD7 => return bool(ux > uy),
        0xD8 => return bool(ux >= uy),
        0xD9 => return bool(ux <= uy),
        0xDA => return bool(ux < uy),
        0x17 => (x - y).abs(),
        0x19 => x.abs(),
        0xCE => sx.abs(),
        0x20 => magnitude(x).max(magnitude(y)),
        0x21 => magnitude(x).min(magnitude(y)),
        0x22 => x.max(0),
        0x23 => x.wrapping_mul(x),
        _ => return None,
    })
}

/// What the registers hold: the low bits, 16-bit results extended by their signedness.
fn stored(value: i128, width: u32, signed: bool) -> u64 {
    let low = value.rem_euclid(1 << width) as u64;
    if width == 16 && signed {
        u64::from(low as u16 as i16 as i32 as u32)
    } else {
        low
    }
}

fn edge() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        any::<u64>().prop_map(|v| v & 0xFFFF_FFFF),
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(0x8000_0000),
        Just(0x7FFF_FFFF),
        Just(1 << 63),
        Just(0x8000),
        0..80u64,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn integers_equal_wide_arithmetic(a in edge(), b in edge(), immediate in any::<bool>()) {
        // The last operations came with v4.
        let mut core = Core(with(Generation::V4, &[], Policy::default(), &[]));
        for (dtype, width, signed) in INTEGERS {
            for op in 0..=255u8 {
                let result = alu(&mut core, op, dtype, a, b, immediate);
                match (reference(op, width, signed, a, b), result) {
                    (Some(expected), Ok(found)) => {
                        prop_assert_eq!(found, stored(expected, width, signed), "{} of dtype {}", AluOp(op), dtype);
                    }
                    (None, Err(f)) => prop_assert!(
                        matches!(f.rule, "divide-by-zero" | "alu-op" | "enum"), "{}", f
                    ),
                    // Not in the list of isa 08 §7.2 and not checked here.
                    (None, Ok(_)) => prop_assert!(matches!(op, 0xCB..=0xCD), "{}", AluOp(op)),
                    (Some(_), Err(f)) => prop_assert!(false, "{} {}", AluOp(op), f),
                }
            }
        }
    }

    #[test]
    fn fp32_equals_double_rounded_once(a in edge(), b in edge()) {
        let mut core = Core::new();
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let (dx, dy) = (f64::from(x), f64::from(y));
        // 53 bits are enough that rounding twice is rounding once for these four.
        for (op, exact) in [(0x04, dx + dy), (0x05, dx - dy), (0x06, dx * dy), (0x07, dx / dy)] {
            let found = f32::from_bits(alu(&mut core, op, 10, a, b, false).unwrap() as u32);
            let expected = exact as f32;
            prop_assert!(found == expected || found.is_nan() && expected.is_nan(), "{} {} {}", AluOp(op), x, y);
        }
        let truths = [
            (0x0D, x != 0.0 && y != 0.0), (0x0E, x != 0.0 || y != 0.0), (0x0F, (x != 0.0) ^ (y != 0.0)),
            (0x12, x == y), (0x13, x > y), (0x14, x >= y), (0x15, x <= y), (0x16, x < y), (0x18, x != y),
        ];
        for (op, expected) in truths {
            prop_assert_eq!(alu(&mut core, op, 10, a, b, true).unwrap(), u64::from(expected), "{}", AluOp(op));
        }
        let bits = [(0x0A, a & b), (0x0B, a | b), (0x0C, a ^ b), (0x01, !a), (0x11, (a & 0xFFFF_FFFF) >> (b & 31))];
        for (op, expected) in bits {
            prop_assert_eq!(alu(&mut core, op, 10, a, b, false).unwrap(), expected & 0xFFFF_FFFF, "{}", AluOp(op));
        }
    }
}

#[test]
fn what_the_core_lacks_is_a_fault() {
    let mut core = Core::new();
    for op in [0x1A, 0x1C, 0x1D, 0xDE, 0xE1] {
        for dtype in [8, 9, 10, 1] {
            assert_eq!(
                alu(&mut core, op, dtype, 1, 1, false).unwrap_err().rule,
                "alu-op"
            );
        }
    }
    for op in [0x07, 0x1B, 0xC7, 0xC8, 0xDC, 0xDD] {
        let f = alu(&mut core, op, 9, 5, 0, true).unwrap_err();
        assert_eq!(f.rule, "divide-by-zero", "{f}");
    }
    assert_eq!(alu(&mut core, 4, 6, 1, 1, false).unwrap_err().rule, "dtype");
    // IEEE has a result for it.
    let inf = alu(&mut core, 0x07, 10, 0x3F80_0000, 0, false).unwrap();
    assert_eq!(inf as u32, f32::INFINITY.to_bits());
}

/// A result as wide as dst_dtype says (isa 08 §7.2, byte 15).
#[test]
fn results_widen_to_the_destination_type() {
    let mut core = Core::new();
    let wide = |dtype: u8, out: u8| bundle(0xA8, &[(12, &[0x04, dtype, 1, out]), (20, &[4, 5])]);
    let m = core.run(wide(8, 12), &[(0, -3i32 as u32)]).unwrap();
    assert_eq!((reg(m, 4), reg(m, 5)), (-3i32 as u32, u32::MAX));
    let m = core.run(wide(9, 1), &[(0, -3i32 as u32)]).unwrap();
    assert_eq!((reg(m, 4), reg(m, 5)), (-3i32 as u32, 0));
    assert_eq!(core.run(wide(10, 9), &[]).unwrap_err().rule, "not-modelled");
}

#[test]
fn undefined_registers_are_reported_and_read_as_ones() {
    let mut m = machine(&[(
        SP,
        vec![bundle(0xA8, &[(12, &[0, 9, 0, 0]), (16, &[7]), (20, &[8])])],
    )]);
    step(&mut m);
    assert_eq!(reg(&m, 8), u32::MAX);
    assert_eq!(found(&m), ["uninit-reg"]);
    let zero = [("init.registers", "zero")];
    let b = bundle(0xA7, &[(12, &[1, 9, 0]), (16, &[7]), (24, &[8])]);
    let mut m = with(Generation::V3, &zero, Policy::default(), &[(SP, vec![b])]);
    step(&mut m);
    assert_eq!(
        (reg(&m, 8), found(&m).as_slice()),
        (0, ["uninit-reg"].as_slice())
    );
}

#[test]
fn register_numbers_end_at_63_but_for_the_pc() {
    let mut core = Core::new();
    let mov = |src: u8, dst: u8| bundle(0xA7, &[(12, &[1, 9, 0]), (16, &[src]), (24, &[dst])]);
    for (src, dst) in [(64, 1), (127, 1), (130, 1), (1, 64), (1, 255)] {
        assert_eq!(
            core.run(mov(src, dst), &[(1, 0)]).unwrap_err().rule,
            "register"
        );
    }
    core.run(mov(1, 128), &[(1, 5)]).unwrap();
}

/// A register is not source and destination of one move, so the order cannot be seen (isa 08 §7.1).
#[test]
fn a_move_copies_several_words() {
    let mut core = Core::new();
    let b = bundle(0xA7, &[(12, &[2, 9, 0]), (16, &[1, 2]), (24, &[4, 3])]);
    let m = core.run(b, &[(1, 10), (2, 20)]).unwrap();
    assert_eq!((reg(m, 3), reg(m, 4)), (20, 10));
    let b = bundle(0xA7, &[(12, &[2, 9, 0]), (16, &[1, 2]), (24, &[2, 1])]);
    assert_eq!(core.run(b, &[]).unwrap_err().rule, "move-overlap");
    for count in [0, 9] {
        let b = bundle(0xA7, &[(12, &[count, 9, 1])]);
        assert_eq!(core.run(b, &[]).unwrap_err().rule, "count");
    }
}
