//! `dve-pool.tsv`: every bundle of isa 07d decodes to what its text says, and is legal where the
//! text does not say otherwise.

use crate::isa::field::{Field, FieldDesc, FieldKind};
use crate::isa::fields::{Addr4, Data4, Indirect, Mem, Pattern, Space};
use crate::isa::{Bundle, DType, Generation, Instr, Severity, check, decode};

const VECTORS: &str = include_str!("../../../../tests/vectors/dve-pool.tsv");
const SHEET: &str = include_str!("../../../../assets/isa/07d-test-vectors.md");

struct Vector {
    name: &'static str,
    generations: Vec<Generation>,
    bundle: Bundle,
    text: &'static str,
}

fn vectors() -> Vec<Vector> {
    let rows = VECTORS.lines().skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let generations = match cells[1] {
            "all" => Generation::ALL.to_vec(),
            list => list.split(',').filter_map(Generation::parse).collect(),
        };
        Vector {
            name: cells[0],
            generations,
            bundle: Bundle::from_hex(cells[2]).expect(cells[2]),
            text: cells[3],
        }
    })
    .collect()
}

/// Field that a key of the text means; the first one that the layout has.
const KEYS: &[(&str, &[&str])] = &[
    ("n", &["num_active_channels"]),
    ("count", &["dst_element_count"]),
    ("value", &["set_value"]),
    ("in", &["in_dtype"]),
    ("out", &["out_dtype"]),
    ("dtype", &["dtype"]),
    ("pred dtype", &["pred_imm_dtype"]),
    ("src0", &["in0_dtype"]),
    ("src1", &["in1_dtype"]),
    ("pred", &["pred_dtype", "in0_dtype"]),
    ("data", &["in1_dtype"]),
    ("reverse", &["reverse_operands"]),
    ("reversed", &["reversed_pred"]),
    ("imm", &["imm0", "src0_imm", "src1_imm"]),
    ("initial", &["imm0"]),
    ("fill", &["imm0"]),
    ("axis", &["reduce_axis"]),
    ("scale", &["pool_scale", "scale"]),
    ("miss", &["index_miss_behavior"]),
];

fn field(instr: &Instr, key: &str) -> Option<&'static FieldDesc> {
    let by_alias = KEYS.iter().find(|(k, _)| *k == key);
    match by_alias {
        Some((_, names)) => names.iter().find_map(|n| instr.format.field(n)),
        None => instr.format.field(key),
    }
}

/// Raw bits of a number of the text: hex as it stands, decimals as the field's type has it.
fn number(text: &str, float: bool) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    let value: f32 = match text {
        "-FLT_MAX" => f32::MIN,
        "-Inf" => f32::NEG_INFINITY,
        "1/8" => 0.125,
        _ => text.parse().ok()?,
    };
    Some(if float {
        u64::from(value.to_bits())
    } else {
        text.parse::<i64>().ok()? as u64
    })
}

/// Does the field hold what the text says?
fn holds(instr: &Instr, f: &FieldDesc, said: &str) -> bool {
    let raw = f.raw(&instr.bundle);
    match f.kind {
        FieldKind::DType => DType::parse(said) == Some(DType(raw as u8)),
        // The texts shorten XOR, MAX, AVG.
        FieldKind::Enum(e) => match number(said, false) {
            Some(n) => n == raw,
            None => e.name_of(raw as u8).is_some_and(|name| {
                name == said || name.ends_with(said) || name.starts_with(&format!("{said}_"))
            }),
        },
        FieldKind::F32 => number(said, true) == Some(raw),
        FieldKind::Imm { .. } => number(said, !said.starts_with("0x")) == Some(raw),
        _ => number(said, false).map(|n| n & (u64::MAX >> (64 - f.bits))) == Some(raw),
    }
}

/// `SBUF p0+0x1000`, `p0+0`, `partitions 64..127`, in the memory map of v2 to v4 (isa 07d).
fn starts_at(instr: &Instr, slot: &str, said: &str) -> Option<bool> {
    let f = instr.format.field(slot)?;
    let place = Addr4(instr.bundle.u32(f.byte())).location(Generation::V4)?;
    if let Some(range) = said.strip_prefix("partitions ") {
        let (first, last) = range.split_once("..")?;
        let n = instr.value("num_active_channels")?;
        let fits = u64::from(place.part) + n - 1 == last.parse::<u64>().ok()?;
        return Some(fits && place.part == first.parse::<u16>().ok()?);
    }
    let (space, rest) = match said.split_once(' ') {
        Some(("PSUM", rest)) => (Space::Psum, rest),
        Some(("SBUF", rest)) => (Space::Sbuf, rest),
        _ => (Space::Sbuf, said),
    };
    let (part, off) = rest.strip_prefix('p')?.split_once('+')?;
    Some(
        place.space == space
            && place.part == part.parse::<u16>().ok()?
            && u64::from(place.off) == number(off, false)?,
    )
}

