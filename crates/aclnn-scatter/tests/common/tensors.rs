//! Tensors and scalars in host-cann.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;

use aclnn_scatter::sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_FORMAT_ND,
    ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE, ACL_SUCCESS, ACL_UINT8, aclDataType, aclScalar, aclTensor, aclTensorList,
};
use bytemuck::{Pod, Zeroable};
use scatter::DType;

use super::cann;

/// CANN's code for a dtype.
pub(crate) fn code(dtype: DType) -> aclDataType {
    match dtype {
        DType::Bf16 => ACL_BF16,
        DType::F16 => ACL_FLOAT16,
        DType::F32 => ACL_FLOAT,
        DType::F64 => ACL_DOUBLE,
        DType::I64 => ACL_INT64,
        DType::I32 => ACL_INT32,
        DType::I16 => ACL_INT16,
        DType::I8 => ACL_INT8,
        DType::U8 => ACL_UINT8,
        DType::Bool => ACL_BOOL,
        DType::Complex64 => ACL_COMPLEX64,
        DType::Complex128 => ACL_COMPLEX128,
    }
}

/// Memory of a device.
pub(crate) struct Memory {
    pub(crate) address: *mut c_void,
    bytes: usize,
}

impl Memory {
    pub(crate) fn of<T: Pod>(values: &[T]) -> Self {
        let bytes = size_of_val(values);
        let mut address = null_mut();
        // SAFETY: `address` is a live local, and the values and the allocation have `bytes` bytes.
        unsafe {
            let allocated = cann().aclrtMalloc(&mut address, bytes.max(32), ACL_MEM_MALLOC_HUGE_FIRST);
            assert_eq!(allocated, Ok(ACL_SUCCESS));
            let (from, kind) = (values.as_ptr().cast(), ACL_MEMCPY_HOST_TO_DEVICE);
            if bytes > 0 {
                assert_eq!(cann().aclrtMemcpy(address, bytes, from, bytes, kind), Ok(ACL_SUCCESS));
            }
        }
        Self { address, bytes }
    }

    pub(crate) fn read<T: Pod>(&self) -> Vec<T> {
        let mut values = vec![T::zeroed(); self.bytes / size_of::<T>()];
        let (to, kind) = (values.as_mut_ptr().cast(), ACL_MEMCPY_DEVICE_TO_HOST);
        if self.bytes > 0 {
            // SAFETY: the values have as many bytes as the memory.
            let copied = unsafe { cann().aclrtMemcpy(to, self.bytes, self.address, self.bytes, kind) };
            assert_eq!(copied, Ok(ACL_SUCCESS));
        }
        values
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: nothing uses the memory any more.
        assert_eq!(unsafe { cann().aclrtFree(self.address) }, Ok(ACL_SUCCESS));
    }
}

/// The description of an `aclTensor`.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) dtype: aclDataType,
    pub(crate) shape: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) offset: i64,
    pub(crate) storage: Vec<i64>,
    pub(crate) address: *mut c_void,
}

impl Spec {
    /// A contiguous tensor.
    pub(crate) fn new(dtype: aclDataType, shape: &[i64], address: *mut c_void) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis].max(1);
        }
        Self { dtype, shape: shape.to_vec(), strides, offset: 0, storage: shape.to_vec(), address }
    }

    pub(crate) fn create(&self) -> Tensor {
        self.try_create().unwrap()
    }

    /// The tensor; `None` if host-cann refuses to make it.
    pub(crate) fn try_create(&self) -> Option<Tensor> {
        // SAFETY: the arrays have the lengths that are passed with them.
        let raw = unsafe {
            cann().aclCreateTensor(
                self.shape.as_ptr(),
                self.shape.len() as u64,
                self.dtype,
                self.strides.as_ptr(),
                self.offset,
                ACL_FORMAT_ND,
                self.storage.as_ptr(),
                self.storage.len() as u64,
                self.address,
            )
        };
        let raw = raw.unwrap();
        (!raw.is_null()).then_some(Tensor(raw))
    }
}

/// An `aclTensor`.
pub(crate) struct Tensor(pub(crate) *mut aclTensor);

impl Tensor {
    /// The tensor for a list, which will destroy it.
    pub(crate) fn into_entry(self) -> *const aclTensor {
        ManuallyDrop::new(self).0.cast_const()
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: the tensor lives.
        assert!(unsafe { cann().aclDestroyTensor(self.0) }.unwrap().is_success());
    }
}

/// An `aclScalar`.
pub(crate) struct Scalar(pub(crate) *mut aclScalar);

impl Scalar {
    pub(crate) fn new<T: Pod>(mut value: T, dtype: aclDataType) -> Self {
        // SAFETY: the value has the size of its dtype.
        let raw = unsafe { cann().aclCreateScalar((&raw mut value).cast(), dtype) }.unwrap();
        assert!(!raw.is_null());
        Self(raw)
    }
}

impl Drop for Scalar {
    fn drop(&mut self) {
        // SAFETY: the scalar lives.
        assert!(unsafe { cann().aclDestroyScalar(self.0) }.unwrap().is_success());
    }
}

/// Memory, and a contiguous tensor in it.
pub(crate) struct Owned {
    pub(crate) memory: Memory,
    pub(crate) tensor: Tensor,
}

impl Owned {
    pub(crate) fn new<T: Pod>(dtype: aclDataType, shape: &[i64], values: &[T]) -> Self {
        let memory = Memory::of(values);
        let tensor = Spec::new(dtype, shape, memory.address).create();
        Self { memory, tensor }
    }

    pub(crate) fn raw(&self) -> *mut aclTensor {
        self.tensor.0
    }
}

/// A list of tensors, and the memory that goes with it.
pub(crate) struct List {
    pub(crate) raw: *mut aclTensorList,
    pub(crate) memory: Vec<Memory>,
}

impl List {
    /// Tensors of i64, each with its shape and the values in its storage.
    pub(crate) fn new(tensors: &[(&[i64], &[i64])]) -> Self {
        let of = |&(shape, values): &(&[i64], &[i64])| (ACL_INT64, shape.to_vec(), values.to_vec());
        Self::of(&tensors.iter().map(of).collect::<Vec<_>>())
    }

    pub(crate) fn of(tensors: &[(aclDataType, Vec<i64>, Vec<i64>)]) -> Self {
        let memory: Vec<Memory> = tensors.iter().map(|(.., values)| Memory::of(values)).collect();
        let specs = tensors.iter().zip(&memory).map(|((dtype, shape, _), memory)| Spec {
            storage: vec![64],
            ..Spec::new(*dtype, shape, memory.address)
        });
        Self { raw: list(&specs.map(|spec| handle(&spec)).collect::<Vec<_>>()), memory }
    }
}

/// A tensor for a list, which will destroy it.
pub(crate) fn handle(spec: &Spec) -> *const aclTensor {
    spec.create().into_entry()
}

/// A list that owns these tensors.
pub(crate) fn list(handles: &[*const aclTensor]) -> *mut aclTensorList {
    // SAFETY: there are as many handles as is said.
    unsafe { cann().aclCreateTensorList(handles.as_ptr(), handles.len() as u64) }.unwrap()
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: host-cann looks up the handle.
        assert!(unsafe { cann().aclDestroyTensorList(self.raw) }.unwrap().is_success());
    }
}

/// `len` zeros.
pub(crate) fn zeros<T: Zeroable + Clone>(len: usize) -> Vec<T> {
    vec![T::zeroed(); len]
}
