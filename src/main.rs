//! Parses arguments, runs a front end, turns the result into an exit code.

use std::process::ExitCode;

use tpbdbg::cli;
use tpbdbg::cmd::Exit;

fn main() -> ExitCode {
    if let Err(e) = color_eyre::install() {
        eprintln!("tpbdbg: {e}");
    }
    match cli::main() {
        Ok(exit) => exit.into(),
        Err(e) => {
            eprintln!("tpbdbg: {e:#}");
            Exit::Usage.into()
        }
    }
}
