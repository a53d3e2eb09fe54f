//! Time of a frame: the default layout at 200 x 60, both heatmaps in sight.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a bench may fail loudly")]

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tpbdbg::cmd::Shell;
use tpbdbg::cmd::launch::{Given, Input, Launch};
use tpbdbg::paint::palette::Palette;
use tpbdbg::paint::theme::{Depth, Theme};
use tpbdbg::tui::app::App;
use tpbdbg::tui::keymap::Keymap;

struct Screen {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    fn new(sample: &str) -> Screen {
        let input = Input::Sample(sample.to_owned());
        let launch = Launch {
            programs: vec![Given { input, queue: None }],
            ..Launch::default()
        };
        let theme = Theme {
            depth: Depth::True,
            palette: Palette::default(),
            light: false,
        };
        let shell = Shell::open(launch).unwrap();
        let app = App::new(shell, sample.to_owned(), theme, Keymap::load(None).unwrap());
        let terminal = Terminal::new(TestBackend::new(200, 60)).unwrap();
        let mut screen = Screen { app, terminal };
        screen.draw();
        screen
    }

    fn draw(&mut self) {
        self.terminal.draw(|f| self.app.draw(f)).unwrap();
    }

    fn keys(&mut self, keys: &str) {
        for c in keys.chars() {
            let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            self.app.handle(&Event::Key(key));
            while self.app.is_running() {
                self.app.tick();
            }
        }
    }

    fn line(&mut self, line: &str) {
        self.app.run_line(line);
        while self.app.is_running() {
            self.app.tick();
        }
    }
}

/// Frames after one step forward or back each: the median and the 99th of 100. Other processes on the machine show in the latter.
fn percentiles(name: &str, screen: &mut Screen, frames: usize) {
    let mut times: Vec<Duration> = (0..frames)
        .map(|i| {
            screen.keys(if i % 20 < 10 { "s" } else { "S" });
            let begun = Instant::now();
            screen.draw();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |p: usize| {
        times
            .get(times.len().saturating_sub(1) * p / 100)
            .copied()
            .unwrap_or_default()
    };
    eprintln!("{name}: median {:?}, p99 {:?}", at(50), at(99));
}

fn frames(c: &mut Criterion) {
    let once = std::env::args().any(|a| a == "--test");
    let frames = if once { 20 } else { 2000 };
    let mut group = c.benchmark_group("frame");
    for (name, sample, set_up) in [
        ("value", "pipeline", ""),
        ("age", "pipeline", "heat mode age"),
        ("layer_norm", "layer_norm", ""),
        // All of the memory in sight, and written.
        ("whole memory", "pipeline", "set sbuf as u8 = 1"),
    ] {
        let mut s = Screen::new(sample);
        if !set_up.is_empty() {
            s.line(set_up);
        }
        if name == "whole memory" {
            s.keys("3_4_");
        }
        s.draw();
        group.bench_function(format!("{name}, nothing new"), |b| b.iter(|| s.draw()));
        percentiles(&format!("frame/{name}, after a step"), &mut s, frames);
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
