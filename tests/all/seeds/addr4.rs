//! addr4.txt, beyond the rows: packing, markers in bundles, addresses at run time.

use tpbdbg::isa::field::{Arm, Field};
use tpbdbg::isa::fields::{
    Addr4, Dim, Mx, MxForm, PackError, Pattern, address_word, ordinal_dtype, scale_address,
};
use tpbdbg::isa::legal::address::{AddressError, Placement, start_address};
use tpbdbg::isa::legal::slot::Slot;
use tpbdbg::isa::text::NoNames;
use tpbdbg::isa::{DType, Generation, Severity, Space, decode};
use tpbdbg::program::asm;

use super::rig::{ADD, COPY, MATMUL, Rig, check, errors, hex, line, ramp, with};

const V2: Generation = Generation::V2;
const V3: Generation = Generation::V3;
const V4: Generation = Generation::V4;

#[test]
fn a6_only_the_index_word_is_marked() {
    let text = "LDWEIGHTS_MX fp8e4@sbuf[0,0x40]:00001000/00008000[256]p0";
    let b = asm::bundle(text, V4, &NoNames).unwrap();
    let MxForm::Indirect(m) = Mx::get(&b, 8 * 16).form() else {
        panic!("{}", line(&b, V4))
    };
    assert_eq!(m.index, Addr4(0x2000_0040));
    assert_eq!([m.data, m.scale].map(|w| w.marker() & 0xE0), [0, 0]);
}

#[test]
fn a13_the_last_bank_stays_in_the_window() {
    assert_eq!((127 << 15) + (7 << 11), 0x3F_B800);
    let e = start_address(Addr4(0x0600_0000), DType::FP32, Placement::READ, V3).unwrap_err();
    assert!(
        e.to_string()
            .contains("address is in neither SBUF nor PSUM"),
        "{e}"
    );
}

#[test]
fn a8_a10_a18_texts() {
    let text = |word, g| {
        let e = start_address(Addr4(word), DType::FP32, Placement::READ, g);
        e.unwrap_err().to_string()
    };
    assert_eq!(text(0x4001_0000, V2), "SHAPE_REG is v3 and later");
    for word in [0x2001_0000, 0xA000_0005] {
        let said = text(word, V3);
        assert_eq!(said, "indirect marker in a slot that has no indirect form");
    }
}

#[test]
fn a16_a17_set_bits_of_a_register_word() {
    let b = with(hex(ADD), &[(16, &[5, 0, 0, 0x81])]);
    let found = check(&b, V3, None);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].severity, Severity::Warn);
    assert_eq!(errors(&b, V2), ["address"]);
}

#[test]
fn a19_no_register_with_an_offset() {
    let with_source = |source: &str| {
        let text = format!(
            "TENSOR_TENSOR_ARITH_OP fp32@{source}[1][64] fp32@00001000[1][64] fp32@00002000[1][64] op=ADD num_active_channels=128"
        );
        asm::bundle(&text, V3, &NoNames).map(|b| b.u32(16))
    };
    assert_eq!(with_source("r5"), Ok(0x8000_0005));
    for source in ["r5+4", "r5+r6", "r5:r6"] {
        assert!(with_source(source).is_err(), "{source}");
    }
}

#[test]
fn a20_addresses_beyond_32_bits() {
    let e = address_word(0x1_0000_0000).unwrap_err();
    assert_eq!(e, PackError::AddressRange);
    assert_eq!(e.to_string(), "memory address out of uint32 range");
    let word = address_word(0x0400_0000).unwrap();
    let e = start_address(word, DType::FP32, Placement::READ, V3);
    assert_eq!(e, Err(AddressError::Outside(0x0400_0000)));
}

#[test]
fn a22_a23_scale_addresses() {
    for (part, word, pidx) in [(77, 0x0100_0000, 13), (31, 0, 31), (127, 0x0180_0000, 31)] {
        assert_eq!(scale_address(part, 0, V4), Some((Addr4(word), pidx)));
        assert_eq!(
            scale_address(part, 0x40, V4).map(|s| s.0),
            Some(Addr4(word | 0x40))
        );
    }
}

#[test]
fn a25_matmul_may_write_bf16_on_v4() {
    let format = decode(&hex(MATMUL), V4).format;
    let at = format.field("out_dtype").unwrap().byte();
    let b = with(hex(MATMUL), &[(at, &[6])]);
    assert_eq!(errors(&hex(MATMUL), V3), [] as [&str; 0]);
    assert!(line(&b, V4).contains("bf16@02000000"), "{}", line(&b, V4));
    assert_eq!(errors(&b, V4), [] as [&str; 0]);
    let slot = |matmul| Slot {
        at: 48,
        rank: 3,
        arm: Arm::Tensor,
        dtype: DType::BF16,
        place: Placement::WRITE,
        matmul,
        lanes: None,
    };
    assert!(slot(true).problems(&b, V4).is_empty());
    assert_eq!(slot(false).problems(&b, V4)[0].rule, "psum-dtype");
}

