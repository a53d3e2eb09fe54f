//! Notations of values by example, right and wrong.

use super::*;

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
