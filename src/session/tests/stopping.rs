//! Breakpoints and watches.

use super::*;
use crate::sim::Rect;

/// What a naive look at every record finds: sequence numbers of the bundles that touch a place.
fn oracle(program: &Lines, place: &Place, mode: Watch) -> Vec<u64> {
    let mut s = session(program);
    let all = |s: &Session| {
        let mut bytes = Vec::new();
        s.state().read_into(&place.rect(), &mut bytes).unwrap();
        bytes
    };
    let shares = |r: Rect| {
        r.space == place.space
            && r.partitions()
                .any(|p| (place.part..place.part + place.parts).contains(&p))
            && (r.off..r.end()).any(|o| (place.off..place.off + place.len).contains(&o))
    };
    let mut hits = Vec::new();
    loop {
        let before = all(&s);
        let at = s.mark();
        if run(&mut s, Goal::Steps(1, None)).kind != StopKind::Step {
            return hits;
        }
        let journal = s.machine().journal();
        // The bundle's record and those of transfers that finished with it.
        let mut records = at.position..journal.position();
        let read = records.clone().any(|at| journal.reads(at).any(shares));
        let written = records.any(|at| journal.writes(at).any(shares));
        let hit = match mode {
            Watch::Read => read,
            Watch::Write => written,
            Watch::ReadWrite => read || written,
            Watch::Change => before != all(&s),
        };
        if hit {
            hits.push(at.seq);
        }
    }
}

fn mode() -> impl Strategy<Value = Watch> {
    prop_oneof![
        Just(Watch::Read),
        Just(Watch::Write),
        Just(Watch::ReadWrite),
        Just(Watch::Change)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn watches_find_what_a_scan_finds(
        program in program(), mode in mode(), part in 0..128u64, off in 0..1200u64, len in 1..200u64, tiny: bool,
    ) {
        let mut s = session(&program);
        if tiny {
            // Enough for the former bytes of one bundle, as any real history has.
            s.machine.journal_mut().set_budget(200_000);
            s.timeline.set_budget(1 << 22, (50_000, 3));
        }
        let parts = (128 - part).min(3);
        let watched = place(&s, part, parts, off, len);
        let expected = oracle(&program, &watched, mode);
        s.stops_mut().add(on(StopSpec::Place { access: mode, place: watched }));
        let mut found = Vec::new();
        loop {
            let stop = run(&mut s, Goal::Continue);
            if stop.kind != StopKind::Watch {
                break;
            }
            prop_assert_eq!(s.seq(), stop.seq + 1);
            let hit = &stop.detail.hits[0];
            prop_assert!(watched.clip(&hit.range) == Some(hit.range) && watched.clip(&hit.element) == Some(hit.element));
            if mode == Watch::Change && hit.old.is_some() {
                prop_assert_ne!(hit.old.as_ref(), Some(&hit.new));
            }
            found.push(stop.seq);
        }
        prop_assert_eq!(&found, &expected);
        let mut back = Vec::new();
        loop {
            let stop = run(&mut s, Goal::BackContinue);
            if stop.kind != StopKind::Watch {
                prop_assert_eq!((stop.kind, s.seq()), (StopKind::Start, 0));
                break;
            }
            // The bundle that touched is the next to execute.
            prop_assert_eq!(s.seq(), stop.seq);
            back.push(stop.seq);
        }
        back.reverse();
        prop_assert_eq!(back, expected);
    }

    #[test]
    fn breaks_stop_before_each_bundle_but_the_first(program in program(), op in prop_oneof![Just(0x41u8), Just(0xA4)]) {
        let mut plain = session(&program);
        let mut expected = Vec::new();
        loop {
            let at = plain.seq();
            let stop = run(&mut plain, Goal::Steps(1, None));
            if stop.kind != StopKind::Step {
                // A fault is met before the bundle retires.
                let index = stop.index;
                if stop.kind == StopKind::Fault && plain.machine().bundle(stop.queue.unwrap(), index).unwrap().opcode() == op {
                    expected.push(at);
                }
                break;
            }
            if plain.machine().bundle(stop.queue.unwrap(), stop.index).unwrap().opcode() == op {
                expected.push(stop.seq);
            }
        }
        let last = plain.seq();
        let mut s = session(&program);
        s.stops_mut().add(on(StopSpec::Op(op)));
        let mut found = Vec::new();
        loop {
            let stop = run(&mut s, Goal::Continue);
            if stop.kind != StopKind::Break {
                break;
            }
            prop_assert_eq!(s.seq(), stop.seq);
            found.push(stop.seq);
        }
        let first_is_one = expected.first() == Some(&0);
        prop_assert_eq!(&found[..], &expected[usize::from(first_is_one)..]);
        run(&mut s, Goal::End);
        let mut back = Vec::new();
        while run(&mut s, Goal::BackContinue).kind == StopKind::Break {
            back.push(s.seq());
        }
        back.reverse();
        expected.retain(|seq| *seq < last);
        prop_assert_eq!(back, expected);
    }
}

fn counter(n: usize) -> Session {
    let nop = Line {
        op: Op::Nop,
        wait: 0,
        update: 0x13,
        sem: 1,
        value: 0,
    };
    session(&lines(vec![vec![nop; n]]))
}

#[test]
fn conditions_ignore_once_log() {
    let sem_is = |n| {
        let sem = Expr::Sem(Box::new(Expr::Int(1)));
        Expr::Binary(BinOp::Ge, Box::new(sem), Box::new(Expr::Int(n)))
    };
    let mut s = counter(20);
    let id = s.stops_mut().add(Breakpoint {
        condition: Some((sem_is(5), "sem[1] >= 5".to_owned())),
        ignore: 2,
        ..on(StopSpec::Sem(1))
    });
    let stop = run(&mut s, Goal::Continue);
    assert_eq!(
        (stop.kind, stop.detail.breaks.as_slice()),
        (StopKind::Break, &[id][..])
    );
    assert_eq!((s.state().sem(1), s.stops().get(id).unwrap().hits), (7, 3));
    s.stops_mut().clear();

    let once = s.stops_mut().add(Breakpoint {
        once: true,
        ..on(StopSpec::Op(0xA4))
    });
    let log = s.stops_mut().add(Breakpoint {
        log: true,
        ..on(StopSpec::Pc {
            queue: Queue::Of(Engine::Dve),
            index: 12,
        })
    });
    assert_eq!((once, log), (2, 3));
    assert_eq!(run(&mut s, Goal::Continue).detail.breaks, [once]);
    assert!(s.stops().get(once).is_none());
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Exit);
    assert_eq!(s.take_log(), ["breakpoint 3 at seq 12: pc dve:12"]);

    // A condition without value stops, and says why.
    s.restart().unwrap();
    s.stops_mut().clear();
    s.stops_mut().add(Breakpoint {
        condition: Some((Expr::Old, "$old".to_owned())),
        ..on(StopSpec::Sem(1))
    });
    let stop = run(&mut s, Goal::Continue);
    assert_eq!(
        stop.detail.text.as_deref(),
        Some(
            "condition of breakpoint 4: $old is known only in the condition of a watch on a place"
        )
    );
}

