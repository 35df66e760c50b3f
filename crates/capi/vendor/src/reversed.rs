//! Reverses the order of a call's updates where `VENDOR_OPERATORS_ORDER=reversed` asks for it:
//! CANN's documents leave open in which order its operators make them.

use core::ffi::c_void;
use core::ops::Range;
use core::ptr::null_mut;
use std::sync::LazyLock;

use aclnn_sys::{
    ACL_FORMAT_ND, AclnnStatus, LoadError, aclDataType, aclOpExecutor, aclScalar, aclTensor, aclTensorList,
    aclrtStream,
};

use crate::inside::CANN;

/// An argument, by its kind.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// A tensor that is only read.
    Tensor(*const aclTensor),
    Number(i64),
    Other,
}

/// An argument of an operator's function.
pub(crate) trait Argument: Copy {
    fn value(self) -> Value {
        Value::Other
    }

    /// `_instead`, if it is a tensor to use instead of this argument; otherwise the argument.
    fn or(self, _instead: Option<*const aclTensor>) -> Self {
        self
    }
}

impl Argument for *const aclTensor {
    fn value(self) -> Value {
        if self.is_null() { Value::Other } else { Value::Tensor(self) }
    }

    fn or(self, instead: Option<*const aclTensor>) -> Self {
        instead.unwrap_or(self)
    }
}

impl Argument for i64 {
    fn value(self) -> Value {
        Value::Number(self)
    }
}

macro_rules! others {
    ($($kind:ty)*) => {$( impl Argument for $kind {} )*};
}
others! {
    *mut aclTensor *const aclTensorList *const aclScalar *mut c_void *mut u64 *mut aclOpExecutor *mut *mut aclOpExecutor
    aclrtStream u64 bool
}

/// The index and the src of a call, so that its last update comes first.
pub(crate) struct Reversed {
    index: View,
    src: View,
}

impl Reversed {
    /// The reversed tensors of a phase one with these arguments. `None` where it has no such
    /// tensors or no updates, where their shapes don't fit, or where reversing isn't asked for.
    ///
    /// # Safety
    /// The handles are alive.
    pub(crate) unsafe fn of(arguments: &[(&str, Value)]) -> Option<Self> {
        static IS_ASKED_FOR: LazyLock<bool> = LazyLock::new(|| {
            std::env::var_os("VENDOR_OPERATORS_ORDER").is_some_and(|order| order == "reversed")
        });
        if !*IS_ASKED_FOR {
            return None;
        }
        let named = |names: &[&str]| {
            let found = arguments.iter().find(|(name, _)| names.contains(name));
            found.map_or(Value::Other, |(_, value)| *value)
        };
        let (Value::Tensor(index), Value::Tensor(src)) =
            (named(&["index", "indices"]), named(&["src", "updates", "source"]))
        else {
            return None;
        };
        // SAFETY: the caller guarantees that the arguments' tensors are alive, and these are two of
        // them.
        let (index, src) = unsafe { (Facts::of(index)?, Facts::of(src)?) };
        let rank = index.sizes.len();
        if let (Value::Tensor(_), Value::Number(dim)) = (named(&["source"]), named(&["dim"])) {
            // Each value of index stands for a slice of source along dim.
            let axes = src.sizes.len() as i64;
            let dim = usize::try_from(if dim < 0 { dim + axes } else { dim }).ok()?;
            if index.sizes.first()? != src.sizes.get(dim)? {
                return None;
            }
            let index = View::reversed(&index, &index.sizes, 0..1)?;
            return Some(Self { index, src: View::reversed(&src, &src.sizes, dim..dim + 1)? });
        }
        // The axes of the updates that may meet, and those that index and src share.
        let (axes, shared) = match named(&["dim"]) {
            Value::Number(dim) => {
                let dim = usize::try_from(if dim < 0 { dim + rank as i64 } else { dim }).ok()?;
                (dim..dim + 1, rank)
            }
            // The last axis of indices has coordinates, and updates have slices behind the others.
            _ => (0..rank.checked_sub(1)?, rank.checked_sub(1)?),
        };
        let (of_index, of_src) = (index.sizes.get(..shared)?, src.sizes.get(..shared)?);
        let fits = of_index.iter().zip(of_src).all(|(of_index, of_src)| of_index <= of_src);
        if axes.end > shared || index.sizes.contains(&0) || !fits {
            return None;
        }
        // Of src only the block that index's shape selects.
        let block = [of_index, src.sizes.get(shared..)?].concat();
        let index = View::reversed(&index, &index.sizes, axes.clone())?;
        Some(Self { index, src: View::reversed(&src, &block, axes)? })
    }

