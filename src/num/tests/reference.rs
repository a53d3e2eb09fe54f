//! Narrowing against a slow reference that knows only the values of the codes: the nearest one in a
//! sorted table, ties to the even code.

use crate::num::{Kind, Rules, fp4_pack, narrow, widen};

/// Parameters of isa 13 §4.1 and §6.2, written out once more for the reference.
struct Format {
    kind: Kind,
    man: i32,
    bias: i32,
    max: u64,
    inf: Option<u64>,
    nan: u64,
    nan_signed: bool,
    sign: u64,
    fp8: bool,
    /// log2 of the vendor's cut-off.
    cut: Option<i32>,
}

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    Format { kind: Kind::Bf16, man: 7, bias: 127, max: 0x7F7F, inf: Some(0x7F80), nan: 0x7FC0, nan_signed: false, sign: 0x8000, fp8: false, cut: None },
    Format { kind: Kind::Fp16, man: 10, bias: 15, max: 0x7BFF, inf: Some(0x7C00), nan: 0x7E00, nan_signed: true, sign: 0x8000, fp8: false, cut: None },
    Format { kind: Kind::Fp8E3, man: 4, bias: 3, max: 0x6F, inf: Some(0x70), nan: 0x78, nan_signed: false, sign: 0x80, fp8: true, cut: None },
    Format { kind: Kind::Fp8E4, man: 3, bias: 7, max: 0x77, inf: Some(0x78), nan: 0x7C, nan_signed: false, sign: 0x80, fp8: true, cut: None },
    Format { kind: Kind::Fp8E4Fn, man: 3, bias: 7, max: 0x7E, inf: None, nan: 0x7F, nan_signed: false, sign: 0x80, fp8: true, cut: Some(-9) },
    Format { kind: Kind::Fp8E5, man: 2, bias: 15, max: 0x7B, inf: Some(0x7C), nan: 0x7E, nan_signed: false, sign: 0x80, fp8: true, cut: Some(-16) },
];

impl Format {
    /// Value of a magnitude, continued past the largest finite one as if there were no special codes.
    fn value(&self, magnitude: u64) -> f64 {
        let (e, m) = (
            (magnitude >> self.man) as i32,
            (magnitude & ((1 << self.man) - 1)) as f64,
        );
        let fraction = m / f64::from(1 << self.man);
        if e == 0 {
            2f64.powi(1 - self.bias) * fraction
        } else {
            2f64.powi(e - self.bias) * (1.0 + fraction)
        }
    }

    /// All magnitudes that matter, the first one past the finite range included.
    fn table(&self) -> Vec<f64> {
        (0..=self.max + 1).map(|m| self.value(m)).collect()
    }

    fn narrow(&self, table: &[f64], x: f32, rules: &Rules) -> u64 {
        let sign = if x.is_sign_negative() { self.sign } else { 0 };
        let keep = !self.fp8 || rules.fp8_keep_nan;
        let nan = match (keep, self.nan_signed) {
            (false, _) => sign,
            (true, false) => self.nan,
            (true, true) => self.nan | sign,
        };
        if x.is_nan() {
            return nan;
        }
        let a = f64::from(x).abs();
        if let Some(cut) = self.cut
            && rules.fp8_vendor_tiny
            && a < 2f64.powi(cut)
        {
            return sign;
        }
        let above = table.partition_point(|v| *v < a);
        let code = if above == table.len() {
            self.max + 1
        } else if above == 0 || table[above] == a {
            above as u64
        } else {
            let (below, gap) = (above - 1, (a - table[above - 1], table[above] - a));
            let up = gap.1 < gap.0 || (gap.1 == gap.0 && above % 2 == 0);
            (if up { above } else { below }) as u64
        };
        if code <= self.max {
            return code | sign;
        }
        match self.inf {
            _ if self.fp8 && rules.fp8_saturate => self.max | sign,
            Some(inf) => inf | sign,
            None => nan,
        }
    }
}

