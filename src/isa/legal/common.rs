//! What every bundle obeys: header, EVENTS, opcode, engine, enumerations, data types, reserved
//! bytes, operands (isa 01, 04 §4).

use super::address::Placement;
use super::slot::Slot;
use super::{Check, Severity, mx};
use crate::isa::access;
use crate::isa::field::{DTypeOf, Field, FieldDesc, FieldKind, ListKind, Role};
use crate::isa::fields::{Addr4, AddrForm, DebugCmd, EventsExt, Mx, UpdateMode, WaitMode};
use crate::isa::{DType, Engine, Engines, Generation, Known, OpRow, Space, text};

/// Checks everything that needs no knowledge of the opcode beyond its row. False when the opcode
/// does not exist, so that nothing more can be said.
pub(super) fn check(c: &mut Check<'_>) -> bool {
    header(c);
    let Some(op) = exists(c) else { return false };
    if !c.format().bare {
        events(c);
    }
    engine(c, op);
    if op.dormant {
        let message = format!("{} is present but not maintained", op.name);
        c.at_byte(Severity::Warn, "dormant", 0, message);
    }
    for field in c.format().fields {
        value(c, field);
        operand(c, field);
    }
    reserved(c, op);
    true
}

/// Byte 1 is 0x10; QUANTIZE_MX may ask for saturation on v4 (isa 01 §2), the micro-code bundle of
/// v5 reserves it (isa 08 §8.6). Byte 2 has named values.
fn header(c: &mut Check<'_>) {
    let [opcode, len, cmd, _] = c.instr.bundle.array(0);
    let saturates = opcode == 0xE3 && c.generation() >= Generation::V4;
    if len == 0x11 && saturates {
        let message = "word_len is 0x11: saturation, which is always on".to_owned();
        c.at_byte(Severity::Info, "header", 1, message);
    } else if len != 0x10 && !(opcode == 0xB6 && len == 0) {
        let message = format!("word_len is {len:#04x}, allowed 0x10 (16 words of 4 bytes)");
        c.at_byte(Severity::Error, "header", 1, message);
    }
    if !DebugCmd(cmd).is_defined() {
        let names: Vec<&str> = DebugCmd::DESC.values.iter().map(|v| v.1).collect();
        let message = format!("debug_cmd is {cmd:#04x}, defined are {}", names.join(", "));
        c.at_byte(Severity::Warn, "debug-cmd", 2, message);
    }
}

