//! The listing: one stream at a time, a tab for each.

use std::collections::BTreeMap;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::Paragraph;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::isa::{Queue, text};
use crate::paint::spans;
use crate::session::{Session, StopKind, StopSpec};
use crate::sim::StepKind;
use crate::tui::keymap::UiAction;

/// Where a person looks in one stream.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    selected: u64,
    top: u64,
}

/// The listing pane.
#[derive(Debug, Default)]
pub struct Bundles {
    queue: Option<Queue>,
    spots: BTreeMap<Queue, Spot>,
    height: u64,
    /// What was selected by following the machine: the person has not moved as long as it stays.
    followed: Option<(Queue, u64)>,
    /// The bundle that retired last.
    last: Option<(Queue, u64)>,
}

impl Bundles {
    /// The stream shown.
    pub fn queue(&self, session: &Session) -> Queue {
        self.queue.unwrap_or_else(|| session.focus())
    }

    /// The selected bundle.
    pub fn selected(&self, session: &Session) -> (Queue, u64) {
        let queue = self.queue(session);
        (queue, self.spots.get(&queue).map_or(0, |s| s.selected))
    }

    fn go(&mut self, session: &Session, index: u64, centre: bool) {
        let queue = self.queue(session);
        let last = length(session, queue).saturating_sub(1);
        let height = self.height.max(1);
        let spot = self.spots.entry(queue).or_default();
        spot.selected = index.min(last);
        let visible = spot.top..spot.top + height;
        if !visible.contains(&spot.selected) {
            spot.top = if centre {
                spot.selected.saturating_sub(height / 3)
            } else if spot.selected < spot.top {
                spot.selected
            } else {
                spot.selected + 1 - height
            };
        }
    }

    /// Selects the next bundle after the selected one whose listing contains `needle`; wraps.
    pub fn search(&mut self, session: &Session, needle: &str) -> bool {
        let (queue, from) = self.selected(session);
        let n = length(session, queue);
        let needle = needle.to_lowercase();
        // Bounded, so that a search of a huge stream cannot freeze the screen.
        let found = (1..=n.min(200_000))
            .map(|d| (from + d) % n.max(1))
            .find(|i| {
                let instr = session.machine().instr(queue, *i);
                instr.is_some_and(|i| text::line(&i).to_lowercase().contains(&needle))
            });
        if let Some(i) = found {
            self.go(session, i, true);
        }
        found.is_some()
    }

    fn row(&self, view: &View<'_>, queue: Queue, index: u64, width: usize) -> Line {
        let session = view.session;
        let breaks = session.stops().iter().any(
            |b| matches!(b.spec, StopSpec::Pc { queue: q, index: i } if q == queue && i == index),
        );
        let exited = session.machine().exited(queue);
        let pc = session.machine().pc(queue) == index && !exited;
        let blocked = pc && session.machine().blocked(queue).is_some();
        let arrow = match (pc, blocked) {
            (true, true) => (Tone::Warn, "⧖"),
            (true, false) => (Tone::Good, "▸"),
            _ if self.last == Some((queue, index)) => (Tone::Warn, "◆"),
            _ => (Tone::Plain, " "),
        };
        let mut line = Line::toned(Tone::Bad, if breaks { "●" } else { " " })
            .then(arrow.0, arrow.1)
            .then(Tone::Dim, format!("{index:>5} "));
        let Some(instr) = session.machine().instr(queue, index) else {
            return line.then(Tone::Bad, "cannot be read");
        };
        let full = text::line(&instr);
        let (name, rest) = full
            .split_once(' ')
            .unwrap_or((full.trim_end_matches(';'), ""));
        let room = width.saturating_sub(9 + name.chars().count());
        let rest = rest.trim_end_matches(';');
        let cut: String = if rest.chars().count() > room {
            rest.chars()
                .take(room.saturating_sub(1))
                .chain(['…'])
                .collect()
        } else {
            rest.to_owned()
        };
        let tone = if instr.op.is_some() {
            Tone::Op
        } else {
            Tone::Bad
        };
        line = line.then(tone, name.to_owned()).then(Tone::Plain, " ");
        line.then(Tone::Plain, cut)
    }
}

/// Bundles of a stream.
fn length(session: &Session, queue: Queue) -> u64 {
    session
        .machine()
        .stream(queue)
        .map_or(0, |s| s.bundles.len())
}

