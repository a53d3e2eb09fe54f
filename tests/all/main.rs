//! All integration tests, one binary so that linking happens once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod cli;
mod commands;
mod docs;
mod floors;
mod manifest;
mod neff;
mod pty;
mod repl;
mod replay;
mod samples;
mod screen;
mod scripts;
mod seeds;
