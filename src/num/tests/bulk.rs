//! The slice conversions agree with the single ones bit for bit, whatever the lengths.

use proptest::prelude::*;

use crate::num::{
    Kind, Narrowed, Rules, fp4_pack, fp4_unpack, narrow, narrow_slice, widen, widen_slice,
};

fn kinds() -> impl Strategy<Value = Kind> {
    proptest::sample::select(Kind::ALL)
}

fn rules() -> impl Strategy<Value = Rules> {
    (any::<[bool; 4]>(), 0u8..=30).prop_map(
        |([fp8_saturate, fp8_keep_nan, fp8_vendor_tiny, int_trunc], fp32r_bits)| Rules {
            fp8_saturate,
            fp8_keep_nan,
            fp8_vendor_tiny,
            fp32r_bits,
            int_trunc,
        },
    )
}

/// Any bits, with the range of the narrow formats well covered.
fn values() -> impl Strategy<Value = Vec<f32>> {
    let one = prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        any::<bool>().prop_map(|neg| if neg {
            f32::NEG_INFINITY
        } else {
            f32::INFINITY
        }),
        -70000f32..70000f32,
        -20f32..20f32,
        -0.02f32..0.02f32
    ];
    proptest::collection::vec(one, 0..200)
}

fn bits(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Whether the bulk form must count `x` as an overflow.
fn overflowed(kind: Kind, x: f32, rules: &Rules) -> bool {
    if !x.is_finite() || kind == Kind::Fp32 {
        return false;
    }
    if kind.is_float() {
        let open = Rules {
            fp8_saturate: false,
            fp8_keep_nan: true,
            ..*rules
        };
        return !widen(kind, narrow(kind, x, &open)).is_finite();
    }
    let x = f64::from(x);
    let rounded = if rules.int_trunc {
        x.trunc()
    } else {
        x.round_ties_even()
    };
    let bits = kind.bits() as i32;
    let (lo, end) = if kind.is_signed() {
        (-2f64.powi(bits - 1), 2f64.powi(bits - 1))
    } else {
        (0.0, 2f64.powi(bits))
    };
    rounded < lo || rounded >= end
}

proptest! {
    #[test]
    fn widening_agrees(kind in kinds(), src in proptest::collection::vec(any::<u8>(), 0..300), room in 0usize..300) {
        let mut dst = vec![f32::from_bits(0x1234_5678); room];
        widen_slice(kind, &src, &mut dst);
        let done = (src.len() / kind.bytes()).min(room / kind.lanes());
        for (n, bytes) in src.chunks_exact(kind.bytes()).take(done).enumerate() {
            let want = if kind == Kind::Fp4x4 { fp4_unpack(bits(bytes) as u16).to_vec() } else { vec![widen(kind, bits(bytes))] };
            for (lane, x) in want.iter().enumerate() {
                prop_assert_eq!(dst[n * kind.lanes() + lane].to_bits(), x.to_bits());
            }
        }
        for x in &dst[done * kind.lanes()..] {
            prop_assert_eq!(x.to_bits(), 0x1234_5678);
        }
    }

    #[test]
    fn narrowing_agrees(kind in kinds(), src in values(), rules in rules(), room in 0usize..1700) {
        let mut dst = vec![0xA5; room];
        let counts = narrow_slice(kind, &src, &rules, &mut dst);
        let done = (src.len() / kind.lanes()).min(room / kind.bytes());
        let mut want = Narrowed::default();
        for (lanes, bytes) in src.chunks_exact(kind.lanes()).zip(dst.chunks_exact(kind.bytes())).take(done) {
            let code = match *lanes {
                [a, b, c, d] => u64::from(fp4_pack([a, b, c, d])),
                [x, ..] => narrow(kind, x, &rules),
                [] => unreachable!(),
            };
            prop_assert_eq!(bits(bytes), code, "{:?}", lanes);
            want.nan += lanes.iter().filter(|x| x.is_nan()).count() as u64;
            want.inf += lanes.iter().filter(|x| x.is_infinite()).count() as u64;
            want.overflow += lanes.iter().filter(|x| match kind {
                Kind::Fp4x4 => x.is_finite() && x.abs() >= 7.0,
                _ => overflowed(kind, **x, &rules),
            }).count() as u64;
        }
        prop_assert!(dst[done * kind.bytes()..].iter().all(|b| *b == 0xA5));
        prop_assert_eq!(counts, want);
    }
}

#[test]
fn counts_cover_many_blocks() {
    let src: Vec<f32> = (0..20_000u16)
        .map(|n| match n % 10 {
            0 => f32::NAN,
            1 if n % 100 == 1 => f32::INFINITY,
            _ => f32::from(n),
        })
        .collect();
    let mut dst = vec![0; src.len()];
    let counts = narrow_slice(Kind::U8, &src, &Rules::default(), &mut dst);
    assert_eq!(
        counts,
        Narrowed {
            overflow: (256..20_000)
                .filter(|n| n % 10 != 0 && n % 100 != 1)
                .count() as u64,
            nan: 2000,
            inf: 200,
        }
    );
}
