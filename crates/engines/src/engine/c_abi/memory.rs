//! A call's tensors in device memory.

use core::ffi::c_void;
use core::ptr::null_mut;

use aclnn_sys::{
    ACL_BF16, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_FORMAT_ND,
    ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE, ACL_UINT8, ACL_UINT64, aclDataType, aclScalar, aclTensor, aclTensorList,
};
use scatter::{Argument, Axes, DType, Scalar};

use super::library::Library;
use crate::call::{Call, Claim};
use crate::refusal::Refusal;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// An allocation in device memory; null if it is empty.
pub(super) struct DeviceAllocation<'a> {
    library: &'a Library,
    address: *mut c_void,
}

impl<'a> DeviceAllocation<'a> {
    /// A copy of `bytes`.
    pub(super) fn of(library: &'a Library, bytes: &[u8]) -> Result<Self, Refusal> {
        let memory = Self::new(library, bytes.len())?;
        if !bytes.is_empty() {
            let (to, from, count) = (memory.address, bytes.as_ptr().cast(), bytes.len());
            // SAFETY: `memory` was allocated with `count` bytes, and `bytes` has that length.
            let copied =
                unsafe { library.cann().aclrtMemcpy(to, count, from, count, ACL_MEMCPY_HOST_TO_DEVICE) };
            library.succeed("aclrtMemcpy", copied)?;
        }
        Ok(memory)
    }

    /// `count` bytes of undefined content.
    pub(super) fn new(library: &'a Library, count: usize) -> Result<Self, Refusal> {
        let mut address = null_mut();
        if count > 0 {
            // SAFETY: `address` is valid for a write of the address.
            let allocated =
                unsafe { library.cann().aclrtMalloc(&raw mut address, count, ACL_MEM_MALLOC_HUGE_FIRST) };
            library.succeed("aclrtMalloc", allocated)?;
        }
        Ok(Self { library, address })
    }

    pub(super) fn address(&self) -> *mut c_void {
        self.address
    }

    /// Copies it to `bytes`, which must have the same length.
    fn read(&self, bytes: &mut [u8]) -> Result<(), Refusal> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (to, count) = (bytes.as_mut_ptr().cast(), bytes.len());
        // SAFETY: callers pass as many bytes as the memory was made from.
        let copied = unsafe {
            self.library.cann().aclrtMemcpy(to, count, self.address, count, ACL_MEMCPY_DEVICE_TO_HOST)
        };
        self.library.succeed("aclrtMemcpy", copied)
    }
}

impl Drop for DeviceAllocation<'_> {
    fn drop(&mut self) {
        if !self.address.is_null() {
            // A failure isn't reported here; the memory then shows up in host-cann's list of
            // leftovers.
            // SAFETY: the address is from `aclrtMalloc` and freed only here, and the engine waits
            // for the stream before it drops the memory of a call.
            let _ = unsafe { self.library.cann().aclrtFree(self.address) };
        }
    }
}

/// An `aclTensor`.
pub(super) struct Handle<'a> {
    library: &'a Library,
    pub(super) raw: *mut aclTensor,
}

impl<'a> Handle<'a> {
    /// Makes the handle of a tensor whose storage, which has one axis, is at `address`.
    pub(super) fn of(
        library: &'a Library,
        tensor: &Tensor,
        dtype: aclDataType,
        address: *mut c_void,
    ) -> Result<Self, Refusal> {
        let shape = tensor.shape.iter().map(|&size| number(size)).collect::<Result<Vec<_>, _>>()?;
        let strides: Vec<i64> = tensor.strides.iter().map(|&stride| stride as i64).collect();
        let storage = [number(tensor.storage.len())?];
        // SAFETY: shape and storage have the lengths that are passed with them. The function reads
        // as many strides as sizes, and every tensor of a case has a stride for each axis.
        let created = unsafe {
            library.cann().aclCreateTensor(
                shape.as_ptr(),
                shape.len() as u64,
                dtype,
                strides.as_ptr(),
                number(tensor.offset)?,
                ACL_FORMAT_ND,
                storage.as_ptr(),
                1,
                address,
            )
        };
        match created {
            Ok(raw) if !raw.is_null() => Ok(Self { library, raw }),
            Ok(_) => Err(Refusal::Broken(format!("aclCreateTensor: {}", library.messages()))),
            Err(error) => Err(Refusal::Broken(error.to_string())),
        }
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // SAFETY: `aclCreateTensor` made the tensor, and only this destroys it.
        let _ = unsafe { self.library.cann().aclDestroyTensor(self.raw) };
    }
}

/// A tensor on the device.
pub(super) struct OnDevice<'a> {
    memory: DeviceAllocation<'a>,
    pub(super) handle: Handle<'a>,
    /// How the handle describes it.
    dtype: aclDataType,
    address: *mut c_void,
}

/// An `aclTensorList`.
pub(super) struct List<'a> {
    library: &'a Library,
    pub(super) raw: *mut aclTensorList,
}

impl<'a> List<'a> {
    /// For each axis of self the coordinates that index has for it along its last axis, or a tensor
    /// without elements.
    pub(super) fn of(
        library: &'a Library,
        index: &OnDevice<'_>,
        tensor: &Tensor,
        axes: Axes,
    ) -> Result<Self, Refusal> {
        let nothing = Tensor::contiguous(Storage::zeroed(DType::F32, 0), &[0]);
        let handles = tensor.components(axes).map(|component| match component {
            None => Handle::of(library, &nothing, code(DType::F32), null_mut()),
            Some(component) => Handle::of(library, &component, index.dtype, index.address),
        });
        let handles = handles.collect::<Result<Vec<_>, _>>()?;
        let all: Vec<*const aclTensor> = handles.iter().map(|handle| handle.raw.cast_const()).collect();
        // SAFETY: there are as many handles as is said, all of living tensors.
        let created = unsafe { library.cann().aclCreateTensorList(all.as_ptr(), all.len() as u64) };
        match created {
            Ok(raw) if !raw.is_null() => {
                // They belong to the list now.
                handles.into_iter().for_each(core::mem::forget);
                Ok(Self { library, raw })
            }
            Ok(_) => Err(Refusal::Broken(format!("aclCreateTensorList: {}", library.messages()))),
            Err(error) => Err(Refusal::Broken(error.to_string())),
        }
    }
}

