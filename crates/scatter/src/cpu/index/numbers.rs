//! Turns index values into the numbers of their targets, many at a time, so that the loops that
//! take numbers know neither the components of an entry nor the index's dtype, nor that values may
//! be negative. Some loops take [values as they are](Values).

use core::slice;

use crate::Index;
use crate::cpu::index::targets::IndexStorage;
use crate::cpu::walk::{Component, Components, Coordinate};
use crate::simd::{CACHE_LINE, Simd, SimdLoop, prefetch, prefetch_stream};

/// The numbers that are read at a time: they stay in the nearest cache.
pub(in crate::cpu) const BLOCK: usize = 512;

/// How many values ahead a stream beside others is prefetched: hardware doesn't read ahead beyond a
/// page.
pub(in crate::cpu) const STREAM_AHEAD: usize = 768;

/// Reads an index as the numbers of its targets, which fit in 32 bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct TargetNumbers {
    index: IndexStorage,
    components: Components,
    simd: Simd,
}

impl TargetNumbers {
    /// Where targets are too many, only a sweep without tiles is planned, which reads no
    /// numbers.
    pub(in crate::cpu) const fn new(index: IndexStorage, components: &Components, simd: Simd) -> Self {
        Self { index, components: *components, simd }
    }

    /// The instructions that loops over the numbers may use.
    pub(in crate::cpu) const fn simd(&self) -> Simd {
        self.simd
    }

    /// The numbers of the targets of the entries that lie `step` apart from `at` on. Returns
    /// whether all their values are valid; if not, the numbers mean nothing.
    ///
    /// # Safety
    /// The entries and their components lie inside the index's storage, and nobody writes them.
    #[inline]
    pub(in crate::cpu) unsafe fn read(&self, at: isize, step: isize, numbers: &mut [u32]) -> bool {
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        unsafe { self.read_by::<false>(at, step, numbers) }
    }

    /// The same for entries that more will be read after: where they lie one after the other, later
    /// ones are prefetched.
    ///
    /// # Safety
    /// As [`TargetNumbers::read`].
    #[inline]
    pub(in crate::cpu) unsafe fn read_on(&self, at: isize, step: isize, numbers: &mut [u32]) -> bool {
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        unsafe { self.read_by::<true>(at, step, numbers) }
    }

    /// Where the values of the entries begin that lie `step` apart from `at` on; they may be
    /// negative or out of range. `None` where they don't lie one after the other, or an entry has
    /// several.
    #[inline(always)]
    pub(in crate::cpu) fn values(&self, at: isize, step: isize) -> Option<Values> {
        let ([component], 1) = (self.components.as_slice(), step) else { return None };
        let at = at + component.value_at()?;
        Some(match self.index {
            IndexStorage::I32(index) => Values::I32(index.wrapping_offset(at)),
            IndexStorage::I64(index) => Values::I64(index.wrapping_offset(at)),
        })
    }

    /// [`TargetNumbers::read_on`] with `PREFETCH`, else [`TargetNumbers::read`].
    ///
    /// # Safety
    /// As [`TargetNumbers::read`].
    #[inline]
    unsafe fn read_by<const PREFETCH: bool>(&self, at: isize, step: isize, numbers: &mut [u32]) -> bool {
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        unsafe {
            match self.index {
                IndexStorage::I32(index) => self.read_from::<i32, PREFETCH>(index, at, step, numbers),
                IndexStorage::I64(index) => self.read_from::<i64, PREFETCH>(index, at, step, numbers),
            }
        }
    }

    /// [`TargetNumbers::read`] for the type of the index.
    ///
    /// # Safety
    /// As [`TargetNumbers::read`].
    unsafe fn read_from<I: Index, const PREFETCH: bool>(
        &self,
        index: *const I,
        at: isize,
        step: isize,
        numbers: &mut [u32],
    ) -> bool {
        let (simd, first, len) = (self.simd, index.wrapping_offset(at), numbers.len());
        // SAFETY: the entries and their components lie inside the storage of the index, which
        // nobody writes.
        unsafe {
            if let Some((components, entries)) = self.components.adjacent(first, step, len) {
                return simd.run(Adjacent::<I, 1, PREFETCH> { entries, components, numbers });
            }
            if let Some((components, entries)) = self.components.adjacent(first, step, len) {
                return simd.run(Adjacent::<I, 2, PREFETCH> { entries, components, numbers });
            }
        }
        if let (&[target, column], 1) = (self.components.as_slice(), step)
            && let (Some(value_at), Coordinate::Position(origin)) = (target.value_at(), column.coordinate)
            && column.size <= MAX_COLUMNS
        {
            // SAFETY: the values of the entries lie inside the storage, which nobody writes.
            let entries = unsafe { slice::from_raw_parts(first.wrapping_offset(value_at).cast(), len) };
            let targets =
                Adjacent::<I, 1, PREFETCH> { entries, components: [target], numbers: &mut *numbers };
            let are_valid = simd.run(targets);
            let first = (at - origin).rem_euclid(column.size as isize) as usize;
            number_columns(numbers, column.size, first, simd);
            return are_valid;
        }
        let mut signs = 0;
        // SAFETY: a component of an entry.
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

/// Where values of an index lie, one after the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Values {
    I32(*const i32),
    I64(*const i64),
}

/// The number of a target; or a value of index, which may be one.
pub(in crate::cpu) trait Number: Copy {
    fn get(self) -> i64;
}

impl Number for u32 {
    #[inline(always)]
    fn get(self) -> i64 {
        self.into()
    }
}

impl<I: Index> Number for I {
    #[inline(always)]
    fn get(self) -> i64 {
        self.to_i64()
    }
}

/// The values of index that are read, and as many prefetched, at a time.
const PREFETCHED: usize = 128;

/// Prefetches what comes [`STREAM_AHEAD`] after a block of values.
#[inline(always)]
pub(in crate::cpu) fn prefetch_on<T>(values: &[T]) {
    prefetch_stream(values.as_ptr().wrapping_add(STREAM_AHEAD), values.len());
}

/// Whether `values` of a line, lines being `bytes` apart, name so few of its elements that these
/// are prefetched rather than the line: no more than two for each cache line of that distance.
pub(in crate::cpu) const fn is_sparse(values: usize, bytes: usize) -> bool {
    values.saturating_mul(CACHE_LINE) <= bytes.saturating_mul(2)
}

/// Prefetches the elements of a line, `step` bytes apart, that values name; a negative one
/// prefetches what lies that far before the line, which does no harm.
#[inline(always)]
pub(in crate::cpu) fn prefetch_named<I: Index>(line: *const u8, step: isize, values: &[I]) {
    for value in values {
        prefetch(line.wrapping_offset((value.to_i64() as isize).wrapping_mul(step)));
    }
}

/// A value counted from the start of an axis of `size` elements, and a number that is negative
/// unless it lies in the axis. Many of these are folded by `|`: unlike unsigned comparisons, every
/// instruction set has it for vectors of 64-bit integers.
#[inline(always)]
pub(in crate::cpu) fn wrap_signed(value: i64, size: i64) -> (i64, i64) {
    // Nothing overflows: `size`, which isn't negative, is added to a negative value only, and what
    // is taken from it is no less than `i64::MIN + size`.
    let wrapped = value + (value >> 63 & size);
    (wrapped, wrapped | (size - 1 - wrapped))
}

/// The loop for entries of some components that lie one after the other; with or without a prefetch
/// of later ones.
struct Adjacent<'a, I, const K: usize, const PREFETCH: bool> {
    entries: &'a [[I; K]],
    components: [Component; K],
    numbers: &'a mut [u32],
}

