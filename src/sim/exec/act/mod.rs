//! The ACT engine: affine, function, conversion, optional sum per lane (isa 06).

mod acc;
mod activate;
mod activate2;
mod functions;
mod stage;
mod tables;

#[cfg(test)]
mod tests;

use super::ExecFn;
use crate::isa::fields::ActFunc;

/// The closed form of an activation function, of its argument and the parameter of parametric_relu; `None` for an id without one.
pub fn activation(func: ActFunc) -> Option<fn(f64, f64) -> f64> {
    functions::form(func)
}

/// Functions, ascending by opcode.
pub(super) const EXEC: &[(u8, ExecFn)] = &[
    (0x21, activate::activate),
    (0x22, activate::activate_quantize),
    (0x23, tables::load),
    (0x24, activate::read_accumulator),
    (0x25, activate2::activate2),
    (0xC6, tables::load_by_name),
];
