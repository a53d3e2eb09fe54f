//! The panes. Each draws from a [`View`] and turns keys into reactions; none can change the
//! machine.

pub mod bundles;
pub mod cell;
pub mod fields;
pub mod heat;
pub mod lanes;
pub mod log;
pub mod report;
pub mod scroll;
pub mod state;
pub mod stops;
pub mod tile;
pub mod timeline;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Text;
use ratatui::widgets::{Block, BorderType};
use unicode_width::UnicodeWidthStr;

use super::keymap::UiAction;
use crate::cmd::groups::info;
use crate::cmd::output::{Line, Tone};
use crate::cmd::screen::PaneId;
use crate::isa::{Queue, Space};
use crate::paint::spans;
use crate::paint::theme::Theme;
use crate::session::{Place, Session, StopKind};

/// A stop that was reported earlier.
#[derive(Clone, PartialEq, Debug)]
pub struct Past {
    /// Bundles retired then.
    pub seq: u64,
    /// Why.
    pub kind: StopKind,
    /// What was said about it.
    pub text: Line,
}

/// What panes see.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The session, to look at.
    pub session: &'a Session,
    /// Colours.
    pub theme: Theme,
    /// The bundle selected in the listing.
    pub selected: (Queue, u64),
    /// Lines of the log, oldest first.
    pub log: &'a [Line],
    /// Former stops, oldest first.
    pub past: &'a [Past],
    /// The element under the heatmap cursor, and the selection around it.
    pub aim: Option<(Place, Place)>,
}

/// What a pane made of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// Nothing: someone else may use it.
    Ignored,
    /// The pane changed what it shows.
    Used,
    /// This command line is to be run.
    Run(String),
}

/// A pane of the screen.
pub trait Pane {
    /// The text on its frame.
    fn title(&self, view: &View<'_>) -> Line;
    /// The text on the lower edge of its frame, after it was drawn.
    fn footer(&self, _view: &View<'_>) -> Line {
        Line::default()
    }
    /// Draws the inside.
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool);
    /// Handles a screen action that is aimed at the focused pane.
    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction;
    /// What its keys do, for the help of this pane: `(action, words)`.
    fn hints(&self) -> &'static [(UiAction, &'static str)];
    /// A click at a column and row of the inside; `drag`: the button was held down on the way there.
    fn click(&mut self, _at: (u16, u16), _drag: bool, _view: &View<'_>) -> Reaction {
        Reaction::Used
    }
    /// The place its cursor or selection stands for, if it shows memory.
    fn place(&self, _view: &View<'_>) -> Option<Place> {
        None
    }
    /// The text that `copy` takes.
    fn copied(&self, _view: &View<'_>) -> Option<String> {
        None
    }
    /// The machine moved: bring what matters into sight, only if it is out of sight.
    fn stopped(&mut self, _view: &View<'_>) {}
}

/// All panes, shown or not: each keeps what a person did to it.
pub struct Panes {
    /// Listing.
    pub bundles: bundles::Bundles,
    /// Answers.
    pub answers: log::Log,
    /// Heatmap of SBUF.
    pub sbuf: heat::Heat,
    /// Heatmap of PSUM.
    pub psum: heat::Heat,
    /// The moment compared with.
    pub before: heat::Heat,
    /// Values of a place.
    pub tile: tile::Tile,
    fields: fields::Fields,
    state: state::State,
    lanes: lanes::Lanes,
    timeline: timeline::Timeline,
    cell: cell::CellPane,
    queues: report::Report,
    stops: stops::StopsPane,
    findings: report::Report,
}

impl Default for Panes {
    fn default() -> Panes {
        Panes {
            bundles: bundles::Bundles::default(),
            answers: log::Log::default(),
            sbuf: heat::Heat::new(Space::Sbuf, false),
            psum: heat::Heat::new(Space::Psum, false),
            before: heat::Heat::new(Space::Sbuf, true),
            tile: tile::Tile::default(),
            fields: fields::Fields::default(),
            state: state::State::default(),
            lanes: lanes::Lanes::default(),
            timeline: timeline::Timeline::default(),
            cell: cell::CellPane::default(),
            queues: report::Report::new("Queues", info::queues),
            stops: stops::StopsPane::default(),
            findings: report::Report::new("Findings", info::findings),
        }
    }
}

macro_rules! pick {
    ($self:ident, $id:ident, $($borrow:tt)+) => {
        match $id {
            PaneId::Bundles => $($borrow)+ $self.bundles,
            PaneId::Fields => $($borrow)+ $self.fields,
            PaneId::Sbuf => $($borrow)+ $self.sbuf,
            PaneId::Psum => $($borrow)+ $self.psum,
            PaneId::State => $($borrow)+ $self.state,
            PaneId::Log => $($borrow)+ $self.answers,
            PaneId::Lanes => $($borrow)+ $self.lanes,
            PaneId::Timeline => $($borrow)+ $self.timeline,
            PaneId::Cell => $($borrow)+ $self.cell,
            PaneId::Tile => $($borrow)+ $self.tile,
            PaneId::Queues => $($borrow)+ $self.queues,
            PaneId::Stops => $($borrow)+ $self.stops,
            PaneId::Findings => $($borrow)+ $self.findings,
            PaneId::Before => $($borrow)+ $self.before,
        }
    };
}

impl Panes {
    /// A pane, to look at.
    pub fn get(&self, id: PaneId) -> &dyn Pane {
        pick!(self, id, &)
    }

    /// A pane.
    pub fn get_mut(&mut self, id: PaneId) -> &mut dyn Pane {
        pick!(self, id, &mut)
    }

    /// A heatmap; SBUF for panes that are none.
    pub fn heat(&mut self, id: PaneId) -> &mut heat::Heat {
        match id {
            PaneId::Psum => &mut self.psum,
            PaneId::Before => &mut self.before,
            _ => &mut self.sbuf,
        }
    }
}

/// The area inside the frame of a pane.
pub fn inside(area: Rect) -> Rect {
    Block::bordered().inner(area)
}

/// Draws a frame with a title and gives the area inside. `number` is the key that focuses the pane.
pub fn framed(
    frame: &mut Frame<'_>,
    area: Rect,
    (number, title): (usize, &Line),
    view: &View<'_>,
    focused: bool,
) -> Rect {
    let border = if focused {
        spans::style(Tone::Key, view.theme).add_modifier(Modifier::BOLD)
    } else {
        Style::new().add_modifier(Modifier::DIM)
    };
    let digit = match number {
        1..=9 => format!(" {number}"),
        _ => String::new(),
    };
    let mut line = Line::toned(if focused { Tone::Key } else { Tone::Dim }, digit);
    line.0.extend(title.0.iter().cloned());
    let block = Block::bordered()
        .border_type(if focused {
            BorderType::Thick
        } else {
            BorderType::Plain
        })
        .border_style(border)
        .title_top(spans::line(&line, view.theme).style(Style::new()));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    inside
}

/// Writes on the lower edge of a frame, as far as there is room.
pub fn footed(frame: &mut Frame<'_>, area: Rect, footer: &Line, view: &View<'_>) {
    let wide = footer.text().width() as u16;
    if wide == 0 || wide + 4 > area.width || area.height < 3 {
        return;
    }
    let at = Rect {
        x: area.right() - wide - 2,
        y: area.bottom() - 1,
        width: wide,
        height: 1,
    };
    frame.render_widget(Text::from(spans::line(footer, view.theme)), at);
}
