//! What a tone looks like at each colour depth.

use super::palette::Palette;
use crate::cmd::output::Tone;

/// How many colours the terminal shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// None.
    None,
    /// The 16 named ones.
    Ansi,
    /// The 256-colour cube.
    Cube,
    /// 24 bits.
    True,
}

impl Depth {
    /// What the environment says: `NO_COLOR`, `CLICOLOR_FORCE`, `TERM`, `COLORTERM`. `env` looks a
    /// variable up, `tty` tells whether output is a terminal.
    pub fn detect(env: impl Fn(&str) -> Option<String>, tty: bool) -> Depth {
        let set = |name: &str| env(name).is_some_and(|v| !v.is_empty() && v != "0");
        let term = env("TERM").unwrap_or_default();
        if env("NO_COLOR").is_some_and(|v| !v.is_empty()) {
            return Depth::None;
        }
        if !set("CLICOLOR_FORCE") && (!tty || term == "dumb") {
            return Depth::None;
        }
        Self::of_terminal(&term, &env("COLORTERM").unwrap_or_default())
    }

    /// Is the background light, as far as `COLORFGBG` tells?
    pub fn is_light(env: impl Fn(&str) -> Option<String>) -> bool {
        let colours = env("COLORFGBG").unwrap_or_default();
        matches!(colours.rsplit(';').next(), Some("7" | "15"))
    }

    /// Depth of a terminal that is to be coloured whatever else is said.
    pub fn of_terminal(term: &str, colorterm: &str) -> Depth {
        if colorterm.contains("truecolor") || colorterm.contains("24bit") {
            Depth::True
        } else if term.contains("256color") {
            Depth::Cube
        } else {
            Depth::Ansi
        }
    }
}

/// A look: the ramp of the heatmaps and the depth to draw at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Colours of the terminal.
    pub depth: Depth,
    /// Ramp of heatmaps.
    pub palette: Palette,
    /// Dark text on a light background: ramps then go from light to dark.
    pub light: bool,
}

/// The named colour of a tone; terminals map it to their own scheme, so it fits light and dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// The terminal's own foreground.
    Default,
    /// Dim foreground.
    Dim,
    /// Red.
    Red,
    /// Green.
    Green,
    /// Yellow.
    Yellow,
    /// Blue.
    Blue,
    /// Magenta.
    Magenta,
    /// Cyan.
    Cyan,
}

impl Theme {
    /// Colour of a tone.
    pub const fn tone(self, tone: Tone) -> Named {
        match tone {
            Tone::Plain => Named::Default,
            Tone::Key => Named::Cyan,
            Tone::Value => Named::Default,
            Tone::Place => Named::Blue,
            Tone::Op => Named::Magenta,
            Tone::Dim => Named::Dim,
            Tone::Good => Named::Green,
            Tone::Warn => Named::Yellow,
            Tone::Bad => Named::Red,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(vars: &[(&str, &str)], tty: bool) -> Depth {
        Depth::detect(
            |n| vars.iter().find(|v| v.0 == n).map(|v| v.1.to_owned()),
            tty,
        )
    }

    #[test]
    fn environment_is_honoured() {
        let xterm = ("TERM", "xterm-256color");
        assert_eq!(depth(&[xterm], true), Depth::Cube);
        assert_eq!(
            depth(&[xterm, ("COLORTERM", "truecolor")], true),
            Depth::True
        );
        assert_eq!(depth(&[xterm], false), Depth::None);
        assert_eq!(depth(&[xterm, ("CLICOLOR_FORCE", "1")], false), Depth::Cube);
        assert_eq!(
            depth(&[xterm, ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true),
            Depth::None
        );
        assert_eq!(depth(&[("TERM", "dumb")], true), Depth::None);
        assert_eq!(depth(&[("TERM", "linux")], true), Depth::Ansi);
        for (value, light) in [
            ("0;15", true),
            ("15;0", false),
            ("0;default;7", true),
            ("", false),
        ] {
            assert_eq!(
                Depth::is_light(|_| Some(value.to_owned())),
                light,
                "{value}"
            );
        }
    }
}
