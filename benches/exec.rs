//! Speed of executed bundles with everything on: journal, written bits, read ranges, findings.
//!
//! Programs alternate between two bundles, so that every store changes its destination.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark fails by panicking"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Generation, Queue, Space};
use tpbdbg::sim::{Machine, Policy, Rect, Settings, Stepped, Stream};

const ELEMENTS: u16 = 2048;

/// A machine with two fp32 tensors of 128 x 2048 at 0 and 0x4000, executing `bundles` over and over.
fn machine(bundles: &[Bundle]) -> Machine {
    let mut m = Machine::new(Generation::V3, Settings::default(), Policy::default());
    let row: Vec<u8> = (0..u32::from(ELEMENTS))
        .flat_map(|i| (i as f32).to_le_bytes())
        .collect();
    m.edit(|w| {
        for off in [0, 0x4000, 0x8000] {
            let rect = Rect::new(Space::Sbuf, 0, 128, off, row.len() as u32);
            w.store_rows(&rect, |_| &row).expect("in range");
        }
    });
    let program: Vec<Bundle> = (0..1 << 16).map(|i| bundles[i % bundles.len()]).collect();
    m.load(Queue::Any, Stream::new(program));
    m
}

/// Place of a pattern, its address, its steps and counts.
type Slot<'a> = (usize, u32, &'a [(i16, u16)]);

/// A bundle of the given opcode with control bytes and patterns.
fn bundle(opcode: u8, control: &[(usize, &[u8])], patterns: &[Slot<'_>]) -> Bundle {
    let mut b = Bundle::default();
    b.put(0, &[opcode, 0x10]);
    for (at, bytes) in control {
        b.put(*at, bytes);
    }
    for (at, addr, dims) in patterns {
        b.put(*at, &addr.to_le_bytes());
        for (i, (step, num)) in dims.iter().enumerate() {
            b.put(at + 4 + 2 * i, &step.to_le_bytes());
            b.put(at + 4 + 2 * dims.len() + 2 * i, &num.to_le_bytes());
        }
    }
    b
}

fn tensor_tensor(op: u8, in_dtypes: u8, out: u8, src_step: i16) -> Bundle {
    let n = ELEMENTS / src_step as u16;
    let dims = [(src_step, n), (1, 1), (1, 1)];
    let dst = [(1, n), (1, 1), (1, 1)];
    bundle(
        0x41,
        &[(12, &[in_dtypes, out, op, 128])],
        &[(16, 0, &dims), (32, 0x4000, &dims), (48, 0x8000, &dst)],
    )
}

/// The same add and subtraction as loops over slices, as fast as the host does them: what the figures of the README compare with.
fn plain(c: &mut Criterion) {
    let n = 128 * usize::from(ELEMENTS);
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b = a.clone();
    let mut out = vec![0.0f32; n];
    let mut group = c.benchmark_group("exec");
    group.throughput(Throughput::Elements(n as u64));
    let mut add = true;
    group.bench_function("plain loop fp32", |bench| {
        bench.iter(|| {
            let (a, b) = (black_box(&a), black_box(&b));
            let pairs = out.iter_mut().zip(a.iter().zip(b));
            if add {
                pairs.for_each(|(o, (a, b))| *o = a + b);
            } else {
                pairs.for_each(|(o, (a, b))| *o = a - b);
            }
            add = !add;
            black_box(&mut out);
        });
    });
    group.finish();
}

fn run(c: &mut Criterion, name: &str, elements: u64, bundles: &[Bundle]) {
    run_recording(c, name, elements, bundles, true);
}

/// With `recording` off the journal keeps nothing, and nothing can be undone.
fn run_recording(
    c: &mut Criterion,
    name: &str,
    elements: u64,
    bundles: &[Bundle],
    recording: bool,
) {
    let machine = |bundles: &[Bundle]| {
        let mut m = machine(bundles);
        m.journal_mut().set_recording(recording);
        m
    };
    let mut m = machine(bundles);
    let mut group = c.benchmark_group("exec");
    group.throughput(Throughput::Elements(elements));
    group.bench_function(name, |b| {
        b.iter(|| match m.step(None) {
            Stepped::Retired { done, .. } => {
                black_box(done);
            }
            Stepped::Exited => {
                m = machine(bundles);
            }
            other => panic!("{other:?}"),
        });
    });
    group.finish();
}

fn all(c: &mut Criterion) {
    plain(c);
    let full = 128 * u64::from(ELEMENTS);
    let (add, sub) = (0x04, 0x05);
    let tt = |dtypes, out, step| {
        [
            tensor_tensor(add, dtypes, out, step),
            tensor_tensor(sub, dtypes, out, step),
        ]
    };
    run(c, "tensor_tensor fp32", full, &tt(0xAA, 0x0A, 1));
    let unrecorded = "tensor_tensor fp32, journal off";
    run_recording(c, unrecorded, full, &tt(0xAA, 0x0A, 1), false);
    run(c, "tensor_tensor bf16", full, &tt(0x66, 0x06, 1));
    run(
        c,
        "tensor_tensor fp32 strided",
        full / 4,
        &tt(0xAA, 0x0A, 4),
    );
    let copy = |addr| {
        bundle(
            0x46,
            &[(32, &[0x0A, 0x0A, 128])],
            &[
                (12, addr, &[(1, ELEMENTS), (1, 1), (1, 1), (1, 1)]),
                (44, 0x8000, &[(1, ELEMENTS), (1, 1), (1, 1), (1, 1)]),
            ],
        )
    };
    let mut other = copy(0x4000);
    other.put(56, &1i16.to_le_bytes());
    run(
        c,
        "copy fp32",
        full,
        &[copy(0), tensor_tensor(sub, 0xAA, 0x0A, 1)],
    );
    let reduce = |op| {
        bundle(
            0x42,
            &[(32, &[0x0A, 0x0A, 128, 0, op, 2])],
            &[
                (12, 0, &[(1, 64), (64, ELEMENTS / 64), (1, 1), (1, 1)]),
                (44, 0x8000, &[(1, ELEMENTS / 64), (1, 1), (1, 1), (1, 1)]),
            ],
        )
    };
    run(c, "tensor_reduce fp32", full, &[reduce(add), reduce(0x08)]);
}

criterion_group!(benches, all);
criterion_main!(benches);
