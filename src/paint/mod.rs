//! Painters shared by the front ends: themes, and [`crate::cmd::output::Output`] as plain text,
//! terminal escapes or styled lines.

pub mod ansi;
pub mod palette;
pub mod picture;
pub mod spans;
pub mod theme;