#[test]
fn until_next_and_limits() {
    let mut s = counter(20);
    let seq_is = |n| Expr::Binary(BinOp::Eq, Box::new(Expr::Seq), Box::new(Expr::Int(n)));
    let stop = run(&mut s, Goal::Until(seq_is(6)));
    assert_eq!((stop.kind, s.seq(), stop.seq), (StopKind::Until, 6, 5));
    assert_eq!(run(&mut s, Goal::Until(seq_is(6))).kind, StopKind::Until);
    assert_eq!(s.seq(), 6);
    run(&mut s, Goal::Next(2));
    assert_eq!(s.seq(), 8);
    s.set_limit(3);
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Limit);
    assert_eq!(s.seq(), 11);
    s.set_limit(0);
    s.interrupt()
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Interrupt);
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Exit);
    let stop = run(&mut s, Goal::Steps(1, Some(Queue::Of(Engine::Dve))));
    assert_eq!((stop.kind, stop.seq, stop.index), (StopKind::Exit, 19, 19));
    assert!(matches!(
        s.run(
            Goal::Steps(1, Some(Queue::Of(Engine::Pe))),
            Budget::UNLIMITED
        ),
        Progress::Failed(SessionError::NoStream { .. })
    ));
}

#[test]
fn deadlock_names_who_could_help() {
    let wait = |sem| Line {
        op: Op::Nop,
        wait: 5,
        update: 0,
        sem,
        value: 1,
    };
    let post = |sem| Line {
        op: Op::Nop,
        wait: 0,
        update: 0x13,
        sem,
        value: 0,
    };
    let mut s = session(&lines(vec![vec![wait(0), post(1)], vec![wait(1), post(0)]]));
    let stop = run(&mut s, Goal::Continue);
    assert_eq!(stop.kind, StopKind::Deadlock);
    let [dve, pool] = [Engine::Dve, Engine::Pool].map(Queue::Of);
    let posters: Vec<_> = stop
        .detail
        .blocked
        .iter()
        .map(|b| (b.why.queue, b.posters[0].clone()))
        .collect();
    let at = |queue, index| {
        vec![Poster {
            queue,
            index,
            transfer: false,
            count: 1,
        }]
    };
    // In list order POOL comes before DVE.
    assert_eq!(posters, [(pool, at(dve, 1)), (dve, at(pool, 1))]);
    let circle = Knot::Circle(vec![(pool, 0), (dve, 0)]);
    assert_eq!(stop.detail.knots, std::slice::from_ref(&circle));
    let stop = run(&mut s, Goal::Steps(1, Some(dve)));
    assert_eq!((stop.kind, stop.queue), (StopKind::Blocked, Some(dve)));
    assert_eq!(stop.detail.knots, [circle]);
    let waiting: Vec<_> = stop.detail.blocked.iter().map(|b| b.why.queue).collect();
    assert_eq!(waiting, [dve, pool]);
    s.set_sem(0, &Value::Int(1)).unwrap();
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Exit);
}

