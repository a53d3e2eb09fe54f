//! The command line of the tool (interface §1): what its words mean.

mod args;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use color_eyre::eyre::Result;

use crate::cmd::launch::{Given, Input, Launch};
use crate::cmd::{CmdError, ErrorKind, Exit, Shell, help, samples};
use crate::config::Config;
use crate::isa::Queue;
use crate::paint::theme::{Depth, Theme};
use crate::tools::ToolError;
use crate::tui::app::App;
use crate::tui::keymap::Keymap;
use crate::{batch, repl, tools, tui};
use args::{Cli, Color, Open, Programs, Verb};

/// Runs the tool; what it answers is the exit code.
///
/// # Errors
/// Output that cannot be written.
pub fn main() -> Result<Exit> {
    let matches = match Cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(e) => {
            let exit = if e.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            };
            e.print()?;
            return Ok(exit);
        }
    };
    let cli = Cli::from_arg_matches(&matches)?;
    let told = match perform(cli, &matches) {
        Err(e) => e,
        Ok(exit) => return Ok(exit),
    };
    match told.downcast::<CmdError>() {
        Ok(e) => {
            writeln!(io::stderr(), "{}", e.report(None, ""))?;
            Ok(e.kind.exit())
        }
        // Who stops reading, as `head` does, has seen enough.
        Err(other) if broken_pipe(&other) => Ok(Exit::Done),
        Err(other) => Err(other),
    }
}

fn broken_pipe(e: &color_eyre::Report) -> bool {
    let io = match e.downcast_ref::<ToolError>() {
        Some(ToolError::Output(io)) => Some(io),
        _ => e.downcast_ref::<io::Error>(),
    };
    io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

fn perform(cli: Cli, matches: &ArgMatches) -> Result<Exit> {
    let sub = matches.subcommand().map_or(matches, |(_, m)| m);
    let out = &mut io::stdout();
    match cli.verb {
        None => interactive(&cli.open, sub, io::stdout().is_terminal()),
        Some(Verb::Repl(open)) => interactive(&open, sub, false),
        Some(Verb::Run(open)) => run(&open, sub),
        Some(Verb::Replay { session, bless }) => {
            Ok(batch::replay::run(&session, bless, out, &mut io::stderr())?)
        }
        Some(Verb::Disasm { open, hex, fields }) => {
            let launch = launch(&open, sub)?;
            Ok(tools::disasm(&launch, hex, fields, out, &mut io::stderr())?)
        }
        Some(Verb::Asm {
            source,
            output,
            target,
        }) => {
            let given = Given {
                input: input(&source)?,
                queue: target.engines.last().copied(),
            };
            let launch = Launch {
                programs: vec![given],
                generation: target.generation,
                ..Launch::default()
            };
            Ok(tools::asm(&launch, &output, &mut io::stderr())?)
        }
        Some(Verb::Check { open, json }) => {
            let launch = launch(&open, sub)?;
            let shown = &mut shown(json, out);
            Ok(tools::check(&launch, shown, &mut io::stderr())?)
        }
        Some(Verb::Explain { what, target, json }) => {
            let queue = target.engines.last().copied();
            Ok(tools::explain(
                &what,
                target.generation,
                queue,
                &mut shown(json, out),
            )?)
        }
        Some(Verb::Ap {
            text,
            generation,
            json,
        }) => Ok(tools::ap(&text, generation, &mut shown(json, out))?),
        Some(Verb::Isa {
            name,
            generation,
            json,
        }) => Ok(tools::isa(
            name.as_deref(),
            generation,
            &mut shown(json, out),
        )?),
        Some(Verb::Doc) => {
            out.write_all(help::markdown().as_bytes())?;
            Ok(Exit::Done)
        }
    }
}

/// `tpbdbg run`.
fn run(open: &Open, matches: &ArgMatches) -> Result<Exit> {
    let mut shell = shell(open, matches)?;
    // The first signal ends the run in progress, the second the tool.
    let seen = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register_conditional_shutdown(
        signal_hook::consts::SIGINT,
        130,
        Arc::clone(&seen),
    )?;
    signal_hook::flag::register(signal_hook::consts::SIGINT, seen)?;
    interruptible(&mut shell)?;
    let options = batch::Options {
        json: open.json,
        keep_going: open.keep_going,
        theme: theme(open.color, &Config::default()),
    };
    Ok(batch::run(
        &mut shell,
        options,
        &mut io::stdout().lock(),
        &mut io::stderr(),
    )?)
}

/// The front ends with a person in front, unless input is no terminal.
fn interactive(open: &Open, matches: &ArgMatches, screen: bool) -> Result<Exit> {
    let mut shell = shell(open, matches)?;
    interruptible(&mut shell)?;
    if shell.kept_file().is_ok_and(|file| file.is_file()) {
        writeln!(
            io::stderr(),
            "tpbdbg: breakpoints of this program were kept; `keep load` sets them"
        )?;
    }
    let config = Config::load()?;
    if screen && io::stdin().is_terminal() && !open.json {
        let keymap = Keymap::load(config.keymap()?.as_deref())?;
        let title = shell.title();
        let app = App::new(shell, title, theme(open.color, &config), keymap);
        tui::run(app.with_layout_file(config.layout_file()))?;
        return Ok(Exit::Done);
    }
    let options = repl::Options {
        json: open.json,
        theme: theme(open.color, &config),
        history: config.history_file(),
    };
    Ok(repl::run(shell, &options)?)
}

/// Lets SIGINT end the run in progress.
fn interruptible(shell: &mut Shell) -> Result<()> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&flag))?;
    shell.set_interrupt(flag);
    Ok(())
}

