//! What a run may report without stopping, by rule. Rules of legality that a setting turns into findings keep the names that
//! `check` gives them.

/// Every rule with a line on it, in order of name.
pub const RULES: &[(&str, &str)] = &[
    (
        "acc-after-idle",
        "a DVE accumulator is used after an IDLE command, which may have clobbered it",
    ),
    (
        "act-range",
        "an activation input lies outside the range of its function",
    ),
    (
        "act-table",
        "an activation function is not in the resident set",
    ),
    (
        "barrier-wait",
        "the inline wait of a barrier does not hold after it",
    ),
    ("batch-norm-params", "batch norm without loaded parameters"),
    (
        "branch-form",
        "branches of the loaded form in a host stream",
    ),
    ("dma-bound", "a transfer skipped elements beyond its bound"),
    ("dma-race", "memory of a transfer in flight is touched"),
    ("event-left-set", "events are set at the end of the program"),
    (
        "event-protocol",
        "a set event is set, or a clear one cleared",
    ),
    ("index-range", "a gather index lies outside its buffer"),
    ("inf", "infinities come out, no input was infinite"),
    ("mx-scale", "a scale byte of an MX operand is NaN"),
    ("nan", "NaNs come out, no input was NaN"),
    (
        "narrow-overflow",
        "finite values left the range of a narrower type",
    ),
    ("no-op", "what the bundle loads is read by nothing"),
    (
        "overlap",
        "source and destination share bytes in different orders",
    ),
    (
        "pe-dtype-mix",
        "moving and stationary operands of different types",
    ),
    (
        "pe-weights",
        "weights were never loaded, or in another mode",
    ),
    (
        "place-unwritten",
        "a named place holds no written byte at the end",
    ),
    ("pool-buffer", "a gather from an empty buffer"),
    (
        "psum-acc",
        "accumulation onto cells without a group, or written by another engine",
    ),
    (
        "psum-group-clobber",
        "BEGIN clears results of another group that nobody read",
    ),
    (
        "psum-open",
        "cells of an accumulation group without END are read",
    ),
    (
        "race",
        "two accesses, one of them a store, that nothing orders (`set race on`)",
    ),
    ("scalar-flops", "more scalars are used than were loaded"),
    ("skipped", "a bundle without known meaning was passed over"),
    ("sort-top", "fewer elements are kept than are sorted"),
    ("uninit-read", "never-written bytes are read"),
    ("uninit-reg", "a register is read that was never set"),
    ("unread-store", "a store covers one that nobody has read"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn sources(dir: &Path, all: &mut String) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() {
                if name != "tests" {
                    sources(&path, all);
                }
            } else if !name.ends_with("rules.rs") && !name.ends_with("tests.rs") {
                all.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }

    #[test]
    fn the_list_is_what_the_sources_report() {
        assert!(RULES.is_sorted_by_key(|r| r.0));
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut text = String::new();
        sources(&src.join("sim"), &mut text);
        sources(&src.join("session"), &mut text);
        let known: BTreeSet<&str> = RULES.iter().map(|r| r.0).collect();
        // A rule stands beside its severity, or is named as one.
        let severities = ["Severity::Info", "Severity::Warn", "Severity::Error"];
        let quoted = |t: &str| {
            t.trim()
                .strip_prefix('"')
                .and_then(|r| r.split_once('"'))
                .map(|q| q.0.to_owned())
        };
        let mut reported = BTreeSet::new();
        for mark in severities {
            let around = text.split(mark).collect::<Vec<_>>();
            reported.extend(
                around
                    .iter()
                    .skip(1)
                    .filter_map(|after| quoted(after.strip_prefix(',')?)),
            );
            let before = |t: &&str| {
                t.trim_end()
                    .strip_suffix(',')?
                    .rsplit(['(', '[', '\n'])
                    .next()
                    .and_then(quoted)
            };
            reported.extend(around.iter().filter_map(before));
        }
        reported.extend(text.split("rule: ").skip(1).filter_map(quoted));
        for rule in &known {
            assert!(reported.contains(*rule), "{rule} is reported nowhere");
        }
        for after in text.split(".finding(Severity::").skip(1) {
            let (_, rest) = after.split_once(", ").unwrap();
            let Some(rule) = rest.strip_prefix('"').and_then(|r| r.split('"').next()) else {
                continue;
            };
            assert!(known.contains(rule), "{rule} is not in the list");
        }
        for after in text.split("rule: \"").skip(1) {
            let rule = after.split('"').next().unwrap();
            assert!(known.contains(rule), "{rule} is not in the list");
        }
    }
}
