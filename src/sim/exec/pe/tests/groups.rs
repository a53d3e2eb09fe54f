//! Zero regions, accumulation groups and their findings (isa 05 §6.2).

use super::*;
use crate::sim::Region;

const TILE: [(usize, u8); 5] = [(DTYPE, 6), (ROWS, 1), (COLS, 1), (ROW_GRP, 1), (COL_GRP, 1)];

/// One weight 1.0, moving 1.0 everywhere.
fn rig(g: Generation, keys: &[(&str, &str)]) -> Rig {
    let mut rig = Rig::with(g, keys);
    rig.put_bf16(Space::Sbuf, 0, 0, &[1.0; 64]);
    let mut b = bundle(1, pattern(g, Space::Sbuf, 0, 0, &[]), None, &TILE);
    b.put(XBUS, &[xbus(g, 1)]);
    rig.run(b);
    rig
}

fn mm(g: Generation, off: u32, n: u16, flags: u8, region: u8) -> Bundle {
    let src = pattern(g, Space::Sbuf, 0, 0, &[(1, n)]);
    let dst = pattern(g, Space::Psum, 0, off, &[(1, n)]);
    let mut b = bundle(2, src, Some(dst), &TILE);
    b.put(FLAGS, &[flags]);
    b.put(XBUS, &[xbus(g, 1)]);
    b.put(REGION, &[region]);
    b
}

/// DVE copy of one fp32 of PSUM to SBUF would do; reading through 0x21 is the usual drain.
fn drain(g: Generation, off: u32) -> Bundle {
    let mut b = Bundle::of_opcode(0x41);
    b.put(12, &[0xAA, 0x0A, 4, 1]);
    pattern(g, Space::Psum, 0, off, &[]).write(&mut b, 16);
    pattern(g, Space::Sbuf, 0, 0x1000, &[]).write(&mut b, 32);
    pattern(g, Space::Sbuf, 0, 0x2000, &[]).write(&mut b, 48);
    b
}

#[test]
fn begin_clears_the_region_that_holds_the_start() {
    for (g, region, len) in [
        (Generation::V3, 0, 2048),
        (Generation::V4, 0, 2048),
        (Generation::V4, 1, 4096),
        (Generation::V4, 2, 8192),
        (Generation::V4, 3, 16384),
    ] {
        let mut rig = rig(g, &[]);
        for part in 0..2 {
            rig.put(Space::Psum, part, 0, &[7; 16384]);
        }
        let start = 5 * 2048 + 100;
        rig.run(mm(g, start, 3, 1, region));
        let base = start / len * len;
        let row = rig.get(Space::Psum, 0, 0, 16384);
        for (i, b) in row.iter().enumerate() {
            let i = i as u32;
            let one = (start..start + 12).contains(&i);
            let expected = match () {
                () if one => 1f32.to_le_bytes()[(i as usize) % 4],
                () if (base..base + len).contains(&i) => 0,
                () => 7,
            };
            assert_eq!(*b, expected, "{g:?} region {region} byte {i}");
        }
        assert_eq!(rig.get(Space::Psum, 1, 0, 16384), [7; 16384]);
    }
}

#[test]
fn zero_region_written_leaves_the_rest_of_the_bank() {
    let g = Generation::V3;
    let mut rig = rig(g, &[("pe.zero-region", "written")]);
    rig.put_f32(Space::Psum, 0, 0, &[5.0; 4]);
    rig.run(mm(g, 4, 2, 1, 0));
    assert_eq!(rig.f32s(Space::Psum, 0, 0, 4), [5.0, 1.0, 1.0, 5.0]);
    let never = Rect::new(Space::Psum, 0, 1, 16, 2032);
    assert_eq!(rig.m.state().unwritten(&never), 2032);
}

#[test]
fn cleared_bytes_count_as_initialised() {
    let g = Generation::V3;
    let mut rig = rig(g, &[]);
    rig.run(mm(g, 0, 2, 1, 0));
    assert!(
        rig.m
            .state()
            .is_written(&Rect::new(Space::Psum, 0, 1, 0, 2048))
    );
    assert_eq!(rig.run(mm(g, 64, 2, 0, 0)), [""; 0]);
}

