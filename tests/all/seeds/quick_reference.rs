//! bundle-quick-reference.txt, beyond the rows: header, band, formats, whole bundles.

use std::collections::BTreeSet;

use tpbdbg::isa::field::FieldKind;
use tpbdbg::isa::text::NoNames;
use tpbdbg::isa::{Bundle, Engine, Generation, Severity, Space, decode, table};
use tpbdbg::program::asm;
use tpbdbg::program::load::{Input, load};

use super::rig::{
    ADD, COPY, MATMUL, Rig, check, errors, explained, hex, line, meaning, ramp, slots, with,
};

const V3: Generation = Generation::V3;
const V4: Generation = Generation::V4;

/// First bytes of the slots of an opcode.
fn places(opcode: u8, g: Generation) -> Vec<usize> {
    slots(opcode, g).iter().map(|s| s.1).collect()
}

#[test]
fn q1_whole_bundles_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pe.bin");
    std::fs::write(&path, [0; 127]).unwrap();
    let input = Input { path, queue: None };
    let e = load(
        &[input],
        &tpbdbg::program::load::Options::default(),
        &mut std::io::empty(),
    )
    .unwrap_err();
    assert!(e.to_string().contains("127 bytes"), "{e}");
}

#[test]
fn q2_header() {
    assert_eq!(decode(&hex("a4100000"), V3).name(), "NOP");
    for g in Generation::MODELLED {
        assert_eq!(check(&hex("a4100000"), g, None), []);
        for text in ["a4000000", "a4400000"] {
            let found = check(&hex(text), g, None);
            assert_eq!((found[0].severity, found[0].byte), (Severity::Error, 1));
        }
    }
}

#[test]
fn q3_q25_debug_bytes_are_free() {
    let b = hex("a410072a");
    let text = line(&b, V3);
    assert!(text.starts_with("NOP"), "{text}");
    assert!(text.contains("debug_cmd=START_END"), "{text}");
    assert!(
        text.contains("debug_hint=0x2a") || text.contains("debug_hint=42"),
        "{text}"
    );
    assert_eq!(check(&b, V3, None), []);
    let found = check(&hex("a4100200"), V3, None);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].severity, found[0].byte), (Severity::Warn, 2));
}

#[test]
fn q4_q25_saturation_bit() {
    // isa 05 §9 PE-12.
    let quantize = hex(
        "e3110000000000000000000000000000 00100000010001000100800001000100 0080060e000000000000000000000000 00400000008000008000010000000000",
    );
    let found = check(&quantize, V4, None);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].severity, found[0].byte), (Severity::Info, 1));
    assert_eq!(errors(&hex("a4110000"), V4), ["header"]);
}

#[test]
fn q5_the_band_is_honoured_on_a_matmul() {
    let band = hex("0507130804000000");
    let b = with(hex(MATMUL), &[(4, band.slice(0, 8))]);
    let e = explained(&b, V3);
    assert_eq!(meaning(&e, "wait_mode"), "starts when $S[7]>=4");
    assert!(meaning(&e, "update_mode").starts_with("$S[8]++"), "{e}");
    assert_eq!(errors(&b, V3), [] as [&str; 0]);
    let text = line(&b, V3);
    assert!(
        text.contains("$S[7]>=4") && text.contains("$S[8]++"),
        "{text}"
    );
    assert_eq!(errors(&with(b, &[(4, &[0x80])]), V3), ["events"]);
}

#[test]
fn q12_q18_family_a() {
    let g = V3;
    assert_eq!(slots(0x43, g), [("src", 16, 3), ("dst", 48, 3)]);
    let format = decode(&hex("4310"), g).format;
    assert!(
        format
            .fields
            .iter()
            .any(|f| f.byte() == 32 && f.name == "in_dtype")
    );
}

#[test]
fn q13_q14_family_b_reads_twice_then_writes() {
    let names: Vec<_> = slots(0x41, V3);
    assert_eq!(names, [("src0", 16, 3), ("src1", 32, 3), ("dst", 48, 3)]);
    let b = hex(
        "4110000000000000 00000000aa060480 0000000201000100 0100400001000100 0010000001000100 0100400001000100 0020000001000100 0100400001000100",
    );
    assert_eq!(check(&b, V3, Some(Engine::Dve)), []);
    let e = explained(&b, V3);
    assert!(e.reads[0].contains("psum"), "{:?}", e.reads);
    assert!(
        e.writes[0].contains("sbuf[0:128, 0x2000:0x2080]"),
        "{:?}",
        e.writes
    );

    let mut r = Rig::new(V3);
    for part in 0..128 {
        r.put(Space::Psum, part, 0, &ramp(64));
        r.put(Space::Sbuf, part, 0x1000, &ramp(64));
    }
    let all = |r: &Rig, space: Space| {
        let len = space.backed(V3) as u32;
        (0..128)
            .map(|p| r.bytes(space, p, 0, len))
            .collect::<Vec<_>>()
    };
    let (psum, mut sbuf) = (all(&r, Space::Psum), all(&r, Space::Sbuf));
    r.run(b).unwrap();
    // Even sums below 256 are exact in bf16: the upper half of the fp32.
    let sums = ramp(64).into_iter().map(|v| (2.0 * v).to_bits() >> 16);
    let sums: Vec<u8> = sums.flat_map(|v| (v as u16).to_le_bytes()).collect();
    for row in &mut sbuf {
        row[0x2000..0x2080].copy_from_slice(&sums);
    }
    assert!(all(&r, Space::Psum) == psum, "PSUM changed");
    assert!(all(&r, Space::Sbuf) == sbuf, "SBUF beyond the sums changed");
}

