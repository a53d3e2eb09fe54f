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
        Screen::with_layout(width, height, None)
    }

    fn with_layout(width: u16, height: u16, layout: Option<std::path::PathBuf>) -> Screen {
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
            light: false,
        };
        let shell = Shell::open(launch).unwrap();
        let app = App::new(shell, "pipeline".into(), theme, Keymap::load(None).unwrap());
        let app = app.with_layout_file(layout);
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut screen = Screen { app, terminal };
        // As on a terminal, a frame is there before the first key.
        screen.text();
        screen
    }

    /// Types keys; `<Enter>` and the like name special ones.
    fn keys(&mut self, text: &str) -> &mut Screen {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let mut held = false;
            let (code, used) = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
                Some((name, _)) => {
                    held = name.starts_with("C-");
                    let code = match name {
                        "C-r" => KeyCode::Char('r'),
                        "C-p" => KeyCode::Char('p'),
                        "BackTab" => KeyCode::BackTab,
                        "Backspace" => KeyCode::Backspace,
                        "Enter" => KeyCode::Enter,
                        "Esc" => KeyCode::Esc,
                        "Tab" => KeyCode::Tab,
                        "Down" => KeyCode::Down,
                        "Right" => KeyCode::Right,
                        "Left" => KeyCode::Left,
                        "Home" => KeyCode::Home,
                        other => panic!("no key {other}"),
                    };
                    (code, name.len() + 2)
                }
                None => (KeyCode::Char(c), c.len_utf8()),
            };
            rest = &rest[used..];
            let modifiers = if held {
                KeyModifiers::CONTROL
            } else {
                KeyModifiers::NONE
            };
            self.app.handle(&Event::Key(KeyEvent::new(code, modifiers)));
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
            .map(|l| l.chars().take(60).collect::<String>())
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
fn from_any_pane_the_writer_is_one_key_away() {
    // The cursor is in PSUM, in whatever pane the keys are typed (3 would move it to SBUF).
    for pane in ["1", "2", "4", "5"] {
        let mut s = Screen::new(160, 48);
        s.keys("4wcc");
        s.shows("stop: watch #1");
        let last = s.app.shell().session().seq();
        s.keys(pane);
        s.keys("o");
        s.shows("> who psum[0");
        s.keys("r");
        s.shows("moving: ");
        // And one more from going there: the bundle that wrote it is the next to execute.
        s.keys("O");
        assert_eq!(s.app.shell().session().seq(), last - 1, "{pane}");
    }
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
fn a_small_screen_tells_the_place_and_the_answer() {
    let mut s = Screen::new(20, 8);
    let line = |s: &mut Screen, n: usize| s.text().lines().nth(n).unwrap().trim().to_owned();
    s.keys("s");
    assert!(line(&mut s, 0).starts_with("seq 1"));
    // No pane shows the log here.
    s.keys(":print 6 * 7<Enter>");
    assert_eq!(line(&mut s, 7), "6 * 7: 42");
    s.keys(":prnit 1<Enter>");
    assert!(line(&mut s, 7).starts_with("unknown command"));
    s.keys("j");
    assert!(line(&mut s, 7).contains("step"));
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

#[test]
fn keys_work_on_selections_at_both_sizes() {
    for (w, h) in [(160, 48), (80, 24)] {
        let mut s = Screen::new(w, h);
        s.keys("4v<Right><Right>w");
        s.shows("place w psum[0");
        s.keys("c");
        s.shows("stop: watch #1");
        s.keys("o");
        s.shows("> who psum[0");
        s.keys(":print $stop<Enter>");
        s.shows("$stop: watch");
    }
}

#[test]
fn a_breakpoint_does_not_move_the_listing() {
    let mut s = Screen::new(160, 48);
    s.keys("1<Down><Down><Down>b");
    s.shows("break: #1 pc");
    // What was selected stays selected.
    s.shows("Bundle PE:3");
    s.keys("s");
    s.shows("Bundle PE:3");
    s.shows("seq 1");
}

#[test]
fn layouts_by_name_split_close_zoom_and_grow() {
    let mut s = Screen::new(160, 48);
    s.keys(":layout sync<Enter>");
    for part in ["Lanes", "Queues", "Findings", "Stops", "Timeline"] {
        s.shows(part);
    }
    s.keys(":layout memory<Enter>");
    for part in ["Tile", "Cell", "PSUM"] {
        s.shows(part);
    }
    s.keys("Lc:layout split right stops<Enter>:layout<Enter>");
    s.shows("layout: column(1 row(3 row(1 bundles, 1 stops), 2 column(3 fields, 2 lanes)), =4 timeline, =10 log)");
    s.keys(":layout close stops<Enter>:layout grow wider 5<Enter>:layout<Enter>");
    s.shows(
        "layout: column(1 row(101 bundles, 59 column(3 fields, 2 lanes)), =4 timeline, =10 log)",
    );
    s.keys("z");
    assert!(!s.text().contains("Timeline"));
    s.keys("zxxxxx");
    s.shows("log is the only pane");
    s.keys(":layout split right nonsense<Enter>");
    s.shows("expected");
}

#[test]
fn a_saved_layout_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("deep/layout");
    let mut s = Screen::with_layout(160, 48, Some(file.clone()));
    s.keys(":layout code<Enter>:layout close lanes<Enter>:layout save<Enter>");
    s.shows("layout: saved in");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        text,
        "column(1 row(3 bundles, 2 fields), =4 timeline, =10 log)\n"
    );
    assert_eq!(
        std::fs::read_dir(dir.path().join("deep")).unwrap().count(),
        1
    );
    let mut s = Screen::with_layout(160, 48, Some(file.clone()));
    s.keys(":layout<Enter>");
    s.shows(text.trim());
    // A broken file is told about, and the default shown.
    std::fs::write(&file, "row(1 bundles").unwrap();
    let mut s = Screen::with_layout(160, 48, Some(file));
    s.shows("expected `,` or `)`");
    s.shows("PSUM");
}

