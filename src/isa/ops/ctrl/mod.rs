//! Control band 0x9F..0xB7 (isa 08).

mod formats;
mod rules;

pub use formats::*;
pub(super) use rules::{load_source, mem_2d};

use crate::isa::{Bundle, Engines, Exec, Format, GenSet, Known, OpRow};

/// TENSOR_STORE: packed values instead of register numbers when byte 13 is 1 (isa 08 §7.3).
fn store_format(bundle: &Bundle) -> Option<&'static Format> {
    (bundle.u8(13) == 1).then_some(Mem2dStoreImm::FORMAT)
}

/// MOVE_SHAPE: only the immediate form has a published body (isa 08 §8.5).
fn shape_format(bundle: &Bundle) -> Option<&'static Format> {
    (bundle.u8(12) != 0).then_some(CtrlMs::FORMAT)
}

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x9F,
        name: "ENGINE_NOP",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_IM",
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Solid,
        doc: "no operation in the datapath (isa 08 §3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA0,
        name: "EVENT_SEMAPHORE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_ES",
        formats: CtrlEs::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "wait for up to two conditions, then update (isa 08 §4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA1,
        name: "HALT",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        formats: &[
            (GenSet::V2, CtrlNoHaltV2::FORMAT),
            (GenSet::ALL, CtrlNoHalt::FORMAT),
        ],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "stop the engine (isa 08 §5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA2,
        name: "DRAIN",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        formats: CtrlNoDrain::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "wait until the engine's outstanding work has retired (isa 08 §5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA3,
        name: "INSTRUCTION_FLUSH",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        formats: CtrlNoFlush::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "discard prefetched instructions (isa 08 §5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA4,
        name: "NOP",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        formats: CtrlNoNop::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "wait and update only (isa 08 §5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA5,
        name: "WRITE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_WR",
        exec: Exec::Unmodelled("body layout not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "store a word to a device address (isa 08 §8.7)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA6,
        name: "NOTIFY",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_NO",
        formats: CtrlNoNotify::EVERY,
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Partial,
        doc: "emit a notification record (isa 08 §5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA7,
        name: "MOVE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_MV",
        formats: CtrlMv::EVERY,
        rules: &[rules::mov],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "copy registers, immediates or the PC into registers (isa 08 §7.1)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA8,
        name: "ALU_OP",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_AL",
        formats: CtrlAl::EVERY,
        rules: &[rules::alu],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "scalar arithmetic on registers (isa 08 §7.2)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xA9,
        name: "COMPARE_BRANCH",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_BR",
        formats: CtrlBr::EVERY,
        rules: &[rules::branch],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "compare and branch in one (isa 08 §6)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xAA,
        name: "TENSOR_LOAD",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "MEM_2D",
        formats: Mem2dLoad::EVERY,
        rules: &[rules::load],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "load a small 2-D tensor into registers (isa 08 §7.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xAB,
        name: "TENSOR_STORE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "MEM_2D",
        formats: Mem2dStore::EVERY,
        variant: Some(store_format),
        rules: &[rules::store],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "store registers or immediates as a small 2-D tensor (isa 08 §7.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB0,
        name: "EVENT_SEMAPHORE_RANGE_CLEAR",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_ER",
        formats: CtrlEr::EVERY,
        rules: &[rules::range_clear],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "zero a range or a set of semaphores (isa 08 §8.1)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB1,
        name: "SET_ORDERING_MODE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_OM",
        formats: CtrlOm::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "memory ordering; no effect in an in-order model (isa 08 §8.2)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB2,
        name: "MOVE_SHAPE",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_MS",
        formats: CtrlMsImm::EVERY,
        variant: Some(shape_format),
        rules: &[rules::move_shape],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "write shape registers (isa 08 §8.5)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB3,
        name: "POLL_SEM",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "CTRL_POLL_SEM",
        formats: CtrlPollSem::EVERY,
        rules: &[rules::poll],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "fold memory words into a register, write the result back (isa 08 §8.3)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB4,
        name: "TEST_EVENT_SEM",
        gens: GenSet::FROM_V4,
        engines: Engines::All,
        layout: "CTRL_TEST_ES",
        formats: CtrlTestEs::EVERY,
        rules: &[rules::test_events],
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        doc: "read or update up to 16 semaphores or events (isa 08 §8.4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB5,
        name: "BRANCH_PREFETCH_HINT",
        gens: GenSet::ALL,
        engines: Engines::All,
        layout: "?",
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Solid,
        doc: "prefetch hint for a branch; no effect (isa 08 §6.4)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB6,
        name: "COMPACT_CONTROL_INST",
        gens: GenSet::V5,
        engines: Engines::All,
        layout: "CTRL_CCI",
        formats: CtrlCci::EVERY,
        exec: Exec::Unmodelled("v5 only, interpreter details not published"),
        decode: Known::Partial,
        semantics: Known::Unknown,
        doc: "fifteen micro-operations (isa 08 §8.6)",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xB7,
        name: "UCODE_CONFIG",
        gens: GenSet::NONE,
        engines: Engines::Nobody,
        layout: "? (UCODE_CONFIG)",
        exec: Exec::Unmodelled("in no generation's opcode table"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "named in one compiler table only; absent from all headers (isa 04 §8)",
        ..OpRow::NEW
    },
];
