//! The test verbs.

use std::fs::File;
use std::io::BufReader;

use crate::cmd::args::Args;
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::kind::ArgKind;
use crate::cmd::lower::{eval, untagged};
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Expr, Session, StopKind};

const KINDS: &[&str] = &[
    "step",
    "break",
    "watch",
    "until",
    "exit",
    "fault",
    "deadlock",
    "blocked",
    "interrupt",
    "limit",
    "start",
];

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["expect"],
    group: Group::Test,
    summary: "fail unless something holds",
    help: "An expression that is true, the kind of the last stop, or a place that equals an array file: its elements in C order, \
           partitions outermost, compared as numbers, NaN equal to NaN; `tol T` allows a difference of T. In a batch a failed \
           expectation ends with exit code 1; `expect stop fault` right after a run makes the fault an expected one.",
    examples: &[
        ("expect $seq == 0", "an expression"),
        ("expect stop start", "the last stop"),
    ],
    forms: &[
        &[
            Arg::literal("stop"),
            Arg::required("kind", ArgKind::Choice(KINDS)),
        ],
        &[
            Arg::required("place", ArgKind::Place),
            Arg::literal("=="),
            Arg::required("file", ArgKind::Array),
            Arg::keyword("tol", "tol", ArgKind::Real),
        ],
        &[Arg::required("expr", ArgKind::Expr)],
    ],
    run: Run::Read(expect),
}];

fn expect(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let failed = |m: String| CmdError::new(ErrorKind::Expect, m);
    if let Some(kind) = a.text("kind").and_then(|k| StopKind::parse(&k)) {
        let found = s.stop().kind;
        if found != kind {
            return Err(failed(format!("expected stop {kind}, found {found}")).at(a.span("kind")));
        }
    } else if let Some(place) = a.place("place") {
        let path = a.path("file").unwrap_or_default();
        let tol = a.real("tol").unwrap_or(0.0);
        if tol.is_nan() || tol < 0.0 {
            return Err(a.error(
                "tol",
                format!("expected a tolerance of at least 0, found {tol}"),
            ));
        }
        let file = File::open(&path).map_err(|e| CmdError::file(&path, e).at(a.span("file")))?;
        let compared = s.compare(&place, BufReader::new(file), tol);
        let c = compared.map_err(|e| CmdError::from(e).at(a.span("place")))?;
        if let Some(first) = &c.first {
            let m = format!(
                "{} of {} elements differ, first {}: expected {}, found {}; largest difference {:?}",
                c.mismatches, c.elements, first.at, first.expected, first.found, c.max_diff
            );
            return Err(failed(m).at(a.span("place")));
        }
    } else {
        let expr = a.expr("expr").unwrap_or(Expr::Int(0));
        let value = eval(s, &expr, a)?;
        if !value.is_true() {
            return Err(failed(why(s, &expr, a)).at(a.span("expr")));
        }
    }
    let holds = Line::pair("holds", a.rest());
    Ok(Output::new(
        vec![holds],
        Data::Map(vec![("holds", true.into())]),
    ))
}

/// Both sides of a comparison that does not hold, else the value.
fn why(s: &Session, expr: &Expr, a: &Args<'_>) -> String {
    let found = match untagged(expr) {
        Expr::Binary(_, l, r) => match (eval(s, &l, a), eval(s, &r, a)) {
            (Ok(l), Ok(r)) => format!(": left {l}, right {r}"),
            _ => String::new(),
        },
        _ => String::new(),
    };
    format!("`{}` does not hold{found}", a.source("expr"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_session() {
        for word in KINDS {
            assert_eq!(StopKind::parse(word).map(StopKind::name), Some(*word));
        }
    }
}
