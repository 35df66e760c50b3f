//! The arguments of operators: tensors, scalars, arrays, lists; and the executors that operators
//! create.

pub(crate) mod array;
pub(crate) mod executor;
pub(crate) mod list;
pub(crate) mod scalar;
pub(crate) mod tensor;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, AclnnStatus};

use crate::entry::Place;
use crate::failure::{Failure, NnFallible, failure};

/// The failure for a handle of an object that does not exist.
fn unknown<T>(what: &str, handle: *const T) -> Failure<AclnnStatus> {
    failure!(ACLNN_ERR_PARAM_INVALID, "{what} {handle:?} does not exist, or was destroyed")
}

/// The failure where no more objects of a kind can be created.
fn none_left(what: &str) -> Failure<AclnnStatus> {
    failure!(ACLNN_ERR_INNER_NULLPTR, "no more {what} can be made")
}

/// Returns numbers in an array that the caller frees as C++ does with `delete[]`.
///
/// The array comes from `malloc`: on every platform that CANN runs on, `operator new[]` of a type
/// without a destructor is `operator new` is `malloc`, and `delete[]` is `free`, in libstdc++ as in
/// libc++ (a program that replaces the operators with others can't use CANN's own library either,
/// whose allocations and theirs would mix). Empty arrays are not null there.
fn give_array(numbers: &[i64], array: Place<*mut i64>, count: Place<u64>) -> NnFallible {
    // SAFETY: `malloc` may be called with any size.
    let memory: *mut i64 = unsafe { libc::malloc(size_of_val(numbers).max(1)) }.cast();
    if memory.is_null() {
        return Err(failure!(ACLNN_ERR_INNER_NULLPTR, "no memory for {} numbers", numbers.len()));
    }
    // SAFETY: the memory is new and has room for all numbers; malloc aligns for them.
    unsafe { memory.copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    count.put(numbers.len() as u64);
    array.put(memory);
    Ok(())
}

/// A copy of `count` values from an address.
///
/// # Safety
/// The address is null, or `count` values can be read from it.
unsafe fn copied<T: Copy>(values: *const T, count: u64, name: &str) -> NnFallible<Box<[T]>> {
    if count == 0 {
        return Ok(Box::default());
    }
    if values.is_null() {
        return Err(failure!(
            aclnn_sys::ACLNN_ERR_PARAM_NULLPTR,
            "{name} is null, but there are {count} of them"
        ));
    }
    let count = usize::try_from(count)
        .ok()
        .filter(|count| count.checked_mul(size_of::<T>()).is_some_and(|b| b <= isize::MAX as usize));
    let count = count.ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "{name} can't be so many"))?;
    // SAFETY: the address is not null, and `count` values can be read from it; their size fits into
    // memory.
    let values = unsafe { core::slice::from_raw_parts(values, count) };
    crate::memory::copied(values)
        .ok_or_else(|| failure!(ACLNN_ERR_INNER_NULLPTR, "no memory for {count} of {name}"))
}
