//! The tones of a command line while it is typed.

use super::lang::{Func, space_of, word_at};
use super::output::{Line, Tone};
use super::{lang, lookup};
use crate::isa::Queue;
use crate::num::Kind;

/// The line cut into toned pieces; their texts together are the line.
pub fn highlight(line: &str) -> Line {
    let mut out = Line::default();
    let Ok(Some(word)) = word_at(line, 0) else {
        return out.then(Tone::Dim, line);
    };
    let tone = match lookup(&word.text) {
        Ok(_) => Tone::Op,
        Err(fits) if fits.is_empty() => Tone::Bad,
        Err(_) => Tone::Plain,
    };
    let before = line.get(..word.span.start).unwrap_or("");
    out = out
        .then(Tone::Plain, before)
        .then(tone, line.get(word.span.clone()).unwrap_or(""));
    let body = lang::strip_comment(line).len().max(word.span.end);
    let mut rest = line.get(word.span.end..body).unwrap_or("");
    while let Some(first) = rest.chars().next() {
        let len = token(rest, first);
        let (text, after) = rest.split_at(len);
        out = out.then(tone_of(text, first), text);
        rest = after;
    }
    out.then(Tone::Dim, line.get(body..).unwrap_or(""))
}

/// Bytes of the token at the start of a text.
fn token(text: &str, first: char) -> usize {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let end = |stop: &dyn Fn(char) -> bool| text.find(stop).unwrap_or(text.len());
    match first {
        '"' | '\'' => {
            let rest = text.get(1..).unwrap_or("");
            rest.find(first).map_or(text.len(), |i| i + 2)
        }
        c if in_word(c) => end(&|c| !in_word(c)),
        c if c.is_whitespace() => end(&|c| !c.is_whitespace()),
        c => c.len_utf8(),
    }
}

fn tone_of(text: &str, first: char) -> Tone {
    match first {
        '0'..='9' => Tone::Value,
        '$' => Tone::Key,
        '"' | '\'' => Tone::Good,
        _ if space_of(text).is_some() || Queue::parse(text).is_some() => Tone::Place,
        _ if matches!(text, "sem" | "evt" | "bank") || Func::parse(text).is_some() => Tone::Place,
        _ if Kind::parse(text).is_some() => Tone::Key,
        _ => Tone::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_have_their_tones() {
        let tones = |line: &str| -> Vec<(Tone, String)> {
            let pieces = highlight(line)
                .0
                .into_iter()
                .filter(|p| !p.text.trim().is_empty());
            pieces.map(|p| (p.tone, p.text)).collect()
        };
        let is = |text: &str, tone| (tone, text.to_owned());
        assert_eq!(
            tones("x sbuf[3] as bf16 # why"),
            [
                is("x", Tone::Op),
                is("sbuf", Tone::Place),
                is("[", Tone::Plain),
                is("3", Tone::Value),
                is("]", Tone::Plain),
                is("as", Tone::Plain),
                is("bf16", Tone::Key),
                is(" # why", Tone::Dim),
            ]
        );
        assert_eq!(tones("frobnicate"), [is("frobnicate", Tone::Bad)]);
        assert_eq!(tones("s"), [is("s", Tone::Op)]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(line in ".{0,40}") {
            prop_assert_eq!(highlight(&line).text(), line);
        }
    }
}
