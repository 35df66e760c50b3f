//! Tensors: shapes, strides and addresses, without the data.

use core::ffi::c_void;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, aclDataType, aclFormat, aclTensor};

use super::{give_array, none_left, unknown};
use crate::entry::Out;
use crate::failure::{NnFallible, ensure};
use crate::handle::{Kind, Table};

/// The most axes of a tensor in CANN.
const MAX_AXES: u64 = 25;

/// A tensor without its data.
#[derive(Debug)]
pub(crate) struct Tensor {
    dtype: aclDataType,
    format: aclFormat,
    offset: i64,
    /// Shape, strides, and the storage's shape.
    numbers: Box<[i64]>,
    axes: usize,
    /// Where the storage begins: a number, never read through.
    address: usize,
}

/// Which of a tensor's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    Shape,
    Strides,
    Storage,
}

static TENSORS: Table<Tensor> = Table::new(Kind::Tensor);

/// The arguments from which a tensor is created, as C passes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) shape: (*const i64, u64),
    pub(crate) dtype: aclDataType,
    pub(crate) strides: *const i64,
    pub(crate) offset: i64,
    pub(crate) format: aclFormat,
    pub(crate) storage: (*const i64, u64),
    pub(crate) address: *mut c_void,
}

impl Tensor {
    /// # Safety
    /// The shapes and strides are null, or can be read for their lengths.
    unsafe fn new(parts: Parts) -> NnFallible<Self> {
        let Parts { shape, dtype, strides, offset, format, storage, address } = parts;
        for ((pointer, count), name) in [(shape, "viewDims"), (storage, "storageDims")] {
            ensure!(
                !pointer.is_null() || count == 0,
                ACLNN_ERR_PARAM_NULLPTR,
                "{name} is null, but has {count} axes"
            );
            ensure!(
                count <= MAX_AXES,
                ACLNN_ERR_PARAM_INVALID,
                "{name} has {count} axes, and CANN has {MAX_AXES} at most"
            );
        }
        // SAFETY: the pointer is not null unless `count` is 0, and `count` numbers can be read from
        // it.
        let read = |(pointer, count): (*const i64, u64)| unsafe {
            if count == 0 { &[][..] } else { core::slice::from_raw_parts(pointer, count as usize) }
        };
        let (sizes, storage) = (read(shape), read(storage));
        let axes = sizes.len();
        let mut numbers = vec![0; 2 * axes + storage.len()].into_boxed_slice();
        numbers[..axes].copy_from_slice(sizes);
        if strides.is_null() {
            let mut stride = 1_i64;
            for axis in (0..axes).rev() {
                numbers[axes + axis] = stride;
                stride = stride.wrapping_mul(sizes[axis]);
            }
        } else {
            numbers[axes..2 * axes].copy_from_slice(read((strides, shape.1)));
        }
        numbers[2 * axes..].copy_from_slice(storage);
        Ok(Self { dtype, format, offset, numbers, axes, address: address.expose_provenance() })
    }

    fn numbers(&self, which: Numbers) -> &[i64] {
        match which {
            Numbers::Shape => &self.numbers[..self.axes],
            Numbers::Strides => &self.numbers[self.axes..2 * self.axes],
            Numbers::Storage => &self.numbers[2 * self.axes..],
        }
    }
}

/// Makes a tensor.
///
/// # Safety
/// The shapes and strides are null, or can be read for their lengths.
pub(crate) unsafe fn create(parts: Parts) -> NnFallible<*mut aclTensor> {
    // SAFETY: the shapes and strides are null, or can be read for their lengths.
    let tensor = unsafe { Tensor::new(parts) }?;
    let handle = TENSORS.insert(tensor).ok_or_else(|| none_left("tensors"))?;
    Ok(core::ptr::without_provenance_mut(handle))
}

/// Initialises an existing tensor anew.
///
/// # Safety
/// The shapes and strides are null, or can be read for their lengths.
pub(crate) unsafe fn init(tensor: *mut aclTensor, parts: Parts) -> NnFallible {
    ensure!(!tensor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "tensor is null");
    // SAFETY: the shapes and strides are null, or can be read for their lengths.
    let new = unsafe { Tensor::new(parts) }?;
    TENSORS.with_mut(tensor.addr(), |tensor| *tensor = new).ok_or_else(|| unknown("tensor", tensor))
}

