//! The 1024-byte header and the forms without it (isa 10 §1).

use md5::{Digest, Md5};
use sha2::Sha256;

use super::NeffError;

/// Bytes of the header.
pub const HEADER: u64 = 0x400;
const DATA_SIZE: usize = 0x10;
const HASH: usize = 0xAC;
const FEATURES: usize = 0x220;
/// Features of which a loader of major version 2 knows nothing.
const UNKNOWN_FEATURES: u64 = 0x7FFF_FFFF_F800_0000;

/// How a file holds its archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Behind a header: gzip when `packed`, of that many bytes.
    Header {
        /// The archive is one gzip stream.
        packed: bool,
        /// Bytes of the archive as stored.
        size: u64,
    },
    /// A gzip stream alone.
    Gzip,
    /// A tar alone.
    Tar,
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

/// The form of a file that starts with `head` (512 bytes are enough) and has `len` bytes; `None`: no container.
///
/// # Errors
/// A header in a file that is too short for it: it is never read as anything else.
pub fn form(head: &[u8], len: u64) -> Result<Option<Form>, NeffError> {
    let version = word(head, 0).filter(|v| matches!(v, 1 | 2));
    if let Some(version) = version
        && word(head, 8) == Some(HEADER)
        && let Some(size) = word(head, DATA_SIZE)
    {
        let needed = size.saturating_add(HEADER);
        if needed > len {
            return Err(NeffError::Truncated { needed, len });
        }
        let packed = version == 2;
        return Ok(Some(Form::Header { packed, size }));
    }
    if head.starts_with(&[0x1F, 0x8B]) {
        return Ok(Some(Form::Gzip));
    }
    if head.get(0x101..0x106) == Some(b"ustar") {
        return Ok(Some(Form::Tar));
    }
    Ok(None)
}

/// What is worth saying about a header: a hash that is not that of the archive, features of a newer compiler.
pub fn notes(file: &[u8], archive: &[u8], packed: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let (algorithm, found) = if packed {
        ("MD5", Md5::digest(archive).to_vec())
    } else {
        ("SHA-256", Sha256::digest(archive).to_vec())
    };
    let stored = file.get(HASH..HASH + found.len()).unwrap_or_default();
    if stored != found {
        notes.push(format!(
            "{algorithm} of the archive is {}, the header says {}: the file was changed or damaged",
            hex(&found),
            hex(stored)
        ));
    }
    let features = word(file, FEATURES).unwrap_or(0) & UNKNOWN_FEATURES;
    if word(file, 0x18) == Some(2) && features != 0 {
        notes.push(format!(
            "feature bits {features:#x} are of a newer compiler"
        ));
    }
    notes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
