//! Reads an `aclTensor` as a [`scatter::Operand`].

use core::slice;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, AclnnStatus, Cann, LoadError, aclDataType, aclTensor};
use scatter::{DType, Layout, LayoutError, MAX_RANK, Operand};

use crate::dtype::dtype_of;
use crate::failure::{Failure, ensure};
use crate::process::scope;
use crate::refusal::{Refusal, address_of};

/// What phase one knows of a tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor {
    pub(crate) operand: Operand,
    /// Why the C ABI does not allow the tensor. If it is set, the operand's layout is an error.
    pub(crate) refusal: Option<Refusal>,
    /// Whether an axis has the size 0.
    pub(crate) is_empty: bool,
    /// Whether an axis other than the last has the size 0.
    pub(crate) has_no_rows: bool,
}

/// An array that one of CANN's getters has allocated with C++ `new[]`.
struct Array {
    first: *mut i64,
    len: usize,
}

impl Array {
    /// Calls a getter, which returns the array.
    fn get(
        name: &str,
        getter: impl FnOnce(*mut *mut i64, *mut u64) -> Result<AclnnStatus, LoadError>,
    ) -> Result<Self, Failure> {
        let (mut first, mut len) = (core::ptr::null_mut(), 0);
        succeed(name, getter(&raw mut first, &raw mut len)?)?;
        let array = Self { first, len: usize::try_from(len).unwrap_or(usize::MAX) };
        ensure!(
            len == 0 || !first.is_null(),
            ACLNN_ERR_INNER_NULLPTR,
            "{name} returned a length of {len} and a null array"
        );
        Ok(array)
    }

    fn values(&self) -> &[i64] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the getter has allocated an array of `len` numbers, which `self` owns and frees
        // when dropped.
        unsafe { slice::from_raw_parts(self.first, self.len) }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // CANN's documentation says to `delete[]` the array. For a type without a destructor,
        // libstdc++'s `operator delete[]` is `free` on every platform that CANN supports, and
        // `free` needs no C++ library.
        // SAFETY: the caller of a getter has to free its array, and no reference to it is left.
        // `free` accepts null.
        unsafe { libc::free(self.first.cast()) }
    }
}

/// Turns the status of one of CANN's getters into a result.
fn succeed(name: &str, status: AclnnStatus) -> Result<(), Failure> {
    ensure!(status.is_success(), status, "{name} returned {status}");
    Ok(())
}

impl Tensor {
    /// An index without elements.
    pub(super) fn nothing() -> Self {
        let operand = Operand { dtype: Ok(DType::I64), layout: Layout::contiguous(&[0], 0), address: 0 };
        Self { operand, refusal: None, is_empty: true, has_no_rows: false }
    }

    /// Reads a tensor. A wrong dtype or layout is only recorded: the rules refuse it in their
    /// order.
    ///
    /// # Safety
    /// `tensor` is one that CANN's getters accept.
    pub(crate) unsafe fn read(cann: &Cann, tensor: *const aclTensor) -> Result<Self, Failure> {
        let (mut dtype, mut offset, mut address) = (aclDataType(-1), 0_i64, core::ptr::null_mut());
        // SAFETY: the caller guarantees that the getters accept the tensor; they write to live
        // locals.
        let (sizes, strides, storage) = unsafe {
            succeed("aclGetDataType", cann.aclGetDataType(tensor, &raw mut dtype)?)?;
            let sizes = Array::get("aclGetViewShape", |first, len| cann.aclGetViewShape(tensor, first, len))?;
            let strides =
                Array::get("aclGetViewStrides", |first, len| cann.aclGetViewStrides(tensor, first, len))?;
            let storage =
                Array::get("aclGetStorageShape", |first, len| cann.aclGetStorageShape(tensor, first, len))?;
            succeed("aclGetViewOffset", cann.aclGetViewOffset(tensor, &raw mut offset)?)?;
            succeed("aclGetRawTensorAddr", cann.aclGetRawTensorAddr(tensor, &raw mut address)?)?;
            (sizes, strides, storage)
        };
        let facts = Facts {
            dtype: dtype_of(dtype).ok(),
            sizes: sizes.values(),
            strides: strides.values(),
            offset,
            storage: storage.values(),
            // Phase two turns it back into a pointer.
            address: address.expose_provenance(),
        };
        let (layout, refusal) = match facts.layout() {
            Ok(layout) => (layout, None),
            // A placeholder: `Tensors::refused` replaces the message of this error by that of the
            // refusal.
            Err(refusal) => {
                (Err(LayoutError::Strides { expected: facts.sizes.len(), got: 0 }), Some(refusal))
            }
        };
        Ok(Self {
            operand: Operand { dtype: dtype_of(dtype), layout, address: facts.address },
            refusal,
            is_empty: facts.sizes.contains(&0),
            has_no_rows: facts.sizes.split_last().is_some_and(|(_, rows)| rows.contains(&0)),
        })
    }
}

/// What the getters returned.
struct Facts<'a> {
    dtype: Option<DType>,
    sizes: &'a [i64],
    strides: &'a [i64],
    offset: i64,
    storage: &'a [i64],
    address: usize,
}

impl Facts<'_> {
    /// The result of [`Layout::new`], or why the C ABI does not allow the tensor.
    fn layout(&self) -> Result<Result<Layout, LayoutError>, Refusal> {
        let (mut sizes, mut more_sizes) = ([0_usize; MAX_RANK], Vec::new());
        let (mut strides, mut more_strides) = ([0_isize; MAX_RANK], Vec::new());
        let sizes = numbers(self.sizes, &mut sizes, &mut more_sizes, 0)
            .map_err(|(axis, got)| Refusal::Size { axis, got })?;
        let lowest = if scope::allows_negative_strides() { i64::MIN } else { 0 };
        let strides = numbers(self.strides, &mut strides, &mut more_strides, lowest)
            .map_err(|(axis, got)| Refusal::Stride { axis, got })?;
        let offset = usize::try_from(self.offset).map_err(|_| Refusal::Offset(self.offset))?;
        let len = self.storage_len()?;
        let layout = Layout::new(sizes, strides, offset, len);
        address_of(layout, self.dtype, self.address)?;
        Ok(layout)
    }

    fn storage_len(&self) -> Result<usize, Refusal> {
        let mut len = 1_usize;
        let mut empty = false;
        for (axis, &got) in self.storage.iter().enumerate() {
            let size = usize::try_from(got).map_err(|_| Refusal::StorageSize { axis, got })?;
            empty |= size == 0;
            len = len.saturating_mul(size);
        }
        match empty {
            true => Ok(0),
            false if len < usize::MAX => Ok(len),
            false => Err(Refusal::StorageOverflow),
        }
    }
}

/// Converts numbers of which none may be below `lowest`; fails with the position and value of the
/// first that is, or that doesn't fit. The result is on the stack unless there are more than
/// [`MAX_RANK`] numbers.
fn numbers<'a, T: TryFrom<i64> + Copy + Default>(
    numbers: &[i64],
    few: &'a mut [T; MAX_RANK],
    many: &'a mut Vec<T>,
    lowest: i64,
) -> Result<&'a [T], (usize, i64)> {
    let places = match few.get_mut(..numbers.len()) {
        Some(places) => places,
        None => {
            many.resize(numbers.len(), T::default());
            many.as_mut_slice()
        }
    };
    for (axis, (place, &number)) in places.iter_mut().zip(numbers).enumerate() {
        let converted = if number < lowest { None } else { T::try_from(number).ok() };
        *place = converted.ok_or((axis, number))?;
    }
    Ok(places)
}
