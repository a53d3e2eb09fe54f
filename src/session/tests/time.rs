//! Moving in time: however a point is reached, the state there is the same.

use super::*;

/// Something a user does.
#[derive(Clone, Debug)]
enum Act {
    Step(u64),
    StepOn(u8, u64),
    Next(u64),
    Continue,
    Back(u64),
    BackContinue,
    Goto(u64),
    End,
    Sem(u8, u32),
    Store(u8, u8),
    Skip(u8),
    UndoEdit,
    RedoEdit,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1..6u64).prop_map(Act::Step),
        1 => (0..3u8, 1..3u64).prop_map(|(q, n)| Act::StepOn(q, n)),
        1 => (1..3u64).prop_map(Act::Next),
        2 => Just(Act::Continue),
        3 => (1..8u64).prop_map(Act::Back),
        1 => Just(Act::BackContinue),
        3 => (0..20u64).prop_map(Act::Goto),
        1 => Just(Act::End),
        1 => (0..3u8, 0..3u32).prop_map(|(s, v)| Act::Sem(s, v)),
        1 => (0..8u8, any::<u8>()).prop_map(|(o, v)| Act::Store(o, v)),
        1 => (0..3u8).prop_map(Act::Skip),
        1 => Just(Act::UndoEdit),
        1 => Just(Act::RedoEdit),
    ]
}

fn queue(s: &Session, n: u8) -> Queue {
    let queues: Vec<_> = s.machine().queues().collect();
    queues[usize::from(n) % queues.len()]
}

/// Does it; edits and steps of a chosen stream are the only things that need the real session's state to be repeated.
fn perform(s: &mut Session, act: &Act, slice: u64) {
    let go = |s: &mut Session, goal| {
        run_sliced(s, goal, slice);
    };
    match act {
        Act::Step(n) => go(s, Goal::Steps(*n, None)),
        Act::StepOn(q, n) => {
            let q = queue(s, *q);
            go(s, Goal::Steps(*n, Some(q)));
        }
        Act::Next(n) => go(s, Goal::Next(*n)),
        Act::Continue => go(s, Goal::Continue),
        Act::Back(n) => go(s, Goal::BackSteps(*n)),
        Act::BackContinue => go(s, Goal::BackContinue),
        Act::Goto(seq) => go(s, Goal::Goto(*seq)),
        Act::End => go(s, Goal::End),
        Act::Sem(n, v) => {
            s.set_sem(*n, &Value::Int(i128::from(*v))).unwrap();
        }
        Act::Store(off, v) => {
            let p = place(s, 0, 4, u64::from(*off) * 64, 100).with_dtype(crate::num::Kind::U8);
            s.set_place(&p, &Value::Int(i128::from(*v))).unwrap();
        }
        Act::Skip(q) => {
            let q = queue(s, *q);
            let _ = s.skip(q);
        }
        Act::UndoEdit => {
            let _ = s.undo_edit();
        }
        Act::RedoEdit => {
            let _ = s.redo_edit();
        }
    }
}

/// The digest after every number of retired bundles on the path that the time line records, made from scratch.
fn straight(program: &Lines, s: &Session) -> Vec<u64> {
    straight_in(&mut session(program), s)
}

