//! Which pane is where: a tree of rows and columns, and how it is cut into a screen.
//!
//! The cut is a function of the tree, the screen size, the focus and the zoom alone, so nothing jumps when values change. Where
//! the panes do not all fit, the least important ones are left out; the focused one never is.

mod text;

use ratatui::layout::Rect;

pub use crate::cmd::screen::PaneId;

/// How the children of a split lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// Beside each other.
    Row,
    /// On top of each other.
    Column,
}

/// How much room a child takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A share of what the fixed ones leave.
    Share(u16),
    /// So many cells.
    Cells(u16),
}

/// A part of the screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// One pane.
    Pane(PaneId),
    /// Several parts, two at least.
    Split(Axis, Vec<(Size, Node)>),
}

/// The parts of the screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Areas {
    /// Top line.
    pub status: Rect,
    /// Bottom line.
    pub prompt: Rect,
    /// Visible panes, in the order of the tree.
    pub panes: Vec<(PaneId, Rect)>,
}

impl Areas {
    /// Area of a pane, when it is visible.
    pub fn of(&self, id: PaneId) -> Option<Rect> {
        self.panes.iter().find(|p| p.0 == id).map(|p| p.1)
    }
}

/// The least width and height at which a pane says something, its border included.
const fn least(id: PaneId) -> (u16, u16) {
    match id {
        PaneId::Bundles | PaneId::Lanes => (34, 7),
        PaneId::Sbuf | PaneId::Psum | PaneId::Before | PaneId::Tile => (28, 9),
        PaneId::Fields => (34, 9),
        PaneId::State => (24, 8),
        PaneId::Timeline => (24, 4),
        PaneId::Log => (20, 4),
        PaneId::Cell | PaneId::Queues | PaneId::Stops | PaneId::Findings => (24, 5),
    }
}

/// Panes in the order in which they are left out last.
const IMPORTANCE: &[PaneId] = &[
    PaneId::Bundles,
    PaneId::Log,
    PaneId::Sbuf,
    PaneId::Psum,
    PaneId::Lanes,
    PaneId::Tile,
    PaneId::Fields,
    PaneId::State,
    PaneId::Timeline,
    PaneId::Queues,
    PaneId::Stops,
    PaneId::Findings,
    PaneId::Before,
    PaneId::Cell,
];

impl Node {
    /// The tree of a layout that comes with the program.
    pub fn named(name: &str) -> Option<Node> {
        let text = match name {
            "default" => {
                "column(1 row(11 column(3 bundles, 2 fields), 9 column(4 sbuf, 3 psum, 3 state)), =4 timeline, =8 log)"
            }
            "code" => "column(1 row(3 bundles, 2 column(3 fields, 2 lanes)), =4 timeline, =10 log)",
            "memory" => {
                "column(1 row(2 column(5 sbuf, 3 psum), 1 column(2 bundles, 3 tile, =8 cell)), =4 timeline, =6 log)"
            }
            "sync" => {
                "column(1 row(3 column(3 lanes, 2 bundles), 2 column(3 state, 1 queues, 1 findings, 1 stops)), =4 timeline, =8 log)"
            }
            _ => return None,
        };
        Node::parse(text).ok()
    }

    /// The panes, in order.
    pub fn panes(&self) -> Vec<PaneId> {
        match self {
            Node::Pane(id) => vec![*id],
            Node::Split(_, parts) => parts.iter().flat_map(|p| p.1.panes()).collect(),
        }
    }

    /// Puts a pane beside (row) or below (column) another one. One that is there already moves.
    pub fn split(&mut self, at: PaneId, axis: Axis, new: PaneId) {
        if at == new {
            return;
        }
        self.close(new);
        self.insert(at, axis, new);
        self.tidy();
    }

    fn insert(&mut self, at: PaneId, axis: Axis, new: PaneId) {
        match self {
            Node::Pane(id) if *id == at => {
                let half = |id| (Size::Share(1), Node::Pane(id));
                *self = Node::Split(axis, vec![half(at), half(new)]);
            }
            Node::Pane(_) => {}
            Node::Split(_, parts) => parts.iter_mut().for_each(|p| p.1.insert(at, axis, new)),
        }
    }

    /// Takes a pane away; false when it is the only one, or not there.
    pub fn close(&mut self, id: PaneId) -> bool {
        if *self == Node::Pane(id) || !self.panes().contains(&id) {
            return false;
        }
        self.remove(id);
        self.tidy();
        true
    }

    fn remove(&mut self, id: PaneId) {
        if let Node::Split(_, parts) = self {
            parts.iter_mut().for_each(|p| p.1.remove(id));
            parts.retain(|p| {
                p.1 != Node::Pane(id) && !matches!(&p.1, Node::Split(_, v) if v.is_empty())
            });
        }
    }

    /// Splits of one part become that part, and something in each split takes the rest of the room.
    fn tidy(&mut self) {
        let Node::Split(_, parts) = self else { return };
        parts.iter_mut().for_each(|p| p.1.tidy());
        if let [one] = parts.as_mut_slice() {
            *self = std::mem::replace(&mut one.1, Node::Pane(PaneId::Log));
        } else if parts.iter().all(|p| matches!(p.0, Size::Cells(_)))
            && let Some(first) = parts.first_mut()
        {
            first.0 = Size::Share(1);
        }
    }

