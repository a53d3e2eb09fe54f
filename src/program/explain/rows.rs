//! The rows: header, EVENTS, fields with the parts of descriptors, and bytes without a field.

use super::Row;
use crate::isa::account::place;
use crate::isa::field::{Field, FieldDesc, FieldKind};
use crate::isa::fields::{Addr4, DebugCmd, EventsExt, Pattern, UpdateMode, WaitMode};
use crate::isa::text::{self, events};
use crate::isa::{Confidence, Engines, Instr, Known, OpRow};

/// Collects rows of one bundle.
pub(super) struct Rows<'a> {
    pub(super) instr: &'a Instr,
    out: Vec<Row>,
}

pub(super) fn rows(instr: &Instr) -> Vec<Row> {
    let mut r = Rows {
        instr,
        out: Vec::new(),
    };
    r.header();
    if !instr.format.bare {
        r.events();
    }
    for field in instr.format.fields {
        r.field(field);
    }
    r.residue();
    // Parts stay behind their slot: they start inside it.
    r.out.sort_by_key(|row| (row.byte, row.bit, row.part));
    r.out
}

/// Who may run it, home first.
pub(super) fn engines(op: &OpRow) -> String {
    match op.engines {
        Engines::Of(list) => {
            let names: Vec<String> = list.iter().map(ToString::to_string).collect();
            names.join(", ")
        }
        Engines::All => "every sequencer".to_owned(),
        Engines::Dma => "issued by every sequencer, run by a DMA queue".to_owned(),
        Engines::Host => "rewritten by the loader".to_owned(),
        Engines::Nobody => "none".to_owned(),
    }
}

/// Struct name, and how far its bytes are known.
pub(super) fn layout(instr: &Instr) -> String {
    let name = match instr.op {
        Some(op) if instr.format.name == "?" => op.layout,
        _ => instr.format.name,
    };
    match instr.op.map_or(Known::Unknown, |op| op.decode) {
        Known::Solid => name.to_owned(),
        Known::Partial => format!("{name}, known in part"),
        Known::Unknown => format!("{name}, not published"),
    }
}

