//! From the manifests of a container to a program (isa 10 §2-§4).

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Container, NeffError};
use crate::isa::{BUNDLE_BYTES, DType, Engine, Generation, Queue, Space};
use crate::program::queues::{Copy, DmaQueue, Side, Variable};
use crate::program::{Image, ImageData, Place, Program, Region, Stream};

/// First DRAM byte given to variables: an address of 0 in a stream stays visible as a mistake.
const FIRST: u64 = 0x1_0000;
/// Alignment of variables that ask for less.
const ALIGN: u64 = 64;

/// The engines of a graph with their tokens and the capital form of their files (isa 10 §2).
const ENGINES: [(Engine, &str, &str); 5] = [
    (Engine::Pe, "pe", "PE"),
    (Engine::Act, "act", "Activation"),
    (Engine::Pool, "pool", "Pool"),
    (Engine::Dve, "dve", "DVE"),
    (Engine::Sp, "sp", "SP"),
];

/// The program of a graph, the first unless one is named: a stream for each engine, variables as places of DRAM, queues.
///
/// # Errors
/// A manifest that is damaged or absent; no such graph; variables that DRAM cannot hold.
pub fn program(
    container: &Container,
    generation: Generation,
    graph: Option<&str>,
) -> Result<Program, NeffError> {
    let mut reader = Reader {
        container,
        generation,
        program: Program {
            notes: container.notes.clone(),
            ..Program::default()
        },
        next: FIRST,
    };
    let definition = reader.definition(graph)?;
    let manifest = reader.json(&definition)?;
    let base = definition.rsplit_once('/').map_or("", |(dir, _)| dir);
    reader.variables(&manifest, base, &definition)?;
    reader.queues(&manifest);
    for (engine, token, capital) in ENGINES {
        reader.engine(&manifest, base, engine, token, capital)?;
    }
    Ok(reader.program)
}

struct Reader<'c> {
    container: &'c Container,
    generation: Generation,
    program: Program,
    /// First free DRAM byte.
    next: u64,
}

fn join(base: &str, name: &str) -> String {
    if base.is_empty() {
        name.to_owned()
    } else {
        format!("{base}/{name}")
    }
}

/// The data of an `.npy` file, behind its header (isa 10 §2).
fn array(file: &[u8]) -> &[u8] {
    let len = file.get(8..10).and_then(|b| b.first_chunk::<2>());
    let len = len.map_or(0, |b| usize::from(u16::from_le_bytes(*b)));
    file.get(10 + len..).unwrap_or_default()
}

fn damaged(member: &str, why: impl Into<String>) -> NeffError {
    NeffError::Manifest {
        member: member.to_owned(),
        why: why.into(),
    }
}

impl<'c> Reader<'c> {
    fn note(&mut self, text: String) {
        self.program.notes.push(text);
    }

    fn json(&self, member: &str) -> Result<Value, NeffError> {
        let bytes = self.container.members.get(member);
        let bytes = bytes.ok_or_else(|| damaged(member, "the archive has no such member"))?;
        serde_json::from_slice(bytes).map_err(|e| damaged(member, e.to_string()))
    }

    /// Name of the manifest of a graph.
    fn definition(&mut self, wanted: Option<&str>) -> Result<String, NeffError> {
        let names: Vec<&String> = self.container.members.keys().collect();
        let entry = |n: &&&String| n.starts_with("kelf-") && n.ends_with(".json");
        let mut entries: Vec<String> = names.iter().filter(entry).map(|n| n.to_string()).collect();
        if entries.is_empty() {
            let json = names.iter().filter(|n| n.ends_with(".json"));
            let graphs = json.filter(|n| self.json(n).is_ok_and(|v| v["graphs"].is_array()));
            entries = graphs.map(|n| n.to_string()).collect();
        }
        let Some(first) = entries.first().cloned() else {
            return Err(damaged(
                "kelf-a.json",
                "the archive has no such member, and no other with `graphs`",
            ));
        };
        for other in entries.iter().skip(1) {
            self.note(format!("{other}: another entry, not loaded"));
        }
        let kelf = self.json(&first)?;
        let graphs = kelf["graphs"].as_array().cloned().unwrap_or_default();
        let name = |g: &Value| g["name"].as_str().unwrap_or("?").to_owned();
        let at = match wanted {
            None => 0,
            Some(wanted) => {
                let found = graphs.iter().position(|g| name(g) == wanted);
                let known = || graphs.iter().map(name).collect::<Vec<_>>().join(", ");
                found.ok_or_else(|| {
                    damaged(&first, format!("no graph {wanted}; there are {}", known()))
                })?
            }
        };
        for (_, other) in graphs.iter().enumerate().filter(|(i, _)| *i != at) {
            let name = name(other);
            self.note(format!(
                "{first}: graph {name} is not loaded; `--graph {name}` loads it"
            ));
        }
        let definition = graphs.get(at).and_then(|g| g["definition"].as_str());
        let definition =
            definition.ok_or_else(|| damaged(&first, "no `graphs` with a `definition`"))?;
        Ok(definition.trim_start_matches("./").to_owned())
    }