#[test]
fn the_timeline_shows_stops_and_goes_there() {
    let mut s = Screen::new(160, 48);
    s.keys("4v<Right><Right>wc");
    s.shows("stop: watch");
    let at = s.text();
    s.keys(":goto end<Enter>");
    // From the end to the left until the stop is under the cursor: Enter goes back in time.
    s.keys(":layout open timeline<Enter><Home><Enter>");
    s.shows("seq 0 of 51");
    assert!(at.contains("┃") && s.text().contains("●"));
}

#[test]
fn lanes_show_all_engines_in_order_and_time_moves_from_there() {
    let mut s = Screen::new(160, 48);
    s.keys("sssss:layout sync<Enter>:layout open lanes<Enter>");
    s.shows("5 steps known");
    s.keys("<Home><Down><Down><Enter>");
    s.shows("seq 2 of 5");
}

#[test]
fn the_tile_has_headers_and_values() {
    let mut s = Screen::new(160, 48);
    s.keys(
        "c:layout memory<Enter>:let row = sbuf[2:6, 0x0:0x10] as fp32<Enter>:heat show row<Enter>",
    );
    for part in ["Tile row · fp32 · 4 × 4", "[0]", "[3]", "p2", "p5"] {
        s.shows(part);
    }
}

#[test]
fn heat_modes_and_comparison() {
    let mut s = Screen::new(160, 48);
    s.keys("c:heat mode special<Enter>");
    s.shows("SBUF special");
    s.shows("subnormal");
    s.keys(":heat mode diff<Enter>");
    s.shows("names what to compare with");
    s.keys(":heat against 10<Enter>");
    s.shows("against: seq 10");
    s.shows("diff against seq 10");
    s.keys(":heat mode place<Enter>");
    s.shows("SBUF place");
    s.keys(":heat mode writes<Enter>:heat reset<Enter>");
    s.shows("counted from here on");
    s.keys(":layout open before<Enter>");
    s.shows("at seq 10");
    s.keys(":heat palette mud<Enter>");
    s.shows("there is no palette `mud`");
}

