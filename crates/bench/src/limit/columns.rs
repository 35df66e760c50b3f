//! The limit of sums along the columns of a matrix.
//!
//! The elements of a column lie a row apart. So some adjacent columns are copied to a tile that
//! stays in a cache, updated there, and copied back: each cache line of the destination is loaded
//! and stored once.

use super::{Place, Share, Word, prefetch_row, read_part};

/// One thread's share of the columns.
pub(super) struct Columns<'a, U, I> {
    dst: Vec<U>,
    tile: Vec<U>,
    rows: usize,
    /// The first column, and the number of columns.
    first: usize,
    columns: usize,
    /// The whole src, of which each share reads its own columns.
    src: &'a [U],
    index: &'a [I],
    width: usize,
}

/// The number of columns of a tile, for each choice.
const TILES: [usize; super::CHOICES] = [32, 64, 128, 256];

/// The prefetch distance for index and src, in rows.
const ROWS_AHEAD: usize = 8;

impl<'a, U: Word, I: Place> Columns<'a, U, I> {
    /// Shares for a destination of `[rows, width]`, with equally many columns each.
    pub(super) fn shares(
        [rows, width]: [usize; 2],
        src: &'a [U],
        index: &'a [I],
        threads: usize,
    ) -> impl Iterator<Item = Self> + 'a {
        assert!(index.iter().all(|value| value.at() < rows), "a workload's index is in range");
        let share = width.div_ceil(threads);
        (0..width).step_by(share).map(move |first| {
            let columns = share.min(width - first);
            let dst = vec![U::zeroed(); rows * columns];
            Self { dst, tile: Vec::new(), rows, first, columns, src, index, width }
        })
    }

    /// Updates `size` columns of this share from `start` on.
    fn tile(&mut self, start: usize, size: usize) {
        let Self { dst, tile, rows, first, columns, src, index, width } = self;
        tile.resize(*rows * size, U::zeroed());
        for (held, row) in tile.chunks_exact_mut(size).zip(dst.chunks_exact(*columns)) {
            held.copy_from_slice(&row[start..][..size]);
        }
        for row in (*first + start..index.len()).step_by(*width) {
            let next = row + ROWS_AHEAD * *width;
            prefetch_row(index, next, size);
            prefetch_row(src, next, size);
            let pairs = index[row..][..size].iter().zip(&src[row..][..size]);
            for (column, (at, src)) in pairs.enumerate() {
                // SAFETY: `shares` has checked that every index value is below `rows`, and `column`
                // is below `size`; the tile has `rows * size` elements.
                let element = unsafe { tile.get_unchecked_mut(at.at() * size + column) };
                *element = element.plus(*src);
            }
        }
        for (held, row) in tile.chunks_exact(size).zip(dst.chunks_exact_mut(*columns)) {
            row[start..][..size].copy_from_slice(held);
        }
    }
}

impl<U: Word, I: Place> Share for Columns<'_, U, I> {
    fn reset(&mut self) {
        self.dst.fill(U::zeroed());
    }

    fn run(&mut self, choice: usize) {
        let end = self.first + self.columns;
        self.index.chunks_exact(self.width).for_each(|row| read_part(&row[self.first..end]));
        for start in (0..self.columns).step_by(TILES[choice]) {
            self.tile(start, TILES[choice].min(self.columns - start));
        }
        core::hint::black_box(&mut self.dst);
    }
}
