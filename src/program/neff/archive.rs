//! From the bytes of a file to its members (isa 10 §1.2).

use std::io::Read;

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use super::header::{self, Form, HEADER};
use super::{Container, NeffError};

/// Members that no loader reads.
const SKIPPED: &str = "wavegraph-bin.json";
/// What one member costs besides its bytes, so that many empty ones reach the limit, too.
const PER_MEMBER: u64 = 512;

/// Opens a container; `limit` is on the bytes of the archive and of its members together.
///
/// # Errors
/// Damage, a limit, a member that is no plain file of the archive.
pub fn unpack(file: &[u8], limit: u64) -> Result<Container, NeffError> {
    let form = header::form(file, file.len() as u64)?.ok_or(NeffError::NoContainer)?;
    let mut notes = Vec::new();
    let (packed, offset, stored) = match form {
        Form::Gzip => (true, 0, file),
        Form::Tar => (false, 0, file),
        Form::Header { packed, size } => {
            let start = HEADER as usize;
            let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
            let stored = file.get(start..end).unwrap_or_default();
            notes = header::notes(file, stored, packed);
            (packed, HEADER, stored)
        }
    };
    let inflated;
    let tar = if packed {
        inflated = inflate(stored, offset, limit)?;
        inflated.as_slice()
    } else {
        stored
    };
    let members = members(tar, limit)?;
    Ok(Container { members, notes })
}

fn inflate(stored: &[u8], offset: u64, limit: u64) -> Result<Vec<u8>, NeffError> {
    let mut out = Vec::new();
    let decoder = GzDecoder::new(stored);
    let read = decoder.take(limit.saturating_add(1)).read_to_end(&mut out);
    read.map_err(|why| NeffError::Gzip { offset, why })?;
    if out.len() as u64 > limit {
        return Err(NeffError::TooLarge { limit });
    }
    Ok(out)
}

fn members(tar: &[u8], limit: u64) -> Result<super::Members, NeffError> {
    let mut members = super::Members::new();
    let mut archive = Archive::new(tar);
    let damaged = |offset| move |why| NeffError::Tar { offset, why };
    let mut at = 0;
    let mut left = limit;
    for entry in archive.entries().map_err(damaged(0))? {
        let mut entry = entry.map_err(damaged(at))?;
        at = entry.raw_header_position();
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => None,
            EntryType::Directory => continue,
            EntryType::Symlink => Some("symbolic link"),
            EntryType::Link => Some("hard link"),
            EntryType::Char | EntryType::Block => Some("device"),
            EntryType::Fifo => Some("pipe"),
            // Records about the archive as a whole.
            _ => continue,
        };
        if let Some(kind) = kind {
            return Err(NeffError::Kind { name, kind });
        }
        let Some(inside) = inside(&name) else {
            return Err(NeffError::Name { name });
        };
        if inside.ends_with(SKIPPED) {
            continue;
        }
        let mut bytes = Vec::new();
        let read = (&mut entry)
            .take(left.saturating_add(1))
            .read_to_end(&mut bytes);
        read.map_err(damaged(at))?;
        let cost = (bytes.len() as u64).saturating_add(PER_MEMBER);
        // The members of a plain tar are a part of the file: only what a sparse one adds can reach the limit.
        left = left
            .checked_sub(cost)
            .ok_or(NeffError::TooLarge { limit })?;
        members.insert(inside, bytes);
    }
    Ok(members)
}

/// A name as it counts: without `./`, never absolute, never upward.
fn inside(name: &str) -> Option<String> {
    let mut parts = Vec::new();
    if name.starts_with('/') || name.contains('\0') || name.contains('\\') {
        return None;
    }
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
