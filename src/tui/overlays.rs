//! What lies over the panes: completions, the palette, keys that may follow, help.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Block, Clear};
use unicode_width::UnicodeWidthStr;

use super::app::{App, Mode};
use super::keymap::{ACTIONS, Binding};
use crate::cmd::output::{Line, Tone};
use crate::paint::spans;

/// Draws them.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let half = usize::from(frame.area().height / 2).max(1);
    match app.mode {
        Mode::Prompt if !app.completions.list.is_empty() => {
            let rows = app.completions.list.iter().map(|(text, note)| {
                Line::toned(Tone::Key, format!("{text:<20} ")).then(Tone::Dim, note.clone())
            });
            let lines: Vec<Line> = rows.collect();
            menu(
                app,
                frame,
                &lines,
                app.completions.chosen,
                half,
                " Tab next, Shift-Tab back ",
            );
        }
        Mode::Palette => {
            let rows = app.palette.found().map(|e| {
                Line::toned(Tone::Key, format!("{:<22} ", e.name))
                    .then(Tone::Warn, format!("{:<12} ", e.keys))
                    .then(Tone::Dim, e.doc.clone())
            });
            let lines: Vec<Line> = rows.collect();
            menu(
                app,
                frame,
                &lines,
                Some(app.palette.chosen),
                half,
                " Commands and actions ",
            );
        }
        Mode::Help => {
            let lines = help(app);
            let title = format!(" Keys of {}, any key closes ", app.focus.name());
            popup(
                app,
                frame,
                &lines,
                usize::from(frame.area().height),
                &title,
                true,
            );
        }
        Mode::Keys if !app.pending.is_empty() => {
            let follow = app.keymap().after(&app.pending);
            let lines: Vec<Line> = follow
                .into_iter()
                .map(|(keys, binding)| {
                    Line::toned(Tone::Key, format!(" {keys:<6} "))
                        .then(Tone::Plain, meaning(binding))
                })
                .collect();
            popup(app, frame, &lines, half, "", false);
        }
        _ => {}
    }
}

/// What a binding does, in words.
fn meaning(binding: &Binding) -> String {
    match binding {
        Binding::Line(line) => line.clone(),
        Binding::Ui(action) => ACTIONS
            .iter()
            .find(|a| a.1 == *action)
            .map_or("", |a| a.2)
            .to_owned(),
    }
}

/// A list with a chosen row that stays in sight.
fn menu(
    app: &App,
    frame: &mut Frame<'_>,
    lines: &[Line],
    chosen: Option<usize>,
    most: usize,
    title: &str,
) {
    let room = most.saturating_sub(2).max(1);
    let at = chosen.unwrap_or(0);
    let from = (at + 1).saturating_sub(room);
    let shown: Vec<Line> = lines
        .iter()
        .enumerate()
        .skip(from)
        .take(room)
        .map(|(i, line)| {
            let here = chosen == Some(i);
            let mut row = Line::toned(Tone::Warn, if here { "▸ " } else { "  " });
            row.0.extend(line.0.iter().cloned());
            row
        })
        .collect();
    let title = format!("{title}{}/{} ", (at + 1).min(lines.len()), lines.len());
    popup(app, frame, &shown, most, &title, false);
}

fn help(app: &App) -> Vec<Line> {
    let keymap = app.keymap();
    let mut lines = Vec::new();
    let row = |keys: Vec<String>, what: &str| {
        Line::toned(Tone::Key, format!(" {:<12} ", keys.join(" or ")))
            .then(Tone::Plain, what.to_owned())
    };
    for (action, what) in app.pane(app.focus).hints() {
        lines.push(row(keymap.keys_of(&Binding::Ui(*action)), what));
    }
    lines.push(Line::default());
    let mut seen = Vec::new();
    for (_, binding) in keymap.all() {
        if seen.contains(binding) {
            continue;
        }
        seen.push(binding.clone());
        let what = meaning(binding);
        lines.push(row(keymap.keys_of(binding), &what));
    }
    lines
}

/// A box of lines: over the prompt, or in the middle; two columns when one is too high.
fn popup(app: &App, frame: &mut Frame<'_>, lines: &[Line], most: usize, title: &str, middle: bool) {
    let screen = frame.area();
    let room = most.saturating_sub(2).max(1);
    let columns = if middle {
        lines.len().div_ceil(room).max(1)
    } else {
        1
    };
    let rows = lines.len().div_ceil(columns).min(room);
    let wide = lines.iter().map(|l| l.text().width()).max().unwrap_or(0) + 1;
    let width = ((wide * columns + 2) as u16).min(screen.width);
    let height = ((rows + 2) as u16).min(screen.height);
    let area = Rect {
        x: if middle {
            screen.width.saturating_sub(width) / 2
        } else {
            0
        },
        y: if middle {
            screen.height.saturating_sub(height) / 2
        } else {
            screen.height.saturating_sub(height + 1)
        },
        width,
        height,
    };
    frame.render_widget(Clear, area);
    let block = Block::bordered().title(title.to_owned());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if inside.is_empty() {
        return;
    }
    for (i, chunk) in lines.chunks(rows.max(1)).take(columns).enumerate() {
        let x = inside.x + ((i * wide) as u16).min(inside.width);
        let column = Rect {
            x,
            width: inside.right().saturating_sub(x).min(wide as u16),
            ..inside
        };
        let theme = app.view().theme;
        frame.render_widget(
            Text::from_iter(chunk.iter().map(|l| spans::line(l, theme))),
            column,
        );
    }
}
