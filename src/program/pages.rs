//! Bytes of a file, read in pages when they are first needed.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// Bytes per page.
const PAGE: u64 = 64 << 10;
/// Pages kept, oldest dropped first.
const KEEP: usize = 64;

/// A file whose pages are read on demand.
#[derive(Debug)]
pub(super) struct Pages {
    file: File,
    len: u64,
    cache: Mutex<VecDeque<(u64, Box<[u8]>)>>,
}

impl Pages {
    pub(super) fn new(file: File, len: u64) -> Pages {
        Pages {
            file,
            len,
            cache: Mutex::new(VecDeque::new()),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// `N` bytes at `at`; they must not cross a page.
    pub(super) fn array<const N: usize>(&self, at: u64) -> io::Result<[u8; N]> {
        let page = at / PAGE;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        // The newest page is last; streams are mostly read forward.
        if !cache.iter().rev().any(|p| p.0 == page) {
            let from = page * PAGE;
            let size = PAGE.min(self.len.saturating_sub(from));
            let mut bytes = vec![0; size as usize].into_boxed_slice();
            self.file.read_exact_at(&mut bytes, from)?;
            if cache.len() >= KEEP {
                cache.pop_front();
            }
            cache.push_back((page, bytes));
        }
        let bytes = cache.iter().rev().find(|p| p.0 == page).map(|p| &p.1);
        bytes
            .and_then(|b| b.get((at % PAGE) as usize..)?.first_chunk::<N>().copied())
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
