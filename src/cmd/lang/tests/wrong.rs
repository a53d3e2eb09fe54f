//! Wrong lines with the span and the words of their errors; words of a command; limits.

use super::*;

/// Text, offending part (by span), and a phrase of the message.
fn check_errors<T: std::fmt::Debug>(
    table: &[(&str, std::ops::Range<usize>, &str)],
    parse: fn(&str) -> Result<T, ParseError>,
) {
    for (text, span, phrase) in table {
        let error = parse(text).expect_err(text);
        assert_eq!(error.span, *span, "{text}: {error}");
        assert!(error.to_string().contains(phrase), "{text}: {error}");
    }
}

#[test]
fn wrong_places() {
    check_errors(
        &[
            ("", 0..0, "found end of line"),
            ("sbuf[", 5..5, "a partition"),
            ("sbuf[]", 5..6, "a partition or `:`"),
            ("sbuf[5:5]", 5..8, "the empty range `5:5`"),
            ("sbuf[9:5]", 5..8, "a start below the end"),
            ("sbuf[0, 8:4]", 8..11, "the empty range"),
            ("sbuf[0, 8+0]", 8..11, "at least 1"),
            ("dram[0xffffffffffffffff+1]", 5..25, "below 2^64"),
            ("sbuf[0..4]", 6..8, "a range is written `a:b`"),
            ("sbuf[0 4]", 7..8, "`:`, `,` or `]`"),
            ("sbuf[0, 4", 9..9, "`]`"),
            ("sbuf[0, bank 1]", 8..12, "only `psum` has banks"),
            ("psum[0, bnak 1]", 8..12, "did you mean `bank`?"),
            ("psum[0, bank 1, bank 2]", 16..20, "only `psum` has banks"),
            ("psum[0, bank]", 12..13, "a bank number"),
            ("dram[1, 2]", 6..7, "found `,`"),
            ("sbuf[0, 4+8*2]", 11..12, "found `*`"),
            ("sbuf[-1]", 5..6, "found `-`"),
            ("sbuf[99999999999999999999]", 5..25, "too large"),
            ("sbuff[0]", 0..5, "did you mean `sbuf`?"),
            ("SBUF[0]", 0..4, "did you mean `sbuf`?"),
            ("sbuf[0] as", 10..10, "a data type"),
            ("sbuf[0] as 4", 11..12, "a data type"),
            ("sbuf[0] fp32", 8..12, "`as` or end of line"),
            ("sbuf[0] as u8 x", 14..15, "end of line"),
            ("if", 0..2, "a name"),
            ("sem[0]", 0..3, "`sbuf`"),
            ("'open", 0..5, "a closing `'`"),
            ("é", 0..2, "found `é`"),
        ],
        place,
    );
}

#[test]
fn wrong_expressions() {
    check_errors(
        &[
            ("", 0..0, "a value"),
            ("1 +", 3..3, "a value"),
            ("1 + * 2", 4..5, "found `*`"),
            ("(1", 2..2, "an operator or `)`"),
            ("1)", 1..2, "an operator or end of line"),
            ("1 = 2", 2..3, "did you mean `==`?"),
            ("a b", 2..3, "found `b`"),
            ("if", 0..2, "found `if`"),
            ("sem", 3..3, "`[`"),
            ("sem 3", 4..5, "`[`"),
            ("sem[1", 5..5, "`]`"),
            ("sme[1]", 0..3, "did you mean `sem`?"),
            ("maen(w)", 0..4, "did you mean `mean`?"),
            ("min(1)", 4..5, "found `1`"),
            ("min(w as u8 3)", 12..13, "`)`"),
            ("$sqe", 0..4, "did you mean `seq`?"),
            ("$poll.r1", 0..8, "did you mean `pool`?"),
            ("$pe.r256", 0..8, "below 256"),
            ("$pe.rx", 0..6, "a register `rN`"),
            ("$pe", 0..3, "a variable"),
            ("1 + $", 4..5, "such as `$pe.r5`"),
            ("1 + \"x", 4..6, "a closing `\"`"),
            ("1 + 2q", 4..6, "a number"),
            ("a @ b", 2..3, "found `@`"),
            ("sbuf[0] as u8 as u8", 14..16, "an operator"),
        ],
        expr,
    );
}

#[test]
fn carets_stay_in_their_columns() {
    let line = "\t日本 é $sqe + 1";
    let error = expr_at(line, line.find('$').unwrap()).unwrap_err();
    assert_eq!(error.caret(line), format!("{line}\n\t       ^^^^"));
    assert_eq!(
        ParseError::new(9..9, "x", &[])
            .shifted(usize::MAX)
            .caret("ab"),
        "ab\n  ^"
    );
    assert_eq!(expr("1 +").unwrap_err().caret("1 +"), "1 +\n   ^");
}

#[test]
fn command_words() {
    let line = "load w 'my file'.npy \"a\\\"#b\" x#y z # 'more";
    let read: Vec<_> = words(line)
        .unwrap()
        .into_iter()
        .map(|w| (w.text, line[w.span].to_owned(), w.quoted))
        .collect();
    let expect = |text: &str, raw: &str, quoted| (text.to_owned(), raw.to_owned(), quoted);
    assert_eq!(
        read,
        [
            expect("load", "load", false),
            expect("w", "w", false),
            expect("my file.npy", "'my file'.npy", true),
            expect("a\"#b", "\"a\\\"#b\"", true),
            expect("x", "x", false),
        ]
    );
    assert_eq!(words("a 'b c").unwrap_err().span, 2..6);
    assert_eq!(
        words(" ''").unwrap(),
        [Word {
            text: String::new(),
            span: 1..3,
            quoted: true
        }]
    );
    for (line, kept) in [
        ("a # b", "a"),
        ("'#' x # y", "'#' x"),
        ("# a", ""),
        ("a 'b # c", "a 'b # c"),
        ("\"\\\"#\"#", "\"\\\"#\""),
        ("a ", "a"),
    ] {
        assert_eq!(strip_comment(line), kept, "{line}");
    }
    for (name, ok) in [
        ("w", true),
        ("w.0", true),
        ("w.", false),
        ("0w", false),
        ("a/b", false),
        ("as", false),
        ("sem", false),
        ("", false),
    ] {
        assert_eq!(is_name(name), ok, "{name}");
    }
}

#[test]
fn depth_is_bounded() {
    let deep = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
    assert!(expr(&deep(MAX_DEPTH)).is_ok());
    assert_eq!(
        expr(&deep(MAX_DEPTH + 1)).unwrap_err().span,
        MAX_DEPTH..MAX_DEPTH + 1
    );
    assert!(expr(&format!("{}1", "1+".repeat(MAX_DEPTH))).is_ok());
    // Every level of parentheses climbs through all precedences.
    let rising = "1||1&&1==1<1|1^1&1<<1+1*(".repeat(MAX_DEPTH);
    let long = 1_000_000;
    for text in [
        deep(long),
        "!".repeat(long),
        "-".repeat(long),
        "1+".repeat(long),
        "sem[".repeat(long),
        "min(".repeat(long),
        "sbuf[".repeat(long),
        "$".repeat(long),
        "é".repeat(long),
        "\"\\".repeat(long),
        "'".repeat(long + 1),
        "1".repeat(long),
        "a.".repeat(long),
        rising,
    ] {
        let error = expr(&text).expect_err("too much of it");
        assert!(error.to_string().len() < 500, "{error}");
        let _ = (
            place(&text),
            words(&text),
            strip_comment(&text),
            number(&text),
        );
    }
}
