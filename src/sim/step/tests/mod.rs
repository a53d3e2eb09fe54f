//! Scheduling, waits, joins, ends, faults, and time that runs both ways.

mod both_ways;
mod timed;

use super::*;
use crate::isa::{Bundle, Exec, Generation, Space, table};
use crate::sim::exec::EXEC;
use crate::sim::exec::ctrl::tests::{
    ACT, PE, SP, bundle, faults, found, given, machine, put, reg, run, set, step, sync, with,
};
use crate::sim::{NOTE_SCHEDULED, Rect, Stream};
use proptest::prelude::*;

const NOP: u8 = 0xA4;

fn nops(n: usize) -> Vec<Bundle> {
    vec![Bundle::of_opcode(NOP); n]
}

/// A NOP with inline events.
fn nop(wait: (u8, u8), update: (u8, u8), value: u32) -> Bundle {
    let modes = [wait.0, wait.1, update.0, update.1];
    bundle(NOP, &[(4, &modes), (8, &value.to_le_bytes())])
}

#[test]
fn functions_exist_exactly_where_rows_say_modelled() {
    for row in table::rows() {
        let modelled = matches!(row.exec, Exec::Modelled);
        let function = EXEC[usize::from(row.byte)].is_some();
        assert_eq!(modelled, function, "{:#04x} {}", row.byte, row.name);
    }
    let rows = EXEC.iter().enumerate().filter(|(_, f)| f.is_some());
    for (byte, _) in rows {
        assert!(
            table::by_byte(byte as u8).is_some(),
            "{byte:#04x} has no row"
        );
    }
}

/// isa 01 §6: the full TENSOR_TENSOR add.
const ADD: &str = "41100000 00000000 00000000 aa0a0480 00000000 01000100 01004000 01000100
    00100000 01000100 01004000 01000100 00200000 01000100 01004000 01000100";

#[test]
fn adds_and_steps_back() {
    let mut m = machine(&[(Queue::Any, vec![Bundle::from_hex(ADD).unwrap()])]);
    let a: Vec<u8> = (0..64u32).flat_map(|i| (i as f32).to_le_bytes()).collect();
    for off in [0, 0x1000] {
        put(
            &mut m,
            Rect::new(Space::Sbuf, 0, 128, off, 256),
            &a.repeat(128),
        );
    }
    let before = m.state().digest();
    step(&mut m);
    assert_eq!(found(&m), [""; 0]);
    let out = m.state().bytes(Space::Sbuf, 127, 0x2000, 256).unwrap();
    for (i, e) in out.chunks_exact(4).enumerate() {
        assert_eq!(f32::from_le_bytes(e.try_into().unwrap()), 2.0 * i as f32);
    }
    let after = m.state().digest();
    assert_eq!(m.step(None), Stepped::Exited);
    m.undo().unwrap();
    assert_eq!(m.state().digest(), before);
    m.redo().unwrap();
    assert_eq!(m.state().digest(), after);
}

#[test]
fn round_robin_takes_turns_and_passes_over_the_blocked() {
    let mut m = machine(&[(PE, nops(3)), (ACT, nops(3)), (SP, nops(3))]);
    let turns: Vec<Queue> = (0..9).map(|_| step(&mut m).0).collect();
    assert_eq!(turns, [PE, ACT, SP, PE, ACT, SP, PE, ACT, SP]);
    assert_eq!(m.step(None), Stepped::Exited);

    let wait = nop((0x05, 1), (0, 0), 2);
    let post = nop((0, 0), (0x13, 1), 0);
    let mut m = machine(&[(PE, vec![wait]), (ACT, nops(2)), (SP, vec![post, post])]);
    let turns: Vec<Queue> = (0..5).map(|_| step(&mut m).0).collect();
    assert_eq!(turns, [ACT, SP, ACT, SP, PE]);
}

#[test]
fn a_random_order_is_fixed_by_its_seed() {
    let streams = [(PE, nops(20)), (ACT, nops(20)), (SP, nops(20))];
    let order = |seed| -> Vec<Queue> {
        let mut m = with(Generation::V3, &[], Policy::Random(seed), &streams);
        (0..60).map(|_| step(&mut m).0).collect()
    };
    assert_eq!(order(7), order(7));
    assert_ne!(order(7), order(8));
    assert!(order(7).windows(2).any(|w| w[0] == w[1]), "not a rotation");
    // The one seed whose mixed word is the generator's fixed point.
    assert!(order(0x9E37_79B9_7F4A_7C15).len() == 60);
}

