//! The vectors of the sheets against the tables.

mod dve_pool;
mod enums;
mod fields;
mod layouts;
mod legal;
mod legal_dve;
mod rule_ids;

use crate::isa::{Bundle, Generation, Instr, decode};

/// Lines of a vector file without comments, split at white space.
pub fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
        .map(|l| l.split_whitespace().collect())
}

/// Decodes the columns `gen` and `hex`.
pub fn bundle(generation: &str, hex: &str) -> Instr {
    let g = Generation::parse(generation).expect(generation);
    decode(&Bundle::from_hex(hex).expect(hex), g)
}