/// Destroys a tensor; null is nothing to destroy.
pub(crate) fn destroy(tensor: *const aclTensor) -> NnFallible {
    if tensor.is_null() {
        return Ok(());
    }
    TENSORS.remove(tensor.addr()).map(drop).ok_or_else(|| unknown("tensor", tensor))
}

/// Looks at a tensor.
fn with<R>(tensor: *const aclTensor, look: impl FnOnce(&Tensor) -> R) -> NnFallible<R> {
    ensure!(!tensor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "tensor is null");
    TENSORS.with(tensor.addr(), look).ok_or_else(|| unknown("tensor", tensor))
}

/// Refuses a handle that is no tensor's.
pub(crate) fn check(tensor: *const aclTensor) -> NnFallible {
    with(tensor, |_| ())
}

/// Returns shape, strides or storage shape.
pub(crate) fn numbers(
    tensor: *const aclTensor,
    which: Numbers,
    array: Out<*mut i64>,
    count: Out<u64>,
) -> NnFallible {
    ensure!(!tensor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "tensor is null");
    let (array, count) = (array.required_nn()?, count.required_nn()?);
    with(tensor, |tensor| give_array(tensor.numbers(which), array, count))?
}

/// Returns the offset in elements.
pub(crate) fn offset(tensor: *const aclTensor, offset: Out<i64>) -> NnFallible {
    let value = with(tensor, |tensor| tensor.offset);
    offset.required_nn()?.put(value?);
    Ok(())
}

/// Returns the view's format.
pub(crate) fn format(tensor: *const aclTensor, format: Out<aclFormat>) -> NnFallible {
    let value = with(tensor, |tensor| tensor.format);
    format.required_nn()?.put(value?);
    Ok(())
}

/// Returns the dtype.
pub(crate) fn dtype(tensor: *const aclTensor, dtype: Out<aclDataType>) -> NnFallible {
    let value = with(tensor, |tensor| tensor.dtype);
    dtype.required_nn()?.put(value?);
    Ok(())
}

/// Returns where the storage begins.
pub(crate) fn address(tensor: *const aclTensor, address: Out<*mut c_void>) -> NnFallible {
    let value = with(tensor, |tensor| tensor.address);
    address.required_nn()?.put(crate::memory::address(value?));
    Ok(())
}

/// Changes where the storage begins.
pub(crate) fn set_address(tensor: *const aclTensor, address: *mut c_void) -> NnFallible {
    ensure!(!tensor.is_null(), ACLNN_ERR_PARAM_NULLPTR, "tensor is null");
    let address = address.expose_provenance();
    TENSORS
        .with_mut(tensor.addr(), |tensor| tensor.address = address)
        .ok_or_else(|| unknown("tensor", tensor))
}

/// How many tensors live.
pub(crate) fn count() -> usize {
    TENSORS.len()
}

/// Bytes of an element; 0 for a dtype without a whole number of them.
pub(crate) fn element_size(dtype: aclDataType) -> usize {
    use aclnn_sys as sys;
    match dtype {
        sys::ACL_INT8
        | sys::ACL_UINT8
        | sys::ACL_BOOL
        | sys::ACL_HIFLOAT8
        | sys::ACL_FLOAT8_E5M2
        | sys::ACL_FLOAT8_E4M3FN
        | sys::ACL_FLOAT8_E8M0 => 1,
        sys::ACL_FLOAT16 | sys::ACL_BF16 | sys::ACL_INT16 | sys::ACL_UINT16 => 2,
        sys::ACL_FLOAT | sys::ACL_INT32 | sys::ACL_UINT32 | sys::ACL_COMPLEX32 => 4,
        sys::ACL_DOUBLE | sys::ACL_INT64 | sys::ACL_UINT64 | sys::ACL_COMPLEX64 => 8,
        sys::ACL_COMPLEX128 => 16,
        _ => 0,
    }
}
