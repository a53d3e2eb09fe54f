//! The words of a statement, sorted by what they are before the layout is known.

use super::lexer::Word;
use super::sync::Lane;
use crate::isa::fields::DebugCmd;
use crate::isa::text::words::hex_bytes;
use crate::isa::text::{Cursor, TextError};

/// The words of a statement, sorted by what they are.
#[derive(Default)]
pub struct Parts<'a> {
    /// The EVENTS band.
    pub inline: Lane,
    /// The second lane.
    pub ext: Lane,
    /// The word `ext`, or the first key of its lane.
    pub saw_ext: Option<Word<'a>>,
    /// Operands and names.
    pub positional: Vec<Word<'a>>,
    /// Fields by name.
    pub keys: Vec<(Word<'a>, Word<'a>)>,
    /// Bytes that lie under the fields.
    pub raw: Vec<(usize, Vec<u8>)>,
    /// Bytes 1..4, when given.
    pub header: [Option<u8>; 3],
}

/// Sorts the words behind the opcode.
///
/// # Errors
/// A word that is wrong whatever the opcode.
pub fn sort<'a>(words: &[Word<'a>]) -> Result<Parts<'a>, TextError> {
    let mut parts = Parts::default();
    for &word in words {
        if word.text.starts_with('$') {
            let lane = match parts.saw_ext {
                Some(_) => &mut parts.ext,
                None => &mut parts.inline,
            };
            lane.word(word)?;
        } else if word.text == "ext" {
            if parts.saw_ext.replace(word).is_some() {
                return Err(word.error("one `ext` lane"));
            }
        } else if let Some((key, value)) = word.key_value() {
            sort_key(&mut parts, key, value)?;
        } else {
            parts.positional.push(word);
        }
    }
    Ok(parts)
}

fn sort_key<'a>(parts: &mut Parts<'a>, key: Word<'a>, value: Word<'a>) -> Result<(), TextError> {
    let ext = key.text.strip_prefix("ext_");
    let lane = match ext {
        Some(_) => &mut parts.ext,
        None => &mut parts.inline,
    };
    if lane.key(ext.unwrap_or(key.text), value)? {
        if ext.is_some() {
            parts.saw_ext.get_or_insert(key);
        }
        return Ok(());
    }
    let mut c = Cursor::new(value.text);
    let header = match key.text {
        "word_len" => Some((0, c.number_in("a byte", 0, 255))),
        "debug_cmd" => {
            let word = c.clone().word();
            let code = match DebugCmd::DESC.value_of(word) {
                Some(code) => {
                    c.word();
                    Ok(code.into())
                }
                None => c.number_in("a DEBUG_CMD or its code", 0, 255),
            };
            Some((1, code))
        }
        "debug_hint" => Some((2, c.number_in("a byte", 0, 255))),
        _ => None,
    };
    if let Some((slot, code)) = header {
        let code = code.and_then(|v| c.end().map(|()| v));
        let code = code.map_err(|e| e.shifted(value.at))? as u8;
        if let Some(slot) = parts.header.get_mut(slot) {
            *slot = Some(code);
        }
        return Ok(());
    }
    if let Some(at) = key.text.strip_prefix("raw[") {
        return raw(parts, key, at, value);
    }
    if let Some((first, _)) = parts.keys.iter().find(|k| k.0.text == key.text) {
        let hint = format!("`{}` stands at byte {} of the line too", key.text, first.at);
        return Err(key.error("every key once").hint(hint));
    }
    parts.keys.push((key, value));
    Ok(())
}

/// `raw[12]=05ff`.
fn raw<'a>(
    parts: &mut Parts<'a>,
    key: Word<'a>,
    at: &str,
    value: Word<'a>,
) -> Result<(), TextError> {
    let at = at.strip_suffix(']').unwrap_or(at);
    let at: usize = match at.parse() {
        Ok(n @ 4..64) => n,
        _ => return Err(key.error("raw[N] with N 4..63")),
    };
    let mut c = Cursor::new(value.text);
    let bytes = hex_bytes(&mut c).and_then(|b| c.end().map(|()| b));
    let bytes = bytes.map_err(|e| e.shifted(value.at))?;
    if at + bytes.len() > 64 {
        return Err(value.error(format!(
            "at most {} bytes up to the end of the bundle",
            64 - at
        )));
    }
    parts.raw.push((at, bytes));
    Ok(())
}
