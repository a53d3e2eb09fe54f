//! The assembler: text to programs. It accepts exactly what [`listing`](super::listing) prints,
//! plus labels, comments, named places, symbolic addresses and directives (interface §5).
//!
//! Two passes: the first cuts lines into statements, reads directives and gives labels their bundle
//! index (one statement is one bundle); the second assembles, when every name is known.

mod data;
mod directive;
mod error;
mod lexer;
mod parts;
pub(in crate::program) mod place;
mod statement;
mod sync;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::isa::text::value::similar;
use crate::isa::text::{Names, Target, TextError};
use crate::isa::{BUNDLE_BYTES, Bundle, Generation, Queue};
use crate::program::{BranchForm, Program, Region, Stream};

pub use error::AsmError;
use lexer::Word;

/// Errors reported at once.
const MOST: usize = 20;

/// Files that a text names.
#[derive(Clone, Debug)]
pub enum Files {
    /// Of this directory.
    In(PathBuf),
    /// Part of the tool: name and content.
    Embedded(&'static [(&'static str, &'static [u8])]),
}

/// What the text itself does not say.
#[derive(Clone, Debug)]
pub struct Options {
    /// Generation until `.gen`.
    pub generation: Generation,
    /// Stream until `.engine`.
    pub queue: Queue,
    /// Where the files that the text names are found.
    pub files: Files,
}

impl Options {
    /// For a generation, in the `any` stream, files from the current directory.
    pub fn new(generation: Generation) -> Options {
        Options {
            generation,
            queue: Queue::Any,
            files: Files::In(PathBuf::new()),
        }
    }
}

/// Assembles a source text; `file` is its name in errors.
///
/// # Errors
/// Up to 20 [`AsmError`]s in order of lines.
pub fn assemble(source: &str, file: &str, options: &Options) -> Result<Program, Vec<AsmError>> {
    let lines: Vec<&str> = source.lines().collect();
    let mut asm = Assembler::new(options);
    let mut errors = Errors {
        file,
        lines: &lines,
        found: Vec::new(),
    };
    for (number, line) in lines.iter().enumerate() {
        if errors.full() {
            break;
        }
        match lexer::statements(line) {
            Ok(statements) => {
                for words in statements {
                    asm.first_pass(number, line, words, &mut errors);
                }
            }
            Err(e) => errors.push(number, e),
        }
    }
    asm.second_pass(&mut errors);
    if errors.found.is_empty() {
        Ok(asm.finish())
    } else {
        errors.found.sort_by_key(|e| (e.line, e.columns.start));
        errors.found.truncate(MOST);
        Err(errors.found)
    }
}

/// Assembles one instruction, e.g. for a patch. Labels are not known.
///
/// # Errors
/// [`TextError`] with a span in `text`.
pub fn bundle(text: &str, generation: Generation, names: &dyn Names) -> Result<Bundle, TextError> {
    let statements = lexer::statements(text)?;
    let [words] = statements.as_slice() else {
        return Err(TextError::new(
            0..text.len(),
            format!("{} statements", statements.len()),
            "one instruction",
        ));
    };
    let labels = BTreeMap::new();
    let cx = statement::Context {
        generation,
        names,
        labels: &labels,
        index: 0,
        branch: BranchForm::Index,
    };
    statement::bundle(words, &cx)
}

/// Errors with their lines.
struct Errors<'s> {
    file: &'s str,
    lines: &'s [&'s str],
    found: Vec<AsmError>,
}

impl Errors<'_> {
    fn push(&mut self, line: usize, error: TextError) {
        let text = self.lines.get(line).copied().unwrap_or("");
        self.found
            .push(AsmError::new(self.file, line + 1, text, error));
    }

    fn full(&self) -> bool {
        self.found.len() >= MOST
    }
}

/// One stream being assembled.
struct Section<'s> {
    queue: Queue,
    branch: Option<BranchForm>,
    labels: BTreeMap<String, u64>,
    statements: Vec<(usize, Vec<Word<'s>>)>,
    bytes: Vec<u8>,
}

