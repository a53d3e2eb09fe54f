//! LDTAGS and MATMUL_SPARSE: tags choose the moving row and fmap of every weight (isa 05 §8).

use super::kernel::sum_terms;
use super::load::{fp32_mode, in_sbuf, take_part};
use super::psum::Target;
use super::tile::{SIDE, Tile, value};
use crate::isa::fields::TileGroup;
use crate::sim::Region;
use crate::sim::exec::Cx;
use crate::sim::fault::Trap;
use crate::sim::settings::Id;

/// Tags per word of the region, and words per row of the array.
const PER_WORD: usize = 8;
const ROW_WORDS: usize = SIDE as usize / PER_WORD;

/// The tags of the rows of a tile.
fn tags_of(tile: Tile) -> Region {
    let words = ROW_WORDS as u32;
    Region::TAGS.slice(tile.rows.base * words, tile.rows.len * words)
}

fn tag(words: &[u32], row: usize, col: usize) -> usize {
    let word = words
        .get(row * ROW_WORDS + col / PER_WORD)
        .copied()
        .unwrap_or(0);
    (word >> (4 * (col % PER_WORD)) & 0xF) as usize
}

/// 0x06: nibble t of word j belongs to column `C - 1 - (4 j + t)`, as for the weights.
pub(super) fn ldtags(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let tile = Tile::with_default(cx, TileGroup::ALL.0)?;
    let src = cx.operand("src")?;
    in_sbuf(&src)?;
    let cols = tile.cols.active as usize;
    if src.elem != 2 || src.count != cols.div_ceil(4) {
        let m = format!(
            "{} elements of {} bytes hold the tags of {cols} columns",
            src.count, src.elem
        );
        return Err(Trap::at("count", "src", m));
    }
    let force = value(cx, "force_tag_bits") as u32 & 0xF;
    let last_first = cx.settings.is(Id::WeightOrder, 0);
    let mut words = cx.hidden(tags_of(tile)).to_vec();
    let mut raw = Vec::new();
    for r in 0..tile.rows.active as usize {
        cx.lane_raw(&src, r as u16, &mut raw);
        for i in 0..cols {
            let nibble = raw
                .get(i / 4)
                .map_or(0, |w| (w >> (4 * (i % 4))) as u32 & 0xF);
            let col = tile.cols.base as usize + if last_first { cols - 1 - i } else { i };
            if let Some(word) = words.get_mut(r * ROW_WORDS + col / PER_WORD) {
                let shift = 4 * (col % PER_WORD);
                *word = *word & !(0xF << shift) | (nibble | force) << shift;
            }
        }
    }
    cx.writer.set_hidden(tags_of(tile), &words);
    Ok(())
}

/// 0x07: `out[m,n] (+)= sum over k of w[k,m] * x[32 (f >> 2) + (k & 31)][f & 3][n]`, f the tag of
/// (k, m).
pub(super) fn matmul_sparse(cx: &mut Cx<'_, '_>) -> Result<(), Trap> {
    let tile = Tile::of(cx)?;
    let src = cx.operand("src")?;
    in_sbuf(&src)?;
    if value(cx, "perf_opt") != 0 {
        return Err(Trap::not_modelled(
            "performance modes of the sparse product",
        ));
    }
    let target = Target::of(cx, false)?;
    let latched = tile.latched(cx);
    if latched.is_some_and(|l| l.planes != 1) {
        return Err(Trap::not_modelled(
            "sparse product over weights with several values per cell",
        ));
    }
    let width = target.walk().count;
    let fmaps = src.count / width.max(1);
    if fmaps * width != src.count || !(1..=4).contains(&fmaps) {
        let m = format!(
            "{} moving elements are not 1..4 fmaps of {width}",
            src.count
        );
        return Err(Trap::at("count", "src", m));
    }
    let (part, rules) = (fp32_mode(cx, src.dtype), *cx.rules());
    let (mut moving, mut values) = (Vec::new(), Vec::new());
    for lane in 0..src.lanes {
        cx.lane_f32(&src, lane, &mut values);
        take_part(part, &rules, &mut values);
        moving.extend_from_slice(&values);
    }
    let (rows, cols) = (tile.rows.active as usize, tile.cols.active as usize);
    let (row_base, col_base) = (tile.rows.base as usize, tile.cols.base as usize);
    let wide = cx.settings.is(Id::PeSum, 1);
    let mut out = vec![0.0; cols * width];
    let mut odd_weights = Vec::new();
    for (m, out) in out.chunks_exact_mut(width).enumerate() {
        cx.poll()?;
        let (tags, words) = (cx.hidden(tags_of(tile)), cx.hidden(tile.rows_of(0)));
        let mut terms = Vec::with_capacity(rows);
        for r in 0..rows {
            let (f, col) = (tag(tags, r, col_base + m), col_base + m);
            let partition = 32 * (f >> 2) + ((row_base + r) & 31);
            let lane = partition.checked_sub(usize::from(src.part));
            let at = lane.map(|l| l * src.count + (f & 3) * width);
            let x = match at.and_then(|at| moving.get(at..at + width)) {
                Some(x) if f & 3 < fmaps => x,
                _ => {
                    let m = format!(
                        "tag {f:#x} of row {}, column {col} names fmap {} of partition {partition}; \
                         the source has {fmaps} fmaps in partitions {}..{}",
                        row_base + r,
                        f & 3,
                        src.part,
                        src.part + src.lanes
                    );
                    return Err(Trap::at("sparse-tag", "src", m));
                }
            };
            let w = words
                .get(r * SIDE as usize + col)
                .map_or(0.0, |w| f32::from_bits(*w));
            odd_weights.extend((!w.is_finite()).then_some(w));
            terms.push((w, x));
        }
        sum_terms(wide, &terms, out);
    }
    let any_operand = |odd: fn(f32) -> bool| odd_weights.iter().chain(&moving).any(|x| odd(*x));
    target.accumulate(
        cx,
        |m| out.get(m * width..(m + 1) * width).unwrap_or(&[]),
        any_operand,
    )
}
