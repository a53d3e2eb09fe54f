//! The shipped samples assemble and are legal.

use std::path::{Path, PathBuf};

use tpbdbg::isa::{self, Generation, Severity};
use tpbdbg::program::Program;
use tpbdbg::program::asm::{Files, Options, assemble};

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
