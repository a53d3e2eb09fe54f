//! `tpbdbg`: debugger and simulator for raw TPB instruction streams.
//!
//! # Floors
//!
//! Bottom to top; each may use only those under it, and a test holds them (`tests/all/floors.rs`).
//!
//! | floor | module | what |
//! |---|---|---|
//! | 0 | [`num`] | arithmetic on bits: conversions, ALU operations, generators; knows no instruction |
//! | 1 | [`isa`] | what a bundle is: layouts, opcode rows, legality, text of fields; no state, no files |
//! | 2 | [`program`] | many bundles with names: loading, listing, assembler, `check`, `explain` |
//! | 3 | [`sim`] | the machine: memories, registers, journal, scheduler, execution; knows no files |
//! | 4 | [`session`] | program and machine together: one run loop both ways, stops, time travel, attribution |
//! | 5 | [`cmd`] | the command language: text to command to outcome |
//! | 6 | [`paint`] [`tui`] [`repl`] [`batch`] | front ends, and what they share |
//!
//! # Life of a step
//!
//! [`session`]'s run loop asks the machine for a step. The scheduler, whose state is machine state,
//! picks a stream whose head may start; the head is decoded through its opcode row and checked (both
//! cached); event waits are consumed; the function of the opcode runs; updates fire; the program
//! counter moves. Every change goes through a `Writer` that logs the former value first, so the whole
//! step is one record that undoes and redoes, and a fault takes it back. The loop then looks at what
//! the record touched: watches, breakpoints, findings. A race detector (`sim::order`) follows the same
//! records: what a bundle waited for and posted is in them too.
//!
//! # Life of a command
//!
//! A line, typed, scripted or bound to a key, goes to [`cmd`]: look-up by unambiguous prefix, parsing
//! by the argument kinds of the command's record, then its function. Looking takes the session by
//! shared reference; moving gives a goal to the run loop; editing makes an undoable record. The
//! answer is one structured output that front ends paint as text, colours or JSON.
//!
//! # Adding things
//!
//! An instruction: its layout and row in `isa/ops/FAMILY`, its function in `sim/exec/FAMILY`. A
//! command: one record with its function in `cmd/groups`. A key: one line in `assets/keymap.toml`.

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
