//! Where the updates of an index go: the places in the destination, for any number of components,
//! any strides and any range of targets. The sweep and gathers take these; other loops take the
//! [numbers](crate::cpu::index::numbers) of targets, or index values as they are.

use crate::Index;
use crate::cpu::index::storage::{IndexStorage, with_values, wrap_signed};
use crate::cpu::walk::grid::Task;
use crate::cpu::walk::{Component, Coordinate};

/// Destination offsets of a task's updates, in order.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Places<'a> {
    /// The offsets, in elements.
    places: &'a [isize],
    /// The number of each update's entry; `None` if there is an offset for every entry.
    numbers: Option<&'a [u32]>,
}

impl<'a> Places<'a> {
    /// The offsets alone, without entry numbers.
    pub(in crate::cpu) const fn places(&self) -> &'a [isize] {
        self.places
    }

    /// The place of every entry, for a task that owns all targets.
    pub(in crate::cpu) fn of_all(&self) -> &'a [isize] {
        debug_assert!(self.numbers.is_none(), "other tasks make some of the updates");
        self.places
    }

    /// Calls `visit` with the number of each entry and its place.
    #[inline(always)]
    pub(in crate::cpu) fn each(&self, visit: impl Fn(isize, isize)) {
        match self.numbers {
            None => (0..).zip(self.places).for_each(|(number, &place)| visit(number, place)),
            Some(numbers) => {
                numbers.iter().zip(self.places).for_each(|(&number, &place)| visit(number as isize, place));
            }
        }
    }
}

/// The targets that one task owns.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Targets<'a> {
    index: IndexStorage,
    task: &'a Task<'a>,
    /// Whether the task owns all targets of the walk.
    are_all: bool,
}

impl<'a> Targets<'a> {
    pub(in crate::cpu) fn new(task: &'a Task<'a>, index: IndexStorage) -> Self {
        Self { index, task, are_all: task.targets == task.walk.components.targets() }
    }

    /// Where the update of the index entry at `at` goes; `None` where another task makes it.
    ///
    /// # Safety
    /// As [`Targets::places`].
    #[inline]
    pub(in crate::cpu) unsafe fn place(&self, at: isize) -> Option<isize> {
        // SAFETY: the entry and its components lie inside the storage, which nobody writes, and its
        // values are valid.
        unsafe { self.places(at, 0, &mut [0], &mut [0]).places.first().copied() }
    }

    /// Where the updates of the index entries go that lie `step` apart from `at` on: of as many
    /// entries as `places` has room for, and `numbers`, unless the task owns all targets.
    ///
    /// # Safety
    /// The entries and their components lie inside the index's storage, nobody writes them, and
    /// their values are valid.
    pub(in crate::cpu) unsafe fn places<'p>(
        &self,
        at: isize,
        step: isize,
        places: &'p mut [isize],
        numbers: &'p mut [u32],
    ) -> Places<'p> {
        // SAFETY: the entries and their components lie inside the storage, which nobody writes, and
        // their values are valid.
        let found = with_values!(self.index, index => unsafe {
            self.places_from(index, at, step, places, numbers)
        });
        Places { places: &places[..found], numbers: (!self.are_all).then(|| &numbers[..found]) }
    }

    /// [`Targets::places`] for an index of type `I`. The places are written to the front of
    /// `places`. Returns how many there are.
    ///
    /// # Safety
    /// As [`Targets::places`].
    unsafe fn places_from<I: Index>(
        &self,
        index: *const I,
        at: isize,
        step: isize,
        places: &mut [isize],
        numbers: &mut [u32],
    ) -> usize {
        // SAFETY: the entries and their components lie inside the storage, which nobody writes.
        let value = |at: isize| unsafe { index.offset(at).read().to_i64() };
        let wrapped = |value: i64, size: usize| wrap_signed(value, size as i64).0 as usize;
        let read = |number: isize, component: &Component| {
            wrapped(component.of_entry(at + number * step, value), component.size)
        };
        match self.task.walk.components.as_slice() {
            [] => self.keep(|_| (0, 0), places, numbers),
            // The most frequent case: the kind of coordinate is known before the loop, which then
            // has no branch.
            &[Component { coordinate: Coordinate::Value(first), size, step: target_step, .. }] => {
                let find = |number| {
                    let value = wrapped(value(at + first + number * step), size);
                    (value, value as isize * target_step)
                };
                self.keep(find, places, numbers)
            }
            components => {
                let find = |number| {
                    components.iter().fold((0, 0), |(target, at), component| {
                        let value = read(number, component);
                        (target + value * component.weight, at + value as isize * component.step)
                    })
                };
                self.keep(find, places, numbers)
            }
        }
    }

    /// Writes the places of the entries whose targets the task owns, and their numbers unless it
    /// owns all. `find` returns the target and the place of an entry. Returns how many places there
    /// are.
    #[inline(always)]
    fn keep(
        &self,
        find: impl Fn(isize) -> (usize, isize),
        places: &mut [isize],
        numbers: &mut [u32],
    ) -> usize {
        if self.are_all {
            (0..).zip(&mut *places).for_each(|(number, place)| *place = find(number).1);
            return places.len();
        }
        let Task { first_target, targets, .. } = *self.task;
        let room = places.len().min(numbers.len());
        let mut found = 0;
        for number in 0..room {
            let (target, place) = find(number as isize);
            // There is no branch on the target, which hardware couldn't predict: the place of
            // another task's target is overwritten by the next one. There always is room, and to
            // say so spares the bounds checks.
            if found < room {
                (places[found], numbers[found]) = (place, number as u32);
                found += usize::from(target.wrapping_sub(first_target) < targets);
            }
        }
        found
    }
}
