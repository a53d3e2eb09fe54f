//! Legality of SPARSITY_COMPRESS and SPARSITY_COMPRESS_TAG (isa 05 §3.9).

use crate::isa::fields::SubDim;
use crate::isa::legal::Check;
use crate::isa::ops::dtype_class::{DTypeSet, PLAIN64};
use crate::isa::ops::placement::{location, only, same_quadrant};
use crate::isa::ops::rules::{channels, count, dtype_in, one_of, pattern, word};
use crate::isa::{DType, Space};

/// Groups of the source; `group-size`: each has at least the 4 elements that are kept.
fn groups(c: &mut Check<'_>) -> Option<u64> {
    let p = pattern(c, "src")?;
    let dims = match SubDim(c.value("op_dim") as u8) {
        SubDim::X => 1,
        SubDim::XY => 2,
        SubDim::XYZ => 3,
        SubDim::XYZW => 4,
        _ => return None,
    };
    let size: u64 = p
        .dims()
        .iter()
        .take(dims)
        .map(|d| u64::from(d.num))
        .product();
    if size < 4 {
        let message = format!("a group of src has {size} elements; allowed: at least 4");
        c.error("group-size", "src", message);
        return None;
    }
    Some(p.count() / size)
}

/// `element-count`: so many results per group.
fn results(c: &mut Check<'_>, field: &str, groups: Option<u64>, per_group: u64) {
    if let (Some(n), Some(g)) = (count(c, field), groups)
        && Some(n) != g.checked_mul(per_group)
    {
        let message = format!(
            "{field} has {n} elements; allowed for {g} groups of src: {}",
            g.saturating_mul(per_group)
        );
        c.error("element-count", field, message);
    }
}

/// What both forms ask of their input.
fn input(c: &mut Check<'_>) {
    channels(c);
    dtype_in(c, "in_dtype", PLAIN64);
    let blocks = count(c, "src").filter(|n| c.value("transpose_src") == 1 && !n.is_multiple_of(32));
    if let Some(n) = blocks {
        let message = format!("src has {n} elements; allowed when transposed: multiples of 32");
        c.error("transpose-block", "src", message);
    }
}

/// SPARSITY_COMPRESS.
pub(super) fn interleaved(c: &mut Check<'_>) {
    input(c);
    one_of(
        c,
        "op-dim",
        "op_dim",
        &[SubDim::X.0, SubDim::XY.0, SubDim::XYZ.0, SubDim::XYZW.0],
    );
    let data = DType(c.value("out_data_dtype") as u8);
    let element = match data {
        DType::FP8E3 | DType::FP8E4 | DType::FP8E5 => DType::U16,
        _ => DType::U32,
    };
    dtype_in(
        c,
        "out_data_dtype",
        DTypeSet::of(&[
            DType::FP8E3,
            DType::FP8E4,
            DType::FP8E5,
            DType::BF16,
            DType::FP16,
        ]),
    );
    if c.value("out_struct_dtype") != u64::from(element.0) {
        let message = format!(
            "out_struct_dtype is {}; allowed with {data}: {element}",
            word(c, "out_struct_dtype")
        );
        c.error("dtype", "out_struct_dtype", message);
    }
    let groups = groups(c);
    results(c, "dst", groups, 4);
}

/// SPARSITY_COMPRESS_TAG.
pub(super) fn apart(c: &mut Check<'_>) {
    input(c);
    one_of(c, "op-dim", "op_dim", &[SubDim::X.0, SubDim::XY.0]);
    let packed = c.value("packed_tags") == 1;
    let tags = if packed {
        DTypeSet::of(&[DType::U16])
    } else {
        DTypeSet::of(&[DType::U8, DType::U16, DType::U32])
    };
    dtype_in(c, "out_tag_dtype", tags);
    only(c, "data", Space::Sbuf);
    only(c, "tag", Space::Sbuf);
    let (data, tag) = (location(c, "data"), location(c, "tag"));
    same_quadrant(c, "tag", data, tag);
    if c.value("op_dim") > u64::from(SubDim::XY.0) {
        return;
    }
    let groups = groups(c);
    results(c, "data", groups, 4);
    results(c, "tag", groups, if packed { 1 } else { 4 });
}
