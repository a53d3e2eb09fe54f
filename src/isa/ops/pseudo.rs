//! Pseudo instructions 0xC1..0xDF, rewritten by the loader (isa 08 §10, 09 §9).

use crate::isa::{Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0xC1,
        name: "PSEUDO_DMATRIGGER",
        text: Some("PSEUDO_DMA_TRIGGER"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMATRIGGER",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC2,
        name: "PSEUDO_DMAREARM",
        text: Some("PSEUDO_DMA_REARM"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMAREARM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC3,
        name: "PSEUDO_DMABARRIER",
        text: Some("PSEUDO_DMA_BARRIER"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMABARRIER",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC4,
        name: "PSEUDO_DMAMEMCPY_FULL_IND",
        text: Some("PSEUDO_DMA_MEMCPY_FULL_IND"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMAMEMCPY_FULL_IND",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC5,
        name: "PSEUDO_SEMAPHORE_SET",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SEMAPHORE_SET",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC6,
        name: "PSEUDO_LOAD_ACT_FUNC_SET",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_LOAD_ACT_FUNC_SET",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC7,
        name: "PSEUDO_TRIGGER_ALL_REDUCE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TRIGGER_ALL_REDUCE",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC8,
        name: "PSEUDO_TRIGGER_COLLECTIVE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TRIGGER_COLLECTIVE",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC9,
        name: "PSEUDO_READ_VAR_ADDR",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_READ_VAR_ADDR",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCA,
        name: "PSEUDO_EMBEDDING_UPDATE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_EMBEDDING_UPDATE",
        decode: Known::Partial,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCB,
        name: "PSEUDO_SEND_RECV",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SEND_RECV",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCC,
        name: "PSEUDO_BRANCH_LABEL",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_BRANCH_LABEL",
        decode: Known::Unknown,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCD,
        name: "PSEUDO_TENSOR_STORE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_MEM_2D",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCE,
        name: "PSEUDO_TENSOR_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_MEM_2D",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCF,
        name: "PSEUDO_DMASWAP_QUEUE_SET",
        text: Some("PSEUDO_DMA_SWAP_QUEUE_SET"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMASWAP_QUEUE_SET",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD0,
        name: "PSEUDO_SET_RNG_SEED",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SET_RNG_SEED",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD1,
        name: "PSEUDO_FUNCTION_BEGIN",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_FUNCTION_BEGIN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD2,
        name: "PSEUDO_FUNCTION_RETURN",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_FUNCTION_RETURN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD3,
        name: "PSEUDO_FUNCTION_CALL",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_FUNCTION_CALL",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD4,
        name: "PSEUDO_DMA_DIRECT2D",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "DMA_DIRECT2D (PSEUDO_ADDR8)",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD5,
        name: "PSEUDO_SYNC_BARRIER",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SYNC_BARRIER",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD6,
        name: "PSEUDO_RANGE_CHECK",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_RANGE_CHECK",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD7,
        name: "PSEUDO_JPEG_DECODE",
        gens: GenSet::FROM_V3,
        engines: Engines::Host,
        layout: "PSEUDO_JPEG_DECODE",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD8,
        name: "PSEUDO_CORE_BARRIER",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_CORE_BARRIER",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD9,
        name: "PSEUDO_TRIGGER_COLLECTIVE2",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TRIGGER_COLLECTIVE2",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDA,
        name: "PSEUDO_EXTENSION",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_EXTENSION",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDB,
        name: "PSEUDO_CUR_PROCESSING_RANK_ID",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_CUR_PROCESSING_RANK_ID",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDC,
        name: "PSEUDO_GID_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_GID_LOAD",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDD,
        name: "PSEUDO_BRANCH_PREFETCH_HINT",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_BRANCH_PREFETCH_HINT",
        decode: Known::Unknown,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDE,
        name: "PSEUDO_TENSOR_COMPLETION",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TENSOR_COMPLETION",
        decode: Known::Unknown,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDF,
        name: "PSEUDO_INST",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_INST",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
];
