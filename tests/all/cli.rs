//! The command line of the real binary: exit codes, output, options (interface §1, §4).

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Bundles that do not wait: NOPs and a HALT are legal in every stream.
const PROGRAM: &str =
    ".gen v3\n.engine any\n.place out sbuf[0:4, 0:16] as fp32\nNOP;\nNOP;\nHALT;\n";
/// A bundle with an opcode that no generation has.
const FAULTY: &str = ".gen v3\n.engine any\nNOP;\nOP_0x17;\nHALT;\n";
/// A wait that nobody ends.
const STUCK: &str = ".gen v3\n.engine pe\nNOP;\nEVENT_SEMAPHORE $S[9]>=1;\nHALT;\n";

struct Run {
    code: i32,
    out: String,
    err: String,
}

/// A directory with a program in it.
fn dir(program: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("prog.tasm"), program).unwrap();
    dir
}

fn tpbdbg(dir: &Path, args: &[&str], input: &str) -> Run {
    let output = Command::cargo_bin("tpbdbg")
        .unwrap()
        .current_dir(dir)
        .env_remove("CLICOLOR_FORCE")
        .env("XDG_CONFIG_HOME", dir)
        .env("XDG_STATE_HOME", dir)
        .args(args)
        .write_stdin(input)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// `tpbdbg run` with commands.
fn run(program: &str, options: &[&str], commands: &[&str]) -> Run {
    let dir = dir(program);
    let commands = commands.iter().flat_map(|c| ["-e", c]);
    let args: Vec<&str> = ["run", "prog.tasm"]
        .into_iter()
        .chain(options.iter().copied())
        .chain(commands)
        .collect();
    tpbdbg(dir.path(), &args, "")
}

#[test]
fn exit_codes() {
    #[rustfmt::skip]
    let table: &[(&str, &[&str], &[&str], i32)] = &[
        (PROGRAM, &[], &[], 0),
        (PROGRAM, &[], &["continue", "expect stop exit", "expect $seq == 3"], 0),
        (PROGRAM, &[], &["expect 1 == 2"], 1),
        (PROGRAM, &[], &["expect stop fault"], 1),
        (PROGRAM, &[], &["expect nans(sbuf[0, 0:4]) == 0"], 2),
        (PROGRAM, &[], &["frobnicate"], 2),
        (PROGRAM, &[], &["x sbuf[0, 0x99999]"], 2),
        (PROGRAM, &[], &["x sbuf[128]"], 2),
        (PROGRAM, &[], &["load out gone.npy"], 2),
        (PROGRAM, &[], &["source gone.tdb"], 2),
        (PROGRAM, &[], &["print 1/0"], 2),
        (PROGRAM, &["-x", "gone.tdb"], &[], 2),
        (PROGRAM, &["--gen", "v9"], &[], 2),
        (PROGRAM, &["gone.bin"], &[], 2),
        (PROGRAM, &["--load", "out=gone.npy"], &[], 2),
        // The first failed command ends it.
        (PROGRAM, &[], &["expect 1 == 2", "frobnicate"], 1),
        (PROGRAM, &[], &["frobnicate", "expect 1 == 2"], 2),
        (PROGRAM, &["--keep-going"], &["expect 1 == 2", "continue"], 1),
        // Faults.
        (FAULTY, &[], &["continue"], 3),
        (FAULTY, &[], &["continue", "expect stop fault"], 0),
        (FAULTY, &[], &["continue", "# a comment is no command", "", "expect stop fault"], 0),
        (FAULTY, &[], &["continue", "print $seq", "expect stop fault"], 3),
        (FAULTY, &[], &["continue", "expect stop exit"], 3),
        (FAULTY, &[], &["continue", "expect $stop == \"fault\""], 3),
        (FAULTY, &[], &["continue", "expect stop fault", "continue"], 3),
        (FAULTY, &[], &["continue", "expect stop fault", "skip", "continue", "expect stop exit"], 0),
        (FAULTY, &["--keep-going"], &["continue", "print $seq"], 3),
        (FAULTY, &["--keep-going"], &["continue", "skip", "continue"], 0),
        (FAULTY, &[], &["step", "expect stop step"], 0),
        // Deadlocks.
        (STUCK, &[], &["continue"], 3),
        (STUCK, &[], &["continue", "expect stop deadlock"], 0),
        (STUCK, &[], &["continue", "expect stop deadlock", "set sem[9] = 1", "continue", "expect stop exit"], 0),
    ];
    for (program, options, commands, code) in table {
        let r = run(program, options, commands);
        assert_eq!(
            r.code, *code,
            "{options:?} {commands:?}\n{}{}",
            r.out, r.err
        );
        assert_eq!(r.err.is_empty(), *code == 0, "{commands:?}: {}", r.err);
    }
}

#[test]
fn commands_and_files_keep_their_order() {
    let dir = dir(PROGRAM);
    fs::write(
        dir.path().join("a.tdb"),
        "print 2\r\n# nothing\r\nprint 3\r\n",
    )
    .unwrap();
    let args = [
        "run",
        "prog.tasm",
        "-e",
        "print 1",
        "-x",
        "a.tdb",
        "-e",
        "print 4",
        "-e",
        "source a.tdb",
    ];
    let r = tpbdbg(dir.path(), &args, "");
    assert_eq!(
        (r.code, r.out.as_str()),
        (0, "1: 1\n2: 2\n3: 3\n4: 4\n2: 2\n3: 3\n"),
        "{}",
        r.err
    );
}

#[test]
fn a_wrong_line_of_a_script_is_named() {
    let dir = dir(PROGRAM);
    fs::write(dir.path().join("a.tdb"), "print 1\n\nstpe 3\nprint 2\n").unwrap();
    let r = tpbdbg(dir.path(), &["run", "prog.tasm", "-x", "a.tdb"], "");
    assert_eq!((r.code, r.out.as_str()), (2, "1: 1\n"));
    assert_eq!(
        r.err,
        "tpbdbg: a.tdb:3: unknown command `stpe`; did you mean `step`?\n  stpe 3\n  ^^^^\n"
    );
    fs::write(dir.path().join("b.tdb"), "source a.tdb\n").unwrap();
    let r = tpbdbg(dir.path(), &["run", "prog.tasm", "-x", "b.tdb"], "");
    assert!(r.err.starts_with("tpbdbg: a.tdb:3: "), "{}", r.err);
}

fn json(r: &Run) -> Vec<Value> {
    r.out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}")))
        .collect()
}

