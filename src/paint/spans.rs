//! Lines as ratatui text.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line as TuiLine, Span};

use super::ansi::printable;
use super::palette::{LEVELS, Rgb};
use super::theme::{Depth, Named, Theme};
use crate::cmd::output::{Line, Tone};

/// A line in the colours of the theme.
pub fn line(line: &Line, theme: Theme) -> TuiLine<'static> {
    line.0
        .iter()
        .map(|p| Span::styled(printable(&p.text), style(p.tone, theme)))
        .collect::<Vec<_>>()
        .into()
}

/// The selected line of a list: the same in one style, so that no tone turns into a background.
pub fn selected(line: &Line, focused: bool) -> TuiLine<'static> {
    let style = Style::new().add_modifier(Modifier::REVERSED);
    let style = if focused {
        style
    } else {
        style.add_modifier(Modifier::DIM)
    };
    TuiLine::styled(printable(&line.text()), style)
}

/// The style of a tone.
pub fn style(tone: Tone, theme: Theme) -> Style {
    let named = theme.tone(tone);
    if theme.depth == Depth::None {
        return match named {
            Named::Red => Style::new().add_modifier(Modifier::BOLD),
            _ => Style::new(),
        };
    }
    match named {
        Named::Default => Style::new(),
        Named::Dim => Style::new().add_modifier(Modifier::DIM),
        Named::Red => Style::new().fg(Color::Red),
        Named::Green => Style::new().fg(Color::Green),
        Named::Yellow => Style::new().fg(Color::Yellow),
        Named::Blue => Style::new().fg(Color::Blue),
        Named::Magenta => Style::new().fg(Color::Magenta),
        Named::Cyan => Style::new().fg(Color::Cyan),
    }
}

/// The colour of a heat level in a theme; `None` without colours.
pub fn ramp(theme: Theme, level: usize) -> Option<Color> {
    // On a light background the lowest level is the one next to it.
    let level = if theme.light {
        (LEVELS - 1).saturating_sub(level)
    } else {
        level
    };
    colour(theme.palette.colour(level), theme.depth)
}

/// A ramp colour at the depth of the terminal; `None` where it has no colours.
pub fn colour(rgb: Rgb, depth: Depth) -> Option<Color> {
    match depth {
        Depth::None => None,
        Depth::Ansi => Some(sixteen(rgb)),
        Depth::Cube => Some(Color::Indexed(rgb.to_256())),
        Depth::True => Some(Color::Rgb(rgb.0, rgb.1, rgb.2)),
    }
}

/// Ramps on 16 colours keep their order by lightness only.
fn sixteen(rgb: Rgb) -> Color {
    match rgb.lightness() as u32 {
        0..=40 => Color::Black,
        41..=80 => Color::Blue,
        81..=125 => Color::DarkGray,
        126..=165 => Color::Cyan,
        166..=205 => Color::Gray,
        _ => Color::White,
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::Palette;
    use super::*;

    #[test]
    fn sixteen_colours_keep_the_order_of_every_ramp() {
        // By lightness in the usual schemes.
        let order = [
            Color::Black,
            Color::Blue,
            Color::DarkGray,
            Color::Cyan,
            Color::Gray,
            Color::White,
        ];
        for palette in Palette::ALL {
            for light in [false, true] {
                let theme = Theme {
                    depth: Depth::Ansi,
                    palette,
                    light,
                };
                let mut seen: Vec<usize> = (0..LEVELS)
                    .map(|l| {
                        order
                            .iter()
                            .position(|c| Some(*c) == ramp(theme, l))
                            .unwrap()
                    })
                    .collect();
                if light {
                    seen.reverse();
                }
                assert!(seen.is_sorted(), "{} {seen:?}", palette.name());
                seen.dedup();
                assert!(seen.len() >= 5, "{} {seen:?}", palette.name());
            }
        }
    }
}
