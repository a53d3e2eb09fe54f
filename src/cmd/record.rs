//! Session files: a header that says what was opened, then one line per command with its result.
//!
//! Both are JSON, a line each; the lines of commands are those of `--json` (interface §4). File
//! names are relative to the session file, so that it can be moved together with its program.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::error::{CmdError, ErrorKind};
use super::json::line as json_line;
use super::launch::{Given, Input, Launch};
use super::outcome::{Effect, Outcome};
use crate::isa::{Generation, Queue};
use crate::session::Session;
use crate::sim::Policy;

/// Version of the file format.
const VERSION: u64 = 1;
/// Commands that a session file does not hold; what `source` runs is there line by line.
const NOT_RECORDED: [&str; 5] = ["record", "source", "history", "help", "quit"];

/// Remembers every command, and writes a session file when asked to.
#[derive(Debug, Default)]
pub struct Recorder {
    done: Vec<Done>,
    to: Option<(PathBuf, BufWriter<File>)>,
}

#[derive(Debug)]
struct Done {
    line: String,
    /// The JSON line of a command that moved or changed something.
    kept: Option<String>,
}

impl Recorder {
    /// Command lines given so far, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.done.iter().map(|d| d.line.as_str())
    }

    /// Notes an outcome.
    ///
    /// # Errors
    /// The session file cannot be written; recording ends.
    pub(super) fn note(&mut self, outcome: &Outcome) -> Result<(), CmdError> {
        let line = outcome.command.clone();
        let skipped = outcome.name.is_some_and(|n| NOT_RECORDED.contains(&n));
        if skipped {
            self.done.push(Done { line, kept: None });
            return Ok(());
        }
        let acts = outcome.effect != Effect::Look;
        let text = (acts || self.to.is_some()).then(|| json_line(&outcome.data()));
        let result = text.as_ref().map_or(Ok(()), |t| self.write(t));
        let kept = text.filter(|_| acts);
        self.done.push(Done { line, kept });
        result
    }

    /// Begins a session file with what happened so far; gives the number of those commands.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn start(&mut self, path: &Path, header: &Value) -> Result<usize, CmdError> {
        let file = File::create(path).map_err(|e| CmdError::file(path, e))?;
        self.to = Some((path.to_owned(), BufWriter::new(file)));
        self.write(&header.to_string())?;
        let earlier: Vec<String> = self.done.iter().filter_map(|d| d.kept.clone()).collect();
        earlier.iter().try_for_each(|l| self.write(l))?;
        Ok(earlier.len())
    }

    /// Ends the session file; gives its name.
    pub(super) fn stop(&mut self) -> Option<PathBuf> {
        self.to.take().map(|(path, _)| path)
    }

    /// Writes a line, at once: a session that ends badly is the one to keep.
    fn write(&mut self, line: &str) -> Result<(), CmdError> {
        let Some((path, file)) = &mut self.to else {
            return Ok(());
        };
        if let Err(e) = writeln!(file, "{line}").and_then(|()| file.flush()) {
            let e = CmdError::file(path, e);
            self.to = None;
            return Err(e);
        }
        Ok(())
    }
}

/// The header of a session file at `path`.
///
/// # Errors
/// A file of the program cannot be read any more.
pub fn header(launch: &Launch, session: &Session, path: &Path) -> Result<Value, CmdError> {
    let from = dir_of(path);
    let mut programs = Vec::new();
    for given in &launch.programs {
        let engine = given.queue.map(Queue::name);
        let mut map = match &given.input {
            Input::File(p) => json!({ "path": relative(p, from) }),
            Input::Sample(name) => json!({ "sample": name }),
            Input::Bytes(bytes) => json!({ "hex": hex(bytes) }),
        };
        if let Value::Object(map) = &mut map {
            map.insert("engine".into(), engine.into());
            map.insert("hash".into(), launch.hash(given)?.into());
        }
        programs.push(map);
    }
    let loads = launch
        .loads
        .iter()
        .map(|(place, file)| json!({ "place": place, "file": relative(file, from) }));
    let policy = launch.policy(session.program())?;
    Ok(json!({
        "tpbdbg": VERSION,
        "program": programs,
        "generation": session.generation().info().name,
        "sched": policy.name(),
        "seed": policy.seed(),
        "load": loads.collect::<Vec<Value>>(),
        "max_unpacked": launch.max_unpacked,
        "graph": launch.graph,
        "directory": relative(&launch.base, from),
    }))
}

/// A session file that was read.
#[derive(Debug)]
pub struct Recorded {
    /// What to open.
    pub launch: Launch,
    /// Hash of each program file as it was recorded.
    pub hashes: Vec<Option<String>>,
    /// The recorded lines, in order.
    pub steps: Vec<Value>,
}

