//! Access patterns: TENSORnD, MEM_PATTERNnD with its indirect arm, DATA4D and MX (isa 03, 07 §1.1).

use super::addr::Addr4;
use crate::isa::Bundle;
use crate::isa::field::{Arm, Field, FieldKind};

/// One free dimension: step in elements, number of iterations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dim {
    /// Step in elements of the operand's dtype; 0 broadcasts, negative walks backwards.
    pub step: i16,
    /// Iterations; 0 is illegal.
    pub num: u16,
}

impl Dim {
    /// The fill of unused slots (isa 03 §3).
    pub const UNIT: Dim = Dim { step: 1, num: 1 };
}

/// A static descriptor of 1 to 4 dimensions, index 0 fastest (isa 03 §2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    /// Start address word.
    pub addr: Addr4,
    dims: [Dim; 4],
    rank: u8,
}

/// A run of consecutive elements of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// First element, relative to the start address, in elements.
    pub first: i64,
    /// Elements in the run.
    pub len: u32,
}

impl Pattern {
    /// A pattern with these dimensions; at most 4 are taken.
    pub fn new(addr: Addr4, dims: &[Dim]) -> Pattern {
        let mut all = [Dim::UNIT; 4];
        for (slot, d) in all.iter_mut().zip(dims) {
            *slot = *d;
        }
        Pattern {
            addr,
            dims: all,
            rank: dims.len().min(4) as u8,
        }
    }

    /// Reads `rank` dimensions at byte `at`: address, all steps, all counts (isa 03 §1).
    pub fn read(bundle: &Bundle, at: usize, rank: usize) -> Pattern {
        let mut dims = [Dim::UNIT; 4];
        for (i, d) in dims.iter_mut().enumerate().take(rank) {
            d.step = bundle.u16(at + 4 + 2 * i) as i16;
            d.num = bundle.u16(at + 4 + 2 * rank + 2 * i);
        }
        Pattern {
            addr: Addr4(bundle.u32(at)),
            dims,
            rank: rank.min(4) as u8,
        }
    }

    /// Writes the descriptor at byte `at`.
    pub fn write(&self, bundle: &mut Bundle, at: usize) {
        let rank = self.dims().len();
        bundle.put(at, &self.addr.0.to_le_bytes());
        for (i, d) in self.dims().iter().enumerate() {
            bundle.put(at + 4 + 2 * i, &d.step.to_le_bytes());
            bundle.put(at + 4 + 2 * rank + 2 * i, &d.num.to_le_bytes());
        }
    }

    /// Size of a descriptor of that rank: 4 + 4N bytes.
    pub const fn size(rank: usize) -> usize {
        4 + 4 * rank
    }

    /// The dimensions, fastest first.
    pub fn dims(&self) -> &[Dim] {
        self.dims
            .get(..usize::from(self.rank))
            .unwrap_or(&self.dims)
    }

    /// Elements per partition: the product of the counts.
    pub fn count(&self) -> u64 {
        self.dims().iter().map(|d| u64::from(d.num)).product()
    }

    /// Smallest and largest element offset of the walk, relative to the start.
    pub fn extent(&self) -> (i64, i64) {
        self.dims().iter().fold((0, 0), |(lo, hi), d| {
            let reach = i64::from(d.step) * (i64::from(d.num) - 1).max(0);
            (lo + reach.min(0), hi + reach.max(0))
        })
    }

    /// The dimensions without those of count 1, neighbours that continue each other merged into
    /// one: `(step, count)` with the same walk.
    pub fn folded(&self) -> ([(i64, u64); 4], usize) {
        let mut out = [(1, 1); 4];
        let mut n = 0;
        for d in self.dims().iter().filter(|d| d.num != 1) {
            let (step, num) = (i64::from(d.step), u64::from(d.num));
            let prev = if n > 0 { out.get_mut(n - 1) } else { None };
            match prev {
                Some(p) if step == p.0 * p.1 as i64 => p.1 *= num,
                _ => {
                    if let Some(slot) = out.get_mut(n) {
                        *slot = (step, num);
                    }
                    n += 1;
                }
            }
        }
        (out, n)
    }

    /// Element offsets in walk order.
    pub fn offsets(&self) -> impl Iterator<Item = i64> + use<> {
        let dims = self.dims;
        let total = self.count();
        let mut at = [0u16; 4];
        let mut off = 0i64;
        (0..total).map(move |_| {
            let here = off;
            for (i, d) in at.iter_mut().zip(&dims) {
                *i += 1;
                off += i64::from(d.step);
                if *i < d.num {
                    break;
                }
                off -= i64::from(d.step) * i64::from(d.num);
                *i = 0;
            }
            here
        })
    }