#[test]
fn json_lines_have_the_shape_of_the_contract() {
    let r = run(
        PROGRAM,
        &["--json", "--keep-going"],
        &[
            "step",
            "print 1.5",
            "print nan",
            "x out as",
            "print -inf # why",
        ],
    );
    let lines = json(&r);
    assert_eq!((r.code, lines.len()), (2, 5));
    for line in &lines {
        let keys: Vec<&str> = line
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let last = if line["ok"] == true {
            "output"
        } else {
            "error"
        };
        assert_eq!(keys, ["seq", "command", "ok", "stop", last]);
    }
    let stop = &lines[0]["stop"];
    assert_eq!(
        (&stop["kind"], &stop["seq"], &stop["engine"], &stop["index"]),
        (&"step".into(), &0.into(), &"any".into(), &0.into())
    );
    assert!(stop["detail"].is_object());
    assert_eq!(lines[0]["seq"], 1);
    assert_eq!(
        lines[1]["output"],
        serde_json::json!({"value": 1.5, "type": "float"})
    );
    assert_eq!(lines[2]["output"]["value"], "nan");
    assert_eq!(lines[3]["error"]["kind"], "usage");
    assert_eq!(lines[3]["error"]["span"], serde_json::json!([8, 8]));
    assert_eq!(
        (&lines[4]["output"]["value"], &lines[4]["command"]),
        (&"-inf".into(), &"print -inf".into())
    );
}

#[test]
fn the_repl_reads_a_pipe_without_a_word_of_its_own() {
    let dir = dir(PROGRAM);
    for verb in [&["prog.tasm"][..], &["repl", "prog.tasm"]] {
        let r = tpbdbg(dir.path(), verb, "print 1\n\nprint 2\nquit\nprint 3\n");
        assert_eq!(
            (r.code, r.out.as_str(), r.err.as_str()),
            (0, "1: 1\n2: 2\n", "")
        );
    }
    let r = tpbdbg(dir.path(), &["repl", "prog.tasm"], "nonsense\nprint 2\n");
    assert_eq!((r.code, r.out.as_str()), (2, "2: 2\n"));
}

