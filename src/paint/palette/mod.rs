//! Colour ramps for heatmaps. Every ramp rises in lightness, so that hue is never the only cue, and
//! each has a glyph ramp beside it for terminals without colour.

/// Levels of a ramp; level 0 is the lowest.
pub const LEVELS: usize = 16;

/// Glyphs from empty to full, readable without colour.
pub const GLYPHS: [char; 8] = [' ', '·', ':', '░', '▒', '▓', '█', '@'];

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Which ramp.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Palette {
    /// Blue over green to yellow.
    #[default]
    Sea,
    /// Blue to yellow: made for missing red or green receptors.
    BlueYellow,
    /// Black over orange to white: keeps its order under any colour-vision deficiency.
    Ember,
    /// Grey.
    Grey,
}

/// Stops of a ramp in linear steps, dark to light.
type Stops = &'static [Rgb];

impl Palette {
    /// All ramps.
    pub const ALL: [Palette; 4] = [
        Palette::Sea,
        Palette::BlueYellow,
        Palette::Ember,
        Palette::Grey,
    ];

    /// Name in settings.
    pub const fn name(self) -> &'static str {
        ["sea", "blue-yellow", "ember", "grey"][self as usize]
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Palette> {
        Self::ALL.into_iter().find(|p| p.name() == text)
    }

    const fn stops(self) -> Stops {
        match self {
            Palette::Sea => &[
                Rgb(20, 24, 60),
                Rgb(30, 80, 130),
                Rgb(32, 140, 140),
                Rgb(90, 190, 100),
                Rgb(240, 230, 70),
            ],
            Palette::BlueYellow => &[
                Rgb(0, 28, 80),
                Rgb(60, 80, 110),
                Rgb(125, 125, 120),
                Rgb(185, 170, 100),
                Rgb(255, 232, 60),
            ],
            Palette::Ember => &[
                Rgb(10, 8, 20),
                Rgb(90, 20, 80),
                Rgb(180, 55, 60),
                Rgb(245, 140, 35),
                Rgb(255, 250, 200),
            ],
            Palette::Grey => &[Rgb(24, 24, 24), Rgb(240, 240, 240)],
        }
    }

    /// Colour at a level; levels above the top are the top.
    pub fn colour(self, level: usize) -> Rgb {
        let stops = self.stops();
        let spans = stops.len().saturating_sub(1).max(1);
        let t = level.min(LEVELS - 1) as f32 / (LEVELS - 1) as f32 * spans as f32;
        let i = (t as usize).min(spans - 1);
        let f = t - i as f32;
        let at = |i: usize| stops.get(i).copied().unwrap_or(Rgb(0, 0, 0));
        let (a, b) = (at(i), at(i + 1));
        let mix = |x: u8, y: u8| (f32::from(x) + f * (f32::from(y) - f32::from(x))).round() as u8;
        Rgb(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
    }
}

/// Colours that people with any colour-vision deficiency tell apart (after Okabe and Ito), for things that are not more or less.
const DISTINCT: [Rgb; 8] = [
    Rgb(230, 159, 0),
    Rgb(86, 180, 233),
    Rgb(0, 158, 115),
    Rgb(240, 228, 66),
    Rgb(0, 114, 178),
    Rgb(213, 94, 0),
    Rgb(204, 121, 167),
    Rgb(150, 150, 150),
];

/// A colour of its own for each number; they repeat after eight.
pub fn distinct(number: usize) -> Rgb {
    DISTINCT
        .get(number % DISTINCT.len())
        .copied()
        .unwrap_or(Rgb(150, 150, 150))
}

/// Glyph at a level.
pub fn glyph(level: usize) -> char {
    let i = level.min(LEVELS - 1) * GLYPHS.len() / LEVELS;
    GLYPHS.get(i).copied().unwrap_or(' ')
}

/// The colour of an entry of the 256-colour table; the first 16 as terminals usually have them.
pub fn of_256(n: u8) -> Rgb {
    const FIRST: [Rgb; 16] = [
        Rgb(27, 29, 35),
        Rgb(224, 108, 117),
        Rgb(127, 191, 111),
        Rgb(216, 179, 90),
        Rgb(95, 159, 232),
        Rgb(198, 120, 221),
        Rgb(79, 184, 196),
        Rgb(200, 204, 212),
        Rgb(92, 99, 112),
        Rgb(255, 128, 135),
        Rgb(159, 220, 140),
        Rgb(240, 203, 110),
        Rgb(125, 184, 255),
        Rgb(221, 150, 242),
        Rgb(111, 214, 224),
        Rgb(255, 255, 255),
    ];
    match n {
        0..=15 => FIRST.get(usize::from(n)).copied().unwrap_or(Rgb(0, 0, 0)),
        16..=231 => {
            let n = n - 16;
            let step = |i: u8| if i == 0 { 0 } else { 55 + 40 * i };
            Rgb(step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        _ => {
            let grey = 8 + 10 * (n - 232);
            Rgb(grey, grey, grey)
        }
    }
}

impl Rgb {
    /// Nearest entry of the 6x6x6 cube or grey ramp of 256-colour terminals.
    pub fn to_256(self) -> u8 {
        let Rgb(r, g, b) = self;
        let level = |v: u8| -> (u8, u8) {
            let steps = [0u8, 95, 135, 175, 215, 255];
            let mut best = (0, 0);
            for (i, s) in (0u8..).zip(steps) {
                if v.abs_diff(s) < v.abs_diff(best.1) {
                    best = (i, s);
                }
            }
            best
        };
        let (ri, rv) = level(r);
        let (gi, gv) = level(g);
        let (bi, bv) = level(b);
        let cube = 16 + 36 * ri + 6 * gi + bi;
        let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
        let step = ((mean.saturating_sub(3)) / 10).min(23) as u8;
        let grey = 8 + 10 * step;
        let far = |x: u8, y: u8, z: u8| {
            u32::from(r.abs_diff(x)).pow(2)
                + u32::from(g.abs_diff(y)).pow(2)
                + u32::from(b.abs_diff(z)).pow(2)
        };
        if far(grey, grey, grey) < far(rv, gv, bv) {
            232 + step
        } else {
            cube
        }
    }

    /// Perceived lightness, 0..=255 (Rec. 709 weights on the encoded values).
    pub fn lightness(self) -> f32 {
        0.2126 * f32::from(self.0) + 0.7152 * f32::from(self.1) + 0.0722 * f32::from(self.2)
    }
}

#[cfg(test)]
mod tests;
