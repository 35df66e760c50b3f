//! One index with the coordinates along its last axis, of several index tensors.

use core::ptr;

use super::Limits;
use super::index::targets::IndexStorage;
use super::temporary::{Places, each_run, room};
use crate::{Argument, Error, IndexList, Operator};

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
pub unsafe fn points(list: &IndexList) -> Result<Vec<i64>, Error> {
    let (operator, argument) = (Operator::IndexPut, Argument::Index);
    let (layout, limits) =
        (list.layout().map_err(|got| Error::Layout { operator, argument, got })?, Limits::default());
    let (mut all, depth) = (room::<i64>(operator, layout.elements())?, list.axes().count());
    let places = Places(all.as_mut_ptr());
    let tensors: Vec<_> = list
        .tensors()
        .map(|(dtype, layout, address)| {
            (IndexStorage::new(Some(*dtype), ptr::with_exposed_provenance(*address)), layout)
        })
        .collect();
    // Tensors of one layout, as they most often are, go together: all coordinates of an element are
    // written at once.
    let mut first = 0;
    for tensors in tensors.chunk_by(|(_, one), (_, other)| one == other) {
        each_run(tensors[0].1, &limits, &|run| {
            for (number, address) in run.elements() {
                for (component, (values, _)) in (first..).zip(tensors) {
                    // SAFETY: the address is one of the tensor's, whose storage the caller vouches
                    // for; there is room for each coordinate of each element, and one thread writes
                    // each.
                    unsafe { places.at(number * depth + component).write(values.read(address as isize)) }
                }
            }
        })?;
        first += tensors.len();
    }
    // SAFETY: the coordinates of all elements have been written.
    unsafe { all.set_len(layout.elements()) };
    Ok(all)
}
