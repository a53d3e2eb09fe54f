//! Keys in, screen out: whole workflows on the pipeline sample, drawn by the real application into
//! a test backend.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tpbdbg::cmd::Shell;
use tpbdbg::cmd::launch::{Given, Input, Launch};
use tpbdbg::paint::palette::Palette;
use tpbdbg::paint::theme::{Depth, Theme};
use tpbdbg::tui::app::{App, Wish};
use tpbdbg::tui::keymap::Keymap;

/// The application on a screen without colours, so that tests read text.
pub struct Screen {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    fn new(width: u16, height: u16) -> Screen {
        let launch = Launch {
            programs: vec![Given {
                input: Input::Sample("pipeline".into()),
                queue: None,
            }],
            ..Launch::default()
        };
        let theme = Theme {
            depth: Depth::None,
            palette: Palette::default(),
        };
        let shell = Shell::open(launch).unwrap();
        let app = App::new(shell, "pipeline".into(), theme, Keymap::load(None).unwrap());
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        Screen { app, terminal }
    }

    /// Types keys; `<Enter>` and the like name special ones.
    fn keys(&mut self, text: &str) -> &mut Screen {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (code, used) = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
                Some((name, _)) => {
                    let code = match name {
                        "Enter" => KeyCode::Enter,
                        "Esc" => KeyCode::Esc,
                        "Tab" => KeyCode::Tab,
                        "Down" => KeyCode::Down,
                        "Right" => KeyCode::Right,
                        other => panic!("no key {other}"),
                    };
                    (code, name.len() + 2)
                }
                None => (KeyCode::Char(c), c.len_utf8()),
            };
            rest = &rest[used..];
            self.app
                .handle(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
            while self.app.is_running() {
                self.app.tick();
            }
        }
        self
    }

    fn text(&mut self) -> String {
        self.terminal.draw(|f| self.app.draw(f)).unwrap();
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let cells: Vec<&str> = buffer.content.iter().map(|c| c.symbol()).collect();
        cells
            .chunks(width)
            .map(|row| row.concat().trim_end().to_owned() + "\n")
            .collect()
    }

    fn shows(&mut self, what: &str) {
        let text = self.text();
        assert!(text.contains(what), "{what:?} is not on\n{text}");
    }
}

#[test]
fn start_shows_streams_memory_and_help() {
    let mut s = Screen::new(160, 48);
    for part in [
        "pipeline",
        "v3 cayman",
        "seq 0",
        "PE ▸0",
        "SP ▸0",
        "SBUF value",
        "PSUM value",
        "? help",
    ] {
        s.shows(part);
    }
}

#[test]
fn step_and_back_return_to_the_same_screen() {
    let mut s = Screen::new(160, 48);
    s.keys("1");
    let first = s.text();
    s.keys("sss");
    s.shows("seq 3");
    s.keys("SSS");
    s.shows("seq 0 of 3");
    // Below the status line only the log differs.
    let body = |t: &str| {
        t.lines()
            .skip(1)
            .take(20)
            .map(|l| l[..l.len().min(60)].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(body(&first), body(&s.text()));
}

#[test]
fn watch_on_a_selection_stops_and_names_the_writer() {
    let mut s = Screen::new(160, 48);
    // PSUM pane, select from the first element two steps to the right, watch, continue.
    s.keys("4v<Right><Right>wc");
    s.shows("watch #1");
    s.shows("MATMUL");
    s.keys("o");
    s.shows("who");
    s.keys("C");
    s.shows("seq");
}

#[test]
fn prompt_completes_and_errors_point_at_the_word() {
    let mut s = Screen::new(160, 48);
    s.keys(":pri<Tab>");
    s.shows(":print");
    s.keys("$seq<Enter>");
    s.shows("$seq: 0");
    s.keys(":stpe<Enter>");
    s.shows("unknown command `stpe`");
    s.shows("^^^^");
}

#[test]
fn continue_runs_to_the_end_and_goto_start_returns() {
    let mut s = Screen::new(160, 48);
    s.keys("c");
    s.shows("exit");
    s.keys("gg");
    s.shows("seq 0 of");
}

#[test]
fn help_lists_the_bound_keys() {
    let mut s = Screen::new(160, 48);
    s.keys("?");
    s.shows("reverse-continue");
    s.keys("x");
    assert!(!s.text().contains("reverse-continue"));
}

#[test]
fn small_screens_keep_what_matters() {
    let mut s = Screen::new(80, 24);
    s.keys("ss");
    for part in ["seq 2", "Bundles", "SBUF", "Log"] {
        s.shows(part);
    }
    s.keys(":x");
    s.shows(":x");
}

#[test]
fn no_size_breaks_the_drawing() {
    let mut s = Screen::new(160, 48);
    for (w, h) in (1..=200)
        .step_by(11)
        .flat_map(|w| (1..=60).step_by(7).map(move |h| (w, h)))
    {
        s.terminal.backend_mut().resize(w, h);
        s.keys("3m4z:wa");
        s.text();
        s.keys("<Esc><Tab>?");
        s.text();
        s.keys("x");
    }
}

#[test]
fn quit_is_a_wish() {
    let mut s = Screen::new(80, 24);
    s.keys("q");
    assert_eq!(s.app.wishes(), [Wish::Quit]);
    s.keys(":quit<Enter>");
    assert_eq!(s.app.wishes(), [Wish::Quit]);
}
