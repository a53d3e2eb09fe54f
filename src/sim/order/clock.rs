//! Vector clocks. Every stream is an agent, and so are the transfers of every stream together: a DMA queue works in order
//! (isa 11 §4).

use crate::isa::Queue;

/// Number of agents.
pub const AGENTS: usize = 2 * Queue::COUNT;

/// Who acts: a stream, or the transfers it issued.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Agent(u8);

impl Agent {
    /// A stream.
    pub const fn stream(queue: Queue) -> Agent {
        Agent(queue.index() as u8)
    }

    /// The transfers of a stream.
    pub const fn transfers(queue: Queue) -> Agent {
        Agent((queue.index() + Queue::COUNT) as u8)
    }

    /// Its place in a table of agents.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The stream it is or belongs to.
    pub fn queue(self) -> Queue {
        Queue::from_index(usize::from(self.0) % Queue::COUNT).unwrap_or(Queue::Any)
    }

    /// Is it a DMA queue?
    pub const fn is_transfer(self) -> bool {
        self.0 as usize >= Queue::COUNT
    }
}

/// How far an agent knows the others: their times that lie in its past.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clock([u64; AGENTS]);

impl Clock {
    /// The time of an agent.
    pub fn of(&self, agent: Agent) -> u64 {
        self.0.get(usize::from(agent.0)).copied().unwrap_or(0)
    }

    /// Sets the time of an agent.
    pub fn set(&mut self, agent: Agent, time: u64) {
        if let Some(t) = self.0.get_mut(usize::from(agent.0)) {
            *t = time;
        }
    }

    /// Learns what another clock knows.
    pub fn join(&mut self, other: &Clock) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(t, o)| *t = (*t).max(o));
    }

    /// Keeps what another clock knows as well.
    pub fn meet(&mut self, other: &Clock) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(t, o)| *t = (*t).min(o));
    }

    /// The clock that knows everything.
    pub const ALL: Clock = Clock([u64::MAX; AGENTS]);
}
