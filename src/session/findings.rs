//! Findings of a run, by rule and by bundle. They belong to sequence numbers: replaying a bundle does not count it again, and a
//! dropped future takes its findings along.

use std::cmp::Reverse;
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

#[derive(Debug, Default)]
struct Rule {
    causes: Vec<Cause>,
    sites: BTreeMap<Site, Found>,
}

/// What was found at a site, and when.
#[derive(Debug)]
struct Found {
    seqs: Vec<u64>,
    message: String,
}

/// The findings of the present time line.
#[derive(Debug, Default)]
pub(super) struct Findings {
    rules: BTreeMap<(Reverse<Severity>, &'static str), Rule>,
    /// Bundles before this sequence number are accounted for.
    until: u64,
}

/// How many of ascending sequence numbers lie before one.
fn before(seqs: &[u64], seq: u64) -> usize {
    seqs.partition_point(|s| *s < seq)
}

impl Findings {
    /// Accounts for the bundle that retired as `seq`, once.
    pub fn add<'f>(&mut self, seq: u64, found: impl IntoIterator<Item = &'f Finding>) {
        if seq < self.until {
            return;
        }
        self.until = seq + 1;
        for f in found {
            let rule = self.rules.entry((Reverse(f.severity), f.rule)).or_default();
            rule.causes.push(Cause {
                seq,
                queue: f.queue,
                index: f.index,
            });
            let site = rule.sites.entry((f.queue, f.index, f.other));
            let new = || Found {
                seqs: Vec::new(),
                message: f.message.clone(),
            };
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
        self.rules.retain(|_, rule| {
            let keep = rule.causes.partition_point(|c| c.seq < seq);
            rule.causes.truncate(keep);
            rule.sites.retain(|_, found| {
                found.seqs.truncate(before(&found.seqs, seq));
                !found.seqs.is_empty()
            });
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

    /// What was found by a rule in the bundle `seq`; of something found before, what was said then.
    pub fn told(&self, name: &str, seq: u64) -> Option<&str> {
        let of_rule = self.rules.iter().filter(|((_, rule), _)| *rule == name);
        let mut sites = of_rule.flat_map(|(_, r)| r.sites.values());
        let found = sites.find(|f| f.seqs.binary_search(&seq).is_ok());
        found.map(|f| f.message.as_str())
    }

    /// Was the same found before?
    pub fn has(&self, f: &Finding) -> bool {
        let rule = self.rules.get(&(Reverse(f.severity), f.rule));
        rule.is_some_and(|r| r.sites.contains_key(&(f.queue, f.index, f.other)))
    }

    /// Was one of a rule found at a bundle?
    pub fn at(&self, name: &str, queue: Queue, index: u64) -> bool {
        let sites = (queue, index, None)..=(queue, index, Some((Queue::Any, u64::MAX)));
        let of_rule = self.rules.iter().filter(|((_, rule), _)| *rule == name);
        of_rule
            .map(|(_, r)| &r.sites)
            .any(|s| s.range(sites.clone()).next().is_some())
    }

    /// The pairs of bundles that caused findings of a rule together.
    #[cfg(test)]
    pub fn pairs(&self, name: &str) -> Vec<((Queue, u64), (Queue, u64))> {
        let of_rule = self.rules.iter().filter(|((_, rule), _)| *rule == name);
        let sites = of_rule.flat_map(|(_, r)| r.sites.keys());
        sites
            .filter_map(|(queue, index, other)| Some(((*queue, *index), (*other)?)))
            .collect()
    }

    /// The findings of the bundles before `seq`, worst first, then by rule.
    pub fn summary(&self, seq: u64) -> Vec<FindingSummary> {
        let rules = self.rules.iter();
        rules
            .filter_map(|((severity, name), rule)| {
                let count = rule.causes.partition_point(|c| c.seq < seq);
                let causes = rule.causes.get(..count)?;
                let first = *causes.first()?;
                let site = rule.sites.values();
                let told = site.filter(|f| f.seqs.first() == Some(&first.seq));
                Some(FindingSummary {
                    rule: name,
                    severity: severity.0,
                    count: count as u64,
                    first,
                    last: *causes.last()?,
                    message: told.map(|f| f.message.clone()).next()?,
                })
            })
            .collect()
    }

    /// The findings of a rule in the bundles before `seq`, one for every bundle of the program that caused it, in the order in
    /// which they did.
    pub fn sites(&self, name: &str, seq: u64) -> Vec<FindingSummary> {
        let mut all = Vec::new();
        for ((severity, rule), of) in self.rules.iter().filter(|((_, rule), _)| *rule == name) {
            for ((queue, index, _), found) in &of.sites {
                let seqs = found.seqs.get(..before(&found.seqs, seq));
                let cause = |seq: &u64| Cause {
                    seq: *seq,
                    queue: *queue,
                    index: *index,
                };
                let Some([first, ..]) = seqs else { continue };
                all.push(FindingSummary {
                    rule,
                    severity: severity.0,
                    count: seqs.map_or(0, <[u64]>::len) as u64,
                    first: cause(first),
                    last: seqs.and_then(<[u64]>::last).map_or(cause(first), cause),
                    message: found.message.clone(),
                });
            }
        }
        all.sort_by_key(|f| f.first.seq);
        all
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
