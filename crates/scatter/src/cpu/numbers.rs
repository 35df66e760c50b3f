//! Index values to the numbers of their targets, many at a time. The index's dtype, negative values and the components of
//! an entry matter here only.

use super::targets::IndexStorage;
use super::walk::{Component, Components};
use crate::Index;
use crate::problem::wrap;
use crate::simd::{Kernel, Simd};

/// So many numbers are read at a time: they stay in the nearest cache.
pub(super) const BLOCK: usize = 512;

/// So many values ahead what is read once is asked for: hardware doesn't read ahead beyond a page.
pub(super) const STREAM_AHEAD: usize = 512;

/// An index whose targets can be numbered with 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    index: IndexStorage,
    components: Components,
    simd: Simd,
}

impl Numbers {
    /// `None` where there are too many targets.
    pub(super) fn new(index: IndexStorage, components: &Components, simd: Simd) -> Option<Self> {
        let fits = u32::try_from(components.targets()).is_ok();
        fits.then_some(Self { index, components: *components, simd })
    }

    /// The numbers of the targets of the entries that lie `step` apart from `at` on. Returns whether all their values are
    /// valid; if not, the numbers mean nothing.
    ///
    /// # Safety
    /// The entries and their components lie inside the index's storage, and nobody writes them.
    #[inline]
    pub(super) unsafe fn read(&self, at: isize, step: isize, numbers: &mut [u32]) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            match self.index {
                IndexStorage::I32(index) => self.read_from(index, at, step, numbers),
                IndexStorage::I64(index) => self.read_from(index, at, step, numbers),
            }
        }
    }

    /// Asks for entries that lie one after the other, as far as these are values of one component.
    #[inline]
    pub(super) fn prefetch(&self, at: isize, len: usize) {
        if let [only] = self.components.as_slice() {
            self.index.prefetch(at + only.at, len);
        }
    }

    /// [`Numbers::read`] for the type of the index.
    ///
    /// # Safety
    /// As [`Numbers::read`].
    unsafe fn read_from<I: Index>(
        &self,
        index: *const I,
        at: isize,
        step: isize,
        numbers: &mut [u32],
    ) -> bool {
        match self.components.as_slice() {
            [only] if step == 1 => {
                // SAFETY: these are the entries, one after the other.
                let values =
                    unsafe { core::slice::from_raw_parts(index.offset(at + only.at), numbers.len()) };
                self.simd.run(Narrow { values, size: only.size as i64, numbers })
            }
            components => {
                let mut valid = true;
                for (entry, number) in (0..).map(|entry: isize| at + entry * step).zip(numbers) {
                    *number = 0;
                    for &Component { at, size, weight, .. } in components {
                        // SAFETY: a component of an entry.
                        let value = wrap(unsafe { index.offset(entry + at).read() }.to_i64(), size);
                        valid &= value < size;
                        *number = number.wrapping_add((value as u32).wrapping_mul(weight as u32));
                    }
                }
                valid
            }
        }
    }
}

/// The loop for entries of one component that lie one after the other.
struct Narrow<'a, I> {
    values: &'a [I],
    size: i64,
    numbers: &'a mut [u32],
}

impl<I: Index> Kernel for Narrow<'_, I> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { values, size, numbers } = self;
        let mut valid = true;
        for (number, value) in numbers.iter_mut().zip(values) {
            let value = value.to_i64();
            // A negative value and a size don't overflow.
            let wrapped = if value < 0 { value + size } else { value };
            valid &= (wrapped as u64) < size as u64;
            *number = wrapped as u32;
        }
        valid
    }
}
