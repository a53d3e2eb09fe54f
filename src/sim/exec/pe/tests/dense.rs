//! Vectors of isa 05 §9 and worked examples of isa 05 §6.

use super::*;

/// isa 05 §9 N1: rows 4, cols 3, N 2, both groups 1.
const W: [[f32; 3]; 4] = [[1., 2., 3.], [4., 5., 6.], [7., 8., 9.], [10., 11., 12.]];
const X: [[f32; 2]; 4] = [[1., 0.], [0., 1.], [1., 1.], [2., -1.]];
const ONCE: [[f32; 2]; 3] = [[28., 1.], [32., 2.], [36., 3.]];

const TILE: [(usize, u8); 4] = [(ROWS, 4), (COLS, 3), (ROW_GRP, 1), (COL_GRP, 1)];

/// Weights as bf16 in natural order at 0x100, moving at 0x200.
fn n1(g: Generation, keys: &[(&str, &str)]) -> Rig {
    let mut rig = Rig::with(g, keys);
    for k in 0..4 {
        rig.put_bf16(Space::Sbuf, k as u16, 0x100, &W[k]);
        rig.put_bf16(Space::Sbuf, k as u16, 0x200, &X[k]);
    }
    rig
}

fn with(extra: &[(usize, u8)]) -> Vec<(usize, u8)> {
    TILE.iter().chain(extra).copied().collect()
}

fn ld(g: Generation, off: u32, step: i16) -> Bundle {
    let src = pattern(g, Space::Sbuf, 0, off, &[(step, 3)]);
    bundle(1, src, None, &with(&[(DTYPE, 6), (XBUS, xbus(g, 1))]))
}

fn mm(g: Generation, flags: u8) -> Bundle {
    let src = pattern(g, Space::Sbuf, 0, 0x200, &[(1, 2)]);
    let dst = pattern(g, Space::Psum, 0, 0, &[(1, 2)]);
    bundle(
        2,
        src,
        Some(dst),
        &with(&[(DTYPE, 6), (XBUS, xbus(g, 1)), (FLAGS, flags)]),
    )
}

fn result(rig: &Rig) -> Vec<Vec<f32>> {
    (0..3).map(|m| rig.f32s(Space::Psum, m, 0, 2)).collect()
}

#[test]
fn n1_product_and_accumulation() {
    let times = |n: f32| ONCE.map(|r| r.map(|x| x * n).to_vec()).to_vec();
    for g in Generation::MODELLED {
        let mut rig = n1(g, &[]);
        // Third element first, step -1: column 0 gets the first weight.
        assert_eq!(rig.run(ld(g, 0x104, -1)), [""; 0]);
        assert_eq!(rig.run(mm(g, 3)), [""; 0]);
        assert_eq!(result(&rig), times(1.0));
        for flags in [0, 2] {
            rig.run(mm(g, 3));
            assert_eq!(rig.run(mm(g, flags)), [""; 0]);
            assert_eq!(result(&rig), times(2.0), "flags {flags}");
        }
        rig.run(mm(g, 1));
        assert_eq!(result(&rig), times(1.0));
        if g == Generation::V4 {
            rig.run(mm(g, 4));
            assert_eq!(result(&rig), times(2.0));
            rig.run(mm(g, 6));
            assert_eq!(result(&rig), times(3.0));
        }
    }
}

/// isa 05 §9 N6.
#[test]
fn n6_legal_flags() {
    for g in Generation::MODELLED {
        let legal: &[u8] = if g == Generation::V4 {
            &[0, 1, 2, 3, 4, 6]
        } else {
            &[0, 1, 2, 3]
        };
        for flags in 0..=8 {
            let mut rig = n1(g, &[]);
            rig.run(ld(g, 0x100, 1));
            assert_eq!(
                rig.step(mm(g, flags)).is_ok(),
                legal.contains(&flags),
                "{g:?} {flags}"
            );
        }
    }
}

#[test]
fn first_weight_read_goes_to_the_last_column() {
    let g = Generation::V3;
    let reversed: Vec<Vec<f32>> = ONCE.iter().rev().map(|r| r.to_vec()).collect();
    let mut rig = n1(g, &[]);
    rig.run(ld(g, 0x100, 1));
    rig.run(mm(g, 3));
    assert_eq!(result(&rig), reversed);
    let mut rig = n1(g, &[("pe.weight-order", "first-first")]);
    rig.run(ld(g, 0x100, 1));
    rig.run(mm(g, 3));
    assert_eq!(result(&rig), ONCE.map(|r| r.to_vec()));
}

