//! Elements of memory in wide precision.

use std::collections::{BTreeMap, HashMap};

use crate::sim::{Rect, Space};

/// Widest element in bytes.
const WIDEST: u64 = 8;

/// Wide values by where their element stands. An element without one is exactly what memory holds.
#[derive(Debug, Default)]
pub(super) struct Values {
    rows: HashMap<(Space, u16), BTreeMap<u64, (u8, f64)>>,
}

impl Values {
    /// The value of exactly this element.
    pub fn get(&self, space: Space, part: u16, off: u64, len: usize) -> Option<f64> {
        let (size, value) = self.rows.get(&(space, part))?.get(&off)?;
        (usize::from(*size) == len).then_some(*value)
    }

    /// Gives an element a value.
    pub fn set(&mut self, space: Space, part: u16, off: u64, len: usize, value: f64) {
        let row = self.rows.entry((space, part)).or_default();
        row.insert(off, (len as u8, value));
    }

    /// The bytes of a rectangle were stored: values of elements that share one are gone.
    pub fn clear(&mut self, rect: &Rect) {
        for part in rect.partitions() {
            let Some(row) = self.rows.get_mut(&(rect.space, part)) else {
                continue;
            };
            let near = row.range(rect.off.saturating_sub(WIDEST - 1)..rect.end());
            let gone = near.filter(|(off, (len, _))| *off + u64::from(*len) > rect.off);
            let gone: Vec<u64> = gone.map(|(off, _)| *off).collect();
            for off in gone {
                row.remove(&off);
            }
        }
    }

    /// Elements that lie inside a range of a partition: offset, bytes, value.
    pub fn inside(
        &self,
        space: Space,
        part: u16,
        bytes: std::ops::Range<u64>,
    ) -> impl Iterator<Item = (u64, u8, f64)> + '_ {
        let row = self.rows.get(&(space, part));
        let end = bytes.end;
        let all = row.into_iter().flat_map(move |r| r.range(bytes.clone()));
        all.filter(move |(off, (len, _))| **off + u64::from(*len) <= end)
            .map(|(off, (len, value))| (*off, *len, *value))
    }
}
