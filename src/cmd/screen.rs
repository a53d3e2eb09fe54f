//! What commands ask of the screen that shows the session.
//!
//! A front end with a screen takes the requests of [`super::Shell::asks`]; the others leave them, so a session recorded on the screen replays anywhere.

use std::path::PathBuf;

use crate::num::Kind;
use crate::session::Place;

macro_rules! panes {
    ($($id:ident $name:literal $doc:literal;)*) => {
        /// A pane of the screen.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum PaneId { $(#[doc = $doc] $id),* }

        impl PaneId {
            /// All panes.
            pub const ALL: &[PaneId] = &[$(PaneId::$id),*];
            /// Their names, in the same order.
            pub const NAMES: &[&str] = &[$($name),*];
            /// What they show, in the same order.
            pub const DOCS: &[&str] = &[$($doc),*];
        }
    };
}

panes! {
    Bundles "bundles" "listing of the streams";
    Fields "fields" "fields of the selected bundle";
    Sbuf "sbuf" "heatmap of SBUF";
    Psum "psum" "heatmap of PSUM";
    State "state" "engines, semaphores, registers";
    Log "log" "answers of commands";
    Lanes "lanes" "all engines in the order of execution";
    Timeline "timeline" "time from start to end";
    Cell "cell" "the element under the cursor";
    Tile "tile" "values of a place in rows and columns";
    Queues "queues" "queues and transfers in flight";
    Stops "stops" "breakpoints and former stops";
    Findings "findings" "what was found on the way";
    Before "before" "memory at the moment that `heat against` names";
}

impl PaneId {
    /// Name in commands and layouts.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or("")
    }

    /// What it shows.
    pub fn doc(self) -> &'static str {
        Self::DOCS.get(self as usize).copied().unwrap_or("")
    }

    /// The pane of a name.
    pub fn parse(name: &str) -> Option<PaneId> {
        let at = Self::NAMES.iter().position(|n| *n == name)?;
        Self::ALL.get(at).copied()
    }
}

/// A direction in which a pane gives or takes room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grow {
    /// More columns.
    Wider,
    /// Fewer columns.
    Narrower,
    /// More rows.
    Taller,
    /// Fewer rows.
    Shorter,
}

impl Grow {
    /// The words, in order.
    pub const NAMES: &[&str] = &["wider", "narrower", "taller", "shorter"];

    /// The direction of a word.
    pub fn parse(word: &str) -> Option<Grow> {
        let all = [Grow::Wider, Grow::Narrower, Grow::Taller, Grow::Shorter];
        let at = Self::NAMES.iter().position(|name| *name == word)?;
        all.get(at).copied()
    }
}

/// Names of the layouts that come with the program, and the one the user saved.
pub const LAYOUTS: &[&str] = &["default", "code", "memory", "sync", "saved"];

/// A request to the screen.
#[derive(Clone, PartialEq, Debug)]
pub enum Ask {
    /// Show a layout by name.
    Layout(String),
    /// Put a pane beside (true) or below the focused one.
    Split(bool, PaneId),
    /// Show and focus a pane.
    Open(PaneId),
    /// Take a pane away, the focused one if none is named.
    Close(Option<PaneId>),
    /// Give the focused pane the whole screen, and back.
    Zoom,
    /// Move the borders of the focused pane by so many cells.
    Grow(Grow, u16),
    /// Keep the layout for later sessions.
    SaveLayout,
    /// Say what the layout is.
    ShowLayout,
    /// Heatmap mode by name.
    HeatMode(String),
    /// Element kind of the heatmap.
    HeatKind(Kind),
    /// Show a place, in the heatmap of its memory and in the tile.
    HeatShow(Place),
    /// Ramp of the heatmaps by name.
    Palette(String),
    /// Write the heatmap to a picture file.
    HeatExport(PathBuf),
    /// Play the access pattern of an operand of the selected bundle; true: in the order of an array, false: of the hardware.
    Walk(bool),
    /// Write the screen to a file.
    Screenshot(PathBuf),
    /// Bundles per second at which runs are shown; `None`: as fast as possible.
    Slow(Option<u64>),
}

impl Ask {
    /// What is to be said of it where there is no screen: only files that are not written are missed.
    pub fn missed(&self) -> Option<String> {
        match self {
            Ask::HeatExport(file) | Ask::Screenshot(file) => Some(format!(
                "there is no screen here, {} was not written",
                file.display()
            )),
            _ => None,
        }
    }
}