#[test]
fn records_tell_who_chose_the_stream() {
    let mut m = machine(&[(PE, nops(2)), (SP, nops(2))]);
    step(&mut m);
    m.step(Some(SP));
    let notes = |at| m.journal().record(at).unwrap().notes & NOTE_SCHEDULED;
    assert_eq!((notes(0), notes(1)), (NOTE_SCHEDULED, 0));
}

#[test]
fn a_deadlock_names_waits_and_posters() {
    let wait = nop((0x05, 7), (0, 0), 4);
    let later = nop((0x06, 9), (0x13, 7), 0);
    let late = sync((0, 0, 0), (0x15, 7, 1));
    let clear = bundle(0xB0, &[(12, &[1, 3, 8])]);
    let dma = bundle(0xB8, &[(13, &[7, 1])]);
    let event = nop((0, 0), (0x11, 7), 0);
    // Two words to the increment window, the second at semaphore 7.
    let addr = (0x28_0270_1800u64 + 4 * 6).to_le_bytes();
    let store = bundle(0xAB, &[(12, &[9, 1, 2, 1]), (16, &addr), (24, &[1])]);
    let acts = vec![
        later,
        Bundle::of_opcode(NOP),
        late,
        clear,
        dma,
        event,
        store,
    ];
    let mut m = machine(&[(PE, vec![wait, late]), (ACT, acts)]);
    let Stepped::Deadlock(blocked) = m.step(None) else {
        panic!("not a deadlock")
    };
    assert_eq!(blocked[0].waits[0].to_string(), "$S[7]>=4 (is 0)");
    assert_eq!(blocked[1].waits[0].to_string(), "$E[9]==1 (is 0)");
    let posters = m.posters(PE, &blocked[0].waits[0]);
    assert_eq!(posters, [0, 2, 3, 4, 6].map(|i| (ACT, i)));
    assert_eq!(m.posters(ACT, &blocked[1].waits[0]), []);
    assert!(!blocked[0].counts_engines());
    assert_eq!(m.journal().position(), 0, "a deadlock leaves no record");
}

/// 0xC1 posts the semaphore of the queue it names, which only the container tells (isa 09 §9.1).
#[test]
fn a_trigger_posts_what_its_queue_says() {
    let named = |name: &[u8]| bundle(0xC1, &[(12, name)]);
    let wait = nop((0x05, 7), (0, 0), 1);
    let held = nop((0x06, 9), (0, 0), 0);
    let acts = vec![held, named(b"a"), named(b"b"), named(b"c")];
    let mut m = machine(&[(PE, vec![wait]), (ACT, acts)]);
    let queue = |semaphore| crate::sim::DmaQueue {
        semaphore,
        ..Default::default()
    };
    let queues = [("a", Some(6)), ("b", Some(7)), ("c", None)];
    let queues = queues.map(|(name, sem)| (name.to_owned(), queue(sem)));
    m.set_tables(crate::sim::Tables {
        queues: queues.into(),
        ..Default::default()
    });
    let Stepped::Deadlock(blocked) = m.step(None) else {
        panic!("not a deadlock")
    };
    assert_eq!(m.posters(PE, &blocked[0].waits[0]), [(ACT, 2)]);
}

#[test]
fn event_waits_consume_their_edge() {
    // 0x07 set, then clear; 0x0F clear, then set.
    for (mode, starts_at) in [(0x06, true), (0x07, true), (0x0E, false), (0x0F, false)] {
        let mut m = machine(&[(SP, vec![nop((mode, 5), (0, 0), 0)])]);
        m.edit(|w| w.set_event(5, !starts_at));
        assert!(matches!(m.step(Some(SP)), Stepped::Blocked(_)), "{mode:#x}");
        m.edit(|w| w.set_event(5, starts_at));
        step(&mut m);
        let then = starts_at ^ matches!(mode, 0x07 | 0x0F);
        assert_eq!(m.state().event(5), then, "{mode:#x}");
    }
    // Side effects only when both waits of 0xA0 hold.
    let mut both = sync((0x07, 6, 0), (0x13, 1, 0));
    both.put(4, &[0x07, 5]);
    let mut m = machine(&[(SP, vec![both])]);
    m.edit(|w| w.set_event(5, true));
    assert!(matches!(m.step(Some(SP)), Stepped::Blocked(_)));
    assert!(m.state().event(5));
    m.edit(|w| w.set_event(6, true));
    step(&mut m);
    assert_eq!(
        (m.state().event(5), m.state().event(6), m.state().sem(1)),
        (false, false, 1)
    );
}

