//! Expected values are worked out by hand from isa 02 §2-§5 and 03 §3.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn answer(text: &str) -> Answer {
    let g = Generation::V3;
    analyse(
        &parse(text, g).unwrap_or_else(|e| panic!("{text}: {e:?}")),
        g,
    )
}

fn hex(p: &Pattern) -> String {
    let bytes = p.to_bytes(Pattern::size(p.dims().len())).unwrap();
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn rules(text: &str) -> Vec<&'static str> {
    answer(text).broken.iter().map(|b| b.rule).collect()
}

#[test]
fn the_location_gives_the_start_and_the_steps_the_descriptor() {
    // v3: partition stride 0x40000, so p32 + 0x400 is 0x00800400.
    let a = answer("{x.1}@SB<32,1024>(32x4096) bfloat16 [[2048,32],[512,2],[1,256]] offset 16");
    assert_eq!(a.name.as_deref(), Some("x.1"));
    assert_eq!((a.lanes, a.elements()), (32, Some(512)));
    let start = a.start.unwrap();
    // 16 elements of 2 bytes.
    assert_eq!((start.part, start.off), (32, 0x420));
    let all: Vec<(usize, String)> = a.descriptors().iter().map(|(r, p)| (*r, hex(p))).collect();
    assert_eq!(
        all,
        [
            (2, "20048000010000020001".to_owned() + "0200"),
            (3, "2004800001000002010000010200".to_owned() + "0100"),
            (
                4,
                "200480000100000201000100000102000100".to_owned() + "0100"
            ),
        ]
    );
    // The last element is 512 + 255 behind the first: (767 + 1) x 2 bytes.
    assert_eq!(a.bytes, Some((0x420, 0x420 + 1536)));
    assert_eq!(a.broken, []);
}

#[test]
fn rows_in_the_offset_move_the_partition() {
    // Rows of 1024 fp32 elements: 2 * 1024 + 8 is two partitions on, 32 bytes in.
    let a = answer("{w}@SB<0,0x1000>(128x4096) fp32 [[1024,16],[1,8]] offset=2056");
    let start = a.start.unwrap();
    assert_eq!((start.part, start.off), (2, 0x1020));
    // isa 02 §5: 16 lanes may start at 0, 32, 64, 96.
    assert_eq!(
        rules("{w}@SB<0,0x1000>(128x4096) fp32 [[1024,16],[1,8]] offset=2056"),
        ["start-partition"]
    );
}

