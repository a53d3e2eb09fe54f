//! Legality of the DMA family (isa 09 §2..§7).

use crate::isa::DType;
use crate::isa::field::{Field, FieldKind};
use crate::isa::fields::{
    Addr4, Addr8, AddrForm, DevicePlace, DgeOp, IndirectMode, Space, WireDim,
};
use crate::isa::generation::PARTITIONS;
use crate::isa::legal::Check;
use crate::isa::ops::dtype_class::DTypeSet;
use crate::isa::ops::rules::{dtype_in, one_of, same_dtype, word};

/// One side of a transfer: its fields are named `src_..` or `dst_..`.
type Side = &'static str;
const SIDES: [Side; 2] = ["src", "dst"];

fn name(side: Side, field: &str) -> String {
    format!("{side}_{field}")
}

/// The ADDR8 of a field.
pub(in crate::isa::ops) fn address(c: &Check<'_>, field: &str) -> Option<Addr8> {
    let f = c.format().field(field)?;
    (f.kind == FieldKind::Addr8).then(|| Addr8::get(&c.instr.bundle, f.at))
}

/// `addr8`: a marker of the table, with the bytes its form leaves 0 (isa 09 §2.1).
pub(in crate::isa::ops) fn marker(c: &mut Check<'_>, field: &str) {
    let Some(a) = address(c, field) else { return };
    let bytes = a.0.to_le_bytes();
    let [lo, hi, middle @ .., top] = bytes;
    let form = top & 0xBF;
    let problem = match form {
        0x00 => None,
        0x80 if lo > 63 || hi > 63 => Some("registers 0..63"),
        0x80 if middle != [0; 5] => Some("0 in bytes 2..6 of the register form"),
        0x80 | 0x20 | 0x24 => None,
        0x28 | 0x2C if lo > 63 => Some("registers 0..63"),
        0x28 | 0x2C => None,
        _ => Some("markers 0x00, 0x80, 0x20, 0x24, 0x28, 0x2c, each also with 0x40"),
    };
    if let Some(allowed) = problem {
        let message = format!(
            "{field} is {:#018x} (marker {top:#04x}); allowed: {allowed}",
            a.0
        );
        c.error("addr8", field, message);
    }
}

/// `address`: the first and the last byte of a static transfer exist; PSUM has no DMA port
/// (isa 09 §2.3).
pub(in crate::isa::ops) fn reachable(c: &mut Check<'_>, field: &str, first: i128, last: i128) {
    let g = c.generation();
    let there = |a: i128| u64::try_from(a).ok().and_then(|a| DevicePlace::of(a, g));
    if let Some(a) = [first, last].into_iter().find(|a| there(*a).is_none()) {
        let message = format!(
            "{field} reaches {a:#x}; allowed: device memory, SBUF, event and semaphore windows"
        );
        c.error("address", field, message);
    }
}

/// `dma-priority`: classes 0..4 (isa 09 §2.5).
pub(in crate::isa::ops) fn priority(c: &mut Check<'_>) {
    let p = c.value("priority_class");
    if p > 4 {
        c.error(
            "dma-priority",
            "priority_class",
            format!("priority_class is {p}; allowed: 0..4"),
        );
    }
}

/// `bound-register`: all zero, or enabled (isa 09 §2.4).
pub(in crate::isa::ops) fn bounds(c: &mut Check<'_>, prefixes: &[&str]) {
    for p in prefixes {
        let reg = format!("{p}_reg");
        let set = c.value(&reg) != 0 || c.value(&format!("{p}_silent")) != 0;
        if c.value(&format!("{p}_enabled")) == 0 && set {
            let message = format!("{reg} is set but not enabled; allowed: all 0, or enabled");
            c.error("bound-register", &reg, message);
        }
    }
}

/// Two numbers of a list field.
fn pair(c: &Check<'_>, field: &str, width: u16) -> (u64, u64) {
    let v = c.value(field);
    (v & ((1 << width) - 1), v >> width)
}

