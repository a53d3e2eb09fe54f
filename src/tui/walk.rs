//! The access pattern of an operand, played over a heatmap: which element is touched when.
//!
//! In the order of the hardware all partitions go at once, element after element of the walk (isa 03 §2). In the order of an array
//! the elements of one partition come before those of the next.

use std::ops::Range;

use super::widgets::heatgrid::{Cell, Grid};
use crate::isa::access::{self, Operand, Shape};
use crate::isa::field::Role;
use crate::isa::fields::{Dim, Location};
use crate::isa::{Instr, Space};
use crate::num::Kind;
use crate::paint::palette::LEVELS;
use crate::session::Window;

/// Frames that a walk takes at most.
const FRAMES: u64 = 120;
/// Steps of a walk that are played at most.
const MOST: u64 = 1 << 17;

/// The pattern of one operand.
#[derive(Clone, Debug)]
pub struct Walk {
    /// What the title says.
    pub caption: String,
    /// First byte of the first element.
    start: Location,
    lanes: u64,
    element: u32,
    /// Byte offsets of the elements from the start, in walk order.
    offsets: Vec<i64>,
    array: bool,
    /// Steps done.
    at: u64,
}

/// The operands of a bundle that can be played: static patterns at known addresses.
pub fn operands(instr: &Instr) -> Vec<Operand> {
    let known = |o: &Operand| matches!(o.shape, Shape::Static(p) if p.addr.location(instr.generation).is_some());
    access::operands(instr).filter(known).collect()
}

impl Walk {
    /// The walk of an operand; `None` when its address is not in the bundle.
    pub fn new(instr: &Instr, operand: &Operand, array: bool) -> Option<Walk> {
        let Shape::Static(pattern) = operand.shape else {
            return None;
        };
        let start = pattern.addr.location(instr.generation)?;
        let element = operand.dtype.bytes().max(1);
        let offsets: Vec<i64> = pattern
            .offsets()
            .take(MOST as usize)
            .map(|o| o * i64::from(element))
            .collect();
        let verb = if operand.role == Role::Read {
            "reads"
        } else {
            "writes"
        };
        let dims = notation(pattern.dims(), array);
        let order = if array { "array" } else { "hardware" };
        Some(Walk {
            caption: format!("{verb} {} · {order} order {dims}", operand.field.name),
            start,
            lanes: operand.lanes.max(1).into(),
            element,
            offsets,
            array,
            at: 0,
        })
    }

    /// Its memory.
    pub fn space(&self) -> Space {
        self.start.space
    }

    /// Partitions and bytes around all elements.
    pub fn bounds(&self) -> (Range<u64>, Range<u64>) {
        let first = i64::from(self.start.off);
        let lo = self.offsets.iter().min().copied().unwrap_or(0) + first;
        let hi = self.offsets.iter().max().copied().unwrap_or(0) + first + i64::from(self.element);
        let part = u64::from(self.start.part);
        (part..part + self.lanes, lo.max(0) as u64..hi.max(0) as u64)
    }

    /// Steps in all.
    pub fn total(&self) -> u64 {
        let n = self.offsets.len() as u64;
        if self.array {
            (n * self.lanes).min(MOST)
        } else {
            n
        }
    }

    /// Steps done.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Goes on by a frame; false when it is at its end.
    pub fn advance(&mut self) -> bool {
        let total = self.total();
        self.at = (self.at + total.div_ceil(FRAMES).max(1)).min(total);
        self.at < total
    }

    /// Elements of a step: partitions, and offset of the first byte in each.
    fn step(&self, n: u64) -> (Range<u64>, i64) {
        let part = u64::from(self.start.part);
        let len = (self.offsets.len() as u64).max(1);
        let (parts, k) = if self.array {
            (part + n / len..part + n / len + 1, n % len)
        } else {
            (part..part + self.lanes, n)
        };
        let offset = self.offsets.get(k as usize).copied().unwrap_or(0);
        (parts, i64::from(self.start.off) + offset)
    }

