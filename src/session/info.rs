//! Answers about the present point: what a stream waits for and who could end the wait.

use super::Session;
use crate::isa::Queue;
use crate::sim::Blocked;
use crate::sim::waits::Wait;

/// A stream that cannot go on.
#[derive(Clone, PartialEq, Debug)]
pub struct Stuck {
    /// The stream, its head, and what is missing.
    pub why: Blocked,
    /// For each wait of `why`: the next bundle of every other stream that would change what it looks at.
    pub posters: Vec<Vec<Poster>>,
}

impl Stuck {
    /// The waits with those who could end them.
    pub fn waits(&self) -> impl Iterator<Item = (&Wait, &[Poster])> {
        let posters = self.posters.iter().map(Vec::as_slice);
        self.why.waits.iter().zip(posters)
    }
}

/// A bundle that could end a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Poster {
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
}

impl Session {
    /// Why the head of a stream cannot start; `None` when it can.
    pub fn stuck(&self, queue: Queue) -> Option<Stuck> {
        self.machine.blocked(queue).map(|b| self.explain_stuck(b))
    }

    pub(super) fn explain_stuck(&self, why: Blocked) -> Stuck {
        let posters = |wait: &Wait| {
            let mut all = self.machine.posters(why.queue, wait);
            // They come stream after stream; the first of each is the next.
            all.dedup_by_key(|(queue, _)| *queue);
            all.into_iter()
                .map(|(queue, index)| Poster { queue, index })
                .collect()
        };
        Stuck {
            posters: why.waits.iter().map(posters).collect(),
            why,
        }
    }
}