/// The row of an opcode that the generation has.
fn exists(c: &mut Check<'_>) -> Option<&'static OpRow> {
    let (g, byte) = (c.generation(), c.instr.bundle.opcode());
    let message = match c.instr.op {
        None => format!("opcode {byte:#04x} is not defined"),
        Some(op) if op.engines == Engines::Nobody => {
            format!("{} ({byte:#04x}) is no legal opcode", op.name)
        }
        Some(op) if !op.gens.has(g) => {
            format!(
                "{} ({byte:#04x}) does not exist on {g}, but on {}",
                op.name, op.gens
            )
        }
        Some(op) => return Some(op),
    };
    c.at_byte(Severity::Error, "bad-opcode", 0, message);
    None
}

/// The engine can take the opcode (isa 04 §4).
fn engine(c: &mut Check<'_>, op: &OpRow) {
    if let (Some(e), Engines::Of(list)) = (c.engine, op.engines)
        && !op.engines.allow(e)
    {
        let names: Vec<String> = list.iter().map(ToString::to_string).collect();
        let message = format!(
            "{} in a stream of {e}, allowed: {}",
            op.name,
            names.join(", ")
        );
        c.at_byte(Severity::Error, "engine", 0, message);
    }
}

/// One wait or update slot of the band.
struct Slot1 {
    byte: usize,
    value: u32,
}

fn events(c: &mut Check<'_>) {
    let e = c.instr.events();
    let slot = |byte| Slot1 {
        byte,
        value: e.value,
    };
    wait(c, e.wait, &slot(4));
    update(c, e.update, &slot(6), !e.wait.uses_value());
    let ext = c
        .format()
        .fields
        .iter()
        .find(|f| f.kind == FieldKind::EventsExt);
    let Some(field) = ext else { return };
    let x = EventsExt::get(&c.instr.bundle, field.at);
    let at = field.byte();
    wait(
        c,
        x.wait,
        &Slot1 {
            byte: at,
            value: x.wait_value,
        },
    );
    update(
        c,
        x.update,
        &Slot1 {
            byte: at + 2,
            value: x.update_value,
        },
        true,
    );
    if e.update != UpdateMode::NONE && x.update != UpdateMode::NONE {
        let message = "an inline and an extended update in one bundle; both are executed, the inline one first";
        c.at_byte(Severity::Warn, "two-updates", 6, message.to_owned());
    }
}

/// The mode is in the enumeration of the generation (isa 01 §3.1).
fn wait(c: &mut Check<'_>, mode: WaitMode, slot: &Slot1) {
    let v5 = c.generation() >= Generation::V5;
    let late = matches!(mode.0, 0x91..=0x95 | 0xFE);
    let message = match mode.name() {
        None => format!("wait mode {:#04x} is not defined", mode.0),
        Some(name) if late && !v5 => format!("wait mode {name} exists on v5 only"),
        Some(name) if mode.on_event() && v5 => format!("wait mode {name} does not exist on v5"),
        Some(_) => {
            if mode.from_register() {
                let number = if late { slot.value & 0xFF } else { slot.value };
                register(c, number.into(), slot.byte);
            }
            return;
        }
    };
    c.at_byte(Severity::Error, "events", slot.byte, message);
}

/// The mode is in the enumeration; a step of INC and DEC is always 1 (isa 01 §3.2).
fn update(c: &mut Check<'_>, mode: UpdateMode, slot: &Slot1, own_value: bool) {
    let v5 = c.generation() >= Generation::V5;
    match mode.name() {
        None => {
            let message = format!("update mode {:#04x} is not defined", mode.0);
            c.at_byte(Severity::Error, "events", slot.byte, message);
        }
        Some(name) if mode.on_event() && v5 => {
            let message = format!("update mode {name} does not exist on v5");
            c.at_byte(Severity::Error, "events", slot.byte, message);
        }
        Some(_) if mode.uses_value() && mode.from_register() => {
            register(c, slot.value.into(), slot.byte);
        }
        Some(name) if matches!(mode.action(), Some(3 | 4)) && own_value && slot.value > 1 => {
            let message = format!("{name} moves by 1, its value field is {}", slot.value);
            c.at_byte(Severity::Warn, "sem-step", slot.byte, message);
        }
        Some(_) => {}
    }
}

/// Registers 0..63; 128 and 129 read the PC (isa 08 §7).
fn register(c: &mut Check<'_>, number: u64, byte: usize) {
    if !matches!(number, 0..=63 | 128 | 129) {
        let message = format!("register {number}, allowed 0..63, and 128, 129 for the PC");
        c.at_byte(Severity::Error, "register", byte, message);
    }
}

/// Values of enumerations, data types and register numbers.
fn value(c: &mut Check<'_>, field: &'static FieldDesc) {
    let raw = field.raw(&c.instr.bundle);
    match field.kind {
        FieldKind::Enum(desc) if !desc.open => {
            let known = u8::try_from(raw).ok().and_then(|v| desc.name_of(v));
            if known.is_none() {
                let message = format!("{raw:#04x} is not in {}", desc.name);
                c.error("enum", field.name, message);
            }
        }
        FieldKind::DType | FieldKind::OutDType | FieldKind::OptDType => {
            let dtype = DType(raw as u8);
            let optional = field.kind != FieldKind::DType || !names_operand(c, field);
            let left_out = raw == 0 && optional;
            if !(dtype.defined_on(c.generation()) || left_out) {
                let message = format!("data type {raw:#04x} is not defined on {}", c.generation());
                c.error("dtype", field.name, message);
            }
        }
        FieldKind::Reg => register(c, raw, field.byte()),
        FieldKind::List(bits, ListKind::Reg) => {
            for i in 0..field.bits / bits.max(1) {
                let at = field.at + bits * i;
                register(c, c.instr.bundle.bits(at, bits), usize::from(at / 8));
            }
        }
        _ => {}
    }
}

/// Is it the data type of an operand?
fn names_operand(c: &Check<'_>, field: &FieldDesc) -> bool {
    c.format().fields.iter().any(|f| {
        f.operand
            .is_some_and(|o| o.dtype == DTypeOf::Field(field.name))
    })
}

/// The descriptor of an operand (isa 02 §4, §5; 03 §4..§6).
fn operand(c: &mut Check<'_>, field: &'static FieldDesc) {
    let g = c.generation();
    let problems = match field.kind {
        FieldKind::Pattern(rank, arm) => {
            let Some(o) = access::operand(c.instr, field) else {
                return;
            };
            // A data type that is reported already has no alignment to miss.
            if !o.dtype.defined_on(g) {
                return;
            }
            let slot = Slot {
                at: field.byte(),
                rank: usize::from(rank),
                arm,
                dtype: o.dtype,
                place: if o.role == Role::Write {
                    Placement::WRITE
                } else {
                    Placement::READ
                },
                matmul: result_of_matmul(c, field),
                lanes: Some(o.lanes.into()),
            };
            marker_bits(c, field);
            pool_psum(c, field);
            slot.problems(&c.instr.bundle, g)
        }
        FieldKind::Mx => {
            let mx = Mx::get(&c.instr.bundle, field.at);
            let dtype = field
                .operand
                .map_or(DType::U32, |o| access::dtype_of(c.instr, &o));
            let lanes = field.operand.map(|o| access::lanes_of(c.instr, &o).into());
            mx::problems(&mx, dtype, lanes, g)
        }
        _ => return,
    };
    for p in problems {
        // Padding of an indirect arm is reported with the other reserved bytes.
        if p.rule == "reserved" {
            continue;
        }
        // Told once, at the count, not at every operand.
        if p.rule == "channels"
            && let Some(name) = field.operand.and_then(|o| o.lanes)
        {
            c.error(p.rule, name, p.message);
            continue;
        }
        let byte = field.byte() + p.offset;
        c.push(super::Violation {
            rule: p.rule,
            severity: Severity::Error,
            field: Some(field.name),
            byte,
            message: format!("{}: {}", field.name, p.message),
        });
    }
}

fn result_of_matmul(c: &Check<'_>, field: &FieldDesc) -> bool {
    let owner = field.operand.and_then(|o| match o.dtype {
        DTypeOf::Field(name) => c.format().field(name),
        DTypeOf::Fixed(_) => None,
    });
    owner.is_some_and(|f| f.kind == FieldKind::OutDType)
}

/// Bits 24..28 of a register form: written by nobody (isa 02 §2).
fn marker_bits(c: &mut Check<'_>, field: &'static FieldDesc) {
    let word = Addr4(c.instr.bundle.u32(field.byte()));
    if matches!(word.form(), AddrForm::Register(_)) && word.marker() & 0x1F != 0 {
        let message = format!(
            "{}: bits 24..28 of {:#010x} are 0 by custom",
            field.name, word.0
        );
        c.at(Severity::Warn, "register-bits", field.name, message);
    }
}

/// GPSIMD cores have no path to PSUM; the pooling path is a doubt (decisions 1.2).
fn pool_psum(c: &mut Check<'_>, field: &'static FieldDesc) {
    if c.engine != Some(Engine::Pool) {
        return;
    }
    let word = Addr4(c.instr.bundle.u32(field.byte()));
    let psum = word
        .location(c.generation())
        .is_some_and(|l| l.space == Space::Psum);
    if psum {
        let severity = match c.instr.bundle.opcode() {
            0x45 | 0x58 => Severity::Warn,
            _ => Severity::Error,
        };
        let message = format!("{} is in PSUM; allowed: SBUF", field.name);
        c.at(severity, "pool-psum", field.name, message);
    }
}

/// Bits that belong to no field are 0 (isa 01 §1, zero rule).
fn reserved(c: &mut Check<'_>, op: &OpRow) {
    let severity = match op.decode {
        Known::Solid => Severity::Error,
        _ => Severity::Warn,
    };
    let left = text::residue(c.instr);
    let in_slot = |at: usize| {
        c.format().fields.iter().any(|f| {
            let slot = matches!(f.kind, FieldKind::Pattern(..) | FieldKind::Mx);
            slot && (f.byte()..f.byte() + f.len()).contains(&at)
        })
    };
    let mut at = 0;
    let mut found = Vec::new();
    while at < left.len() {
        let run = left.iter().skip(at).take_while(|b| **b != 0).count();
        if run > 0 && (!c.format().open || in_slot(at)) {
            let hex: String = left
                .iter()
                .skip(at)
                .take(run)
                .map(|b| format!("{b:02x}"))
                .collect();
            let message = match run {
                1 => format!("byte {at} has reserved bits {hex}, allowed 00"),
                _ => format!(
                    "bytes {at}..{} have reserved bits {hex}, allowed 0",
                    at + run
                ),
            };
            found.push((at, message));
        }
        at += run + 1;
    }
    for (at, message) in found {
        c.at_byte(severity, "reserved", at, message);
    }
}
