//! Findings of a run, counted by rule. They belong to sequence numbers: replaying a bundle does not count it again, and a dropped
//! future takes its findings along.

use std::collections::BTreeMap;

use crate::isa::{Queue, Severity};
use crate::sim::Finding;

/// The bundle that caused a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    /// Its sequence number.
    pub seq: u64,
    /// Its stream.
    pub queue: Queue,
    /// Its index.
    pub index: u64,
}

/// All findings of one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingSummary {
    /// The rule.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How often.
    pub count: u64,
    /// The first bundle that caused it.
    pub first: Cause,
    /// The last one.
    pub last: Cause,
    /// What was found the first time.
    pub message: String,
}

#[derive(Debug, Default)]
struct Rule {
    causes: Vec<Cause>,
    message: String,
}

/// The findings of the present time line.
#[derive(Debug, Default)]
pub(super) struct Findings {
    rules: BTreeMap<(std::cmp::Reverse<Severity>, &'static str), Rule>,
    /// Bundles before this sequence number are accounted for.
    until: u64,
}

impl Findings {
    /// Accounts for the bundle that retired as `seq`, once.
    pub fn add(&mut self, seq: u64, found: &[Finding]) {
        if seq < self.until {
            return;
        }
        self.until = seq + 1;
        for f in found {
            let rule = self
                .rules
                .entry((std::cmp::Reverse(f.severity), f.rule))
                .or_default();
            if rule.causes.is_empty() {
                rule.message.clone_from(&f.message);
            }
            rule.causes.push(Cause {
                seq,
                queue: f.queue,
                index: f.index,
            });
        }
    }

    /// Forgets the bundles from `seq` on.
    pub fn drop_from(&mut self, seq: u64) {
        self.until = self.until.min(seq);
        self.rules.retain(|_, rule| {
            let keep = rule.causes.partition_point(|c| c.seq < seq);
            rule.causes.truncate(keep);
            keep > 0
        });
    }

    /// Did the bundle `seq` cause one of a rule?
    pub fn caused(&self, seq: u64, name: &str) -> bool {
        let of_rule = self.rules.iter().filter(|((_, rule), _)| *rule == name);
        of_rule
            .map(|(_, r)| &r.causes)
            .any(|c| c.binary_search_by_key(&seq, |c| c.seq).is_ok())
    }

    /// The findings of the bundles before `seq`, worst first, then by rule.
    pub fn summary(&self, seq: u64) -> Vec<FindingSummary> {
        let rules = self.rules.iter();
        rules
            .filter_map(|((severity, name), rule)| {
                let count = rule.causes.partition_point(|c| c.seq < seq);
                let causes = rule.causes.get(..count)?;
                Some(FindingSummary {
                    rule: name,
                    severity: severity.0,
                    count: count as u64,
                    first: *causes.first()?,
                    last: *causes.last()?,
                    message: rule.message.clone(),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, severity: Severity, index: u64) -> Finding {
        Finding {
            rule,
            severity,
            queue: Queue::Any,
            index,
            seq: 0,
            message: format!("{rule} at {index}"),
        }
    }

    #[test]
    fn counted_once_and_forgotten_with_the_future() {
        let mut f = Findings::default();
        let (info, warn) = (Severity::Info, Severity::Warn);
        f.add(0, &[finding("nan", info, 0)]);
        f.add(1, &[finding("nan", info, 1), finding("nan", info, 1)]);
        f.add(2, &[finding("uninit-read", warn, 2)]);
        f.add(1, &[finding("nan", info, 1)]);
        let count = |f: &Findings, seq| -> Vec<(&str, u64)> {
            f.summary(seq).iter().map(|s| (s.rule, s.count)).collect()
        };
        assert_eq!(count(&f, u64::MAX), [("uninit-read", 1), ("nan", 3)]);
        assert_eq!(count(&f, 2), [("nan", 3)]);
        assert_eq!(count(&f, 1), [("nan", 1)]);
        assert!(f.caused(1, "nan") && !f.caused(2, "nan"));
        f.drop_from(1);
        assert_eq!(count(&f, u64::MAX), [("nan", 1)]);
        f.add(1, &[finding("nan", info, 7)]);
        let s = &f.summary(u64::MAX)[0];
        assert_eq!((s.count, s.first.index, s.last.index), (2, 0, 7));
        assert_eq!(s.message, "nan at 0");
    }
}
