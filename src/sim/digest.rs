//! The hash of the whole architectural state: equal states, however reached, have equal digests on every machine.
//!
//! Pages without a written byte are skipped, so the cost follows what the program touched and a page undone to blank counts as
//! untouched.

use super::StepKind;
use super::effect::Effect;
use super::exec::dma::issues;
use super::machine::Machine;
use super::state::State;
use crate::isa::Queue;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

impl State {
    /// xxh3-64 over memories, written bits, registers, semaphores, events, counters, flags, hidden words, scheduler and patches.
    pub fn digest(&self) -> u64 {
        let mut all = Sink(Xxh3::new());
        let g = self.geometry;
        all.words64([
            u64::from(g.sbuf_bytes),
            u64::from(g.psum_bytes),
            g.dram_bytes,
        ]);
        all.words32([u32::from(self.reset.memory), self.reset.registers]);
        self.memories(&mut all);

        let s = &self.small;
        s.regs
            .iter()
            .for_each(|file| all.words32(file.iter().copied()));
        all.words64(s.defined);
        all.words32(s.sems);
        all.words64(s.events);
        all.words64(s.pcs);
        all.0.update(&s.flags);
        all.words32(self.hidden.all().iter().copied());
        all.words64(s.sched);
        for ((agent, index), bundle) in &s.patches {
            all.words64([u64::from(*agent), *index]);
            all.0.update(bundle);
        }
        all.0.digest()
    }

    fn memories(&self, all: &mut Sink) {
        for (space, bank) in [(0, &self.sbuf), (1, &self.psum)] {
            bank.pages()
                .for_each(|(n, data, bits)| all.page(space, n, data, bits));
        }
        self.dram
            .pages()
            .for_each(|(n, p)| all.page(2, n, &p.data, &p.bits));
    }
}

/// The running hash; numbers enter it in little-endian order.
struct Sink(Xxh3);

impl Sink {
    fn words32(&mut self, words: impl IntoIterator<Item = u32>) {
        let mut buffer = [[0u8; 4]; 256];
        let mut words = words.into_iter().peekable();
        while words.peek().is_some() {
            let n = buffer
                .iter_mut()
                .zip(&mut words)
                .map(|(b, w)| *b = w.to_le_bytes())
                .count();
            self.0
                .update(buffer.as_flattened().get(..4 * n).unwrap_or_default());
        }
    }

    fn words64(&mut self, words: impl IntoIterator<Item = u64>) {
        words
            .into_iter()
            .for_each(|w| self.0.update(&w.to_le_bytes()));
    }

    fn page(&mut self, space: u64, number: u64, data: &[u8], bits: &[u64]) {
        let data = xxh3_64_with_seed(data, number);
        self.words64([space, number, data]);
        // One word says "all written", the usual case; any other page gives its words.
        match bits.iter().all(|w| *w == u64::MAX) {
            true => self.words64([u64::MAX]),
            false => self.words64([0].into_iter().chain(bits.iter().copied())),
        }
    }
}

impl State {
    /// xxh3-64 over what a program can leave behind whatever the schedule: memories, written bits, registers, semaphores, events.
    pub fn outcome(&self) -> u64 {
        let mut all = Sink(Xxh3::new());
        self.memories(&mut all);
        all.words32(self.small.sems);
        all.words64(self.small.events);
        let regs = self.small.regs.iter();
        regs.for_each(|file| all.words32(file.iter().copied()));
        all.words64(self.small.defined);
        all.0.digest()
    }
}

impl Machine {
    /// Hash of what a record stored, its bytes as they are now: by the bundle to registers and memory, or by its transfer.
    pub fn stored(&self, at: u64, transfer: bool) -> u64 {
        let mut all = Sink(Xxh3::new());
        let of_transfer = self.transferred(at);
        let mut bytes = Vec::new();
        for effect in self.journal().effects(at) {
            if let (Effect::Reg { agent, reg, .. }, false) = (effect, transfer) {
                let value = self.state().reg(*agent, *reg);
                all.words64([u64::from(*reg), u64::from(value)]);
            }
            let Some(runs) = effect.runs().filter(|_| of_transfer == transfer) else {
                continue;
            };
            for rect in runs.rects() {
                bytes.clear();
                // A record's ranges lie in the memory.
                let _inside = self.state().read_into(&rect, &mut bytes);
                all.words64([rect.space as u64, rect.part.into(), rect.off]);
                all.0.update(&bytes);
            }
        }
        all.0.digest()
    }

    /// Did a transfer do what the record stored?
    pub fn transferred(&self, at: u64) -> bool {
        self.journal()
            .record(at)
            .is_some_and(|r| match r.head.kind {
                StepKind::Transfer => self.journal().writes(at).next().is_some(),
                StepKind::Retire => {
                    let queue = Queue::from_index(r.head.agent.into());
                    let bundle = queue.and_then(|q| self.bundle(q, r.head.index));
                    let issues = bundle.is_some_and(|b| issues(b.opcode()));
                    issues && self.journal().writes(at).next().is_some()
                }
                StepKind::Edit => false,
            })
    }
}