    fn variables(&mut self, manifest: &Value, base: &str, member: &str) -> Result<(), NeffError> {
        let Some(vars) = manifest["var"].as_object() else {
            return Ok(());
        };
        for (name, v) in vars {
            let kind = v["type"]
                .as_str()
                .or(v["#transfer-type"].as_str())
                .unwrap_or("");
            let bytes = v["size"].as_u64().unwrap_or(0);
            // Objects on the chip and names of other objects have no bytes in DRAM.
            if bytes == 0 || matches!(kind, "state-buffer" | "virtual" | "pipe") {
                continue;
            }
            let align = v["alignment"]
                .as_u64()
                .filter(|a| a.is_power_of_two() && *a <= 1 << 30);
            let align = align.unwrap_or(1).max(ALIGN);
            let addr = self.next.checked_next_multiple_of(align);
            let end = addr.and_then(|a| a.checked_add(bytes));
            let (Some(addr), Some(end)) = (addr, end) else {
                return Err(damaged(
                    member,
                    format!("variable {name:?} of {bytes} bytes: more than 64 bits of addresses"),
                ));
            };
            let place = Place::new(Space::Dram, 0..1, addr..end, self.generation)
                .map_err(|e| damaged(member, format!("variable {name:?}: {e}")))?;
            self.next = end;
            self.constant(v, base, name, &place);
            if let Some(id) = v["var_id"].as_u64().and_then(|id| u32::try_from(id).ok()) {
                let name = name.clone();
                self.program.variables.push(Variable {
                    id,
                    name,
                    addr,
                    bytes,
                });
            }
            let dtype = v["dtype"].as_str().and_then(DType::parse);
            let name = self.free_name(name);
            self.program.regions.push(Region {
                name,
                place,
                dtype,
                shape: None,
            });
        }
        Ok(())
    }

    /// A name that the command language can say and that no other place has.
    fn free_name(&self, name: &str) -> String {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let mut plain: String = name
            .chars()
            .map(|c| if word(c) { c } else { '_' })
            .collect();
        let starts = plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || Space::ALL.iter().any(|s| s.name() == plain) {
            plain.insert(0, '_');
        }
        while self.program.region(&plain).is_some() {
            plain.push('_');
        }
        plain
    }

    /// The bytes that a variable starts with.
    fn constant(&mut self, v: &Value, base: &str, name: &str, place: &Place) {
        let file = v["file_name"].as_str().or(v["#file-name"].as_str());
        let Some(file) = file.filter(|f| !f.is_empty()) else {
            return;
        };
        let members = &self.container.members;
        let Some(data) = members.get(&join(base, file)).or_else(|| members.get(file)) else {
            return self.note(format!("variable {name:?}: the archive has no {file}"));
        };
        let bytes = if data.starts_with(b"\x93NUMPY") {
            array(data)
        } else {
            data
        };
        if bytes.len() as u64 != place.size() {
            let (found, size) = (bytes.len(), place.size());
            return self.note(format!(
                "variable {name:?}: {file} has {found} bytes, the variable {size}; not loaded"
            ));
        }
        let (place, data) = (place.clone(), ImageData::Bytes(bytes.to_vec()));
        self.program.images.push(Image { place, data });
    }

    fn queues(&mut self, manifest: &Value) {
        let Some(queues) = manifest["dma_queue"].as_object() else {
            return;
        };
        for (name, q) in queues {
            let semaphore = q["semaphore"].as_u64().and_then(|s| u8::try_from(s).ok());
            self.program.queues.push(DmaQueue {
                name: name.clone(),
                semaphore,
                blocks: BTreeMap::new(),
            });
        }
    }

