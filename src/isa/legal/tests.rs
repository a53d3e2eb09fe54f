//! All rows of `descriptors.tsv`, and the rules of whole bundles.

use super::address::{Placement, index_address, lanes, start_address};
use super::slot::Slot;
use super::*;
use crate::isa::field::{Arm, Field};
use crate::isa::fields::{Addr4, AddrForm, Events, Mx, MxForm, Pattern, UpdateMode, WaitMode};
use crate::isa::{Bundle, DType, Space, decode};

const VECTORS: &str = include_str!("../../../tests/vectors/descriptors.tsv");

/// The decode column of an address word.
fn address(word: Addr4, g: Generation) -> String {
    let shape = if word.shape_register() {
        "shape=reg "
    } else {
        ""
    };
    let indirect = if word.indirect() { "indirect=1 " } else { "" };
    let place = match word.form() {
        AddrForm::Register(n) | AddrForm::IndexRegister(n) => format!("addr=reg{n}"),
        _ => {
            let l = word.location(g).unwrap();
            let bank = match l.space {
                Space::Psum => format!(" bank={} bankoff={:#x}", l.bank(), l.off % 2048),
                _ => String::new(),
            };
            format!(
                "addr=imm space={} part={} off={:#x}{bank}",
                l.space, l.part, l.off
            )
        }
    };
    format!("{shape}{indirect}{place}")
}

fn placement(role: &str) -> Placement {
    Placement {
        write: role.starts_with("write"),
        psum: !role.contains("nopsum"),
        sbuf: !role.contains("nosbuf"),
    }
}

fn bytes(hex: &str) -> Bundle {
    let mut b = Bundle::default();
    for (i, pair) in hex.as_bytes().chunks(2).enumerate() {
        let text = std::str::from_utf8(pair).unwrap();
        b.put(i, &[u8::from_str_radix(text, 16).unwrap()]);
    }
    b
}

/// Decode column and problems of a descriptor.
fn descriptor(kind: &str, role: &str, dtype: DType, b: &Bundle, g: Generation) -> (String, bool) {
    let (arm, rank) = match kind.strip_prefix("TENSOR") {
        Some(rank) => (Arm::Tensor, rank),
        None => (Arm::Mem, kind.strip_prefix("MEM_PATTERN").unwrap()),
    };
    let rank: usize = rank.strip_suffix('D').unwrap().parse().unwrap();
    let mut place = placement(role);
    if arm == Arm::Mem && role != "read-psum-ok" {
        place.psum = false;
    }
    let slot = Slot {
        at: 0,
        rank,
        arm,
        dtype,
        place,
        matmul: false,
        lanes: None,
    };
    let p = Pattern::read(b, 0, rank);
    let legal = slot.problems(b, g).is_empty();
    if !legal {
        return (String::new(), false);
    }
    let text = if arm == Arm::Mem && p.addr.indirect() {
        let (data, num) = (Addr4(b.u32(4)), b.u16(8));
        let (index, data) = (address(p.addr, g), address(data, g));
        format!("INDIRECT index{{{index}}} data{{{data}}} num_elem={num}")
    } else {
        let steps: Vec<i16> = p.dims().iter().map(|d| d.step).collect();
        let nums: Vec<u16> = p.dims().iter().map(|d| d.num).collect();
        format!("{} step={steps:?} num={nums:?}", address(p.addr, g))
    };
    (text, true)
}

fn mx(dtype: DType, b: &Bundle, g: Generation) -> (String, bool) {
    let mx = Mx::get(b, 0);
    if !super::mx::problems(&mx, dtype, None, g).is_empty() {
        return (String::new(), false);
    }
    let text = match mx.form() {
        MxForm::Static(m) => format!(
            "data{{{}}} scale{{{}}} num_elem={} step={} scale_pidx={}",
            address(m.data, g),
            address(m.scale, g),
            m.num,
            m.step,
            m.scale_pidx
        ),
        MxForm::Indirect(m) => format!(
            "index{{{}}} data{{{}}} scale{{{}}} num_elem={} scale_pidx={}",
            address(m.index, g),
            address(m.data, g),
            address(m.scale, g),
            m.num,
            m.scale_pidx
        ),
    };
    (text, true)
}

