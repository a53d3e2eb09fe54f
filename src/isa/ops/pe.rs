//! PE family (isa 05).

use crate::isa::{Engine, Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x01,
        name: "LDWEIGHTS",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S3_LW",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x02,
        name: "MATMUL",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S3D3_MM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x03,
        name: "PE_REG_WRITE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "? (PE config register write)",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x04,
        name: "WEIGHT_MASK",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "-",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x05,
        name: "WEIGHT_SHIFT",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "-",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x06,
        name: "LDTAGS",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S3_LT",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x07,
        name: "MATMUL_SPARSE",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S4D3_MM",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x08,
        name: "PE_MANAGE_SEED",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S2S1D2_PE_SEED",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x09,
        name: "LDWEIGHTS_MX",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "SMX1_LW",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x0A,
        name: "MATMUL_MX",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "SMX1D3_MM",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE0,
        name: "SPARSITY_COMPRESS",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_SC",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE1,
        name: "SPARSITY_COMPRESS_TAG",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2D2D2_SC",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE3,
        name: "QUANTIZE_MX",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3DMX1_QUANT",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE4,
        name: "CONV_LUT_LOAD",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pe, Engine::Pool]),
        layout: "S2_CONVLUT",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
];
