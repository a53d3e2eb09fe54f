//! Why a verb of the session was refused.

use std::path::PathBuf;

use thiserror::Error;

use super::edit::EDIT_LIMIT;
use super::expr::EvalError;
use super::place::{Place, PlaceError};
use crate::isa::Queue;
use crate::program::ReadError;
use crate::program::npy::NpyError;
use crate::sim::settings::SettingError;
use crate::sim::{ImageError, MemError};

/// A verb failed; nothing changed unless its text says so.
#[derive(Debug, Error)]
pub enum SessionError {
    /// A place outside its memory.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// An expression without value.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A memory access.
    #[error(transparent)]
    Memory(#[from] MemError),
    /// The program has no stream for an engine.
    #[error("the program has no stream for {queue}; it has {present}")]
    NoStream {
        /// What was asked for.
        queue: Queue,
        /// The streams there are.
        present: String,
    },
    /// No such bundle.
    #[error("{queue}:{index}: the stream has {len} bundles")]
    NoBundle {
        /// The stream.
        queue: Queue,
        /// What was asked for.
        index: u64,
        /// Bundles there are.
        len: u64,
    },
    /// No such breakpoint.
    #[error("no breakpoint {0}")]
    NoBreak(u32),
    /// The history does not reach that far.
    #[error(
        "seq {seq} cannot be reached: the history starts at seq {oldest}; a larger `set history` keeps more"
    )]
    Unreachable {
        /// What was asked for.
        seq: u64,
        /// The oldest reachable sequence number.
        oldest: u64,
    },
    /// A session that began in the middle.
    #[error("seq {seq} lies before the start: the session began at seq {start}")]
    BeforeStart {
        /// What was asked for.
        seq: u64,
        /// Bundles retired before the session began.
        start: u64,
    },
    /// Replaying recorded steps did not give what was recorded.
    #[error("replay left the recorded path at seq {seq}: {what}")]
    Diverged {
        /// Where.
        seq: u64,
        /// How.
        what: String,
    },
    /// There is nothing to take back.
    #[error("no edit to take back at seq {seq}")]
    NoEdit {
        /// Where.
        seq: u64,
    },
    /// There is nothing to make again.
    #[error("no edit to make again at seq {seq}")]
    NoRedo {
        /// Where.
        seq: u64,
    },
    /// A value that does not fit what it is assigned to.
    #[error("{what} takes {allowed}, found {found}")]
    Assign {
        /// Target.
        what: String,
        /// Its values.
        allowed: String,
        /// What was given.
        found: String,
    },
    /// A `.npy` file.
    #[error("{place}: {error}")]
    Array {
        /// The place it is for.
        place: Place,
        /// What is wrong.
        error: NpyError,
    },
    /// An array that does not fit.
    #[error("{place} has {elements} elements, the array has shape {shape:?}")]
    Shape {
        /// The place.
        place: Place,
        /// Elements it has.
        elements: u64,
        /// Shape of the array.
        shape: Vec<u64>,
    },
    /// A point that was never reached.
    #[error("seq {seq} has not been reached; the furthest known is {known}")]
    Future {
        /// What was asked for.
        seq: u64,
        /// The last known one.
        known: u64,
    },
    /// The user interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A stream that can no longer be read.
    #[error(transparent)]
    Stream(#[from] ReadError),
    /// A saved state.
    #[error("{}: {error}", file.display())]
    State {
        /// Its file.
        file: PathBuf,
        /// What is wrong.
        error: ImageError,
    },
    /// No such snapshot.
    #[error("no snapshot {0:?}")]
    NoSnapshot(String),
    /// A place too large to be handled in one piece.
    #[error("{place} has {bytes} bytes; at most {limit} are handled at once")]
    TooLarge {
        /// The place.
        place: Place,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

impl SessionError {
    pub(super) fn too_large(place: &Place) -> SessionError {
        SessionError::TooLarge {
            place: *place,
            bytes: place.bytes(),
            limit: EDIT_LIMIT,
        }
    }
}
