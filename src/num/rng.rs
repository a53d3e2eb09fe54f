//! The random generators of isa 15 §8 and 07c C5 as pure steps: state in, state and word out.
//!
//! Philox is absent: where its state words go in key and counter is not published. No claim is made
//! that silicon gives the same words.

/// LFSR, x^32 + x^22 + x^2 + x + 1, shifting left; the word is the new state.
#[must_use]
pub const fn lfsr(state: u32) -> (u32, u32) {
    let bit = (state >> 31 ^ state >> 21 ^ state >> 1 ^ state) & 1;
    let next = state << 1 | bit;
    (next, next)
}

/// XORWOW: five xorshift words and a Weyl counter.
#[must_use]
pub const fn xorwow([x, y, z, w, v, d]: [u32; 6]) -> ([u32; 6], u32) {
    let t = x ^ x >> 2;
    let last = v ^ v << 4 ^ t ^ t << 1;
    let weyl = d.wrapping_add(362_437);
    ([y, z, w, v, last, weyl], last.wrapping_add(weyl))
}

/// A XORWOW state that can move: five zero words would stay zero, so the fifth becomes 1.
#[must_use]
pub const fn xorwow_state(words: [u32; 6]) -> [u32; 6] {
    match words {
        [0, 0, 0, 0, 0, d] => [0, 0, 0, 0, 1, d],
        words => words,
    }
}

/// PCG32 XSH-RR; the word comes from the old state.
#[must_use]
pub const fn pcg32(state: u64) -> (u64, u32) {
    let next = state
        .wrapping_mul(0x5851_F42D_4C95_7F2D)
        .wrapping_add(0x1405_7B7E_F767_814F);
    let shifted = ((state >> 18 ^ state) >> 27) as u32;
    (next, shifted.rotate_right((state >> 59) as u32))
}

/// A word as a number in [0, 1): its low 23 bits as the mantissa.
#[must_use]
pub const fn unit(word: u32) -> f32 {
    f32::from_bits(word & 0x007F_FFFF | 0x3F80_0000) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw<S, const N: usize>(mut state: S, step: impl Fn(S) -> (S, u32)) -> [u32; N] {
        let mut words = [0; N];
        for word in &mut words {
            (state, *word) = step(state);
        }
        words
    }

    /// Sequences of isa 15 §8.
    #[test]
    fn sequences_of_the_sheet() {
        assert_eq!(draw(1, lfsr), [3, 6, 0xD, 0x1B]);
        assert_eq!(draw(0, pcg32), [0, 0x602B_F3FD, 0xE823_A24E]);
        let words = draw([1; 6], xorwow);
        assert_eq!(words, [0x0005_87D8, 0x000B_10BC, 0x0010_A972, 0x0017_4F16]);
        assert_eq!(
            words.map(|w| unit(w).to_bits()),
            [0x3D30_FB00, 0x3DB1_0BC0, 0x3E05_4B90, 0x3E3A_78B0]
        );
    }

    #[test]
    fn unit_stays_below_one() {
        assert_eq!(unit(0), 0.0);
        assert_eq!(unit(u32::MAX), 1f32.next_down() - f32::EPSILON / 2.0);
    }

    #[test]
    fn dead_states_are_revived() {
        assert_eq!(xorwow_state([0, 0, 0, 0, 0, 9]), [0, 0, 0, 0, 1, 9]);
        assert_eq!(xorwow_state([0, 2, 0, 0, 0, 9]), [0, 2, 0, 0, 0, 9]);
    }
}
