//! What commands ask of the screen.

use std::path::Path;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;

use super::{App, Played};
use crate::cmd::files::write_whole;
use crate::cmd::output::{Line, Tone};
use crate::cmd::screen::{Ask, Grow, PaneId};
use crate::isa::Space;
use crate::paint::palette::Palette;
use crate::session::HeatMode;
use crate::tui::layout::{Axis, Node};
use crate::tui::shot;
use crate::tui::walk::{self, Walk};

/// Time between two frames of an animation.
const FRAME: Duration = Duration::from_millis(33);

impl App {
    pub(super) fn grant(&mut self, ask: Ask) {
        match ask {
            Ask::Layout(name) if name == "saved" => self.show_saved(),
            Ask::Layout(name) => {
                if let Some(tree) = Node::named(&name) {
                    self.arrange(tree);
                }
            }
            Ask::Split(row, pane) => {
                let axis = if row { Axis::Row } else { Axis::Column };
                self.tree.split(self.focus, axis, pane);
                self.zoomed = false;
                self.set_focus(pane);
            }
            Ask::Open(pane) => self.open(pane),
            Ask::Close(pane) => self.close(pane.unwrap_or(self.focus)),
            Ask::Zoom => self.zoomed = !self.zoomed,
            Ask::Grow(grow, cells) => self.grow(grow, cells),
            Ask::ShowLayout => {
                let line = Line::pair("layout", self.tree.to_string());
                self.note(line);
            }
            Ask::SaveLayout => self.save_layout(),
            Ask::HeatMode(name) => {
                if let Some(mode) = HeatMode::parse(&name) {
                    self.with_panes(|panes, _| {
                        panes.sbuf.set_mode(mode);
                        panes.psum.set_mode(mode);
                    });
                }
            }
            Ask::HeatKind(kind) => {
                let memory = self.memory_pane();
                self.with_panes(|panes, view| panes.heat(memory).set_kind(kind, view));
            }
            Ask::HeatShow(place) => {
                self.with_panes(|panes, _| panes.tile.show(place));
                let id = match place.space {
                    Space::Sbuf => PaneId::Sbuf,
                    Space::Psum => PaneId::Psum,
                    Space::Dram => return,
                };
                self.memory = id;
                self.with_panes(|panes, view| panes.heat(id).show(&place, view));
            }
            Ask::Palette(name) => match Palette::parse(&name) {
                Some(palette) => self.theme.palette = palette,
                None => {
                    let known = Palette::ALL.map(Palette::name).join(", ");
                    self.warn(format!("there is no palette `{name}`; there are {known}"));
                }
            },
            Ask::Slow(rate) => self.slow = rate,
            Ask::HeatExport(path) => self.export_heat(&path),
            Ask::Screenshot(path) => self.shoot = Some(path),
            Ask::Walk(array) => self.walk(array),
        }
    }

    /// Shows another layout; the focus stays where it can.
    fn arrange(&mut self, tree: Node) {
        self.tree = tree;
        self.zoomed = false;
        let panes = self.tree.panes();
        if !panes.contains(&self.focus)
            && let Some(first) = panes.first()
        {
            self.focus = *first;
        }
    }

    /// Focuses a pane, putting it below the focused one when it is not there.
    pub(super) fn open(&mut self, pane: PaneId) {
        if !self.tree.panes().contains(&pane) {
            self.tree.split(self.focus, Axis::Column, pane);
        }
        self.set_focus(pane);
    }

    pub(super) fn close(&mut self, pane: PaneId) {
        let panes = self.tree.panes();
        let at = panes.iter().position(|p| *p == pane);
        if !self.tree.close(pane) {
            let why = if at.is_some() {
                "is the only pane"
            } else {
                "is not there"
            };
            self.warn(format!("{} {why}", pane.name()));
            return;
        }
        self.zoomed = false;
        if self.focus == pane {
            let left = self.tree.panes();
            let at = at.unwrap_or(0).saturating_sub(1);
            if let Some(id) = left.get(at) {
                self.set_focus(*id);
            }
        }
    }

    pub(super) fn grow(&mut self, grow: Grow, cells: u16) {
        let (axis, by) = match grow {
            Grow::Wider => (Axis::Row, i32::from(cells)),
            Grow::Narrower => (Axis::Row, -i32::from(cells)),
            Grow::Taller => (Axis::Column, i32::from(cells)),
            Grow::Shorter => (Axis::Column, -i32::from(cells)),
        };
        let parts = self.areas.panes.iter().map(|p| p.1);
        let body = parts.reduce(|a, b| a.union(b)).unwrap_or_default();
        self.tree.grow(self.focus, axis, by, body);
    }

