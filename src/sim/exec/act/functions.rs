//! The activation functions: closed forms, valid ranges and the sets that hold them (isa 06 §3).
//!
//! Hardware interpolates tables that are not public. The closed forms are computed in f64 with one
//! fixed library, so that every host gives the same bits, and rounded to fp32. Where the form of the
//! sheet cancels or meets `inf * 0`, an equal one is used that does not: infinities give the limits.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

use crate::isa::fields::ActFunc;

/// A function of one argument and the parameter of parametric_relu.
pub(super) type Form = fn(f64, f64) -> f64;

/// 1 / sqrt(2 pi).
const NORMAL_DENSITY: f64 = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0;
/// sqrt(2 / pi).
const GELU_TANH: f64 = 0.797_884_560_802_865_4;
/// Factor of the sigmoid approximation of gelu.
const GELU_SIGMOID: f64 = 1.702;

/// The closed form; `None` for an id without published function.
pub(super) fn form(func: ActFunc) -> Option<Form> {
    Some(match func {
        ActFunc::identity | ActFunc::copy => |y, _| y,
        ActFunc::relu => |y, _| if y > 0.0 { y } else { 0.0 },
        ActFunc::leaky_relu => |y, _| if y <= 0.0 { 0.01 * y } else { y },
        ActFunc::parametric_relu => |y, a| if y <= 0.0 { a * y } else { y },
        ActFunc::sigmoid => |y, _| sigmoid(y),
        ActFunc::tanh => |y, _| libm::tanh(y),
        ActFunc::exp => |y, _| libm::exp(y),
        ActFunc::sqrt => |y, _| libm::sqrt(y),
        ActFunc::softplus => |y, _| softplus(y),
        ActFunc::ln => |y, _| libm::log(y),
        ActFunc::sin => |y, _| libm::sin(y),
        ActFunc::erf => |y, _| libm::erf(y),
        ActFunc::derivative_erf => |y, _| FRAC_2_SQRT_PI * libm::exp(-y * y),
        ActFunc::gelu => |y, _| gate(y, normal(y)),
        ActFunc::mish => |y, _| gate(y, libm::tanh(softplus(y))),
        // 1 + tanh u = 2 sigmoid(2 u)
        ActFunc::gelu_apprx_tanh => {
            |y, _| gate(y, sigmoid(2.0 * GELU_TANH * (y + 0.044715 * y * y * y)))
        }
        ActFunc::gelu_apprx_sigmoid => |y, _| gate(y, sigmoid(GELU_SIGMOID * y)),
        ActFunc::arctan => |y, _| libm::atan(y),
        ActFunc::reciprocal_sqrt => |y, _| 1.0 / libm::sqrt(y),
        ActFunc::square => |y, _| y * y,
        ActFunc::sign => |y, _| f64::from(i8::from(y > 0.0) - i8::from(y < 0.0)),
        ActFunc::derivative_gelu => |y, _| {
            let density = NORMAL_DENSITY * libm::exp(-y * y / 2.0);
            normal(y) + gate(y, density)
        },
        ActFunc::abs => |y, _| y.abs(),
        ActFunc::abs_reciprocal_sqrt => |y, _| 1.0 / libm::sqrt(y.abs()),
        ActFunc::is_finite => |y, _| f64::from(u8::from(y.is_finite())),
        ActFunc::silu => |y, _| gate(y, sigmoid(y)),
        ActFunc::derivative_silu => |y, _| derivative_silu(y),
        ActFunc::derivative_gelu_apprx_sigmoid => |y, _| derivative_silu(GELU_SIGMOID * y),
        ActFunc::reciprocal => |y, _| 1.0 / y,
        ActFunc::memset_zero => |_, _| 0.0,
        _ => return None,
    })
}

fn sigmoid(y: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-y))
}

fn softplus(y: f64) -> f64 {
    libm::log1p(libm::exp(-y.abs())) + if y > 0.0 { y } else { 0.0 }
}

