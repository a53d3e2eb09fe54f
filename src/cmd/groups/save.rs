//! The present state as files.

use std::path::{Path, PathBuf};

use crate::cmd::args::Args;
use crate::cmd::error::{CmdError, ErrorKind};
use crate::cmd::files::write_whole;
use crate::cmd::kind::ArgKind;
use crate::cmd::output::{Data, Line, Output};
use crate::cmd::spec::{Arg, Command, Group, Run};
use crate::session::Session;

/// First line of a manifest that `save` wrote, which it may therefore replace.
const MARK: &str = "# saved by tpbdbg; `tpbdbg THIS.toml` goes on from here";

pub(super) const COMMANDS: &[Command] = &[Command {
    names: &["save"],
    group: Group::Session,
    summary: "write a manifest that reproduces the present state",
    help: "FILE.toml, and beside it FILE.state and a FILE.ENGINE.bin for each stream. `tpbdbg FILE.toml` opens them: memory, \
           registers, semaphores, transfers in flight, patches, settings, scheduling and `$seq` are as they were; what came before \
           is not known any more. Replaces an earlier save, nothing else.",
    examples: &[],
    forms: &[&[Arg::required("file.toml", ArgKind::File)]],
    run: Run::Read(save),
}];

fn save(s: &Session, a: &Args<'_>) -> Result<Output, CmdError> {
    let path = a.path("file.toml").unwrap_or_default();
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let is_toml = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    let Some(stem) = stem.filter(|_| is_toml) else {
        let m = format!(
            "found {}, expected a name that ends with .toml",
            path.display()
        );
        return Err(a.error("file.toml", m));
    };
    let saved = s.manifest(stem)?;
    let files: Vec<(PathBuf, Vec<u8>)> = saved
        .files
        .into_iter()
        .map(|(name, bytes)| (path.with_file_name(name), bytes))
        .collect();
    let text = toml::to_string(&saved.manifest)
        .map_err(|e| CmdError::new(ErrorKind::File, format!("{}: {e}", path.display())))?;
    if !is_save(&path) {
        let taken = |p: &&Path| p.exists();
        let all = [path.as_path()].into_iter();
        let mut all = all.chain(files.iter().map(|(p, _)| p.as_path()));
        if let Some(taken) = all.find(taken) {
            let m = format!("{} exists and is not of an earlier save", taken.display());
            return Err(CmdError::new(ErrorKind::File, m).at(a.span("file.toml")));
        }
    }
    let told = |p: &Path, e| CmdError::file(p, e).at(a.span("file.toml"));
    for (p, bytes) in &files {
        write_whole(p, bytes).map_err(|e| told(p, e))?;
    }
    // Last, so that a manifest never names files that are not there.
    write_whole(&path, format!("{MARK}\n\n{text}").as_bytes()).map_err(|e| told(&path, e))?;
    let digest = format!("{:#018x}", s.state().digest());
    let lines = vec![
        Line::pair("saved", path.display().to_string()),
        Line::pair("seq", s.seq().to_string()),
        Line::pair("digest", digest.clone()),
    ];
    let names = files.iter().map(|(p, _)| p.display().to_string().into());
    let data = Data::Map(vec![
        ("file", path.display().to_string().into()),
        ("files", Data::List(names.collect())),
        ("seq", s.seq().into()),
        ("digest", digest.into()),
    ]);
    Ok(Output::new(lines, data))
}

/// Is there a manifest that `save` wrote?
fn is_save(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.starts_with(MARK))
}