#[test]
fn a26_a27_a28_alignment_of_every_type() {
    for g in [V2, V3, V4] {
        for code in 0..=255 {
            let wanted = match code {
                2 | 3 | 13..=15 => Some(1),
                4..=7 => Some(2),
                8..=11 => Some(4),
                1 | 12 => Some(8),
                16 if g == V4 => Some(1),
                _ => None,
            };
            assert_eq!(DType(code).alignment(g), wanted, "{g} {code}");
        }
    }
    assert_eq!(DType::FP4.bytes(), 2);
}

#[test]
fn a29_wire_codes_by_ordinal() {
    let map = [
        3, 2, 0x10, 0x0D, 0x0E, 0x0E, 3, 0x0F, 0x0E, 0x0F, 5, 4, 6, 7, 9, 8, 0x0A, 0x0B, 1, 0x0C,
    ];
    for (n, wire) in map.into_iter().enumerate() {
        assert_eq!(ordinal_dtype(n, V4), Ok(DType(wire)), "{n}");
        let early = if n == 2 { 5 } else { wire };
        assert_eq!(ordinal_dtype(n, V2), Ok(DType(early)), "{n}");
        assert_eq!(ordinal_dtype(n, V3), Ok(DType(early)), "{n}");
    }
    assert_eq!(ordinal_dtype(20, V4), Err(PackError::UnknownDType));
}

#[test]
fn a30_alignment_comes_before_the_window() {
    let start = |word| start_address(Addr4(word), DType::FP32, Placement::READ, V3);
    assert!(matches!(
        start(0x0400_0002),
        Err(AddressError::Misaligned { .. })
    ));
    assert_eq!(start(0x0400_0000), Err(AddressError::Outside(0x0400_0000)));
    assert_eq!(start(0x8000_0002), Ok(None));
}

#[test]
fn a32_only_indirect_copy_gathers_before_v4() {
    let mut b = with(hex(COPY), &[(4, &[0; 8]), (32, &[5, 5])]);
    b.put(
        12,
        hex("0004002000800000800000000000000000000000").slice(0, 20),
    );
    let indirect = |g| errors(&b, g).contains(&"indirect");
    assert!(indirect(V2) && indirect(V3));
    assert!(!indirect(V4));
    let text = line(&b, V4);
    assert!(text.contains("u16@20000400:00008000[128]"), "{text}");
}

#[test]
fn a33_count_tests_follow_the_shape_register() {
    for (bytes, used) in [
        ("0001004002000000", false),
        ("050000c002000000", false),
        ("0500008001000000", true),
    ] {
        let slot = Slot {
            at: 0,
            rank: 1,
            arm: Arm::Tensor,
            dtype: DType::FP32,
            place: Placement::READ,
            matmul: false,
            lanes: None,
        };
        let problems = slot.problems(&hex(bytes), V3);
        assert_eq!(problems.iter().any(|p| p.rule == "count"), used, "{bytes}");
    }
}

#[test]
fn a34_a_register_gives_the_address_at_run_time() {
    let mut copy = with(hex("4610"), &[(32, &[0x0A, 0x0A, 1])]);
    let dims = [Dim { step: 1, num: 4 }, Dim::UNIT, Dim::UNIT, Dim::UNIT];
    Pattern::new(Addr4(0x8000_0005), &dims).write(&mut copy, 12);
    Pattern::new(Addr4(0x2000), &dims).write(&mut copy, 44);
    let mut r = Rig::new(V3);
    r.put(Space::Sbuf, 0, 0x1000, &ramp(4));
    // Bits 29..31 of the register do not count.
    for value in [0x1000, 0xE000_1000] {
        r.set_reg(5, value);
        r.run(copy).unwrap();
        assert_eq!(r.floats(0, 0x2000, 4), ramp(4));
        r.put(Space::Sbuf, 0, 0x2000, &[0.0; 4]);
    }
    r.set_reg(5, 0x0240_0000);
    assert_eq!(r.run(copy).unwrap_err().rule, "address");
    r.set_reg(5, 0x0003_7FFC);
    assert_eq!(r.run(copy).unwrap_err().rule, "bounds");
}
