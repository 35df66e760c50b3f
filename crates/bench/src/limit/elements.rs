//! The limit of updates along the rows of a matrix, or of a vector.

use std::borrow::Cow;

use super::{Place, STREAM_AHEAD, Share, Word, prefetch, read_all};

/// What an update loads and stores.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access<'a, U> {
    /// Reads the destination and src.
    Add(&'a [U]),
    /// Reads only src.
    Write(&'a [U]),
    /// Reads nothing.
    Value,
}

impl<U> Access<'_, U> {
    /// The part for the updates `start` to `end`.
    fn share(self, start: usize, end: usize) -> Self {
        match self {
            Self::Add(src) => Self::Add(&src[start..end]),
            Self::Write(src) => Self::Write(&src[start..end]),
            Self::Value => Self::Value,
        }
    }
}

/// One thread's share: some updates, and a destination for them.
pub(super) struct Elements<'a, U, I: Place> {
    dst: Vec<U>,
    /// The elements in a row of the destination.
    size: usize,
    /// The updates of a row.
    updates: usize,
    update: Access<'a, U>,
    /// The index values, all of which are below `size`.
    index: Cow<'a, [I]>,
    /// Whether the index is also read once before the first store, as a check would.
    is_checked: bool,
}

/// The prefetch distance for the destination, in updates, for each choice.
pub(super) const UPDATES_AHEAD: [usize; super::CHOICES] = [0, 8, 24, 64];

impl<'a, U: Word, I: Place> Elements<'a, U, I> {
    /// Shares of updates along the rows of `[rows, width]`, each of which has `updates`.
    pub(super) fn lines(
        [rows, width, updates]: [usize; 3],
        update: Access<'a, U>,
        index: &'a [I],
        threads: usize,
    ) -> impl Iterator<Item = Self> + 'a {
        let share = rows.div_ceil(threads) * updates;
        index.chunks(share).enumerate().map(move |(number, index)| {
            let update = update.share(number * share, number * share + index.len());
            let (dst, index) = (vec![U::zeroed(); index.len() / updates * width], Cow::Borrowed(index));
            Self { is_checked: true, ..Self::new(dst, width, updates, update, index) }
        })
    }

    /// Shares of updates into one row of `size` in any order: each takes a part of the updates,
    /// with targets scaled down to a destination of its own.
    pub(super) fn line(
        size: usize,
        update: Access<'a, U>,
        index: &'a [I],
        threads: usize,
    ) -> impl Iterator<Item = Self> + 'a {
        let share = index.len().div_ceil(threads);
        index.chunks(share).enumerate().map(move |(number, index)| {
            let update = update.share(number * share, number * share + index.len());
            let folded: Vec<I> = index.iter().map(|value| I::of(value.at() / threads)).collect();
            let size = size.div_ceil(threads);
            Self::new(vec![U::zeroed(); size], size, index.len(), update, Cow::Owned(folded))
        })
    }

    fn new(dst: Vec<U>, size: usize, updates: usize, update: Access<'a, U>, index: Cow<'a, [I]>) -> Self {
        assert!(index.iter().all(|value| value.at() < size), "a workload's index is in range");
        Self { dst, size, updates, update, index, is_checked: false }
    }
}

impl<U: Word, I: Place> Share for Elements<'_, U, I> {
    fn reset(&mut self) {
        self.dst.fill(U::zeroed());
    }

    fn run(&mut self, choice: usize) {
        let Self { dst, size, updates, update, index, is_checked } = self;
        if *is_checked {
            read_all(index);
        }
        let (ahead, all) = (UPDATES_AHEAD[choice], &**index);
        for (row, (dst, index)) in dst.chunks_exact_mut(*size).zip(index.chunks(*updates)).enumerate() {
            let start = row * *updates;
            // Prefetches what is next in memory: index, src and, where the destination has more
            // rows, the next row.
            let next = if *is_checked { dst.len() } else { 0 };
            let update = update.share(start, start + index.len());
            let src = match update {
                Access::Add(src) | Access::Write(src) => src,
                Access::Value => &[],
            };
            if *updates < *size {
                each_ahead(all, [start, *updates, ahead], |rows, at| prefetch(dst, rows * *size + at));
            }
            let fetch = |dst: &[U], at: usize| {
                prefetch(index, at + STREAM_AHEAD);
                if at.is_multiple_of(64 / size_of::<U>()) {
                    prefetch(src, at + STREAM_AHEAD);
                    if next > 0 {
                        prefetch(dst, next + at);
                    }
                }
            };
            match update {
                Access::Add(src) => each(dst, index, ahead, fetch, |number, held| held.plus(src[number])),
                Access::Write(src) => each(dst, index, ahead, fetch, |number, _| src[number]),
                Access::Value => each(dst, index, ahead, fetch, |_, _| U::zeroed()),
            }
        }
        core::hint::black_box(dst);
    }
}

/// For the row whose updates begin at `start`, calls `fetch` for each update of the row that comes
/// `ahead` updates later (rounded up to whole rows), with the number of rows until there and the
/// index value. Calls it for none if `ahead` is 0.
#[inline(always)]
pub(super) fn each_ahead<I: Place>(
    index: &[I],
    [start, updates, ahead]: [usize; 3],
    fetch: impl Fn(usize, usize),
) {
    let rows = ahead.div_ceil(updates);
    if rows > 0
        && let Some(next) = index.get(start + rows * updates..start + (rows + 1) * updates)
    {
        next.iter().for_each(|at| fetch(rows, at.at()));
    }
}

/// Stores `value(number, previous element)` for each value of index, all of which are below
/// `dst.len()`. `fetch(dst, number)`, which prefetches, is called once for eight updates.
#[inline(always)]
fn each<U: Word, I: Place>(
    dst: &mut [U],
    index: &[I],
    ahead: usize,
    fetch: impl Fn(&[U], usize),
    value: impl Fn(usize, U) -> U,
) {
    for (block, values) in index.chunks(8).enumerate() {
        fetch(dst, 8 * block);
        for (number, at) in (8 * block..).zip(values) {
            if ahead > 0
                && let Some(next) = index.get(number + ahead)
            {
                prefetch(dst, next.at());
            }
            // SAFETY: `Elements::new` has checked that every index value is below the length of a
            // row, which is `dst`'s.
            let element = unsafe { dst.get_unchecked_mut(at.at()) };
            *element = value(number, *element);
        }
    }
}
