//! Turns index values into the numbers of their targets, many at a time, so that the loops that
//! take numbers know neither the components of an entry nor the index's dtype, nor that values may
//! be negative. Where none is, some loops take [values as they are](TargetNumbers::values).

use core::slice;

use crate::Index;
use crate::cpu::aligned::Aligned;
use crate::cpu::index::range::{Values, check_adjacent};
use crate::cpu::index::storage::{IndexStorage, with_values, wrap_signed};
use crate::cpu::prefetch::{PREFETCHED, prefetch, prefetch_on};
use crate::cpu::walk::{Component, Components, Coordinate};
use crate::simd::{Simd, SimdLoop};

/// The numbers that are read at a time: they stay in the nearest cache.
pub(in crate::cpu) const BLOCK: usize = 512;

/// Reads an index as the numbers of its targets, which fit in 32 bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct TargetNumbers {
    index: IndexStorage,
    components: Components,
    are_numbers: bool,
    simd: Simd,
}

impl TargetNumbers {
    /// For targets that 32 bits number; of more, a sweep is planned, which reads no numbers.
    /// `are_numbers` says that values are the numbers of their targets: none is negative.
    ///
    /// # Safety
    /// With `are_numbers`, all values of the index that these components reach are in range, and
    /// none is negative.
    pub(in crate::cpu) const unsafe fn new(
        index: IndexStorage,
        components: &Components,
        are_numbers: bool,
        simd: Simd,
    ) -> Self {
        Self { index, components: *components, are_numbers, simd }
    }

    /// The instructions that loops over the numbers may use.
    pub(in crate::cpu) const fn simd(&self) -> Simd {
        self.simd
    }

    /// The numbers of the targets of the entries that lie `step` apart from `at` on. Returns
    /// whether all their values are valid; if not, the numbers mean nothing. With `prefetches`,
    /// entries that come later are prefetched where they lie one after the other.
    ///
    /// # Safety
    /// The entries and their components lie inside the index's storage, and nobody writes them.
    #[inline]
    pub(in crate::cpu) unsafe fn read(
        &self,
        at: isize,
        step: isize,
        numbers: &mut [u32],
        prefetches: bool,
    ) -> bool {
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        with_values!(self.index, index => unsafe { self.read_from(index, at, step, numbers, prefetches) })
    }

    /// The values of the entries that lie `step` apart from `at` on, where these are the numbers of
    /// their targets. `None` if one may be negative or out of range, if they don't lie one after
    /// the other, or if an entry has several.
    #[inline(always)]
    pub(in crate::cpu) fn values(&self, at: isize, step: isize) -> Option<IndexNumbers> {
        if self.are_numbers { self.adjacent_values(at, step) } else { None }
    }

    /// [`TargetNumbers::values`] of entries that are known to have such values.
    #[inline(always)]
    fn adjacent_values(&self, at: isize, step: isize) -> Option<IndexNumbers> {
        let ([component], 1) = (self.components.as_slice(), step) else { return None };
        Some(IndexNumbers::of(self.index.from(at + component.value_at()?)))
    }

    /// As [`TargetNumbers::values`], of `len` entries, which are checked now.
    ///
    /// # Safety
    /// As [`TargetNumbers::read`].
    #[inline]
    pub(in crate::cpu) unsafe fn checked_values(
        &self,
        at: isize,
        step: isize,
        len: usize,
    ) -> Option<IndexNumbers> {
        let first = self.index.from(at);
        // SAFETY: the entries lie inside the storage of the index, which nobody writes.
        let values = with_values!(first, first => unsafe {
            let (components, entries) = self.components.adjacent::<_, 1>(first, step, len)?;
            check_adjacent(entries, components, false, self.simd)
        });
        if values == Values::NotNegative { self.adjacent_values(at, step) } else { None }
    }

