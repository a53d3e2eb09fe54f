//! The command language.
pub mod error;
pub mod lang;
pub mod output;