/// The decode column of an events band: `wait=SEM[7]>=4 update=SEM[7]+=1@complete`.
fn events(e: Events) -> String {
    let idx = e.wait_idx;
    let operand = |reg: bool| match (reg, e.value) {
        (true, v) => format!("REG[{v}]"),
        (false, v) if v > 0xFFFF => format!("{v:#x}"),
        (false, v) => v.to_string(),
    };
    let wait = match e.wait {
        WaitMode(0) => "none".to_owned(),
        WaitMode(0x06) => format!("EVT[{idx}]==1"),
        WaitMode(0x07) => format!("EVT[{idx}]==1 then EVT[{idx}]=0"),
        WaitMode(0x0E) => format!("EVT[{idx}]==0"),
        WaitMode(0x0F) => format!("EVT[{idx}]==0 then EVT[{idx}]=1"),
        WaitMode(0xFE) => "unordered".to_owned(),
        m => {
            let sign = ["", "==", "<", "<=", ">", ">="][usize::from(m.comparator().unwrap())];
            format!("SEM[{idx}]{sign}{}", operand(m.from_register()))
        }
    };
    let idx = e.update_idx;
    let when = if e.update.on_complete() {
        "@complete"
    } else {
        "@read"
    };
    let update = match e.update.action() {
        None => "none".to_owned(),
        Some(1) => format!("EVT[{idx}]=1{when}"),
        Some(2) => format!("EVT[{idx}]=0{when}"),
        Some(3) => format!("SEM[{idx}]+=1{when}"),
        Some(4) => format!("SEM[{idx}]-=1{when}"),
        Some(a) => {
            let sign = match a {
                5 => "+=",
                7 => "-=",
                _ => "=",
            };
            format!(
                "SEM[{idx}]{sign}{}{when}",
                operand(e.update.from_register())
            )
        }
    };
    format!("wait={wait} update={update}")
}

/// A NOP that carries this band; legality of the band alone.
fn band(b: &Bundle, g: Generation) -> (String, bool) {
    let mut nop = Bundle::of_opcode(0xA4);
    nop.put(4, b.slice(0, 8));
    let i = decode(&nop, g);
    let errors = check(&i, None)
        .iter()
        .any(|v| v.severity == Severity::Error);
    if errors {
        return (String::new(), false);
    }
    (events(i.events()), true)
}

#[test]
fn every_row_of_the_sheet() {
    let mut rows = 0;
    for row in VECTORS.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [kind, gens, dtype, hex, expected] = cells[..5] else {
            panic!("{row}")
        };
        let gens = match gens.split_once('-') {
            Some(_) => Generation::MODELLED.to_vec(),
            None => vec![Generation::parse(gens).unwrap()],
        };
        let dtype = DType::parse(dtype).unwrap_or(DType::INVALID);
        let (kind, role) = kind.split_once('/').unwrap_or((kind, ""));
        let b = bytes(hex);
        for g in gens {
            let (text, legal) = match kind {
                "ADDR4" => {
                    let word = Addr4(b.u32(0));
                    let legal = start_address(word, dtype, placement(role), g).is_ok();
                    (
                        if legal {
                            address(word, g)
                        } else {
                            String::new()
                        },
                        legal,
                    )
                }
                "MXMEM_PATTERN1D" | "MXINDIRECT16B" => mx(dtype, &b, g),
                "ACTIVE_CHANNELS" => {
                    let word = Addr4(b.u32(0));
                    let n = u64::from(b.u8(4));
                    let legal = word.location(g).is_none_or(|l| lanes(l, n, g).is_ok());
                    ("valid".to_owned(), legal)
                }
                "EVENTS" => band(&b, g),
                "BUNDLE" => {
                    let i = decode(&b, g);
                    let legal = check(&i, None)
                        .iter()
                        .all(|v| v.severity != Severity::Error);
                    // The decode column is prose; what it says is in `crate::program` tests.
                    (expected.to_owned(), legal)
                }
                _ => descriptor(kind, role, dtype, &b, g),
            };
            if expected == "invalid" {
                assert!(!legal, "{g} {row}");
            } else {
                assert!(legal, "{g} {row}");
                assert_eq!(text, expected, "{g} {row}");
            }
            rows += 1;
        }
    }
    assert_eq!(VECTORS.lines().count() - 1, 283);
    assert!(rows > 283);
}

/// Rule ids a bundle breaks, with their severity.
fn rules(hex: &str, g: Generation, engine: Option<Engine>) -> Vec<(&'static str, Severity)> {
    let i = decode(&bytes(hex), g);
    check(&i, engine)
        .into_iter()
        .map(|v| (v.rule, v.severity))
        .collect()
}

/// isa 01 §6: a legal TENSOR_TENSOR, 128 lanes.
const ADD: &str = "411000000000000000000000aa0a0480000000000100010001004000010001000010000001000100010040000100010000200000010001000100400001000100";

/// `ADD` with bytes replaced.
fn add(changes: &[(usize, &[u8])]) -> Vec<(&'static str, Severity)> {
    let mut b = bytes(ADD);
    for (at, new) in changes {
        b.put(*at, new);
    }
    let i = decode(&b, Generation::V3);
    check(&i, Some(Engine::Dve))
        .into_iter()
        .map(|v| (v.rule, v.severity))
        .collect()
}

