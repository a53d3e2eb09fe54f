//! The bundles of one instruction queue.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::OnceLock;

use thiserror::Error;

use super::pages::Pages;
use crate::isa::{BUNDLE_BYTES, Bundle, Queue};

/// How mode-3 branches write their targets (isa 08 §6.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BranchForm {
    /// Compiler form: bundle index from the start of the stream.
    #[default]
    Index,
    /// Device form: signed bytes from the branch bundle.
    RelBytes,
}

/// The setting `branch.target`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BranchSetting {
    /// Device form when a mode-3 branch of the stream has debug_hint 2, else compiler form.
    #[default]
    Auto,
    /// As said.
    Fixed(BranchForm),
}

/// Why a branch has no target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BranchTargetError {
    /// The device form counts bytes.
    #[error("displacement {0} bytes, not a multiple of 64")]
    Unaligned(i32),
    /// Neither a bundle nor the end of the stream.
    #[error("target {target}, the stream has bundles 0..{len}")]
    Outside {
        /// Index of the target.
        target: i128,
        /// Bundles of the stream.
        len: u64,
    },
}

/// A bundle could not be read.
#[derive(Debug, Error)]
#[error("bundle {index} of {stream}: {source}")]
pub struct ReadError {
    /// Name of the stream.
    pub stream: String,
    /// Bundle index.
    pub index: u64,
    /// What the system said.
    pub source: io::Error,
}

const COMPARE_BRANCH: u8 = 0xA9;
const RELATIVE_IMMEDIATE: u8 = 3;
const TARGET_MODE: usize = 14;
const BR_IMMEDIATE: usize = 48;

impl BranchForm {
    /// The field `br_immediate` of a branch at `index` to `target`; `None` when the distance has
    /// more than 31 bits.
    pub fn encode(self, index: u64, target: u64) -> Option<u64> {
        match self {
            BranchForm::Index => Some(target),
            BranchForm::RelBytes => {
                let bundles = i128::from(target) - i128::from(index);
                let bytes = i32::try_from(bundles * BUNDLE_BYTES as i128).ok()?;
                Some(u64::from(bytes as u32))
            }
        }
    }
}

/// Is it a branch whose target stands in the bundle itself?
pub(super) fn is_mode3(bundle: &Bundle) -> bool {
    bundle.opcode() == COMPARE_BRANCH && bundle.u8(TARGET_MODE) == RELATIVE_IMMEDIATE
}

#[derive(Debug)]
enum Source {
    Memory(Vec<u8>),
    File(Pages),
}

/// An instruction stream.
#[derive(Debug)]
pub struct Stream {
    /// Whose stream.
    pub queue: Queue,
    /// Where it comes from: file name, or the engine.
    pub name: String,
    /// Names of bundle indices.
    pub labels: BTreeMap<String, u64>,
    /// Branch form the text declares.
    pub branch: Option<BranchForm>,
    source: Source,
    patches: BTreeMap<u64, Bundle>,
    auto: OnceLock<BranchForm>,
}

impl Stream {
    /// A stream held in memory; bytes behind the last whole bundle are dropped.
    pub fn from_bytes(queue: Queue, name: impl Into<String>, bytes: Vec<u8>) -> Stream {
        Stream::new(queue, name.into(), Source::Memory(bytes))
    }

    /// A stream read from a file of `len` bytes when it is needed.
    pub fn from_file(queue: Queue, name: impl Into<String>, file: File, len: u64) -> Stream {
        Stream::new(queue, name.into(), Source::File(Pages::new(file, len)))
    }

    fn new(queue: Queue, name: String, source: Source) -> Stream {
        Stream {
            queue,
            name,
            labels: BTreeMap::new(),
            branch: None,
            source,
            patches: BTreeMap::new(),
            auto: OnceLock::new(),
        }
    }

    /// Number of bundles.
    pub fn len(&self) -> u64 {
        let bytes = match &self.source {
            Source::Memory(bytes) => bytes.len() as u64,
            Source::File(pages) => pages.len(),
        };
        bytes / BUNDLE_BYTES as u64
    }

    /// Has it no bundle?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bundle at an index, patches applied; `None` behind the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn bundle(&self, index: u64) -> Result<Option<Bundle>, ReadError> {
        if index >= self.len() {
            return Ok(None);
        }
        if let Some(bundle) = self.patches.get(&index) {
            return Ok(Some(*bundle));
        }
        let at = index * BUNDLE_BYTES as u64;
        match &self.source {
            Source::Memory(bytes) => Ok(bytes.get(at as usize..).and_then(Bundle::from_slice)),
            Source::File(pages) => match pages.array(at) {
                Ok(bytes) => Ok(Some(Bundle::new(bytes))),
                Err(source) => Err(ReadError {
                    stream: self.name.clone(),
                    index,
                    source,
                }),
            },
        }
    }

    /// All bundles in order.
    pub fn bundles(&self) -> impl Iterator<Item = Result<Bundle, ReadError>> + '_ {
        (0..self.len()).filter_map(|i| self.bundle(i).transpose())
    }

    /// Replaces a bundle and returns the one that was there; nothing happens behind the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn patch(&mut self, index: u64, bundle: Bundle) -> Result<Option<Bundle>, ReadError> {
        let old = self.bundle(index)?;
        if old.is_some() {
            self.patches.insert(index, bundle);
        }
        Ok(old)
    }

    /// Takes all patches back.
    pub fn unpatch(&mut self) {
        self.patches.clear();
    }

    /// Label of a bundle.
    pub fn label_at(&self, index: u64) -> Option<&str> {
        self.labels
            .iter()
            .find(|(_, at)| **at == index)
            .map(|(name, _)| name.as_str())
    }

    /// The form of its branch targets. `auto` reads the whole stream once.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn branch_form(&self, setting: BranchSetting) -> Result<BranchForm, ReadError> {
        if let BranchSetting::Fixed(form) = setting {
            return Ok(form);
        }
        if let Some(form) = self.branch.or(self.auto.get().copied()) {
            return Ok(form);
        }
        let mut form = BranchForm::Index;
        for bundle in self.bundles() {
            let bundle = bundle?;
            if is_mode3(&bundle) && bundle.u8(3) == 2 {
                form = BranchForm::RelBytes;
                break;
            }
        }
        Ok(*self.auto.get_or_init(|| form))
    }

    /// Target of the mode-3 branch `bundle` at `index`; `None` when it is none. A target equal to
    /// the length ends the stream.
    pub fn target(
        &self,
        index: u64,
        bundle: &Bundle,
        form: BranchForm,
    ) -> Option<Result<u64, BranchTargetError>> {
        if !is_mode3(bundle) {
            return None;
        }
        let field = bundle.u64(BR_IMMEDIATE);
        let target = match form {
            BranchForm::Index => i128::from(field),
            BranchForm::RelBytes => {
                let bytes = field as u32 as i32;
                if bytes % BUNDLE_BYTES as i32 != 0 {
                    return Some(Err(BranchTargetError::Unaligned(bytes)));
                }
                i128::from(index) + i128::from(bytes / BUNDLE_BYTES as i32)
            }
        };
        let len = self.len();
        Some(match u64::try_from(target) {
            Ok(t) if t <= len => Ok(t),
            _ => Err(BranchTargetError::Outside { target, len }),
        })
    }
}
