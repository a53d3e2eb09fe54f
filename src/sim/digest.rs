//! The hash of the whole architectural state: equal states, however reached, have equal digests on every machine.
//!
//! Pages without a written byte are skipped, so the cost follows what the program touched and a page undone to blank counts as
//! untouched.

use super::state::State;
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
        for (space, bank) in [(0, &self.sbuf), (1, &self.psum)] {
            bank.pages()
                .for_each(|(n, data, bits)| all.page(space, n, data, bits));
        }
        self.dram
            .pages()
            .for_each(|(n, p)| all.page(2, n, &p.data, &p.bits));

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