#[test]
fn recorded_sessions_replay() {
    let dir = dir(PROGRAM);
    let at = |name: &str| dir.path().join(name);
    let commands = [
        "step",
        "record s.jsonl",
        "set out = 1.5",
        "print sum(out)",
        "bogus",
        "continue",
        "print $seq",
    ];
    let args: Vec<&str> = ["run", "prog.tasm", "--keep-going"]
        .into_iter()
        .chain(commands.iter().flat_map(|c| ["-e", c]))
        .collect();
    assert_eq!(tpbdbg(dir.path(), &args, "").code, 2);
    let lines: Vec<Value> = fs::read_to_string(at("s.jsonl"))
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let recorded: Vec<&str> = lines
        .iter()
        .skip(1)
        .map(|l| l["command"].as_str().unwrap())
        .collect();
    assert_eq!(
        recorded,
        [
            "step",
            "set out = 1.5",
            "print sum(out)",
            "bogus",
            "continue",
            "print $seq"
        ]
    );

    // From anywhere, and after a move of both files together.
    let r = tpbdbg(
        Path::new("/"),
        &["replay", at("s.jsonl").to_str().unwrap()],
        "",
    );
    assert_eq!(
        (r.code, r.out.as_str()),
        (0, "replayed: 6 commands, 0 differ\n"),
        "{}",
        r.err
    );
    fs::create_dir(at("moved")).unwrap();
    fs::rename(at("s.jsonl"), at("moved/s.jsonl")).unwrap();
    fs::rename(at("prog.tasm"), at("moved/prog.tasm")).unwrap();
    assert_eq!(tpbdbg(dir.path(), &["replay", "moved/s.jsonl"], "").code, 0);

    // Another program gives other results.
    fs::write(
        at("moved/prog.tasm"),
        PROGRAM.replace("NOP;\nNOP;", "NOP;\nNOP;\nNOP;"),
    )
    .unwrap();
    let r = tpbdbg(dir.path(), &["replay", "moved/s.jsonl"], "");
    assert_eq!(r.code, 1);
    assert!(r.err.contains("has changed since"), "{}", r.err);
    assert!(
        r.out.contains("differs: command 6: print $seq"),
        "{}",
        r.out
    );
    assert!(
        r.out.contains("output.value:\n    - 3\n    + 4"),
        "{}",
        r.out
    );
    assert_eq!(
        tpbdbg(dir.path(), &["replay", "moved/s.jsonl", "--bless"], "").code,
        0
    );
    let r = tpbdbg(dir.path(), &["replay", "moved/s.jsonl"], "");
    assert_eq!((r.code, r.err.as_str()), (0, ""));

    fs::write(at("bad"), "nonsense\n").unwrap();
    assert_eq!(tpbdbg(dir.path(), &["replay", "bad"], "").code, 2);
    assert_eq!(tpbdbg(dir.path(), &["replay", "gone"], "").code, 2);
}

#[test]
fn colours_only_when_asked_for() {
    let dir = dir(PROGRAM);
    let plain = tpbdbg(dir.path(), &["run", "prog.tasm", "-e", "print 1"], "");
    assert_eq!(plain.out, "1: 1\n");
    let always = tpbdbg(
        dir.path(),
        &["run", "prog.tasm", "--color", "always", "-e", "print 1"],
        "",
    );
    assert!(always.out.contains("\x1b["), "{:?}", always.out);
}

