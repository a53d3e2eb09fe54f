//! Legality of the ACT family (isa 06 §5).

use crate::isa::field::{DTypeOf, FieldKind};
use crate::isa::fields::{ActFunc, Addr4, AluOp, ImmSrc, ImmSrcN, Location, ReduceCmd};
use crate::isa::generation::QUADRANT;
use crate::isa::legal::Check;
use crate::isa::ops::dtype_class::{DTypeSet, PLAIN64};
use crate::isa::ops::placement::{self, only};
use crate::isa::ops::rules::{
    channels, count_in, dtype_in, one_of, pointer, register, same_count, zero,
};
use crate::isa::{DType, Generation, Space};

/// Types of a bias in memory.
const BIAS: DTypeSet = DTypeSet::of(&[DType::BF16, DType::FP16, DType::FP32]);
/// Sets of the function catalogue (isa 06 §3).
const FUNCTION_SETS: u64 = 21;

/// Is the immediate a pointer (`Some(true)`), a register (`Some(false)`) or inline?
fn in_memory(c: &Check<'_>, field: &str) -> Option<bool> {
    let FieldKind::Imm { src, inverted } = c.format().field(field)?.kind else {
        return None;
    };
    let v = c.value(src) as u8;
    let (points, names) = if inverted {
        (ImmSrcN::POINTER.0, ImmSrcN::REG_PTR.0)
    } else {
        (ImmSrc::POINTER.0, ImmSrc::REG_PTR.0)
    };
    if v == points {
        Some(true)
    } else {
        (v == names).then_some(false)
    }
}

/// `immediate-pointer`, `immediate-register`: an immediate that is not inline.
fn immediate(c: &mut Check<'_>, field: &str, dtype: DTypeOf) {
    let Some(desc) = c.format().field(field) else {
        return;
    };
    match in_memory(c, field) {
        Some(true) => pointer(c, desc, dtype),
        Some(false) => register(c, desc),
        None => {}
    }
}

/// `activation-func`: v2 checks the id against its enumeration.
fn function(c: &mut Check<'_>) {
    let f = ActFunc(c.value("activation_func") as u8);
    if c.generation() == Generation::V2 && !f.is_defined() {
        let message = format!("activation_func is {f}; allowed on v2: the published ids");
        c.error("activation-func", "activation_func", message);
    }
}

/// ACTIVATE.
pub(super) fn activate(c: &mut Check<'_>) {
    channels(c);
    same_count(c, &["src", "dst"]);
    dtype_in(c, "in_dtype", PLAIN64);
    dtype_in(c, "bias_dtype", BIAS);
    function(c);
    immediate(c, "scale_value", DTypeOf::Fixed(DType::FP32.0));
    immediate(c, "imm", DTypeOf::Fixed(DType::FP32.0));
    immediate(c, "bias", DTypeOf::Field("bias_dtype"));
}

/// ACTIVATE_QUANTIZE.
pub(super) fn activate_quantize(c: &mut Check<'_>) {
    channels(c);
    same_count(c, &["src", "dst"]);
    dtype_in(c, "in_dtype", DTypeSet::of(&[DType::FP32, DType::I32]));
    dtype_in(c, "bias_dtype", BIAS);
    dtype_in(c, "out_dtype", DTypeSet::of(&[DType::U8]));
    function(c);
    for scale in ["quant_scale_value", "dequant_scale_value"] {
        if f32::from_bits(c.value(scale) as u32) == 0.0 {
            c.error(
                "quant-scale",
                scale,
                format!("{scale} is 0; allowed: any other number"),
            );
        }
    }
    if ActFunc(c.value("activation_func") as u8) == ActFunc::parametric_relu {
        let message =
            "activation_func is parametric_relu; allowed: functions without alpha".to_owned();
        c.error("quant-func", "activation_func", message);
    }
    let bias = c.format().field("bias_addr");
    let register_form = c.value("bias_addr") as u32 & Addr4::REGISTER != 0;
    if let Some(bias) = bias.filter(|_| !register_form) {
        pointer(c, bias, DTypeOf::Field("bias_dtype"));
    }
}

/// ACTIVATION_TABLE_LOAD.
pub(super) fn table_load(c: &mut Check<'_>) {
    let set = c.value("act_tbl_sel");
    if set >= FUNCTION_SETS {
        let message = format!("act_tbl_sel is {set}; allowed: 0..{}", FUNCTION_SETS - 1);
        c.error("act-set", "act_tbl_sel", message);
    }
}

