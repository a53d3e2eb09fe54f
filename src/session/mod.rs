//! The debugger without a face: a program, a machine, its time line, and everything that can be asked or done.
//!
//! A [`Session`] is what every front end holds. Reading takes `&Session`; what changes something is a method that takes
//! `&mut Session` and is undoable. [`run`](Session::run) is the one loop that moves time, in both directions; `stops` says where it
//! halts, `timeline` how far back and forth it can go. Views (`info`, `attribution`, `chain`, `heat`, `snapshots`) are functions of
//! the state and of the journal's records, so they are right at every point of time; `explore`, `compare` and `shadow` run machines of
//! their own beside it.
//!
//! No text of users is parsed here and nothing is printed.

mod arrays;
mod attribution;
mod chain;
mod compare;
mod contents;
mod cover;
mod edit;
mod elements;
mod error;
mod explore;
mod expr;
mod findings;
mod halt;
mod hang;
mod heat;
mod info;
mod lookback;
mod observer;
mod place;
mod ranges;
mod run;
mod save;
mod seqs;
mod shadow;
mod snapshots;
mod source;
mod sources;
mod stop;
mod stops;
mod timeline;
mod trail;
mod travel;
mod value;
mod verbs;
mod watch;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use arrays::{Comparison, Mismatch, Tolerance};
pub use attribution::{Actor, Question, Touch, Touches};
pub use chain::{Chain, ChainLimits, Link, Origin as LinkOrigin};
pub use compare::{Course, Parted, Runs};
pub use edit::{Change, EDIT_LIMIT};
pub use error::SessionError;
pub use explore::{Divergence, Ending, Exploration, Reordered, Schedule, Variant};
pub use expr::{BinOp, Env, EvalError, Expr, Func, UnOp};
pub use findings::{Cause, FindingSummary};
pub use hang::{Knot, Lasso, Turned, WaitGraph};
pub use heat::{HEAT_RECORDS, HeatCell, HeatMap, HeatMode, Window, changed};
pub use info::{HistoryInfo, Poster, StreamInfo, Stuck};
pub use observer::Watchfulness;
pub use place::{NamedPlace, Origin, Place, PlaceError};
pub use run::{Budget, Goal, Progress};
pub use save::Saved;
pub use shadow::{Errors, Exceeded, Measure};
pub use snapshots::{Diff, GAP, Side, Snapshot};
pub use stop::{Access, Hit, Stop, StopDetail, StopKind};
pub use stops::{Breakpoint, StopSpec, Stops, Watch};
pub use timeline::Mark;
pub use value::Value;
pub use verbs::When;

use crate::isa::{Generation, Queue};
use crate::program::Program;
use crate::sim::{Machine, Policy, Settings, State};
use findings::Findings;
use observer::Observer;
use timeline::Timeline;

/// Bytes of history by default: log and checkpoints together.
pub const DEFAULT_HISTORY: u64 = 512 << 20;
/// The least history: what one large bundle needs.
pub const MIN_HISTORY: u64 = 32 << 20;

/// How a session is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// The generation; `None`: what the program asks for, else v3.
    pub generation: Option<Generation>,
    /// Settings of the machine.
    pub settings: Settings,
    /// Which stream goes next.
    pub policy: Policy,
    /// Bytes of history, see [`Session::set_history`].
    pub history: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            generation: None,
            settings: Settings::default(),
            policy: Policy::default(),
            history: DEFAULT_HISTORY,
        }
    }
}

/// Meaning of a name given by `let`.
#[derive(Clone, PartialEq, Debug)]
pub enum Let {
    /// A place.
    Place(Place),
    /// An expression, with its text.
    Expr(Expr, String),
}

