use std::io::Write;

use super::*;
use crate::isa::{Bundle, Engine};
use crate::program::BranchSetting;

struct Dir(tempfile::TempDir);

impl Dir {
    fn new(files: &[(&str, &[u8])]) -> Dir {
        let dir = Dir(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            fs::write(dir.path(name), bytes).unwrap();
        }
        dir
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, names: &[&str]) -> Result<Program, LoadError> {
        let inputs: Vec<Input> = names
            .iter()
            .map(|n| Input {
                path: if *n == "-" { "-".into() } else { self.path(n) },
                queue: None,
            })
            .collect();
        load(&inputs, &Options::default(), &mut std::io::empty())
    }
}

fn bytes(opcodes: &[u8]) -> Vec<u8> {
    opcodes
        .iter()
        .flat_map(|op| *Bundle::of_opcode(*op).bytes())
        .collect()
}

fn opcodes(p: &Program, q: Queue) -> Vec<u8> {
    let stream = p.stream(q).unwrap();
    stream.bundles().map(|b| b.unwrap().opcode()).collect()
}

fn stdin(bytes: &[u8]) -> Result<Program, LoadError> {
    let input = Input {
        path: "-".into(),
        queue: None,
    };
    load(&[input], &Options::default(), &mut &*bytes)
}

const PE: Queue = Queue::Of(Engine::Pe);
const ACT: Queue = Queue::Of(Engine::Act);
const DVE: Queue = Queue::Of(Engine::Dve);

#[test]
fn raw_streams_and_their_engines() {
    let nops = bytes(&[0xA4, 0xA1]);
    let d = Dir::new(&[
        ("pe.bin", &nops),
        ("Activation.bin", &nops),
        ("dve.0.bin", &nops),
        ("prog.bin", &nops),
        ("other", &nops),
    ]);
    let p = d
        .load(&["pe.bin", "Activation.bin", "dve.0.bin", "prog.bin"])
        .unwrap();
    for q in [PE, ACT, DVE, Queue::Any] {
        assert_eq!(opcodes(&p, q), [0xA4, 0xA1]);
    }
    let e = d.load(&["prog.bin", "other"]).unwrap_err().to_string();
    assert!(
        e.contains("prog.bin") && e.contains("other") && e.contains("--engine"),
        "{e}"
    );
    let named = Input {
        path: d.path("prog.bin"),
        queue: Some(ACT),
    };
    let p = load(
        &[named],
        &Options {
            generation: Some(Generation::V4),
            ..Options::default()
        },
        &mut std::io::empty(),
    )
    .unwrap();
    assert_eq!(
        (opcodes(&p, ACT), p.generation),
        (vec![0xA4, 0xA1], Some(Generation::V4))
    );
    for (name, queue) in [
        ("pool_instr", Some("pool")),
        ("SP.bin", Some("sp")),
        ("tensor.bin", Some("pe")),
        ("vector_add.bin", None),
        ("pe.json", Some("pe")),
    ] {
        assert_eq!(
            queue_of(Path::new(name)),
            queue.and_then(Queue::parse),
            "{name}"
        );
    }
}

#[test]
fn text_forms() {
    let hex = "# two bundles\n00: a4100000 00000000 0000_0000 00000000\n";
    let rest = "0".repeat(96);
    let d = Dir::new(&[
        (
            "pe.hex",
            format!("{hex}{rest}\n0xa1, 0x10 {}", "0".repeat(124)).as_bytes(),
        ),
        ("bad.hex", b"a4\nzz"),
        ("deep.hex", "# é\n00: a4 é_0x5\u{3b1}".as_bytes()),
        ("short.hex", b"a410"),
        ("x.tasm", b".gen v4\n.engine act\nNOP\n.engine sp\nHALT"),
        ("y.tasm", b".gen v2\nNOP"),
        ("dve.tasm", b"\xEF\xBB\xBFNOP"),
        ("bad.tasm", b"NOP\nFOO"),
        ("latin.tasm", b"\xff"),
    ]);
    assert_eq!(opcodes(&d.load(&["pe.hex"]).unwrap(), PE), [0xA4, 0xA1]);
    let p = d.load(&["x.tasm", "dve.tasm"]).unwrap();
    assert_eq!(p.generation, Some(Generation::V4));
    assert_eq!(opcodes(&p, ACT), [0xA4]);
    assert_eq!(opcodes(&p, DVE), [0xA4]);
    for (files, text) in [
        (
            &["bad.hex"][..],
            "bad.hex:2:1: found 'z', expected hex digits",
        ),
        (
            &["deep.hex"],
            "deep.hex:2:8: found 'é', expected hex digits",
        ),
        (&["short.hex"], "4 hex digits, not a multiple of 128"),
        (&["bad.tasm"], "bad.tasm:2:1: found `FOO`"),
        (&["latin.tasm"], "not UTF-8"),
        (&["x.tasm", "y.tasm"], "is for v2, not v4"),
        (&["none.bin"], "none.bin: No such file"),
    ] {
        let e = d.load(files).unwrap_err().to_string();
        assert!(e.contains(text), "{e}");
    }
}

