//! The assembler: text to programs. It accepts exactly what [`listing`](super::listing) prints,
//! plus labels, comments, named places, symbolic addresses and directives (interface §5).

mod lexer;
mod statement;
mod sync;

use std::collections::BTreeMap;

use crate::isa::text::{Names, TextError};
use crate::isa::{Bundle, Generation};
use crate::program::BranchForm;

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

#[cfg(test)]
mod tests;
