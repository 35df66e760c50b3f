//! From an `aclTensor` to a [`scatter::Operand`].

use core::slice;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, AclnnStatus, Cann, LoadError, aclDataType, aclTensor};
use scatter::{DType, Layout, LayoutError, MAX_RANK, Operand};

use crate::dtype::dtype_of;
use crate::failure::{Failure, ensure};
use crate::process::scope;
use crate::refusal::{Refusal, address_of};

/// A tensor as phase one sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor {
    pub(crate) operand: Operand,
    /// Why the C ABI has no such layout; the operand's is an error then.
    pub(crate) refusal: Option<Refusal>,
    /// Whether an axis has the size 0.
    pub(crate) is_empty: bool,
    /// Whether an axis but the last has.
    pub(crate) has_no_rows: bool,
}

/// An array that a getter of CANN's made with C++ `new[]`.
struct Array {
    first: *mut i64,
    len: usize,
}

impl Array {
    /// Calls a getter.
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
            "{name} told {len} numbers and no array"
        );
        Ok(array)
    }

    fn values(&self) -> &[i64] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the getter made an array of `len` numbers, which is this value's until it is
        // dropped.
        unsafe { slice::from_raw_parts(self.first, self.len) }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // CANN says to `delete[]` it. For a type without a destructor libstdc++'s
        // `operator delete[]`, on every platform that CANN has, is `free`; and so a C++ library
        // need not be linked to call it.
        // SAFETY: the array is the getter's caller's to free, and nobody has it any more. Null is
        // allowed.
        unsafe { libc::free(self.first.cast()) }
    }
}

/// The status of one of CANN's getters.
fn succeed(name: &str, status: AclnnStatus) -> Result<(), Failure> {
    ensure!(status.is_success(), status, "{name} returned {status}");
    Ok(())
}

impl Tensor {
    /// Reads a tensor; what is wrong with its dtype or layout is told by the rules, each in its
    /// turn.
    ///
    /// # Safety
    /// `tensor` is what CANN's getters can be given.
    pub(crate) unsafe fn read(cann: &Cann, tensor: *const aclTensor) -> Result<Self, Failure> {
        let (mut dtype, mut offset, mut address) = (aclDataType(-1), 0_i64, core::ptr::null_mut());
        // SAFETY: by the caller's word the tensor may be asked; places for the answers are given.
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
            // Phase two makes a pointer of it again.
            address: address.expose_provenance(),
        };
        let (layout, refusal) = match facts.layout() {
            Ok(layout) => (layout, None),
            // An error stands for it until the refusal takes its place; it depends on the rank
            // alone.
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

/// What the getters told.
struct Facts<'a> {
    dtype: Option<DType>,
    sizes: &'a [i64],
    strides: &'a [i64],
    offset: i64,
    storage: &'a [i64],
    address: usize,
}

impl Facts<'_> {
    /// The layout, as [`Layout::new`] sees it, or why the C ABI has none.
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

/// Numbers that must not be below the lowest, on the stack for as many axes as a tensor can have;
/// or the first that is.
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
