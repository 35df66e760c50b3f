//! Finds which of many numbers lie in a range.

use super::Simd;

/// The search for those of `numbers` that lie in `own`, which is the first number of a range and
/// its length. They come to the front of `chosen`, in order, and their positions in `numbers`,
/// counted from `base`, to the front of `positions`; what lies behind them there is overwritten.
/// Both are at least as long as `numbers`; what they have no room for is left out.
pub(crate) struct RangeSearch<'a> {
    pub(crate) numbers: &'a [u32],
    pub(crate) own: (u32, u32),
    pub(crate) base: u32,
    pub(crate) chosen: &'a mut [u32],
    pub(crate) positions: &'a mut [u32],
}

impl RangeSearch<'_> {
    /// How many there are.
    pub(crate) fn run(mut self, simd: Simd) -> usize {
        let room = self.numbers.len().min(self.chosen.len()).min(self.positions.len());
        self.numbers = &self.numbers[..room];
        let (done, mut found) = match simd.0 {
            // SAFETY: this machine has the instructions, which is what the level says.
            #[cfg(target_arch = "x86_64")]
            super::Level::Avx512 => unsafe { x86::search_by_16(&mut self) },
            _ => (0, 0),
        };
        let (first, len) = self.own;
        for (&number, position) in self.numbers[done..].iter().zip(self.base.wrapping_add(done as u32)..) {
            // There is no branch on the number: one that is not in the range is overwritten by the
            // next.
            if found < room {
                (self.chosen[found], self.positions[found]) = (number, position);
                found += usize::from(number.wrapping_sub(first) < len);
            }
        }
        found
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        _mm512_add_epi32, _mm512_cmplt_epu32_mask, _mm512_loadu_si512, _mm512_maskz_compress_epi32,
        _mm512_set1_epi32, _mm512_setr_epi32, _mm512_storeu_si512, _mm512_sub_epi32,
    };

    use super::RangeSearch;

    /// Numbers in a register.
    const LANES: usize = 16;

    /// The search among whole registers: how many numbers were looked at, and how many were found.
    #[target_feature(enable = "avx512f,popcnt")]
    pub(super) fn search_by_16(search: &mut RangeSearch<'_>) -> (usize, usize) {
        let RangeSearch { numbers, own: (first, len), base, chosen, positions } = search;
        assert!(chosen.len() >= numbers.len() && positions.len() >= numbers.len(), "room for all numbers");
        let (blocks, rest) = numbers.as_chunks::<LANES>();
        let (firsts, lens) = (_mm512_set1_epi32(first.cast_signed()), _mm512_set1_epi32(len.cast_signed()));
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let (mut at, step) =
            (_mm512_add_epi32(_mm512_set1_epi32(base.cast_signed()), lanes), _mm512_set1_epi32(LANES as i32));
        let mut found = 0;
        for block in blocks {
            // SAFETY: a block has as many numbers as a register. No more were found than were
            // looked at before, so that a whole block fits behind them in slices as long as
            // `numbers`.
            unsafe {
                let all = _mm512_loadu_si512(block.as_ptr().cast());
                let own = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(all, firsts), lens);
                let (number, position) =
                    (_mm512_maskz_compress_epi32(own, all), _mm512_maskz_compress_epi32(own, at));
                _mm512_storeu_si512(chosen.as_mut_ptr().add(found).cast(), number);
                _mm512_storeu_si512(positions.as_mut_ptr().add(found).cast(), position);
                found += own.count_ones() as usize;
            }
            at = _mm512_add_epi32(at, step);
        }
        (numbers.len() - rest.len(), found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_the_range_comes_to_the_front_in_order() {
        let numbers: Vec<u32> = (0..1000_u32).map(|at| at.wrapping_mul(2_654_435_761) >> 22).collect();
        for simd in Simd::all() {
            for all in [0, 1, 15, 16, 17, 500, 1000] {
                for (first, len) in [(0, 0), (0, 512), (512, 512), (0, 1024), (1023, 1), (7, u32::MAX)] {
                    let numbers = &numbers[..all];
                    let (mut chosen, mut positions) = (vec![9; all], vec![9; all]);
                    let own = (first, len);
                    let search = RangeSearch {
                        numbers,
                        own,
                        base: 100,
                        chosen: &mut chosen,
                        positions: &mut positions,
                    };
                    let found = search.run(simd);
                    let expected: Vec<(u32, u32)> = numbers
                        .iter()
                        .copied()
                        .zip(100..)
                        .filter(|&(number, _)| number.wrapping_sub(first) < len)
                        .collect();
                    let got: Vec<_> = chosen.into_iter().zip(positions).take(found).collect();
                    assert_eq!(got, expected, "{simd:?}, {all} numbers, {first} + {len}");
                }
            }
        }
    }
}
