//! Elements as numbers for display and as text.

use super::bulk::widen;
use super::int::{mask, sign_extend};
use super::kind::Kind;
use super::small::fp4_unpack;

/// Value of an element for display: exact except for integers beyond 53 bits. An E8M0 byte is a plain
/// byte; of an fp4 container: lane 0.
#[must_use]
pub fn to_f64(kind: Kind, bits: u64) -> f64 {
    match (kind.is_int(), kind.is_signed()) {
        (true, true) => sign_extend(bits, kind.bits()) as f64,
        (true, false) => mask(bits, kind.bits()) as f64,
        (false, _) => widen(kind, bits).into(),
    }
}

/// Text of an element. Integers are exact; a float is the shortest decimal that reads back as its fp32
/// value, always with a point or an exponent, or `nan`, `inf`, `-inf`. An fp4 container is
/// `(a,b,c,d)`, lane 0 first.
#[must_use]
pub fn show(kind: Kind, bits: u64) -> String {
    match kind {
        Kind::Fp4x4 => {
            let [a, b, c, d] = fp4_unpack(bits as u16).map(float);
            format!("({a},{b},{c},{d})")
        }
        Kind::E8m0 => mask(bits, 8).to_string(),
        _ if kind.is_float() => float(widen(kind, bits)),
        _ if kind.is_signed() => sign_extend(bits, kind.bits()).to_string(),
        _ => mask(bits, kind.bits()).to_string(),
    }
}

fn float(x: f32) -> String {
    if x.is_nan() {
        "nan".to_owned()
    } else {
        format!("{x:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        #[rustfmt::skip]
        let rows = [
            (Kind::U8, 255, "255"), (Kind::I8, 255, "-1"), (Kind::I8, 0x180, "-128"),
            (Kind::U64, u64::MAX, "18446744073709551615"), (Kind::I64, 1 << 63, "-9223372036854775808"),
            (Kind::I32, 0x8000_0000, "-2147483648"), (Kind::E8m0, 0x80, "128"),
            (Kind::Fp32, 0x3F80_0000, "1.0"), (Kind::Fp32, 0x8000_0000, "-0.0"), (Kind::Fp32, 0x3DCC_CCCD, "0.1"),
            (Kind::Fp32, 0x7F7F_FFFF, "3.4028235e38"), (Kind::Fp32, 1, "1e-45"),
            (Kind::Bf16, 0x7F80, "inf"), (Kind::Bf16, 0xFF80, "-inf"), (Kind::Bf16, 0x7FC0, "nan"), (Kind::Fp16, 0xFE00, "nan"),
            (Kind::Bf16, 0x4601, "8256.0"), (Kind::Fp16, 0x7BFF, "65504.0"),
            (Kind::Fp8E4, 0x77, "240.0"), (Kind::Fp8E4Fn, 0x7E, "448.0"), (Kind::Fp8E5, 0x01, "1.5258789e-5"),
            (Kind::Fp4x4, 0x7521, "(0.5,1.0,3.0,6.0)"), (Kind::Fp4x4, 0x0008, "(-0.0,0.0,0.0,0.0)"),
        ];
        for (kind, bits, text) in rows {
            assert_eq!(show(kind, bits), text, "{kind} {bits:#x}");
        }
    }

    #[test]
    fn every_narrow_float_reads_back() {
        for kind in Kind::ALL
            .iter()
            .filter(|k| k.is_float() && k.bytes() <= 2 && k.lanes() == 1)
        {
            for code in 0..1u64 << kind.bits() {
                let text = show(*kind, code);
                let (back, value) = (text.parse::<f32>().unwrap(), widen(*kind, code));
                assert!(
                    back.to_bits() == value.to_bits() || value.is_nan() && back.is_nan(),
                    "{kind} {code:#x} {text}"
                );
            }
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(to_f64(Kind::U32, 0xFFFF_FFFF), 4_294_967_295.0);
        assert_eq!(to_f64(Kind::I64, u64::MAX), -1.0);
        assert_eq!(to_f64(Kind::I32, 0x0100_0001), 16_777_217.0);
        assert_eq!(to_f64(Kind::E8m0, 127), 127.0);
        assert_eq!(to_f64(Kind::Bf16, 0xC020), -2.5);
    }
}
