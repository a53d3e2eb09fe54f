//! MX operands, quantisation and rounding seeds (isa 05 §3.6..§3.8).

use crate::isa::DType;
use crate::isa::fields::{Mem, Mx, OutDType, PsumFlags, SeedMode, Tensor, TileGroup, ZeroRegion};

formats! {
    /// Weight load with block scales (v4, isa 05 §3.7)
    Smx1Lw = "SMX1_LW" {
        /// packed weights and their scales in SBUF
        src: Mx = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the packed weights
        in_dtype: DType = 32 shown always;
        /// SBUF partitions: 32, 64 or 128
        num_active_rows: u8 = 38 shown always;
        /// columns (PSUM partitions of the result), even
        num_active_cols: u8 = 39 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile: ALL
        col_grp: TileGroup = 45 shown always;
    }

    /// Matrix product with block scales (v4, isa 05 §3.7)
    Smx1d3Mm = "SMX1D3_MM" {
        /// packed moving operand and its scales in SBUF
        src: Mx = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the packed moving operand
        in_dtype: DType = 32 shown always;
        /// SBUF partitions: 32, 64 or 128
        num_active_rows: u8 = 38 shown always;
        /// columns (PSUM partitions of the result)
        num_active_cols: u8 = 39 shown always;
        /// dtype of the result: FP32 or BF16
        out_dtype: OutDType = 40;
        /// begin and end of the accumulation group
        psum_accumulate_flags: PsumFlags = 43 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile: ALL
        col_grp: TileGroup = 45 shown always;
        /// bytes per partition cleared when a group begins
        psum_zero_region: ZeroRegion = 47;
        /// result in PSUM
        dst: Mem<3> = 48 writes out_dtype lanes num_active_cols;
    }

    /// Quantisation to packed elements and block scales (v4, isa 05 §3.8)
    S3dmx1Quant = "S3DMX1_QUANT" {
        /// BF16 or FP16 input
        src: Tensor<3> = 16 reads in_dtype lanes num_active_channels;
        /// partitions: 32, 64, 96 or 128
        num_active_channels: u8 = 33 shown always;
        /// dtype of the input
        in_dtype: DType = 34 shown always;
        /// dtype of the packed output
        out_dtype: DType = 35 shown always;
        /// packed output and its scales in SBUF
        dst: Mx = 48 writes out_dtype lanes num_active_channels;
    }

    /// Seeds of stochastic rounding (v4, isa 05 §3.6)
    S2s1d2PeSeed = "S2S1D2_PE_SEED" {
        /// LOAD_SEED: 16 partitions of 128 words in SBUF
        src_seed: Tensor<2> = 12 reads_as 0x08 lanes num_active_rows;
        /// diagonal of an identity matrix
        identity: Tensor<1> = 24 reads identity_dtype lanes num_active_rows;
        /// dtype of the identity
        identity_dtype: DType = 32 shown always;
        /// direction
        mode: SeedMode = 33 shown always;
        /// 16
        num_active_rows: u8 = 34 shown always;
        /// 128
        num_active_cols: u8 = 35 shown always;
        /// SAVE_SEED: PSUM
        dst_seed: Tensor<2> = 36 writes_as 0x09 lanes num_active_cols;
    }
}
