//! How a session is opened: programs, generation, scheduling, initial memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arrays;
use super::error::{CmdError, ErrorKind};
use super::{lang, lower, samples};
use crate::isa::{Bundle, Generation, Queue};
use crate::session::{Options, Session, Source, SourceStream};
use crate::sim::Policy;

/// Where a program comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A file or a directory.
    File(PathBuf),
    /// A program that is part of the tool.
    Sample(String),
    /// Bytes, as of standard input.
    Bytes(Arc<[u8]>),
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Input::File(path) => path.display().fmt(f),
            Input::Sample(name) => write!(f, "sample {name}"),
            Input::Bytes(_) => f.write_str("standard input"),
        }
    }
}

/// A program as given on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Where it comes from.
    pub input: Input,
    /// The engine said before it.
    pub queue: Option<Queue>,
}

/// Everything that decides what a session starts with.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The programs, in order.
    pub programs: Vec<Given>,
    /// The generation, when said.
    pub generation: Option<Generation>,
    /// Initial memory: a place and an array file.
    pub loads: Vec<(String, PathBuf)>,
    /// Which engine goes next.
    pub policy: Policy,
    /// Bytes a container may unpack to; `None` is the default of the loader.
    pub max_unpacked: Option<u64>,
    /// Directory that relative file names of commands start from; empty for the current one.
    pub base: PathBuf,
}

impl Launch {
    /// Reads the programs.
    ///
    /// # Errors
    /// A file that cannot be read or is malformed.
    pub fn source(&self) -> Result<Source, CmdError> {
        todo!()
    }

    /// Opens a session: the programs, then initial memory.
    ///
    /// # Errors
    /// As [`Launch::source`]; a place or an array that does not fit.
    pub fn open(&self) -> Result<Session, CmdError> {
        let options = Options {
            generation: self.generation,
            policy: self.policy,
            ..Options::default()
        };
        let mut session = Session::new(self.source()?, options)?;
        for (place, file) in &self.loads {
            self.load(&mut session, place, file)?;
        }
        Ok(session)
    }

    /// `--load PLACE=FILE`: part of the initial state, not an edit.
    fn load(&self, session: &mut Session, text: &str, file: &Path) -> Result<(), CmdError> {
        let told = |e: CmdError| CmdError::new(e.kind, format!("--load {text}: {e}"));
        let ast = lang::place(text).map_err(|e| told(e.into()))?;
        let place = lower::place(session, &ast).map_err(told)?;
        let bytes = arrays::read(&place, file).map_err(told)?;
        session.preload(&place, bytes.into())?;
        Ok(())
    }

    /// Hash of the bytes of a program, so that a session file can tell that it changed.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn hash(&self, given: &Given) -> Result<String, CmdError> {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        match &given.input {
            Input::Bytes(bytes) => hasher.update(bytes),
            Input::Sample(name) => hasher.update(samples::find(name)?.text.as_bytes()),
            Input::File(path) => feed(&mut hasher, path)?,
        }
        Ok(format!("xxh3:{:032x}", hasher.digest128()))
    }
}

/// Feeds a file; of a directory its files in order of their names.
fn feed(hasher: &mut xxhash_rust::xxh3::Xxh3, path: &Path) -> Result<(), CmdError> {
    use std::io::Read;
    let told = |e| CmdError::file(path, e);
    if path.is_dir() {
        let entries = path.read_dir().map_err(told)?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_file()).collect();
        files.sort();
        for file in files {
            hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            feed(hasher, &file)?;
        }
        return Ok(());
    }
    let mut file = std::fs::File::open(path).map_err(told)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(told)? {
            0 => return Ok(()),
            n => hasher.update(buffer.get(..n).unwrap_or_default()),
        }
    }
}
