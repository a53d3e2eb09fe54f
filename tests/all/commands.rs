//! The command table: names, prefixes, examples, help, completion, carets.

use std::collections::BTreeSet;

use tpbdbg::cmd::launch::{Given, Input};
use tpbdbg::cmd::{Launch, Shell, commands, complete, help, lookup};

fn shell() -> Shell {
    let input = Input::Sample("matmul_relu".to_owned());
    let programs = vec![Given { input, queue: None }];
    let launch = Launch {
        programs,
        ..Launch::default()
    };
    Shell::open(launch).unwrap()
}

#[test]
fn names_are_unique_and_mean_their_command() {
    let mut seen = BTreeSet::new();
    for c in commands() {
        for name in c.names {
            assert!(seen.insert(*name), "`{name}` is declared twice");
            assert_eq!(lookup(name).ok().map(|c| c.name()), Some(c.name()));
        }
        assert!(
            !c.summary.is_empty() && !c.summary.ends_with('.'),
            "{}",
            c.name()
        );
        assert!(c.help.is_empty() || c.help.ends_with('.'), "{}", c.name());
    }
}

#[test]
fn commands_of_the_contract_are_there() {
    #[rustfmt::skip]
    let contract = [
        ("step", "s"), ("next", "n"), ("continue", "c"), ("until", ""), ("reverse-step", "rs"), ("reverse-continue", "rc"), ("goto", ""),
        ("break", ""), ("watch", ""), ("info", ""), ("enable", ""), ("disable", ""), ("delete", ""), ("x", ""), ("print", "p"), ("set", ""),
        ("load", ""), ("dump", ""), ("disasm", ""), ("explain", ""), ("patch", ""), ("who", ""), ("writes", ""), ("reads", ""), ("diff", ""),
        ("snapshot", ""), ("expect", ""), ("record", ""), ("source", ""), ("let", ""), ("history", ""), ("help", ""), ("quit", ""),
        ("restart", ""), ("reload", ""), ("skip", ""),
    ];
    for (name, short) in contract {
        assert_eq!(lookup(name).ok().map(|c| c.name()), Some(name));
        if !short.is_empty() {
            assert_eq!(lookup(short).ok().map(|c| c.name()), Some(name));
        }
    }
}

#[test]
fn prefixes_work_while_they_are_clear() {
    assert_eq!(lookup("cont").ok().map(|c| c.name()), Some("continue"));
    assert_eq!(
        lookup("exp").err(),
        Some(vec!["explain", "explore", "expect"])
    );
    assert_eq!(lookup("bogus").err(), Some(vec![]));
    assert!(lookup("").is_err());
    let mut s = shell();
    let e = s.execute("exp 1").unwrap().result.unwrap_err();
    assert_eq!(e.message, "`exp` may be explain, explore, expect");
}

#[test]
fn every_example_runs_on_the_sample() {
    for c in commands() {
        for (line, note) in c.examples {
            let mut s = shell();
            let outcome = s.execute(line).unwrap();
            assert_eq!(outcome.name, Some(c.name()), "{line}");
            assert!(outcome.result.is_ok(), "{line}: {:?}", outcome.result);
            assert!(!note.is_empty());
        }
    }
}

#[test]
fn help_speaks_of_every_command() {
    let all = help::overview();
    let text: String = all.lines.iter().map(|l| l.text() + "\n").collect();
    for c in commands() {
        assert!(text.contains(&format!("  {}", c.name())));
        let own = help::command(c.name()).unwrap();
        let own: String = own.lines.iter().map(|l| l.text() + "\n").collect();
        assert!(c.usage().all(|u| own.contains(&u)), "{own}");
        assert!(help::markdown().contains(c.summary));
    }
    assert!(help::command("nonsense").is_err());
}

/// Candidates at the end of a line.
fn candidates(s: &Shell, line: &str) -> Vec<String> {
    let found = s.complete(line, line.len());
    found
        .candidates
        .into_iter()
        .map(|c| format!("{}{}", &line[..found.at], c.text))
        .collect()
}

