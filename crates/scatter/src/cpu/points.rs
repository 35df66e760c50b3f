//! One index of several index tensors: with the coordinates along its last axis, or with the
//! numbers of the elements that they name.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use core::{ptr, slice};

use super::index::storage::{IndexStorage, with_values};
use super::limits::Limits;
use super::temporary::{each_element_run, room};
use super::threads::shared::Shared;
use crate::{Argument, DType, Error, Index, IndexList, Layout, Operator, Problem};

/// The values of an index with the [layout](IndexList::layout) of the list, from tensors in memory
/// at the addresses of the list.
///
/// # Errors
/// [`Error::Layout`] where the index can't be addressed; [`Error::Memory`] where the system has
/// none for it.
///
/// # Safety
/// At the address of each tensor of the list there is a storage as large as its layout says,
/// aligned, whose provenance is exposed, and which nobody writes until this returns.
unsafe fn points(list: &IndexList) -> Result<Vec<i64>, Error> {
    let (operator, argument) = (Operator::IndexPut, Argument::Index);
    let (layout, limits) =
        (list.layout().map_err(|got| Error::Layout { operator, argument, got })?, Limits::default());
    let (mut all, depth) = (room::<i64>(operator, layout.elements())?, list.axes().count());
    let places = Shared(all.as_mut_ptr());
    let tensors: Vec<_> = list.tensors().map(|tensor| (storage(tensor), &tensor.1)).collect();
    // Tensors of one layout, as they most often are, go together: all coordinates of an element are
    // written at once.
    let mut first = 0;
    for tensors in tensors.chunk_by(|(_, one), (_, other)| one == other) {
        each_element_run(tensors[0].1, &limits, &|run| {
            for (number, address) in run.elements() {
                for (component, (values, _)) in (first..).zip(tensors) {
                    // SAFETY: the address is one of the tensor's, which lies inside its storage,
                    // which nobody writes; there is room for each coordinate of each element, and
                    // one thread writes each.
                    unsafe { places.get().add(number * depth + component).write(values.read(address)) }
                }
            }
        })?;
        first += tensors.len();
    }
    // SAFETY: the coordinates of all elements have been written.
    unsafe { all.set_len(layout.elements()) };
    Ok(all)
}

/// The storage of a tensor of a list, at its address.
fn storage(&(dtype, _, address): &(DType, Layout, usize)) -> IndexStorage {
    IndexStorage::new(Some(dtype), ptr::with_exposed_provenance(address))
}

/// An index that was made of a list.
pub(crate) enum OneIndex {
    /// The number of each element that is named, on the indexed axes as one.
    Numbers(Vec<i32>),
    /// All coordinates, along the last axis.
    Points(Vec<i64>),
}

impl OneIndex {
    /// The index of a problem that was made for a list, and the problem with it.
    ///
    /// # Errors
    /// As [`points`].
    ///
    /// # Safety
    /// As [`points`].
    pub(crate) unsafe fn new(list: &IndexList, problem: &Problem) -> Result<(Self, Problem), Error> {
        if let Some((sizes, numbered)) = problem.numbered()
            // SAFETY: the tensors of the list are storages as their layouts say, and nobody writes
            // them.
            && let Some(numbers) = unsafe { numbers(list, &sizes) }?
        {
            return Ok((Self::Numbers(numbers), numbered));
        }
        // SAFETY: the tensors of the list are storages as their layouts say, and nobody writes
        // them.
        Ok((Self::Points(unsafe { points(list) }?), *problem))
    }

    pub(super) fn storage(&self) -> IndexStorage {
        match self {
            Self::Numbers(values) => IndexStorage::I32(values.as_ptr()),
            Self::Points(values) => IndexStorage::I64(values.as_ptr()),
        }
    }
}

/// The elements of a chunk, whose numbers stay in a near cache while they are made.
const CHUNK: usize = 2048;

/// The numbers of the elements that the coordinates of a list name, in row-major order, on axes of
/// these sizes, whose product an i32 can hold; `None` where the tensors differ in layout, and where
/// a value is out of range.
///
/// # Errors
/// As [`points`].
///
/// # Safety
/// As [`points`].
unsafe fn numbers(list: &IndexList, sizes: &[usize]) -> Result<Option<Vec<i32>>, Error> {
    let tensors: Vec<_> = list.tensors().collect();
    let Some((_, layout, _)) = tensors.first() else { return Ok(None) };
    if tensors.len() != sizes.len() || tensors.iter().any(|(_, other, _)| other != layout) {
        return Ok(None);
    }
    let mut all = room::<i32>(Operator::IndexPut, layout.elements())?;
    let (places, is_valid) = (Shared(all.as_mut_ptr()), AtomicBool::new(true));
    let columns: Vec<_> = tensors.iter().map(|tensor| storage(tensor)).zip(sizes.iter().copied()).collect();
    each_element_run(layout, &Limits::default(), &|run| {
        let Range { start: first, end } = run.numbers;
        for chunk in (first..end).step_by(CHUNK) {
            let len = CHUNK.min(end - chunk);
            // SAFETY: there is room for an i32 of each element, and one thread writes each.
            let numbers = unsafe {
                let numbers = places.get().add(chunk);
                numbers.write_bytes(0, len);
                slice::from_raw_parts_mut(numbers, len)
            };
            let start = run.start + (chunk - first) as isize * run.step;
            let is_good = columns.iter().all(|&(values, size)| {
                // SAFETY: each number of this chunk has its element of the tensor, `run.step`
                // apart, inside a storage that nobody writes.
                with_values!(values.from(start), values => unsafe { append(numbers, values, run.step, size) })
            });
            if !is_good {
                is_valid.store(false, Ordering::Relaxed);
            }
        }
    })?;
    // SAFETY: the numbers of all elements have been written.
    unsafe { all.set_len(layout.elements()) };
    Ok(is_valid.into_inner().then_some(all))
}

/// Extends each number, which was counted on the axes so far, by one more axis, which has `size`
/// elements and whose coordinates are `values`. Returns whether all values were valid.
///
/// # Safety
/// There is a value for each number, `step` elements apart, inside a storage that nobody writes.
unsafe fn append<I: Index>(numbers: &mut [i32], values: *const I, step: isize, size: usize) -> bool {
    // `size` is more than an i32 can hold only if another axis is empty, so that no number is
    // valid.
    let size = size as i64;
    let mut is_good = true;
    for (number, at) in numbers.iter_mut().zip(0..) {
        // SAFETY: the caller promises a value for each number, which nobody writes.
        let value = unsafe { values.offset(at * step).read() }.to_i64();
        let wrapped = if value < 0 { value.wrapping_add(size) } else { value };
        is_good &= (0..size).contains(&wrapped);
        *number = number.wrapping_mul(size as i32).wrapping_add(wrapped as i32);
    }
    is_good
}
