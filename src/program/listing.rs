//! The disassembler: a program as text that assembles to the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::stream::{BranchForm, BranchSetting, ReadError, Stream};
use super::{Image, ImageData, Program};
use crate::isa::text::{line_with, print};
use crate::isa::{Bundle, Generation, decode};

/// What a listing shows besides the lines.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Generation to read the bundles by.
    pub generation: Generation,
    /// The 64 bytes behind each line, as a comment.
    pub hex: bool,
    /// One comment line per field.
    pub fields: bool,
    /// Bundle index and byte offset behind each line, as a comment.
    pub offsets: bool,
    /// Labels in front of branch targets and in branches.
    pub labels: bool,
    /// `.gen`, `.engine` and `.place` lines.
    pub directives: bool,
    /// The setting `branch.target`.
    pub branch: BranchSetting,
}

impl Options {
    /// Lines with labels and directives.
    pub fn new(generation: Generation) -> Options {
        Options {
            generation,
            hex: false,
            fields: false,
            offsets: false,
            labels: true,
            directives: true,
            branch: BranchSetting::Auto,
        }
    }
}

/// Appends the whole program.
///
/// # Errors
/// A stream cannot be read.
pub fn program(out: &mut String, program: &Program, options: &Options) -> Result<(), ReadError> {
    head(out, program, options);
    for s in &program.streams {
        stream(out, s, options, 0..s.len())?;
    }
    Ok(())
}

/// Appends what stands before the streams: generation, places, initial data.
pub fn head(out: &mut String, program: &Program, options: &Options) {
    if options.directives {
        let _ = writeln!(out, ".gen {}", options.generation);
        for r in &program.regions {
            let _ = write!(out, ".place {} {}", r.name, r.place);
            if let Some(dtype) = r.dtype {
                let _ = write!(out, " as {dtype}");
            }
            out.push('\n');
        }
        for image in &program.images {
            self::image(out, image);
        }
    }
}

/// `.data` or `.fill` with the bytes in hex.
fn image(out: &mut String, image: &Image) {
    let (word, bytes) = match &image.data {
        ImageData::Bytes(bytes) => (".data", bytes),
        ImageData::Fill(element) => (".fill", element),
    };
    let _ = write!(out, "{word} {} = hex ", image.place);
    for b in bytes {
        let _ = write!(out, "{b:02x}");
    }
    out.push('\n');
}

/// Appends the bundles `range` of a stream.
///
/// # Errors
/// The stream cannot be read.
pub fn stream(
    out: &mut String,
    stream: &Stream,
    options: &Options,
    range: std::ops::Range<u64>,
) -> Result<(), ReadError> {
    let labels = if options.labels {
        Labels::of(stream, options)?
    } else {
        Labels::default()
    };
    if options.directives {
        let _ = writeln!(out, ".engine {}", stream.queue.name());
        match (stream.branch, labels.form) {
            (Some(BranchForm::RelBytes), _) | (_, BranchForm::RelBytes) => {
                out.push_str(".branch rel\n");
            }
            (Some(BranchForm::Index), _) => out.push_str(".branch index\n"),
            _ => {}
        }
    }
    for index in range {
        let Some(bundle) = stream.bundle(index)? else {
            break;
        };
        for name in labels.at.get(&index).into_iter().flatten() {
            let _ = writeln!(out, "{name}:");
        }
        line(out, stream, &bundle, index, options, &labels);
    }
    for name in labels.at.get(&stream.len()).into_iter().flatten() {
        let _ = writeln!(out, "{name}:");
    }
    Ok(())
}

/// Names of bundle indices and how branches refer to them.
#[derive(Default)]
struct Labels {
    at: BTreeMap<u64, Vec<String>>,
    form: BranchForm,
}

impl Labels {
    /// The labels of the stream, and `LN` for branch targets without one.
    fn of(stream: &Stream, options: &Options) -> Result<Labels, ReadError> {
        let mut at: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (name, index) in &stream.labels {
            at.entry(*index).or_default().push(name.clone());
        }
        let form = stream.branch_form(options.branch)?;
        for (index, bundle) in (0..).zip(stream.bundles()) {
            if let Some(Ok(target)) = stream.target(index, &bundle?, form) {
                let names = at.entry(target).or_default();
                if names.is_empty() {
                    let mut name = format!("L{target}");
                    while stream.labels.contains_key(&name) {
                        name.push('_');
                    }
                    names.push(name);
                }
            }
        }
        Ok(Labels { at, form })
    }

    /// Name of the target of a branch, when naming it gives the same bytes.
    fn target(&self, stream: &Stream, index: u64, bundle: &Bundle) -> Option<&str> {
        let target = stream.target(index, bundle, self.form)?.ok()?;
        let field = bundle.u64(48);
        (self.form.encode(index, target) == Some(field))
            .then(|| self.at.get(&target)?.first().map(String::as_str))?
    }
}

fn line(
    out: &mut String,
    stream: &Stream,
    bundle: &Bundle,
    index: u64,
    options: &Options,
    labels: &Labels,
) {
    let instr = decode(bundle, options.generation);
    let target = labels.target(stream, index, bundle);
    let mut text = line_with(&instr, &|field| {
        target
            .filter(|_| field.name == "br_immediate")
            .map(str::to_owned)
    });
    // A label in a `.branch rel` stream stands for debug_hint 2 as well.
    if target.is_some() && labels.form == BranchForm::RelBytes && bundle.u8(3) == 0 {
        text.pop();
        text.push_str(" debug_hint=0;");
    }
    out.push_str(&text);
    if options.offsets || options.hex {
        out.push_str("  #");
    }
    if options.offsets {
        let _ = write!(out, " {index} +{:#x}", index * 64);
    }
    if options.hex {
        out.push(' ');
        for (i, word) in bundle.bytes().chunks(4).enumerate() {
            let _ = write!(out, "{}", if i > 0 { " " } else { "" });
            for b in word {
                let _ = write!(out, "{b:02x}");
            }
        }
    }
    out.push('\n');
    if options.fields {
        for field in instr.format.fields {
            let _ = write!(out, "#   {:2}: {} = ", field.byte(), field.name);
            print(out, &instr, field);
            out.push('\n');
        }
    }
}