/// Steps and counts of a slot or generator.
fn dims(instr: &Instr, slot: &str) -> (Vec<i64>, Vec<i64>) {
    let f = instr.format.field(slot).expect(slot);
    let dims = match f.kind {
        FieldKind::Data4 => Data4::get(&instr.bundle, f.at).dims.to_vec(),
        FieldKind::Pattern(rank, _) => Pattern::read(&instr.bundle, f.byte(), rank.into())
            .dims()
            .to_vec(),
        _ => panic!("{slot} is no walk"),
    };
    let steps = dims.iter().map(|d| i64::from(d.step)).collect();
    (steps, dims.iter().map(|d| i64::from(d.num)).collect())
}

fn numbers(list: &str) -> Vec<i64> {
    let inner = list.trim_matches(['[', ']', '{', '}']);
    inner.split(',').filter_map(|n| n.parse().ok()).collect()
}

/// The words of a text without remarks in brackets.
fn words(text: &'static str) -> std::iter::Peekable<impl Iterator<Item = &'static str>> {
    let mut depth = 0;
    let outside = text.split_whitespace().filter(move |w| {
        let inside = depth > 0 || w.starts_with('(');
        if inside {
            depth += w.matches('(').count();
            depth -= w.matches(')').count().min(depth);
        }
        !inside
    });
    outside.map(|w| w.trim_end_matches(',')).peekable()
}

/// Checks the claims of a text: `key=value`, `slot ... step[..] num[..]`, and bare names of dtypes
/// and enumeration members. Returns the words that name nothing of the layout.
fn claims(v: &Vector, instr: &Instr) -> Vec<String> {
    let mut unknown = Vec::new();
    let has = |name| instr.format.field(name).is_some();
    let mut slot = if has("data") { "data" } else { "dst" };
    let mut words = words(v.text);
    let mut before = "";
    if !v.name.starts_with("ILLEGAL") {
        words.next();
    }
    while let Some(word) = words.next() {
        let told = format!("{} {}: {word}", v.name, instr.generation);
        if let Some((key, value)) = word.split_once('=') {
            let key = if before == "pred" { "pred dtype" } else { key };
            if matches!(key, "src" | "dst") {
                slot = key;
                let said = match value {
                    "SBUF" | "PSUM" | "partitions" => format!("{value} {}", words.next().unwrap()),
                    _ => value.to_owned(),
                };
                assert_eq!(starts_at(instr, slot, &said), Some(true), "{told}");
            } else if key == "base" && slot == "data" {
                let data = Data4::get(&instr.bundle, instr.format.field("data").unwrap().at);
                assert_eq!(Some(data.base as u64), number(value, false), "{told}");
            } else if let Some(f) = field(instr, key).filter(|_| !value.is_empty()) {
                let mut said = value;
                if matches!(value, "partition" | "pointer") {
                    let FieldKind::Imm { src, .. } = f.kind else {
                        panic!("{told}");
                    };
                    assert_eq!(instr.value(src), Some(1), "{told}");
                    words.next_if_eq(&"offset");
                    said = words.next().unwrap();
                }
                assert!(holds(instr, f, said), "{told}");
                // `op0=MULT 2.0`: the scalar follows its operation
                if key == "op0"
                    && let Some(n) = words.next_if(|w| w.ends_with(".0") && !w.contains('='))
                {
                    assert!(holds(instr, field(instr, "imm0").unwrap(), n), "{told}");
                }
            } else {
                unknown.push(word.to_owned());
            }
        } else if let Some(list) = word.strip_prefix("num") {
            let (_, counts) = dims(instr, slot);
            let said = numbers(list);
            assert!(!said.is_empty() && counts.starts_with(&said), "{told}");
            assert!(counts[said.len()..].iter().all(|n| *n == 1), "{told}");
        } else if word == "step" {
            let step: i64 = words.next().unwrap().parse().unwrap();
            assert_eq!(dims(instr, slot).0[0], step, "{told}");
        } else if let Some(list) = word.strip_prefix("step") {
            assert!(dims(instr, slot).0.starts_with(&numbers(list)), "{told}");
        } else if matches!(word, "src" | "dst" | "src0" | "src1") {
            slot = word;
        } else if word == "at" {
            let f = instr.format.field(slot).unwrap();
            let start = u64::from(instr.bundle.u32(f.byte()));
            assert_eq!(number(words.next().unwrap(), false), Some(start), "{told}");
        } else if word == "pointer" {
            let pointer = words.next().unwrap();
            assert!(
                holds(instr, field(instr, "pred_imm").unwrap(), pointer),
                "{told}"
            );
            assert_eq!(instr.value("pred_imm_src"), Some(1), "{told}");
        } else if word == "register" {
            let register = words.next().unwrap().parse().ok();
            assert_eq!(instr.value("fill_reg"), register, "{told}");
        } else if word.starts_with(|c: char| c.is_ascii_uppercase()) {
            let there = instr.format.fields.iter().any(|f| {
                matches!(f.kind, FieldKind::DType | FieldKind::Enum(_)) && holds(instr, f, word)
            });
            assert!(there, "{told}");
        } else {
            unknown.push(word.to_owned());
        }
        before = word;
    }
    unknown
}

#[test]
fn the_vectors_decode_to_the_fields_their_texts_name() {
    let mut keys = Vec::new();
    for v in vectors() {
        let name = v.text.split_whitespace().next().unwrap();
        for g in &v.generations {
            let instr = decode(&v.bundle, *g);
            let row = instr.op.expect(v.name);
            assert!(
                row.name.contains(name) || v.name.starts_with("ILLEGAL"),
                "{}: {} decodes to {}",
                v.name,
                name,
                row.name
            );
            let unknown = claims(&v, &instr);
            keys.extend(unknown.into_iter().filter(|w| w.contains('=')));
        }
    }
    keys.sort();
    keys.dedup();
    // `mask` and `m[i]` are formulas, tested below; `miss = write`, `index` and `data` of the
    // gathers are prose, tested below.
    let prose = ["=", "data=0x1000", "index=0x100", "m[i]=(i+1)", "mask="];
    let left: Vec<_> = keys
        .iter()
        .filter(|k| !prose.contains(&k.as_str()))
        .collect();
    assert!(left.is_empty(), "keys that name no field: {left:?}");
}

fn of(name: &str) -> Instr {
    let v = vectors().into_iter().find(|v| v.name == name).expect(name);
    decode(&v.bundle, Generation::V3)
}

#[test]
fn what_the_texts_say_in_prose() {
    let mask = of("load_mask_select rotate");
    let f = mask.format.field("mask").unwrap();
    let said: Vec<u8> = (0..32).map(|i| (i + 1) % 32).collect();
    assert_eq!(f.bytes(&mask.bundle), said);

    let select = of("affine_select causal");
    let data = Data4::get(&select.bundle, select.format.field("mask").unwrap().at);
    let lane = select.value("channel_multiplier");
    assert_eq!((data.base, data.dims[0].step, lane), (0, -1, Some(1)));

    let gather = of("gather");
    let told = ["in_dtype", "out_dtype", "index_miss_behavior", "immediate"];
    assert_eq!(told.map(|f| gather.value(f)), [9, 10, 0, 0].map(Some));

    let copy = of("indirect_copy");
    let Mem::Indirect(Indirect { index, data, num }) = Mem::<4>::get(&copy.bundle, 96) else {
        panic!("static");
    };
    assert_eq!((index.a29(), data.0, num), (0x100, 0x1000, 64));
    let told = ["src_num_elem_per_idx", "src_buffer_size"];
    assert_eq!(told.map(|f| copy.value(f)), [4, 1024].map(Some));

    let range = of("range_select");
    let bounds = ["bound0", "bound1"].map(|f| range.value(f));
    assert_eq!(bounds, [2.0f32, 5.0].map(|b| Some(u64::from(b.to_bits()))));

    let wide = decode(&of("tensor_tensor_int_wide mult").bundle, Generation::V5);
    let types = ["in0_dtype", "in1_dtype", "out0_dtype", "out1_dtype"];
    assert_eq!(types.map(|f| wide.value(f)), [Some(9); 4]);
}

#[test]
fn the_readable_sheet_has_the_same_bundles() {
    let all = vectors();
    let mut seen = 0;
    for block in SHEET.split("\n## ").skip(1) {
        let title = block.lines().next().unwrap();
        let Some(hex) = block.split("```").nth(1) else {
            continue;
        };
        let v = all
            .iter()
            .find(|v| title.rsplit_once(" (").map(|t| t.0) == Some(v.name))
            .expect(title);
        assert_eq!(Bundle::from_hex(hex.trim()), Ok(v.bundle), "{title}");
        let text = block.lines().find_map(|l| l.strip_prefix("- decode: "));
        assert_eq!(text, Some(v.text), "{title}");
        seen += 1;
    }
    assert_eq!(seen, all.len());
}

#[test]
fn the_vectors_are_legal_unless_they_say_illegal() {
    for v in vectors() {
        // The addresses are those of v2 to v4; a vector of v5 alone has none but partition 0.
        let old = |g: &&Generation| **g != Generation::V5 || v.generations.len() == 1;
        for g in v.generations.iter().filter(old) {
            let found = check(&decode(&v.bundle, *g), None);
            let errors: Vec<_> = found
                .iter()
                .filter(|f| f.severity == Severity::Error)
                .map(|f| f.rule)
                .collect();
            let expected: &[&str] = if v.name.starts_with("ILLEGAL") {
                &["bypass-order"]
            } else {
                &[]
            };
            assert_eq!(errors, expected, "{} on {g}: {found:?}", v.name);
        }
    }
}
