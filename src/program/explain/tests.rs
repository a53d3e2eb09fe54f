use super::*;

fn of(hex: &str, g: Generation) -> Explanation {
    let b = Bundle::from_hex(&format!("{hex:0<128}")).unwrap();
    explain(&b, g, None, &CheckSettings::default())
}

fn row<'a>(e: &'a Explanation, name: &str) -> &'a Row {
    e.rows.iter().find(|r| r.name == name).unwrap()
}

/// isa 01 §6: fp32 + fp32, 128 lanes, 64 elements.
const ADD: &str = "411000000507130804000000aa0a0480000000000100010001004000010001000010000001000100010040000100010000200000010001000100400001000100";

#[test]
fn every_bit_has_one_row() {
    for byte in 0..=255u8 {
        for fill in [0u8, 0xFF, 0x21] {
            let mut all = [fill; 64];
            all[0] = byte;
            for g in Generation::ALL {
                let e = explain(&Bundle::new(all), g, None, &CheckSettings::default());
                let mut seen = [0u8; 512];
                for r in e.rows.iter().filter(|r| !r.part) {
                    let at = 8 * r.byte + usize::from(r.bit);
                    let bits = seen.iter_mut().skip(at).take(usize::from(r.bits));
                    bits.for_each(|n| *n += 1);
                }
                // Reserved rows name whole bytes, of which fields may hold some bits; arms of
                // slots leave padding to them too.
                let missing = (0..512).find(|b| seen[*b] == 0 && all[b / 8] >> (b % 8) & 1 == 1);
                assert_eq!(missing, None, "{byte:#x} {fill:#x} {g}");
                assert!(e.to_string().starts_with(&e.line));
            }
        }
    }
}

#[test]
fn fields_and_parts() {
    let e = of(ADD, Generation::V3);
    assert_eq!(row(&e, "wait_mode").meaning, "starts when $S[7]>=4");
    assert_eq!(row(&e, "update_mode").meaning, "$S[8]++, when finished");
    let r = row(&e, "in1_dtype");
    assert_eq!(
        (r.position(), r.raw.as_str(), r.value.as_str()),
        ("12.4-7".into(), "0xa", "fp32")
    );
    let r = row(&e, "src1");
    assert_eq!(r.position(), "32..48");
    assert!(
        r.meaning.ends_with("64 elements at 0, 1, 2, 3, 4, .."),
        "{}",
        r.meaning
    );
    assert_eq!(row(&e, "src1.start_addr").meaning, "SBUF p0 +0x1000");
    assert_eq!(row(&e, "dst.num[0]").position(), "58..60");
    assert_eq!(
        e.writes,
        [
            "dst: sbuf[0:128, 0x2000:0x2100] as fp32, 64 elements",
            "$S[8]"
        ]
    );
    assert_eq!(e.engines, "DVE, POOL");
    assert_eq!(e.layout, "S3S3D3_TT");
}

#[test]
fn broken_rules_stand_at_their_row() {
    let mut b = Bundle::from_hex(ADD).unwrap();
    b.put(14, &[0x99]);
    b.put(28, &[0, 0]);
    b.put(1, &[0x40]);
    let e = explain(
        &b,
        Generation::V3,
        Some(Engine::Pe),
        &CheckSettings::default(),
    );
    let rules = |name: &str| -> Vec<&str> { row(&e, name).broken.iter().map(|v| v.rule).collect() };
    assert_eq!(rules("op"), ["enum"]);
    assert_eq!(rules("src0.num[1]"), ["count"]);
    assert_eq!(rules("word_len"), ["header"]);
    assert_eq!(rules("opcode"), ["engine"]);
    assert!(e.to_string().contains("error[enum] 0x99 is not in ALU_OP"));
}

#[test]
fn shape_register_indirect_arm_and_walk_order() {
    let src = |words: &str, g| {
        let mut b = Bundle::from_hex(ADD).unwrap();
        let d = Bundle::from_hex(&format!("{words:0<128}")).unwrap();
        b.put(16, d.slice(0, 16));
        explain(&b, g, None, &CheckSettings::default())
    };
    let e = src("00010040020000000000000000000000", Generation::V3);
    assert!(row(&e, "src0.start_addr").meaning.contains("SHAPE_REG"));
    assert!(row(&e, "src0.num[0]").meaning.contains("not used"));
    assert!(row(&e, "src0.start_addr").broken.is_empty());
    let e = src("00010040020000000000000000000000", Generation::V2);
    let v = &row(&e, "src0.start_addr").broken[0];
    assert!(v.message.contains("SHAPE_REG is v3 and later"), "{v:?}");
    let e = src("00000000400001000100100020000100", Generation::V3);
    assert!(
        row(&e, "src0")
            .meaning
            .contains("512 elements at 0, 64, 128, 192, 256, .."),
        "{e}"
    );
    // 0xE7 has the one indirect slot of v2 and v3.
    let e = of(
        "e7100000000000000000000000010020002000004000",
        Generation::V3,
    );
    assert_eq!(row(&e, "src.data_addr").meaning, "data: SBUF p0 +0x2000");
    assert_eq!(row(&e, "src.num_elem").value, "64");
}

#[test]
fn unknown_opcodes_show_their_bytes() {
    let e = of("17100000000000000000000000000000ff", Generation::V3);
    assert_eq!(row(&e, "unexplained").position(), "16");
    assert_eq!(row(&e, "opcode").broken[0].rule, "bad-opcode");
    assert_eq!(e.line, "OP_0x17 raw[16]=ff;");
}
