//! Files to a program: raw streams, hex text, assembler text, directories, containers, manifests, standard input (interface §1).

mod manifest;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::asm::{self, AsmError, assemble};
use super::neff::{self, NeffError};
use super::{Program, Stream};
use crate::isa::{BUNDLE_BYTES, Generation, Queue};

/// One PROGRAM of the command line.
#[derive(Clone, Debug)]
pub struct Input {
    /// Path; `-` is standard input.
    pub path: PathBuf,
    /// `--engine` in force at this place.
    pub queue: Option<Queue>,
}

/// Why a program cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Bytes behind the last whole bundle.
    #[error(
        "{}: {len} bytes, {} more than a whole number of 64-byte bundles", path.display(), len % 64
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        len: u64,
    },
    /// Hex text with a wrong character.
    #[error("{}:{line}:{column}: found {found:?}, expected hex digits", path.display())]
    NotHex {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Character of the line, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// Hex text with an odd number of digits, or not whole bundles.
    #[error("{}: {digits} hex digits, not a multiple of 128 (64 bytes)", path.display())]
    HexLength {
        /// The file.
        path: PathBuf,
        /// Its digits.
        digits: usize,
    },
    /// Text, or something without a length, that does not end.
    #[error("{}: more than {MOST} bytes, the limit for text, pipes and devices", .0.display())]
    TooLong(PathBuf),
    /// Text that is not UTF-8.
    #[error("{}: not UTF-8 text", .0.display())]
    NotText(PathBuf),
    /// Errors of the assembler.
    #[error("{}", .0.first().map_or_else(String::new, ToString::to_string))]
    Asm(Vec<AsmError>),
    /// Two streams for one queue.
    #[error(
        "{first} and {second} are both streams of {queue}; name the engine of one with --engine"
    )]
    TwoStreams {
        /// The queue.
        queue: Queue,
        /// Name of the first stream.
        first: String,
        /// Name of the second.
        second: String,
    },
    /// Two regions of one name.
    #[error("two places are called {0}")]
    TwoRegions(String),
    /// Texts for different generations.
    #[error("{} is for {found}, not {expected}", path.display())]
    Generation {
        /// The file.
        path: PathBuf,
        /// What it says.
        found: Generation,
        /// What another file or `--gen` says.
        expected: Generation,
    },
    /// A directory without streams.
    #[error("{}: no stream in this directory; streams are called pe.bin, act.bin, pool.bin, dve.bin, sp.bin", .0.display())]
    NoStreams(PathBuf),
    /// A container that cannot be opened.
    #[error("{}: {source}", path.display())]
    Container {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NeffError,
    },
    /// A saved state is that of a whole program.
    #[error("a manifest with a saved state takes no other program beside it")]
    Beside,
    /// Something in a manifest.
    #[error("{at}: {message}")]
    Manifest {
        /// Where: `FILE:LINE:COLUMN`.
        at: String,
        /// What was found, what is allowed.
        message: String,
    },
}

/// Bytes of text, and of what has no length, that are read; streams and containers in files have no limit.
const MOST: u64 = 256 << 20;

/// Everything a source holds, up to [`MOST`] bytes, behind `bytes`.
fn read_all(source: impl Read, path: &Path, bytes: &mut Vec<u8>) -> Result<(), LoadError> {
    let left = (MOST + 1).saturating_sub(bytes.len() as u64);
    source
        .take(left)
        .read_to_end(bytes)
        .map_err(|source| LoadError::Io {
            path: path.to_owned(),
            source,
        })?;
    if bytes.len() as u64 > MOST {
        return Err(LoadError::TooLong(path.to_owned()));
    }
    Ok(())
}

/// How programs are read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What `--gen` says.
    pub generation: Option<Generation>,
    /// Bytes a container may unpack to; `None` is in proportion to its size.
    pub max_unpacked: Option<u64>,
    /// The graph of a container to load; `None` is its first.
    pub graph: Option<String>,
}

/// Loads all inputs into one program.
///
/// # Errors
/// [`LoadError`] of the first input that cannot be loaded.
pub fn load(
    inputs: &[Input],
    options: &Options,
    stdin: &mut dyn Read,
) -> Result<Program, LoadError> {
    let mut loader = Loader {
        options,
        program: Program {
            generation: options.generation,
            ..Program::default()
        },
    };
    for input in inputs {
        if input.path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            read_all(&mut *stdin, Path::new("standard input"), &mut bytes)?;
            loader.unnamed(bytes, input.queue)?;
        } else {
            loader.path(&input.path, input.queue)?;
        }
    }
    if loader.program.start.is_some() && inputs.len() > 1 {
        return Err(LoadError::Beside);
    }
    if loader.program.streams.is_empty() && !inputs.is_empty() {
        let note = "no bundle in the program".to_owned();
        loader.program.notes.push(note);
    }
    for stream in loader.program.streams.iter().filter(|s| s.is_empty()) {
        let note = format!("{}: empty stream of {}", stream.name, stream.queue);
        loader.program.notes.push(note);
    }
    Ok(loader.program)
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Raw,
    Hex,
    Text,
    Container,
    Manifest,
}

