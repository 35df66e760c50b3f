//! The storage of an index, and where its updates go: the places in the destination, for any number
//! of components, any strides and any range of targets. The sweep and gathers take these; other
//! loops take the [numbers](crate::cpu::index::numbers) of targets, or index values as they are.

use crate::cpu::rows::row;
use crate::cpu::walk::Component;
use crate::cpu::walk::grid::Task;
use crate::problem::wrap;
use crate::{DType, Index};

/// The storage of an index.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum IndexStorage {
    I32(*const i32),
    I64(*const i64),
}

// SAFETY: the index is only read, and nobody writes it during a call.
unsafe impl Sync for IndexStorage {}

// SAFETY: the address belongs to no thread; the index is only read.
unsafe impl Send for IndexStorage {}

impl IndexStorage {
    /// For walks that have no index.
    pub(in crate::cpu) const NONE: Self = Self::I64(core::ptr::null());

    /// The storage at `start`; an empty index, which is never read, may have no index dtype.
    pub(in crate::cpu) fn new(dtype: Option<DType>, start: *const u8) -> Self {
        if dtype == Some(DType::I32) { Self::I32(start.cast()) } else { Self::I64(start.cast()) }
    }

    /// Prefetches a row of values, or the start of one; there need not be any.
    #[inline(always)]
    pub(in crate::cpu) fn prefetch(self, at: isize, len: usize) {
        match self {
            Self::I32(index) => row::prefetch(index.wrapping_offset(at).cast(), len * size_of::<i32>()),
            Self::I64(index) => row::prefetch(index.wrapping_offset(at).cast(), len * size_of::<i64>()),
        }
    }

    /// The value at `at`.
    ///
    /// # Safety
    /// `at` is an element of the storage.
    pub(in crate::cpu) unsafe fn read(self, at: isize) -> i64 {
        // SAFETY: `at` is an element of the storage.
        unsafe {
            match self {
                Self::I32(index) => index.offset(at).read().to_i64(),
                Self::I64(index) => index.offset(at).read().to_i64(),
            }
        }
    }
}

/// The place of a target that another task owns: no element can be there.
pub(in crate::cpu) const ELSEWHERE: isize = isize::MIN;

/// The targets that one task owns.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Targets<'a> {
    index: IndexStorage,
    task: &'a Task,
}

impl<'a> Targets<'a> {
    pub(in crate::cpu) const fn new(task: &'a Task, index: IndexStorage) -> Self {
        Self { index, task }
    }

    /// Where the update of the index entry at `at` goes, in steps of the destination, or
    /// [`ELSEWHERE`].
    ///
    /// # Safety
    /// As [`Targets::places`].
    #[inline]
    pub(in crate::cpu) unsafe fn place(&self, at: isize) -> isize {
        let mut place = [0];
        // SAFETY: the entry and its components lie inside the storage, and its values are valid.
        unsafe { self.places(at, 0, &mut place) };
        place[0]
    }

    /// The same for entries `step` apart.
    ///
    /// # Safety
    /// The entries and their components lie inside the index's storage, nobody writes them, and
    /// their values are valid.
    pub(in crate::cpu) unsafe fn places(&self, at: isize, step: isize, places: &mut [isize]) {
        // SAFETY: the entries and their components lie inside the storage, and their values are
        // valid.
        unsafe {
            match self.index {
                IndexStorage::I32(index) => self.places_from(index, at, step, places),
                IndexStorage::I64(index) => self.places_from(index, at, step, places),
            }
        }
    }

    /// [`Targets::places`] for the type of the index.
    ///
    /// # Safety
    /// As [`Targets::places`].
    unsafe fn places_from<I: Index>(&self, index: *const I, at: isize, step: isize, places: &mut [isize]) {
        let Task { walk, first_target, targets } = self.task;
        let here = |number: usize, place: isize| {
            if number.wrapping_sub(*first_target) < *targets { place } else { ELSEWHERE }
        };
        // SAFETY: a component of an entry, which lies inside the storage.
        let read = |entry: isize, component: &Component| unsafe {
            wrap(index.offset(entry + component.at).read().to_i64(), component.size)
        };
        let entries = (0..).map(|number: isize| at + number * step);
        match walk.components.as_slice() {
            [] => places.fill(here(0, 0)),
            [only] => {
                for (place, entry) in places.iter_mut().zip(entries) {
                    let value = read(entry, only);
                    *place = here(value, value as isize * only.step);
                }
            }
            components => {
                for (place, entry) in places.iter_mut().zip(entries) {
                    let (number, at) = components.iter().fold((0, 0), |(number, at), component| {
                        let value = read(entry, component);
                        (number + value * component.weight, at + value as isize * component.step)
                    });
                    *place = here(number, at);
                }
            }
        }
    }
}
