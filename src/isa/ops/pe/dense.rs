//! LDWEIGHTS and MATMUL: one layout per generation (isa 05 §3.1, §3.2).

use crate::isa::DType;
use crate::isa::fields::{
    AccumulateMode, Bits, Fp32Mode, Mem, MxPerf, OutDType, PerfOpt, PsumFlags, Tensor, TileGroup,
    WeightOrder, ZeroRegion,
};

formats! {
    /// Weight load, v2 (isa 05 §3.1)
    S3LwV2 = "S3_LW" {
        /// weights in SBUF, one element per column
        src: Tensor<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the weights
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33 conf Strong;
        /// performance mode of the array
        perf_opt: PerfOpt = 35 conf Strong;
        /// zero point of UINT8 weights
        quant_offset: u16 = 36 conf Strong;
        /// rows (contraction, SBUF partitions), 1..128
        num_active_rows: u8 = 38 shown always conf Strong;
        /// columns (PSUM partitions of the result), 1..128
        num_active_cols: u8 = 39 shown always conf Strong;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always conf Strong;
        /// column quadrants of the tile
        col_grp: TileGroup = 45 shown always conf Strong;
        /// bus code that belongs to the column group
        xbus_sel: u8 = 46 conf Strong;
    }

    /// Weight load, v3 (isa 05 §3.1)
    S3LwV3 = "S3_LW" {
        /// weights in SBUF, one element per column
        src: Tensor<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the weights
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33 conf Strong;
        /// non-zero: the pass emits the transposed product
        transpose_mode: u8 = 34 conf Strong;
        /// performance mode of the array
        perf_opt: PerfOpt = 35 conf Strong;
        /// rows (contraction, SBUF partitions), 1..128
        num_active_rows: u8 = 38 shown always conf Strong;
        /// columns (PSUM partitions of the result), 1..128
        num_active_cols: u8 = 39 shown always conf Strong;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always conf Strong;
        /// column quadrants of the tile
        col_grp: TileGroup = 45 shown always conf Strong;
    }

    /// Weight load, v4 (isa 05 §3.1)
    S3LwV4 = "S3_LW" {
        /// background transpose; 2 is what the compiler writes
        bg_xpose_mode: u8 = 12;
        /// weights in SBUF, one element per column
        src: Mem<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the weights
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// non-zero: the pass emits the transposed product
        transpose_mode: u8 = 34;
        /// performance mode of the array; 0, 1 or 4
        perf_opt: PerfOpt = 35;
        /// rows (contraction, SBUF partitions), 1..128
        num_active_rows: u8 = 38 shown always;
        /// columns (PSUM partitions of the result), 1..128
        num_active_cols: u8 = 39 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile
        col_grp: TileGroup = 45 shown always;
        /// LD_WEIGHT_FLAGS: transpose
        xpose_mode: Bits<1> = 47;
        /// LD_WEIGHT_FLAGS: scalar mode
        scalar_mode: Bits<2> = 47 bit 1;
        /// LD_WEIGHT_FLAGS: seed mode
        seed_mode: Bits<2> = 47 bit 3;
    }

    /// Weight load, v5 (isa 05 §3.1)
    S3LwV5 = "S3_LW" {
        /// weights in SBUF, one element per column
        src: Mem<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the weights
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// rows (contraction, SBUF partitions)
        num_active_rows: u8 = 34 shown always;
        /// columns; 0 means 256
        num_active_cols: u8 = 35 shown always;
        /// log2 of the tile's rows and columns, a nibble each, order unknown
        tile_size: u8 = 36 shown always conf Unknown;
        /// row half of the tile, 0 or 1
        row_sel: Bits<4> = 37;
        /// column half of the tile, 0 or 1
        col_sel: Bits<4> = 37 bit 4;
        /// LD_WEIGHT_FLAGS: transpose
        xpose_mode: Bits<1> = 38;
        /// LD_WEIGHT_FLAGS: scalar mode
        scalar_mode: Bits<2> = 38 bit 1;
        /// LD_WEIGHT_FLAGS: seed mode
        seed_mode: Bits<2> = 38 bit 3;
        /// LD_WEIGHT_FLAGS: column of the first weight read
        load_order: WeightOrder = 38 bit 5 conf Inferred;
        /// performance mode of MX weights
        perf_mode: MxPerf = 39;
    }

    /// Matrix product, v2: PSUM holds FP32 (isa 05 §3.2)
    S3d3MmV2 = "S3D3_MM" {
        /// moving operand in SBUF
        src: Tensor<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the moving operand
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// performance mode of the array
        perf_opt: PerfOpt = 35;
        /// zero point of a UINT8 moving operand
        quant_offset: u16 = 36;
        /// rows (contraction, SBUF partitions), 1..128
        num_active_rows: u8 = 38 shown always;
        /// columns (PSUM partitions of the result), 1..128
        num_active_cols: u8 = 39 shown always;
        /// begin and end of the accumulation group
        psum_accumulate_flags: PsumFlags = 43 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile
        col_grp: TileGroup = 45 shown always;
        /// bus code that belongs to the column group
        xbus_sel: u8 = 46;
        /// bytes per partition cleared when a group begins; only SIZE2048
        psum_zero_region: ZeroRegion = 47;
        /// result in PSUM; INT32 for UINT8 operands
        dst: Tensor<3> = 48 writes_as 0x0A lanes num_active_cols;
    }

    /// Matrix product, v3 (isa 05 §3.2)
    S3d3MmV3 = "S3D3_MM" {
        /// moving operand in SBUF
        src: Tensor<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the moving operand
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// non-zero: the pass emits the transposed product
        transpose_mode: u8 = 34;
        /// performance mode of the array
        perf_opt: PerfOpt = 35;
        /// rows (contraction, SBUF partitions), 1..128
        num_active_rows: u8 = 38 shown always;
        /// columns (PSUM partitions of the result), 1..128
        num_active_cols: u8 = 39 shown always;
        /// dtype of the result: 0 stands for FP32
        out_dtype: OutDType = 40;
        /// begin and end of the accumulation group
        psum_accumulate_flags: PsumFlags = 43 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile
        col_grp: TileGroup = 45 shown always;
        /// bytes per partition cleared when a group begins; only SIZE2048
        psum_zero_region: ZeroRegion = 47;
        /// result in PSUM
        dst: Tensor<3> = 48 writes out_dtype lanes num_active_cols;
    }

    /// Matrix product, v4 (isa 05 §3.2)
    S3d3MmV4 = "S3D3_MM" {
        /// moving operand in SBUF
        src: Mem<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the moving operand
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// non-zero: the pass emits the transposed product
        transpose_mode: u8 = 34;
        /// performance mode of the array
        perf_opt: PerfOpt = 35;
        /// rows (contraction, SBUF partitions), 1..128
        num_active_rows: u8 = 38 shown always;
        /// columns (PSUM partitions of the result), 1..128
        num_active_cols: u8 = 39 shown always;
        /// dtype of the result: FP32, BF16, or 0 for FP32
        out_dtype: OutDType = 40;
        /// MATMUL_FLAGS: scalar mode
        scalar_mode: Bits<2> = 42;
        /// MATMUL_FLAGS: seed mode
        seed_mode: Bits<2> = 42 bit 2;
        /// MATMUL_FLAGS: write mode, obeyed on v5 only
        accumulate_flag: AccumulateMode = 42 bit 4;
        /// MATMUL_FLAGS: transpose
        xpose_mode: Bits<1> = 42 bit 5;
        /// begin and end of the accumulation group
        psum_accumulate_flags: PsumFlags = 43 shown always;
        /// row quadrants of the tile
        row_grp: TileGroup = 44 shown always;
        /// column quadrants of the tile
        col_grp: TileGroup = 45 shown always;
        /// bytes per partition cleared when a group begins
        psum_zero_region: ZeroRegion = 47;
        /// result in PSUM
        dst: Mem<3> = 48 writes out_dtype lanes num_active_cols;
    }

    /// Matrix product, v5 (isa 05 §3.2)
    S3d3MmV5 = "S3D3_MM" {
        /// moving operand in SBUF
        src: Mem<3> = 16 reads in_dtype lanes num_active_rows;
        /// dtype of the moving operand
        in_dtype: DType = 32 shown always;
        /// part of the mantissa used: 1..3 for FP32, else 0
        fp32_mode: Fp32Mode = 33;
        /// dtype of the result: FP32, BF16, or 0 for FP32
        out_dtype: OutDType = 34;
        /// rows (contraction, SBUF partitions)
        num_active_rows: u8 = 35 shown always;
        /// columns; 0 means 256
        num_active_cols: u8 = 36 shown always;
        /// log2 of the tile's rows and columns, a nibble each, order unknown
        tile_size: u8 = 37 shown always conf Unknown;
        /// row half of the tile, 0 or 1
        row_sel: Bits<4> = 38;
        /// column half of the tile, 0 or 1
        col_sel: Bits<4> = 38 bit 4;
        /// MATMUL_FLAGS: scalar mode
        scalar_mode: Bits<2> = 39;
        /// MATMUL_FLAGS: seed mode
        seed_mode: Bits<2> = 39 bit 2;
        /// MATMUL_FLAGS: overwrite or accumulate
        accumulate_flag: AccumulateMode = 39 bit 4 shown always;
        /// MATMUL_FLAGS: transpose
        xpose_mode: Bits<1> = 39 bit 5;
        /// performance mode of an MX moving operand
        perf_mode: MxPerf = 40;
        /// result in PSUM
        dst: Mem<3> = 48 writes out_dtype lanes num_active_cols;
    }
}
