//! Faults, sizes and addresses at the edge of what a transfer can be.

use super::*;
use crate::sim::exec::ctrl::tests::faults;

#[test]
fn what_cannot_be_copied_is_a_fault() {
    let ok = Side::line(0x100, 64);
    let wide = Side {
        num: [2, 1],
        ..Side::line(0x100, 32)
    };
    let cases = [
        ("dma-bytes", dma(ok, Side::line(0x200, 63), 0, [0, 0])),
        ("dma-bytes", dma(ok, Side::line(0x200, 64), 0, [10, 6])),
        ("alignment", dma(Side::line(0x102, 64), ok, 1, [10, 10])),
        (
            "alignment",
            dma(
                ok,
                Side {
                    step: [2, 0],
                    ..wide
                },
                1,
                [10, 10],
            ),
        ),
        (
            "alignment",
            dma(Side::line(0x100, 6), Side::line(0x200, 6), 1, [10, 10]),
        ),
        ("dtype", dma(ok, ok, 1, [9, 9])),
        ("dtype", dma(ok, ok, 1, [5, 5])),
        ("dtype", dma(ok, ok, 1, [0, 0])),
        (
            "address",
            dma(Side::line(0x28_0200_0000, 64), ok, 0, [0, 0]),
        ),
        (
            "address",
            dma(ok, Side::line(0x28_0200_0000, 64), 0, [0, 0]),
        ),
        (
            "address",
            dma(ok, Side::line(SBUF + 0x3_7FF0, 64), 0, [0, 0]),
        ),
        (
            "address",
            dma(
                ok,
                Side::line(Generation::V3.info().dram_bytes - 63, 64),
                0,
                [0, 0],
            ),
        ),
        (
            "address",
            dma(Side::line(SYNC + 0x1000, 4), Side::line(0, 4), 0, [0, 0]),
        ),
        (
            "address",
            dma(Side::line(0, 4), Side::line(SYNC + 0x1000, 4), 0, [0, 0]),
        ),
        (
            "address",
            dma(Side::line(0, 8), Side::line(SYNC + 0x1800, 8), 0, [0, 0]),
        ),
        (
            "not-modelled",
            dma(
                Side {
                    addr: 0x20 << 56,
                    ..ok
                },
                ok,
                0,
                [0, 0],
            ),
        ),
        (
            "shape-register",
            dma(
                Side {
                    addr: 0x40 << 56 | 0x100,
                    ..ok
                },
                ok,
                0,
                [0, 0],
            ),
        ),
    ];
    for (rule, b) in cases {
        let mut m = machine(&[(SP, vec![b])]);
        put(&mut m, Rect::dram(0, 0x400), &[0; 0x400]);
        let f = faults(&mut m);
        assert_eq!(f.rule, rule, "{f}");
    }
}

#[test]
fn a_zero_size_is_64_kib() {
    let b = dma(
        Side::line(0x1_0000, 0),
        Side::line(SBUF + (3 << 18), 0),
        0,
        [0, 0],
    );
    let mut m = machine(&[(SP, vec![b])]);
    let data: Vec<u8> = (0..1u32 << 16).map(|i| (i / 7) as u8).collect();
    put(&mut m, Rect::dram(0x1_0000, 1 << 16), &data);
    step(&mut m);
    assert_eq!(bytes(&m, Rect::new(Space::Sbuf, 3, 1, 0, 1 << 16)), data);
}

/// Four words set, add, subtract semaphores and set an event.
#[test]
fn words_go_to_the_semaphore_windows() {
    let word = |at: u64, to: u64| dma(Side::line(at, 4), Side::line(SYNC + to, 4), 0, [0, 0]);
    let two = dma(
        Side {
            step: [4, 0],
            num: [2, 1],
            ..Side::line(0x100, 4)
        },
        Side {
            step: [4, 0],
            num: [2, 1],
            ..Side::line(SYNC + 0x1800 + 4 * 20, 4)
        },
        0,
        [0, 0],
    );
    let program = vec![
        two,
        word(0x104, 0x1400 + 4 * 30),
        word(0x100, 0x1C00 + 4 * 30),
        word(0x100, 4 * 7),
    ];
    let mut m = machine(&[(SP, program)]);
    put(&mut m, Rect::dram(0x100, 8), &ints(&[5, 9]));
    run(&mut m);
    let sems = [20, 21, 30, 10].map(|s| m.state().sem(s));
    assert_eq!((sems, m.state().event(7)), ([5, 9, 4, 4], true));
}

/// Addresses from registers, shapes from shape registers, and the count of completions.
#[test]
fn registers_give_addresses_and_shapes() {
    let by_shape = Side {
        addr: 0xC0 << 56 | 4 | 5 << 8,
        step: [2, 0],
        num: [0, 0],
        size: 8,
        bound: 0,
    };
    let b = dma(
        by_shape,
        Side {
            num: [6, 1],
            step: [8, 0],
            ..Side::line(0x800, 8)
        },
        0,
        [0, 0],
    );
    let shape = {
        let steps = [16i32, 256, 0, 0].map(i32::to_le_bytes).concat();
        let counts = [3u16, 2, 0, 0].map(u16::to_le_bytes).concat();
        bundle(
            0xB2,
            &[(12, &[0, 1, 1]), (16, &[2]), (32, &steps), (48, &counts)],
        )
    };
    let settings = [("dma.completion-count", "16")];
    let mut m = with(
        Generation::V3,
        &settings,
        Policy::default(),
        &[(SP, vec![shape, b])],
    );
    given(&mut m, &[(4, 0x400), (5, 0)]);
    let data: Vec<u8> = (0..0x200u32).map(|i| i as u8).collect();
    put(&mut m, Rect::dram(0x400, 0x200), &data);
    step(&mut m);
    step(&mut m);
    let expected: Vec<u8> = [0usize, 16, 32, 256, 272, 288]
        .iter()
        .flat_map(|s| data[*s..*s + 8].to_vec())
        .collect();
    assert_eq!(bytes(&m, Rect::dram(0x800, 48)), expected);
    assert_eq!(m.state().sem(10), 16);
}