/// Reads a session file.
///
/// # Errors
/// It cannot be read, or is malformed: the message names the line.
pub fn read(path: &Path) -> Result<Recorded, CmdError> {
    let text = std::fs::read_to_string(path).map_err(|e| CmdError::file(path, e))?;
    let bad = |line: usize, why: &str| {
        CmdError::new(ErrorKind::File, format!("{}:{line}: {why}", path.display()))
    };
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty());
    let parse = |(i, line): (usize, &str)| -> Result<(usize, Value), CmdError> {
        let value = serde_json::from_str(line).map_err(|e| bad(i + 1, &e.to_string()))?;
        Ok((i + 1, value))
    };
    let (at, head) = parse(lines.next().ok_or_else(|| bad(1, "no header"))?)?;
    if head.get("tpbdbg").and_then(Value::as_u64) != Some(VERSION) {
        let m = format!("no session file of version {VERSION}: `tpbdbg` is missing or differs");
        return Err(bad(at, &m));
    }
    let (launch, hashes) = launch(&head, dir_of(path)).map_err(|m| bad(at, &m))?;
    let mut steps = Vec::new();
    for line in lines {
        let (at, step) = parse(line)?;
        if step.get("command").and_then(Value::as_str).is_none() {
            return Err(bad(at, "no `command`"));
        }
        steps.push(step);
    }
    Ok(Recorded {
        launch,
        hashes,
        steps,
    })
}

/// What a header says is to be opened.
fn launch(head: &Value, dir: &Path) -> Result<(Launch, Vec<Option<String>>), String> {
    let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).map(str::to_owned);
    let list = |key: &str| {
        head.get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let wrong = |what: &str, found: &str| format!("{what} `{found}` is not known");
    let (mut programs, mut hashes) = (Vec::new(), Vec::new());
    for p in list("program") {
        let input = if let Some(path) = text(&p, "path") {
            Input::File(dir.join(path))
        } else if let Some(name) = text(&p, "sample") {
            Input::Sample(name)
        } else {
            let hex =
                text(&p, "hex").ok_or("a program has neither `path` nor `sample` nor `hex`")?;
            Input::Bytes(unhex(&hex).ok_or("`hex` is not hexadecimal")?.into())
        };
        let queue = match text(&p, "engine") {
            None => None,
            Some(name) => Some(Queue::parse(&name).ok_or_else(|| wrong("engine", &name))?),
        };
        programs.push(Given { input, queue });
        hashes.push(text(&p, "hash"));
    }
    let generation = match text(head, "generation") {
        None => None,
        Some(name) => Some(Generation::parse(&name).ok_or_else(|| wrong("generation", &name))?),
    };
    let sched = text(head, "sched");
    if let Some(name) = sched
        .as_ref()
        .filter(|name| !Policy::NAMES.contains(&name.as_str()))
    {
        return Err(wrong("sched", name));
    }
    let mut loads = Vec::new();
    for l in list("load") {
        let place = text(&l, "place").ok_or("a `load` has no `place`")?;
        let file = text(&l, "file").ok_or("a `load` has no `file`")?;
        loads.push((place, dir.join(file)));
    }
    let launch = Launch {
        programs,
        generation,
        loads,
        sched,
        seed: head.get("seed").and_then(Value::as_u64),
        max_unpacked: head.get("max_unpacked").and_then(Value::as_u64),
        graph: text(head, "graph"),
        base: dir.join(text(head, "directory").unwrap_or_default()),
    };
    Ok((launch, hashes))
}

fn dir_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// `to` as seen from the directory `from`; as it is when the two have nothing in common.
fn relative(to: &Path, from: &Path) -> String {
    let whole = |p: &Path| {
        let p = if p.as_os_str().is_empty() {
            Path::new(".")
        } else {
            p
        };
        p.canonicalize()
    };
    let (Ok(to_whole), Ok(from)) = (whole(to), whole(from)) else {
        return to.display().to_string();
    };
    let common = to_whole
        .components()
        .zip(from.components())
        .take_while(|(a, b)| a == b)
        .count();
    if common == 0 {
        return to.display().to_string();
    }
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to_whole.components().skip(common)).collect();
    path.display().to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pair = |p: &[u8]| u8::from_str_radix(std::str::from_utf8(p).ok()?, 16).ok();
    let whole = text.len().is_multiple_of(2);
    whole.then(|| text.as_bytes().chunks(2).map(pair).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_session_file() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b/c"));
        std::fs::create_dir_all(&a).unwrap();
        std::fs::create_dir_all(&b).unwrap();
        let file = a.join("prog.hex");
        std::fs::write(&file, "").unwrap();
        assert_eq!(relative(&file, &b), "../../a/prog.hex");
        assert_eq!(relative(&file, &a), "prog.hex");
        assert_eq!(relative(&a, &a), "");
        assert_eq!(
            b.join(relative(&file, &b)).canonicalize().unwrap(),
            file.canonicalize().unwrap()
        );
    }

    #[test]
    fn malformed_files_name_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let error = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path).unwrap_err().message
        };
        assert!(error("").contains("s:1: no header"));
        assert!(error("{\"tpbdbg\": 2}").contains("s:1: no session file of version 1"));
        assert!(error("nonsense").contains("s:1: "));
        let head = "{\"tpbdbg\":1,\"program\":[{\"sample\":\"x\"}]}\n";
        assert!(error(&format!("{head}\n{{}}")).contains("s:3: no `command`"));
        assert!(error(&format!("{head}{{")).contains("s:2: "));
        assert!(error("{\"tpbdbg\":1,\"program\":[{}]}").contains("neither"));
        assert!(error("{\"tpbdbg\":1,\"generation\":\"v9\"}").contains("generation `v9`"));
    }

    #[test]
    fn hexadecimal_of_programs() {
        assert_eq!(unhex(&hex(&[0, 0x7F, 0xFF])), Some(vec![0, 0x7F, 0xFF]));
        assert_eq!(
            (unhex("abc"), unhex("zz"), unhex("")),
            (None, None, Some(vec![]))
        );
        assert_eq!(unhex("é0"), None);
    }
}
