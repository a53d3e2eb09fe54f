//! Layouts of the element-wise family (isa 07a).

use crate::isa::field::{FieldDesc, FieldKind, Format, static_slots};
use crate::isa::fields::{
    AccumCmd, AffineCmp, AluOp, DType4, Data4, Flag, Imm32, ImmSrc, Mem, Raw, Reg, ReverseOps,
    SubDim, Tensor,
};
use crate::isa::table::Layouts;
use crate::isa::{DType, GenSet};

formats! {
    /// Two source tensors, one destination (isa 07a A1).
    S3s3d3Tt = "S3S3D3_TT" {
        /// dtype of src0
        in0_dtype: DType4 = 12;
        /// dtype of src1
        in1_dtype: DType4 = 12 bit 4;
        /// dtype of dst
        out_dtype: DType = 13;
        /// operation: dst = src0 op src1
        op: AluOp = 14 shown always;
        /// partitions, 1..128
        num_active_channels: u8 = 15 shown always;
        /// first source; the predicate of the predicated forms
        src0: Mem<3> = 16 reads in0_dtype lanes num_active_channels;
        /// second source; the data of the predicated forms
        src1: Mem<3> = 32 reads in1_dtype lanes num_active_channels;
        /// destination
        dst: Mem<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// One source tensor and two scalars (isa 07a A2).
    S3d3Ts = "S3D3_TS" {
        /// what happens to the accumulator; IDLE for the plain forms
        accumulator_cmd: AccumCmd = 12;
        /// source
        src: Mem<3> = 16 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// where imm0 is found
        imm0_src: ImmSrc = 35;
        /// first operation, with imm0
        op0: AluOp = 36 shown always;
        /// second operation, with imm1; BYPASS for none
        op1: AluOp = 37 shown always;
        /// which operations take the scalar as left operand
        reverse_operands: ReverseOps = 38;
        /// where imm1 is found
        imm1_src: ImmSrc = 39;
        /// scalar of op0; fp32 bits, or an integer of the dtype's width for bit-vectors
        imm0: Imm32 = 40 src imm0_src;
        /// scalar of op1, or the seed of the accumulator
        imm1: Imm32 = 44 src imm1_src;
        /// destination
        dst: Mem<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// One scalar and two source tensors (isa 07a A3).
    S2s2d2Stt = "S2S2D2_STT" {
        /// first source; the predicate of SELECT_REDUCE
        src0: Tensor<2> = 12 reads in0_dtype lanes num_active_channels;
        /// second source
        src1: Tensor<2> = 24 reads in1_dtype lanes num_active_channels;
        /// first operation: src0 with imm0
        op0: AluOp = 36 shown always;
        /// second operation: that result with src1
        op1: AluOp = 37 shown always;
        /// which operations swap their operands; FIRST inverts the predicate of SELECT_REDUCE
        reverse_operands: ReverseOps = 38;
        /// where imm0 is found
        imm0_src: ImmSrc = 39;
        /// dtype of src0
        in0_dtype: DType4 = 40;
        /// dtype of src1
        in1_dtype: DType4 = 40 bit 4;
        /// dtype of dst
        out_dtype: DType = 41;
        /// partitions, 1..128
        num_active_channels: u8 = 42 shown always;
        /// dtype of imm0; FP32 when inline
        imm0_dtype: DType = 43;
        /// what happens to the accumulator
        accumulator_cmd: AccumCmd = 44;
        /// destination
        dst: Tensor<2> = 48 writes out_dtype lanes num_active_channels;
        /// scalar; start value of the scan, fill of SELECT_REDUCE
        imm0: Imm32 = 60 src imm0_src;
    }

    /// Immediate written where a predicate selects (isa 07a A4).
    S3d3CpPredScalar = "S3D3_CP_PRED_SCALAR" {
        /// predicate
        pred: Mem<3> = 16 reads pred_dtype lanes num_active_channels;
        /// dtype of pred: an integer
        pred_dtype: DType = 32;
        /// OFF: write where pred is 0; ON: where it is not
        reversed_pred: Flag = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// dtype of the immediate
        in_dtype: DType = 41;
        /// dtype of dst, equal to in_dtype
        out_dtype: DType = 42;
        /// where src0_imm is found
        src0_imm_src: ImmSrc = 43;
        /// value, as raw bits of the dtype's width
        src0_imm: Imm32 = 44 src src0_imm_src;
        /// destination; elements that are not selected keep their value
        dst: Mem<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Tensor or immediate, chosen by a scalar predicate (isa 07a A4).
    S3d3TsSelect = "S3D3_TS_SELECT" {
        /// source
        src0: Mem<3> = 16 reads dtype lanes num_active_channels;
        /// OFF: src0 where the predicate holds; ON: the immediate there
        reversed_pred: Flag = 32;
        /// partitions, 1..128
        num_active_channels: u8 = 33 shown always;
        /// dtype of source, immediate and destination
        dtype: DType = 34;
        /// dtype of the predicate: an integer as wide as dtype
        pred_imm_dtype: DType = 35;
        /// where src1_imm is found
        src1_imm_src: ImmSrc = 38;
        /// where pred_imm is found
        pred_imm_src: ImmSrc = 39;
        /// the alternative to src0, as raw bits
        src1_imm: Imm32 = 40 src src1_imm_src;
        /// predicate; 0 or 1 when inline
        pred_imm: Imm32 = 44 src pred_imm_src;
        /// destination
        dst: Mem<3> = 48 writes dtype lanes num_active_channels;
    }

    /// Elements inside an index range, the others filled (isa 07a A4).
    S2d2Rs = "S2D2_RS" {
        /// partitions, 1..128
        num_active_channels: u8 = 12 shown always;
        /// dtype of src
        in_dtype: DType4 = 13;
        /// dtype of dst
        out_dtype: DType4 = 13 bit 4;
        /// what happens to the accumulator: IDLE, ACCUMULATE or ZERO_ACCUMULATE
        reduce_cmd: AccumCmd = 14;
        /// fold of the accumulator, always MAX
        reduce_op: AluOp = 15;
        /// index of the first element
        base: f32 = 16 shown always;
        /// value of elements outside the range, always -FLT_MAX
        fill_val: f32 = 20;
        /// source
        src: Tensor<2> = 24 reads in_dtype lanes num_active_channels;
        /// comparison of the index with bound0
        comp_op0: AluOp = 36 shown always;
        /// comparison of the index with bound1
        comp_op1: AluOp = 37 shown always;
        /// where bound0 is found
        bound0_src: ImmSrc = 38;
        /// where bound1 is found
        bound1_src: ImmSrc = 39;
        /// first bound
        bound0: Imm32 = 40 src bound0_src;
        /// second bound
        bound1: Imm32 = 44 src bound1_src;
        /// destination
        dst: Tensor<2> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Tensor or fill value, chosen by an affine function of the position (isa 07a A4).
    S2d2TsAs = "S2D2_TS_AS" {
        /// partitions, 1..128
        num_active_channels: u8 = 12 shown always;
        /// dtype of src
        in_dtype: DType4 = 13;
        /// dtype of dst
        out_dtype: DType4 = 13 bit 4;
        /// comparison of the generated value with 0 that keeps src
        fill_mode: AffineCmp = 14 shown always;
        /// register that holds the fp32 fill value
        fill_reg: Reg = 15 shown always;
        /// generated value: base + steps by position
        mask: Data4 = 16;
        /// source
        src: Tensor<2> = 36 reads in_dtype lanes num_active_channels;
        /// destination
        dst: Tensor<2> = 48 writes out_dtype lanes num_active_channels;
        /// added to the generated value per lane, counted from the first partition of dst
        channel_multiplier: i32 = 60;
    }

    /// Tensor-scalar on 64-bit addresses; where the scalars lie is not published (isa 07a A4).
    S2d2Addr = open "S2D2_ADDR" {
        /// source
        src: Tensor<2> = 12 reads in_dtype lanes num_active_channels;
        /// the two scalars and their places; layout unknown
        scalars: Raw<16> = 24 conf Unknown;
        /// dtype of scalar 0
        scalar0_dtype: DType4 = 40 conf Strong;
        /// dtype of scalar 1
        scalar1_dtype: DType4 = 40 bit 4 conf Strong;
        /// dtype of src
        in_dtype: DType4 = 41 conf Strong;
        /// dtype of dst
        out_dtype: DType4 = 41 bit 4 conf Strong;
        /// where scalar 0 is found
        imm0_src: ImmSrc = 42 conf Strong;
        /// where scalar 1 is found
        imm1_src: ImmSrc = 43 conf Strong;
        /// first operation
        op0: AluOp = 44 shown always conf Strong;
        /// second operation
        op1: AluOp = 45 shown always conf Strong;
        /// partitions, 1..128
        num_active_channels: u8 = 46 shown always conf Strong;
        /// which operations take the scalar as left operand
        reverse_operands: ReverseOps = 47 conf Strong;
        /// destination
        dst: Tensor<2> = 52 writes out_dtype lanes num_active_channels;
    }

    /// One source tensor with a scalar per outermost slice, loaded beforehand (isa 07a A5).
    S4d4Tsm = "S4D4_TSM" {
        /// source; its W count (1..8) is the number of scalars
        src: Mem<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// operation with the scalar of the slice
        op: AluOp = 36 shown always;
        /// dimensions that share a scalar, always XYZ
        op_dim: SubDim = 37;
        /// NONE, or BOTH for the scalar as left operand
        reverse_operands: ReverseOps = 38;
        /// destination
        dst: Mem<4> = 44 writes out_dtype lanes num_active_channels;
    }
}

/// TENSOR_SCALAR_PTR: the bytes of `S3D3_TS`, both immediates pointers whatever their source bytes
/// say (isa 07a A2).
pub struct S3d3TsPtr;

impl S3d3TsPtr {
    const FORMAT: &'static Format = &Format {
        fields: &pointers(S3d3Ts::FIELDS),
        ..*S3d3Ts::FORMAT
    };
    const STATIC: &'static Format = &Format {
        fields: &static_slots(pointers(S3d3Ts::FIELDS)),
        ..*S3d3Ts::FORMAT
    };
    /// For rows: slots that are static on v2 and v3 and may be indirect from v4.
    pub const MEM_FROM_V4: Layouts = &[
        (GenSet::V2_V3, Self::STATIC),
        (GenSet::FROM_V4, Self::FORMAT),
    ];
}

/// The same fields with every immediate turned into an address word.
const fn pointers<const N: usize>(mut fields: [FieldDesc; N]) -> [FieldDesc; N] {
    let mut i = 0;
    while i < N {
        if let FieldKind::Imm { .. } = fields[i].kind {
            fields[i].kind = FieldKind::Addr4;
        }
        i += 1;
    }
    fields
}