#[test]
fn rules_of_every_bundle() {
    use Severity::{Error, Info, Warn};
    let none: [(&str, Severity); 0] = [];
    assert_eq!(add(&[]), none);
    assert_eq!(add(&[(1, &[0x11])]), [("header", Error)]);
    assert_eq!(add(&[(2, &[2])]), [("debug-cmd", Warn)]);
    assert_eq!(add(&[(2, &[7, 0x2A])]), none);
    assert_eq!(add(&[(4, &[8])]), [("events", Error)]);
    assert_eq!(add(&[(6, &[0x10])]), [("events", Error)]);
    assert_eq!(add(&[(4, &[0x85, 3, 0, 0, 64])]), [("register", Error)]);
    assert_eq!(add(&[(6, &[0x13, 3, 1])]), none);
    assert_eq!(add(&[(6, &[0x13, 3, 2])]), [("sem-step", Warn)]);
    assert_eq!(add(&[(4, &[5, 3, 0x13, 3, 9])]), none);
    assert_eq!(add(&[(14, &[0xC0])]), [("enum", Error)]);
    assert_eq!(add(&[(13, &[0])]), [("dtype", Error)]);
    assert_eq!(add(&[(13, &[0x10])]), [("dtype", Error)]);
    // Counts, lanes, bounds of the first source.
    assert_eq!(add(&[(26, &[0, 0])])[0], ("count", Error));
    assert_eq!(add(&[(15, &[0])])[0], ("channels", Error));
    assert_eq!(add(&[(15, &[129])])[0], ("channels", Error));
    assert_eq!(add(&[(18, &[4])])[0], ("start-partition", Error));
    assert!(!add(&[(15, &[32]), (18, &[0x80])]).contains(&("start-partition", Error)));
    assert_eq!(add(&[(48, &[0, 0x7F, 3])]), none);
    assert_eq!(add(&[(48, &[4, 0x7F, 3])]), [("bounds", Error)]);
    assert_eq!(add(&[(20, &[0xFF, 0xFF])]), [("bounds", Error)]);
    assert_eq!(add(&[(16, &[0xFC, 0, 0, 0, 0xFF, 0xFF])]), none);
    assert_eq!(add(&[(16, &[2])]), [("address", Error)]);
    assert_eq!(add(&[(19, &[4])]), [("address", Error)]);
    assert_eq!(add(&[(19, &[0x20])]), [("indirect", Error)]);
    assert_eq!(add(&[(19, &[0x60])]), [("address", Error)]);
    assert_eq!(add(&[(16, &[5, 0, 0, 0x80])]), none);
    assert_eq!(add(&[(16, &[5, 0, 0, 0x81])]), [("register-bits", Warn)]);
    // PSUM: bf16 may be read from it, not written to it.
    assert_eq!(add(&[(51, &[2])]), none);
    assert_eq!(add(&[(51, &[2]), (13, &[6])]), [("psum-dtype", Error)]);
    let nop = "a4100000";
    assert_eq!(
        rules(&format!("{nop}{}01", "0".repeat(56)), Generation::V3, None),
        [("reserved", Error)]
    );
    for (hex, g, expected) in [
        ("17100000", Generation::V3, ("bad-opcode", Error)),
        ("00100000", Generation::V3, ("bad-opcode", Error)),
        ("ff100000", Generation::V3, ("bad-opcode", Error)),
        ("b7100000", Generation::V3, ("bad-opcode", Error)),
        ("25100000", Generation::V3, ("bad-opcode", Error)),
    ] {
        assert_eq!(rules(hex, g, None), [expected], "{hex}");
    }
    assert!(rules("e3110000", Generation::V4, None).contains(&("header", Info)));
    assert!(rules("05100000", Generation::V3, None).contains(&("dormant", Warn)));
    // A DVE opcode in other streams.
    for (e, legal) in [
        (Engine::Dve, true),
        (Engine::Pool, true),
        (Engine::Pe, false),
        (Engine::Sp, false),
    ] {
        let found = rules(ADD, Generation::V3, Some(e)).contains(&("engine", Error));
        assert_eq!(found, !legal, "{e}");
    }
    // POOL cannot reach PSUM.
    let mut b = bytes(ADD);
    b.put(51, &[2]);
    let i = decode(&b, Generation::V3);
    assert_eq!(check(&i, Some(Engine::Pool)).len(), 1);
    let warn = CheckSettings {
        pool_psum: Warn,
        ..CheckSettings::default()
    };
    let found = check_with(&i, Some(Engine::Pool), &warn);
    assert_eq!((found[0].rule, found[0].severity), ("pool-psum", Warn));
}

