//! ACT family (isa 06).

mod formats;
mod rules;

pub use formats::*;

use crate::isa::ops::stream::D1Rd;
use crate::isa::{Engine, Engines, Exec, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x21,
        name: "ACTIVATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "S3D3_AC",
        formats: S3d3Ac::EVERY,
        rules: &[rules::activate],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "func(scale * x + bias), optionally summed per lane (isa 06 §4.1)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x22,
        name: "ACTIVATE_QUANTIZE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "S3D3_AQ",
        formats: S3d3Aq::EVERY,
        rules: &[rules::activate_quantize],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "activation between two integer scalings (isa 06 §4.2)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x23,
        name: "ACTIVATION_TABLE_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "CTRL_NO (act_tbl_sel @0x23)",
        formats: CtrlNoTable::EVERY,
        rules: &[rules::table_load],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "make a function set resident (isa 06 §4.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x24,
        name: "ACTIVATION_READ_ACCUMULATOR",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Act]),
        layout: "D1_RD",
        formats: D1Rd::EVERY,
        rules: &[rules::read_accumulator],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "store the lane accumulators (isa 06 §4.4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x25,
        name: "ACTIVATE2",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Act]),
        layout: "S2D2_AC",
        formats: S2d2Ac::EVERY,
        rules: &[rules::activate2],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "two ALU stages, a function and a fold per lane (isa 06 §4.5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x26,
        name: "ACTIVATE_MULTIPASS",
        gens: GenSet::V5,
        engines: Engines::Of(&[Engine::Act, Engine::Dve]),
        layout: "S1S2D2_AM",
        formats: S1s2d2Am::EVERY,
        rules: &[rules::multipass],
        exec: Exec::Unmodelled("v5 only, meaning not published"),
        decode: Known::Partial,
        semantics: Known::Unknown,
        doc: "activation that continues a previous pass (isa 06 §2.6)",
        ..OpRow::NEW
    },
];
