//! Sparse products, tags, compression and seeds (isa 05 §3.4..§3.6, §3.9, §8).

use super::*;
use crate::sim::Region;
use proptest::prelude::*;

const G: Generation = Generation::V3;

/// PE-1 with steps, PE-8, PE-9 of the sheet on random tags.
fn ldtags(cols: u8, row_grp: u8, rows: u8, force: u8) -> Bundle {
    let part = 32 * row_grp.trailing_zeros() as u16;
    let mut b = Bundle::of_opcode(6);
    let p = pattern(
        G,
        Space::Sbuf,
        part,
        0x3000,
        &[(1, u16::from(cols) / 4), (0, 1), (0, 1)],
    );
    p.write(&mut b, 16);
    for (at, v) in [(32, 4), (33, force), (38, rows), (39, cols), (44, row_grp)] {
        b.put(at, &[v]);
    }
    b
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn sparse_product_equals_nested_loops(fmaps in 2usize..=4, cols in 1u8..=8, n in 1usize..12, seed in any::<u32>(), wide in any::<bool>()) {
        let keys: &[(&str, &str)] = if wide { &[("numerics.pe-sum", "f64")] } else { &[] };
        let mut rig = Rig::with(G, keys);
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        let cols = 4 * cols;
        let c = usize::from(cols);
        let mut value = || f32::from(next() as u16 % 256) / 16.0 - 8.0;
        let w: Vec<Vec<f32>> = (0..128).map(|_| (0..c).map(|_| value()).collect()).collect();
        let x: Vec<Vec<f32>> = (0..128).map(|_| (0..fmaps * n).map(|_| value() * 0.3).collect()).collect();
        // f of every (row, column): any quadrant, an fmap that exists.
        let f: Vec<Vec<usize>> = (0..128)
            .map(|_| (0..c).map(|_| ((next() as usize % 4) << 2) | (next() as usize % fmaps)).collect())
            .collect();
        let bf = |x: f32| half::bf16::from_f32(x).to_f32();
        for k in 0..128 {
            rig.put_bf16(Space::Sbuf, k as u16, 0x1000, &w[k]);
            rig.put_bf16(Space::Sbuf, k as u16, 0x4000, &x[k]);
            // First nibble of the first word belongs to the last column.
            let words: Vec<u8> = (0..c / 4)
                .flat_map(|j| (0..4).fold(0u16, |word, t| word | (f[k][c - 1 - (4 * j + t)] as u16) << (4 * t)).to_le_bytes())
                .collect();
            rig.put(Space::Sbuf, k as u16, 0x3000, &words);
        }
        let tile = [(DTYPE, 6), (ROWS, 128), (COLS, cols), (ROW_GRP, 15), (COL_GRP, 15)];
        let last = 0x1000 + 2 * (c as u32 - 1);
        rig.run(bundle(1, pattern(G, Space::Sbuf, 0, last, &[(-1, u16::from(cols))]), None, &tile));
        prop_assert_eq!(rig.run(ldtags(cols, 15, 128, 0)), [""; 0]);
        let mut b = Bundle::of_opcode(7);
        let dims = [(1, n as u16), (1, 1), (1, 1), (n as i16, fmaps as u16)].map(|(step, num)| Dim { step, num });
        Pattern::new(Addr4(0x4000), &dims).write(&mut b, 12);
        for (at, v) in tile.into_iter().chain([(FLAGS, 3)]) {
            b.put(at, &[v]);
        }
        pattern(G, Space::Psum, 0, 0, &[(1, n as u16)]).write(&mut b, 48);
        prop_assert_eq!(rig.run(b), [""; 0]);
        for m in 0..c {
            let row = rig.f32s(Space::Psum, m as u16, 0, n as u32);
            for i in 0..n {
                let (mut sum, mut wide_sum) = (0f32, 0f64);
                for k in 0..128 {
                    let f = f[k][m];
                    let (w, x) = (bf(w[k][m]), bf(x[32 * (f >> 2) + (k & 31)][(f & 3) * n + i]));
                    let product = w * x;
                    sum += product;
                    wide_sum += f64::from(w) * f64::from(x);
                }
                let expected = if wide { wide_sum as f32 } else { sum };
                prop_assert_eq!(row[i].to_bits(), (expected + 0.0).to_bits());
            }
        }
    }
}

