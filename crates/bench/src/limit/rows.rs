//! The limit of sums of rows, and of gathers of rows.

use super::{Place, Share, Word, prefetch_row};

/// One thread's share: a range of rows, and their updates; if it `GATHERS`, a range of entries of
/// index, and the rows that they name.
pub(super) struct Rows<'a, U, I, const GATHERS: bool> {
    /// Of a gather: this thread's part of out.
    dst: Vec<U>,
    /// Of a gather: all of self.
    src: &'a [U],
    /// The index as it is stored, of a gather this thread's part. All `stored` values of each
    /// update of this share are read.
    index: &'a [I],
    stored: usize,
    /// The updates in the order in which they are made: the row of `src`, and the row of `dst`.
    updates: Vec<(u32, u32)>,
    /// The elements in a row.
    width: usize,
    /// Whether the destination is filled with zeros first.
    from_zeros: bool,
}

/// The prefetch distance for src and the destination, in rows, for each choice.
const ROWS_AHEAD: [usize; super::CHOICES] = [0, 2, 8, 24];

/// Longer rows are prefetched in parts of this many bytes.
const PART: usize = 1024;

/// The prefetch distance in parts, for each choice.
const PARTS_AHEAD: [usize; super::CHOICES] = [0, 2, 4, 8];

/// Rows of at least this many bytes are long.
const LONG: usize = 4096;

impl<'a, U: Word, I: Place> Rows<'a, U, I, false> {
    /// Shares of `rows` rows, each a range with about as many updates; `row` computes the row from
    /// the stored values. Updates are made in the order of index, but where rows are long, target
    /// by target, so that each row of the destination is moved only once.
    pub(super) fn shares(
        rows: usize,
        src: &'a [U],
        index: &'a [I],
        updates: usize,
        threads: usize,
        row: impl Fn(&[I]) -> usize,
    ) -> impl Iterator<Item = Self> {
        let (width, stored) = (src.len() / updates, index.len() / updates);
        let targets: Vec<u32> = index.chunks(stored).map(|values| row(values) as u32).collect();
        let mut by_target: Vec<u32> = (0..updates as u32).collect();
        by_target.sort_by_key(|&update| targets[update as usize]);
        // The first row of each share. With the updates sorted by target and cut into equal parts,
        // it is the target of the first update of a part.
        let start = |share: usize| match share * updates / threads {
            0 => 0,
            at if share < threads => targets[by_target[at] as usize] as usize,
            _ => rows,
        };
        let is_long = width * size_of::<U>() >= LONG;
        let shares: Vec<Self> = (0..threads)
            .map(|share| {
                let own = start(share)..start(share + 1);
                let of = |update: u32| {
                    Some((update, targets[update as usize]))
                        .filter(|&(_, target)| own.contains(&(target as usize)))
                };
                let place = |(update, target)| (update, target - own.start as u32);
                let updates = match is_long {
                    true => by_target.iter().filter_map(|&update| of(update)).map(place).collect(),
                    false => (0..updates as u32).filter_map(of).map(place).collect(),
                };
                Self {
                    dst: vec![U::zeroed(); own.len() * width],
                    src,
                    index,
                    stored,
                    updates,
                    width,
                    from_zeros: false,
                }
            })
            .collect();
        shares.into_iter()
    }

    /// The same share, where sums start from zeros if `from_zeros`.
    pub(super) fn starting(self, from_zeros: bool) -> Self {
        Self { from_zeros, ..self }
    }
}

impl<'a, U: Word, I: Place> Rows<'a, U, I, true> {
    /// Shares of a gather from `self_`, which has `rows` rows, each with equally many of the
    /// `reads`.
    pub(super) fn reads(
        rows: usize,
        self_: &'a [U],
        index: &'a [I],
        reads: usize,
        threads: usize,
    ) -> impl Iterator<Item = Self> {
        let (width, stored) = (self_.len() / rows, index.len() / reads);
        index.chunks(reads.div_ceil(threads) * stored).map(move |index| {
            let row = |(to, values): (u32, &[I])| (values[0].at() as u32, to);
            let updates: Vec<_> = (0..).zip(index.chunks(stored)).map(row).collect();
            Self {
                dst: vec![U::zeroed(); updates.len() * width],
                src: self_,
                index,
                stored,
                updates,
                width,
                from_zeros: false,
            }
        })
    }
}

