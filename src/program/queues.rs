//! What a container says about data movement: variables with their place in DRAM, and DMA queues with their blocks (isa 10 §3, §4).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A variable, which pseudo instructions name by number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its number.
    pub id: u32,
    /// Its name in the container.
    pub name: String,
    /// First byte in DRAM.
    pub addr: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// One side of a copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// First byte in DRAM.
    pub addr: u64,
    /// Steps in bytes and counts, fastest first; at most four.
    pub dims: Vec<(i32, u32)>,
}

/// A descriptor of a block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// Bytes read.
    pub from: Side,
    /// Bytes written.
    pub to: Side,
}

/// A queue, which pseudo instructions name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DmaQueue {
    /// Its name.
    pub name: String,
    /// What its completions post.
    pub semaphore: Option<u8>,
    /// Descriptors by block number.
    pub blocks: BTreeMap<u32, Vec<Copy>>,
}
