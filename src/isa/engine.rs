//! Engines, the streams they fetch from, and their names (isa 01 §1, 11 §1, 14 §1).

use std::fmt;

/// An engine of the core, by its wire number (isa 01 §1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Engine {
    /// Tensor engine: the systolic array.
    Pe,
    /// Scalar engine: activation functions.
    Act,
    /// GpSimd engine.
    Pool,
    /// Vector engine.
    Dve,
    /// Sync engine: control and DMA dispatch.
    Sp,
}

impl Engine {
    /// All engines in wire order, which is also the round-robin order (isa 11 §5).
    pub const ALL: [Engine; 5] = [
        Engine::Pe,
        Engine::Act,
        Engine::Pool,
        Engine::Dve,
        Engine::Sp,
    ];

    /// Short lower-case name, as in `$pe.r5`.
    pub const fn name(self) -> &'static str {
        ["pe", "act", "pool", "dve", "sp"][self as usize]
    }

    /// The name NKI uses.
    pub const fn external_name(self) -> &'static str {
        ["tensor", "scalar", "gpsimd", "vector", "sync"][self as usize]
    }

    /// Reads either name, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| {
            e.name().eq_ignore_ascii_case(text) || e.external_name().eq_ignore_ascii_case(text)
        })
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["PE", "ACT", "POOL", "DVE", "SP"][*self as usize])
    }
}

/// Whose instruction stream: one engine's, or an `any` stream in which every bundle runs on its
/// opcode's home engine with one shared register file (interface §1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Queue {
    /// The stream of one engine.
    Of(Engine),
    /// One in-order stream for all engines.
    Any,
}

impl Queue {
    /// Number of queues, for tables indexed by [`Queue::index`].
    pub const COUNT: usize = 6;
    /// All queues in scheduling order.
    pub const ALL: [Queue; 6] = [
        Queue::Of(Engine::Pe),
        Queue::Of(Engine::Act),
        Queue::Of(Engine::Pool),
        Queue::Of(Engine::Dve),
        Queue::Of(Engine::Sp),
        Queue::Any,
    ];

    /// Position in [`Queue::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Queue::Of(e) => e as usize,
            Queue::Any => 5,
        }
    }

    /// The queue at a position of [`Queue::ALL`].
    pub fn from_index(i: usize) -> Option<Self> {
        Self::ALL.get(i).copied()
    }

    /// Short lower-case name; `any` for the shared stream.
    pub const fn name(self) -> &'static str {
        match self {
            Queue::Of(e) => e.name(),
            Queue::Any => "any",
        }
    }

    /// Reads an engine name or `any`.
    pub fn parse(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("any") {
            Some(Queue::Any)
        } else {
            Engine::parse(text).map(Queue::Of)
        }
    }

    /// The engine, unless this is the shared stream.
    pub const fn engine(self) -> Option<Engine> {
        match self {
            Queue::Of(e) => Some(e),
            Queue::Any => None,
        }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Queue::Of(e) => e.fmt(f),
            Queue::Any => f.write_str("ANY"),
        }
    }
}