#[test]
fn counters_wrap_and_compare_unsigned() {
    let cases = [
        (0x14, 0, 0u32, u32::MAX),
        (0x13, 0, u32::MAX, 0),
        (0x15, 10, u32::MAX - 3, 6),
        (0x17, 10, 3, u32::MAX - 6),
        (0x19, 77, 5, 77),
        (0x05, 10, 1, 11),
        (0x99, 40, 1, 123),
    ];
    for (mode, value, before, after) in cases {
        let mut m = machine(&[(SP, vec![nop((0, 0), (mode, 9), value)])]);
        given(&mut m, &[(40, 123)]);
        m.edit(|w| w.set_sem(9, before));
        step(&mut m);
        assert_eq!(m.state().sem(9), after, "{mode:#x}");
    }
    let holds = |mode, threshold, count| {
        let mut m = machine(&[(SP, vec![nop((mode, 9), (0, 0), threshold)])]);
        given(&mut m, &[(3, 1 << 31)]);
        m.edit(|w| w.set_sem(9, count));
        matches!(m.step(Some(SP)), Stepped::Retired { .. })
    };
    assert!(holds(0x05, 1, 0x8000_0000) && holds(0x04, 5, u32::MAX));
    assert!(!holds(0x02, 5, u32::MAX) && holds(0x03, u32::MAX, u32::MAX));
    assert!(holds(0x01, 0, 0) && !holds(0x01, 1, 0));
    assert!(holds(0x85, 3, 0x8000_0000) && !holds(0x84, 3, 0x8000_0000));
}

/// READ before the writes, COMPLETE after them: a register operand shows the difference.
#[test]
fn read_updates_fire_before_the_result_is_written() {
    for (mode, expected) in [(0x89, 1), (0x99, 2)] {
        let mut b = set(5, 2);
        b.put(6, &[mode, 9]);
        b.put(8, &5u32.to_le_bytes());
        let mut m = machine(&[(SP, vec![b])]);
        given(&mut m, &[(5, 1)]);
        step(&mut m);
        assert_eq!((m.state().sem(9), reg(&m, 5)), (expected, 2), "{mode:#x}");
    }
    // TEST_EVENT_SEM reads the semaphores before its own READ update changes one.
    let mut b = bundle(0xB4, &[(12, &[0, 0, 0, 1]), (16, &[9]), (32, &[1])]);
    b.put(6, &[0x03, 9]);
    let mut m = with(Generation::V4, &[], Policy::default(), &[(SP, vec![b])]);
    step(&mut m);
    assert_eq!((reg(&m, 1), m.state().sem(9)), (0, 1));
}

#[test]
fn protocol_errors_of_events_are_reported() {
    let mut m = machine(&[(
        SP,
        vec![nop((0, 0), (0x11, 5), 0), nop((0, 0), (0x12, 6), 0)],
    )]);
    m.edit(|w| w.set_event(5, true));
    step(&mut m);
    assert_eq!(found(&m), ["event-protocol"]);
    step(&mut m);
    assert_eq!(found(&m), ["event-protocol", "event-left-set"]);
    assert!(m.report().findings[1].message.contains("events 5 "));
}

