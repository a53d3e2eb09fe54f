//! The settings of `set KEY VALUE` and `info settings`: those of the machine, and those of the tool itself.

use super::error::{CmdError, ErrorKind};
use super::lang;
use crate::session::{MIN_HISTORY, Session, SessionError, When};
use crate::sim::Policy;
use crate::sim::settings::{Accepts, KEYS};

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// As typed.
    pub key: &'static str,
    /// Its values where they are words, the default first.
    pub words: &'static [&'static str],
    /// One line on it.
    pub doc: &'static str,
}

/// Bytes of history.
const HISTORY: Setting = Setting {
    key: "history",
    words: &[],
    doc: "bytes of memory for time travel, e.g. 2GiB; more reaches further back without running again",
};
/// Bundles of a run.
const LIMIT: Setting = Setting {
    key: "run.limit",
    words: &[],
    doc: "bundles after which a run stops, 0 for none",
};

/// Which stream goes next.
const SCHED: Setting = Setting {
    key: "sched",
    words: &Policy::NAMES,
    doc: "which engine goes next, from the next restart on",
};
/// The random order.
const SEED: Setting = Setting {
    key: "seed",
    words: &[],
    doc: "seed of `sched random` and `sched bursts`",
};
/// What is looked for while running.
const FINDINGS: Setting = Setting {
    key: "findings",
    words: &["on", "off"],
    doc: "collect what is odd while running",
};
/// The race detector.
const RACE: Setting = Setting {
    key: "race",
    words: &["off", "on"],
    doc: "find accesses that no semaphore, event, barrier or DRAIN orders",
};

/// All settings, in the order of `info settings`.
pub fn all() -> impl Iterator<Item = Setting> {
    let machine = KEYS.iter().map(|k| Setting {
        key: k.name,
        words: match k.accepts {
            Accepts::Words(words) => words,
            Accepts::Number => &[],
        },
        doc: k.doc,
    });
    machine.chain([HISTORY, LIMIT, SCHED, SEED, FINDINGS, RACE])
}

/// Every setting with its value, and whether that is the default.
pub fn values(s: &Session) -> impl Iterator<Item = (Setting, String, bool)> {
    let machine = s.settings().all().map(|(_, value)| value);
    let watch = s.watchfulness();
    let on = |on: bool| if on { "on" } else { "off" }.to_owned();
    let tool = [
        s.history().to_string(),
        s.limit().to_string(),
        s.schedule().0.name().to_owned(),
        s.schedule().1.to_string(),
        on(watch.findings),
        on(watch.races),
    ];
    let values = machine.chain(tool);
    let values: Vec<String> = values.collect();
    all().zip(values).map(|(setting, value)| {
        let default = match setting.words.first() {
            Some(first) => value == *first,
            None if setting.key == HISTORY.key => {
                value == crate::session::DEFAULT_HISTORY.to_string()
            }
            None => value == "0",
        };
        (setting, value, default)
    })
}

/// Sets a setting from its text; says when it takes effect.
///
/// # Errors
/// No such setting, or a value it does not take.
pub fn set(s: &mut Session, key: &str, value: &str) -> Result<When, CmdError> {
    let number = || {
        lang::number(value).map_err(|_| {
            CmdError::new(
                ErrorKind::Usage,
                format!("{key} takes a number, found `{value}`"),
            )
        })
    };
    if key == HISTORY.key {
        let bytes = number()?;
        if bytes < MIN_HISTORY {
            let m = format!("{key} takes at least {MIN_HISTORY} bytes, found {bytes}");
            return Err(CmdError::new(ErrorKind::Usage, m));
        }
        s.set_history(bytes);
        return Ok(When::Now);
    }
    if key == LIMIT.key {
        s.set_limit(number()?);
        return Ok(When::Now);
    }
    if key == SEED.key {
        return Ok(s.set_schedule(s.schedule().0, number()?)?);
    }
    if key == SCHED.key {
        let seed = s.schedule().1;
        let policy = Policy::parse(value, seed).ok_or_else(|| {
            let allowed = SCHED.words.join(" or ");
            let m = format!("{key} takes {allowed}, found {value:?}");
            CmdError::new(ErrorKind::Usage, m)
        })?;
        return Ok(s.set_schedule(policy, seed)?);
    }
    if key == FINDINGS.key || key == RACE.key {
        let on = match value {
            "on" => true,
            "off" => false,
            _ => {
                let m = format!("{key} takes on or off, found {value:?}");
                return Err(CmdError::new(ErrorKind::Usage, m));
            }
        };
        let mut watch = s.watchfulness();
        if key == RACE.key {
            watch.races = on;
            watch.findings |= on;
        } else {
            watch.findings = on;
            watch.races &= on;
        }
        return Ok(s.set_watchfulness(watch));
    }
    let decimal = match all().find(|k| k.key == key) {
        Some(k) if k.words.is_empty() => number()?.to_string(),
        _ => value.to_owned(),
    };
    s.set_setting(key, &decimal).map_err(|e| match e {
        SessionError::Setting(e) => CmdError::new(ErrorKind::Usage, e.to_string()),
        e => e.into(),
    })
}
