//! ACT family (isa 06).

use crate::isa::{Engine, Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x21,
        name: "ACTIVATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "S3D3_AC",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x22,
        name: "ACTIVATE_QUANTIZE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "S3D3_AQ",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x23,
        name: "ACTIVATION_TABLE_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "CTRL_NO (act_tbl_sel @0x23)",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x24,
        name: "ACTIVATION_READ_ACCUMULATOR",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "D1_RD",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x25,
        name: "ACTIVATE2",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Act]),
        layout: "S2D2_AC",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x26,
        name: "ACTIVATE_MULTIPASS",
        gens: GenSet::V5,
        engines: Engines::Of(&[Engine::Act, Engine::Dve]),
        layout: "S1S2D2_AM",
        decode: Known::Partial,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
];
