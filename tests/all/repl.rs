//! The line front end in a real terminal, and signals.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const PROGRAM: &str = ".gen v3\n.engine any\nNOP;\nNOP;\nNOP;\nNOP;\nHALT;\n";
const ENDLESS: &str = ".gen v3\n.engine any\ntop:\nNOP;\nCOMPARE_BRANCH target_mode=RELATIVE_IMMEDIATE br_immediate=top;\n";
const ROWS: NonZero<u16> = NonZero::new(40).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(160).unwrap();
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with the tool in it, as a screen.
struct Terminal {
    screen: vt100::Parser,
    bytes: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
}

impl Terminal {
    fn open(dir: &std::path::Path, args: &[&str]) -> Terminal {
        let size = PtySize {
            rows: ROWS.get(),
            cols: COLUMNS.get(),
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tpbdbg"));
        command.args(args);
        command.cwd(dir);
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", dir.join("state"));
        command.env("XDG_CONFIG_HOME", dir);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            // Keeps the terminal open until the last byte was read.
            let _master = pair.master;
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal {
            screen: vt100::Parser::new(ROWS, COLUMNS, 0),
            bytes,
            keys,
            child,
        }
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen shows a text so often.
    fn wait_for(&mut self, text: &str, times: usize) {
        let end = Instant::now() + PATIENCE;
        while self.text().matches(text).count() < times {
            let left = end.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(_) => panic!("no {times} x {text:?} on\n{}", self.text()),
            }
        }
    }

    fn type_in(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }
}

#[test]
fn a_terminal_has_prompt_completion_repetition_and_history() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("prog.tasm"), PROGRAM).unwrap();
    let mut t = Terminal::open(dir.path(), &["repl", "prog.tasm"]);
    t.wait_for("any:0>", 1);
    t.type_in("goto st\t\r");
    t.wait_for("stop: start", 1);
    t.wait_for("any:0>", 2);
    t.type_in("step\r");
    t.wait_for("any:1>", 1);
    t.type_in("\r");
    t.wait_for("any:2>", 1);
    // A wrong line is marked, and does not repeat.
    t.type_in("stpe\r");
    t.wait_for("did you mean `step`?", 1);
    t.wait_for("any:2>", 2);
    t.type_in("\r");
    t.wait_for("any:2>", 3);
    // Several pasted lines are executed one by one.
    t.type_in("\x1b[200~print 10 + 1\nprint 20 + 2\n\x1b[201~\r");
    t.wait_for("20 + 2: 22", 1);
    t.wait_for("10 + 1: 11", 1);
    t.wait_for("any:2>", 4);
    // Ctrl-C throws the line away, Ctrl-D ends.
    t.type_in("print 3\x03");
    t.wait_for("any:2>", 5);
    t.type_in("\x04");
    assert!(t.child.wait().unwrap().success());
    let history = fs::read_to_string(dir.path().join("state/tpbdbg/history")).unwrap();
    assert!(
        history.contains("goto start") && history.contains("stpe"),
        "{history}"
    );
}

#[test]
fn control_c_ends_a_run_and_not_the_repl() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("prog.tasm"), ENDLESS).unwrap();
    // A place that cannot be written is no error.
    fs::write(dir.path().join("state"), "a file").unwrap();
    let mut t = Terminal::open(dir.path(), &["repl", "prog.tasm"]);
    t.wait_for("any:0>", 1);
    t.type_in("continue\r");
    std::thread::sleep(Duration::from_millis(300));
    t.type_in("\x03");
    t.wait_for("stop: interrupt", 1);
    t.type_in("print 40 + 2\r");
    t.wait_for("40 + 2: 42", 1);
    t.type_in("quit\r");
    assert!(t.child.wait().unwrap().success());
}

#[test]
fn a_signal_ends_the_run_of_a_batch_and_a_limit_does_too() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("prog.tasm"), ENDLESS).unwrap();
    let run = |commands: &[&str]| {
        let commands = commands.iter().flat_map(|c| ["-e", c]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpbdbg"));
        command
            .current_dir(dir.path())
            .args(["run", "prog.tasm"])
            .args(commands);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let mut child = run(&["record s.jsonl", "print 1", "continue", "print $stop"])
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while line != "1: 1\n" {
        line.clear();
        assert_ne!(out.read_line(&mut line).unwrap(), 0, "no answer");
    }
    let pid = child.id().to_string();
    let mut kill = Command::new("kill");
    assert!(kill.args(["-INT", &pid]).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("$stop: interrupt\n"), "{rest}");
    assert_eq!(child.wait().unwrap().code(), Some(0));

    // Going to where it was repeats it; only what looks at the reason differs.
    let mut replay = Command::new(env!("CARGO_BIN_EXE_tpbdbg"));
    let done = replay
        .current_dir(dir.path())
        .args(["replay", "s.jsonl"])
        .output()
        .unwrap();
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(
        out.starts_with("differs: command 3: print $stop\n"),
        "{out}"
    );
    assert!(out.ends_with("replayed: 3 commands, 1 differ\n"), "{out}");

    let done = run(&[
        "set run.limit 1000",
        "continue",
        "expect stop limit",
        "print $seq",
    ])
    .output()
    .unwrap();
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(
        String::from_utf8(done.stdout)
            .unwrap()
            .ends_with("$seq: 1000\n")
    );
}
