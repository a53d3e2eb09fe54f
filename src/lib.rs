//! `tpbdbg`: debugger and simulator for raw TPB instruction streams.
//!
//! Floors, bottom to top; each may use only those under it (held by `tests/all/floors.rs`):
//! `num` arithmetic on bits, `isa` what a bundle is, `program` many bundles with names,
//! `sim` the machine, `session` time and stops, `cmd` the command language,
//! `paint` shared drawing, `tui` `repl` `batch` front ends.

pub mod batch;
pub mod cli;
pub mod cmd;
pub mod config;
pub mod isa;
pub mod num;
pub mod paint;
pub mod program;
pub mod repl;
pub mod session;
pub mod sim;
pub mod tools;
pub mod tui;
