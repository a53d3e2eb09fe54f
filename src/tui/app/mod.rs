//! The application behind the screen: events in, drawn frames out. Holds view state only; every
//! change of the machine goes through a command line.

mod act;
mod ask;
mod input;
mod run;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ratatui::Frame;

use super::keymap::{Key, Keymap};
use super::layout::{self, Areas, Node, PaneId};
use super::menu::{Completions, Palette};
use super::panes::{self, Pane, Panes, Past, View};
use super::prompt::Prompt;
use super::{draw, overlays};
use crate::cmd::output::{Line, Tone};
use crate::cmd::shell::Shell;
use crate::isa::Queue;
use crate::paint::theme::Theme;
use crate::session::Place;

/// Who gets the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The keymap.
    Keys,
    /// The command prompt.
    Prompt,
    /// The search prompt.
    Search,
    /// The palette of commands and actions.
    Palette,
    /// The help of a pane; any key leaves it.
    Help,
}

/// What the loop around the application has to do to the terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wish {
    /// Leave.
    Quit,
    /// Stop the process as Ctrl-Z does.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Mouse reports on or off.
    Mouse(bool),
    /// Put a text on the clipboard.
    Copy(String),
}

/// Log lines kept.
const LOG: usize = 5000;

/// A run in progress.
struct Running {
    since: Instant,
    /// Bundles retired when it began.
    from: u64,
    /// Bundles per second; `None`: as fast as possible.
    pace: Option<u64>,
    /// When the next slice is due.
    due: Instant,
}

/// An access pattern that is played.
struct Played {
    of: (Queue, u64),
    operand: usize,
    pane: PaneId,
    /// When the next frame is due; `None` at the end.
    due: Option<Instant>,
}

/// The application.
pub struct App {
    shell: Shell,
    title: String,
    theme: Theme,
    keymap: Keymap,
    pub(super) mode: Mode,
    pub(super) focus: PaneId,
    tree: Node,
    zoomed: bool,
    memory: PaneId,
    mouse: bool,
    pub(super) pending: Vec<Key>,
    pub(super) prompt: Prompt,
    needle: String,
    pub(super) completions: Completions,
    pub(super) palette: Palette,
    log: Vec<Line>,
    /// The first line of the last answer, until the next key.
    answer: Option<Line>,
    past: Vec<Past>,
    aim: Option<(Place, Place)>,
    last_line: Option<String>,
    running: Option<Running>,
    /// Bundles per slice, fitted to the time that a slice may take.
    slice: u64,
    /// Bundles per second of a slow run.
    slow: Option<u64>,
    /// Path of time and position that the panes were told of.
    told: (u64, u64),
    panes: Panes,
    areas: Areas,
    wishes: Vec<Wish>,
    /// Where the layout is kept.
    layout_file: Option<PathBuf>,
    /// Bundle and operand whose access pattern is played, and where.
    walk: Option<Played>,
    /// The next frame is to be written here.
    shoot: Option<PathBuf>,
}

impl App {
    /// An application over a shell; `title` names the program.
    pub fn new(shell: Shell, title: String, theme: Theme, keymap: Keymap) -> App {
        let mut app = App {
            shell,
            title,
            theme,
            keymap,
            mode: Mode::Keys,
            focus: PaneId::Bundles,
            tree: Node::named("default").unwrap_or(Node::Pane(PaneId::Bundles)),
            zoomed: false,
            memory: PaneId::Sbuf,
            mouse: false,
            pending: Vec::new(),
            prompt: Prompt::default(),
            needle: String::new(),
            completions: Completions::default(),
            palette: Palette::default(),
            log: Vec::new(),
            answer: None,
            past: Vec::new(),
            aim: None,
            last_line: None,
            running: None,
            slice: 256,
            slow: None,
            told: (0, 0),
            panes: Panes::default(),
            areas: Areas::default(),
            wishes: Vec::new(),
            layout_file: None,
            walk: None,
            shoot: None,
        };
        app.moved();
        app
    }

    /// Keeps layouts in a file, and shows the one in it.
    #[must_use]
    pub fn with_layout_file(mut self, file: Option<PathBuf>) -> App {
        self.layout_file = file;
        if self.layout_file.as_ref().is_some_and(|f| f.exists()) {
            self.show_saved();
        }
        self
    }

    /// The shell.
    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    /// What the status line calls the program.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// The last answer, when no pane shows it.
    pub(super) fn unseen_answer(&self) -> Option<&Line> {
        let unseen = self.areas.of(PaneId::Log).is_none();
        self.answer.as_ref().filter(|_| unseen)
    }

