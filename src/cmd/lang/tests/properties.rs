//! Round trips, precedence against an independent evaluator, arbitrary text.

use super::*;
use proptest::prelude::*;

fn arb_bytes() -> impl Strategy<Value = Bytes> {
    let small = prop_oneof![0u64..20, any::<u64>()];
    prop_oneof![
        Just(Bytes::All),
        small.clone().prop_map(Bytes::At),
        (small.clone(), 1u64..9999)
            .prop_map(|(lo, n)| Bytes::Range(lo.min(u64::MAX - n), lo.min(u64::MAX - n) + n)),
        (small, 1u64..9999).prop_map(|(off, len)| Bytes::Len {
            off: off.min(u64::MAX - len),
            len
        }),
    ]
}

fn arb_parts() -> impl Strategy<Value = Parts> {
    prop_oneof![
        Just(Parts::All),
        any::<u64>().prop_map(Parts::One),
        (0u64..200, 1u64..200).prop_map(|(a, n)| Parts::Range(a, a + n))
    ]
}

fn arb_dtype() -> impl Strategy<Value = Option<(String, Span)>> {
    proptest::option::of(
        "[a-z]{1,4}[0-9]{0,2}"
            .prop_filter("a literal", |d| d != "inf" && d != "nan")
            .prop_map(|d| (d, 0..0)),
    )
}

fn arb_memory() -> impl Strategy<Value = PlaceAst> {
    let kind = prop_oneof![
        (arb_parts(), arb_bytes()).prop_map(|(parts, bytes)| PlaceKind::Sbuf { parts, bytes }),
        (arb_parts(), proptest::option::of(0u64..20), arb_bytes())
            .prop_map(|(parts, bank, bytes)| PlaceKind::Psum { parts, bank, bytes }),
        arb_bytes().prop_map(|bytes| PlaceKind::Dram { bytes }),
    ];
    (kind, arb_dtype()).prop_map(|(kind, dtype)| PlaceAst {
        kind,
        dtype,
        span: 0..0,
    })
}

fn arb_place() -> impl Strategy<Value = PlaceAst> {
    let named = (any::<String>(), arb_dtype()).prop_map(|(n, dtype)| PlaceAst {
        kind: PlaceKind::Name(n),
        dtype,
        span: 0..0,
    });
    prop_oneof![arb_memory(), named]
}

fn arb_expr() -> impl Strategy<Value = ExprAst> {
    let engine = || proptest::sample::select(&ENGINE_NAMES[..]).prop_map(str::to_owned);
    let leaf = prop_oneof![
        any::<u64>().prop_map(Expr::Int),
        proptest::num::f64::POSITIVE.prop_map(Expr::Float),
        any::<String>().prop_map(Expr::Str),
        (proptest::option::of(engine()), any::<u8>())
            .prop_map(|(engine, reg)| Expr::Reg { engine, reg }),
        proptest::sample::select(&VARIABLES[..]).prop_map(|v| Expr::Var(v.to_owned())),
        engine().prop_map(|engine| Expr::EngineVar {
            engine,
            var: "pc".into()
        }),
        arb_memory().prop_map(Expr::Place),
        (proptest::sample::select(&Func::ALL[..]), arb_place())
            .prop_map(|(func, place)| Expr::Call { func, place }),
        "[a-z_]{1,6}(\\.[a-z0-9]{1,3})?"
            .prop_filter("a plain name", |n| is_name(n))
            .prop_map(Expr::Name),
    ];
    leaf.prop_map(node).prop_recursive(6, 60, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|i| node(Expr::Sem(Box::new(i)))),
            inner.clone().prop_map(|i| node(Expr::Evt(Box::new(i)))),
            (proptest::sample::select(&UnOp::ALL[..]), inner.clone()).prop_map(|(op, operand)| {
                node(Expr::Unary {
                    op,
                    operand: Box::new(operand),
                })
            }),
            (
                proptest::sample::select(&BinOp::ALL[..]),
                inner.clone(),
                inner
            )
                .prop_map(|(op, left, right)| node(Expr::Binary {
                    op,
                    left: Box::new(left),
                    right: Box::new(right)
                })),
        ]
    })
}

/// Value of an integer expression under wrapping arithmetic, division by zero giving 0.
fn value(e: &ExprAst) -> i128 {
    match &e.kind {
        Expr::Int(n) => i128::from(*n),
        Expr::Unary { op, operand } => prefix(op.symbol(), value(operand)),
        Expr::Binary { op, left, right } => infix(op.symbol(), value(left), value(right)),
        other => panic!("{other:?}"),
    }
}

fn prefix(op: &str, a: i128) -> i128 {
    match op {
        "-" => a.wrapping_neg(),
        "~" => !a,
        _ => i128::from(a == 0),
    }
}

fn infix(op: &str, a: i128, b: i128) -> i128 {
    match op {
        "||" => i128::from(a != 0 || b != 0),
        "&&" => i128::from(a != 0 && b != 0),
        "==" => i128::from(a == b),
        "!=" => i128::from(a != b),
        "<" => i128::from(a < b),
        "<=" => i128::from(a <= b),
        ">" => i128::from(a > b),
        ">=" => i128::from(a >= b),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "<<" => a.wrapping_shl(b as u32 & 31),
        ">>" => a.wrapping_shr(b as u32 & 31),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b).unwrap_or(0),
        "%" => a.checked_rem(b).unwrap_or(0),
        _ => panic!("{op}"),
    }
}

