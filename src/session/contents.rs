//! What the bytes of one cell of a picture say: values, special values, differences.

use std::ops::Range;

use super::heat::{HeatCell, HeatMode};
use crate::isa::Space;
use crate::num::{Kind, widen_slice};
use crate::sim::{Rect, State};

/// A look at memory, for the cells of one picture.
pub(super) struct Look<'s> {
    pub state: &'s State,
    /// What mode `diff` compares with.
    pub other: Option<&'s State>,
    pub space: Space,
    /// How elements outside of `places` are read.
    pub kind: Kind,
    /// Places with a kind of their own, by offset.
    pub places: Vec<(Rect, Kind)>,
    pub mode: HeatMode,
    /// Buffer for widened elements.
    pub values: Vec<f32>,
}

impl Look<'_> {
    /// Adds one partition's bytes to a cell.
    pub fn add(&mut self, part: u16, bytes: &Range<u32>, cell: &mut HeatCell) {
        let len = bytes.end.saturating_sub(bytes.start);
        let rect = Rect::new(self.space, part, 1, bytes.start.into(), len);
        let unwritten = self.state.unwritten(&rect);
        cell.bytes += u64::from(len);
        cell.unwritten += unwritten;
        match self.mode {
            HeatMode::Diff => self.differ(&rect, unwritten, cell),
            HeatMode::Value | HeatMode::Special if unwritten < u64::from(len) => {
                self.pieces(&rect, unwritten > 0, cell);
            }
            _ => {}
        }
    }

    fn differ(&self, rect: &Rect, unwritten: u64, cell: &mut HeatCell) {
        let Some(other) = self.other else { return };
        let row = |s: &'_ State| {
            s.bytes(rect.space, rect.part, rect.off, rect.len)
                .map(<[u8]>::to_vec)
        };
        let (Some(a), Some(b)) = (row(self.state), row(other)) else {
            return;
        };
        let bytes = a.iter().zip(&b).filter(|(a, b)| a != b).count() as u64;
        // A byte that was written since, with what it happened to hold, has changed as well.
        let written = other.unwritten(rect).abs_diff(unwritten);
        cell.changed += bytes.max(written);
    }

    /// Looks at the bytes piece by piece, each read as the place around it says. An element of which only a part lies in the cell
    /// is looked at as a whole, so that none escapes all cells.
    fn pieces(&mut self, rect: &Rect, holes: bool, cell: &mut HeatCell) {
        let mut at = rect.off;
        for i in 0..self.places.len() {
            let Some((place, kind)) = self.places.get(i).copied() else {
                break;
            };
            let (from, to) = (place.off.max(at), place.end().min(rect.end()));
            if from >= to || !place.partitions().contains(&rect.part) {
                continue;
            }
            if at < from {
                self.values(
                    &Rect {
                        off: at,
                        len: (from - at) as u32,
                        ..*rect
                    },
                    self.kind,
                    holes,
                    cell,
                );
            }
            let size = kind.bytes() as u64;
            let start = place.off + (from - place.off) / size * size;
            let end = (place.off + (to - place.off).next_multiple_of(size)).min(place.end());
            let whole = Rect {
                off: start,
                len: (end - start) as u32,
                ..*rect
            };
            self.values(&whole, kind, true, cell);
            at = to;
        }
        if at < rect.end() {
            self.values(
                &Rect {
                    off: at,
                    len: (rect.end() - at) as u32,
                    ..*rect
                },
                self.kind,
                holes,
                cell,
            );
        }
    }

    fn values(&mut self, rect: &Rect, kind: Kind, holes: bool, cell: &mut HeatCell) {
        let state = self.state;
        let Some(row) = state.bytes(rect.space, rect.part, rect.off, rect.len) else {
            return;
        };
        let values = &mut self.values;
        values.clear();
        values.resize(row.len() / kind.bytes() * kind.lanes(), 0.0);
        widen_slice(kind, row, values);
        if holes && !state.is_written(rect) {
            let size = kind.bytes() as u32;
            let mut i = 0;
            values.retain(|_| {
                let off = rect.off + u64::from(size) * (i / kind.lanes()) as u64;
                i += 1;
                state.is_written(&Rect::new(rect.space, rect.part, 1, off, size))
            });
        }
        let (mut nan, mut top) = (false, -1.0f32);
        for v in values.iter() {
            nan |= v.is_nan();
            let a = v.abs();
            top = if a > top { a } else { top };
        }
        cell.nan |= nan;
        if top >= 0.0 {
            cell.inf |= top == f32::INFINITY;
            cell.magnitude = Some(cell.magnitude.unwrap_or(0.0).max(top));
        }
        if self.mode == HeatMode::Special {
            let limits = limits(kind);
            for a in values.iter().map(|v| v.abs()) {
                cell.zeros += u64::from(a == 0.0);
                cell.subnormal |= a > 0.0 && a < limits.0;
                cell.saturated |= a >= limits.1 && a < f32::INFINITY;
            }
        }
    }
}

/// Smallest normal and largest finite magnitude of a kind (isa 13 §1). Wide integers have neither.
fn limits(kind: Kind) -> (f32, f32) {
    const BF16_MAX: f32 = f32::from_bits(0x7F7F_0000);
    match kind {
        Kind::Fp32 | Kind::Fp32r => (f32::MIN_POSITIVE, f32::MAX),
        Kind::Bf16 => (f32::MIN_POSITIVE, BF16_MAX),
        Kind::Fp16 => (6.103_515_6e-5, 65504.0),
        Kind::Fp8E3 => (0.25, 15.5),
        Kind::Fp8E4 => (0.015_625, 240.0),
        Kind::Fp8E4Fn => (0.015_625, 448.0),
        Kind::Fp8E5 => (6.103_515_6e-5, 57344.0),
        Kind::Fp4x4 => (1.0, 6.0),
        Kind::U8 => (0.0, 255.0),
        Kind::I8 => (0.0, 127.0),
        Kind::U16 => (0.0, 65535.0),
        Kind::I16 => (0.0, 32767.0),
        Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64 | Kind::E8m0 => (0.0, f32::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::widen;

    #[test]
    fn limits_are_those_of_the_formats() {
        for kind in [
            Kind::Bf16,
            Kind::Fp16,
            Kind::Fp8E3,
            Kind::Fp8E4,
            Kind::Fp8E4Fn,
            Kind::Fp8E5,
        ] {
            let all = (0..1u64 << kind.bits()).map(|b| widen(kind, b));
            let finite = all.filter(|v| v.is_finite() && *v > 0.0);
            let (mut least, mut most) = (f32::INFINITY, 0.0f32);
            for v in finite {
                (least, most) = (least.min(v), most.max(v));
            }
            let (normal, max) = limits(kind);
            assert_eq!(max, most, "{kind}");
            // Subnormals are evenly spaced below the smallest normal.
            let steps = normal / least;
            assert_eq!(steps, steps.trunc(), "{kind}");
            let below = (0..1u64 << kind.bits())
                .map(|b| widen(kind, b))
                .filter(|v| *v > 0.0 && *v < normal);
            assert_eq!(below.count() as f32, steps - 1.0, "{kind}");
        }
    }
}
