//! The program as the machine fetches it: streams, decoded heads, and what branches and calls look up.
//!
//! A head is a bundle with everything that does not depend on the state: its row, engine, function
//! and legality. Heads are kept in a direct-mapped cache; an entry is used only while its bytes are
//! still those of the program, so patches need no invalidation.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::exec::dma::issues;
use super::exec::{EXEC, ExecFn};
use super::fault::Trap;
use super::settings::{Id, Settings};
use super::state::State;
use super::tables::Tables;
use super::waits::has_waits;
use crate::isa::legal::{CheckSettings, check_with};
use crate::isa::{self, Bundle, Engine, Exec, Generation, Instr, Queue, Severity, Violation};

/// A source of bundles: a file, a buffer, an assembler's output.
pub trait Bundles: Send + Sync {
    /// Number of bundles; never changes.
    fn len(&self) -> u64;
    /// Bundle at an index; `None` past the end or when it cannot be read any more.
    fn bundle(&self, index: u64) -> Option<Bundle>;
    /// True when there is no bundle.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Bundles for Vec<Bundle> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }
    fn bundle(&self, index: u64) -> Option<Bundle> {
        self.get(usize::try_from(index).ok()?).copied()
    }
}

/// Unit of the immediate target of a branch (isa 08 §6.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BranchUnit {
    /// Bytes when any mode-3 branch of the stream has debug_hint 2, else an index.
    #[default]
    Auto,
    /// Bundle index from the start of the stream: the compiler's form.
    Index,
    /// Byte displacement from the branch: the loader's form.
    RelBytes,
}

/// An instruction stream as the machine fetches it.
#[derive(Clone)]
pub struct Stream {
    /// Its bundles.
    pub bundles: Arc<dyn Bundles>,
    /// Unit of its branch targets; `Auto` is resolved at the first branch.
    pub branch: BranchUnit,
}

impl Stream {
    /// A stream whose branch unit is found out from its bundles.
    pub fn new(bundles: impl Bundles + 'static) -> Stream {
        Stream {
            bundles: Arc::new(bundles),
            branch: BranchUnit::Auto,
        }
    }
}

/// What one look over a whole stream finds.
#[derive(Default)]
struct Survey {
    device_form: bool,
    pseudo: bool,
    /// Index of each 0xD1 record by function name; of equal names the first counts.
    functions: BTreeMap<[u8; 36], u64>,
}

struct Loaded {
    stream: Stream,
    len: u64,
    survey: OnceLock<Survey>,
}

/// What a head waits for besides its events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gate {
    /// Nothing.
    Open,
    /// The transfers of its own stream (DRAIN).
    Drain,
    /// A free slot for each of its transfers.
    Transfer,
    /// All streams at the same opcode (isa 08 §9).
    Join,
    /// The same, once its own transfers have finished; only inside a function (isa 08 §10).
    Return,
}

/// A decoded bundle with what its execution needs.
pub(super) struct Head {
    key: (usize, u64),
    pub instr: Instr,
    pub engine: Engine,
    pub gate: Gate,
    /// It has waits to be evaluated.
    pub waits: bool,
    /// Its function, or why it has none.
    pub run: Result<ExecFn, &'static str>,
    /// It is illegal.
    pub trap: Option<Trap>,
    /// Legality findings that do not stop it.
    pub warnings: Vec<Violation>,
}

/// Heads kept; a power of two.
const CACHE: usize = 4096;

/// The loaded program.
pub struct Code {
    generation: Generation,
    checks: CheckSettings,
    streams: [Option<Loaded>; Queue::COUNT],
    cache: Vec<Option<Head>>,
    /// What its pseudo instructions name.
    pub tables: Tables,
}

impl Code {
    /// No stream at all.
    pub(super) fn new(generation: Generation, checks: CheckSettings) -> Code {
        Code {
            generation,
            checks,
            streams: Default::default(),
            cache: Vec::new(),
            tables: Tables::default(),
        }
    }

    /// Gives a queue its stream; `branch.target` decides where the stream leaves the unit open.
    pub(super) fn load(&mut self, queue: Queue, mut stream: Stream, settings: &Settings) {
        if stream.branch == BranchUnit::Auto {
            stream.branch = match settings.get(Id::BranchTarget) {
                1 => BranchUnit::Index,
                2 => BranchUnit::RelBytes,
                _ => BranchUnit::Auto,
            };
        }
        let len = stream.bundles.len();
        if let Some(slot) = self.streams.get_mut(queue.index()) {
            *slot = Some(Loaded {
                stream,
                len,
                survey: OnceLock::new(),
            });
        }
    }

    /// Judges legality anew from now on.
    pub(super) fn set_checks(&mut self, checks: CheckSettings) {
        if self.checks != checks {
            self.checks = checks;
            self.cache.clear();
        }
    }

    fn loaded(&self, queue: Queue) -> Option<&Loaded> {
        self.streams.get(queue.index()).and_then(Option::as_ref)
    }

