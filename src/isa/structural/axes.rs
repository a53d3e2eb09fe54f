//! Axes of the compiler's access patterns: reductions, indirection, transposes (isa 14 §5, §6).

use super::{StructuralError, ir_enum, unknown};
use crate::isa::Space;
use crate::isa::fields::{SubDim, WireDim};

/// Axis letters of an access pattern, outermost first: index 0 is the partition axis.
pub const AXES: [char; 4] = ['W', 'Z', 'Y', 'X'];

ir_enum! {
    /// Innermost axes that a reduction folds.
    AxisListType {
        /// Innermost axis.
        X = 0 "X",
        /// Two innermost.
        Xy = 1 "XY",
        /// Three innermost.
        Xyz = 2 "XYZ",
        /// All four, the partition axis included.
        Xyzw = 3 "XYZW",
        /// Five-axis form; its consumer is not known.
        Xyzwc = 4 "XYZWC",
        /// Channels.
        C = 5 "C",
    }
    unknown
}

ir_enum! {
    /// Axis that a gather or scatter indirects, in the compiler's numbering.
    IndirectDim {
        /// Outermost: the partition axis.
        W = 0 "W",
        /// Third free axis from inside.
        Z = 1 "Z",
        /// Second free axis from inside.
        Y = 2 "Y",
        /// Innermost axis.
        X = 3 "X",
    }
    unknown
}

ir_enum! {
    /// Permutation of a DMA transpose; the name is the order of the destination axes.
    TransposeOps {
        /// Identity.
        None = 0 "None",
        /// 0 1 3 2
        Wzxy = 1 "WZXY",
        /// 0 3 1 2
        Wxzy = 2 "WXZY",
        /// 0 2 3 1
        Wyxz = 3 "WYXZ",
        /// 1 0 2 3
        Zwyx = 4 "ZWYX",
        /// 1 2 0 3
        Zywx = 5 "ZYWX",
        /// 1 2 3 0
        Zyxw = 6 "ZYXW",
        /// 2 3 0 1
        Yxwz = 7 "YXWZ",
        /// 2 3 1 0
        Yxzw = 8 "YXZW",
        /// 2 0 1 3
        Ywzx = 9 "YWZX",
        /// 3 0 1 2
        Xwzy = 10 "XWZY",
        /// 3 1 2 0
        Xzyw = 11 "XZYW",
        /// 3 2 1 0
        Xyzw = 12 "XYZW",
        /// 3 2 0 1
        Xywz = 13 "XYWZ",
    }
    unknown
}

ir_enum! {
    /// What a DMA copy does.
    CopyMode {
        /// Plain copy.
        Copy = 0 "Copy",
        /// Transpose.
        Transpose = 1 "Transpose",
        /// Arithmetic in flight.
        Cce = 2 "CCE",
        /// One source, several destinations.
        Replicate = 3 "Replicate",
    }
    unknown
}

impl AxisListType {
    /// Axes folded; `None` for the two values no reduction takes.
    pub const fn reduced(self) -> Option<usize> {
        match self {
            AxisListType::Xyzwc | AxisListType::C => None,
            _ => Some(self as usize + 1),
        }
    }

    /// The wire value that names as many free dimensions; `None` without wire form. The wire's W
    /// is a fourth free dimension, never the partition.
    pub const fn sub_dim(self) -> Option<SubDim> {
        match self {
            AxisListType::X => Some(SubDim::X),
            AxisListType::Xy => Some(SubDim::XY),
            AxisListType::Xyz => Some(SubDim::XYZ),
            AxisListType::Xyzw => Some(SubDim::XYZW),
            AxisListType::Xyzwc | AxisListType::C => None,
        }
    }
}

/// An instruction type that reduces, with its ordinal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    /// Folds the stored axis list.
    TensorReduce = 27,
    /// Always folds the two innermost dimensions.
    Pool = 20,
}

/// Elements that one result folds: the product of the innermost counts of a pattern, which is
/// given outermost first with the partition entry.
///
/// # Errors
/// `TensorReduce` with an axis list beyond XYZW, or a pattern with too few entries.
pub fn reduce_ops(by: Reducer, axes: AxisListType, counts: &[u64]) -> Result<u64, StructuralError> {
    let (reduced, least) = match by {
        Reducer::Pool => (2, 2),
        Reducer::TensorReduce => match axes.reduced() {
            Some(n) => (n, n.max(3)),
            None => return Err(StructuralError::ReduceAxes { axes }),
        },
    };
    if counts.len() < least {
        return Err(StructuralError::ReduceRank {
            reduced,
            found: counts.len(),
            wanted: least,
        });
    }
    Ok(counts
        .iter()
        .rev()
        .take(reduced)
        .fold(1, |n: u64, c| n.saturating_mul(*c)))
}

impl IndirectDim {
    /// The number in a bundle: the reverse order.
    pub const fn wire(self) -> WireDim {
        WireDim(3 - self as u8)
    }

    /// The axis of a wire number; `None` when undefined.
    pub fn from_wire(dim: WireDim) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.wire() == dim)
    }
}

impl TransposeOps {
    /// Source index of each destination axis, both counted from the outermost.
    pub fn permutation(self) -> [usize; 4] {
        let mut perm = [0, 1, 2, 3];
        if self != TransposeOps::None {
            for (slot, letter) in perm.iter_mut().zip(self.name().chars()) {
                *slot = AXES.iter().position(|a| *a == letter).unwrap_or(0);
            }
        }
        perm
    }

    /// Axes in destination order.
    pub fn apply<T: Copy>(self, source: [T; 4]) -> [T; 4] {
        self.permutation().map(|i| source[i % 4])
    }
}

/// A DMA copy that transposes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DmaTranspose {
    /// Always [`CopyMode::Transpose`].
    pub mode: CopyMode,
    /// The permutation.
    pub ops: TransposeOps,
}

/// Makes a DMA transpose of patterns with these numbers of dimensions.
///
/// # Errors
/// A pattern that is not 4-D, or a destination outside SBUF.
pub fn dma_transpose(
    ops: TransposeOps,
    source_rank: usize,
    dest_rank: usize,
    dest: Space,
) -> Result<DmaTranspose, StructuralError> {
    if source_rank != 4 || dest_rank != 4 {
        return Err(StructuralError::TransposeRank);
    }
    if dest != Space::Sbuf {
        return Err(StructuralError::TransposeSpace(dest));
    }
    Ok(DmaTranspose {
        mode: CopyMode::Transpose,
        ops,
    })
}
