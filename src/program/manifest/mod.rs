//! Manifests: a run described in TOML (streams, generation, places with shape and dtype, initial and expected arrays, settings),
//! and what `save` writes. The README explains the keys to users.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use super::queues;

/// The whole file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Manifest {
    /// Generation: `v2`, `v3` or `v4`, or a name of the chip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<Spanned<String>>,
    /// Which stream goes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Scheduler>,
    /// Settings by their names; a table stands for its keys behind a dot.
    #[serde(skip_serializing_if = "toml::Table::is_empty")]
    pub settings: toml::Table,
    /// A saved state that the run starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Instruction streams.
    #[serde(rename = "stream", skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<Stream>,
    /// Named places.
    #[serde(rename = "place", skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// Variables that pseudo instructions name.
    #[serde(rename = "variable", skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<queues::Variable>,
    /// DMA queues that pseudo instructions name.
    #[serde(rename = "queue", skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<Queue>,
}

/// The table `[scheduler]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheduler {
    /// As behind `--sched`.
    pub policy: Spanned<String>,
    /// As behind `--seed`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seed: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The table `[state]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// File with the state of the core.
    pub file: Spanned<String>,
    /// Bundles retired before it.
    pub seq: u64,
}

/// A table `[[stream]]`: a file, or assembler text in place.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stream {
    /// Whose stream; else that of the file's name or text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Spanned<String>>,
    /// File, as on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Spanned<String>>,
    /// Assembler text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Spanned<String>>,
    /// Form of immediate branch targets in a raw stream: `index` or `rel-bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Spanned<String>>,
    /// Names of bundles of a raw stream.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, u64>,
}

/// A table `[[place]]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Its name.
    pub name: Spanned<String>,
    /// Where, as in the command language: `sbuf[0:128, 0+2048]`. Without it a place that the streams' texts name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Spanned<String>>,
    /// Data type of its elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<Spanned<String>>,
    /// Shape of the array it holds, outermost dimension first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Spanned<Vec<u64>>>,
    /// Array it holds at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Spanned<String>>,
    /// Array it must hold at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Spanned<String>>,
    /// How far an element may be from the expected one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tol: Option<Spanned<f64>>,
}

/// A table `[[queue]]`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// What its completions post.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semaphore: Option<u8>,
    /// Its blocks of descriptors.
    #[serde(rename = "block", default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
}

/// A block of a queue.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Its number.
    pub id: u32,
    /// Its descriptors, in order.
    #[serde(rename = "copy")]
    pub copies: Vec<queues::Copy>,
}

impl From<&queues::DmaQueue> for Queue {
    fn from(q: &queues::DmaQueue) -> Queue {
        let blocks = q.blocks.iter().map(|(id, copies)| Block {
            id: *id,
            copies: copies.clone(),
        });
        Queue {
            name: q.name.clone(),
            semaphore: q.semaphore,
            blocks: blocks.collect(),
        }
    }
}

impl From<Queue> for queues::DmaQueue {
    fn from(q: Queue) -> queues::DmaQueue {
        queues::DmaQueue {
            name: q.name,
            semaphore: q.semaphore,
            blocks: q.blocks.into_iter().map(|b| (b.id, b.copies)).collect(),
        }
    }
}

/// A value without a place in a text, to be written.
pub fn written<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

impl Manifest {
    /// Every file it names, relative to its own directory.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let streams = self.streams.iter().filter_map(|s| s.file.as_ref());
        let arrays = self
            .places
            .iter()
            .flat_map(|p| [p.initial.as_ref(), p.expected.as_ref()])
            .flatten();
        let state = self.state.as_ref().map(|s| &s.file);
        let all = streams.chain(arrays).chain(state);
        all.map(|name| name.get_ref().as_str())
    }
}

/// Every setting of a manifest by its whole name, and where its value stands. The text is one that can be read.
pub fn settings(text: &str) -> Vec<(String, Spanned<String>)> {
    let mut all = Vec::new();
    let table = toml::de::DeTable::parse(text).ok();
    let settings = table.as_ref().and_then(|t| t.get_ref().get("settings"));
    if let Some(settings) = settings {
        flatten("", settings, &mut all);
    }
    all
}

fn flatten(name: &str, value: &Spanned<DeValue<'_>>, all: &mut Vec<(String, Spanned<String>)>) {
    let text = match value.get_ref() {
        DeValue::Table(table) => {
            let dot = if name.is_empty() { "" } else { "." };
            for (key, value) in table {
                flatten(&format!("{name}{dot}{}", key.get_ref()), value, all);
            }
            return;
        }
        DeValue::String(word) => word.to_string(),
        DeValue::Integer(n) => n.to_string(),
        other => other.type_str().to_owned(),
    };
    all.push((name.to_owned(), Spanned::new(value.span(), text)));
}
