//! PE family (isa 05).

mod compress;
mod dense;
mod mx;
mod rules;
mod sparse;
mod special;

pub use dense::*;
pub use mx::*;
pub use sparse::*;

use crate::isa::{Engine, Engines, Exec, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x01,
        name: "LDWEIGHTS",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S3_LW",
        formats: &[
            (GenSet::V2, S3LwV2::FORMAT),
            (GenSet::V3, S3LwV3::FORMAT),
            (GenSet::V4, S3LwV4::FORMAT),
            (GenSet::V5, S3LwV5::FORMAT),
        ],
        rules: &[rules::load_weights],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "latch a tile of weights in the array (isa 05 §6.1)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x02,
        name: "MATMUL",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S3D3_MM",
        formats: &[
            (GenSet::V2, S3d3MmV2::FORMAT),
            (GenSet::V3, S3d3MmV3::FORMAT),
            (GenSet::V4, S3d3MmV4::FORMAT),
            (GenSet::V5, S3d3MmV5::FORMAT),
        ],
        rules: &[rules::multiply],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "stream the moving operand through the latched tile, accumulate into PSUM (isa 05 §6.2)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x03,
        name: "PE_REG_WRITE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "? (PE config register write)",
        exec: Exec::Unmodelled("body layout not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "write a configuration register of the array (isa 05 §3.10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x04,
        name: "WEIGHT_MASK",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "-",
        exec: Exec::Unmodelled("leftover of the first generation, body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "weight mask of the first generation (isa 05 §3.10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x05,
        name: "WEIGHT_SHIFT",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "-",
        exec: Exec::Unmodelled("leftover of the first generation, body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "weight shift of the first generation (isa 05 §3.10)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x06,
        name: "LDTAGS",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S3_LT",
        formats: S3Lt::EVERY,
        rules: &[special::load_tags],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "latch sparsity tags (isa 05 §8)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x07,
        name: "MATMUL_SPARSE",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S4D3_MM",
        formats: S4d3Mm::EVERY,
        rules: &[special::multiply_sparse],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "matrix product with tag-selected moving rows (isa 05 §8)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x08,
        name: "PE_MANAGE_SEED",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "S2S1D2_PE_SEED",
        formats: S2s1d2PeSeed::EVERY,
        rules: &[special::manage_seed],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "load or save the seeds of stochastic rounding (isa 05 §3.6)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x09,
        name: "LDWEIGHTS_MX",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "SMX1_LW",
        formats: Smx1Lw::EVERY,
        rules: &[special::load_weights_mx],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "latch a tile of scaled narrow weights (isa 05 §7)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x0A,
        name: "MATMUL_MX",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Pe]),
        layout: "SMX1D3_MM",
        formats: Smx1d3Mm::EVERY,
        rules: &[special::multiply_mx],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "matrix product of scaled narrow operands (isa 05 §7)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE0,
        name: "SPARSITY_COMPRESS",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_SC",
        formats: S3d3Sc::EVERY,
        rules: &[compress::interleaved],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "keep the 4 extreme elements of each group with their tags, interleaved (isa 05 §3.9)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE1,
        name: "SPARSITY_COMPRESS_TAG",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2D2D2_SC",
        formats: S2d2d2Sc::EVERY,
        rules: &[compress::apart],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "keep the 4 extreme elements of each group, tags apart (isa 05 §3.9)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE3,
        name: "QUANTIZE_MX",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3DMX1_QUANT",
        formats: S3dmx1Quant::EVERY,
        rules: &[special::quantize],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "quantise to a narrow format with a scale per 32 elements (isa 05 §7)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE4,
        name: "CONV_LUT_LOAD",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pe, Engine::Pool]),
        layout: "S2_CONVLUT",
        exec: Exec::Unmodelled("body layout not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "load a 4-bit converter table (isa 05 §3.10)",
        ..OpRow::NEW
    },
];
