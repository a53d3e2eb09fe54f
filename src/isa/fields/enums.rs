//! One-byte enumerations of the wire (isa 04 §6, 05 §2, 07 §4, 08; values in `enums.tsv`).

use crate::isa::Bundle;
use crate::isa::field::{Field, FieldKind};

wire_enum! {
    /// Profiling marker of the header (isa 01 §2).
    DebugCmd = "DEBUG_CMD" { NONE = 0, NOTIFY = 1, START = 3, END = 5, START_END = 7, INS_FIELD = 9 }

    /// ALU operation (isa alu_ops.tsv).
    AluOp = "ALU_OP" {
        BYPASS = 0x00, BITWISE_NOT = 0x01, ARITH_SHIFT_LEFT = 0x02, ARITH_SHIFT_RIGHT = 0x03,
        ADD = 0x04, SUBTRACT = 0x05, MULT = 0x06, DIVIDE = 0x07, MAX = 0x08, MIN = 0x09,
        BITWISE_AND = 0x0A, BITWISE_OR = 0x0B, BITWISE_XOR = 0x0C,
        LOGICAL_AND = 0x0D, LOGICAL_OR = 0x0E, LOGICAL_XOR = 0x0F,
        LOGICAL_SHIFT_LEFT = 0x10, LOGICAL_SHIFT_RIGHT = 0x11,
        IS_EQ = 0x12, IS_GT = 0x13, IS_GE = 0x14, IS_LE = 0x15, IS_LT = 0x16,
        ABSOLUTE_DIFF = 0x17, IS_NE = 0x18, ABSOLUTE_VALUE = 0x19,
        POW = 0x1A, MOD = 0x1B, CRC32 = 0x1C, RSQRT = 0x1D,
        ABS_MAX = 0x20, ABS_MIN = 0x21, RE_LU = 0x22, SQUARE = 0x23, SYMMETRIC_CLAMP = 0x24,
        ADD_INT = 0xC4, MULT_INT = 0xC5, SUBTRACT_INT = 0xC6, DIVIDE_INT = 0xC7, MOD_INT = 0xC8,
        IS_EQUAL_INT = 0xC9, IS_NE_INT = 0xCA, ABS_MAX_INT = 0xCB, ABS_MIN_INT = 0xCC,
        ABS_DIFF_INT = 0xCD, ABS_VALUE_INT = 0xCE, MAX_INT = 0xCF, MIN_INT = 0xD0,
        IS_GT_INT = 0xD1, IS_GE_INT = 0xD2, IS_LE_INT = 0xD3, IS_LT_INT = 0xD4,
        MAX_UINT = 0xD5, MIN_UINT = 0xD6, IS_GT_UINT = 0xD7, IS_GE_UINT = 0xD8,
        IS_LE_UINT = 0xD9, IS_LT_UINT = 0xDA, MULT_UINT = 0xDB, DIVIDE_UINT = 0xDC, MOD_UINT = 0xDD,
        AMAX_INT = 0xDE, AMIN_INT = 0xDF, AMAX_UINT = 0xE0, AMIN_UINT = 0xE1,
    }

    /// What an instruction does with its accumulator (isa 04 §6, 14 §3).
    AccumCmd = "ACCUM_CMD" { IDLE = 0, ZERO = 1, ACCUMULATE = 2, ZERO_ACCUMULATE = 3, LOAD_ACCUMULATE = 4 }

    /// Source of a 32-bit immediate (isa 04 §6).
    ImmSrc = "IMM_SRC" { INSTRUCTION = 0, POINTER = 1, REG_PTR = 2 }

    /// Source of ACTIVATE's bias: numbered the other way round (isa 04 §6).
    ImmSrcN = "IMM_SRC_N" { POINTER = 0, INSTRUCTION = 1, REG_PTR = 2 }

    /// Which stage of a two-stage operation swaps its operands.
    ReverseOps = "TENS_SCALAR_REV_OPS" { NONE = 0, FIRST = 1, SECOND = 2, BOTH = 3 }

    /// Innermost free dimensions that a reduction folds; 1 is not a member (isa 07 §4).
    SubDim = "TENSOR_SUBDIM" { UNUSED = 0, X = 2, XY = 3, XYZ = 4, XYZW = 5 }

    /// fp32 handling of the array (isa 05 §2).
    Fp32Mode = "PE_FP32MODE" { NONE = 0, LOW = 1, HIGH = 2, LOW_HIGH = 3 }

    /// Performance mode of the array (isa 05 §2).
    PerfOpt = "PERF_OPT_MODE" { NONE = 0, DOUBLE_ROW = 1, DOUBLE_COLUMN = 2, DOUBLE_PIXEL = 3, DOUBLE_ROW_SW_INTERLEAVE = 4 }

    /// PSUM group flags: bit 0 BEGIN, bit 1 END, bit 2 BEGIN_ACCUM (isa 05 §2).
    PsumFlags = "MATMUL_PSUM_ACCUMULATE_FLAGS" {
        MULTI_MID = 0, MULTI_START = 1, MULTI_END = 2, SINGLE = 3, BEGIN_ACCUM = 4, BEGIN_ACCUM_END = 6,
    }

    /// Bytes per partition cleared when a group begins (isa 05 §2).
    ZeroRegion = "MATMUL_ZERO_REGION" { SIZE2048 = 0, SIZE4096 = 1, SIZE8192 = 2, SIZE16384 = 3 }

    /// Quadrants of the array a tile occupies (isa 05 §4).
    TileGroup = "TILE_GROUP" { NONE = 0, Q0 = 1, Q1 = 2, Q01 = 3, Q2 = 4, Q3 = 8, Q23 = 12, ALL = 15 }

    /// Condition of COMPARE_BRANCH (isa 08 §6.1).
    BranchCmp = "BR_CMP_OP" {
        ALWAYS = 0, LT_IMM = 1, LE_IMM = 2, EQ_IMM = 3, NE_IMM = 4, GE_IMM = 5, GT_IMM = 6,
        LT_REG = 9, LE_REG = 10, EQ_REG = 11, NE_REG = 12, GE_REG = 13, GT_REG = 14,
    }

    /// How COMPARE_BRANCH names its target; codes 0, 2, 5..10 exist unnamed (isa 08 §6.2).
    BranchTarget = open "BR_TARGET_MODE" { REGISTER = 1, RELATIVE_IMMEDIATE = 3, RELATIVE_REGISTER = 4 }

    /// Column that the first weight read goes to (isa 05 §2).
    WeightOrder = "PE_LW_ORDER" bits 1 { LAST_COL_FIRST = 0, FIRST_COL_FIRST = 1 }

    /// Write mode of a matmul result; decisive on v5 only (isa 05 §2).
    AccumulateMode = "ACCUMULATE_MODE" bits 1 { OVERWRITE = 0, ACCUMULATE = 1 }

    /// Performance mode of MX operands on v5 (isa 05 §2).
    MxPerf = "MX_PERF_MODE" {
        NONE = 0, QUAD_ROW = 1, QUAD_ROW_INTERLEAVE = 2, QUAD_ROW_TILED = 3,
        OCT_ROW = 4, OCT_ROW_INTERLEAVE = 5, OCT_ROW_TILED = 6,
    }

    /// Direction of PE_MANAGE_SEED (isa 05 §2).
    SeedMode = "PE_SEED_MODE" { NONE = 0, LOAD_SEED = 1, SAVE_SEED = 2 }

    /// Extremum kept by SPARSITY_COMPRESS: numbered against AluOp on purpose (isa 05 §3.9).
    CompressOp = "COMPRESS_OP" { MIN = 0x08, MAX = 0x09, ABS_MIN = 0x20, ABS_MAX = 0x21 }

    /// What ACTIVATE2 does with the lane accumulator (isa 04 §6).
    ReduceCmd = "REDUCE_CMD" { IDLE = 0, RESET = 1, REDUCE = 2, RESET_REDUCE = 3 }

    /// What MOVE_SHAPE moves (isa 08 §8.5).
    ShapeMove = "MOVE_SHAPE_TYPE" { IMMEDIATE = 0, REG_TO_SHAPE = 1, SHAPE_TO_REG = 2 }

    /// Axis of a gather or scatter on the wire, the reverse of the compiler's ordinal (isa 09 §4, 14 §5).
    WireDim = "INDIRECT_DIM" bits 2 { X = 0, Y = 1, Z = 2, W = 3 }

    /// Which side of DMA_INDIRECT goes through an index vector (isa 09 §4).
    IndirectMode = "DMA_INDIRECT_MODE" bits 2 { SRC = 0, DST = 1, BOTH = 2 }

    /// Bundle that PSEUDO_DMA_DIRECT2D becomes: 0xB8, 0xBB, 0xBD or 0xF1 (isa 09 §9.3).
    DgeKind = "DGE_OP" { DIRECT2D = 0, INDIRECT1D = 1, TRANSPOSE = 2, GATHER_TRANSPOSE = 3 }

    /// Collective of PSEUDO_TRIGGER_COLLECTIVE (isa 14 §8).
    Collective = "COLLECTIVE_TYPE" {
        ALL_REDUCE = 1, REDUCE_SCATTER = 2, ALL_GATHER = 3, ALL_TO_ALL = 4, PERMUTE = 5, PERMUTE_REDUCE = 6,
        PERMUTE_IMPLICIT = 7, PERMUTE_REDUCE_IMPLICIT = 8, ALL_TO_ALL_V = 9,
    }

    /// Source of a register move or of the second ALU operand (isa 08 §7).
    DataSrc = "DATA_SRC" { REGISTER = 0, IMMEDIATE = 1 }

    /// How EVENT_SEMAPHORE_RANGE_CLEAR selects semaphores (isa 08 §8.1).
    ClearMode = "CLEAR_MODE" { RANGE = 1, BITMASK = 2 }

    /// What TEST_EVENT_SEM does (isa 08 §8.4).
    TestMode = "TEST_ES_MODE" { READ_SEM = 0, READ_EVT = 1, UPDATE_SEM = 2, UPDATE_EVT = 3, COND_UPDATE_SEM = 4 }

    /// Arithmetic of a DMA (isa 07 §4).
    DgeOp = "DGE_COMPUTE_OP" { NONE = 0, ADD = 1, MULTIPLY = 2, MAX = 3, MIN = 4 }

    /// Sub-opcode of 0xDF (isa 08 §10).
    PseudoSub = "PSEUDO_INST_SUB" { EXIT_EXECUTION = 1, LIBRARY_RELOAD_INDEX = 2 }

    /// Activation function id; more ids exist in the tables than are published (isa 06 §3).
    ActFunc = open "ACTIVATION_FUNC" {
        identity = 1, relu = 2, leaky_relu = 3, parametric_relu = 4, sigmoid = 5, tanh = 6, exp = 7,
        sqrt = 8, softplus = 9, ln = 10, sin = 19, erf = 21, derivative_erf = 22, gelu = 23, mish = 24,
        gelu_apprx_tanh = 25, gelu_apprx_sigmoid = 26, arctan = 28, reciprocal_sqrt = 29, square = 30,
        sign = 31, derivative_gelu = 32, abs = 33, abs_reciprocal_sqrt = 34, is_finite = 35, silu = 36,
        derivative_silu = 37, derivative_gelu_apprx_sigmoid = 38, copy = 128, reciprocal = 129, memset_zero = 130,
    }

    /// A byte that is a flag (isa 07b, 07c).
    Flag = "FLAG" { OFF = 0, ON = 1 }

    /// Reduction of a pooling window (isa 07 §4).
    PoolFunc = "POOL_TYPE" { NONE = 0, MAX_POOL = 1, AVG_POOL = 2 }

    /// Reduction over lanes (isa 07 §4).
    CrossLaneOp = "REDUCE_OP" { ADD = 0, AVERAGE = 1, MAX = 2, BITWISE_OR = 3, BITWISE_AND = 4, BITWISE_XOR = 5 }

    /// What CROSS_LANE_REDUCE folds: everything, or each element over the lanes (isa 07 §4).
    CrossLaneAxis = "REDUCE_AXIS" { ALL = 0, PARTITIONS = 1 }

    /// How TENSOR_SCALAR_AFFINE_SELECT compares its generated value with 0 (isa 07 §4).
    AffineCmp = "AFFINE_SELECT_CMP" { GREATER_THAN = 0, GREATER_THAN_EQ = 1, EQ = 2, NOT_EQ = 3 }

    /// What GATHER does with an index outside the buffer; numbers (I) (isa 07 §4).
    IndexMiss = "INDEX_MISS_BEHAVIOR" { IMMEDIATE_WRITE = 0, SKIP_WRITE = 1 }

    /// What DROPOUT's threshold means (isa 07 §4).
    DropoutThreshold = "DROPOUT_THRESHOLD_TYPE" { DROP_RATE = 0, KEEP_RATE = 1 }

    /// Order of a D4_MR instruction; other values unknown (isa 07 §4).
    RegSerial = open "REG_SERIAL_MODE" { SERIAL = 0 }

    /// Random number generator; XORWOW from v3 (isa 07 §4).
    RandAlgorithm = "RAND_ALGORITHM" { LFSR = 0, PCG32 = 1, PHILOX = 2, XORWOW = 3 }

    /// What becomes of a random draw; NORMAL is not supported (isa 07 §4).
    RandPost = "RAND_POST_PROC" { RAW_U32 = 0, UNIFORM_IN_RANGE = 1, NORMAL = 2 }

    /// Which generator state is meant (isa 07 §4).
    RandSource = "RAND_SRC" { RNG_LFSR = 0, RNG_XORWOW = 1, RNG_PHILOX = 2, OUTPUT_CVT_LFSR = 3 }

    /// Sub-byte code that TENSOR_DEQUANTIZE widens (isa 07c C8).
    DequantFormat = "DEQUANT_FMT" { INVALID = 0, E2M1TO_E5M2 = 1, INT4TO_E5M2 = 2, NF4TO_E4M3 = 3, E2M3TO_E4M3 = 4 }

    /// Sub-opcode of EXTENDED_INST; 5 is not a member (isa 04 §7).
    ExtendedOp = "EXTENDED_OPCODE" {
        ENGINE_NOP = 0, COPY = 1, TENSOR_TENSOR_ARITH = 2, RAND_SET_STATE = 3, RAND_GET_STATE = 4,
        SBUF_TO_SBUF = 6, CPTC_DECODE = 7, RDMA_DESC_GEN = 8, RDMA_DESC_START = 9,
    }
}

/// Half of an IMM_SRC_PAIR byte (isa 07 §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImmSrc4(pub u8);

impl Field for ImmSrc4 {
    const BITS: u16 = 4;
    const KIND: FieldKind = FieldKind::Enum(&ImmSrc::DESC);
    fn get(bundle: &Bundle, at: u16) -> Self {
        ImmSrc4(bundle.bits(at, 4) as u8)
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put_bits(at, 4, u64::from(self.0));
    }
}
