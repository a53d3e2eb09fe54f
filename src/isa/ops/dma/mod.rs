//! DMA family (isa 09).

mod formats;
mod rules;

pub use formats::*;
pub(super) use rules::{address, bounds, marker, priority, pseudo_sides, reachable};

use crate::isa::{Engines, Exec, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0xB8,
        name: "DMAMEMCPY",
        gens: GenSet::ALL,
        engines: Engines::Dma,
        layout: "DMA_DIRECT2D",
        formats: DmaDirect2d::EVERY,
        rules: &[rules::copy],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "2-D copy, cast or arithmetic between any two memories (isa 09 §3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB9,
        name: "DMA_MEMCPY2",
        gens: GenSet::V5,
        engines: Engines::Dma,
        layout: "DMA_COPY2D",
        formats: DmaCopy2d::EVERY,
        exec: Exec::Unmodelled("v5 has no machine model"),
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "2-D copy with its own wait and completion (isa 09 §7)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBA,
        name: "DMA_IMMEDIATE",
        gens: GenSet::V5,
        engines: Engines::Dma,
        layout: "DMA_IMMEDIATE",
        formats: DmaImmediate::EVERY,
        rules: &[rules::immediate],
        exec: Exec::Unmodelled("v5 only, raw descriptors are not interpreted"),
        decode: Known::Partial,
        semantics: Known::Partial,
        doc: "raw ring descriptors (isa 09 §7)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBB,
        name: "DMA_INDIRECT",
        gens: GenSet::ALL,
        engines: Engines::Dma,
        layout: "DMA_INDIRECT1D",
        formats: DmaIndirect1d::EVERY,
        rules: &[rules::indirect],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "gather or scatter through index vectors (isa 09 §4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBD,
        name: "DMA_TRANSPOSE",
        gens: GenSet::FROM_V3,
        engines: Engines::Dma,
        layout: "DMA_DIRECT2D_XPOSE",
        formats: DmaDirect2dXpose::EVERY,
        rules: &[rules::transpose],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "copy that transposes tiles (isa 09 §5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF1,
        name: "DMA_GATHER_TRANSPOSE",
        gens: GenSet::FROM_V3,
        engines: Engines::Dma,
        layout: "DMA_GATHER_XPOSE",
        formats: DmaGatherXpose::EVERY,
        rules: &[rules::gather_transpose],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "gather of rows, written transposed (isa 09 §6)",
        ..OpRow::NEW
    },
];