fn shown(json: bool, out: &mut dyn Write) -> tools::Shown<'_> {
    let theme = theme(Color::Auto, &Config::default());
    tools::Shown { out, theme, json }
}

fn theme(color: Color, config: &Config) -> Theme {
    let env = |name: &str| std::env::var(name).ok();
    let color = if color == Color::Auto {
        config.color
    } else {
        Some(color == Color::Always)
    };
    let depth = match color {
        Some(false) => Depth::None,
        Some(true) => {
            let text = |name| env(name).unwrap_or_default();
            Depth::of_terminal(&text("TERM"), &text("COLORTERM"))
        }
        None => Depth::detect(env, io::stdout().is_terminal()),
    };
    Theme {
        depth,
        palette: config.palette,
        light: config.light.unwrap_or_else(|| Depth::is_light(env)),
    }
}

/// Opens the program, and queues the commands of the command line in the order given.
fn shell(open: &Open, matches: &ArgMatches) -> Result<Shell> {
    let mut launch = launch(&open.programs, matches)?;
    launch.sched = open.sched.clone();
    launch.seed = open.seed;
    for load in &open.loads {
        launch.loads.push(load_option(load)?);
    }
    let mut shell = Shell::open(launch)?;
    shell.state_dir = Config::state_dir();
    for note in &shell.session().program().notes {
        writeln!(io::stderr(), "tpbdbg: {note}")?;
    }
    let files = positions(matches, "files")
        .zip(&open.files)
        .map(|(at, f)| (at, Some(f.as_path()), ""));
    let commands = positions(matches, "commands").zip(&open.commands);
    let commands = commands.map(|(at, c)| (at, None, c.as_str()));
    let mut all: Vec<(usize, Option<&Path>, &str)> = files.chain(commands).collect();
    all.sort_by_key(|(at, ..)| *at);
    for (_, file, command) in all {
        match file {
            Some(file) => shell.script.push_file(file)?,
            None => shell.script.push_line(command),
        }
    }
    Ok(shell)
}

/// `PLACE=FILE`; a place holds no `=`.
fn load_option(text: &str) -> Result<(String, PathBuf), CmdError> {
    let wrong = || {
        CmdError::new(
            ErrorKind::Usage,
            format!("--load {text}: expected PLACE=FILE.npy"),
        )
    };
    let (place, file) = text.split_once('=').ok_or_else(wrong)?;
    Ok((place.trim().to_owned(), PathBuf::from(file.trim())))
}

