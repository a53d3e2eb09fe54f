//! Every row of the cast vectors (`tests/vectors/casts.tsv`, derived from isa 13 §6).

use crate::num::{Kind, Rules, e8m0_scale, fp4_pack, fp4_unpack, narrow, widen};

fn hex(cell: &str) -> u64 {
    u64::from_str_radix(cell.trim_start_matches("0x"), 16).unwrap()
}

/// The names of the vector file: `e4m3` is the 240 variant.
fn kind(name: &str) -> Kind {
    Kind::parse(name).unwrap_or_else(|| panic!("unknown format {name}"))
}

fn rules(config: &str) -> Rules {
    let mut rules = Rules::default();
    if config.starts_with("sat=") {
        rules.fp8_saturate = config.contains("sat=1");
        rules.fp8_keep_nan = config.contains("nansup=0");
    } else {
        assert!(
            ["-", "11-bit", "RNE+clamp", "cast", "mx dequant scale"].contains(&config)
                || config.starts_with("converting"),
            "{config}"
        );
    }
    rules
}

/// Where a note names the other rounding's result, that result under the other rule.
fn other(note: &str, mut rules: Rules) -> Option<(Rules, u64)> {
    if let Some((_, code)) = note.split_once("strict RNE would be ") {
        rules.fp8_vendor_tiny = false;
        return Some((rules, hex(code)));
    }
    let (_, code) = note.split_once("truncation would give ")?;
    rules.int_trunc = true;
    Some((rules, hex(code)))
}

#[test]
fn every_row_of_the_cast_vectors_holds() {
    let mut rows = 0;
    for line in include_str!("../../../tests/vectors/casts.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let cells: Vec<&str> = line.split('\t').collect();
        let [src, dst, input, output, config, note, _] = cells[..] else {
            panic!("{line}")
        };
        let (bits, want) = (hex(input), hex(output));
        let rules = rules(config);
        rows += 1;
        let got = match (src, dst) {
            ("fp4", "fp32") => fp4_unpack(bits as u16)[0].to_bits().into(),
            ("fp32", "fp4") => (fp4_pack([0.0, f32::from_bits(bits as u32), 0.0, 0.0]) >> 4).into(),
            ("e8m0", "fp32") if config != "cast" => e8m0_scale(bits as u8).to_bits().into(),
            _ => {
                let x = widen(kind(src), bits);
                if let Some((rules, code)) = other(note, rules) {
                    assert_eq!(narrow(kind(dst), x, &rules), code, "other rule: {line}");
                }
                narrow(kind(dst), x, &rules)
            }
        };
        assert_eq!(got, want, "{line}: got {got:#x}");
    }
    assert_eq!(rows, 571, "rows of the file, decisions section 4");
}

#[test]
fn e8m0_ends() {
    assert_eq!(e8m0_scale(0), 2f32.powi(-126) / 2.0);
    assert_eq!(e8m0_scale(1), 2f32.powi(-126));
    assert_eq!(e8m0_scale(254), 2f32.powi(127));
    assert_eq!(e8m0_scale(255), f32::INFINITY);
}

#[test]
fn fp4_lane_zero_is_the_low_nibble() {
    assert_eq!(fp4_unpack(0x7521), [0.5, 1.0, 3.0, 6.0]);
    assert_eq!(fp4_pack([0.5, 1.0, 3.0, 6.0]), 0x7521);
    for container in 0..=u16::MAX {
        assert_eq!(fp4_pack(fp4_unpack(container)), container);
    }
}

#[test]
fn fp32r_keeps_the_asked_number_of_bits() {
    let x = f32::from_bits(0x3F80_0FFF);
    for (kept, want) in [
        (10, 0x3F80_0000),
        (11, 0x3F80_1000),
        (13, 0x3F80_1000),
        (22, 0x3F80_1000),
        (23, 0x3F80_0FFF),
        (255, 0x3F80_0FFF),
    ] {
        let rules = Rules {
            fp32r_bits: kept,
            ..Rules::default()
        };
        assert_eq!(narrow(Kind::Fp32r, x, &rules), want, "{kept} bits");
    }
    let none = Rules {
        fp32r_bits: 0,
        ..Rules::default()
    };
    assert_eq!(narrow(Kind::Fp32r, 1.75, &none), u64::from(2f32.to_bits()));
}
