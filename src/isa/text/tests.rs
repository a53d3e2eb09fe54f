//! Every kind of field: printed and read back, and the notations by example.
#![allow(
    dead_code,
    reason = "the layouts are declared for their fields, not their views"
)]

use proptest::prelude::*;

use super::*;
use crate::isa::field::FieldKind;
use crate::isa::fields::*;
use crate::isa::{Bundle, Format, decode};

formats! {
    /// One field of every kind, as the assembler sees them.
    Scalars = "SCALARS" {
        /// a half
        in_dtype: DType4 = 12;
        /// another
        out_dtype: DType4 = 12 bit 4;
        /// number
        small: u8 = 13;
        /// number
        word: u16 = 14;
        /// source of the immediate
        imm_src: ImmSrc = 16;
        /// source of the other immediate
        bias_src: ImmSrcN = 17;
        /// operation
        op: AluOp = 18 shown always;
        /// a register
        reg: Reg = 19;
        /// immediate
        imm: Imm32 = 20 src imm_src;
        /// immediate
        bias: Imm32 = 24 src_n bias_src;
        /// float
        alpha: f32 = 28;
        /// signed
        offset: i32 = 32;
        /// registers
        regs: Regs<4> = 36;
        /// halves
        steps: List<i16, 2> = 40;
        /// hex words
        words: List<u32, 2> = 44;
        /// bytes
        bytes: Raw<3> = 52;
        /// semaphore
        sem: Sem = 55;
        /// 64-bit address
        far: Addr8 = 56;
    }

    /// Operands of every arm.
    Slots = "SLOTS" {
        /// dtype of the result
        out_dtype: OutDType = 12;
        /// dtype of the source
        in_dtype: DType = 13;
        /// name
        name: Name<6> = 14;
        /// source
        src: Mem<2> = 20 reads in_dtype;
        /// result
        dst: Tensor<1> = 32 writes out_dtype;
        /// scaled
        mx: Mx = 40 reads_as 14;
        /// index
        index: Addr4 = 56;
    }

    /// A generator.
    Generator = "GENERATOR" {
        /// values
        data: Data4 = 12;
    }
}

fn instr(format: &'static Format, bundle: Bundle) -> Instr {
    Instr {
        format,
        ..decode(&bundle, Generation::V4)
    }
}