#[test]
fn barriers_join_what_has_not_exited() {
    let barrier = |value: u32| bundle(0xD5, &[(4, &[5, 3, 0x15, 3]), (8, &value.to_le_bytes())]);
    let short = vec![Bundle::of_opcode(0xA1)];
    let streams = [
        (PE, vec![barrier(2), set(1, 1)]),
        (ACT, short),
        (SP, [nops(3), vec![barrier(1)]].concat()),
    ];
    let mut m = machine(&streams);
    let blocked = m.blocked(PE).unwrap();
    assert_eq!(
        (blocked.barrier.as_slice(), blocked.waits.len()),
        ([ACT, SP].as_slice(), 0)
    );
    assert!(matches!(m.step(Some(PE)), Stepped::Blocked(_)));
    while m.pc(PE) == 0 && m.pc(SP) < 4 {
        assert_eq!(m.state().sem(3), 0);
        step(&mut m);
    }
    // 2 + 1 were added at once. PE's wait for 2 holds, SP's for 1 as well.
    assert_eq!(m.state().sem(3), 3);
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!(m.state().sem(3), 3, "no update twice");

    // A threshold that is not reached is reported, not waited for.
    let mut m = machine(&[(SP, vec![bundle(0xD5, &[(4, &[5, 3, 0x13, 3]), (8, &[9])])])]);
    step(&mut m);
    assert_eq!(found(&m), ["barrier-wait"]);

    // An `any` stream is one engine.
    let mut m = machine(&[(Queue::Any, vec![barrier(1)])]);
    step(&mut m);
    assert_eq!(m.step(None), Stepped::Exited);
}

#[test]
fn a_barrier_that_cannot_be_met_is_a_deadlock() {
    let wait = nop((0x05, 7), (0, 0), 1);
    let mut m = machine(&[(PE, vec![Bundle::of_opcode(0xD5)]), (SP, vec![wait])]);
    let Stepped::Deadlock(all) = m.step(None) else {
        panic!("not a deadlock")
    };
    assert_eq!(
        (all[0].barrier.as_slice(), all[1].waits.len()),
        ([SP].as_slice(), 1)
    );
}

#[test]
fn illegal_bundles_fault_and_can_be_skipped() {
    let mut short = Bundle::of_opcode(NOP);
    short.put(1, &[0x12]);
    let mut dirty = Bundle::of_opcode(NOP);
    dirty.put(60, &[1]);
    for (b, rule) in [
        (short, "header"),
        (Bundle::of_opcode(0x00), "bad-opcode"),
        (Bundle::of_opcode(0xFF), "bad-opcode"),
        (Bundle::of_opcode(0xB7), "bad-opcode"),
        (Bundle::of_opcode(0xB4), "bad-opcode"),
        (Bundle::of_opcode(0xAC), "bad-opcode"),
        (Bundle::of_opcode(0x02), "engine"),
        (dirty, "reserved"),
        (Bundle::of_opcode(0xA5), "not-modelled"),
    ] {
        let mut m = machine(&[(SP, vec![b, set(1, 3)])]);
        let f = faults(&mut m);
        assert_eq!((f.rule, f.queue, f.index), (rule, SP, 0));
        assert_eq!(faults(&mut m).rule, rule, "it stays there");
        let before = m.state().digest();
        m.skip_head(SP).unwrap();
        let record = *m.journal().record(0).unwrap();
        assert_eq!(
            (record.head.kind, record.head.index, m.journal().seq()),
            (StepKind::Edit, 0, 0)
        );
        m.undo().unwrap();
        assert_eq!(m.state().digest(), before);
        m.redo().unwrap();
        assert_eq!(run(&mut m), Stepped::Exited);
        assert_eq!(reg(&m, 1), 3);
        assert_eq!(m.skip_head(SP), None);
    }
}

#[test]
fn a_blocked_head_can_be_skipped() {
    let mut m = machine(&[(SP, vec![nop((0x05, 7), (0x13, 8), 1), set(1, 3)])]);
    assert!(matches!(m.step(None), Stepped::Deadlock(_)));
    m.skip_head(SP);
    assert_eq!(run(&mut m), Stepped::Exited);
    assert_eq!((reg(&m, 1), m.state().sem(8)), (3, 0));
}

#[test]
fn checks_can_be_turned_into_findings() {
    let mut dirty = Bundle::of_opcode(NOP);
    dirty.put(60, &[1]);
    let settings = [("check.reserved", "warn")];
    let mut m = with(
        Generation::V3,
        &settings,
        Policy::default(),
        &[(SP, vec![dirty])],
    );
    step(&mut m);
    assert_eq!(found(&m), ["reserved"]);
    // And back, on the same machine.
    m.undo();
    m.set_settings(Default::default());
    assert_eq!(faults(&mut m).rule, "reserved");
}