    /// [`TargetNumbers::read`] for the type of the index.
    ///
    /// # Safety
    /// As [`TargetNumbers::read`].
    unsafe fn read_from<I: Index>(
        &self,
        index: *const I,
        at: isize,
        step: isize,
        numbers: &mut [u32],
        prefetches: bool,
    ) -> bool {
        let (simd, first, len) = (self.simd, index.wrapping_offset(at), numbers.len());
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        unsafe {
            if let Some((components, entries)) = self.components.adjacent(first, step, len) {
                return simd.run(Adjacent::<I, 1> { entries, components, numbers, prefetches });
            }
            if let Some((components, entries)) = self.components.adjacent(first, step, len) {
                return simd.run(Adjacent::<I, 2> { entries, components, numbers, prefetches });
            }
        }
        if let (&[target, column], 1) = (self.components.as_slice(), step)
            && let Coordinate::Position(origin) = column.coordinate
            && column.size <= MAX_JOINED
        {
            let (columns, position) = (column.size, (at - origin).rem_euclid(column.size as isize) as usize);
            // SAFETY: the values of the entries lie inside the storage, which nobody writes.
            let run = |first: isize, numbers: &mut [u32]| unsafe {
                let entries = slice::from_raw_parts(index.wrapping_offset(first).cast(), numbers.len());
                simd.run(Adjacent::<I, 1> { entries, components: [target], numbers, prefetches })
            };
            match target.coordinate {
                Coordinate::Value(value_at) => {
                    let are_valid = run(at + value_at, numbers);
                    number_columns(numbers, columns, position, simd);
                    return are_valid;
                }
                Coordinate::Repeated(_) => {
                    let first = at.div_euclid(columns as isize);
                    return number_repeated(numbers, columns, position, simd, |done, targets| {
                        run(first + done as isize, targets)
                    });
                }
                Coordinate::Position(_) => {}
            }
        }
        let mut signs = 0;
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        let value = |at: isize| unsafe { index.offset(at).read().to_i64() };
        for (entry, number) in (0..).map(|entry: isize| at + entry * step).zip(numbers) {
            *number = 0;
            for component in self.components.as_slice() {
                let (wrapped, sign) = wrap_signed(component.of_entry(entry, value), component.size as i64);
                signs |= sign;
                *number = number.wrapping_add((wrapped as u32).wrapping_mul(component.weight as u32));
            }
        }
        signs >= 0
    }
}

/// Values of an index that are the numbers of their targets.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum IndexNumbers {
    /// Of i32: what is not negative has the same bits without a sign.
    U32(*const u32),
    I64(*const i64),
}

impl IndexNumbers {
    const fn of(values: IndexStorage) -> Self {
        match values {
            IndexStorage::I32(values) => Self::U32(values.cast()),
            IndexStorage::I64(values) => Self::I64(values),
        }
    }
}

/// The number of a target.
pub(in crate::cpu) trait Number: Copy {
    fn get(self) -> isize;
}

impl Number for u32 {
    #[inline(always)]
    fn get(self) -> isize {
        self as isize
    }
}

impl Number for i64 {
    #[inline(always)]
    fn get(self) -> isize {
        self as isize
    }
}

/// Prefetches the elements of a line, `step` bytes apart, that have these numbers.
#[inline(always)]
pub(in crate::cpu) fn prefetch_numbered<N: Number>(line: *const u8, step: isize, numbers: &[N]) {
    for number in numbers {
        prefetch(line.wrapping_offset(number.get().wrapping_mul(step)));
    }
}

/// The loop for entries of some components that lie one after the other.
struct Adjacent<'a, I, const K: usize> {
    entries: &'a [[I; K]],
    components: [Component; K],
    numbers: &'a mut [u32],
    /// Whether later ones are prefetched.
    prefetches: bool,
}

