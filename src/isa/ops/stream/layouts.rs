//! Layouts of the stream family (isa 07b).

use crate::isa::DType;
use crate::isa::fields::{
    AluOp, CrossLaneAxis, CrossLaneOp, DType4, Data4, Flag, Imm32, ImmSrc, ImmSrc4, List, Mem,
    OutDType, PoolFunc, RegSerial, SubDim, Tensor,
};

formats! {
    /// One source, one destination: reduce, scan, copy, shuffle (isa 07b B1).
    S4d4Tr = "S4D4_TR" {
        /// source
        src: Mem<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// reductions: the result is negated
        negated: Flag = 35;
        /// operation of the fold; BYPASS for moves
        op: AluOp = 36 shown always;
        /// innermost dimensions that are folded or scanned
        op_dim: SubDim = 37;
        /// STREAM_TRANSPOSE: lanes whose mask byte says so are not written
        mask_enable: Flag = 38;
        /// destination
        dst: Mem<4> = 44 writes out_dtype lanes num_active_channels;
    }

    /// Reduction over lanes into one partition (isa 07b B2).
    S4d4Cr = "S4D4_CR" {
        /// source
        src: Tensor<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions of src, 1..128
        num_active_channels: u8 = 34 shown always;
        /// reduction
        reduce_op: CrossLaneOp = 35 shown always;
        /// ALL: one result; PARTITIONS: one per element
        reduce_axis: CrossLaneAxis = 36 shown always;
        /// AVERAGE: factor of each element before the sum
        scale: f32 = 40;
        /// destination, one partition
        dst: Tensor<4> = 44 writes out_dtype;
    }

    /// Pooling windows (isa 07b B3).
    S4d4Pl = "S4D4_PL" {
        /// source: inner dimensions walk a window, outer ones the windows
        src: Tensor<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// reduction of a window
        pool_func: PoolFunc = 36 shown always;
        /// innermost dimensions that make a window
        pool_dim: SubDim = 37 shown always;
        /// AVG_POOL: factor of the sum, else 1.0
        pool_scale: f32 = 40;
        /// destination, one element per window
        dst: Tensor<4> = 44 writes out_dtype lanes num_active_channels;
    }

    /// One destination: fill, random, store (isa 07b B4).
    D4Mr = "D4_MR" {
        /// elements per partition
        dst_element_count: u32 = 28;
        /// dtype of dst
        dtype: DType = 32;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// order of the writes
        serialization_mode: RegSerial = 36 conf Strong;
        /// MEMSET: bits to store, low bytes first
        set_value: Imm32 = 40;
        /// destination
        dst: Mem<4> = 44 writes dtype lanes num_active_channels;
    }

    /// Generated numbers (isa 07b B5).
    D4Iota = "D4_IOTA" {
        /// generated value: base + steps by position
        data: Data4 = 12;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// added per lane, counted from the first partition of dst
        channel_multiplier: i32 = 36;
        /// destination
        dst: Mem<4> = 44 writes out_dtype lanes num_active_channels;
    }

    /// A register of each lane to memory (isa 07b B6, 06 §2.4).
    D1Rd = "D1_RD" {
        /// elements per partition, always 1
        dst_element_count: u32 = 28;
        /// dtype of dst
        dtype: DType = 32;
        /// the value is negated
        negated: Flag = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// destination, one element
        dst: Tensor<1> = 44 writes dtype lanes num_active_channels;
    }

    /// Values loaded into hidden state of the lanes (isa 07b B6).
    S2Bn = "S2_BN" {
        /// source
        src: Tensor<2> = 16 reads dtype lanes num_active_channels;
        /// BATCH_NORM_PARAM_LOAD: number of elements N, else 0
        imm1: f32 = 28;
        /// dtype of src
        dtype: DType = 32;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// BATCH_NORM_PARAM_LOAD: pointer to the fp32 mean of each lane, else 0
        imm0_ptr: Imm32 = 44 src imm0_src;
        /// where imm0_ptr is found: 0 and 1 both mean this bundle
        imm0_src: ImmSrc = 48;
    }

    /// 4-D source, 2-D result: statistics and search (isa 07b B6, B7).
    S4d2Bn = "S4D2_BN" {
        /// source
        src: Mem<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// statistics: count of the even elements, passed through
        even_count: f32 = 40;
        /// statistics: count of the odd elements, passed through
        odd_count: f32 = 44;
        /// destination
        dst: Tensor<2> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Search and replace (isa 07b B6).
    S4d4Mr = "S4D4_MR" {
        /// source
        src: Mem<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// replaces matched elements
        immediate: f32 = 40 shown always;
        /// destination
        dst: Mem<4> = 44 writes out_dtype lanes num_active_channels;
    }

    /// Batch-norm gradients, coefficients by pointer (isa 07b B7).
    S3s3d1Bn = "S3S3D1_BN" {
        /// pointer to the mean of each lane
        imm0: Imm32 = 12;
        /// forward output x
        src0: Mem<3> = 16 reads in0_dtype lanes num_active_channels;
        /// output gradient dy
        src1: Mem<3> = 32 reads in1_dtype lanes num_active_channels;
        /// the three sums
        dst: Tensor<1> = 48 writes out_dtype lanes num_active_channels;
        /// pointer to 1/sqrt(variance) of each lane
        imm1: Imm32 = 56;
        /// dtype of src0
        in0_dtype: DType4 = 60;
        /// dtype of src1
        in1_dtype: DType4 = 60 bit 4;
        /// dtype of the coefficients; 0 stands for FP32
        immediate_dtype: OutDType = 61;
        /// dtype of dst
        out_dtype: DType = 62;
        /// partitions, 1..128
        num_active_channels: u8 = 63 shown always;
    }

    /// Batch-norm gradients, coefficients by pointer or register (isa 07b B7).
    S3s3d1Bn2 = "S3S3D1_BN2" {
        /// pointer to the mean of each lane
        imm0: Imm32 = 12 src imm0_src;
        /// forward output x
        src0: Mem<3> = 16 reads in0_dtype lanes num_active_channels;
        /// output gradient dy
        src1: Mem<3> = 32 reads in1_dtype lanes num_active_channels;
        /// the three sums
        dst: Tensor<1> = 48 writes out_dtype lanes num_active_channels;
        /// pointer to 1/sqrt(variance) of each lane
        imm1: Imm32 = 56 src imm1_src;
        /// dtype of src0
        in0_dtype: DType4 = 60;
        /// dtype of src1
        in1_dtype: DType4 = 60 bit 4;
        /// dtype of the coefficients
        immediate_dtype: DType4 = 61;
        /// dtype of dst
        out_dtype: DType4 = 61 bit 4;
        /// where imm0 is found: pointer or register
        imm0_src: ImmSrc4 = 62;
        /// where imm1 is found: pointer or register
        imm1_src: ImmSrc4 = 62 bit 4;
        /// partitions, 1..128
        num_active_channels: u8 = 63 shown always;
    }

    /// Batch-norm parameters, newer form (isa 07b B7).
    S2Bnpl2 = "S2_BNPL2" {
        /// two parameters
        src: Tensor<2> = 12 reads src_dtype lanes num_active_channels;
        /// number of elements N
        element_count: f32 = 28;
        /// dtype of src
        src_dtype: DType = 32;
        /// dtype of the two pointed-at parameters
        immediate_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// third parameter
        imm0_ptr: Imm32 = 40 src imm0_src;
        /// fourth parameter
        imm1_ptr: Imm32 = 44 src imm1_src;
        /// where imm0_ptr is found
        imm0_src: ImmSrc = 48;
        /// where imm1_ptr is found
        imm1_src: ImmSrc = 49;
    }

    /// Mask of the shuffles (isa 07b B1).
    CtrlImMask = "CTRL_IM" {
        /// source lane of each lane of a group of 32; 32 and up: do not write
        mask: List<u8, 32> = 32 shown always;
    }
}
