//! Every bundle of vectors-control.tsv executes to what its last column says.

use super::*;
use crate::sim::Space;

/// Number, generation, bytes.
fn rows() -> Vec<(String, Generation, Bundle)> {
    let text = include_str!("../../../../../tests/vectors/control.tsv");
    let rows = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    rows.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let g = if cells[2] == "v4+" {
            Generation::V4
        } else {
            Generation::V3
        };
        (cells[0].to_owned(), g, Bundle::from_hex(cells[3]).unwrap())
    })
    .collect()
}

/// A machine of SP whose stream has the bundle at `at`, NOPs around it.
fn around(g: Generation, b: Bundle, at: u64, len: u64) -> Machine {
    let nop = Bundle::of_opcode(0xA4);
    let stream = (0..len).map(|i| if i == at { b } else { nop }).collect();
    let mut m = with(g, &[], Policy::default(), &[(SP, stream)]);
    m.edit(|w| w.set_pc(SP.index() as u8, at));
    m
}

fn alone(g: Generation, b: Bundle) -> Machine {
    around(g, b, 0, 2)
}

fn sems(m: &mut Machine, all: &[(u8, u32)]) {
    m.edit(|w| all.iter().for_each(|(n, v)| w.set_sem(*n, *v)));
}

fn blocked(m: &mut Machine) -> bool {
    matches!(m.step(Some(SP)), Stepped::Blocked(_))
}

/// Retires and leaves these semaphores.
fn leaves(m: &mut Machine, expected: &[(u8, u32)]) {
    step(m);
    for (n, v) in expected {
        assert_eq!(m.state().sem(*n), *v, "semaphore {n}");
    }
    assert_eq!(found(m), [""; 0]);
}

fn goes_to(mut m: Machine, target: u64) {
    step(&mut m);
    assert_eq!(m.pc(SP), target);
}

#[test]
fn every_row_does_what_it_says() {
    let mut seen = 0;
    for (id, g, b) in rows() {
        check(&id, g, b);
        seen += 1;
    }
    assert_eq!(seen, 47);
}