#[test]
fn completion_knows_what_may_follow() {
    let mut s = shell();
    s.execute("let mine = sbuf[0]").unwrap().result.unwrap();
    s.execute("snapshot here").unwrap().result.unwrap();
    #[rustfmt::skip]
    let table: &[(&str, &[&str])] = &[
        ("cont", &["continue"]),
        ("reverse-", &["reverse-continue", "reverse-step"]),
        ("step on ac", &["step on act"]),
        ("step ", &["step on"]),
        ("break p", &["break pc", "break place"]),
        ("break op MATM", &["break op MATMUL", "break op MATMUL_MX", "break op MATMUL_SPARSE"]),
        ("break pc a", &["break pc any:"]),
        ("break fault i", &["break fault if", "break fault ignore"]),
        ("break fault once i", &["break fault once if", "break fault once ignore"]),
        ("watch mi", &["watch mine"]),
        ("watch change mi", &["watch change mine"]),
        ("x mine as fp8e4", &["x mine as fp8e4", "x mine as fp8e4fn"]),
        ("x mine a", &["x mine as"]),
        ("print $dig", &["print $digest"]),
        ("print 1+mea", &["print 1+mean("]),
        ("print sum(min", &["print sum(min(", "print sum(mine"]),
        ("until $seq > 3 && $sto", &["until $seq > 3 && $stop"]),
        ("set uninit.r", &["set uninit.read"]),
        ("set uninit.read ", &["set uninit.read fault", "set uninit.read ignore", "set uninit.read warn"]),
        ("info re", &["info regs"]),
        ("goto he", &["goto here"]),
        ("goto st", &["goto start"]),
        ("expect stop dead", &["expect stop deadlock"]),
        ("help exp", &["help expect", "help explain", "help explore"]),
        ("nonsense ", &[]),
    ];
    for (line, expected) in table {
        assert_eq!(candidates(&s, line), *expected, "{line:?}");
    }
}

#[test]
fn completion_never_panics() {
    let s = shell();
    let lines = [
        "x sbuf[0, ",
        "é",
        "x é",
        "print \"a",
        "set x = ",
        "break pc any:",
        "x \u{1F600} as ",
        "source /",
        "let a = b",
    ];
    for line in lines {
        for pos in 0..=line.len() {
            let found = s.complete(line, pos);
            assert!(found.at <= line.len());
            complete::hint(line);
        }
    }
}

#[test]
fn hints_show_the_usage_of_what_follows() {
    assert_eq!(complete::hint("step ").as_deref(), Some("[N] [on ENGINE]"));
    assert_eq!(complete::hint("goto ").as_deref(), Some("SEQ"));
    assert_eq!(complete::hint("step"), None);
    assert_eq!(complete::hint("nonsense "), None);
}

#[test]
fn carets_stand_under_what_is_wrong() {
    let mut s = shell();
    #[rustfmt::skip]
    let table: &[(&str, &str, &str)] = &[
        ("stpe", "stpe", "did you mean `step`?"),
        ("x sbuf[0, 0x38000]", "sbuf[0, 0x38000]", "which has 0x38000 per partition"),
        ("x sbuf[127:129]", "sbuf[127:129]", "which has 128"),
        ("x psum[0, bank 8]", "psum[0, bank 8]", "bank 8"),
        ("print $pe.r64", "$pe.r64", "r0..=r63"),
        ("print 1 + nothing", "nothing", "nothing is named"),
        ("x out as bf61", "bf61", ""),
        ("break op MATMULL", "MATMULL", "did you mean `MATMUL`?"),
        ("break pc any:99", "any:99", "bundles"),
        ("break foo", "foo", "`pc`, `op`, `sem`, `fault`, `place`, `finding`"),
        ("break sem 256", "256", "0..=255"),
        ("set sem[4] = 1.5", "1.5", "32 bits"),
        ("set uninit.read maybe", "maybe", "warn or fault or ignore"),
        ("set nothing = 3", "nothing", "nothing is named"),
        ("step on foo", "foo", "an engine"),
        ("step 1 2", "2", "`on`"),
        ("step on pe on act", "on", "twice"),
        ("goto nowhere", "nowhere", "snapshot"),
        ("delete 7", "7", "there is none"),
        ("expect 1 == 2", "1 == 2", "left 1, right 2"),
        ("expect stop faul", "faul", "expected stop fault"),
        ("info regs foo", "foo", "an engine"),
        ("help nonsense", "nonsense", "unknown command"),
        ("patch any:0 NOPE;", "NOPE", ""),
    ];
    for (line, at, text) in table {
        let e = s.execute(line).unwrap().result.unwrap_err();
        let span = e.span.clone().unwrap();
        assert_eq!(line.get(span), Some(*at), "{line}: {e}");
        assert!(e.message.contains(text), "{line}: {e}");
    }
}