    /// The walk as runs of consecutive ascending elements, in walk order. A broadcast or strided
    /// fastest dimension gives runs of one element.
    pub fn runs(&self) -> impl Iterator<Item = Run> + use<> {
        let (dims, n) = self.folded();
        let total = self.count();
        let contiguous = n > 0 && dims[0].0 == 1;
        let len = if contiguous { dims[0].1 } else { 1 };
        let outer: [(i64, u64); 4] = std::array::from_fn(|i| {
            let k = i + usize::from(contiguous);
            if k < n { dims[k.min(3)] } else { (0, 1) }
        });
        let runs = total.checked_div(len).unwrap_or(0);
        let mut at = [0u64; 4];
        let mut off = 0i64;
        (0..runs).map(move |_| {
            let here = off;
            for (i, (step, num)) in at.iter_mut().zip(outer) {
                *i += 1;
                off += step;
                if *i < num {
                    break;
                }
                off -= step * num as i64;
                *i = 0;
            }
            Run {
                first: here,
                len: len as u32,
            }
        })
    }
}

/// A TENSORnD slot: static only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tensor<const N: usize>(pub Pattern);

impl<const N: usize> Field for Tensor<N> {
    const BITS: u16 = 8 * Pattern::size(N) as u16;
    const KIND: FieldKind = FieldKind::Pattern(N as u8, Arm::Tensor);
    fn get(bundle: &Bundle, at: u16) -> Self {
        Tensor(Pattern::read(bundle, usize::from(at / 8), N))
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        self.0.write(bundle, usize::from(at / 8));
    }
}

/// The indirect arm: a gather or scatter through an index vector (isa 03 §5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Indirect {
    /// Address of the index vector, INDIRECT bit set.
    pub index: Addr4,
    /// Address of the data.
    pub data: Addr4,
    /// Elements per partition.
    pub num: u16,
}

/// A MEM_PATTERNnD slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mem<const N: usize> {
    /// Static arm.
    Static(Pattern),
    /// Indirect arm; what follows its 10 bytes is reserved.
    Indirect(Indirect),
}

impl<const N: usize> Field for Mem<N> {
    const BITS: u16 = 8 * Pattern::size(N) as u16;
    const KIND: FieldKind = FieldKind::Pattern(N as u8, Arm::Mem);
    fn get(bundle: &Bundle, at: u16) -> Self {
        let byte = usize::from(at / 8);
        let first = Addr4(bundle.u32(byte));
        if first.indirect() {
            Mem::Indirect(Indirect {
                index: first,
                data: Addr4(bundle.u32(byte + 4)),
                num: bundle.u16(byte + 8),
            })
        } else {
            Mem::Static(Pattern::read(bundle, byte, N))
        }
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        let byte = usize::from(at / 8);
        match self {
            Mem::Static(p) => p.write(bundle, byte),
            Mem::Indirect(i) => {
                bundle.put(byte, &i.index.0.to_le_bytes());
                bundle.put(byte + 4, &i.data.0.to_le_bytes());
                bundle.put(byte + 8, &i.num.to_le_bytes());
            }
        }
    }
}

/// DATA4D: the generator `base + x*step[0] + y*step[1] + ...` of iota and affine select.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data4 {
    /// First value.
    pub base: i32,
    /// Steps and counts, fastest first.
    pub dims: [Dim; 4],
}

impl Field for Data4 {
    const BITS: u16 = 160;
    const KIND: FieldKind = FieldKind::Data4;
    fn get(bundle: &Bundle, at: u16) -> Self {
        let p = Pattern::read(bundle, usize::from(at / 8), 4);
        Data4 {
            base: p.addr.0 as i32,
            dims: p.dims,
        }
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        Pattern::new(Addr4(self.base as u32), &self.dims).write(bundle, usize::from(at / 8));
    }
}

/// MXMEM_PATTERN1D / MXINDIRECT16B as raw words (isa 03 §6): data, scale, count and step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mx {
    /// The 16 bytes.
    pub raw: [u8; 16],
}

