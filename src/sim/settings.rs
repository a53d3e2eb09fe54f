//! The settings that change what the machine does (decisions.md §2), one row per key.
//!
//! A key is written `set KEY VALUE`. Values change results, so recorded sessions carry them.

use crate::isa::Severity;
use crate::isa::legal::CheckSettings;
use crate::num::{MinMaxNan, Rules};
use thiserror::Error;

/// What a key accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    /// One of these words, the default first.
    Words(&'static [&'static str]),
    /// A number; the default is 0.
    Number,
}

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// `group.name` as typed.
    pub name: &'static str,
    /// Values.
    pub accepts: Accepts,
    /// Acts only when the program is loaded or restarted.
    pub at_load: bool,
    /// One line for `info settings`.
    pub doc: &'static str,
}

/// Why a setting was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingError {
    /// No such key.
    #[error("no setting {name:?}")]
    UnknownKey {
        /// What was typed.
        name: String,
    },
    /// The key does not take that value.
    #[error("{key} takes {allowed}, found {found:?}")]
    Value {
        /// The key.
        key: &'static str,
        /// Its values.
        allowed: String,
        /// What was typed.
        found: String,
    },
}

macro_rules! keys {
    ($($id:ident $name:literal $accepts:expr, $load:literal, $doc:literal;)*) => {
        /// Names of the settings.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the row's doc is the text shown to users")]
        pub enum Id { $($id),* }
        /// All settings, in the order of decisions.md §2.
        pub const KEYS: &[Key] = &[$(Key { name: $name, accepts: $accepts, at_load: $load, doc: $doc }),*];
    };
}

use Accepts::{Number, Words};

keys! {
    Unmodelled "unmodelled" Words(&["fault", "skip"]), false, "bundles whose meaning is not known: stop, or retire without effect";
    InitMemory "init.memory" Words(&["ones", "zero"]), true, "bytes of never-written memory";
    InitRegisters "init.registers" Words(&["ones", "zero"]), true, "registers after reset";
    UninitRead "uninit.read" Words(&["warn", "fault", "ignore"]), false, "reading never-written bytes";
    MemoryOverlap "memory.overlap" Words(&["warn", "fault", "ignore"]), false, "source overlaps destination with another element order";
    CheckReserved "check.reserved" Words(&["error", "warn"]), false, "non-zero reserved bytes";
    CheckStartPartition "check.start-partition" Words(&["error", "warn"]), false, "start partition against channel count";
    CheckEngine "check.engine" Words(&["error", "warn"]), false, "opcode in another engine's stream";
    CheckPoolPsum "check.pool-psum" Words(&["error", "warn"]), false, "PSUM operand of a bundle that runs on POOL";
    BranchTarget "branch.target" Words(&["auto", "index", "rel-bytes"]), true, "unit of immediate branch targets";
    DmaCompletionCount "dma.completion-count" Words(&["1", "16"]), false, "how often a transfer posts its semaphore";
    DmaDelay "dma.delay" Number, false, "scheduler steps between issue and completion of a transfer";
    RngSeed "rng.seed" Number, true, "seed of the random generators";
    Fp8Overflow "numerics.fp8-overflow" Words(&["saturate", "inf"]), false, "narrowing a too large value to fp8";
    Fp8AccumulateOverflow "numerics.fp8-accumulate-overflow" Words(&["inf", "saturate"]), false, "the same when accumulating in memory";
    Fp8Nan "numerics.fp8-nan" Words(&["keep", "suppress"]), false, "narrowing NaN to fp8";
    Fp8Tiny "numerics.fp8-tiny" Words(&["vendor", "rne"]), false, "values below the smallest fp8 subnormal";
    Fp8E4 "numerics.fp8e4" Words(&["auto", "ieee", "fn"]), false, "variant of dtype code 0x0E";
    Fp32rBits "numerics.fp32r-bits" Words(&["11", "10", "13"]), false, "mantissa bits of FP32R";
    PoolCast "numerics.pool-cast" Words(&["rne", "trunc"]), false, "float to integer in CAST on POOL";
    MinMaxNan "numerics.minmax-nan" Words(&["num", "x86", "propagate"]), false, "NaN in max and min";
    PeSum "numerics.pe-sum" Words(&["f32", "f64"]), false, "precision of a matmul's sum";
    ActAffine "numerics.act-affine" Words(&["separate", "fused"]), false, "rounding of scale * x + bias";
    MxQuant "numerics.mx-quant" Words(&["nki", "compiler"]), false, "scale rule of QUANTIZE_MX";
    WeightOrder "pe.weight-order" Words(&["last-first", "first-first"]), false, "column of the first element LDWEIGHTS reads";
    PsumFlag0 "pe.psum-flag0" Words(&["accumulate", "overwrite"]), false, "matmul with psum flags 0";
    ZeroRegionKey "pe.zero-region" Words(&["bank", "written"]), false, "what BEGIN clears";
    DveAccIdle "dve.acc-idle" Words(&["keep", "poison"]), false, "DVE accumulator after an IDLE command";
    FindingsNarrow "findings.narrow" Words(&["on", "off"]), false, "report overflow and saturation in narrowing";
    GatherIndex "pool.gather-index" Words(&["element", "row"]), false, "unit of INDIRECT_COPY indices";
}

