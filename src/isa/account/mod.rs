//! Everything an instruction reads and writes, told from its bytes: tensors, scalars, semaphores,
//! events, registers. What only a register can tell stays open.

mod text;

use crate::isa::access::{self, Operand};
use crate::isa::field::{Field, FieldDesc, FieldKind, ListKind, Role};
use crate::isa::fields::{Addr4, Addr8, AddrForm, EventsExt, Mx, MxForm, UpdateMode, WaitMode};
use crate::isa::text::value::ImmForm;
use crate::isa::{DType, Instr};

pub use text::{Extent, extent, place};

/// Something an instruction touches.
#[derive(Clone, Copy, Debug)]
pub enum Thing {
    /// A tensor operand.
    Tensor(Operand),
    /// An MX operand: data and scales.
    Mx {
        /// The slot.
        field: &'static FieldDesc,
        /// Its data type.
        dtype: DType,
        /// Partitions.
        lanes: u16,
        /// The arm.
        form: MxForm,
    },
    /// One scalar per lane at an on-chip address.
    Scalars(&'static FieldDesc, Addr4),
    /// A 64-bit address.
    Far(&'static FieldDesc, Addr8),
    /// A semaphore.
    Semaphore(u8),
    /// An event.
    Event(u8),
    /// A register of the issuing engine.
    Register(u8),
}

/// A read or a write.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Read or write.
    pub role: Role,
    /// Of what.
    pub thing: Thing,
}

const TENSOR_LOAD: u8 = 0xAA;
const TENSOR_STORE: u8 = 0xAB;
const RANGE_CLEAR: u8 = 0xB0;
const TEST_EVENT_SEM: u8 = 0xB4;

/// All accesses: waits, reads, writes, updates.
pub fn accesses(instr: &Instr) -> Vec<Access> {
    let mut out = Vec::new();
    let e = instr.events();
    wait(&mut out, e.wait, e.wait_idx, e.value);
    let ext = instr
        .format
        .fields
        .iter()
        .find(|f| f.kind == FieldKind::EventsExt)
        .map(|f| EventsExt::get(&instr.bundle, f.at));
    if let Some(x) = ext {
        wait(&mut out, x.wait, x.wait_idx, x.wait_value);
    }
    for field in instr.format.fields {
        body(&mut out, instr, field);
    }
    if instr.bundle.opcode() == RANGE_CLEAR {
        range_clear(&mut out, instr);
    }
    update(&mut out, e.update, e.update_idx, e.value);
    if let Some(x) = ext {
        update(&mut out, x.update, x.update_idx, x.update_value);
    }
    // Stable: reads first, writes behind, each in order of position.
    out.sort_by_key(|a| a.role == Role::Write);
    out
}

fn push(out: &mut Vec<Access>, role: Role, thing: Thing) {
    out.push(Access { role, thing });
}

fn wait(out: &mut Vec<Access>, mode: WaitMode, idx: u8, value: u32) {
    if mode.comparator().is_some() {
        push(out, Role::Read, Thing::Semaphore(idx));
        if mode.from_register() {
            push(out, Role::Read, Thing::Register(value as u8));
        }
    } else if mode.on_event() {
        push(out, Role::Read, Thing::Event(idx));
        if matches!(mode.0, 0x07 | 0x0F) {
            push(out, Role::Write, Thing::Event(idx));
        }
    }
}

fn update(out: &mut Vec<Access>, mode: UpdateMode, idx: u8, value: u32) {
    match mode.action() {
        None => {}
        Some(1 | 2) => push(out, Role::Write, Thing::Event(idx)),
        Some(_) => {
            if mode.uses_value() && mode.from_register() {
                push(out, Role::Read, Thing::Register(value as u8));
            }
            push(out, Role::Write, Thing::Semaphore(idx));
        }
    }
}

fn register_of(out: &mut Vec<Access>, word: Addr4) {
    if let AddrForm::Register(n) | AddrForm::IndexRegister(n) = word.form() {
        push(out, Role::Read, Thing::Register(n));
    }
}

fn body(out: &mut Vec<Access>, instr: &Instr, field: &'static FieldDesc) {
    let raw = field.raw(&instr.bundle);
    match field.kind {
        FieldKind::Pattern(..) => {
            let Some(o) = access::operand(instr, field) else {
                return;
            };
            register_of(out, Addr4(raw as u32));
            push(out, o.role, Thing::Tensor(o));
        }
        FieldKind::Mx => {
            let Some(o) = field.operand else { return };
            register_of(out, Addr4(raw as u32));
            let thing = Thing::Mx {
                field,
                dtype: access::dtype_of(instr, &o),
                lanes: access::lanes_of(instr, &o),
                form: Mx::get(&instr.bundle, field.at).form(),
            };
            push(out, o.role, thing);
        }
        FieldKind::Imm { src, inverted } => match ImmForm::of(instr, src, inverted) {
            ImmForm::Pointer => push(out, Role::Read, Thing::Scalars(field, Addr4(raw as u32))),
            ImmForm::Register => push(out, Role::Read, Thing::Register(raw as u8)),
            ImmForm::Inline | ImmForm::Undefined => {}
        },
        FieldKind::Addr8 => {
            let address = Addr8(raw);
            if address.in_register() {
                let (low, high) = address.registers();
                push(out, Role::Read, Thing::Register(low));
                push(out, Role::Read, Thing::Register(high));
            }
            push(out, far_role(instr, field), Thing::Far(field, address));
        }
        FieldKind::Addr4 => register_of(out, Addr4(raw as u32)),
        FieldKind::Reg if raw != 0 || field.always => {
            push(out, register_role(instr, field), Thing::Register(raw as u8));
        }
        FieldKind::List(bits, ListKind::Reg | ListKind::Sem) => list(out, instr, field, bits),
        FieldKind::Sem if instr.bundle.opcode() != RANGE_CLEAR => {
            let wait = field.name.starts_with("wait");
            let posted = instr.value("sem_increment") != Some(0);
            if wait || posted {
                let role = if wait { Role::Read } else { Role::Write };
                push(out, role, Thing::Semaphore(raw as u8));
            }
        }
        _ => {}
    }
}

fn far_role(instr: &Instr, field: &FieldDesc) -> Role {
    let written = field.name.starts_with("dst") || instr.bundle.opcode() == TENSOR_STORE;
    if written { Role::Write } else { Role::Read }
}

fn register_role(instr: &Instr, field: &FieldDesc) -> Role {
    let into_registers = match instr.bundle.opcode() {
        TENSOR_LOAD => field.name == "data",
        TEST_EVENT_SEM => instr.value("mode").is_some_and(|m| m < 2),
        _ => field.name.starts_with("dst") || field.name == "result",
    };
    if into_registers {
        Role::Write
    } else {
        Role::Read
    }
}

/// Registers or semaphores of a list, as many as the bundle counts.
fn list(out: &mut Vec<Access>, instr: &Instr, field: &'static FieldDesc, bits: u16) {
    let all = u64::from(field.bits / bits.max(1));
    let used = match field.name {
        "src_registers" | "dst_registers" => instr.value("num_mov"),
        "value_registers" | "evt_sem_ids" => instr.value("num_evt_sem"),
        "data" => instr
            .value("num_elem")
            .map(|n| (n & 0xFF) * (n >> 8 & 0xFF)),
        _ => None,
    };
    let moves = field.name == "src_registers" && instr.value("move_source") != Some(0);
    if moves {
        return;
    }
    for i in 0..used.unwrap_or(all).min(all) {
        let n = instr.bundle.bits(field.at + bits * i as u16, bits) as u8;
        if field.kind == FieldKind::List(bits, ListKind::Reg) {
            push(out, register_role(instr, field), Thing::Register(n));
            continue;
        }
        let (events, written) = match instr.value("mode") {
            Some(m) => (m & 1 == 1 && m < 4, m >= 2),
            None => (false, true),
        };
        let thing = if events {
            Thing::Event(n)
        } else {
            Thing::Semaphore(n)
        };
        push(out, if written { Role::Write } else { Role::Read }, thing);
    }
}

/// The semaphores that a range clear writes (isa 08 §8.1).
fn range_clear(out: &mut Vec<Access>, instr: &Instr) {
    match instr.value("clear_mode") {
        Some(1) => {
            let first = instr.value("range_first").unwrap_or(0);
            let last = instr.value("range_last").unwrap_or(0);
            for n in first..=last {
                push(out, Role::Write, Thing::Semaphore(n as u8));
            }
        }
        Some(2) => {
            let Some(mask) = instr.format.field("bitmask") else {
                return;
            };
            for n in 0..mask.bits.min(256) {
                if instr.bundle.bits(mask.at + n, 1) == 1 {
                    push(out, Role::Write, Thing::Semaphore(n as u8));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Bundle, Generation, decode};

    fn texts(hex: &str) -> (Vec<String>, Vec<String>) {
        let i = decode(
            &Bundle::from_hex(&format!("{hex:0<128}")).unwrap(),
            Generation::V3,
        );
        let of = |role| {
            let all = accesses(&i);
            all.iter()
                .filter(|a| a.role == role)
                .map(|a| a.text(Generation::V3))
                .collect()
        };
        (of(Role::Read), of(Role::Write))
    }

    #[test]
    fn worked_bundles() {
        // isa 01 §6, 08 §4, 7.1, 09 §3.
        let (r, w) = texts(
            "411000000507130804000000aa0a0480000000000100010001004000010001000010000001000100010040000100010000200000010001000100400001000100",
        );
        assert_eq!(
            r,
            [
                "$S[7]",
                "src0: sbuf[0:128, 0x0:0x100] as fp32, 64 elements",
                "src1: sbuf[0:128, 0x1000:0x1100] as fp32, 64 elements"
            ]
        );
        assert_eq!(
            w,
            [
                "dst: sbuf[0:128, 0x2000:0x2100] as fp32, 64 elements",
                "$S[8]"
            ]
        );
        let (r, w) = texts(&format!(
            "a01000000503000004000000{}850913110c",
            "0".repeat(40)
        ));
        assert_eq!(r, ["$S[3]", "$S[9]", "r12"]);
        assert_eq!(w, ["$S[17]"]);
        let (r, w) = texts("a710000000000000000000000209000080810000000000000203000000000000");
        assert_eq!(r, ["the PC, low half", "the PC, high half"]);
        assert_eq!(w, ["r2", "r3"]);
        let (r, w) = texts(
            "b81000000502000001000000000a0100000010000000000000020000000000000400010000010000000000002000000000010000000000000400010000010606",
        );
        assert_eq!(r, ["$S[2]", "src_start_addr: address 0x100000"]);
        assert_eq!(w, ["$S[10]", "dst_start_addr: address 0x2000000000"]);
        let (_, w) = texts("b0100000000000000000000001101200");
        assert_eq!(w, ["$S[16]", "$S[17]", "$S[18]"]);
    }
}