#[test]
fn flags_0_can_overwrite() {
    let g = Generation::V3;
    let mut rig = n1(g, &[("pe.psum-flag0", "overwrite")]);
    rig.run(ld(g, 0x104, -1));
    for flags in [0, 0] {
        assert_eq!(rig.run(mm(g, flags)), [""; 0]);
        assert_eq!(result(&rig), ONCE.map(|r| r.to_vec()));
    }
}

/// isa 05 §9 N7: the small term is lost in f32 and in a rounded f64 sum.
#[test]
fn n7_sum_and_rounding() {
    let g = Generation::V3;
    for (keys, x, expected) in [
        (&[][..], [16_777_216.0, 1.0, 0.0], 16_777_216.0),
        (
            &[("numerics.pe-sum", "f64")][..],
            [16_777_216.0, 1.0, 0.0],
            16_777_216.0,
        ),
        // Two small terms: lost one by one in f32, kept in f64.
        (&[][..], [16_777_216.0, 1.0, 1.0], 16_777_216.0),
        (
            &[("numerics.pe-sum", "f64")][..],
            [16_777_216.0, 1.0, 1.0],
            16_777_218.0,
        ),
    ] {
        let mut rig = Rig::with(g, keys);
        for (k, x) in x.iter().enumerate() {
            rig.put_f32(Space::Sbuf, k as u16, 0, &[1.0]);
            rig.put_f32(Space::Sbuf, k as u16, 64, &[*x]);
        }
        let tile = [
            (ROWS, 3),
            (COLS, 1),
            (ROW_GRP, 1),
            (COL_GRP, 1),
            (DTYPE, 10),
            (FP32_MODE, 3),
        ];
        rig.run(bundle(1, pattern(g, Space::Sbuf, 0, 0, &[]), None, &tile));
        let mut b = bundle(
            2,
            pattern(g, Space::Sbuf, 0, 64, &[]),
            Some(pattern(g, Space::Psum, 0, 0, &[])),
            &tile,
        );
        b.put(FLAGS, &[3]);
        rig.run(b);
        assert_eq!(rig.f32s(Space::Psum, 0, 0, 1), [expected]);
    }
}

/// The hex vectors PE-1 to PE-5 run and give the product of what lies at their addresses.
#[test]
fn hex_vectors_run() {
    let hex = |rows: &str| Bundle::from_hex(rows).unwrap();
    let pe1 = "01100000000000000000000000000000 00100000010001000100800001000100
               06000000000080800000 0000 0f0f0000 00000000000000000000000000000000";
    let pe2 = "02100000000000000000000000000000 00200000010001000100000201000100
               06000000000080800000 0003 0f0f0000 00000002010001000100000201000100";
    for g in Generation::MODELLED {
        let mut rig = Rig::new(g);
        for k in 0..128u16 {
            let w: Vec<f32> = (0..128)
                .map(|m| ((k * 7 + m * 3) % 11) as f32 - 5.0)
                .collect();
            let x: Vec<f32> = (0..512).map(|n| ((k * 5 + n) % 7) as f32 - 3.0).collect();
            rig.put_bf16(Space::Sbuf, k, 0x1000, &w);
            rig.put_bf16(Space::Sbuf, k, 0x2000, &x);
        }
        let (mut ld, mut mm) = (hex(pe1), hex(pe2));
        // PE-3 and the note at PE-1: the same with the bus code of the full tile.
        if g == Generation::V2 {
            ld.put(0x2E, &[0x10]);
            mm.put(0x2E, &[0x10]);
        }
        assert_eq!(rig.run(ld), [""; 0]);
        assert_eq!(rig.run(mm), [""; 0]);
        for m in [0u16, 1, 64, 127] {
            let row = rig.f32s(Space::Psum, m, 0, 512);
            for n in [0u16, 100, 511] {
                // Small integers: any order of summation gives the exact value. Column m holds
                // element 127 - m of the row in memory.
                let sum: i32 = (0..128i32)
                    .map(|k| {
                        let j = 127 - i32::from(m);
                        ((k * 7 + j * 3) % 11 - 5) * ((k * 5 + i32::from(n)) % 7 - 3)
                    })
                    .sum();
                assert_eq!(row[usize::from(n)], sum as f32, "{g:?} {m} {n}");
            }
        }
    }
    // PE-4: FP16, a 32 x 32 tile in row group 1 and column group 2; START leaves the group open.
    let pe4 = hex(
        "02100000000000000000000000000000 00040000010001000100400001000100
         07000000000020200000 0001 01020000 00081002010001000100400001000100",
    );
    let g = Generation::V3;
    let mut rig = Rig::new(g);
    for k in 0..32 {
        let one = |i: u16| half::f16::from_f32(f32::from(u8::from(i == k))).to_le_bytes();
        let w: Vec<u8> = (0..32).flat_map(one).collect();
        rig.put(Space::Sbuf, k, 0, &w);
        let x: Vec<u8> = (0..64)
            .flat_map(|n| half::f16::from_f32(f32::from(k * 64 + n)).to_le_bytes())
            .collect();
        rig.put(Space::Sbuf, k, 0x400, &x);
    }
    let tile = [
        (DTYPE, 7),
        (ROWS, 32),
        (COLS, 32),
        (ROW_GRP, 1),
        (COL_GRP, 2),
    ];
    rig.run(bundle(
        1,
        pattern(g, Space::Sbuf, 0, 62, &[(-1, 32)]),
        None,
        &tile,
    ));
    assert_eq!(rig.run(pe4), [""; 0]);
    for m in 0..32u16 {
        let row = rig.f32s(Space::Psum, 32 + m, 2048, 64);
        assert!(
            row.iter()
                .zip(0..)
                .all(|(v, n)| *v == f32::from(m * 64 + n))
        );
    }
    // PE-5: float32r weights keep 11 mantissa bits.
    let pe5 = hex(
        "01100000000000000000000000000000 00000000010001000100400001000100
         0a020000000080400000 0000 0f0f0000 00000000000000000000000000000000",
    );
    let mut rig = Rig::new(g);
    for k in 0..128 {
        rig.put_f32(
            Space::Sbuf,
            k,
            0,
            &[1.0 + 2f32.powi(-11) + 2f32.powi(-12) + 2f32.powi(-13); 64],
        );
    }
    assert_eq!(rig.run(pe5), [""; 0]);
    let latched = rig.m.state().hidden(crate::sim::Region::WEIGHTS);
    assert_eq!(f32::from_bits(latched[0]), 1.0 + 2f32.powi(-10));
    assert_eq!(latched[64], 0, "outside the active columns");
}

