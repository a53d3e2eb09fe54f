//! Manifests and saved states through the real binary.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

const ADDS: &str = include_str!("../../assets/samples/softmax.tasm");

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn tpbdbg(dir: &Path, args: &[&str]) -> Run {
    let output = Command::cargo_bin("tpbdbg")
        .unwrap()
        .current_dir(dir)
        .env_remove("CLICOLOR_FORCE")
        .args(args)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn batch(dir: &Path, program: &str, commands: &[&str]) -> Run {
    let commands = commands.iter().flat_map(|c| ["-e", c]);
    let args: Vec<&str> = ["run", program].into_iter().chain(commands).collect();
    tpbdbg(dir, &args)
}

/// A directory with the softmax sample.
fn dir() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("prog.tasm"), ADDS).unwrap();
    let x = include_bytes!("../../assets/samples/softmax.x.npy");
    fs::write(dir.path().join("softmax.x.npy"), x).unwrap();
    dir
}

#[test]
fn a_saved_state_goes_on_elsewhere() {
    let dir = dir();
    let d = dir.path();
    let all = [
        "step 3",
        "set sem[9] = 4",
        "let half = sbuf[0:64, 0x2000+8] as fp32",
        "save s.toml",
        "continue",
    ];
    let told = ["print $digest", "print $seq", "print sem[9]", "x half"];
    let whole = batch(d, "prog.tasm", &[&all[..], &told].concat());
    assert_eq!((whole.code, whole.err.as_str()), (0, ""));
    // Only what was saved is needed.
    let other = tempfile::tempdir().unwrap();
    for file in ["s.toml", "s.state", "s.any.bin"] {
        fs::rename(d.join(file), other.path().join(file)).unwrap();
    }
    let rest = batch(other.path(), "s.toml", &[&["continue"][..], &told].concat());
    let tail = |r: &Run| r.out.split_once("$digest").map(|(_, t)| t.to_owned());
    assert_eq!((rest.code, rest.err.as_str()), (0, ""));
    assert!(tail(&whole).is_some());
    assert_eq!(tail(&rest), tail(&whole));
    // Time does not go back before it.
    let r = batch(
        other.path(),
        "s.toml",
        &["continue", "goto start", "print $seq", "goto 2"],
    );
    assert!(r.out.ends_with("$seq: 3\n"), "{}", r.out);
    assert!(
        r.err
            .contains("seq 2 lies before the start: the session began at seq 3"),
        "{}",
        r.err
    );
}

#[test]
fn a_save_replaces_only_a_save() {
    let dir = dir();
    let d = dir.path();
    fs::write(d.join("mine.toml"), "# mine\n").unwrap();
    fs::write(d.join("b.state"), "mine").unwrap();
    for (name, taken) in [("mine.toml", "mine.toml"), ("b.toml", "b.state")] {
        let r = batch(d, "prog.tasm", &[&format!("save {name}")]);
        assert_eq!(r.code, 2);
        let m = format!("{taken} exists and is not of an earlier save");
        assert!(r.err.contains(&m), "{}", r.err);
    }
    assert_eq!(fs::read(d.join("b.state")).unwrap(), b"mine");
    let r = batch(
        d,
        "prog.tasm",
        &["save a.toml", "step", "save a.toml", "save a.txt"],
    );
    assert!(
        r.err
            .contains("found a.txt, expected a name that ends with .toml"),
        "{}",
        r.err
    );
    let r = batch(d, "a.toml", &["print $seq"]);
    assert_eq!(r.out, "$seq: 1\n");
    let left: Vec<_> = fs::read_dir(d)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert!(
        left.iter().all(|n| !n.to_string_lossy().ends_with(".new")),
        "{left:?}"
    );
}

#[test]
fn errors_of_a_manifest_name_the_line() {
    let dir = dir();
    let d = dir.path();
    for (text, expected) in [
        (
            "settings.uninit.read = \"maybe\"",
            "m.toml:1:24: uninit.read takes warn or fault or ignore, found \"maybe\"",
        ),
        (
            "[settings]\ninit.memory = \"zero\"\nrun.limit = 3",
            "m.toml:3:13: no setting \"run.limit\"",
        ),
        (
            "scheduler.policy = \"fair\"",
            "m.toml:1:20: sched takes round-robin or ",
        ),
        (
            "[state]\nfile = \"prog.tasm\"\nseq = 1",
            "prog.tasm: no saved state: it does not begin with TPBSTATE",
        ),
    ] {
        fs::write(d.join("m.toml"), text).unwrap();
        let r = batch(d, "m.toml", &["print 1"]);
        assert_eq!((r.code, r.out.as_str()), (2, ""));
        assert!(r.err.contains(expected), "{}", r.err);
    }
}

#[test]
fn the_command_line_is_stronger() {
    let dir = dir();
    let d = dir.path();
    let text = "scheduler = { policy = \"random\", seed = 5 }\n[[stream]]\nfile = \"prog.tasm\"\n";
    fs::write(d.join("m.toml"), text).unwrap();
    for (more, sched, seed) in [
        (&[][..], "random", "5"),
        (&["--seed", "6"], "random", "6"),
        (&["--sched", "timed"], "timed", "0"),
    ] {
        let args = [&["run", "m.toml", "-e", "info settings"], more].concat();
        let r = tpbdbg(d, &args);
        let line = |key: &str| {
            r.out
                .lines()
                .find(|l| l.starts_with(key))
                .unwrap_or("")
                .to_owned()
        };
        assert!(
            line("sched:").starts_with(&format!("sched: {sched} ")),
            "{}",
            r.out
        );
        assert!(
            line("seed:").starts_with(&format!("seed: {seed} ")),
            "{}",
            r.out
        );
    }
}

#[test]
fn a_recorded_session_knows_the_files_behind_a_manifest() {
    let dir = dir();
    let d = dir.path();
    fs::write(
        d.join("m.toml"),
        "settings.init.memory = \"zero\"\n[[stream]]\nfile = \"prog.tasm\"\n",
    )
    .unwrap();
    let r = batch(d, "m.toml", &["record r.session", "step", "print $digest"]);
    assert_eq!((r.code, r.err.as_str()), (0, ""));
    assert_eq!(tpbdbg(d, &["replay", "r.session"]).code, 0);
    fs::write(d.join("prog.tasm"), format!("{ADDS}# changed\n")).unwrap();
    let r = tpbdbg(d, &["replay", "r.session"]);
    assert!((r.out + &r.err).contains("m.toml"), "the change is told");
}