/// Positions of the values of an option among all words of the command line.
fn positions<'m>(matches: &'m ArgMatches, id: &str) -> impl Iterator<Item = usize> + 'm {
    matches.indices_of(id).into_iter().flatten()
}

/// Programs with the engine said before each; an engine behind the last program is meant for those without one.
fn launch(open: &Programs, matches: &ArgMatches) -> Result<Launch, CmdError> {
    let engines: Vec<(usize, Queue)> = positions(matches, "engines")
        .zip(open.target.engines.iter().copied())
        .collect();
    let last = positions(matches, "programs").last().unwrap_or(0);
    let behind = engines
        .iter()
        .rfind(|(at, _)| *at > last)
        .map(|(_, queue)| *queue);
    let mut programs = Vec::new();
    for (at, path) in positions(matches, "programs").zip(&open.programs) {
        let before = engines
            .iter()
            .rfind(|(e, _)| *e < at)
            .map(|(_, queue)| *queue);
        let input = input(path)?;
        let queue = before.or(behind);
        programs.push(Given { input, queue });
    }
    if programs.is_empty() {
        let input = Input::Sample(samples::FIRST.to_owned());
        programs.push(Given { input, queue: None });
    }
    Ok(Launch {
        programs,
        generation: open.target.generation,
        max_unpacked: open.max_unpacked,
        graph: open.graph.clone(),
        ..Launch::default()
    })
}

fn input(path: &Path) -> Result<Input, CmdError> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::Read::read_to_end(
            &mut io::Read::take(io::stdin(), (256 << 20) + 1),
            &mut bytes,
        )
        .map_err(|e| CmdError::file(path, e))?;
        return Ok(Input::Bytes(bytes.into()));
    }
    let sample = path.to_str().and_then(|p| p.strip_prefix("sample:"));
    Ok(sample.map_or_else(
        || Input::File(path.to_owned()),
        |name| Input::Sample(name.to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Generation;

    fn parsed(words: &[&str]) -> (Open, ArgMatches) {
        let all = ["tpbdbg", "run"].iter().chain(words);
        let matches = Cli::command().try_get_matches_from(all).unwrap();
        let cli = Cli::from_arg_matches(&matches).unwrap();
        let Some(Verb::Run(open)) = cli.verb else {
            panic!("not `run`")
        };
        (open, matches)
    }

    fn queues(words: &[&str]) -> Vec<Option<&'static str>> {
        let (open, matches) = parsed(words);
        let sub = matches.subcommand().unwrap().1;
        let launch = launch(&open.programs, sub).unwrap();
        launch
            .programs
            .iter()
            .map(|p| p.queue.map(Queue::name))
            .collect()
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_engine_is_meant_for_what_follows() {
        assert_eq!(
            queues(&["a", "--engine", "pe", "b", "--engine", "vector", "c"]),
            [None, Some("pe"), Some("dve")]
        );
        assert_eq!(
            queues(&["--engine", "act", "a", "b"]),
            [Some("act"), Some("act")]
        );
        assert_eq!(queues(&["a", "--engine", "sp"]), [Some("sp")]);
        assert_eq!(queues(&["a"]), [None]);
    }

    #[test]
    fn loads_are_cut_at_the_first_equals_sign() {
        let (place, file) = load_option("sbuf[0:4, 0:8] as fp32=dir/a=b.npy").unwrap();
        assert_eq!(
            (place.as_str(), file.to_str()),
            ("sbuf[0:4, 0:8] as fp32", Some("dir/a=b.npy"))
        );
        assert!(load_option("nothing").is_err());
    }

    #[test]
    fn programs_beside_subcommands() {
        let matches = Cli::command()
            .try_get_matches_from(["tpbdbg", "prog.bin", "--gen", "trn2"])
            .unwrap();
        let cli = Cli::from_arg_matches(&matches).unwrap();
        assert!(cli.verb.is_none());
        assert_eq!(cli.open.programs.target.generation, Some(Generation::V3));
        assert!(
            Cli::command()
                .try_get_matches_from(["tpbdbg", "run", "--gen", "v9"])
                .is_err()
        );
    }
}
