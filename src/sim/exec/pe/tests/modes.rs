//! Operand and result forms besides plain FP32 sums (isa 05 §6.2 to §6.5).

use super::*;

/// isa 05 §6.3: High then Low weights against the whole moving operand give the full product.
#[test]
fn two_passes_make_an_fp32_product() {
    let g = Generation::V3;
    let (w, x) = (1.234_567_9_f32, 3.0_f32);
    let tile = [
        (ROWS, 1),
        (COLS, 1),
        (ROW_GRP, 1),
        (COL_GRP, 1),
        (DTYPE, 10),
    ];
    let build = |op, mode, flags| {
        let off = if op == 1 { 0 } else { 64 };
        let dst = (op == 2).then(|| pattern(g, Space::Psum, 0, 0, &[]));
        let mut b = bundle(op, pattern(g, Space::Sbuf, 0, off, &[]), dst, &tile);
        b.put(FP32_MODE, &[mode]);
        b.put(FLAGS, &[flags]);
        b
    };
    let mut rig = Rig::new(g);
    rig.put_f32(Space::Sbuf, 0, 0, &[w]);
    rig.put_f32(Space::Sbuf, 0, 64, &[x]);
    rig.run(build(1, 2, 0));
    rig.run(build(2, 3, 1));
    let high = rig.f32s(Space::Psum, 0, 0, 1)[0];
    // 11 explicit mantissa bits: a multiple of 2^-11 within half of that.
    assert_eq!((high / x * 2048.0).fract(), 0.0);
    assert!((high / x - w).abs() <= 2f32.powi(-12) && high / x != w);
    rig.run(build(1, 1, 0));
    rig.run(build(2, 3, 2));
    assert_eq!(rig.f32s(Space::Psum, 0, 0, 1), [w * x]);
}

/// v2 UINT8: sum of (x - zx)(w - zw), stored as INT32 (isa 05 §6.2).
#[test]
fn uint8_with_zero_points() {
    let g = Generation::V2;
    let mut rig = Rig::new(g);
    for k in 0..2u16 {
        rig.put(Space::Sbuf, k, 0, &[200, 3]);
        rig.put(Space::Sbuf, k, 64, &[250 - k as u8, 7]);
    }
    let tile = [
        (ROWS, 2),
        (COLS, 2),
        (ROW_GRP, 1),
        (COL_GRP, 1),
        (DTYPE, 3),
        (46, 1),
    ];
    let mut ld = bundle(1, pattern(g, Space::Sbuf, 0, 0, &[(1, 2)]), None, &tile);
    ld.put(36, &[10, 10]);
    let dst = pattern(g, Space::Psum, 0, 0, &[(1, 2)]);
    let mut mm = bundle(
        2,
        pattern(g, Space::Sbuf, 0, 64, &[(1, 2)]),
        Some(dst),
        &tile,
    );
    mm.put(36, &[128, 128]);
    mm.put(FLAGS, &[3]);
    rig.run(ld);
    rig.run(mm);
    let cells = |m| {
        let b = rig.get(Space::Psum, m, 0, 8);
        [0, 4].map(|i| i32::from_le_bytes(b[i..i + 4].try_into().unwrap()))
    };
    let x = [122 + 121, -121 - 121];
    assert_eq!(cells(0), x.map(|x| x * (3 - 10)));
    assert_eq!(cells(1), x.map(|x| x * (200 - 10)));
    mm.put(FLAGS, &[2]);
    rig.run(mm);
    let b = rig.get(Space::Psum, 1, 0, 4);
    assert_eq!(i32::from_le_bytes(b.try_into().unwrap()), 2 * 243 * 190);
}

/// isa 05 §6.4: 2 weights per cell; contraction index 128 r + k.
#[test]
fn double_row() {
    let g = Generation::V4;
    let e4 =
        |x: f32| crate::num::narrow(crate::num::Kind::Fp8E4, x, &crate::num::Rules::DEFAULT) as u8;
    // Weights [r][m], moving [r][n].
    let (w, x) = ([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]);
    for (mode, memory) in [
        (1u8, [w[0][1], w[0][0], w[1][1], w[1][0]]),
        (4, [w[0][1], w[1][1], w[0][0], w[1][0]]),
    ] {
        let mut rig = Rig::new(g);
        rig.put(Space::Sbuf, 0, 0, &memory.map(e4));
        rig.put(Space::Sbuf, 0, 64, &x[0].map(e4));
        rig.put(Space::Sbuf, 0, 80, &x[1].map(e4));
        // Members of a pair lie 16 elements apart where the checks ask for it.
        let tile = [
            (ROWS, 1),
            (COLS, 2),
            (ROW_GRP, 1),
            (COL_GRP, 15),
            (DTYPE, 14),
            (PERF, mode),
        ];
        let src = if mode == 1 {
            rig.put(Space::Sbuf, 0, 16, &[e4(memory[2]), e4(memory[3])]);
            pattern(g, Space::Sbuf, 0, 0, &[(1, 2), (1, 1), (16, 2)])
        } else {
            pattern(g, Space::Sbuf, 0, 0, &[(1, 4)])
        };
        rig.run(bundle(1, src, None, &tile));
        let src = pattern(g, Space::Sbuf, 0, 64, &[(1, 2), (1, 1), (16, 2)]);
        let dst = pattern(g, Space::Psum, 0, 0, &[(1, 2)]);
        let mut mm = bundle(2, src, Some(dst), &tile);
        mm.put(FLAGS, &[3]);
        rig.run(mm);
        for m in 0..2 {
            let expected = [0, 1].map(|n| w[0][m] * x[0][n] + w[1][m] * x[1][n]);
            assert_eq!(
                rig.f32s(Space::Psum, m as u16, 0, 2),
                expected,
                "mode {mode}"
            );
        }
    }
}