impl<I: Index, const K: usize, const PREFETCH: bool> SimdLoop for Adjacent<'_, I, K, PREFETCH> {
    type Output = bool;

    #[inline(always)]
    fn run(self, _simd: Simd) -> bool {
        let Self { entries, components, numbers } = self;
        let mut signs = 0;
        for (numbers, entries) in numbers.chunks_mut(PREFETCHED).zip(entries.chunks(PREFETCHED)) {
            if PREFETCH {
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

/// The columns at the most that [`number_columns`] counts.
pub(in crate::cpu) const MAX_COLUMNS: usize = 1 << 15;

/// Makes numbers of targets those of the elements of all their columns: an entry's position is its
/// column, and `first` is the first one's.
#[inline(never)]
fn number_columns(numbers: &mut [u32], columns: usize, first: usize, simd: Simd) {
    simd.run(Columns { numbers, columns, first });
}

/// The loop of [`number_columns`].
struct Columns<'a> {
    numbers: &'a mut [u32],
    columns: usize,
    first: usize,
}

impl SimdLoop for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _simd: Simd) {
        let Self { numbers, columns, mut first } = self;
        let width = columns as u32;
        // A position is divided by a multiplication, which is right as long as the product of
        // position and columns is less than 2^32: positions are less than columns + PREFETCHED.
        let reciprocal = (1 << 32) / columns as u64 + 1;
        for numbers in numbers.chunks_mut(PREFETCHED) {
            for (position, number) in (first as u32..).zip(numbers.iter_mut()) {
                let turn = ((u64::from(position) * reciprocal) >> 32) as u32;
                let column = position - turn * width;
                *number = number.wrapping_mul(width).wrapping_add(column);
            }
            first = (first + numbers.len()) % columns;
        }
    }
}

const _: () = assert!((MAX_COLUMNS as u64 + PREFETCHED as u64) * (MAX_COLUMNS as u64) < 1 << 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_wrapped_without_overflow_and_its_sign_says_whether_it_is_valid() {
        for size in [0, 1, 2, 64, i64::from(u32::MAX), i64::MAX] {
            for near in [i64::MIN, -size, 0, size, i64::MAX] {
                for value in (-2..=2).filter_map(|step| near.checked_add(step)) {
                    let (wrapped, sign) = wrap_signed(value, size);
                    let expected = if value < 0 { value + size } else { value };
                    assert_eq!(wrapped, expected, "{value} of {size}");
                    assert_eq!(sign >= 0, (0..size).contains(&expected), "{value} of {size}");
                }
            }
        }
    }
    /// Whatever entry is the first that is read.
    #[test]
    fn an_entrys_position_says_its_column() {
        for columns in [2, 3, 7, PREFETCHED - 1, PREFETCHED, PREFETCHED + 1, 1000, MAX_COLUMNS] {
            let read = (2 * columns).clamp(3 * PREFETCHED, 5 * PREFETCHED);
            let target = |at: usize| (at * 37 % 50) as u32;
            for simd in Simd::all() {
                for first in [0, 1, columns - 1, columns, 2 * columns - 1] {
                    let mut numbers: Vec<u32> = (first..first + read).map(target).collect();
                    simd.run(Columns { numbers: &mut numbers, columns, first: first % columns });
                    let expected = |at: usize| target(at) * columns as u32 + (at % columns) as u32;
                    let wrong = (0..read).find(|&at| numbers[at] != expected(first + at));
                    assert_eq!(wrong, None, "{first} of {columns} {simd:?}");
                }
            }
        }
    }
}
