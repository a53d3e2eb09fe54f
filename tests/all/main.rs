//! All integration tests, one binary so that linking happens once.

mod cli;
mod commands;
mod floors;
mod repl;
mod samples;
mod scripts;
mod seeds;
