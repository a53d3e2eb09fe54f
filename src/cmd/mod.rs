//! The command language.
pub mod lang;
