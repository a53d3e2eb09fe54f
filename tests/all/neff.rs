//! The container of isa 10 §6 in the hands of a user: it lists as its own text members do, runs, and its output equals its input.

use std::fs;
use std::io::Write;
use std::path::Path;

use assert_cmd::Command;
use flate2::Compression;
use flate2::write::GzEncoder;

const MEMBERS: &str = include_str!("../vectors/neff-members.txt");

/// Name and body of each member; streams are hex.
fn members() -> impl Iterator<Item = (&'static str, &'static str)> {
    MEMBERS
        .split("== ")
        .skip(1)
        .map(|m| m.split_once('\n').unwrap())
}

fn bytes(name: &str, body: &str) -> Vec<u8> {
    if !name.ends_with(".bin") {
        return body.as_bytes().to_vec();
    }
    let digits: String = body.split_whitespace().collect();
    let byte = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap();
    (0..digits.len() / 2).map(byte).collect()
}

/// A gzip over a tar of the members.
fn write(path: &Path) {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::new(1)));
    for (name, body) in members() {
        let bytes = bytes(name, body);
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice())
            .unwrap();
    }
    let packed = tar.into_inner().unwrap().finish().unwrap();
    fs::File::create(path).unwrap().write_all(&packed).unwrap();
}

fn tpbdbg(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("tpbdbg")
        .unwrap()
        .current_dir(dir)
        .args(args)
        .output()
        .unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn q32_streams_of_a_container_list_as_its_text_members() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("x.neff"));
    let (code, out, _) = tpbdbg(dir.path(), &["disasm", "x.neff"]);
    assert_eq!(code, 0);
    for (name, body) in members().filter(|(n, _)| n.ends_with(".asm")) {
        let engine = name.trim_start_matches("sg00/").trim_end_matches(".asm");
        let listed = out.split(&format!(".engine {engine}\n")).nth(1).unwrap();
        let listed = listed.split(".engine").next().unwrap();
        let lines: Vec<&str> = listed
            .lines()
            .map(str::trim)
            .filter(|l| l.ends_with(';'))
            .collect();
        assert_eq!(lines, body.lines().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn the_container_runs_and_its_output_equals_its_input() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("x.neff"));
    // Also with transfers that take their time, and with edits of the input taken back.
    for setting in ["set dma.delay 0", "set dma.delay 5"] {
        let (code, out, err) = tpbdbg(
            dir.path(),
            &[
                "run",
                "-e",
                setting,
                "-e",
                "restart",
                "-e",
                "set input = 0.5",
                "-e",
                "set dram[0x10010:0x10014] as fp32 = -3.25",
                "-e",
                "watch w output",
                "-e",
                "continue",
                "-e",
                "expect stop watch",
                "-e",
                "continue",
                "-e",
                "expect stop exit",
                "-e",
                "expect max(output) == 0.5",
                "-e",
                "expect min(output) == -3.25",
                "-e",
                "expect sum(output) == 0.5 * 31 - 3.25",
                "-e",
                "expect sem[10] == 1 && sem[22] == 1 && sem[11] == 1",
                "-e",
                "who output",
                "-e",
                "reverse-continue",
                "-e",
                "expect uninit(output) == 32",
                "-e",
                "goto start",
                "-e",
                "expect uninit(output) == 32",
                "x.neff",
            ],
        );
        assert_eq!(code, 0, "{setting}\n{out}\n{err}");
        let writer = out.lines().find(|l| l.contains("q_gradient_out"));
        assert!(writer.is_some(), "{out}");
    }
}

#[test]
fn containers_are_bounded_and_questioned() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("x.neff"));
    let (code, _, err) = tpbdbg(dir.path(), &["disasm", "--max-unpacked", "1KiB", "x.neff"]);
    assert_eq!(code, 2);
    assert!(err.contains("unpacks to more than 1024 bytes"), "{err}");
    let file = fs::read(dir.path().join("x.neff")).unwrap();
    fs::write(dir.path().join("cut.neff"), &file[..file.len() / 2]).unwrap();
    let (code, _, err) = tpbdbg(dir.path(), &["run", "-e", "continue", "cut.neff"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("cut.neff: the gzip stream at byte 0x0 is damaged"),
        "{err}"
    );
    // A queue that is in no container.
    fs::write(
        dir.path().join("p.tasm"),
        ".gen v3\n.engine pool\nPSEUDO_DMA_TRIGGER q0 block_id=0;\n",
    )
    .unwrap();
    let (code, out, err) = tpbdbg(dir.path(), &["run", "-e", "continue", "p.tasm"]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(
        format!("{out}{err}").contains("no queue \"q0\""),
        "{out}{err}"
    );
}
