//! The full-screen front end: events in, command lines to the shell, frames out.
//!
//! [`terminal`] takes and restores the terminal, [`app`] holds view state and turns keys into
//! command lines through the [`keymap`], [`layout`] cuts the screen, `panes` draw what the session
//! says and `draw` what lies around them. Nothing here changes the machine except by a command.

pub mod app;
mod draw;
mod fuzzy;
pub mod keymap;
pub mod layout;
mod menu;
mod overlays;
mod panes;
pub mod prompt;
mod shot;
pub mod terminal;
mod walk;
pub mod widgets;

use std::io::{self, stdout};
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::{event, execute};

use app::{App, Wish};
use terminal::Guard;

/// Longest wait for a key: how late a signal is noticed while idle.
const IDLE: Duration = Duration::from_millis(200);
/// Shortest time between two frames of a run: 30 Hz.
const FRAME: Duration = Duration::from_millis(33);

/// The shortest wait for input: with none at all the reader does not look. (It is the one that polls the terminal itself; the
/// other one may leave a key that arrives together with a resize lying until the next key.)
const NOW: Duration = Duration::from_micros(100);

/// Runs the application on the terminal until it is left.
///
/// # Errors
/// The terminal cannot be used; it is restored.
pub fn run(mut app: App) -> io::Result<()> {
    let mut guard = Guard::take()?;
    guard.screen.draw(|frame| app.draw(frame))?;
    app.run_script();
    rehearse_panic();
    let mut dirty = true;
    let mut drawn = Instant::now();
    loop {
        let due = !app.is_running() || drawn.elapsed() >= FRAME;
        if dirty && due {
            guard.screen.draw(|frame| app.draw(frame))?;
            drawn = Instant::now();
            dirty = false;
        }
        if guard.terminated() {
            return Ok(());
        }
        let wait = app.due().unwrap_or(IDLE).min(IDLE);
        // All that has arrived is handled before the next frame, so held keys and resizes of the
        // window never queue up behind drawing.
        let mut ready = event::poll(wait.max(NOW))?;
        while ready {
            dirty |= app.handle(&event::read()?);
            if !grant(&mut app, &mut guard)? {
                return Ok(());
            }
            ready = event::poll(NOW)?;
        }
        dirty |= app.tick();
        if !grant(&mut app, &mut guard)? {
            return Ok(());
        }
    }
}

/// Does what the application wishes of the terminal; false when it is to be left.
fn grant(app: &mut App, guard: &mut Guard) -> io::Result<bool> {
    for wish in app.wishes() {
        match wish {
            Wish::Quit => return Ok(false),
            Wish::Suspend => guard.suspend()?,
            Wish::Redraw => guard.redraw()?,
            Wish::Mouse(on) => guard.set_mouse(on)?,
            Wish::Copy(text) => execute!(stdout(), CopyToClipboard::to_clipboard_from(text))?,
        }
    }
    Ok(true)
}

/// Lets a test see that a panic gives the terminal back; not in release builds.
#[expect(clippy::panic, reason = "panicking is what it is for")]
fn rehearse_panic() {
    if cfg!(debug_assertions) && std::env::var_os("TPBDBG_REHEARSE_PANIC").is_some() {
        std::panic::panic_any("rehearsed panic");
    }
}
