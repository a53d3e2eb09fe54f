//! Gathers, scatters and transpositions against loops over plain arrays.

use crate::isa::Bundle;
use crate::isa::Generation;
use crate::sim::exec::ctrl::tests::{
    SP, bundle, bytes, faults, given, machine, put, reg, run, step, with,
};
use crate::sim::tables::Tables;
use crate::sim::{Machine, Policy, Rect, Space};
use proptest::prelude::*;

const SBUF: u64 = 0x20_0000_0000;
const INDEX: u64 = 0x400;

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn halves(values: impl IntoIterator<Item = u16>) -> Vec<u8> {
    values.into_iter().flat_map(u16::to_le_bytes).collect()
}

fn pair<const N: usize>(values: [[u8; N]; 2]) -> Vec<u8> {
    values.concat()
}

pub(super) fn put_index(m: &mut Machine, values: &[u32]) {
    put(
        m,
        Rect::new(Space::Sbuf, 0, 1, INDEX, 4 * values.len() as u32),
        &words(values),
    );
}

/// `mode` 0 gathers, 1 scatters; elements of 4 bytes, dtype FP32 where it adds.
pub(super) fn indirect(mode: u8, flags: u8, n: u16, src: u64, dst: u64, add: bool) -> Bundle {
    let dtype = if add { 10 } else { 0 };
    let index = (0x2000_0000u32 | INDEX as u32).to_le_bytes();
    bundle(
        0xBB,
        &[
            (12, &[10, 1, 128, mode | flags]),
            (16, &src.to_le_bytes()),
            (24, &4i32.to_le_bytes()),
            (28, &n.to_le_bytes()),
            (30, &4u16.to_le_bytes()),
            (32, &dst.to_le_bytes()),
            (40, &4i32.to_le_bytes()),
            (44, &n.to_le_bytes()),
            (46, &4u16.to_le_bytes()),
            (48, if mode == 0 { &index } else { &[0; 4] }),
            (52, if mode == 1 { &index } else { &[0; 4] }),
            (56, &[dtype, dtype]),
            (60, &[u8::from(add)]),
        ],
    )
}

