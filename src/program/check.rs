//! Findings over a whole program: broken rules of bundles, branch targets, forms, semaphores that
//! nobody posts.

use std::collections::{BTreeMap, BTreeSet};

use super::stream::{BranchForm, BranchSetting, ReadError, Stream, is_mode3};
use super::{BranchTargetError, Program};
use crate::isa::account::{Thing, accesses};
use crate::isa::field::{Field, FieldKind, Role};
use crate::isa::fields::{EventsExt, WaitMode};
use crate::isa::legal::{CheckSettings, check_with};
use crate::isa::{Generation, Instr, Queue, Severity, decode};

/// A bundle of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
}

/// One rule broken at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Where.
    pub site: Site,
    /// Id of the rule.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// The field at fault, when it is one.
    pub field: Option<&'static str>,
    /// First byte at fault.
    pub byte: usize,
    /// What was found and what is allowed.
    pub message: String,
}

/// A rule and how often it is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Id of the rule.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// Bundles that break it.
    pub count: u64,
    /// The first of them.
    pub first: Site,
    /// The last of them.
    pub last: Site,
    /// The message of the first.
    pub message: String,
}

/// What the check depends on.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Generation to check for.
    pub generation: Generation,
    /// Severities that a user may lower.
    pub settings: CheckSettings,
    /// The setting `branch.target`.
    pub branch: BranchSetting,
}

impl Options {
    /// The default settings.
    pub fn new(generation: Generation) -> Options {
        Options {
            generation,
            settings: CheckSettings::default(),
            branch: BranchSetting::Auto,
        }
    }
}

/// Checks every bundle and hands each report to `sink`, stream after stream.
///
/// # Errors
/// A stream cannot be read.
pub fn each(
    program: &Program,
    options: &Options,
    mut sink: impl FnMut(Report),
) -> Result<(), ReadError> {
    let mut posts = Posts::default();
    for stream in &program.streams {
        check_stream(stream, options, &mut posts, &mut sink)?;
    }
    posts.report(&mut sink);
    Ok(())
}

