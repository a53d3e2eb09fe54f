//! Which pane is where. A function of the screen size, the focus and the zoom alone, so nothing
//! jumps when values change.
//!
//! ```text
//! wide (>= 120 x 30)                      narrow                      tiny (< 40 x 10)
//! status                                  status                      status
//! Bundles          | SBUF                 Bundles     | one memory    focused pane
//!                  | PSUM                 Log                         prompt
//! Fields           | State                prompt
//! Log
//! prompt
//! ```

use ratatui::layout::{Constraint, Layout, Rect};

/// A pane of the screen, in the order of the number keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PaneId {
    /// Listing of the streams.
    Bundles,
    /// Fields of the selected bundle.
    Fields,
    /// Heatmap of SBUF.
    Sbuf,
    /// Heatmap of PSUM.
    Psum,
    /// Registers, semaphores, engines.
    State,
    /// Answers of commands.
    Log,
}

impl PaneId {
    /// All panes.
    pub const ALL: [PaneId; 6] = [
        PaneId::Bundles,
        PaneId::Fields,
        PaneId::Sbuf,
        PaneId::Psum,
        PaneId::State,
        PaneId::Log,
    ];
}

/// The parts of the screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Areas {
    /// Top line.
    pub status: Rect,
    /// Bottom line.
    pub prompt: Rect,
    /// Visible panes.
    pub panes: Vec<(PaneId, Rect)>,
}

impl Areas {
    /// Area of a pane, when it is visible.
    pub fn of(&self, id: PaneId) -> Option<Rect> {
        self.panes.iter().find(|p| p.0 == id).map(|p| p.1)
    }
}

/// Cuts a screen. `memory` is the heatmap to show where there is room for one.
pub fn cut(screen: Rect, focus: PaneId, zoomed: bool, memory: PaneId) -> Areas {
    let [status, body, prompt] = Layout::vertical([
        Constraint::Length(u16::from(screen.height > 1)),
        Constraint::Fill(1),
        Constraint::Length(u16::from(screen.height > 2)),
    ])
    .areas(screen);
    let panes = if zoomed || screen.width < 40 || screen.height < 10 {
        vec![(focus, body)]
    } else if screen.width >= 120 && screen.height >= 30 {
        wide(body)
    } else {
        narrow(body, focus, memory)
    };
    Areas {
        status,
        prompt,
        panes,
    }
}

fn wide(body: Rect) -> Vec<(PaneId, Rect)> {
    let log = (body.height / 6).clamp(5, 10);
    let [main, log] = Layout::vertical([Constraint::Fill(1), Constraint::Length(log)]).areas(body);
    let [left, right] = Layout::horizontal([Constraint::Fill(11), Constraint::Fill(9)]).areas(main);
    let [bundles, fields] =
        Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(left);
    let [sbuf, psum, state] = Layout::vertical([
        Constraint::Fill(4),
        Constraint::Fill(3),
        Constraint::Fill(3),
    ])
    .areas(right);
    vec![
        (PaneId::Bundles, bundles),
        (PaneId::Fields, fields),
        (PaneId::Sbuf, sbuf),
        (PaneId::Psum, psum),
        (PaneId::State, state),
        (PaneId::Log, log),
    ]
}

/// Two panes beside each other and the log; the right one follows the focus.
fn narrow(body: Rect, focus: PaneId, memory: PaneId) -> Vec<(PaneId, Rect)> {
    let log = (body.height / 4).clamp(3, 8);
    let [main, log] = Layout::vertical([Constraint::Fill(1), Constraint::Length(log)]).areas(body);
    let [left, right] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(main);
    let second = match focus {
        PaneId::Bundles | PaneId::Log => memory,
        other => other,
    };
    vec![(PaneId::Bundles, left), (second, right), (PaneId::Log, log)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_tile_the_body_at_every_size() {
        for (w, h) in (1..=200).flat_map(|w| [1, 2, 3, 5, 9, 10, 24, 30, 48, 60].map(|h| (w, h))) {
            for zoomed in [false, true] {
                let screen = Rect::new(0, 0, w, h);
                let a = cut(screen, PaneId::Psum, zoomed, PaneId::Sbuf);
                let sum: u32 = a.panes.iter().map(|p| p.1.area()).sum();
                assert_eq!(
                    sum + a.status.area() + a.prompt.area(),
                    screen.area(),
                    "{w}x{h}"
                );
                for (i, (_, p)) in a.panes.iter().enumerate() {
                    assert!(screen.contains(p.as_position()) || p.is_empty());
                    assert!(
                        a.panes[..i].iter().all(|(_, q)| !q.intersects(*p)),
                        "{w}x{h}"
                    );
                }
                assert!(a.of(PaneId::Psum).is_some(), "the focus is always visible");
            }
        }
    }

    #[test]
    fn the_small_screen_shows_bundles_one_memory_and_the_log() {
        let a = cut(
            Rect::new(0, 0, 80, 24),
            PaneId::Bundles,
            false,
            PaneId::Sbuf,
        );
        let ids: Vec<PaneId> = a.panes.iter().map(|p| p.0).collect();
        assert_eq!(ids, [PaneId::Bundles, PaneId::Sbuf, PaneId::Log]);
    }
}
