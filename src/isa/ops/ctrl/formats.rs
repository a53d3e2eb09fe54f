//! Layouts of the control band (isa 08 §4..§8).

use crate::isa::DType;
use crate::isa::fields::{
    Addr8, AluOp, BranchCmp, BranchTarget, ClearMode, DataSrc, EventsExt, Hex64, List, OptDType,
    Raw, Reg, Regs, Sem, Sems, ShapeMove, TestMode, UpdateMode,
};

formats! {
    /// Two waits and an update with its own operand (isa 08 §4)
    CtrlEs = "CTRL_ES" {
        /// trace id of the setter, 0 from compilers
        setter_signature: u8 = 12;
        /// second wait, and the update with its own operand
        ext: EventsExt = 32;
    }

    /// Wait and update only (isa 08 §5)
    CtrlNoNop = "CTRL_NO" {}

    /// Stop; the rest of the body is not published (isa 08 §5)
    CtrlNoHalt = open "CTRL_NO" {}

    /// Stop, v2: the runtime writes a notify byte (isa 08 §5)
    CtrlNoHaltV2 = open "CTRL_NO" {
        /// notification requested by the runtime
        notify: u8 = 39 conf Strong;
    }

    /// Wait for outstanding work (isa 08 §5)
    CtrlNoDrain = "CTRL_NO" {
        /// compile-time constant; fences use 1
        count: u8 = 40;
    }

    /// Discard prefetched instructions; body not published (isa 08 §5)
    CtrlNoFlush = open "CTRL_NO" {}

    /// Notification record; payload not published (isa 08 §5)
    CtrlNoNotify = open "CTRL_NO" {}

    /// Compare and branch (isa 08 §6)
    CtrlBr = "CTRL_BR" {
        /// comparison of the first register with the right-hand side
        cmp_op: BranchCmp = 12 shown always;
        /// type both sides are compared as; 0 when unconditional
        cmp_dtype: OptDType = 13;
        /// how the target is given
        target_mode: BranchTarget = 14 shown always;
        /// right-hand side of the _IMM comparisons
        cmp_immediate: i32 = 16;
        /// register on the left-hand side
        cmp_reg0: Reg = 32;
        /// register on the right-hand side of the _REG comparisons
        cmp_reg1: Reg = 33;
        /// low word of the target in the register modes
        target_reg_lo: Reg = 34;
        /// high word of the target in the register modes
        target_reg_hi: Reg = 35;
        /// target: bundle index, or byte displacement of 32 bits in device form
        br_immediate: u64 = 48;
    }

    /// Copy words into registers (isa 08 §7.1)
    CtrlMv = "CTRL_MV" {
        /// words moved, 1..8
        num_mov: u8 = 12 shown always;
        /// INT32, UINT32 or FP32; the words are copied as they are
        dtype: DType = 13 shown always;
        /// registers or immediates
        move_source: DataSrc = 14 shown always;
        /// source registers; 128 and 129 read the PC
        src_registers: Regs<8> = 16;
        /// destination registers, all different
        dst_registers: Regs<8> = 24 shown always;
        /// immediate words
        immediate: List<u32, 8> = 32;
    }

    /// Scalar arithmetic on registers (isa 08 §7.2)
    CtrlAl = "CTRL_AL" {
        /// operation
        op: AluOp = 12 shown always;
        /// type of the operands
        dtype: DType = 13 shown always;
        /// where the second operand comes from
        src1_datasrc: DataSrc = 14 shown always;
        /// type of the result; 0 means as the operands
        dst_dtype: OptDType = 15 conf Inferred;
        /// first operand
        src0_lo: Reg = 16 shown always;
        /// high word of the first operand, 64-bit types only
        src0_hi: Reg = 17;
        /// second operand
        src1_lo: Reg = 18;
        /// high word of the second operand, 64-bit types only
        src1_hi: Reg = 19;
        /// result
        dst_lo: Reg = 20 shown always;
        /// high word of the result, 64-bit types only
        dst_hi: Reg = 21;
        /// second operand when immediate; the low 32 bits for 32-bit types
        immediate: u64 = 24;
    }

    /// Load memory words into registers (isa 08 §7.3)
    Mem2dLoad = "MEM_2D" {
        /// type of the elements
        dtype: DType = 12 shown always;
        /// must be REGISTER
        src_datasrc: DataSrc = 13;
        /// elements of the inner and the outer dimension, product at most 32
        num_elem: List<u8, 2> = 14 shown always;
        /// first element
        start_addr: Addr8 = 16 shown always;
        /// steps in elements
        step_elem: List<i32, 2> = 24 shown always;
        /// destination registers in element order
        data: Regs<32> = 32 shown always;
    }

    /// Store registers to memory (isa 08 §7.3)
    Mem2dStore = "MEM_2D" {
        /// type of the elements
        dtype: DType = 12 shown always;
        /// REGISTER here; IMMEDIATE has packed values in `data`
        src_datasrc: DataSrc = 13;
        /// elements of the inner and the outer dimension, product at most 32
        num_elem: List<u8, 2> = 14 shown always;
        /// first element
        start_addr: Addr8 = 16 shown always;
        /// steps in elements
        step_elem: List<i32, 2> = 24 shown always;
        /// source registers in element order
        data: Regs<32> = 32 shown always;
    }

    /// Store immediates to memory (isa 08 §7.3)
    Mem2dStoreImm = "MEM_2D" {
        /// type of the elements
        dtype: DType = 12 shown always;
        /// IMMEDIATE here; REGISTER has register numbers in `data`
        src_datasrc: DataSrc = 13;
        /// elements of the inner and the outer dimension, product at most 32
        num_elem: List<u8, 2> = 14 shown always;
        /// first element
        start_addr: Addr8 = 16 shown always;
        /// steps in elements
        step_elem: List<i32, 2> = 24 shown always;
        /// packed little-endian values in element order
        data: Raw<32> = 32 shown always;
    }

    /// Zero semaphores (isa 08 §8.1)
    CtrlEr = "CTRL_ER" {
        /// range or bit mask
        clear_mode: ClearMode = 12 shown always;
        /// first semaphore of the range
        range_first: Sem = 13;
        /// last semaphore of the range, included
        range_last: Sem = 14;
        /// bit mask: semaphore n is bit n & 31 of word n >> 5
        bitmask: List<u32, 8> = 32;
    }

    /// Memory ordering of the engine (isa 08 §8.2)
    CtrlOm = "CTRL_OM" {
        /// 1 strong, anything else relaxed
        mode: u8 = 12 shown always;
    }

    /// Write a shape register from immediates (isa 08 §8.5)
    CtrlMsImm = "CTRL_MS" {
        /// IMMEDIATE here; the other moves have no published body
        move_type: ShapeMove = 12 shown always;
        /// shapes moved; the compiler writes 1
        num_move: u8 = 13 shown always;
        /// 1 from the compiler
        shape_reg_type: u8 = 14;
        /// shape registers, 0..3
        shape_registers: List<u8, 4> = 16 shown always;
        /// steps of the first shape
        step_elem: List<i32, 4> = 32 shown always;
        /// counts of the first shape
        num_elem: List<u16, 4> = 48 shown always;
        /// where a second shape would begin
        more: Raw<8> = 56 conf Unknown;
    }

    /// Move between shape registers and registers (isa 08 §8.5)
    CtrlMs = "CTRL_MS" {
        /// direction
        move_type: ShapeMove = 12 shown always;
        /// shapes moved
        num_move: u8 = 13 shown always;
        /// kind of shape register
        shape_reg_type: u8 = 14;
        /// shape registers, 0..3
        shape_registers: List<u8, 4> = 16 shown always;
        /// holds register numbers at unknown places
        data: Raw<32> = 32 conf Unknown;
    }

    /// Fold memory words and write the result back (isa 08 §8.3)
    CtrlPollSem = "CTRL_POLL_SEM" {
        /// words read, at most 16
        n_read: u8 = 12 shown always;
        /// register of the result
        result: Reg = 13 shown always;
        /// fold
        op: AluOp = 14 shown always;
        /// address of the first word
        addr: Hex64 = 16 shown always;
        /// where n_read copies of a non-zero result go
        res_writeback_addr: Hex64 = 24 shown always;
    }

    /// Read or update up to 16 semaphores or events (isa 08 §8.4)
    CtrlTestEs = "CTRL_TEST_ES" {
        /// what is done
        mode: TestMode = 12 shown always;
        /// update applied; register-valued only
        update_type: UpdateMode = 13;
        /// rounds of the conditional update
        repeat_count: u8 = 14 conf Inferred;
        /// entries used, 1..16
        num_evt_sem: u8 = 15 shown always;
        /// semaphores or events, all different
        evt_sem_ids: Sems<16> = 16 shown always;
        /// register of each entry
        value_registers: Regs<16> = 32 shown always;
        /// least value for a conditional update
        threshold: u32 = 48;
        /// trace id of the setter
        setter_signature: u8 = 52;
    }

    /// Fifteen micro-operations instead of a body (v5, isa 08 §8.6)
    CtrlCci = bare "CTRL_CCI" {
        /// micro-operations {op, three operand bytes}
        micro_ops: List<u32, 15> = 4 shown always;
    }
}