    /// The tensor to use instead of the argument of this name.
    pub(crate) fn instead_of(&self, name: &str) -> Option<*const aclTensor> {
        match name {
            "index" | "indices" => Some(self.index.0),
            "src" | "updates" | "source" => Some(self.src.0),
            _ => None,
        }
    }
}

/// What CANN returns about a tensor.
struct Facts {
    dtype: aclDataType,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
    storage: Vec<i64>,
    address: *mut c_void,
}

impl Facts {
    /// # Safety
    /// The tensor is alive.
    unsafe fn of(tensor: *const aclTensor) -> Option<Self> {
        let (mut dtype, mut offset, mut address) = (aclDataType(-1), 0, null_mut());
        // SAFETY: the tensor is alive, and the results are written to places of this function.
        unsafe {
            succeeds(CANN.aclGetDataType(tensor, &raw mut dtype))?;
            succeeds(CANN.aclGetViewOffset(tensor, &raw mut offset))?;
            succeeds(CANN.aclGetRawTensorAddr(tensor, &raw mut address))?;
            Some(Self {
                dtype,
                sizes: numbers(|first, len| CANN.aclGetViewShape(tensor, first, len))?,
                strides: numbers(|first, len| CANN.aclGetViewStrides(tensor, first, len))?,
                offset,
                storage: numbers(|first, len| CANN.aclGetStorageShape(tensor, first, len))?,
                address,
            })
        }
    }
}

fn succeeds(status: Result<AclnnStatus, LoadError>) -> Option<()> {
    status.is_ok_and(AclnnStatus::is_success).then_some(())
}

/// The numbers that a getter returns.
///
/// # Safety
/// The getter returns an array of that many numbers, which its caller owns.
unsafe fn numbers(
    getter: impl FnOnce(*mut *mut i64, *mut u64) -> Result<AclnnStatus, LoadError>,
) -> Option<Vec<i64>> {
    let (mut first, mut len) = (null_mut(), 0);
    succeeds(getter(&raw mut first, &raw mut len))?;
    if first.is_null() {
        return Some(Vec::new());
    }
    // SAFETY: the getter has made an array of `len` numbers.
    let numbers = unsafe { core::slice::from_raw_parts(first, len as usize) }.to_vec();
    // SAFETY: CANN's `new[]` is the C library's `malloc`.
    unsafe { libc::free(first.cast()) };
    Some(numbers)
}

/// A tensor on the memory of another one.
struct View(*mut aclTensor);

impl View {
    /// A tensor's first elements of these sizes, from the last to the first on some axes.
    fn reversed(of: &Facts, sizes: &[i64], axes: Range<usize>) -> Option<Self> {
        let (mut strides, mut offset) = (of.strides.clone(), of.offset);
        for (stride, size) in strides.iter_mut().zip(sizes).take(axes.end).skip(axes.start) {
            offset += (size - 1) * *stride;
            *stride = -*stride;
        }
        let (rank, of_storage) = (sizes.len() as u64, of.storage.len() as u64);
        // SAFETY: shapes and strides have as many numbers as their lengths say.
        let made = unsafe {
            CANN.aclCreateTensor(
                sizes.as_ptr(),
                rank,
                of.dtype,
                strides.as_ptr(),
                offset,
                ACL_FORMAT_ND,
                of.storage.as_ptr(),
                of_storage,
                of.address,
            )
        };
        made.ok().filter(|made| !made.is_null()).map(Self)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: this value owns the tensor. An executor keeps a copy of what it needs.
        let _ = unsafe { CANN.aclDestroyTensor(self.0) };
    }
}