#[test]
fn a_reader_that_stops_is_no_error() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let dir = dir(PROGRAM);
    let script: String = (0..20_000).map(|i| format!("print {i}\n")).collect();
    fs::write(dir.path().join("long.tdb"), script).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tpbdbg"))
        .current_dir(dir.path())
        .args(["run", "prog.tasm", "-x", "long.tdb"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(done.stderr.is_empty());
}

#[test]
fn a_listing_assembles_to_the_same_bytes() {
    let dir = dir(STUCK);
    let at = |name: &str| dir.path().join(name);
    let run = |args: &[&str], input: &str| {
        let r = tpbdbg(dir.path(), args, input);
        assert_eq!((r.code, r.err.as_str()), (0, ""), "{args:?}");
        r.out
    };
    run(&["asm", "prog.tasm", "-o", "a.bin"], "");
    let text = run(&["disasm", "prog.tasm"], "");
    assert!(text.starts_with(".gen v3\n.engine pe\n"), "{text}");
    run(&["asm", "-", "-o", "b.bin"], &text);
    let bytes = fs::read(at("a.bin")).unwrap();
    assert_eq!(bytes.len(), 3 * 64);
    assert_eq!(bytes, fs::read(at("b.bin")).unwrap());
    // The engine of a raw stream is its name, or what is said before it.
    assert!(run(&["disasm", "--engine", "vector", "a.bin"], "").contains(".engine dve\n"));
    fs::rename(at("b.bin"), at("act.bin")).unwrap();
    assert!(run(&["disasm", "act.bin"], "").contains(".engine act\n"));
    assert!(run(&["disasm", "--hex", "act.bin"], "").contains("a0100000"));

    let two = format!("{STUCK}.engine act\nHALT;\n");
    fs::write(at("two.tasm"), two).unwrap();
    run(&["asm", "two.tasm", "-o", "out.bin"], "");
    assert_eq!(fs::read(at("out.pe.bin")).unwrap(), bytes);
    assert_eq!(fs::read(at("out.act.bin")).unwrap().len(), 64);
    run(
        &["disasm", "out.pe.bin", "--engine", "act", "out.act.bin"],
        "",
    );
}

#[test]
fn checking_explaining_and_looking_up() {
    let dir = dir(FAULTY);
    let run = |args: &[&str]| tpbdbg(dir.path(), args, "");
    let r = run(&["check", "prog.tasm"]);
    assert_eq!(r.code, 1, "{}", r.err);
    assert!(r.out.starts_with("error: bad-opcode any:1 "), "{}", r.out);
    let r = run(&["check", "--json", "prog.tasm"]);
    let found: Value = serde_json::from_str(&r.out).unwrap();
    let first = &found["findings"][0];
    assert_eq!(
        (r.code, &first["rule"], &first["severity"]),
        (1, &"bad-opcode".into(), &"error".into())
    );
    assert_eq!(
        (
            &first["count"],
            &first["first"]["engine"],
            &first["first"]["index"]
        ),
        (&1.into(), &"any".into(), &1.into())
    );

    let halt = format!("a110{}", "0".repeat(124));
    for what in [halt.as_str(), "prog.tasm:2"] {
        let r = run(&["explain", what]);
        assert_eq!(r.code, 0, "{}", r.err);
        assert!(
            r.out.contains("HALT;\n") && r.out.contains("opcode"),
            "{}",
            r.out
        );
    }
    assert!(run(&["explain", "prog.tasm"]).out.contains("NOP;"));
    for (args, code) in [
        (&["explain", "prog.tasm:9"][..], 2),
        (&["explain", "gone.bin"], 2),
        (&["explain", "a110"], 2),
        (&["isa", "MATMUL"], 0),
        (&["isa", "0xa1"], 0),
        (&["isa"], 0),
        (&["isa", "MATMULL"], 2),
        (&["isa", "0x17"], 2),
        (&["doc"], 0),
        (&["--version"], 0),
        (&["--help"], 0),
        (&["run", "--nonsense"], 2),
        (&["check", "gone"], 2),
        (&["disasm", "."], 2),
        (&["asm", "prog.tasm", "-o", "no/such/dir.bin"], 2),
    ] {
        let r = run(args);
        assert_eq!(r.code, code, "{args:?}: {}{}", r.out, r.err);
    }
}

#[test]
fn raw_streams_of_any_length_but_a_broken_one_are_read() {
    let dir = dir(PROGRAM);
    for (name, bytes, code) in [
        ("empty.bin", 0, 0),
        ("one.bin", 64, 0),
        ("broken.bin", 65, 2),
    ] {
        let mut content = vec![0u8; bytes];
        if let Some(first) = content.first_chunk_mut::<2>() {
            *first = [0xA1, 0x10];
        }
        fs::write(dir.path().join(name), content).unwrap();
        let r = tpbdbg(
            dir.path(),
            &["run", name, "-e", "continue", "-e", "expect stop exit"],
            "",
        );
        assert_eq!(r.code, code, "{name}: {}", r.err);
    }
    let r = tpbdbg(dir.path(), &["run", "empty.bin"], "");
    assert!(r.err.contains("empty stream"), "{}", r.err);
    let text = "a110 ".to_owned() + &"00".repeat(62);
    let r = tpbdbg(
        dir.path(),
        &["run", "-", "-e", "continue", "-e", "print $seq"],
        &text,
    );
    assert_eq!(
        (r.code, r.out.ends_with("$seq: 1\n")),
        (0, true),
        "{}",
        r.err
    );
}

#[test]
fn initial_memory_comes_from_arrays_and_survives_a_restart() {
    let dir = dir(PROGRAM);
    let commands = [
        "set out = 2.5",
        "dump out x.npy",
        "dump out as u32 raw.npy raw",
    ];
    let args: Vec<&str> = ["run", "prog.tasm"]
        .into_iter()
        .chain(commands.iter().flat_map(|c| ["-e", c]))
        .collect();
    assert_eq!(tpbdbg(dir.path(), &args, "").code, 0);
    let load = |place: &str, commands: &[&str]| {
        let commands = commands.iter().flat_map(|c| ["-e", c]);
        let args = ["run", "prog.tasm", "--load", place]
            .into_iter()
            .chain(commands);
        tpbdbg(dir.path(), &args.collect::<Vec<_>>(), "")
    };
    let r = load(
        "out=x.npy",
        &[
            "expect out == x.npy",
            "set out = 1",
            "restart",
            "expect sum(out) == 40",
            "reload",
            "expect sum(out) == 40",
        ],
    );
    assert_eq!(r.code, 0, "{}", r.err);
    let r = load(
        "sbuf[0:4, 0x100:0x110] as fp32=raw.npy",
        &["expect sbuf[3, 0x10c] as fp32 == 2.5"],
    );
    assert_eq!(r.code, 0, "{}", r.err);
    for wrong in [
        "sbuf[0:3, 0:16] as fp32=x.npy",
        "sbuf[0:4, 0:16]=x.npy",
        "sbuf[0:4, 0:16] as i32=x.npy",
        "nowhere=x.npy",
        "out",
    ] {
        assert_eq!(load(wrong, &[]).code, 2, "{wrong}");
    }
    let r = load(
        "out=x.npy",
        &[
            "set sbuf[2, 4] as fp32 = 2.75",
            "expect out == x.npy tol 0.25",
            "expect out == x.npy tol 0.2",
        ],
    );
    assert_eq!(r.code, 1);
    assert!(
        r.err.contains("1 of 16 elements differ") && r.err.contains("expected 2.5, found 2.75"),
        "{}",
        r.err
    );
}

#[test]
fn the_first_line_of_a_huge_stream_needs_no_reading_of_it() {
    use std::io::{BufRead, BufReader};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("huge.bin");
    fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tpbdbg"))
        .arg("disasm")
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), ".gen v3");
    assert_eq!(lines.nth(1).unwrap().unwrap(), "OP_0x00 word_len=0x00;");
    // What the tool has read by now is bounded by one slice and one page.
    let read = fs::read_to_string(format!("/proc/{}/io", child.id()));
    if let Some(n) = read.ok().and_then(|t| {
        t.lines()
            .find_map(|l| l.strip_prefix("rchar: ")?.parse::<u64>().ok())
    }) {
        assert!(n < 256 << 20, "{n} bytes read");
    }
    drop(lines);
    // Who stops reading has seen enough.
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn access_patterns_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let text = "{x}@SB<32,1024>(32x4096) bf16 [[1,32],[512,2],[1,256]]";
    let r = tpbdbg(dir.path(), &["ap", text], "");
    assert_eq!((r.code, r.err.as_str()), (0, ""));
    for line in [
        "start: SBUF p32 +0x400",
        "operand: bf16@00800400[1,512][256,2]",
        "TENSOR2D: 00048000 01000002 00010200",
        "bytes: 0x400..0xa00 of each partition",
    ] {
        assert!(r.out.lines().any(|l| l == line), "{line}\n{}", r.out);
    }
    // From standard input, as one JSON object.
    let r = tpbdbg(dir.path(), &["ap", "--json", "-"], &format!("{text}\n"));
    let json: Value = serde_json::from_str(&r.out).unwrap();
    assert_eq!(json["start"]["partition"], 32);
    assert_eq!(json["descriptors"][0]["hex"], "000480000100000200010200");
    let r = tpbdbg(dir.path(), &["ap", "@SB<16,0> fp32 [[1,64],[40000,2]]"], "");
    assert_eq!(r.code, 1);
    let broken: Vec<&str> = r.out.lines().filter(|l| l.starts_with("error: ")).collect();
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(broken[0].starts_with("error: step: step 40000"));
    assert!(broken[1].starts_with("error: start-partition: "));
    let r = tpbdbg(dir.path(), &["ap", "[[1,64],[1,x]]"], "");
    assert_eq!(r.code, 2);
    assert!(r.err.contains("[[1,64],[1,x]]\n           ^"), "{}", r.err);
}

