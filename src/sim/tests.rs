//! Properties of the storage and the journal: time runs both ways, exactly, under any budget.

use super::journal::DEFAULT_BUDGET;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SMALL: Geometry = Geometry {
    sbuf_bytes: 5000,
    psum_bytes: 300,
    dram_bytes: 70_000,
};

#[derive(Clone, Debug)]
enum Op {
    Store(Runs, u8),
    Read(Rect),
    Reg(u8, u8, u32),
    Sem(u8, u32),
    Event(u8, bool),
    Pc(u8, u64),
    Flags(u8, u8),
    Hidden(Region, u32),
    Sched(u8, u64),
    Patch(u8, u64, Option<u8>),
}

#[derive(Clone, Debug)]
struct Step {
    kind: StepKind,
    ops: Vec<Op>,
    abort: bool,
}

fn rect() -> impl Strategy<Value = Rect> {
    let chip = |space, bytes: u64| {
        let off = prop_oneof![Just(0u64), Just(60), Just(64), 0..bytes];
        let len = prop_oneof![Just(1u32), Just(64), 0..200u32, 0..5000u32];
        (0..128u16, 1..6u16, off, len).prop_map(move |(part, parts, off, len)| {
            let len = len.min((bytes - off) as u32);
            Rect::new(space, part, parts.min(128 - part), off, len)
        })
    };
    let off = prop_oneof![Just(0u64), 32_000..33_000u64, 0..70_000u64];
    let dram =
        (off, 0..9000u32).prop_map(|(off, len)| Rect::dram(off, len.min((70_000 - off) as u32)));
    prop_oneof![chip(Space::Sbuf, 5000), chip(Space::Psum, 300), dram]
}

fn runs() -> impl Strategy<Value = Runs> {
    let strided = (rect(), 1..9u32, 0..5u32, 2..40u32).prop_map(|(r, len, gap, count)| {
        let fits = r.len / (len + gap);
        Runs::new(
            Rect {
                len: len.min(r.len),
                ..r
            },
            len + gap,
            count.min(fits).max(1),
        )
        .unwrap()
    });
    prop_oneof![3 => rect().prop_map(Runs::from), 1 => strided]
}