/// The program being assembled.
struct Assembler<'s> {
    generation: Generation,
    declared: Option<Generation>,
    files: Files,
    sections: Vec<Section<'s>>,
    /// The stream that statements go to; none before the first statement or `.engine`.
    current: Option<usize>,
    /// The stream of statements before the first `.engine`.
    queue: Queue,
    regions: Vec<Region>,
    /// `.data` and `.fill` with their lines, read when all places are known.
    images: Vec<(usize, Word<'s>, Word<'s>)>,
    program: Program,
}

impl<'s> Assembler<'s> {
    fn new(options: &Options) -> Self {
        Assembler {
            generation: options.generation,
            declared: None,
            files: options.files.clone(),
            sections: Vec::new(),
            current: None,
            queue: options.queue,
            regions: Vec::new(),
            images: Vec::new(),
            program: Program::default(),
        }
    }

    /// The stream that statements go to.
    fn section(&mut self) -> Option<&mut Section<'s>> {
        if self.current.is_none() {
            self.enter(self.queue);
        }
        self.sections.get_mut(self.current?)
    }

    /// Starts or continues the stream of a queue.
    fn enter(&mut self, queue: Queue) {
        let known = self.sections.iter().position(|s| s.queue == queue);
        let index = known.unwrap_or_else(|| {
            self.sections.push(Section {
                queue,
                branch: None,
                labels: BTreeMap::new(),
                statements: Vec::new(),
                bytes: Vec::new(),
            });
            self.sections.len() - 1
        });
        self.current = Some(index);
    }

    fn first_pass(
        &mut self,
        number: usize,
        line: &'s str,
        mut words: Vec<Word<'s>>,
        errors: &mut Errors<'_>,
    ) {
        while let Some(name) = words.first().and_then(Word::label) {
            let word = words.remove(0);
            if let Some(section) = self.section() {
                let here = section.statements.len() as u64;
                if let Some(old) = section.labels.insert(name.to_owned(), here) {
                    let hint = format!("`{name}` is bundle {old} already");
                    errors.push(number, word.error("a new label").hint(hint));
                }
            }
        }
        let Some(first) = words.first().copied() else {
            return;
        };
        if first.text.starts_with('.') {
            let end = words.last().map_or(0, |w| w.at + w.text.len());
            let from = first.at + first.text.len();
            let rest = Word {
                text: line.get(from..end).unwrap_or(""),
                at: from,
            };
            if let Err(e) = self.directive(number, first, rest) {
                errors.push(number, e);
            }
        } else if let Some(section) = self.section() {
            section.statements.push((number, words));
        }
    }

    fn second_pass(&mut self, errors: &mut Errors<'_>) {
        for (number, word, rest) in std::mem::take(&mut self.images) {
            if let Err(e) = self.image(word, rest) {
                errors.push(number, e);
            }
        }
        let names = Regions(&self.regions);
        for section in &mut self.sections {
            for (index, (number, words)) in (0..).zip(&section.statements) {
                if errors.full() {
                    return;
                }
                let cx = statement::Context {
                    generation: self.generation,
                    names: &names,
                    labels: &section.labels,
                    index,
                    branch: section.branch.unwrap_or_default(),
                };
                match statement::bundle(words, &cx) {
                    Ok(b) => section.bytes.extend_from_slice(b.bytes()),
                    Err(e) => errors.push(*number, e),
                }
            }
        }
    }

    fn finish(self) -> Program {
        let mut program = self.program;
        program.generation = self.declared;
        program.regions = self.regions;
        for section in self.sections {
            debug_assert_eq!(section.bytes.len(), section.statements.len() * BUNDLE_BYTES);
            let name = section.queue.name();
            let mut stream = Stream::from_bytes(section.queue, name, section.bytes);
            stream.labels = section.labels;
            stream.branch = section.branch;
            program.streams.push(stream);
        }
        program
    }
}

/// Names of the regions of a program.
pub struct Regions<'a>(pub &'a [Region]);

impl Names for Regions<'_> {
    fn target(&self, name: &str) -> Option<Target> {
        self.0
            .iter()
            .find(|r| r.name == name)
            .map(|r| r.place.target())
    }

    fn similar(&self, name: &str) -> Option<String> {
        similar(name, self.0.iter().map(|r| r.name.as_str())).map(str::to_owned)
    }
}
