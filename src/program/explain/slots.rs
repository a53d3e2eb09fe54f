//! The parts of descriptors.

use super::rows::Rows;
use crate::isa::access::{self, Shape};
use crate::isa::account::place;
use crate::isa::field::{Arm, Field, FieldDesc};
use crate::isa::fields::{Addr4, Dim, Mx, MxForm, Pattern};
use crate::isa::{Generation, text};

impl Rows<'_> {
    /// Number of elements and the first offsets of a static walk.
    pub(super) fn offsets(&self, field: &'static FieldDesc) -> Option<String> {
        let Shape::Static(p) = access::operand(self.instr, field)?.shape else {
            return None;
        };
        if p.addr.shape_register() && self.instr.generation != Generation::V2 {
            return None;
        }
        let first: Vec<String> = p.offsets().take(5).map(|o| o.to_string()).collect();
        let more = if p.count() > 5 { ", .." } else { "" };
        Some(format!(
            "{} elements at {}{more}",
            p.count(),
            first.join(", ")
        ))
    }

    pub(super) fn slot(&mut self, field: &FieldDesc, rank: usize, arm: Arm) {
        let (g, byte, name) = (self.instr.generation, field.byte(), field.name);
        let p = Pattern::read(&self.instr.bundle, byte, rank);
        let word = |w: Addr4| format!("{:08x}", w.0);
        if arm == Arm::Mem && p.addr.indirect() {
            let data = Addr4(self.instr.bundle.u32(byte + 4));
            let num = self.instr.bundle.u16(byte + 8);
            self.part(
                format!("{name}.index_addr"),
                byte,
                4,
                word(p.addr),
                format!("indices: {}", place(p.addr, g)),
            );
            self.part(
                format!("{name}.data_addr"),
                byte + 4,
                4,
                word(data),
                format!("data: {}", place(data, g)),
            );
            self.part(
                format!("{name}.num_elem"),
                byte + 8,
                2,
                num.to_string(),
                "elements per partition",
            );
            return;
        }
        let shape = p.addr.shape_register() && g != Generation::V2;
        self.part(
            format!("{name}.start_addr"),
            byte,
            4,
            word(p.addr),
            place(p.addr, g),
        );
        let dtype = text::dtype_operand(self.instr, field);
        self.dims(field, p.dims(), dtype.map_or(0, |d| d.bytes()), shape);
    }

    pub(super) fn dims(&mut self, field: &FieldDesc, dims: &[Dim], size: u32, unused: bool) {
        let at = field.byte() + 4;
        for (i, d) in dims.iter().enumerate() {
            let meaning = match (unused, size) {
                (true, _) => "not used: shape from a register".to_owned(),
                (false, 0) => "step".to_owned(),
                (false, n) => format!("elements, {} bytes", i64::from(d.step) * i64::from(n)),
            };
            self.part(
                format!("{}.step[{i}]", field.name),
                at + 2 * i,
                2,
                d.step.to_string(),
                meaning,
            );
        }
        let at = at + 2 * dims.len();
        for (i, d) in dims.iter().enumerate() {
            let meaning = match (unused, i) {
                (true, _) => "not used: shape from a register",
                (false, 0) => "iterations, fastest",
                (false, _) => "iterations",
            };
            self.part(
                format!("{}.num[{i}]", field.name),
                at + 2 * i,
                2,
                d.num.to_string(),
                meaning,
            );
        }
    }

    pub(super) fn mx(&mut self, field: &FieldDesc) {
        let (g, at, name) = (self.instr.generation, field.byte(), field.name);
        let word = |w: Addr4| format!("{:08x}", w.0);
        let (addresses, num, num_at, pidx, pidx_at) =
            match Mx::get(&self.instr.bundle, field.at).form() {
                MxForm::Static(m) => {
                    self.part(
                        format!("{name}.step"),
                        at + 10,
                        1,
                        m.step.to_string(),
                        "+1 or -1",
                    );
                    (
                        vec![("data_addr", m.data), ("scale_addr", m.scale)],
                        m.num,
                        8,
                        m.scale_pidx,
                        11,
                    )
                }
                MxForm::Indirect(m) => {
                    let words = vec![
                        ("index_addr", m.index),
                        ("data_addr", m.data),
                        ("scale_addr", m.scale),
                    ];
                    (words, m.num, 12, m.scale_pidx, 15)
                }
            };
        for (i, (part, addr)) in addresses.into_iter().enumerate() {
            self.part(
                format!("{name}.{part}"),
                at + 4 * i,
                4,
                word(addr),
                place(addr, g),
            );
        }
        self.part(
            format!("{name}.num_elem"),
            at + num_at,
            2,
            num.to_string(),
            "logical elements per partition, 4 per container",
        );
        self.part(
            format!("{name}.scale_pidx"),
            at + pidx_at,
            1,
            pidx.to_string(),
            "partition of the scales in the quadrant",
        );
    }
}
