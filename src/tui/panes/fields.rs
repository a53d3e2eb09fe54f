//! The fields of the selected bundle, what it reads and writes, and the rules it breaks.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Text;

use super::{Pane, Reaction, View};
use crate::cmd::output::{Line, Tone};
use crate::isa::access::{self, Shape};
use crate::isa::field::Role;
use crate::isa::{self, Instr, Severity, text};
use crate::paint::spans;
use crate::tui::keymap::UiAction;

/// The fields pane.
#[derive(Debug, Default)]
pub struct Fields {
    top: usize,
    lines: usize,
    height: usize,
}

fn instr(view: &View<'_>) -> Option<Instr> {
    let (queue, index) = view.selected;
    view.session.machine().instr(queue, index)
}

/// Up to four bytes from `at`, in hex.
fn hex(instr: &Instr, at: usize, len: usize) -> String {
    let bytes = instr.bundle.slice(at, len.min(4));
    let mut out: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    if len > 4 {
        out.push('…');
    }
    out
}

fn content(view: &View<'_>, instr: &Instr) -> Vec<Line> {
    let queue = view.selected.0;
    let mut lines = Vec::new();
    let row = |at: usize, len: usize, name: &str, value: String, doc: &str| {
        Line::toned(Tone::Place, format!("+{at:02} "))
            .then(Tone::Dim, format!("{:<9} ", hex(instr, at, len)))
            .then(Tone::Key, format!("{name:<20} "))
            .then(Tone::Value, value)
            .then(
                Tone::Dim,
                if doc.is_empty() {
                    String::new()
                } else {
                    format!("  {doc}")
                },
            )
    };
    let line = text::line(instr);
    lines.push(
        Line::toned(Tone::Op, line.split(' ').next().unwrap_or("").to_owned()).then(
            Tone::Dim,
            format!(
                "  {}",
                instr.op.map_or("undefined on every generation", |o| o.doc)
            ),
        ),
    );
    for v in isa::check(instr, queue.engine().or(Some(instr.home()))) {
        let tone = match v.severity {
            Severity::Error => Tone::Bad,
            Severity::Warn => Tone::Warn,
            Severity::Info => Tone::Dim,
        };
        lines.push(
            Line::toned(tone, format!("{} {}: ", v.severity.name(), v.rule))
                .then(Tone::Plain, v.message),
        );
    }
    for op in access::operands(instr) {
        let verb = match op.role {
            Role::Read => "reads ",
            Role::Write => "writes",
        };
        let shape = match op.shape {
            Shape::Static(p) => {
                let at = p
                    .addr
                    .location(instr.generation)
                    .map_or_else(|| format!("{:#010x}", p.addr.0), |l| l.to_string());
                format!("{at}, {} x {} {}", op.lanes, p.count(), op.dtype)
            }
            Shape::Indirect(i) => format!(
                "through an index vector, {} x {} {}",
                op.lanes, i.num, op.dtype
            ),
        };
        lines.push(
            Line::toned(Tone::Dim, format!("{verb} {:<5}", op.field.name)).then(Tone::Value, shape),
        );
    }
    let events = instr.events();
    let wait = events
        .wait
        .name()
        .map_or_else(|| format!("{:#04x}", events.wait.0), str::to_owned);
    let update = events
        .update
        .name()
        .map_or_else(|| format!("{:#04x}", events.update.0), str::to_owned);
    lines.push(row(
        4,
        8,
        "events",
        format!("wait {wait} update {update}"),
        "",
    ));
    for f in instr.format.fields {
        let mut value = String::new();
        text::print(&mut value, instr, f);
        lines.push(row(f.byte(), f.len(), f.name, value, f.doc));
    }
    if instr.format.fields.is_empty() {
        lines.push(row(12, 52, "body", "no published layout".to_owned(), ""));
    }
    lines
}

impl Pane for Fields {
    fn title(&self, view: &View<'_>) -> Line {
        let (queue, index) = view.selected;
        let line = Line::plain(" Bundle ").then(Tone::Place, format!("{queue}:{index} "));
        match instr(view) {
            Some(i) => line.then(Tone::Op, i.name().into_owned()).then(
                Tone::Dim,
                format!(" {:#04x} {} ", i.bundle.opcode(), i.format.name),
            ),
            None => line,
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>, _focused: bool) {
        let lines = instr(view).map(|i| content(view, &i)).unwrap_or_default();
        self.height = usize::from(area.height);
        self.lines = lines.len();
        self.top = self.top.min(self.lines.saturating_sub(self.height));
        let shown = lines
            .iter()
            .skip(self.top)
            .map(|l| spans::line(l, view.theme));
        frame.render_widget(Text::from_iter(shown), area);
    }

    fn act(&mut self, action: UiAction, _view: &View<'_>) -> Reaction {
        let page = self.height.saturating_sub(1).max(1);
        match action {
            UiAction::Up => self.top = self.top.saturating_sub(1),
            UiAction::Down => self.top += 1,
            UiAction::PageUp => self.top = self.top.saturating_sub(page),
            UiAction::PageDown => self.top += page,
            UiAction::Home => self.top = 0,
            UiAction::End => self.top = self.lines,
            _ => return Reaction::Ignored,
        }
        Reaction::Used
    }

    fn hints(&self) -> &'static [(UiAction, &'static str)] {
        &[
            (UiAction::Down, "further down"),
            (UiAction::Up, "further up"),
        ]
    }

    fn copied(&self, view: &View<'_>) -> Option<String> {
        instr(view).map(|i| i.bundle.to_hex())
    }
}
