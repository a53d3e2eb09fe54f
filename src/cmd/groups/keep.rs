//! Breakpoints for the next time.

use std::path::PathBuf;

use crate::cmd::args::Args;
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::files::write_whole;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::shell::Shell;
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::{Breakpoint, Let, Session};

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["keep"],
    group: Group::Stops,
    summary: "write the breakpoints and names down for the next session",
    help: "As commands, in FILE, or for this very program: `keep load` sets them again, `keep off` forgets them. Nothing is kept or set \
           unless it is asked for. A disabled breakpoint is kept as a comment.",
    examples: &[],
    forms: &[
        &[Arg::literal("off")],
        &[Arg::literal("load"), Arg::optional("file", ArgKind::File)],
        &[Arg::optional("file", ArgKind::File)],
    ],
    run: Run::Shell(keep),
}];

fn keep(shell: &mut Shell, a: &Args<'_>) -> Result<Output, CmdError> {
    let word = a.rest().split_whitespace().next().unwrap_or("");
    let path = match a.path("file") {
        Some(path) => path,
        None => shell.kept_file()?,
    };
    let told = |e| CmdError::file(&path, e).at(a.span("file"));
    if word == "off" {
        std::fs::remove_file(&path).map_err(told)?;
        return Ok(Output::new(
            vec![Line::pair("forgotten", path.display().to_string())],
            Data::Null,
        ));
    }
    if word == "load" {
        let name = path.clone();
        let inserted = shell.script.insert_file(&path, &name);
        inserted.map_err(|e| e.at(a.span("file")))?;
        return Ok(Output::none());
    }
    let lines = commands(shell.session());
    let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(told)?;
    }
    write_whole(&path, text.as_bytes()).map_err(told)?;
    let data = vec![
        ("file", path.display().to_string().into()),
        ("commands", lines.into()),
    ];
    let line = Line::pair("kept", path.display().to_string());
    Ok(Output::new(vec![line], Data::Map(data)))
}

impl Shell {
    /// The file in which the breakpoints of this very program are kept.
    ///
    /// # Errors
    /// There is no directory for it; a file of the program cannot be read.
    pub fn kept_file(&self) -> Result<PathBuf, CmdError> {
        let Some(dir) = &self.state_dir else {
            let m = "there is no directory for them: neither XDG_STATE_HOME nor HOME is set; name a file";
            return Err(CmdError::new(ErrorKind::File, m.to_owned()));
        };
        let hashes = self.launch.programs.iter().map(|p| self.launch.hash(p));
        let hashes: Vec<String> = hashes.collect::<Result<_, _>>()?;
        let hash = xxhash_rust::xxh3::xxh3_128(hashes.join(" ").as_bytes());
        Ok(dir.join("breaks").join(format!("{hash:032x}.tdb")))
    }
}

/// The commands that set names and breakpoints again.
fn commands(s: &Session) -> Vec<String> {
    let lets = s.lets().iter().map(|(name, meaning)| match meaning {
        Let::Place(place) => format!("let {name} = {place}"),
        Let::Expr(_, text) => format!("let {name} = {text}"),
    });
    lets.chain(s.stops().iter().map(command)).collect()
}

fn command(b: &Breakpoint) -> String {
    let mut line = format!("break {}", b.text);
    if let Some((_, text)) = &b.condition {
        line.push_str(&format!(" if {text}"));
    }
    if b.once {
        line.push_str(" once");
    }
    if b.ignore > 0 {
        line.push_str(&format!(" ignore {}", b.ignore));
    }
    if b.log {
        line.push_str(" log");
    }
    if !b.enabled {
        line.insert_str(0, "# disabled: ");
    }
    line
}
