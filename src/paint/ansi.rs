//! Lines with terminal escapes, or without.

use super::theme::{Depth, Named, Theme};
use crate::cmd::output::{Line, Output};

/// One line as text: with escapes when the theme has colours. Control characters of the content
/// are shown, never sent to the terminal.
pub fn line(line: &Line, theme: Theme) -> String {
    let mut out = String::new();
    for piece in &line.0 {
        let text = printable(&piece.text);
        match code(theme.tone(piece.tone)) {
            Some(code) if theme.depth > Depth::None => {
                out.push_str("\x1b[");
                out.push_str(code);
                out.push('m');
                out.push_str(&text);
                out.push_str("\x1b[0m");
            }
            _ => out.push_str(&text),
        }
    }
    out
}

/// All lines of an output, each ended by a newline.
pub fn text(output: &Output, theme: Theme) -> String {
    output.lines.iter().map(|l| line(l, theme) + "\n").collect()
}

/// Replaces control characters, which could change the terminal, by visible ones.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\t' {
                '\u{FFFD}'
            } else {
                c
            }
        })
        .collect()
}

const fn code(colour: Named) -> Option<&'static str> {
    match colour {
        Named::Default => None,
        Named::Dim => Some("2"),
        Named::Red => Some("31"),
        Named::Green => Some("32"),
        Named::Yellow => Some("33"),
        Named::Blue => Some("34"),
        Named::Magenta => Some("35"),
        Named::Cyan => Some("36"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::Palette;
    use super::*;
    use crate::cmd::output::Tone;

    #[test]
    fn escapes_only_with_colours_and_never_from_content() {
        let l = Line::toned(Tone::Bad, "a\x1b[2Jb").then(Tone::Plain, "c");
        let theme = |depth| Theme {
            depth,
            palette: Palette::Sea,
            light: false,
        };
        assert_eq!(line(&l, theme(Depth::None)), "a\u{FFFD}[2Jbc");
        assert_eq!(
            line(&l, theme(Depth::Ansi)),
            "\x1b[31ma\u{FFFD}[2Jb\x1b[0mc"
        );
    }
}
