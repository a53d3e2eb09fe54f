//! Pictures as files: grids of colours as PNG or SVG, screens as SVG or terminal text.

use std::fmt::Write;

use super::palette::Rgb;

/// A rectangle of coloured cells, row after row. `None` is the background.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mosaic {
    /// Cells per row.
    pub columns: usize,
    /// The cells.
    pub cells: Vec<Option<Rgb>>,
    /// Pixels of a cell, across and down.
    pub pixels: (usize, usize),
    /// Shown above.
    pub title: String,
    /// Texts on the left, by row.
    pub rows: Vec<(usize, String)>,
    /// Texts below, by column.
    pub marks: Vec<(usize, String)>,
}

/// Dark background, as terminals have it.
const BACK: Rgb = Rgb(20, 22, 27);
/// Ordinary text.
const TEXT: Rgb = Rgb(208, 212, 220);
/// Margins of an SVG: left, top, bottom.
const MARGIN: (usize, usize, usize) = (56, 28, 24);

impl Mosaic {
    fn height(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The cells as a PNG file, without texts.
    ///
    /// # Errors
    /// The picture is empty or too large for the format.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let (wide, high) = (self.columns * self.pixels.0, self.height() * self.pixels.1);
        let mut data = Vec::with_capacity(wide * high * 3);
        for row in self.cells.chunks(self.columns.max(1)) {
            let start = data.len();
            for cell in row {
                let Rgb(r, g, b) = cell.unwrap_or(BACK);
                data.extend([r, g, b].iter().cycle().take(3 * self.pixels.0));
            }
            let line: Vec<u8> = data.get(start..).unwrap_or_default().to_vec();
            (1..self.pixels.1).for_each(|_| data.extend_from_slice(&line));
        }
        let mut out = Vec::new();
        let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut encoder = png::Encoder::new(&mut out, side(wide), side(high));
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&data)?;
        Ok(out)
    }

    /// The picture with its texts as an SVG file; neighbours of one colour share a box.
    pub fn svg(&self) -> String {
        let (left, top, bottom) = MARGIN;
        let (w, h) = self.pixels;
        let (wide, high) = (
            left + self.columns * w + 8,
            top + self.height() * h + bottom,
        );
        let mut out = head(wide, high, 12);
        text(&mut out, 8, 18, TEXT, "", &self.title);
        for (y, row) in self.cells.chunks(self.columns.max(1)).enumerate() {
            let mut x = 0;
            while let Some(cell) = row.get(x) {
                let run = row.iter().skip(x).take_while(|c| *c == cell).count();
                if let Some(colour) = cell {
                    let (bx, by) = (left + x * w, top + y * h);
                    let _ = writeln!(
                        out,
                        r#"<rect x="{bx}" y="{by}" width="{}" height="{h}" fill="{}"/>"#,
                        run * w,
                        hex(*colour)
                    );
                }
                x += run;
            }
        }
        for (row, label) in &self.rows {
            text(&mut out, 8, top + row * h + 10, TEXT, "", label);
        }
        for (column, label) in &self.marks {
            text(&mut out, left + column * w, high - 8, TEXT, "", label);
        }
        out.push_str("</svg>\n");
        out
    }
}

/// One cell of a screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glyph {
    /// What stands there; empty behind a wide character.
    pub text: String,
    /// Colour of the text; `None`: the default.
    pub fore: Option<Rgb>,
    /// Colour behind it.
    pub back: Option<Rgb>,
    /// Bold, dim, underlined, reversed.
    pub style: [bool; 4],
}

/// Pixels of a cell of a screen.
const CELL: (usize, usize) = (8, 17);

impl Glyph {
    /// Colours of the text and of what is behind it, with reversal done.
    fn colours(&self) -> (Rgb, Option<Rgb>) {
        let fore = self.fore.unwrap_or(TEXT);
        match self.style {
            [.., true] => (self.back.unwrap_or(BACK), Some(fore)),
            _ => (fore, self.back),
        }
    }

    /// The part of the cell that a block character fills, from and to, in pixels.
    fn block(&self) -> Option<(usize, usize)> {
        match self.text.as_str() {
            "▀" => Some((0, CELL.1 / 2)),
            "▄" => Some((CELL.1 / 2, CELL.1)),
            "█" => Some((0, CELL.1)),
            _ => None,
        }
    }
}

/// A screen as an SVG file. Cells stand at fixed positions, so it does not depend on the viewer's font.
pub fn screen_svg(columns: usize, glyphs: &[Glyph]) -> String {
    let (w, h) = CELL;
    let rows = glyphs.len().checked_div(columns).unwrap_or(0);
    let mut out = head(columns * w, rows * h, 13);
    for (row, line) in glyphs.chunks(columns.max(1)).enumerate() {
        let y = row * h;
        for (column, g) in line.iter().enumerate() {
            let (fore, back) = g.colours();
            let x = column * w;
            // Blocks are boxes, so that neighbours join without gaps.
            let whole = back.map(|c| (0, h, c));
            let block = g.block().map(|(from, to)| (from, to, fore));
            for (from, to, colour) in whole.into_iter().chain(block) {
                let _ = writeln!(
                    out,
                    r#"<rect x="{x}" y="{}" width="{w}.2" height="{}.2" fill="{}"/>"#,
                    y + from,
                    to - from,
                    hex(colour)
                );
            }
        }
        words(&mut out, line, y + 13);
    }
    out.push_str("</svg>\n");
    out
}