impl<I: Index, const K: usize> SimdLoop for Adjacent<'_, I, K> {
    type Output = bool;

    #[inline(always)]
    fn run(self, _simd: Simd) -> bool {
        let Self { entries, components, numbers, prefetches } = self;
        let mut signs = 0;
        for (numbers, entries) in numbers.chunks_mut(PREFETCHED).zip(entries.chunks(PREFETCHED)) {
            if prefetches {
                prefetch_on(entries);
            }
            for (number, entry) in numbers.iter_mut().zip(entries) {
                *number = 0;
                for (at, (value, component)) in entry.iter().zip(&components).enumerate() {
                    let (wrapped, sign) = wrap_signed(value.to_i64(), component.size as i64);
                    signs |= sign;
                    // The weight of the last component is 1.
                    let weight = if at + 1 == K { 1 } else { component.weight as u32 };
                    *number = number.wrapping_add((wrapped as u32).wrapping_mul(weight));
                }
            }
        }
        signs >= 0
    }
}

/// Divides positions by a multiplication of two 32-bit numbers, which every instruction set has for
/// vectors: it is right as long as the product of position and divisor is less than 2^31.
#[derive(Clone, Copy)]
struct Divisor {
    divisor: u32,
    reciprocal: u32,
}

impl Divisor {
    const fn new(divisor: usize) -> Self {
        Self { divisor: divisor as u32, reciprocal: (1 << 31) / divisor as u32 + 1 }
    }

    /// The quotient and the remainder of a position.
    #[inline(always)]
    fn divide(self, position: u32) -> (u32, u32) {
        let quotient = ((u64::from(position) * u64::from(self.reciprocal)) >> 31) as u32;
        (quotient, position - quotient * self.divisor)
    }
}

/// Turns the numbers of targets in their lines, `in_line` numbers for each line, into numbers that
/// are counted from the first line; lines lie `step` apart. There are at most [`BLOCK`] numbers.
#[inline(never)]
pub(in crate::cpu) fn number_lines(numbers: &mut [u32], in_line: usize, step: isize, simd: Simd) {
    #[inline(always)]
    fn number((numbers, in_line, step): (&mut [u32], usize, isize)) {
        let in_line = Divisor::new(in_line);
        for (position, number) in (0..).zip(numbers) {
            let (line, _) = in_line.divide(position);
            *number = number.wrapping_add(line.wrapping_mul(step as u32));
        }
    }
    simd.run((number, (numbers, in_line, step)));
}

/// Turns the numbers of targets, each for the next column, into the numbers of their slots; targets
/// are `step` slots apart, and columns one.
#[inline(never)]
pub(in crate::cpu) fn number_slots(numbers: &mut [u32], step: usize, simd: Simd) {
    #[inline(always)]
    fn number((numbers, step): (&mut [u32], usize)) {
        for (column, number) in (0..).zip(numbers) {
            *number = number.wrapping_mul(step as u32).wrapping_add(column);
        }
    }
    simd.run((number, (numbers, step)));
}

/// The columns at the most that [`number_columns`] counts.
pub(in crate::cpu) const MAX_JOINED: usize = 1 << 15;

/// Turns numbers of targets into those of elements, target * columns + column. The column of an
/// entry is its position among all, of which the first one here is `first`, modulo `columns`.
#[inline(never)]
fn number_columns(numbers: &mut [u32], columns: usize, first: usize, simd: Simd) {
    #[inline(always)]
    fn number((numbers, columns, first): (&mut [u32], usize, usize)) {
        let (columns, width) = (Divisor::new(columns), columns as u32);
        for (position, number) in (first as u32..).zip(numbers) {
            let (_, column) = columns.divide(position);
            *number = number.wrapping_mul(width).wrapping_add(column);
        }
    }
    simd.run((number, (numbers, columns, first)));
}

/// The targets at the most that are repeated at a time, for rows of two elements.
const REPEATED: usize = BLOCK / 2;

/// Makes the numbers of the elements of rows that each have one target. The first number is that of
/// column `first`; `read` reads the targets after a number of them, and says whether they are
/// valid.
fn number_repeated(
    mut numbers: &mut [u32],
    columns: usize,
    mut first: usize,
    simd: Simd,
    mut read: impl FnMut(usize, &mut [u32]) -> bool,
) -> bool {
    let mut targets = Aligned([0; REPEATED]);
    let (mut are_valid, mut done) = (true, 0);
    while !numbers.is_empty() {
        let count = (first + numbers.len()).div_ceil(columns).min((BLOCK / columns).max(1));
        let (now, later) = numbers.split_at_mut((count * columns - first).min(numbers.len()));
        are_valid &= read(done, &mut targets.0[..count]);
        repeat(now, columns, first, &targets.0, simd);
        (numbers, first, done) = (later, 0, done + count);
    }
    are_valid
}

