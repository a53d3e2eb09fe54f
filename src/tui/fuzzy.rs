//! Fuzzy search: the letters of a query in order, not necessarily side by side.

/// How well a text fits a query, larger is better; `None`: some letter is missing. Letters at the start of words and letters that
/// follow each other count more, so that `rst` finds `reverse-step` and `step` finds `step` before it.
pub fn score(query: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let query: Vec<char> = query
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let starts = |i: usize| i == 0 || text.get(i - 1).is_some_and(|c| !c.is_alphanumeric());
    // best[j]: the best score with the query letters so far matched and the last of them at text[j].
    let mut best: Vec<Option<i32>> = Vec::new();
    for (n, wanted) in query.iter().enumerate() {
        let mut next = vec![None; text.len()];
        let mut before: Option<i32> = None;
        for (j, c) in text.iter().enumerate() {
            let along = j
                .checked_sub(1)
                .and_then(|p| best.get(p).copied().flatten())
                .map(|s| s + 8);
            let reach = if n == 0 {
                Some(-(j.min(10) as i32))
            } else {
                along.max(before)
            };
            if c == wanted {
                let bonus = if starts(j) { 10 } else { 1 };
                if let Some(slot) = next.get_mut(j) {
                    *slot = reach.map(|s| s + bonus);
                }
            }
            // A gap costs a little for every letter.
            before = before.max(best.get(j).copied().flatten()).map(|s| s - 1);
        }
        best = next;
    }
    if query.is_empty() {
        return Some(0);
    }
    let top = best.into_iter().flatten().max()?;
    Some(4 * top - text.len() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn best<'t>(query: &str, texts: &[&'t str]) -> Option<&'t str> {
        texts
            .iter()
            .filter_map(|t| Some((score(query, t)?, *t)))
            .max()
            .map(|s| s.1)
    }

    #[test]
    fn the_expected_one_comes_first() {
        let all = [
            "step",
            "reverse-step",
            "reverse-continue",
            "restart",
            "layout memory",
            "heat mode reads",
            "record",
        ];
        for (query, expected) in [
            ("step", "step"),
            ("rst", "reverse-step"),
            ("resta", "restart"),
            ("rev st", "reverse-step"),
            ("rc", "reverse-continue"),
            ("mem", "layout memory"),
            ("reads", "heat mode reads"),
            ("REC", "record"),
        ] {
            assert_eq!(best(query, &all), Some(expected), "{query}");
        }
        assert_eq!(best("xyz", &all), None);
    }

    proptest! {
        #[test]
        fn a_score_exists_exactly_for_subsequences(query in "[a-c]{0,4}", text in "[a-c -]{0,12}") {
            let mut rest = text.chars();
            let inside = query.chars().all(|q| rest.any(|c| c == q));
            prop_assert_eq!(score(&query, &text).is_some(), inside);
        }
    }
}
