//! Conversions against the cast vectors, against a slow reference, and bulk against scalar.

mod bulk;
mod reference;
mod vectors;