/// Bytes of an element: 0 stands for 65536.
fn element_bytes(c: &Check<'_>, field: &str) -> u64 {
    match c.value(field) {
        0 => 65536,
        n => n,
    }
}

/// A 2-D side whose shape is in the bundle: bytes from first to last, and how many are moved.
struct Extent {
    reach: (i128, i128),
    bytes: u64,
}

/// `count`, `shape-register`: counts are there exactly when the shape is not in a register.
fn shape(c: &mut Check<'_>, side: Side, in_register: bool) -> Option<Extent> {
    let (step, num) = (name(side, "step_elem"), name(side, "num_elem"));
    let ((s0, s1), (n0, n1)) = (pair(c, &step, 32), pair(c, &num, 16));
    if in_register {
        if (n0, n1, s1) != (0, 0, 0) || s0 > 3 {
            let message = format!(
                "{step} is {s0}, {s1}, {num} {n0}, {n1}; allowed with a shape register: its number 0..3, else 0"
            );
            c.error("shape-register", &num, message);
        }
        return None;
    }
    if n0 == 0 || n1 == 0 {
        let message = format!("{num} is {n0}, {n1}; allowed: 1..65535, or 0 with a shape register");
        c.error("count", &num, message);
        return None;
    }
    let bytes = element_bytes(c, &name(side, "elem_size"));
    let far = |s: u64, n: u64| i128::from(s as u32 as i32) * i128::from(n - 1);
    let (x, y) = (far(s0, n0), far(s1, n1));
    Some(Extent {
        reach: (
            x.min(0) + y.min(0),
            x.max(0) + y.max(0) + i128::from(bytes) - 1,
        ),
        bytes: n0 * n1 * bytes,
    })
}

/// Both 2-D sides of a copy between device addresses.
fn sides(c: &mut Check<'_>) -> Option<[Extent; 2]> {
    let [src, dst] = SIDES.map(|side| {
        let start = name(side, "start_addr");
        marker(c, &start);
        let a = address(c, &start)?;
        let extent = shape(c, side, a.shape_register())?;
        if let Some(first) = a.immediate() {
            let (lo, hi) = extent.reach;
            reachable(c, &start, i128::from(first) + lo, i128::from(first) + hi);
        }
        Some(extent)
    });
    Some([src?, dst?])
}

fn bytes_of(c: &Check<'_>, field: &str) -> u64 {
    u64::from(DType(c.value(field) as u8).bytes())
}

/// `dma-bytes`: both sides move as many bytes, or as many elements when a cast changes their size.
fn totals(c: &mut Check<'_>, src: u64, dst: u64) {
    let (i, o) = (bytes_of(c, "in_dtype"), bytes_of(c, "out_dtype"));
    let cast = i != 0 && o != 0 && i != o;
    let equal = if cast {
        src.is_multiple_of(i) && dst.is_multiple_of(o) && src / i == dst / o
    } else {
        src == dst
    };
    if !equal {
        let what = if cast { "elements" } else { "bytes" };
        let message = format!("source has {src} bytes, destination {dst}; allowed: as many {what}");
        c.error("dma-bytes", "dst_elem_size", message);
    }
}

/// `alignment`: arithmetic works on whole elements of the dtype (isa 09 §3).
fn compute(c: &mut Check<'_>) {
    if DgeOp(c.value("compute_op") as u8) == DgeOp::NONE {
        return;
    }
    for (side, dtype) in [("src", "in_dtype"), ("dst", "out_dtype")] {
        if c.value(dtype) == 0 {
            let message = format!(
                "{dtype} is not given; needed with {}",
                word(c, "compute_op")
            );
            c.error("dtype", dtype, message);
            continue;
        }
        let unit = bytes_of(c, dtype).max(1);
        let start = name(side, "start_addr");
        let first = address(c, &start).and_then(|a| a.immediate()).unwrap_or(0);
        let steps = name(side, "step_elem");
        let (s0, s1) = pair(c, &steps, 32);
        let size = element_bytes(c, &name(side, "elem_size"));
        let shaped = address(c, &start).is_some_and(|a| a.shape_register());
        let off = |s: u64| {
            !shaped
                && !i64::from(s as u32 as i32)
                    .unsigned_abs()
                    .is_multiple_of(unit)
        };
        if !first.is_multiple_of(unit) || !size.is_multiple_of(unit) || off(s0) || off(s1) {
            let message = format!(
                "start, steps and element size of the {side} side; allowed with compute_op: multiples of {unit}"
            );
            c.error("alignment", &start, message);
        }
    }
}

