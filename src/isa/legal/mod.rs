//! Legality: rules with ids, checked against a decoded bundle (isa 04 §4, decisions 1.1).
//!
//! [`check`] runs what every bundle obeys (`common`: header, events, opcode, engine, values,
//! operands, reserved bytes), then the rules of the opcode's row. The pieces that also hold at run
//! time, when a register gives the address, are public: [`address`], [`slot`], [`mx`].

pub mod address;
mod common;
pub mod mx;
pub mod slot;
#[cfg(test)]
mod tests;

use crate::isa::field::{FieldDesc, Format};
use crate::isa::{Engine, Generation, Instr};

/// How bad a violation is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Reported, execution goes on.
    Warn,
    /// `check` fails and execution of the bundle is a fault.
    Error,
}

impl Severity {
    /// `info`, `warn` or `error`.
    pub const fn name(self) -> &'static str {
        ["info", "warn", "error"][self as usize]
    }
}

/// A rule that a bundle breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Id of the rule, e.g. `start-partition`.
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

/// Rules that a user may turn from errors into findings (decisions §2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckSettings {
    /// `check.reserved`.
    pub reserved: Severity,
    /// `check.start-partition`.
    pub start_partition: Severity,
    /// `check.engine`.
    pub engine: Severity,
    /// `check.pool-psum`.
    pub pool_psum: Severity,
}

impl Default for CheckSettings {
    fn default() -> Self {
        CheckSettings {
            reserved: Severity::Error,
            start_partition: Severity::Error,
            engine: Severity::Error,
            pool_psum: Severity::Error,
        }
    }
}

/// Rules that may be broken without a fault: a run reports them as findings.
pub const SOFT: &[&str] = &[
    "accumulate-flag",
    "alu-dst-dtype",
    "debug-cmd",
    "dormant",
    "element-count",
    "engine",
    "header",
    "indirect-operand",
    "mask-byte",
    "pool-psum",
    "register-bits",
    "reserved",
    "sem-step",
    "sort-top",
    "sparse-rows",
    "start-partition",
    "transpose-shape",
    "two-updates",
];

impl CheckSettings {
    /// The worst a rule may be.
    fn limit(&self, rule: &str) -> Severity {
        match rule {
            "reserved" => self.reserved,
            "start-partition" => self.start_partition,
            "engine" => self.engine,
            "pool-psum" => self.pool_psum,
            _ => Severity::Error,
        }
    }
}

/// One check of one bundle: what rules see and where they report.
pub struct Check<'a> {
    /// The bundle.
    pub instr: &'a Instr,
    /// The engine it runs on; `None` when not known.
    pub engine: Option<Engine>,
    /// What was found so far.
    pub found: Vec<Violation>,
}

/// A legality rule of an opcode or format.
pub type Rule = fn(&mut Check<'_>);

impl Check<'_> {
    /// The generation.
    pub fn generation(&self) -> Generation {
        self.instr.generation
    }

    /// The layout.
    pub fn format(&self) -> &'static Format {
        self.instr.format
    }

    /// Raw value of a field; 0 when the layout lacks it.
    pub fn value(&self, field: &str) -> u64 {
        self.instr.value(field).unwrap_or(0)
    }

    /// Reports a violation, unless the same rule was reported for the same bytes.
    pub fn push(&mut self, v: Violation) {
        let known = |f: &Violation| f.rule == v.rule && f.byte == v.byte && f.field == v.field;
        if !self.found.iter().any(known) {
            self.found.push(v);
        }
    }

    /// Reports a violation at a field.
    pub fn at(&mut self, severity: Severity, rule: &'static str, field: &str, message: String) {
        let desc: Option<&'static FieldDesc> = self.format().field(field);
        self.push(Violation {
            rule,
            severity,
            field: desc.map(|d| d.name),
            byte: desc.map_or(0, FieldDesc::byte),
            message,
        });
    }

    /// Reports an error at a field.
    pub fn error(&mut self, rule: &'static str, field: &str, message: String) {
        self.at(Severity::Error, rule, field, message);
    }

    /// Reports a violation at a byte that is no field.
    pub fn at_byte(
        &mut self,
        severity: Severity,
        rule: &'static str,
        byte: usize,
        message: String,
    ) {
        self.push(Violation {
            rule,
            severity,
            field: None,
            byte,
            message,
        });
    }
}

/// All violations of a bundle on an engine, in order of position, by the default settings.
pub fn check(instr: &Instr, engine: Option<Engine>) -> Vec<Violation> {
    check_with(instr, engine, &CheckSettings::default())
}

/// All violations of a bundle on an engine, in order of position.
pub fn check_with(
    instr: &Instr,
    engine: Option<Engine>,
    settings: &CheckSettings,
) -> Vec<Violation> {
    let mut c = Check {
        instr,
        engine,
        found: Vec::new(),
    };
    if common::check(&mut c)
        && let Some(op) = instr.op
    {
        for rule in op.rules {
            rule(&mut c);
        }
    }
    for v in &mut c.found {
        v.severity = v.severity.min(settings.limit(v.rule));
    }
    c.found.sort_by_key(|v| v.byte);
    c.found
}
