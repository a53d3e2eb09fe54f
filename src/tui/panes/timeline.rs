//! Time from start to end in one line: how many engines were at work, and below it stops, checkpoints, writes to the selection and
//! the present point. With more room a line for each engine.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::isa::Queue;
use crate::paint::spans;
use crate::session::{Place, StopKind};
use crate::sim::StepKind;
use crate::tui::keymap::UiAction;

/// Records of a column that are looked at; beyond that a sample.
const SAMPLE: u64 = 64;
/// Records looked at for writes to the selection in one drawing.
const PER_FRAME: u64 = 1 << 14;
/// Writes to the selection that are kept before close ones are made one, and columns that a screen may have.
const MOST_MARKS: usize = 1 << 14;
const FINEST: u64 = 1 << 13;
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Which records wrote to the selection, as far as they were looked at.
#[derive(Debug, Default)]
struct Writes {
    of: Option<(Place, u64)>,
    until: u64,
    seqs: Vec<u64>,
}

impl Writes {
    /// Goes on looking; the records that lie ahead count as well.
    fn follow(&mut self, view: &View<'_>) {
        let Some((_, place)) = view.aim else { return };
        let journal = view.session.machine().journal();
        let of = Some((place, view.session.moment().0));
        if self.of != of || self.until > journal.end() {
            *self = Writes {
                of,
                until: journal.oldest(),
                seqs: Vec::new(),
            };
        }
        let rect = place.rect();
        let to = journal
            .end()
            .min(self.until.max(journal.oldest()) + PER_FRAME);
        for at in self.until.max(journal.oldest())..to {
            if journal.writes(at).any(|r| r.overlaps(&rect)) {
                self.seqs.push(journal.seq_at(at));
            }
        }
        self.until = to;
        if self.seqs.len() > MOST_MARKS {
            thin(&mut self.seqs, journal.end_seq() / FINEST);
        }
    }
}

/// Drops what is less than `gap` behind its predecessor: no screen is wide enough to show both.
fn thin(seqs: &mut Vec<u64>, gap: u64) {
    let mut last: Option<u64> = None;
    seqs.retain(|seq| {
        let far = last.is_none_or(|l| seq.saturating_sub(l) >= gap.max(1));
        if far {
            last = Some(*seq);
        }
        far
    });
}

/// The pane.
#[derive(Debug, Default)]
pub struct Timeline {
    /// Column of the cursor; `None`: at the present point.
    cursor: Option<usize>,
    width: usize,
    writes: Writes,
}

/// Sequence numbers shown.
fn total(view: &View<'_>) -> u64 {
    view.session
        .history_info()
        .end
        .max(view.session.seq())
        .max(1)
}

/// The column of a sequence number.
fn column(seq: u64, total: u64, width: usize) -> usize {
    let at = u128::from(seq) * width as u128 / u128::from(total + 1);
    (at as usize).min(width.saturating_sub(1))
}

/// First sequence number of a column.
fn first(column: usize, total: u64, width: usize) -> u64 {
    let at = column as u128 * u128::from(total + 1);
    at.div_ceil(width.max(1) as u128) as u64
}

impl Timeline {
    fn at(&self, view: &View<'_>) -> usize {
        let here = column(view.session.seq(), total(view), self.width);
        self.cursor
            .unwrap_or(here)
            .min(self.width.saturating_sub(1))
    }

    /// The sequence number under the cursor.
    fn seq(&self, view: &View<'_>) -> u64 {
        let (at, total) = (self.at(view), total(view));
        match self.cursor {
            None => view.session.seq(),
            Some(_) => first(at, total, self.width).min(total),
        }
    }

    /// Bundles that each stream retired in each column.
    fn occupancy(&self, view: &View<'_>, queues: &[Queue]) -> Vec<Vec<u32>> {
        let journal = view.session.machine().journal();
        let mut bins = vec![vec![0; self.width]; queues.len()];
        let total = total(view);
        for c in 0..self.width {
            // A bundle that is wider than a column fills all of its columns.
            let hi = first(c + 1, total, self.width);
            let lo = first(c, total, self.width).min(hi.saturating_sub(1));
            let position = |seq: u64| journal.positions_of(seq).map(|r| *r.start());
            let (Some(from), Some(to)) = (position(lo), position(hi.min(journal.end_seq()))) else {
                continue;
            };
            let from = from.max(journal.oldest());
            let step = ((to.saturating_sub(from)) / SAMPLE).max(1);
            for at in (from..to).step_by(step as usize) {
                let Some(r) = journal
                    .record(at)
                    .filter(|r| r.head.kind == StepKind::Retire)
                else {
                    continue;
                };
                let queue = Queue::from_index(r.head.agent.into());
                let lane = queues.iter().position(|q| Some(*q) == queue);
                if let Some(n) = lane.and_then(|l| bins.get_mut(l)?.get_mut(c)) {
                    *n += 1;
                }
            }
        }
        bins
    }

