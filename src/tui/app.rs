//! The application behind the screen: events in, drawn frames out. Holds view state only; every
//! change of the machine goes through a command line.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::draw;
use super::keymap::{Binding, Key, Keymap, Match, UiAction};
use super::layout::{self, Areas, PaneId};
use super::panes::bundles::Bundles;
use super::panes::fields::Fields;
use super::panes::heat::Heat;
use super::panes::log::Log;
use super::panes::state::State;
use super::panes::{Pane, Reaction, View};
use super::prompt::{Edit, Prompt};
use crate::cmd::outcome::{Effect, Outcome};
use crate::cmd::output::{Line, Tone};
use crate::cmd::shell::{Shell, Started};
use crate::isa::Space;
use crate::paint::theme::Theme;
use crate::session::{Budget, StopSpec};

/// Who gets the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The keymap.
    Keys,
    /// The command prompt.
    Prompt,
    /// The search prompt.
    Search,
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
/// How long a slice of a run may take: keys are looked at in between.
const SLICE: Duration = Duration::from_millis(15);

/// The application.
pub struct App {
    shell: Shell,
    title: String,
    theme: Theme,
    keymap: Keymap,
    pub(super) mode: Mode,
    pub(super) focus: PaneId,
    zoomed: bool,
    memory: PaneId,
    mouse: bool,
    pub(super) pending: Vec<Key>,
    pub(super) prompt: Prompt,
    needle: String,
    pub(super) candidates: Vec<(String, String)>,
    log: Vec<Line>,
    last_line: Option<String>,
    running: Option<Instant>,
    /// Bundles per slice, fitted to [`SLICE`].
    slice: u64,
    bundles: Bundles,
    fields: Fields,
    sbuf: Heat,
    psum: Heat,
    state: State,
    answers: Log,
    areas: Areas,
    wishes: Vec<Wish>,
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
            zoomed: false,
            memory: PaneId::Sbuf,
            mouse: false,
            pending: Vec::new(),
            prompt: Prompt::default(),
            needle: String::new(),
            candidates: Vec::new(),
            log: Vec::new(),
            last_line: None,
            running: None,
            slice: 256,
            bundles: Bundles::default(),
            fields: Fields::default(),
            sbuf: Heat::new(Space::Sbuf),
            psum: Heat::new(Space::Psum),
            state: State::default(),
            answers: Log::default(),
            areas: layout::cut(Rect::default(), PaneId::Bundles, false, PaneId::Sbuf),
            wishes: Vec::new(),
        };
        app.moved();
        app
    }

    /// The shell.
    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    /// What the status line calls the program.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Adds a line to the log, e.g. a warning of the start-up.
    pub fn note(&mut self, line: Line) {
        self.log.push(line);
        if self.log.len() > LOG {
            self.log.drain(..LOG / 10);
        }
        self.answers.show_end();
    }

    /// Takes what the terminal is to do.
    pub fn wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// Is a run in progress?
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// How long the run in progress has taken.
    pub(super) fn running_for(&self) -> Option<Duration> {
        self.running.map(|t| t.elapsed())
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            session: self.shell.session(),
            theme: self.theme,
            selected: self.bundles.selected(self.shell.session()),
            log: &self.log,
        }
    }

    pub(super) fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    pub(super) fn pane(&self, id: PaneId) -> &dyn Pane {
        match id {
            PaneId::Bundles => &self.bundles,
            PaneId::Fields => &self.fields,
            PaneId::Sbuf => &self.sbuf,
            PaneId::Psum => &self.psum,
            PaneId::State => &self.state,
            PaneId::Log => &self.answers,
        }
    }

    /// Calls `f` with a pane and what it sees.
    fn with_pane<R>(&mut self, id: PaneId, f: impl FnOnce(&mut dyn Pane, &View<'_>) -> R) -> R {
        let session = self.shell.session();
        let view = View {
            session,
            theme: self.theme,
            selected: self.bundles.selected(session),
            log: &self.log,
        };
        let pane: &mut dyn Pane = match id {
            PaneId::Bundles => &mut self.bundles,
            PaneId::Fields => &mut self.fields,
            PaneId::Sbuf => &mut self.sbuf,
            PaneId::Psum => &mut self.psum,
            PaneId::State => &mut self.state,
            PaneId::Log => &mut self.answers,
        };
        f(pane, &view)
    }

    /// Draws a frame.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.areas = layout::cut(frame.area(), self.focus, self.zoomed, self.memory);
        let areas = self.areas.clone();
        draw::status(self, frame, areas.status);
        for (id, area) in &areas.panes {
            let focused = *id == self.focus;
            self.with_pane(*id, |pane, view| {
                let inside = super::panes::framed(frame, *area, &pane.title(view), view, focused);
                if !inside.is_empty() {
                    pane.draw(frame, inside, view, focused);
                }
            });
        }
        draw::prompt(self, frame, areas.prompt);
        draw::overlays(self, frame);
    }

    /// Handles a terminal event; true when something may look different.
    pub fn handle(&mut self, event: &Event) -> bool {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Paste(text) => self.paste(text),
            Event::Mouse(mouse) => self.mouse(*mouse),
            Event::Resize(..) => true,
            _ => false,
        }
    }

    fn key(&mut self, event: &KeyEvent) -> bool {
        if self.is_running()
            && Key::of(event).is_some_and(|k| matches!(k.to_string().as_str(), "Esc" | "C-c"))
        {
            let outcome = self.shell.cancel();
            self.finished(outcome);
            return true;
        }
        match self.mode {
            Mode::Help => self.mode = Mode::Keys,
            Mode::Prompt | Mode::Search => self.prompt_key(event),
            Mode::Keys => {
                let Some(key) = Key::of(event) else {
                    return false;
                };
                self.pending.push(key);
                match self.keymap.find(&self.pending) {
                    Match::Prefix => {}
                    Match::Nothing => self.pending.clear(),
                    Match::Bound(binding) => {
                        self.pending.clear();
                        self.run_binding(&binding);
                    }
                }
            }
        }
        true
    }

    fn prompt_key(&mut self, event: &KeyEvent) {
        self.candidates.clear();
        match (self.prompt.key(event), self.mode) {
            (Edit::Submit(line), Mode::Search) => {
                self.mode = Mode::Keys;
                if !line.is_empty() {
                    self.needle = line;
                }
                self.search();
            }
            (Edit::Submit(line), _) => {
                self.mode = Mode::Keys;
                self.run_line(&line);
            }
            (Edit::Cancel, _) => {
                self.prompt.set("");
                self.mode = Mode::Keys;
            }
            (Edit::Complete, Mode::Prompt) => self.complete(),
            _ => {}
        }
    }

    /// Completes what all candidates share, and shows them when there are several.
    fn complete(&mut self) {
        let found = self
            .shell
            .complete(self.prompt.text(), self.prompt.cursor());
        let texts: Vec<&str> = found.candidates.iter().map(|c| c.text.as_str()).collect();
        let Some(first) = texts.first() else { return };
        let shared = texts.iter().fold(first.len(), |n, t| {
            let same = first
                .bytes()
                .zip(t.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            n.min(same)
        });
        let mut shared = shared;
        while !first.is_char_boundary(shared) {
            shared -= 1;
        }
        let mut insert = first.get(..shared).unwrap_or("").to_owned();
        if texts.len() == 1 && !insert.ends_with('/') {
            insert.push(' ');
        }
        self.prompt.complete(found.at, &insert);
        if found.candidates.len() > 1 {
            self.candidates = found
                .candidates
                .into_iter()
                .map(|c| (c.text, c.note))
                .collect();
        }
    }

    fn paste(&mut self, text: &str) -> bool {
        let mut lines: Vec<&str> = text.lines().collect();
        // Complete lines are executed, the rest stays in the prompt.
        let rest = if text.ends_with('\n') {
            None
        } else {
            lines.pop()
        };
        for line in lines {
            self.run_line(line);
        }
        if let Some(rest) = rest {
            self.mode = Mode::Prompt;
            self.prompt.insert(rest);
        }
        true
    }

    fn mouse(&mut self, event: MouseEvent) -> bool {
        let at = Position::new(event.column, event.row);
        let Some((id, _)) = self.areas.panes.iter().find(|p| p.1.contains(at)).copied() else {
            return false;
        };
        let action = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.set_focus(id);
                return true;
            }
            MouseEventKind::ScrollDown => UiAction::Down,
            MouseEventKind::ScrollUp => UiAction::Up,
            _ => return false,
        };
        self.with_pane(id, |pane, view| pane.act(action, view)) == Reaction::Used
    }

    fn run_binding(&mut self, binding: &Binding) {
        match binding {
            Binding::Ui(action) => self.act(*action),
            Binding::Line(template) => match self.fill(template) {
                Ok(line) => self.run_line(&line),
                Err(missing) => self.note(Line::toned(Tone::Warn, missing)),
            },
        }
    }

    /// Fills the placeholders of a bound line; an error says what is missing.
    fn fill(&self, template: &str) -> Result<String, String> {
        let view = self.view();
        let heat: &Heat = if self.memory_pane() == PaneId::Psum {
            &self.psum
        } else {
            &self.sbuf
        };
        let mut line = template.to_owned();
        if line.contains("{bundle}") {
            let (queue, index) = view.selected;
            line = line.replace("{bundle}", &format!("{}:{index}", queue.name()));
        }
        if line.contains("{cell}") {
            line = line.replace("{cell}", &heat.cell(&view).to_string());
        }
        if line.contains("{selection}") {
            let place = heat.place(&view).ok_or("nothing is selected")?;
            line = line.replace("{selection}", &place.to_string());
        }
        if line.contains("{writer}") {
            let place = heat.cell(&view);
            let who = self.shell.session().who(&place, 1).ok();
            let seq = who.and_then(|w| w.list.first().map(|t| t.seq));
            let seq = seq.ok_or_else(|| format!("no known bundle wrote {place}"))?;
            line = line.replace("{writer}", &seq.to_string());
        }
        Ok(line)
    }

    /// The heatmap that keys like `w` speak of: the focused one, else the one looked at last.
    fn memory_pane(&self) -> PaneId {
        match self.focus {
            PaneId::Sbuf | PaneId::Psum => self.focus,
            _ => self.memory,
        }
    }

    /// Runs a command line, as if it was typed at the prompt.
    pub fn run_line(&mut self, line: &str) {
        let line = line.trim();
        self.note(Line::toned(Tone::Dim, format!("> {line}")));
        self.last_line = Some(line.to_owned());
        match self.shell.start(line) {
            Started::Empty => {}
            Started::Done(outcome) => self.finished(Some(*outcome)),
            Started::Running => {
                self.running = Some(Instant::now());
                self.tick();
            }
        }
    }

    /// Runs the lines of `-x` files and `-e` commands, before the first key.
    pub fn run_script(&mut self) {
        while let Some(item) = self.shell.script.next() {
            self.run_line(&item.text);
            while self.is_running() {
                self.tick();
            }
        }
    }

    /// Goes on with a run for one slice; true when something may look different.
    pub fn tick(&mut self) -> bool {
        if self.running.is_none() {
            return false;
        }
        let begun = Instant::now();
        let outcome = self.shell.poll(Budget {
            bundles: self.slice,
        });
        let took = begun.elapsed();
        self.slice = if took > SLICE {
            (self.slice / 2).max(1)
        } else {
            (self.slice * 2).min(1 << 20)
        };
        if outcome.is_some() {
            self.finished(outcome);
        }
        true
    }

    fn finished(&mut self, outcome: Option<Outcome>) {
        self.running = None;
        let Some(outcome) = outcome else { return };
        match &outcome.result {
            Ok(output) => {
                for line in &output.lines {
                    self.note(line.clone());
                }
            }
            Err(e) => {
                self.note(Line::toned(Tone::Bad, e.to_string()));
                for line in e.caret(&outcome.command).lines() {
                    self.note(Line::toned(Tone::Dim, line.to_owned()));
                }
            }
        }
        if outcome.effect != Effect::Look {
            self.moved();
        }
        if self.shell.is_over() {
            self.wishes.push(Wish::Quit);
        }
    }

    /// The machine may have moved: panes look where it stands.
    fn moved(&mut self) {
        for id in PaneId::ALL {
            self.with_pane(id, |pane, view| pane.stopped(view));
        }
    }

    fn set_focus(&mut self, id: PaneId) {
        self.focus = id;
        if matches!(id, PaneId::Sbuf | PaneId::Psum) {
            self.memory = id;
        }
    }

    fn turn_focus(&mut self, back: bool) {
        // Zoomed or tiny screens show one pane: there the order of the numbers counts.
        let shown: Vec<PaneId> = match self.areas.panes.len() {
            0 | 1 => PaneId::ALL.to_vec(),
            _ => self.areas.panes.iter().map(|p| p.0).collect(),
        };
        let at = shown.iter().position(|p| *p == self.focus).unwrap_or(0);
        let step = if back { shown.len() - 1 } else { 1 };
        if let Some(id) = shown.get((at + step) % shown.len().max(1)) {
            self.set_focus(*id);
        }
    }

    fn act(&mut self, action: UiAction) {
        match action {
            UiAction::Quit => self.wishes.push(Wish::Quit),
            UiAction::Suspend => self.wishes.push(Wish::Suspend),
            UiAction::Redraw => self.wishes.push(Wish::Redraw),
            UiAction::Mouse => {
                self.mouse = !self.mouse;
                self.wishes.push(Wish::Mouse(self.mouse));
                let state = if self.mouse { "on" } else { "off" };
                self.note(Line::plain(format!("mouse {state}")));
            }
            UiAction::Copy => {
                let text = self.with_pane(self.focus, |pane, view| pane.copied(view));
                match text {
                    Some(t) => {
                        self.note(Line::toned(Tone::Dim, format!("copied: {t}")));
                        self.wishes.push(Wish::Copy(t));
                    }
                    None => self.note(Line::toned(Tone::Dim, "nothing to copy here")),
                }
            }
            UiAction::Prompt => self.mode = Mode::Prompt,
            UiAction::Search => self.mode = Mode::Search,
            UiAction::SearchNext => self.search(),
            UiAction::Help => self.mode = Mode::Help,
            UiAction::Repeat => {
                if let Some(line) = self.last_line.clone() {
                    self.run_line(&line);
                }
            }
            UiAction::UntilHere => {
                let (queue, index) = self.view().selected;
                self.run_line(&format!("until ${}.pc == {index}", queue.name()));
            }
            UiAction::ToggleBreak => self.toggle_break(),
            UiAction::DiffHere => {
                let seq = self.shell.session().seq().saturating_sub(1);
                self.run_line(&format!("diff {seq}"));
            }
            UiAction::NextPane => self.turn_focus(false),
            UiAction::PreviousPane => self.turn_focus(true),
            UiAction::ZoomPane => self.zoomed = !self.zoomed,
            UiAction::Pane1 => self.set_focus(PaneId::Bundles),
            UiAction::Pane2 => self.set_focus(PaneId::Fields),
            UiAction::Pane3 => self.set_focus(PaneId::Sbuf),
            UiAction::Pane4 => self.set_focus(PaneId::Psum),
            UiAction::Pane5 => self.set_focus(PaneId::State),
            UiAction::Pane6 => self.set_focus(PaneId::Log),
            _ => self.pass(action),
        }
    }

    /// Gives an action to the focused pane; memory actions reach the heatmap from anywhere, stream
    /// actions the listing.
    fn pass(&mut self, action: UiAction) {
        let first = self.with_pane(self.focus, |pane, view| pane.act(action, view));
        if first == Reaction::Used {
            return;
        }
        let other = match action {
            UiAction::HeatMode
            | UiAction::DType
            | UiAction::ZoomIn
            | UiAction::ZoomOut
            | UiAction::Select => self.memory_pane(),
            UiAction::NextStream | UiAction::PreviousStream | UiAction::Follow => PaneId::Bundles,
            _ => return,
        };
        self.with_pane(other, |pane, view| pane.act(action, view));
    }

    fn search(&mut self) {
        if self.needle.is_empty() {
            return;
        }
        let found = self.bundles.search(self.shell.session(), &self.needle);
        self.set_focus(PaneId::Bundles);
        if !found {
            let m = format!("no bundle of this stream contains {:?}", self.needle);
            self.note(Line::toned(Tone::Warn, m));
        }
    }

    fn toggle_break(&mut self) {
        let (queue, index) = self.view().selected;
        let here = self.shell.session().stops().iter().find(
            |b| matches!(b.spec, StopSpec::Pc { queue: q, index: i } if q == queue && i == index),
        );
        let line = match here {
            Some(b) => format!("delete {}", b.id),
            None => format!("break pc {}:{index}", queue.name()),
        };
        self.run_line(&line);
    }
}
