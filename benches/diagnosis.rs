//! What it costs to look for findings and races: the same runs with neither, with findings, with both.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark fails by panicking"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Engine, Queue};
use tpbdbg::program::{Program, Stream};
use tpbdbg::session::{Budget, Goal, Options, Progress, Session, Watchfulness};

/// isa 01 §6: the full TENSOR_TENSOR add of 64 fp32 in 128 partitions.
const ADD: &str = "41100000 00000000 00000000 aa0a0480 00000000 01000100 01004000 01000100
    00100000 01000100 01004000 01000100 00200000 01000100 01004000 01000100";

/// Bundles of each stream.
const LEN: u32 = 1 << 13;
/// Bundles of a measured run.
const STEPS: u64 = 1000;

/// An add over other bytes: `elements` fp32, operands at multiples of 8 KiB.
fn add(a: u32, b: u32, to: u32, elements: u16) -> Bundle {
    let mut add = Bundle::from_hex(ADD).expect("hex");
    for (at, block) in [(16, a), (32, b), (48, to)] {
        add.put(at, &(block * 0x2000).to_le_bytes());
        add.put(at + 10, &elements.to_le_bytes());
    }
    add
}

fn with_events(mut b: Bundle, wait: Option<(u8, u32)>, post: Option<u8>) -> Bundle {
    if let Some((sem, value)) = wait {
        b.put(4, &[5, sem]);
        b.put(8, &value.to_le_bytes());
    }
    if let Some(sem) = post {
        b.put(6, &[0x13, sem]);
    }
    b
}

fn stream(engine: Engine, bundle: impl Fn(u32) -> Bundle) -> Stream {
    let bytes = (0..LEN).flat_map(|i| *bundle(i).bytes()).collect();
    Stream::from_bytes(Queue::Of(engine), engine.name(), bytes)
}

/// Two engines over the same buffers, each waiting for the other at every bundle.
fn in_turn(elements: u16) -> Vec<Stream> {
    let dve = stream(Engine::Dve, |i| {
        with_events(add(0, 1, 2 + i % 2, elements), Some((2, i)), Some(1))
    });
    let pool = stream(Engine::Pool, |i| {
        with_events(add(2 + i % 2, 1, 4, elements), Some((1, i + 1)), Some(2))
    });
    vec![dve, pool]
}

fn run(c: &mut Criterion, name: &str, streams: impl Fn() -> Vec<Stream>) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(STEPS));
    for (label, findings, races) in [
        ("findings off", false, false),
        ("findings on", true, false),
        ("race on", true, true),
    ] {
        let program = Program {
            streams: streams(),
            ..Program::default()
        };
        let mut s = Session::new(program, Options::default()).expect("a session");
        s.set_watchfulness(Watchfulness { findings, races });
        group.bench_function(label, |b| {
            b.iter(|| {
                if s.seq() + STEPS > u64::from(LEN) {
                    s.restart().expect("restart");
                }
                match s.run(Goal::Steps(STEPS, None), Budget::UNLIMITED) {
                    Progress::Stopped(stop) => assert_eq!(stop.seq + 1, s.seq()),
                    other => panic!("{other:?}"),
                }
            });
        });
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    run(c, "nop", || {
        vec![stream(Engine::Dve, |_| Bundle::of_opcode(0xA4))]
    });
    run(c, "semaphores", || {
        let nop = |wait, post| with_events(Bundle::of_opcode(0xA4), wait, post);
        vec![
            stream(Engine::Dve, |i| nop(Some((2, i)), Some(1))),
            stream(Engine::Pool, |i| nop(Some((1, i + 1)), Some(2))),
        ]
    });
    run(c, "add 128 x 64", || in_turn(64));
    run(c, "add 128 x 2048", || in_turn(2048));
}

criterion_group!(benches, all);
criterion_main!(benches);
