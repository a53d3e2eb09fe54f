//! Sparse products and the compression that prepares them (isa 05 §3.4, §3.5, §3.9).

use crate::isa::DType;
use crate::isa::fields::{
    CompressOp, Flag, Fp32Mode, OutDType, PerfOpt, PsumFlags, SubDim, Tensor, TileGroup, ZeroRegion,
};

formats! {
    /// Load of sparsity tags (v3, isa 05 §3.4)
    S3Lt = "S3_LT" {
        /// 16-bit words of four tags in SBUF
        src: Tensor<3> = 16 reads in_dtype lanes num_active_rows;
        /// 16-bit integer
        in_dtype: DType = 32 shown always;
        /// bits OR-ed into every tag: the row group's quadrant times 4
        force_tag_bits: u8 = 33;
        /// rows, 1..128
        num_active_rows: u8 = 38 shown always;
        /// columns: four per word
        num_active_cols: u8 = 39 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile, or NONE
        col_grp: TileGroup = 45 conf Inferred;
    }

    /// Matrix product with tag-selected moving rows (v3, isa 05 §3.5)
    S4d3Mm = "S4D3_MM" {
        /// moving operand in SBUF, the fmaps in the slowest dimension
        src: Tensor<4> = 12 reads in_dtype lanes num_active_rows;
        /// dtype of the moving operand
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// dtype of the result: 0 stands for FP32
        out_dtype: OutDType = 34;
        /// performance mode of the array
        perf_opt: PerfOpt = 35;
        /// rows, 1..128
        num_active_rows: u8 = 38 shown always;
        /// columns, 1..128
        num_active_cols: u8 = 39 shown always;
        /// begin and end of the accumulation group
        psum_accumulate_flags: PsumFlags = 43 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile: ALL
        col_grp: TileGroup = 45 shown always;
        /// logical or physical top rows, values unknown
        active_row_mode: u8 = 46 conf Unknown;
        /// bytes per partition cleared when a group begins
        psum_zero_region: ZeroRegion = 47;
        /// result in PSUM
        dst: Tensor<3> = 48 writes out_dtype lanes num_active_cols;
    }

    /// Top-4 reduction with interleaved tags (v4, isa 05 §3.9)
    S3d3Sc = "S3D3_SC" {
        /// dtype of the input
        in_dtype: DType = 12 shown always;
        /// 1: transpose blocks of 32 x 32 first
        transpose_src: Flag = 13;
        /// input
        src: Tensor<3> = 16 reads in_dtype lanes num_active_channels;
        /// dtype of the data half of an output element
        out_data_dtype: DType = 32 shown always;
        /// an output element {data, tag}: UINT16 or UINT32
        out_struct_dtype: DType = 33 shown always;
        /// lanes, 1..128
        num_active_channels: u8 = 34 shown always;
        /// extremum that is kept
        op: CompressOp = 36 shown always;
        /// innermost dimensions that form a group
        op_dim: SubDim = 37 shown always;
        /// four {data, tag} elements per group
        dst: Tensor<3> = 48 writes out_struct_dtype lanes num_active_channels;
    }

    /// Top-4 reduction with tags apart (v4, isa 05 §3.9)
    S2d2d2Sc = "S2D2D2_SC" {
        /// dtype of the input
        in_dtype: DType = 12 shown always;
        /// 1: transpose blocks of 32 x 32 first
        transpose_src: Flag = 13;
        /// 1: four 4-bit tags per UINT16
        packed_tags: Flag = 14;
        /// input
        src: Tensor<2> = 20 reads in_dtype lanes num_active_channels;
        /// dtype of the data
        out_data_dtype: DType = 32 shown always;
        /// dtype of the tags
        out_tag_dtype: DType = 33 shown always;
        /// lanes, 1..128
        num_active_channels: u8 = 34 shown always;
        /// extremum that is kept
        op: CompressOp = 36 shown always;
        /// innermost dimensions that form a group: X or XY
        op_dim: SubDim = 37 shown always;
        /// four elements per group
        data: Tensor<2> = 40 writes out_data_dtype lanes num_active_channels;
        /// four tags per group, or one packed word, in SBUF
        tag: Tensor<2> = 52 writes out_tag_dtype lanes num_active_channels;
    }
}
