//! Free ranges of numbers.

use std::collections::{BTreeMap, BTreeSet};

/// Ranges that are free: no two overlap or touch.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// Length by start.
    by_start: BTreeMap<usize, usize>,
    /// Length and start, to find the smallest that is large enough.
    by_len: BTreeSet<(usize, usize)>,
}

impl Ranges {
    /// Takes a range of a length out of the smallest one that is large enough.
    pub(crate) fn take(&mut self, len: usize) -> Option<usize> {
        let &(found, start) = self.by_len.range((len, 0)..).next()?;
        self.remove(start, found);
        if found > len {
            self.insert(start + len, found - len);
        }
        Some(start)
    }

    /// Returns a range.
    pub(crate) fn give(&mut self, start: usize, len: usize) {
        let (mut start, mut len) = (start, len);
        if let Some((&before, &length)) = self.by_start.range(..start).next_back()
            && before + length == start
        {
            self.remove(before, length);
            (start, len) = (before, length + len);
        }
        if let Some(&length) = self.by_start.get(&(start + len)) {
            self.remove(start + len, length);
            len += length;
        }
        self.insert(start, len);
    }

    fn insert(&mut self, start: usize, len: usize) {
        self.by_start.insert(start, len);
        self.by_len.insert((len, start));
    }

    fn remove(&mut self, start: usize, len: usize) {
        self.by_start.remove(&start);
        self.by_len.remove(&(len, start));
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn what_is_given_back_grows_together() {
        let mut ranges = Ranges::default();
        ranges.give(1000, 300);
        let taken: Vec<usize> = (0..3).map(|_| ranges.take(100).unwrap()).collect();
        assert_eq!(taken, [1000, 1100, 1200]);
        assert_eq!(ranges.take(1), None);
        for start in [1000, 1200, 1100] {
            ranges.give(start, 100);
        }
        assert_eq!(ranges.by_start.len(), 1);
        assert_eq!(ranges.take(300), Some(1000));
    }

    #[test]
    fn the_smallest_range_with_room_is_taken() {
        let mut ranges = Ranges::default();
        ranges.give(0, 1000);
        ranges.give(2000, 50);
        assert_eq!(ranges.take(40), Some(2000));
        assert_eq!(ranges.take(40), Some(0));
    }
}
