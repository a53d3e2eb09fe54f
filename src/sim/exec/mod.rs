//! Execution: one function per opcode, registered in the table of its family.
//!
//! A function gets a [`Cx`]: the bundle, the state behind the journal, and helpers to resolve
//! operands, read lanes as f32 or raw bits and store them. It returns a [`Trap`] to fault; the open
//! step is then taken back whole. Waits and updates are not its business (`sim::machine`).

mod act;
mod alu;
pub(super) mod ctrl;
mod cx;
mod dest;
pub mod dma;
mod dve;
mod pe;
mod pool;
mod resolve;
mod stream;
mod walk;

#[cfg(test)]
mod tests;

pub use act::activation;
pub use ctrl::branch::{Frame, frame};
pub(super) use cx::Fired;
pub use cx::{Cx, Moment, Report, Scalars, Scratch, kind_of};
pub use dest::{Dest, Fresh, map_bytes, map_f32, map_f32_by};
pub use dma::{Transfer, in_flight, landing, own_transfers};
pub(super) use pool::random::seed;
pub use resolve::{Resolver, start_partition_legal};
pub use walk::Walk;

use crate::sim::fault::Trap;

/// Executes one bundle.
pub type ExecFn = fn(&mut Cx<'_, '_>) -> Result<(), Trap>;

/// The functions of all families.
const FAMILIES: &[&[(u8, ExecFn)]] = &[
    act::EXEC,
    ctrl::EXEC,
    ctrl::branch::EXEC,
    ctrl::mem2d::EXEC,
    ctrl::regs::EXEC,
    dma::EXEC,
    dma::listed::EXEC,
    dma::queue::EXEC,
    dve::cache::EXEC,
    dve::multi::EXEC,
    dve::predicated::EXEC,
    dve::scalar_tensor_tensor::EXEC,
    dve::select::EXEC,
    dve::tensor_scalar::EXEC,
    dve::tensor_tensor::EXEC,
    pe::EXEC,
    pool::extended::EXEC,
    pool::gather::EXEC,
    pool::random::EXEC,
    pool::sort::EXEC,
    stream::batch_norm::EXEC,
    stream::fill::EXEC,
    stream::moves::EXEC,
    stream::pool::EXEC,
    stream::reduce::EXEC,
    stream::search::EXEC,
    stream::tiles::EXEC,
];

/// Function of each opcode byte.
pub static EXEC: [Option<ExecFn>; 256] = {
    let mut all: [Option<ExecFn>; 256] = [None; 256];
    let mut f = 0;
    while f < FAMILIES.len() {
        let rows = FAMILIES[f];
        let mut i = 0;
        while i < rows.len() {
            let (byte, run) = rows[i];
            assert!(all[byte as usize].is_none(), "two functions for one opcode");
            all[byte as usize] = Some(run);
            i += 1;
        }
        f += 1;
    }
    all
};