fn check(id: &str, g: Generation, b: Bundle) {
    let mut m = alone(g, b);
    match id {
        "C01" => {
            assert!(blocked(&mut m));
            sems(&mut m, &[(5, 5)]);
            leaves(&mut m, &[(5, 6)]);
        }
        "C02" => leaves(&mut m, &[(7, 1)]),
        "C03" => {
            given(&mut m, &[(12, 6)]);
            sems(&mut m, &[(3, 4), (9, 5)]);
            assert!(blocked(&mut m));
            sems(&mut m, &[(3, 3), (9, 6)]);
            assert!(blocked(&mut m));
            sems(&mut m, &[(3, 4)]);
            leaves(&mut m, &[(3, 4), (9, 6), (17, 1)]);
        }
        "C04" => {
            assert!(blocked(&mut m));
            sems(&mut m, &[(6, 2)]);
            leaves(&mut m, &[(6, 1)]);
        }
        "C05" => {
            assert!(blocked(&mut m));
            sems(&mut m, &[(11, 1)]);
            leaves(&mut m, &[(11, 1)]);
        }
        "C06" => leaves(&mut m, &[(40, 0x100)]),
        "C10" => {
            for (value, target) in [(10, 3), (11, 6)] {
                let mut m = around(g, b, 5, 8);
                given(&mut m, &[(5, value)]);
                goes_to(m, target);
            }
        }
        "C11" => {
            for (r1, r2, target) in [(-1i32 as u32, 2, 12), (2, -1i32 as u32, 4), (7, 7, 4)] {
                let mut m = around(g, b, 3, 20);
                given(&mut m, &[(1, r1), (2, r2)]);
                goes_to(m, target);
            }
        }
        "C12" => goes_to(around(g, b, 1, 50), 42),
        "C13" => {
            let mut m = around(g, b, 0, 20);
            given(&mut m, &[(60, 64 * 9), (61, 0)]);
            goes_to(m, 9);
        }
        "C14" => {
            let mut m = around(g, b, 1, 3);
            given(&mut m, &[(3, 99)]);
            assert!(blocked(&mut m));
            sems(&mut m, &[(2, 7)]);
            goes_to(m, 0);
            let mut m = around(g, b, 1, 3);
            given(&mut m, &[(3, u32::MAX)]);
            sems(&mut m, &[(2, 8)]);
            goes_to(m, 2);
        }
        "C20" => registers(m, &[(3, u32::MAX)], &[(4, 0), (3, u32::MAX)]),
        "C21" => registers(m, &[(3, 0)], &[(3, u32::MAX)]),
        "C22" => registers(m, &[(1, 40), (2, 2)], &[(3, 42)]),
        "C23" => registers(m, &[(10, -5i32 as u32), (11, 3)], &[(12, -5i32 as u32)]),
        "C24" => registers(m, &[(7, 1)], &[(7, 0x81)]),
        "C25" => registers(
            m,
            &[(2, u32::MAX), (3, 1), (4, 1), (5, 2)],
            &[(6, 0), (7, 4)],
        ),
        "C30" => registers(m, &[], &[(7, 0x1234_5678)]),
        "C31" => registers(m, &[], &[(8, 2), (9, 1)]),
        "C32" => registers(m, &[(3, 77)], &[(4, 77)]),
        "C33" => registers(around(g, b, 5, 7), &[], &[(2, 5 * 64), (3, 0)]),
        "C34" => {
            let floats = [0.0, 1.0, -1.0, 2.0, 0.5, f32::INFINITY, -0.0, 3.0];
            let expected: Vec<(u8, u32)> = (16..).zip(floats.map(f32::to_bits)).collect();
            registers(m, &[], &expected);
        }
        "C40" | "C62" => {
            step(&mut m);
            assert!(m.exited(SP));
            assert_eq!(m.step(None), Stepped::Exited);
        }
        "C41" | "C45" => leaves(&mut m, &[]),
        "C42" => {
            sems(&mut m, &[(10, 3)]);
            assert!(blocked(&mut m));
            sems(&mut m, &[(10, 4)]);
            leaves(&mut m, &[(10, 4), (11, 1)]);
        }
        "C43" => {
            sems(&mut m, &[(15, 1), (16, 2), (24, 3), (31, 4), (32, 5)]);
            leaves(&mut m, &[(15, 1), (16, 0), (24, 0), (31, 0), (32, 5)]);
        }
        "C44" => {
            sems(&mut m, &[(0, 1), (1, 2), (33, 3), (254, 4), (255, 5)]);
            leaves(&mut m, &[(0, 0), (1, 2), (33, 0), (254, 4), (255, 0)]);
        }
        "C46" => {
            let counts = [(16, 8), (17, 3), (18, 5), (19, 4), (20, 4), (21, 10)];
            sems(&mut m, &counts);
            leaves(&mut m, &counts.map(|(n, v)| (n, v - 3)));
            assert_eq!(reg(&m, 5), 3);
        }
        "C47" => {
            sems(&mut m, &[(3, 30), (4, 40)]);
            registers(m, &[], &[(10, 30), (11, 40)]);
        }
        "C48" => {
            sems(&mut m, &[(3, 30)]);
            given(&mut m, &[(10, 12)]);
            leaves(&mut m, &[(3, 42)]);
        }
        "C50" => {
            leaves(&mut m, &[]);
            let stored = bytes(&m, Rect::dram(0x1000, 8));
            assert_eq!(stored, [[0x11; 4], [0x22; 4]].concat());
        }
        "C51" => {
            put(&mut m, Rect::dram(0x2000, 4), &[1, 0x80, 0xFF, 4]);
            registers(m, &[], &[(1, 1), (2, 0x80), (3, 0xFF), (4, 4)]);
        }
        "C52" => {
            // Step 1 is 4 bytes back for every 16 elements: elements 0, 1, -16, -15.
            for (at, v) in [(0x8000u64, 1u32), (0x8004, 2), (0x7FC0, 3), (0x7FC4, 4)] {
                put(&mut m, Rect::dram(at, 4), &v.to_le_bytes());
            }
            let given = [(20, 0x8000), (21, 0)];
            registers(m, &given, &[(30, 1), (31, 2), (32, 3), (33, 4)]);
        }
        "C60" => barrier(b),
        "C61" => {
            leaves(&mut m, &[(7, 1)]);
            assert_eq!(m.report().log.len(), 1);
        }
        "C63" | "C64" | "C65" => function(g),
        "D01" | "D02" | "D03" | "D12" | "D13" => queue(b),
        "D10" => copy(b),
        "D11" => accumulate(b),
        _ => panic!("no expectation for {id}"),
    }
}