impl Drop for List<'_> {
    fn drop(&mut self) {
        // SAFETY: `aclCreateTensorList` made the list, and only this destroys it, with its tensors.
        let _ = unsafe { self.library.cann().aclDestroyTensorList(self.raw) };
    }
}

/// All tensors of a call.
pub(super) struct Tensors<'a> {
    /// `None` in place.
    pub(super) self_: Option<OnDevice<'a>>,
    pub(super) index: OnDevice<'a>,
    pub(super) src: Option<OnDevice<'a>>,
    pub(super) out: OnDevice<'a>,
}

impl<'a> Tensors<'a> {
    /// Copies the call's tensors to the device. The handle of a tensor with a claim describes it by
    /// the claim.
    pub(super) fn of(library: &'a Library, call: &Call<'_>) -> Result<Self, Refusal> {
        let written = DeviceAllocation::of(library, call.out.storage.bytes())?;
        let start = written.address();
        let make = |argument, tensor: &Tensor| {
            let memory = DeviceAllocation::of(library, tensor.storage.bytes())?;
            let dtype = claimed_code(call.claim, argument, tensor);
            let address = match call.claim {
                Some(Claim::BytesAfterOut(of, bytes)) if of == argument => start.wrapping_byte_add(bytes),
                _ => memory.address(),
            };
            let handle = Handle::of(library, tensor, dtype, address)?;
            Ok::<_, Refusal>(OnDevice { memory, handle, dtype, address })
        };
        let dtype = claimed_code(call.claim, Argument::Out, call.out);
        Ok(Self {
            self_: call.self_.map(|self_| make(Argument::SelfTensor, self_)).transpose()?,
            index: make(Argument::Index, call.index)?,
            src: call.src.map(|src| make(Argument::Src, src)).transpose()?,
            out: OnDevice {
                handle: Handle::of(library, call.out, dtype, start)?,
                memory: written,
                dtype,
                address: start,
            },
        })
    }

    /// Copies the whole storage of out back, and checks that those of the others are unchanged.
    pub(super) fn copy_back(&self, call: &mut Call<'_>) -> Result<(), Refusal> {
        self.out.memory.read(call.out.storage.bytes_mut())?;
        let sources = [self.self_.as_ref(), Some(&self.index), self.src.as_ref()];
        call.check_sources(sources, |source, after| source.memory.read(after))
    }
}

/// An `aclScalar`, or null.
pub(super) struct Value<'a> {
    library: &'a Library,
    pub(super) raw: *mut aclScalar,
}

impl<'a> Value<'a> {
    /// A scalar of the widest dtype of its kind (bool, integer, float or complex).
    pub(super) fn of(library: &'a Library, value: Option<Scalar>) -> Result<Self, Refusal> {
        let Some(value) = value else { return Ok(Self { library, raw: null_mut() }) };
        let missing = || Refusal::Broken(format!("no aclScalar of {value}"));
        let (mut bytes, dtype) = content(value).ok_or_else(missing)?;
        // SAFETY: `bytes` holds one value of `dtype`, which the function copies.
        match unsafe { library.cann().aclCreateScalar(bytes.as_mut_ptr().cast(), dtype) } {
            Ok(raw) if !raw.is_null() => Ok(Self { library, raw }),
            Ok(_) => Err(Refusal::Broken(format!("aclCreateScalar: {}", library.messages()))),
            Err(error) => Err(Refusal::Broken(error.to_string())),
        }
    }
}

impl Drop for Value<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: `aclCreateScalar` made the scalar, and only this destroys it.
            let _ = unsafe { self.library.cann().aclDestroyScalar(self.raw) };
        }
    }
}

/// The bytes of an `aclScalar`, and their dtype; `None` for an integer of more than 64 bits.
pub(super) fn content(value: Scalar) -> Option<(Vec<u8>, aclDataType)> {
    Some(match value {
        Scalar::Bool(value) => (vec![u8::from(value)], ACL_BOOL),
        Scalar::Float(value) => (value.to_ne_bytes().to_vec(), ACL_DOUBLE),
        Scalar::Complex(value) => ([value.re, value.im].map(f64::to_ne_bytes).concat(), ACL_COMPLEX128),
        Scalar::Int(value) => match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => (value.to_ne_bytes().to_vec(), ACL_INT64),
            (_, Ok(value)) => (value.to_ne_bytes().to_vec(), ACL_UINT64),
            _ => return None,
        },
        _ => return None,
    })
}

/// A size as the int64_t that the C functions take.
fn number(size: usize) -> Result<i64, Refusal> {
    i64::try_from(size).map_err(|_| Refusal::Broken(format!("no aclTensor of {size} elements on an axis")))
}

/// CANN's number for a tensor's dtype, or the one that the call claims.
fn claimed_code(claim: Option<Claim>, argument: Argument, tensor: &Tensor) -> aclDataType {
    match claim {
        Some(Claim::DType(of, claimed)) if of == argument => {
            aclDataType(claimed.0.try_into().unwrap_or(i32::MAX))
        }
        _ => code(tensor.storage.dtype()),
    }
}

/// CANN's number for a dtype.
pub(super) const fn code(dtype: DType) -> aclDataType {
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