/// 0 x Inf is NaN and spreads over its column; the finding names a NaN only when none came in.
#[test]
fn nan_is_reported_once() {
    let g = Generation::V3;
    let mut rig = n1(g, &[]);
    rig.put_bf16(Space::Sbuf, 0, 0x200, &[f32::INFINITY, 0.0]);
    rig.put_bf16(Space::Sbuf, 0, 0x100, &[0.0, 1.0, 1.0]);
    rig.run(ld(g, 0x104, -1));
    assert_eq!(rig.run(mm(g, 3)), ["nan"]);
    assert_eq!(rig.f32s(Space::Psum, 0, 0, 1)[0].to_bits(), 0x7FC0_0000);
    rig.put_bf16(Space::Sbuf, 0, 0x200, &[f32::NAN, 0.0]);
    assert_eq!(rig.run(mm(g, 3)), [""; 0]);
}

/// An operand whose address comes from register 5.
fn in_register(mut b: Bundle, at: usize) -> Bundle {
    b.put(at, &(Addr4::REGISTER | 5).to_le_bytes());
    b
}

#[test]
fn faults_change_nothing() {
    let g = Generation::V3;
    let mut rig = n1(g, &[]);
    rig.run(ld(g, 0x100, 1));
    let set = |rig: &mut Rig, space, part, off| {
        let address = Location { space, part, off }.address(g).unwrap();
        rig.m
            .edit(|w| w.set_reg(crate::isa::Queue::Any.index() as u8, 5, address));
        rig.digest()
    };
    // Where a register names the place, nothing can be told before the bundle runs.
    for (slot, space, off, rule) in [
        (48, Space::Psum, 2044, "psum-bank"),
        (48, Space::Sbuf, 0, "space"),
        (16, Space::Psum, 0, "space"),
    ] {
        let before = set(&mut rig, space, 0, off);
        assert_eq!(rig.fault(in_register(mm(g, 3), slot)), rule);
        assert_eq!(rig.digest(), before);
    }
    let before = set(&mut rig, Space::Psum, 0, 64);
    for (at, value) in [
        (ROW_GRP, 5),
        (ROWS, 33),
        (COLS, 0),
        (FLAGS, 4),
        (REGION, 1),
        (58, 1),
    ] {
        let mut b = mm(g, 3);
        b.put(at, &[value]);
        assert!(rig.step(b).is_err(), "byte {at}");
        assert_eq!(rig.digest(), before);
    }
    assert_eq!(rig.run(in_register(mm(g, 3), 48)), [""; 0]);
    let (last, first) = (
        rig.f32s(Space::Psum, 0, 64, 2),
        rig.f32s(Space::Psum, 2, 64, 2),
    );
    assert_eq!((first, last), (ONCE[0].to_vec(), ONCE[2].to_vec()));
}
