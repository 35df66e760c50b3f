//! Lists, which own their elements.

use aclnn_sys::{
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, aclScalar, aclScalarList,
    aclTensor, aclTensorList,
};

use super::{copied, none_left, scalar, tensor, unknown};
use crate::entry::Out;
use crate::failure::{NnFallible, ensure, failure};
use crate::handle::{Kind, Table};

/// The handles of elements.
type Handles = Box<[usize]>;

static TENSOR_LISTS: Table<Handles> = Table::new(Kind::TensorList);
static SCALAR_LISTS: Table<Handles> = Table::new(Kind::ScalarList);

/// Makes a list of tensors.
///
/// # Safety
/// The tensors are null or can be read as handles.
pub(crate) unsafe fn create_of_tensors(
    tensors: *const *const aclTensor,
    count: u64,
) -> NnFallible<*mut aclTensorList> {
    // SAFETY: the handles are null, or `count` of them can be read.
    let handles = unsafe { handles(tensors, count) }?;
    let handle = TENSOR_LISTS.insert(handles).ok_or_else(|| none_left("lists"))?;
    Ok(core::ptr::without_provenance_mut(handle))
}

/// Makes a list of scalars.
///
/// # Safety
/// The scalars are null or can be read as handles.
pub(crate) unsafe fn create_of_scalars(
    scalars: *const *const aclScalar,
    count: u64,
) -> NnFallible<*mut aclScalarList> {
    // SAFETY: the handles are null, or `count` of them can be read.
    let handles = unsafe { handles(scalars, count) }?;
    let handle = SCALAR_LISTS.insert(handles).ok_or_else(|| none_left("lists"))?;
    Ok(core::ptr::without_provenance_mut(handle))
}

unsafe fn handles<T>(elements: *const *const T, count: u64) -> NnFallible<Handles> {
    // SAFETY: the elements are null, or `count` handles can be read.
    let elements = unsafe { copied(elements, count, "value") }?;
    Ok(elements.iter().map(|element| element.addr()).collect())
}

/// Destroys a list with its tensors; null is nothing to destroy.
pub(crate) fn destroy_tensors(list: *const aclTensorList) -> NnFallible {
    if list.is_null() {
        return Ok(());
    }
    let handles = TENSOR_LISTS.remove(list.addr()).ok_or_else(|| unknown("tensor list", list))?;
    let all = handles.iter().map(|handle| tensor::destroy(core::ptr::without_provenance(*handle)));
    // Every element is destroyed, even if one had been destroyed before.
    all.fold(Ok(()), Result::and)
}

/// Destroys a list with its scalars; null is nothing to destroy.
pub(crate) fn destroy_scalars(list: *const aclScalarList) -> NnFallible {
    if list.is_null() {
        return Ok(());
    }
    let handles = SCALAR_LISTS.remove(list.addr()).ok_or_else(|| unknown("scalar list", list))?;
    let all = handles.iter().map(|handle| scalar::destroy(core::ptr::without_provenance(*handle)));
    all.fold(Ok(()), Result::and)
}

/// Returns how many tensors there are.
pub(crate) fn tensors(list: *const aclTensorList, size: Out<u64>) -> NnFallible {
    ensure!(!list.is_null(), ACLNN_ERR_PARAM_NULLPTR, "tensorList is null");
    let size = size.required_nn()?;
    let count = TENSOR_LISTS.with(list.addr(), |handles| handles.len());
    size.put(count.ok_or_else(|| unknown("tensor list", list))? as u64);
    Ok(())
}

/// Returns how many scalars there are.
pub(crate) fn scalars(list: *const aclScalarList, size: Out<u64>) -> NnFallible {
    ensure!(!list.is_null(), ACLNN_ERR_PARAM_NULLPTR, "scalarList is null");
    let size = size.required_nn()?;
    let count = SCALAR_LISTS.with(list.addr(), |handles| handles.len());
    size.put(count.ok_or_else(|| unknown("scalar list", list))? as u64);
    Ok(())
}

/// Returns the tensor at a place of a list.
pub(crate) fn read(list: *const aclTensorList, index: u64, tensor: Out<*const aclTensor>) -> NnFallible {
    ensure!(!list.is_null(), ACLNN_ERR_PARAM_NULLPTR, "tensorList is null");
    let tensor = tensor.required_nn()?;
    let place = usize::try_from(index).unwrap_or(usize::MAX);
    let found = TENSOR_LISTS.with(list.addr(), |handles| (handles.get(place).copied(), handles.len()));
    let (handle, size) = found.ok_or_else(|| unknown("tensor list", list))?;
    let handle = handle
        .ok_or_else(|| failure!(ACLNN_ERR_PARAM_INVALID, "index {index} is not within {size} tensors"))?;
    tensor.put(core::ptr::without_provenance(handle));
    Ok(())
}

/// Refuses an index that no tensor of the list has.
pub(crate) fn tensor_at(list: *const aclTensorList, index: usize) -> NnFallible<*mut aclTensor> {
    ensure!(!list.is_null(), ACLNN_ERR_INNER_NULLPTR, "tensors is null");
    let found = TENSOR_LISTS.with(list.addr(), |handles| (handles.get(index).copied(), handles.len()));
    let (handle, size) = found.ok_or_else(|| unknown("tensor list", list))?;
    let handle = handle.ok_or_else(|| {
        failure!(ACLNN_ERR_PARAM_INVALID, "relativeIndex {index} is not within {size} tensors")
    })?;
    ensure!(handle != 0, ACLNN_ERR_INNER_NULLPTR, "tensor {index} of the list is null");
    Ok(core::ptr::without_provenance_mut(handle))
}

/// How many lists live.
pub(crate) fn count() -> usize {
    TENSOR_LISTS.len() + SCALAR_LISTS.len()
}
