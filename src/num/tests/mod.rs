//! Conversions against the cast vectors and a slow reference, bulk against scalar, operations against the table.

mod alu;
mod bulk;
mod int;
mod reference;
mod vectors;
