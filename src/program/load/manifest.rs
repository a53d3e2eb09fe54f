//! A manifest becomes part of a program.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::{Kind, LoadError, Loader, extension, read_all, text};
use crate::isa::text::Cursor;
use crate::isa::{DType, Generation, Queue, Space};
use crate::program::asm::place;
use crate::program::manifest::{self, Manifest};
use crate::program::{BranchForm, Expected, Image, ImageData, Place, Region, Said, Start, npy};

/// A manifest's file, to say where something stands in it.
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    /// `FILE:LINE:COLUMN` of a byte.
    fn at(&self, byte: usize) -> String {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!("{}:{line}:{column}", self.path.display())
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> LoadError {
        LoadError::Manifest {
            at: self.at(span.start),
            message: message.into(),
        }
    }

    /// The value of one of a few words.
    fn word<T>(
        &self,
        word: &Spanned<String>,
        parse: impl FnOnce(&str) -> Option<T>,
        allowed: &str,
    ) -> Result<T, LoadError> {
        parse(word.get_ref()).ok_or_else(|| {
            let found = word.get_ref();
            self.error(word.span(), format!("found `{found}`, expected {allowed}"))
        })
    }

    /// A file beside the manifest.
    fn file(&self, name: &Spanned<String>) -> PathBuf {
        self.path
            .parent()
            .unwrap_or(Path::new(""))
            .join(name.get_ref())
    }

    /// Its content, not more than what is read of other texts.
    fn read(&self, name: &Spanned<String>) -> Result<(PathBuf, Vec<u8>), LoadError> {
        let path = self.file(name);
        let mut bytes = Vec::new();
        let told = |e: LoadError| self.error(name.span(), e.to_string());
        if path.is_dir() {
            let message = format!("{}: is a directory", path.display());
            return Err(self.error(name.span(), message));
        }
        let file = fs::File::open(&path).map_err(|source| {
            told(LoadError::Io {
                path: path.clone(),
                source,
            })
        })?;
        read_all(file, &path, &mut bytes).map_err(told)?;
        Ok((path, bytes))
    }
}

