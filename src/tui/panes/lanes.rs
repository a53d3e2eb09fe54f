//! All engines in the order of execution: one line per step of the journal, one lane per stream. What lies ahead is dim.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::scroll::Scroll;
use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::cmd::show;
use crate::isa::Queue;
use crate::paint::spans;
use crate::sim::StepKind;
use crate::tui::keymap::UiAction;

/// The pane.
#[derive(Debug, Default)]
pub struct Lanes {
    scroll: Scroll,
}

impl Lanes {
    /// Row of the present point: the first step that lies ahead.
    fn here(view: &View<'_>) -> usize {
        let journal = view.session.machine().journal();
        (journal.position() - journal.oldest()) as usize
    }

    fn row(view: &View<'_>, row: usize) -> Line {
        let (session, machine) = (view.session, view.session.machine());
        let journal = machine.journal();
        let at = journal.oldest() + row as u64;
        let here = Self::here(view);
        let Some(record) = journal.record(at) else {
            return Line::toned(Tone::Good, "▸      now");
        };
        let queue = Queue::from_index(record.head.agent.into())
            .filter(|_| record.head.kind != StepKind::Edit);
        let mark = match row {
            r if r == here => (Tone::Good, "▸"),
            r if r + 1 == here => (Tone::Warn, "◆"),
            _ => (Tone::Plain, " "),
        };
        let ahead = row >= here;
        let tone = |tone: Tone| if ahead { Tone::Dim } else { tone };
        let mut line = Line::toned(mark.0, mark.1).then(Tone::Dim, format!("{:>6} ", record.seq));
        for lane in machine.queues() {
            let text = if Some(lane) == queue {
                format!("{:<5}", lane.to_string())
            } else {
                "·    ".to_owned()
            };
            line = line.then(
                if Some(lane) == queue {
                    tone(Tone::Key)
                } else {
                    Tone::Dim
                },
                text,
            );
        }
        match (record.head.kind, queue) {
            (StepKind::Retire, Some(queue)) => {
                let text = show::listing(session, queue, record.head.index);
                let (name, rest) = text
                    .split_once(' ')
                    .unwrap_or((text.trim_end_matches(';'), ""));
                line.then(Tone::Dim, format!("{:>5} ", record.head.index))
                    .then(tone(Tone::Op), format!("{name} "))
                    .then(tone(Tone::Plain), rest.trim_end_matches(';').to_owned())
            }
            (StepKind::Transfer, Some(queue)) => line.then(
                tone(Tone::Place),
                format!("      transfer of {queue}:{} finished", record.head.index),
            ),
            _ => line.then(tone(Tone::Warn), "      edit"),
        }
    }
}

impl Pane for Lanes {
    fn title(&self, view: &View<'_>) -> Line {
        let journal = view.session.machine().journal();
        Line::plain(" Lanes ").then(
            Tone::Dim,
            format!("order of execution, {} steps known ", journal.len()),
        )
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool) {
        let n = view.session.machine().journal().len() + 1;
        let rows = self.scroll.fit(n, area.height).map(|i| {
            let line = Self::row(view, i);
            let chosen = focused && i == self.scroll.selected;
            if chosen {
                spans::selected(&line, true)
            } else {
                spans::line(&line, view.theme)
            }
        });
        frame.render_widget(Text::from_iter(rows), area);
    }

    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction {
        let journal = view.session.machine().journal();
        match action {
            UiAction::Open => {
                let at = journal.oldest() + self.scroll.selected as u64;
                Reaction::Run(format!("goto {}", journal.seq_at(at)))
            }
            UiAction::Follow => {
                self.scroll.show(Self::here(view));
                Reaction::Used
            }
            _ => self.scroll.act(action),
        }
    }

    fn click(&mut self, at: (u16, u16), _drag: bool, _view: &View<'_>) -> Reaction {
        self.scroll.show(self.scroll.at(at.1));
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Down, "later step"),
            (UiAction::Up, "earlier step"),
            (UiAction::Open, "go to this point of time"),
            (UiAction::Follow, "back to the present"),
        ]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        Some(Self::row(view, self.scroll.selected).text())
    }

    fn stopped(&mut self, view: &View<'_>) {
        let here = Self::here(view);
        self.scroll
            .grown(view.session.machine().journal().len() + 1);
        self.scroll.show(here);
    }
}
