//! All integration tests, one binary so that linking happens once.

mod cli;
mod commands;
mod floors;
mod pty;
mod repl;
mod samples;
mod screen;
mod scripts;
