//! Ascending sequence numbers, kept as progressions: what a loop causes again and again takes no more room than what it causes once.

/// Ascending numbers; equal ones count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Seqs(Vec<Progression>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Progression {
    start: u64,
    step: u64,
    count: u64,
    /// Numbers in the progressions before it.
    before: u64,
}

impl Progression {
    /// How many of its numbers are less than one that its start is less than.
    fn below(&self, seq: u64) -> u64 {
        match self.step {
            0 => self.count,
            step => self
                .count
                .min(seq.saturating_sub(self.start).div_ceil(step)),
        }
    }

    const fn nth(&self, n: u64) -> u64 {
        self.start + self.step * n
    }
}

impl Seqs {
    /// Adds a number, no less than the last.
    pub fn push(&mut self, seq: u64) {
        if let Some(last) = self.0.last_mut() {
            if last.count == 1 {
                last.step = seq.saturating_sub(last.start);
            }
            if last.nth(last.count) == seq {
                last.count += 1;
                return;
            }
        }
        self.0.push(Progression {
            start: seq,
            step: 0,
            count: 1,
            before: self.len(),
        });
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.0.last().map_or(0, |p| p.before + p.count)
    }

    /// How many are less than a number.
    pub fn before(&self, seq: u64) -> u64 {
        let n = self.0.partition_point(|p| p.start < seq);
        let last = n.checked_sub(1).and_then(|i| self.0.get(i));
        last.map_or(0, |p| p.before + p.below(seq))
    }

    /// Is the number one of them?
    pub fn contains(&self, seq: u64) -> bool {
        self.before(seq) < self.before(seq.saturating_add(1))
    }

    /// The number at a place.
    pub fn get(&self, at: u64) -> Option<u64> {
        let n = self.0.partition_point(|p| p.before <= at);
        let p = self.0.get(n.checked_sub(1)?)?;
        (at - p.before < p.count).then(|| p.nth(at - p.before))
    }

    /// Forgets those from a number on.
    pub fn drop_from(&mut self, seq: u64) {
        self.0.retain(|p| p.start < seq);
        if let Some(last) = self.0.last_mut() {
            last.count = last.below(seq);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_a_list(gaps in proptest::collection::vec(0..4u64, 0..60), cut in 0..120u64, more in 0..9u64) {
            let (mut seqs, mut list) = (Seqs::default(), Vec::new());
            let push = |seqs: &mut Seqs, list: &mut Vec<u64>, seq: u64| {
                seqs.push(seq);
                list.push(seq);
            };
            let mut at = 3;
            for gap in gaps {
                at += gap;
                push(&mut seqs, &mut list, at);
            }
            for round in 0..2 {
                prop_assert_eq!(seqs.len(), list.len() as u64);
                for s in 0..130 {
                    prop_assert_eq!(seqs.before(s), list.iter().filter(|l| **l < s).count() as u64);
                    prop_assert_eq!(seqs.contains(s), list.contains(&s));
                    prop_assert_eq!(seqs.get(s), list.get(s as usize).copied());
                }
                if round == 0 {
                    seqs.drop_from(cut);
                    list.retain(|l| *l < cut);
                    (0..more).for_each(|i| push(&mut seqs, &mut list, cut + i * i));
                }
            }
        }
    }

    #[test]
    fn a_loop_takes_no_room() {
        let mut seqs = Seqs::default();
        (0..100_000).for_each(|i| seqs.push(7 + 12 * i));
        assert_eq!(
            (seqs.0.len(), seqs.len(), seqs.before(7 + 12 * 500)),
            (1, 100_000, 500)
        );
    }
}