/// Makes the numbers of the elements of rows, from column `first` of the first row on, whose
/// targets these are.
#[inline(never)]
fn repeat(numbers: &mut [u32], columns: usize, first: usize, targets: &[u32; REPEATED], simd: Simd) {
    #[inline(always)]
    fn number((numbers, columns, first, targets): (&mut [u32], usize, usize, &[u32; REPEATED])) {
        let (columns, width) = (Divisor::new(columns), columns as u32);
        for (position, number) in (first as u32..).zip(numbers) {
            // No number is of a row beyond the targets.
            let (row, column) = columns.divide(position);
            *number = targets[row as usize % REPEATED].wrapping_mul(width).wrapping_add(column);
        }
    }
    simd.run((number, (numbers, columns, first, targets)));
}

// A `Divisor` needs this: positions are less than the columns and a block together.
const _: () = assert!((MAX_JOINED as u64 + BLOCK as u64) * (MAX_JOINED as u64) < 1 << 31);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::plan::MAX_IN_LINE;

    /// As many lines as a block has.
    #[test]
    fn a_number_is_counted_from_the_first_line() {
        for in_line in 1..=MAX_IN_LINE {
            for simd in Simd::all() {
                let mut numbers: Vec<u32> = (0..(BLOCK / in_line * in_line) as u32).collect();
                number_lines(&mut numbers, in_line, 1000, simd);
                let expected = |at: usize| (at + at / in_line * 1000) as u32;
                let wrong = (0..numbers.len()).find(|&at| numbers[at] != expected(at));
                assert_eq!(wrong, None, "{in_line} {simd:?}");
            }
        }
    }

    /// The same for rows that each have one target.
    #[test]
    fn a_target_is_that_of_all_columns() {
        for columns in [2, 3, 7, BLOCK - 1, BLOCK, BLOCK + 1, MAX_JOINED] {
            let targets: Vec<u32> = (0..2000).map(|at| at * 37 % 50).collect();
            for simd in Simd::all() {
                for (first, len) in [(0, 1), (1, columns - 1), (columns - 1, 3 * BLOCK), (0, 3 * columns)] {
                    let mut numbers = vec![0; len];
                    let mut read = |done: usize, some: &mut [u32]| {
                        some.copy_from_slice(&targets[done..][..some.len()]);
                        true
                    };
                    assert!(number_repeated(&mut numbers, columns, first, simd, &mut read));
                    let expected = |at: usize| targets[at / columns] * columns as u32 + (at % columns) as u32;
                    let wrong = (0..len).find(|&at| numbers[at] != expected(first + at));
                    assert_eq!(wrong, None, "{first} of {columns} {simd:?}");
                }
            }
        }
    }

    /// Whatever entry is the first that is read.
    #[test]
    fn an_entrys_position_says_its_column() {
        for columns in [2, 3, 7, PREFETCHED - 1, PREFETCHED, PREFETCHED + 1, 1000, MAX_JOINED] {
            let read = (2 * columns).clamp(3 * PREFETCHED, 5 * PREFETCHED);
            let target = |at: usize| (at * 37 % 50) as u32;
            for simd in Simd::all() {
                for first in [0, 1, columns - 1, columns, 2 * columns - 1] {
                    let mut numbers: Vec<u32> = (first..first + read).map(target).collect();
                    number_columns(&mut numbers, columns, first % columns, simd);
                    let expected = |at: usize| target(at) * columns as u32 + (at % columns) as u32;
                    let wrong = (0..read).find(|&at| numbers[at] != expected(first + at));
                    assert_eq!(wrong, None, "{first} of {columns} {simd:?}");
                }
            }
        }
    }
}
