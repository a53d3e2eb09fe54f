//! NEFF containers: header, archive, manifests (isa 10).
//!
//! [`unpack`] opens the file and gives its members, [`graph::program`] follows the manifests from `kelf-*.json` to streams,
//! variables and DMA queues. Nothing a file says is trusted: sizes are limited while reading, member names stay names.

mod archive;
mod graph;
mod header;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use thiserror::Error;

pub use archive::unpack;
pub use graph::program;
pub use header::{Form, form};

/// The members of a container by name, without a leading `./`.
pub type Members = BTreeMap<String, Vec<u8>>;

/// An opened container.
#[derive(Clone, Debug, Default)]
pub struct Container {
    /// Its members.
    pub members: Members,
    /// What is worth saying, such as a wrong hash.
    pub notes: Vec<String>,
}

/// Bytes a container of `len` bytes may unpack to, unless the user says otherwise (interface §1).
pub const fn default_limit(len: u64) -> u64 {
    let hundred = len.saturating_mul(100);
    if hundred > 64 << 20 {
        hundred
    } else {
        64 << 20
    }
}

/// Why a container cannot be opened.
#[derive(Debug, Error)]
pub enum NeffError {
    /// A recognised header in a file that is not long enough.
    #[error("damaged container: the header needs {needed} bytes, the file has {len}")]
    Truncated {
        /// Bytes the file must have.
        needed: u64,
        /// Bytes it has.
        len: u64,
    },
    /// Neither of the forms of isa 10 §1.
    #[error("no NEFF container: neither its header nor a gzip or tar archive is at byte 0")]
    NoContainer,
    /// The gzip stream is damaged.
    #[error("the gzip stream at byte {offset:#x} is damaged: {why}")]
    Gzip {
        /// Where it starts in the file.
        offset: u64,
        /// What the decoder said.
        why: std::io::Error,
    },
    /// The archive is damaged.
    #[error("the archive is damaged at its byte {offset:#x}: {why}")]
    Tar {
        /// Byte of the unpacked archive.
        offset: u64,
        /// What the reader said.
        why: std::io::Error,
    },
    /// More than may be unpacked.
    #[error("unpacks to more than {limit} bytes, the limit (`--max-unpacked` changes it)")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// A member that is neither file nor directory.
    #[error("member {name:?} is a {kind}, only files and directories are read")]
    Kind {
        /// Its name.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// A name that leads out of the archive.
    #[error("member {name:?} leads out of the archive")]
    Name {
        /// Its name.
        name: String,
    },
    /// A manifest that is no JSON, or lacks what it must have.
    #[error("{member}: {why}")]
    Manifest {
        /// The member.
        member: String,
        /// What is wrong, with line and column where it is syntax.
        why: String,
    },
}