/// The documented table, strongest first, written down a second time.
const LEVELS: [&[&str]; 10] = [
    &["*", "/", "%"],
    &["+", "-"],
    &["<<", ">>"],
    &["&"],
    &["^"],
    &["|"],
    &["<", "<=", ">", ">="],
    &["==", "!="],
    &["&&"],
    &["||"],
];

/// Two-stack evaluation of tokens separated by white space; a prefix operator is written `u-`, `u~`, `u!`.
fn shunting_yard(tokens: &[String]) -> i128 {
    let level = |op: &str| LEVELS.iter().position(|l| l.contains(&op)).unwrap();
    let (mut values, mut ops) = (Vec::<i128>::new(), Vec::<&str>::new());
    let apply = |op: &str, values: &mut Vec<i128>| {
        let b = values.pop().unwrap();
        let v = match op.strip_prefix('u') {
            Some(op) => prefix(op, b),
            None => infix(op, values.pop().unwrap(), b),
        };
        values.push(v);
    };
    for token in tokens {
        match token.as_str() {
            "(" => ops.push("("),
            ")" => {
                while let Some(op) = ops.pop().filter(|op| *op != "(") {
                    apply(op, &mut values);
                }
            }
            op if op.starts_with('u') => ops.push(op),
            n if n.parse::<u64>().is_ok() => values.push(n.parse().unwrap()),
            op => {
                while let Some(top) = ops
                    .last()
                    .copied()
                    .filter(|top| *top != "(" && (top.starts_with('u') || level(top) <= level(op)))
                {
                    ops.pop();
                    apply(top, &mut values);
                }
                ops.push(op);
            }
        }
    }
    while let Some(op) = ops.pop() {
        apply(op, &mut values);
    }
    assert_eq!(values.len(), 1);
    values[0]
}

fn arb_tokens() -> impl Strategy<Value = Vec<String>> {
    let one = |s: &str| vec![s.to_owned()];
    let number = prop_oneof![0u64..6, any::<u64>()].prop_map(move |n| vec![n.to_string()]);
    number.prop_recursive(5, 40, 4, move |inner| {
        let operators: Vec<&str> = LEVELS.concat();
        let tail = proptest::collection::vec((proptest::sample::select(operators), inner.clone()), 1..4);
        prop_oneof![
            3 => (inner.clone(), tail).prop_map(|(first, tail)| {
                tail.into_iter().fold(first, |mut all, (op, more)| {
                    all.push(op.to_owned());
                    all.extend(more);
                    all
                })
            }),
            1 => inner.clone().prop_map(move |i| [one("("), i, one(")")].concat()),
            1 => (proptest::sample::select(&["u-", "u~", "u!"][..]), inner).prop_map(move |(u, i)| [one(u), i].concat()),
        ]
    })
}

/// Pieces of the grammar in any order.
fn arb_soup() -> impl Strategy<Value = String> {
    let pieces = [
        "sbuf[", "psum[", "dram[", "]", "0:4", ", ", "bank 2", "4+8", "0x", "1_0", "KiB", " as ",
        "fp32", "$pe.r5", "$", "$seq", "sem[", "evt[", "min(", "(", ")", "==", "=", "<", "<<",
        "||", "!", "-", "~", "1.5", "1e", "'", "\"", "\\", "#", "if ", "w", ".", "..", "é", "\t",
        "\u{a0}",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24)
        .prop_map(|v| v.concat())
}

fn sound(line: &str, error: &ParseError) {
    assert!(
        line.get(error.span.clone()).is_some(),
        "{line:?}: {error:?}"
    );
    assert!(!error.expected.is_empty() && !error.found.is_empty());
    assert!(error.caret(line).ends_with('^'));
}

fn survives(line: &str) {
    for at in 0..=line.len() {
        for result in [
            place_at(line, at).map(|(p, end)| (p.span, end)),
            expr_at(line, at).map(|(e, end)| (e.span, end)),
        ] {
            match result {
                Ok((span, end)) => assert!(
                    line.get(span.clone()).is_some() && span.end == end,
                    "{line:?}"
                ),
                Err(error) => sound(line, &error),
            }
        }
    }
    for error in [
        place(line).err(),
        expr(line).err(),
        number(line).err(),
        float(line).err(),
        words(line).err(),
    ]
    .into_iter()
    .flatten()
    {
        sound(line, &error);
    }
    assert!(line.starts_with(strip_comment(line)));
    for word in words(line).unwrap_or_default() {
        assert!(
            line.get(word.span)
                .is_some_and(|raw| word.quoted || raw == word.text)
        );
    }
}

proptest! {
    #[test]
    fn printed_places_read_back(ast in arb_place()) {
        let text = ast.to_string();
        let mut read = place(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        unspan_place(&mut read);
        prop_assert_eq!(read, ast);
    }

    #[test]
    fn printed_expressions_read_back(ast in arb_expr()) {
        let text = ast.to_string();
        let mut read = expr(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        unspan(&mut read);
        prop_assert_eq!(&read, &ast, "{}", text);
    }

    #[test]
    fn precedence_is_as_documented(tokens in arb_tokens()) {
        let text = tokens.join(" ").replace('u', "");
        let ast = expr(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(value(&ast), shunting_yard(&tokens), "{}", text);
    }

    #[test]
    fn any_text_survives(line in any::<String>()) {
        survives(&line);
    }

    #[test]
    fn any_soup_survives(line in arb_soup()) {
        survives(&line);
    }
}
