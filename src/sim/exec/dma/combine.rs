//! Storing what a transfer brings, and its arithmetic with what is there (isa 15 §4.3).

use super::transfer::{Way, bytes_of};
use crate::isa::fields::DgeOp;
use crate::num::{self, Kind, MinMaxNan, Narrowed, Rules, op};
use crate::sim::Rect;
use crate::sim::exec::Cx;
use crate::sim::exec::ctrl::bus::Missing;
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Writes pieces of the destination, combining them with what is there.
pub(super) struct Combiner {
    way: Way,
    op: DgeOp,
    rules: Rules,
    pub missing: Missing,
    pub lost: Narrowed,
    old: Vec<u8>,
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Combiner {
    pub fn new(way: Way, op: DgeOp, cx: &Cx<'_, '_>) -> Combiner {
        Combiner {
            way,
            op,
            rules: Rules {
                fp8_saturate: cx.settings.is(Id::Fp8AccumulateOverflow, 1),
                ..*cx.rules()
            },
            missing: Missing::default(),
            lost: Narrowed::default(),
            old: Vec::new(),
            a: Vec::new(),
            b: Vec::new(),
        }
    }

    /// Stores the bytes of a piece that begins at `at` of the destination's stream.
    pub fn store(
        &mut self,
        cx: &mut Cx<'_, '_>,
        stream: &[u8],
        at: u64,
        rect: &Rect,
    ) -> Result<(), Trap> {
        let stored = match self.way {
            Way::Copy | Way::Cast(..) => cx.writer.store(rect, bytes_of(stream, at, rect.bytes())),
            Way::Combine(from, to) => {
                let (f, t) = (from.bytes() as u64, to.bytes() as u64);
                let new = bytes_of(stream, at / t * f, rect.bytes() / t * f);
                self.missing.add(cx.read_rect(*rect), *rect);
                self.old.clear();
                cx.state()
                    .read_into(rect, &mut self.old)
                    .map_err(|e| Trap::at("address", "dst_start_addr", e.to_string()))?;
                if from == to && to.is_int() {
                    self.combine_int(to, new);
                } else {
                    self.combine_float(from, to, new);
                }
                cx.writer.store(rect, &self.old)
            }
        };
        stored.map_err(|e| Trap::at("address", "dst_start_addr", e.to_string()))
    }

    /// Wraps at the width; the order is signed (isa 15 §4.3).
    fn combine_int(&mut self, kind: Kind, new: &[u8]) {
        let byte = match self.op {
            DgeOp::ADD => op::ADD_INT,
            DgeOp::MULTIPLY => op::MULT_INT,
            DgeOp::MAX => op::MAX_INT,
            _ => op::MIN_INT,
        };
        let size = kind.bytes();
        let word = |b: &[u8]| b.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
        for (old, new) in self.old.chunks_exact_mut(size).zip(new.chunks_exact(size)) {
            let result = num::int_op(byte, kind, word(old), word(new)).unwrap_or(0);
            old.iter_mut()
                .zip(result.to_le_bytes())
                .for_each(|(o, b)| *o = b);
        }
    }

    /// Both widened, one fp32 operation, narrowed once.
    fn combine_float(&mut self, from: Kind, to: Kind, new: &[u8]) {
        let byte = match self.op {
            DgeOp::ADD => op::ADD,
            DgeOp::MULTIPLY => op::MULT,
            DgeOp::MAX => op::MAX,
            _ => op::MIN,
        };
        self.a.resize(self.old.len() / to.bytes(), 0.0);
        self.b.resize(new.len() / from.bytes(), 0.0);
        num::widen_slice(to, &self.old, &mut self.a);
        num::widen_slice(from, new, &mut self.b);
        for (a, b) in self.a.iter_mut().zip(&self.b) {
            *a = num::f32_op(byte, *a, *b, MinMaxNan::Num).unwrap_or(*a);
        }
        self.lost += num::narrow_slice(to, &self.a, &self.rules, &mut self.old);
    }
}