fn field(format: &'static Format, name: &str) -> &'static FieldDesc {
    format.field(name).unwrap()
}

/// Reads `text` into an empty bundle after `setup`, and says what the field prints as.
fn read(
    format: &'static Format,
    name: &str,
    setup: &[(usize, u8)],
    text: &str,
) -> Result<String, TextError> {
    let mut i = instr(format, Bundle::of_opcode(0x43));
    for (at, v) in setup {
        i.bundle.put(*at, &[*v]);
    }
    parse(&mut i, field(format, name), text, &NoNames)?;
    let mut out = String::new();
    print(&mut out, &i, field(format, name));
    Ok(out)
}

#[test]
fn notations() {
    let s = Scalars::FORMAT;
    for (name, setup, text, printed) in [
        ("in_dtype", &[][..], "fp32", "fp32"),
        ("in_dtype", &[], "0x3", "u8"),
        ("small", &[], "255", "255"),
        ("word", &[], "1KiB", "1024"),
        ("op", &[], "add", "ADD"),
        ("op", &[], "0x99", "0x99"),
        ("reg", &[], "r129", "r129"),
        ("reg", &[], "7", "r7"),
        ("imm", &[], "1.5", "1.5"),
        ("imm", &[], "2", "2.0"),
        ("imm", &[], "0x7fc00000", "0x7fc00000"),
        ("imm", &[], "0x3f800000", "1.0"),
        ("imm", &[], "0x5", "0x5"),
        ("imm", &[(16, 1)], "@00001000", "@00001000"),
        ("imm", &[(16, 1)], "@sbuf[1, 0x20]", "@00040020"),
        ("imm", &[(16, 2)], "r5", "r5"),
        ("bias", &[], "@00001000", "@00001000"),
        ("bias", &[(17, 1)], "-0.0", "-0.0"),
        ("alpha", &[], "1e-3", "0.001"),
        ("offset", &[], "-5", "-5"),
        ("offset", &[], "0xffffffff", "-1"),
        ("regs", &[], "r1,r2", "r1,r2"),
        ("regs", &[], "r1,r0,r3", "r1,r0,r3"),
        ("steps", &[], "-1,3", "-1,3"),
        ("words", &[], "0x10", "0x10"),
        ("bytes", &[], "0500", "05"),
        ("sem", &[], "$S[9]", "9"),
        ("far", &[], "dram[0x1000]", "@0000000000001000"),
        ("far", &[], "sbuf[2, 16]", "@0000002000080010"),
        ("far", &[], "r4:r5", "@8000000000000504"),
    ] {
        assert_eq!(
            read(s, name, setup, text).unwrap(),
            printed,
            "{name}={text}"
        );
    }
    let s = Slots::FORMAT;
    for (name, text, printed) in [
        ("src", "fp32@00002000[1][64]", "fp32@00002000[1][64]"),
        (
            "src",
            "fp32@00002000[1,8][64,2]",
            "fp32@00002000[1,8][64,2]",
        ),
        ("src", "bf16@psum[0, bank 3][1][64]", "bf16@02001800[1][64]"),
        ("src", "bf16@r7[1][64]", "bf16@80000007[1][64]"),
        (
            "src",
            "fp32@20000100:00002000[64]",
            "fp32@20000100:00002000[64]",
        ),
        (
            "src",
            "fp32@sbuf[0,0x100]:sbuf[0,0x2000][64]",
            "fp32@20000100:00002000[64]",
        ),
        (
            "src",
            "0x77@00000000[0,0][0?,1]",
            "0x77@00000000[0,0][0?,1]",
        ),
        ("src", "fp32@40000100[2,0][0,0]", "fp32@40000100[2,0][0,0]"),
        (
            "src",
            "fp32@20000100:00002000[0?]",
            "fp32@20000100:00002000[0?]",
        ),
        ("dst", "fp32@02000000[1][512]", "fp32@02000000[1][512]"),
        (
            "mx",
            "fp8e4@00001000/00008000[-1][512]p4",
            "fp8e4@00001000/00008000[-1][512]p4",
        ),
        (
            "mx",
            "@00001000/00008000[1][512]",
            "fp8e4@00001000/00008000[1][512]p0",
        ),
        (
            "mx",
            "fp8e4@20000040:00001000/00008000[256]p12",
            "fp8e4@20000040:00001000/00008000[256]p12",
        ),
        ("name", "q0.a_b", "q0.a_b"),
        ("name", "\"a b\"", "\"a b\""),
        ("name", r#""a\x00\"\xff""#, r#""a\x00\"\xff""#),
        ("index", "@00000100", "@00000100"),
        ("index", "sbuf[3, 4]", "@000c0004"),
    ] {
        assert_eq!(read(s, name, &[], text).unwrap(), printed, "{name} {text}");
    }
    let g = Generator::FORMAT;
    assert_eq!(
        read(g, "data", &[], "-3[1,2][4,5]").unwrap(),
        "-3[1,2][4,5]"
    );
}

#[test]
fn a_zero_result_type_is_fp32() {
    let mut i = instr(Slots::FORMAT, Bundle::of_opcode(2));
    let dst = field(Slots::FORMAT, "dst");
    parse(&mut i, dst, "fp32@02000000[1][2]", &NoNames).unwrap();
    assert_eq!(i.bundle.u8(12), 0);
    parse(&mut i, field(Slots::FORMAT, "out_dtype"), "fp32", &NoNames).unwrap();
    assert_eq!(i.bundle.u8(12), 0x0A);
    assert!(line(&i).contains(" out_dtype=fp32"), "{}", line(&i));
}

#[test]
fn errors_say_what_is_there_and_what_may_be() {
    let cases = [
        (Scalars::FORMAT, "small", "256", "`256`", "0..255"),
        (Scalars::FORMAT, "in_dtype", "fp4x4", "`fp4x4`", "0..0xf"),
        (Scalars::FORMAT, "op", "ADE", "`ADE`", "ALU_OP"),
        (
            Scalars::FORMAT,
            "imm",
            "@00001000",
            "`@00001000`",
            "a number",
        ),
        (Scalars::FORMAT, "imm", "r5", "`r5`", "a number"),
        (Scalars::FORMAT, "steps", "1,2,3", "`3`", "at most 2"),
        (
            Scalars::FORMAT,
            "far",
            "psum[0, bank 1]",
            "psum",
            "dram or sbuf",
        ),
        (Slots::FORMAT, "src", "@00002000[1][64]", "`@`", "data type"),
        (Slots::FORMAT, "src", "fp32@00002000[1]", "the end", "`[`"),
        (Slots::FORMAT, "src", "fp32@00002000", "the end", "`[`"),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[1][64,2]",
            "2 counts",
            "1, one per step",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[1,2,3][1,2,3]",
            "3 dimensions",
            "at most 2",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[32768][64]",
            "`32768`",
            "-32768..32767",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[1][65536]",
            "`65536`",
            "1..65535",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[1][65537]",
            "`65537`",
            "1..65535",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[1][0]",
            "`0`",
            "1..65535",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[1][5?]",
            "`5?`",
            "0 only",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@00002000[-32769][5]",
            "`-32769`",
            "-32768..32767",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@0x100000000[1][5]",
            "`0x100000000`",
            "32 bits",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@0x04000000[1][5]",
            "`0x04000000`",
            "SBUF or PSUM",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@20000100[1][64]",
            "`20000100`",
            "`:`",
        ),
        (
            Slots::FORMAT,
            "dst",
            "fp32@20000100:00002000[64]",
            "`:`",
            "`[`",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@1000[1][64]",
            "`1000`",
            "8 hex digits",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@sbuf[128, 0][1][64]",
            "`128`",
            "0..127",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@sbuf[0, 256KiB][1][64]",
            "`256KiB`",
            "0..262143",
        ),
        (
            Slots::FORMAT,
            "src",
            "fp32@psum[0, bank 8][1][64]",
            "`8`",
            "0..7",
        ),
        (Slots::FORMAT, "src", "fp32@x[1][64]", "`x`", "an address"),
        (
            Slots::FORMAT,
            "mx",
            "bf16@00001000/00008000[1][512]",
            "`bf16`",
            "fp8e4, fixed",
        ),
        (
            Slots::FORMAT,
            "name",
            "abcdefg",
            "`abcdefg`",
            "at most 6 bytes",
        ),
        (Slots::FORMAT, "name", "\"ab", "the end", "closing quote"),
    ];
    for (format, name, text, found, expected) in cases {
        let e = read(format, name, &[], text).unwrap_err();
        assert!(e.found.contains(found), "{name}={text}: {e}");
        assert!(e.expected.contains(expected), "{name}={text}: {e}");
        assert!(e.span.end <= text.len(), "{name}={text}: {e:?}");
    }
    let e = read(Slots::FORMAT, "src", &[], "fp32@00002000[1,2,3][1,2,3]").unwrap_err();
    assert_eq!(
        e.hint.unwrap(),
        "Illegal ISA memory access dimension 3, which must be in range of [1, 2]D tensor for ISA mem pattern"
    );
}

#[test]
fn sync_words() {
    // The EVENTS rows of the sheet, in the notation of listings.
    for (hex, text) in [
        ("0507130704000000", "$S[7]>=4 $S[7]++@complete"),
        ("0103000009000000", "$S[3]==9"),
        ("0203000009000000", "$S[3]<9"),
        ("0303000009000000", "$S[3]<=9"),
        ("0403140300000000", "$S[3]>0 $S[3]--@complete"),
        ("8503000011000000", "$S[3]>=r17"),
        ("06c8000000000000", "$E[200]==1"),
        ("07c8000000000000", "$E[200]==1:clear"),
        ("0ec8000000000000", "$E[200]==0"),
        ("0fc8000000000000", "$E[200]==0:set"),
        ("0000010900000000", "$E[9]=1@read"),
        ("0000120900000000", "$E[9]=0@complete"),
        ("0000030900000000", "$S[9]++@read"),
        ("0000150903000000", "$S[9]+=3@complete"),
        ("0000170903000000", "$S[9]-=3@complete"),
        ("00001909ffffffff", "$S[9]=0xffffffff@complete"),
        ("0000990905000000", "$S[9]=r5@complete"),
        ("0000950905000000", "$S[9]+=r5@complete"),
        ("9103000011020000", "$S[3]==r17+2"),
        ("0800000000000000", "wait=0x08:0"),
        ("4405000000000000", "wait=0x44:5"),
        ("0000660700000000", "update=0x66:7"),
        ("fe05000000000000", "wait=UNORDERED:5"),
        ("0005000700000000", "wait_idx=5 update_idx=7"),
        ("0507140701000000", "$S[7]>=1 $S[7]--@complete"),
        ("0000140701000000", "$S[7]--@complete sem_value=1"),
    ] {
        let b = Bundle::from_hex(&format!("a4100000{hex}{}", "0".repeat(104))).unwrap();
        assert_eq!(line(&decode(&b, Generation::V4)), format!("NOP {text};"));
    }
}

/// All fields of `format` printed and read back into an empty bundle give the same bits.
fn reads_back(format: &'static Format, bytes: [u8; 64]) -> Result<(), TestCaseError> {
    let from = instr(format, Bundle::new(bytes));
    let mut to = instr(format, Bundle::of_opcode(from.bundle.opcode()));
    to.bundle.put(12, &residue(&from)[12..]);
    let (late, early): (Vec<_>, Vec<_>) = format
        .fields
        .iter()
        .partition(|f| matches!(f.kind, FieldKind::Imm { .. }));
    for f in early.into_iter().chain(late) {
        let mut text = String::new();
        print(&mut text, &from, f);
        if let Err(e) = parse(&mut to, f, &text, &NoNames) {
            return Err(TestCaseError::fail(format!("{}={text}: {e}", f.name)));
        }
    }
    prop_assert_eq!(&from.bundle.bytes()[12..], &to.bundle.bytes()[12..]);
    Ok(())
}

proptest! {
    #[test]
    fn scalars_read_back(mut bytes in prop::array::uniform32(any::<u8>()), tail in prop::array::uniform32(any::<u8>()), src in 0u8..4, bias in 0u8..4) {
        bytes[16] = src;
        bytes[17] = bias;
        let mut all = [0; 64];
        all[..32].copy_from_slice(&bytes);
        all[32..].copy_from_slice(&tail);
        reads_back(Scalars::FORMAT, all)?;
        reads_back(Generator::FORMAT, all)?;
    }

    #[test]
    fn slots_read_back(mut bytes in prop::array::uniform32(any::<u8>()), mut tail in prop::array::uniform32(any::<u8>()), indirect in 0u8..4) {
        // Markers of the union slots: static and indirect alike.
        if indirect & 1 != 0 { bytes[23] = 0x20 }
        if indirect & 2 != 0 { tail[11] = 0xA0 }
        let mut all = [0; 64];
        all[..32].copy_from_slice(&bytes);
        all[32..].copy_from_slice(&tail);
        // The operand writes 0 for FP32; the other code needs the key, which comes last.
        if all[12] == 0x0A { all[12] = 0 }
        reads_back(Slots::FORMAT, all)?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        for format in [Scalars::FORMAT, Slots::FORMAT, Generator::FORMAT] {
            for f in format.fields {
                let mut i = instr(format, Bundle::of_opcode(2));
                if let Err(e) = parse(&mut i, f, &text, &NoNames) {
                    prop_assert!(e.span.start <= e.span.end && e.span.end <= text.len());
                }
            }
        }
    }
}

#[test]
fn no_field_hides_a_word_of_every_line() {
    let reserved = [
        "wait",
        "update",
        "wait_idx",
        "update_idx",
        "sem_value",
        "word_len",
        "debug_cmd",
        "debug_hint",
        "raw",
        "ext",
        "wait_value",
        "update_value",
    ];
    for row in crate::isa::table::rows() {
        for (_, format) in row.formats {
            for f in format
                .fields
                .iter()
                .filter(|f| f.kind != FieldKind::EventsExt)
            {
                assert!(!reserved.contains(&f.name), "{} of {}", f.name, format.name);
                assert!(!f.name.starts_with("ext_"), "{} of {}", f.name, format.name);
                if let FieldKind::Enum(desc) = f.kind {
                    for v in desc.values {
                        assert_eq!(desc.value_of(v.1), Some(v.0), "{} {}", desc.name, v.1);
                        assert!(v.1.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
                    }
                }
            }
        }
    }
}
