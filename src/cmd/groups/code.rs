//! The program text.

use crate::cmd::ap;
use crate::cmd::args::Args;
use crate::cmd::error::CmdError;
use crate::cmd::explain;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output, Tone};
use crate::cmd::show::{self, code, listing, with_listing};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::isa::text::{Names, Target};
use crate::isa::{Queue, Space, fields::Location};
use crate::program::asm;
use crate::program::explain::explain as take_apart;
use crate::session::Session;

/// Bundles that `disasm` lists when no number is given.
const SOME: u64 = 10;
/// Bundles that `disasm` lists at most.
const MOST: u64 = 1 << 20;

const CODE: Arg = Arg::optional("bundle", ArgKind::Code);

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["disasm", "list", "l"],
        group: Group::Code,
        summary: "list bundles",
        help: "From the next bundle of the engine in focus, unless one is named; ten, unless N is given. Patches are shown. The next \
               bundle of a stream is marked.",
        examples: &[
            ("disasm", "the next bundles"),
            ("disasm any:0 3", "the first three"),
        ],
        forms: &[&[CODE, Arg::optional("n", ArgKind::Number)]],
        run: Run::Read(disasm),
    },
    Command {
        names: &["explain"],
        group: Group::Code,
        summary: "take a bundle apart: every field, what it means, which rule it breaks",
        help: "The next bundle of the engine in focus, unless one is named.",
        examples: &[("explain any:0", "the first bundle")],
        forms: &[&[], &[Arg::required("bundle", ArgKind::Code)]],
        run: Run::Read(explained),
    },
    Command {
        names: &["ap"],
        group: Group::Code,
        summary: "read an access pattern: start, descriptor, bytes, broken rules",
        help: "The text is a pattern as the compiler prints it, `[[step,num],...]` with partitions first, and around it in any order the \
               memory location `{name}@SB<partition,byte>(PxB)` or `sbuf[p, byte]`, a dtype, `offset N`; or the hex of a descriptor, \
               TENSOR1D to TENSOR4D, with `lanes N`.",
        examples: &[(
            "ap {x}@SB<32,1024>(32x4096) bf16 [[1,32],[512,2],[1,256]]",
            "two runs of 512 bytes in 32 partitions",
        )],
        forms: &[&[Arg::required("text", ArgKind::Text)]],
        run: Run::Read(access_pattern),
    },
    Command {
        names: &["patch"],
        group: Group::Code,
        summary: "replace a bundle of the program",
        help: "The text is assembler text of one bundle, or `loaded` to bring back the loaded one. An edit: `undo` takes it back. The \
               file is not changed.",
        examples: &[("patch any:1 NOP;", "a bundle that does nothing")],
        forms: &[&[
            Arg::required("bundle", ArgKind::Code),
            Arg::required("text", ArgKind::Text),
        ]],
        run: Run::Edit(patch),
    },
];

/// The bundle an argument names, or the next one of the engine in focus.
fn chosen(s: &Session, a: &Args<'_>) -> Result<(Queue, u64), CmdError> {
    let here = || (s.focus(), s.machine().pc(s.focus()));
    let (queue, index) = a.code("bundle").unwrap_or_else(here);
    show::exists(s, queue, index).map_err(|e| e.at(a.span("bundle")))?;
    Ok((queue, index))
}

fn disasm(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (queue, first) = match a.code("bundle") {
        Some(_) => chosen(s, a)?,
        // Behind the last bundle there is nothing to list, and nothing wrong.
        None => (s.focus(), s.machine().pc(s.focus())),
    };
    let n = a.number("n").unwrap_or(SOME).min(MOST);
    let (mut lines, mut data) = (Vec::new(), Vec::new());
    for index in first..first.saturating_add(n) {
        let Some(bundle) = s.machine().bundle(queue, index) else {
            break;
        };
        let text = listing(s, queue, index);
        let line = Line::toned(Tone::Place, code(queue, index)).then(Tone::Plain, ":");
        let mut line = with_listing(line, &text);
        let patched = s.state().patch(queue.index() as u8, index).is_some();
        let next = index == s.machine().pc(queue);
        let marks = [(patched, "patched"), (next, "next")];
        let marks: Vec<&str> = marks.iter().filter(|m| m.0).map(|m| m.1).collect();
        if !marks.is_empty() {
            line = line.then(Tone::Dim, format!("  # {}", marks.join(", ")));
        }
        lines.push(line);
        let mut map = show::bundle_data(queue, None, index);
        map.push(("text", text.into()));
        map.push(("hex", bundle.to_hex().into()));
        map.push(("patched", patched.into()));
        data.push(Data::Map(map));
    }
    if lines.is_empty() {
        let text = format!("end of the stream of {} bundles", first);
        lines.push(Line::pair(code(queue, first), text));
    }
    Ok(Output::new(
        lines,
        Data::Map(vec![("bundles", Data::List(data))]),
    ))
}

fn explained(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (queue, index) = chosen(s, a)?;
    let Some(bundle) = s.machine().bundle(queue, index) else {
        return Ok(Output::none());
    };
    let settings = s.machine().settings().checks();
    let explanation = take_apart(&bundle, s.generation(), queue.engine(), &settings);
    Ok(explain::output(&explanation, Some((queue, index))))
}

fn access_pattern(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let text = a.text("text").unwrap_or_default();
    let at = a.span("text").start;
    ap::output(&text, s.generation())
        .map(|(output, _)| output)
        .map_err(|mut e| {
            e.span = e.span.map(|s| at + s.start..at + s.end);
            e
        })
}

/// Names of the session, for the assembler.
struct SessionNames<'s>(&'s Session);

impl Names for SessionNames<'_> {
    fn target(&self, name: &str) -> Option<Target> {
        let place = self.0.place(name)?;
        Some(match place.space {
            Space::Dram => Target::Dram(place.off),
            space => Target::Chip(Location {
                space,
                part: place.part,
                off: u32::try_from(place.off).ok()?,
            }),
        })
    }

    fn similar(&self, name: &str) -> Option<String> {
        let places = self.0.places();
        let names = places.iter().map(|p| p.name.as_str());
        crate::cmd::lang::nearest(name, names).map(str::to_owned)
    }
}

fn patch(s: &mut Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let (queue, index) = chosen(s, a)?;
    let text = a.text("text").unwrap_or_default();
    let bundle = if text == "loaded" {
        None
    } else {
        let made = asm::bundle(&text, s.generation(), &SessionNames(s));
        Some(made.map_err(|e| {
            let hint = e.hint.as_ref().map_or(String::new(), |h| format!("; {h}"));
            let at = a.span("text").start;
            CmdError::usage(at + e.span.start..at + e.span.end, format!("{e}{hint}"))
        })?)
    };
    let was = listing(s, queue, index);
    let lost = s.patch(queue, index, bundle)?;
    let now = listing(s, queue, index);
    let line = |key: &str, text: &str| {
        let line = Line::toned(Tone::Key, key)
            .then(Tone::Plain, ": ")
            .then(Tone::Place, code(queue, index));
        with_listing(line, text)
    };
    let mut lines = vec![line("was", &was), line("now", &now)];
    lines.extend(show::dropped(lost));
    let mut map = show::bundle_data(queue, None, index);
    map.extend([
        ("was", was.into()),
        ("now", now.into()),
        ("dropped", lost.into()),
    ]);
    Ok(Output::new(lines, Data::Map(map)))
}