impl<U: Word, I: Place, const GATHERS: bool> Share for Rows<'_, U, I, GATHERS> {
    fn reset(&mut self) {
        self.dst.fill(U::zeroed());
    }

    fn run(&mut self, choice: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                // SAFETY: the processor has all features that `avx512` is compiled for.
                return unsafe { avx512(self, choice) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2, for which `avx2` is compiled.
                return unsafe { avx2(self, choice) };
            }
        }
        run(self, choice);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn avx512<U: Word, I: Place, const GATHERS: bool>(rows: &mut Rows<'_, U, I, GATHERS>, choice: usize) {
    run(rows, choice);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<U: Word, I: Place, const GATHERS: bool>(rows: &mut Rows<'_, U, I, GATHERS>, choice: usize) {
    run(rows, choice);
}

#[inline(always)]
fn run<U: Word, I: Place, const GATHERS: bool>(rows: &mut Rows<'_, U, I, GATHERS>, choice: usize) {
    let Rows { dst, src, index, stored, updates, width, from_zeros } = rows;
    let width = *width;
    if *from_zeros {
        dst.fill(U::zeroed());
    }
    let part = PART / size_of::<U>();
    let (ahead, parts_ahead) = (ROWS_AHEAD[choice], width.min(PARTS_AHEAD[choice] * part));
    let mut read = 0_usize;
    // Where an update's row starts in src and in the destination.
    let starts = |(from, to): (u32, u32)| (from as usize * width, to as usize * width);
    let update = if GATHERS { <[U]>::copy_from_slice } else { add };
    // A long copy at once may store past the caches.
    let is_whole = width <= part || GATHERS && parts_ahead == 0;
    for (number, &rows) in updates.iter().enumerate() {
        // Index has an entry for each row of src, or of a gather's out.
        let entry = if GATHERS { rows.1 } else { rows.0 };
        let values = &index[entry as usize * *stored..][..*stored];
        read ^= values.iter().fold(0, |read, value| read ^ value.at());
        let (from, to) = starts(rows);
        if is_whole {
            if ahead > 0
                && let Some(&next) = updates.get(number + ahead)
            {
                let (from, to) = starts(next);
                prefetch_row(src, from, width);
                prefetch_row(dst, to, width);
            }
            update(&mut dst[to..][..width], &src[from..][..width]);
            continue;
        }
        let next = updates.get(number + 1).map_or((from, to), |&next| starts(next));
        for start in (0..width).step_by(part) {
            let end = width.min(start + part);
            if parts_ahead > 0 {
                let at = start + parts_ahead;
                let (from, to) = if at < width {
                    (from + at, to + at)
                } else {
                    (next.0 + at - width, next.1 + at - width)
                };
                prefetch_row(src, from, part);
                prefetch_row(dst, to, part);
            }
            update(&mut dst[to + start..to + end], &src[from + start..from + end]);
        }
    }
    core::hint::black_box(read);
    core::hint::black_box(dst);
}

#[inline(always)]
fn add<U: Word>(dst: &mut [U], src: &[U]) {
    for (dst, src) in dst.iter_mut().zip(src) {
        *dst = dst.plus(*src);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gather_reads_the_rows_that_index_names() {
        let index = [2_i64, 2, 0, 0, 2, 2, 1, 1, 0, 0];
        let self_: Vec<u32> = (0..6).collect();
        for threads in [1, 2, 7] {
            let mut shares: Vec<_> = Rows::reads(3, &self_, &index, 5, threads).collect();
            shares.iter_mut().for_each(|share| share.run(0));
            let out: Vec<_> = shares.into_iter().flat_map(|share| share.dst).collect();
            assert_eq!(out, [4, 5, 0, 1, 4, 5, 2, 3, 0, 1], "{threads} threads");
        }
    }
}