#[test]
fn sizes_and_containers() {
    let mut header = vec![0u8; 1024];
    header[0] = 2;
    header[9] = 4;
    let d = Dir::new(&[
        ("a.bin", &[0xA4; 127]),
        ("empty.bin", b""),
        ("m.neff", &header),
        ("m.bin", &header),
        ("z.bin", &[0x1F, 0x8B, 0, 0]),
        ("n.neff", &[0xA4; 64]),
    ]);
    let e = d.load(&["a.bin"]).unwrap_err().to_string();
    assert!(e.contains("127 bytes, 63 more than"), "{e}");
    // A recognised container is never read as a stream, whatever its name.
    for (name, what) in [
        ("m.neff", "the gzip stream at byte 0x400 is damaged"),
        ("m.bin", "the gzip stream at byte 0x400 is damaged"),
        ("z.bin", "the gzip stream at byte 0x0 is damaged"),
        ("n.neff", "no NEFF container"),
    ] {
        let e = d.load(&[name]).unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    }
    let p = d.load(&["empty.bin"]).unwrap();
    assert!(p.streams[0].is_empty());
    assert!(p.notes[0].contains("empty stream"), "{:?}", p.notes);
}

#[test]
fn directories() {
    let nop = bytes(&[0xA4]);
    let d = Dir::new(&[
        ("pe.bin", &nop),
        ("pe.1.bin", &nop),
        ("act.json", b"{}"),
        ("Pool.bin", &nop),
    ]);
    let input = |p: PathBuf| Input {
        path: p,
        queue: None,
    };
    let p = load(
        &[input(d.0.path().into())],
        &Options::default(),
        &mut std::io::empty(),
    )
    .unwrap();
    assert_eq!(p.streams.len(), 2);
    assert!(
        p.notes.iter().any(|n| n.contains("another stream of PE")),
        "{:?}",
        p.notes
    );
    let d = Dir::new(&[("readme.txt", b"")]);
    let e = load(
        &[input(d.0.path().into())],
        &Options::default(),
        &mut std::io::empty(),
    )
    .unwrap_err();
    assert!(e.to_string().contains("no stream in this directory"), "{e}");
}

#[test]
fn standard_input_by_content() {
    assert_eq!(
        opcodes(&stdin(&bytes(&[0xA4])).unwrap(), Queue::Any),
        [0xA4]
    );
    let hex = format!("a410{}", "0".repeat(124));
    assert_eq!(opcodes(&stdin(hex.as_bytes()).unwrap(), Queue::Any), [0xA4]);
    assert_eq!(
        opcodes(&stdin(b".engine pe\nNOP; HALT").unwrap(), PE),
        [0xA4, 0xA1]
    );
    assert!(stdin(b"").unwrap().streams[0].is_empty());
    assert!(stdin(&[0xFF; 65]).is_err());
}

#[test]
fn a_gibibyte_opens_at_once() {
    let d = Dir::new(&[]);
    let path = d.path("pe.bin");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(Bundle::of_opcode(0xA4).bytes()).unwrap();
    // Sparse: reading it all would take a gibibyte of zeros.
    file.set_len(1 << 30).unwrap();
    let p = d.load(&["pe.bin"]).unwrap();
    let stream = &p.streams[0];
    assert_eq!(stream.len(), 1 << 24);
    let options = crate::program::listing::Options {
        labels: false,
        directives: false,
        branch: BranchSetting::Auto,
        ..crate::program::listing::Options::new(Generation::V3)
    };
    let mut out = String::new();
    crate::program::listing::stream(&mut out, stream, &options, 0..1).unwrap();
    assert_eq!(out, "NOP;\n");
    assert_eq!(stream.bundle((1 << 24) - 1).unwrap().unwrap().opcode(), 0);
    assert_eq!(stream.bundle(1 << 24).unwrap(), None);
}