    /// Plays the access pattern of the selected bundle: of the next operand when one is played already.
    fn walk(&mut self, array: bool) {
        let of = self.view().selected;
        let Some(instr) = self.shell.session().machine().instr(of.0, of.1) else {
            return;
        };
        let operands = walk::operands(&instr);
        let before = self
            .walk
            .as_ref()
            .filter(|w| w.of == of)
            .map(|w| w.operand + 1);
        let operand = before.unwrap_or(0) % operands.len().max(1);
        let made = operands
            .get(operand)
            .and_then(|o| Walk::new(&instr, o, array));
        let Some(made) = made else {
            self.warn("no operand of this bundle has its access pattern in the bundle");
            return;
        };
        self.stop_walk();
        let pane = match made.space() {
            Space::Psum => PaneId::Psum,
            _ => PaneId::Sbuf,
        };
        self.memory = pane;
        self.with_panes(|panes, view| panes.heat(pane).play(Some(made), view));
        self.walk = Some(Played {
            of,
            operand,
            pane,
            due: Some(Instant::now()),
        });
    }

    /// Shows the contents of memory again; false when nothing was played.
    pub(super) fn stop_walk(&mut self) -> bool {
        let Some(played) = self.walk.take() else {
            return false;
        };
        self.with_panes(|panes, view| panes.heat(played.pane).play(None, view));
        true
    }

    /// Shows the next frame of an animation at once.
    pub fn play(&mut self) {
        if let Some(played) = &mut self.walk {
            played.due = played.due.map(|_| Instant::now());
        }
        self.play_on(Instant::now());
    }

    /// Goes on with the access pattern that is played; true when there is a new frame.
    pub(super) fn play_on(&mut self, now: Instant) -> bool {
        let Some(played) = &mut self.walk else {
            return false;
        };
        if played.due.is_none_or(|d| now < d) {
            return false;
        }
        let more = self
            .panes
            .heat(played.pane)
            .walk()
            .is_some_and(Walk::advance);
        played.due = more.then(|| now + FRAME);
        true
    }

    fn export_heat(&mut self, path: &Path) {
        let memory = self.memory_pane();
        let picture = self.with_panes(|panes, view| shot::heat(panes.heat(memory), view));
        let bytes = if path.extension().is_some_and(|e| e == "svg") {
            Ok(picture.svg().into_bytes())
        } else {
            picture.png().map_err(|e| e.to_string())
        };
        let done = bytes.and_then(|b| write_whole(path, &b).map_err(|e| e.to_string()));
        self.written(path, done);
    }

    /// Writes what is on the screen.
    pub(super) fn keep_screen(&mut self, buffer: &Buffer, path: &Path) {
        let text = shot::screen(buffer, path);
        let done = write_whole(path, text.as_bytes()).map_err(|e| e.to_string());
        self.written(path, done);
    }

    fn written(&mut self, path: &Path, done: Result<(), String>) {
        let path = path.display();
        self.note(match done {
            Ok(()) => Line::pair("written", path.to_string()),
            Err(e) => Line::toned(Tone::Bad, format!("{path}: {e}")),
        });
    }

    fn save_layout(&mut self) {
        let Some(path) = self.layout_file.clone() else {
            self.warn("there is no configuration directory to keep the layout in");
            return;
        };
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        match made.and_then(|()| write_whole(&path, format!("{}\n", self.tree).as_bytes())) {
            Ok(()) => self.note(Line::pair("layout", format!("saved in {}", path.display()))),
            Err(e) => self.note(Line::toned(Tone::Bad, format!("{}: {e}", path.display()))),
        }
    }

    /// Shows the layout of the file.
    pub(super) fn show_saved(&mut self) {
        let Some(path) = &self.layout_file else {
            self.warn("no layout was saved");
            return;
        };
        let read = std::fs::read_to_string(path).map_err(|e| e.to_string());
        let tree = read.and_then(|text| Node::parse(text.trim_end()).map_err(|e| e.to_string()));
        match tree {
            Ok(tree) => self.arrange(tree),
            Err(e) => {
                let line = format!("{}: {e}", path.display());
                self.warn(line);
            }
        }
    }
}
