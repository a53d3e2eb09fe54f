//! Speed of a session's run loop: bundles with no breakpoint, and with many watches on places that nothing touches.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark fails by panicking"
)]

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Queue, Space};
use tpbdbg::program::{Program, Stream};
use tpbdbg::session::{
    Breakpoint, Budget, Goal, Options, Place, Progress, Session, StopSpec, Watch,
};

/// Length of the program.
const BUNDLES: u64 = 1 << 14;

/// isa 01 §6: the full TENSOR_TENSOR add, and one that reads its result.
const ADD: &str = "41100000 00000000 00000000 aa0a0480 00000000 01000100 01004000 01000100
    00100000 01000100 01004000 01000100 00200000 01000100 01004000 01000100";

fn session(bundle: Bundle, watches: u64) -> Session {
    let bytes = (0..BUNDLES).flat_map(|_| *bundle.bytes()).collect();
    let program = Program {
        streams: vec![Stream::from_bytes(Queue::Any, "any", bytes)],
        ..Program::default()
    };
    let mut s = Session::new(program, Options::default()).expect("a session");
    let geometry = *s.state().geometry();
    for i in 0..watches {
        let (part, off) = (i % 128, 0x8000 + i / 128 * 0x400);
        let parts = part..part + 1;
        let place =
            Place::new(&geometry, Space::Sbuf, parts, off..off + 64, None).expect("a place");
        let access = if i % 2 == 0 {
            Watch::Write
        } else {
            Watch::ReadWrite
        };
        s.stops_mut().add(Breakpoint {
            id: 0,
            spec: StopSpec::Place { access, place },
            text: String::new(),
            condition: None,
            once: false,
            ignore: 0,
            log: false,
            enabled: true,
            hits: 0,
        });
    }
    s
}

/// The whole program per iteration; taking it back to its start is not part of the time.
fn run(c: &mut Criterion, name: &str, bundle: Bundle) {
    let mut group = c.benchmark_group(name);
    group
        .throughput(Throughput::Elements(BUNDLES))
        .sample_size(20);
    for watches in [0, 256, 1000] {
        let mut s = session(bundle, watches);
        group.bench_function(format!("{watches} watches"), |b| {
            b.iter_custom(|iterations| {
                let mut time = Duration::ZERO;
                for _ in 0..iterations {
                    s.restart().expect("restart");
                    let start = Instant::now();
                    let progress = s.run(Goal::Steps(BUNDLES, None), Budget::UNLIMITED);
                    time += start.elapsed();
                    assert!(matches!(progress, Progress::Stopped(_)), "{progress:?}");
                    assert_eq!(s.seq(), BUNDLES);
                }
                time
            });
        });
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    run(c, "nop", Bundle::of_opcode(0xA4));
    run(c, "add", Bundle::from_hex(ADD).expect("hex"));
}

criterion_group!(benches, all);
criterion_main!(benches);
