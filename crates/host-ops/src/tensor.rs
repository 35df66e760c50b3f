//! What phase one knows of a tensor.

use core::ptr::null_mut;
use core::slice;

use aclnn_sys::{
    ACL_FORMAT_HWCN, ACL_FORMAT_NC, ACL_FORMAT_NCDHW, ACL_FORMAT_NCHW, ACL_FORMAT_NCL, ACL_FORMAT_ND,
    ACL_FORMAT_NDHWC, ACL_FORMAT_NHWC, ACL_FORMAT_UNDEFINED, ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclnnStatus, LoadError, aclDataType, aclFormat,
    aclTensor,
};

use crate::dtype::DType;
use crate::failure::{Failure, ensure, failure, present};
use crate::host::Host;

/// The most axes of a tensor.
pub(crate) const MOST_AXES: usize = 8;

/// The formats in which an element's place follows from shape and strides.
const FORMATS: [aclFormat; 9] = [
    ACL_FORMAT_UNDEFINED,
    ACL_FORMAT_NCHW,
    ACL_FORMAT_NHWC,
    ACL_FORMAT_ND,
    ACL_FORMAT_HWCN,
    ACL_FORMAT_NDHWC,
    ACL_FORMAT_NCDHW,
    ACL_FORMAT_NC,
    ACL_FORMAT_NCL,
];

/// A tensor of a call.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// The argument's name; of a list's tensor, with its place in brackets.
    pub(crate) name: String,
    /// The tensor's handle.
    pub(crate) handle: usize,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<usize>,
    pub(crate) offset: usize,
    pub(crate) format: aclFormat,
    pub(crate) storage: Vec<i64>,
    /// Where the storage begins on the device. It may be null, and be set later.
    pub(crate) address: usize,
}

impl Tensor {
    /// Reads a tensor, and refuses one that the operators can't compute with.
    ///
    /// # Safety
    /// `tensor` is one that CANN's getters accept.
    pub(crate) unsafe fn read(host: Host, name: &str, tensor: *const aclTensor) -> Result<Self, Failure> {
        present(name, tensor)?;
        let cann = &host.cann;
        let (mut code, mut offset, mut address) = (aclDataType(-1), 0_i64, null_mut());
        let mut format = ACL_FORMAT_ND;
        // SAFETY: the caller guarantees that the getters accept the tensor; they write to live
        // locals.
        let (sizes, strides, storage) = unsafe {
            host.checked(cann.aclGetDataType(tensor, &raw mut code)?)?;
            host.checked(cann.aclGetFormat(tensor, &raw mut format)?)?;
            host.checked(cann.aclGetViewOffset(tensor, &raw mut offset)?)?;
            host.checked(cann.aclGetRawTensorAddr(tensor, &raw mut address)?)?;
            (
                numbers(host, |first, len| cann.aclGetViewShape(tensor, first, len))?,
                numbers(host, |first, len| cann.aclGetViewStrides(tensor, first, len))?,
                numbers(host, |first, len| cann.aclGetStorageShape(tensor, first, len))?,
            )
        };
        let dtype = DType::of(code).ok_or_else(|| {
            failure!(
                ACLNN_ERR_PARAM_INVALID,
                "{name}: a dtype of bool, integers, floats or complex numbers expected, got {code}"
            )
        })?;
        ensure!(
            FORMATS.contains(&format),
            ACLNN_ERR_PARAM_INVALID,
            "{name}: a format that lies as its strides say expected, such as ND, got format {}",
            format.0
        );
        ensure!(
            sizes.len() <= MOST_AXES,
            ACLNN_ERR_PARAM_INVALID,
            "{name}: at most {MOST_AXES} axes expected, got {}",
            sizes.len()
        );
        let natural = |what: &str, numbers: &[i64]| -> Result<Vec<usize>, Failure> {
            let convert = |&number: &i64| {
                usize::try_from(number).map_err(|_| {
                    failure!(ACLNN_ERR_INNER_NULLPTR, "{name}: {what} of 0 or more expected, got {number}")
                })
            };
            numbers.iter().map(convert).collect()
        };
        let (shape, strides) = (natural("sizes", &sizes)?, natural("strides", &strides)?);
        let offset = natural("an offset", &[offset])?.first().copied().unwrap_or_default();
        // Phase two turns the address back into a pointer.
        let (address, handle) = (address.expose_provenance(), tensor.addr());
        let name = name.to_owned();
        let tensor = Self { name, handle, dtype, shape, strides, offset, format, storage, address };
        tensor.check_bounds()?;
        tensor.check_address(address)?;
        Ok(tensor)
    }