#[test]
fn q15_q16_q18_family_c() {
    let found = slots(0x46, V3);
    assert_eq!(found, [("src", 12, 4), ("dst", 44, 4)]);
    assert_eq!(found[1].1 - (found[0].1 + 20), 12);
    let i = decode(&hex(COPY), V3);
    let at = |byte| {
        i.format
            .fields
            .iter()
            .find(|f| f.byte() == byte)
            .map(|f| f.name)
    };
    assert_eq!(
        [32, 33, 34].map(at),
        [
            Some("in_dtype"),
            Some("out_dtype"),
            Some("num_active_channels")
        ]
    );
}

#[test]
fn q17_q20_q27_other_positions() {
    assert_eq!(places(0x9E, V3), [12, 24, 48]);
    assert_eq!(places(0xF4, Generation::V5), [16, 28, 40]);
    assert_eq!(slots(0x61, V3), [("src", 12, 4), ("dst", 48, 2)]);
}

#[test]
fn q19_every_slot_ends_inside() {
    let mut seen = 0;
    for row in table::rows() {
        for (_, format) in row.formats {
            for f in format.fields {
                assert!(f.byte() + f.len() <= 64, "{} {}", row.name, f.name);
                seen += usize::from(matches!(f.kind, FieldKind::Pattern(..) | FieldKind::Mx));
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn q24_dma_addresses() {
    let b = hex(
        "b8100000 05020000 01000000 000a0100 00001000 00000000 00020000 00000000 04000100 00010000 00000000 20000000 00010000 00000000 04000100 00010606",
    );
    let e = explained(&b, V3);
    assert_eq!(meaning(&e, "wait_mode"), "starts when $S[2]>=1");
    for (opcode, kind) in [(0xB8, FieldKind::Addr8), (0xD4, FieldKind::PseudoAddr8)] {
        let format = decode(&Bundle::of_opcode(opcode), V3).format;
        assert!(!format.bare);
        for byte in [16, 40] {
            let field = format.fields.iter().find(|f| f.byte() == byte);
            assert_eq!(field.map(|f| f.kind), Some(kind), "{opcode:#x} {byte}");
        }
    }
    let value = |name: &str| decode(&b, V3).value(name);
    assert_eq!(value("src_start_addr"), Some(0x10_0000));
    assert_eq!(value("dst_start_addr"), Some(0x20_0000_0000));
}

#[test]
fn q29_control_bytes() {
    let text = line(&hex(ADD), V3);
    for part in ["op=ADD", "num_active_channels=128"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(text.matches("fp32@").count(), 3, "{text}");
}

#[test]
fn q30_zero_rule() {
    let nop = asm::bundle("nop", V3, &NoNames).unwrap();
    assert_eq!(nop, hex("a410"));
    let found = check(&with(hex(COPY), &[(39, &[1])]), V3, None);
    let reserved: Vec<_> = found.iter().filter(|v| v.rule == "reserved").collect();
    assert_eq!(reserved.len(), 1, "{found:?}");
    assert_eq!(
        (reserved[0].severity, reserved[0].byte),
        (Severity::Error, 39)
    );
    assert!(
        reserved[0].message.contains("byte 39"),
        "{}",
        reserved[0].message
    );
}

#[test]
fn q31_instruction_types_and_opcodes() {
    let sheet = include_str!("../../../assets/isa/opcodes.tsv");
    let mut rows = 0;
    for row in sheet.lines().skip(1) {
        let byte = row
            .get(2..4)
            .and_then(|d| u8::from_str_radix(d, 16).ok())
            .unwrap();
        assert!(table::by_byte(byte).is_some(), "{row}");
        rows += 1;
    }
    assert_eq!(rows, 174);
    assert_eq!(table::rows().count(), rows);

    let list = include_str!("../../../assets/isa/04-opcodes.md");
    let list = list
        .split("## 5. Compiler instruction types")
        .nth(1)
        .unwrap();
    let list = list.split("\n## ").next().unwrap();
    let entries = list.split(['·', '\n', ',']).map(str::trim);
    let mut known = BTreeSet::new();
    for entry in entries.filter(|e| e.starts_with(|c: char| c.is_ascii_digit())) {
        let numbers = entry.split(' ').next().unwrap();
        let (from, to) = numbers.split_once("..").unwrap_or((numbers, numbers));
        if let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) {
            known.extend(from..=to);
        }
    }
    let missing: Vec<u32> = (0..110).filter(|n| !known.contains(n)).collect();
    assert_eq!(missing, [] as [u32; 0]);
}
