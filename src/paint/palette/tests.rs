//! Ramps as people see them: with ordinary sight, and with each colour-vision deficiency.

use super::*;

#[test]
fn every_ramp_rises_in_lightness() {
    for p in Palette::ALL {
        let l: Vec<f32> = (0..LEVELS).map(|i| p.colour(i).lightness()).collect();
        assert!(l.windows(2).all(|w| w[0] < w[1]), "{} {l:?}", p.name());
    }
}

#[test]
fn glyphs_cover_all_levels_in_order() {
    let mut seen: Vec<char> = (0..LEVELS).map(glyph).collect();
    seen.dedup();
    assert_eq!(seen, GLYPHS);
}

#[test]
fn cube_corners() {
    assert_eq!(Rgb(0, 0, 0).to_256(), 16);
    assert_eq!(Rgb(255, 255, 255).to_256(), 231);
    assert_eq!(Rgb(255, 0, 0).to_256(), 196);
    assert_eq!(Rgb(118, 118, 118).to_256(), 243);
    for n in 16..=255 {
        let back = of_256(of_256(n).to_256());
        assert_eq!(back, of_256(n), "{n}");
    }
}

/// What is left of linear red, green and blue without a kind of cone (Machado, Oliveira and Fernandes 2009, severity 1).
const SIGHTS: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "ordinary",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// CIE L*, a*, b* (D65) of a colour as seen.
fn lab(Rgb(r, g, b): Rgb, sight: &[[f64; 3]; 3]) -> [f64; 3] {
    let linear = [r, g, b].map(|v| {
        let c = f64::from(v) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    });
    let seen = sight.map(|row| {
        row.iter()
            .zip(linear)
            .map(|(m, v)| m * v)
            .sum::<f64>()
            .clamp(0.0, 1.0)
    });
    let xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    .map(|row: [f64; 3]| row.iter().zip(seen).map(|(m, v)| m * v).sum::<f64>());
    let f = |t: f64| {
        if t > 0.008856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    };
    let (x, y, z) = (f(xyz[0] / 0.9505), f(xyz[1]), f(xyz[2] / 1.089));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// 2.3 is a just noticeable difference.
const NOTICEABLE: f64 = 2.3;

#[test]
fn neighbouring_levels_differ_in_lightness_for_every_sight() {
    for p in Palette::ALL {
        for (name, sight) in &SIGHTS {
            let l: Vec<f64> = (0..LEVELS).map(|i| lab(p.colour(i), sight)[0]).collect();
            for (i, w) in l.windows(2).enumerate() {
                assert!(
                    w[1] - w[0] > NOTICEABLE,
                    "{} {name} level {i}: {w:?}",
                    p.name()
                );
            }
        }
    }
}

#[test]
fn distinct_colours_are_distinct_for_every_sight() {
    for (name, sight) in &SIGHTS {
        for a in 0..8 {
            for b in 0..a {
                let d = apart(lab(distinct(a), sight), lab(distinct(b), sight));
                assert!(d > 3.0 * NOTICEABLE, "{name}: {a} and {b} are {d:.1} apart");
            }
        }
    }
}

#[test]
fn ramps_keep_their_order_with_256_colours() {
    for p in Palette::ALL {
        let shown: Vec<Rgb> = (0..LEVELS).map(|i| of_256(p.colour(i).to_256())).collect();
        let l: Vec<f64> = shown.iter().map(|c| lab(*c, &SIGHTS[0].1)[0]).collect();
        assert!(
            l.windows(2).all(|w| w[0] <= w[1] + NOTICEABLE),
            "{} {l:.0?}",
            p.name()
        );
        let mut few = shown;
        few.dedup();
        assert!(few.len() >= 10, "{} has {} steps", p.name(), few.len());
    }
}
