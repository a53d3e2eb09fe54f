//! The bytes of a walk as text: columns are bytes, rows are partitions.

use std::fmt::Write;

use crate::isa::fields::{Location, Pattern};

/// Columns of the picture.
const COLUMNS: u64 = 64;
/// Partitions in a row of the picture.
const ROWS: u64 = 16;
/// Runs looked at; a walk of more is drawn as its extent.
const MOST_RUNS: usize = 1 << 16;

/// `#` all bytes of a column are touched, `+` some, `.` none. `bytes` is the range of the walk inside a partition.
pub fn picture(
    p: &Pattern,
    start: Location,
    lanes: u64,
    size: i64,
    bytes: (i64, i64),
) -> Vec<String> {
    let (first, end) = bytes;
    let span = end - first;
    if span <= 0 {
        return Vec::new();
    }
    // A column is a power of two of bytes, so that the ruler has round numbers.
    let width = (span.unsigned_abs().div_ceil(COLUMNS)).next_power_of_two() as i64;
    let origin = first.div_euclid(width) * width;
    let columns = (end - origin).unsigned_abs().div_ceil(width.unsigned_abs()) as usize;
    let row = columns_of(p, start, size, origin, width, columns, bytes);
    let mut lines = vec![ruler(origin, width, columns)];
    let (from, to) = (
        u64::from(start.part),
        u64::from(start.part) + lanes.clamp(1, 128),
    );
    for low in (0..128).step_by(ROWS as usize) {
        let touched = from.max(low)..to.min(low + ROWS);
        if touched.is_empty() {
            continue;
        }
        lines.push(format!(
            "{:>8} {row}",
            format!("p{}..{}", touched.start, touched.end)
        ));
    }
    lines
}

/// Byte offsets over every sixteenth column.
fn ruler(origin: i64, width: i64, columns: usize) -> String {
    let mut text = " ".repeat(9);
    for mark in (0..columns).step_by(16) {
        let at = origin + mark as i64 * width;
        let sign = if at < 0 { "-" } else { "" };
        let _ = write!(text, "{:<16}", format!("{sign}{:#x}", at.unsigned_abs()));
    }
    text.trim_end().to_owned()
}

fn columns_of(
    p: &Pattern,
    start: Location,
    size: i64,
    origin: i64,
    width: i64,
    columns: usize,
    (first, end): (i64, i64),
) -> String {
    let mut touched = vec![Vec::new(); columns];
    let mut complete = true;
    for (n, run) in p.runs().enumerate() {
        if n == MOST_RUNS {
            complete = false;
            break;
        }
        let from = i64::from(start.off) + run.first * size;
        let to = from + i64::from(run.len) * size;
        let (a, b) = ((from - origin) / width, (to - 1 - origin) / width);
        for column in a..=b {
            let low = origin + column * width;
            if let Some(list) = usize::try_from(column)
                .ok()
                .and_then(|c| touched.get_mut(c))
            {
                list.push((from.max(low) - low, to.min(low + width) - low));
            }
        }
    }
    touched
        .into_iter()
        .enumerate()
        .map(|(c, list)| {
            let low = origin + c as i64 * width;
            match covered(list) {
                n if n == width => '#',
                0 if complete || low >= end || low + width <= first => '.',
                _ => '+',
            }
        })
        .collect()
}

/// Bytes in the union of ranges.
fn covered(mut ranges: Vec<(i64, i64)>) -> i64 {
    ranges.sort_unstable();
    let mut reach = 0;
    let mut sum = 0;
    for (from, to) in ranges {
        sum += (to - from.max(reach)).max(0);
        reach = reach.max(to);
    }
    sum
}
