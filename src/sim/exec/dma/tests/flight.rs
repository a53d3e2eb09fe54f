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

/// Index of the bundle of each transfer, in the order in which they landed; `None` for a bundle that retired.
fn landings(m: &Machine) -> Vec<(StepKind, u64)> {
    let journal = m.journal();
    let records = (0..journal.position()).filter_map(|at| journal.record(at));
    let moved = records.filter(|r| r.head.kind != StepKind::Edit);
    moved.map(|r| (r.head.kind, r.head.index)).collect()
}

/// isa 11 §4: in order per queue, however long each takes.
#[test]
fn a_short_transfer_does_not_overtake_a_long_one() {
    let long = dma(
        Side::line(0x1000, 4096),
        Side::line(0x4000, 4096),
        0,
        [0, 0],
    );
    let short = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    let program = [(SP, vec![long, short])];
    let mut m = with(Generation::V3, &[], Policy::Timed, &program);
    put(&mut m, Rect::dram(0x1000, 4096), &[1; 4096]);
    put(&mut m, Rect::dram(0x100, 4), &[1; 4]);
    assert_eq!(run(&mut m), Stepped::Exited);
    let landed: Vec<u64> = landings(&m)
        .into_iter()
        .filter(|l| l.0 == StepKind::Transfer)
        .map(|l| l.1)
        .collect();
    assert_eq!(landed, [0, 1]);
}

/// A gather is done after what its queue has in flight.
#[test]
fn a_gather_finishes_behind_the_transfers_of_its_stream() {
    let copy = dma(Side::line(0x100, 4), Side::line(0x1000, 4), 0, [0, 0]);
    let gather = listed::indirect(0, 0, 1, 0x1000, 0x8000, false);
    let program = [(SP, vec![copy, gather])];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "9")],
        Policy::default(),
        &program,
    );
    put(&mut m, Rect::dram(0x100, 4), &[1, 2, 3, 4]);
    put(&mut m, Rect::dram(0x1000, 4), &[9; 4]);
    listed::put_index(&mut m, &[0]);
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!(bytes(&m, Rect::dram(0x8000, 4)), [1, 2, 3, 4]);
    let order = [
        (StepKind::Retire, 0),
        (StepKind::Retire, 1),
        (StepKind::Transfer, 0),
        (StepKind::Transfer, 1),
    ];
    assert_eq!(landings(&m), order);
    // Both ways through the slots of pending transfers.
    let end = m.state().digest();
    while m.undo().is_some() {}
    while m.redo().is_some() {}
    assert_eq!(m.state().digest(), end);
}

/// Registers are read at issue, index vectors when the transfer is done.
#[test]
fn what_a_gather_reads_when() {
    let index = 0x8000_0000u32 | 5;
    let mut gather = listed::indirect(0, 0, 2, 0x1000, 0x8000, false);
    gather.put(48, &index.to_le_bytes());
    let program = vec![
        set(5, 0x400),
        gather,
        set(5, 0x500),
        Bundle::of_opcode(0xA4),
    ];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", "20")],
        Policy::default(),
        &[(SP, program)],
    );
    put(
        &mut m,
        Rect::dram(0x1000, 16),
        &[0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0],
    );
    listed::put_index(&mut m, &[0, 1]);
    put(&mut m, Rect::dram(0x8000, 8), &[9; 8]);
    for _ in 0..3 {
        step(&mut m);
    }
    assert_eq!(m.state().sem(10), 0);
    listed::put_index(&mut m, &[3, 2]);
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!(bytes(&m, Rect::dram(0x8000, 8)), [3, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(m.state().sem(10), 1);
}

/// A machine whose queue `q` has a block of so many copies of 4 bytes, triggered by SP behind `before` other transfers.
fn triggered(copies: u64, before: usize, delay: &str) -> Machine {
    let own = dma(Side::line(0x100, 4), Side::line(0x200, 4), 0, [0, 0]);
    let mut program = vec![own; before];
    program.push(bundle(0xC1, &[(12, b"q")]));
    let streams = [(SP, program)];
    let mut m = with(
        Generation::V3,
        &[("dma.delay", delay)],
        Policy::default(),
        &streams,
    );
    let leg = |addr| Leg {
        addr,
        size: 1,
        dims: [(1, 4), (0, 1), (0, 1), (0, 1)],
        limit: None,
        silent: false,
    };
    let block = (0..copies)
        .map(|i| (leg(0x1000 + 4 * i), leg(0x8000 + 4 * i)))
        .collect();
    let queue = crate::sim::DmaQueue {
        semaphore: Some(7),
        blocks: [(0, block)].into(),
    };
    m.set_tables(Tables {
        queues: [("q".to_owned(), queue)].into(),
        ..Tables::default()
    });
    put(&mut m, Rect::dram(0x100, 4), &[5; 4]);
    let source: Vec<u8> = (0..4 * copies).map(|i| i as u8).collect();
    put(&mut m, Rect::dram(0x1000, 4 * copies as u32), &source);
    m
}

/// Every descriptor moves its bytes, the last one posts once, whatever the number of slots.
#[test]
fn blocks_of_many_descriptors_are_moved_whole() {
    for copies in [1, 3, 63, 64, 65, 200] {
        for before in [0, 1, 40, 64, 90] {
            for delay in ["0", "7"] {
                let mut m = triggered(copies, before, delay);
                assert_eq!(
                    run(&mut m),
                    Stepped::Exited,
                    "{copies} behind {before}, delay {delay}"
                );
                let len = 4 * copies as u32;
                assert_eq!(
                    bytes(&m, Rect::dram(0x8000, len)),
                    bytes(&m, Rect::dram(0x1000, len))
                );
                assert_eq!(m.state().sem(7), 1);
                assert_eq!(m.state().sem(10), before as u32);
            }
        }
    }
}

/// The memory of every descriptor counts, until that one has landed.
#[test]
fn races_with_any_descriptor_of_a_block_are_found() {
    let mut m = triggered(3, 0, "50");
    let load = |at: u64| {
        let fields: [(usize, &[u8]); 3] =
            [(12, &[9, 0, 1, 1]), (16, &at.to_le_bytes()), (32, &[1])];
        bundle(0xAA, &fields)
    };
    put(&mut m, Rect::dram(0x8000, 16), &[0; 16]);
    // The last word is behind the block.
    let mut loads: Vec<Bundle> = (0..4).map(|i| load(0x8000 + 4 * i)).collect();
    // POOL is asked before SP.
    loads.insert(0, Bundle::of_opcode(0xA4));
    m.load(Queue::Of(Engine::Pool), crate::sim::Stream::new(loads));
    let mut races = 0;
    while let Stepped::Retired { .. } = m.step(None) {
        races += found(&m).iter().filter(|r| **r == "dma-race").count();
    }
    assert_eq!(races, 3);
}