/// The texts of a line: neighbours of one style in one piece, as long as they are of one width.
fn words(out: &mut String, line: &[Glyph], y: usize) {
    let mut at = 0;
    while let Some(g) = line.get(at) {
        let (fore, _) = g.colours();
        let same = |o: &&Glyph| {
            o.text.is_ascii() && !o.text.is_empty() && (o.colours().0, o.style) == (fore, g.style)
        };
        let run = line.iter().skip(at).take_while(same).count().max(1);
        let piece: String = line
            .iter()
            .skip(at)
            .take(run)
            .map(|g| g.text.as_str())
            .collect();
        if g.block().is_none() && !piece.trim().is_empty() {
            let [bold, dim, under, _] = g.style;
            let mut extra = format!(r#" textLength="{}""#, run * CELL.0);
            for (on, what) in [
                (bold, r#" font-weight="bold""#),
                (dim, r#" opacity="0.6""#),
                (under, r#" text-decoration="underline""#),
            ] {
                if on {
                    extra.push_str(what);
                }
            }
            text(out, at * CELL.0, y, fore, &extra, &piece);
        }
        at += run;
    }
}

/// A screen as text with terminal escapes.
pub fn screen_ansi(columns: usize, glyphs: &[Glyph]) -> String {
    let mut out = String::new();
    for row in glyphs.chunks(columns.max(1)) {
        let mut last = String::new();
        for g in row {
            let mut code = String::from("0");
            for (on, n) in g.style.iter().zip([1, 2, 4, 7]) {
                if *on {
                    let _ = write!(code, ";{n}");
                }
            }
            for (colour, n) in [(g.fore, 38), (g.back, 48)] {
                if let Some(Rgb(r, g, b)) = colour {
                    let _ = write!(code, ";{n};2;{r};{g};{b}");
                }
            }
            if code != last {
                let _ = write!(out, "\x1b[{code}m");
                last = code;
            }
            out.push_str(&g.text);
        }
        out.push_str("\x1b[0m\n");
    }
    out
}

fn hex(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn head(wide: usize, high: usize, font: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"{font}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        hex(BACK)
    )
}

fn text(out: &mut String, x: usize, y: usize, fore: Rgb, extra: &str, what: &str) {
    let mut escaped = String::new();
    for c in what.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if c.is_control() => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    let _ = writeln!(
        out,
        r#"<text x="{x}" y="{y}" fill="{}"{extra} xml:space="preserve">{escaped}</text>"#,
        hex(fore)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mosaic() -> Mosaic {
        let (a, b) = (Some(Rgb(1, 2, 3)), Some(Rgb(250, 0, 9)));
        Mosaic {
            columns: 3,
            cells: vec![a, a, b, None, b, a],
            pixels: (2, 4),
            title: "a < b".to_owned(),
            rows: vec![(0, "p0".to_owned())],
            marks: vec![(1, "0x10".to_owned())],
        }
    }

    #[test]
    fn png_holds_the_colours_of_the_cells() {
        let file = mosaic().png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut data = vec![0; 6 * 8 * 3];
        let info = reader.next_frame(&mut data).unwrap();
        assert_eq!((info.width, info.height), (6, 8));
        let at = |x: usize, y: usize| &data[(y * 6 + x) * 3..][..3];
        assert_eq!(
            (at(0, 0), at(3, 3), at(4, 0)),
            (&[1, 2, 3][..], &[1, 2, 3][..], &[250, 0, 9][..])
        );
        assert_eq!((at(1, 7), at(5, 4)), (&[20, 22, 27][..], &[1, 2, 3][..]));
        let empty = Mosaic {
            cells: vec![],
            ..mosaic()
        };
        assert!(empty.png().is_err());
    }

    #[test]
    fn svg_joins_neighbours_and_escapes_text() {
        let svg = mosaic().svg();
        assert!(
            svg.contains(r##"<rect x="56" y="28" width="4" height="4" fill="#010203"/>"##),
            "{svg}"
        );
        assert!(svg.contains("a &lt; b") && svg.contains(">0x10<"));
        assert_eq!(svg.matches("<rect").count(), 1 + 4);
    }

    #[test]
    fn screens_keep_text_and_colours() {
        let glyph = |text: &str, style| Glyph {
            text: text.to_owned(),
            fore: Some(Rgb(1, 2, 3)),
            back: None,
            style,
        };
        let cells = [
            glyph("a", [true, false, false, false]),
            glyph("&", [false; 4]),
            glyph("▀", [false, false, false, true]),
            glyph(" ", [false; 4]),
        ];
        let ansi = screen_ansi(2, &cells);
        assert_eq!(ansi.lines().count(), 2);
        assert!(
            ansi.starts_with("\x1b[0;1;38;2;1;2;3ma\x1b[0;38;2;1;2;3m&\x1b[0m\n"),
            "{ansi:?}"
        );
        let svg = screen_svg(2, &cells);
        assert!(svg.contains("&amp;") && svg.contains("font-weight"));
        // The reversed half block: its colour behind, the background in the upper half.
        assert!(
            svg.contains(r##"height="17.2" fill="#010203""##)
                && svg.contains(r##"height="8.2" fill="#14161b""##)
        );
    }
}