impl Rows<'_> {
    fn push(
        &mut self,
        name: impl Into<String>,
        byte: usize,
        bytes: usize,
        value: String,
        meaning: String,
    ) {
        let raw = self.hex(byte, bytes);
        self.out.push(Row {
            name: name.into(),
            byte,
            bit: 0,
            bits: 8 * bytes as u16,
            raw,
            value,
            meaning,
            confidence: Confidence::Confirmed,
            broken: Vec::new(),
            part: false,
        });
    }

    pub(super) fn part(
        &mut self,
        name: String,
        byte: usize,
        bytes: usize,
        value: impl Into<String>,
        meaning: impl Into<String>,
    ) {
        self.push(name, byte, bytes, value.into(), meaning.into());
        if let Some(row) = self.out.last_mut() {
            row.part = true;
        }
    }

    fn hex(&self, byte: usize, bytes: usize) -> String {
        let all = self.instr.bundle.slice(byte, bytes);
        let shown = all.get(..16).unwrap_or(all);
        let mut out: String = shown.iter().map(|b| format!("{b:02x}")).collect();
        if shown.len() < all.len() {
            out.push_str("..");
        }
        out
    }

    fn header(&mut self) {
        let [_, len, cmd, hint] = self.instr.bundle.array(0);
        let name = self.instr.name().into_owned();
        self.push("opcode", 0, 1, name, String::new());
        self.push(
            "word_len",
            1,
            1,
            len.to_string(),
            "words of 4 bytes, always 16".into(),
        );
        self.push(
            "debug_cmd",
            2,
            1,
            DebugCmd(cmd).to_string(),
            "trace marker".into(),
        );
        self.push("debug_hint", 3, 1, hint.to_string(), "trace hint".into());
    }

    fn events(&mut self) {
        let e = self.instr.events();
        self.wait("", 4, e.wait, e.wait_idx, e.value);
        self.update("", 6, e.update, e.update_idx, e.value);
        let meaning = match (e.wait.uses_value(), e.update.uses_value()) {
            (true, true) => "operand of the wait and of the update",
            (true, false) => "operand of the wait",
            (false, true) => "operand of the update",
            (false, false) => "not used",
        };
        self.push("semaphore_value", 8, 4, e.value.to_string(), meaning.into());
    }

    fn wait(&mut self, prefix: &str, byte: usize, mode: WaitMode, idx: u8, value: u32) {
        let mut text = String::new();
        let meaning = match mode {
            WaitMode::NONE => "starts at once".to_owned(),
            _ if events::print_wait(&mut text, mode, idx, value) => format!("starts when {text}"),
            _ => String::new(),
        };
        let name = mode.name().unwrap_or("undefined").to_owned();
        self.push(format!("{prefix}wait_mode"), byte, 1, name, meaning);
        let what = if mode.on_event() {
            "event"
        } else {
            "semaphore"
        };
        let what = if mode == WaitMode::NONE {
            "not used"
        } else {
            what
        };
        self.push(
            format!("{prefix}wait_idx"),
            byte + 1,
            1,
            idx.to_string(),
            what.into(),
        );
    }

    fn update(&mut self, prefix: &str, byte: usize, mode: UpdateMode, idx: u8, value: u32) {
        let mut text = String::new();
        let meaning = match mode {
            UpdateMode::NONE => "no update".to_owned(),
            _ if events::print_update(&mut text, mode, idx, value) => {
                let when = if mode.on_complete() {
                    "when finished"
                } else {
                    "when the reads are done"
                };
                format!("{}, {when}", text.split('@').next().unwrap_or(""))
            }
            _ => String::new(),
        };
        let name = mode.name().unwrap_or("undefined").to_owned();
        self.push(format!("{prefix}update_mode"), byte, 1, name, meaning);
        let what = if mode.on_event() {
            "event"
        } else {
            "semaphore"
        };
        let what = if mode == UpdateMode::NONE {
            "not used"
        } else {
            what
        };
        self.push(
            format!("{prefix}update_idx"),
            byte + 1,
            1,
            idx.to_string(),
            what.into(),
        );
    }

    fn field(&mut self, field: &'static FieldDesc) {
        if field.kind == FieldKind::EventsExt {
            let x = EventsExt::get(&self.instr.bundle, field.at);
            let at = field.byte();
            self.wait("ext_", at, x.wait, x.wait_idx, x.wait_value);
            self.update("ext_", at + 2, x.update, x.update_idx, x.update_value);
            self.push(
                "ext_wait_value",
                at + 4,
                4,
                x.wait_value.to_string(),
                "operand of the second wait".into(),
            );
            self.push(
                "ext_update_value",
                at + 8,
                4,
                x.update_value.to_string(),
                "operand of the second update".into(),
            );
            return;
        }
        let mut value = String::new();
        text::print(&mut value, self.instr, field);
        let raw = match field.bits {
            _ if !(field.at | field.bits).is_multiple_of(8) => {
                format!("{:#x}", field.raw(&self.instr.bundle))
            }
            _ => self.hex(field.byte(), field.len()),
        };
        let mut meaning = field.doc.trim().to_owned();
        if field.kind == FieldKind::Addr4 {
            let word = Addr4(field.raw(&self.instr.bundle) as u32);
            meaning = format!("{meaning}: {}", place(word, self.instr.generation));
        }
        if let Some(offsets) = self.offsets(field) {
            meaning = format!("{meaning}; {offsets}");
        }
        self.out.push(Row {
            name: field.name.to_owned(),
            byte: field.byte(),
            bit: field.at % 8,
            bits: field.bits,
            raw,
            value,
            meaning,
            confidence: field.confidence,
            broken: Vec::new(),
            part: false,
        });
        match field.kind {
            FieldKind::Pattern(rank, arm) => self.slot(field, usize::from(rank), arm),
            FieldKind::Mx => self.mx(field),
            FieldKind::Data4 => {
                let p = Pattern::read(&self.instr.bundle, field.byte(), 4);
                self.part(
                    format!("{}.base", field.name),
                    field.byte(),
                    4,
                    (p.addr.0 as i32).to_string(),
                    "first value",
                );
                self.dims(field, p.dims(), 0, false);
            }
            _ => {}
        }
    }

    /// Bytes that no field explains and that are not 0.
    fn residue(&mut self) {
        let left = text::residue(self.instr);
        let mut at = 0;
        while at < left.len() {
            let run = left.iter().skip(at).take_while(|b| **b != 0).count();
            if run > 0 {
                let (name, meaning) = if self.instr.format.open {
                    ("unexplained", "no published meaning; kept as it is")
                } else {
                    ("reserved", "must be 0")
                };
                let raw: String = left
                    .iter()
                    .skip(at)
                    .take(run)
                    .map(|b| format!("{b:02x}"))
                    .collect();
                self.push(name, at, run, String::new(), meaning.to_owned());
                if let Some(row) = self.out.last_mut() {
                    row.raw = raw;
                }
            }
            at += run + 1;
        }
    }
}
