//! Control band 0x9F..0xB6 (isa 08).

use crate::isa::{Engines, GenSet, Known, OpRow};

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x9F,
        name: "ENGINE_NOP",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_IM",
        decode: Known::Partial,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA0,
        name: "EVENT_SEMAPHORE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_ES",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA1,
        name: "HALT",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA2,
        name: "DRAIN",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA3,
        name: "INSTRUCTION_FLUSH",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA4,
        name: "NOP",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA5,
        name: "WRITE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_WR",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA6,
        name: "NOTIFY",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        decode: Known::Partial,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA7,
        name: "MOVE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_MV",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA8,
        name: "ALU_OP",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_AL",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA9,
        name: "COMPARE_BRANCH",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_BR",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xAA,
        name: "TENSOR_LOAD",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "MEM_2D",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xAB,
        name: "TENSOR_STORE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "MEM_2D",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB0,
        name: "EVENT_SEMAPHORE_RANGE_CLEAR",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_ER",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB1,
        name: "SET_ORDERING_MODE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_OM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB2,
        name: "MOVE_SHAPE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_MS",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB3,
        name: "POLL_SEM",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_POLL_SEM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB4,
        name: "TEST_EVENT_SEM",
        gens: GenSet::FROM_V4,
        engines: Engines::All,
        layout: "CTRL_TEST_ES",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB5,
        name: "BRANCH_PREFETCH_HINT",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "?",
        decode: Known::Partial,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB6,
        name: "COMPACT_CONTROL_INST",
        gens: GenSet::V5,
        engines: Engines::All,
        layout: "CTRL_CCI",
        decode: Known::Partial,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB7,
        name: "UCODE_CONFIG",
        gens: GenSet::NONE,
        engines: Engines::Nobody,
        layout: "? (UCODE_CONFIG)",
        decode: Known::Unknown,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
];
