//! Transfers that take their time.

use super::*;

/// The inline update fires at issue, the completion after the delay; DRAIN waits for it.
#[test]
fn delayed_transfers_land_later() {
    let mut b = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    b.put(6, &[0x13, 3]);
    let nop = Bundle::of_opcode(0xA4);
    let program = vec![b, nop, nop, nop, nop, Bundle::of_opcode(0xA2), nop];
    let delay = [("dma.delay", "3")];
    let mut m = with(
        Generation::V3,
        &delay,
        Policy::default(),
        &[(SP, program.clone())],
    );
    put(&mut m, Rect::dram(0x100, 4), &[1, 2, 3, 4]);
    let landed = |m: &Machine| {
        (
            m.state().sem(10),
            bytes(m, Rect::dram(0x200, 4)) == [1, 2, 3, 4],
        )
    };
    step(&mut m);
    assert_eq!((m.state().sem(3), landed(&m)), (1, (0, false)));
    step(&mut m);
    step(&mut m);
    assert_eq!(landed(&m), (0, false));
    step(&mut m);
    assert_eq!(landed(&m), (1, true), "three steps after the issue");
    let record = m.journal().record(m.journal().position() - 1).unwrap();
    assert_eq!(
        (record.head.kind, record.head.index),
        (StepKind::Transfer, 0)
    );

    // A shorter program: nothing else to do, so time advances.
    let mut m = with(
        Generation::V3,
        &delay,
        Policy::default(),
        &[(SP, vec![b, program[5], nop])],
    );
    put(&mut m, Rect::dram(0x100, 4), &[1, 2, 3, 4]);
    step(&mut m);
    assert_eq!(landed(&m), (1, true), "SP waits in DRAIN, time passes");
    assert_eq!(run(&mut m), Stepped::Exited);
}

#[test]
fn a_stream_waits_in_drain_while_others_run() {
    let b = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    let nop = Bundle::of_opcode(0xA4);
    let pe = Queue::Of(Engine::Pe);
    let streams = [(SP, vec![b, Bundle::of_opcode(0xA2)]), (pe, vec![nop; 20])];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "6")],
        Policy::default(),
        &streams,
    );
    put(&mut m, Rect::dram(0x100, 4), &[0; 4]);
    while m.pc(SP) == 0 {
        step(&mut m);
    }
    let blocked = m.blocked(SP).unwrap();
    assert_eq!((blocked.transfers, blocked.waits.len()), (1, 0));
    assert_eq!(m.blocked(pe), None);
    assert!(matches!(m.step(Some(SP)), Stepped::Blocked(_)));
    let flights: Vec<u64> = in_flight(m.state()).map(|(_, t)| t.index).collect();
    assert_eq!(flights, [0]);
    let issued = m.journal().seq();
    while m.pc(SP) == 1 {
        step(&mut m);
    }
    assert_eq!(m.journal().seq(), issued + 6 + 1);
}

#[test]
fn accesses_during_a_transfer_are_races() {
    let b = dma(Side::line(0x100, 8), Side::line(0x200, 8), 0, [0, 0]);
    let word = |op: u8, at: u64| {
        bundle(
            op,
            &[(12, &[9, 0, 1, 1]), (16, &at.to_le_bytes()), (32, &[1])],
        )
    };
    let (load, store) = (|at| word(0xAA, at), |at| word(0xAB, at));
    let program = vec![
        b,
        load(0x100),
        load(0x204),
        store(0x104),
        store(0x1FC),
        store(0x200),
        load(0x208),
    ];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "9")],
        Policy::default(),
        &[(SP, program)],
    );
    put(&mut m, Rect::dram(0x100, 0x200), &[0; 0x200]);
    let races: Vec<usize> = (0..7)
        .map(|_| {
            step(&mut m);
            found(&m).iter().filter(|r| **r == "dma-race").count()
        })
        .collect();
    assert_eq!(races, [0, 0, 1, 1, 0, 1, 0]);
}

/// A wait that only a transfer in flight can satisfy is no deadlock; one that it cannot is.
#[test]
fn deadlock_needs_an_idle_memory() {
    let b = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    let program = |n: u32| vec![b, sync((5, 10, n), (0, 0, 0))];
    for (n, dead) in [(1, false), (2, true)] {
        let mut m = with(
            Generation::V3,
            &[("dma.delay", "50")],
            Policy::default(),
            &[(SP, program(n))],
        );
        put(&mut m, Rect::dram(0x100, 4), &[0; 4]);
        let end = run(&mut m);
        assert_eq!(matches!(end, Stepped::Deadlock(_)), dead, "{end:?}");
        assert_eq!(m.state().sem(10), 1);
    }
}

#[test]
fn transfers_in_flight_are_taken_back() {
    let transfers: Vec<Bundle> = (0..100u64)
        .map(|i| {
            dma(
                Side::line(0x100 + i, 4),
                Side::line(0x4000 + 4 * i, 4),
                0,
                [0, 0],
            )
        })
        .collect();
    let mut program = transfers;
    program.push(set(1, 1));
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "1000")],
        Policy::default(),
        &[(SP, program)],
    );
    let data: Vec<u8> = (0..=255).collect();
    put(&mut m, Rect::dram(0x100, 256), &data);
    let mut digests = vec![m.state().digest()];
    let start = m.journal().position();
    loop {
        match m.step(None) {
            Stepped::Retired { .. } => {}
            Stepped::Exited => break,
            other => panic!("{other:?}"),
        }
    }
    let expected: Vec<u8> = (0..100usize)
        .flat_map(|i| data[i..i + 4].to_vec())
        .collect();
    assert_eq!(bytes(&m, Rect::dram(0x4000, 400)), expected);
    assert_eq!(m.state().sem(10), 100);
    let end = m.state().digest();
    while m.journal().position() > start {
        m.undo().unwrap();
    }
    digests.push(m.state().digest());
    assert_eq!(digests[0], digests[1]);
    while m.redo().is_some() {}
    assert_eq!(m.state().digest(), end);
}
