//! Valid lines and the trees they give; wrong and hostile lines are in `wrong`, properties in `properties`.

mod properties;
mod wrong;

use super::*;

/// Sets every span to nothing, to compare trees that were printed and read again.
fn unspan(e: &mut ExprAst) {
    e.span = 0..0;
    match &mut e.kind {
        Expr::Sem(i) | Expr::Evt(i) => unspan(i),
        Expr::Unary { operand, .. } => unspan(operand),
        Expr::Binary { left, right, .. } => {
            unspan(left);
            unspan(right);
        }
        Expr::Place(place) | Expr::Call { place, .. } => unspan_place(place),
        _ => {}
    }
}

fn unspan_place(p: &mut PlaceAst) {
    p.span = 0..0;
    if let Some((_, span)) = &mut p.dtype {
        *span = 0..0;
    }
}

fn bare(text: &str) -> ExprAst {
    let mut e = expr(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    unspan(&mut e);
    e
}

fn node(kind: Expr) -> ExprAst {
    ExprAst { kind, span: 0..0 }
}

fn at(kind: PlaceKind) -> PlaceAst {
    PlaceAst {
        kind,
        dtype: None,
        span: 0..0,
    }
}

#[test]
fn places() {
    use Bytes as B;
    use Parts as P;
    use PlaceKind::*;
    let table = [
        (
            "sbuf[5]",
            Sbuf {
                parts: P::One(5),
                bytes: B::All,
            },
        ),
        (
            "sbuf[0:128, 0x2000+2048]",
            Sbuf {
                parts: P::Range(0, 128),
                bytes: B::Len {
                    off: 0x2000,
                    len: 2048,
                },
            },
        ),
        (
            "  sbuf [ 0 : 128 , 4 + 8 ] ",
            Sbuf {
                parts: P::Range(0, 128),
                bytes: B::Len { off: 4, len: 8 },
            },
        ),
        (
            "sbuf[:, 0:1_024]",
            Sbuf {
                parts: P::All,
                bytes: B::Range(0, 1024),
            },
        ),
        (
            "sbuf[0, 2KiB]",
            Sbuf {
                parts: P::One(0),
                bytes: B::At(2048),
            },
        ),
        (
            "sbuf",
            Sbuf {
                parts: P::All,
                bytes: B::All,
            },
        ),
        (
            "psum[0:128, bank 2]",
            Psum {
                parts: P::Range(0, 128),
                bank: Some(2),
                bytes: B::All,
            },
        ),
        (
            "psum[0:128, bank 2, 0:4]",
            Psum {
                parts: P::Range(0, 128),
                bank: Some(2),
                bytes: B::Range(0, 4),
            },
        ),
        (
            "psum[3, 0x10]",
            Psum {
                parts: P::One(3),
                bank: None,
                bytes: B::At(16),
            },
        ),
        (
            "dram[0x1000+64]",
            Dram {
                bytes: B::Len {
                    off: 0x1000,
                    len: 64,
                },
            },
        ),
        ("dram[]", Dram { bytes: B::All }),
        ("weights.0", Name("weights.0".into())),
        ("'layer/w:0'", Name("layer/w:0".into())),
        ("bank", Name("bank".into())),
    ];
    for (text, kind) in table {
        let p = place(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(p.kind, kind, "{text}");
        assert_eq!(text.get(p.span.clone()), Some(text.trim()), "{text}");
        assert_eq!(p.dtype, None);
    }
    let p = place("sbuf[0] as fp32 ").unwrap();
    assert_eq!((p.dtype, p.span), (Some(("fp32".into(), 11..15)), 0..15));
}

#[test]
fn numbers() {
    for (text, n) in [
        ("0", 0),
        ("007", 7),
        ("0xFF_ff", 0xffff),
        ("1_000", 1000),
        ("3KiB", 3072),
        ("0x2MiB", 2 << 20),
        (" 18446744073709551615 ", u64::MAX),
    ] {
        assert_eq!(number(text), Ok(n), "{text}");
    }
    for (text, span) in [
        ("18446744073709551616", 0..20),
        ("0x1_0000_0000_0000_0000", 0..23),
        ("17179869184GiB", 0..14),
        ("0x", 0..2),
        ("0xg", 0..3),
        (" 12abc", 1..6),
        ("1 2", 2..3),
        ("-1", 0..1),
        ("1.5", 0..3),
        ("", 0..0),
    ] {
        assert_eq!(number(text).unwrap_err().span, span, "{text}");
    }
    assert_eq!(
        number("2kib").unwrap_err().hint.as_deref(),
        Some("did you mean `KiB`?")
    );
    for (text, x) in [
        ("1.5", 1.5),
        ("-1e-3", -0.001),
        ("7", 7.0),
        ("1_0.2_5", 10.25),
        ("2.5E+2", 250.0),
        ("-inf", f64::NEG_INFINITY),
    ] {
        assert_eq!(float(text), Ok(x), "{text}");
    }
    assert!(float("nan").unwrap().is_nan());
    assert_eq!(float("1e999").unwrap_err().span, 0..5);
}

#[test]
fn operands() {
    let reg = |engine: Option<&str>, reg| Expr::Reg {
        engine: engine.map(str::to_owned),
        reg,
    };
    let region = |name: &str, dtype: Option<&str>| PlaceAst {
        kind: PlaceKind::Name(name.into()),
        dtype: dtype.map(|d| (d.to_owned(), 0..0)),
        span: 0..0,
    };
    for (text, kind) in [
        ("$pe.r5", reg(Some("pe"), 5)),
        ("$r63", reg(None, 63)),
        ("$gpsimd.r128", reg(Some("gpsimd"), 128)),
        ("$seq", Expr::Var("seq".into())),
        (
            "$act.pc",
            Expr::EngineVar {
                engine: "act".into(),
                var: "pc".into(),
            },
        ),
        ("sem[3]", Expr::Sem(Box::new(node(Expr::Int(3))))),
        ("evt [ $r1 ]", Expr::Evt(Box::new(node(reg(None, 1))))),
        ("w", Expr::Name("w".into())),
        ("w as bf16", Expr::Place(region("w", Some("bf16")))),
        ("'a/b' as bf16", Expr::Place(region("a/b", Some("bf16")))),
        ("\"a \\\" \\\\ \\n\"", Expr::Str("a \" \\ \\n".into())),
        (
            "mean('a/b')",
            Expr::Call {
                func: Func::Mean,
                place: region("a/b", None),
            },
        ),
        ("min", Expr::Name("min".into())),
        ("inf", Expr::Float(f64::INFINITY)),
        (
            "sbuf[0, 4+8]",
            Expr::Place(at(PlaceKind::Sbuf {
                parts: Parts::One(0),
                bytes: Bytes::Len { off: 4, len: 8 },
            })),
        ),
        (
            "dram",
            Expr::Place(at(PlaceKind::Dram { bytes: Bytes::All })),
        ),
    ] {
        assert_eq!(bare(text), node(kind), "{text}");
    }
}

#[test]
fn spans_of_nodes() {
    let text = " -(1 + sem[ 2 ]) == w";
    let Expr::Binary { left, right, .. } = expr(text).unwrap().kind else {
        panic!()
    };
    assert_eq!(
        (&text[left.span.clone()], &text[right.span]),
        ("-(1 + sem[ 2 ])", "w")
    );
    let Expr::Unary { operand, .. } = left.kind else {
        panic!()
    };
    assert_eq!(&text[operand.span.clone()], "(1 + sem[ 2 ])");
    let Expr::Binary { right, .. } = operand.kind else {
        panic!()
    };
    assert_eq!(&text[right.span], "sem[ 2 ]");
}

#[test]
fn grouping() {
    for (text, grouped) in [
        ("1 | 2 == 3", "(1 | 2) == 3"),
        ("a & 3 < b", "(a & 3) < b"),
        ("a == b < c", "a == (b < c)"),
        ("a || b && c", "a || (b && c)"),
        ("a - b - c", "(a - b) - c"),
        ("a << b + c", "a << (b + c)"),
        ("a | b ^ c & d", "a | (b ^ (c & d))"),
        ("-a * b", "(-a) * b"),
        ("!a == b", "(!a) == b"),
        ("a - -b", "a - (-b)"),
    ] {
        assert_eq!(bare(text), bare(grouped), "{text}");
        assert_eq!(bare(grouped).to_string(), text);
    }
    for kept in [
        "a - (b - c)",
        "(a || b) && c",
        "-(a + b)",
        "!(a == b)",
        "a * (b % c)",
        "!-~a",
    ] {
        assert_eq!(bare(kept).to_string(), kept);
    }
}

#[test]
fn prefixes_stop() {
    for (text, taken) in [
        ("$pe.r5 == 3 if", "$pe.r5 == 3"),
        ("a once", "a"),
        ("1 + 2 ignore 3", "1 + 2"),
        ("sem[1] = 3", "sem[1]"),
        ("w as u8 tol 1e-3", "w as u8"),
        ("1 'open", "1"),
        ("a é", "a"),
    ] {
        let (_, end) = expr_prefix(text).unwrap();
        assert_eq!(text.get(..end), Some(taken), "{text}");
    }
    for (text, taken) in [
        ("w out.npy", "w"),
        ("sbuf[0] as u8 count 3", "sbuf[0] as u8"),
        ("w == f.npy", "w"),
        ("w 12abc.npy", "w"),
    ] {
        let (_, end) = place_prefix(text).unwrap();
        assert_eq!(text.get(..end), Some(taken), "{text}");
    }
    let line = "watch rw sbuf[0, 4] if $new == 1 once";
    let (place, end) = place_at(line, 8).unwrap();
    assert_eq!((place.span, end), (9..19, 19));
    let (condition, end) = expr_at(line, 22).unwrap();
    assert_eq!(
        (&line[condition.span], &line[end..]),
        ("$new == 1", " once")
    );
    assert_eq!(place_at("é", 1).unwrap_err().span, 2..2);
    assert_eq!(expr_at("a", 9).unwrap_err().span, 1..1);
}