/// The same in a given session, which takes the path of the other.
fn straight_in(fresh: &mut Session, s: &Session) -> Vec<u64> {
    let base = s.timeline.base().position;
    assert_eq!(fresh.timeline.base().position, base);
    let mut digests = Vec::new();
    while fresh.mark().position < s.timeline.end.position {
        let at = fresh.mark().position;
        if let Some(changes) = s.timeline.edit_at(at) {
            fresh.edit(changes.to_vec()).unwrap();
            continue;
        }
        digests.push(fresh.state().digest());
        let stop = run(fresh, Goal::Steps(1, s.timeline.chosen_at(at)));
        assert_eq!(stop.kind, StopKind::Step, "{stop:?}");
    }
    digests.push(fresh.state().digest());
    digests
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn one_run_is_many_small_runs(program in program(), cuts in vec(1..5u64, 0..30), slice in 1..4u64) {
        let (mut a, mut b) = (session(&program), session(&program));
        let end = run(&mut a, Goal::Continue);
        // Breakpoints everywhere must not change what happens.
        let whole = place(&b, 0, 128, 0, 4096);
        b.stops_mut().add(on(StopSpec::Place { access: Watch::ReadWrite, place: whole }));
        b.stops_mut().add(on(StopSpec::Op(0x41)));
        b.stops_mut().add(on(StopSpec::Sem(1)));
        for n in cuts {
            run_sliced(&mut b, Goal::Steps(n, None), slice);
        }
        let mut last = run(&mut b, Goal::Continue);
        while matches!(last.kind, StopKind::Break | StopKind::Watch) {
            last = run(&mut b, Goal::Continue);
        }
        prop_assert_eq!(last.kind, end.kind);
        prop_assert_eq!(a.seq(), b.seq());
        prop_assert_eq!(a.state().digest(), b.state().digest());
    }

    #[test]
    fn every_point_is_the_same_however_reached(
        program in program(), acts in vec(act(), 1..30), slice in 1..9u64, tiny: bool,
    ) {
        let mut s = session(&program);
        if tiny {
            // A log of a few steps, a checkpoint every few.
            s.machine.journal_mut().set_budget(40_000);
            s.timeline.set_budget(1 << 20, (20_000, 4));
        }
        for act in &acts {
            let before = (s.timeline.end, s.seq());
            perform(&mut s, act, slice);
            if matches!(act, Act::Back(_) | Act::BackContinue | Act::Goto(_) | Act::End | Act::UndoEdit | Act::RedoEdit)
                && s.seq() <= before.0.seq {
                prop_assert!(s.timeline.end >= before.0, "{:?} dropped the future", act);
            }
        }
        // Rest where the edits are made.
        let seq = s.seq();
        run_sliced(&mut s, Goal::Goto(seq), slice);
        let digests = straight(&program, &s);
        prop_assert_eq!(s.state().digest(), digests[seq as usize]);
        let reach = s.oldest_seq();
        prop_assert!(reach == 0 || tiny);
        for seq in (0..digests.len() as u64).rev().chain([3, 0, 7, u64::MAX, 5]) {
            let seq = seq.min(digests.len() as u64 - 1);
            run_sliced(&mut s, Goal::Goto(seq), slice);
            prop_assert_eq!(s.seq(), seq);
            prop_assert_eq!(s.state().digest(), digests[seq as usize], "at {}", seq);
        }
        run(&mut s, Goal::End);
        for want in digests.iter().rev().skip(1) {
            run(&mut s, Goal::BackSteps(1));
            prop_assert_eq!(s.state().digest(), *want);
        }
        let stop = run(&mut s, Goal::BackSteps(1));
        prop_assert_eq!(stop.kind, StopKind::Start);
        run(&mut s, Goal::Goto(digests.len() as u64 - 1));
        prop_assert_eq!(s.state().digest(), digests[digests.len() - 1]);
    }

    #[test]
    fn races_are_those_of_the_path(
        program in program(), acts in vec(act(), 1..30), slice in 1..9u64, tiny: bool,
    ) {
        let racing = || {
            let mut s = session(&program);
            s.set_watchfulness(Watchfulness { findings: true, races: true });
            s
        };
        let mut s = racing();
        if tiny {
            s.machine.journal_mut().set_budget(40_000);
            s.timeline.set_budget(1 << 20, (20_000, 4));
        }
        for act in &acts {
            perform(&mut s, act, slice);
        }
        let mut fresh = racing();
        straight_in(&mut fresh, &s);
        prop_assert_eq!(s.all_findings(), fresh.all_findings());
        for f in fresh.all_findings() {
            prop_assert_eq!(s.findings.sites(f.rule, u64::MAX), fresh.findings.sites(f.rule, u64::MAX));
        }
    }

    #[test]
    fn findings_travel(program in program(), back in 0..20u64, tiny: bool) {
        let mut s = session(&program);
        if tiny {
            s.machine.journal_mut().set_budget(20_000);
            s.timeline.set_budget(1 << 20, (10_000, 3));
        }
        run(&mut s, Goal::Continue);
        let (end, all) = (s.seq(), s.findings());
        run(&mut s, Goal::BackSteps(back));
        prop_assert_eq!(s.all_findings(), all.clone());
        let here = s.findings();
        prop_assert!(here.iter().all(|f| f.last.seq < s.seq()));
        // A new path that does the same: an edit, taken into account, then on.
        s.set_sem(200, &Value::Int(1)).unwrap();
        prop_assert_eq!(s.all_findings(), here);
        run(&mut s, Goal::Continue);
        prop_assert_eq!((s.seq(), s.findings()), (end, all));
    }
}