#[test]
fn faults_stop_and_can_be_skipped() {
    let mut s = session(&lines(vec![vec![]]));
    let bad = Bundle::of_opcode(0xFF);
    let good = Bundle::of_opcode(0xA4);
    let program = Program {
        streams: vec![stream(Queue::Any, &[good, bad, good])],
        ..Program::default()
    };
    s.reload(program).unwrap();
    let id = s.stops_mut().add(on(StopSpec::Fault));
    let stop = run(&mut s, Goal::Continue);
    assert_eq!(
        (stop.kind, stop.seq, stop.index, s.seq()),
        (StopKind::Fault, 1, 1, 1)
    );
    assert_eq!(stop.detail.fault.unwrap().rule, "bad-opcode");
    assert_eq!(stop.detail.breaks, [id]);
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Fault);
    s.skip(Queue::Any).unwrap();
    assert_eq!(run(&mut s, Goal::Continue).kind, StopKind::Exit);
    assert_eq!(s.seq(), 2);
    // The skip is a record like any other.
    run(&mut s, Goal::Goto(0));
    run(&mut s, Goal::End);
    assert_eq!((s.seq(), s.machine().pc(Queue::Any)), (2, 3));
    assert_eq!(s.machine().pc(Queue::Any), 3);
    assert!(s.state().bytes(Space::Sbuf, 0, 0, 1).is_some());
}

#[test]
fn a_transfer_counts_with_the_bundle_after_which_it_finishes() {
    let line = |op| Line {
        op,
        wait: 0,
        update: 0,
        sem: 1,
        value: 0,
    };
    let mut all = vec![line(Op::Nop); 8];
    all[1] = line(Op::Dma(1, 2));
    let mut s = session(&Lines {
        streams: vec![all],
        delay: 3,
    });
    let watched = place(&s, 0, 1, 150, 4).with_dtype(crate::num::Kind::U8);
    s.stops_mut().add(on(StopSpec::Place {
        access: Watch::Change,
        place: watched,
    }));
    s.stops_mut().add(on(StopSpec::Sem(1)));
    let stop = run(&mut s, Goal::Continue);
    // Issued as number 1, finished three steps later.
    assert_eq!((stop.kind, stop.seq, s.seq()), (StopKind::Watch, 4, 5));
    assert_eq!(stop.detail.breaks, [1, 2]);
    let hit = &stop.detail.hits[0];
    // Source bytes 64 + 22 = 86 of the pattern 1, 2, 3, 4, 5.
    assert_eq!((hit.element.off, hit.new.as_slice()), (150, &[2u8][..]));
    let who = s.who(&watched, 9).unwrap();
    let by: Vec<_> = who.list.iter().map(|t| (t.actor, t.seq, t.index)).collect();
    assert_eq!(by, [(Actor::Transfer, 5, 1)]);
    let end = s.state().digest();
    assert_eq!(run(&mut s, Goal::BackContinue).seq, 4);
    assert_eq!((s.seq(), s.state().sem(1)), (4, 0));
    assert_eq!(s.transfers().len(), 1);
    run(&mut s, Goal::Steps(1, None));
    assert_eq!(s.state().digest(), end);
}
