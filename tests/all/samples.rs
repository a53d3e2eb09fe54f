//! The shipped samples assemble and are legal.

use std::path::{Path, PathBuf};

use tpbdbg::isa::{self, Generation, Severity};
use tpbdbg::program::Program;
use tpbdbg::program::asm::{Files, Options, assemble};
use tpbdbg::session::{self, Budget, Goal, Progress, Session, StopKind, Watchfulness};

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples")
}

fn sample(name: &str) -> Program {
    let text = std::fs::read_to_string(dir().join(format!("{name}.tasm"))).unwrap();
    let options = Options {
        files: Files::In(dir()),
        ..Options::new(Generation::V3)
    };
    assemble(&text, name, &options).unwrap_or_else(|e| {
        panic!(
            "{}",
            e.iter().map(|e| e.report()).collect::<Vec<_>>().join("\n")
        )
    })
}

/// Elements of a .npy of little-endian f4, in C order.
fn npy(name: &str) -> Vec<f32> {
    let bytes = std::fs::read(dir().join(name)).unwrap();
    let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    assert!(String::from_utf8_lossy(&bytes[10..10 + header]).contains("'<f4'"));
    bytes[10 + header..]
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect()
}

/// Runs a sample to its end and compares the fp32 place `y` with the expected array.
fn run(name: &str, tolerance: f32) {
    let mut s = Session::new(sample(name), session::Options::default()).unwrap();
    s.set_watchfulness(Watchfulness {
        findings: true,
        races: true,
    });
    let Progress::Stopped(stop) = s.run(Goal::Continue, Budget::UNLIMITED) else {
        panic!("{name} did not stop")
    };
    assert_eq!(stop.kind, StopKind::Exit, "{name}: {stop:?}");
    let found: Vec<_> = s
        .findings()
        .into_iter()
        .filter(|f| f.severity != Severity::Info)
        .collect();
    assert!(found.is_empty(), "{name}: {found:?}");
    let mut bytes = Vec::new();
    s.state()
        .read_into(&s.place("y").unwrap().rect(), &mut bytes)
        .unwrap();
    let found: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    let expected = npy(&format!("{name}.expected.npy"));
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * e.abs().max(1.0),
            "{name}[{i}]: {f} instead of {e}"
        );
    }
}

#[test]
fn matmul_relu_is_exact() {
    run("matmul_relu", 0.0);
}

#[test]
fn softmax_is_close() {
    run("softmax", 1e-6);
}

#[test]
fn layer_norm_is_close() {
    run("layer_norm", 1e-5);
}

#[test]
fn pipeline_is_close() {
    run("pipeline", 1e-6);
}

#[test]
fn samples_assemble_and_are_legal() {
    for name in ["matmul_relu", "softmax", "layer_norm", "pipeline"] {
        let p = sample(name);
        for s in &p.streams {
            for (i, b) in s.bundles().enumerate() {
                let instr = isa::decode(&b.unwrap(), Generation::V3);
                let engine = s.queue.engine().unwrap_or_else(|| instr.home());
                let bad: Vec<_> = isa::check(&instr, Some(engine))
                    .into_iter()
                    .filter(|v| v.severity == Severity::Error)
                    .collect();
                assert!(
                    bad.is_empty(),
                    "{name} {}:{i} {} {bad:#?}",
                    s.queue,
                    instr.name()
                );
            }
        }
    }
}