/// The findings of a program: errors first, then by rule.
///
/// # Errors
/// A stream cannot be read.
pub fn findings(program: &Program, options: &Options) -> Result<Vec<Finding>, ReadError> {
    let mut by_rule: BTreeMap<(std::cmp::Reverse<Severity>, &'static str), Finding> =
        BTreeMap::new();
    each(program, options, |r| {
        by_rule
            .entry((std::cmp::Reverse(r.severity), r.rule))
            .and_modify(|f| {
                f.count += u64::from(f.last != r.site);
                f.last = r.site;
            })
            .or_insert(Finding {
                rule: r.rule,
                severity: r.severity,
                count: 1,
                first: r.site,
                last: r.site,
                message: r.message,
            });
    })?;
    Ok(by_rule.into_values().collect())
}

fn check_stream(
    stream: &Stream,
    options: &Options,
    posts: &mut Posts,
    sink: &mut dyn FnMut(Report),
) -> Result<(), ReadError> {
    let form = stream.branch_form(options.branch)?;
    let engine = stream.queue.engine();
    let mut device = None;
    let mut pseudo = None;
    for (index, bundle) in (0..).zip(stream.bundles()) {
        let bundle = bundle?;
        let site = Site {
            queue: stream.queue,
            index,
        };
        let instr = decode(&bundle, options.generation);
        for v in check_with(&instr, engine, &options.settings) {
            sink(Report {
                site,
                rule: v.rule,
                severity: v.severity,
                field: v.field,
                byte: v.byte,
                message: v.message,
            });
        }
        if let Some(Err(e)) = stream.target(index, &bundle, form) {
            sink(target_report(site, e, form));
        }
        if is_mode3(&bundle) && bundle.u8(3) == 2 {
            device.get_or_insert(site);
        }
        if instr.op.is_some_and(|op| op.is_pseudo()) {
            pseudo.get_or_insert(site);
        }
        posts.see(site, &instr);
    }
    if let Some(site) = device {
        let message = match pseudo {
            Some(_) => {
                "pseudo opcodes and a branch with debug_hint 2 in one stream; targets are read as bytes from the branch"
            }
            None => {
                "branches with debug_hint 2: a stream as the device gets it, targets in bytes from the branch"
            }
        };
        let severity = if pseudo.is_some() {
            Severity::Warn
        } else {
            Severity::Info
        };
        sink(report(site, "branch-form", severity, message));
    }
    Ok(())
}

fn report(
    site: Site,
    rule: &'static str,
    severity: Severity,
    message: impl Into<String>,
) -> Report {
    Report {
        site,
        rule,
        severity,
        field: None,
        byte: 0,
        message: message.into(),
    }
}

fn target_report(site: Site, error: BranchTargetError, form: BranchForm) -> Report {
    let unit = match form {
        BranchForm::Index => "bundle index",
        BranchForm::RelBytes => "bytes from the branch",
    };
    let message = format!("br_immediate ({unit}): {error}");
    Report {
        field: Some("br_immediate"),
        byte: 48,
        ..report(site, "branch-target", Severity::Error, message)
    }
}

/// Who waits for what, and what is ever posted.
#[derive(Default)]
struct Posts {
    semaphores: BTreeSet<u8>,
    events: BTreeSet<u8>,
    waits: Vec<(Site, Wait)>,
    /// Something posts semaphores that the bundles do not name.
    open: bool,
}

/// A wait that needs a post.
#[derive(Clone, Copy)]
enum Wait {
    Semaphore(u8),
    Event(u8),
}

impl Posts {
    fn see(&mut self, site: Site, instr: &Instr) {
        for a in accesses(instr) {
            match (a.role, a.thing) {
                (Role::Write, Thing::Semaphore(n)) => {
                    self.semaphores.insert(n);
                }
                (Role::Write, Thing::Event(n)) => {
                    self.events.insert(n);
                }
                // A write to a 64-bit address may reach the semaphore window.
                (Role::Write, Thing::Far(_, a)) => {
                    self.open |= a.immediate().is_none_or(|a| a >= SEMAPHORE_WINDOW);
                }
                _ => {}
            }
        }
        // A queue of descriptors posts its own semaphore.
        self.open |= instr.bundle.opcode() == DMA_TRIGGER;
        let e = instr.events();
        // Barriers of the loader do not evaluate their inline wait.
        if !matches!(instr.bundle.opcode(), SYNC_BARRIER | CORE_BARRIER) {
            self.wait(site, e.wait, e.wait_idx, e.value);
        }
        for f in instr.format.fields {
            if f.kind == FieldKind::EventsExt {
                let x = EventsExt::get(&instr.bundle, f.at);
                self.wait(site, x.wait, x.wait_idx, x.wait_value);
            }
        }
    }

    /// Counters and events start at 0.
    fn wait(&mut self, site: Site, mode: WaitMode, idx: u8, value: u32) {
        if matches!(mode.0, 0x06 | 0x07) {
            self.waits.push((site, Wait::Event(idx)));
        } else if mode.comparator().is_some() && !mode.from_register() && !mode.holds(0, value) {
            self.waits.push((site, Wait::Semaphore(idx)));
        }
    }

    fn report(&self, sink: &mut dyn FnMut(Report)) {
        for (site, wait) in &self.waits {
            let (what, idx, posted) = match wait {
                Wait::Semaphore(n) => ("$S", n, self.open || self.semaphores.contains(n)),
                Wait::Event(n) => ("$E", n, self.open || self.events.contains(n)),
            };
            if !posted {
                let message =
                    format!("waits for {what}[{idx}], which no bundle of the program updates");
                sink(report(*site, "never-posted", Severity::Info, message));
            }
        }
    }
}

const DMA_TRIGGER: u8 = 0xC1;
const SYNC_BARRIER: u8 = 0xD5;
const CORE_BARRIER: u8 = 0xD8;
/// First 64-bit address behind SBUF that is not device memory (isa 09 §2.3).
const SEMAPHORE_WINDOW: u64 = 0x28_0000_0000;

#[cfg(test)]
mod tests;