    /// Refuses a tensor that does not lie inside its storage, or has too many elements to compute
    /// with.
    fn check_bounds(&self) -> Result<(), Failure> {
        let Self { name, shape, strides, offset, storage, .. } = self;
        let mut sizes = storage.iter().map(|&size| usize::try_from(size).ok());
        let storage_len = sizes.try_fold(1_usize, |len, size| len.checked_mul(size?));
        let len = storage_len.ok_or_else(|| {
            failure!(
                ACLNN_ERR_INNER_NULLPTR,
                "{name}: a storage of a size that exists expected, got {storage:?}"
            )
        })?;
        // 16 bytes hold an element of any computing type.
        let elements = shape.iter().try_fold(16_usize, |bytes, &size| bytes.checked_mul(size.max(1)));
        let fits = elements.is_some_and(|bytes| isize::try_from(bytes).is_ok());
        let end = self.span().and_then(|span| span.checked_add(*offset));
        ensure!(
            fits && end.is_some_and(|end| self.is_empty() || end <= len),
            ACLNN_ERR_INNER_NULLPTR,
            "{name}: elements inside of its storage of {len} expected, got shape {shape:?}, strides {strides:?} \
             and offset {offset}"
        );
        Ok(())
    }

    /// Refuses an address that is not aligned for the elements.
    pub(crate) fn check_address(&self, address: usize) -> Result<(), Failure> {
        let (name, alignment) = (&self.name, self.dtype.alignment());
        ensure!(
            self.is_empty() || address.is_multiple_of(alignment),
            ACLNN_ERR_INNER_NULLPTR,
            "{name}: an address that is a multiple of {alignment} expected, got {address:#x}"
        );
        Ok(())
    }

    /// Refuses a null address, which phase one accepts, of a tensor with elements.
    pub(crate) fn check_presence(&self) -> Result<(), Failure> {
        ensure!(
            self.is_empty() || self.address != 0,
            ACLNN_ERR_PARAM_NULLPTR,
            "{}: a storage expected, got the address null",
            self.name
        );
        Ok(())
    }

    /// Refuses a tensor to write in which two elements may be one.
    pub(crate) fn check_written(&self) -> Result<(), Failure> {
        let Self { name, shape, strides, .. } = self;
        let mut axes: Vec<_> = strides.iter().zip(shape).filter(|(_, size)| **size > 1).collect();
        axes.sort_unstable();
        let mut reach = 0;
        let is_apart = |(stride, size): (&usize, &usize)| {
            let is_apart = *stride > reach;
            reach += (size - 1) * stride;
            is_apart
        };
        ensure!(
            self.is_empty() || axes.into_iter().all(is_apart),
            ACLNN_ERR_PARAM_INVALID,
            "{name}: elements with memory of their own expected, got shape {shape:?} with strides {strides:?}"
        );
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether the elements lie one behind the other, in the order of their places.
    pub(crate) fn is_packed(&self) -> bool {
        let mut next = 1;
        let mut axes = self.shape.iter().zip(&self.strides).rev().filter(|(size, _)| **size != 1);
        let is_next = |(size, stride): (&usize, &usize)| {
            let is_next = *stride == next;
            next *= size;
            is_next
        };
        self.is_empty() || axes.all(is_next)
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Elements from the first to the last, with what lies between them; 0 without elements.
    fn span(&self) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        let mut axes = self.shape.iter().zip(&self.strides);
        axes.try_fold(1_usize, |span, (size, stride)| span.checked_add((size - 1).checked_mul(*stride)?))
    }

    /// The address of the first element, and the bytes from there to the end of the last.
    pub(crate) fn range(&self) -> (usize, usize) {
        let size = self.dtype.size();
        let bytes = self.span().unwrap_or_default().saturating_mul(size);
        (self.address.wrapping_add(self.offset.wrapping_mul(size)), bytes)
    }
}

/// The numbers that a getter returns in an array, which is its caller's.
fn numbers(
    host: Host,
    getter: impl FnOnce(*mut *mut i64, *mut u64) -> Result<AclnnStatus, LoadError>,
) -> Result<Vec<i64>, Failure> {
    let (mut first, mut len) = (null_mut(), 0);
    host.checked(getter(&raw mut first, &raw mut len)?)?;
    if first.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: the getter has made an array of `len` numbers.
    let numbers = unsafe { slice::from_raw_parts(first, len as usize) }.to_vec();
    // CANN's documentation says to `delete[]` the array, which for numbers is `free`.
    // SAFETY: the array is the caller's to free, and no reference to it is left.
    unsafe { libc::free(first.cast()) };
    Ok(numbers)
}
