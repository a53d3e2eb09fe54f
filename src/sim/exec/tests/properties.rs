//! Random bundles against the slow model; what they touch, and that they can be taken back.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::Rig;
use super::cases::{Case, Dice};
use super::model::{Memory, Outcome, SIZE, View, model};
use crate::isa::access::{self, Shape};
use crate::isa::field::{FieldKind, Role};
use crate::isa::{self, Bundle, Generation, Queue, Severity, Space};
use crate::sim::{Rect, Region};

/// Partitions that cases use.
fn parts() -> impl Iterator<Item = u16> {
    (0..4).flat_map(|q| (0..4).map(move |p| 32 * q + p))
}

/// Fills the memory of a case: bytes that make zeros, ones, infinities and NaNs more likely.
fn fill(rig: &mut Rig, dice: &mut Dice) {
    let usual = [0x00, 0x00, 0x01, 0x3C, 0x3F, 0x40, 0x7F, 0x80, 0xBF, 0xFF];
    for part in parts() {
        let row: Vec<u8> = (0..SIZE)
            .map(|_| match dice.below(4) {
                0 => dice.next() as u8,
                _ => dice.pick(&usual),
            })
            .collect();
        rig.put(Space::Sbuf, part, 0, &row);
    }
}

fn memory(rig: &Rig) -> Memory {
    let mut rows = vec![Vec::new(); 128];
    for part in parts() {
        rows[usize::from(part)] = rig.bytes(part, 0, SIZE as u32);
    }
    rows
}

fn accumulators(rig: &Rig) -> Vec<f32> {
    let words = rig.m.state().hidden(Region::DVE_ACC);
    words.iter().map(|w| f32::from_bits(*w)).collect()
}

/// Every byte of some rectangles.
fn cells(rects: impl Iterator<Item = Rect>) -> BTreeSet<(u16, u64)> {
    rects
        .flat_map(|r| {
            r.partitions()
                .flat_map(move |p| (r.off..r.end()).map(move |o| (p, o)))
        })
        .collect()
}

/// The bytes that a bundle says it touches in one way.
fn declared(b: &Bundle, g: Generation, role: Role) -> BTreeSet<(u16, u64)> {
    let instr = isa::decode(b, g);
    let mut all = BTreeSet::new();
    for op in access::operands(&instr).filter(|op| op.role == role) {
        let Shape::Static(p) = op.shape else { continue };
        let at = p.addr.location(g).unwrap();
        for off in p.offsets() {
            let first = (i64::from(at.off) + off * i64::from(op.dtype.bytes())) as u64;
            for lane in 0..op.lanes {
                all.extend((0..u64::from(op.dtype.bytes())).map(|i| (at.part + lane, first + i)));
            }
        }
    }
    all
}

/// Must the finding `nan` appear? `None` where scalars or accumulators may have been NaN.
fn fresh_nan(case: &Case, mem: &Memory, outcome: &Outcome) -> Option<bool> {
    let b = &case.plain;
    let opcode = b.opcode();
    let plain_arith = matches!(opcode, 0x41 | 0x42 | 0x45 | 0x47 | 0x48 | 0x4E);
    if !plain_arith {
        return None;
    }
    let instr = isa::decode(b, case.generation);
    let fresh = outcome.nan_lanes.iter().any(|lane| {
        !access::operands(&instr)
            .filter(|op| op.role == Role::Read)
            .any(|op| {
                let FieldKind::Pattern(rank, _) = op.field.kind else {
                    return false;
                };
                let view = View::new(b, op.field.byte(), usize::from(rank), op.dtype.0);
                view.f32(mem, *lane).iter().any(|x| x.is_nan())
            })
    });
    Some(fresh)
}

fn check(rig: &mut Rig, seed: u64) -> Result<(), TestCaseError> {
    let mut case = Case::new(seed);
    let instr = isa::decode(&case.bundle, case.generation);
    let errors: Vec<_> = isa::check(&instr, Some(instr.home()))
        .into_iter()
        .filter(|v| v.severity == Severity::Error)
        .collect();
    // Few enough to go unlisted: shifts of narrow types, mostly.
    prop_assume!(errors.is_empty());
    fill(rig, &mut case.dice);
    rig.m.edit(|w| {
        for (reg, value) in &case.regs {
            w.set_reg(Queue::Any.index() as u8, *reg, *value);
        }
    });
    let (before, acc) = (memory(rig), accumulators(rig));
    let outcome = model(&case.plain, &before, &acc);
    // A digest of the whole state is slow: only every few cases.
    let digest = |rig: &Rig| seed.is_multiple_of(4).then(|| rig.m.state().digest());
    let start = digest(rig);
    let what = format!("{:?} seed {seed}", case.bundle);
    let found = match rig.run(case.bundle) {
        Ok(found) => found,
        Err(f) => {
            prop_assert!(outcome.divided_by_zero, "{what}: {f}");
            prop_assert_eq!(f.rule, "divide-by-zero");
            prop_assert_eq!(digest(rig), start);
            return Ok(());
        }
    };
    prop_assert!(!outcome.divided_by_zero, "{}", what);
    let mut expected = before.clone();
    for (part, off, bytes) in &outcome.writes {
        expected[*part][*off..off + bytes.len()].copy_from_slice(bytes);
    }
    let after = memory(rig);
    for part in 0..128 {
        for (off, (found, expected)) in after[part].iter().zip(&expected[part]).enumerate() {
            prop_assert_eq!(
                found,
                expected,
                "{} partition {} byte {:#x}",
                &what,
                part,
                off
            );
        }
    }
    if let Some(acc) = &outcome.acc {
        let bits = |all: &[f32]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&accumulators(rig)), bits(acc), "{}", &what);
    }
    if let Some(fresh) = fresh_nan(&case, &before, &outcome) {
        prop_assert_eq!(found.iter().any(|f| f.rule == "nan"), fresh, "{}", &what);
    }
    let at = rig.m.journal().position() - 1;
    let writes = cells(rig.m.journal().writes(at));
    let reads = cells(rig.m.journal().reads(at));
    let (g, plain) = (case.generation, &case.plain);
    let all = declared(plain, g, Role::Write);
    if matches!(plain.opcode(), 0x72 | 0x99 | 0xE8) {
        // Elements that are not selected may be stored as they were or left alone.
        prop_assert!(writes.is_subset(&all), "{}", &what);
    } else {
        prop_assert_eq!(writes, all, "{}", &what);
    }
    // Scalars behind pointers are read besides the declared operands.
    let declared = declared(plain, g, Role::Read);
    prop_assert!(declared.is_subset(&reads), "{}", &what);
    prop_assert!(
        reads.len() <= declared.len() + 8 * usize::from(case.lanes),
        "{}",
        &what
    );

    let done = digest(rig);
    rig.m.undo().unwrap();
    prop_assert_eq!(digest(rig), start, "{}", &what);
    prop_assert_eq!(memory(rig), before, "{}", &what);
    rig.m.redo().unwrap();
    prop_assert_eq!(digest(rig), done, "{}", &what);
    prop_assert_eq!(memory(rig), after, "{}", &what);
    Ok(())
}

#[test]
fn bundles_do_what_the_sheets_say() {
    let rigs = [Generation::V3, Generation::V4].map(|g| RefCell::new(Rig::new(g)));
    let config = Config {
        cases: 400,
        max_global_rejects: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let done = TestRunner::new(config).run(&any::<u64>(), |seed| {
        let v4 = Case::new(seed).generation == Generation::V4;
        check(&mut rigs[usize::from(v4)].borrow_mut(), seed)
    });
    done.unwrap();
}
