//! Speed of decoding: every opcode of the table in turn, the rest of the bundle arbitrary.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tpbdbg::isa::{Bundle, Generation, access, decode, table};

/// One bundle per row of the table and round; the bytes after the opcode come from a counter's hash.
fn stream() -> Vec<Bundle> {
    let rows: Vec<u8> = table::rows().map(|row| row.byte).collect();
    (0..1 << 14)
        .map(|i: usize| {
            let mut bundle = Bundle::default();
            for (n, word) in (0..64).step_by(8).enumerate() {
                let mixed = (i as u64 * 8 + n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                bundle.put(word, &(mixed ^ mixed >> 29).to_le_bytes());
            }
            bundle.put(0, &rows[i % rows.len()..][..1]);
            bundle
        })
        .collect()
}

fn all(c: &mut Criterion) {
    let stream = stream();
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(stream.len() as u64));
    // Row, layout, waits and updates, and the value of every field.
    group.bench_function("fields", |b| {
        b.iter(|| {
            let mut sum = 0;
            for bundle in black_box(&stream) {
                let instr = decode(bundle, Generation::V3);
                black_box(instr.events());
                for field in instr.format.fields {
                    sum ^= field.raw(&instr.bundle);
                }
            }
            sum
        });
    });
    // The operands: dtype, lanes and access pattern of each.
    group.bench_function("operands", |b| {
        b.iter(|| {
            for bundle in black_box(&stream) {
                let instr = decode(bundle, Generation::V3);
                for operand in access::operands(&instr) {
                    black_box(operand);
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);
