//! Descriptors: static and indirect (isa 03 §4, §5).

use super::address::{
    AddressError, Placement, bounds, index_address, lanes, quadrant, start_address,
};
use crate::isa::field::Arm;
use crate::isa::fields::{Addr4, Indirect, Location, Pattern};
use crate::isa::{Bundle, DType, Generation, Space};

/// A broken rule of a descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Id of the rule.
    pub rule: &'static str,
    /// Byte of the descriptor.
    pub offset: usize,
    /// What was found and what is allowed.
    pub message: String,
}

/// Collects problems of one descriptor.
#[derive(Default)]
pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    pub(super) fn push(&mut self, rule: &'static str, offset: usize, message: impl Into<String>) {
        self.0.push(Problem {
            rule,
            offset,
            message: message.into(),
        });
    }

    /// The location of an address word, or a problem.
    pub(super) fn address(
        &mut self,
        offset: usize,
        what: &str,
        result: Result<Option<Location>, AddressError>,
    ) -> Option<Location> {
        match result {
            Ok(location) => location,
            Err(e) => {
                self.push(e.rule(), offset, format!("{what}{e}"));
                None
            }
        }
    }

    pub(super) fn lanes(&mut self, offset: usize, start: Location, n: Option<u64>, g: Generation) {
        if let Some(Err(e)) = n.map(|n| lanes(start, n, g)) {
            self.push(e.rule(), offset, e.to_string());
        }
    }
}

/// What a descriptor belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// First byte in the bundle.
    pub at: usize,
    /// Dimensions.
    pub rank: usize,
    /// Which arms it has.
    pub arm: Arm,
    /// Data type of the elements.
    pub dtype: DType,
    /// Where it may lie.
    pub place: Placement,
    /// The result of a matmul: BF16 may be written to PSUM, everything else counts as FP32
    /// (isa 02 §4, exceptions).
    pub matmul: bool,
    /// Partitions; `None` checks the descriptor alone: no lanes, no bounds.
    pub lanes: Option<u64>,
}

impl Slot {
    /// The rules its descriptor breaks.
    pub fn problems(&self, bundle: &Bundle, g: Generation) -> Vec<Problem> {
        let mut out = Problems::default();
        let first = Addr4(bundle.u32(self.at));
        if self.arm == Arm::Mem && first.indirect() {
            let arm = Indirect {
                index: first,
                data: Addr4(bundle.u32(self.at + 4)),
                num: bundle.u16(self.at + 8),
            };
            self.indirect(&mut out, arm, g);
            let end = Pattern::size(self.rank);
            if bundle.slice(self.at + 10, end - 10).iter().any(|b| *b != 0) {
                out.push(
                    "reserved",
                    10,
                    format!("bytes 10..{end} of an indirect arm must be 0"),
                );
            }
        } else {
            self.fixed(&mut out, &Pattern::read(bundle, self.at, self.rank), g);
        }
        out.0
    }

    fn address(&self, word: Addr4, g: Generation) -> Result<Option<Location>, AddressError> {
        if !self.matmul {
            return start_address(word, self.dtype, self.place, g);
        }
        if self.dtype != DType::BF16 {
            return start_address(word, DType::FP32, self.place, g);
        }
        let read = Placement {
            write: false,
            ..self.place
        };
        start_address(word, self.dtype, read, g)
    }

    fn fixed(&self, out: &mut Problems, p: &Pattern, g: Generation) {
        let start = out.address(0, "", self.address(p.addr, g));
        let shape_register = p.addr.shape_register() && g != Generation::V2;
        if !shape_register {
            let zero = p.dims().iter().position(|d| d.num == 0);
            if let Some(i) = zero {
                let at = 4 + 2 * p.dims().len() + 2 * i;
                out.push("count", at, format!("count {i} is 0, allowed 1..65535"));
            } else if p.count() > u64::from(u32::MAX) {
                let message = format!("{} elements, allowed up to 4294967295", p.count());
                out.push("element-count", 4, message);
            }
        }
        let Some(start) = start else { return };
        out.lanes(0, start, self.lanes, g);
        let walk = !shape_register && self.lanes.is_some() && self.dtype.bytes() != 0;
        if walk
            && let Err(e) = bounds(start, p.extent(), self.dtype.bytes(), g)
            && !out.0.iter().any(|p| p.rule == "bounds")
        {
            out.push("bounds", 0, e.to_string());
        }
    }

    fn indirect(&self, out: &mut Problems, arm: Indirect, g: Generation) {
        let index = out.address(0, "index: ", index_address(arm.index, g));
        if arm.num == 0 {
            out.push("count", 8, "0 elements, allowed 1..65535");
        }
        if arm.data.marker() & 0xE0 != 0 {
            let message = format!("data word {:#010x}, bits 29..31 must be 0", arm.data.0);
            out.push("indirect", 4, message);
            return;
        }
        let data = out.address(4, "data: ", self.address(arm.data, g));
        if let (Some(i), Some(d)) = (index, data) {
            same_quadrant(out, i, d, g);
        }
        if let Some(d) = data {
            out.lanes(4, d, self.lanes, g);
        }
    }
}

/// Index and data start the same SBUF quadrant, unless data is in PSUM (isa 02 §6).
pub(super) fn same_quadrant(out: &mut Problems, index: Location, data: Location, g: Generation) {
    if data.space == Space::Psum {
        return;
    }
    let (a, b) = (quadrant(index, g), quadrant(data, g));
    if a.is_none() || a != b {
        let message = format!(
            "index at partition {}, data at partition {}: both must start the same quadrant (0, 32, 64 or 96)",
            index.part, data.part
        );
        out.push("indirect", 0, message);
    }
}
