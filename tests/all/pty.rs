//! The real binary in a pseudo-terminal, its screen read by a terminal emulator.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

struct Tty {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
}

const SIZE: PtySize = PtySize {
    rows: 40,
    cols: 130,
    pixel_width: 0,
    pixel_height: 0,
};

fn cells(n: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(n).unwrap()
}

const BINARY: &str = env!("CARGO_BIN_EXE_tpbdbg");

impl Tty {
    fn start() -> Tty {
        Tty::run(&[BINARY], &[])
    }

    /// A shell with job control, which starts the program; it prints `$> ` when it waits for a command.
    fn shell(env: &[(&str, &str)]) -> Tty {
        let mut all = vec![("PS1", "$> "), ("RUST_BACKTRACE", "0")];
        all.extend(env);
        let mut t = Tty::run(&["bash", "--norc", "--noediting", "-i"], &all);
        t.wait("$> ");
        t.send(&format!("{BINARY}\r"));
        t
    }

    fn run(words: &[&str], env: &[(&str, &str)]) -> Tty {
        let pair = native_pty_system().openpty(SIZE).unwrap();
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(
            cells(SIZE.rows),
            cells(SIZE.cols),
            0,
        )));
        let sink = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buf = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buf) {
                sink.lock().unwrap().process(&buf[..n]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Tty {
            child,
            master: pair.master,
            keys,
            screen,
        }
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen shows something; a bound keeps a broken screen from hanging the test.
    fn wait(&self, what: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.text().contains(what) {
            assert!(
                Instant::now() < until,
                "{what:?} never came on\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the screen no longer shows something.
    fn wait_gone(&self, what: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        while self.text().contains(what) {
            assert!(
                Instant::now() < until,
                "{what:?} stayed on\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn send(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end of the process and checks that the terminal was given back.
    fn end(mut self) -> u32 {
        let status = self.child.wait().unwrap();
        // The reader sees the last bytes shortly after.
        std::thread::sleep(Duration::from_millis(200));
        let screen = self.screen.lock().unwrap();
        assert!(
            !screen.screen().alternate_screen(),
            "still on the alternate screen"
        );
        assert!(!screen.screen().hide_cursor(), "the cursor is still hidden");
        assert!(
            !screen.screen().bracketed_paste(),
            "bracketed paste is still on"
        );
        status.exit_code()
    }
}

#[test]
fn start_step_back_watch_quit() {
    let mut t = Tty::start();
    t.wait("seq 0");
    t.send("sss");
    t.wait("seq 3");
    t.send("S");
    t.wait("seq 2 of 3");
    t.send(":watch w psum[0:64, bank 0]\rc");
    t.wait("watch #1");
    t.send("q");
    assert_eq!(t.end(), 0);
}

#[test]
fn a_storm_of_sizes_leaves_a_sane_screen() {
    let mut t = Tty::start();
    t.wait("seq 0");
    for i in 0..40u16 {
        let (rows, cols) = (1 + i * 7 % 50, 1 + i * 13 % 150);
        t.master.resize(PtySize { rows, cols, ..SIZE }).unwrap();
    }
    t.master.resize(SIZE).unwrap();
    t.send("s");
    t.wait("seq 1");
    t.send("q");
    assert_eq!(t.end(), 0);
}

#[test]
fn termination_restores_the_terminal() {
    let t = Tty::start();
    t.wait("seq 0");
    let pid = t.child.process_id().unwrap().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-TERM", &pid])
        .status()
        .unwrap();
    assert!(kill.success());
    t.end();
}

/// The line discipline as the shell sees it: echo on, input by lines.
fn is_sane(t: &mut Tty) {
    assert!(!t.screen.lock().unwrap().screen().alternate_screen());
    t.send("stty -a | tr ' ' '\\n' | grep -cx -e 'icanon' -e 'echo'; echo asked\r");
    t.wait("\nasked");
    assert!(t.text().contains("2\nasked"), "{}", t.text());
}

#[test]
fn suspending_gives_the_terminal_back_and_takes_it_again() {
    let mut t = Tty::shell(&[]);
    t.wait("seq 0");
    t.send("ss");
    t.wait("seq 2");
    t.send("\x1a");
    t.wait("Stopped");
    is_sane(&mut t);
    t.send("fg\r");
    t.wait("seq 2");
    assert!(t.screen.lock().unwrap().screen().alternate_screen());
    t.send("s");
    t.wait("seq 3");
    t.send("q");
    t.wait("$> ");
    is_sane(&mut t);
    t.send("exit\r");
    assert_eq!(t.end(), 0);
}

/// The switch that makes the screen panic is in builds with debug assertions only.
#[cfg(debug_assertions)]
#[test]
fn a_panic_restores_the_terminal_and_shows_its_message() {
    let mut t = Tty::shell(&[("TPBDBG_REHEARSE_PANIC", "1")]);
    t.wait("rehearsed panic");
    t.wait("$> ");
    is_sane(&mut t);
    t.send("exit\r");
    assert_eq!(t.end(), 0);
}

#[test]
fn a_keymap_in_the_configuration_directory_is_merged_over_the_default() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("tpbdbg");
    std::fs::create_dir(&home).unwrap();
    let write = |text: &str| std::fs::write(home.join("keymap.toml"), text).unwrap();
    let env = [("XDG_CONFIG_HOME", dir.path().to_str().unwrap())];
    write("[keys]\n\"x\" = \"step 2\"\n\"s\" = \"\"\n");
    let mut t = Tty::run(&[BINARY], &env);
    t.wait("seq 0");
    t.send("sxs");
    t.wait("seq 2");
    t.send("q");
    assert_eq!(t.end(), 0);
    write("[keys]\n\"C-A-x\" = \"step\"\n\"A-C-x\" = \"next\"\n");
    let t = Tty::run(&[BINARY], &env);
    t.wait("are the same keys");
    assert_eq!(t.end(), 2);
}

#[test]
fn keys_work_on_a_small_screen() {
    let mut t = Tty::start();
    t.master
        .resize(PtySize {
            rows: 24,
            cols: 80,
            ..SIZE
        })
        .unwrap();
    t.screen
        .lock()
        .unwrap()
        .screen_mut()
        .set_size(cells(24), cells(80));
    t.wait("seq 0");
    t.send("4v\x1b[C\x1b[Cwc");
    t.wait("watch #1");
    t.send("o");
    t.wait("who:");
    t.send(":print 6*7\r");
    t.wait("6*7: 42");
    t.send("q");
    assert_eq!(t.end(), 0);
}

/// `r0 = 0; do { r0 = r0 + 1 } while true` for SP.
fn endless(dir: &std::path::Path) -> String {
    use tpbdbg::isa::Bundle;
    let bundle = |opcode, parts: &[(usize, &[u8])]| {
        let mut b = Bundle::of_opcode(opcode);
        parts.iter().for_each(|(at, bytes)| b.put(*at, bytes));
        b
    };
    let program = [
        bundle(0xA7, &[(12, &[1, 9, 1]), (24, &[0])]),
        bundle(
            0xA8,
            &[(12, &[4, 9, 1]), (16, &[0, 0, 0, 0, 0]), (24, &[1])],
        ),
        bundle(0xA9, &[(14, &[3]), (48, &[1])]),
    ];
    let bytes: Vec<u8> = program
        .iter()
        .flat_map(|b| b.slice(0, 64).to_vec())
        .collect();
    let path = dir.join("sp.bin");
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn a_run_shows_its_progress_and_stops_at_escape() {
    let dir = tempfile::tempdir().unwrap();
    let program = endless(dir.path());
    let mut t = Tty::run(&[BINARY, &program], &[]);
    t.wait("seq 0");
    t.send("c");
    t.wait("bundles,");
    t.wait("running ");
    t.send("\x1b");
    t.wait("stop: interrupt");
    t.send(":slow 20\rc");
    t.wait("running slow 20/s");
    t.send("\x1b");
    t.wait_gone("Esc stops");
    t.send(":goto 7\r");
    t.wait("seq 7 of");
    t.send("q");
    assert_eq!(t.end(), 0);
}

#[test]
fn mouse_reports_are_asked_for_and_given_back() {
    let mut t = Tty::start();
    t.wait("seq 0");
    let mode = |t: &Tty| t.screen.lock().unwrap().screen().mouse_protocol_mode();
    assert_eq!(mode(&t), vt100::MouseProtocolMode::None);
    t.send("M");
    t.wait("mouse on");
    assert_ne!(mode(&t), vt100::MouseProtocolMode::None);
    // A click on the third line of the listing selects its bundle.
    t.send("\x1b[<0;20;5M");
    t.wait("Bundle PE:2");
    t.send("M");
    t.wait("mouse off");
    assert_eq!(mode(&t), vt100::MouseProtocolMode::None);
    t.send("Mq");
    let screen = std::sync::Arc::clone(&t.screen);
    assert_eq!(t.end(), 0);
    assert_eq!(
        screen.lock().unwrap().screen().mouse_protocol_mode(),
        vt100::MouseProtocolMode::None
    );
}
