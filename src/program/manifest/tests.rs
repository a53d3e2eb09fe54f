//! What a manifest says becomes part of the program, and errors name their place.

use std::fs;

use proptest::prelude::*;

use crate::isa::Queue;
use crate::program::load::{Input, Options, load};
use crate::program::{Image, ImageData, Program, Said};

/// A `.npy` file of `f4`, written by hand after numpy's description of the format.
fn npy(shape: &str, values: &[f32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    out
}

fn read(text: &str) -> Result<Program, String> {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("m.toml"), text).unwrap();
    fs::write(at("nop.bin"), [0xA4; 1].repeat(64)).unwrap();
    fs::write(
        at("act.tasm"),
        ".gen v4\n.place t sbuf[0:2, 0+8] as fp32\nNOP;\n",
    )
    .unwrap();
    fs::write(at("a.npy"), npy("(2, 2)", &[1.0, 2.0, 3.0, 4.0])).unwrap();
    fs::write(at("other.toml"), "").unwrap();
    let path = at("m.toml");
    let loaded = load(
        &[Input { path, queue: None }],
        &Options::default(),
        &mut std::io::empty(),
    );
    let prefix = format!("{}/", dir.path().display());
    loaded.map_err(|e| e.to_string().replace(&prefix, ""))
}

#[test]
fn everything_arrives() {
    let p = read(
        r#"
        generation = "trn3"
        scheduler = { policy = "random", seed = 3 }
        settings.init.memory = "zero"
        settings."dma.delay" = 4
        [[stream]]
        file = "nop.bin"
        engine = "pe"
        branch = "rel-bytes"
        labels = { top = 0, end = 1 }
        [[stream]]
        file = "act.tasm"
        [[stream]]
        text = """
.engine dve
NOP; NOP;
"""
        [[place]]
        name = "x"
        at = "sbuf[4:6, 16+8]"
        dtype = "fp32"
        shape = [2, 2]
        initial = "a.npy"
        [[place]]
        name = "t"
        expected = "a.npy"
        tol = 0.5
        [[variable]]
        id = 3
        name = "v"
        addr = 64
        bytes = 8
        "#,
    )
    .unwrap();
    assert_eq!(p.generation.map(|g| g.info().name), Some("v4"));
    let scheduler = p.scheduler.clone().unwrap();
    assert_eq!(scheduler.what, ("random".to_owned(), 3));
    assert_eq!(scheduler.at.rsplit('/').next(), Some("m.toml:3:32"));
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let settings: Vec<_> = p
        .settings
        .iter()
        .map(|Said { what, .. }| what.clone())
        .collect();
    assert_eq!(
        settings,
        [pair("dma.delay", "4"), pair("init.memory", "zero")]
    );
    let lengths: Vec<_> = p
        .streams
        .iter()
        .map(|s| (s.queue.name(), s.len()))
        .collect();
    assert_eq!(lengths, [("pe", 1), ("act", 1), ("dve", 2)]);
    let pe = p.stream(Queue::parse("pe").unwrap()).unwrap();
    assert_eq!(pe.label_at(1), Some("end"));
    assert!(pe.branch.is_some());
    let [t, x] = p.regions.as_slice() else {
        panic!("{:?}", p.regions)
    };
    assert_eq!((t.name.as_str(), x.shape.clone()), ("t", Some(vec![2, 2])));
    assert_eq!(x.place.to_string(), "sbuf[4:6, 0x10:0x18]");
    let bytes = [1f32, 2.0, 3.0, 4.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let image = Image {
        place: x.place.clone(),
        data: ImageData::Bytes(bytes),
    };
    assert_eq!(p.images, [image]);
    assert_eq!(
        (p.expected[0].name.as_str(), p.expected[0].tolerance),
        ("t", 0.5)
    );
    assert_eq!(p.variables[0].addr, 64);
}

#[test]
fn errors_say_where_and_what() {
    let place =
        "[[stream]]\nfile = \"act.tasm\"\n[[place]]\nname = \"p\"\nat = \"sbuf[0:2, 0+8]\"\n";
    let cases: &[(&str, &str)] = &[
        (
            "generation = 3",
            "m.toml:1:14: invalid type: integer `3`, expected a string",
        ),
        (
            "generation = \"v9\"",
            "m.toml:1:14: found `v9`, expected v2, v3, v4",
        ),
        ("[[stream]\n", "m.toml:1:10: "),
        (
            "strem = 1",
            "m.toml:1:1: unknown field `strem`, expected one of ",
        ),
        (
            "[[stream]]\nengine = \"gpu\"\nfile = \"nop.bin\"",
            "m.toml:2:10: found `gpu`, expected pe, ",
        ),
        (
            "[[stream]]\nengine = \"pe\"",
            "m.toml:2:10: a [[stream]] has either `file` or `text`",
        ),
        ("[[stream]]\nfile = \"no.bin\"", "no.bin: No such file"),
        (
            "[[stream]]\nfile = \"other.toml\"",
            "m.toml:2:8: a manifest names streams, not another manifest",
        ),
        (
            "[[stream]]\ntext = \"\"\"\nNOOP;\n\"\"\"",
            "m.toml:2:8:1:1: ",
        ),
        (
            "[[stream]]\nfile = \"nop.bin\"\nlabels = { a = 2 }",
            "m.toml:2:8: label a is bundle 2, the stream has 1",
        ),
        (
            "[[stream]]\nfile = \"nop.bin\"\nbranch = \"up\"",
            "m.toml:3:10: found `up`, expected index or rel-bytes",
        ),
        (
            "generation = \"v3\"\n[[stream]]\nfile = \"act.tasm\"",
            "act.tasm is for v4, not v3",
        ),
        (
            "[[place]]\nname = \"q\"",
            "m.toml:2:8: no stream names a place q, and there is no `at`",
        ),
        (
            "[[place]]\nname = \"psum\"\nat = \"sbuf[0]\"",
            "m.toml:2:8: found \"psum\", expected a name",
        ),
        (
            "[[place]]\nname = \"q\"\nat = \"sbuf[0:200, 0+8]\"",
            "m.toml:3:6: ",
        ),
        (
            "[[place]]\nname = \"q\"\nat = \"sbuf[0:2, 0+8] x\"",
            "m.toml:3:6: ",
        ),
        (
            &format!("{place}dtype = \"fp31\""),
            "m.toml:6:9: found `fp31`, expected a data type",
        ),
        (
            &format!("{place}shape = [2, 2]"),
            "m.toml:6:9: a shape needs a dtype",
        ),
        (
            &format!("{place}dtype = \"bf16\"\nshape = [2, 2]"),
            "m.toml:7:9: [2, 2] of bf16 is not the 16 bytes of ",
        ),
        (
            &format!("{place}shape = [4294967296, 4294967296]\ndtype = \"u8\""),
            "m.toml:6:9: [4294967296, ",
        ),
        (
            &format!("{place}initial = \"a.npy\""),
            "m.toml:6:11: an array needs a place with a dtype",
        ),
        (
            &format!("{place}dtype = \"u8\"\ninitial = \"a.npy\""),
            "m.toml:7:11: a.npy: the array holds <f4, u8 takes ",
        ),
        (
            &format!("{place}dtype = \"bf16\"\ninitial = \"a.npy\""),
            "m.toml:7:11: a.npy: the array has shape [2, 2], ",
        ),
        (
            &format!("{place}dtype = \"fp32\"\nexpected = \"b.npy\""),
            "m.toml:7:12: b.npy: No such file",
        ),
        (&format!("{place}expected = \".\""), "m.toml:6:12: ."),
        (
            &format!("{place}tol = 1.0"),
            "m.toml:6:7: `tol` is a number of at least 0, beside `expected`",
        ),
        (
            &format!("{place}dtype = \"fp32\"\nexpected = \"a.npy\"\ntol = nan"),
            "m.toml:8:7: `tol` is",
        ),
        (
            &format!("{place}[[place]]\nname = \"p\"\nat = \"sbuf[0]\""),
            "m.toml:7:8: two places are called p",
        ),
        (
            "[state]\nfile = \"a.npy\"",
            "m.toml:1:1: missing field `seq`",
        ),
        (
            "[state]\nfile = \"b\"\nseq = 1",
            "m.toml:2:8: b: No such file",
        ),
    ];
    for (text, expected) in cases {
        let e = read(text).map(|_| ()).unwrap_err();
        assert!(e.starts_with(expected), "{text}\n{e}\nexpected {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn garbage_is_an_error_or_a_program(words in prop::collection::vec(prop::sample::select(vec![
        "[[stream]]\n", "[[place]]\n", "[state]\n", "file = \"nop.bin\"\n", "file = 'a.npy'\n", "at = 'sbuf[0:2, 0+8] as fp32'\n",
        "name = \"x\"\n", "name = 'é'\n", "shape = [2, 2]\n", "initial = \"a.npy\"\n", "expected = \"a.npy\"\n", "tol = -1.0\n", "\u{0}", "é",
        "=", "[", "]", "\"", "\n", "seq = 99999999999999999999\n", "labels = { a = -1 }\n", "settings = 3\n", "settings.a.b.c = []\n",
        "[[queue]]\n", "[[queue.block]]\n", "id = 1\n", "copy = []\n", "engine = \"pe\"\n", "[settings]\n", "generation = 'v2'\n",
    ]), 0..9)) {
        let _ = read(&words.concat());
    }
}