/// A program being debugged.
pub struct Session {
    program: Arc<Program>,
    places: Vec<NamedPlace>,
    generation: Generation,
    policy: Policy,
    /// Of the random order, also while another policy is chosen.
    seed: u64,
    /// As the user set them.
    settings: Settings,
    /// As the machine uses them: those that act at load time as they were then.
    active: Settings,
    machine: Machine,
    timeline: Timeline,
    stops: Stops,
    findings: Findings,
    /// As the user set it; the observer may wait for a restart.
    watchfulness: Watchfulness,
    observer: Observer,
    focus: Queue,
    last: Stop,
    pending: Option<run::Task>,
    /// Steps of the future dropped since the last stop was reported.
    lost: u64,
    history: u64,
    limit: u64,
    /// Counts the paths of time: positions of the journal mean the same as long as it stays.
    epoch: u64,
    log: Vec<String>,
    /// Position from which pictures of memory count writes and reads.
    heat_from: u64,
    /// The moment that pictures compare with.
    compared: Option<snapshots::Compared>,
    lets: BTreeMap<String, Let>,
    snapshots: BTreeMap<String, Snapshot>,
    /// The numerics microscope is wanted.
    shadow_on: bool,
    shadow: Option<Box<shadow::Microscope>>,
}

impl Session {
    /// A session at the start of a program.
    ///
    /// # Errors
    /// Initial memory outside the memories of the generation.
    pub fn new(program: Program, options: Options) -> Result<Session, SessionError> {
        let program = Arc::new(program);
        let generation = options
            .generation
            .or(program.generation)
            .unwrap_or(Generation::V3);
        let (machine, timeline) = load(&program, generation, options.settings, options.policy)?;
        let places = source::places(&program, machine.state().geometry())?;
        let focus = first_queue(&program);
        let watchfulness = Watchfulness::default();
        let observer = Observer::new(&machine, watchfulness);
        let last = Stop::start(timeline.base().seq);
        let mut session = Session {
            program,
            places,
            generation,
            policy: options.policy,
            seed: options.policy.seed().unwrap_or(0),
            settings: options.settings,
            active: options.settings,
            machine,
            timeline,
            stops: Stops::default(),
            findings: Findings::default(),
            watchfulness,
            observer,
            focus,
            last,
            pending: None,
            lost: 0,
            history: options.history,
            limit: 0,
            epoch: 0,
            log: Vec::new(),
            heat_from: 0,
            compared: None,
            lets: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            shadow_on: false,
            shadow: None,
        };
        session.set_history(options.history);
        Ok(session)
    }

