//! The full-screen front end.

pub mod keymap;
pub mod layout;
pub mod prompt;
pub mod terminal;
pub mod widgets;