struct Loader<'o> {
    program: Program,
    options: &'o Options,
}

impl Loader<'_> {
    fn path(&mut self, path: &Path, queue: Option<Queue>) -> Result<(), LoadError> {
        let io = |source| LoadError::Io {
            path: path.to_owned(),
            source,
        };
        let meta = fs::metadata(path).map_err(io)?;
        if meta.is_dir() {
            return self.directory(path);
        }
        let mut kind = match extension(path).as_str() {
            "neff" => Kind::Container,
            "toml" => Kind::Manifest,
            "hex" => Kind::Hex,
            "tasm" => Kind::Text,
            _ => Kind::Raw,
        };
        let queue = queue.or_else(|| queue_of(path));
        let name = path.display().to_string();
        let file = File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        if kind == Kind::Raw && meta.is_file() {
            let len = meta.len();
            (&file).take(512).read_to_end(&mut bytes).map_err(io)?;
            if !is_container(path, &bytes, len)? {
                whole_bundles(path, len)?;
                let queue = queue.unwrap_or(Queue::Any);
                return self.add(Stream::from_file(queue, name, file, len));
            }
            kind = Kind::Container;
        }
        if kind == Kind::Container && meta.is_file() {
            (&file).read_to_end(&mut bytes).map_err(io)?;
        } else {
            read_all(file, path, &mut bytes)?;
        }
        self.bytes(path, bytes, kind, queue)
    }

    /// Standard input has no name: text is told from bytes by its characters.
    fn unnamed(&mut self, bytes: Vec<u8>, queue: Option<Queue>) -> Result<(), LoadError> {
        let path = Path::new("standard input");
        let kind = match std::str::from_utf8(&bytes) {
            Ok(text) if text.chars().any(|c| c.is_control() && !c.is_whitespace()) => Kind::Raw,
            Ok(text) if hex_digits(path, text).is_ok() => Kind::Hex,
            Ok(_) => Kind::Text,
            Err(_) => Kind::Raw,
        };
        self.bytes(path, bytes, kind, queue)
    }

    fn bytes(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        kind: Kind,
        queue: Option<Queue>,
    ) -> Result<(), LoadError> {
        let bytes = match kind {
            Kind::Raw if is_container(path, &bytes, bytes.len() as u64)? => {
                return self.container(path, &bytes);
            }
            Kind::Container => return self.container(path, &bytes),
            Kind::Raw => bytes,
            Kind::Hex => hex_bytes(path, &text(path, bytes)?)?,
            Kind::Text => return self.source(path, &text(path, bytes)?, queue),
            Kind::Manifest => return self.manifest(path, bytes),
        };
        whole_bundles(path, bytes.len() as u64)?;
        let queue = queue.unwrap_or(Queue::Any);
        self.add(Stream::from_bytes(queue, path.display().to_string(), bytes))
    }

    fn source(&mut self, path: &Path, text: &str, queue: Option<Queue>) -> Result<(), LoadError> {
        let options = asm::Options {
            generation: self.program.generation.unwrap_or(Generation::V3),
            queue: queue.unwrap_or(Queue::Any),
            files: asm::Files::In(path.parent().unwrap_or(Path::new("")).to_owned()),
        };
        let part = assemble(text, &path.display().to_string(), &options).map_err(LoadError::Asm)?;
        if let Some(found) = part.generation {
            self.wants(path, found)?;
        }
        for region in part.regions {
            if self.program.region(&region.name).is_some() {
                return Err(LoadError::TwoRegions(region.name));
            }
            self.program.regions.push(region);
        }
        self.program.images.extend(part.images);
        for mut stream in part.streams {
            stream.name = format!("{}:{}", path.display(), stream.queue.name());
            self.add(stream)?;
        }
        Ok(())
    }

    /// A file says its generation.
    fn wants(&mut self, path: &Path, found: Generation) -> Result<(), LoadError> {
        match self.program.generation {
            Some(expected) if expected != found => Err(LoadError::Generation {
                path: path.to_owned(),
                found,
                expected,
            }),
            _ => {
                self.program.generation = Some(found);
                Ok(())
            }
        }
    }

    /// The streams, variables and queues of a container.
    fn container(&mut self, path: &Path, bytes: &[u8]) -> Result<(), LoadError> {
        let limit = self
            .options
            .max_unpacked
            .unwrap_or(neff::default_limit(bytes.len() as u64));
        let generation = self.program.generation.unwrap_or(Generation::V3);
        let opened = neff::unpack(bytes, limit)
            .and_then(|c| neff::program(&c, generation, self.options.graph.as_deref()));
        let part = opened.map_err(|source| LoadError::Container {
            path: path.to_owned(),
            source,
        })?;
        for region in part.regions {
            if self.program.region(&region.name).is_some() {
                return Err(LoadError::TwoRegions(region.name));
            }
            self.program.regions.push(region);
        }
        self.program.images.extend(part.images);
        self.program.variables.extend(part.variables);
        self.program.queues.extend(part.queues);
        let name = path.display();
        self.program
            .notes
            .extend(part.notes.iter().map(|n| format!("{name}: {n}")));
        for mut stream in part.streams {
            stream.name = format!("{name}:{}", stream.name);
            self.add(stream)?;
        }
        Ok(())
    }

    /// The streams of a directory, by their stems, in the order of their names.
    fn directory(&mut self, path: &Path) -> Result<(), LoadError> {
        let io = |source| LoadError::Io {
            path: path.to_owned(),
            source,
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(path).map_err(io)? {
            files.push(entry.map_err(io)?.path());
        }
        files.sort();
        let mut found = 0;
        for file in files {
            let Some(of_file) = queue_of(&file) else {
                continue;
            };
            let known = matches!(extension(&file).as_str(), "bin" | "hex" | "tasm" | "");
            if !known || file.is_dir() {
                continue;
            }
            found += 1;
            if self.program.stream(of_file).is_some() {
                let note = format!(
                    "{}: another stream of {of_file}, not loaded",
                    file.display()
                );
                self.program.notes.push(note);
                continue;
            }
            self.path(&file, Some(of_file))?;
        }
        if found == 0 {
            return Err(LoadError::NoStreams(path.to_owned()));
        }
        Ok(())
    }

    fn add(&mut self, stream: Stream) -> Result<(), LoadError> {
        if let Some(first) = self.program.stream(stream.queue) {
            return Err(LoadError::TwoStreams {
                queue: stream.queue,
                first: first.name.clone(),
                second: stream.name,
            });
        }
        self.program.streams.push(stream);
        Ok(())
    }
}

