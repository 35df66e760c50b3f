//! The limit of a gather along the rows of a matrix.

use super::elements::{UPDATES_AHEAD, each_ahead};
use super::{Place, STREAM_AHEAD, Share, Word, prefetch, read_all};

/// One thread's share: some rows of self and of index, and an out for them.
pub(super) struct Reads<'a, U, I> {
    out: Vec<U>,
    self_: &'a [U],
    /// The index values, all of which are below `width`.
    index: &'a [I],
    width: usize,
    /// The values of each row.
    reads: usize,
}

impl<'a, U: Word, I: Place> Reads<'a, U, I> {
    /// Shares of a gather from `[rows, width]`, of `reads` elements of each row.
    pub(super) fn lines(
        [rows, width, reads]: [usize; 3],
        self_: &'a [U],
        index: &'a [I],
        threads: usize,
    ) -> impl Iterator<Item = Self> {
        assert!(index.iter().all(|value| value.at() < width), "a workload's index is in range");
        let share = rows.div_ceil(threads);
        self_.chunks(share * width).zip(index.chunks(share * reads)).map(move |(self_, index)| {
            let out = vec![U::zeroed(); index.len()];
            Self { out, self_, index, width, reads }
        })
    }
}

impl<U: Word, I: Place> Share for Reads<'_, U, I> {
    fn reset(&mut self) {
        self.out.fill(U::zeroed());
    }

    fn run(&mut self, choice: usize) {
        let Self { out, self_, index, width, reads } = self;
        read_all(index);
        let lines = out.chunks_exact_mut(*reads).zip(index.chunks_exact(*reads));
        let (all, ahead) = (*index, UPDATES_AHEAD[choice]);
        for (row, (out, index)) in lines.enumerate() {
            let start = row * *width;
            let line = &self_[start..][..*width];
            if *reads < *width {
                each_ahead(all, [row * *reads, *reads, ahead], |rows, at| prefetch(line, rows * *width + at));
            }
            for (block, (out, index)) in (0_usize..).step_by(8).zip(out.chunks_mut(8).zip(index.chunks(8))) {
                // What is next in memory: index, and the next row of self.
                prefetch(index, STREAM_AHEAD);
                if block.is_multiple_of(64 / size_of::<U>()) {
                    prefetch(self_, start + *width + block);
                    if ahead > 0 {
                        prefetch(out, 8 * ahead);
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
        let self_: Vec<u16> = (0..5 * 12).collect();
        for reads in [12, 3] {
            let index: Vec<i32> = (0..5 * reads).map(|number| number * 7 % 12).collect();
            let of_row = |(&at, number): (&i32, i32)| self_[(number / reads * 12 + at) as usize];
            let expected: Vec<_> = index.iter().zip(0..).map(of_row).collect();
            for threads in [1, 2, 9] {
                for choice in 0..UPDATES_AHEAD.len() {
                    let sizes = [5, 12, reads as usize];
                    let mut shares: Vec<_> = Reads::lines(sizes, &self_, &index, threads).collect();
                    shares.iter_mut().for_each(|share| share.run(choice));
                    assert!(shares.iter().flat_map(|share| &share.out).eq(&expected), "{threads} threads");
                }
            }
        }
    }
}