#[test]
fn accumulating_onto_foreign_cells() {
    // Never written, on every generation.
    for g in Generation::MODELLED {
        assert_eq!(rig(g, &[]).run(mm(g, 0, 2, 0, 0)), ["psum-acc"]);
    }
    // Written by someone else: undefined on v2 and v3 only.
    for (g, expected) in [(Generation::V3, &["psum-acc"][..]), (Generation::V4, &[])] {
        let mut rig = rig(g, &[]);
        rig.put_f32(Space::Psum, 0, 0, &[2.0, 2.0]);
        assert_eq!(rig.run(mm(g, 0, 2, 2, 0)), expected);
        assert_eq!(rig.f32s(Space::Psum, 0, 0, 2), [3.0, 3.0]);
        // After an engine wrote between two passes.
        rig.run(mm(g, 0, 2, 1, 0));
        rig.put_f32(Space::Sbuf, 0, 0x1000, &[1.0]);
        let mut write = drain(g, 0);
        pattern(g, Space::Sbuf, 0, 0x1000, &[]).write(&mut write, 16);
        pattern(g, Space::Psum, 0, 4, &[]).write(&mut write, 48);
        rig.run(write);
        assert_eq!(rig.run(mm(g, 0, 2, 2, 0)), expected);
    }
}

#[test]
fn clearing_an_unread_result() {
    let g = Generation::V3;
    let mut rig = rig(g, &[]);
    assert_eq!(rig.run(mm(g, 0, 2, 3, 0)), [""; 0]);
    // The same cells again: a new result replaces the old one.
    assert_eq!(rig.run(mm(g, 0, 2, 3, 0)), [""; 0]);
    // Another bank does not matter, other cells of the bank do.
    assert_eq!(rig.run(mm(g, 2048, 2, 3, 0)), [""; 0]);
    assert_eq!(rig.run(mm(g, 64, 2, 3, 0)), ["psum-group-clobber"]);
    // Once read it may go.
    rig.put_f32(Space::Sbuf, 0, 0x1000, &[0.0]);
    for off in [64, 68] {
        assert_eq!(rig.run(drain(g, off)), [""; 0]);
    }
    assert_eq!(rig.run(mm(g, 0, 2, 3, 0)), [""; 0]);
}

#[test]
fn reading_an_open_group() {
    let g = Generation::V3;
    let mut rig = rig(g, &[]);
    rig.put_f32(Space::Sbuf, 0, 0x1000, &[0.0]);
    rig.run(mm(g, 0, 2, 1, 0));
    assert_eq!(rig.run(drain(g, 0)), ["psum-open"]);
    assert_eq!(rig.run(drain(g, 64)), [""; 0], "cleared, in no group");
    rig.run(mm(g, 0, 2, 2, 0));
    assert_eq!(rig.run(drain(g, 0)), [""; 0]);
}

#[test]
fn undo_restores_weights_and_books() {
    let g = Generation::V3;
    let mut rig = Rig::new(g);
    rig.put_bf16(Space::Sbuf, 0, 0, &[1.0; 64]);
    let mut digests = vec![rig.digest()];
    let ld = bundle(1, pattern(g, Space::Sbuf, 0, 0, &[]), None, &TILE);
    for b in [ld, mm(g, 0, 4, 1, 0), mm(g, 0, 4, 2, 0), mm(g, 0, 64, 3, 0)] {
        rig.run(b);
        digests.push(rig.digest());
    }
    assert_ne!(rig.m.state().hidden(Region::WEIGHTS)[0], 0);
    let records: Vec<u64> = std::iter::from_fn(|| rig.m.undo().map(|_| rig.digest())).collect();
    for d in &digests[..4] {
        assert!(records.contains(d));
    }
    while rig.m.redo().is_some() {}
    assert_eq!(Some(&rig.digest()), digests.last());
}

#[test]
fn weights_that_were_never_loaded_are_reported() {
    let g = Generation::V3;
    let mut rig = Rig::new(g);
    rig.put_bf16(Space::Sbuf, 0, 0, &[1.0; 64]);
    assert_eq!(rig.run(mm(g, 0, 2, 3, 0)), ["pe-weights"]);
    assert_eq!(rig.f32s(Space::Psum, 0, 0, 2), [0.0, 0.0]);
}
