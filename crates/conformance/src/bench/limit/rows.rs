//! Rows added to rows.

use super::{Place, Share, Word, prefetch};

/// Some updates, and a destination for them.
pub(super) struct Rows<'a, U, I> {
    dst: Vec<U>,
    src: &'a [U],
    /// What is stored for each row, all of which is read.
    index: &'a [I],
    stored: usize,
    /// The row that each goes to.
    targets: Vec<u32>,
    /// The elements in a row.
    width: usize,
}

/// How many rows ahead the destination is fetched.
const AHEAD: [usize; super::CHOICES] = [0, 2, 8, 24];

/// How much of a row is fetched ahead, in bytes: what follows is found by the hardware.
const FETCHED: usize = 1024;

impl<'a, U: Word, I: Place> Rows<'a, U, I> {
    /// `src` to rows of `rows`, in equal shares; `row` tells the row from what is stored.
    pub(super) fn shares(
        rows: usize,
        src: &'a [U],
        index: &'a [I],
        updates: usize,
        threads: usize,
        row: impl Fn(&[I]) -> usize + 'a,
    ) -> impl Iterator<Item = Self> + 'a {
        let (width, stored) = (src.len() / updates, index.len() / updates);
        let share = updates.div_ceil(threads);
        src.chunks(share * width).zip(index.chunks(share * stored)).map(move |(src, index)| {
            let target = |values: &[I]| (row(values) / threads) as u32;
            let targets = index.chunks(stored).map(target).collect();
            let dst = vec![U::zeroed(); rows.div_ceil(threads) * width];
            Self { dst, src, index, stored, targets, width }
        })
    }
}

impl<U: Word, I: Place> Share for Rows<'_, U, I> {
    fn reset(&mut self) {
        self.dst.fill(U::zeroed());
    }

    fn run(&mut self, choice: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                // SAFETY: the processor has both.
                return unsafe { avx512(self, choice) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has it.
                return unsafe { avx2(self, choice) };
            }
        }
        run(self, choice);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn avx512<U: Word, I: Place>(rows: &mut Rows<'_, U, I>, choice: usize) {
    run(rows, choice);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<U: Word, I: Place>(rows: &mut Rows<'_, U, I>, choice: usize) {
    run(rows, choice);
}

#[inline(always)]
fn run<U: Word, I: Place>(rows: &mut Rows<'_, U, I>, choice: usize) {
    let Rows { dst, src, index, stored, targets, width } = rows;
    let ahead = AHEAD[choice];
    let line = (64 / size_of::<U>()).max(1);
    let fetched = (*width).min(FETCHED / size_of::<U>());
    let mut read = 0_usize;
    let updates = src.chunks_exact(*width).zip(index.chunks_exact(*stored));
    for (number, (src, values)) in updates.enumerate() {
        if ahead > 0
            && let Some(&next) = targets.get(number + ahead)
        {
            let start = next as usize * *width;
            (start..start + fetched).step_by(line).for_each(|at| prefetch(dst, at));
        }
        read ^= values.iter().fold(0, |read, value| read ^ value.at());
        let start = targets[number] as usize * *width;
        for (dst, src) in dst[start..][..*width].iter_mut().zip(src) {
            *dst = dst.plus(*src);
        }
    }
    core::hint::black_box(read);
    core::hint::black_box(dst);
}