    /// Moves a border of a pane by `by` cells along an axis: the pane grows, its neighbour shrinks.
    pub fn grow(&mut self, id: PaneId, axis: Axis, by: i32, area: Rect) -> bool {
        let Node::Split(along, parts) = self else {
            return false;
        };
        let areas = cut_parts(*along, parts, area);
        let Some(at) = parts.iter().position(|p| p.1.panes().contains(&id)) else {
            return false;
        };
        // The innermost split of that axis is the one whose border is nearest.
        if let (Some(part), Some(inner)) = (parts.get_mut(at), areas.get(at))
            && part.1.grow(id, axis, by, *inner)
        {
            return true;
        }
        if *along != axis {
            return false;
        }
        let length = |r: &Rect| if axis == Axis::Row { r.width } else { r.height };
        let lengths: Vec<u16> = areas.iter().map(length).collect();
        let next = if at + 1 < parts.len() {
            at + 1
        } else {
            at.saturating_sub(1)
        };
        let of = |i: usize| i32::from(lengths.get(i).copied().unwrap_or(0));
        // Both keep a border and a line.
        let by = by.min(of(next) - 3).max(3 - of(at));
        for (i, part) in parts.iter_mut().enumerate() {
            let change = if i == at {
                by
            } else if i == next {
                -by
            } else {
                0
            };
            let cells = (of(i) + change).clamp(1, i32::from(u16::MAX)) as u16;
            part.0 = match part.0 {
                Size::Share(_) => Size::Share(cells),
                Size::Cells(_) => Size::Cells(cells),
            };
        }
        true
    }

    fn place(&self, area: Rect, out: &mut Vec<(PaneId, Rect)>) {
        match self {
            Node::Pane(id) => out.push((*id, area)),
            Node::Split(axis, parts) => {
                for (part, area) in parts.iter().zip(cut_parts(*axis, parts, area)) {
                    part.1.place(area, out);
                }
            }
        }
    }
}

/// Cuts an area along an axis: fixed parts first, as long as there is room, then shares.
fn cut_parts(axis: Axis, parts: &[(Size, Node)], area: Rect) -> Vec<Rect> {
    let total = u32::from(if axis == Axis::Row {
        area.width
    } else {
        area.height
    });
    let shares: u32 = parts
        .iter()
        .map(|p| {
            if let Size::Share(n) = p.0 {
                u32::from(n)
            } else {
                0
            }
        })
        .sum();
    let fixed: u32 = parts
        .iter()
        .map(|p| {
            if let Size::Cells(n) = p.0 {
                u32::from(n)
            } else {
                0
            }
        })
        .sum();
    let fixed = fixed.min(total);
    let (mut at, mut left, mut given) = (0, fixed, 0);
    let mut out = Vec::with_capacity(parts.len());
    for (i, (size, _)) in parts.iter().enumerate() {
        let len = match size {
            Size::Cells(n) => {
                let len = u32::from(*n).min(left);
                left -= len;
                len
            }
            Size::Share(n) => {
                let to = |given: u32| (total - fixed) * given / shares.max(1);
                let len = to(given + u32::from(*n)) - to(given);
                given += u32::from(*n);
                len
            }
        };
        let len = if i + 1 == parts.len() {
            total - at
        } else {
            len
        };
        let (start, len) = (at as u16, len as u16);
        out.push(match axis {
            Axis::Row => Rect {
                x: area.x + start,
                width: len,
                ..area
            },
            Axis::Column => Rect {
                y: area.y + start,
                height: len,
                ..area
            },
        });
        at += u32::from(len);
    }
    out
}

/// Cuts a screen. `memory` is the heatmap to keep where there is room for one.
pub fn cut(tree: &Node, screen: Rect, focus: PaneId, zoomed: bool, memory: PaneId) -> Areas {
    let top = u16::from(screen.height > 1);
    let bottom = u16::from(screen.height > 2);
    let body = Rect {
        y: screen.y + top,
        height: screen.height - top - bottom,
        ..screen
    };
    let status = Rect {
        height: top,
        ..screen
    };
    let prompt = Rect {
        y: body.bottom(),
        height: bottom,
        ..screen
    };
    let panes = if zoomed {
        vec![(focus, body)]
    } else {
        fitted(tree, body, focus, memory)
    };
    Areas {
        status,
        prompt,
        panes,
    }
}

/// Leaves out the least important panes until the others are large enough.
fn fitted(tree: &Node, body: Rect, focus: PaneId, memory: PaneId) -> Vec<(PaneId, Rect)> {
    let mut tree = tree.clone();
    let weight = |id: PaneId| {
        let rank = IMPORTANCE
            .iter()
            .position(|i| *i == id)
            .unwrap_or(usize::MAX);
        match id {
            _ if id == focus => 0,
            PaneId::Bundles | PaneId::Log => 1 + rank,
            _ if id == memory => 3,
            _ => 4 + rank,
        }
    };
    loop {
        let mut panes = Vec::new();
        tree.place(body, &mut panes);
        let small = |(id, r): &(PaneId, Rect)| r.width < least(*id).0 || r.height < least(*id).1;
        if panes.len() > 1 && panes.iter().any(small) {
            let worst = panes.iter().map(|p| p.0).max_by_key(|id| weight(*id));
            if worst.is_some_and(|id| tree.close(id)) {
                continue;
            }
        }
        return panes;
    }
}

#[cfg(test)]
mod tests;