/// Numbers without a pattern, the same on every run.
fn noise(state: &mut u64) -> u32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) as u32
}

/// Every exponent with random mantissas, and the neighbourhood of `points`.
fn inputs(points: impl Iterator<Item = f64>) -> Vec<f32> {
    let mut state = 7;
    let mut all = Vec::new();
    for high in 0..512u32 {
        let base = high << 23;
        all.extend([0, 1, 0x7F_FFFF, 0x40_0000, 0x3F_FFFF, 0x40_0001].map(|m| base | m));
        all.extend((0..100).map(|_| base | (noise(&mut state) & 0x7F_FFFF)));
    }
    for point in points {
        let bits = (point as f32).to_bits();
        for delta in -2..=2 {
            let near = bits.wrapping_add_signed(delta);
            all.extend([near, near ^ 0x8000_0000]);
        }
    }
    all.into_iter().map(f32::from_bits).collect()
}

fn all_rules() -> impl Iterator<Item = Rules> {
    (0..8).map(|n| Rules {
        fp8_saturate: n & 1 != 0,
        fp8_keep_nan: n & 2 != 0,
        fp8_vendor_tiny: n & 4 != 0,
        ..Rules::default()
    })
}

#[test]
fn floats_narrow_to_the_nearest_code() {
    for format in FORMATS {
        let table = format.table();
        let middles = table.windows(2).map(|w| (w[0] + w[1]) / 2.0);
        // bf16 has too many codes to try the neighbourhood of each; every 61st meets all mantissas.
        let step = if format.kind == Kind::Bf16 { 61 } else { 1 };
        let xs = inputs(table.iter().copied().chain(middles).step_by(step));
        for rules in all_rules().take(if format.fp8 { 8 } else { 1 }) {
            for x in &xs {
                let (got, want) = (
                    narrow(format.kind, *x, &rules),
                    format.narrow(&table, *x, &rules),
                );
                assert_eq!(
                    got,
                    want,
                    "{:?} {x:e} ({:#010x}) {rules:?}",
                    format.kind,
                    x.to_bits()
                );
            }
        }
    }
}

#[test]
fn codes_widen_to_their_value_and_back() {
    let kept = Rules {
        fp8_saturate: false,
        ..Rules::default()
    };
    for format in FORMATS {
        for code in 0..2 * format.sign {
            let (sign, magnitude) = (code & format.sign, code & (format.sign - 1));
            let x = widen(format.kind, code);
            assert_eq!(
                x.is_sign_negative(),
                sign != 0,
                "{:?} {code:#x}",
                format.kind
            );
            if magnitude <= format.max {
                assert_eq!(
                    f64::from(x.abs()),
                    format.value(magnitude),
                    "{:?} {code:#x}",
                    format.kind
                );
            } else if Some(magnitude) == format.inf {
                assert!(x.is_infinite(), "{:?} {code:#x}", format.kind);
            } else {
                assert!(x.is_nan(), "{:?} {code:#x}", format.kind);
                continue;
            }
            assert_eq!(narrow(format.kind, x, &kept), code, "{:?} {x}", format.kind);
        }
    }
}

#[test]
fn fp4_narrows_to_the_nearest_code() {
    let values = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    let middles = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0];
    for x in inputs(values.iter().chain(&middles).copied()) {
        let sign = u16::from(x.is_sign_negative()) << 3;
        // isa 13 §6.2: NaN and |x| <= 0.25 give a signed zero, above 5 everything is 6.
        let a = f64::from(x).abs();
        let code = if a.is_nan() {
            0
        } else {
            let distance = |c: &u16| (a.min(6.0) - values[usize::from(*c)]).abs();
            (0..8)
                .min_by(|c, d| {
                    distance(c)
                        .total_cmp(&distance(d))
                        .then((c % 2).cmp(&(d % 2)))
                })
                .unwrap()
        };
        assert_eq!(
            fp4_pack([x, x, 1.0, x]),
            ((code | sign) * 0x1011) | 0x0200,
            "{x:e}"
        );
    }
}

