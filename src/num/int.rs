//! Integers at a width: float to integer, sign extension, masking.

use super::round::{nearest, toward_zero};

/// The integral value that `x` stands for before clamping (isa 13 §6.2): rounded, with a NaN standing
/// for the infinity of its sign. Second value: `x` is finite and the result lies outside `lo..end`.
#[inline(always)]
pub(super) fn integral(x: f32, trunc: bool, lo: f32, end: f32) -> (f32, bool) {
    let y = if x.is_nan() {
        f32::INFINITY.copysign(x)
    } else {
        x
    };
    let r = if trunc { toward_zero(y) } else { nearest(y) };
    (r, (r < lo || r >= end) && y.is_finite())
}