impl Pane for Bundles {
    fn title(&self, view: &View<'_>) -> Line {
        let shown = self.queue(view.session);
        let mut line = Line::plain(" Bundles ");
        for queue in view.session.machine().queues() {
            let machine = view.session.machine();
            let state = if machine.exited(queue) {
                " ■".to_owned()
            } else if machine.blocked(queue).is_some() {
                format!(" ⧖{}", machine.pc(queue))
            } else {
                format!(" ▸{}", machine.pc(queue))
            };
            let tone = if queue == shown { Tone::Key } else { Tone::Dim };
            line = line
                .then(Tone::Dim, "│ ")
                .then(tone, format!("{queue}{state} "));
        }
        line
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool) {
        self.height = u64::from(area.height);
        let (queue, selected) = self.selected(view.session);
        let n = length(view.session, queue);
        if n == 0 {
            frame.render_widget(Paragraph::new("no bundles"), area);
            return;
        }
        let top = self.spots.get(&queue).map_or(0, |s| s.top);
        let rows = (top..n.min(top + self.height)).map(|index| {
            let line = self.row(view, queue, index, usize::from(area.width));
            if index == selected {
                spans::selected(&line, focused)
            } else {
                spans::line(&line, view.theme)
            }
        });
        frame.render_widget(Text::from_iter(rows), area);
    }

    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction {
        let session = view.session;
        let (queue, at) = self.selected(session);
        let page = self.height.saturating_sub(1).max(1);
        let turn = |by: usize| {
            let all: Vec<Queue> = session.machine().queues().collect();
            let i = all.iter().position(|q| *q == queue).unwrap_or(0);
            all.get((i + by) % all.len().max(1)).copied()
        };
        match action {
            UiAction::Up => self.go(session, at.saturating_sub(1), false),
            UiAction::Down => self.go(session, at + 1, false),
            UiAction::PageUp => self.go(session, at.saturating_sub(page), false),
            UiAction::PageDown => self.go(session, at.saturating_add(page), false),
            UiAction::Home => self.go(session, 0, false),
            UiAction::End => self.go(session, u64::MAX, false),
            UiAction::Right | UiAction::NextStream => self.queue = turn(1).or(self.queue),
            UiAction::Left | UiAction::PreviousStream => {
                let n = session.machine().queues().count();
                self.queue = turn(n.saturating_sub(1)).or(self.queue);
            }
            UiAction::Follow => {
                self.queue = Some(session.focus());
                let pc = session.machine().pc(session.focus());
                self.go(session, pc, true);
            }
            _ => return Reaction::Ignored,
        }
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Down, "next bundle"),
            (UiAction::Up, "previous bundle"),
            (UiAction::Right, "next stream"),
            (UiAction::ToggleBreak, "break here"),
            (UiAction::UntilHere, "run until here"),
            (UiAction::Follow, "back to the next bundle"),
            (UiAction::Search, "search"),
        ]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        let (queue, index) = self.selected(view.session);
        view.session
            .machine()
            .instr(queue, index)
            .map(|i| text::line(&i))
    }

    fn click(&mut self, at: (u16, u16), _drag: bool, view: &View<'_>) -> Reaction {
        let queue = self.queue(view.session);
        let top = self.spots.get(&queue).map_or(0, |s| s.top);
        self.go(view.session, top + u64::from(at.1), false);
        Reaction::Used
    }

    fn stopped(&mut self, view: &View<'_>) {
        let (session, stop) = (view.session, view.session.stop());
        self.last = last_retired(session);
        let queue = stop.queue.unwrap_or_else(|| session.focus());
        // A watch names its culprit; of other stops what comes next matters.
        let index = match stop.kind {
            StopKind::Watch => stop.index,
            _ => session.machine().pc(queue),
        };
        let here = self.selected(session);
        let top = self.spots.get(&queue).map_or(0, |s| s.top);
        let in_sight = here.0 == queue && (top..top + self.height).contains(&index);
        if self.followed.is_none_or(|f| f == here) || !in_sight {
            self.queue = Some(queue);
            self.go(session, index, true);
            self.followed = Some(self.selected(session));
        }
    }
}

/// Stream and index of the bundle that retired last.
fn last_retired(session: &Session) -> Option<(Queue, u64)> {
    const FAR: u64 = 64;
    let journal = session.machine().journal();
    let here = journal.position();
    let mut back = (journal.oldest().max(here.saturating_sub(FAR))..here).rev();
    let head = back.find_map(|at| {
        journal
            .record(at)
            .map(|r| r.head)
            .filter(|h| h.kind == StepKind::Retire)
    })?;
    Some((Queue::from_index(head.agent.into())?, head.index))
}