    /// Takes the program back to its initial state: time, edits and findings are forgotten, the hit counts of breakpoints too;
    /// breakpoints, lets and settings stay.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn restart(&mut self) -> Result<(), SessionError> {
        let interrupt = Arc::clone(self.machine.interrupt());
        let (machine, timeline) = load(&self.program, self.generation, self.settings, self.policy)?;
        (self.machine, self.timeline) = (machine, timeline);
        self.machine.set_interrupt(interrupt);
        self.active = self.settings;
        self.findings = Findings::default();
        self.observe_anew();
        self.stops.forget_hits();
        self.last = Stop::start(self.start_seq());
        self.pending = None;
        self.lost = 0;
        self.epoch += 1;
        self.heat_from = 0;
        self.compared = None;
        self.shadow = None;
        self.log.clear();
        self.set_history(self.history);
        Ok(())
    }

    /// Replaces the program (its files read again) and restarts.
    ///
    /// # Errors
    /// As [`Session::new`]; the session is then as it was.
    pub fn reload(&mut self, program: Program) -> Result<(), SessionError> {
        let places = source::places(&program, self.state().geometry())?;
        let old = std::mem::replace(&mut self.program, Arc::new(program));
        if let Err(e) = self.restart() {
            self.program = old;
            return Err(e);
        }
        self.places = places;
        if self.machine.stream(self.focus).is_none() {
            self.focus = first_queue(&self.program);
        }
        Ok(())
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The generation.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The machine's state.
    pub fn state(&self) -> &State {
        self.machine.state()
    }

    /// Bundles retired so far.
    pub fn seq(&self) -> u64 {
        self.machine.journal().seq()
    }

    /// Equal as long as the state is the same: what a view may remember a picture by.
    pub fn moment(&self) -> (u64, u64) {
        (self.epoch, self.machine.journal().position())
    }

    /// The last stop.
    pub fn stop(&self) -> &Stop {
        &self.last
    }

    /// The stream in focus.
    pub fn focus(&self) -> Queue {
        self.focus
    }

    /// The breakpoints.
    pub fn stops(&self) -> &Stops {
        &self.stops
    }

    /// The breakpoints, to be changed.
    pub fn stops_mut(&mut self) -> &mut Stops {
        &mut self.stops
    }

    /// Findings of the bundles retired so far, worst first.
    pub fn findings(&self) -> Vec<FindingSummary> {
        self.findings.summary(self.seq())
    }

    /// Findings of every bundle of the time line, also of those ahead of the present point.
    pub fn all_findings(&self) -> Vec<FindingSummary> {
        self.findings.summary(u64::MAX)
    }

    /// Lines of breakpoints with `log` and of bundles that notify, since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    /// The flag that interrupts a run, also inside a long bundle. A run lowers it when it stops because of it.
    pub fn interrupt(&self) -> &Arc<AtomicBool> {
        self.machine.interrupt()
    }

    /// Shares an interrupt flag.
    pub fn set_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.machine.set_interrupt(flag);
    }

    /// Names given by `let`.
    pub fn lets(&self) -> &BTreeMap<String, Let> {
        &self.lets
    }

    /// Gives a name; gives what it meant before.
    pub fn define(&mut self, name: String, meaning: Let) -> Option<Let> {
        self.lets.insert(name, meaning)
    }

    /// A named place: of `let`, else of the program.
    pub fn place(&self, name: &str) -> Option<Place> {
        match self.lets.get(name) {
            Some(Let::Place(p)) => Some(*p),
            Some(Let::Expr(..)) => None,
            None => self.program_place(name),
        }
    }

    /// A place of the program, whatever `let` makes of its name.
    pub fn program_place(&self, name: &str) -> Option<Place> {
        let place = self.places.iter().find(|p| p.name == name)?;
        Some(place.place)
    }

    /// All named places: those of the program in its order, then those of `let` by name.
    pub fn places(&self) -> Vec<NamedPlace> {
        let lets = self
            .lets
            .iter()
            .filter_map(|(name, meaning)| match meaning {
                Let::Place(place) => Some(NamedPlace {
                    name: name.clone(),
                    place: *place,
                    shape: None,
                    origin: Origin::Let,
                }),
                Let::Expr(..) => None,
            });
        self.places.iter().cloned().chain(lets).collect()
    }

    /// Value of an expression; `hit` is the access that a watch condition judges.
    ///
    /// # Errors
    /// [`EvalError`].
    pub fn eval(&self, expr: &Expr, hit: Option<&Hit>) -> Result<Value, EvalError> {
        expr.eval(&Env {
            state: self.state(),
            seq: self.seq(),
            focus: self.focus,
            stop: self.last.kind.name(),
            hit,
        })
    }
}

fn first_queue(program: &Program) -> Queue {
    let queues = program.streams.iter().map(|s| (s.is_empty(), s.queue));
    queues.min().map_or(Queue::Any, |(_, queue)| queue)
}

/// A machine with the program in it, and the time line that starts there.
fn load(
    program: &Arc<Program>,
    generation: Generation,
    settings: Settings,
    policy: Policy,
) -> Result<(Machine, Timeline), SessionError> {
    let mut machine = Machine::new(generation, settings, policy);
    for (queue, stream) in source::streams(program) {
        machine.load(queue, stream);
    }
    machine.set_tables(source::tables(program));
    // Initial memory is no step: it is stored without a record.
    machine.journal_mut().set_recording(false);
    machine.edit(|w| source::fill(program, w))?;
    machine.journal_mut().set_recording(true);
    if let Some(start) = &program.start {
        let geometry = *machine.state().geometry();
        let state = State::from_image(&start.image, geometry).map_err(|error| {
            let file = start.file.clone();
            SessionError::State { file, error }
        })?;
        machine.start_from(
            state,
            source::policy(program).unwrap_or_default(),
            start.seq,
        );
    }
    let base = Mark {
        position: machine.journal().position(),
        seq: machine.journal().seq(),
    };
    let start = machine.checkpoint();
    Ok((machine, Timeline::new(base, start, settings)))
}
