//! Files that are written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file so that whoever reads it finds the old or the new content, never a part.
///
/// # Errors
/// What the system says; the old content is then still there.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let mut file = File::create(&new)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let moved = written.and_then(|()| fs::rename(&new, path));
    moved.inspect_err(|_| drop(fs::remove_file(&new)))
}
