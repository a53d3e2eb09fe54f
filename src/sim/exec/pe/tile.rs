//! Tiles of the array and what is latched in them (isa 05 §1, §4).

use crate::isa::fields::TileGroup;
use crate::isa::{DType, Severity};
use crate::sim::Region;
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;

/// Rows and columns of the array.
pub(super) const SIDE: u32 = 128;
/// Rows and columns of the smallest tile.
const QUADRANT: u32 = 32;

/// A range of rows or columns: the quadrants a group byte selects, and how many lanes are active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    /// First row or column.
    pub base: u32,
    /// Rows or columns of the selected quadrants.
    pub len: u32,
    /// Those that take part: the first ones.
    pub active: u32,
}

/// The part of the array that a bundle uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tile {
    /// Contraction axis.
    pub rows: Span,
    /// Output axis.
    pub cols: Span,
}

/// What LDWEIGHTS left in a 32 x 32 tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Latched {
    /// dtype of the weights.
    pub dtype: DType,
    /// PE_FP32MODE of the load.
    pub fp32_mode: u8,
    /// Values per cell: 1, 2 in the double-row modes, 4 for MX.
    pub planes: u8,
    /// Loaded with a transpose flag.
    pub transpose: bool,
    /// Zero point of UINT8 weights; already subtracted.
    pub zero_point: u8,
}

/// First lane and lanes of a group byte (isa 05 §4).
pub(super) fn quadrants(group: u8) -> Option<(u32, u32)> {
    Some(match TileGroup(group) {
        TileGroup::ALL => (0, 128),
        TileGroup::Q01 => (0, 64),
        TileGroup::Q23 => (64, 64),
        TileGroup::Q0 => (0, 32),
        TileGroup::Q1 => (32, 32),
        TileGroup::Q2 => (64, 32),
        TileGroup::Q3 => (96, 32),
        _ => return None,
    })
}

/// Raw value of a field; 0 where the generation's layout lacks it.
pub(super) fn value(cx: &Cx<'_, '_>, field: &str) -> u64 {
    cx.instr.value(field).unwrap_or(0)
}

fn span(
    cx: &Cx<'_, '_>,
    group: &'static str,
    active: &'static str,
    default: u8,
) -> Result<Span, Trap> {
    let code = match value(cx, group) as u8 {
        0 => default,
        code => code,
    };
    let (base, len) = quadrants(code).ok_or_else(|| {
        let m = format!("group {code:#04x}; 0x01 0x02 0x03 0x04 0x08 0x0c 0x0f are defined");
        Trap::at("tile-group", group, m)
    })?;
    let lanes = value(cx, active) as u32;
    if lanes == 0 || lanes > len {
        let m = format!("{lanes}; group {code:#04x} allows 1..{len}");
        return Err(Trap::at("tile-size", active, m));
    }
    Ok(Span {
        base,
        len,
        active: lanes,
    })
}

impl Tile {
    /// The tile that the group bytes and active counts of the bundle name.
    ///
    /// # Errors
    /// `tile-group`, `tile-size`.
    pub fn of(cx: &Cx<'_, '_>) -> Result<Tile, Trap> {
        Tile::with_default(cx, 0)
    }

    /// The same for bundles whose column group may be left out.
    ///
    /// # Errors
    /// As [`Tile::of`].
    pub fn with_default(cx: &Cx<'_, '_>, col_grp: u8) -> Result<Tile, Trap> {
        Ok(Tile {
            rows: span(cx, "row_grp", "num_active_rows", 0)?,
            cols: span(cx, "col_grp", "num_active_cols", col_grp)?,
        })
    }

    /// The words of its rows, all columns, in one plane of the weight array.
    pub fn rows_of(self, plane: u32) -> Region {
        let start = plane * SIDE * SIDE + self.rows.base * SIDE;
        Region::WEIGHTS.slice(start, self.rows.len * SIDE)
    }

    /// Numbers of the 32 x 32 tiles under its selected quadrants, or under its active part alone.
    fn tiles(self, active: bool) -> impl Iterator<Item = u32> {
        let range = |s: Span| {
            let len = if active { s.active } else { s.len };
            s.base / QUADRANT..(s.base + len).div_ceil(QUADRANT)
        };
        let cols = range(self.cols);
        range(self.rows).flat_map(move |r| cols.clone().map(move |c| r * SIDE / QUADRANT + c))
    }

    /// Records what was latched.
    pub fn set_latched(self, cx: &mut Cx<'_, '_>, l: Latched) {
        let words = [
            u32::from(l.dtype.0),
            u32::from(l.fp32_mode),
            u32::from(l.planes) | u32::from(l.transpose) << 8,
            u32::from(l.zero_point),
        ];
        for tile in self.tiles(false) {
            let info = Region::WEIGHT_INFO.slice(4 * tile, 4);
            if cx.hidden(info) != words {
                cx.writer.set_hidden(info, &words);
            }
        }
    }

    /// What is latched under the active part. Tiles that were never loaded hold zeros and are
    /// reported; so are loads of different kinds side by side.
    pub fn latched(self, cx: &mut Cx<'_, '_>) -> Option<Latched> {
        let mut first: Option<Latched> = None;
        let (mut missing, mut mixed) = (0, false);
        for tile in self.tiles(true) {
            let [dtype, fp32_mode, flags, zero] =
                *cx.hidden(Region::WEIGHT_INFO.slice(4 * tile, 4))
            else {
                continue;
            };
            if dtype == 0 {
                missing += 1;
                continue;
            }
            let l = Latched {
                dtype: DType(dtype as u8),
                fp32_mode: fp32_mode as u8,
                planes: flags as u8,
                transpose: flags >> 8 & 1 != 0,
                zero_point: zero as u8,
            };
            mixed |= first.is_some_and(|f| f.planes != l.planes || f.transpose != l.transpose);
            first = first.or(Some(l));
        }
        if missing > 0 {
            let m = format!("{missing} tiles of 32 x 32 were never loaded; they hold zeros");
            cx.finding(Severity::Warn, "pe-weights", m);
        }
        if mixed {
            let m = "the tile covers weights loaded in different modes".to_owned();
            cx.finding(Severity::Warn, "pe-weights", m);
        }
        first
    }
}
