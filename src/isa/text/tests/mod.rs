//! Every kind of field: printed and read back, and the notations by example.
#![allow(
    dead_code,
    reason = "the layouts are declared for their fields, not their views"
)]

mod notations;

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
