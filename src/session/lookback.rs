//! Looking at earlier records, also at those the journal has dropped: they are made again from a checkpoint.

use super::error::SessionError;
use super::run::Budget;
use super::travel::Reached;
use super::{Mark, Session};

/// What must be known of the records that are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// What they touched.
    Ranges,
    /// Also the bytes of that time, which the log drops sooner.
    Bytes,
}

impl Session {
    /// Shows every record before the present point to `look`, newest first, as long as it answers true. Records that the journal
    /// no longer holds are made again; the present point stays where it is. False when the history does not reach back to the
    /// start.
    ///
    /// # Errors
    /// The user interrupts; replay leaves the recorded path.
    pub(super) fn look_back(
        &mut self,
        detail: Detail,
        mut look: impl FnMut(&Session, u64) -> bool,
    ) -> Result<bool, SessionError> {
        let here = self.mark();
        let seen = self.look_further(detail, here.position, &mut look);
        self.back_to(here)?;
        seen
    }

    fn look_further(
        &mut self,
        detail: Detail,
        from: u64,
        look: &mut impl FnMut(&Session, u64) -> bool,
    ) -> Result<bool, SessionError> {
        let start = self.timeline.base().position;
        let (mut next, mut replayed) = (from, false);
        loop {
            let journal = self.machine.journal();
            let oldest = match detail {
                // A record whose bytes are too many to be kept is looked at all the same.
                Detail::Bytes if journal.floor() < next || !replayed => journal.floor(),
                _ => journal.oldest(),
            };
            for at in (oldest..next).rev() {
                if !look(self, at) {
                    return Ok(true);
                }
            }
            next = next.min(oldest);
            if next <= start {
                return Ok(true);
            }
            if !self.restore_before(next) {
                return Ok(false);
            }
            let mut left = Budget::UNLIMITED.bundles;
            if self.replay_to(next, &mut left)? != Reached::There {
                return Err(SessionError::Interrupted);
            }
            replayed = true;
            // A record too large for the journal cannot be looked at.
            if self.machine.journal().oldest() >= next {
                return Ok(false);
            }
        }
    }

    /// Returns to a point that was left only to look at another one.
    pub(super) fn back_to(&mut self, here: Mark) -> Result<(), SessionError> {
        if self.mark() == here {
            return Ok(());
        }
        let mut left = Budget::UNLIMITED.bundles;
        while self.travel(here.seq, &mut left)? != Reached::There {}
        // The point may have been one before an edit that was taken back.
        while self.machine.journal().position() > here.position && self.machine.undo().is_some() {}
        self.use_active_settings();
        Ok(())
    }
}
