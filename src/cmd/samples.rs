//! Programs that are part of the tool.

use super::error::{CmdError, ErrorKind};

/// A sample program.
#[derive(Debug)]
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// Its assembler text.
    pub text: &'static str,
}

/// All samples; the first is opened when no program is given.
pub const ALL: &[Sample] = &[];

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