fn nops(n: usize) -> Lines {
    let nop = Line {
        op: Op::Nop,
        wait: 0,
        update: 0x13,
        sem: 0,
        value: 0,
    };
    lines(vec![vec![nop; n]])
}

#[test]
fn a_step_in_the_past_says_what_is_lost() {
    let mut s = session(&nops(10));
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Exit);
    run(&mut s, Goal::Goto(4));
    // Following the recorded path loses nothing.
    assert_eq!(run(&mut s, Goal::Steps(2, None)).detail.lost, 0);
    assert_eq!(run(&mut s, Goal::End).detail.lost, 0);
    assert_eq!(s.seq(), 10);
    run(&mut s, Goal::Goto(4));
    assert_eq!(s.set_sem(5, &Value::Int(1)).unwrap(), 6);
    let stop = run(&mut s, Goal::End);
    assert_eq!((s.seq(), stop.seq, stop.index), (4, 4, 4));
    // A setting gives another future: stepping under it is a new path.
    run(&mut s, Goal::Continue);
    run(&mut s, Goal::Goto(7));
    s.set_setting("numerics.fp8-overflow", "inf").unwrap();
    assert_eq!(run(&mut s, Goal::Steps(1, None)).detail.lost, 3);
}

#[test]
fn a_step_that_cannot_be_made_keeps_the_future() {
    let stuck = Line {
        op: Op::Nop,
        wait: 5,
        update: 0,
        sem: 2,
        value: 1,
    };
    let post = Line {
        wait: 0,
        update: 0x13,
        ..stuck.clone()
    };
    let mut s = session(&lines(vec![vec![stuck], vec![post]]));
    run(&mut s, Goal::Continue);
    let end = s.state().digest();
    run(&mut s, Goal::Goto(0));
    let stop = run(&mut s, Goal::Steps(1, Some(Queue::Of(Engine::Dve))));
    assert_eq!((stop.kind, stop.detail.lost), (StopKind::Blocked, 0));
    run(&mut s, Goal::End);
    assert_eq!((s.seq(), s.state().digest()), (2, end));
}

#[test]
fn settings_that_act_at_load_time_wait_for_a_restart() {
    let mut s = session(&nops(3));
    s.set_sem(9, &Value::Int(7)).unwrap();
    assert_eq!(s.set_setting("init.registers", "zero").unwrap(), When::Now);
    assert_eq!((s.state().reg(0, 3), s.state().sem(9)), (0, 7));
    run(&mut s, Goal::Steps(1, None));
    assert_eq!(
        s.set_setting("init.registers", "ones").unwrap(),
        When::AtRestart
    );
    assert_eq!(s.state().reg(0, 3), 0);
    s.restart().unwrap();
    assert_eq!(
        (s.state().reg(0, 3), s.state().sem(9), s.seq()),
        (u32::MAX, 0, 0)
    );
}

#[test]
fn out_of_reach_is_said() {
    let mut s = session(&nops(200));
    s.machine.journal_mut().set_budget(4000);
    s.timeline.set_budget(1 << 30, (u64::MAX, u64::MAX));
    run(&mut s, Goal::Continue);
    assert_eq!(s.oldest_seq(), 0);
    // Without the first checkpoint only the log is left.
    s.timeline.forget_checkpoints();
    let oldest = s.oldest_seq();
    assert!(oldest > 100);
    match s.run(Goal::Goto(0), Budget::UNLIMITED) {
        Progress::Failed(e) => assert_eq!(
            e.to_string(),
            format!(
                "seq 0 cannot be reached: the history starts at seq {oldest}; a larger `set history` keeps more"
            )
        ),
        other => panic!("{other:?}"),
    }
    let stop = run(&mut s, Goal::BackContinue);
    assert_eq!((stop.kind, stop.seq), (StopKind::Limit, oldest));
}
