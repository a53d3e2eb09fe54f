//! The matrix product itself: both operands packed into panels, sums kept in registers.
//!
//! Every output is the sum of its products in ascending contraction order, one multiplication and
//! one addition at a time (decisions 1.3). Blocks run over outputs only, so their size, and the width
//! of the host's vectors, never change a bit.

use std::marker::PhantomData;

use pulp::{Arch, Simd, WithSimd};

use crate::num::computed;

/// Columns of the array per block.
const MB: usize = 4;
/// Elements of the moving operand per block.
const NB: usize = 16;

/// The operands and the result of one pass; kept between bundles for its allocations.
#[derive(Debug, Default)]
pub(in crate::sim) struct Panels {
    depth: usize,
    width: usize,
    /// `[column block][contraction index]`.
    weights: Vec<[f32; MB]>,
    /// `[moving block][contraction index]`.
    moving: Vec<[f32; NB]>,
    /// `[column][moving element]`, rows padded to whole blocks.
    out: Vec<f32>,
}

/// What a pass sums in.
trait Sum: Copy {
    const ZERO: Self;
    fn plus(self, w: f32, x: f32) -> Self;
    fn rounded(self) -> f32;
}

impl Sum for f32 {
    const ZERO: f32 = 0.0;
    #[inline(always)]
    fn plus(self, w: f32, x: f32) -> f32 {
        self + w * x
    }
    #[inline(always)]
    fn rounded(self) -> f32 {
        self
    }
}

impl Sum for f64 {
    const ZERO: f64 = 0.0;
    #[inline(always)]
    fn plus(self, w: f32, x: f32) -> f64 {
        self + f64::from(w) * f64::from(x)
    }
    #[inline(always)]
    fn rounded(self) -> f32 {
        self as f32
    }
}

#[inline(always)]
fn block<S: Sum>(weights: &[[f32; MB]], moving: &[[f32; NB]]) -> [[S; NB]; MB] {
    let mut sums = [[S::ZERO; NB]; MB];
    for (w, x) in weights.iter().zip(moving) {
        for (row, w) in sums.iter_mut().zip(w) {
            for (sum, x) in row.iter_mut().zip(x) {
                *sum = sum.plus(*w, *x);
            }
        }
    }
    sums
}

/// The loops compiled for the host's vectors: a plain closure would not be inlined there.
struct Blocks<'a, S>(&'a mut Panels, PhantomData<S>);

impl<S: Sum> WithSimd for Blocks<'_, S> {
    type Output = ();
    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        self.0.blocks::<S>();
    }
}

impl Panels {
    /// Prepares for `depth` products per output, `columns` columns and `width` moving elements.
    pub fn start(&mut self, depth: usize, columns: usize, width: usize) {
        self.depth = depth;
        self.width = width;
        self.weights.clear();
        self.weights.resize(columns.div_ceil(MB) * depth, [0.0; MB]);
        self.moving.clear();
        self.moving.resize(width.div_ceil(NB) * depth, [0.0; NB]);
        self.out
            .resize(columns.div_ceil(MB) * MB * self.stride(), 0.0);
    }

    fn stride(&self) -> usize {
        self.width.next_multiple_of(NB)
    }

    /// Weights of contraction index `k`, one per column, as bits.
    pub fn set_weights(&mut self, k: usize, row: impl Iterator<Item = f32>) {
        for (m, w) in row.enumerate() {
            if let Some(cell) = self.weights.get_mut(m / MB * self.depth + k) {
                cell[m % MB] = w;
            }
        }
    }

    /// Moving elements of contraction index `k`.
    pub fn set_moving(&mut self, k: usize, row: &[f32]) {
        for (n, values) in row.chunks(NB).enumerate() {
            if let Some(cell) = self.moving.get_mut(n * self.depth + k) {
                cell.iter_mut().zip(values).for_each(|(c, v)| *c = *v);
            }
        }
    }

    /// Computes all outputs; `wide` sums in f64 and rounds once.
    pub fn multiply(&mut self, wide: bool) {
        if wide {
            Arch::new().dispatch(Blocks::<f64>(self, PhantomData));
        } else {
            Arch::new().dispatch(Blocks::<f32>(self, PhantomData));
        }
    }

    #[inline(always)]
    fn blocks<S: Sum>(&mut self) {
        let stride = self.stride();
        let depth = self.depth.max(1);
        for (n, x) in self.moving.chunks_exact(depth).enumerate() {
            for (m, w) in self.weights.chunks_exact(depth).enumerate() {
                let sums = block::<S>(w, x);
                for (i, sums) in sums.iter().enumerate() {
                    let at = (m * MB + i) * stride + n * NB;
                    if let Some(out) = self.out.get_mut(at..at + NB) {
                        for (out, sum) in out.iter_mut().zip(sums) {
                            *out = computed(sum.rounded());
                        }
                    }
                }
            }
        }
    }

    /// Result of a column: one value per moving element.
    pub fn row(&self, column: usize) -> &[f32] {
        let at = column * self.stride();
        self.out.get(at..at + self.width).unwrap_or(&[])
    }

    /// Is there such a value among the operands?
    pub fn any_operand(&self, odd: fn(f32) -> bool) -> bool {
        let mut all = self.weights.iter().flatten();
        all.any(|x| odd(*x)) || self.moving.iter().flatten().any(|x| odd(*x))
    }
}

/// `out[n] = sum of w * x[n]` over the terms in order; `wide` sums in f64 and rounds once.
pub(super) fn sum_terms(wide: bool, terms: &[(f32, &[f32])], out: &mut [f32]) {
    if wide {
        Arch::new().dispatch(Terms::<f64>(terms, out, PhantomData));
    } else {
        Arch::new().dispatch(Terms::<f32>(terms, out, PhantomData));
    }
}

struct Terms<'a, S>(&'a [(f32, &'a [f32])], &'a mut [f32], PhantomData<S>);

impl<S: Sum> WithSimd for Terms<'_, S> {
    type Output = ();
    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        terms_in::<S>(self.0, self.1);
    }
}

#[inline(always)]
fn terms_in<S: Sum>(terms: &[(f32, &[f32])], out: &mut [f32]) {
    for (n, out) in out.chunks_mut(NB).enumerate() {
        let mut sums = [S::ZERO; NB];
        for (w, x) in terms {
            for (sum, x) in sums.iter_mut().zip(x.get(n * NB..).unwrap_or(&[])) {
                *sum = sum.plus(*w, *x);
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = computed(sum.rounded());
        }
    }
}
