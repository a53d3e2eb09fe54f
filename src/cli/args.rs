//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cmd::lang;
use crate::isa::{Generation, Queue};
use crate::sim::Policy;

/// Debugger and simulator for raw TPB instruction streams.
#[derive(Debug, Parser)]
#[command(
    name = "tpbdbg",
    version,
    about,
    args_conflicts_with_subcommands = true,
    infer_long_args = false
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    #[command(flatten)]
    pub open: Open,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Line front end with history and completion
    Repl(Open),
    /// Batch: runs command files and commands, never asks; the exit code tells how it went
    Run(Open),
    /// Run a recorded session again and compare its results
    Replay {
        /// The session file
        session: PathBuf,
        /// Write the new results into the file
        #[arg(long)]
        bless: bool,
    },
    /// Listing of a program
    Disasm {
        #[command(flatten)]
        open: Programs,
        /// Add the 64 bytes of each bundle
        #[arg(long)]
        hex: bool,
        /// Add a line per field
        #[arg(long)]
        fields: bool,
    },
    /// Assembler text to bundle streams
    Asm {
        /// The text, `-` for standard input
        source: PathBuf,
        /// Where the stream goes; several streams go to files named after it and their engine
        #[arg(short, long)]
        output: PathBuf,
        #[command(flatten)]
        target: Target,
    },
    /// Broken rules and doubtful places of a program; nothing is executed
    Check {
        #[command(flatten)]
        open: Programs,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Every field of one bundle
    Explain {
        /// 128 hex digits, or FILE or FILE:INDEX
        what: String,
        #[command(flatten)]
        target: Target,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// An access pattern as the compiler prints it: start, descriptor, bytes, broken rules
    Ap {
        /// `{x}@SB<32,1024>(32x4096) bf16 [[1,32],[1,512]]`, a descriptor's hex, `-` for standard input
        #[arg(required = true, allow_hyphen_values = true)]
        text: Vec<String>,
        #[arg(long = "gen", value_parser = generation, value_name = "G")]
        generation: Option<Generation>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// The built-in instruction reference
    Isa {
        /// Name or byte of an opcode; all of them without
        name: Option<String>,
        #[arg(long = "gen", value_parser = generation, value_name = "G")]
        generation: Option<Generation>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Parts of the README
    #[command(hide = true)]
    Doc,
}

/// Options of the front ends.
#[derive(Clone, Debug, Args)]
pub(super) struct Open {
    #[command(flatten)]
    pub programs: Programs,
    /// Initial memory: `PLACE=FILE.npy`, the place with its dtype
    #[arg(long = "load", value_name = "PLACE=FILE")]
    pub loads: Vec<String>,
    /// Run the commands of a file
    #[arg(short = 'x', value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Run a command
    #[arg(short = 'e', value_name = "COMMAND", allow_hyphen_values = true)]
    pub commands: Vec<String>,
    /// One JSON object per command on standard output, nothing else
    #[arg(long)]
    pub json: bool,
    /// Do not stop a batch at the first failed command or at a fault
    #[arg(long)]
    pub keep_going: bool,
    /// Engine scheduling: round-robin (the default), timed, random or bursts
    #[arg(long, value_parser = Policy::NAMES)]
    pub sched: Option<String>,
    /// Seed of `--sched random` and `--sched bursts`
    #[arg(long, value_parser = number)]
    pub seed: Option<u64>,
    /// Colours
    #[arg(long, default_value = "auto")]
    pub color: Color,
}

/// What is opened.
#[derive(Clone, Debug, Args)]
pub(super) struct Programs {
    /// Bundle stream, hex or assembler text, `.neff`, `.toml` manifest, directory, `-` for standard input, `sample:NAME`
    #[arg(value_name = "PROGRAM")]
    pub programs: Vec<PathBuf>,
    #[command(flatten)]
    pub target: Target,
    /// Limit on what a container may unpack to, e.g. 256MiB
    #[arg(long, value_name = "SIZE", value_parser = number)]
    pub max_unpacked: Option<u64>,
    /// Graph of a container; its first without
    #[arg(long, value_name = "NAME")]
    pub graph: Option<String>,
}

/// How a program is read.
#[derive(Clone, Debug, Args)]
pub(super) struct Target {
    /// Generation: v2, v3 or v4, or a name of the chip
    #[arg(long = "gen", value_parser = generation, value_name = "G")]
    pub generation: Option<Generation>,
    /// Engine of the raw streams that follow: pe act pool dve sp any
    #[arg(long = "engine", value_parser = engine, value_name = "E")]
    pub engines: Vec<Queue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

fn generation(text: &str) -> Result<Generation, String> {
    let known = || Generation::MODELLED.map(|g| g.info().name).join(", ");
    Generation::parse(text).ok_or_else(|| format!("no such generation; there are {}", known()))
}

fn engine(text: &str) -> Result<Queue, String> {
    let known = || Queue::ALL.map(Queue::name).join(", ");
    Queue::parse(text).ok_or_else(|| format!("no such engine; there are {}", known()))
}

fn number(text: &str) -> Result<u64, String> {
    lang::number(text).map_err(|e| e.to_string())
}