/// Distribution function of the normal distribution: `(1 + erf(y / sqrt 2)) / 2`.
fn normal(y: f64) -> f64 {
    0.5 * libm::erfc(-y * FRAC_1_SQRT_2)
}

/// `y` times a factor that goes to 0 faster than any `y` grows.
fn gate(y: f64, factor: f64) -> f64 {
    if factor == 0.0 {
        0f64.copysign(y)
    } else {
        y * factor
    }
}

/// `s (1 + y (1 - s))` with `s` the sigmoid of `y`.
fn derivative_silu(y: f64) -> f64 {
    gate(1.0 + gate(y, sigmoid(-y)), sigmoid(y))
}

/// Arguments outside give garbage on hardware (isa 16 B1); `None`: all are valid.
pub(super) fn range(func: ActFunc) -> Option<(f32, f32)> {
    const fn two_to(n: i32) -> f32 {
        f32::from_bits(((127 + n) as u32) << 23)
    }
    Some(match func {
        ActFunc::ln => (two_to(-64), two_to(64)),
        ActFunc::sqrt => (two_to(-116), two_to(118)),
        ActFunc::reciprocal_sqrt => (two_to(-87), two_to(97)),
        ActFunc::reciprocal => (two_to(-42), two_to(42)),
        ActFunc::sin => (-PI as f32, PI as f32),
        ActFunc::arctan => (-PI as f32 / 2.0, PI as f32 / 2.0),
        _ => return None,
    })
}

/// The value that [`range`] bounds: the reciprocal is symmetric.
pub(super) fn ranged(func: ActFunc, y: f32) -> f32 {
    if func == ActFunc::reciprocal {
        y.abs()
    } else {
        y
    }
}

/// Needs no table and is there whatever set is resident (class H).
pub(super) fn universal(func: ActFunc) -> bool {
    matches!(
        func,
        ActFunc::abs
            | ActFunc::copy
            | ActFunc::identity
            | ActFunc::is_finite
            | ActFunc::leaky_relu
            | ActFunc::memset_zero
            | ActFunc::parametric_relu
            | ActFunc::relu
            | ActFunc::sign
            | ActFunc::square
    )
}

/// A function set of the trainium catalogue.
pub(super) struct Set {
    /// Name in the catalogue, also in 0xC6.
    pub name: &'static str,
    /// Its functions besides the universal ones, as far as their ids are published.
    pub functions: &'static [ActFunc],
}

macro_rules! sets {
    ($($name:ident { $($func:ident),* })*) => {
        &[$(Set { name: stringify!($name), functions: &[$(ActFunc::$func),*] }),*]
    };
}

/// The sets by index (isa 06 §3). derivative_sigmoid and derivative_tanh have no published id.
pub(super) const SETS: &[Set] = sets! {
    exp_and_others { exp, tanh }
    softplus_and_others { softplus }
    sigmoid_and_others { sigmoid, tanh, erf, arctan }
    sqrt_and_others { sqrt }
    small {}
    natural_log { ln }
    natural_log_exp_and_others { ln, exp }
    sigmoid_derivative {}
    tanh_and_derivative { tanh }
    trig_and_small { sin, arctan }
    gelu_and_others { derivative_gelu, gelu, tanh }
    gelu_apprx_tanh_and_others { gelu_apprx_tanh, tanh }
    gelu_apprx_sigmoid_and_others { gelu_apprx_sigmoid, tanh }
    reciprocal_and_small { reciprocal }
    reciprocal_sqrt_and_small { reciprocal_sqrt }
    abs_reciprocal_sqrt_and_small { abs_reciprocal_sqrt }
    mish_and_others { mish }
    erf_derivative { derivative_erf }
    silu_and_others { silu, tanh, sin }
    derivative_silu_and_others { derivative_silu, tanh, sin }
    derivative_gelu_apprx_sigmoid_and_others { derivative_gelu_apprx_sigmoid, tanh }
};