fn op() -> impl Strategy<Value = Op> {
    let region = (0..Region::ALL.len(), 0..300u32, 0..300u32)
        .prop_map(|(i, a, n)| Region::ALL[i].slice(a, n));
    prop_oneof![
        6 => (runs(), 0..3u8).prop_map(|(r, v)| Op::Store(r, v)),
        1 => rect().prop_map(Op::Read),
        1 => (0..7u8, 0..70u8, any::<u32>()).prop_map(|(a, r, v)| Op::Reg(a, r, v)),
        1 => (any::<u8>(), any::<u32>()).prop_map(|(s, v)| Op::Sem(s, v)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(e, v)| Op::Event(e, v)),
        1 => (0..7u8, any::<u64>()).prop_map(|(a, v)| Op::Pc(a, v)),
        1 => (0..7u8, any::<u8>()).prop_map(|(a, v)| Op::Flags(a, v)),
        1 => (region, any::<u32>()).prop_map(|(r, v)| Op::Hidden(r, v)),
        1 => (any::<u8>(), any::<u64>()).prop_map(|(s, v)| Op::Sched(s, v)),
        1 => (0..3u8, 0..4u64, any::<Option<u8>>()).prop_map(|(a, i, b)| Op::Patch(a, i, b)),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![3 => Just(StepKind::Retire), 1 => Just(StepKind::Edit)];
    let step = (kind, vec(op(), 0..6), prop::bool::weighted(0.1));
    vec(
        step.prop_map(|(kind, ops, abort)| Step { kind, ops, abort }),
        1..20,
    )
}

/// The bytes a store writes: rewriting with the same `seed` stores equal bytes.
fn data(runs: &Runs, seed: u8) -> Vec<u8> {
    (0..runs.bytes())
        .map(|i| seed.wrapping_mul(i as u8))
        .collect()
}

fn apply(w: &mut Writer<'_>, op: &Op) {
    match op {
        Op::Store(runs, seed) => w.store_runs(runs, &data(runs, *seed)).unwrap(),
        Op::Read(rect) => w.read(*rect),
        Op::Reg(a, r, v) => w.set_reg(*a, *r, *v),
        Op::Sem(s, v) => w.set_sem(*s, *v),
        Op::Event(e, v) => w.set_event(*e, *v),
        Op::Pc(a, v) => w.set_pc(*a, *v),
        Op::Flags(a, v) => w.set_flags(*a, *v),
        Op::Hidden(r, v) => w.change_hidden(*r, |words| words.iter_mut().for_each(|x| *x ^= v)),
        Op::Sched(s, v) => w.set_sched(*s, *v),
        Op::Patch(a, i, b) => w.set_patch(*a, *i, b.map(|b| [b; 64]).as_ref()),
    }
}

fn head(step: &Step) -> StepHead {
    StepHead {
        kind: step.kind,
        agent: 0,
        index: 7,
    }
}

/// Runs all steps; gives the states at every position from the start.
fn run(state: &mut State, journal: &mut Journal, steps: &[Step]) -> Vec<State> {
    let mut states = vec![state.clone()];
    for step in steps {
        let mut w = Writer::begin(state, journal, head(step));
        step.ops.iter().for_each(|op| apply(&mut w, op));
        if step.abort {
            w.abort();
            assert!(
                *state == states[states.len() - 1],
                "an aborted step changed the state"
            );
        } else {
            w.commit();
            states.push(state.clone());
        }
    }
    states
}

fn back_and_forth(
    state: &mut State,
    journal: &mut Journal,
    states: &[State],
) -> Result<(), TestCaseError> {
    let end = journal.end();
    prop_assert_eq!(end as usize, states.len() - 1);
    prop_assert!(journal.oldest() <= journal.floor() && journal.floor() <= end);
    while journal.undo_one(state).is_some() {
        let then = &states[journal.position() as usize];
        prop_assert!(*state == *then);
        prop_assert_eq!(state.digest(), then.digest());
    }
    prop_assert_eq!(journal.position(), journal.floor());
    while journal.redo_one(state).is_some() {
        prop_assert!(*state == states[journal.position() as usize]);
    }
    prop_assert_eq!(journal.position(), end);
    Ok(())
}

/// Every byte and its written bit.
fn cells(state: &State) -> Vec<Vec<u8>> {
    let g = state.geometry();
    let whole = |space| Rect {
        space,
        part: 0,
        parts: g.partitions(space),
        off: 0,
        len: g.bytes(space) as u32,
    };
    Space::ALL
        .iter()
        .map(|s| {
            let mut out = Vec::new();
            state.read_into(&whole(*s), &mut out).unwrap();
            out
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn undo_then_redo_is_exact(steps in steps()) {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        let states = run(&mut state, &mut journal, &steps);
        prop_assert_eq!(journal.floor(), 0);
        back_and_forth(&mut state, &mut journal, &states)?;
        back_and_forth(&mut state, &mut journal, &states)?;
    }

    #[test]
    fn what_a_tiny_budget_leaves_is_exact(steps in steps(), budget in 0..60_000u64, later in 0..60_000u64) {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::new(budget));
        let states = run(&mut state, &mut journal, &steps);
        prop_assert!(journal.used() <= budget);
        back_and_forth(&mut state, &mut journal, &states)?;
        journal.set_budget(later);
        prop_assert!(journal.used() <= later);
        back_and_forth(&mut state, &mut journal, &states)?;
    }

    #[test]
    fn a_new_step_in_the_past_forgets_the_future(a in steps(), b in steps(), back in 0..20usize) {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        let mut states = run(&mut state, &mut journal, &a);
        let undone = (0..back).take_while(|_| journal.undo_one(&mut state).is_some()).count();
        let seq = journal.seq();
        prop_assert_eq!(journal.truncate_future(), undone as u64);
        prop_assert_eq!((journal.seq(), journal.end_seq()), (seq, seq));
        states.truncate(states.len() - undone);
        states.extend(run(&mut state, &mut journal, &b).into_iter().skip(1));
        back_and_forth(&mut state, &mut journal, &states)?;
    }

    #[test]
    fn writes_cover_exactly_what_was_stored(steps in steps()) {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        let mut at = 0;
        for step in steps.iter().filter(|s| !s.abort) {
            let before = cells(&state);
            let mut w = Writer::begin(&mut state, &mut journal, head(step));
            let mut model: BTreeMap<(Space, u16, u64), u8> = BTreeMap::new();
            for op in &step.ops {
                apply(&mut w, op);
                let Op::Store(runs, seed) = op else { continue };
                let bytes = data(runs, *seed);
                let mut next = bytes.iter();
                for part in runs.first.partitions() {
                    for off in runs.offsets().flat_map(|o| o..o + u64::from(runs.first.len)) {
                        model.insert((runs.first.space, part, off), *next.next().unwrap());
                    }
                }
            }
            w.commit();
            let mut covered: Vec<_> = journal.writes(at).flat_map(|r| {
                r.partitions().flat_map(move |p| (r.off..r.end()).map(move |o| (r.space, p, o)))
            }).collect();
            covered.sort();
            covered.dedup();
            prop_assert_eq!(&covered, &model.keys().copied().collect::<Vec<_>>());

            let mut expected = before;
            for ((space, part, off), byte) in &model {
                let s = *space as usize;
                expected[s][usize::from(*part) * SMALL.bytes(*space) as usize + *off as usize] = *byte;
                let cell = Rect { space: *space, part: *part, parts: 1, off: *off, len: 1 };
                prop_assert!(state.is_written(&cell), "{}", cell);
            }
            prop_assert!(expected == cells(&state));
            at += 1;
        }
    }

    #[test]
    fn former_bytes_are_seen_without_moving(steps in steps(), rect in rect(), budget in 0..200_000u64) {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::new(budget));
        let states = run(&mut state, &mut journal, &steps);
        for _ in 0..2 {
            for (position, then) in states.iter().enumerate() {
                let known = (journal.floor()..=journal.position()).contains(&(position as u64));
                let mut bytes = Vec::new();
                then.read_into(&rect, &mut bytes).unwrap();
                prop_assert_eq!(journal.bytes_at(&state, position as u64, &rect), known.then_some(bytes));
            }
            journal.undo_one(&mut state);
        }
    }

    #[test]
    fn sequence_numbers_count_retired_bundles(steps in steps()) {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        run(&mut state, &mut journal, &steps);
        let kept: Vec<_> = steps.iter().filter(|s| !s.abort).collect();
        let retired = |n: usize| kept[..n].iter().filter(|s| s.kind == StepKind::Retire).count() as u64;
        for p in 0..=kept.len() {
            prop_assert_eq!(journal.seq_at(p as u64), retired(p));
            let all: Vec<_> = (0..=kept.len()).filter(|q| retired(*q) == retired(p)).map(|q| q as u64).collect();
            prop_assert_eq!(journal.positions_of(retired(p)).unwrap().collect::<Vec<_>>(), all);
        }
        prop_assert_eq!(journal.positions_of(journal.end_seq() + 1), None);
    }

    #[test]
    fn unrecorded_steps_change_the_state_alike(steps in steps()) {
        let steps: Vec<_> = steps.into_iter().filter(|s| !s.abort).collect();
        let (mut a, mut b) = (State::new(SMALL, Reset::default()), State::new(SMALL, Reset::default()));
        let (mut on, mut off) = (Journal::new(DEFAULT_BUDGET), Journal::default());
        off.set_recording(false);
        run(&mut a, &mut on, &steps);
        run(&mut b, &mut off, &steps);
        prop_assert!(a == b);
        prop_assert_eq!((off.seq(), off.position(), off.used()), (on.seq(), on.position(), 0));
        prop_assert!(off.undo_one(&mut b).is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn checkpoints_restore_in_any_order(steps in steps(), jumps in vec(any::<prop::sample::Index>(), 1..8)) {
        let steps: Vec<_> = steps.into_iter().filter(|s| !s.abort).collect();
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        let mut points = vec![(state.checkpoint(), state.clone())];
        for step in &steps {
            run(&mut state, &mut journal, std::slice::from_ref(step));
            points.push((state.checkpoint(), state.clone()));
        }
        // Leave pages dirty before the first jump.
        run(&mut state, &mut journal, &steps);
        for jump in jumps {
            let i = jump.index(points.len());
            let (point, then) = &points[i];
            state.restore(point);
            prop_assert!(state == *then);
            prop_assert_eq!(state.digest(), then.digest());
            // Steps made after a jump show up in later jumps only if dirty pages are tracked.
            run(&mut state, &mut Journal::default(), &steps[i.min(steps.len())..]);
            prop_assert!(state == points[points.len() - 1].1);
        }
        let mut other = State::new(Geometry { dram_bytes: 5, ..SMALL }, Reset { memory: 0, registers: 0 });
        other.restore(&points[0].0);
        prop_assert!(other == points[0].1);
    }

    #[test]
    fn undo_goes_on_behind_a_restored_checkpoint(steps in steps(), to in any::<prop::sample::Index>()) {
        let steps: Vec<_> = steps.into_iter().filter(|s| !s.abort).collect();
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        let to = to.index(steps.len() + 1);
        let mut states = run(&mut state, &mut journal, &steps[..to]);
        let (point, seq) = (state.checkpoint(), journal.seq());
        states.extend(run(&mut state, &mut journal, &steps[to..]).into_iter().skip(1));
        state.restore(&point);
        journal.rebase(to as u64, seq);
        prop_assert_eq!((journal.position(), journal.seq(), journal.end()), (to as u64, seq, to as u64));
        back_and_forth(&mut state, &mut journal, &states[..=to])?;
        run(&mut state, &mut journal, &steps[to..]);
        back_and_forth(&mut state, &mut journal, &states)?;
    }
}

#[test]
fn a_checkpoint_costs_what_changed() {
    let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
    let head = StepHead {
        kind: StepKind::Edit,
        agent: 0,
        index: 0,
    };
    let mut cost_after = |rect: Rect| {
        let mut w = Writer::begin(&mut state, &mut journal, head);
        w.change(&rect.into(), |b| b.fill(1)).unwrap();
        w.commit();
        state.checkpoint().cost()
    };
    cost_after(Rect::new(Space::Sbuf, 0, 128, 0, 5000));
    let tables = cost_after(Rect::dram(0, 0));
    let (page, dram_page) = (memory::PAGE as u64, dram::PAGE as u64);
    assert_eq!(
        cost_after(Rect::new(Space::Sbuf, 9, 1, 0, 1)) - tables,
        page
    );
    assert_eq!(
        cost_after(Rect::new(Space::Psum, 0, 128, 10, 4)) - tables,
        128 * page
    );
    assert_eq!(
        cost_after(Rect::dram(dram_page - 1, 2)) - tables,
        2 * dram_page
    );
    assert_eq!(cost_after(Rect::dram(0, 0)), tables);
}

#[test]
fn a_jump_out_of_the_log_starts_an_empty_one_there() {
    let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
    let head = StepHead {
        kind: StepKind::Retire,
        agent: 0,
        index: 0,
    };
    let mut step = |journal: &mut Journal| {
        let mut w = Writer::begin(&mut state, journal, head);
        w.set_sem(1, 2);
        w.store(&Rect::dram(3, 2), &[1, 2]).unwrap();
        w.commit()
    };
    step(&mut journal);
    journal.rebase(100, 90);
    assert_eq!(
        (
            journal.oldest(),
            journal.floor(),
            journal.position(),
            journal.seq()
        ),
        (100, 100, 100, 90)
    );
    assert_eq!(journal.used(), 0);
    assert_eq!(
        step(&mut journal),
        StepDone {
            at: 100,
            seq: 90,
            undoable: true
        }
    );
    assert_eq!(
        (journal.oldest(), journal.end(), journal.end_seq()),
        (100, 101, 91)
    );
    assert_eq!(journal.writes(100).collect::<Vec<_>>(), [Rect::dram(3, 2)]);
}

#[test]
fn fresh_memory_holds_the_reset_values() {
    let state = State::new(SMALL, Reset::default());
    assert_eq!(
        state.bytes(Space::Sbuf, 127, 4990, 10),
        Some(&[0xFF; 10][..])
    );
    assert_eq!(state.bytes(Space::Sbuf, 127, 4990, 11), None);
    assert_eq!(state.bytes(Space::Psum, 128, 0, 1), None);
    assert_eq!(state.reg(0, 0), u32::MAX);
    assert!(!state.reg_defined(0, 0));
    assert_eq!(
        state.unwritten(&Rect::new(Space::Sbuf, 0, 128, 0, 5000)),
        128 * 5000
    );
    assert_eq!(state.unwritten(&Rect::dram(4000, 200)), 200);
    let zero = State::new(
        SMALL,
        Reset {
            memory: 0,
            registers: 0,
        },
    );
    assert_eq!(zero.bytes(Space::Psum, 0, 0, 2), Some(&[0, 0][..]));
    assert_ne!(zero.digest(), state.digest());
}

#[test]
fn accesses_outside_the_memory_change_nothing() {
    let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
    let start = state.digest();
    let outside = [
        Rect::new(Space::Sbuf, 0, 1, 4999, 2),
        Rect::new(Space::Sbuf, 127, 2, 0, 1),
        Rect::new(Space::Psum, u16::MAX, u16::MAX, u64::MAX, u32::MAX),
        Rect {
            part: 1,
            ..Rect::dram(0, 4)
        },
        Rect {
            parts: 2,
            ..Rect::dram(0, 4)
        },
        Rect::dram(u64::MAX - 1, 8),
    ];
    let mut w = Writer::begin(
        &mut state,
        &mut journal,
        StepHead {
            kind: StepKind::Edit,
            agent: 0,
            index: 0,
        },
    );
    for rect in outside {
        let error = w
            .change(&rect.into(), |_| unreachable!("outside"))
            .unwrap_err();
        assert!(
            matches!(error, MemError::Bounds { rect: r, .. } if r == rect),
            "{error}"
        );
        assert!(w.state().read_into(&rect, &mut Vec::new()).is_err());
    }
    let short = w.store(&Rect::dram(0, 4), &[1, 2, 3]);
    assert!(matches!(short, Err(MemError::Size { found: 3, .. })));
    w.commit();
    assert_eq!(state.digest(), start);
}

#[test]
fn one_store_per_row_equals_packed_bytes() {
    let rect = Rect::new(Space::Sbuf, 3, 4, 70, 100);
    let bytes: Vec<u8> = (0..400u32).map(|i| i as u8).collect();
    let digest = |store: &dyn Fn(&mut Writer<'_>) -> Result<(), MemError>| {
        let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
        let mut w = Writer::begin(
            &mut state,
            &mut journal,
            StepHead {
                kind: StepKind::Edit,
                agent: 0,
                index: 0,
            },
        );
        store(&mut w).map(|()| w.commit())?;
        Ok(state.digest())
    };
    let packed = digest(&|w| w.store(&rect, &bytes));
    assert!(packed.is_ok());
    assert_eq!(
        packed,
        digest(&|w| w.store_rows(&rect, |i| &bytes[100 * i..100 * (i + 1)]))
    );
    assert!(matches!(
        digest(&|w| w.store_rows(&rect, |_| &bytes[..99])),
        Err::<u64, _>(MemError::Size { found: 99, .. })
    ));
}

/// Fills a rectangle in a step of its own; gives how the step ended and the growth of the log.
fn fill(state: &mut State, journal: &mut Journal, rect: Rect, byte: u8) -> (StepDone, u64) {
    let used = journal.used();
    let head = StepHead {
        kind: StepKind::Retire,
        agent: 0,
        index: 0,
    };
    let mut w = Writer::begin(state, journal, head);
    w.change(&rect.into(), |b| b.fill(byte)).unwrap();
    (w.commit(), journal.used().saturating_sub(used))
}

#[test]
fn first_writes_and_equal_rewrites_keep_the_range_without_payload() {
    let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
    let rect = Rect::new(Space::Psum, 0, 8, 0, 256);
    let grown = [7, 7, 8].map(|byte| fill(&mut state, &mut journal, rect, byte).1);
    assert!(
        grown[0] < 256 && grown[1] < 256 && grown[2] > 2048,
        "{grown:?}"
    );
    assert!((0..3).all(|at| journal.writes(at).eq([rect])));
}

#[test]
fn a_giant_step_is_the_horizon_of_undo_but_keeps_its_ranges() {
    let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::new(64 << 10));
    let small = Rect::new(Space::Sbuf, 0, 1, 0, 16);
    let giant = Rect::new(Space::Sbuf, 0, 128, 0, 100);
    let steps = [(giant, 1), (small, 2), (giant, 3), (small, 4)];
    let undoable = steps.map(|(rect, byte)| fill(&mut state, &mut journal, rect, byte).0.undoable);
    assert_eq!(undoable, [true, true, false, true]);
    assert_eq!(
        (journal.oldest(), journal.floor(), journal.position()),
        (0, 3, 4)
    );
    assert!(journal.writes(2).eq([giant]));
    assert!(journal.undo_one(&mut state).is_some());
    assert!(journal.undo_one(&mut state).is_none());
}

#[test]
fn reads_are_listed_joined_where_they_touch() {
    let (mut state, mut journal) = (State::new(SMALL, Reset::default()), Journal::default());
    let mut step = |rects: &[Rect]| {
        let mut w = Writer::begin(
            &mut state,
            &mut journal,
            StepHead {
                kind: StepKind::Retire,
                agent: 0,
                index: 0,
            },
        );
        rects.iter().for_each(|r| w.read(*r));
        w.commit();
    };
    let row = |part, off| Rect::new(Space::Sbuf, part, 1, off, 4);
    step(&[row(0, 0), row(1, 0), row(2, 0), row(5, 0), row(5, 4)]);
    step(&[row(5, 8), Rect::new(Space::Sbuf, 0, 0, 0, 4)]);
    let expected = [
        Rect::new(Space::Sbuf, 0, 3, 0, 4),
        Rect::new(Space::Sbuf, 5, 1, 0, 8),
    ];
    assert_eq!(journal.reads(0).collect::<Vec<_>>(), expected);
    assert_eq!(journal.reads(1).collect::<Vec<_>>(), [row(5, 8)]);
}