/// The static arm of an MX operand, MXTENSOR1D (isa 03 §6.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MxTensor {
    /// Packed data.
    pub data: Addr4,
    /// E8M0 scales.
    pub scale: Addr4,
    /// Logical elements per partition: containers x 4.
    pub num: u16,
    /// +1 or -1.
    pub step: i8,
    /// Partition of the scales inside the quadrant: 0, 4, 8 or 12.
    pub scale_pidx: u8,
}

/// The indirect arm of an MX operand, MXINDIRECT16B (isa 03 §6.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MxIndirect {
    /// Index vector, INDIRECT bit set.
    pub index: Addr4,
    /// Packed data.
    pub data: Addr4,
    /// E8M0 scales.
    pub scale: Addr4,
    /// Indices x 4.
    pub num: u16,
    /// Partition of the scales inside the quadrant.
    pub scale_pidx: u8,
}

/// Which arm an MX descriptor uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MxForm {
    /// Static walk.
    Static(MxTensor),
    /// Through an index vector.
    Indirect(MxIndirect),
}

impl Mx {
    /// The arm, told by the marker of the first word.
    pub fn form(&self) -> MxForm {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, _, p] = self.raw;
        let word = |w| Addr4(u32::from_le_bytes(w));
        let first = word([a, b, c, d]);
        if first.indirect() {
            MxForm::Indirect(MxIndirect {
                index: first,
                data: word([e, f, g, h]),
                scale: word([i, j, k, l]),
                num: u16::from_le_bytes([m, n]),
                scale_pidx: p,
            })
        } else {
            MxForm::Static(MxTensor {
                data: first,
                scale: word([e, f, g, h]),
                num: u16::from_le_bytes([i, j]),
                step: k as i8,
                scale_pidx: l,
            })
        }
    }
}

impl Field for Mx {
    const BITS: u16 = 128;
    const KIND: FieldKind = FieldKind::Mx;
    fn get(bundle: &Bundle, at: u16) -> Self {
        Mx {
            raw: bundle.array(usize::from(at / 8)),
        }
    }
    fn put(self, bundle: &mut Bundle, at: u16) {
        bundle.put(usize::from(at / 8), &self.raw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(dims: &[(i16, u16)]) -> Pattern {
        let dims: Vec<Dim> = dims.iter().map(|&(step, num)| Dim { step, num }).collect();
        Pattern::new(Addr4(0), &dims)
    }

    #[test]
    fn walk_order_of_the_sheet() {
        // isa 03 §8: element order 0,1,10,11,20,21,100,...
        let p = pattern(&[(1, 2), (10, 3), (100, 4), (1000, 5)]);
        let first: Vec<i64> = p.offsets().take(8).collect();
        assert_eq!(first, [0, 1, 10, 11, 20, 21, 100, 101]);
        assert_eq!(p.count(), 120);
        let p = pattern(&[(-1, 8), (0, 4)]);
        let all: Vec<i64> = p.offsets().collect();
        assert_eq!(all[..9], [0, -1, -2, -3, -4, -5, -6, -7, 0]);
        assert_eq!(p.extent(), (-7, 0));
    }

    proptest! {
        #[test]
        fn walk_equals_nested_loops(dims in prop::collection::vec((-40i16..40, 0u16..6), 1..=4)) {
            let p = pattern(&dims);
            let mut full = [(0i64, 1i64); 4];
            for (slot, (s, n)) in full.iter_mut().zip(&dims) { *slot = (i64::from(*s), i64::from(*n)); }
            let mut expected = Vec::new();
            for w in 0..full[3].1 { for z in 0..full[2].1 { for y in 0..full[1].1 { for x in 0..full[0].1 {
                expected.push(x * full[0].0 + y * full[1].0 + z * full[2].0 + w * full[3].0);
            }}}}
            prop_assert_eq!(p.offsets().collect::<Vec<_>>(), expected.clone());
            let from_runs: Vec<i64> = p.runs().flat_map(|r| r.first..r.first + i64::from(r.len)).collect();
            prop_assert_eq!(&from_runs, &expected);
            if let (Some(lo), Some(hi)) = (expected.iter().min(), expected.iter().max()) {
                prop_assert_eq!(p.extent(), (*lo, *hi));
            }
        }

        #[test]
        fn bytes_round_trip(raw in prop::collection::vec(any::<u8>(), 20)) {
            let mut b = Bundle::default();
            b.put(12, &raw);
            let mut again = Bundle::default();
            Tensor::<4>::get(&b, 96).put(&mut again, 96);
            prop_assert_eq!(b, again);
        }
    }
}
