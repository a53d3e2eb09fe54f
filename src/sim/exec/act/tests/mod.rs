//! Tests of ACT: the vectors of isa 06 §6 as its text states them, and the functions.

mod functions;
mod vectors;

use crate::isa::{Bundle, Generation};
use crate::sim::exec::tests::Rig;

const SHEET: &str = include_str!("../../../../../assets/isa/06-act.md");

/// The bundle of a vector of the sheet.
fn sheet_bundle(name: &str) -> Bundle {
    let text = SHEET.split(&format!("**{name}**")).nth(1).unwrap();
    let hex = text.split("```").nth(1).unwrap();
    let rows = hex.lines().filter_map(|l| l.split_once(": ").map(|r| r.1));
    Bundle::from_hex(&rows.collect::<String>()).unwrap()
}

/// ACTIVATE on one lane: fp32 at 0x100 to fp32 at 0x10000, scale 1, bias 0, immediates inline.
fn activate(func: u8, n: u16, command: u8) -> Bundle {
    let mut b = Bundle::of_opcode(0x21);
    b.put(14, &[command, 1]);
    for (at, addr) in [(16, 0x100u32), (48, 0x10000)] {
        b.put(at, &addr.to_le_bytes());
        b.put(at + 4, &[1, 0, 1, 0, 1, 0]);
        b.put(at + 10, &n.to_le_bytes());
        b.put(at + 12, &[1, 0, 1, 0]);
    }
    b.put(32, &[0xAA, 0x0A, 1, func]);
    b.put(36, &1f32.to_le_bytes());
    b
}

/// Results of a function; its table is resident or none is needed.
fn apply(func: u8, values: &[f32]) -> Vec<f32> {
    let mut rig = Rig::new(Generation::V3);
    rig.put_f32(0, 0x100, values);
    let n = values.len() as u32;
    rig.run(activate(func, n as u16, 0)).unwrap();
    rig.f32(0, 0x10000, n)
}

/// Rule ids of what the last bundle reported.
fn rules(rig: &mut Rig, b: Bundle) -> Vec<&'static str> {
    rig.run(b).unwrap().iter().map(|f| f.rule).collect()
}

/// Distance in units of the last place; NaNs are equal, zeros of both signs are not.
fn ulps(a: f32, b: f32) -> u32 {
    if a.is_nan() && b.is_nan() {
        return 0;
    }
    let key = |x: f32| {
        let b = x.to_bits() as i32;
        i64::from(if b < 0 { b ^ i32::MAX } else { b })
    };
    (key(a) - key(b))
        .unsigned_abs()
        .try_into()
        .unwrap_or(u32::MAX)
}
