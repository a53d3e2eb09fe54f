//! The listing line of a bundle.
//!
//! Order of the words: name, wait, update, `ext` lane, operands and names in slot order,
//! `key=value` fields, what is left of EVENTS and header, bytes no word shows.

use std::fmt::Write;

use super::{events, print};
use crate::isa::field::{Arm, DTypeOf, Field, FieldDesc, FieldKind, Format};
use crate::isa::fields::{Addr4, DebugCmd, EventsExt, UpdateMode, WaitMode};
use crate::isa::{DType, Instr, access};

/// The listing line, `;` included.
pub fn line(instr: &Instr) -> String {
    line_with(instr, &|_| None)
}

/// The listing line with other texts for some fields, e.g. labels for branch targets.
pub fn line_with(instr: &Instr, other: &dyn Fn(&FieldDesc) -> Option<String>) -> String {
    let mut out = String::with_capacity(96);
    write_line(&mut out, instr, other);
    out
}

/// Appends the listing line.
pub fn write_line(out: &mut String, instr: &Instr, other: &dyn Fn(&FieldDesc) -> Option<String>) {
    out.push_str(&instr.name());
    let ext = instr
        .format
        .fields
        .iter()
        .find(|f| f.kind == FieldKind::EventsExt)
        .map(|f| EventsExt::get(&instr.bundle, f.at));
    let mut rest = String::new();
    print_events(out, &mut rest, instr);
    if let Some(ext) = ext {
        print_ext(out, &mut rest, ext);
    }
    for field in instr
        .format
        .fields
        .iter()
        .filter(|f| shown_by_position(instr, f))
    {
        out.push(' ');
        print(out, instr, field);
    }
    for field in instr
        .format
        .fields
        .iter()
        .filter(|f| shown_by_key(instr, f))
    {
        let _ = write!(out, " {}=", field.name);
        match other(field) {
            Some(text) => out.push_str(&text),
            None => print(out, instr, field),
        }
    }
    out.push_str(&rest);
    print_header(out, instr);
    print_residue(out, instr);
    out.push(';');
}

/// Does the field stand without a key: an operand or a name?
pub fn is_positional(field: &FieldDesc) -> bool {
    match field.kind {
        FieldKind::Pattern(..) | FieldKind::Mx => field.operand.is_some(),
        FieldKind::Name => true,
        _ => false,
    }
}

/// Operands always; names up to the last one that is not empty.
fn shown_by_position(instr: &Instr, field: &FieldDesc) -> bool {
    is_positional(field)
        && (field.kind != FieldKind::Name
            || field.always
            || instr
                .format
                .fields
                .iter()
                .skip_while(|f| f.at != field.at)
                .any(|f| f.kind == FieldKind::Name && !f.is_zero(&instr.bundle)))
}

fn shown_by_key(instr: &Instr, field: &FieldDesc) -> bool {
    if is_positional(field) || field.kind == FieldKind::EventsExt {
        return false;
    }
    if told_by_operand(instr.format, field) {
        // 0 stands for FP32; the other code of FP32 needs a word of its own.
        return field.kind == FieldKind::OutDType
            && field.raw(&instr.bundle) == u64::from(DType::FP32.0);
    }
    field.always || !field.is_zero(&instr.bundle)
}

/// Is it the data type of an operand?
fn told_by_operand(format: &Format, field: &FieldDesc) -> bool {
    format.fields.iter().any(|f| {
        is_positional(f)
            && f.operand
                .is_some_and(|o| o.dtype == DTypeOf::Field(field.name))
    })
}

/// The data type printed before the `@` of an operand.
pub fn dtype_operand(instr: &Instr, field: &FieldDesc) -> Option<DType> {
    field.operand.map(|o| access::dtype_of(instr, &o))
}

/// The field that holds the data type of an operand.
pub(super) fn dtype_owner(
    format: &'static Format,
    field: &FieldDesc,
) -> Option<&'static FieldDesc> {
    match field.operand?.dtype {
        DTypeOf::Field(name) => format.field(name),
        DTypeOf::Fixed(_) => None,
    }
}

/// One wait and one update, each with its operand.
struct Lane {
    prefix: &'static str,
    wait: (WaitMode, u8, u32),
    update: (UpdateMode, u8, u32),
}