#[test]
fn two_updates_and_late_modes() {
    let both = format!(
        "a0100000{}{}{}",
        "0000130300000000",
        "00".repeat(20),
        "0000130400000000"
    );
    let found = rules(&both, Generation::V3, None);
    assert_eq!(found, [("two-updates", Severity::Warn)]);
    for (hex, v3, v5) in [
        ("9103000011000000", false, true),
        ("fe00000000000000", false, true),
        ("0603000000000000", true, false),
        ("0000110300000000", true, false),
    ] {
        let b = bytes(hex);
        assert_eq!(band(&b, Generation::V3).1, v3, "{hex}");
        assert_eq!(band(&b, Generation::V5).1, v5, "{hex}");
    }
    assert_eq!(UpdateMode(0x10).name(), None);
}

/// Rows in the form of the table that it does not hold: kind, generation, dtype, hex, legal.
#[test]
fn more_rows() {
    use Generation::{V2, V3, V4};
    for (kind, role, g, dtype, hex, legal) in [
        (
            "TENSOR3D",
            "write",
            V3,
            "fp32",
            "00000002010001000100040004000000",
            false,
        ),
        (
            "TENSOR3D",
            "write",
            V3,
            "fp32",
            "00000002010001000000040004000100",
            true,
        ),
        (
            "TENSOR3D",
            "write",
            V3,
            "fp32",
            "00000002010000200100040004000100",
            true,
        ),
        (
            "TENSOR3D",
            "read",
            V2,
            "fp32",
            "00010040020000000000000000000000",
            false,
        ),
        (
            "MEM_PATTERN3D",
            "read",
            V4,
            "u8",
            "02010020002000004000000000000000",
            false,
        ),
        (
            "MEM_PATTERN3D",
            "read",
            V4,
            "fp32",
            "00000022002000004000000000000000",
            false,
        ),
        (
            "MEM_PATTERN3D",
            "read",
            V4,
            "fp32",
            "00010020002000004000010001000100",
            false,
        ),
        (
            "MEM_PATTERN3D",
            "read",
            V4,
            "fp32",
            "070000a0002000004000000000000000",
            true,
        ),
        (
            "TENSOR3D",
            "read",
            V3,
            "u8",
            "40000020010001000100010001000100",
            false,
        ),
        (
            "TENSOR2D",
            "read",
            V3,
            "fp32",
            "000000000100010020000000",
            false,
        ),
        ("TENSOR1D", "read", V3, "fp32", "0001004002000000", true),
        ("TENSOR1D", "read", V3, "fp32", "0500008001000000", false),
    ] {
        let dtype = DType::parse(dtype).unwrap();
        let found = descriptor(kind, role, dtype, &bytes(hex), g).1;
        assert_eq!(found, legal, "{kind} {g} {hex}");
    }
    let start = |word: u32, dtype, g| start_address(Addr4(word), dtype, Placement::READ, g);
    for word in [
        0x6001_0000,
        0xE000_0005,
        0x2001_0000,
        0xA000_0005,
        0x0600_0000,
        0x1E00_0000,
    ] {
        assert!(start(word, DType::FP32, V3).is_err(), "{word:#x}");
    }
    assert!(start(0x8100_0005, DType::FP32, V3).is_ok());
    assert!(start(0x8100_0005, DType::FP32, V2).is_err());
    assert!(start(0, DType::INVALID, V3).is_err());
    // Alignment is looked at before the window.
    let e = start(0x0400_0002, DType::FP32, V3).unwrap_err();
    assert!(e.to_string().contains("misaligned"), "{e}");
    assert!(index_address(Addr4(0x2000_0100), V4).is_ok());
    assert!(index_address(Addr4(0x0000_0100), V4).is_err());
    assert!(index_address(Addr4(0xA000_0040), V4).is_err());
}

#[test]
fn worked_bundles_are_legal() {
    let tables = [
        include_str!("../../../tests/vectors/control.tsv"),
        include_str!("../../../assets/isa/vectors-dve-pool.tsv"),
    ];
    for row in tables.iter().flat_map(|t| t.lines().skip(1)) {
        let cells: Vec<&str> = row.split('\t').collect();
        let hex = cells.iter().find(|c| c.len() == 128).unwrap();
        for g in Generation::MODELLED {
            let i = decode(&bytes(hex), g);
            if i.op.is_none_or(|o| !o.gens.has(g)) {
                continue;
            }
            // Rules of the rows are tested with the rows.
            let mut c = Check {
                instr: &i,
                engine: None,
                found: Vec::new(),
            };
            common::check(&mut c);
            for v in c.found {
                assert!(v.severity != Severity::Error, "{g} {}: {v:?}", cells[0]);
            }
        }
    }
}
