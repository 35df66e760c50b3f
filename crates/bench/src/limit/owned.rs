//! The limit of sums into a vector where they depend on the order of updates: each thread owns a
//! part of the vector. The place of an update is one index value, or several.

use super::elements::UPDATES_AHEAD;
use super::{Place, STREAM_AHEAD, Share, Word, prefetch, read_part};

/// One thread's share: a part of the destination, and its updates.
pub(super) struct Owned<'a, U, I, F, const VALUES: usize> {
    dst: Vec<U>,
    /// The position in the vector of the first element of `dst`.
    first: usize,
    src: &'a [U],
    index: &'a [[I; VALUES]],
    /// The element that some index values name.
    element: F,
    /// The positions in index and src of the updates, in order.
    places: Vec<u32>,
    /// The number of `places` up to the end of each block of index.
    ends: Vec<usize>,
}

/// The number of entries of index that are read before the share's updates among them are made.
const BLOCK: usize = 2048;

impl<'a, U, I, F, const VALUES: usize> Owned<'a, U, I, F, VALUES>
where
    U: Word,
    I: Place,
    F: Fn([I; VALUES]) -> usize + Copy,
{
    /// Shares of a vector of `size` elements, with equal parts.
    pub(super) fn shares(
        size: usize,
        src: &'a [U],
        index: &'a [[I; VALUES]],
        element: F,
        threads: usize,
    ) -> impl Iterator<Item = Self> {
        assert!(src.len() == index.len() && u32::try_from(src.len()).is_ok());
        let part = size.div_ceil(threads);
        (0..size).step_by(part).map(move |first| {
            let own = first..(first + part).min(size);
            let is_own = |place: &u32| own.contains(&element(index[*place as usize]));
            let places: Vec<u32> = (0..index.len() as u32).filter(is_own).collect();
            let end = |block: usize| places.partition_point(|&place| (place as usize) < (block + 1) * BLOCK);
            let ends = (0..index.len().div_ceil(BLOCK)).map(end).collect();
            Self { dst: vec![U::zeroed(); own.len()], first, src, index, element, places, ends }
        })
    }
}

impl<U, I, F, const VALUES: usize> Share for Owned<'_, U, I, F, VALUES>
where
    U: Word,
    I: Place,
    F: Fn([I; VALUES]) -> usize + Copy + Send,
{
    fn reset(&mut self) {
        self.dst.fill(U::zeroed());
    }

    /// Reads the whole index, as a thread of an engine must to find its own updates, but takes the
    /// positions of the updates from `places`.
    fn run(&mut self, choice: usize) {
        let Self { dst, first, src, index, element, places, ends } = self;
        let ahead = UPDATES_AHEAD[choice];
        let mut start = 0;
        for (block, &end) in index.chunks(BLOCK).zip(&*ends) {
            read_part(block.as_flattened());
            for at in start..end {
                let place = places[at] as usize;
                if at.is_multiple_of(8) {
                    prefetch(src, place + STREAM_AHEAD);
                    prefetch(places, at + STREAM_AHEAD);
                }
                if ahead > 0
                    && let Some(&next) = places.get(at + ahead)
                {
                    prefetch(dst, element(index[next as usize]).wrapping_sub(*first));
                }
                // SAFETY: `shares` has put only positions within index into `places`, whose values
                // lie in this part, from `first` on; src is as long as index.
                unsafe {
                    let held = dst.get_unchecked_mut(element(*index.get_unchecked(place)) - *first);
                    *held = held.plus(*src.get_unchecked(place));
                }
            }
            start = end;
        }
        core::hint::black_box(dst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_update_is_made_by_the_thread_whose_element_it_is() {
        let index: Vec<i64> = (0..5000).map(|update| update * update % 7).collect();
        let src: Vec<u32> = (0..5000).collect();
        let mut expected = vec![0; 7];
        index.iter().zip(&src).for_each(|(&at, src)| expected[at as usize] += src);
        for threads in [1, 2, 3, 9] {
            for choice in 0..UPDATES_AHEAD.len() {
                let mut shares: Vec<_> =
                    Owned::shares(7, &src, index.as_chunks().0, |[at]| at as usize, threads).collect();
                shares.iter_mut().for_each(|share| share.run(choice));
                assert!(shares.iter().flat_map(|share| &share.dst).eq(&expected), "{threads} threads");
            }
        }
    }
}
