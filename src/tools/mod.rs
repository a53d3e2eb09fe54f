//! The verbs that need no session: listing, assembling, checking, explaining, the instruction reference.

mod isa;

pub use isa::isa;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::cmd::launch::{Given, Input, Launch};
use crate::cmd::output::Output;
use crate::cmd::{CmdError, ErrorKind, Exit, ap as pattern, explain as explained, json, report};
use crate::isa::legal::CheckSettings;
use crate::isa::{Bundle, Generation, Queue, Severity};
use crate::paint::ansi;
use crate::paint::theme::Theme;
use crate::program::{Program, Stream, check as checks, explain::explain as take_apart, listing};

/// How an answer is shown.
pub struct Shown<'o> {
    /// Where it goes.
    pub out: &'o mut dyn Write,
    /// Colours of text.
    pub theme: Theme,
    /// One JSON object instead of text.
    pub json: bool,
}

impl Shown<'_> {
    fn show(&mut self, output: &Output) -> io::Result<()> {
        if self.json {
            writeln!(self.out, "{}", json::line(&output.data))?;
        } else {
            self.out
                .write_all(ansi::text(output, self.theme).as_bytes())?;
        }
        self.out.flush()
    }
}

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// As a command fails.
    #[error(transparent)]
    Command(#[from] CmdError),
    /// Output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

fn unreadable(e: impl std::fmt::Display) -> CmdError {
    CmdError::new(ErrorKind::File, e.to_string())
}

fn generation_of(launch: &Launch, program: &Program) -> Generation {
    launch
        .generation
        .or(program.generation)
        .unwrap_or(Generation::V3)
}

/// What is worth saying about the files, such as empty streams.
fn notes(program: &Program, err: &mut dyn Write) -> io::Result<()> {
    for note in &program.notes {
        writeln!(err, "tpbdbg: {note}")?;
    }
    Ok(())
}

/// Bundles of the longest stream that is listed with labels: they need the whole stream read first.
const LABELLED: u64 = 1 << 16;
/// Bundles listed at a time of longer ones.
const SLICE: u64 = 1 << 12;

/// `tpbdbg disasm`: text that `asm` makes the same bytes of.
///
/// # Errors
/// A program cannot be read.
pub fn disasm(
    launch: &Launch,
    hex: bool,
    fields: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, ToolError> {
    let program = launch.program()?;
    notes(&program, err)?;
    let options = listing::Options {
        hex,
        fields,
        ..listing::Options::new(generation_of(launch, &program))
    };
    let mut text = String::new();
    listing::head(&mut text, &program, &options);
    for stream in &program.streams {
        let long = stream.len() > LABELLED;
        let mut at = 0;
        while at == 0 || at < stream.len() {
            let end = if long {
                (at + SLICE).min(stream.len())
            } else {
                stream.len()
            };
            let options = listing::Options {
                labels: options.labels && !long,
                directives: options.directives && at == 0,
                ..options
            };
            listing::stream(&mut text, stream, &options, at..end).map_err(unreadable)?;
            out.write_all(text.as_bytes())?;
            text.clear();
            if end == 0 {
                break;
            }
            at = end;
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// `tpbdbg asm`: one stream goes to `output`, several go into that directory or to files named after it.
///
/// # Errors
/// Text that cannot be assembled, a file that cannot be written.
pub fn asm(launch: &Launch, output: &Path, err: &mut dyn Write) -> Result<Exit, ToolError> {
    let program = launch.program()?;
    if !program.images.is_empty() {
        writeln!(
            err,
            "tpbdbg: initial data of the text is not part of a bundle stream"
        )?;
    }
    for stream in &program.streams {
        let path = if program.streams.len() == 1 && !output.is_dir() {
            output.to_owned()
        } else {
            stream_file(output, stream)
        };
        let told = |e| CmdError::file(&path, e);
        let mut file = io::BufWriter::new(std::fs::File::create(&path).map_err(told)?);
        for bundle in stream.bundles() {
            let bundle = bundle.map_err(unreadable)?;
            file.write_all(bundle.bytes()).map_err(told)?;
        }
        file.flush().map_err(told)?;
    }
    Ok(Exit::Done)
}

/// `DIR/pe.bin`, or `out.pe.bin` beside `out.bin`.
fn stream_file(output: &Path, stream: &Stream) -> PathBuf {
    let engine = stream.queue.name();
    if output.is_dir() {
        return output.join(format!("{engine}.bin"));
    }
    let extension = output
        .extension()
        .map_or("bin".into(), |e| e.to_string_lossy());
    output.with_extension(format!("{engine}.{extension}"))
}

/// `tpbdbg check`: findings; a broken rule makes exit code 1.
///
/// # Errors
/// A program cannot be read.
pub fn check(
    launch: &Launch,
    shown: &mut Shown<'_>,
    err: &mut dyn Write,
) -> Result<Exit, ToolError> {
    let program = launch.program()?;
    notes(&program, err)?;
    let options = checks::Options::new(generation_of(launch, &program));
    let found = checks::findings(&program, &options).map_err(unreadable)?;
    let at = |s: &checks::Site| report::Cause {
        seq: None,
        queue: s.queue,
        index: s.index,
    };
    let rows = found.iter().map(|f| report::Finding {
        rule: f.rule,
        severity: f.severity,
        count: f.count,
        first: at(&f.first),
        last: at(&f.last),
        message: &f.message,
    });
    shown.show(&report::findings(rows))?;
    let broken = found.iter().any(|f| f.severity == Severity::Error);
    Ok(if broken { Exit::Failed } else { Exit::Done })
}

/// `tpbdbg explain`: 128 hex digits, or `FILE`, or `FILE:INDEX`.
///
/// # Errors
/// Neither; a program that cannot be read, an index behind its end.
pub fn explain(
    what: &str,
    generation: Option<Generation>,
    queue: Option<Queue>,
    shown: &mut Shown<'_>,
) -> Result<Exit, ToolError> {
    let (bundle, at, generation) = match Bundle::from_hex(what) {
        Ok(bundle) => (bundle, None, generation.unwrap_or(Generation::V3)),
        Err(_) => {
            let (file, index) = file_and_index(what);
            if !file.exists() && what.bytes().all(|b| b.is_ascii_hexdigit()) {
                let m = format!("{} hex digits, a bundle has 128", what.len());
                return Err(CmdError::new(ErrorKind::Usage, m).into());
            }
            let launch = Launch {
                programs: vec![Given {
                    input: Input::File(file.to_owned()),
                    queue,
                }],
                generation,
                ..Launch::default()
            };
            let program = launch.program()?;
            let wanted = queue
                .and_then(|q| program.stream(q))
                .or(program.streams.first());
            let stream =
                wanted.ok_or_else(|| unreadable(format!("{}: no stream", file.display())))?;
            let bundle = stream.bundle(index).map_err(unreadable)?.ok_or_else(|| {
                let m = format!(
                    "{}: bundle {index}, the stream has {}",
                    file.display(),
                    stream.len()
                );
                CmdError::new(ErrorKind::Usage, m)
            })?;
            (
                bundle,
                Some((stream.queue, index)),
                generation_of(&launch, &program),
            )
        }
    };
    let engine = at.map_or(queue, |(q, _)| Some(q)).and_then(Queue::engine);
    let settings = CheckSettings::default();
    let explanation = take_apart(&bundle, generation, engine, &settings);
    shown.show(&explained::output(&explanation, at))?;
    Ok(Exit::Done)
}

/// A file name may hold colons; what stands behind the last one is an index when it is a number and no such file exists.
fn file_and_index(what: &str) -> (&Path, u64) {
    let whole = Path::new(what);
    match what
        .rsplit_once(':')
        .map(|(file, index)| (file, crate::cmd::lang::number(index)))
    {
        Some((file, Ok(index))) if !whole.exists() => (Path::new(file), index),
        _ => (whole, 0),
    }
}

/// Bytes of a pasted text that are read.
const MOST_TEXT: u64 = 1 << 20;

/// `tpbdbg ap`: an access pattern made readable; a broken rule makes exit code 1.
///
/// # Errors
/// A text that is no access pattern.
pub fn ap(
    words: &[String],
    generation: Option<Generation>,
    shown: &mut Shown<'_>,
) -> Result<Exit, ToolError> {
    let mut text = words.join(" ");
    if text == "-" {
        text.clear();
        io::stdin().take(MOST_TEXT).read_to_string(&mut text)?;
    }
    let (output, answer) =
        pattern::output(&text, generation.unwrap_or(Generation::V3)).map_err(|e| {
            let caret = e.caret(&text);
            CmdError {
                message: format!("{}\n{caret}", e.message),
                ..e
            }
        })?;
    shown.show(&output)?;
    let legal = answer.broken.is_empty();
    Ok(if legal { Exit::Done } else { Exit::Failed })
}
