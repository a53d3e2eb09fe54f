//! DMA family (isa 09).

use crate::isa::{Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0xB8,
        name: "DMAMEMCPY",
        gens: GenSet::ALL,
        engines: Engines::Dma,
        layout: "DMA_DIRECT2D",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB9,
        name: "DMA_MEMCPY2",
        gens: GenSet::V5,
        engines: Engines::Dma,
        layout: "DMA_COPY2D",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBA,
        name: "DMA_IMMEDIATE",
        gens: GenSet::V5,
        engines: Engines::Dma,
        layout: "DMA_IMMEDIATE",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBB,
        name: "DMA_INDIRECT",
        gens: GenSet::ALL,
        engines: Engines::Dma,
        layout: "DMA_INDIRECT1D",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBD,
        name: "DMA_TRANSPOSE",
        gens: GenSet::FROM_V3,
        engines: Engines::Dma,
        layout: "DMA_DIRECT2D_XPOSE",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF1,
        name: "DMA_GATHER_TRANSPOSE",
        gens: GenSet::FROM_V3,
        engines: Engines::Dma,
        layout: "DMA_GATHER_XPOSE",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
];
