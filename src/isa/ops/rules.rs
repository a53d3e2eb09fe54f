//! Legality checks that rows of several families share; a row names the fields and the sets.
//!
//! Checks of what every bundle obeys (header, reserved bytes, enumerations, descriptors) are not
//! here. A check that meets a value those report keeps silent.

use std::fmt::Display;

use super::alu_class::{self, OpSet};
use super::dtype_class::DTypeSet;
use crate::isa::access::{self, Operand, Shape};
use crate::isa::field::{DTypeOf, FieldDesc, FieldKind};
use crate::isa::fields::{
    Addr4, AddrForm, AluOp, Data4, ImmSrc, Indirect, Location, Pattern, Space,
};
use crate::isa::generation::QUADRANT;
use crate::isa::legal::address::{self, Placement};
use crate::isa::legal::{Check, Severity};
use crate::isa::{DType, Engine, Generation};

/// The value of a field as a listing words it.
pub fn word(c: &Check<'_>, field: &str) -> String {
    let v = c.value(field);
    match c.format().field(field).map(|f| f.kind) {
        Some(FieldKind::Enum(e)) => match e.name_of(v as u8) {
            Some(name) => name.to_owned(),
            None => format!("{v:#04x}"),
        },
        Some(FieldKind::DType | FieldKind::OutDType) => DType(v as u8).to_string(),
        Some(FieldKind::Hex | FieldKind::Imm { .. } | FieldKind::F32) => format!("{v:#010x}"),
        _ => v.to_string(),
    }
}

