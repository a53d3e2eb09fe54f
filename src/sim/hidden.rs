//! Hidden engine state: accumulators, latched weights, masks, random generators.
//!
//! All of it is one flat array of 32-bit words cut into named [`Region`]s, so that one kind of effect and one line of the digest
//! serve every cell. An engine family adds a region by adding a row to the table below. Floats are kept as their bits.

use super::checkpoint::{Shadow, Words};
use super::memory::PAGE;
use std::sync::Arc;

/// A named range of hidden words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Name shown to users.
    pub name: &'static str,
    /// First word.
    pub start: u32,
    /// Number of words.
    pub len: u32,
}

impl Region {
    /// Words `first..first+len` of the region; cut to the region's end.
    pub const fn slice(self, first: u32, len: u32) -> Region {
        let first = if first < self.len { first } else { self.len };
        let rest = self.len - first;
        Region {
            name: self.name,
            start: self.start + first,
            len: if len < rest { len } else { rest },
        }
    }

    /// One word of the region.
    pub const fn word(self, index: u32) -> Region {
        self.slice(index, 1)
    }

    /// One past the last word.
    pub const fn end(self) -> u32 {
        self.start + self.len
    }

    const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end() as usize
    }
}

macro_rules! regions {
    ($($(#[$doc:meta])* $id:ident $name:literal $len:expr, $reset:expr;)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "mirrors the constants below")]
        enum Row { $($id),* }
        const ROWS: &[(u32, fn(u32) -> u32)] = &[$(($len, $reset)),*];
        impl Region {
            $($(#[$doc])* pub const $id: Region = Region { name: $name, start: start(Row::$id as usize), len: $len };)*
            /// Every region, in order.
            pub const ALL: &[Region] = &[$(Region::$id),*];
        }
    };
}

const fn start(row: usize) -> u32 {
    let (mut i, mut sum) = (0, 0);
    while i < row {
        sum += ROWS[i].0;
        i += 1;
    }
    sum
}

const LANES: u32 = 128;

regions! {
    /// Activation accumulator, fp32 bits per lane (isa 06 §4.1).
    ACT_ACC "act.acc" LANES, |_| 0;
    /// One bit per lane: accumulator was read by 0x24 since its last update.
    ACT_ACC_READ "act.acc-read" 4, |_| 0;
    /// Resident activation table set, -1 before the first load.
    ACT_SET "act.set" 1, |_| u32::MAX;
    /// DVE accumulator, fp32 bits per lane (isa 07 §6).
    DVE_ACC "dve.acc" LANES, |_| 0;
    /// One bit per lane: an IDLE instruction ran since the accumulator was last set.
    DVE_ACC_IDLE "dve.acc-idle" 4, |_| 0;
    /// Latched weights, fp32 bits, `[plane][row][column]` of 128 x 128; planes 1..3 serve the modes with several values per cell.
    WEIGHTS "pe.weights" 4 * 128 * 128, |_| 0;
    /// Four words for each 32 x 32 tile of the weight array, row-major: dtype, fp32 mode, flags, spare.
    WEIGHT_INFO "pe.weight-info" 16 * 4, |_| 0;
    /// Sparsity tags, 4 bits per cell of the array, eight per word, 16 words per row (isa 05 §8).
    TAGS "pe.tags" 128 * 16, |_| 0;
    /// Match values, fp32 bits, eight per lane.
    MATCH_VALUES "dve.match" LANES * 8, |_| 0;
    /// Matched flags, eight bits per lane.
    MATCH_FLAGS "dve.matched" LANES, |_| 0;
    /// Index flops, eight per lane.
    INDEX_FLOPS "dve.index" LANES * 8, |_| u32::MAX;
    /// Shuffle mask: 32 bytes, four per word, lowest first; lane i takes from i after reset.
    SHUFFLE_MASK "dve.shuffle" 8, |i| 0x0302_0100 + i * 0x0404_0404;
    /// Parameter RAM: fp32 reciprocals, word n holds 1/n (isa 07 §6).
    PARAM_RAM "dve.param-ram" 256, |i| if i == 0 { 0 } else { (1.0 / i as f32).to_bits() };
    /// Scalar flops, eight per lane.
    SCALAR_FLOPS "dve.scalars" LANES * 8, |_| 0;
    /// How many of them were loaded.
    SCALAR_COUNT "dve.scalar-count" 1, |_| 0;
    /// Batch-norm parameters A, B, C, N, mean per lane.
    BN_PARAMS "dve.bn" LANES * 5, |_| 0;
    /// Which bundle loaded the batch-norm parameters: its opcode byte, 0 for none.
    BN_SOURCE "dve.bn-source" 1, |_| 0;
    /// DVE generators: four of six words per lane (the LFSR uses the first four).
    RNG_DVE "dve.rng" LANES * 24, |_| 1;
    /// POOL generator: six words per lane, seven with PHILOX.
    RNG_POOL "pool.rng" LANES * 7, |_| 1;
    /// Stochastic-rounding seeds of PSUM, 16 per partition (v4).
    PSUM_SEEDS "psum.seeds" LANES * 16, |_| 0;
    /// One bit per 4-byte PSUM cell, `[plane][bank][partition]` of 512; planes: last written by the PE, in a group without
    /// END, written by the PE and not read since (isa 05 §6.2).
    PSUM_GROUP "psum.group" 3 * 8 * LANES * 16, |_| 0;
    /// Table window of POOL_BUFFER_LOAD: 512 elements per lane.
    POOL_BUFFER "pool.buffer" LANES * 512, |_| 0;
    /// Its first index, elements per lane (0: empty), bytes per element.
    POOL_BUFFER_INFO "pool.buffer-info" 3, |_| 0;
    /// Arguments of 0x7A.
    POOL_ARGS "pool.args" 8, |_| 0;
    /// Shape registers: four of four (step, count) pairs.
    SHAPE_REGS "shape" 4 * 8, |_| 0;
    /// DMA queues: four words each (cursor, issued, finished, spare).
    QUEUES "dma.queues" 256 * 4, |_| 0;
    /// Transfers issued and not finished: 64 slots of 40 words (`exec::dma::Transfer`), the first word 0 for a free slot.
    PENDING "dma.pending" 64 * 40, |_| 0;
    /// Call frames: 32 words for each stream (`exec::branch`): depth, then two words for each call.
    CALLS "calls" 6 * 32, |_| 0;
    /// When each semaphore was last changed, picoseconds in two words; timed scheduling only.
    SEM_TIMES "sched.sems" 256 * 2, |_| 0;
    /// When each event was last changed, likewise.
    EVENT_TIMES "sched.events" 256 * 2, |_| 0;
}

/// Number of hidden words.
pub const HIDDEN_WORDS: u32 = start(ROWS.len());

const PAGE_WORDS: usize = PAGE / 4;

/// The array of all hidden words, padded to whole pages.
#[derive(Clone)]
pub(super) struct Hidden {
    words: Vec<u32>,
    shadow: Shadow<Words>,
}

impl Hidden {
    /// Reset values.
    pub fn new() -> Hidden {
        let mut words: Vec<u32> = ROWS
            .iter()
            .flat_map(|(len, reset)| (0..*len).map(reset))
            .collect();
        words.resize(words.len().next_multiple_of(PAGE_WORDS), 0);
        let count = words.len() / PAGE_WORDS;
        let mut shadow = Shadow::new(&Arc::new([0; PAGE_WORDS]), count);
        shadow.touch(0, words.len(), PAGE_WORDS);
        Hidden { words, shadow }
    }

    /// The words of a region.
    pub fn words(&self, region: Region) -> &[u32] {
        self.words.get(region.range()).unwrap_or_default()
    }

    /// The words of a region, to be changed.
    pub fn words_mut(&mut self, region: Region) -> &mut [u32] {
        let words = self.words.get_mut(region.range()).unwrap_or_default();
        if !words.is_empty() {
            self.shadow
                .touch(region.start as usize, words.len(), PAGE_WORDS);
        }
        words
    }

    /// Every word.
    pub fn all(&self) -> &[u32] {
        self.words.get(..HIDDEN_WORDS as usize).unwrap_or_default()
    }

    /// The pages as shared copies; counts those that had to be made.
    pub fn capture(&mut self, copied: &mut u64) -> Vec<Arc<Words>> {
        let pages = self.words.as_chunks::<PAGE_WORDS>().0;
        self.shadow
            .capture(copied, |i| pages.get(i).map(|p| Arc::new(*p)))
    }

    /// Takes over the pages of a checkpoint.
    pub fn restore(&mut self, pages: &[Arc<Words>]) {
        let own = self.words.as_chunks_mut::<PAGE_WORDS>().0;
        self.shadow.restore(pages, |i, page| {
            if let Some(own) = own.get_mut(i) {
                *own = *page;
            }
        });
    }
}

impl PartialEq for Hidden {
    fn eq(&self, other: &Hidden) -> bool {
        self.words == other.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_tile_the_array_and_reset_as_the_sheets_say() {
        let hidden = Hidden::new();
        assert_eq!(hidden.all().len(), HIDDEN_WORDS as usize);
        let mut end = 0;
        for r in Region::ALL {
            assert_eq!(r.start, end, "{}", r.name);
            end = r.end();
        }
        assert_eq!(end, HIDDEN_WORDS);
        let mask: Vec<u8> = hidden
            .words(Region::SHUFFLE_MASK)
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        assert_eq!(mask, (0..32).collect::<Vec<u8>>());
        assert_eq!(hidden.words(Region::ACT_SET), [u32::MAX]);
        assert!(
            hidden
                .words(Region::INDEX_FLOPS)
                .iter()
                .all(|w| *w == u32::MAX)
        );
        assert!(hidden.words(Region::RNG_DVE).iter().all(|w| *w == 1));
        let ram = hidden.words(Region::PARAM_RAM);
        assert_eq!(
            (
                f32::from_bits(ram[1]),
                f32::from_bits(ram[4]),
                f32::from_bits(ram[255])
            ),
            (1.0, 0.25, 1.0 / 255.0)
        );
    }

    #[test]
    fn slices_stay_inside() {
        assert_eq!(Region::DVE_ACC.slice(120, 100).len, 8);
        assert_eq!(Region::DVE_ACC.slice(500, 1).len, 0);
        assert_eq!(Region::DVE_ACC.word(3).start, Region::DVE_ACC.start + 3);
    }
}
