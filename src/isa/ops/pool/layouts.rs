//! Layouts of the POOL and miscellaneous family (isa 07c).

use crate::isa::DType;
use crate::isa::fields::{
    Addr4, AluOp, Bits, DType4, DequantFormat, DropoutThreshold, ExtendedOp, Flag, Imm32, ImmSrc,
    IndexMiss, List, Mem, OutDType, RandAlgorithm, RandPost, RandSource, Sem, Tensor,
};

formats! {
    /// Table for the next gather (isa 07c C1).
    S4Pb = open "S4_PB" {
        /// table elements, at most 512 per lane
        src: Tensor<4> = 12 reads dtype lanes num_active_channels;
        /// dtype of src
        dtype: DType = 32 conf Strong;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always conf Strong;
        /// index of the first loaded element
        start: u32 = 40 conf Inferred;
        /// index mask of the window, 511
        window: u32 = 44 conf Inferred;
    }

    /// Look-up in the pool buffer (isa 07c C1).
    S4d4Gt = "S4D4_GT" {
        /// indices
        src: Tensor<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of the indices
        in_dtype: DType = 32;
        /// dtype of the elements
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// what happens when the buffer lacks an index
        index_miss_behavior: IndexMiss = 36 conf Inferred;
        /// the buffer is emptied afterwards
        free_pool_buffer: Flag = 37;
        /// value of IMMEDIATE_WRITE, as raw bits
        immediate: Imm32 = 40;
        /// destination
        dst: Tensor<4> = 44 writes out_dtype lanes num_active_channels;
    }

    /// Gather of runs inside a partition (isa 07c C2).
    S4d4Ic = "S4D4_IC" {
        /// source: always indirect, also before v4
        src: Mem<4> = 12 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst, equal to in_dtype
        out_dtype: DType = 33;
        /// partitions, a multiple of 16
        num_active_channels: u8 = 34 shown always;
        /// elements copied per index: 1, 2, 4, 8, 16 or 32
        src_num_elem_per_idx: u8 = 35 shown always;
        /// scatter, not implemented: 0
        dst_num_elem_per_idx: u8 = 36;
        /// elements an index may reach, more than 1
        src_buffer_size: u16 = 38 shown always;
        /// scatter, not implemented: 0
        dst_buffer_size: u16 = 40;
        /// destination
        dst: Tensor<4> = 44 writes out_dtype lanes num_active_channels;
    }

    /// Positions of the non-zero elements and their number (isa 07c C3).
    S3d3NonzeroWithCount = "S3D3_NONZERO_WITH_COUNT" {
        /// partitions, 1..128
        num_active_channels: u8 = 12 shown always;
        /// dtype of src: INT32 or FP32
        in_dtype: DType = 13;
        /// dtype of dst: INT32
        out_dtype: DType = 14;
        /// where index_offset is found
        index_offset_src: ImmSrc = 15;
        /// source
        src: Tensor<3> = 16 reads in_dtype lanes num_active_channels;
        /// added to every position
        index_offset: Imm32 = 32 src index_offset_src;
        /// where padding_val is found
        padding_val_src: ImmSrc = 36;
        /// value of the unused slots, usually -1
        padding_val: Imm32 = 40 src padding_val_src;
        /// positions, padding, count: one element more than src
        dst: Tensor<3> = 44 writes out_dtype lanes num_active_channels;
    }

    /// Random zeroing (isa 07c C4).
    S3d3Dropout = "S3D3_DROPOUT" {
        /// source
        src: Mem<3> = 16 reads in_dtype lanes num_active_channels;
        /// dtype of src
        in_dtype: DType = 32;
        /// dtype of dst, equal to in_dtype
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// where threshold is found
        threshold_src: ImmSrc = 35;
        /// dtype of threshold: FP32, for which 0 stands too
        threshold_dtype: OutDType = 36;
        /// DROP_RATE: zero below the threshold; KEEP_RATE: zero above it
        threshold_type: DropoutThreshold = 43 shown always;
        /// probability
        threshold: Imm32 = 44 src threshold_src;
        /// destination
        dst: Mem<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Random draws, older form, and state read-out (isa 07c C5).
    D4Rand = "D4_RAND" {
        /// generator
        rand_algorithm: RandAlgorithm = 12 shown always;
        /// generator steps per draw
        rand_num_steps: u8 = 13;
        /// what becomes of a draw
        post_process: RandPost = 14;
        /// which state
        rand_generator: RandSource = 15;
        /// parameters of the distribution: minimum and maximum for UNIFORM_IN_RANGE
        params: List<u32, 4> = 16;
        /// dtype of dst
        dtype: DType = 32;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// destination
        dst: Mem<4> = 44 writes dtype lanes num_active_channels;
    }

    /// Generator state from memory or from the bundle (isa 07c C5).
    S1Rand = "S1_RAND" {
        /// generator
        rand_algorithm: RandAlgorithm = 12 shown always;
        /// partitions, 1..128
        num_active_channels: u8 = 13 shown always;
        /// meaning unknown
        update_state: u8 = 14 conf Unknown;
        /// dtype of src
        in_dtype: DType = 15;
        /// state words of each lane
        src: Tensor<1> = 16 reads in_dtype lanes num_active_channels;
        /// which state
        rand_generator: RandSource = 24;
        /// state words for all lanes
        imm_state: List<u32, 8> = 32 conf Unknown;
    }

    /// Random draws (isa 07c C5).
    D3Rand = "D3_RAND" {
        /// generator: XORWOW
        rand_algorithm: RandAlgorithm = 12 shown always;
        /// what becomes of a draw: UNIFORM_IN_RANGE
        post_process: RandPost = 14 shown always;
        /// dtype of dst: a float
        dtype: DType = 32;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// where min is found
        min_src: ImmSrc = 38;
        /// where max is found
        max_src: ImmSrc = 39;
        /// lower bound
        min: Imm32 = 40 src min_src;
        /// upper bound
        max: Imm32 = 44 src max_src;
        /// destination
        dst: Mem<3> = 48 writes dtype lanes num_active_channels;
    }

    /// 64-bit result of two integer tensors, in halves (isa 07c C6).
    S2s2d2d2Tt = "S2S2D2D2_TT" {
        /// dtype of src0
        in0_dtype: DType4 = 12;
        /// dtype of src1
        in1_dtype: DType4 = 12 bit 4;
        /// dtype of dst0
        out0_dtype: DType4 = 13;
        /// dtype of dst1
        out1_dtype: DType4 = 13 bit 4;
        /// operation
        op: AluOp = 14 shown always;
        /// partitions, 1..128
        num_active_channels: u8 = 15 shown always;
        /// first source
        src0: Tensor<2> = 16 reads in0_dtype lanes num_active_channels;
        /// second source
        src1: Tensor<2> = 28 reads in1_dtype lanes num_active_channels;
        /// low 32 bits
        dst0: Tensor<2> = 40 writes out0_dtype lanes num_active_channels;
        /// high 32 bits
        dst1: Tensor<2> = 52 writes out1_dtype lanes num_active_channels;
    }

    /// 64-bit result of an integer tensor and a scalar, in halves (isa 07c C6).
    S2d2d2TsWide = "S2D2D2_TS_WIDE" {
        /// dtype of src
        in_dtype: DType4 = 12;
        /// dtype of imm
        imm_dtype: DType4 = 12 bit 4;
        /// dtype of dst0
        out0_dtype: DType4 = 13;
        /// dtype of dst1
        out1_dtype: DType4 = 13 bit 4;
        /// operation
        op: AluOp = 14 shown always;
        /// partitions, 1..128
        num_active_channels: u8 = 15 shown always;
        /// source
        src: Tensor<2> = 16 reads in_dtype lanes num_active_channels;
        /// low 32 bits
        dst0: Tensor<2> = 28 writes out0_dtype lanes num_active_channels;
        /// high 32 bits
        dst1: Tensor<2> = 40 writes out1_dtype lanes num_active_channels;
        /// where imm is found
        imm_src: ImmSrc = 52;
        /// scalar
        imm: Imm32 = 56 src imm_src;
    }

    /// Extended instruction whose body is not published (isa 07c C7).
    Extended = open "EXTENDED" {
        /// what it does
        extended_opcode: ExtendedOp = 12 shown always;
        /// it reads memory
        has_read: Bits<1> = 13;
        /// it writes memory
        has_write: Bits<1> = 13 bit 2;
        /// partitions in groups of 16; 0 stands for 8 groups
        num_active_ports: Bits<3> = 13 bit 3;
    }

    /// Extended tensor-tensor arithmetic (isa 07c C7).
    ExtendedTta = "EXTENDED_TTA" {
        /// TENSOR_TENSOR_ARITH
        extended_opcode: ExtendedOp = 12 shown always;
        /// it reads memory
        has_read: Bits<1> = 13;
        /// it writes memory
        has_write: Bits<1> = 13 bit 2;
        /// partitions in groups of 16; 0 stands for 8 groups
        num_active_ports: Bits<3> = 13 bit 3 shown always;
        /// dtype of src0
        in0_dtype: DType4 = 14;
        /// dtype of src1
        in1_dtype: DType4 = 14 bit 4;
        /// dtype of dst
        out_dtype: DType = 15;
        /// operation: ADD or MULT
        op: AluOp = 16 shown always;
        /// first source
        src0: Tensor<2> = 20 reads in0_dtype lanes num_active_ports;
        /// second source
        src1: Tensor<2> = 32 reads in1_dtype lanes num_active_ports;
        /// destination
        dst: Tensor<2> = 44 writes out_dtype lanes num_active_ports;
    }

    /// Descriptors of a copy to a peer core (isa 09 §8).
    ExtendedRdmaDescGen = open "EXTENDED_RDMA_DESC_GEN" {
        /// RDMA_DESC_GEN
        extended_opcode: ExtendedOp = 12 shown always;
        /// it reads memory
        has_read: Bits<1> = 13;
        /// it writes memory
        has_write: Bits<1> = 13 bit 2;
        /// partitions in groups of 16; 0 stands for 8 groups
        num_active_ports: Bits<3> = 13 bit 3;
        /// semaphore incremented here
        local_sem: Sem = 14 shown always conf Strong;
        /// semaphore incremented on the peer
        remote_sem: Sem = 15 shown always conf Strong;
        /// peer core
        remote_core_id: u32 = 16 conf Strong;
        /// route to the peer
        routing_id: u32 = 20 conf Strong;
        /// engines taking part: 1, 2, 4, 8 or 16
        engine_mask: u32 = 24 conf Strong;
        /// source address
        src: Addr4 = 28 shown always conf Strong;
        /// destination address on the peer
        dst: Addr4 = 32 shown always conf Strong;
        /// bytes per partition, for all 128 partitions
        bytes_per_partition: u32 = 36 shown always conf Strong;
        /// the peer copies back
        is_bidirectional: Flag = 40 conf Strong;
        /// semaphore of the previous copy on the peer
        previous_remote_sem: Sem = 41 conf Strong;
    }

    /// Sub-byte codes widened to FP8 (isa 07c C8).
    S3d3TensDequant = "S3D3_TENS_DEQUANT" {
        /// packed codes, in 32-bit words
        src: Mem<3> = 12 reads in_dtype lanes num_active_channels;
        /// UINT32
        in_dtype: DType = 32;
        /// UINT32
        out_dtype: DType = 33;
        /// partitions, 1..128
        num_active_channels: u8 = 34 shown always;
        /// code of the elements
        dequant_fmt: DequantFormat = 35 shown always;
        /// 0, or 8 elements per in-band scale
        group_size: u8 = 36;
        /// FP8 values, in 32-bit words
        dst: Mem<3> = 44 writes out_dtype lanes num_active_channels;
    }

    /// Sort with positions (isa 07c C9).
    S1d2Sort = "S1D2_SORT" {
        /// partitions, 1..128
        num_active_channels: u8 = 12 shown always;
        /// where index_offset is found
        index_offset_src: ImmSrc = 13;
        /// dtype of src
        in_dtype: DType4 = 14;
        /// dtype of dst, equal to in_dtype
        out_dtype: DType4 = 14 bit 4;
        /// IS_LT: ascending; IS_GT: descending
        comparison: AluOp = 15 shown always;
        /// source
        src: Tensor<1> = 16 reads in_dtype lanes num_active_channels;
        /// value and position by turns
        dst: Tensor<2> = 24 writes out_dtype lanes num_active_channels;
        /// added to every position
        index_offset: Imm32 = 36 src index_offset_src;
        /// equal values keep their order
        stable: Flag = 40;
    }

    /// Runs of equal neighbours (isa 07c C9).
    S3d3SeqBounds = "S3D3_SEQ_BOUNDS" {
        /// partitions, always 1
        num_active_channels: u8 = 12 shown always;
        /// dtype of src: INT32 or FP32
        in_dtype: DType = 14;
        /// dtype of dst: INT32 or FP32
        out_dtype: DType = 15;
        /// sequence
        src: Tensor<3> = 16 reads in_dtype lanes num_active_channels;
        /// starts, then ends
        dst: Tensor<3> = 32 writes out_dtype lanes num_active_channels;
    }

    /// Move between the cores of a device (isa 01 §4).
    S3d3Collective = "S3D3_COLLECTIVE" {
        /// dtype of src
        in_dtype: DType = 12;
        /// dtype of dst
        out_dtype: DType = 13;
        /// source
        src: Mem<3> = 16 reads in_dtype lanes num_active_channels;
        /// size of the logical core and form of the move
        lnc_size_fmt: u8 = 32;
        /// partitions, 1..128
        num_active_channels: u8 = 33 shown always;
        /// destination
        dst: Mem<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Arguments of POOL software (isa 07c C10).
    CtrlImPoolArgs = open "CTRL_IM" {
        /// which arguments are pointers
        pointer_mask: u8 = 14 conf Strong;
        /// arguments
        args: List<u32, 8> = 32 shown always conf Strong;
    }
}
