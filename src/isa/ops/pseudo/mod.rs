//! Pseudo instructions 0xC1..0xDF, rewritten by the loader (isa 08 §10, 09 §9).

mod formats;

pub use formats::*;

use crate::isa::{Bundle, Engines, Exec, Format, GenSet, Known, OpRow};

/// PSEUDO_TENSOR_STORE: packed values instead of register numbers when byte 13 is 1 (isa 08 §7.3).
fn store_format(bundle: &Bundle) -> Option<&'static Format> {
    (bundle.u8(13) == 1).then_some(PseudoMem2dStoreImm::FORMAT)
}

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0xC1,
        name: "PSEUDO_DMATRIGGER",
        text: Some("PSEUDO_DMA_TRIGGER"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMATRIGGER",
        formats: PseudoDmaTrigger::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "start a block of a DMA queue (isa 09 §9.1)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC2,
        name: "PSEUDO_DMAREARM",
        text: Some("PSEUDO_DMA_REARM"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMAREARM",
        formats: PseudoDmaRearm::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "rewind the cursors of a DMA queue (isa 09 §9.2)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC3,
        name: "PSEUDO_DMABARRIER",
        text: Some("PSEUDO_DMA_BARRIER"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMABARRIER",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "DMA fence (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC4,
        name: "PSEUDO_DMAMEMCPY_FULL_IND",
        text: Some("PSEUDO_DMA_MEMCPY_FULL_IND"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMAMEMCPY_FULL_IND",
        formats: PseudoDmaMemcpyFullInd::EVERY,
        decode: Known::Partial,
        semantics: Known::Partial,
        doc: "gather or scatter between a table and a direct side (isa 09 §9.4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC5,
        name: "PSEUDO_SEMAPHORE_SET",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SEMAPHORE_SET",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "set a semaphore (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC6,
        name: "PSEUDO_LOAD_ACT_FUNC_SET",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_LOAD_ACT_FUNC_SET",
        formats: PseudoLoadActFuncSet::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "make the function set of that name resident (isa 06 §2.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC7,
        name: "PSEUDO_TRIGGER_ALL_REDUCE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TRIGGER_ALL_REDUCE",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "all-reduce (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC8,
        name: "PSEUDO_TRIGGER_COLLECTIVE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TRIGGER_COLLECTIVE",
        formats: PseudoTriggerCollective::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "collective operation over tensors (isa 09 §9.5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xC9,
        name: "PSEUDO_READ_VAR_ADDR",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_READ_VAR_ADDR",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "read the address of a variable (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCA,
        name: "PSEUDO_EMBEDDING_UPDATE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_EMBEDDING_UPDATE",
        formats: PseudoEmbeddingUpdate::EVERY,
        exec: Exec::Unmodelled("fields known in part, meaning not published"),
        decode: Known::Partial,
        semantics: Known::Unknown,
        doc: "row update of an embedding table (isa 09 §9.4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCB,
        name: "PSEUDO_SEND_RECV",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SEND_RECV",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "send to or receive from another rank (isa 08 §10)",
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
        doc: "label of a branch; no effect (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCD,
        name: "PSEUDO_TENSOR_STORE",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_MEM_2D",
        formats: PseudoMem2dStore::EVERY,
        variant: Some(store_format),
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "store registers or immediates to a variable (isa 08 §7.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCE,
        name: "PSEUDO_TENSOR_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_MEM_2D",
        formats: PseudoMem2dLoad::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "load words of a variable into registers (isa 08 §7.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xCF,
        name: "PSEUDO_DMASWAP_QUEUE_SET",
        text: Some("PSEUDO_DMA_SWAP_QUEUE_SET"),
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_DMASWAP_QUEUE_SET",
        formats: PseudoDmaSwapQueueSet::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "switch to another instance of a DMA queue (isa 09 §9.2)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD0,
        name: "PSEUDO_SET_RNG_SEED",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SET_RNG_SEED",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "seed the random generators (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD1,
        name: "PSEUDO_FUNCTION_BEGIN",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_FUNCTION_BEGIN",
        formats: PseudoFunctionBegin::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "start of a function (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD2,
        name: "PSEUDO_FUNCTION_RETURN",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_FUNCTION_RETURN",
        formats: PseudoPlain::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "return from a function (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD3,
        name: "PSEUDO_FUNCTION_CALL",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_FUNCTION_CALL",
        formats: PseudoFunctionCall::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "call a function (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD4,
        name: "PSEUDO_DMA_DIRECT2D",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "DMA_DIRECT2D (PSEUDO_ADDR8)",
        formats: PseudoDmaDirect2d::EVERY,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "2-D copy between variables (isa 09 §9.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD5,
        name: "PSEUDO_SYNC_BARRIER",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_SYNC_BARRIER",
        formats: PseudoPlain::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "barrier of all engines (isa 08 §9)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD6,
        name: "PSEUDO_RANGE_CHECK",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_RANGE_CHECK",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "range check of indices (isa 09 §9.4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD7,
        name: "PSEUDO_JPEG_DECODE",
        gens: GenSet::FROM_V3,
        engines: Engines::Host,
        layout: "PSEUDO_JPEG_DECODE",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "JPEG decode (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD8,
        name: "PSEUDO_CORE_BARRIER",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_CORE_BARRIER",
        formats: PseudoCoreBarrier::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "barrier of several cores (isa 08 §9)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xD9,
        name: "PSEUDO_TRIGGER_COLLECTIVE2",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_TRIGGER_COLLECTIVE2",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "collective operation, second form (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDA,
        name: "PSEUDO_EXTENSION",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_EXTENSION",
        formats: PseudoExtension::EVERY,
        decode: Known::Partial,
        semantics: Known::Partial,
        doc: "continuation of the 0xD4 or 0xD9 before it (isa 09 §9.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDB,
        name: "PSEUDO_CUR_PROCESSING_RANK_ID",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_CUR_PROCESSING_RANK_ID",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "rank being processed, into a register (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDC,
        name: "PSEUDO_GID_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_GID_LOAD",
        exec: Exec::Unmodelled("fields not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "device id, into a register or memory (isa 08 §10)",
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
        doc: "prefetch hint for a branch; no effect (isa 08 §6.4)",
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
        doc: "marker; no effect (isa 08 §10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xDF,
        name: "PSEUDO_INST",
        gens: GenSet::ALL,
        engines: Engines::Host,
        layout: "PSEUDO_INST",
        formats: PseudoInst::EVERY,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "host command; sub-opcode 1 ends the stream (isa 08 §10)",
        ..OpRow::NEW
    },
];