/// A machine whose transfers finish at once, or late.
fn paced(late: bool, b: Bundle) -> Machine {
    let delay = if late { "7" } else { "0" };
    with(
        Generation::V3,
        &[("dma.delay", delay)],
        Policy::default(),
        &[(SP, vec![b])],
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn gathers_and_scatters(index in prop::collection::vec(0..40u32, 1..30), late: bool) {
        let n = index.len();
        let table: Vec<u32> = (0..40).map(|i| 0x1000 + i).collect();
        let mut m = paced(late, indirect(0, 0, n as u16, 0x1000, 0x8000, false));
        put(&mut m, Rect::dram(0x1000, 160), &words(&table));
        put_index(&mut m, &index);
        run(&mut m);
        let expected: Vec<u32> = index.iter().map(|i| table[*i as usize]).collect();
        prop_assert_eq!(bytes(&m, Rect::dram(0x8000, 4 * n as u32)), words(&expected));
        prop_assert_eq!(m.state().sem(10), 1);

        let mut m = paced(late, indirect(1, 8, n as u16, 0x1000, 0x8000, false));
        put(&mut m, Rect::dram(0x1000, 160), &words(&table));
        put(&mut m, Rect::dram(0x8000, 160), &[0; 160]);
        put_index(&mut m, &index);
        run(&mut m);
        let mut expected = vec![0u32; 40];
        for (i, at) in index.iter().enumerate() {
            expected[*at as usize] = table[i];
        }
        prop_assert_eq!(bytes(&m, Rect::dram(0x8000, 160)), words(&expected));
    }

    /// Both sides through an index vector: element i goes from `from[i]` to `to[i]`.
    #[test]
    fn gathers_and_scatters_at_once(pairs in prop::collection::vec((0..40u32, 0..40u32), 1..30), late: bool) {
        let n = pairs.len() as u16;
        let (from, to): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
        let mut b = indirect(0, 2 | 8, n, 0x1000, 0x8000, false);
        b.put(52, &(0x2000_0000u32 | 0x800).to_le_bytes());
        let mut m = paced(late, b);
        let table: Vec<u32> = (0..40).map(|i| 0x1000 + i).collect();
        put(&mut m, Rect::dram(0x1000, 160), &words(&table));
        put(&mut m, Rect::dram(0x8000, 160), &[0; 160]);
        put_index(&mut m, &from);
        put(&mut m, Rect::new(Space::Sbuf, 0, 1, 0x800, 4 * u32::from(n)), &words(&to));
        run(&mut m);
        let mut expected = vec![0u32; 40];
        for (from, to) in &pairs {
            expected[*to as usize] = table[*from as usize];
        }
        prop_assert_eq!(bytes(&m, Rect::dram(0x8000, 160)), words(&expected));
        prop_assert_eq!(m.state().sem(10), 1);
    }

    /// Destinations that occur twice add up.
    #[test]
    fn scatters_add(index in prop::collection::vec(0..8u32, 1..30), late: bool) {
        let n = index.len();
        let source: Vec<u32> = (0..n).map(|i| (i as f32).to_bits()).collect();
        let mut m = paced(late, indirect(1, 8, n as u16, 0x1000, 0x8000, true));
        put(&mut m, Rect::dram(0x1000, 4 * n as u32), &words(&source));
        put(&mut m, Rect::dram(0x8000, 32), &[0; 32]);
        put_index(&mut m, &index);
        run(&mut m);
        let mut expected = [0f32; 8];
        for (i, at) in index.iter().enumerate() {
            expected[*at as usize] += i as f32;
        }
        let expected: Vec<u32> = expected.iter().map(|v| v.to_bits()).collect();
        prop_assert_eq!(bytes(&m, Rect::dram(0x8000, 32)), words(&expected));
    }

    /// Tiles of 16 rows from a matrix in DRAM; a destination element is a tile or a column.
    #[test]
    fn transposes_tiles(tiles in 1..4u16, cols in 1..20u16, whole in any::<bool>(), late: bool) {
        let width = usize::from(tiles * cols);
        let b = bundle(0xBD, &[
            (14, &[6, 6]),
            (16, &0x1000u64.to_le_bytes()),
            (24, &pair([i32::from(2 * cols).to_le_bytes(), [0; 4]])),
            (32, &pair([tiles.to_le_bytes(), 1u16.to_le_bytes()])),
            (36, &(2 * width as i32).to_le_bytes()),
            (40, &(SBUF + 0x800).to_le_bytes()),
            (48, &pair([if whole { 32 * i32::from(cols) } else { 32 }.to_le_bytes(), (32 * i32::from(cols)).to_le_bytes()])),
            (56, &pair(if whole { [tiles, 1] } else { [cols, tiles] }.map(u16::to_le_bytes))),
            (60, &[16, cols as u8, 10]),
        ]);
        let mut m = paced(late, b);
        put(&mut m, Rect::dram(0x1000, 32 * width as u32), &halves((0..16 * width).map(|i| i as u16)));
        run(&mut m);
        let expected = halves((0..width).flat_map(|c| (0..16).map(move |r| (r * width + c) as u16)));
        prop_assert_eq!(bytes(&m, Rect::new(Space::Sbuf, 0, 1, 0x800, 32 * width as u32)), expected);
        prop_assert_eq!(m.state().sem(10), 1);
    }

    /// Rows of 8 values that an index names become columns.
    #[test]
    fn gathers_rows_as_columns(index in prop::collection::vec(0..40u32, 16), late: bool) {
        let word = (0x2000_0000u32 | INDEX as u32).to_le_bytes();
        let b = bundle(0xF1, &[
            (12, &[10, 0, 128, 0]),
            (16, &0x1000u64.to_le_bytes()),
            (24, &pair([8i32.to_le_bytes(), 16i32.to_le_bytes()])),
            (32, &pair([2u16.to_le_bytes(), 16u16.to_le_bytes()])),
            (36, &word),
            (40, &(SBUF + 0x800).to_le_bytes()),
            (52, &64i32.to_le_bytes()),
            (56, &pair([16u16.to_le_bytes(), 8u16.to_le_bytes()])),
            (60, &8u16.to_le_bytes()),
            (62, &[0x66, 1]),
        ]);
        let mut m = paced(late, b);
        put(&mut m, Rect::dram(0x1000, 640), &halves(0..320));
        put_index(&mut m, &index);
        run(&mut m);
        for line in 0..8u16 {
            let row = Rect::new(Space::Sbuf, 0, 1, 0x800 + 64 * u64::from(line), 32);
            let expected = halves(index.iter().map(|i| *i as u16 * 8 + line));
            prop_assert_eq!(bytes(&m, row), expected);
        }
        prop_assert_eq!(m.state().sem(10), 1);
    }
}

/// Register 6 is the highest index: others are skipped, or an error where bit 2 of the flags says so.
#[test]
fn indices_beyond_their_bound() {
    for is_error in [false, true] {
        let mut b = indirect(0, if is_error { 4 } else { 0 }, 3, 0x1000, 0x8000, false);
        b.put_bits(58 * 8, 8, 0x80 | 6);
        let mut m = with(Generation::V3, &[], Policy::default(), &[(SP, vec![b])]);
        given(&mut m, &[(6, 9), (7, 0)]);
        put(&mut m, Rect::dram(0x1000, 40), &words(&[7; 10]));
        put(&mut m, Rect::dram(0x8000, 12), &[0; 12]);
        put_index(&mut m, &[1, 10, 2]);
        if is_error {
            assert_eq!(faults(&mut m).rule, "bounds");
        } else {
            run(&mut m);
            assert_eq!(bytes(&m, Rect::dram(0x8000, 12)), words(&[7, 0, 7]));
        }
    }
}

/// Variable 3 has 64 bytes at 0x4000.
fn placed(bundles: Vec<Bundle>) -> Machine {
    let mut m = machine(&[(SP, bundles)]);
    let mut tables = Tables::default();
    tables.variables.insert(3, (0x4000, 64));
    m.set_tables(tables);
    put(
        &mut m,
        Rect::dram(0x4000, 64),
        &words(&(0..16).collect::<Vec<_>>()),
    );
    m
}

#[test]
fn variables_are_loaded_and_stored() {
    let mem = |opcode, offset: u32, data: &[u8]| {
        bundle(
            opcode,
            &[
                (12, &[9, 0, 2, 1]),
                (16, &3u32.to_le_bytes()),
                (20, &offset.to_le_bytes()),
                (24, &1i32.to_le_bytes()),
                (32, data),
            ],
        )
    };
    let mut m = placed(vec![mem(0xCE, 8, &[1, 2]), mem(0xCD, 32, &[2, 1])]);
    run(&mut m);
    assert_eq!((reg(&m, 1), reg(&m, 2)), (2, 3));
    assert_eq!(bytes(&m, Rect::dram(0x4020, 8)), words(&[3, 2]));
    // Every element must be inside, not only the first.
    for offset in [60, 64] {
        for opcode in [0xCD, 0xCE] {
            let m = &mut placed(vec![mem(opcode, offset, &[1, 2])]);
            assert_eq!(faults(m).rule, "bounds", "{offset}");
        }
    }
    let mut back = mem(0xCE, 4, &[1, 2]);
    back.put(24, &(-1i32).to_le_bytes());
    let mut m = placed(vec![back]);
    run(&mut m);
    assert_eq!((reg(&m, 1), reg(&m, 2)), (1, 0));
    back.put(20, &0u32.to_le_bytes());
    assert_eq!(faults(&mut placed(vec![back])).rule, "bounds");
    let mut m = machine(&[(SP, vec![mem(0xCE, 0, &[1, 2])])]);
    assert_eq!(faults(&mut m).rule, "variable");
}

#[test]
fn variables_are_copied() {
    let copy = |op: u8| {
        let place = |offset: u64| (0x10 << 56 | 3 << 32 | offset).to_le_bytes();
        bundle(
            0xD4,
            &[
                (13, &[10, 1, op]),
                (16, &place(4)),
                (32, &[1, 0, 1, 0, 8, 0]),
                (40, &place(40)),
                (56, &[1, 0, 1, 0, 8, 0]),
            ],
        )
    };
    let mut m = placed(vec![copy(0)]);
    run(&mut m);
    assert_eq!(bytes(&m, Rect::dram(0x4028, 8)), words(&[1, 2]));
    assert_eq!(m.state().sem(10), 1);
    for op in 1..=3 {
        assert_eq!(faults(&mut placed(vec![copy(op)])).rule, "not-modelled");
    }
    // Rows of 8 bytes, 16 apart: the last one must be inside too.
    let mut rows = copy(0);
    rows.put(24, &16i32.to_le_bytes());
    rows.put(32, &[4, 0, 1, 0]);
    rows.put(48, &(-8i32).to_le_bytes());
    rows.put(56, &[4, 0, 1, 0]);
    run(&mut placed(vec![rows]));
    for (at, offset) in [(16, 9), (40, 23), (40, 57)] {
        let mut beyond = rows;
        beyond.put(at, &[offset]);
        assert_eq!(faults(&mut placed(vec![beyond])).rule, "bounds", "{offset}");
    }
}

#[test]
fn an_extension_goes_with_what_is_before_it() {
    let place = |offset: u64| (0x10 << 56 | 3 << 32 | offset).to_le_bytes();
    let parts = [&place(0)[..], &place(32)];
    let shape = [1, 0, 1, 0, 8, 0];
    let copy = bundle(
        0xD4,
        &[(16, parts[0]), (32, &shape), (40, parts[1]), (56, &shape)],
    );
    let plain = Bundle::of_opcode(0xDA);
    run(&mut placed(vec![copy, plain]));
    assert_eq!(faults(&mut placed(vec![plain])).rule, "extension");
    let mut said = plain;
    said.put(12, &[8]);
    let mut m = placed(vec![copy, said]);
    step(&mut m);
    let fault = faults(&mut m);
    assert_eq!(fault.rule, "not-modelled");
    assert!(fault.message.contains("byte 12"), "{}", fault.message);
}
