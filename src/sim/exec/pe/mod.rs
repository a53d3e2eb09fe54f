//! The PE: a weight-stationary array of 128 x 128 (isa 05).
//!
//! [`load`] latches weights in a [`tile`] of the array; [`matmul`] streams a moving operand through
//! it, [`kernel`] computes the sums, [`psum`] adds them to their cells and [`cells`] keeps the books
//! of accumulation groups. [`scaled`] does the same for [`mx`] operands, [`sparse`] for tagged ones.
//! The bundles that prepare such operands on the DVE are here too: [`quantize`], [`compress`].

mod cells;
mod compress;
mod kernel;
mod load;
mod matmul;
mod mx;
mod psum;
mod quantize;
mod scaled;
mod seed;
mod sparse;
mod tile;
mod transpose;

#[cfg(test)]
mod tests;

use super::ExecFn;

pub(super) use cells::{overwritten, was_read};
pub(in crate::sim) use kernel::Panels;

/// Functions, ascending by opcode.
pub(super) const EXEC: &[(u8, ExecFn)] = &[
    (0x01, load::ldweights),
    (0x02, matmul::matmul),
    (0x06, sparse::ldtags),
    (0x07, sparse::matmul_sparse),
    (0x08, seed::manage_seed),
    (0x09, scaled::ldweights_mx),
    (0x0A, scaled::matmul_mx),
    (0xE0, compress::interleaved),
    (0xE1, compress::apart),
    (0xE3, quantize::quantize_mx),
];
