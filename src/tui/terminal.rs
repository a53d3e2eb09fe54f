//! The terminal: taken on entry, given back on every way out.
//!
//! Quit and errors drop the [`Guard`]; a panic runs the hook first; SIGTERM ends the
//! event loop, a hang-up the process; Ctrl-Z gives the terminal back before the process stops and takes it again after.

use std::io::{self, Stdout, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// The screen of the process.
pub type Screen = Terminal<CrosstermBackend<Stdout>>;

/// Owns the terminal while it lives.
pub struct Guard {
    /// Where panes are drawn.
    pub screen: Screen,
    /// Raised by SIGTERM.
    pub terminate: Arc<AtomicBool>,
    mouse: bool,
}

impl Guard {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste.
    ///
    /// # Errors
    /// The terminal cannot be set up; it is left as it was.
    pub fn take() -> io::Result<Guard> {
        let terminate = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&terminate))?;
        // After a hang-up there is no terminal to restore, and reading it would spin for ever.
        let at_once = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(
            signal_hook::consts::SIGHUP,
            129,
            at_once,
        )?;
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            hook(info);
        }));
        enter().inspect_err(|_| restore())?;
        Ok(Guard {
            screen: Terminal::new(CrosstermBackend::new(stdout()))?,
            terminate,
            mouse: false,
        })
    }

    /// Has the process been asked to end?
    pub fn terminated(&self) -> bool {
        self.terminate.load(Ordering::Relaxed)
    }

    /// Turns mouse reports on or off; off at first, so that selecting text works.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if on {
            execute!(stdout(), EnableMouseCapture)
        } else {
            execute!(stdout(), DisableMouseCapture)
        }
    }

    /// Gives the terminal back, stops the process as Ctrl-Z does in a shell, and takes the
    /// terminal again when it is continued.
    ///
    /// # Errors
    /// The terminal cannot be set up again.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        enter()?;
        let mouse = self.mouse;
        self.set_mouse(mouse)?;
        self.redraw()
    }

    /// Forgets what is on the terminal, so that the next frame draws every cell. Asks the terminal nothing: it may not answer.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn redraw(&mut self) -> io::Result<()> {
        execute!(stdout(), Clear(ClearType::All))?;
        self.screen = Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Is the terminal ours? Leaving it twice would move the cursor back over what was printed since.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn enter() -> io::Result<()> {
    TAKEN.store(true, Ordering::Relaxed);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Leaves the terminal as a shell expects it. Errors are ignored: there is nothing left to do.
fn restore() {
    if !TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let _ = execute!(
        stdout(),
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        crossterm::cursor::Show
    );
    let _ = disable_raw_mode();
}
