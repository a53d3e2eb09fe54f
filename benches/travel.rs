//! Speed of time travel and attribution on a run of a million bundles, under the default history budget.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark fails by panicking, and prints its own percentiles"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Queue, Space};
use tpbdbg::num::Kind;
use tpbdbg::program::{Program, Stream};
use tpbdbg::session::{Budget, Goal, Options, Place, Progress, Session, Value};

/// Length of the program.
const BUNDLES: u64 = 1_000_000;

/// isa 01 §6: TENSOR_TENSOR add of 8 fp32 elements in 16 partitions, onto its own source.
const ADD: &str = "41100000 00000000 00000000 aa0a0410 00000000 01000100 01000800 01000100
    00100000 01000100 01000800 01000100 00000000 01000100 01000800 01000100";

/// The whole program executed: each bundle changes 512 bytes, one in four does nothing.
fn session() -> Session {
    let add = Bundle::from_hex(ADD).expect("hex");
    let nop = Bundle::of_opcode(0xA4);
    let bytes = (0..BUNDLES)
        .flat_map(|i| *if i % 4 == 3 { &nop } else { &add }.bytes())
        .collect();
    let program = Program {
        streams: vec![Stream::from_bytes(Queue::Any, "any", bytes)],
        ..Program::default()
    };
    let mut s = Session::new(program, Options::default()).expect("a session");
    for (off, value) in [(0, 0.0), (0x1000, 1.0)] {
        let mut place = place(&s, 0..16, off..off + 32);
        place.dtype = Some(Kind::Fp32);
        s.set_place(&place, &Value::Float(value)).expect("an edit");
    }
    go(&mut s, Goal::Continue);
    assert_eq!(s.seq(), BUNDLES);
    s
}

fn place(s: &Session, parts: std::ops::Range<u64>, bytes: std::ops::Range<u64>) -> Place {
    Place::new(s.state().geometry(), Space::Sbuf, parts, bytes, None).expect("a place")
}

fn go(s: &mut Session, goal: Goal) {
    let progress = s.run(goal, Budget::UNLIMITED);
    assert!(matches!(progress, Progress::Stopped(_)), "{progress:?}");
}

/// Times `f` once per iteration, and prints the median and the slowest hundredth at the end.
fn percentiles(c: &mut Criterion, name: &str, mut f: impl FnMut() -> Duration) {
    let mut all = Vec::new();
    c.bench_function(name, |b| {
        b.iter_custom(|iterations| {
            let times: Vec<Duration> = (0..iterations).map(|_| f()).collect();
            let total = times.iter().sum();
            all.extend(times);
            total
        });
    });
    all.sort();
    if all.is_empty() {
        return;
    }
    let at = |percent: usize| all.get((all.len() * percent / 100).min(all.len() - 1));
    if let (Some(p50), Some(p99)) = (at(50), at(99)) {
        println!("{name}: p50 {p50:?}, p99 {p99:?}");
    }
}

fn all(c: &mut Criterion) {
    let mut s = session();
    percentiles(c, "travel/reverse-step", || {
        if s.seq() < 10 {
            go(&mut s, Goal::End);
        }
        let start = Instant::now();
        go(&mut s, Goal::BackSteps(1));
        start.elapsed()
    });
    let mut n = 0u64;
    percentiles(c, "travel/goto", || {
        n = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let start = Instant::now();
        go(&mut s, Goal::Goto((n >> 20) % BUNDLES));
        start.elapsed()
    });
    go(&mut s, Goal::End);
    let written = place(&s, 3..4, 4..5);
    c.bench_function("travel/who, one byte", |b| {
        b.iter(|| black_box(s.who(&written, 1).expect("known")));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = all
}
criterion_main!(benches);