impl Loader<'_> {
    /// Everything a manifest names.
    pub(super) fn manifest(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), LoadError> {
        let text = text(path, bytes)?;
        let source = Source { path, text: &text };
        let manifest: Manifest = toml::from_str(&text).map_err(|e| {
            let span = e.span().unwrap_or(0..0);
            source.error(span, e.message().lines().collect::<Vec<_>>().join("; "))
        })?;
        if let Some(word) = &manifest.generation {
            let known = Generation::MODELLED.map(|g| g.info().name).join(", ");
            let found = source.word(word, Generation::parse, &known)?;
            self.wants(path, found)?;
        }
        for stream in &manifest.streams {
            self.stream_of(&source, stream)?;
        }
        let generation = self.program.generation.unwrap_or(Generation::V3);
        for place in &manifest.places {
            self.place_of(&source, place, generation)?;
        }
        self.program
            .variables
            .extend(manifest.variables.iter().cloned());
        let queues = manifest.queues.iter().cloned().map(Into::into);
        self.program.queues.extend(queues);
        self.setup(&source, &manifest)
    }

    /// Scheduler, settings, saved state.
    fn setup(&mut self, source: &Source<'_>, manifest: &Manifest) -> Result<(), LoadError> {
        if let Some(s) = &manifest.scheduler {
            let what = (s.policy.get_ref().clone(), s.seed);
            let at = source.at(s.policy.span().start);
            self.program.scheduler = Some(Said { what, at });
        }
        let settings = manifest::settings(source.text).into_iter();
        let said = settings.map(|(name, value)| Said {
            at: source.at(value.span().start),
            what: (name, value.into_inner()),
        });
        self.program.settings.extend(said);
        if let Some(state) = &manifest.state {
            if self.program.start.is_some() {
                let m = "two manifests name a state to start from";
                return Err(source.error(state.file.span(), m));
            }
            let (file, image) = source.read(&state.file)?;
            let seq = state.seq;
            self.program.start = Some(Start { file, image, seq });
        }
        Ok(())
    }

    fn stream_of(
        &mut self,
        source: &Source<'_>,
        stream: &manifest::Stream,
    ) -> Result<(), LoadError> {
        let known = Queue::ALL.map(Queue::name).join(", ");
        let engine = stream.engine.as_ref();
        let queue = engine
            .map(|word| source.word(word, Queue::parse, &known))
            .transpose()?;
        let form = |word: &str| match word {
            "index" => Some(BranchForm::Index),
            "rel-bytes" => Some(BranchForm::RelBytes),
            _ => None,
        };
        let branch = stream.branch.as_ref();
        let branch = branch
            .map(|word| source.word(word, form, "index or rel-bytes"))
            .transpose()?;
        let first = self.program.streams.len();
        let span = match (&stream.file, &stream.text) {
            (Some(name), None) => {
                let path = source.file(name);
                if extension(&path) == "toml" {
                    let m = "a manifest names streams, not another manifest";
                    return Err(source.error(name.span(), m));
                }
                self.path(&path, queue)?;
                name.span()
            }
            (None, Some(text)) => {
                let path = PathBuf::from(source.at(text.span().start));
                let bytes = text.get_ref().clone().into_bytes();
                self.bytes(&path, bytes, Kind::Text, queue)?;
                text.span()
            }
            (file, text) => {
                let spans = [file, text].into_iter().flatten().map(Spanned::span);
                let engine = stream.engine.iter().map(Spanned::span);
                let span = spans.chain(engine).next().unwrap_or(0..0);
                return Err(source.error(span, "a [[stream]] has either `file` or `text`"));
            }
        };
        let added = self.program.streams.get_mut(first..).unwrap_or_default();
        if branch.is_none() && stream.labels.is_empty() {
            return Ok(());
        }
        let [stream_added] = added else {
            let m = "`branch` and `labels` are for one stream";
            return Err(source.error(span, m));
        };
        stream_added.branch = branch.or(stream_added.branch);
        for (name, index) in &stream.labels {
            if *index > stream_added.len() {
                let len = stream_added.len();
                let m = format!("label {name} is bundle {index}, the stream has {len}");
                return Err(source.error(span, m));
            }
            stream_added.labels.insert(name.clone(), *index);
        }
        Ok(())
    }

    fn place_of(
        &mut self,
        source: &Source<'_>,
        p: &manifest::Place,
        g: Generation,
    ) -> Result<(), LoadError> {
        let name = p.name.get_ref();
        let known = self.program.regions.iter().position(|r| r.name == *name);
        let typed = match (&p.at, known) {
            (Some(at), None) => self.new_place(source, p, at, g)?,
            (None, Some(known)) => {
                let Region { place, dtype, .. } = self.program.regions.remove(known);
                place::Typed { place, dtype }
            }
            (Some(_), Some(_)) => {
                let m = format!("two places are called {name}");
                return Err(source.error(p.name.span(), m));
            }
            (None, None) => {
                let m = format!("no stream names a place {name}, and there is no `at`");
                return Err(source.error(p.name.span(), m));
            }
        };
        let dtype = match &p.dtype {
            None => typed.dtype,
            Some(word) => Some(source.word(word, DType::parse, "a data type")?),
        };
        let element = dtype.and_then(DType::kind);
        if let Some(shape) = &p.shape {
            let elements = shape
                .get_ref()
                .iter()
                .try_fold(1u64, |n, d| n.checked_mul(*d));
            let size = element.map(|k| k.bytes() as u64);
            let bytes = elements.zip(size).and_then(|(n, size)| n.checked_mul(size));
            if bytes != Some(typed.place.size()) {
                let m = match element {
                    None => "a shape needs a dtype".to_owned(),
                    Some(kind) => format!(
                        "{:?} of {kind} is not the {} bytes of {}",
                        shape.get_ref(),
                        typed.place.size(),
                        typed.place
                    ),
                };
                return Err(source.error(shape.span(), m));
            }
        }
        let place = typed.place;
        if let Some(file) = &p.initial {
            let (_, bytes) = source.read(file)?;
            let data = ImageData::Bytes(fitting(source, file, &bytes, &place, dtype)?);
            let place = place.clone();
            self.program.images.push(Image { place, data });
        }
        if let Some(file) = &p.expected {
            let (path, array) = source.read(file)?;
            fitting(source, file, &array, &place, dtype)?;
            let tolerance = p.tol.as_ref().map_or(0.0, |t| *t.get_ref());
            self.program.expected.push(Expected {
                name: name.clone(),
                file: path,
                array,
                tolerance,
            });
        }
        if let Some(tol) = &p.tol {
            let allowed = *tol.get_ref() >= 0.0;
            if p.expected.is_none() || !allowed {
                let m = "`tol` is a number of at least 0, beside `expected`";
                return Err(source.error(tol.span(), m));
            }
        }
        let region = Region {
            name: name.clone(),
            place,
            dtype,
            shape: p.shape.as_ref().map(|s| s.get_ref().clone()),
        };
        let at = known.unwrap_or(self.program.regions.len());
        self.program.regions.insert(at, region);
        Ok(())
    }

    /// A place that the manifest itself names.
    fn new_place(
        &self,
        source: &Source<'_>,
        p: &manifest::Place,
        at: &Spanned<String>,
        g: Generation,
    ) -> Result<place::Typed, LoadError> {
        let name = p.name.get_ref();
        if !is_name(name) {
            let m = format!("found {name:?}, expected a name that is not a memory's");
            return Err(source.error(p.name.span(), m));
        }
        let mut cursor = Cursor::new(at.get_ref());
        let typed = place::typed(&mut cursor, &self.program.regions, g).and_then(|t| {
            cursor.blanks();
            cursor.end()?;
            Ok(t)
        });
        typed.map_err(|e| {
            let hint = e.hint.as_ref().map_or(String::new(), |h| format!("; {h}"));
            source.error(at.span(), format!("{e}{hint}"))
        })
    }
}

/// The elements of an array file, as many as the place has.
fn fitting(
    source: &Source<'_>,
    file: &Spanned<String>,
    bytes: &[u8],
    place: &Place,
    dtype: Option<DType>,
) -> Result<Vec<u8>, LoadError> {
    let error = |m: String| source.error(file.span(), m);
    let Some(kind) = dtype.and_then(DType::kind) else {
        return Err(error("an array needs a place with a dtype".to_owned()));
    };
    let name = file.get_ref();
    let array = npy::read(bytes, kind).map_err(|e| error(format!("{name}: {e}")))?;
    if array.bytes.len() as u64 != place.size() {
        let elements = place.size() / kind.bytes() as u64;
        let m = format!(
            "{name}: the array has shape {:?}, {place} has {elements} elements of {kind}",
            array.shape
        );
        return Err(error(m));
    }
    Ok(array.bytes)
}

/// Anything that can be shown; the command language reads unusual names in quotes.
fn is_name(text: &str) -> bool {
    let memory = Space::ALL.iter().any(|s| s.name() == text);
    !text.trim().is_empty() && !memory && !text.contains(char::is_control)
}