#[test]
fn long_words_and_long_names_of_names_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("z.tasm"), "A".repeat(1 << 20)).unwrap();
    let r = tpbdbg(dir.path(), &["check", "z.tasm"], "");
    assert_eq!(r.code, 2);
    assert!(r.err.contains("z.tasm:1:1: found `AAAA"), "{:.200}", r.err);
    assert!(r.err.len() < 2000, "{} bytes", r.err.len());
    // Doubling 60 times.
    let lets: String = (1..=60)
        .map(|i| format!("let a{i} = a{} + a{}\n", i - 1, i - 1))
        .collect();
    fs::write(dir.path().join("l.tdb"), format!("let a0 = 1\n{lets}")).unwrap();
    let r = tpbdbg(dir.path(), &["run", "-x", "l.tdb", "sample:pipeline"], "");
    assert_eq!(r.code, 2);
    assert!(r.err.contains("more than 4096 parts"), "{}", r.err);
}

#[test]
fn rules_of_findings_are_checked() {
    let r = run(PROGRAM, &[], &["break finding uninit-raed"]);
    assert_eq!(r.code, 2);
    assert!(r.err.contains("did you mean `uninit-read`?"), "{}", r.err);
    assert_eq!(
        run(PROGRAM, &[], &["break finding start-partition"]).code,
        0
    );
}