    /// The stream of an engine and the blocks that it triggers.
    fn engine(
        &mut self,
        manifest: &Value,
        base: &str,
        engine: Engine,
        token: &str,
        capital: &str,
    ) -> Result<(), NeffError> {
        let members = &self.container.members;
        let entry = [&manifest[token], &manifest["definition"][token]]
            .into_iter()
            .find(|v| !v.is_null());
        let mut named = None;
        match entry {
            Some(Value::String(file)) if file.ends_with(".json") => {
                let member = join(base, file);
                if members.contains_key(&member) {
                    let sidecar = self.json(&member)?;
                    named = sidecar["instr"].as_str().map(|f| join(base, f));
                    self.blocks(&sidecar, &member)?;
                } else {
                    self.note(format!("{member}: the archive has no such member"));
                }
            }
            Some(v) => named = v["_instr"].as_str().map(|f| join(base, f)),
            None => {}
        }
        let guesses = [
            format!("{token}.bin"),
            format!("{capital}.bin"),
            format!("{token}_instr"),
        ];
        let guess = guesses
            .iter()
            .map(|f| join(base, f))
            .find(|f| members.contains_key(f));
        let Some(name) = named.or(guess) else {
            return Ok(());
        };
        let bytes = match members.get(&name) {
            Some(bytes) => bytes.clone(),
            None => {
                self.note(format!(
                    "{name}: the archive has no such member, taken as empty"
                ));
                Vec::new()
            }
        };
        if !bytes.len().is_multiple_of(BUNDLE_BYTES) {
            let why = format!(
                "{} bytes, {} more than a whole number of 64-byte bundles",
                bytes.len(),
                bytes.len() % BUNDLE_BYTES
            );
            return Err(damaged(&name, why));
        }
        let queue = Queue::Of(engine);
        self.program
            .streams
            .push(Stream::from_bytes(queue, name, bytes));
        Ok(())
    }

    fn blocks(&mut self, sidecar: &Value, member: &str) -> Result<(), NeffError> {
        for block in sidecar["dma"].as_array().into_iter().flatten() {
            let name = block["queue"].as_str().or(block["instance_name"].as_str());
            let id = block["id"].as_u64().and_then(|id| u32::try_from(id).ok());
            let (Some(name), Some(id)) = (name, id) else {
                return Err(damaged(member, "a block of `dma` without queue or id"));
            };
            let mut copies = Vec::new();
            for desc in block["desc"].as_array().into_iter().flatten() {
                let side = |way| {
                    self.side(desc, way).map_err(|why| {
                        damaged(member, format!("queue {name:?}, block {id}: {why}"))
                    })
                };
                copies.push(Copy {
                    from: side("from")?,
                    to: side("to")?,
                });
            }
            let at = self.program.queues.iter().position(|q| q.name == name);
            let queue = match at.and_then(|at| self.program.queues.get_mut(at)) {
                Some(queue) => queue,
                None => {
                    self.program.queues.push(DmaQueue {
                        name: name.to_owned(),
                        ..DmaQueue::default()
                    });
                    let Some(queue) = self.program.queues.last_mut() else {
                        continue;
                    };
                    queue
                }
            };
            queue.blocks.insert(id, copies);
        }
        Ok(())
    }

    /// `from` or `to` of a descriptor: a variable, sizes and steps in bytes, innermost first.
    fn side(&self, desc: &Value, way: &str) -> Result<Side, String> {
        let name = desc[way].as_str().ok_or_else(|| format!("no `{way}`"))?;
        let variable = self.program.variables.iter().find(|v| v.name == name);
        let variable = variable
            .ok_or_else(|| format!("`{way}` is {name:?}, no variable with bytes in DRAM"))?;
        let list = |key: String| {
            let values = desc[&key].as_array().cloned().unwrap_or_default();
            let numbers = values
                .iter()
                .map(|v| v.as_i64().and_then(|n| i32::try_from(n).ok()));
            numbers
                .collect::<Option<Vec<i32>>>()
                .ok_or_else(|| format!("`{key}` holds something that is no 32-bit number"))
        };
        let (sizes, steps) = (list(format!("{way}_sizes"))?, list(format!("{way}_steps"))?);
        if sizes.len() != steps.len() || sizes.is_empty() || sizes.len() > 4 {
            return Err(format!(
                "{} sizes and {} steps of `{way}`, allowed: as many of each, 1..4",
                sizes.len(),
                steps.len()
            ));
        }
        let mut reach = 0i64;
        let mut dims = Vec::new();
        for (size, step) in sizes.into_iter().zip(steps) {
            let count = u32::try_from(size).ok().filter(|n| *n > 0);
            let count = count.ok_or_else(|| format!("size {size} of `{way}`, allowed from 1"))?;
            if step < 0 {
                return Err(format!("step {step} of `{way}`, allowed from 0"));
            }
            reach = reach.saturating_add(i64::from(step).saturating_mul(i64::from(count) - 1));
            dims.push((step, count));
        }
        if reach as u64 >= variable.bytes {
            return Err(format!(
                "`{way}` reaches byte {reach} of {name:?}, which has {}",
                variable.bytes
            ));
        }
        Ok(Side {
            addr: variable.addr,
            dims,
        })
    }
}