/// isa 05 §6.2: BF16 cells round at every write; zero is +0.
#[test]
fn bf16_psum() {
    let g = Generation::V4;
    let mut rig = Rig::new(g);
    rig.put_bf16(Space::Sbuf, 0, 0, &[1.0]);
    rig.put_bf16(Space::Sbuf, 0, 64, &[256.0, -0.0]);
    rig.put_bf16(Space::Sbuf, 0, 80, &[1.0, 1.0]);
    let tile = [
        (ROWS, 1),
        (COLS, 1),
        (ROW_GRP, 1),
        (COL_GRP, 1),
        (DTYPE, 6),
        (OUT, 6),
    ];
    rig.run(bundle(
        1,
        pattern(g, Space::Sbuf, 0, 0, &[]),
        None,
        &tile[..5],
    ));
    let mm = |off, flags| {
        let src = pattern(g, Space::Sbuf, 0, off, &[(1, 2)]);
        let dst = pattern(g, Space::Psum, 0, 2, &[(1, 2)]);
        let mut b = bundle(2, src, Some(dst), &tile);
        b.put(FLAGS, &[flags]);
        b
    };
    rig.run(mm(64, 1));
    assert_eq!(rig.get(Space::Psum, 0, 0, 6), [0, 0, 0x80, 0x43, 0, 0]);
    // 256 + 1 = 257 is a tie in bf16: stays 256, twice.
    rig.run(mm(80, 0));
    rig.run(mm(80, 2));
    assert_eq!(rig.get(Space::Psum, 0, 2, 4), [0x80, 0x43, 0x00, 0x40]);
}

/// isa 05 §6.5: bits move, NaN and Inf do not spread.
#[test]
fn transposes() {
    let g = Generation::V3;
    let data = [
        [1.0, f32::NAN, 3.0],
        [f32::INFINITY, -0.0, 6.0],
        [7.0, 8.0, f32::NEG_INFINITY],
    ];
    let eye = |k: usize| [0, 1, 2].map(|n| f32::from(u8::from(n == k)));
    let tile = [
        (ROWS, 3),
        (COLS, 3),
        (ROW_GRP, 1),
        (COL_GRP, 1),
        (DTYPE, 10),
        (FP32_MODE, 3),
        (TRANSPOSE, 1),
    ];
    for identity_moves in [true, false] {
        let mut rig = Rig::new(g);
        for k in 0..3 {
            let (w, x) = if identity_moves {
                (data[k], eye(k))
            } else {
                (eye(k), data[k])
            };
            rig.put_f32(Space::Sbuf, k as u16, 0, &w);
            rig.put_f32(Space::Sbuf, k as u16, 64, &x);
        }
        rig.run(bundle(
            1,
            pattern(g, Space::Sbuf, 0, 8, &[(-1, 3)]),
            None,
            &tile,
        ));
        let dst = pattern(g, Space::Psum, 0, 0, &[(1, 3)]);
        let mut mm = bundle(
            2,
            pattern(g, Space::Sbuf, 0, 64, &[(1, 3)]),
            Some(dst),
            &tile,
        );
        mm.put(FLAGS, &[3]);
        assert_eq!(rig.run(mm), [""; 0]);
        for m in 0..3u16 {
            let row = rig.f32s(Space::Psum, m, 0, 3);
            for n in 0..3 {
                assert_eq!(row[n].to_bits(), data[n][usize::from(m)].to_bits());
            }
        }
    }
    // Neither operand is an identity.
    let mut rig = Rig::new(g);
    for k in 0..3 {
        rig.put_f32(Space::Sbuf, k, 0, &[2.0; 32]);
    }
    rig.run(bundle(
        1,
        pattern(g, Space::Sbuf, 0, 0, &[(1, 3)]),
        None,
        &tile,
    ));
    let dst = pattern(g, Space::Psum, 0, 0, &[(1, 3)]);
    let mm = bundle(
        2,
        pattern(g, Space::Sbuf, 0, 64, &[(1, 3)]),
        Some(dst),
        &tile,
    );
    assert_eq!(rig.fault(mm), "not-modelled");
}
