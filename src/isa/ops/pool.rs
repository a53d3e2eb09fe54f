//! POOL and miscellaneous family: gather, random, extended (isa 07c).

use crate::isa::{Engine, Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x4A,
        name: "REG_LOAD",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4_RL",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4C,
        name: "REG_SHUFFLE",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "-",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4D,
        name: "RNG",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "D4_MR",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x66,
        name: "LOAD_PARAMETER_RAM",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "CTRL_IM",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x67,
        name: "POOL_BUFFER_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4_PB",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x68,
        name: "GATHER",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4D4_GT",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x73,
        name: "ROI_ALIGN",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "-",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x76,
        name: "RAND",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "D4_RAND",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x77,
        name: "RAND_GET_STATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "D4_RAND",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x78,
        name: "RAND_SET_STATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S1_RAND",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x79,
        name: "EMBEDDING_UPDATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "?",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7A,
        name: "LOAD_POOL_ARGUMENT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "CTRL_IM",
        decode: Known::Partial,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7B,
        name: "TENSOR_DEQUANTIZE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_TENS_DEQUANT",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7F,
        name: "DROPOUT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3D3_DROPOUT",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x81,
        name: "JPEG_DECODE",
        gens: GenSet::FROM_V3,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S2D2_JPEG",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x85,
        name: "CUSTOM_OP_HEADER",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "CUSTOM_OP_HEADER",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x86,
        name: "CUSTOM_OP_PAYLOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "CUSTOM_OP_PAYLOAD",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x95,
        name: "MODIFY_POOL_CONFIG",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "MODIFY_POOL_CONFIG",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x96,
        name: "SORT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S1D2_SORT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x9C,
        name: "TENSOR_REDUCE_RANGE_CHECK",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S2D2_TR",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBE,
        name: "GET_SEQUENCE_BOUNDS",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_SEQ_BOUNDS",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBF,
        name: "SB2SB_COLLECTIVE",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_COLLECTIVE",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE2,
        name: "RAND2",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "D3_RAND",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE7,
        name: "INDIRECT_COPY",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4D4_IC",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xEB,
        name: "HINT",
        gens: GenSet::NONE,
        engines: Engines::Nobody,
        layout: "?",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF0,
        name: "EXTENDED_INST",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "EXTENDED_*",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF2,
        name: "NONZERO_WITH_COUNT",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_NONZERO_WITH_COUNT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF3,
        name: "TENSOR_TENSOR_INT_WIDE",
        gens: GenSet::V5,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S2S2D2D2_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF4,
        name: "TENSOR_SCALAR_INT_WIDE",
        gens: GenSet::V5,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S2D2D2_TS_WIDE",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xFF,
        name: "INVALID",
        gens: GenSet::ALL,
        engines: Engines::Nobody,
        layout: "-",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
];
