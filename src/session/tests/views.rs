//! Views against what a naive look at every point finds.

use std::collections::BTreeMap;

use super::*;
use crate::num::Kind;
use crate::sim::{Rect, StepKind};

type Byte = (u16, u64);

/// For every position: what each record stored to and read, byte by byte, in a corner of SBUF.
fn bytes_of(rects: impl Iterator<Item = Rect>, place: &Place) -> Vec<Byte> {
    let mut all: Vec<Byte> = rects
        .filter(|r| r.space == place.space)
        .flat_map(|r| {
            r.partitions()
                .flat_map(move |p| (r.off..r.end()).map(move |o| (p, o)))
        })
        .filter(|(p, o)| {
            (place.part..place.part + place.parts).contains(p)
                && (place.off..place.off + place.len).contains(o)
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Moves: forward, back, edits.
fn moves() -> impl Strategy<Value = Vec<(u8, u64)>> {
    vec((0..4u8, 0..9u64), 1..14)
}

fn perform(s: &mut Session, what: u8, n: u64) {
    match what {
        0 => drop(run(s, Goal::Steps(n, None))),
        1 => drop(run(s, Goal::BackSteps(n))),
        2 => drop(run(s, Goal::Goto(2 * n))),
        _ => {
            let p = place(s, n % 3, 2, n * 40, 60).with_dtype(Kind::U8);
            s.set_place(&p, &Value::Int(i128::from(n))).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn last_writers_are_those_of_a_scan(
        program in program(), moves in moves(), part in 0..4u64, off in 0..900u64, len in 1..200u64, depth in 1..4usize, tiny: bool,
    ) {
        let mut s = session(&program);
        for (what, n) in moves {
            perform(&mut s, what, n);
        }
        let p = place(&s, part, 3, off, len);
        let journal = s.machine().journal();
        let mut owner: BTreeMap<Byte, u64> = BTreeMap::new();
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for at in journal.oldest()..journal.position() {
            let stored = bytes_of(journal.writes(at), &p);
            writes.extend((!stored.is_empty()).then(|| (at, stored.clone())));
            owner.extend(stored.into_iter().map(|b| (b, at)));
            let read = bytes_of(journal.reads(at), &p);
            reads.extend((!read.is_empty()).then_some((at, read)));
        }
        let seqs = |ats: Vec<u64>| -> Vec<u64> { ats.iter().map(|at| journal.record(*at).unwrap().seq).collect() };
        let mut last: Vec<u64> = owner.values().copied().collect();
        last.sort_unstable();
        last.dedup();
        last.reverse();
        let who = s.who(&p, 1000).unwrap();
        prop_assert_eq!(who.list.iter().map(|t| t.seq).collect::<Vec<_>>(), seqs(last));
        prop_assert_eq!(who.rest, p.bytes() - owner.len() as u64);
        prop_assert_eq!((who.known_from, who.more), (0, false));
        // Of `who` exactly the bytes that are its own.
        let mut own: BTreeMap<u64, Vec<Byte>> = BTreeMap::new();
        for (byte, at) in &owner {
            own.entry(*at).or_default().push(*byte);
        }
        for (t, bytes) in who.list.iter().zip(own.values().rev()) {
            prop_assert_eq!(&bytes_of(t.ranges.iter().copied(), &p), bytes);
        }
        let seq_of = |at: &u64| journal.record(*at).unwrap().seq;
        let log = |list: Vec<(u64, Vec<Byte>)>| -> Vec<(u64, Vec<Byte>)> {
            list.into_iter().map(|(at, bytes)| (seq_of(&at), bytes)).collect()
        };
        let (writes, reads) = (log(writes), log(reads));
        // The last `depth` writers of each byte, from the log.
        let mut deep: Vec<(u64, Vec<Byte>)> = Vec::new();
        let mut found: BTreeMap<Byte, usize> = BTreeMap::new();
        for (seq, bytes) in writes.iter().rev() {
            let mut mine = Vec::new();
            for b in bytes {
                let n = found.entry(*b).or_default();
                if *n < depth {
                    *n += 1;
                    mine.push(*b);
                }
            }
            if !mine.is_empty() {
                deep.push((*seq, mine));
            }
        }
        let here = (s.seq(), s.state().digest());
        if tiny {
            // What the log no longer holds is made again.
            s.machine.journal_mut().set_budget(40_000);
            s.timeline.set_budget(1 << 20, (20_000, 4));
        }
        let shown = |t: &Touches| -> Vec<(u64, Vec<Byte>)> {
            t.list.iter().map(|t| (t.seq, bytes_of(t.ranges.iter().copied(), &p))).collect()
        };
        let found = s.writers(&p, depth, 1000).unwrap();
        prop_assert_eq!((shown(&found), found.known_from), (deep, 0));
        for (access, expected) in [(Access::Write, writes), (Access::Read, reads)] {
            let mut ask = |from: Option<u64>, to, most, last| {
                s.accesses(&p, &Question { access, from, to, most, last }).unwrap()
            };
            let all = ask(Some(0), None, 1000, false);
            prop_assert_eq!((shown(&all), all.total, all.more), (expected.clone(), expected.len() as u64, false));
            let (from, to) = (off % 7, off % 7 + len % 9);
            let some: Vec<_> = expected.iter().filter(|e| (from..to).contains(&e.0)).cloned().collect();
            prop_assert_eq!(shown(&ask(Some(from), Some(to), 1000, false)), some.clone());
            let (first, last) = (ask(Some(from), Some(to), 2, false), ask(Some(from), Some(to), 2, true));
            prop_assert_eq!((first.total, first.more), (some.len() as u64, some.len() > 2));
            prop_assert_eq!(shown(&first), some.iter().take(2).cloned().collect::<Vec<_>>());
            prop_assert_eq!(shown(&last), some[some.len().saturating_sub(2)..].to_vec());
        }
        prop_assert_eq!((s.seq(), s.state().digest()), here);
    }

    /// Its roots are the last writers; each link was stored by a record before that of the link it is a part of, which read it.
    #[test]
    fn chains_go_back_in_time(
        program in program(), moves in moves(), part in 0..4u64, off in 0..900u64, len in prop_oneof![1 => 1..60u64, 2 => Just(4u64)], tiny: bool,
    ) {
        let mut s = session(&program);
        for (what, n) in moves {
            perform(&mut s, what, n);
        }
        let p = place(&s, part, 2, off, len);
        let limits = ChainLimits { depth: 6, links: 500 };
        let chain = s.chain(&p, limits).unwrap();
        let roots = chain.links.iter().filter(|l| l.parent.is_none());
        let roots: Vec<_> = roots.filter_map(|l| match &l.origin {
            LinkOrigin::Written(t) => Some((t.seq, l.ranges.clone())),
            _ => None,
        }).collect();
        let who = s.who(&p, 1000).unwrap();
        prop_assert_eq!(roots, who.list.iter().map(|t| (t.seq, t.ranges.clone())).collect::<Vec<_>>());
        for link in &chain.links {
            let Some(LinkOrigin::Written(user)) = link.parent.map(|p| &chain.links[p].origin) else {
                continue;
            };
            if let LinkOrigin::Written(t) = &link.origin {
                prop_assert!(t.seq <= user.seq);
            }
            let journal = s.machine().journal();
            let read: Vec<Byte> = (journal.oldest()..journal.position())
                .filter(|at| journal.record(*at).unwrap().seq == user.seq)
                .flat_map(|at| journal.reads(at).collect::<Vec<_>>())
                .flat_map(|r| r.partitions().flat_map(move |p| (r.off..r.end()).map(move |o| (p, o))).collect::<Vec<_>>())
                .collect();
            for r in &link.ranges {
                for byte in r.partitions().flat_map(|p| (r.off..r.end()).map(move |o| (p, o))) {
                    prop_assert!(read.contains(&byte), "{:?} of {:?}", byte, link);
                }
            }
        }
        if tiny {
            s.machine.journal_mut().set_budget(15_000);
            s.timeline.set_budget(1 << 20, (20_000, 4));
            let mut again = s.chain(&p, limits).unwrap();
            prop_assert_eq!(again.links.len(), chain.links.len());
            // A record larger than the log leaves no bytes of before it: a value may be unknown then, but never another one.
            for (link, known) in again.links.iter_mut().zip(&chain.links) {
                link.value = link.value.or(known.value);
            }
            prop_assert_eq!(again, chain);
        }
    }

    #[test]
    fn heat_follows_time(
        program in program(), moves in moves(), rows in 1..9usize, cols in 1..20usize, off in 0..300u32, len in 1..900u32, reset in 0..9usize,
    ) {
        let mut s = session(&program);
        let window = Window { space: Space::Sbuf, parts: 0..5, bytes: off..off + len };
        let kind = Kind::U8;
        let mut heat = s.heat(&window, rows, cols, Some(kind), HeatMode::Writes);
        let mut since = 0;
        for (i, (what, n)) in moves.into_iter().enumerate() {
            perform(&mut s, what, n);
            if i == reset {
                s.reset_heat();
                since = s.mark().position;
            }
            heat.follow(&s);
            let journal = s.machine().journal();
            let last_bundle = (journal.oldest()..journal.position()).rev().find(|at| journal.record(*at).unwrap().head.kind == StepKind::Retire);
            for (i, found) in heat.cells.iter().enumerate() {
                let (parts, bytes) = (window.row(rows, i / cols), window.column(cols, i % cols, kind));
                let cell = Rect::new(Space::Sbuf, parts.start, parts.end - parts.start, bytes.start.into(), bytes.end - bytes.start);
                let (mut writes, mut reads, mut last, mut just) = (0, 0, (None, None), (false, false));
                for at in journal.oldest()..journal.position() {
                    let stored = journal.writes(at).any(|r| cell.overlaps(&r));
                    let read = journal.reads(at).any(|r| cell.overlaps(&r));
                    writes += u32::from(stored && at >= since);
                    reads += u32::from(read && at >= since);
                    if stored {
                        let r = journal.record(at).unwrap();
                        let edit = r.head.kind == StepKind::Edit;
                        last = (Some(r.seq), Queue::from_index(r.head.agent.into()).filter(|_| !edit));
                    }
                    if Some(at) >= last_bundle && last_bundle.is_some() && journal.record(at).unwrap().head.kind != StepKind::Edit {
                        just = (just.0 || stored, just.1 || read);
                    }
                }
                prop_assert_eq!((found.just_written, found.just_read), just);
                prop_assert_eq!((found.writes, found.reads), (writes, reads));
                prop_assert_eq!((found.written_at, found.owner), last);
                prop_assert_eq!(found.unwritten, s.state().unwritten(&cell));
                prop_assert_eq!(found.bytes, cell.bytes());
            }
        }
    }

    #[test]
    fn no_cell_hides_a_nan(
        part in 0..128u64, at in 0..3000u64, kind in 0..4usize, named: bool, start in 0..7u64,
        parts in (0..128u16, 0..128u16), bytes in (0..7000u32, 1..7000u32), rows in 1..40usize, cols in 1..90usize,
    ) {
        let (kind, bits) = [(Kind::Fp32, 0x7FC0_0001u64), (Kind::Bf16, 0x7FC1), (Kind::Fp16, 0x7E01), (Kind::Fp8E5, 0x7F)][kind];
        let mut s = session(&lines(vec![vec![]]));
        let size = kind.bytes() as u64;
        // Elements around it hold large numbers, which must not win.
        let around = place(&s, 0, 128, start, 7200 / size * size).with_dtype(kind);
        s.set_place(&around, &Value::Float(240.0)).unwrap();
        let off = start + at % (7200 / size) * size;
        let raw: std::sync::Arc<[u8]> = bits.to_le_bytes()[..size as usize].into();
        s.store(Rect::new(Space::Sbuf, part as u16, 1, off, size as u32), raw).unwrap();
        if named {
            s.define("named".to_owned(), Let::Place(around));
        }
        let w = Window { space: Space::Sbuf, parts: parts.0.min(parts.1)..parts.0.max(parts.1) + 1, bytes: bytes.0.min(bytes.1)..bytes.0.max(bytes.1) + 1 };
        // Read as one kind the cells are cut between elements counted from the window; a named place knows where its own begin.
        let w = if named { w } else { Window { bytes: start as u32..(start + 7200 / size * size) as u32, ..w } };
        let heat = s.heat(&w, rows, cols, (!named).then_some(kind), HeatMode::Value);
        let unit = if named { Kind::Fp32 } else { kind };
        for (i, cell) in heat.cells.iter().enumerate() {
            let (ps, bs) = (w.row(rows, i / cols), w.column(cols, i % cols, unit));
            let covers = ps.contains(&(part as u16)) && u64::from(bs.start) < off + size && off < u64::from(bs.end);
            prop_assert!(!covers || cell.nan, "cell {i} {ps:?} {bs:?} covers {off}");
            if named && !covers {
                prop_assert!(!cell.nan, "cell {i} {ps:?} {bs:?} shows a NaN at {off}");
            }
        }
    }

    #[test]
    fn differences_are_those_of_all_bytes(program in program(), a in 0..12u64, b in 0..12u64, with_place: bool) {
        let mut s = session(&program);
        run(&mut s, Goal::Continue);
        s.set_sem(77, &Value::Int(1)).unwrap();
        let end = s.seq();
        let (a, b) = (a.min(end), b.min(end));
        let digest = s.state().digest();
        let all = place(&s, 0, 128, 0, 2048);
        let at = |s: &mut Session, seq| {
            run(s, Goal::Goto(seq));
            let mut bytes = Vec::new();
            s.state().read_into(&all.rect(), &mut bytes).unwrap();
            (bytes, s.state().sem(1), s.state().sem(77))
        };
        let (x, y) = (at(&mut s, a), at(&mut s, b));
        run(&mut s, Goal::Goto(a));
        s.snapshot("a");
        run(&mut s, Goal::End);
        prop_assert_eq!(s.state().digest(), digest);
        let typed = all.with_dtype(Kind::Fp32);
        let sides = (Side::Snapshot("a".to_owned()), Side::Seq(b));
        let diff = s.diff(&sides.0, &sides.1, with_place.then_some(&typed), &Tolerance::default()).unwrap();
        prop_assert_eq!(s.state().digest(), digest);
        let differ: Vec<usize> = (0..x.0.len()).filter(|i| x.0[*i] != y.0[*i]).collect();
        prop_assert_eq!(diff.bytes, differ.len() as u64);
        let covered = bytes_of(diff.ranges.iter().copied(), &all);
        for i in &differ {
            let byte = ((i / 2048) as u16, (i % 2048) as u64);
            prop_assert!(diff.more || covered.binary_search(&byte).is_ok());
        }
        // Ranges begin and end with differences and hold no large equal part.
        prop_assert!(diff.ranges.iter().all(|r| r.len > 0));
        prop_assert!(covered.len() <= differ.len() * GAP);
        if with_place {
            let elements = (0..x.0.len() / 4).filter(|i| x.0[i * 4..i * 4 + 4] != y.0[i * 4..i * 4 + 4]).count();
            prop_assert_eq!(diff.elements.map(|e| e.0), Some(elements as u64));
            prop_assert!(diff.semaphores.is_empty());
        } else {
            let sems: Vec<(u8, u32, u32)> = diff.semaphores.iter().copied().filter(|d| d.0 == 1 || d.0 == 77).collect();
            let expected = [(1, x.1, y.1), (77, x.2, y.2)];
            prop_assert_eq!(sems, expected.into_iter().filter(|d| d.1 != d.2).collect::<Vec<_>>());
        }
    }
}

#[test]
fn cells_hold_what_memory_holds() {
    let mut s = session(&lines(vec![vec![]]));
    let base = 4096;
    for (i, x) in [1.0, -8.0, 0.0, f64::NAN, f64::INFINITY, 2.0]
        .into_iter()
        .enumerate()
    {
        let p = place(&s, 2, 1, base + 4 * i as u64, 4).with_dtype(Kind::Fp32);
        s.set_place(&p, &Value::Float(x)).unwrap();
    }
    let window = Window {
        space: Space::Sbuf,
        parts: 2..4,
        bytes: 4096..4128,
    };
    let heat = s.heat(&window, 2, 2, Some(Kind::Fp32), HeatMode::Value);
    let [a, b, c, d] = heat.cells[..] else {
        panic!()
    };
    assert_eq!(
        (a.magnitude, a.nan, a.inf, a.unwritten),
        (Some(8.0), true, false, 0)
    );
    // The never-written half is not looked at.
    assert_eq!(
        (b.magnitude, b.nan, b.inf, b.unwritten),
        (Some(f32::INFINITY), false, true, 8)
    );
    assert_eq!((c.magnitude, c.unwritten, d.unwritten), (None, 16, 16));
}

#[test]
fn arrays_go_in_and_out() {
    let mut s = session(&lines(vec![vec![]]));
    let npy = |shape: &[u64], values: &[f32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let mut file = Vec::new();
        crate::program::npy::write(&mut file, shape, Kind::Fp32, &bytes, false).unwrap();
        file
    };
    let p = place(&s, 7, 2, 8192, 6).with_dtype(Kind::Bf16);
    let file = npy(&[6], &[1.0, 2.0, 3.0, -4.0, 5.0, 1.0 / 3.0]);
    s.load(&p, file.as_slice()).unwrap();
    // 1/3 in bf16: 0x3EAB by rounding up.
    assert_eq!(
        s.state().bytes(Space::Sbuf, 8, 8192, 6),
        Some(&[0x80, 0xC0, 0xA0, 0x40, 0xAB, 0x3E][..])
    );
    let mut out = Vec::new();
    s.dump(&p, &mut out, false).unwrap();
    let back = crate::program::npy::read(out.as_slice(), Kind::Fp32).unwrap();
    assert_eq!(back.shape, [2, 3]);
    assert_eq!(back.bytes[20..], f32::from_bits(0x3EAB_0000).to_le_bytes());
    assert_eq!(
        s.compare(&p, file.as_slice(), &Tolerance::default())
            .unwrap()
            .mismatches,
        0
    );
    let other = npy(&[2, 3], &[1.0, 2.0, 3.5, -4.0, 5.0, f32::NAN]);
    let c = s
        .compare(
            &p,
            other.as_slice(),
            &Tolerance {
                abs: 0.5,
                ..Tolerance::default()
            },
        )
        .unwrap();
    assert_eq!((c.elements, c.mismatches, c.max_diff), (6, 1, 0.5));
    let first = c.first.unwrap();
    assert_eq!(first.at.to_string(), "sbuf[8, 0x2004+2] as bf16");
    let e = s.load(&p, npy(&[5], &[0.0; 5]).as_slice()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "sbuf[7:9, 0x2000+6] as bf16 has 6 elements, the array has shape [5]"
    );
    let untyped = Place { dtype: None, ..p };
    assert!(
        s.load(&untyped, file.as_slice())
            .unwrap_err()
            .to_string()
            .contains("no dtype")
    );
    // An edit like any other.
    s.undo_edit().unwrap();
    assert_eq!(s.state().bytes(Space::Sbuf, 8, 8192, 1), Some(&[0xFF][..]));
}
