//! DVE and POOL element-wise family (isa 07, 07a).

use crate::isa::fields::{AluOp, DType4, Tensor};
use crate::isa::{DType, Engine, Engines, GenSet, Known, OpRow};

formats! {
    /// Two source tensors, one destination (isa 07a A1).
    S3s3d3Tt = "S3S3D3_TT" {
        /// dtype of the first source
        in0_dtype: DType4 = 12;
        /// dtype of the second source
        in1_dtype: DType4 = 12 bit 4;
        /// dtype of the destination
        out_dtype: DType = 13;
        /// operation
        op: AluOp = 14 shown always;
        /// partitions, 1..128
        num_active_channels: u8 = 15 shown always;
        /// first source
        src0: Tensor<3> = 16 reads in0_dtype lanes num_active_channels;
        /// second source
        src1: Tensor<3> = 32 reads in1_dtype lanes num_active_channels;
        /// destination
        dst: Tensor<3> = 48 writes out_dtype lanes num_active_channels;
    }
}

/// Rows, ascending.
pub(in crate::isa) const OPS: &[OpRow] = &[
    OpRow {
        byte: 0x30,
        name: "EXPONENTIAL",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x41,
        name: "TENSOR_TENSOR_ARITH_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3S3D3_TT",
        formats: &[(GenSet::ALL, S3s3d3Tt::FORMAT)],
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x43,
        name: "TENSOR_SCALAR_ARITH_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool, Engine::Act]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x44,
        name: "TENSOR_SCALAR_PTR_ARITH_OP",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x4F,
        name: "TENSOR_SCALAR_PTR_MULTI_ARITH",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TSM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x51,
        name: "TENSOR_TENSOR_BITVEC_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x53,
        name: "TENSOR_SCALAR_BITVEC_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x54,
        name: "TENSOR_SCALAR_PTR_BITVEC_OP",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x5F,
        name: "TENSOR_SCALAR_PTR_MULTI_BITVEC",
        gens: GenSet::ALL,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TSM",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x65,
        name: "BATCH_NORM_BACK_PROP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x72,
        name: "COPY_PREDICATED",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x74,
        name: "TENSOR_SCALAR_ADDR",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S2D2_ADDR",
        decode: Known::Partial,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x87,
        name: "TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH",
        gens: GenSet::V2,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TSM",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x88,
        name: "TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC",
        gens: GenSet::V2,
        dormant: true,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S4D4_TSM",
        decode: Known::Solid,
        semantics: Known::Unknown,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x8A,
        name: "TENSOR_TENSOR_ADD_BF16",
        gens: GenSet::V2,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x8B,
        name: "TENSOR_TENSOR_MULT_BF16",
        gens: GenSet::V2,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x8F,
        name: "TENSOR_TENSOR_SUB_BF16",
        gens: GenSet::V2,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x92,
        name: "TENSOR_SCALAR_AFFINE_SELECT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Pool, Engine::Dve]),
        layout: "S2D2_TS_AS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x93,
        name: "TRANSPOSE_TENSOR_SCALAR_ARITH_OP",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve, Engine::Pool]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Partial,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x98,
        name: "TENSOR_SCALAR_SELECT",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_TS_SELECT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x99,
        name: "CAST_PREDICATED",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3S3D3_TT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x9A,
        name: "TENSOR_SCALAR_CACHE_REDUCE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x9D,
        name: "SCALAR_TENSOR_TENSOR_ARITH",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2S2D2_STT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0x9E,
        name: "SCALAR_TENSOR_TENSOR_BITVEC",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2S2D2_STT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xBC,
        name: "RANGE_SELECT",
        gens: GenSet::FROM_V3,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2D2_RS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE5,
        name: "TENSOR_TENSOR_SCAN_ARITH",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2S2D2_STT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE6,
        name: "TENSOR_SCALAR_CACHE_CUMULATIVE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_TS",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xE8,
        name: "COPY_PREDICATED_SCALAR",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S3D3_CP_PRED_SCALAR",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
    OpRow {
        byte: 0xEA,
        name: "SELECT_REDUCE",
        gens: GenSet::ALL,
        engines: Engines::Of(&[Engine::Dve]),
        layout: "S2S2D2_STT",
        decode: Known::Solid,
        semantics: Known::Solid,
        ..OpRow::NEW
    },
];