/// DMAMEMCPY.
pub(super) fn copy(c: &mut Check<'_>) {
    priority(c);
    bounds(c, &["src_bound", "dst_bound"]);
    if let Some([src, dst]) = sides(c) {
        totals(c, src.bytes, dst.bytes);
    }
    compute(c);
}

/// `dma-bytes`, `count` of a 2-D copy whose addresses are variables (0xD4).
pub(in crate::isa::ops) fn pseudo_sides(c: &mut Check<'_>, in_register: [bool; 2]) {
    let [a, b] = in_register;
    let (src, dst) = (shape(c, "src", a), shape(c, "dst", b));
    if let (Some(src), Some(dst)) = (src, dst) {
        totals(c, src.bytes, dst.bytes);
    }
}

/// `dma-index`: an index vector is named by a register or lies in SBUF partition 0 (isa 09 §2.2).
fn index(c: &mut Check<'_>, field: &str, used: bool) {
    let g = c.generation();
    let a = Addr4(c.value(field) as u32);
    let ok = match a.form() {
        AddrForm::Register(_) | AddrForm::IndexRegister(_) => true,
        AddrForm::Immediate(_) | AddrForm::IndexImmediate(_) => a.location(g).is_some_and(|l| {
            l.space == Space::Sbuf && l.part == 0 && l.is_backed(g) && l.off.is_multiple_of(4)
        }),
        AddrForm::Undefined => false,
    };
    if used && !ok {
        let message = format!(
            "{field} is {:#010x}; allowed: a register, or a word of SBUF partition 0",
            a.0
        );
        c.error("dma-index", field, message);
    }
}

/// `dma-index-channels`: index vectors are laid out over all partitions (isa 02 §5).
fn index_channels(c: &mut Check<'_>) {
    one_of(
        c,
        "dma-index-channels",
        "idx_num_active_channels",
        &[PARTITIONS as u8],
    );
}

/// DMA_INDIRECT (isa 09 §4).
pub(super) fn indirect(c: &mut Check<'_>) {
    priority(c);
    bounds(c, &["src_idx_bound", "dst_idx_bound"]);
    index_channels(c);
    let mode = IndirectMode(c.value("indirect_mode") as u8);
    let through = [mode != IndirectMode::DST, mode != IndirectMode::SRC];
    let mut bytes = [None; 2];
    for ((side, through), total) in SIDES.into_iter().zip(through).zip(&mut bytes) {
        index(c, &name(side, "idx_start_addr"), through);
        let start = name(side, "start_addr");
        marker(c, &start);
        let num = name(side, "num_elem");
        let n = c.value(&num);
        if address(c, &start).is_some_and(|a| a.shape_register()) {
            continue;
        }
        if n == 0 {
            c.error("count", &num, format!("{num} is 0; allowed: 1..65535"));
        } else if through && n > 4096 {
            c.error(
                "dma-index-count",
                &num,
                format!("{num} is {n}; allowed with an index vector: 1..4096"),
            );
        } else {
            *total = Some(n * element_bytes(c, &name(side, "elem_size")));
        }
    }
    if let [Some(src), Some(dst)] = bytes {
        totals(c, src, dst);
    }
    compute(c);
}

/// `dma-transpose`: 32-byte granules of the destination (isa 09 §5, §6).
fn granules(c: &mut Check<'_>, steps: &[(&str, u64, u64)]) {
    let g = c.generation();
    if let Some(a) = address(c, "dst_start_addr").and_then(|a| a.immediate()) {
        let sbuf = matches!(DevicePlace::of(a, g), Some(DevicePlace::Sbuf(_)));
        if !sbuf || !a.is_multiple_of(32) {
            let message = format!("dst_start_addr is {a:#x}; allowed: a multiple of 32 in SBUF");
            c.error("dma-transpose", "dst_start_addr", message);
        }
    }
    for (field, step, n) in steps {
        let step = *step as u32 as i32;
        if *n != 1 && step % 32 != 0 {
            let message = format!("{field} is {step}; allowed: multiples of 32");
            c.error("dma-transpose", field, message);
        }
    }
}