/// REG_STORE: slots known, meaning not.
#[test]
fn skipping_forgets_the_destination_and_applies_updates() {
    let mut b = bundle(0x4B, &[(28, &[16]), (32, &[10, 0, 4]), (6, &[0x13, 9])]);
    let pattern: Vec<u8> = [1i16, 1, 1, 1, 16, 1, 1, 1]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    b.put(44, &0x100u32.to_le_bytes());
    b.put(48, &pattern);
    let pool = Queue::Of(Engine::Pool);
    let dst = Rect::new(Space::Sbuf, 0, 4, 0x100, 64);
    let around = Rect::new(Space::Sbuf, 0, 8, 0xC0, 256);
    let mut m = machine(&[(pool, vec![b])]);
    put(&mut m, around, &[7; 8 * 256]);
    assert_eq!(faults(&mut m).rule, "not-modelled");
    let mut settings = *m.settings();
    settings.set("unmodelled", "skip").unwrap();
    m.set_settings(settings);
    let before = m.state().digest();
    step(&mut m);
    assert_eq!(found(&m), ["dormant", "skipped"]);
    assert_eq!((m.state().sem(9), m.pc(pool)), (1, 1));
    assert_eq!(m.state().unwritten(&dst), 4 * 64);
    assert_eq!(m.state().unwritten(&around), 4 * 64, "nothing else");
    assert_eq!(
        m.state().bytes(Space::Sbuf, 3, 0x100, 64),
        Some(&[0xFF; 64][..])
    );
    let written: u64 = m
        .journal()
        .writes(m.journal().position() - 1)
        .map(|r| r.bytes())
        .sum();
    assert_eq!(written, 4 * 64);
    let after = m.state().digest();
    m.undo();
    assert_eq!(m.state().digest(), before);
    m.redo();
    assert_eq!(m.state().digest(), after);
}

/// HALT updates, then stops; the end of a stream and a jump to it exit as well.
#[test]
fn ends() {
    let mut halt = Bundle::of_opcode(0xA1);
    halt.put(6, &[0x13, 4]);
    let mut m = machine(&[(SP, vec![halt, set(1, 1)])]);
    step(&mut m);
    assert_eq!((m.state().sem(4), m.step(None)), (1, Stepped::Exited));
    assert_eq!((m.step(Some(SP)), m.pc(SP)), (Stepped::Exited, 1));
    let jump = bundle(0xA9, &[(14, &[3]), (48, &[2])]);
    let mut m = machine(&[(SP, vec![jump, set(1, 1)])]);
    step(&mut m);
    assert_eq!((m.step(None), reg(&m, 1)), (Stepped::Exited, u32::MAX));
    // An empty stream takes part in nothing.
    let mut m = machine(&[(PE, vec![]), (SP, vec![Bundle::of_opcode(0xD5)])]);
    step(&mut m);
    assert_eq!(m.step(None), Stepped::Exited);
}

#[test]
fn patches_are_executed() {
    let mut m = machine(&[(SP, vec![set(1, 1), set(2, 2)])]);
    m.edit(|w| w.set_patch(SP.index() as u8, 0, Some(set(1, 9).bytes())));
    step(&mut m);
    assert_eq!(reg(&m, 1), 9);
    m.undo();
    m.undo();
    step(&mut m);
    assert_eq!(reg(&m, 1), 1, "the cache knows its bytes");
}

#[test]
fn notify_is_a_line_of_the_log() {
    let mut m = machine(&[(SP, vec![bundle(0xA6, &[(13, &[0xAB])])])]);
    step(&mut m);
    assert_eq!(m.report().log, ["SP:0 NOTIFY 00 ab"]);
}

/// A stream that can be read only in part.
struct Torn;

impl crate::sim::Bundles for Torn {
    fn len(&self) -> u64 {
        2
    }
    fn bundle(&self, index: u64) -> Option<Bundle> {
        (index == 0).then(|| Bundle::of_opcode(NOP))
    }
}

#[test]
fn a_lost_file_is_a_fault() {
    let mut m = machine(&[]);
    m.load(SP, Stream::new(Torn));
    step(&mut m);
    assert_eq!(faults(&mut m).rule, "fetch");
}
