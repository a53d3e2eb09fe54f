//! Legality of the products: tiles, groups, data types, performance modes (isa 05 §4, §5).

use crate::isa::fields::{AccumulateMode, Addr4, PerfOpt, PsumFlags, TileGroup};
use crate::isa::generation::BANK_BYTES;
use crate::isa::legal::{Check, Severity};
use crate::isa::ops::dtype_class::DTypeSet;
use crate::isa::ops::placement::{location, only};
use crate::isa::ops::rules::{count, dtype_in, indirect, one_of, pattern, word};
use crate::isa::{DType, Generation, Space};

/// What a group code selects (isa 05 §4).
pub(super) struct Group {
    /// The code.
    pub(super) code: TileGroup,
    /// First row or column.
    pub(super) start: u16,
    /// Rows or columns.
    lanes: u64,
    /// Bus code of a column group on v2; quadrant 3 has none.
    xbus: Option<u64>,
}

const fn group(code: TileGroup, start: u16, lanes: u64, xbus: Option<u64>) -> Group {
    Group {
        code,
        start,
        lanes,
        xbus,
    }
}

const GROUPS: [Group; 7] = [
    group(TileGroup::ALL, 0, 128, Some(0x10)),
    group(TileGroup::Q01, 0, 64, Some(0x01)),
    group(TileGroup::Q23, 64, 64, Some(0x04)),
    group(TileGroup::Q0, 0, 32, Some(0x01)),
    group(TileGroup::Q1, 32, 32, Some(0x02)),
    group(TileGroup::Q2, 64, 32, Some(0x04)),
    group(TileGroup::Q3, 96, 32, None),
];

