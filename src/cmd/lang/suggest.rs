//! "Did you mean": the nearest of a set of valid words.

/// Words longer than this are nobody's misspelling; it also bounds the work.
const LONGEST: usize = 48;

/// The candidate closest to `word`, if it is close enough to be a slip of the keys: at most one edit per three letters
/// (and never fewer than one), case ignored. An edit is an insertion, a deletion, a replacement or a swap of neighbours.
/// Among equals the first candidate wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word)?;
    let allowed = (word.len() / 3).max(1);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let Some(letters) = folded(candidate) else {
            continue;
        };
        if letters.len().abs_diff(word.len()) > allowed {
            continue;
        }
        let d = distance(&word, &letters);
        // A one-letter word is one edit away from every other; that is no likeness.
        if d <= allowed
            && d < word.len().max(letters.len())
            && best.is_none_or(|(least, _)| d < least)
        {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn folded(word: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = word
        .chars()
        .take(LONGEST + 1)
        .flat_map(char::to_lowercase)
        .collect();
    (!letters.is_empty() && letters.len() <= LONGEST).then_some(letters)
}

/// Optimal string alignment distance, three rolling rows.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (i, &ca) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(above.len());
        row.push(i + 1);
        let mut left = i + 1;
        let mut last_b = None;
        for (j, (&cb, pair)) in b.iter().zip(above.windows(2)).enumerate() {
            let &[diagonal, up] = pair else { continue };
            let mut cost = (diagonal + usize::from(ca != cb)).min(up + 1).min(left + 1);
            if last_a == Some(cb) && last_b == Some(ca) {
                // Both have a predecessor here, so `before` is filled and j is at least 1.
                cost = cost.min(before.get(j - 1).map_or(usize::MAX, |d| d + 1));
            }
            row.push(cost);
            left = cost;
            last_b = Some(cb);
        }
        before = std::mem::replace(&mut above, row);
        last_a = Some(ca);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (a, b, d) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("bnak", "bank", 1),
            ("ca", "abc", 3),
            ("same", "same", 0),
        ] {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(distance(&a, &b), d, "{a:?} {b:?}");
            assert_eq!(distance(&b, &a), d, "{b:?} {a:?}");
        }
    }

    #[test]
    fn picks_the_nearest() {
        let spaces = ["sbuf", "psum", "dram"];
        assert_eq!(nearest("sbuff", spaces), Some("sbuf"));
        assert_eq!(nearest("PSUM", spaces), Some("psum"));
        assert_eq!(nearest("darm", spaces), Some("dram"));
        assert_eq!(nearest("weights", spaces), None);
        assert_eq!(nearest("", spaces), None);
        assert_eq!(nearest("x", ["p", "s"]), None);
        assert_eq!(nearest(&"s".repeat(100_000), spaces), None);
    }
}