/// Two-byte types.
const HALF: DTypeSet = DTypeSet::of(&[DType::BF16, DType::FP16, DType::I16, DType::U16]);
const HALF_OR_WORD: DTypeSet = HALF.or(DTypeSet::of(&[DType::FP32, DType::I32, DType::U32]));

/// DMA_TRANSPOSE (isa 09 §5).
pub(super) fn transpose(c: &mut Check<'_>) {
    priority(c);
    bounds(c, &["src_bound", "dst_bound"]);
    dtype_in(c, "in_dtype", HALF_OR_WORD);
    same_dtype(c, "in_dtype", "out_dtype");
    one_of(c, "dma-tile", "tile_src_rows", &[16]);
    let most = if bytes_of(c, "in_dtype") == 4 {
        64
    } else {
        128
    };
    let cols = c.value("tile_src_cols");
    if !(1..=most).contains(&cols) {
        let message = format!(
            "tile_src_cols is {cols}; allowed with {}: 1..{most}",
            word(c, "in_dtype")
        );
        c.error("dma-tile", "tile_src_cols", message);
    }
    for side in SIDES {
        let start = name(side, "start_addr");
        marker(c, &start);
        let num = name(side, "num_elem");
        let (n0, n1) = pair(c, &num, 16);
        let shaped = address(c, &start).is_some_and(|a| a.shape_register());
        if !shaped && (n0 == 0 || n1 == 0) {
            c.error(
                "count",
                &num,
                format!("{num} is {n0}, {n1}; allowed: 1..65535"),
            );
        }
    }
    let (s0, s1) = pair(c, "dst_step_elem", 32);
    let (n0, n1) = pair(c, "dst_num_elem", 16);
    granules(c, &[("dst_step_elem", s0, n0), ("dst_step_elem", s1, n1)]);
}

/// DMA_GATHER_TRANSPOSE (isa 09 §6).
pub(super) fn gather_transpose(c: &mut Check<'_>) {
    priority(c);
    bounds(c, &["src_idx_bound", "dst_bound"]);
    index_channels(c);
    index(c, "src_idx_start_addr", true);
    dtype_in(c, "in_dtype", HALF);
    same_dtype(c, "in_dtype", "out_dtype");
    let size = c.value("elem_size");
    if !(2..=256).contains(&size) || !size.is_multiple_of(2) {
        let message = format!("elem_size is {size}; allowed: even, 2..256");
        c.error("dma-tile", "elem_size", message);
    }
    one_of(c, "dma-gather-dim", "gather_dim", &[WireDim::Y.0]);
    let ((.., rows), (cols, n1)) = (pair(c, "src_num_elem", 16), pair(c, "dst_num_elem", 16));
    if rows != cols {
        let message = format!("src_num_elem[1] is {rows}, dst_num_elem[0] {cols}: they must agree");
        c.error("dma-bytes", "src_num_elem", message);
    }
    if rows == 0 || !rows.is_multiple_of(16) {
        let message = format!("src_num_elem[1] is {rows}; allowed: a multiple of 16");
        c.error("dma-index-count", "src_num_elem", message);
    }
    for side in SIDES {
        marker(c, &name(side, "start_addr"));
    }
    granules(c, &[("dst_step_1", c.value("dst_step_1"), n1)]);
}

/// DMA_IMMEDIATE (v5, isa 09 §7).
pub(super) fn immediate(c: &mut Check<'_>) {
    one_of(c, "dma-descriptors", "num_descriptors", &[1, 2, 3]);
    for field in ["dma_engine_count", "tdg", "wr_done_sync"] {
        one_of(c, "fixed-value", field, &[0]);
    }
}
