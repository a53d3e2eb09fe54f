//! Layouts of the ACT family (isa 06 §2).

use crate::isa::DType;
use crate::isa::fields::{
    AccumCmd, ActFunc, Addr4, AluOp, DType4, Imm32, ImmSrc, ImmSrcN, Mem, ReduceCmd, ReverseOps,
    Tensor,
};

formats! {
    /// func(scale * x + bias) with an optional sum per lane (isa 06 §2.1)
    S3d3Ac = "S3D3_AC" {
        /// source of imm
        imm_src: ImmSrc = 12;
        /// source of scale_value
        scale_src: ImmSrc = 13;
        /// accumulator command; the compiler's idle is ZERO_ACCUMULATE
        accumulator_cmd: AccumCmd = 14 shown always;
        /// source of bias, numbered the other way round
        bias_src_n: ImmSrcN = 15 shown always;
        /// input in PSUM or SBUF
        src: Tensor<3> = 16 reads in_dtype lanes num_active_channels;
        /// dtype of the input
        in_dtype: DType4 = 32 shown always;
        /// dtype of a bias in memory: BF16, FP16 or FP32
        bias_dtype: DType4 = 32 bit 4 shown always;
        /// dtype of the output
        out_dtype: DType = 33 shown always;
        /// lanes, 1..128
        num_active_channels: u8 = 34 shown always;
        /// function
        activation_func: ActFunc = 35 shown always;
        /// factor of the input
        scale_value: Imm32 = 36 src scale_src shown always;
        /// summand
        bias: Imm32 = 40 src_n bias_src_n shown always;
        /// alpha of parametric_relu, seed of LOAD_ACCUMULATE
        imm: Imm32 = 44 src imm_src;
        /// output in PSUM or SBUF
        dst: Tensor<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Activation with integer scaling at both ends (isa 06 §2.2)
    S3d3Aq = "S3D3_AQ" {
        /// factor of the result
        quant_scale_value: f32 = 12 shown always;
        /// input in PSUM or SBUF
        src: Tensor<3> = 16 reads in_dtype lanes num_active_channels;
        /// dtype of the input: FP32 or INT32
        in_dtype: DType4 = 32 shown always;
        /// dtype of the bias: BF16, FP16 or FP32
        bias_dtype: DType4 = 32 bit 4 shown always;
        /// dtype of the output: UINT8
        out_dtype: DType = 33 shown always;
        /// lanes, 1..128
        num_active_channels: u8 = 34 shown always;
        /// function
        activation_func: ActFunc = 35 shown always;
        /// factor of the input
        dequant_scale_value: f32 = 36 shown always;
        /// pointer to the bias of each lane
        bias_addr: Addr4 = 40 shown always;
        /// zero point added to the result
        quant_zero_value: f32 = 44 shown always;
        /// output
        dst: Tensor<3> = 48 writes out_dtype lanes num_active_channels;
    }

    /// Selection of the resident function set (isa 06 §2.3)
    CtrlNoTable = "CTRL_NO" {
        /// index of the function set
        act_tbl_sel: u8 = 35 shown always;
    }

    /// Two ALU stages, a function and a fold (v4, isa 06 §2.5)
    S2d2Ac = "S2D2_AC" {
        /// input in PSUM or SBUF
        src: Mem<2> = 12 reads in_dtype lanes num_active_channels;
        /// source of relu_param
        relu_param_src: ImmSrc = 24;
        /// source of imm0
        imm0_src: ImmSrc = 25;
        /// what happens to the lane accumulator
        reduce_cmd: ReduceCmd = 26 shown always;
        /// source of imm1
        imm1_src: ImmSrc = 27;
        /// dtype of the three immediates
        imm_dtype: DType = 28 shown always;
        /// first stage, with imm0
        op0: AluOp = 29 shown always;
        /// second stage, with imm1
        op1: AluOp = 30 shown always;
        /// fold into the lane accumulator
        reduce_op: AluOp = 31;
        /// dtype of the input
        in_dtype: DType = 32 shown always;
        /// dtype of the output
        out_dtype: DType = 33 shown always;
        /// lanes, 1..128
        num_active_channels: u8 = 34 shown always;
        /// function
        activation_func: ActFunc = 35 shown always;
        /// operand of the first stage
        imm0: Imm32 = 36 src imm0_src shown always;
        /// operand of the second stage
        imm1: Imm32 = 40 src imm1_src shown always;
        /// alpha of parametric_relu
        relu_param: Imm32 = 44 src relu_param_src;
        /// output in PSUM or SBUF
        dst: Mem<2> = 48 writes out_dtype lanes num_active_channels;
        /// which stages swap their operands
        reverse_operands: ReverseOps = 60;
    }

    /// Activation that continues a previous pass (v5, isa 06 §2.6)
    S1s2d2Am = "S1S2D2_AM" {
        /// input in SBUF
        src: Mem<2> = 12 reads in_dtype lanes num_active_channels;
        /// source of imm0
        imm0_src: ImmSrc = 24;
        /// what happens to the accumulator
        reduce_cmd: ReduceCmd = 25 shown always;
        /// source of imm1
        imm1_src: ImmSrc = 26 conf Inferred;
        /// dtype of the immediates
        imm_dtype: DType = 27 shown always;
        /// first stage, with imm0
        op0: AluOp = 28 shown always;
        /// second stage, with imm1
        op1: AluOp = 29 shown always;
        /// fold
        reduce_op: AluOp = 30;
        /// dtype of the input
        in_dtype: DType = 31 shown always;
        /// dtype of the output and of the previous pass
        out_dtype: DType = 32 shown always;
        /// lanes, 1..128
        num_active_channels: u8 = 33 shown always;
        /// function
        activation_func: ActFunc = 34 shown always;
        /// which stages swap their operands
        reverse_operands: ReverseOps = 35;
        /// operand of the first stage
        imm0: Imm32 = 36 src imm0_src shown always;
        /// result of the previous pass in SBUF
        prev_pass: Tensor<1> = 40 reads out_dtype lanes num_active_channels;
        /// output in SBUF
        dst: Mem<2> = 48 writes out_dtype lanes num_active_channels;
        /// operand of the second stage
        imm1: Imm32 = 60 src imm1_src shown always;
    }
}
