//! Floor 0: arithmetic on bits. Knows nothing of instructions, memory or machines.
//!
//! A [`Kind`] is an element format. Everything numeric goes through fp32: [`widen`] gives the value of
//! an element, [`narrow`] rounds a value back to bits under [`Rules`]; the slice forms do the same to
//! packed little-endian memory and agree with the scalar forms bit for bit (one table in `bulk` feeds
//! both). On top of that: the ALU functions ([`f32_op`], [`bit_op`], [`int_op`]), the random
//! generators ([`rng`]) and the text of an element ([`show()`]).
//!
//! All functions are total: any bits, any lengths, any operation byte. Source: isa 13, 15 and
//! decisions 1.3.

mod alu;
mod bulk;
mod float;
mod int;
mod kind;
pub mod rng;
mod round;
mod show;
mod small;

#[cfg(test)]
mod tests;

pub use alu::{F32Visitor, MinMaxNan, Rhs, computed, f32_op, f32_zip, op, visit_f32_op};
pub use bulk::{Narrowed, narrow, narrow_slice, wide, widen, widen_slice};
pub use int::{IntOpError, bit_op, int_op, mask, sign_extend};
pub use kind::Kind;
pub use round::Rules;
pub use show::{show, to_f64};
pub use small::{e8m0_scale, fp4_pack, fp4_unpack};
