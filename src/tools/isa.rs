//! The instruction reference, with what of it is decoded, checked and executed.

use super::{Shown, ToolError};
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::{CmdError, ErrorKind, Exit};
use crate::isa::{Bundle, Exec, Generation, OpRow, ops, table};
use crate::sim::exec::EXEC;

/// `tpbdbg isa`: all opcodes, or one with its fields.
///
/// # Errors
/// No such opcode.
pub fn isa(
    name: Option<&str>,
    generation: Option<Generation>,
    shown: &mut Shown<'_>,
) -> Result<Exit, ToolError> {
    let output = match name {
        None => all_opcodes(generation),
        Some(name) => {
            let byte = crate::cmd::lang::number(name)
                .ok()
                .and_then(|n| u8::try_from(n).ok());
            let row = table::by_name(name).or_else(|| table::by_byte(byte?));
            let row = row.ok_or_else(|| {
                let near = crate::cmd::lang::nearest(name, table::rows().map(OpRow::listing_name));
                let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                CmdError::new(ErrorKind::Usage, format!("no opcode `{name}`{hint}"))
            })?;
            opcode(row, generation)
        }
    };
    shown.show(&output)?;
    Ok(Exit::Done)
}

fn row_data(row: &OpRow) -> Vec<(&'static str, Data)> {
    let gens = Generation::ALL
        .into_iter()
        .filter(|g| row.gens.has(*g))
        .map(|g| g.info().name);
    vec![
        ("byte", row.byte.into()),
        ("name", row.listing_name().into()),
        ("header_name", row.name.into()),
        ("layout", row.layout.into()),
        ("engines", engines(row).into()),
        ("generations", gens.collect::<Vec<_>>().into()),
        ("dormant", row.dormant.into()),
        ("decode", row.decode.word().into()),
        ("semantics", row.semantics.word().into()),
        ("doc", row.doc.into()),
    ]
}

fn engines(row: &OpRow) -> String {
    use crate::isa::Engines;
    match row.engines {
        Engines::Of(list) => list.iter().map(|e| e.name()).collect::<Vec<_>>().join(" "),
        Engines::All => "all".to_owned(),
        Engines::Dma => "dma".to_owned(),
        Engines::Host => "host".to_owned(),
        Engines::Nobody => "none".to_owned(),
    }
}

fn generations(row: &OpRow) -> String {
    let names = Generation::ALL
        .into_iter()
        .filter(|g| row.gens.has(*g))
        .map(|g| g.info().name);
    names.collect::<Vec<_>>().join(" ")
}

/// What is done with an opcode on a generation.
#[derive(Clone, Copy, Default)]
struct Coverage {
    /// Its fields are known.
    decoded: bool,
    /// Every bit belongs to a field or is known to be reserved, so that all of them are checked.
    checked: bool,
    /// The machine has a function for it.
    executed: bool,
}

/// Asked of what decodes, checks and executes; `None` when the generation has no such opcode.
fn coverage(row: &OpRow, generation: Generation) -> Option<Coverage> {
    let format = row.format(&Bundle::of_opcode(row.byte), generation);
    let decoded = format.name != ops::UNKNOWN.name;
    let function = EXEC.get(usize::from(row.byte)).copied().flatten();
    row.gens.has(generation).then_some(Coverage {
        decoded,
        checked: decoded && !format.open,
        executed: function.is_some() && row.exec == Exec::Modelled,
    })
}

/// Rows of a generation for which something holds.
fn count(generation: Generation, holds: impl Fn(Coverage) -> bool) -> u64 {
    let rows = table::rows().filter_map(|r| coverage(r, generation));
    rows.filter(|c| holds(*c)).count() as u64
}

fn summary(generations: &[Generation]) -> (Vec<Line>, Data) {
    let title = format!(
        "{:<10} {:>8} {:>8} {:>8} {:>8}",
        "generation", "opcodes", "decoded", "checked", "executed"
    );
    let mut lines = vec![Line::toned(Tone::Key, title)];
    let mut data = Vec::new();
    for g in generations {
        let counts = [
            count(*g, |_| true),
            count(*g, |c| c.decoded),
            count(*g, |c| c.checked),
            count(*g, |c| c.executed),
        ];
        let mut line = Line::toned(Tone::Value, format!("{:<10}", g.info().name));
        for n in counts {
            line = line.then(Tone::Plain, format!(" {n:>8}"));
        }
        lines.push(line);
        let [opcodes, decoded, checked, executed] = counts;
        data.push(Data::Map(vec![
            ("generation", g.info().name.into()),
            ("opcodes", opcodes.into()),
            ("decoded", decoded.into()),
            ("checked", checked.into()),
            ("executed", executed.into()),
        ]));
    }
    (lines, Data::List(data))
}

