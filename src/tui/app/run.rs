//! Command lines and runs in progress.

use std::time::{Duration, Instant};

use super::{App, Running, Wish};
use crate::cmd;
use crate::cmd::outcome::Outcome;
use crate::cmd::output::{Line, Tone};
use crate::cmd::report;
use crate::cmd::shell::Started;
use crate::session::Budget;
use crate::tui::panes::Past;

/// How long a slice of a run may take: keys are looked at in between.
const SLICE: Duration = Duration::from_millis(15);
/// Former stops kept.
const PAST: usize = 1000;

impl App {
    /// Runs a command line, as if it was typed at the prompt.
    pub fn run_line(&mut self, line: &str) {
        let line = line.trim();
        self.note(Line::toned(Tone::Dim, format!("> {line}")));
        self.last_line = Some(line.to_owned());
        let from = self.shell.session().seq();
        match self.shell.start(line) {
            Started::Empty => {}
            Started::Done(outcome) => self.finished(Some(*outcome)),
            Started::Running => {
                let now = Instant::now();
                // To go somewhere is no run to be watched.
                let goes = line
                    .split_whitespace()
                    .next()
                    .is_some_and(|w| cmd::lookup(w).is_ok_and(|c| c.name() == "goto"));
                self.running = Some(Running {
                    since: now,
                    from,
                    pace: self.slow.filter(|_| !goes),
                    due: now,
                });
                self.tick();
            }
        }
    }

    /// Runs the lines of `-x` files and `-e` commands, before the first key.
    pub fn run_script(&mut self) {
        while let Some(item) = self.shell.script.next() {
            self.run_line(&item.text);
            while self.is_running() {
                self.tick();
            }
        }
    }

    /// Goes on with a run for one slice; true when something may look different.
    pub fn tick(&mut self) -> bool {
        let begun = Instant::now();
        let Some(running) = &mut self.running else {
            return self.play_on(begun);
        };
        if begun < running.due {
            return false;
        }
        let pace = running.pace;
        let bundles = match pace {
            Some(rate) => {
                running.due = begun + Duration::from_secs(1).div_f64(rate as f64);
                1
            }
            None => self.slice,
        };
        let outcome = self.shell.poll(Budget { bundles });
        let took = begun.elapsed();
        self.slice = if took > SLICE {
            (self.slice / 2).max(1)
        } else if pace.is_none() {
            (self.slice * 2).min(1 << 20)
        } else {
            self.slice
        };
        if outcome.is_some() {
            self.finished(outcome);
        } else if pace.is_some() {
            self.moved();
        }
        true
    }

    /// Ends the run in progress.
    pub(super) fn interrupt(&mut self) {
        let outcome = self.shell.cancel();
        self.finished(outcome);
    }

    fn finished(&mut self, outcome: Option<Outcome>) {
        self.running = None;
        let Some(outcome) = outcome else { return };
        self.answer = match &outcome.result {
            Ok(output) => output.lines.first().cloned(),
            Err(e) => Some(Line::toned(Tone::Bad, e.to_string())),
        };
        match &outcome.result {
            Ok(output) => {
                for line in &output.lines {
                    self.note(line.clone());
                }
            }
            Err(e) => {
                self.note(Line::toned(Tone::Bad, e.to_string()));
                for line in e.caret(&outcome.command).lines() {
                    self.note(Line::toned(Tone::Dim, line.to_owned()));
                }
            }
        }
        let now = self.shell.session().moment();
        if now.0 != self.told.0 {
            // Stops of a future that is gone are gone.
            let seq = self.shell.session().seq();
            self.past.retain(|p| p.seq <= seq);
        }
        if let Some(stop) = &outcome.stop {
            let session = self.shell.session();
            let past = Past {
                seq: session.seq(),
                kind: stop.kind,
                text: report::headline(session, stop),
            };
            if self.past.last() != Some(&past) {
                self.past.push(past);
            }
            if self.past.len() > PAST {
                self.past.remove(0);
            }
        }
        // Looking, and setting a breakpoint, move nothing.
        if outcome.stop.is_some() || now != self.told {
            self.moved();
        }
        for ask in self.shell.asks() {
            self.grant(ask);
        }
        if self.shell.is_over() {
            self.wishes.push(Wish::Quit);
        }
    }
}
