//! Engines, registers, semaphores and events: only what says something, in fixed columns.

use std::collections::BTreeMap;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::isa::Queue;
use crate::paint::spans;
use crate::session::{Session, Stuck};
use crate::sim::State as Machine;
use crate::tui::keymap::UiAction;

/// The state pane.
#[derive(Debug, Default)]
pub struct State {
    top: usize,
    lines: usize,
    height: usize,
    /// What was shown at the stop before, to mark what changed.
    before: Shown,
    now: Shown,
    /// Of a stream that waits, the bundles that could let it go on.
    posters: BTreeMap<Queue, String>,
}

/// Values a person compares between stops.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    registers: BTreeMap<(Queue, u8), u32>,
    semaphores: BTreeMap<u8, u32>,
    events: Vec<u8>,
}

impl Shown {
    fn of(session: &Session) -> Shown {
        let state: &Machine = session.state();
        let mut shown = Shown::default();
        for queue in session.machine().queues() {
            let agent = queue.index() as u8;
            for reg in (0..64).filter(|r| state.reg_defined(agent, *r)) {
                shown.registers.insert((queue, reg), state.reg(agent, reg));
            }
        }
        for sem in (0..=255).filter(|s| state.sem(*s) != 0) {
            shown.semaphores.insert(sem, state.sem(sem));
        }
        shown.events = (0..=255).filter(|e| state.event(*e)).collect();
        shown
    }
}

impl State {
    fn engines(&self, view: &View<'_>) -> Vec<Line> {
        let machine = view.session.machine();
        let mut lines = Vec::new();
        for queue in machine.queues() {
            let head = Line::toned(Tone::Key, format!("{:<5}", queue.to_string()));
            let line = if machine.exited(queue) {
                head.then(Tone::Dim, "exited")
            } else if let Some(b) = machine.blocked(queue) {
                let waits: Vec<String> = b.waits.iter().map(ToString::to_string).collect();
                let barrier: Vec<String> = b.barrier.iter().map(ToString::to_string).collect();
                let why = if waits.is_empty() {
                    format!("barrier, missing {}", barrier.join(" "))
                } else {
                    waits.join(" and ")
                };
                let posters = self.posters.get(&queue).map_or("", String::as_str);
                head.then(Tone::Warn, format!("at {} waits {why}", b.index))
                    .then(Tone::Dim, posters.to_owned())
            } else {
                head.then(Tone::Good, format!("at {}", machine.pc(queue)))
            };
            lines.push(line);
        }
        lines
    }

    /// Values in columns of a fixed width, so nothing moves when they change.
    fn table(items: Vec<(Tone, String)>, width: usize, cell: usize) -> Vec<Line> {
        let per_line = (width / cell).max(1);
        items
            .chunks(per_line)
            .map(|chunk| {
                chunk.iter().fold(Line::default(), |line, (tone, text)| {
                    line.then(*tone, format!("{text:<cell$}"))
                })
            })
            .collect()
    }

    fn content(&self, view: &View<'_>, width: usize) -> Vec<Line> {
        let mut lines = self.engines(view);
        let (now, before) = (&self.now, &self.before);
        let tone = |changed: bool| if changed { Tone::Warn } else { Tone::Value };
        let sems: std::collections::BTreeSet<u8> = now
            .semaphores
            .keys()
            .chain(before.semaphores.keys())
            .copied()
            .collect();
        let sems = sems.into_iter().map(|s| {
            let (a, b) = (
                now.semaphores.get(&s).copied().unwrap_or(0),
                before.semaphores.get(&s).copied().unwrap_or(0),
            );
            (tone(a != b), format!("S{s}={a}"))
        });
        let events = now
            .events
            .iter()
            .map(|e| (tone(!before.events.contains(e)), format!("E{e}=1")));
        let sync: Vec<_> = sems.chain(events).collect();
        if sync.is_empty() {
            lines.push(Line::toned(Tone::Dim, "all semaphores 0, no event set"));
        }
        lines.extend(Self::table(sync, width, 12));
        let focus = view.selected.0;
        let regs: Vec<_> = now
            .registers
            .iter()
            .filter(|((q, _), _)| *q == focus)
            .map(|((q, r), v)| {
                (
                    tone(before.registers.get(&(*q, *r)) != Some(v)),
                    format!("r{r}={v:#x}"),
                )
            })
            .collect();
        if regs.is_empty() {
            lines.push(Line::toned(
                Tone::Dim,
                format!("no register of {focus} is set"),
            ));
        }
        lines.extend(Self::table(regs, width, 16));
        lines
    }
}

/// The next bundles of other streams that could end a wait.
fn who_could(stuck: &Stuck) -> String {
    let all: Vec<String> = stuck
        .posters
        .iter()
        .flatten()
        .map(|p| format!("{}:{}", p.queue, p.index))
        .collect();
    match (all.is_empty(), stuck.why.waits.is_empty()) {
        (false, _) => format!(" (next: {})", all.join(" ")),
        (true, false) => " (nobody posts it)".to_owned(),
        (true, true) => String::new(),
    }
}

impl Pane for State {
    fn title(&self, view: &View<'_>) -> Line {
        Line::plain(" Engines · Semaphores · Registers ")
            .then(Tone::Key, format!("{} ", view.selected.0))
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, _focused: bool) {
        if self.now == Shown::default() {
            self.now = Shown::of(view.session);
        }
        let lines = self.content(view, usize::from(area.width));
        self.height = usize::from(area.height);
        self.lines = lines.len();
        self.top = self.top.min(self.lines.saturating_sub(self.height));
        let shown = lines
            .iter()
            .skip(self.top)
            .map(|l| spans::line(l, view.theme));
        frame.render_widget(Text::from_iter(shown), area);
    }

    fn act(&mut self, action: UiAction, _view: &View<'_>) -> Reaction {
        let page = self.height.saturating_sub(1).max(1);
        match action {
            UiAction::Up => self.top = self.top.saturating_sub(1),
            UiAction::Down => self.top += 1,
            UiAction::PageUp => self.top = self.top.saturating_sub(page),
            UiAction::PageDown => self.top += page,
            UiAction::Home => self.top = 0,
            UiAction::End => self.top = self.lines,
            _ => return Reaction::Ignored,
        }
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Down, "further down"),
            (UiAction::Up, "further up"),
        ]
    }

    fn stopped(&mut self, view: &View<'_>) {
        let session = view.session;
        let stuck = session
            .machine()
            .queues()
            .filter_map(|q| Some((q, session.stuck(q)?)));
        self.posters = stuck.map(|(q, s)| (q, who_could(&s))).collect();
        let now = Shown::of(view.session);
        self.before = std::mem::replace(&mut self.now, now);
    }
}
