//! What pseudo instructions name: variables and DMA queues of a container (isa 09 §9, 10 §3).

use std::collections::BTreeMap;

use super::exec::dma::Leg;

/// A DMA queue.
#[derive(Clone, Debug, Default)]
pub struct DmaQueue {
    /// What its completions post.
    pub semaphore: Option<u8>,
    /// Source and destination of each descriptor, by block number.
    pub blocks: BTreeMap<u32, Vec<(Leg, Leg)>>,
}

/// The tables of a program.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// First DRAM byte and number of bytes of a variable, by number.
    pub variables: BTreeMap<u32, (u64, u64)>,
    /// Queues by name.
    pub queues: BTreeMap<String, DmaQueue>,
}
