//! DVE and POOL stream family: reduce, copy, fill, search, batch norm (isa 07b).

use crate::isa::{Engine, Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x42,
        name: "TENSOR_REDUCE_ARITH_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x45,
        name: "POOL",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S4D4_PL",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x46,
        name: "COPY",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool, Engine::Act]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x47,
        name: "CAST",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool, Engine::Act]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x48,
        name: "RECIPROCAL",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x49,
        name: "MEMSET",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "D4_MR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4B,
        name: "REG_STORE",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "D4_MR",
        decode: Known::Solid,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4E,
        name: "TENSOR_CUMULATIVE_ARITH_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x52,
        name: "TENSOR_REDUCE_BITVEC_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x58,
        name: "MAX_POOL_SELECT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_PL",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x5E,
        name: "TENSOR_CUMULATIVE_BITVEC_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x60,
        name: "BATCH_NORM_STATS",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D2_BN",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x61,
        name: "BATCH_NORM_STATS2",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x62,
        name: "BATCH_NORM_AGGREGATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x63,
        name: "BATCH_NORM_GRAD_ACCUMULATE",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3S3D1_BN",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x64,
        name: "BATCH_NORM_PARAM_LOAD",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2_BN",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x69,
        name: "LOAD_MASK_SELECT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "CTRL_IM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x6A,
        name: "STREAM_SHUFFLE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x6B,
        name: "STREAM_TRANSPOSE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x6C,
        name: "MAX8",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x6D,
        name: "MATCH_VALUE_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x6E,
        name: "FIND_INDEX8",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x6F,
        name: "MATCH_REPLACE8",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D4_MR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x70,
        name: "TENSOR_SCALAR_IMM_LD_ARITH",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x71,
        name: "TENSOR_SCALAR_IMM_LD_BITVEC",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S2_BN",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7C,
        name: "CROSS_LANE_REDUCE_ARITH",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4D4_CR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7D,
        name: "CROSS_LANE_REDUCE_BITVEC",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4D4_CR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7E,
        name: "IOTA",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "D4_IOTA",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x82,
        name: "TRANSPOSE_BATCH_NORM_STATS2",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S4D2_BN",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x83,
        name: "TRANSPOSE_TENSOR_REDUCE_ARITH_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x84,
        name: "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x8C,
        name: "TENSOR_REDUCE_ADD_BF16",
        gens: GenSet::V2,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x8D,
        name: "TENSOR_REDUCE_MAX_BF16",
        gens: GenSet::V2,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x8E,
        name: "BATCH_NORM_PARAM_LOAD2",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2_BNPL2",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x94,
        name: "BATCH_NORM_GRAD_ACCUMULATE2",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3S3D1_BN2",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x9B,
        name: "DVE_READ_ACCUMULATOR",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "D1_RD",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE9,
        name: "DVE_READ_INDICES",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "D4_MR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
];
