//! One "written" bit per byte of memory, worked on by 64-bit words: ranges cost one operation per 64 bytes.
//!
//! Changes are kept as XOR masks: flipping by the same mask twice is the identity, so one record serves undo and redo.

use std::ops::Range;

/// Bytes covered by one word.
pub(super) const WORD: usize = 64;

/// A range of bits as two words of which a part lies in the range, and the whole words between them.
struct Cut {
    /// Word and mask; the mask is 0 when there is no such word.
    head: (usize, u64),
    whole: Range<usize>,
    tail: (usize, u64),
}

fn cut(start: usize, len: usize) -> Cut {
    let end = start.saturating_add(len);
    let (first, last) = (start / WORD, end / WORD);
    let (from, to) = (u64::MAX << (start % WORD), !(u64::MAX << (end % WORD)));
    if first == last {
        Cut {
            head: (first, from & to),
            whole: first..first,
            tail: (last, 0),
        }
    } else if start.is_multiple_of(WORD) {
        Cut {
            head: (first, 0),
            whole: first..last,
            tail: (last, to),
        }
    } else {
        Cut {
            head: (first, from),
            whole: first + 1..last,
            tail: (last, to),
        }
    }
}

impl Cut {
    /// Changes each word by the mask of its bits inside the range.
    fn apply(self, bits: &mut [u64], change: impl Fn(&mut u64, u64)) {
        for (w, mask) in [self.head, self.tail] {
            if let Some(word) = bits.get_mut(w).filter(|_| mask != 0) {
                change(word, mask);
            }
        }
        let whole = bits.get_mut(self.whole).unwrap_or_default();
        whole.iter_mut().for_each(|word| change(word, u64::MAX));
    }

    /// True when all bits inside the range are as in `wanted`, all ones or all zeros. Looks at several words at a time.
    fn all(self, bits: &[u64], wanted: u64) -> bool {
        let part = |(w, mask): (usize, u64)| bits.get(w).is_none_or(|w| (w ^ wanted) & mask == 0);
        let differ = |words: &[u64]| words.iter().fold(0, |d, w| d | (w ^ wanted));
        let whole = bits.get(self.whole).unwrap_or_default();
        part(self.head) && part(self.tail) && whole.chunks(32).all(|words| differ(words) == 0)
    }

    /// Gives each touched word with the mask of its bits inside the range, in order.
    fn words(self, bits: &[u64]) -> impl Iterator<Item = (u64, u64)> {
        let part =
            |(w, mask): (usize, u64)| bits.get(w).filter(|_| mask != 0).map(|word| (*word, mask));
        let whole = bits.get(self.whole).unwrap_or_default();
        part(self.head)
            .into_iter()
            .chain(whole.iter().map(|word| (*word, u64::MAX)))
            .chain(part(self.tail))
    }
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
    cut(start, len).apply(bits, |word, mask| *word |= mask);
}

/// Flips every bit of the range.
pub(super) fn flip(bits: &mut [u64], start: usize, len: usize) {
    cut(start, len).apply(bits, |word, mask| *word ^= mask);
}

/// Sets the bits that are set in a mask of whole words; bit 0 of the mask lies at `start` rounded down to a word.
pub(super) fn set_mask(bits: &mut [u64], start: usize, mask: &[u64]) {
    let words = bits.get_mut(start / WORD..).unwrap_or_default();
    words
        .iter_mut()
        .zip(mask)
        .for_each(|(word, mask)| *word |= mask);
}

/// Flips the bits of a packed mask of [`words_touched`] little-endian words, as [`clear_mask`] wrote it.
pub(super) fn flip_mask(bits: &mut [u64], start: usize, mask: &[u8]) {
    let words = bits.get_mut(start / WORD..).unwrap_or_default();
    for (word, bytes) in words.iter_mut().zip(mask.as_chunks::<8>().0) {
        *word ^= u64::from_le_bytes(*bytes);
    }
}

/// Each touched word of the mask of the clear bits of the range, in order.
pub(super) fn clear_mask(bits: &[u64], start: usize, len: usize) -> impl Iterator<Item = u64> {
    cut(start, len).words(bits).map(|(word, mask)| mask & !word)
}

/// Each touched word of the mask of the set bits of the range, in order.
pub(super) fn marked(bits: &[u64], start: usize, len: usize) -> impl Iterator<Item = u64> {
    cut(start, len).words(bits).map(|(word, mask)| mask & word)
}

/// Clears every bit of the range.
pub(super) fn clear(bits: &mut [u64], start: usize, len: usize) {
    cut(start, len).apply(bits, |word, mask| *word &= !mask);
}

/// Number of clear bits in the range.
pub(super) fn count_clear(bits: &[u64], start: usize, len: usize) -> u64 {
    clear_mask(bits, start, len)
        .map(|w| u64::from(w.count_ones()))
        .sum()
}

/// True when no bit of the range is clear.
pub(super) fn all_set(bits: &[u64], start: usize, len: usize) -> bool {
    cut(start, len).all(bits, u64::MAX)
}

/// True when no bit of the range is set.
pub(super) fn all_clear(bits: &[u64], start: usize, len: usize) -> bool {
    cut(start, len).all(bits, 0)
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
            prop_assert_eq!(count_clear(&bits, start, len), clear as u64);
            prop_assert_eq!(all_set(&bits, start, len), clear == 0);
            prop_assert_eq!(all_clear(&bits, start, len), clear == len);

            let mask: Vec<u8> = clear_mask(&bits, start, len).flat_map(u64::to_le_bytes).collect();
            prop_assert_eq!(mask.len(), 8 * words_touched(start, len));

            let (mut by_set, mut by_mask, mut flipped) = (bits.clone(), bits.clone(), bits.clone());
            set(&mut by_set, start, len);
            flip_mask(&mut by_mask, start, &mask);
            prop_assert_eq!(&by_set, &by_mask);
            flip_mask(&mut by_mask, start, &mask);
            prop_assert_eq!(&bits, &by_mask);
            flip(&mut flipped, start, len);
            let (mut by_words, mut row) = (bits.clone(), vec![0; words_touched(start, len)]);
            set(&mut row, start % WORD, len);
            set_mask(&mut by_words, start, &row);
            prop_assert_eq!(&by_set, &by_words);
            for i in 0..5 * WORD {
                let inside = (start..start + len).contains(&i);
                prop_assert_eq!(bit(&by_set, i), inside || bit(&bits, i));
                prop_assert_eq!(bit(&flipped, i), inside ^ bit(&bits, i));
            }
        }
    }
}
