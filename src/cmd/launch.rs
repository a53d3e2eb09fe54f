//! How a session is opened: programs, generation, scheduling, initial memory.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{CmdError, ErrorKind};
use super::{lang, lower, samples};
use crate::isa::{Generation, Queue};
use crate::program::asm::AsmError;
use crate::program::load::{self, LoadError};
use crate::program::manifest::Manifest;
use crate::program::{self, Image, ImageData, Program, Said};
use crate::session::{Options, Session};
use crate::sim::{Policy, Settings};

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
    /// Which engine goes next, one of [`Policy::NAMES`], when said.
    pub sched: Option<String>,
    /// Seed of a random order, when said.
    pub seed: Option<u64>,
    /// Bytes a container may unpack to; `None` is the default of the loader.
    pub max_unpacked: Option<u64>,
    /// The graph of a container; `None` is its first.
    pub graph: Option<String>,
    /// Directory that relative file names of commands start from; empty for the current one.
    pub base: PathBuf,
}

impl Launch {
    /// Reads the programs and the initial memory.
    ///
    /// # Errors
    /// A file that cannot be read or is malformed; a place or an array that does not fit.
    pub fn program(&self) -> Result<Program, CmdError> {
        let program = self.files()?;
        if self.loads.is_empty() {
            return Ok(program);
        }
        // Names and limits of places are those of the session that the programs make.
        let options = self.options(&program)?;
        let mut names = Session::new(program, options)?;
        let images = self
            .loads
            .iter()
            .map(|(place, file)| initial(&mut names, place, file));
        let images: Vec<Image> = images.collect::<Result<_, _>>()?;
        let mut program = self.files()?;
        program.images.extend(images);
        Ok(program)
    }

    fn files(&self) -> Result<Program, CmdError> {
        let mut standard_input: &[u8] = &[];
        let mut inputs = Vec::new();
        for given in &self.programs {
            let path = match &given.input {
                Input::File(path) => path.clone(),
                Input::Bytes(bytes) => {
                    standard_input = bytes;
                    PathBuf::from("-")
                }
                Input::Sample(name) if self.programs.len() == 1 => {
                    return samples::find(name)?.program(self.generation);
                }
                Input::Sample(name) => {
                    let m =
                        format!("sample {name} is a whole program, it takes no other beside it");
                    return Err(CmdError::new(ErrorKind::Usage, m));
                }
            };
            let queue = given.queue;
            inputs.push(load::Input { path, queue });
        }
        let options = load::Options {
            generation: self.generation,
            max_unpacked: self.max_unpacked,
            graph: self.graph.clone(),
        };
        load::load(&inputs, &options, &mut standard_input).map_err(told)
    }

    /// Opens a session at the start of the programs.
    ///
    /// # Errors
    /// As [`Launch::program`].
    pub fn open(&self) -> Result<Session, CmdError> {
        let program = self.program()?;
        let options = self.options(&program)?;
        Ok(Session::new(program, options)?)
    }

    pub(super) fn options(&self, program: &Program) -> Result<Options, CmdError> {
        let mut settings = Settings::default();
        for Said { what, at } in &program.settings {
            let (name, value) = what;
            let set = settings.set(name, value);
            set.map_err(|e| CmdError::new(ErrorKind::File, format!("{at}: {e}")))?;
        }
        Ok(Options {
            generation: self.generation,
            settings,
            policy: self.policy(program)?,
            ..Options::default()
        })
    }

    /// The scheduling policy: of the command line, else of a manifest, else the default.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn policy(&self, program: &Program) -> Result<Policy, CmdError> {
        let said = program.scheduler.as_ref();
        let seed = self.seed.or(said.map(|s| s.what.1)).unwrap_or(0);
        let (name, at) = match (&self.sched, said) {
            (Some(name), _) => (name.as_str(), String::new()),
            (None, Some(s)) => (s.what.0.as_str(), format!("{}: ", s.at)),
            (None, None) => (Policy::default().name(), String::new()),
        };
        Policy::parse(name, seed).ok_or_else(|| {
            let allowed = Policy::NAMES.join(" or ");
            let m = format!("{at}sched takes {allowed}, found {name:?}");
            CmdError::new(ErrorKind::File, m)
        })
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

/// A failed loading as it is shown: of assembler text every error with its line.
pub(super) fn told(e: LoadError) -> CmdError {
    let text = match e {
        LoadError::Asm(errors) => errors
            .iter()
            .map(AsmError::report)
            .collect::<Vec<_>>()
            .join("\n"),
        e => e.to_string(),
    };
    CmdError::new(ErrorKind::File, text)
}

/// `--load PLACE=FILE`
fn initial(names: &mut Session, text: &str, file: &Path) -> Result<Image, CmdError> {
    let told =
        |e: CmdError| CmdError::new(e.kind, format!("--load {text}={}: {e}", file.display()));
    if file.is_dir() {
        return Err(told(CmdError::file(file, std::io::ErrorKind::IsADirectory)));
    }
    let ast = lang::place(text).map_err(|e| told(e.into()))?;
    let place = lower::place(names, &ast).map_err(told)?;
    let opened = File::open(file).map_err(|e| told(CmdError::file(file, e)))?;
    names
        .load(&place, BufReader::new(opened))
        .map_err(|e| told(e.into()))?;
    let mut bytes = Vec::new();
    // What was just stored lies in its memory.
    let _ = names.state().read_into(&place.rect(), &mut bytes);
    let data = ImageData::Bytes(bytes);
    let parts = place.part..place.part + place.parts;
    let place = program::Place {
        space: place.space,
        parts,
        bytes: place.off..place.off + place.len,
    };
    Ok(Image { place, data })
}

/// Feeds a file; of a directory its files in order of their names.
fn feed(hasher: &mut xxhash_rust::xxh3::Xxh3, path: &Path) -> Result<(), CmdError> {
    let told = |e| CmdError::file(path, e);
    if path.is_dir() {
        let entries = path.read_dir().map_err(told)?;
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.is_file())
            .collect();
        files.sort();
        for file in files {
            hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            feed(hasher, &file)?;
        }
        return Ok(());
    }
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"))
    {
        // What a manifest names belongs to it; one that cannot be read has nothing but its text.
        let text = std::fs::read_to_string(path).map_err(told)?;
        hasher.update(text.as_bytes());
        let manifest: Manifest = toml::from_str(&text).unwrap_or_default();
        let dir = path.parent().unwrap_or(Path::new(""));
        for name in manifest.files().filter(|name| !name.ends_with(".toml")) {
            feed(hasher, &dir.join(name))?;
        }
        return Ok(());
    }
    let mut file = File::open(path).map_err(told)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(told)? {
            0 => return Ok(()),
            n => hasher.update(buffer.get(..n).unwrap_or_default()),
        }
    }
}
