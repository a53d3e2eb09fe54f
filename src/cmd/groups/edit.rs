//! Changing the state.

use std::fs::File;
use std::io::BufReader;

use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::lower::{eval, untagged};
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::show;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Expr, Let, Session, SessionError, Value, When};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["set"],
        group: Group::Edit,
        summary: "change memory, a register, a semaphore, an event, a program counter, or a setting",
        help: "With `=` an edit of the state: every element of the place gets the value; `undo` takes it back. Without, a setting: \
               `info settings` lists them. Settings change results, so recorded sessions carry them.",
        examples: &[
            ("set sbuf[0:4, 0:16] as fp32 = 1.5", "sixteen elements"),
            ("set $r5 = 0x400", "a register of the engine in focus"),
            ("set sem[4] = 2", "a semaphore"),
            ("set $pc = 0", "the next bundle of the engine in focus"),
            ("set uninit.read fault", "a setting"),
        ],
        forms: &[
            &[
                Arg::required("target", ArgKind::Target),
                Arg::literal("="),
                Arg::required("expr", ArgKind::Expr),
            ],
            &[
                Arg::required("key", ArgKind::Key),
                Arg::required("value", ArgKind::SettingValue),
            ],
        ],
        run: Run::Edit(set),
    },
    Command {
        names: &["load"],
        group: Group::Edit,
        summary: "fill a place from an array file",
        help: "The place needs a dtype. The file may have any shape with the right number of elements, in C order, partitions \
               outermost. Elements must have that type; narrow floats come as raw bits, or as f4 that is rounded to nearest even.",
        examples: &[],
        forms: &[&[
            Arg::required("place", ArgKind::Place),
            Arg::required("file.npy", ArgKind::Array),
        ]],
        run: Run::Edit(load),
    },
    Command {
        names: &["dump"],
        group: Group::Edit,
        summary: "write a place to an array file",
        help: "The place needs a dtype. The shape is (partitions, elements), of DRAM (elements). bf16 and fp8 are written as f4, \
               fp16 as f2, other types as they are; `raw` writes unsigned bits.",
        examples: &[],
        forms: &[&[
            Arg::required("place", ArgKind::Place),
            Arg::required("file.npy", ArgKind::Array),
            Arg::flag("raw"),
        ]],
        run: Run::Read(dump),
    },
    Command {
        names: &["undo"],
        group: Group::Edit,
        summary: "take back the last edit at this point of time",
        help: "`reverse-step` takes back bundles.",
        examples: &[],
        forms: &[&[]],
        run: Run::Edit(undo),
    },
    Command {
        names: &["redo"],
        group: Group::Edit,
        summary: "make an edit again that was taken back",
        help: "",
        examples: &[],
        forms: &[&[]],
        run: Run::Edit(redo),
    },
    Command {
        names: &["let"],
        group: Group::Edit,
        summary: "give a name to a place or an expression",
        help: "An expression is evaluated each time the name is used.",
        examples: &[
            ("let out = sbuf[0:4, 0:16] as fp32", "a place"),
            ("let limit = 2 * $r5", "an expression"),
        ],
        forms: &[&[
            Arg::required("name", ArgKind::Name),
            Arg::literal("="),
            Arg::required("meaning", ArgKind::Binding),
        ]],
        run: Run::Edit(define),
    },
];

fn set(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (Some(target), Some(expr)) = (a.expr("target"), a.expr("expr")) else {
        return setting(s, a);
    };
    let value = eval(s, &expr, a)?;
    let lost = assign(s, &target, &value, a)?;
    let mut lines = vec![Line::pair(a.source("target"), value.to_string())];
    lines.extend(show::dropped(lost));
    let data = Data::Map(vec![
        ("value", show::value(&value)),
        ("dropped", lost.into()),
    ]);
    Ok(Output::new(lines, data))
}