/// The group of a field; undefined codes are reported as such elsewhere.
pub(super) fn group_of(c: &Check<'_>, field: &str) -> Option<&'static Group> {
    static TABLE: [Group; 7] = GROUPS;
    let code = c.value(field);
    TABLE.iter().find(|g| u64::from(g.code.0) == code)
}

/// `tile-group`, `tile-size`, `tile-start`: the code is one of the table, the active lanes fit
/// it, and the operand starts at its first partition.
pub(super) fn tile(
    c: &mut Check<'_>,
    group: &'static str,
    lanes: &'static str,
    slot: Option<&str>,
) {
    let n = c.value(lanes);
    let Some(g) = group_of(c, group) else {
        if c.value(group) == 0 {
            let message = format!("{group} is NONE; allowed: Q0, Q1, Q2, Q3, Q01, Q23, ALL");
            c.error("tile-group", group, message);
        }
        if !(1..=128).contains(&n) {
            c.error(
                "tile-size",
                lanes,
                format!("{lanes} is {n}; allowed: 1..128"),
            );
        }
        return;
    };
    if !(1..=g.lanes).contains(&n) {
        let message = format!(
            "{lanes} is {n}; allowed with {group} {}: 1..{}",
            g.code, g.lanes
        );
        c.error("tile-size", lanes, message);
    }
    let start = slot.and_then(|s| Some((s, location(c, s)?)));
    if let Some((slot, l)) = start.filter(|(_, l)| l.part != g.start) {
        let message = format!(
            "{slot} starts at partition {}; allowed with {group} {}: {}",
            l.part, g.code, g.start
        );
        c.error("tile-start", slot, message);
    }
}

/// `tile-group`: only the whole column axis.
pub(super) fn all_columns(c: &mut Check<'_>) {
    if group_of(c, "col_grp").is_some_and(|g| g.code != TileGroup::ALL) {
        let message = format!("col_grp is {}; allowed: ALL", word(c, "col_grp"));
        c.error("tile-group", "col_grp", message);
    }
}

/// `xbus`: the bus code of the column group (v2).
fn xbus(c: &mut Check<'_>) {
    let (Some(found), Some(g)) = (c.instr.value("xbus_sel"), group_of(c, "col_grp")) else {
        return;
    };
    if g.xbus != Some(found) {
        let message = match g.xbus {
            Some(x) => format!(
                "xbus_sel is {found:#04x}; allowed with col_grp {}: {x:#04x}",
                g.code
            ),
            None => format!(
                "col_grp is {}, which has no bus code on v2; allowed: Q0, Q1, Q2, Q01, Q23, ALL",
                g.code
            ),
        };
        c.error("xbus", "xbus_sel", message);
    }
}

/// Rows and columns of a product; the tiles of v5 have no published bounds.
pub(super) fn tiles(c: &mut Check<'_>, rows_slot: &str, cols_slot: Option<&str>) {
    if c.generation() == Generation::V5 && c.instr.value("row_grp").is_none() {
        return;
    }
    tile(c, "row_grp", "num_active_rows", Some(rows_slot));
    tile(c, "col_grp", "num_active_cols", cols_slot);
    xbus(c);
}

/// The FP8 types.
pub(super) const NARROW: DTypeSet = DTypeSet::of(&[DType::FP8E3, DType::FP8E4, DType::FP8E5]);
const INPUT: DTypeSet = NARROW.or(DTypeSet::of(&[DType::BF16, DType::FP16, DType::FP32]));
const INPUT_V2: DTypeSet = INPUT.or(DTypeSet::of(&[DType::U8]));
/// v5 selects its MX operands inside the ordinary bundles (isa 05 §3.7).
const INPUT_V5: DTypeSet = INPUT.or(DTypeSet::of(&[DType::FP4, DType(0x11), DType(0x12)]));

/// `dtype`, `fp32-mode`: what the array multiplies.
pub(super) fn input(c: &mut Check<'_>) {
    let allowed = match c.generation() {
        Generation::V2 => INPUT_V2,
        Generation::V3 | Generation::V4 => INPUT,
        Generation::V5 => INPUT_V5,
    };
    dtype_in(c, "in_dtype", allowed);
    let fp32 = c.value("in_dtype") == u64::from(DType::FP32.0);
    if fp32 != (c.value("fp32_mode") != 0) {
        let allowed = if fp32 { "LOW, HIGH, LOW_HIGH" } else { "NONE" };
        let message = format!(
            "fp32_mode is {}; allowed with in_dtype {}: {allowed}",
            word(c, "fp32_mode"),
            word(c, "in_dtype")
        );
        c.error("fp32-mode", "fp32_mode", message);
    }
}

/// `perf-opt`: the software-interleaved mode came with v4.
pub(super) fn perf_opt(c: &mut Check<'_>) {
    if c.generation() < Generation::V4 {
        one_of(c, "perf-opt", "perf_opt", &[0, 1, 2, 3]);
    }
}

/// Elements that the array takes per column and step.
fn doubled(c: &Check<'_>) -> bool {
    matches!(
        PerfOpt(c.value("perf_opt") as u8),
        PerfOpt::DOUBLE_ROW | PerfOpt::DOUBLE_ROW_SW_INTERLEAVE
    )
}

/// `double-row`: the pairs of rows are the slowest dimension, which counts 2 (isa 05 §6.4).
fn row_pairs(c: &mut Check<'_>) {
    if PerfOpt(c.value("perf_opt") as u8) != PerfOpt::DOUBLE_ROW {
        return;
    }
    let Some(p) = pattern(c, "src") else { return };
    let slowest = if c.generation() >= Generation::V4 {
        p.dims().last().map_or(1, |d| d.num)
    } else {
        p.dims()
            .iter()
            .rev()
            .map(|d| d.num)
            .find(|n| *n > 1)
            .unwrap_or(1)
    };
    if slowest != 2 {
        let message =
            format!("the slowest dimension of src counts {slowest}; allowed with DOUBLE_ROW: 2");
        c.error("double-row", "src", message);
    }
}

/// `dual-fp8`: what the two FP8 modes of v4 ask of a weight load (isa 05 §5).
fn dual_fp8(c: &mut Check<'_>) {
    one_of(c, "perf-opt", "perf_opt", &[0, 1, 4]);
    if !doubled(c) {
        return;
    }
    one_of(c, "dual-fp8", "in_dtype", &[DType::FP8E4.0, DType::FP8E5.0]);
    one_of(c, "dual-fp8", "transpose_mode", &[0]);
    one_of(c, "dual-fp8", "col_grp", &[TileGroup::ALL.0]);
    if indirect(c, "src").is_some() {
        let message = "src goes through an index vector; allowed: a static pattern".to_owned();
        c.error("dual-fp8", "src", message);
        return;
    }
    let Some(p) = pattern(c, "src") else { return };
    let [x, y, z] = p.dims() else { return };
    let problem = if PerfOpt(c.value("perf_opt") as u8) == PerfOpt::DOUBLE_ROW {
        (z.num != 2 || z.step % 16 != 0).then(|| {
            let (n, s) = (z.num, z.step);
            format!(
                "src has step {s}, count {n} in its slowest dimension; allowed: a multiple of 16, 2"
            )
        })
    } else {
        let odd = p.addr.0 & Addr4::REGISTER == 0 && p.addr.0 & 1 != 0;
        (odd || !x.num.is_multiple_of(2) || (y.num, z.num) != (1, 1)).then(|| {
            let (a, n) = (p.addr.0, [x.num, y.num, z.num]);
            format!("src has address {a:#x}, counts {n:?}; allowed: an even address, counts [even, 1, 1]")
        })
    };
    if let Some(message) = problem {
        c.error("dual-fp8", "src", message);
    }
}

/// LDWEIGHTS.
pub(super) fn load_weights(c: &mut Check<'_>) {
    only(c, "src", Space::Sbuf);
    tiles(c, "src", None);
    input(c);
    match c.generation() {
        Generation::V2 | Generation::V3 => {
            perf_opt(c);
            row_pairs(c);
        }
        Generation::V4 => dual_fp8(c),
        Generation::V5 => {}
    }
    let cols = match c.value("num_active_cols") {
        0 if c.generation() == Generation::V5 => 256,
        n => n,
    };
    let wanted = if doubled(c) { 2 * cols } else { cols };
    if let Some(n) = count(c, "src").filter(|n| *n != wanted) {
        let message = format!("src has {n} elements; expected for {cols} columns: {wanted}");
        c.at(Severity::Warn, "element-count", "src", message);
    }
}

/// `psum-flags`, `zero-region`: accumulation groups (isa 05 §2).
pub(super) fn accumulation(c: &mut Check<'_>) {
    if c.generation() >= Generation::V4 {
        return;
    }
    let flags = PsumFlags(c.value("psum_accumulate_flags") as u8);
    if flags.is_defined() && flags.0 > PsumFlags::SINGLE.0 {
        let message = format!(
            "psum_accumulate_flags is {flags}; allowed before v4: MULTI_MID, MULTI_START, MULTI_END, SINGLE"
        );
        c.error("psum-flags", "psum_accumulate_flags", message);
    }
    if c.value("psum_zero_region") != 0 {
        let message = format!(
            "psum_zero_region is {}; allowed before v4: SIZE2048",
            word(c, "psum_zero_region")
        );
        c.error("zero-region", "psum_zero_region", message);
    }
}

/// `out-dtype`, `psum-bank`: the destination of a product.
pub(super) fn result(c: &mut Check<'_>) {
    only(c, "dst", Space::Psum);
    if c.instr.value("out_dtype").is_some() {
        let allowed: &[u8] = if c.generation() < Generation::V4 {
            &[0, DType::FP32.0]
        } else {
            &[0, DType::BF16.0, DType::FP32.0]
        };
        one_of(c, "out-dtype", "out_dtype", allowed);
    }
    if c.generation() >= Generation::V4 {
        return;
    }
    let (Some(l), Some(p)) = (location(c, "dst"), pattern(c, "dst")) else {
        return;
    };
    // Before v4 the cells are 4 bytes.
    let (lo, hi) = p.extent();
    let bank = |o: i64| (i64::from(l.off) + o).div_euclid(i64::from(BANK_BYTES));
    let (first, last) = (bank(4 * lo), bank(4 * hi + 3));
    if l.space == Space::Psum && first != last {
        let message = format!(
            "dst spans banks {first} to {last}; allowed before v4: one bank of {BANK_BYTES} bytes"
        );
        c.error("psum-bank", "dst", message);
    }
}

/// `element-count`: elements of the moving operand for each element of the result.
pub(super) fn moving(c: &mut Check<'_>, elements: Option<u64>, per_result: u64) {
    if let (Some(n), Some(m)) = (elements, count(c, "dst"))
        && Some(n) != m.checked_mul(per_result)
    {
        let message = format!(
            "src has {n} elements; allowed with {m} elements of dst: {}",
            m.saturating_mul(per_result)
        );
        c.error("element-count", "src", message);
    }
}

/// MATMUL.
pub(super) fn multiply(c: &mut Check<'_>) {
    only(c, "src", Space::Sbuf);
    tiles(c, "src", Some("dst"));
    input(c);
    perf_opt(c);
    row_pairs(c);
    accumulation(c);
    result(c);
    let pixels = PerfOpt(c.value("perf_opt") as u8) == PerfOpt::DOUBLE_PIXEL;
    let elements = count(c, "src");
    moving(c, elements, if pixels || doubled(c) { 2 } else { 1 });
    let accumulate = c.value("accumulate_flag") == u64::from(AccumulateMode::ACCUMULATE.0);
    if c.generation() == Generation::V4 && accumulate {
        let message = "accumulate_flag is set; only psum_accumulate_flags decides on v4".to_owned();
        c.at(
            Severity::Info,
            "accumulate-flag",
            "accumulate_flag",
            message,
        );
    }
}
