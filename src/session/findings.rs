//! Findings of a run, by rule and by bundle. They belong to sequence numbers: replaying a bundle does not count it again, and a
//! dropped future takes its findings along.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::seqs::Seqs;
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

/// All findings of one rule, or those of one rule at one bundle.
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

/// A bundle of the program, and for a race the other bundle: findings there are one and the same.
type Site = (Queue, u64, Option<(Queue, u64)>);

/// The sites of a rule.
type Sites = BTreeMap<Site, Found>;

/// What was found at a site, and when.
#[derive(Debug)]
struct Found {
    seqs: Seqs,
    message: String,
}

/// The findings of the present time line.
#[derive(Debug, Default)]
pub(super) struct Findings {
    rules: BTreeMap<(Reverse<Severity>, &'static str), Sites>,
    /// Bundles before this sequence number are accounted for.
    until: u64,
}

impl Findings {
    /// Accounts for the bundle that retired as `seq`, once.
    pub fn add<'f>(&mut self, seq: u64, found: impl IntoIterator<Item = &'f Finding>) {
        if seq < self.until {
            return;
        }
        self.until = seq + 1;
        for f in found {
            let sites = self.rules.entry((Reverse(f.severity), f.rule)).or_default();
            let new = || Found {
                seqs: Seqs::default(),
                message: f.message.clone(),
            };
            let site = sites.entry((f.queue, f.index, f.other));
            site.or_insert_with(new).seqs.push(seq);
        }
    }

    /// Is the bundle `seq` accounted for already?
    pub fn knows(&self, seq: u64) -> bool {
        seq < self.until
    }

    /// Forgets the bundles from `seq` on.
    pub fn drop_from(&mut self, seq: u64) {
        self.until = self.until.min(seq);
        self.rules.retain(|_, sites| {
            sites.retain(|_, found| {
                found.seqs.drop_from(seq);
                found.seqs.len() > 0
            });
            !sites.is_empty()
        });
    }

    /// The sites of a rule, whatever its severity.
    fn of<'s>(&'s self, name: &str) -> impl Iterator<Item = (&'s Site, &'s Found)> {
        let of_rule = self
            .rules
            .iter()
            .filter(move |((_, rule), _)| *rule == name);
        of_rule.flat_map(|(_, sites)| sites)
    }

    /// Did the bundle `seq` cause one of a rule?
    pub fn caused(&self, seq: u64, name: &str) -> bool {
        self.told(name, seq).is_some()
    }

    /// What was found by a rule in the bundle `seq`; of something found before, what was said then.
    pub fn told(&self, name: &str, seq: u64) -> Option<&str> {
        let found = self.of(name).find(|(_, f)| f.seqs.contains(seq));
        found.map(|(_, f)| f.message.as_str())
    }

    /// Was the same found before?
    pub fn has(&self, f: &Finding) -> bool {
        let sites = self.rules.get(&(Reverse(f.severity), f.rule));
        sites.is_some_and(|s| s.contains_key(&(f.queue, f.index, f.other)))
    }

    /// Was one of a rule found at a bundle?
    pub fn at(&self, name: &str, queue: Queue, index: u64) -> bool {
        self.of(name)
            .any(|(site, _)| (site.0, site.1) == (queue, index))
    }

    /// The pairs of bundles that caused findings of a rule together.
    #[cfg(test)]
    pub fn pairs(&self, name: &str) -> Vec<((Queue, u64), (Queue, u64))> {
        let sites = self.of(name).map(|(site, _)| *site);
        sites
            .filter_map(|(queue, index, other)| Some(((queue, index), other?)))
            .collect()
    }

    /// The findings of the bundles before `seq`, worst first, then by rule.
    pub fn summary(&self, seq: u64) -> Vec<FindingSummary> {
        let one = |((severity, rule), sites): (&(Reverse<Severity>, &'static str), &Sites)| {
            let all = sites.iter();
            let all = all.filter_map(|s| at_site(rule, severity.0, s, seq));
            all.reduce(|a, b| FindingSummary {
                count: a.count + b.count,
                last: if b.last.seq > a.last.seq {
                    b.last
                } else {
                    a.last
                },
                ..if b.first.seq < a.first.seq { b } else { a }
            })
        };
        self.rules.iter().filter_map(one).collect()
    }

    /// The findings of a rule in the bundles before `seq`, one for every bundle of the program that caused it, in the order in
    /// which they did.
    pub fn sites(&self, name: &str, seq: u64) -> Vec<FindingSummary> {
        let mut all = Vec::new();
        for ((severity, rule), sites) in self.rules.iter().filter(|((_, rule), _)| *rule == name) {
            let told = sites.iter();
            all.extend(told.filter_map(|s| at_site(rule, severity.0, s, seq)));
        }
        all.sort_by_key(|f| f.first.seq);
        all
    }
}

/// What a site caused before `seq`, if it did.
fn at_site(
    rule: &'static str,
    severity: Severity,
    ((queue, index, _), found): (&Site, &Found),
    seq: u64,
) -> Option<FindingSummary> {
    let count = found.seqs.before(seq);
    let cause = |at: u64| {
        Some(Cause {
            seq: found.seqs.get(at)?,
            queue: *queue,
            index: *index,
        })
    };
    Some(FindingSummary {
        rule,
        severity,
        count,
        last: cause(count.checked_sub(1)?)?,
        first: cause(0)?,
        message: found.message.clone(),
    })
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
            other: None,
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
        assert_eq!(f.told("nan", 1), Some("nan at 1"));
        assert_eq!(f.told("nan", 2), None);
        assert!(f.at("nan", Queue::Any, 1) && !f.at("nan", Queue::Any, 2));
        f.drop_from(1);
        assert_eq!(count(&f, u64::MAX), [("nan", 1)]);
        f.add(1, &[finding("nan", info, 7)]);
        let s = &f.summary(u64::MAX)[0];
        assert_eq!((s.count, s.first.index, s.last.index), (2, 0, 7));
        assert_eq!(s.message, "nan at 0");
    }

    #[test]
    fn sites_of_a_rule_are_told_apart() {
        let mut f = Findings::default();
        let race = |index, other| Finding {
            other: Some((Queue::Any, other)),
            ..finding("race", Severity::Error, index)
        };
        f.add(3, &[race(9, 1), race(9, 2)]);
        f.add(5, &[race(4, 1), race(9, 2)]);
        let sites = |seq| -> Vec<(u64, u64, u64, u64)> {
            let of = f.sites("race", seq).into_iter();
            of.map(|s| (s.first.index, s.count, s.first.seq, s.last.seq))
                .collect()
        };
        assert_eq!(sites(9), [(9, 1, 3, 3), (9, 2, 3, 5), (4, 1, 5, 5)]);
        assert_eq!(sites(5), [(9, 1, 3, 3), (9, 1, 3, 3)]);
        assert!(sites(3).is_empty() && f.sites("nan", 9).is_empty());
    }
}
