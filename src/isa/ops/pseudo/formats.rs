//! Layouts of the pseudo instructions (isa 08 §10, 09 §9).

use crate::isa::DType;
use crate::isa::fields::{
    AluOp, Bits, Collective, DataSrc, DgeKind, Hex32, List, Name, OptDType, PseudoAddr8, PseudoSub,
    Raw, Reg, Reg6, Regs, Sem,
};

formats! {
    /// Start a block of a DMA queue (isa 09 §9.1)
    PseudoDmaTrigger = "PSEUDO_DMATRIGGER" {
        /// queue, at most 31 characters
        queue: Name<32> = 12 shown always;
        /// block of the queue's descriptors
        block_id: u32 = 48 shown always;
    }

    /// Rewind the cursors of a DMA queue (isa 09 §9.2)
    PseudoDmaRearm = "PSEUDO_DMAREARM" {
        /// queue, at most 31 characters
        queue: Name<32> = 12 shown always;
    }

    /// Switch to another instance of a DMA queue (isa 09 §9.2)
    PseudoDmaSwapQueueSet = "PSEUDO_DMASWAP_QUEUE_SET" {
        /// queue instance, at most 31 characters
        queue: Name<32> = 12 shown always;
        /// keep the trigger cursors of the new instance
        no_rearm: u8 = 59;
        /// 1 in every known record
        one: u32 = 60 shown always conf Unknown;
    }

    /// Select an activation function set by name (isa 06 §2.3)
    PseudoLoadActFuncSet = "PSEUDO_LOAD_ACT_FUNC_SET" {
        /// name of the set, at most 31 characters
        set: Name<32> = 12 shown always;
    }

    /// Gather or scatter between a table and a direct side (isa 09 §9.4)
    PseudoDmaMemcpyFullInd = open "PSEUDO_DMAMEMCPY_FULL_IND" {
        /// offset of the indirect side
        indirect_start_offset: u32 = 12 conf Strong;
        /// 1 in every known record
        one: u32 = 16 shown always conf Strong;
        /// configuration of the indirect side
        indirect_config: u32 = 20 conf Strong;
        /// elements of the indirect side
        indirect_num_elem: List<u32, 2> = 24 shown always conf Strong;
        /// offset of the direct side
        direct_start_offset: u32 = 32 conf Strong;
        /// step of the direct side
        direct_step_elem: i32 = 36 conf Strong;
        /// configuration of the direct side
        direct_config: u32 = 40 conf Strong;
        /// elements of the direct side
        direct_num_elem: List<u32, 2> = 44 shown always conf Strong;
        /// bytes of an element
        direct_elem_size: u32 = 52 shown always conf Strong;
        /// low half of the semaphore wait value
        wait_value_lo: u16 = 58 conf Strong;
        /// 0 load (gather), 1 save (scatter)
        direction: u16 = 60 shown always conf Strong;
        /// high half of the semaphore wait value
        wait_value_hi: u16 = 62 conf Strong;
    }

    /// Collective operation over tensors (isa 09 §9.5); printed in the vendor's order
    PseudoTriggerCollective = "PSEUDO_TRIGGER_COLLECTIVE" {
        /// kind of collective
        ctype: Collective = 32 shown always;
        /// variable read
        input_tensor_id: u32 = 16 shown always;
        /// variable written
        output_tensor_id: u32 = 20 shown always;
        /// elements
        num_elements: u64 = 24 shown always;
        /// dtype of the elements
        dtype: DType = 13 shown always;
        /// reduction
        op: AluOp = 12 shown always;
        /// replica group
        group_id: u16 = 14 shown always conf Inferred;
    }

    /// Row update of an embedding table (isa 09 §9.4)
    PseudoEmbeddingUpdate = open "PSEUDO_EMBEDDING_UPDATE" {
        /// dtype of the indices
        index_dtype: DType = 12 shown always conf Strong;
        /// first table byte
        table_base: Hex32 = 44 shown always conf Strong;
        /// elements of a row
        row_elements: u16 = 48 shown always conf Strong;
        /// low half of the bytes of a row
        row_bytes_lo: u16 = 50 shown always conf Strong;
        /// indices
        sequence_length: u16 = 52 shown always conf Strong;
        /// rows of the table
        table_entries: u32 = 56 shown always conf Strong;
        /// high half of the bytes of a row
        row_bytes_hi: u16 = 60 conf Strong;
    }

    /// Load variable words into registers (isa 08 §7.3)
    PseudoMem2dLoad = "PSEUDO_MEM_2D" {
        /// type of the elements
        dtype: DType = 12 shown always;
        /// must be REGISTER
        src_datasrc: DataSrc = 13;
        /// elements of the inner and the outer dimension, product at most 32
        num_elem: List<u8, 2> = 14 shown always;
        /// variable
        var_id: u32 = 16 shown always;
        /// byte offset in the variable
        var_offset: u32 = 20 shown always;
        /// steps in elements
        step_elem: List<i32, 2> = 24 shown always;
        /// destination registers in element order
        data: Regs<32> = 32 shown always;
    }

    /// Store registers to a variable (isa 08 §7.3)
    PseudoMem2dStore = "PSEUDO_MEM_2D" {
        /// type of the elements
        dtype: DType = 12 shown always;
        /// REGISTER here; IMMEDIATE has packed values in `data`
        src_datasrc: DataSrc = 13;
        /// elements of the inner and the outer dimension, product at most 32
        num_elem: List<u8, 2> = 14 shown always;
        /// variable
        var_id: u32 = 16 shown always;
        /// byte offset in the variable
        var_offset: u32 = 20 shown always;
        /// steps in elements
        step_elem: List<i32, 2> = 24 shown always;
        /// source registers in element order
        data: Regs<32> = 32 shown always;
    }

    /// Store immediates to a variable (isa 08 §7.3)
    PseudoMem2dStoreImm = "PSEUDO_MEM_2D" {
        /// type of the elements
        dtype: DType = 12 shown always;
        /// IMMEDIATE here; REGISTER has register numbers in `data`
        src_datasrc: DataSrc = 13;
        /// elements of the inner and the outer dimension, product at most 32
        num_elem: List<u8, 2> = 14 shown always;
        /// variable
        var_id: u32 = 16 shown always;
        /// byte offset in the variable
        var_offset: u32 = 20 shown always;
        /// steps in elements
        step_elem: List<i32, 2> = 24 shown always;
        /// packed little-endian values in element order
        data: Raw<32> = 32 shown always;
    }

    /// Start of a function (isa 08 §10)
    PseudoFunctionBegin = "PSEUDO_FUNCTION_BEGIN" {
        /// name, at most 35 characters
        function: Name<36> = 12 shown always;
        /// zero all semaphores on return
        return_reset_semaphores: u8 = 48 shown always;
        /// register with the low word of the return address
        return_addr_reg_lo: Reg = 49 shown always;
        /// register with the high word of the return address
        return_addr_reg_hi: Reg = 50 shown always;
    }

    /// Wait and update only (isa 08 §10)
    PseudoFunctionReturn = "PSEUDO_FUNCTION_RETURN" {}

    /// Wait and update only (isa 08 §9)
    PseudoSyncBarrier = "PSEUDO_SYNC_BARRIER" {}

    /// Call of a function (isa 08 §10)
    PseudoFunctionCall = "PSEUDO_FUNCTION_CALL" {
        /// name, at most 35 characters
        function: Name<36> = 12 shown always;
        /// variable with the table of arguments
        args_table_var_id: u32 = 48 shown always;
    }

    /// 2-D copy between variables (isa 09 §9.3)
    PseudoDmaDirect2d = "DMA_DIRECT2D" {
        /// DMA_CONFIGS: priority class, 0..4
        priority_class: Bits<3> = 12;
        /// semaphore posted on completion
        semaphore: Sem = 13 shown always;
        /// added to that semaphore on completion, 0 for none
        sem_increment: u8 = 14 shown always;
        /// bundle it becomes
        dge_op: DgeKind = 15 shown always;
        /// first source byte
        src_start_addr: PseudoAddr8 = 16 shown always;
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
        dst_start_addr: PseudoAddr8 = 40 shown always;
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

    /// Barrier between cores (isa 08 §10)
    PseudoCoreBarrier = "PSEUDO_CORE_BARRIER" {
        /// barrier
        barrier_id: u32 = 12 shown always;
        /// semaphore used
        semaphore: u32 = 16 shown always;
    }

    /// Continuation of the 0xD4 or 0xD9 before it (isa 09 §9.3)
    PseudoExtension = bare open "PSEUDO_EXTENSION" {
        /// index vector of the source
        src_idx_start_addr: Hex32 = 4 conf Inferred;
        /// index vector of the destination
        dst_idx_start_addr: Hex32 = 8 conf Inferred;
        /// low word of the bytes of the source
        src_bound_size_lo: u32 = 12 conf Inferred;
        /// low word of the bytes of the destination
        dst_bound_size_lo: u32 = 16 conf Inferred;
        /// high word of the bytes of the source
        src_bound_size_hi: u32 = 56 conf Inferred;
        /// high word of the bytes of the destination
        dst_bound_size_hi: u32 = 60 conf Inferred;
    }

    /// Host command by sub-opcode (isa 08 §10)
    PseudoInst = "PSEUDO_INST" {
        /// EXIT_EXECUTION ends the stream
        sub: PseudoSub = 12 shown always;
    }
}