#[test]
fn every_rule_has_its_id() {
    for (text, rule) in [
        ("@SB<32,0> fp32 [[1,64],[1,8]]", "start-partition"),
        ("@SB<0,2> fp32 [[1,64],[1,8]]", "address"),
        ("@SB<0,0x37fe0> fp32 [[1,64],[1,16]]", "bounds"),
        ("@SB<0,0> fp32 [[1,64],[-1,16]]", "bounds"),
        ("@SB<0,0> fp32 [[1,129],[1,16]]", "channels"),
        ("@SB<0,0> fp32 [[1,64],[1,0]]", "count"),
        ("@SB<0,0> fp32 [[1,64],[1,65536]]", "count"),
        ("@SB<0,0> fp32 [[1,64],[40000,2]]", "step"),
        ("@SB<0,0> fp32 [[-1,64],[1,2]]", "partition-step"),
        ("@SB<0,0> fp32 [[2,64],[1,2]]", "partition-step"),
        (
            "@SB<0,0> fp32 [[1,4],[1,2],[2,2],[4,2],[8,2],[16,2]]",
            "dimensions",
        ),
        ("@SB<0,0>(32x64) fp32 [[1,64],[1,8]]", "tensor"),
        ("@SB<0,0>(32x64) fp32 [[1,32],[1,17]]", "tensor"),
        ("@PSUM<0,0> bf16 [[1,32],[1,16]]", "psum-dtype"),
        (
            "@SB<0,0> fp32 [[1,32],[1,16]] offset 99999999999",
            "start-partition",
        ),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
}

#[test]
fn all_broken_rules_are_listed() {
    let text = "@SB<16,2> fp32 [[1,64],[40000,2],[1,70000]]";
    assert_eq!(rules(text), ["step", "count", "address", "start-partition"]);
    // Where it starts is known although no descriptor holds it.
    let a = answer(text);
    assert_eq!(a.start.map(|l| (l.part, l.off)), Some((16, 2)));
    assert_eq!(a.pattern, None);
    let text = "@SB<16,4> fp32 [[3,64],[30000,3]]";
    assert_eq!(rules(text), ["partition-step", "start-partition", "bounds"]);
}

#[test]
fn the_picture_shows_touched_bytes() {
    // 16 fp32 elements, every second: 4 of each 8 bytes, 124 bytes in all; a column is 2 bytes.
    let a = answer("@SB<0,0> fp32 [[1,32],[2,16]]");
    let row = "##..".repeat(16);
    let row = row.trim_end_matches('.');
    assert_eq!(
        a.picture,
        [
            "         0x0             0x20            0x40            0x60".to_owned(),
            format!("  p0..16 {row}"),
            format!(" p16..32 {row}"),
        ]
    );
    // Bytes 1000..1008: a column holds one byte.
    let a = answer("@SB<96,1000> fp32 [[1,1],[1,2]]");
    assert_eq!(
        a.picture[1],
        "p96..97 ########".to_owned().replace("p96", " p96")
    );
}

#[test]
fn wrong_texts_say_where() {
    for (text, span, found) in [
        ("@SB<0,0> fp23 [[1,4],[1,2]]", 9..13, "`fp23`"),
        ("[[1,4],[1,x]]", 10..11, "`x`"),
        ("@HBM<0,0> [[1,4]]", 0..4, "`@HBM`"),
        ("[[1,4],[1,2]] [[1,4]]", 14..21, "`[[1,4]]`"),
        ("fp32", 4..4, "the end"),
        ("0011 fp32", 0..4, "4 hex digits"),
        ("@SB<128,0> [[1,4]]", 4..7, "`128`"),
    ] {
        let e = parse(text, Generation::V3).unwrap_err();
        assert_eq!((e.span, e.found.as_str()), (span, found), "{text}");
    }
}

#[test]
fn the_sentence_around_a_pattern_is_passed_over() {
    let a = answer("@SB<96,64> fp32 [[1,1],[1,4]]");
    for sentence in [
        "Invalid access of 1 partitions starting at partition 127: ",
        "[ERROR] kernel.py:12: Access out of bounds: ",
    ] {
        let text = format!("{sentence}@SB<96,64> fp32 [[1,1],[1,4]]");
        assert_eq!(answer(&text), a, "{text}");
    }
    // What belongs to the pattern is read, a misspelled type is told.
    assert_eq!(answer("dtype: fp32, ap: @SB<96,64> [[1,1],[1,4]]"), a);
    assert!(parse("fp23: @SB<96,64> [[1,1],[1,4]]", Generation::V3).is_err());
}

#[test]
fn listings_and_places_are_read() {
    let a = answer("fp32@00001000[1,64][64,2]");
    let b = answer("sbuf[0, 0x1000] fp32 [[1,1],[64,2],[1,64]]");
    assert_eq!(a.pattern, b.pattern);
    let c = answer("psum[0, bank 3] float32 [[1,128],[1,512]]");
    let start = c.start.unwrap();
    assert_eq!(
        (start.space, start.part, start.off),
        (Space::Psum, 0, 3 * 2048)
    );
    assert_eq!(c.broken, []);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}@<>()0-9a-fx,+ \n#sbp-]{0,60}|\\PC{0,40}") {
        for g in Generation::MODELLED {
            match parse(&text, g) {
                Ok(given) => {
                    analyse(&given, g);
                }
                Err(e) => prop_assert!(text.get(e.span.clone()).is_some(), "{:?}", e.span),
            }
        }
    }

    #[test]
    fn any_pattern_has_an_answer(
        dims in vec((any::<i64>(), any::<i64>()), 1..7),
        near in vec((-40000..40000i64, -2..70000i64), 1..6),
        offset in any::<i64>(),
        home in proptest::option::of((0..128u16, 0..0x40000u32, 1..129u64, 1..0x40000u64)),
    ) {
        let access = |v: &[(i64, i64)]| v.iter().map(|(step, num)| Access { step: *step, num: *num }).collect();
        for steps in [access(&dims), access(&near)] {
            for offset in [offset, offset % 5000] {
                let given = Given {
                    name: None,
                    home: home.map(|(part, off, parts, pitch)| Home {
                        location: Location { space: Space::Sbuf, part, off },
                        parts: Some(parts),
                        pitch: Some(pitch),
                    }),
                    dtype: Some(DType::FP32),
                    offset,
                    lanes: None,
                    shape: Shape::Steps(Clone::clone(&steps)),
                };
                analyse(&given, Generation::V3);
            }
        }
    }

    #[test]
    fn a_descriptor_comes_back(
        part in 0..4u32,
        off in 0..1024u32,
        dims in vec((-8..9i16, 2..9u16), 1..5),
    ) {
        let dims: Vec<Dim> = dims.iter().map(|(step, num)| Dim { step: *step, num: *num }).collect();
        let p = Pattern::new(Addr4(part * 0x80_0000 + off * 4), &dims);
        let a = answer(&format!("{} fp32 lanes 32", hex(&p)));
        prop_assert_eq!(a.pattern, Some(p));
        // The same walk in the compiler's form.
        let free: String = dims.iter().rev().map(|d| format!(",[{},{}]", d.step, d.num)).collect();
        let b = answer(&format!("sbuf[{}, {}] fp32 [[1,32]{free}]", part * 32, off * 4));
        prop_assert_eq!(&b.pattern, &a.pattern);
        prop_assert_eq!(b.broken, a.broken);
        prop_assert_eq!(b.picture, a.picture);
    }
}