    /// The line of marks; of several in a column the most important one.
    fn marks(&self, view: &View<'_>, focused: bool) -> Line {
        let (total, width) = (total(view), self.width);
        let mut marks: Vec<Option<(Tone, &str)>> = vec![None; width];
        let mut set = |seq: u64, mark: (Tone, &'static str)| {
            if let Some(m) = marks.get_mut(column(seq, total, width)) {
                *m = Some(mark);
            }
        };
        for seq in view.session.checkpoints() {
            set(seq, (Tone::Dim, "▲"));
        }
        for seq in &self.writes.seqs {
            set(*seq, (Tone::Op, "▪"));
        }
        for past in view.past {
            let tone = match past.kind {
                StopKind::Fault | StopKind::Deadlock | StopKind::Blocked => Tone::Bad,
                StopKind::Break | StopKind::Watch => Tone::Warn,
                _ => continue,
            };
            set(past.seq, (tone, "●"));
        }
        set(view.session.seq(), (Tone::Good, "┃"));
        if focused && let Some(m) = marks.get_mut(self.at(view)) {
            *m = Some((Tone::Key, "◇"));
        }
        let mut line = Line::default();
        for mark in marks {
            let (tone, text) = mark.unwrap_or((Tone::Plain, " "));
            match line.0.last_mut().filter(|p| p.tone == tone) {
                Some(piece) => piece.text.push_str(text),
                None => line = line.then(tone, text),
            }
        }
        line
    }
}

fn bar(n: u32, most: u32) -> char {
    let step = (8 * n).div_ceil(most.max(1)).min(8);
    BARS.get(step as usize).copied().unwrap_or('█')
}

impl Pane for Timeline {
    fn title(&self, view: &View<'_>) -> Line {
        let mut line =
            Line::plain(" Timeline ").then(Tone::Dim, format!("seq 0 … {} ", total(view)));
        if self.cursor.is_some() {
            line = line.then(Tone::Key, format!("◇ {} ", self.seq(view)));
        }
        for (tone, sign, word) in [
            (Tone::Good, "┃", "here"),
            (Tone::Warn, "●", "stop"),
            (Tone::Op, "▪", "write to selection"),
            (Tone::Dim, "▲", "checkpoint"),
        ] {
            line = line.then(tone, sign).then(Tone::Dim, format!(" {word} "));
        }
        line
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, focused: bool) {
        self.width = usize::from(area.width);
        self.writes.follow(view);
        let queues: Vec<Queue> = view.session.machine().queues().collect();
        let bins = self.occupancy(view, &queues);
        let lanes = usize::from(area.height) > queues.len() && queues.len() > 1;
        let mut lines = Vec::new();
        if lanes {
            let most = bins.iter().flatten().copied().max().unwrap_or(0);
            for lane in &bins {
                let text: String = lane.iter().map(|n| bar(*n, most)).collect();
                lines.push(Line::toned(Tone::Place, text));
            }
        } else {
            let busy = |c: usize| {
                bins.iter()
                    .filter(|b| b.get(c).is_some_and(|n| *n > 0))
                    .count() as u32
            };
            let text: String = (0..self.width)
                .map(|c| bar(busy(c), queues.len() as u32))
                .collect();
            lines.push(Line::toned(Tone::Place, text));
        }
        lines.push(self.marks(view, focused));
        let lines = lines.iter().map(|l| spans::line(l, view.theme));
        frame.render_widget(Text::from_iter(lines), area);
        // The names of the lanes lie over their start.
        if lanes && area.width > 12 {
            for (i, queue) in (0..).zip(&queues) {
                let name = spans::line(&Line::toned(Tone::Dim, format!("{queue} ")), view.theme);
                let at = Rect {
                    y: area.y + i,
                    height: 1,
                    width: 4,
                    x: area.right() - 4,
                };
                frame.render_widget(Text::from(name).right_aligned(), at);
            }
        }
    }

    fn act(&mut self, action: UiAction, view: &View<'_>) -> Reaction {
        let (at, last) = (self.at(view), self.width.saturating_sub(1));
        let to = match action {
            UiAction::Left => at.saturating_sub(1),
            UiAction::Right => at + 1,
            UiAction::PageUp => at.saturating_sub(10),
            UiAction::PageDown => at + 10,
            UiAction::Home => 0,
            UiAction::End => last,
            UiAction::Open => return Reaction::Run(format!("goto {}", self.seq(view))),
            UiAction::Escape | UiAction::Follow => {
                self.cursor = None;
                return Reaction::Used;
            }
            _ => return Reaction::Ignored,
        };
        self.cursor = Some(to.min(last));
        Reaction::Used
    }

    fn click(&mut self, at: (u16, u16), _drag: bool, view: &View<'_>) -> Reaction {
        self.cursor = Some(at.0.into());
        let line = format!("goto {}", self.seq(view));
        self.cursor = None;
        Reaction::Run(line)
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Left, "earlier"),
            (UiAction::Right, "later"),
            (UiAction::Open, "go there"),
            (UiAction::Follow, "back to the present"),
        ]
    }

    fn stopped(&mut self, _view: &View<'_>) {
        self.cursor = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_and_numbers_agree(total in 1u64..5_000_000, width in 1usize..300, seq in 0u64..5_000_000) {
            let seq = seq % (total + 1);
            let c = column(seq, total, width);
            prop_assert!(c < width);
            prop_assert!(first(c, total, width) <= seq);
            prop_assert!(c + 1 == width || seq < first(c + 1, total, width));
        }
    }

    #[test]
    fn thinning_keeps_what_a_screen_could_show() {
        let mut seqs: Vec<u64> = (0..1000).chain([5000, 5001, 9000]).collect();
        let all = seqs.clone();
        thin(&mut seqs, 10);
        assert!(seqs.len() < 110, "{}", seqs.len());
        // Whatever was dropped has one that is kept less than a gap before it.
        for seq in all {
            assert!(seqs.iter().any(|k| *k <= seq && seq - k < 10), "{seq}");
        }
        let mut one_each = vec![3, 3, 4];
        thin(&mut one_each, 0);
        assert_eq!(one_each, [3, 4]);
    }
}
