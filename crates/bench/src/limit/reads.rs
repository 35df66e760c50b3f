//! The limit of a gather along the rows of a matrix.

use super::elements::UPDATES_AHEAD;
use super::{Place, STREAM_AHEAD, Share, Word, prefetch, read_all};

/// One thread's share: some rows of self and of index, and an out for them.
pub(super) struct Reads<'a, U, I> {
    out: Vec<U>,
    self_: &'a [U],
    /// The index values, all of which are below `width`.
    index: &'a [I],
    width: usize,
}

impl<'a, U: Word, I: Place> Reads<'a, U, I> {
    /// Shares of a gather from `[rows, width]` to as many elements.
    pub(super) fn lines(
        [rows, width]: [usize; 2],
        self_: &'a [U],
        index: &'a [I],
        threads: usize,
    ) -> impl Iterator<Item = Self> {
        assert!(index.iter().all(|value| value.at() < width), "a workload's index is in range");
        let share = rows.div_ceil(threads) * width;
        self_.chunks(share).zip(index.chunks(share)).map(move |(self_, index)| {
            let out = vec![U::zeroed(); index.len()];
            Self { out, self_, index, width }
        })
    }
}

impl<U: Word, I: Place> Share for Reads<'_, U, I> {
    fn reset(&mut self) {
        self.out.fill(U::zeroed());
    }

    fn run(&mut self, choice: usize) {
        let Self { out, self_, index, width } = self;
        read_all(index);
        let lines = out.chunks_exact_mut(*width).zip(index.chunks_exact(*width));
        for ((out, index), start) in lines.zip((0..).step_by(*width)) {
            let line = &self_[start..][..*width];
            for (block, (out, index)) in (0_usize..).step_by(8).zip(out.chunks_mut(8).zip(index.chunks(8))) {
                // What is next in memory: index, and the next row of self.
                prefetch(index, STREAM_AHEAD);
                if block.is_multiple_of(64 / size_of::<U>()) {
                    prefetch(self_, start + *width + block);
                    if UPDATES_AHEAD[choice] > 0 {
                        prefetch(out, 8 * UPDATES_AHEAD[choice]);
                    }
                }
                for (out, at) in out.iter_mut().zip(index) {
                    // SAFETY: `lines` has checked that every index value is below the length of a
                    // row.
                    *out = unsafe { *line.get_unchecked(at.at()) };
                }
            }
        }
        core::hint::black_box(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_read_from_its_own_row() {
        let index: Vec<i32> = (0..5 * 12).map(|number| number * 7 % 12).collect();
        let self_: Vec<u16> = (0..5 * 12).collect();
        let expected: Vec<_> =
            index.iter().zip(0..).map(|(&at, number)| self_[number / 12 * 12 + at as usize]).collect();
        for threads in [1, 2, 9] {
            for choice in 0..UPDATES_AHEAD.len() {
                let mut shares: Vec<_> = Reads::lines([5, 12], &self_, &index, threads).collect();
                shares.iter_mut().for_each(|share| share.run(choice));
                assert!(shares.iter().flat_map(|share| &share.out).eq(&expected), "{threads} threads");
            }
        }
    }
}