fn extension(path: &Path) -> String {
    path.extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The queue a file name stands for: its stem up to the first `.`, as in `pe.bin`,
/// `Activation.bin`, `dve.0.bin`, `pool_instr` (isa 10 §2).
pub fn queue_of(path: &Path) -> Option<Queue> {
    let name = path.file_name()?.to_str()?;
    let stem = name.split('.').next()?;
    let stem = stem.strip_suffix("_instr").unwrap_or(stem);
    if stem.eq_ignore_ascii_case("activation") {
        return Queue::parse("act");
    }
    Queue::parse(stem)
}

/// A recognised container is never read as a stream (isa 10 §1).
fn is_container(path: &Path, head: &[u8], len: u64) -> Result<bool, LoadError> {
    match neff::form(head, len) {
        Ok(form) => Ok(form.is_some()),
        Err(source) => Err(LoadError::Container {
            path: path.to_owned(),
            source,
        }),
    }
}

fn whole_bundles(path: &Path, len: u64) -> Result<(), LoadError> {
    if len.is_multiple_of(BUNDLE_BYTES as u64) {
        return Ok(());
    }
    Err(LoadError::Length {
        path: path.to_owned(),
        len,
    })
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, LoadError> {
    let text = String::from_utf8(bytes).map_err(|_| LoadError::NotText(path.to_owned()))?;
    // Editors of some systems put a byte order mark in front of UTF-8.
    Ok(text
        .strip_prefix('\u{FEFF}')
        .map(str::to_owned)
        .unwrap_or(text))
}

/// The digits of hex text: `#` comments, row labels `10:`, `0x`, blanks and `_|,` are skipped.
fn hex_digits(path: &Path, text: &str) -> Result<Vec<u8>, LoadError> {
    let mut digits = Vec::new();
    for (number, whole) in text.lines().enumerate() {
        let line = whole.split('#').next().unwrap_or("");
        let line = match line.split_once(':') {
            Some((label, rest)) if label.trim().bytes().all(|b| b.is_ascii_hexdigit()) => rest,
            _ => line,
        };
        for word in line.split(|c: char| c.is_whitespace() || matches!(c, '_' | '|' | ',')) {
            let word = word.strip_prefix("0x").unwrap_or(word);
            for (at, c) in word.char_indices() {
                let digit = c.to_digit(16).ok_or_else(|| {
                    // A word is a part of its line, so the distance of the two is its place.
                    let before = word.as_ptr() as usize - whole.as_ptr() as usize + at;
                    LoadError::NotHex {
                        path: path.to_owned(),
                        line: number + 1,
                        column: whole.get(..before).map_or(0, |b| b.chars().count()) + 1,
                        found: c,
                    }
                })?;
                digits.push(digit as u8);
            }
        }
    }
    Ok(digits)
}

fn hex_bytes(path: &Path, text: &str) -> Result<Vec<u8>, LoadError> {
    let digits = hex_digits(path, text)?;
    if digits.len() % (2 * BUNDLE_BYTES) != 0 {
        return Err(LoadError::HexLength {
            path: path.to_owned(),
            digits: digits.len(),
        });
    }
    let bytes = digits.chunks(2).map(|pair| match pair {
        [high, low] => high << 4 | low,
        _ => 0,
    });
    Ok(bytes.collect())
}

#[cfg(test)]
mod tests;
