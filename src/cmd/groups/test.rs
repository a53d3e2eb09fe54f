//! The test verbs.

use std::fs::File;
use std::io::BufReader;

use super::diff::{REL, TOL, ULP};
use crate::cmd::args::Args;
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::kind::ArgKind;
use crate::cmd::lower::{eval, untagged};
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Comparison, Expr, Session, StopKind, Tolerance};

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
           partitions outermost, compared as numbers, NaN equal to NaN; `tol T` allows a difference of T, `rel R` one of R times the larger magnitude, `ulp N` N steps of the type. `arrays` stands for every \
           array that the manifest expects. In a batch a failed \
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
        &[Arg::literal("arrays")],
        &[
            Arg::required("place", ArgKind::Place),
            Arg::literal("=="),
            Arg::required("file", ArgKind::Array),
            TOL,
            REL,
            ULP,
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
    } else if a.rest() == "arrays" {
        return arrays(s, a);
    } else if let Some(place) = a.place("place") {
        let path = a.path("file").unwrap_or_default();
        let tolerance = super::diff::tolerance(a)?;
        let file = File::open(&path).map_err(|e| CmdError::file(&path, e).at(a.span("file")))?;
        let compared = s.compare(&place, BufReader::new(file), &tolerance);
        let c = compared.map_err(|e| CmdError::from(e).at(a.span("place")))?;
        if let Some(m) = differs(&c) {
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

/// How a place differs from an array; `None` when it does not.
fn differs(c: &Comparison) -> Option<String> {
    let first = c.first.as_ref()?;
    Some(format!(
        "{} of {} elements differ, first {}: expected {}, found {}; largest difference {:?}",
        c.mismatches, c.elements, first.at, first.expected, first.found, c.max_diff
    ))
}

/// Every array that the manifest expects.
fn arrays(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let program = s.program();
    let all = a.line.len() - a.rest().len()..a.line.len();
    if program.expected.is_empty() {
        let m = "the program comes without expected arrays; a manifest names them".to_owned();
        return Err(CmdError::new(ErrorKind::Usage, m).at(all));
    }
    let (mut lines, mut data, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for expected in &program.expected {
        let Some(place) = s.program_place(&expected.name) else {
            continue;
        };
        let tolerance = Tolerance {
            abs: expected.tolerance,
            ..Tolerance::default()
        };
        let c = s.compare(&place, expected.array.as_slice(), &tolerance)?;
        let (name, file) = (&expected.name, expected.file.display());
        match differs(&c) {
            Some(m) => wrong.push(format!("{name} == {file}: {m}")),
            None => lines.push(Line::pair("holds", format!("{name} == {file}"))),
        }
        data.push(Data::Map(vec![
            ("place", name.as_str().into()),
            ("elements", c.elements.into()),
            ("mismatches", c.mismatches.into()),
        ]));
    }
    if wrong.is_empty() {
        let data = vec![("holds", true.into()), ("arrays", Data::List(data))];
        return Ok(Output::new(lines, Data::Map(data)));
    }
    Err(CmdError::new(ErrorKind::Expect, wrong.join("\n")).at(all))
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