/// `a, b, c` for messages.
fn list<T: Display>(items: &[T]) -> String {
    items
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Reports `field` with what it holds and what it may hold.
fn wrong(c: &mut Check<'_>, rule: &'static str, field: &str, allowed: &dyn Display) {
    let message = format!("{field} is {}; allowed: {allowed}", word(c, field));
    c.error(rule, field, message);
}

/// The operand in a slot.
pub fn operand(c: &Check<'_>, field: &str) -> Option<Operand> {
    access::operand(c.instr, c.format().field(field)?)
}

/// The static walk of a slot whose counts are in the bundle.
pub fn pattern(c: &Check<'_>, field: &str) -> Option<Pattern> {
    match operand(c, field)?.shape {
        Shape::Static(p) if !shape_register(c, p.addr) => Some(p),
        _ => None,
    }
}

/// The indirect arm of a slot.
pub fn indirect(c: &Check<'_>, field: &str) -> Option<Indirect> {
    match operand(c, field)?.shape {
        Shape::Indirect(i) => Some(i),
        Shape::Static(_) => None,
    }
}

/// Are the counts of the walk in a register? v2 has no such form (isa 02 §1).
fn shape_register(c: &Check<'_>, addr: Addr4) -> bool {
    c.generation() != Generation::V2 && addr.shape_register()
}

/// Elements per partition that a slot or generator walks; `None` when a register says so.
pub fn count(c: &Check<'_>, field: &str) -> Option<u64> {
    let desc = c.format().field(field)?;
    if desc.kind == FieldKind::Data4 {
        let data = <Data4 as crate::isa::field::Field>::get(&c.instr.bundle, desc.at);
        return Some(data.dims.iter().map(|d| u64::from(d.num)).product());
    }
    match operand(c, field)?.shape {
        Shape::Static(p) if shape_register(c, p.addr) => None,
        Shape::Static(p) => Some(p.count()),
        Shape::Indirect(i) => Some(u64::from(i.num)),
    }
}

/// Where the data of a slot starts; `None` when a register says so.
pub fn location(c: &Check<'_>, field: &str) -> Option<Location> {
    match operand(c, field)?.shape {
        Shape::Static(p) => p.addr.location(c.generation()),
        Shape::Indirect(i) => i.data.location(c.generation()),
    }
}

/// The engine the bundle runs on: the stream's, else the home engine.
pub fn engine(c: &Check<'_>) -> Engine {
    c.engine.unwrap_or_else(|| c.instr.home())
}

/// `channels`: 1..=128 partitions (isa 02 §5).
pub fn channels(c: &mut Check<'_>) {
    if !(1..=128).contains(&c.value("num_active_channels")) {
        wrong(c, "channels", "num_active_channels", &"1..128");
    }
}

/// `channels`: whole groups of 32 partitions (isa 07b B1).
pub fn channel_groups(c: &mut Check<'_>) {
    channels_in(c, &[32, 64, 96, 128]);
}

/// `channels`: one of these numbers of partitions.
pub fn channels_in(c: &mut Check<'_>, allowed: &[u64]) {
    if !allowed.contains(&c.value("num_active_channels")) {
        wrong(c, "channels", "num_active_channels", &list(allowed));
    }
}

/// `alu-op`: the operation belongs to the class that the opcode takes (isa 07 §5).
pub fn op_in(c: &mut Check<'_>, field: &str, allowed: OpSet) {
    let op = AluOp(c.value(field) as u8);
    if op.is_defined() && !allowed.has(op) {
        let g = c.generation();
        wrong(c, "alu-op", field, &format_args!("{allowed} on {g}"));
    }
}

/// `dtype`: the data type belongs to the class that the operand takes (isa 07 §5).
pub fn dtype_in(c: &mut Check<'_>, field: &str, allowed: DTypeSet) {
    let t = DType(c.value(field) as u8);
    if t.defined_on(c.generation()) && !allowed.has(t) {
        wrong(c, "dtype", field, &allowed);
    }
}

/// `dtype-equal`: no conversion, both types are the same.
pub fn same_dtype(c: &mut Check<'_>, a: &str, b: &str) {
    if c.value(a) != c.value(b) {
        let allowed = format!("{}, the {a}", word(c, a));
        wrong(c, "dtype-equal", b, &allowed);
    }
}

/// `dtype-equal`: bit-vectors of one width; signs may differ.
pub fn same_width(c: &mut Check<'_>, a: &str, b: &str) {
    let width = |f: &str| DType(c.value(f) as u8).bytes();
    let (wa, wb) = (width(a), width(b));
    if wa != 0 && wb != 0 && wa != wb {
        let allowed = format!("a type of {wa} bytes like {a} ({})", word(c, a));
        wrong(c, "dtype-equal", b, &allowed);
    }
}

/// `rule`: the field holds one of these codes.
pub fn one_of(c: &mut Check<'_>, rule: &'static str, field: &str, allowed: &[u8]) {
    let v = c.value(field);
    let kind = c.format().field(field).map(|f| f.kind);
    let undefined = match kind {
        Some(FieldKind::Enum(e)) => !e.open && e.name_of(v as u8).is_none(),
        _ => false,
    };
    if undefined || allowed.iter().any(|a| u64::from(*a) == v) {
        return;
    }
    let names: Vec<String> = allowed
        .iter()
        .map(|a| match kind {
            Some(FieldKind::Enum(e)) => e.name_of(*a).map_or_else(|| a.to_string(), str::to_owned),
            Some(FieldKind::DType) => DType(*a).to_string(),
            _ => a.to_string(),
        })
        .collect();
    wrong(c, rule, field, &list(&names));
}

/// `fixed-value`: fields that the opcode does not use hold 0.
pub fn zero(c: &mut Check<'_>, fields: &[&str]) {
    for field in fields {
        if c.value(field) != 0 {
            wrong(c, "fixed-value", field, &"0");
        }
    }
}

/// `fixed-value`: the field holds exactly these bits.
pub fn fixed(c: &mut Check<'_>, field: &str, bits: u32) {
    if c.value(field) != u64::from(bits) {
        wrong(c, "fixed-value", field, &format_args!("{bits:#010x}"));
    }
}

/// `element-count`: all slots walk the same number of elements.
pub fn same_count(c: &mut Check<'_>, fields: &[&str]) {
    let mut first: Option<(&str, u64)> = None;
    for field in fields {
        let Some(n) = count(c, field) else { continue };
        match first {
            None => first = Some((field, n)),
            Some((name, m)) if m != n => {
                let message = format!("{field} has {n} elements, {name} has {m}: they must agree");
                c.error("element-count", field, message);
            }
            Some(_) => {}
        }
    }
}

/// `element-count`: a slot walks between `min` and `max` elements.
pub fn count_in(c: &mut Check<'_>, field: &str, min: u64, max: u64) {
    if let Some(n) = count(c, field).filter(|n| !(min..=max).contains(n)) {
        let allowed = if min == max {
            min.to_string()
        } else {
            format!("{min}..{max}")
        };
        let message = format!("{field} has {n} elements; allowed: {allowed}");
        c.error("element-count", field, message);
    }
}

/// `element-count`: a slot walks a multiple of `unit` elements.
pub fn count_multiple(c: &mut Check<'_>, field: &str, unit: u64) {
    if let Some(n) = count(c, field).filter(|n| n % unit != 0) {
        let message = format!("{field} has {n} elements; allowed: multiples of {unit}");
        c.error("element-count", field, message);
    }
}

/// `element-count`: the count field of a D4 or D1 record tells the elements of the destination.
pub fn count_field(c: &mut Check<'_>) {
    let said = c.value("dst_element_count");
    if let Some(n) = count(c, "dst").filter(|n| *n != said) {
        let message = format!("dst_element_count is {said}; allowed: {n}, the elements of dst");
        c.error("element-count", "dst_element_count", message);
    }
}

/// `two-sources`: one source in PSUM and one in SBUF, or both in one SBUF quadrant
/// (isa 02 §5 `tt_valid_partitions`).
pub fn two_sources(c: &mut Check<'_>) {
    one_psum_source(c);
    let (Some(a), Some(b)) = (location(c, "src0"), location(c, "src1")) else {
        return;
    };
    if a.space == Space::Sbuf && b.space == Space::Sbuf && a.part / QUADRANT != b.part / QUADRANT {
        let message = format!(
            "sources start at partitions {} and {}; allowed: the same quadrant of 32",
            a.part, b.part
        );
        c.error("two-sources", "src1", message);
    }
}

/// `two-sources`: not both sources in PSUM.
pub fn one_psum_source(c: &mut Check<'_>) {
    let psum = |f| location(c, f).is_some_and(|l| l.space == Space::Psum);
    if psum("src0") && psum("src1") {
        let message = "src0 and src1 are both in PSUM; allowed: at most one".to_owned();
        c.error("two-sources", "src1", message);
    }
}

/// `sbuf-only`: the engine of this opcode has no path to PSUM. In a stream of POOL every bundle is
/// checked for that (`pool-psum`).
pub fn sbuf_only(c: &mut Check<'_>) {
    if c.engine == Some(Engine::Pool) {
        return;
    }
    for f in c.format().fields {
        if location(c, f.name).is_some_and(|l| l.space == Space::Psum) {
            let message = format!("{} is in PSUM; allowed: SBUF", f.name);
            c.error("sbuf-only", f.name, message);
        }
    }
}

/// `alu-engine`: the integer band and POW exist on POOL only (isa 07 §2).
pub fn needs_pool(c: &mut Check<'_>) {
    if engine(c) != Engine::Pool && alu_class::needs_pool(c.instr) {
        let e = engine(c);
        let message = format!("{} runs on POOL; the stream is {e}'s", word(c, "op"));
        c.error("alu-engine", "op", message);
    }
}

/// `alu-engine`: CRC32 exists on POOL only (isa alu_ops.tsv).
pub fn crc_on_pool(c: &mut Check<'_>) {
    let e = engine(c);
    for field in ["op", "op0", "op1"] {
        let there = c.instr.value(field) == Some(u64::from(AluOp::CRC32.0));
        if there && e != Engine::Pool {
            let message = format!("CRC32 runs on POOL; the stream is {e}'s");
            c.error("alu-engine", field, message);
        }
    }
}

/// `bypass-order`: the second operation needs a first one (isa 07 §5).
pub fn bypass_order(c: &mut Check<'_>) {
    let bypass = |f| c.value(f) == u64::from(AluOp::BYPASS.0);
    if bypass("op0") && !bypass("op1") {
        wrong(c, "bypass-order", "op1", &"BYPASS when op0 is BYPASS");
    }
}

/// `shift-dtype`: an arithmetic right shift, or a left shift followed by a right shift, needs a
/// 4-byte type (isa 07 §5).
pub fn shifts(c: &mut Check<'_>, dtype: &str) {
    if DType(c.value(dtype) as u8).bytes() == 4 {
        return;
    }
    let op = |f: &str| c.instr.value(f).map(|v| AluOp(v as u8));
    let ops = [op("op"), op("op0"), op("op1")];
    let arith = ops.contains(&Some(AluOp::ARITH_SHIFT_RIGHT));
    let (first, second) = (ops[1], ops[2]);
    let both = first.is_some_and(|o| alu_class::LEFT_SHIFTS.has(o))
        && second.is_some_and(|o| alu_class::RIGHT_SHIFTS.has(o));
    if arith || both {
        let why = if arith {
            "an arithmetic right shift"
        } else {
            "a left shift followed by a right shift"
        };
        wrong(
            c,
            "shift-dtype",
            dtype,
            &format_args!("a 4-byte type for {why}"),
        );
    }
}

/// `int-sign`: an integer operation takes types of one sign, its own (isa 07 §5).
pub fn int_signs(c: &mut Check<'_>, op: &str, dtypes: &[&str], signed: DTypeSet) {
    let o = AluOp(c.value(op) as u8);
    let is_signed = |c: &Check<'_>, f: &str| signed.has(DType(c.value(f) as u8));
    let Some(first) = dtypes.first() else { return };
    let s = is_signed(c, first);
    for f in dtypes {
        if is_signed(c, f) != s {
            let sign = if s { "a signed" } else { "an unsigned" };
            wrong(c, "int-sign", f, &format_args!("{sign} type like {first}"));
            return;
        }
    }
    let (class, sign) = if s {
        (alu_class::SIGNED, "signed")
    } else {
        (alu_class::UNSIGNED, "unsigned")
    };
    if !class.has(o) {
        wrong(
            c,
            "int-sign",
            op,
            &format_args!("operations on {sign} integers"),
        );
    }
}

/// `immediate-pointer`, `immediate-register`: immediates that are not inline name a scalar per
/// lane, of this type, or a register that does (isa 07a A2).
pub fn immediates(c: &mut Check<'_>, dtype: DTypeOf) {
    for f in c.format().fields {
        let FieldKind::Imm { src, .. } = f.kind else {
            continue;
        };
        match ImmSrc(c.value(src) as u8) {
            ImmSrc::POINTER => pointer(c, f, dtype),
            ImmSrc::REG_PTR => register(c, f),
            _ => {}
        }
    }
}

/// `immediate-register`: a register number and nothing else.
pub fn register(c: &mut Check<'_>, f: &'static FieldDesc) {
    let v = f.raw(&c.instr.bundle);
    if v > 63 {
        let message = format!("{} names register {v:#x}; allowed: 0..63", f.name);
        c.error("immediate-register", f.name, message);
    }
}

/// `immediate-pointer`: a backed, aligned address whose partitions fit the lanes (isa 02 §4, §5).
pub fn pointer(c: &mut Check<'_>, f: &'static FieldDesc, dtype: DTypeOf) {
    let g = c.generation();
    let word = Addr4(f.raw(&c.instr.bundle) as u32);
    let t = match dtype {
        DTypeOf::Fixed(code) => DType(code),
        DTypeOf::Field(name) => DType(c.value(name) as u8),
    };
    let lanes = c.value("num_active_channels").clamp(1, 128);
    let problem = match word.form() {
        AddrForm::Immediate(a29) if !word.shape_register() => {
            match address::resolved_address(a29, t, Placement::READ, g) {
                Ok(l) => address::lanes(l, lanes, g).err().map(|e| e.to_string()),
                Err(e) => Some(e.to_string()),
            }
        }
        _ => Some(format!("{:#010x} is no plain address", word.0)),
    };
    if let Some(problem) = problem {
        let message = format!("{} points to a {t} per lane: {problem}", f.name);
        c.error("immediate-pointer", f.name, message);
    }
}

/// `immediate-width`: an inline bit-vector fits the type (isa 07a A2).
pub fn immediate_width(c: &mut Check<'_>, imms: &[&str], dtype: &str) {
    let bytes = DType(c.value(dtype) as u8).bytes();
    if !(1..4).contains(&bytes) {
        return;
    }
    for name in imms {
        let Some(FieldKind::Imm { src, .. }) = c.format().field(name).map(|f| f.kind) else {
            continue;
        };
        let inline = ImmSrc(c.value(src) as u8) == ImmSrc::INSTRUCTION;
        if inline && c.value(name) >> (8 * bytes) != 0 {
            let allowed = format!("{bytes} bytes, the width of {}", word(c, dtype));
            wrong(c, "immediate-width", name, &allowed);
        }
    }
}

/// The bf16 opcodes of v2: no other type; the operation byte repeats the opcode or is unused (I).
pub fn bf16_op(c: &mut Check<'_>, fixed_op: AluOp) {
    one_of(c, "fixed-value", "op", &[AluOp::BYPASS.0, fixed_op.0]);
    for f in ["in0_dtype", "in1_dtype", "in_dtype", "out_dtype"] {
        if c.format().field(f).is_some() {
            one_of(c, "dtype", f, &[DType::BF16.0]);
        }
    }
}

/// `not-wired`: the opcode table has the byte, the engine of older generations does not decode it.
pub fn wired_from(c: &mut Check<'_>, first: Generation) {
    let g = c.generation();
    if g < first {
        let name = c.instr.name();
        let message = format!("{name} on {g}; allowed: {first} and later");
        c.at_byte(Severity::Error, "not-wired", 0, message);
    }
}
