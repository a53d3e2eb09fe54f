//! What stops an engine: faults, and the findings that do not.

use std::fmt;

use crate::isa::{Engine, Queue, Severity, Violation};

/// Why a bundle could not be executed. Nothing of it took effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Kind, one of the rule ids: `bad-opcode`, `bounds`, `address`, `not-modelled`, ...
    pub rule: &'static str,
    /// The stream.
    pub queue: Queue,
    /// The engine that would have executed it.
    pub engine: Engine,
    /// Bundle index in the stream.
    pub index: u64,
    /// Operand or field at fault.
    pub operand: Option<&'static str>,
    /// What was found and what is allowed, with addresses and partitions.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}: ", self.queue, self.index, self.rule)?;
        if let Some(operand) = self.operand {
            write!(f, "{operand}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// A fault before it is known which bundle of which stream it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// Rule id.
    pub rule: &'static str,
    /// Operand or field at fault.
    pub operand: Option<&'static str>,
    /// What was found and what is allowed.
    pub message: String,
}

impl Trap {
    /// A trap that no operand is to blame for.
    pub fn new(rule: &'static str, message: impl Into<String>) -> Trap {
        Trap {
            rule,
            operand: None,
            message: message.into(),
        }
    }

    /// A trap at an operand.
    pub fn at(rule: &'static str, operand: &'static str, message: impl Into<String>) -> Trap {
        Trap {
            rule,
            operand: Some(operand),
            message: message.into(),
        }
    }

    /// The bundle's meaning is not known (decisions.md §3).
    pub fn not_modelled(why: impl Into<String>) -> Trap {
        Trap::new("not-modelled", why)
    }
}

impl From<&Violation> for Trap {
    fn from(v: &Violation) -> Trap {
        Trap {
            rule: v.rule,
            operand: v.field,
            message: v.message.clone(),
        }
    }
}

/// Something worth reporting that does not stop the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Rule id.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// The stream.
    pub queue: Queue,
    /// Bundle index in the stream.
    pub index: u64,
    /// Retired bundles before this one.
    pub seq: u64,
    /// For what two bundles cause together: the other one.
    pub other: Option<(Queue, u64)>,
    /// What was found.
    pub message: String,
}