#[test]
fn integers_round_then_clamp() {
    #[rustfmt::skip]
    let ranges: &[(Kind, i128, i128)] = &[
        (Kind::U8, 0, 255), (Kind::I8, -128, 127), (Kind::U16, 0, 65535), (Kind::I16, -32768, 32767),
        (Kind::U32, 0, u32::MAX as i128), (Kind::I32, i32::MIN as i128, i32::MAX as i128),
        (Kind::U64, 0, u64::MAX as i128), (Kind::I64, i64::MIN as i128, i64::MAX as i128), (Kind::E8m0, 0, 255),
    ];
    for (kind, min, max) in ranges {
        let mask = u64::MAX >> (64 - kind.bits());
        let small = (-300..300).map(|n| f64::from(n) / 2.0);
        let ends = [*min, *max]
            .into_iter()
            .flat_map(|end| [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0].map(|d| end as f64 + d));
        for x in inputs(small.chain(ends)) {
            for int_trunc in [false, true] {
                let rules = Rules {
                    int_trunc,
                    ..Rules::default()
                };
                let wide = f64::from(x);
                let want = if x.is_nan() || x.is_infinite() {
                    if x.is_sign_negative() { *min } else { *max }
                } else {
                    let r = if int_trunc {
                        wide.trunc()
                    } else {
                        wide.round_ties_even()
                    };
                    (r as i128).clamp(*min, *max)
                };
                assert_eq!(
                    narrow(*kind, x, &rules),
                    want as u64 & mask,
                    "{kind:?} {x:e} trunc {int_trunc}"
                );
            }
        }
    }
}

#[test]
fn integers_widen_to_the_nearest_float() {
    for kind in [
        Kind::U8,
        Kind::I8,
        Kind::U16,
        Kind::I16,
        Kind::U32,
        Kind::I32,
        Kind::U64,
        Kind::I64,
    ] {
        let mut state = 3;
        let samples: Vec<u64> = if kind.bits() <= 16 {
            (0..1 << kind.bits()).collect()
        } else {
            let mut edges = vec![
                0,
                1,
                u64::MAX,
                1 << 31,
                1 << 63,
                (1 << 24) + 1,
                (1 << 24) + 3,
                (1 << 63) - 1,
                0xFFFF_FF7F_FFFF_FFFF,
            ];
            edges.extend((0..5000).map(|n| {
                (u64::from(noise(&mut state)) << 32 | u64::from(noise(&mut state))) >> (n % 64)
            }));
            edges
        };
        for bits in samples {
            let unused = 64 - kind.bits();
            let exact = if kind.is_signed() {
                i128::from((bits << unused) as i64 >> unused)
            } else {
                i128::from(bits << unused >> unused)
            };
            let got = widen(kind, bits);
            // Nearest with ties to even, from exact integer distances to the neighbours.
            let off = (exact - got as i128).abs();
            for near in [got.next_down(), got.next_up()] {
                let d = (exact - near as i128).abs();
                assert!(
                    off < d || (off == d && (off == 0 || got.to_bits().is_multiple_of(2))),
                    "{kind:?} {bits:#x}"
                );
            }
        }
    }
}

#[test]
fn fp32_is_copied_with_nan_payloads() {
    for bits in [
        0u32,
        0x8000_0000,
        1,
        0x7F80_0001,
        0xFF80_0001,
        0x7FC0_1234,
        0x7F80_0000,
    ] {
        assert_eq!(widen(Kind::Fp32, bits.into()).to_bits(), bits);
        assert_eq!(widen(Kind::Fp32r, bits.into()).to_bits(), bits);
        assert_eq!(
            narrow(Kind::Fp32, f32::from_bits(bits), &Rules::default()),
            u64::from(bits)
        );
    }
}