#[test]
fn pictures_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let mut s = Screen::new(160, 48);
    s.keys(&format!("c:heat export {}<Enter>", path("a.png")));
    s.shows("written: ");
    let png = std::fs::read(path("a.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    s.keys(&format!(":heat export {}<Enter>", path("a.svg")));
    let svg = std::fs::read_to_string(path("a.svg")).unwrap();
    assert!(svg.contains(">p64<") && svg.matches("<rect").count() > 1000);
    s.keys(&format!(
        ":screenshot {}<Enter>:screenshot {}<Enter>",
        path("b.svg"),
        path("b.txt")
    ));
    let shown = s.text();
    let text = std::fs::read_to_string(path("b.txt")).unwrap();
    assert!(shown.contains("stop: exit") && text.contains("sp:9 HALT"));
    s.keys(&format!(":screenshot {}<Enter>", path("b.svg")));
    s.text();
    assert!(
        std::fs::read_to_string(path("b.svg"))
            .unwrap()
            .contains("Timeline")
    );
    s.keys(":heat export picture.gif<Enter>");
    s.shows("ends in .png or .svg");
    s.keys(":heat export /nowhere/at/all.png<Enter>");
    s.shows("/nowhere/at/all.png: ");
}

#[test]
fn a_single_nan_shows_in_the_whole_memory() {
    for place in [
        "sbuf[77, 0x1ff0+4]",
        "sbuf[127, 0x2fffc+4]",
        "psum[3, 0x3ffc+4]",
    ] {
        let mut s = Screen::new(160, 48);
        let pane = if place.starts_with('s') { 3 } else { 4 };
        s.keys(&format!(":set {place} as u32 = 0x7fc00001<Enter>{pane}_"));
        let text = s.text();
        let right: Vec<String> = text.lines().map(|l| l.chars().skip(94).collect()).collect();
        assert!(right.iter().any(|l| l.contains('N')), "{place}\n{text}");
    }
}

#[test]
fn the_palette_finds_and_runs() {
    let mut s = Screen::new(160, 48);
    s.keys("<C-p>laymem");
    s.shows("▸ layout memory");
    s.keys("<Enter>");
    s.shows("Tile");
    s.keys("<C-p>goto<Enter>");
    s.shows(":goto ");
    s.keys("end<Enter>");
    s.shows("seq 51");
    s.keys("<C-p>zoompa<Enter>");
    assert!(!s.text().contains("Timeline"));
    s.keys("<C-p>x<Esc>");
    s.shows("s step");
}

#[test]
fn pending_keys_show_what_may_follow() {
    let mut s = Screen::new(160, 48);
    s.keys("L");
    s.shows("layout sync");
    s.keys("s");
    s.shows("Lanes");
    assert!(!s.text().contains("layout code"));
}

#[test]
fn completions_are_gone_through_and_history_is_searched() {
    let mut s = Screen::new(160, 48);
    s.keys(":reverse-<Tab>");
    s.shows("reverse-continue");
    s.keys("<Tab><Tab>");
    s.shows(":reverse-step");
    s.keys("<BackTab>");
    s.shows(":reverse-continue");
    s.keys("<Esc>:print 40+2<Enter>:print $seq<Enter>:<C-r>40");
    s.shows("history `40` print 40+2");
    s.keys("<Enter>");
    s.shows("> print 40+2");
}

#[test]
fn an_access_pattern_is_played_over_the_heatmap() {
    let mut s = Screen::new(160, 48);
    s.keys("1<Down><Down>a");
    s.shows("reads src · hardware order [1][128]");
    for _ in 0..200 {
        s.app.play();
    }
    s.shows("128/128");
    // Later elements have higher levels: the ramp goes up from left to right.
    s.keys("a");
    s.shows("writes dst · hardware order [1][128]");
    s.keys("A");
    s.shows("array order (128) steps (1)");
    s.keys("<Esc>");
    s.shows("SBUF value");
}

#[test]
fn pasted_lines_run_and_the_rest_stays_in_the_prompt() {
    let mut s = Screen::new(160, 48);
    s.app
        .handle(&Event::Paste("step\r\nstep\r\nprint 6*7".into()));
    s.shows("seq 2");
    s.shows(":print 6*7");
}

#[test]
fn copying_puts_the_place_on_the_clipboard() {
    let mut s = Screen::new(160, 48);
    s.keys("4v<Right>y");
    let wishes = s.app.wishes();
    assert!(
        matches!(&wishes[..], [Wish::Copy(t)] if t.starts_with("psum[0, 0x0+")),
        "{wishes:?}"
    );
}

#[test]
fn the_mouse_focuses_selects_and_goes_through_time() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut s = Screen::new(160, 48);
    s.keys("c");
    let text = s.text();
    let row = text.lines().position(|l| l.contains("Timeline")).unwrap() as u16 + 1;
    let mut mouse = |kind, column, row| {
        s.app.handle(&Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }));
        while s.app.is_running() {
            s.app.tick();
        }
    };
    let left = MouseButton::Left;
    mouse(MouseEventKind::Down(left), 1, row);
    mouse(MouseEventKind::Down(left), 20, 4);
    mouse(MouseEventKind::Down(left), 110, 5);
    mouse(MouseEventKind::Drag(left), 115, 6);
    s.shows("seq 0 of 51");
    s.shows("Bundle PE:2");
    s.shows("┏ 3 SBUF");
    s.keys("w");
    s.shows("> watch sbuf[");
}

#[test]
fn a_watch_selects_its_culprit_in_both_directions() {
    let mut s = Screen::new(160, 48);
    s.keys(":watch w psum[0:64, bank 2]<Enter>cc");
    s.shows("Bundle PE:11 MATMUL");
    s.keys("C");
    s.shows("Bundle PE:11 MATMUL");
    s.keys("C");
    s.shows("Bundle PE:5 MATMUL");
}
