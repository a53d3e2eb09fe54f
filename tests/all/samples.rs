//! The shipped samples assemble and are legal.

use std::path::{Path, PathBuf};

use tpbdbg::cmd::samples;
use tpbdbg::isa::{self, Generation, Severity};
use tpbdbg::num::Kind;
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

/// Elements of a .npy of little-endian f4 or u4, in C order.
fn npy(name: &str) -> Vec<f64> {
    let bytes = std::fs::read(dir().join(name)).unwrap();
    let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let (header, body) = bytes[10..].split_at(header);
    let header = String::from_utf8_lossy(header);
    let floats = header.contains("'<f4'");
    assert!(floats || header.contains("'<u4'"), "{name}: {header}");
    elements(body, floats)
}

fn elements(bytes: &[u8], floats: bool) -> Vec<f64> {
    let words = bytes.chunks_exact(4).map(|c| c.try_into().unwrap());
    words
        .map(|c| match floats {
            true => f64::from(f32::from_le_bytes(c)),
            false => f64::from(u32::from_le_bytes(c)),
        })
        .collect()
}

/// Runs a sample to its end, without a finding.
fn finish(name: &str) -> Session {
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
    s
}

/// Compares a place of 4-byte elements with an array: relative to the element above 1, absolute below.
fn compare(s: &Session, place: &str, file: &str, tolerance: f64) {
    let place = s.place(place).unwrap();
    let mut bytes = Vec::new();
    s.state().read_into(&place.rect(), &mut bytes).unwrap();
    let found = elements(&bytes, place.dtype == Some(Kind::Fp32));
    let expected = npy(file);
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * e.abs().max(1.0),
            "{file}[{i}]: {f} instead of {e}"
        );
    }
}

/// Runs a sample to its end and compares the place `y` with the expected array.
fn run(name: &str, tolerance: f64) {
    let s = finish(name);
    compare(&s, "y", &format!("{name}.expected.npy"), tolerance);
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

/// The probabilities are rounded to bf16 between the products, the reference rounds nothing.
#[test]
fn attention_is_close() {
    run("attention", 4e-3);
}

#[test]
fn rms_norm_is_close() {
    run("rms_norm", 1e-5);
}

#[test]
fn max_pool_is_exact() {
    run("max_pool", 0.0);
}

#[test]
fn top8_is_exact() {
    let s = finish("top8");
    compare(&s, "y", "top8.expected.npy", 0.0);
    compare(&s, "at", "top8.at.expected.npy", 0.0);
}

#[test]
fn batch_norm_is_close() {
    run("batch_norm", 1e-5);
}

#[test]
fn gather_is_exact() {
    run("gather", 0.0);
}

#[test]
fn mx_matmul_is_exact() {
    run("mx_matmul", 0.0);
}

#[test]
fn loop_is_exact() {
    run("loop", 0.0);
}

/// Every text of the directory is embedded, with the arrays it names.
#[test]
fn every_sample_is_embedded() {
    let mut texts: Vec<String> = std::fs::read_dir(dir())
        .unwrap()
        .filter_map(|f| {
            let name = f.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".tasm").map(str::to_owned)
        })
        .collect();
    texts.sort();
    let mut embedded: Vec<&str> = samples::ALL.iter().map(|s| s.name).collect();
    embedded.sort_unstable();
    assert_eq!(texts, embedded);
    for s in samples::ALL {
        let (inside, outside) = (s.program(None).unwrap(), sample(s.name));
        assert!(inside.images == outside.images, "{}", s.name);
    }
}

#[test]
fn the_readme_names_every_sample() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    for s in samples::ALL {
        assert!(readme.contains(&format!("`{}`", s.name)), "{}", s.name);
    }
}

#[test]
fn samples_assemble_and_are_legal() {
    for name in samples::ALL.iter().map(|s| s.name) {
        if name.starts_with("bug-") {
            continue;
        }
        let p = sample(name);
        for s in &p.streams {
            for (i, b) in s.bundles().enumerate() {
                let instr = isa::decode(&b.unwrap(), p.generation.unwrap_or(Generation::V3));
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