/// The value of every setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    values: [u64; KEYS.len()],
}

impl Default for Settings {
    /// The first value of every key.
    fn default() -> Self {
        Settings {
            values: [0; KEYS.len()],
        }
    }
}

impl Settings {
    /// Raw value: index of the word, or the number.
    pub fn get(&self, id: Id) -> u64 {
        self.values.get(id as usize).copied().unwrap_or(0)
    }

    /// Does the setting hold its `n`-th word?
    pub fn is(&self, id: Id, n: u64) -> bool {
        self.get(id) == n
    }

    /// The row of a key, by its full name.
    ///
    /// # Errors
    /// [`SettingError::UnknownKey`].
    pub fn key(name: &str) -> Result<&'static Key, SettingError> {
        KEYS.iter()
            .find(|k| k.name == name)
            .ok_or_else(|| SettingError::UnknownKey {
                name: name.to_owned(),
            })
    }

    /// Sets a key from text.
    ///
    /// # Errors
    /// An unknown key, or a value it does not take.
    pub fn set(&mut self, name: &str, value: &str) -> Result<&'static Key, SettingError> {
        let key = Self::key(name)?;
        let parsed = match key.accepts {
            Words(words) => words.iter().position(|w| *w == value).map(|i| i as u64),
            Number => value.parse().ok(),
        };
        let at = KEYS.iter().position(|k| k.name == name);
        match (parsed, at.and_then(|i| self.values.get_mut(i))) {
            (Some(v), Some(slot)) => {
                *slot = v;
                Ok(key)
            }
            _ => Err(SettingError::Value {
                key: key.name,
                allowed: match key.accepts {
                    Words(words) => words.join(" or "),
                    Number => "a number".to_owned(),
                },
                found: value.to_owned(),
            }),
        }
    }

    /// Every key with its value as text.
    pub fn all(&self) -> impl Iterator<Item = (&'static Key, String)> + '_ {
        KEYS.iter().zip(self.values).map(|(k, v)| {
            let text = match k.accepts {
                Words(words) => words.get(v as usize).copied().unwrap_or("?").to_owned(),
                Number => v.to_string(),
            };
            (k, text)
        })
    }

    /// Every key that is not at its default, with its value as text.
    pub fn changed(&self) -> impl Iterator<Item = (&'static Key, String)> + '_ {
        let changed = self.all().zip(self.values).filter(|(_, raw)| *raw != 0);
        changed.map(|(setting, _)| setting)
    }

    /// Does any key that changes results differ from its default?
    pub fn altered(&self) -> bool {
        self.values.iter().any(|v| *v != 0)
    }

    /// How bad the rules are that a user may turn into findings.
    pub fn checks(&self) -> CheckSettings {
        let severity = |id| match self.get(id) {
            0 => Severity::Error,
            _ => Severity::Warn,
        };
        CheckSettings {
            reserved: severity(Id::CheckReserved),
            start_partition: severity(Id::CheckStartPartition),
            engine: severity(Id::CheckEngine),
            pool_psum: severity(Id::CheckPoolPsum),
        }
    }

    /// The conversion switches for ordinary narrowing.
    pub fn rules(&self) -> Rules {
        Rules {
            fp8_saturate: self.is(Id::Fp8Overflow, 0),
            fp8_keep_nan: self.is(Id::Fp8Nan, 0),
            fp8_vendor_tiny: self.is(Id::Fp8Tiny, 0),
            fp32r_bits: match self.get(Id::Fp32rBits) {
                1 => 10,
                2 => 13,
                _ => 11,
            },
            int_trunc: false,
        }
    }

    /// The NaN rule of max and min.
    pub fn min_max(&self) -> MinMaxNan {
        match self.get(Id::MinMaxNan) {
            1 => MinMaxNan::X86,
            2 => MinMaxNan::Propagate,
            _ => MinMaxNan::Num,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys and values of decisions.md §2, read from the sheet itself.
    #[test]
    fn keys_are_those_of_the_sheet() {
        let sheet = include_str!("../../assets/isa/decisions.md");
        let mut found = 0;
        let table = sheet.split("## 2. Setting keys").nth(1).unwrap();
        let table = table.split("## 3.").next().unwrap();
        for line in table.lines().filter(|l| l.starts_with("| ")).skip(1) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            for name in cells[0].split(", ") {
                // `init.memory, init.registers` and `check.reserved, check.start-partition, ...` share a row
                let key = Settings::key(name).unwrap();
                let values = match key.accepts {
                    Words(w) => w.join(", "),
                    Number => "0, N".to_owned(),
                };
                let expected = cells[1].replace(" scheduler steps", "");
                assert_eq!(values, expected, "{name}");
                found += 1;
            }
        }
        assert_eq!(found, KEYS.len());
    }

    #[test]
    fn set_names_what_is_allowed() {
        let mut s = Settings::default();
        assert!(s.set("numerics.fp8-overflow", "inf").is_ok());
        assert!(!s.rules().fp8_saturate);
        let e = s.set("unmodelled", "maybe").unwrap_err().to_string();
        assert_eq!(e, "unmodelled takes fault or skip, found \"maybe\"");
        assert!(s.set("nope", "1").is_err());
    }
}
