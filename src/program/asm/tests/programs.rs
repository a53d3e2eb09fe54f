//! Whole programs: streams, labels, places, data; listings assemble to the same program.

use proptest::prelude::*;

use super::super::*;
use crate::isa::{DType, Space};
use crate::program::listing;
use crate::program::{BranchSetting, Image, ImageData, Place};

fn asm(source: &str) -> Program {
    match assemble(source, "t.tasm", &Options::new(Generation::V3)) {
        Ok(p) => p,
        Err(e) => panic!("{}", e[0].report()),
    }
}

fn errors(source: &str) -> Vec<AsmError> {
    assemble(source, "t.tasm", &Options::new(Generation::V3)).unwrap_err()
}

fn bytes(s: &Stream) -> Vec<Bundle> {
    s.bundles().map(Result::unwrap).collect()
}

#[test]
fn streams_labels_and_branches() {
    let p = asm("
# a comment
.gen v3
.engine pe
start: NOP; NOP   # two statements
loop:
    COMPARE_BRANCH cmp_op=LT_IMM cmp_dtype=i32 target_mode=RELATIVE_IMMEDIATE cmp_immediate=3 cmp_reg0=r1 br_immediate=loop;
.engine dve
NOP $S[1]>0;
.engine pe
    COMPARE_BRANCH target_mode=RELATIVE_IMMEDIATE br_immediate=end
end:
");
    assert_eq!(p.generation, Some(Generation::V3));
    let queues: Vec<&str> = p.streams.iter().map(|s| s.queue.name()).collect();
    assert_eq!(queues, ["pe", "dve"]);
    let pe = bytes(&p.streams[0]);
    assert_eq!(pe.len(), 4);
    assert_eq!((pe[2].u64(48), pe[3].u64(48)), (2, 4));
    assert_eq!(p.streams[0].label_at(0), Some("start"));
    let form = p.streams[0].branch_form(BranchSetting::Auto).unwrap();
    assert_eq!(p.streams[0].target(3, &pe[3], form), Some(Ok(4)));
}

#[test]
fn device_form_stamps_the_hint() {
    let branch = "COMPARE_BRANCH target_mode=RELATIVE_IMMEDIATE br_immediate=top";
    let p = asm(&format!(
        ".branch rel\nNOP\ntop: NOP\nNOP\n{branch};\n{branch} debug_hint=0;"
    ));
    let all = bytes(&p.streams[0]);
    assert_eq!((all[3].u64(48), all[3].u8(3)), (0xFFFF_FF80, 2));
    assert_eq!((all[4].u64(48), all[4].u8(3)), (0xFFFF_FF40, 0));
}

#[test]
fn places_and_data() {
    let p = asm("
.gen v4
.place x sbuf[0:2, 0x100+8] as fp32
.place acc psum[0:128, bank 3] as fp32
.place w dram[4KiB+16] as bf16
.place one psum[5, bank 1, 4] as i32
.data x = 1, -2.5, 3, 0x7f800000
.data w = hex 0102 0304 05060708 090a0b0c0d0e0f10
.fill acc = 1.5
.data sbuf[7, 0:4] as u8 = 1,2,3, 255
.engine act
    TENSOR_TENSOR_ARITH_OP fp32@x[1][2] fp32@x+4[1][1] fp32@acc[1][2] op=ADD num_active_channels=2
    TENSOR_LOAD dtype=u32 num_elem=1,1 start_addr=w+4 step_elem=1,1
");
    let x = p.region("x").unwrap();
    assert_eq!(x.dtype, Some(DType::FP32));
    assert_eq!(
        x.place,
        Place {
            space: Space::Sbuf,
            parts: 0..2,
            bytes: 0x100..0x108
        }
    );
    assert_eq!(p.region("acc").unwrap().place.bytes, 0x1800..0x2000);
    assert_eq!(p.region("one").unwrap().place.bytes, 0x804..0x808);
    assert_eq!(p.region("w").unwrap().place.bytes, 4096..4112);
    let ImageData::Bytes(b) = &p.images[0].data else {
        panic!()
    };
    let floats: Vec<f32> = b
        .chunks(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    assert_eq!(floats, [1.0, -2.5, 3.0, f32::INFINITY]);
    assert_eq!(p.images[0].row(1), b[8..]);
    assert_eq!(p.images[2].row(127).len(), 2048);
    assert_eq!(p.images[2].row(3)[4..8], 1.5f32.to_le_bytes());
    assert_eq!(p.images[3].data, ImageData::Bytes(vec![1, 2, 3, 255]));
    let all = bytes(
        p.stream(crate::isa::Queue::Of(crate::isa::Engine::Act))
            .unwrap(),
    );
    assert_eq!(
        [16, 32, 48].map(|at| all[0].u32(at)),
        [0x100, 0x104, 0x0200_1800]
    );
    assert_eq!(all[1].u64(16), 4100);
}

#[test]
fn data_from_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Vec::new();
    let data: Vec<u8> = [1.0f32, 2.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    crate::program::npy::write(&mut file, &[2], crate::num::Kind::Fp32, &data, false).unwrap();
    std::fs::write(dir.path().join("a.npy"), file).unwrap();
    let options = Options {
        files: Files::In(dir.path().into()),
        ..Options::new(Generation::V3)
    };
    let p = assemble(".data dram[0+4] as bf16 = \"a.npy\"", "t", &options).unwrap();
    assert_eq!(
        p.images[0].data,
        ImageData::Bytes(vec![0x80, 0x3F, 0x00, 0x40])
    );
    let e = assemble(".data dram[0+4] as bf16 = \"b.npy\"", "t", &options).unwrap_err();
    assert!(e[0].hint.as_ref().unwrap().contains("b.npy"), "{:?}", e[0]);
}

#[test]
fn errors_name_line_and_column() {
    for (source, line, column, found, expected) in [
        ("NOP\n\n  FOO;", 3, 3, "`FOO`", "opcode name"),
        ("a: NOP\na: NOP", 2, 1, "`a:`", "new label"),
        (".gen v6", 1, 6, "`v6`", "a generation"),
        (".gen v2\n.gen v3", 2, 6, "`v3`", "one .gen"),
        (".engine gpu", 1, 9, "`gpu`", "an engine"),
        (".foo", 1, 1, "`.foo`", ".gen"),
        (
            ".place x sbuf[0:129, 0+4]",
            1,
            10,
            "`sbuf[0:129, 0+4]`",
            "inside the memory",
        ),
        (
            ".place x sbuf[0:128, 0+0x38001]",
            1,
            10,
            "sbuf",
            "inside the memory",
        ),
        (
            ".place x sbuf[0:128, 4:4]",
            1,
            22,
            "`4:4`",
            "at least one byte",
        ),
        (
            ".place x sbuf[0, 4]",
            1,
            10,
            "`sbuf[0, 4]`",
            "a range of bytes",
        ),
        (".place x psum[0, bank 8]", 1, 23, "`8`", "0..7"),
        (".place 00001000 sbuf[0, 0+4]", 1, 8, "`00001000`", "name"),
        (".place r7 sbuf[0, 0+4]", 1, 8, "`r7`", "nothing else"),
        (".place x y", 1, 10, "`y`", "a place"),
        (".data sbuf[0, 0+4] = 1", 1, 22, "`1`", "as DTYPE"),
        (
            ".data sbuf[0, 0+4] as u8 = 1, 2",
            1,
            28,
            "2 bytes",
            "4 elements of 1",
        ),
        (".data sbuf[0, 0+1] as u8 = 256", 1, 28, "`256`", "0..255"),
        (
            ".data sbuf[0, 0+1] as i8 = -129",
            1,
            28,
            "`-129`",
            "-128..127",
        ),
        (".fill sbuf[0, 0+6] as fp32 = 1.0", 1, 30, "1.0", "6 bytes"),
        ("NOP é;", 1, 5, "`é`", "no operands"),
        ("é NOP", 1, 1, "`é`", "opcode name"),
        (
            "COMPARE_BRANCH br_immediate=nowhere",
            1,
            29,
            "`nowhere`",
            "a label",
        ),
    ] {
        let e = &errors(source)[0];
        assert_eq!((e.line, e.columns.start), (line, column), "{}", e.report());
        assert!(e.found.contains(found), "{}", e.report());
        assert!(e.expected.contains(expected), "{}", e.report());
    }
    let many = "FOO\n".repeat(30);
    assert_eq!(errors(&many).len(), 20);
    let e = &errors("NOP\n\tNOP fop=1")[0];
    let report = e.report();
    assert!(
        report.starts_with("t.tasm:2:6: found `fop`, expected raw[N]=hex"),
        "{report}"
    );
    assert!(report.contains("\n   NOP fop=1\n       ^^^"), "{report}");
}

/// Branches, so that labels and forms are met often.
fn branch() -> impl Strategy<Value = Bundle> {
    let hint = prop_oneof![3 => Just(0u8), 1 => Just(2u8)];
    (
        hint,
        prop_oneof![
            0u64..12,
            any::<u64>(),
            (0i64..12).prop_map(|n| ((n - 6) * 64) as u32 as u64)
        ],
    )
        .prop_map(|(hint, target)| {
            let mut b = Bundle::of_opcode(0xA9);
            b.put(3, &[hint]);
            b.put(14, &[3]);
            b.put(48, &target.to_le_bytes());
            b
        })
}

fn any_bundle() -> impl Strategy<Value = Bundle> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 64).prop_map(|v| Bundle::new(v.try_into().unwrap())),
        any::<u8>().prop_map(Bundle::of_opcode),
        branch(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_listing_is_the_program(
        streams in prop::collection::vec(prop::collection::vec(any_bundle(), 0..8), 1..=6),
        g in prop::sample::select(Generation::ALL.to_vec()),
        hex: bool, fields: bool, offsets: bool, labels: bool,
    ) {
        let mut p = Program { generation: Some(g), ..Program::default() };
        for (queue, bundles) in Queue::ALL.iter().zip(&streams) {
            let bytes = bundles.iter().flat_map(|b| *b.bytes()).collect();
            let mut s = Stream::from_bytes(*queue, queue.name(), bytes);
            s.labels.insert("here".into(), bundles.len() as u64 / 2);
            p.streams.push(s);
        }
        let place = Place { space: Space::Sbuf, parts: 1..3, bytes: 4..8 };
        p.regions.push(Region { name: "x".into(), place: place.clone(), dtype: Some(DType::FP32), shape: None });
        p.images.push(Image { place: place.clone(), data: ImageData::Bytes((0..8).collect()) });
        p.images.push(Image { place, data: ImageData::Fill(vec![1, 2]) });
        let mut text = String::new();
        let options = listing::Options { hex, fields, offsets, labels, ..listing::Options::new(g) };
        listing::program(&mut text, &p, &options).unwrap();
        let back = match assemble(&text, "t", &Options::new(Generation::V2)) {
            Ok(back) => back,
            Err(e) => return Err(TestCaseError::fail(format!("{}\n{text}", e[0].report()))),
        };
        prop_assert_eq!(back.generation, Some(g));
        prop_assert_eq!(&back.regions, &p.regions);
        prop_assert_eq!(&back.images, &p.images);
        prop_assert_eq!(back.streams.len(), p.streams.len());
        for (a, b) in back.streams.iter().zip(&p.streams) {
            prop_assert_eq!(a.queue, b.queue);
            prop_assert_eq!(bytes(a), bytes(b), "{}", text);
            let form = |s: &Stream| s.branch_form(BranchSetting::Auto).unwrap();
            prop_assert_eq!(form(a), form(b));
        }
    }

    #[test]
    fn any_text_is_assembled_or_refused(text in "(\\PC|\n){0,80}") {
        if let Err(e) = assemble(&text, "t", &Options::new(Generation::V3)) {
            prop_assert!(!e.is_empty() && e.len() <= 20);
            for e in e {
                let _ = e.report();
            }
        }
    }
}
