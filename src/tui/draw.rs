//! The status line and the prompt line.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::app::{App, Mode};
use super::keymap::Binding;
use crate::cmd::complete;
use crate::cmd::output::{Line, Tone};
use crate::cmd::report;
use crate::paint::spans;

/// Program, generation, position, and why it stands still.
pub fn status(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let view = app.view();
    let session = view.session;
    let generation = session.generation();
    let mut line = Line::default();
    // Where it stands says more than what it is called.
    if area.width >= NARROW {
        let chip = format!("{generation} {} │ ", generation.info().codename);
        line = Line::toned(Tone::Key, format!(" {} ", app.title())).then(Tone::Dim, chip);
    }
    line = line.then(Tone::Place, format!("seq {}", session.seq()));
    let end = session.machine().journal().end_seq();
    if end > session.seq() {
        line = line.then(Tone::Dim, format!(" of {end}"));
    }
    line = line.then(Tone::Dim, " │ ");
    line = match app.progress() {
        Some((t, n)) => {
            let rate = n as f64 / t.as_secs_f64().max(1e-3);
            let slow = app.pace().map_or(String::new(), |r| format!(" slow {r}/s"));
            line.then(
                Tone::Good,
                format!("running{slow} {:.1} s", t.as_secs_f64()),
            )
            .then(Tone::Value, format!("  +{n} bundles, {}/s", rounded(rate)))
            .then(Tone::Dim, ", Esc stops")
        }
        None => report::headline(session, session.stop())
            .0
            .into_iter()
            .fold(line, |l, p| l.then(p.tone, p.text)),
    };
    let text = spans::line(&line, view.theme).style(Style::new().add_modifier(Modifier::BOLD));
    frame.render_widget(Paragraph::new(text), area);
    let hint = if app.has_mouse() {
        " mouse on · ? help "
    } else {
        " ? help "
    };
    if usize::from(area.width) > line.text().width() + hint.len() {
        let at = Rect {
            x: area.right().saturating_sub(hint.len() as u16),
            width: hint.len() as u16,
            ..area
        };
        frame.render_widget(
            Paragraph::new(spans::line(&Line::toned(Tone::Dim, hint), view.theme)),
            at,
        );
    }
}

/// A screen of fewer columns has no room for the name of the program.
const NARROW: u16 = 60;

/// A rate in few characters.
fn rounded(rate: f64) -> String {
    match rate {
        r if r >= 1e6 => format!("{:.1} M", r / 1e6),
        r if r >= 1e3 => format!("{:.1} k", r / 1e3),
        r => format!("{r:.0}"),
    }
}

/// The prompt, or the keys that lead to it.
pub fn prompt(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let view = app.view();
    let sign = match app.mode {
        Mode::Prompt => ":",
        Mode::Search => "/",
        Mode::Palette => "» ",
        _ => {
            let line = idle(app);
            frame.render_widget(Paragraph::new(spans::line(&line, view.theme)), area);
            return;
        }
    };
    let prompt = if app.mode == Mode::Palette {
        &app.palette.input
    } else {
        &app.prompt
    };
    let text = prompt.text();
    let head = text.get(..prompt.cursor()).unwrap_or(text);
    // The cursor stays visible: a long line scrolls to the left.
    let sign = match prompt.searched() {
        Some(query) => format!("history `{query}` "),
        None => sign.to_owned(),
    };
    let wide = sign.width();
    let room = usize::from(area.width).saturating_sub(wide + 1).max(1);
    let skip = head.width().saturating_sub(room);
    let shown: String = skip_columns(text, skip);
    let mut line = Line::toned(Tone::Key, sign).then(Tone::Plain, shown);
    if app.mode == Mode::Prompt
        && let Some(hint) = complete::hint(text)
    {
        line = line.then(Tone::Dim, format!("  {hint}"));
    }
    frame.render_widget(Paragraph::new(spans::line(&line, view.theme)), area);
    let column = wide + (head.width() - skip.min(head.width()));
    frame.set_cursor_position(Position::new(
        area.x + (column as u16).min(area.width.saturating_sub(1)),
        area.y,
    ));
}

/// Drops whole characters until `columns` are gone.
fn skip_columns(text: &str, columns: usize) -> String {
    let mut gone = 0;
    text.chars()
        .skip_while(|c| {
            let keep = gone >= columns;
            gone += c.to_string().width();
            !keep
        })
        .collect()
}

/// Keys typed so far, or the most useful ones.
fn idle(app: &App) -> Line {
    if !app.pending.is_empty() {
        let typed: Vec<String> = app.pending.iter().map(ToString::to_string).collect();
        return Line::toned(Tone::Warn, format!(" {} …", typed.join(" ")));
    }
    if let Some(answer) = app.unseen_answer() {
        return answer.clone();
    }
    let mut line = Line::default();
    let useful = [
        ("step", "step"),
        ("reverse-step", "back"),
        ("continue", "continue"),
        ("watch {selection}", "watch"),
        ("who {selection}", "who wrote"),
    ];
    for (command, word) in useful {
        let keys = app.keymap().keys_of(&Binding::Line(command.to_owned()));
        if let Some(key) = keys.first() {
            line = line
                .then(Tone::Key, format!(" {key}"))
                .then(Tone::Dim, format!(" {word} "));
        }
    }
    line.then(Tone::Key, " :")
        .then(Tone::Dim, " command ")
        .then(Tone::Key, " ?")
        .then(Tone::Dim, " help")
}