    /// The steps done as a picture: the later an element was touched the higher its level; the newest one is marked.
    pub fn grid(&self, window: &Window, rows: usize, columns: usize, unit: Kind) -> Grid {
        let column_starts: Vec<u32> = (0..columns)
            .map(|c| window.column(columns, c, unit).start)
            .collect();
        let row_starts: Vec<u16> = (0..rows).map(|r| window.row(rows, r).start).collect();
        let mut cells = vec![Cell::default(); rows * columns];
        let total = self.total().max(2);
        for n in 0..self.at {
            let (parts, byte) = self.step(n);
            let Ok(byte) = u32::try_from(byte) else {
                continue;
            };
            if !window.bytes.contains(&byte) {
                continue;
            }
            let c = column_starts
                .partition_point(|s| *s <= byte)
                .saturating_sub(1);
            let level = 1 + (n * (LEVELS as u64 - 2) / (total - 1)) as u8;
            let from = parts.start.max(window.parts.start.into()) as u16;
            let to = parts.end.min(window.parts.end.into()) as u16;
            if from >= to {
                continue;
            }
            let first = row_starts.partition_point(|s| *s <= from).saturating_sub(1);
            let last = row_starts.partition_point(|s| *s < to);
            for r in first..last {
                if let Some(cell) = cells.get_mut(r * columns + c) {
                    cell.level = Some(level);
                    cell.chosen = n + 1 == self.at;
                }
            }
        }
        Grid { columns, cells }
    }
}

/// Steps and counts: fastest first as the hardware has them, slowest first as arrays have them.
fn notation(dims: &[Dim], array: bool) -> String {
    // Slots of one iteration say nothing, except where there is no other.
    let mut dims: Vec<Dim> = dims.iter().filter(|d| d.num != 1).copied().collect();
    if dims.is_empty() {
        dims.push(Dim::UNIT);
    }
    if array {
        dims.reverse();
    }
    let list = |f: fn(&Dim) -> i32| {
        dims.iter()
            .map(|d| f(d).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    let (steps, counts) = (list(|d| d.step.into()), list(|d| d.num.into()));
    if array {
        format!("({counts}) steps ({steps})")
    } else {
        format!("[{steps}][{counts}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(array: bool) -> Walk {
        Walk {
            caption: String::new(),
            start: Location {
                space: Space::Sbuf,
                part: 1,
                off: 8,
            },
            lanes: 2,
            element: 4,
            // A transposed 2 x 3 block: the fast axis steps over rows of 12 bytes.
            offsets: vec![0, 12, 4, 16, 8, 20],
            array,
            at: 0,
        }
    }

    fn picture(w: &Walk) -> Vec<Option<u8>> {
        let window = Window {
            space: Space::Sbuf,
            parts: 0..4,
            bytes: 8..32,
        };
        w.grid(&window, 4, 6, Kind::Fp32)
            .cells
            .iter()
            .map(|c| c.level)
            .collect()
    }

    #[test]
    fn hardware_goes_through_all_partitions_at_once() {
        let mut w = walk(false);
        assert_eq!((w.total(), w.bounds()), (6, (1..3, 8..32)));
        w.at = 2;
        let p = picture(&w);
        assert!(p[..6].iter().chain(&p[18..]).all(Option::is_none));
        assert_eq!(p[6..12], p[12..18]);
        let touched: Vec<usize> = (0..6).filter(|c| p[6 + c].is_some()).collect();
        assert_eq!(touched, [0, 3], "elements at +0 and +12");
    }

    #[test]
    fn arrays_go_partition_by_partition_and_order_is_visible() {
        let mut w = walk(true);
        assert_eq!(w.total(), 12);
        w.at = 7;
        let p = picture(&w);
        assert!(p[6..12].iter().all(Option::is_some));
        assert_eq!(p[12..18].iter().filter(|l| l.is_some()).count(), 1);
        while w.advance() {}
        let p = picture(&w);
        // Columns in walk order: 0 3 1 4 2 5.
        let order = [6, 9, 7, 10, 8, 11, 12, 15, 13, 16, 14, 17].map(|i| p[i].unwrap());
        assert!(order.windows(2).all(|w| w[0] <= w[1]), "{order:?}");
        assert_eq!((order[0], order[11]), (1, 15));
    }

    #[test]
    fn both_notations() {
        let dims = [Dim { step: 1, num: 16 }, Dim { step: 64, num: 32 }];
        assert_eq!(notation(&dims, false), "[1,64][16,32]");
        assert_eq!(notation(&dims, true), "(32,16) steps (64,1)");
    }
}
