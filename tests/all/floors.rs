//! The floors of `src/lib.rs` hold: no module uses one above it, and no external crate appears on
//! a floor that is not its own.

use std::fs;
use std::path::{Path, PathBuf};

/// Module and what it may use of the crate; a module may always use itself.
const FLOORS: &[(&str, &[&str])] = &[
    ("num", &[]),
    ("isa", &["num"]),
    ("program", &["num", "isa"]),
    ("sim", &["num", "isa"]),
    ("session", &["num", "isa", "program", "sim"]),
    ("cmd", &["num", "isa", "program", "sim", "session"]),
    ("paint", &["num", "isa", "session", "cmd"]),
    (
        "tui",
        &["num", "isa", "program", "sim", "session", "cmd", "paint"],
    ),
    ("repl", &["session", "cmd", "paint"]),
    ("batch", &["session", "cmd", "paint"]),
];

/// External crate and the path prefixes in which it may appear.
const CRATES: &[(&str, &[&str])] = &[
    ("nom", &["program/asm", "cmd/lang"]),
    ("ratatui", &["tui", "paint/spans.rs"]),
    ("crossterm", &["tui"]),
    ("png", &["paint/picture.rs"]),
    ("rustyline", &["repl"]),
    (
        "serde_json",
        &[
            "cmd/json.rs",
            "cmd/record.rs",
            "session",
            "batch",
            "program/neff",
            "isa/structural/tests.rs",
        ],
    ),
    ("flate2", &["program/neff"]),
    ("tar", &["program/neff"]),
    ("md5", &["program/neff"]),
    ("sha2", &["program/neff"]),
    ("clap", &["cli", "main.rs"]),
    ("color_eyre", &["cli", "main.rs", "tui"]),
];

fn sources() -> Vec<(String, String)> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|p| {
            let name = p
                .strip_prefix(&root)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            (name, fs::read_to_string(&p).unwrap())
        })
        .collect()
}

/// Code lines without comments, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(i, l)| (i + 1, l))
        .filter(|(_, l)| !l.trim_start().starts_with("//"))
}

#[test]
fn no_floor_reaches_up() {
    let mut broken = Vec::new();
    for (name, text) in sources() {
        let Some((floor, allowed)) = FLOORS
            .iter()
            .find(|(f, _)| name.starts_with(&format!("{f}/")))
        else {
            continue;
        };
        for (number, line) in code(&text) {
            for part in line.split("crate::").skip(1) {
                let used: String = part
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let is_floor = FLOORS.iter().any(|(f, _)| *f == used);
                if is_floor && used != *floor && !allowed.contains(&used.as_str()) {
                    broken.push(format!("src/{name}:{number}: {floor} uses {used}: {line}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn external_crates_stay_on_their_floor() {
    let mut broken = Vec::new();
    for (name, text) in sources() {
        for (krate, homes) in CRATES {
            if homes.iter().any(|h| name.starts_with(h)) {
                continue;
            }
            for (number, line) in code(&text) {
                let uses =
                    line.contains(&format!("{krate}::")) || line.contains(&format!("use {krate};"));
                // `crate::x::nom::` would be ours; the crates are always named at the start of a path.
                if uses && !line.contains(&format!("::{krate}::")) {
                    broken.push(format!(
                        "src/{name}:{number}: {krate} outside {homes:?}: {line}"
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_module_has_a_floor() {
    let lib = include_str!("../../src/lib.rs");
    for line in lib.lines().filter_map(|l| l.strip_prefix("pub mod ")) {
        let module = line.trim_end_matches(';');
        let known = FLOORS.iter().any(|(f, _)| *f == module)
            || matches!(module, "cli" | "config" | "tools");
        assert!(known, "src/lib.rs declares {module}, which has no floor");
    }
}
