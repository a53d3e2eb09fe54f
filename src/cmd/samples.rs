//! Programs that are part of the tool.

use super::error::{CmdError, ErrorKind};
use super::launch::told;
use crate::isa::{Generation, Queue};
use crate::program::load::LoadError;
use crate::program::{Program, asm};

/// A sample program.
#[derive(Debug)]
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// Its assembler text.
    pub text: &'static str,
    /// The arrays that the text names.
    pub arrays: &'static [(&'static str, &'static [u8])],
}

/// Name of the sample that is opened when no program is given.
pub const FIRST: &str = "pipeline";

macro_rules! samples {
    ($($name:literal: $($array:literal)*;)*) => {
        /// All samples.
        pub const ALL: &[Sample] = &[$(Sample {
            name: $name,
            text: include_str!(concat!("../../assets/samples/", $name, ".tasm")),
            arrays: &[$((
                concat!($name, ".", $array, ".npy"),
                include_bytes!(concat!("../../assets/samples/", $name, ".", $array, ".npy")),
            )),*],
        }),*];
    };
}

samples! {
    "matmul_relu": "bias" "w0" "w1" "x0" "x1";
    "softmax": "x";
    "layer_norm": "beta" "gamma" "x";
    "pipeline": "w" "x";
    "attention": "eye" "k" "q" "v";
    "rms_norm": "gamma" "x";
    "max_pool": "x";
    "top8": "x";
    "batch_norm": "x";
    "gather": "index" "table";
    "mx_matmul": "w" "ws" "x" "xs";
    "loop": "x";
    "bug-missing-wait":;
    "bug-deadlock":;
    "bug-psum":;
    "bug-fp8":;
    "bug-stride":;
}

/// The sample of a name.
///
/// # Errors
/// There is none.
pub fn find(name: &str) -> Result<&'static Sample, CmdError> {
    ALL.iter().find(|s| s.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|s| s.name).collect();
        let m = format!("no sample `{name}`; there are {}", known.join(", "));
        CmdError::new(ErrorKind::File, m)
    })
}

impl Sample {
    /// The program.
    ///
    /// # Errors
    /// It cannot be assembled for that generation.
    pub fn program(&self, generation: Option<Generation>) -> Result<Program, CmdError> {
        let options = asm::Options {
            generation: generation.unwrap_or(Generation::V3),
            queue: Queue::Any,
            files: asm::Files::Embedded(self.arrays),
        };
        let name = format!("{}.tasm", self.name);
        asm::assemble(self.text, &name, &options).map_err(|e| told(LoadError::Asm(e)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_samples_assemble() {
        for s in ALL {
            let p = s.program(None).unwrap();
            assert!(!p.streams.is_empty() && !p.images.is_empty(), "{}", s.name);
        }
        assert_eq!(find(FIRST).unwrap().name, FIRST);
        assert!(
            find("nothing")
                .unwrap_err()
                .message
                .contains("matmul_relu, softmax")
        );
    }
}
