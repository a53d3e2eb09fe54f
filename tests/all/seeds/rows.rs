//! The rows of `seed-descriptors.tsv`: descriptors and address words with their decode, or invalid.

use tpbdbg::isa::field::{Arm, Field};
use tpbdbg::isa::fields::{Addr4, AddrForm, Mx, MxForm, Pattern};
use tpbdbg::isa::legal::address::{Placement, lanes, start_address};
use tpbdbg::isa::legal::mx;
use tpbdbg::isa::legal::slot::Slot;
use tpbdbg::isa::{Bundle, DType, Generation, Space};

use super::rig::hex;

const ROWS: &str = include_str!("../../vectors/seed-descriptors.tsv");

fn rows() -> impl Iterator<Item = [&'static str; 6]> {
    let lines = ROWS.lines().filter(|l| !l.starts_with('#'));
    lines.map(|l| {
        let cells: Vec<&str> = l.split('\t').collect();
        cells.try_into().unwrap_or_else(|_| panic!("{l}"))
    })
}

/// The claims the rows test.
pub fn ids() -> impl Iterator<Item = String> {
    rows().flat_map(|r| r[0].split(' ')).map(str::to_owned)
}

#[test]
fn every_row() {
    for row @ [_, kind, generations, dtype, bytes, expected] in rows() {
        let dtype = DType::parse(dtype).unwrap_or(DType::INVALID);
        for g in generations
            .split(',')
            .map(|g| Generation::parse(g).unwrap())
        {
            let found = decode(kind, dtype, &hex(bytes), g);
            assert_eq!(
                found.as_deref().unwrap_or("invalid"),
                expected,
                "{g} {row:?}"
            );
        }
    }
}

/// The decode of a row; `None` when it is illegal.
fn decode(kind: &str, dtype: DType, b: &Bundle, g: Generation) -> Option<String> {
    let (kind, role) = kind.split_once('/').unwrap_or((kind, ""));
    let word = Addr4(b.u32(0));
    let place = Placement {
        write: role.starts_with("write"),
        psum: !role.contains("nopsum"),
        sbuf: !role.contains("nosbuf"),
    };
    match kind {
        "ADDR4" => {
            start_address(word, dtype, place, g).ok()?;
            Some(address(word, g))
        }
        "ACTIVE_CHANNELS" => {
            lanes(word.location(g)?, b.u8(4).into(), g).ok()?;
            Some("valid".to_owned())
        }
        "MXMEM_PATTERN1D" | "MXINDIRECT16B" => mx_operand(&Mx::get(b, 0), dtype, g),
        _ => slot(kind, dtype, place, b, g),
    }
}

fn slot(kind: &str, dtype: DType, place: Placement, b: &Bundle, g: Generation) -> Option<String> {
    let (arm, rank) = match kind.strip_prefix("TENSOR") {
        Some(rank) => (Arm::Tensor, rank),
        None => (Arm::Mem, kind.strip_prefix("MEM_PATTERN").unwrap()),
    };
    let rank = rank.strip_suffix('D').unwrap().parse().unwrap();
    let s = Slot {
        at: 0,
        rank,
        arm,
        dtype,
        place,
        matmul: false,
        lanes: None,
    };
    if !s.problems(b, g).is_empty() {
        return None;
    }
    let p = Pattern::read(b, 0, rank);
    if arm == Arm::Mem && p.addr.indirect() {
        let (index, data) = (address(p.addr, g), address(Addr4(b.u32(4)), g));
        let num = b.u16(8);
        return Some(format!(
            "INDIRECT index{{{index}}} data{{{data}}} num_elem={num}"
        ));
    }
    let steps: Vec<i16> = p.dims().iter().map(|d| d.step).collect();
    let nums: Vec<u16> = p.dims().iter().map(|d| d.num).collect();
    Some(format!(
        "{} step={steps:?} num={nums:?}",
        address(p.addr, g)
    ))
}

fn mx_operand(operand: &Mx, dtype: DType, g: Generation) -> Option<String> {
    if !mx::problems(operand, dtype, None, g).is_empty() {
        return None;
    }
    let at = |w| address(w, g);
    Some(match operand.form() {
        MxForm::Static(m) => format!(
            "data{{{}}} scale{{{}}} num_elem={} step={} scale_pidx={}",
            at(m.data),
            at(m.scale),
            m.num,
            m.step,
            m.scale_pidx
        ),
        MxForm::Indirect(m) => format!(
            "index{{{}}} data{{{}}} scale{{{}}} num_elem={} scale_pidx={}",
            at(m.index),
            at(m.data),
            at(m.scale),
            m.num,
            m.scale_pidx
        ),
    })
}

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