    /// Adds a line to the log, e.g. a warning of the start-up.
    pub fn note(&mut self, line: Line) {
        self.log.push(line);
        if self.log.len() > LOG {
            self.log.drain(..LOG / 10);
        }
        self.panes.answers.show_end();
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.note(Line::toned(Tone::Warn, text));
    }

    /// Takes what the terminal is to do.
    pub fn wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// Is a run in progress?
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// How long until something is to be done without a key; `None`: nothing.
    pub fn due(&self) -> Option<Duration> {
        let run = self.running.as_ref().map(|r| r.due);
        let due = run.or(self.walk.as_ref().and_then(|w| w.due))?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// How long the run in progress has taken, and how many bundles it retired.
    pub(super) fn progress(&self) -> Option<(Duration, u64)> {
        let running = self.running.as_ref()?;
        Some((
            running.since.elapsed(),
            self.shell.session().seq().abs_diff(running.from),
        ))
    }

    /// Bundles per second of the run in progress, when it is a slow one.
    pub(super) fn pace(&self) -> Option<u64> {
        self.running.as_ref()?.pace
    }

    /// Are mouse reports on?
    pub(super) fn has_mouse(&self) -> bool {
        self.mouse
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            session: self.shell.session(),
            theme: self.theme,
            selected: self.panes.bundles.selected(self.shell.session()),
            log: &self.log,
            past: &self.past,
            aim: self.aim,
        }
    }

    pub(super) fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    pub(super) fn pane(&self, id: PaneId) -> &dyn Pane {
        self.panes.get(id)
    }

    /// Calls `f` with a pane and what it sees.
    fn with_pane<R>(&mut self, id: PaneId, f: impl FnOnce(&mut dyn Pane, &View<'_>) -> R) -> R {
        self.with_panes(|panes, view| f(panes.get_mut(id), view))
    }

    /// Calls `f` with all panes and what they see.
    fn with_panes<R>(&mut self, f: impl FnOnce(&mut Panes, &View<'_>) -> R) -> R {
        let session = self.shell.session();
        let view = View {
            session,
            theme: self.theme,
            selected: self.panes.bundles.selected(session),
            log: &self.log,
            past: &self.past,
            aim: self.aim,
        };
        f(&mut self.panes, &view)
    }

    /// The heatmap that keys like `w` speak of: the focused one, else the one looked at last.
    fn memory_pane(&self) -> PaneId {
        match self.focus {
            PaneId::Sbuf | PaneId::Psum => self.focus,
            _ => self.memory,
        }
    }

    /// The element and the rectangle that keys like `w` speak of: those of the tile when it is focused, else of the heatmap.
    fn aims(&mut self) -> (Place, Place) {
        let memory = self.memory_pane();
        let tile = self.focus == PaneId::Tile;
        self.with_panes(|panes, view| {
            let heat = panes.heat(memory);
            let aim = (heat.cell(view), heat.selection(view));
            let in_tile = panes.tile.place(view).filter(|_| tile);
            in_tile.map_or(aim, |p| (p, p))
        })
    }

    /// Draws a frame.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.areas = layout::cut(
            &self.tree,
            frame.area(),
            self.focus,
            self.zoomed,
            self.memory,
        );
        self.aim = Some(self.aims());
        let areas = self.areas.clone();
        draw::status(self, frame, areas.status);
        let order = self.tree.panes();
        let memory = self.memory_pane();
        for (id, area) in &areas.panes {
            let focused = *id == self.focus;
            let number = order.iter().position(|p| p == id).map_or(0, |i| i + 1);
            self.with_panes(|panes, view| {
                if *id == PaneId::Before {
                    let source = if memory == PaneId::Psum {
                        &panes.psum
                    } else {
                        &panes.sbuf
                    };
                    panes.before.mirror(source);
                }
                let pane = panes.get_mut(*id);
                let title = pane.title(view);
                let inside = panes::framed(frame, *area, (number, &title), view, focused);
                if !inside.is_empty() {
                    pane.draw(frame, inside, view, focused);
                    panes::footed(frame, *area, &pane.footer(view), view);
                }
            });
        }
        draw::prompt(self, frame, areas.prompt);
        overlays::draw(self, frame);
        if let Some(path) = self.shoot.take() {
            self.keep_screen(frame.buffer_mut(), &path);
        }
    }

    /// The machine may have moved: panes look where it stands.
    fn moved(&mut self) {
        self.told = self.shell.session().moment();
        for id in PaneId::ALL {
            self.with_pane(*id, |pane, view| pane.stopped(view));
        }
    }
}