impl Lane {
    /// Appends what has a notation to `out`, the rest as fields to `rest`.
    fn print(&self, out: &mut String, rest: &mut String) {
        let Lane { prefix, .. } = self;
        let mut word = String::from(" ");
        let (mode, idx, value) = self.wait;
        if events::print_wait(&mut word, mode, idx, value) {
            out.push_str(&word);
        } else if mode != WaitMode::NONE {
            let _ = write!(rest, " {prefix}wait={}:{idx}", Code(mode.0, mode.name()));
        } else if idx != 0 {
            let _ = write!(rest, " {prefix}wait_idx={idx}");
        }
        word.truncate(1);
        let (mode, idx, value) = self.update;
        if events::print_update(&mut word, mode, idx, value) {
            out.push_str(&word);
        } else if mode != UpdateMode::NONE {
            let _ = write!(rest, " {prefix}update={}:{idx}", Code(mode.0, mode.name()));
        } else if idx != 0 {
            let _ = write!(rest, " {prefix}update_idx={idx}");
        }
    }
}

/// A mode code without a notation of its own.
struct Code(u8, Option<&'static str>);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 {
            Some(name) => f.write_str(name),
            None => write!(f, "{:#04x}", self.0),
        }
    }
}

fn print_events(out: &mut String, rest: &mut String, instr: &Instr) {
    let e = instr.events();
    let lane = Lane {
        prefix: "",
        wait: (e.wait, e.wait_idx, e.value),
        update: (e.update, e.update_idx, e.value),
    };
    lane.print(out, rest);
    if e.value != 0 && !e.wait.uses_value() && !e.update.uses_value() {
        let _ = write!(rest, " sem_value={}", e.value);
    }
}

fn print_ext(out: &mut String, rest: &mut String, e: EventsExt) {
    let lane = Lane {
        prefix: "ext_",
        wait: (e.wait, e.wait_idx, e.wait_value),
        update: (e.update, e.update_idx, e.update_value),
    };
    let mut words = String::new();
    lane.print(&mut words, rest);
    if !words.is_empty() {
        let _ = write!(out, " ext{words}");
    }
    for (used, name, value) in [
        (e.wait.uses_value(), "wait", e.wait_value),
        (e.update.uses_value(), "update", e.update_value),
    ] {
        if !used && value != 0 {
            let _ = write!(rest, " ext_{name}_value={value}");
        }
    }
}

/// `word_len=0x11 debug_cmd=START debug_hint=2`, each when it is not what the assembler fills in.
fn print_header(out: &mut String, instr: &Instr) {
    let [_, len, cmd, hint] = instr.bundle.array(0);
    if len != 0x10 {
        let _ = write!(out, " word_len={len:#04x}");
    }
    if cmd != 0 {
        let _ = write!(out, " debug_cmd={}", DebugCmd(cmd));
    }
    if hint != 0 {
        let _ = write!(out, " debug_hint={hint}");
    }
}

/// The bits that no word of the line shows, byte by byte: reserved or unexplained.
pub fn residue(instr: &Instr) -> [u8; 64] {
    let mut left = instr.bundle;
    let body = usize::from(instr.format.body() / 8);
    left.put(0, [0; 12].get(..body).unwrap_or(&[0; 12]));
    for field in instr.format.fields {
        let byte = field.byte();
        match field.kind {
            FieldKind::Pattern(_, Arm::Mem) if Addr4(left.u32(byte)).indirect() => {
                left.put(byte, &[0; 10]);
            }
            FieldKind::Mx if Addr4(left.u32(byte)).indirect() => {
                left.put(byte, &[0; 14]);
                left.put(byte + 15, &[0]);
            }
            FieldKind::Mx => left.put(byte, &[0; 12]),
            _ => {
                for at in (field.at..field.at + field.bits).step_by(64) {
                    let width = (field.at + field.bits - at).min(64);
                    left.put_bits(at, width, 0);
                }
            }
        }
    }
    *left.bytes()
}

/// ` raw[13]=05`, one word per run of bytes.
fn print_residue(out: &mut String, instr: &Instr) {
    let left = residue(instr);
    for (at, run) in left.iter().enumerate() {
        if *run == 0 {
            continue;
        }
        if at == 0 || left.get(at - 1) == Some(&0) {
            let _ = write!(out, " raw[{at}]=");
        }
        let _ = write!(out, "{run:02x}");
    }
}