fn registers(mut m: Machine, before: &[(u8, u32)], after: &[(u8, u32)]) {
    given(&mut m, before);
    leaves(&mut m, &[]);
    for (n, v) in after {
        assert_eq!(reg(&m, *n), *v, "r{n}");
    }
}

/// C60: five engines at the barrier, each posting once.
fn barrier(b: Bundle) {
    let streams = Engine::ALL.map(|e| (Queue::Of(e), vec![b, Bundle::of_opcode(0xA4)]));
    let mut m = machine(&streams);
    step(&mut m);
    assert_eq!(m.state().sem(3), 5, "all updates apply at the release");
    assert_eq!(found(&m), [""; 0]);
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!((m.journal().seq(), m.state().sem(3)), (10, 5));
}

/// C63..C65: call, begin, return, with a bundle after the call and one in the function.
fn function(g: Generation) {
    let row = |id: &str| rows().into_iter().find(|r| r.0 == id).unwrap().2;
    let exit = row("C62");
    let stream = vec![
        set(0, 1),
        row("C63"),
        set(1, reg_in(0)),
        exit,
        row("C64"),
        set(2, 3),
        row("C65"),
    ];
    let mut m = with(g, &[], Policy::default(), &[(SP, stream)]);
    sems(&mut m, &[(9, 4)]);
    step(&mut m);
    step(&mut m);
    assert_eq!((reg(&m, 60), reg(&m, 61)), (2 * 64, 0));
    assert_eq!(m.pc(SP), 5);
    step(&mut m);
    assert_eq!(m.state().sem(9), 4);
    step(&mut m);
    assert_eq!(m.pc(SP), 2);
    assert_eq!(m.state().sem(9), 0, "the record asks for a reset");
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!(reg(&m, 2), 3);
    assert_eq!(m.journal().seq(), 6);
}

const fn reg_in(n: u32) -> u32 {
    n + 100
}

/// Rows that need the queues and variables of a container: never illegal, and refused without one.
fn queue(b: Bundle) {
    let mut m = alone(Generation::V3, b);
    sems(&mut m, &[(10, 1), (22, 1)]);
    match m.step(None) {
        Stepped::Fault(f) => assert!(matches!(f.rule, "dma-queue" | "variable"), "{}", f.rule),
        other => panic!("{other:?}"),
    }
}

fn copy(b: Bundle) {
    let mut m = alone(Generation::V3, b);
    let rows: Vec<Vec<u8>> = (0..4u8).map(|r| vec![r + 1; 256]).collect();
    for (i, row) in rows.iter().enumerate() {
        put(&mut m, Rect::dram(0x10_0000 + 512 * i as u64, 256), row);
    }
    assert!(blocked(&mut m));
    sems(&mut m, &[(2, 1)]);
    leaves(&mut m, &[(10, 1)]);
    let out = bytes(&m, Rect::new(Space::Sbuf, 0, 1, 0, 1024));
    assert_eq!(out, rows.concat());
    let record = m.journal().position() - 1;
    let written: u64 = m.journal().writes(record).map(|r| r.bytes()).sum();
    assert_eq!(written, 1024);
}

/// D11: 2 x 3 elements of 64 bytes added as fp32. Steps 64 and 4096 at the source, 64 and 128 here.
fn accumulate(b: Bundle) {
    let mut m = alone(Generation::V3, b);
    given(&mut m, &[(4, 0x4_0000), (5, 0), (6, 0x5_0000)]);
    let row = |base: f32| -> Vec<u8> {
        (0..32u8)
            .flat_map(|i| (base + f32::from(i)).to_le_bytes())
            .collect()
    };
    for y in 0..3u64 {
        put(&mut m, Rect::dram(0x4_0000 + 4096 * y, 128), &row(y as f32));
    }
    put(
        &mut m,
        Rect::new(Space::Sbuf, 0, 1, 0x100, 384),
        &[row(1000.0), row(2000.0), row(3000.0)].concat(),
    );
    leaves(&mut m, &[(10, 1)]);
    let out = bytes(&m, Rect::new(Space::Sbuf, 0, 1, 0x100, 384));
    let sums: Vec<f32> = out
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    for (k, sum) in sums.iter().enumerate() {
        let (y, i) = (k / 32, k % 32);
        let expected = (1000 * (y + 1) + i) as f32 + (y + i) as f32;
        assert_eq!(*sum, expected, "row {y} element {i}");
    }
}