/// Makes the edit; gives the steps of a former future that it dropped.
fn assign(s: &mut Session, target: &Expr, value: &Value, a: &Args<'_>) -> Result<u64, CmdError> {
    let index = |s: &Session, e: &Expr| -> Result<u8, CmdError> {
        match eval(s, e, a)? {
            Value::Int(i) if (0..256).contains(&i) => Ok(i as u8),
            other => Err(a.error("target", format!("index {other}, allowed are 0..=255"))),
        }
    };
    let made = match target {
        Expr::Tagged(_, inner) => return assign(s, inner, value, a),
        Expr::Reg(queue, reg) => s.set_reg(queue.unwrap_or_else(|| s.focus()), *reg, value),
        Expr::Pc(queue) => s.set_pc(queue.unwrap_or_else(|| s.focus()), value),
        Expr::Sem(n) => {
            let n = index(s, n)?;
            s.set_sem(n, value)
        }
        Expr::Evt(n) => {
            let n = index(s, n)?;
            s.set_event(n, value)
        }
        Expr::Place(place) => s.set_place(place, value),
        _ => return Err(a.error("target", "this cannot be assigned")),
    };
    made.map_err(|e| {
        // The value is to blame for what does not fit, the target for the rest.
        let at = if matches!(e, SessionError::Assign { .. }) {
            "expr"
        } else {
            "target"
        };
        CmdError::from(e).at(a.span(at))
    })
}

fn setting(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let key = a.text("key").unwrap_or_default();
    let value = a.text("value").unwrap_or_default();
    let when = crate::cmd::settings::set(s, &key, &value).map_err(|e| e.at(a.span("value")))?;
    let mut lines = vec![Line::pair(key.as_str(), value.as_str())];
    if when == When::AtRestart {
        lines.push(Line::pair("note", "takes effect at `restart`"));
    }
    let data = Data::Map(vec![
        ("key", key.into()),
        ("value", value.into()),
        ("effective", (when == When::Now).into()),
    ]);
    Ok(Output::new(lines, data))
}

fn load(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (Some(place), Some(path)) = (a.place("place"), a.path("file.npy")) else {
        return Ok(Output::none());
    };
    let file = File::open(&path).map_err(|e| CmdError::file(&path, e).at(a.span("file.npy")))?;
    let lost = s
        .load(&place, BufReader::new(file))
        .map_err(|e| CmdError::from(e).at(a.span("place")))?;
    let mut lines = vec![Line::pair("loaded", place.to_string())];
    lines.extend(show::dropped(lost));
    let data = Data::Map(vec![
        ("place", place.to_string().into()),
        ("dropped", lost.into()),
    ]);
    Ok(Output::new(lines, data))
}

fn dump(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (Some(place), Some(path)) = (a.place("place"), a.path("file.npy")) else {
        return Ok(Output::none());
    };
    let told = |e| CmdError::file(&path, e).at(a.span("file.npy"));
    let mut array = Vec::new();
    s.dump(&place, &mut array, a.has("raw"))
        .map_err(|e| CmdError::from(e).at(a.span("place")))?;
    std::fs::write(&path, array).map_err(told)?;
    let line = Line::pair("dumped", format!("{place} to {}", a.source("file.npy")));
    let data = Data::Map(vec![("place", place.to_string().into())]);
    Ok(Output::new(vec![line], data))
}

fn undo(s: &mut Session, _: &Args<'_>) -> Result<Output, CmdError> {
    s.undo_edit()?;
    Ok(Output::new(
        vec![Line::pair("undone", "one edit")],
        Data::Null,
    ))
}

fn redo(s: &mut Session, _: &Args<'_>) -> Result<Output, CmdError> {
    s.redo_edit()?;
    Ok(Output::new(
        vec![Line::pair("redone", "one edit")],
        Data::Null,
    ))
}

fn define(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let name = a.text("name").unwrap_or_default();
    let text = a.source("meaning").to_owned();
    let meaning = match (a.place("meaning"), a.expr("meaning")) {
        (Some(place), _) => Let::Place(place),
        (_, Some(e)) => Let::Expr(untagged(&e), text.clone()),
        _ => return Ok(Output::none()),
    };
    if let Let::Expr(e, _) = &meaning
        && e.parts() > Expr::MOST_PARTS
    {
        let m = format!(
            "with the meaning of its names it has more than {} parts",
            Expr::MOST_PARTS
        );
        return Err(a.error("meaning", m));
    }
    s.define(name.clone(), meaning);
    let data = Data::Map(vec![
        ("name", name.as_str().into()),
        ("meaning", text.as_str().into()),
    ]);
    Ok(Output::new(vec![Line::pair(name, text)], data))
}
