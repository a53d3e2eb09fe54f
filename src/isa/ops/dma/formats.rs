//! Layouts of the DMA family (isa 09 §3..§7).

use crate::isa::DType;
use crate::isa::fields::{
    Addr4, Addr8, Bits, DType4, DgeOp, IndirectMode, List, OptDType, Raw, Reg6, Regs, Sem, WireDim,
};

formats! {
    /// 2-D copy between any two memories (isa 09 §3)
    DmaDirect2d = "DMA_DIRECT2D" {
        /// DMA_CONFIGS: priority class, 0..4
        priority_class: Bits<3> = 12;
        /// semaphore posted on completion
        semaphore: Sem = 13 shown always;
        /// added to that semaphore on completion, 0 for none
        sem_increment: u8 = 14 shown always;
        /// arithmetic with the destination
        compute_op: DgeOp = 15;
        /// first source byte
        src_start_addr: Addr8 = 16 shown always;
        /// source steps in bytes, X and Y
        src_step_elem: List<i32, 2> = 24 shown always;
        /// source elements, X fastest
        src_num_elem: List<u16, 2> = 32 shown always;
        /// bytes of a source element, 0 for 65536
        src_elem_size: u16 = 36 shown always;
        /// register with the limit of source addresses
        src_bound_reg: Reg6 = 38;
        /// source out of bounds raises no notification
        src_bound_silent: Bits<1> = 38 bit 6;
        /// source addresses are checked
        src_bound_enabled: Bits<1> = 38 bit 7;
        /// register with the limit of destination addresses
        dst_bound_reg: Reg6 = 39;
        /// destination out of bounds raises no notification
        dst_bound_silent: Bits<1> = 39 bit 6;
        /// destination addresses are checked
        dst_bound_enabled: Bits<1> = 39 bit 7;
        /// first destination byte
        dst_start_addr: Addr8 = 40 shown always;
        /// destination steps in bytes, X and Y
        dst_step_elem: List<i32, 2> = 48 shown always;
        /// destination elements, X fastest
        dst_num_elem: List<u16, 2> = 56 shown always;
        /// bytes of a destination element, 0 for 65536
        dst_elem_size: u16 = 60 shown always;
        /// dtype read
        in_dtype: OptDType = 62 shown always;
        /// dtype written; another than in_dtype casts in flight
        out_dtype: OptDType = 63 shown always;
    }

    /// 2-D copy without EVENTS band (v5, isa 09 §7)
    DmaCopy2d = bare "DMA_COPY2D" {
        /// operand of the wait
        wait_sema_value: u32 = 4;
        /// semaphore waited for
        wait_sema_idx: Sem = 8;
        /// wait mode
        wait_sema_mode: u8 = 9;
        /// first DMA engine
        dma_engine: Bits<5> = 10;
        /// log2 of the number of DMA engines
        dma_engine_count: Bits<2> = 10 bit 5;
        /// descriptor generation by the DMA engine
        tdg: Bits<1> = 11;
        /// completion waits for the writes
        wr_done_sync: Bits<1> = 11 bit 1;
        /// queue of the engine
        queue_id: Bits<3> = 11 bit 2;
        /// address mode of the source, 0 immediate
        src_addr_mode: Bits<4> = 12;
        /// address mode of the destination, 0 immediate
        dst_addr_mode: Bits<4> = 12 bit 4;
        /// semaphore update when the reads are done
        rd_done_mode: Bits<4> = 13;
        /// semaphore update when the writes are done
        wr_done_mode: Bits<4> = 13 bit 4;
        /// index of the read-done update
        rd_done_idx: u16 = 14;
        /// first source byte
        src_start_addr: Addr8 = 16 shown always;
        /// source steps in bytes, X and Y
        src_step_elem: List<i32, 2> = 24 shown always;
        /// source elements, X fastest
        src_num_elem: List<u16, 2> = 32 shown always;
        /// bytes of a source element
        src_elem_size: u16 = 36 shown always;
        /// index of the write-done update
        wr_done_idx: u16 = 38;
        /// first destination byte
        dst_start_addr: Addr8 = 40 shown always;
        /// destination steps in bytes, X and Y
        dst_step_elem: List<i32, 2> = 48 shown always;
        /// destination elements, X fastest
        dst_num_elem: List<u16, 2> = 56 shown always;
        /// bytes of a destination element
        dst_elem_size: u16 = 60 shown always;
        /// core the destination belongs to
        remote_core_id: u8 = 62;
    }

    /// Raw ring descriptors, no EVENTS band (v5, isa 09 §7)
    DmaImmediate = bare "DMA_IMMEDIATE" {
        /// operand of the wait
        wait_sema_value: u32 = 4;
        /// semaphore waited for
        wait_sema_idx: Sem = 8;
        /// wait mode
        wait_sema_mode: u8 = 9;
        /// first DMA engine
        dma_engine: Bits<5> = 10;
        /// log2 of the number of DMA engines: 0
        dma_engine_count: Bits<2> = 10 bit 5;
        /// must be 0
        tdg: Bits<1> = 11;
        /// must be 0
        wr_done_sync: Bits<1> = 11 bit 1;
        /// queue of the engine
        queue_id: Bits<3> = 11 bit 2;
        /// descriptors, 1..3
        num_descriptors: Bits<2> = 12 shown always;
        /// source of descriptor 0
        desc0_src: Bits<1> = 12 bit 2;
        /// source of descriptor 1
        desc1_src: Bits<1> = 12 bit 3;
        /// source of descriptor 2
        desc2_src: Bits<1> = 12 bit 4;
        /// registers of the descriptors
        descriptor_reg: Regs<3> = 13;
        /// first 16-byte descriptor
        desc0: Raw<16> = 16 shown always;
        /// second 16-byte descriptor
        desc1: Raw<16> = 32;
        /// third 16-byte descriptor
        desc2: Raw<16> = 48;
    }

    /// Gather, scatter or both through index vectors (isa 09 §4)
    DmaIndirect1d = "DMA_INDIRECT1D" {
        /// semaphore posted on completion
        semaphore: Sem = 12 shown always;
        /// added to that semaphore on completion
        sem_increment: u8 = 13 shown always;
        /// partitions of the index vector
        idx_num_active_channels: u8 = 14;
        /// which side is indirect
        indirect_mode: IndirectMode = 15 shown always;
        /// an index out of bounds is an error, else it is skipped
        index_oob_is_error: Bits<1> = 15 bit 2;
        /// the same destination index may occur twice
        duplicates_allowed: Bits<1> = 15 bit 3;
        /// axis of the gather
        gather_dim: WireDim = 15 bit 4;
        /// axis of the scatter
        scatter_dim: WireDim = 15 bit 6;
        /// first source byte
        src_start_addr: Addr8 = 16 shown always;
        /// source step in bytes
        src_step_elem: i32 = 24 shown always;
        /// source elements
        src_num_elem: u16 = 28 shown always;
        /// bytes of a source element, 0 for 65536
        src_elem_size: u16 = 30 shown always;
        /// first destination byte
        dst_start_addr: Addr8 = 32 shown always;
        /// destination step in bytes
        dst_step_elem: i32 = 40 shown always;
        /// destination elements
        dst_num_elem: u16 = 44 shown always;
        /// bytes of a destination element, 0 for 65536
        dst_elem_size: u16 = 46 shown always;
        /// index vector of the source
        src_idx_start_addr: Addr4 = 48;
        /// index vector of the destination
        dst_idx_start_addr: Addr4 = 52;
        /// dtype read
        in_dtype: OptDType = 56 shown always;
        /// dtype written
        out_dtype: OptDType = 57 shown always;
        /// register with the limit of source indices
        src_idx_bound_reg: Reg6 = 58;
        /// source index out of bounds raises no notification
        src_idx_bound_silent: Bits<1> = 58 bit 6;
        /// source indices are checked
        src_idx_bound_enabled: Bits<1> = 58 bit 7;
        /// register with the limit of destination indices
        dst_idx_bound_reg: Reg6 = 59;
        /// destination index out of bounds raises no notification
        dst_idx_bound_silent: Bits<1> = 59 bit 6;
        /// destination indices are checked
        dst_idx_bound_enabled: Bits<1> = 59 bit 7;
        /// arithmetic with the destination
        compute_op: DgeOp = 60;
        /// DMA_CONFIGS: priority class, 0..4
        priority_class: Bits<3> = 61;
    }

    /// Copy that transposes tiles of 16 rows (v3, isa 09 §5)
    DmaDirect2dXpose = "DMA_DIRECT2D_XPOSE" {
        /// register with the limit of source addresses
        src_bound_reg: Reg6 = 12;
        /// source out of bounds raises no notification
        src_bound_silent: Bits<1> = 12 bit 6;
        /// source addresses are checked
        src_bound_enabled: Bits<1> = 12 bit 7;
        /// register with the limit of destination addresses
        dst_bound_reg: Reg6 = 13;
        /// destination out of bounds raises no notification
        dst_bound_silent: Bits<1> = 13 bit 6;
        /// destination addresses are checked
        dst_bound_enabled: Bits<1> = 13 bit 7;
        /// dtype read, 2 or 4 bytes
        in_dtype: DType = 14 shown always;
        /// dtype written, the same
        out_dtype: DType = 15 shown always;
        /// first source byte
        src_start_addr: Addr8 = 16 shown always;
        /// source steps in bytes, X and Y
        src_step_elem: List<i32, 2> = 24 shown always;
        /// source tiles, X fastest
        src_num_elem: List<u16, 2> = 32 shown always;
        /// bytes from one row of a tile to the next
        tile_src_row_step: i32 = 36 shown always;
        /// first destination byte
        dst_start_addr: Addr8 = 40 shown always;
        /// destination steps in bytes, X and Y
        dst_step_elem: List<i32, 2> = 48 shown always;
        /// destination tiles, X fastest
        dst_num_elem: List<u16, 2> = 56 shown always;
        /// rows of a tile: 16
        tile_src_rows: u8 = 60 shown always;
        /// columns of a tile
        tile_src_cols: u8 = 61 shown always;
        /// semaphore incremented by 1 on completion
        semaphore: Sem = 62 shown always;
        /// DMA_CONFIGS: priority class, 0..4
        priority_class: Bits<3> = 63;
    }

    /// Gather of rows, written transposed (v3, isa 09 §6)
    DmaGatherXpose = "DMA_GATHER_XPOSE" {
        /// semaphore incremented by 1 on completion
        semaphore: Sem = 12 shown always;
        /// DMA_CONFIGS: priority class, 0..4
        priority_class: Bits<3> = 13;
        /// partitions of the index vector
        idx_num_active_channels: u8 = 14;
        /// register with the limit of the indices
        src_idx_bound_reg: Reg6 = 15;
        /// index out of bounds raises no notification
        src_idx_bound_silent: Bits<1> = 15 bit 6;
        /// indices are checked
        src_idx_bound_enabled: Bits<1> = 15 bit 7;
        /// first source byte
        src_start_addr: Addr8 = 16 shown always;
        /// source steps in bytes, X and Y
        src_step_elem: List<i32, 2> = 24 shown always;
        /// source elements, X fastest
        src_num_elem: List<u16, 2> = 32 shown always;
        /// index vector
        src_idx_start_addr: Addr4 = 36 shown always;
        /// first destination byte
        dst_start_addr: Addr8 = 40 shown always;
        /// register with the limit of destination addresses
        dst_bound_reg: Reg6 = 51;
        /// destination out of bounds raises no notification
        dst_bound_silent: Bits<1> = 51 bit 6;
        /// destination addresses are checked
        dst_bound_enabled: Bits<1> = 51 bit 7;
        /// destination step of Y in bytes; X is contiguous
        dst_step_1: i32 = 52 shown always;
        /// destination elements, X fastest
        dst_num_elem: List<u16, 2> = 56 shown always;
        /// bytes of an element, 2..256 and even
        elem_size: u16 = 60 shown always;
        /// dtype read, 2 bytes
        in_dtype: DType4 = 62 shown always;
        /// dtype written, the same
        out_dtype: DType4 = 62 bit 4 shown always;
        /// axis of the gather: Y
        gather_dim: WireDim = 63 shown always;
    }
}
