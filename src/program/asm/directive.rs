//! Lines that start with a dot.

use super::lexer::{Word, is_name};
use super::{Assembler, data, place};
use crate::isa::text::value::similar;
use crate::isa::text::{Cursor, TextError, address};
use crate::isa::{Generation, Queue};
use crate::program::{BranchForm, Image, Region};

const DIRECTIVES: [&str; 6] = [".gen", ".engine", ".branch", ".place", ".data", ".fill"];

impl<'s> Assembler<'s> {
    /// Reads a directive: `word` is its name, `rest` what follows.
    pub(super) fn directive(
        &mut self,
        number: usize,
        word: Word<'s>,
        rest: Word<'s>,
    ) -> Result<(), TextError> {
        match word.text {
            ".gen" => self.generation(rest),
            ".engine" => self.engine(rest),
            ".branch" => self.branch(rest),
            ".place" => {
                let mut c = Cursor::new(rest.text);
                self.place(&mut c).map_err(|e| e.shifted(rest.at))
            }
            ".data" | ".fill" => {
                self.images.push((number, word, rest));
                Ok(())
            }
            _ => {
                let error = word.error(DIRECTIVES.join(", "));
                Err(match similar(word.text, DIRECTIVES.into_iter()) {
                    Some(close) => error.hint(format!("did you mean `{close}`?")),
                    None => error,
                })
            }
        }
    }

    fn generation(&mut self, rest: Word<'s>) -> Result<(), TextError> {
        let word = trimmed(rest);
        let g = Generation::parse(word.text).ok_or_else(|| {
            word.error("a generation: v2, v3, v4, v5 or a name like sunda, cayman, mariana")
        })?;
        let used = !self.regions.is_empty();
        let other = self.declared.is_some_and(|d| d != g);
        if other || used && g != self.generation {
            return Err(word.error("one .gen, before any place"));
        }
        self.declared = Some(g);
        self.generation = g;
        Ok(())
    }

    fn engine(&mut self, rest: Word<'s>) -> Result<(), TextError> {
        let word = trimmed(rest);
        let queue = Queue::parse(word.text).ok_or_else(|| {
            word.error(
                "an engine: pe, act, pool, dve, sp (tensor, scalar, gpsimd, vector, sync) or any",
            )
        })?;
        self.enter(queue);
        Ok(())
    }

    fn branch(&mut self, rest: Word<'s>) -> Result<(), TextError> {
        let word = trimmed(rest);
        let form = match word.text {
            "rel" => BranchForm::RelBytes,
            "index" => BranchForm::Index,
            _ => return Err(word.error("`rel` or `index`")),
        };
        if let Some(section) = self.section() {
            if section.branch.is_some_and(|b| b != form) {
                return Err(word.error("one .branch per stream"));
            }
            section.branch = Some(form);
        }
        Ok(())
    }

    /// `.place NAME PLACE [as DTYPE]`.
    fn place(&mut self, c: &mut Cursor<'_>) -> Result<(), TextError> {
        c.blanks();
        let start = c.pos();
        let name = address::place_name(c);
        let taken = |c: &Cursor<'_>, why: &str| c.error_from(start, why);
        if !is_name(name) {
            return Err(c.error("the name of the place"));
        }
        if name.len() == 8 && name.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(taken(c, "a name that is no hex address"));
        }
        let register = name.strip_prefix('r').unwrap_or("");
        let register = !register.is_empty() && register.bytes().all(|b| b.is_ascii_digit());
        if register || ["sbuf", "psum", "dram", "as"].contains(&name) {
            return Err(taken(c, "a name that means nothing else"));
        }
        if self.regions.iter().any(|r| r.name == name) {
            return Err(taken(c, "a new name"));
        }
        c.blanks();
        let typed = place::typed(c, &self.regions, self.generation)?;
        c.blanks();
        c.end()?;
        self.regions.push(Region {
            name: name.to_owned(),
            place: typed.place,
            dtype: typed.dtype,
            shape: None,
        });
        Ok(())
    }

    /// `.data PLACE [as DTYPE] = ...` or `.fill PLACE [as DTYPE] = ...`.
    pub(super) fn image(&mut self, word: Word<'_>, rest: Word<'_>) -> Result<(), TextError> {
        let mut c = Cursor::new(rest.text);
        let image = self.read_image(word.text, &mut c);
        self.program
            .images
            .push(image.map_err(|e| e.shifted(rest.at))?);
        Ok(())
    }

    fn read_image(&self, word: &str, c: &mut Cursor<'_>) -> Result<Image, TextError> {
        c.blanks();
        let to = place::typed(c, &self.regions, self.generation)?;
        c.blanks();
        c.expect("=")?;
        c.blanks();
        let data = if word == ".data" {
            data::data(c, &to, &self.files)?
        } else {
            data::fill(c, &to)?
        };
        c.blanks();
        c.end()?;
        Ok(Image {
            place: to.place,
            data,
        })
    }
}

/// The word without the blanks around it.
fn trimmed(word: Word<'_>) -> Word<'_> {
    let start = word.text.len() - word.text.trim_start().len();
    Word {
        text: word.text.trim(),
        at: word.at + start,
    }
}
