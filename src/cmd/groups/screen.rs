//! The screen: layout, heatmaps, pictures. Without a screen these do nothing, but counting and comparing happen in the session.

use crate::cmd::args::{Args, Moment};
use crate::cmd::error::CmdError;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::screen::{Ask, Grow, LAYOUTS, PaneId};
use crate::cmd::shell::Shell;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::num::Kind;
use crate::session::{HeatMode, Side};

const PANE: ArgKind = ArgKind::Choice(PaneId::NAMES);
/// Cells that a border moves by.
const BORDER: u64 = 4;
/// Bundles per second of `slow` without a number.
const SLOW: u64 = 5;

const KINDS: &[&str] = &[
    "fp32", "bf16", "fp16", "fp8e3", "fp8e4", "fp8e5", "fp8e4fn", "fp4x4", "u8", "i8", "u16",
    "i16", "u32", "i32",
];

pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["layout"],
        group: Group::Screen,
        summary: "arrange the panes of the screen",
        help: "Alone it says what the layout is. `layout save` keeps it for later sessions, `layout saved` shows that one. Splitting, \
               opening, closing and growing speak of the focused pane.",
        examples: &[
            ("layout memory", "large heatmaps"),
            ("layout split right cell", "a pane beside the focused one"),
        ],
        forms: &[
            &[
                Arg::literal("split"),
                Arg::required("side", ArgKind::Choice(&["right", "down"])),
                Arg::required("pane", PANE),
            ],
            &[Arg::literal("open"), Arg::required("pane", PANE)],
            &[Arg::literal("close"), Arg::optional("pane", PANE)],
            &[
                Arg::literal("grow"),
                Arg::required("grow", ArgKind::Choice(Grow::NAMES)),
                Arg::optional("n", ArgKind::Number),
            ],
            &[Arg::required("verb", ArgKind::Choice(&["zoom", "save"]))],
            &[Arg::required("layout", ArgKind::Choice(LAYOUTS))],
            &[],
        ],
        run: Run::Shell(layout),
    },
    Command {
        names: &["heat"],
        group: Group::Screen,
        summary: "say what the heatmaps show",
        help: "`reset` counts writes and reads from the present on. `against` names the moment that mode `diff` and the pane `before` \
               compare with. `show` brings a place into the heatmap of its memory and into the tile. `walk` plays the access patterns \
               of the selected bundle, all partitions at once as the hardware does, or in the order of the array. `export` writes the \
               picture as PNG or SVG.",
        examples: &[
            ("heat reset", "counts begin here"),
            ("heat mode age", "how long ago it was written"),
            ("heat against start", "compare with the start"),
        ],
        forms: &[
            &[Arg::literal("reset")],
            &[
                Arg::literal("mode"),
                Arg::required("mode", ArgKind::Choice(HeatMode::NAMES)),
            ],
            &[
                Arg::literal("as"),
                Arg::required("dtype", ArgKind::Choice(KINDS)),
            ],
            &[Arg::literal("show"), Arg::required("place", ArgKind::Place)],
            &[
                Arg::literal("against"),
                Arg::required("against", ArgKind::Moment),
            ],
            &[
                Arg::literal("palette"),
                Arg::required("palette", ArgKind::Name),
            ],
            &[Arg::literal("export"), Arg::required("file", ArgKind::File)],
            &[
                Arg::literal("walk"),
                Arg::optional("order", ArgKind::Choice(&["hardware", "array"])),
            ],
        ],
        run: Run::Shell(heat),
    },
    Command {
        names: &["screenshot"],
        group: Group::Screen,
        summary: "write the screen to a file",
        help: "As SVG when the name ends so, else as text with terminal escapes.",
        examples: &[],
        forms: &[&[Arg::required("file", ArgKind::File)]],
        run: Run::Shell(screenshot),
    },
    Command {
        names: &["slow"],
        group: Group::Screen,
        summary: "show runs at so many bundles per second",
        help: "5 unless N is given; `slow off` runs at full speed again. Esc stops a slow run like any other.",
        examples: &[("slow 10", "ten bundles per second")],
        forms: &[
            &[Arg::literal("off")],
            &[Arg::optional("n", ArgKind::Number)],
        ],
        run: Run::Shell(slow),
    },
];

fn layout(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let pane = a.text("pane").and_then(|t| PaneId::parse(&t));
    let begins = |word| a.rest().starts_with(word);
    let ask = if let (Some(side), Some(pane)) = (a.text("side"), pane) {
        Ask::Split(side == "right", pane)
    } else if begins("close") {
        Ask::Close(pane)
    } else if let Some(pane) = pane {
        Ask::Open(pane)
    } else if let Some(grow) = a.text("grow").and_then(|t| Grow::parse(&t)) {
        let cells = a.number("n").unwrap_or(BORDER).min(1000);
        Ask::Grow(grow, cells as u16)
    } else if let Some(verb) = a.text("verb") {
        if verb == "zoom" {
            Ask::Zoom
        } else {
            Ask::SaveLayout
        }
    } else if let Some(name) = a.text("layout") {
        Ask::Layout(name)
    } else {
        Ask::ShowLayout
    };
    shell.ask(ask);
    Ok(Output::none())
}

fn heat(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    if let Some(moment) = a.moment("against") {
        let side = match moment {
            Moment::Seq(seq) => Side::Seq(seq),
            Moment::Snapshot(name) => Side::Snapshot(name),
            Moment::End => Side::Seq(shell.session().machine().journal().end_seq()),
        };
        let seq = shell.session_mut().compare_with(&side)?;
        let line = Line::pair("against", format!("seq {seq}"));
        return Ok(Output::new(
            vec![line],
            Data::Map(vec![("against", seq.into())]),
        ));
    }
    let ask = if let Some(mode) = a.text("mode") {
        Ask::HeatMode(mode)
    } else if let Some(kind) = a.text("dtype").and_then(|t| Kind::parse(&t)) {
        Ask::HeatKind(kind)
    } else if let Some(place) = a.place("place") {
        Ask::HeatShow(place)
    } else if let Some(name) = a.text("palette") {
        Ask::Palette(name)
    } else if let Some(path) = a.path("file") {
        if !["png", "svg"]
            .iter()
            .any(|e| path.extension().is_some_and(|x| x == *e))
        {
            let m = "the name of a picture ends in .png or .svg";
            return Err(a.error("file", m));
        }
        Ask::HeatExport(path)
    } else if a.rest().starts_with("walk") {
        Ask::Walk(a.text("order").as_deref() == Some("array"))
    } else {
        shell.session_mut().reset_heat();
        let line = Line::pair("heat", "writes and reads are counted from here on");
        return Ok(Output::new(vec![line], Data::Null));
    };
    shell.ask(ask);
    Ok(Output::none())
}

fn screenshot(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    if let Some(path) = a.path("file") {
        shell.ask(Ask::Screenshot(path));
    }
    Ok(Output::none())
}

fn slow(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let off = a.rest().starts_with("off");
    let rate = a.number("n").unwrap_or(SLOW).max(1);
    shell.ask(Ask::Slow((!off).then_some(rate)));
    Ok(Output::none())
}
