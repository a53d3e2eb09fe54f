//! All rows of `descriptors.tsv`, and the rules of whole bundles.

mod bundles;

use super::address::{Placement, index_address, lanes, start_address};
use super::slot::Slot;
use super::*;
use crate::isa::field::{Arm, Field};
use crate::isa::fields::{Addr4, AddrForm, Events, Mx, MxForm, Pattern, UpdateMode, WaitMode};
use crate::isa::{Bundle, DType, Space, decode};

const VECTORS: &str = include_str!("../../../../tests/vectors/descriptors.tsv");

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

proptest::proptest! {
    #[test]
    fn soft_rules_are_listed(opcode: u8, body: [[u8; 21]; 3], sparse: bool) {
        let mut bytes = [0; 64];
        bytes[1..].copy_from_slice(body.as_flattened());
        if sparse {
            // Few bits set, so that less is illegal and what is only odd is seen.
            bytes.iter_mut().enumerate().filter(|(i, _)| i % 5 != 0).for_each(|(_, b)| *b = 0);
        }
        bytes[0] = opcode;
        bytes[1] = 0x10;
        for g in Generation::MODELLED {
            for v in check(&decode(&Bundle::new(bytes), g), None) {
                let soft = v.severity == Severity::Error || SOFT.contains(&v.rule);
                proptest::prop_assert!(soft, "{} of {opcode:#x}", v.rule);
            }
        }
    }
}
