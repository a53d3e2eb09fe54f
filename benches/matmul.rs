//! LDWEIGHTS and MATMUL of a full tile, journal on (`cargo bench --bench matmul`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark fails by panicking"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Generation, Queue};
use tpbdbg::sim::{Machine, Policy, Rect, Settings, Space, Stepped, Stream};

/// isa 05 §9: PE-1, PE-2 (bf16, 128 x 128 weights, 512 moving elements).
const LDWEIGHTS: &str = "01100000000000000000000000000000 00100000010001000100800001000100
                         0600000000008080000000000f0f0000 00000000000000000000000000000000";
const MATMUL: &str = "02100000000000000000000000000000 00200000010001000100000201000100
                      0600000000008080000000030f0f0000 00000002010001000100000201000100";

/// A machine with one bundle and bf16 operands that are small numbers.
fn machine(bundle: Bundle, settings: Settings) -> Machine {
    let mut m = Machine::new(Generation::V3, settings, Policy::default());
    m.load(Queue::Any, Stream::new(vec![bundle]));
    m.edit(|w| {
        for (off, n) in [(0x1000, 128u32), (0x2000, 512)] {
            let row: Vec<u8> = (0..n).flat_map(|i| [(i % 128) as u8, 0x3F]).collect();
            let rect = Rect::new(Space::Sbuf, 0, 128, off, 2 * n);
            assert!(w.store_rows(&rect, |_| &row).is_ok());
        }
    });
    m
}

fn run(m: &mut Machine) {
    m.edit(|w| w.set_pc(Queue::Any.index() as u8, 0));
    assert!(matches!(black_box(m.step(None)), Stepped::Retired { .. }));
}

fn bench(c: &mut Criterion) {
    let bundle = |hex| Bundle::from_hex(hex).unwrap_or_default();
    let mut g = c.benchmark_group("pe");
    let mut m = machine(bundle(LDWEIGHTS), Settings::default());
    g.bench_function("ldweights 128x128 bf16", |b| b.iter(|| run(&mut m)));

    g.throughput(Throughput::Elements(128 * 128 * 512));
    for (name, flags, key) in [
        ("matmul 128x128x512 bf16 single", 3, None),
        ("matmul 128x128x512 bf16 accumulate", 2, None),
        (
            "matmul 128x128x512 bf16 f64 sum",
            3,
            Some(("numerics.pe-sum", "f64")),
        ),
    ] {
        let mut settings = Settings::default();
        if let Some((k, v)) = key {
            assert!(settings.set(k, v).is_ok());
        }
        let mut mm = bundle(MATMUL);
        mm.put(43, &[flags]);
        let mut m = machine(mm, settings);
        g.bench_function(name, |b| b.iter(|| run(&mut m)));
    }
    g.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