/// `v3 dcx`: the letters of what is done, `-` for what is not.
fn marks(row: &OpRow, generation: Generation) -> String {
    let Some(c) = coverage(row, generation) else {
        return "   ".to_owned();
    };
    [(c.decoded, 'd'), (c.checked, 'c'), (c.executed, 'x')]
        .into_iter()
        .map(|(done, letter)| if done { letter } else { '-' })
        .collect()
}

fn all_opcodes(generation: Option<Generation>) -> Output {
    let generations = match &generation {
        Some(g) => std::slice::from_ref(g),
        None => Generation::MODELLED.as_slice(),
    };
    let rows = || table::rows().filter(|r| generation.is_none_or(|g| r.gens.has(g)));
    let (mut lines, coverages) = summary(generations);
    let names: Vec<&str> = generations.iter().map(|g| g.info().name).collect();
    let legend = format!(
        "per opcode, on {}: d decoded, c checked, x executed",
        names.join(" ")
    );
    lines.push(Line::toned(Tone::Dim, legend));
    lines.extend(rows().map(|r| {
        let mut line = Line::toned(Tone::Place, format!("{:#04x}", r.byte))
            .then(Tone::Op, format!(" {:<32}", r.listing_name()));
        for g in generations {
            line = line.then(Tone::Dim, format!(" {}", marks(r, *g)));
        }
        line.then(Tone::Value, format!(" {:<14}", engines(r)))
            .then(Tone::Plain, format!(" {}", r.doc))
    }));
    let data = rows().map(|r| Data::Map(row_data(r))).collect();
    let data = vec![("coverage", coverages), ("opcodes", Data::List(data))];
    Output::new(lines, Data::Map(data))
}

fn opcode(row: &'static OpRow, generation: Option<Generation>) -> Output {
    let generation = generation.unwrap_or(Generation::V3);
    let head = Line::toned(Tone::Place, format!("{:#04x}", row.byte))
        .then(Tone::Op, format!(" {}", row.listing_name()));
    let mut lines = vec![head, Line::plain(row.doc)];
    let header = (row.name != row.listing_name()).then_some(("header name", row.name.to_owned()));
    let known = format!(
        "bytes {}, meaning {}",
        row.decode.word(),
        row.semantics.word()
    );
    let pairs = [
        ("engines", engines(row)),
        ("generations", generations(row)),
        ("layout", row.layout.to_owned()),
        ("known", known),
    ];
    lines.extend(
        header
            .into_iter()
            .chain(pairs)
            .map(|(k, v)| Line::pair(k, v)),
    );
    if let Exec::Unmodelled(why) = row.exec {
        lines.push(Line::pair("not modelled", why));
    }
    if row.dormant {
        lines.push(Line::pair("dormant", "present but not maintained"));
    }
    let format = row.format(&Bundle::of_opcode(row.byte), generation);
    let mut fields = Vec::new();
    for f in format.fields {
        let position = match (f.at % 8, f.bits % 8) {
            (0, 0) if f.bits == 8 => f.byte().to_string(),
            (0, 0) => format!("{}..{}", f.byte(), f.byte() + usize::from(f.bits / 8)),
            (bit, _) => format!("{}.{bit}-{}", f.byte(), bit + f.bits - 1),
        };
        lines.push(
            Line::toned(Tone::Dim, format!("{position:>7}  "))
                .then(Tone::Key, format!("{:<26}", f.name))
                .then(Tone::Plain, format!(" {}", f.doc)),
        );
        fields.push(Data::Map(vec![
            ("name", f.name.into()),
            ("bit", u64::from(f.at).into()),
            ("bits", u64::from(f.bits).into()),
            ("doc", f.doc.into()),
        ]));
    }
    let mut map = row_data(row);
    map.push(("fields", Data::List(fields)));
    Output::new(lines, Data::Map(map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Known;

    /// Solid in the sheets, and not executed on purpose: the sentinel, which is illegal.
    const NOT_EXECUTED: &[u8] = &[0xFF];

    #[test]
    fn nothing_solid_is_missing() {
        let mut missing = Vec::new();
        for row in table::rows() {
            let done = Generation::MODELLED
                .into_iter()
                .filter_map(|g| coverage(row, g))
                .all(|c| c.decoded && c.executed);
            let solid = row.decode == Known::Solid && row.semantics == Known::Solid;
            if solid && !done {
                missing.push(row.byte);
            }
        }
        assert_eq!(missing, NOT_EXECUTED);
    }

    #[test]
    fn what_the_table_says_is_modelled_has_a_function() {
        for row in table::rows() {
            let function = EXEC.get(usize::from(row.byte)).copied().flatten();
            assert_eq!(
                row.exec == Exec::Modelled,
                function.is_some(),
                "{:#04x}",
                row.byte
            );
        }
    }
}
