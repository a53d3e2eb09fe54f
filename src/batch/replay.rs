//! `tpbdbg replay`: runs a session file again and compares the results.
//!
//! Compared is what a program can rely on; wording is not, so that a better message is no
//! difference. `--bless` writes what came out into the file.

use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

use crate::cmd::record::{self, Recorded};
use crate::cmd::{CmdError, Exit, Shell, json};

/// Keys whose values are wording.
const WORDING: [&str; 4] = ["message", "span", "note", "log"];
/// Differences shown of one command.
const MOST: usize = 10;

/// Replays a session file.
///
/// # Errors
/// Output cannot be written. What is wrong with the session file or its program is reported on `err`.
pub fn run(path: &Path, bless: bool, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let failed = |e: CmdError, err: &mut dyn Write| {
        writeln!(err, "{}", e.report(None, ""))?;
        Ok(Exit::Usage)
    };
    let recorded = match record::read(path) {
        Ok(recorded) => recorded,
        Err(e) => return failed(e, err),
    };
    changed_programs(&recorded, err)?;
    let mut shell = match Shell::open(recorded.launch.clone()) {
        Ok(shell) => shell,
        Err(e) => return failed(e, err),
    };
    let mut lines = Vec::new();
    let mut differing = 0;
    for (i, step) in recorded.steps.iter().enumerate() {
        let command = step
            .get("command")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let interrupted = interrupted_at(step);
        let line = interrupted.map_or(command.to_owned(), |seq| format!("goto {seq}"));
        let Some(outcome) = shell.execute(&line) else {
            continue;
        };
        let mut now = json::value(&outcome.data());
        let mut found = Vec::new();
        match interrupted {
            Some(_) => {
                either("seq", step.get("seq"), now.get("seq"), &mut found);
                now = step.clone();
            }
            None => compare("", step, &now, &mut found),
        }
        if !found.is_empty() {
            differing += 1;
            if !bless {
                report(i + 1, command, &found, out)?;
            }
        }
        lines.push(now.to_string());
    }
    let total = recorded.steps.len();
    if bless {
        let header = match record::header(&recorded.launch, shell.session(), path) {
            Ok(header) => header.to_string(),
            Err(e) => return failed(e, err),
        };
        lines.insert(0, header);
        if let Err(e) = std::fs::write(path, lines.join("\n") + "\n") {
            return failed(CmdError::file(path, e), err);
        }
        writeln!(out, "blessed: {differing} of {total} results changed")?;
        return Ok(Exit::Done);
    }
    writeln!(out, "replayed: {total} commands, {differing} differ")?;
    Ok(if differing == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// Where a run was when the user ended it: nothing but going there repeats that.
fn interrupted_at(step: &Value) -> Option<u64> {
    let kind = step.get("stop")?.get("kind")?.as_str()?;
    (kind == "interrupt").then(|| step.get("seq")?.as_u64())?
}

/// Says which program files are not those that were recorded.
fn changed_programs(recorded: &Recorded, err: &mut dyn Write) -> io::Result<()> {
    for (given, hash) in recorded.launch.programs.iter().zip(&recorded.hashes) {
        if let (Ok(now), Some(then)) = (recorded.launch.hash(given), hash)
            && now != *then
        {
            writeln!(
                err,
                "tpbdbg: {} has changed since the session was recorded",
                given.input
            )?;
        }
    }
    Ok(())
}

fn report(
    number: usize,
    command: &str,
    found: &[Difference],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "differs: command {number}: {command}")?;
    for d in found.iter().take(MOST) {
        writeln!(
            out,
            "  {}:\n    - {}\n    + {}",
            d.path,
            text(&d.then),
            text(&d.now)
        )?;
    }
    if found.len() > MOST {
        writeln!(out, "  and {} more", found.len() - MOST)?;
    }
    Ok(())
}

fn text(value: &Option<Value>) -> String {
    value
        .as_ref()
        .map_or("(absent)".to_owned(), Value::to_string)
}

/// Two results that differ.
struct Difference {
    path: String,
    then: Option<Value>,
    now: Option<Value>,
}

/// Collects where two results differ, wording left out.
fn compare(path: &str, then: &Value, now: &Value, found: &mut Vec<Difference>) {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match (then, now) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
            for key in keys.filter(|k| !WORDING.contains(&k.as_str())) {
                either(&below(key), a.get(key), b.get(key), found);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for i in 0..a.len().max(b.len()) {
                either(&format!("{path}[{i}]"), a.get(i), b.get(i), found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => found.push(Difference {
            path: path.to_owned(),
            then: Some(a.clone()),
            now: Some(b.clone()),
        }),
    }
}

fn either(path: &str, then: Option<&Value>, now: Option<&Value>, found: &mut Vec<Difference>) {
    match (then, now) {
        (Some(a), Some(b)) => compare(path, a, b, found),
        (then, now) => found.push(Difference {
            path: path.to_owned(),
            then: then.cloned(),
            now: now.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(then: &Value, now: &Value) -> Vec<String> {
        let mut found = Vec::new();
        compare("", then, now, &mut found);
        found.into_iter().map(|d| d.path).collect()
    }

    #[test]
    fn wording_is_no_difference() {
        let then = json!({"ok": false, "error": {"kind": "usage", "message": "a", "span": [0, 1]}});
        let now = json!({"ok": false, "error": {"kind": "usage", "message": "b", "span": [0, 2]}});
        assert!(paths(&then, &now).is_empty());
        let now = json!({"ok": false, "error": {"kind": "file", "message": "a", "span": [0, 1]}});
        assert_eq!(paths(&then, &now), ["error.kind"]);
    }

    #[test]
    fn every_place_that_differs_is_named() {
        let then = json!({"a": [1, {"b": 2.5}], "c": "x"});
        let now = json!({"a": [1, {"b": 2.0}, 3], "d": null});
        assert_eq!(paths(&then, &now), ["a[1].b", "a[2]", "c", "d"]);
        assert!(paths(&then, &then).is_empty());
    }
}