    /// The stream of a queue.
    pub fn stream(&self, queue: Queue) -> Option<&Stream> {
        self.loaded(queue).map(|l| &l.stream)
    }

    /// Bundles of a queue; 0 without a stream.
    pub fn len(&self, queue: Queue) -> u64 {
        self.loaded(queue).map_or(0, |l| l.len)
    }

    /// The bundle at a place of the program, patches included.
    pub fn bundle(&self, state: &State, queue: Queue, index: u64) -> Option<Bundle> {
        let loaded = self.loaded(queue)?;
        match state.patch(queue.index() as u8, index) {
            Some(bytes) => Some(Bundle::new(*bytes)),
            None => loaded.stream.bundles.bundle(index),
        }
    }

    /// Makes the head at a place ready and gives its place in the cache; `None` when the bundle
    /// cannot be read.
    pub(super) fn fetch(&mut self, state: &State, queue: Queue, index: u64) -> Option<usize> {
        let bundle = self.bundle(state, queue, index)?;
        let key = (queue.index(), index);
        let at = (index as usize)
            .wrapping_mul(Queue::COUNT)
            .wrapping_add(queue.index())
            % CACHE;
        if self.cache.is_empty() {
            self.cache.resize_with(CACHE, || None);
        }
        let slot = self.cache.get_mut(at)?;
        if !slot
            .as_ref()
            .is_some_and(|h| h.key == key && h.instr.bundle == bundle)
        {
            let head = Head::new(key, queue, &bundle, self.generation, &self.checks);
            *slot = Some(head);
        }
        Some(at)
    }

    /// A head that [`Code::fetch`] made ready.
    pub(super) fn head(&self, at: usize) -> Option<&Head> {
        self.cache.get(at).and_then(Option::as_ref)
    }

    fn survey(&self, queue: Queue) -> Option<&Survey> {
        let loaded = self.loaded(queue)?;
        Some(loaded.survey.get_or_init(|| {
            let mut s = Survey::default();
            for index in 0..loaded.len {
                let Some(b) = loaded.stream.bundles.bundle(index) else {
                    continue;
                };
                match b.opcode() {
                    0xA9 => s.device_form |= b.u8(14) == 3 && b.u8(3) == 2,
                    op if op & 0xE0 == 0xC0 => s.pseudo = true,
                    _ => {}
                }
                if b.opcode() == 0xD1 {
                    s.functions.entry(name_of(&b)).or_insert(index);
                }
            }
            s
        }))
    }

    /// Are immediate targets of the queue's branches byte displacements? The second answer: the
    /// stream has pseudo opcodes as well, which only the other form should have (isa 08 §6.3).
    pub(super) fn branch_bytes(&self, queue: Queue) -> (bool, bool) {
        match self.loaded(queue).map(|l| l.stream.branch) {
            Some(BranchUnit::RelBytes) => (true, false),
            Some(BranchUnit::Auto) => self.survey(queue).map_or((false, false), |s| {
                (s.device_form, s.device_form && s.pseudo)
            }),
            _ => (false, false),
        }
    }

    /// Index of the record of the function that a 0xD3 record calls.
    pub(super) fn function(&self, queue: Queue, call: &Bundle) -> Option<u64> {
        self.survey(queue)?.functions.get(&name_of(call)).copied()
    }
}

/// What a bundle waits for besides its events.
pub(super) const fn gate(bundle: &Bundle) -> Gate {
    match bundle.opcode() {
        0xA2 => Gate::Drain,
        op if issues(op) => Gate::Transfer,
        0xD5 => Gate::Join,
        0xD2 => Gate::Return,
        _ => Gate::Open,
    }
}

/// The name in a 0xD1 or 0xD3 record, bytes behind its end made zero.
fn name_of(bundle: &Bundle) -> [u8; 36] {
    let mut name: [u8; 36] = bundle.array(12);
    let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
    name.iter_mut().skip(end).for_each(|b| *b = 0);
    name
}

impl Head {
    fn new(
        key: (usize, u64),
        queue: Queue,
        bundle: &Bundle,
        generation: Generation,
        checks: &CheckSettings,
    ) -> Head {
        let instr = isa::decode(bundle, generation);
        let engine = queue.engine().unwrap_or_else(|| instr.home());
        let warnings = check_with(&instr, Some(engine), checks);
        let error = warnings.iter().find(|v| v.severity == Severity::Error);
        let trap = error.map(Trap::from);
        let run = EXEC
            .get(usize::from(bundle.opcode()))
            .copied()
            .flatten()
            .ok_or(match instr.op.map(|op| op.exec) {
                Some(Exec::Unmodelled(why)) => why,
                _ => "no function is registered",
            });
        Head {
            key,
            engine,
            gate: gate(bundle),
            waits: has_waits(&instr),
            instr,
            run,
            trap,
            warnings,
        }
    }
}
