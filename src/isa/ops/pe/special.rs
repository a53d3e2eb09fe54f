//! Legality of the sparse and MX products, quantisation and rounding seeds (isa 05 §3, §5).

use super::rules::{
    NARROW, accumulation, all_columns, group_of, input, moving, perf_opt, result, tile, tiles,
};
use crate::isa::fields::{Addr4, SeedMode};
use crate::isa::legal::{Check, Severity};
use crate::isa::ops::dtype_class::DTypeSet;
use crate::isa::ops::placement::{self, only};
use crate::isa::ops::rules::{channel_groups, count, dtype_in, one_of, pattern};
use crate::isa::{DType, Space};

/// LDTAGS (isa 05 §3.4, §8).
pub(super) fn load_tags(c: &mut Check<'_>) {
    only(c, "src", Space::Sbuf);
    dtype_in(c, "in_dtype", DTypeSet::of(&[DType::I16, DType::U16]));
    tile(c, "row_grp", "num_active_rows", Some("src"));
    if let Some(g) = group_of(c, "row_grp") {
        one_of(
            c,
            "force-tag-bits",
            "force_tag_bits",
            &[(g.start / 8) as u8],
        );
    }
    let cols = c.value("num_active_cols");
    if !(1..=128).contains(&cols) {
        let message = format!("num_active_cols is {cols}; allowed: 1..128");
        c.error("tile-size", "num_active_cols", message);
    }
    if let Some(n) = count(c, "src").filter(|n| n.checked_mul(4) != Some(cols)) {
        let message = format!("src has {n} words; allowed for {cols} columns: a quarter of them");
        c.error("element-count", "src", message);
    }
}

/// MATMUL_SPARSE (isa 05 §3.5, §8).
pub(super) fn multiply_sparse(c: &mut Check<'_>) {
    only(c, "src", Space::Sbuf);
    tiles(c, "src", Some("dst"));
    all_columns(c);
    input(c);
    perf_opt(c);
    accumulation(c);
    result(c);
    if let Some(p) = pattern(c, "src") {
        let fmaps = p.dims().last().map_or(1, |d| d.num);
        if !(2..=4).contains(&fmaps) {
            let message =
                format!("src has {fmaps} fmaps in its slowest dimension; allowed: 2, 3, 4");
            c.error("sparse-fmaps", "src", message);
        } else {
            moving(c, Some(p.count() / u64::from(fmaps)), 1);
        }
    }
    let rows = c.value("num_active_rows");
    if !rows.is_multiple_of(4) {
        let message = format!("num_active_rows is {rows}; expected: a multiple of 4");
        c.at(Severity::Warn, "sparse-rows", "num_active_rows", message);
    }
}

const MX_DATA: DTypeSet = DTypeSet::of(&[DType::FP4, DType::FP8E4, DType::FP8E5]);

/// What both MX products ask of their operand (isa 05 §5).
fn mx_operand(c: &mut Check<'_>) {
    only(c, "src", Space::Sbuf);
    placement::mx_quadrant(c, "src");
    dtype_in(c, "in_dtype", MX_DATA);
    one_of(c, "mx-partitions", "num_active_rows", &[32, 64, 128]);
    all_columns(c);
}

/// LDWEIGHTS_MX.
pub(super) fn load_weights_mx(c: &mut Check<'_>) {
    mx_operand(c);
    tiles(c, "src", None);
    let cols = c.value("num_active_cols");
    if !cols.is_multiple_of(2) {
        let message = format!("num_active_cols is {cols}; allowed: an even number");
        c.error("mx-columns", "num_active_cols", message);
    }
    if let Some((.., n)) = placement::mx(c, "src").filter(|(.., n)| u64::from(*n) != 4 * cols) {
        let message = format!(
            "src has {n} logical elements; allowed for {cols} columns: {}",
            4 * cols
        );
        c.error("element-count", "src", message);
    }
}

/// MATMUL_MX.
pub(super) fn multiply_mx(c: &mut Check<'_>) {
    mx_operand(c);
    tiles(c, "src", Some("dst"));
    result(c);
    let elements = placement::mx(c, "src").map(|(.., n)| u64::from(n));
    moving(c, elements, 4);
    let out = if c.value("out_dtype") == u64::from(DType::BF16.0) {
        2
    } else {
        4
    };
    let most = 32 * (2048 / out);
    if let Some(n) = elements.filter(|n| *n > most) {
        let message = format!("src has {n} logical elements; allowed: up to {most}");
        c.error("mx-elements", "src", message);
    }
}

/// PE_MANAGE_SEED (isa 05 §3.6).
pub(super) fn manage_seed(c: &mut Check<'_>) {
    one_of(c, "seed-shape", "num_active_rows", &[16]);
    one_of(c, "seed-shape", "num_active_cols", &[128]);
    match SeedMode(c.value("mode") as u8) {
        SeedMode::LOAD_SEED => {
            only(c, "src_seed", Space::Sbuf);
            if let Some(n) = count(c, "src_seed").filter(|n| *n != 128) {
                let message = format!("src_seed has {n} elements; allowed: 128");
                c.error("seed-shape", "src_seed", message);
            }
        }
        SeedMode::SAVE_SEED => {
            let identity = NARROW.or(DTypeSet::of(&[DType::BF16, DType::FP16, DType::FP32R]));
            dtype_in(c, "identity_dtype", identity);
            if let Some(n) = count(c, "identity").filter(|n| *n != 16) {
                let message = format!("identity has {n} elements; allowed: 16");
                c.error("seed-shape", "identity", message);
            }
            if let Some(p) = pattern(c, "dst_seed") {
                let dims: Vec<(i16, u16)> = p.dims().iter().map(|d| (d.step, d.num)).collect();
                if p.addr != Addr4(0x0200_0000) || dims != [(1, 2), (512, 8)] {
                    let a = p.addr.0;
                    let message = format!(
                        "dst_seed has address {a:#x}, steps and counts {dims:?}; allowed: 0x2000000, [(1, 2), (512, 8)]"
                    );
                    c.error("seed-shape", "dst_seed", message);
                }
            }
        }
        _ => {}
    }
}

/// QUANTIZE_MX (isa 05 §3.8, 02 §5).
pub(super) fn quantize(c: &mut Check<'_>) {
    channel_groups(c);
    dtype_in(c, "in_dtype", DTypeSet::of(&[DType::BF16, DType::FP16]));
    dtype_in(c, "out_dtype", MX_DATA);
    only(c, "dst", Space::Sbuf);
    placement::mx_quadrant(c, "dst");
    if let (Some(n), Some((.., m))) = (count(c, "src"), placement::mx(c, "dst"))
        && (n != u64::from(m) || !n.is_multiple_of(4))
    {
        let message = format!("src has {n} elements, dst {m}; allowed: the same multiple of 4");
        c.error("element-count", "src", message);
    }
}
