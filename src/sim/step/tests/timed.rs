//! Execution at the pace of isa 17.

use super::*;

/// Cheap bundles overtake an expensive one; a waiter starts after its poster is done.
#[test]
fn the_earliest_start_goes_first() {
    let add = Bundle::from_hex(ADD).unwrap();
    let dve = Queue::Of(Engine::Dve);
    let wait = nop((0x05, 7), (0, 0), 1);
    let mut post = add;
    post.put(6, &[0x13, 7]);
    let streams = [
        (dve, vec![post, Bundle::of_opcode(NOP)]),
        (SP, nops(6)),
        (PE, vec![wait]),
    ];
    let mut m = with(Generation::V3, &[], Policy::Timed, &streams);
    let order: Vec<Queue> = (0..8).map(|_| step(&mut m).0).collect();
    // Starts in ns: DVE 0 and 133 (128 cycles at 960 MHz); SP every 53 (64 cycles at 1200 MHz);
    // PE when DVE's results are drained (100 cycles) and the semaphore has come (64 cycles at
    // 2400 MHz): 264, before SP's last at 267.
    assert_eq!(order, [dve, SP, SP, SP, dve, SP, SP, PE]);
    step(&mut m);
    assert_eq!(m.step(None), Stepped::Exited);
    let pe = sched::clock(m.state(), PE);
    let done = (128 + 100) * 1_000_000 / 960;
    assert!(pe > done, "{pe} {done}");
}

#[test]
fn transfers_take_their_time() {
    let dma = bundle(
        0xB8,
        &[
            (13, &[10, 1]),
            (16, &[0, 1]),
            (32, &[1, 0, 1, 0, 64]),
            (40, &[0, 2]),
            (56, &[1, 0, 1, 0, 64]),
        ],
    );
    let wait = nop((0x05, 10), (0, 0), 1);
    let streams = [(SP, vec![dma]), (PE, vec![wait]), (ACT, nops(10))];
    let mut m = with(Generation::V3, &[], Policy::Timed, &streams);
    put(&mut m, Rect::dram(0, 0x200), &[5; 0x200]);
    assert_eq!(run(&mut m), Stepped::Exited);
    let (pe, act) = (sched::clock(m.state(), PE), sched::clock(m.state(), ACT));
    assert!(pe > 1_300_000 && act < 1_300_000, "{pe} {act}");
    assert_eq!(m.state().sem(10), 1);
    let kinds: Vec<StepKind> = (0..m.journal().end())
        .filter_map(|at| m.journal().record(at).map(|r| r.head.kind))
        .collect();
    assert_eq!(
        kinds.iter().filter(|k| **k == StepKind::Transfer).count(),
        1
    );
}