#[test]
fn hex_vectors_and_forced_tags() {
    let pe8 = "06100000000000000000000000000000 00300000010000000000200001000100
               04000000000080800000 0000 0f000000 00000000000000000000000000000000";
    let pe9 = "07100000000000000000000000400000 01000001000400040001010001000400
               06000000000080800000 0003 0f0f0000 00000002010001000100000101000100";
    let mut rig = Rig::new(G);
    for k in 0..128 {
        rig.put(Space::Sbuf, k, 0x3000, &[0xE4; 64]);
        rig.put_bf16(Space::Sbuf, k, 0x1000, &[1.0; 128]);
        let row: Vec<f32> = (0..1024u16).map(|i| f32::from(i / 256 + 1)).collect();
        // Step 1024 between fmaps, in elements (PE-9).
        for fmap in 0..4u64 {
            let part = &row[256 * fmap as usize..][..256];
            rig.put_bf16(Space::Sbuf, k, 0x4000 + 2048 * fmap, part);
        }
    }
    let ld = "01100000000000000000000000000000 00100000010001000100800001000100
              06000000000080800000 0000 0f0f0000 00000000000000000000000000000000";
    rig.run(Bundle::from_hex(ld).unwrap());
    assert_eq!(rig.run(Bundle::from_hex(pe8).unwrap()), [""; 0]);
    assert_eq!(rig.run(Bundle::from_hex(pe9).unwrap()), [""; 0]);
    // Bytes 0xE4: nibbles 4 (quadrant 1, fmap 0) and 0xE (quadrant 3, fmap 2), reversed in columns.
    assert_eq!(rig.f32s(Space::Psum, 127, 0, 256), [128.0; 256]);
    assert_eq!(rig.f32s(Space::Psum, 126, 0, 256), [3.0 * 128.0; 256]);
    // A row group in the second quadrant forces bit 2.
    for k in 32..64 {
        rig.put(Space::Sbuf, k, 0x3000, &[0x10, 0x32]);
    }
    rig.run(ldtags(4, 2, 32, 4));
    let tags = rig.m.state().hidden(Region::TAGS);
    assert_eq!(tags[32 * 16] & 0xFFFF, 0x4567);
    assert_ne!(tags[31 * 16] & 0xFFFF, 0x4567);
}

/// isa 05 §3.6: seed[p][s] = SBUF[s][p]; PSUM[p][bank b][i] = seed[p][2 b + i].
#[test]
fn seeds_move_both_ways() {
    let g = Generation::V4;
    let mut rig = Rig::new(g);
    for s in 0..16u16 {
        let row: Vec<u8> = (0..128u32)
            .flat_map(|p| (1000 * u32::from(s) + p).to_le_bytes())
            .collect();
        rig.put(Space::Sbuf, s, 0x200, &row);
    }
    let mut load = Bundle::of_opcode(8);
    let two = |b: &mut Bundle, at: usize, addr: u32, steps: [i16; 2], nums: [u16; 2]| {
        let dims = [0, 1].map(|i| Dim {
            step: steps[i],
            num: nums[i],
        });
        Pattern::new(Addr4(addr), &dims).write(b, at);
    };
    two(&mut load, 12, 0x200, [1, 1], [128, 1]);
    load.put(24, &[0, 1, 0, 0, 1, 0, 16, 0, 6, 1, 16, 128]);
    two(&mut load, 36, 0x0200_0000, [1, 512], [2, 8]);
    rig.run(load);
    let pe11 = "08100000000000000000000000000000 01000100010001000001000001001000
                06021080000000020100000202000800 00000000000000000000000000000000";
    rig.put_bf16(Space::Sbuf, 0, 0x100, &[1.0; 16]);
    for p in 1..16 {
        rig.put_bf16(Space::Sbuf, p, 0x100, &[1.0; 16]);
    }
    assert_eq!(rig.run(Bundle::from_hex(pe11).unwrap()), [""; 0]);
    for p in [0u16, 5, 127] {
        for b in 0..8u64 {
            let cells = rig.get(Space::Psum, p, 2048 * b, 8);
            for i in 0..2 {
                let word = u32::from_le_bytes(cells[4 * i..4 * i + 4].try_into().unwrap());
                assert_eq!(word, 1000 * (2 * b as u32 + i as u32) + u32::from(p));
            }
        }
    }
}

