//! Speed of the sequencer: bundles per second with the journal on.

#![allow(clippy::panic, reason = "a bench may fail loudly")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Engine, Generation, Queue};
use tpbdbg::sim::{Machine, Policy, Settings, Stepped, Stream};

fn bundle(opcode: u8, parts: &[(usize, &[u8])]) -> Bundle {
    let mut b = Bundle::of_opcode(opcode);
    for (at, bytes) in parts {
        b.put(*at, bytes);
    }
    b
}

/// `r0 = 0; do { r1 = r1 + r0; r0 = r0 + 1 } while true`.
fn counting() -> Vec<Bundle> {
    let word = |reg: u8| bundle(0xA7, &[(12, &[1, 9, 1]), (24, &[reg])]);
    vec![
        word(0),
        word(1),
        bundle(0xA8, &[(12, &[4, 9, 0]), (16, &[1, 0, 0, 0, 1])]),
        bundle(
            0xA8,
            &[(12, &[4, 9, 1]), (16, &[0, 0, 0, 0, 0]), (24, &[1])],
        ),
        bundle(0xA9, &[(14, &[3]), (48, &[2])]),
    ]
}

/// Engine `n` takes a token from semaphore `n` and gives it to the next one's.
fn ring(n: u8) -> Vec<Bundle> {
    let next = (n + 1) % 5;
    vec![
        bundle(0xA4, &[(4, &[0x05, n, 0x14, n]), (8, &[1])]),
        bundle(0xA4, &[(6, &[0x13, next])]),
        bundle(0xA9, &[(14, &[3]), (48, &[0])]),
    ]
}

fn machine(policy: Policy, streams: &[(Queue, Vec<Bundle>)]) -> Machine {
    let mut m = Machine::new(Generation::V3, Settings::default(), policy);
    for (queue, bundles) in streams {
        m.load(*queue, Stream::new(bundles.clone()));
    }
    m
}

fn control(c: &mut Criterion) {
    let sp = Queue::Of(Engine::Sp);
    let engines = Engine::ALL.map(|e| (Queue::Of(e), ring(e as u8)));
    let straight: Vec<Bundle> = (0..1u32 << 20)
        .map(|i| {
            bundle(
                0xA7,
                &[(12, &[1, 9, 1]), (24, &[1]), (32, &i.to_le_bytes())],
            )
        })
        .collect();
    let mut group = c.benchmark_group("control");
    group.throughput(Throughput::Elements(1));
    let cases = [
        ("loop", Policy::RoundRobin, vec![(sp, counting())]),
        ("five-engines", Policy::RoundRobin, engines.to_vec()),
        ("five-engines-random", Policy::Random(1), engines.to_vec()),
        ("five-engines-timed", Policy::Timed, engines.to_vec()),
        ("straight", Policy::RoundRobin, vec![(sp, straight)]),
    ];
    for (name, policy, streams) in cases {
        let mut m = machine(policy, &streams);
        m.edit(|w| w.set_sem(0, 1));
        group.bench_function(name, |b| {
            b.iter(|| match m.step(None) {
                Stepped::Retired { .. } => {}
                Stepped::Exited => m.edit(|w| w.set_pc(sp.index() as u8, 0)),
                other => panic!("{other:?}"),
            });
        });
    }
    group.finish();
}

criterion_group!(benches, control);
criterion_main!(benches);
