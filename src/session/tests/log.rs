//! Attribution against a log that the test keeps itself: what each bundle stores and reads follows from its line, not from records.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::num::Kind;

type Byte = (u16, u64);

/// What a bundle or an edit did in SBUF.
struct Entry {
    seq: u64,
    stored: BTreeSet<Byte>,
    read: BTreeSet<Byte>,
}

/// The bytes of an fp32 walk of some lanes (isa 01 §6, 03 §2): element k is `step * k` elements behind the start.
fn walk(start: u8, count: u8, step: u8, lanes: u8) -> BTreeSet<Byte> {
    let first = |k| u64::from(start) * 64 + u64::from(step) * k * 4;
    (0..u16::from(lanes))
        .flat_map(|p| {
            (0..u64::from(count)).flat_map(move |k| (first(k)..first(k) + 4).map(move |o| (p, o)))
        })
        .collect()
}

fn entry(seq: u64, op: &Op) -> Entry {
    let (stored, read) = match *op {
        Op::Add(a, b, d, count, step, lanes) => {
            let of = |start| walk(start, count, step, lanes);
            (of(d), &of(a) | &of(b))
        }
        Op::Dma(_, to) => (walk(to, 16, 1, 1), BTreeSet::new()),
        Op::Nop | Op::Halt => Default::default(),
    };
    Entry { seq, stored, read }
}

fn inside(p: &Place, bytes: &BTreeSet<Byte>) -> BTreeSet<Byte> {
    let rect = p.rect();
    let holds = |b: &&Byte| {
        rect.partitions().any(|part| part == b.0) && (rect.off..rect.end()).contains(&b.1)
    };
    bytes.iter().filter(holds).copied().collect()
}

fn shown(t: &Touches) -> Vec<(u64, BTreeSet<Byte>)> {
    let bytes = |t: &Touch| {
        let all = t.ranges.iter().flat_map(|r| {
            r.partitions()
                .flat_map(move |p| (r.off..r.end()).map(move |o| (p, o)))
        });
        all.collect()
    };
    t.list.iter().map(|t| (t.seq, bytes(t))).collect()
}

/// Runs bundle after bundle, with edits between, and writes the log.
fn logged(s: &mut Session, program: &Lines, edits: &BTreeMap<u64, u64>) -> Vec<Entry> {
    let streams: BTreeMap<_, _> = fitting(program).into_iter().collect();
    let mut log = Vec::new();
    loop {
        let seq = s.seq();
        if let Some(n) = edits.get(&seq) {
            let p = place(s, n % 3, 2, n * 40, 60).with_dtype(Kind::U8);
            s.set_place(&p, &Value::Int(i128::from(*n))).unwrap();
            let bytes = p.rect().partitions();
            let bytes = bytes.flat_map(|part| (p.off..p.off + p.len).map(move |o| (part, o)));
            log.push(Entry {
                seq,
                stored: bytes.collect(),
                read: BTreeSet::new(),
            });
        }
        let stop = run(s, Goal::Steps(1, None));
        if s.seq() == seq {
            return log;
        }
        let line = streams[&stop.queue.unwrap()][stop.index as usize];
        log.push(entry(seq, &line.op));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn answers_are_those_of_a_log_of_its_own(
        program in program(), edits in vec((0..20u64, 0..9u64), 0..4), part in 0..4u64, off in 0..900u64, len in 1..200u64,
        depth in 1..4usize, most in 1..4usize, back in 0..40u64, tiny: bool,
    ) {
        // Transfers finish with their bundle.
        let program = Lines { delay: 0, ..program };
        let mut s = session(&program);
        if tiny {
            s.machine.journal_mut().set_budget(40_000);
            s.timeline.set_budget(1 << 20, (20_000, 4));
        }
        let edits: BTreeMap<u64, u64> = edits.into_iter().collect();
        let mut log = logged(&mut s, &program, &edits);
        if back < s.seq() && !edits.contains_key(&back) {
            run(&mut s, Goal::Goto(back));
            log.retain(|e| e.seq < back);
        }
        let p = place(&s, part, 3, off, len);
        let here = (s.seq(), s.state().digest());

        // The last `depth` writers of every byte.
        let mut writers: Vec<(u64, BTreeSet<Byte>)> = Vec::new();
        let mut found: BTreeMap<Byte, usize> = BTreeMap::new();
        for e in log.iter().rev() {
            let mut own = inside(&p, &e.stored);
            own.retain(|b| {
                let n = found.entry(*b).or_default();
                *n += 1;
                *n <= depth
            });
            writers.extend((!own.is_empty()).then_some((e.seq, own)));
        }
        let who = s.writers(&p, depth, 1000).unwrap();
        prop_assert_eq!(shown(&who), writers.clone());
        prop_assert_eq!((who.rest, who.known_from), (p.bytes() - found.len() as u64, 0));
        // A list that is cut still knows how long it would be.
        let cut = s.writers(&p, depth, most).unwrap();
        prop_assert_eq!((cut.total, cut.more), (writers.len() as u64, writers.len() > most));
        prop_assert_eq!(shown(&cut), writers.iter().take(most).cloned().collect::<Vec<_>>());

        for access in [Access::Write, Access::Read] {
            let of = |e: &Entry| match access {
                Access::Write => inside(&p, &e.stored),
                Access::Read => inside(&p, &e.read),
            };
            let all = log.iter().map(|e| (e.seq, of(e))).filter(|e| !e.1.is_empty());
            let all: Vec<_> = all.collect();
            let question = Question { access, from: Some(0), to: None, most: 1000, last: false };
            prop_assert_eq!(shown(&s.accesses(&p, &question).unwrap()), all);
        }
        prop_assert_eq!((s.seq(), s.state().digest()), here);
    }
}