/// 0xE0 on one lane: fp32 groups of `n / groups`, bf16 data with 16-bit tags.
fn compress(op: u8, dims: &[(i16, u16)], out: u16) -> Bundle {
    let g = Generation::V4;
    let mut b = Bundle::of_opcode(0xE0);
    b.put(12, &[10, 0]);
    pattern(g, Space::Sbuf, 0, 0x100, dims).write(&mut b, 16);
    b.put(32, &[6, 9, 1, 0, op, 2]);
    pattern(g, Space::Sbuf, 0, 0x1000, &[(1, out)]).write(&mut b, 48);
    b
}

/// isa 05 §3.9: four extreme elements, the best one last; ties go to the lower index.
#[test]
fn top_four_with_tags() {
    let g = Generation::V4;
    let x = [3.0, -9.0, 5.0, 5.0, 1.0, -2.0];
    for (op, expected) in [
        (0x09, [(1.0, 4), (3.0, 0), (5.0, 3), (5.0, 2)]),
        (0x08, [(3.0, 0), (1.0, 4), (-2.0, 5), (-9.0, 1)]),
        (0x21, [(3.0, 0), (5.0, 3), (5.0, 2), (-9.0, 1)]),
        (0x20, [(5.0, 2), (3.0, 0), (-2.0, 5), (1.0, 4)]),
    ] {
        let mut rig = Rig::new(g);
        rig.put_f32(Space::Sbuf, 0, 0x100, &x);
        rig.put_f32(Space::Sbuf, 0, 0x118, &[7.0; 6]);
        // Two groups: the second is all equal, so its first four positions stay.
        rig.run(compress(op, &[(1, 6), (6, 2)], 8));
        let out = rig.get(Space::Sbuf, 0, 0x1000, 32);
        for (i, element) in out.chunks_exact(4).enumerate() {
            let (value, tag) = if i < 4 { expected[i] } else { (7.0, 7 - i) };
            assert_eq!(
                element[..2],
                half::bf16::from_f32(value).to_le_bytes(),
                "{op:#x} {i}"
            );
            assert_eq!(element[2..], (tag as u16).to_le_bytes(), "{op:#x} {i}");
        }
    }
    let mut rig = Rig::new(g);
    rig.put_f32(Space::Sbuf, 0, 0x100, &x);
    assert!(
        rig.step(compress(9, &[(1, 3), (3, 2)], 8)).is_err(),
        "groups of 3"
    );
}

/// 0xE1: data and packed tags apart, after a transpose of 32 x 32.
#[test]
fn packed_tags_and_transpose() {
    let g = Generation::V4;
    let mut rig = Rig::new(g);
    // Partition p, element e holds 32 e + p, so that row p of the transpose is 32 p + e.
    for p in 0..32u16 {
        let row: Vec<f32> = (0..32).map(|e| f32::from(32 * e + p)).collect();
        rig.put_f32(Space::Sbuf, p, 0x100, &row);
    }
    let mut b = Bundle::of_opcode(0xE1);
    b.put(12, &[10, 1, 1]);
    let two = |b: &mut Bundle, at, addr, nums: [u16; 2]| {
        let dims = [(1, nums[0]), (nums[0] as i16, nums[1])].map(|(step, num)| Dim { step, num });
        Pattern::new(Addr4(addr), &dims).write(b, at);
    };
    two(&mut b, 20, 0x100, [16, 2]);
    b.put(32, &[10, 5, 32, 0, 9, 2]);
    two(&mut b, 40, 0x1000, [8, 1]);
    two(&mut b, 52, 0x2000, [2, 1]);
    rig.run(b);
    for p in [0u16, 31] {
        let expected: Vec<f32> = [12, 13, 14, 15, 28, 29, 30, 31]
            .map(|e| f32::from(32 * p + e))
            .to_vec();
        assert_eq!(rig.f32s(Space::Sbuf, p, 0x1000, 8), expected);
        // Positions 12..15 in both groups, the first datum in the lowest bits.
        assert_eq!(rig.get(Space::Sbuf, p, 0x2000, 4), [0xDC, 0xFE, 0xDC, 0xFE]);
    }
}