/// Lines of words that belong to the language, in any order.
fn arb_line() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let names: Vec<&str> = commands().flat_map(|c| c.names).copied().collect();
    let harmless = |n: &&str| !matches!(*n, "record" | "dump" | "quit" | "q" | "exit");
    let names: Vec<&str> = names.into_iter().filter(harmless).collect();
    #[rustfmt::skip]
    let words = vec![
        "sbuf[0, 0:8]", "sbuf[3]", "psum[0:4, bank 2]", "dram[0x1000+16]", "as", "fp32", "bf16", "fp4x4", "u64", "y", "acc", "w0", "out",
        "$r5", "$pe.r1", "$pc", "$seq", "$stop", "$old", "sem[4]", "evt[0]", "sum(y)", "nans(acc)", "1", "0", "3", "-1", "1.5", "nan", "inf",
        "0xffffffffffffffff", "99999999999999999999", "=", "==", "+", "<<", "/", "%", "&&", "!", "(", ")", "pc", "op", "sem", "fault", "place",
        "r", "w", "rw", "change", "any:2", "pe:0", "any:99", "MATMUL", "0x02", "if", "once", "ignore", "log", "on", "any", "count", "all",
        "start", "end", "here", "stop", "raw", "gone.npy", "tol", "regs", "init.memory", "zero", "history", "é", "'", "\"x\"", "#", ";", "NOP;",
    ];
    let words = prop::collection::vec(prop::sample::select(words), 0..7);
    (prop::sample::select(names), words)
        .prop_map(|(name, words)| format!("{name} {}", words.join(" ")))
}

#[test]
fn no_line_panics_or_moves_a_span_out_of_the_line() {
    use proptest::strategy::{Strategy, ValueTree};
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut s = shell();
    s.execute("set run.limit 20").unwrap().result.unwrap();
    let lines = arb_line();
    let mut good = 0;
    for _ in 0..1500 {
        let line = lines.new_tree(&mut runner).unwrap().current();
        let Some(outcome) = s.execute(&line) else {
            continue;
        };
        good += usize::from(outcome.result.is_ok());
        if let Err(e) = &outcome.result {
            assert!(!e.message.is_empty(), "{line}");
            let span = e.span.clone().unwrap_or(0..0);
            assert!(line.get(span).is_some(), "{line}: {e:?}");
            e.report(None, &line);
        }
        s.complete(&line, line.len());
        complete::hint(&line);
    }
    assert!(good > 75, "only {good} lines made sense");
}

#[test]
fn the_deepest_expression_has_a_value() {
    use tpbdbg::cmd::lang::MAX_DEPTH;
    let mut s = shell();
    let nested = format!("{}1{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
    for text in [
        nested,
        format!("{}1", "!".repeat(MAX_DEPTH)),
        format!("{}1", "1+".repeat(MAX_DEPTH)),
    ] {
        assert!(s.execute(&format!("print {text}")).unwrap().result.is_ok());
        assert!(
            s.execute(&format!("let deep = {text}"))
                .unwrap()
                .result
                .is_ok()
        );
    }
    assert!(
        s.execute(&format!("print {}1", "-".repeat(100_000)))
            .unwrap()
            .result
            .is_err()
    );
}