/// ACTIVATION_READ_ACCUMULATOR.
pub(super) fn read_accumulator(c: &mut Check<'_>) {
    channels(c);
    one_of(c, "element-count", "dst_element_count", &[1]);
    count_in(c, "dst", 1, 1);
    dtype_in(c, "dtype", BIAS.or(DTypeSet::of(&[DType::FP32R])));
    zero(c, &["negated"]);
}

/// Pairs of stages that ACTIVATE2 has.
const STAGES: [(AluOp, AluOp); 6] = [
    (AluOp::MULT, AluOp::ADD),
    (AluOp::MULT, AluOp::SUBTRACT),
    (AluOp::MULT, AluOp::BYPASS),
    (AluOp::ADD, AluOp::BYPASS),
    (AluOp::SUBTRACT, AluOp::BYPASS),
    (AluOp::BYPASS, AluOp::BYPASS),
];

/// ACTIVATE2.
pub(super) fn activate2(c: &mut Check<'_>) {
    channels(c);
    same_count(c, &["src", "dst"]);
    dtype_in(c, "in_dtype", PLAIN64);
    dtype_in(c, "imm_dtype", PLAIN64);
    let stages = (AluOp(c.value("op0") as u8), AluOp(c.value("op1") as u8));
    if !STAGES.contains(&stages) {
        let allowed = STAGES.map(|(a, b)| format!("{a}/{b}")).join(", ");
        let message = format!("op0/op1 is {}/{}; allowed: {allowed}", stages.0, stages.1);
        c.error("act-stages", "op0", message);
    }
    reduction(c);
    for imm in IMMEDIATES {
        immediate(c, imm, DTypeOf::Field("imm_dtype"));
    }
    immediate_quadrants(c);
}

/// `reduce-op`: an operation exactly when something is folded.
fn reduction(c: &mut Check<'_>) {
    let cmd = ReduceCmd(c.value("reduce_cmd") as u8);
    let op = AluOp(c.value("reduce_op") as u8);
    let folds = [
        AluOp::ADD,
        AluOp::MAX,
        AluOp::MIN,
        AluOp::ABS_MAX,
        AluOp::ABS_MIN,
    ];
    let allowed = match cmd {
        ReduceCmd::IDLE if op != AluOp::BYPASS => "BYPASS",
        ReduceCmd::RESET | ReduceCmd::REDUCE | ReduceCmd::RESET_REDUCE if !folds.contains(&op) => {
            "ADD, MAX, MIN, ABS_MAX, ABS_MIN"
        }
        _ => return,
    };
    c.error(
        "reduce-op",
        "reduce_op",
        format!("reduce_op is {op}; allowed with {cmd}: {allowed}"),
    );
}

const IMMEDIATES: [&str; 3] = ["imm0", "imm1", "relu_param"];

/// `act2-quadrant`: pointers lie in the quadrant of an SBUF source, or all in one SBUF quadrant
/// when the source is in PSUM (erratum 3071, isa 06 §5).
fn immediate_quadrants(c: &mut Check<'_>) {
    let Some(src) = placement::location(c, "src") else {
        return;
    };
    let mut home: Option<Location> = (src.space == Space::Sbuf).then_some(src);
    for imm in IMMEDIATES {
        let word = Addr4(c.value(imm) as u32);
        let place = word.location(c.generation());
        let Some(l) = place.filter(|_| in_memory(c, imm) == Some(true)) else {
            continue;
        };
        match home {
            None if l.space == Space::Sbuf => home = Some(l),
            Some(h) if l.space == Space::Sbuf && h.part / QUADRANT == l.part / QUADRANT => {}
            _ => {
                let allowed = home.map_or("one quadrant of SBUF".to_owned(), |h| {
                    format!("SBUF, the quadrant of partition {}", h.part)
                });
                c.error(
                    "act2-quadrant",
                    imm,
                    format!("{imm} points to {l}; allowed: {allowed}"),
                );
            }
        }
    }
}

/// ACTIVATE_MULTIPASS.
pub(super) fn multipass(c: &mut Check<'_>) {
    channels(c);
    for slot in ["src", "prev_pass", "dst"] {
        only(c, slot, Space::Sbuf);
    }
}
