//! The numerics microscope.

use crate::cmd::args::Args;
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::num;
use crate::session::{Errors, Measure, Session};

const MEASURES: &[&str] = &["ulp", "rel", "abs"];

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["shadow"],
        group: Group::Inspect,
        summary: "switch the numerics microscope on or off",
        help: "While it is on, `error PLACE` runs the recorded path once more beside this session, from its start, with every value \
               also carried in f64 from its inputs: copies, casts, DMA, element-wise arithmetic, activation functions, reductions and \
               matrix products. What other bundles compute starts anew from the stored values; `error` counts them.",
        examples: &[("shadow on", "from now on `error` answers")],
        forms: &[&[Arg::optional("state", ArgKind::Choice(&["on", "off"]))]],
        run: Run::Edit(shadow),
    },
    Command {
        names: &["error"],
        group: Group::Inspect,
        summary: "tell how far a place is from what exact arithmetic gives",
        help: "Largest error of its elements: in steps of their type, relative, and absolute; and the element with the largest relative \
               one. `above X ulp|rel|abs` names the first bundle after which an element of the place is further off than X. Needs \
               `shadow on`.",
        examples: &[],
        forms: &[
            &[
                Arg::required("place", ArgKind::Place),
                Arg::literal("above"),
                Arg::required("bound", ArgKind::Real),
                Arg::required("measure", ArgKind::Choice(MEASURES)),
            ],
            &[Arg::required("place", ArgKind::Place)],
        ],
        run: Run::Edit(error),
    },
];

fn shadow(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    if let Some(state) = a.text("state") {
        s.set_shadow(state == "on");
    }
    let state = if s.shadow_is_on() { "on" } else { "off" };
    let data = vec![("shadow", state.into())];
    Ok(Output::new(
        vec![Line::pair("shadow", state)],
        Data::Map(data),
    ))
}

fn error(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let Some(place) = a.place("place") else {
        return Ok(Output::none());
    };
    if !s.shadow_is_on() {
        let m = "the microscope is off; `shadow on` switches it on".to_owned();
        return Err(CmdError::new(ErrorKind::State, m));
    }
    let told = |e| CmdError::from(e).at(a.span("place"));
    let Some(bound) = a.real("bound") else {
        let errors = s.errors(&place).map_err(told)?;
        return Ok(Output::new(lines(&errors), data(&errors)));
    };
    let measure = match a.text("measure").as_deref() {
        Some("ulp") => Measure::Ulp,
        Some("abs") => Measure::Abs,
        _ => Measure::Rel,
    };
    let found = s.first_error(&place, bound, measure).map_err(told)?;
    let Some(found) = found else {
        let text = "no element exceeds it up to here";
        return Ok(Output::new(vec![Line::pair("first", text)], Data::Null));
    };
    let mut line = Line::toned(Tone::Key, "first")
        .then(Tone::Plain, ": ")
        .then(Tone::Place, format!("seq {} ", found.seq));
    line.0.extend(show::bundle(s, found.queue, found.index).0);
    let mut all = vec![line];
    all.extend(lines(&found.errors));
    let mut map = show::bundle_data(found.queue, None, found.index);
    map.insert(0, ("seq", found.seq.into()));
    map.push(("error", data(&found.errors)));
    Ok(Output::new(all, Data::Map(map)))
}

fn lines(e: &Errors) -> Vec<Line> {
    let mut lines = vec![Line::pair(
        "elements",
        format!("{}, {} carried in f64", e.elements, e.carried),
    )];
    if e.carried > 0 {
        let text = format!(
            "at most {} ulp, {:.3e} relative, {:.3e} absolute; {:.3e} relative on average",
            e.ulp, e.rel, e.abs, e.mean_rel
        );
        lines.push(Line::pair("error", text));
    }
    if let Some((at, held, wide)) = &e.worst
        && e.rel > 0.0
    {
        let kind = at.dtype.unwrap_or(num::Kind::U8);
        let text = format!("{at} holds {}, exact is {wide:?}", num::show(kind, *held));
        lines.push(Line::pair("worst", text));
    }
    if !e.anew.is_empty() {
        let each: Vec<String> = e
            .anew
            .iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        lines.push(Line::pair(
            "anew",
            format!("{}, from stored values", each.join(", ")),
        ));
    }
    lines
}

fn data(e: &Errors) -> Data {
    let worst = e.worst.as_ref().map_or(Data::Null, |(at, held, wide)| {
        let kind = at.dtype.unwrap_or(num::Kind::U8);
        Data::Map(vec![
            ("place", at.to_string().into()),
            ("held", show::element(kind, *held)),
            ("exact", Data::Float(*wide)),
        ])
    });
    let anew = e
        .anew
        .iter()
        .map(|(name, n)| Data::Map(vec![("name", name.as_str().into()), ("count", (*n).into())]));
    Data::Map(vec![
        ("elements", e.elements.into()),
        ("carried", e.carried.into()),
        ("ulp", e.ulp.into()),
        ("rel", Data::Float(e.rel)),
        ("abs", Data::Float(e.abs)),
        ("mean_rel", Data::Float(e.mean_rel)),
        ("worst", worst),
        ("anew", Data::List(anew.collect())),
    ])
}
