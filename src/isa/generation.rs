//! The generations and their constants, one row each (isa 12 §2).

use std::fmt;

/// A generation of the instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Generation {
    /// NeuronCore v2, sunda (Trn1, Inf2).
    V2,
    /// NeuronCore v3, cayman (Trn2).
    V3,
    /// NeuronCore v4, mariana (Trn3).
    V4,
    /// NeuronCore v5, maverick: known from headers only, decoded but not executed.
    V5,
}

/// Constants of one generation.
#[derive(Debug)]
pub struct GenInfo {
    /// `v2`..`v5`.
    pub name: &'static str,
    /// The code name of the chip family.
    pub codename: &'static str,
    /// What `--gen` accepts besides the name.
    pub aliases: &'static [&'static str],
    /// Address bits below the SBUF partition number: stride is `1 << this`.
    pub sbuf_stride_log2: u32,
    /// Bytes that really exist per SBUF partition.
    pub sbuf_bytes: u32,
    /// Size of the DRAM window, in bytes.
    pub dram_bytes: u64,
}

/// SBUF and PSUM partitions (isa 12 §2.1).
pub const PARTITIONS: usize = 128;
/// Partitions per quadrant.
pub const QUADRANT: u16 = 32;
/// First on-chip address of PSUM (isa 02 §3).
pub const PSUM_BASE: u32 = 0x0200_0000;
/// First address above the PSUM window.
pub const PSUM_END: u32 = 0x0240_0000;
/// Address stride of a PSUM partition.
pub const PSUM_STRIDE: u32 = 0x8000;
/// Bytes that exist per PSUM partition: 8 banks of 2048.
pub const PSUM_BYTES: u32 = 0x4000;
/// Bytes of a PSUM bank per partition.
pub const BANK_BYTES: u32 = 2048;
/// PSUM banks.
pub const BANKS: u32 = 8;
/// Registers per engine (isa 08 §7).
pub const REGISTERS: usize = 64;
/// Semaphores, and events, per core (isa 08 §2).
pub const SEMAPHORES: usize = 256;

const INFO: [GenInfo; 4] = [
    GenInfo {
        name: "v2",
        codename: "sunda",
        aliases: &["sunda", "trn1", "inf2", "gen2", "core_v2", "trainium"],
        sbuf_stride_log2: 18,
        sbuf_bytes: 0x30000,
        dram_bytes: 16 << 30,
    },
    GenInfo {
        name: "v3",
        codename: "cayman",
        aliases: &["cayman", "trn2", "gen3", "core_v3"],
        sbuf_stride_log2: 18,
        sbuf_bytes: 0x38000,
        dram_bytes: 24 << 30,
    },
    GenInfo {
        name: "v4",
        codename: "mariana",
        aliases: &["mariana", "trn3", "gen4", "core_v4"],
        sbuf_stride_log2: 18,
        sbuf_bytes: 0x40000,
        dram_bytes: 36 << 30,
    },
    GenInfo {
        name: "v5",
        codename: "maverick",
        aliases: &["maverick", "trn4", "gen5", "core_v5"],
        sbuf_stride_log2: 20,
        sbuf_bytes: 0x80000,
        dram_bytes: 36 << 30,
    },
];

impl Generation {
    /// All generations, oldest first.
    pub const ALL: [Generation; 4] = [
        Generation::V2,
        Generation::V3,
        Generation::V4,
        Generation::V5,
    ];
    /// The ones with a machine model.
    pub const MODELLED: [Generation; 3] = [Generation::V2, Generation::V3, Generation::V4];

    /// The constants of this generation.
    pub const fn info(self) -> &'static GenInfo {
        &INFO[self as usize]
    }

    /// Reads a name or alias of the command line, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|g| {
            let info = g.info();
            info.name.eq_ignore_ascii_case(text)
                || info.aliases.iter().any(|a| a.eq_ignore_ascii_case(text))
        })
    }

    /// Bit of this generation in a [`GenSet`].
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

/// A set of generations, as a bit per [`Generation`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GenSet(pub u8);

impl GenSet {
    /// Every generation.
    pub const ALL: GenSet = GenSet(0b1111);
    /// No generation: a name without a place in any opcode table.
    pub const NONE: GenSet = GenSet(0);
    /// v2 only.
    pub const V2: GenSet = GenSet(0b0001);
    /// v3 only.
    pub const V3: GenSet = GenSet(0b0010);
    /// v4 only.
    pub const V4: GenSet = GenSet(0b0100);
    /// v5 only.
    pub const V5: GenSet = GenSet(0b1000);
    /// v2 and v3.
    pub const V2_V3: GenSet = GenSet(0b0011);
    /// v2, v3 and v4.
    pub const V2_V4: GenSet = GenSet(0b0111);
    /// v3 and later.
    pub const FROM_V3: GenSet = GenSet(0b1110);
    /// v4 and later.
    pub const FROM_V4: GenSet = GenSet(0b1100);

    /// Is `g` a member?
    pub const fn has(self, g: Generation) -> bool {
        self.0 & g.bit() != 0
    }
}

impl fmt::Display for GenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == GenSet::NONE {
            return f.write_str("none");
        }
        let names = Generation::ALL.iter().filter(|g| self.has(**g));
        for (i, g) in names.enumerate() {
            write!(f, "{}{g}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_of_the_contract() {
        for (text, g) in [
            ("v2", Generation::V2),
            ("sunda", Generation::V2),
            ("trn1", Generation::V2),
            ("inf2", Generation::V2),
            ("core_v2", Generation::V2),
            ("cayman", Generation::V3),
            ("trn2", Generation::V3),
            ("gen3", Generation::V3),
            ("MARIANA", Generation::V4),
            ("core_v5", Generation::V5),
        ] {
            assert_eq!(Generation::parse(text), Some(g), "{text}");
        }
        assert_eq!(Generation::parse("v6"), None);
    }
}