#[test]
fn empty_programs_are_told_by_every_verb() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("pe.bin"), "").unwrap();
    fs::write(dir.path().join("e.tasm"), "").unwrap();
    for (verb, file, note) in [
        ("disasm", "pe.bin", "empty stream"),
        ("check", "pe.bin", "empty stream"),
        ("run", "pe.bin", "empty stream"),
        ("run", "e.tasm", "no bundle"),
    ] {
        let r = tpbdbg(dir.path(), &[verb, file], "");
        assert_eq!(r.code, 0, "{verb} {}", r.err);
        assert!(r.err.contains(note), "{verb}: {}", r.err);
    }
}

/// The machine's own state, the history budget and 64 MiB are all that a run takes, however much it changes.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_state_and_budget() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    // 32 KiB of fp32 sums, onto the first operand.
    let add = "TENSOR_TENSOR_ARITH_OP fp32@00000000[1][64] fp32@00001000[1][64] fp32@00000000[1][64] op=ADD num_active_channels=128;\n";
    let dir = dir(&format!(
        ".gen v3\n.engine any\n{}HALT;\n",
        add.repeat(6000)
    ));
    let mut child = Command::new(env!("CARGO_BIN_EXE_tpbdbg"))
        .current_dir(dir.path())
        .args(["repl", "prog.tasm"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for command in [
        "set sbuf[0:128, 0+256] as fp32 = 0",
        "set sbuf[0:128, 0x1000+256] as fp32 = 1.5",
        "set history 32MiB",
        "continue",
        "print sum(sbuf[0:128, 0+256] as fp32)",
    ] {
        writeln!(stdin, "{command}").unwrap();
    }
    stdin.flush().unwrap();
    let sum = 1.5 * 6000.0 * 64.0 * 128.0;
    let out = BufReader::new(child.stdout.take().unwrap());
    let found = out
        .lines()
        .map(Result::unwrap)
        .find(|l| l.starts_with("sum("));
    assert!(
        found
            .as_ref()
            .is_some_and(|l| l.ends_with(&format!(" {sum:?}"))),
        "{found:?}"
    );
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    child.wait().unwrap();
    let peak = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // SBUF and PSUM, and a bit for each of their bytes (isa 12).
    let state = (128 * (0x38000 + 0x4000)) * 9 / 8 / 1024;
    assert!(
        peak < state + (32 + 64) * 1024,
        "{peak} KiB, the state takes {state}"
    );
}

/// Whatever the bytes are: a listing that assembles to them.
#[test]
fn disasm_of_random_bytes_never_fails() {
    let dir = tempfile::tempdir().unwrap();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let bytes: Vec<u8> = (0..64 * 512).map(|_| random()).collect();
    fs::write(dir.path().join("act.bin"), &bytes).unwrap();
    for generation in ["v2", "v3", "v4", "v5"] {
        let r = tpbdbg(dir.path(), &["disasm", "--gen", generation, "act.bin"], "");
        assert_eq!((r.code, r.err.as_str()), (0, ""), "{generation}");
        fs::write(dir.path().join("act.tasm"), &r.out).unwrap();
        let args = ["asm", "act.tasm", "-o", "back.bin"];
        assert_eq!(tpbdbg(dir.path(), &args, "").code, 0, "{generation}");
        assert!(
            fs::read(dir.path().join("back.bin")).unwrap() == bytes,
            "{generation}"
        );
    }
}

/// Breakpoints persist when asked, for the very same program.
#[test]
fn breakpoints_are_kept_when_asked() {
    let dir = dir(PROGRAM);
    let d = dir.path();
    let go = |commands: &[&str]| {
        let commands = commands.iter().flat_map(|c| ["-e", c]);
        let args: Vec<&str> = ["run", "prog.tasm"].into_iter().chain(commands).collect();
        tpbdbg(d, &args, "")
    };
    let none = go(&["keep load"]);
    assert_eq!(none.code, 2, "{}", none.out);
    let r = go(&[
        "let half = sbuf[0:2, 0:8] as fp32",
        "break any:1 if $seq >= 1 once",
        "watch change half",
        "break op NOP ignore 2 log",
        "break sem 3",
        "disable 4",
        "info breaks",
        "keep",
    ]);
    assert_eq!((r.code, r.err.as_str()), (0, ""));
    let listed: Vec<&str> = r
        .out
        .lines()
        .filter(|l| l.starts_with("break: #"))
        .collect();
    let listed = &listed[listed.len() - 4..];
    let r = go(&["keep load", "info breaks"]);
    assert_eq!((r.code, r.err.as_str()), (0, ""));
    let again: Vec<&str> = r
        .out
        .lines()
        .filter(|l| l.starts_with("break: #"))
        .collect();
    // The disabled one stays a comment.
    assert_eq!(again[again.len() - 3..], listed[..3]);
    // Nothing is set unless it is asked for, and a changed program is another one.
    assert_eq!(go(&["info breaks"]).out, "breaks: none\n");
    let changed = PROGRAM.replace("NOP;\nNOP;", "NOP;\nNOP;\nNOP;");
    fs::write(d.join("prog.tasm"), changed).unwrap();
    assert_eq!(go(&["keep load"]).code, 2);
    fs::write(d.join("prog.tasm"), PROGRAM).unwrap();
    assert_eq!(go(&["keep off"]).code, 0);
    assert_eq!(go(&["keep load"]).code, 2);
    let r = go(&[
        "break any:1",
        "keep mine.tdb",
        "delete 1",
        "keep load mine.tdb",
        "info breaks",
    ]);
    assert_eq!(r.code, 0);
    assert!(r.out.ends_with("break: #2 pc any:1\n"), "{}", r.out);
}

/// Pictures need a screen; that there is none is said, and a session recorded on one still replays.
#[test]
fn pictures_without_a_screen_are_missed() {
    let r = run(
        PROGRAM,
        &[],
        &["screenshot a.svg", "heat export b.png", "layout code"],
    );
    assert_eq!(r.code, 0);
    let said = "tpbdbg: -e:1: there is no screen here, a.svg was not written\n\
                tpbdbg: -e:2: there is no screen here, b.png was not written\n";
    assert_eq!(r.err, said);
    let dir = dir(PROGRAM);
    let r = tpbdbg(dir.path(), &["repl", "prog.tasm"], "screenshot a.svg\n");
    assert_eq!(
        (r.code, r.err.as_str()),
        (
            0,
            "tpbdbg: there is no screen here, a.svg was not written\n"
        )
    );
}
