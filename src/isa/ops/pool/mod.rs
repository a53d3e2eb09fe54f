//! POOL and miscellaneous family: gather, random, extended (isa 07c).

mod layouts;
mod rules;

pub use layouts::*;
use rules::*;

use super::rules::*;
use super::stream::D4Mr;
use crate::isa::DType;
use crate::isa::field::DTypeOf;
use crate::isa::fields::ExtendedOp;
use crate::isa::{Bundle, Engine, Engines, Exec, Format, GenSet, Known, OpRow};

/// Thresholds and bounds are fp32.
const FP32: DTypeOf = DTypeOf::Fixed(DType::FP32.0);
/// Positions and offsets are 32-bit integers.
const I32: DTypeOf = DTypeOf::Fixed(DType::I32.0);

/// Layout of an extended instruction, by the sub-opcode in byte 12.
fn extended(bundle: &Bundle) -> Option<&'static Format> {
    match Extended(bundle).extended_opcode() {
        ExtendedOp::TENSOR_TENSOR_ARITH => Some(ExtendedTta::FORMAT),
        ExtendedOp::RDMA_DESC_GEN => Some(ExtendedRdmaDescGen::FORMAT),
        _ => None,
    }
}

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x4A,
        name: "REG_LOAD",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4_RL",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Loads registers from memory; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4C,
        name: "REG_SHUFFLE",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "-",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Moves registers between lanes; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4D,
        name: "RNG",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "D4_MR",
        formats: D4Mr::MEM_FROM_V4,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, rng],
        doc: "Raw random draws (isa 07b B4, 07c C5).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x66,
        name: "LOAD_PARAMETER_RAM",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "CTRL_IM",
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Partial,
        doc: "Loads the reciprocal table of the batch-norm statistics; body not published, the table is preset (isa 07b B7).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x67,
        name: "POOL_BUFFER_LOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4_PB",
        formats: S4Pb::EVERY,
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Partial,
        rules: &[channels, buffer_load, sbuf_only],
        doc: "Loads up to 512 table elements per lane for GATHER (isa 07c C1).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x68,
        name: "GATHER",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4D4_GT",
        formats: S4d4Gt::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, gather, sbuf_only],
        doc: "Looks elements up in the pool buffer (isa 07c C1).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x73,
        name: "ROI_ALIGN",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "-",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Region-of-interest alignment; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x76,
        name: "RAND",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "D4_RAND",
        formats: D4Rand::MEM_FROM_V4,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, rand, algorithm],
        doc: "Random draws, older form (isa 07c C5).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x77,
        name: "RAND_GET_STATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "D4_RAND",
        formats: D4Rand::MEM_FROM_V4,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, rand, algorithm, rand_state],
        doc: "Writes generator state to memory (isa 07c C5).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x78,
        name: "RAND_SET_STATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S1_RAND",
        formats: S1Rand::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, algorithm, sbuf_only],
        doc: "Loads generator state (isa 07c C5).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x79,
        name: "EMBEDDING_UPDATE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "?",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Scatter-add into an embedding table; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7A,
        name: "LOAD_POOL_ARGUMENT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "CTRL_IM",
        formats: CtrlImPoolArgs::EVERY,
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Unknown,
        doc: "Hands arguments to POOL software; nothing here reads them (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7B,
        name: "TENSOR_DEQUANTIZE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_TENS_DEQUANT",
        formats: &[
            (GenSet::V2_V4, S3d3TensDequant::STATIC),
            (GenSet::V5, S3d3TensDequant::FORMAT),
        ],
        exec: Exec::Unmodelled("packing order, NF4 table and scale position are not published"),
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, dequantize, sbuf_only],
        doc: "Widens packed sub-byte codes to FP8 (isa 07c C8).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x7F,
        name: "DROPOUT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3D3_DROPOUT",
        formats: S3d3Dropout::MEM_FROM_V4,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, dropout, |c| immediates(c, FP32)],
        doc: "Zeroes elements at random (isa 07c C4).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x81,
        name: "JPEG_DECODE",
        gens: GenSet::FROM_V3,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S2D2_JPEG",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Decodes a JPEG image; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x85,
        name: "CUSTOM_OP_HEADER",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "CUSTOM_OP_HEADER",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "First bundle of a custom operation; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x86,
        name: "CUSTOM_OP_PAYLOAD",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "CUSTOM_OP_PAYLOAD",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Further bundle of a custom operation; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x95,
        name: "MODIFY_POOL_CONFIG",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "MODIFY_POOL_CONFIG",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Loads or unloads a POOL software library; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x96,
        name: "SORT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S1D2_SORT",
        formats: S1d2Sort::EVERY,
        bitvec: true,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        rules: &[channels, sort, |c| immediates(c, I32), sbuf_only],
        doc: "Sorts a row and gives the source positions (isa 07c C9).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x9C,
        name: "TENSOR_REDUCE_RANGE_CHECK",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S2D2_TR",
        exec: Exec::Unmodelled("body not published"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Reduction with a range check; body not published (isa 07c C10).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBE,
        name: "GET_SEQUENCE_BOUNDS",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_SEQ_BOUNDS",
        formats: S3d3SeqBounds::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[sequence_bounds, sbuf_only],
        doc: "Start and end of the run of equal neighbours of each element (isa 07c C9).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBF,
        name: "SB2SB_COLLECTIVE",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_COLLECTIVE",
        formats: S3d3Collective::MEM_FROM_V4,
        exec: Exec::Unmodelled("peer routing needs a second core"),
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[channels, collective, sbuf_only],
        doc: "Moves a tensor to a peer core (isa 01 §4).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE2,
        name: "RAND2",
        gens: GenSet::FROM_V4,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "D3_RAND",
        formats: D3Rand::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        rules: &[channels, rand2, |c| immediates(c, FP32)],
        doc: "Uniform random numbers in a range (isa 07c C5).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE7,
        name: "INDIRECT_COPY",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S4D4_IC",
        formats: S4d4Ic::EVERY,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Partial,
        rules: &[indirect_copy, sbuf_only],
        doc: "Gathers runs of elements by an index list (isa 07c C2).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xEB,
        name: "HINT",
        gens: GenSet::NONE,
        engines: Engines::Nobody,
        layout: "?",
        exec: Exec::Unmodelled("in no opcode table: illegal"),
        decode: Known::Unknown,
        semantics: Known::Unknown,
        doc: "Named in one compiler table only: illegal (isa 04 §8).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF0,
        name: "EXTENDED_INST",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "EXTENDED_*",
        formats: Extended::EVERY,
        variant: Some(extended),
        exec: Exec::Modelled,
        decode: Known::Partial,
        semantics: Known::Partial,
        rules: &[extended_arith, sbuf_only],
        doc: "Extended instruction, chosen by byte 12 (isa 07c C7, 04 §7).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF2,
        name: "NONZERO_WITH_COUNT",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Pool]),
        layout: "S3D3_NONZERO_WITH_COUNT",
        formats: S3d3NonzeroWithCount::EVERY,
        bitvec: true,
        exec: Exec::Modelled,
        decode: Known::Solid,
        semantics: Known::Solid,
        rules: &[channels, nonzero, |c| immediates(c, I32), sbuf_only],
        doc: "Positions of the non-zero elements and their number (isa 07c C3).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF3,
        name: "TENSOR_TENSOR_INT_WIDE",
        gens: GenSet::V5,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S2S2D2D2_TT",
        formats: S2s2d2d2Tt::EVERY,
        bitvec: true,
        exec: Exec::Unmodelled("v5 has no machine model"),
        decode: Known::Solid,
        semantics: Known::Solid,
        rules: &[
            channels,
            |c| wide(c, "in0_dtype", "in1_dtype"),
            |c| same_count(c, &["src0", "src1", "dst0", "dst1"]),
        ],
        doc: "64-bit sum, difference, product or shift of two integer tensors (isa 07c C6).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xF4,
        name: "TENSOR_SCALAR_INT_WIDE",
        gens: GenSet::V5,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S2D2D2_TS_WIDE",
        formats: S2d2d2TsWide::EVERY,
        bitvec: true,
        exec: Exec::Unmodelled("v5 has no machine model"),
        decode: Known::Solid,
        semantics: Known::Solid,
        rules: &[
            channels,
            |c| wide(c, "in_dtype", "imm_dtype"),
            |c| same_count(c, &["src", "dst0", "dst1"]),
            |c| immediates(c, DTypeOf::Field("imm_dtype")),
        ],
        doc: "64-bit sum, difference, product or shift of an integer tensor and a scalar (isa 07c C6).",
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xFF,
        name: "INVALID",
        gens: GenSet::ALL,
        engines: Engines::Nobody,
        layout: "-",
        exec: Exec::Unmodelled("sentinel: illegal"),
        decode: Known::Solid,
        semantics: Known::Solid,
        doc: "No instruction (isa 04 §2).",
        ..OpRow::NEW
    },
];
