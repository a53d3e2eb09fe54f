//! Command lines that wait to be run: of files, of the command line, of `source`.

use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::error::{CmdError, ErrorKind};

/// Where a command line comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// File name, or `-e`.
    pub name: Arc<str>,
    /// Line of the file, counted from 1; of `-e` the how manieth.
    pub line: usize,
    /// How many files led here by `source`.
    depth: usize,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.line)
    }
}

/// A command line and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The line.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Files that `source` each other deeper than this are taken for a circle.
const DEEPEST: usize = 32;

/// Lines in the order in which they will run.
#[derive(Debug, Default)]
pub struct Script {
    waiting: VecDeque<Item>,
    given: usize,
    current: Option<Origin>,
}

impl Script {
    /// Appends a line given on the command line.
    pub fn push_line(&mut self, text: &str) {
        self.given += 1;
        let origin = Origin {
            name: Arc::from("-e"),
            line: self.given,
            depth: 0,
        };
        let text = text.to_owned();
        self.waiting.push_back(Item { text, origin });
    }

    /// Appends the lines of a file; `-` is standard input.
    ///
    /// # Errors
    /// The file cannot be read, or is no text.
    pub fn push_file(&mut self, path: &Path) -> Result<(), CmdError> {
        let lines = lines(path, path, 0)?;
        self.waiting.extend(lines);
        Ok(())
    }

    /// Puts the lines of a file in front, behind the line that runs now. `name` is what its lines are called.
    ///
    /// # Errors
    /// As [`Script::push_file`]; files that call each other without end.
    pub(super) fn insert_file(&mut self, path: &Path, name: &Path) -> Result<(), CmdError> {
        let depth = self.current.as_ref().map_or(1, |o| o.depth + 1);
        if depth > DEEPEST {
            return Err(CmdError::file(
                name,
                format!("sourced {DEEPEST} files deep; does it source itself?"),
            ));
        }
        for item in lines(path, name, depth)?.into_iter().rev() {
            self.waiting.push_front(item);
        }
        Ok(())
    }

    /// Forgets what waits, as after an error.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.current = None;
    }

    /// Is nothing waiting?
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl Iterator for Script {
    type Item = Item;

    /// The next line, which runs from now on.
    fn next(&mut self) -> Option<Item> {
        let item = self.waiting.pop_front();
        self.current = item.as_ref().map(|i| i.origin.clone());
        item
    }
}

/// Bytes of a command file that are read.
const MOST: u64 = 64 << 20;

fn lines(path: &Path, name: &Path, depth: usize) -> Result<Vec<Item>, CmdError> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().take(MOST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|f| f.take(MOST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|e| CmdError::file(name, e))?;
    if bytes.len() as u64 > MOST {
        return Err(CmdError::file(
            name,
            format!("more than {MOST} bytes, the limit of a command file"),
        ));
    }
    let called: Arc<str> = name.to_string_lossy().into();
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        CmdError::new(ErrorKind::File, format!("{called}:{line}: not UTF-8 text"))
    })?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let item = |(i, text): (usize, &str)| Item {
        text: text.to_owned(),
        origin: Origin {
            name: Arc::clone(&called),
            line: i + 1,
            depth,
        },
    };
    Ok(text.lines().enumerate().map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn sourced_lines_come_next_and_circles_end() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::write(&inner, "\u{FEFF}c\r\nd\n").unwrap();
        let mut s = Script::default();
        s.push_line("a");
        s.push_line("b");
        let mut seen = vec![s.next().unwrap()];
        s.insert_file(&inner, Path::new("inner")).unwrap();
        seen.extend(std::iter::from_fn(|| s.next()));
        let seen: Vec<String> = seen
            .iter()
            .map(|i| format!("{} {}", i.origin, i.text))
            .collect();
        assert_eq!(seen, ["-e:1 a", "inner:1 c", "inner:2 d", "-e:2 b"]);

        let mut rounds = 0;
        s.push_file(&inner).unwrap();
        while s.next().is_some() {
            rounds += 1;
            assert!(rounds < 1000);
            let Err(e) = s.insert_file(&inner, &inner) else {
                continue;
            };
            assert!(e.message.contains("source itself"), "{e}");
            return;
        }
        panic!("the circle was not noticed");
    }

    #[test]
    fn unreadable_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let mut s = Script::default();
        let gone = dir.path().join("gone");
        assert!(s.push_file(&gone).unwrap_err().message.contains("gone"));
        let bad = dir.path().join("bad");
        fs::write(&bad, b"step\n\xFF\n").unwrap();
        let e = s.push_file(&bad).unwrap_err();
        assert!(e.message.ends_with("bad:2: not UTF-8 text"), "{e}");
        assert_eq!(e.kind, ErrorKind::File);
        assert!(s.push_file(dir.path()).is_err());
    }
}
