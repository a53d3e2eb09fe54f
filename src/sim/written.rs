//! One "written" bit per byte of memory, worked on by 64-bit words: ranges cost one operation per 64 bytes.
//!
//! Changes are kept as XOR masks: flipping by the same mask twice is the identity, so one record serves undo and redo.

/// Bytes covered by one word.
pub(super) const WORD: usize = 64;

/// The part of a bit range that falls into one word: word index and mask.
fn pieces(start: usize, len: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = start.saturating_add(len);
    let words = if len == 0 {
        0..0
    } else {
        start / WORD..end.div_ceil(WORD)
    };
    words.map(move |w| {
        let lo = start.saturating_sub(w * WORD).min(WORD - 1);
        let hi = (end - w * WORD).min(WORD);
        (w, (u64::MAX << lo) & (u64::MAX >> (WORD - hi)))
    })
}

/// Number of words that a range of bits touches.
pub(super) const fn words_touched(start: usize, len: usize) -> usize {
    if len == 0 {
        0
    } else {
        (start % WORD + len).div_ceil(WORD)
    }
}

/// Sets every bit of the range.
pub(super) fn set(bits: &mut [u64], start: usize, len: usize) {
    for (w, mask) in pieces(start, len) {
        if let Some(word) = bits.get_mut(w) {
            *word |= mask;
        }
    }
}

/// Flips every bit of the range.
pub(super) fn flip(bits: &mut [u64], start: usize, len: usize) {
    for (w, mask) in pieces(start, len) {
        if let Some(word) = bits.get_mut(w) {
            *word ^= mask;
        }
    }
}

/// Flips the bits of a packed mask of [`words_touched`] little-endian words, as [`clear_mask`] wrote it.
pub(super) fn flip_mask(bits: &mut [u64], start: usize, mask: &[u8]) {
    let words = bits.iter_mut().skip(start / WORD);
    for (word, bytes) in words.zip(mask.as_chunks::<8>().0) {
        *word ^= u64::from_le_bytes(*bytes);
    }
}

/// Calls `out` with each touched word of the mask of the clear bits of the range, in order.
pub(super) fn clear_mask(bits: &[u64], start: usize, len: usize, mut out: impl FnMut(u64)) {
    for (w, mask) in pieces(start, len) {
        out(mask & !bits.get(w).copied().unwrap_or(u64::MAX));
    }
}

/// Number of clear bits in the range.
pub(super) fn count_clear(bits: &[u64], start: usize, len: usize) -> usize {
    let mut n = 0;
    clear_mask(bits, start, len, |m| n += m.count_ones() as usize);
    n
}

/// True when no bit of the range is clear.
pub(super) fn all_set(bits: &[u64], start: usize, len: usize) -> bool {
    pieces(start, len).all(|(w, mask)| bits.get(w).is_none_or(|b| b & mask == mask))
}

/// True when no bit of the range is set.
pub(super) fn all_clear(bits: &[u64], start: usize, len: usize) -> bool {
    pieces(start, len).all(|(w, mask)| bits.get(w).is_none_or(|b| b & mask == 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn word_operations_agree_with_single_bits(
            bits in proptest::collection::vec(any::<u64>(), 5),
            start in 0..300usize,
            len in 0..300usize,
        ) {
            let len = len.min(5 * WORD - start);
            let bit = |b: &[u64], i: usize| b[i / WORD] >> (i % WORD) & 1 == 1;
            let clear = (start..start + len).filter(|&i| !bit(&bits, i)).count();
            prop_assert_eq!(count_clear(&bits, start, len), clear);
            prop_assert_eq!(all_set(&bits, start, len), clear == 0);
            prop_assert_eq!(all_clear(&bits, start, len), clear == len);

            let mut mask = Vec::new();
            clear_mask(&bits, start, len, |w| mask.extend(w.to_le_bytes()));
            prop_assert_eq!(mask.len(), 8 * words_touched(start, len));

            let (mut by_set, mut by_mask, mut flipped) = (bits.clone(), bits.clone(), bits.clone());
            set(&mut by_set, start, len);
            flip_mask(&mut by_mask, start, &mask);
            prop_assert_eq!(&by_set, &by_mask);
            flip_mask(&mut by_mask, start, &mask);
            prop_assert_eq!(&bits, &by_mask);
            flip(&mut flipped, start, len);
            for i in 0..5 * WORD {
                let inside = (start..start + len).contains(&i);
                prop_assert_eq!(bit(&by_set, i), inside || bit(&bits, i));
                prop_assert_eq!(bit(&flipped, i), inside ^ bit(&bits, i));
            }
        }
    }
}
