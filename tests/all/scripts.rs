//! Golden scripts: every directory of `tests/scripts` holds a program, commands, and what a batch says to them.
//!
//! `prog*` files are the program (in the order of their names), `args` further words of the command line, one per line,
//! `script.tdb` the commands, `expected.out` the output. `scripts/bless.sh` rewrites the latter; what it writes is then
//! checked against the sheets by whoever commits it.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

/// Standard output, errors and exit code of a script as one text.
fn outcome(dir: &Path) -> String {
    let mut programs: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.starts_with("prog"))
        .collect();
    programs.sort();
    let args = fs::read_to_string(dir.join("args")).unwrap_or_default();
    let output = Command::cargo_bin("tpbdbg")
        .unwrap()
        .current_dir(dir)
        .env_remove("CLICOLOR_FORCE")
        .arg("run")
        .args(args.lines())
        .args(&programs)
        .args(["-x", "script.tdb"])
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut all = text(&output.stdout);
    if !output.stderr.is_empty() {
        all.push_str("--- errors\n");
        all.push_str(&text(&output.stderr));
    }
    all.push_str(&format!("--- exit {}\n", output.status.code().unwrap()));
    all
}

#[test]
fn scripts_say_what_is_expected() {
    let bless = std::env::var_os("TPBDBG_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut dirs: Vec<PathBuf> = fs::read_dir(root())
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    dirs.sort();
    for dir in dirs.iter().filter(|d| d.join("script.tdb").is_file()) {
        count += 1;
        let found = outcome(dir);
        let file = dir.join("expected.out");
        if bless {
            fs::write(&file, &found).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        if found != expected {
            wrong.push(difference(dir, &expected, &found));
        }
    }
    assert!(count > 0, "no scripts in {}", root().display());
    assert!(
        wrong.is_empty(),
        "{}\nscripts/bless.sh rewrites what is expected",
        wrong.join("\n")
    );
}

/// The first line that differs, with those around it.
fn difference(dir: &Path, expected: &str, found: &str) -> String {
    let (e, f): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let at = (0..e.len().max(f.len()))
        .find(|i| e.get(*i) != f.get(*i))
        .unwrap_or(0);
    let line = |of: &[&str]| of.get(at).copied().unwrap_or("(end)").to_owned();
    format!(
        "{}: line {}\n  - {}\n  + {}",
        dir.display(),
        at + 1,
        line(&e),
        line(&f)
    )
}
