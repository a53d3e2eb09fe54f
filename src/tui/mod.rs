//! The full-screen front end.

pub mod keymap;
pub mod terminal;
pub mod widgets;
