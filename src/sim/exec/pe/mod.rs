//! The PE: a weight-stationary array of 128 x 128 (isa 05).
//!
//! [`load`] latches weights in a [`tile`] of the array; [`matmul`] streams a moving operand through
//! it, [`kernel`] computes the sums, [`psum`] adds them to their cells and [`cells`] keeps the books
//! of accumulation groups.

mod cells;
mod kernel;
mod load;
mod matmul;
mod psum;
mod tile;
mod transpose;

#[cfg(test)]
mod tests;

use super::ExecFn;

pub(super) use cells::{overwritten, was_read};
pub(in crate::sim) use kernel::Panels;

/// Functions, ascending by opcode.
pub(super) const EXEC: &[(u8, ExecFn)] = &[(0x01, load::ldweights), (0x02, matmul::matmul)];
