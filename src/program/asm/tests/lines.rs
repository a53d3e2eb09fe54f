//! Listings assemble to the same bytes; wrong lines say where and why.

use proptest::prelude::*;

use super::super::*;
use crate::isa::text::{NoNames, line};
use crate::isa::{decode, table};

fn hex(text: &str) -> Bundle {
    Bundle::from_hex(text).unwrap()
}

/// 64 bytes with a defined opcode, a plausible header and mostly small values.
fn plausible() -> impl Strategy<Value = [u8; 64]> {
    let rows: Vec<u8> = table::rows().map(|r| r.byte).collect();
    let byte = prop_oneof![4 => Just(0u8), 3 => 0u8..8, 1 => any::<u8>()];
    let body = prop::collection::vec(byte, 64);
    (prop::sample::select(rows), body, any::<[bool; 2]>()).prop_map(|(op, body, [plain, quiet])| {
        let mut all: [u8; 64] = body.try_into().unwrap();
        all[0] = op;
        if plain {
            all[1..4].copy_from_slice(&[0x10, 0, 0]);
        }
        if quiet {
            all[4..12].fill(0);
        }
        all
    })
}

fn round_trip(bytes: [u8; 64]) -> Result<(), TestCaseError> {
    let b = Bundle::new(bytes);
    for g in Generation::ALL {
        let text = line(&decode(&b, g));
        match bundle(&text, g, &NoNames) {
            Ok(back) => prop_assert_eq!(back, b, "{} {}", g, text),
            Err(e) => return Err(TestCaseError::fail(format!("{g} {text}\n{e:?}"))),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_bundle_lists_and_assembles(a in prop::array::uniform32(any::<u8>()), b in prop::array::uniform32(any::<u8>())) {
        let mut all = [0; 64];
        all[..32].copy_from_slice(&a);
        all[32..].copy_from_slice(&b);
        round_trip(all)?;
    }

    #[test]
    fn plausible_bundles_list_and_assemble(bytes in plausible()) {
        round_trip(bytes)?;
    }

    #[test]
    fn any_line_is_assembled_or_refused(text in "\\PC{0,60}") {
        if let Err(e) = bundle(&text, Generation::V3, &NoNames) {
            prop_assert!(e.span.start <= e.span.end && e.span.end <= text.len(), "{e:?}");
        }
    }
}

#[test]
fn every_opcode_byte_has_a_line() {
    for byte in 0..=255u8 {
        let mut all = [0xA5; 64];
        all[0] = byte;
        round_trip(all).unwrap();
        let mut all = [0; 64];
        all[0] = byte;
        all[1] = 0x10;
        round_trip(all).unwrap();
    }
}

/// Every value of every field of at most 8 bits, of every layout, on every generation that has it.
#[test]
fn every_value_of_a_small_field_has_a_line() {
    let mut count = 0;
    for row in table::rows() {
        for (gens, format) in row.formats {
            for g in Generation::ALL.into_iter().filter(|g| gens.has(*g)) {
                for field in format.fields.iter().filter(|f| f.bits <= 8) {
                    for value in 0..1u64 << field.bits {
                        let mut b = Bundle::of_opcode(row.byte);
                        b.put_bits(field.at, field.bits, value);
                        let text = line(&decode(&b, g));
                        let back = bundle(&text, g, &NoNames);
                        assert_eq!(back, Ok(b), "{g} {text}");
                        count += 1;
                    }
                }
            }
        }
    }
    assert!(count > 20_000, "{count}");
}

#[test]
fn worked_lines() {
    // isa 01 §6 and the vector of 03 §8.
    let add = "411000000000000000000000aa0a0480000000000100010001004000010001000010000001000100010040000100010000200000010001000100400001000100";
    let text = "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] fp32@00001000[1][64] fp32@00002000[1][64] op=ADD num_active_channels=128;";
    assert_eq!(line(&decode(&hex(add), Generation::V3)), text);
    assert_eq!(bundle(text, Generation::V3, &NoNames), Ok(hex(add)));
    let places = "tensor_tensor_arith_op fp32@sbuf[0,0][1][64] fp32@sbuf[0, 0x1000][1][64] fp32@sbuf[0, 8KiB][1][64] num_active_channels=128 op=ADD # sum";
    assert_eq!(bundle(places, Generation::V3, &NoNames), Ok(hex(add)));
    assert_eq!(
        bundle("nop", Generation::V3, &NoNames),
        Ok(Bundle::of_opcode(0xA4))
    );
    assert_eq!(
        bundle("OP_0x17 raw[12]=0102;", Generation::V3, &NoNames).map(|b| [
            b.u8(0),
            b.u8(1),
            b.u8(12),
            b.u8(13),
            b.u8(14)
        ]),
        Ok([0x17, 0x10, 1, 2, 0])
    );
}

#[test]
fn wrong_lines() {
    for (text, at, found, expected, hint) in [
        (
            "TENSOR_TENSOR_ARITH_OPP;",
            0,
            "OPP",
            "opcode name",
            "TENSOR_TENSOR_ARITH_OP",
        ),
        ("NOP $S[300]>0;", 7, "`300`", "0..255", ""),
        ("NOP $S[3]>1 $S[4]+=2;", 0, "1 and 2", "one value", "ext"),
        ("NOP $S[3]>1 $S[4]>1;", 12, "$S[4]>1", "one wait", "ext"),
        ("NOP $S[3]~1;", 9, "`~`", "comparison", ""),
        ("NOP ext $S[3]>1;", 4, "`ext`", "no second lane", ""),
        ("NOP fp32@00000000[1][1];", 4, "fp32@", "no operands", ""),
        ("NOP foo=1;", 4, "`foo`", "raw[N]", ""),
        ("NOP raw[64]=00;", 4, "raw[64]", "4..63", ""),
        ("NOP raw[63]=0000;", 12, "0000", "at most 1 bytes", ""),
        ("NOP word_len=300;", 13, "300", "0..255", ""),
        (
            "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] op=ADD;",
            0,
            "src1, dst",
            "src0, src1, dst",
            "dtype@",
        ),
        (
            "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] fp32@0[1][64] fp32@00002000[1][64];",
            49,
            "`0`",
            "address",
            "",
        ),
        (
            "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] fp32@00000000[1][64] fp32@00002000[1][64] op=ADD op=ADD;",
            93,
            "`op`",
            "once",
            "",
        ),
        (
            "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] fp32@00000000[1][64] fp32@00002000[1][64] opp=ADD;",
            86,
            "`opp`",
            "S3S3D3_TT",
            "`op`",
        ),
        (
            "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] fp32@00000000[1][64] fp32@00002000[1][64] in0_dtype=u8;",
            96,
            "u8",
            "fp32",
            "",
        ),
        ("NOP [;", 4, "open `[`", "`]`", ""),
        ("NOP \"x", 4, "open quote", "closing", ""),
        ("NOP; NOP;", 0, "2 statements", "one instruction", ""),
    ] {
        let e = bundle(text, Generation::V3, &NoNames).unwrap_err();
        assert_eq!(e.span.start, at, "{text}: {e:?}");
        assert!(e.found.contains(found), "{text}: {e:?}");
        assert!(e.expected.contains(expected), "{text}: {e:?}");
        assert!(e.hint.unwrap_or_default().contains(hint), "{text}");
    }
}

#[test]
fn lines_of_the_vendor_and_the_sheets() {
    // isa 01 §6, 08 §4, 09 §9.1 (the first two and the trigger are real bundles), interface §5.
    let zeros = |n: usize| "0".repeat(n);
    let name = "715f6772616469656e745f6f7574";
    for (text, hex) in [
        (
            "NOP $S[7]>=4 $S[7]++@complete;",
            format!("a4100000 0507 1307 04000000 {}", zeros(104)).replace(' ', ""),
        ),
        (
            "EVENT_SEMAPHORE $S[11]>0;",
            format!("a0100000040b{}", zeros(116)),
        ),
        (
            "PSEUDO_DMA_TRIGGER $S[22]>0 q_gradient_out block_id=0;",
            format!("c1100000041600000000000{}{name}{}", "0", zeros(76)),
        ),
        (
            "EVENT_SEMAPHORE $S[3]>=4 ext $S[9]>=r12 $S[17]++@complete;",
            format!(
                "a01000000503000004000000{}850913110c000000{}",
                zeros(40),
                zeros(48)
            ),
        ),
        (
            "EVENT_SEMAPHORE ext $S[6]>0 $S[6]--@complete ext_update_value=1;",
            format!("a0100000{}040614060000000001000000{}", zeros(56), zeros(40)),
        ),
    ] {
        let b = self::hex(&hex);
        assert_eq!(line(&decode(&b, Generation::V3)), text);
        assert_eq!(bundle(text, Generation::V3, &NoNames), Ok(b));
    }
}

#[test]
fn every_vector_lists_and_assembles() {
    let tables = [
        include_str!("../../../../tests/vectors/control.tsv"),
        include_str!("../../../../tests/vectors/descriptors.tsv"),
        include_str!("../../../../assets/isa/vectors-dve-pool.tsv"),
    ];
    let cells = tables.iter().flat_map(|t| t.split(['\t', '\n']));
    let bundles: Vec<Bundle> = cells
        .filter(|c| c.len() == 128)
        .filter_map(|c| Bundle::from_hex(c).ok())
        .collect();
    assert!(bundles.len() > 90, "{}", bundles.len());
    for b in bundles {
        round_trip(*b.bytes()).unwrap();
    }
}
