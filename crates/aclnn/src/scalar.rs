//! Scalars as C functions take them.

use core::fmt;

use aclnn_sys::{ACL_BOOL, ACL_COMPLEX128, ACL_DOUBLE, ACL_INT64, ACL_UINT64, aclDataType, aclScalar};
use scatter::Scalar;

use crate::call::{aclnn, of_made};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::Handle;

/// An `aclScalar`, in the widest dtype of its kind: bool, int64 (uint64 for what int64 can't hold),
/// double or complex128.
pub struct AclScalar {
    value: Scalar,
    device: Device,
    handle: Handle<*mut aclScalar>,
}

impl AclScalar {
    /// A scalar of this value. An integer that 64 bits can't hold is rounded to a double.
    ///
    /// # Errors
    /// What `aclCreateScalar` returns.
    pub fn new(value: impl Into<Scalar>, device: impl AsRef<Device>) -> Result<Self> {
        let (value, device) = (value.into(), device.as_ref());
        let handle = match value {
            Scalar::Bool(value) => make(u8::from(value), ACL_BOOL, device),
            Scalar::Int(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => make(value, ACL_INT64, device),
                (_, Ok(value)) => make(value, ACL_UINT64, device),
                _ => make(value as f64, ACL_DOUBLE, device),
            },
            Scalar::Float(value) => make(value, ACL_DOUBLE, device),
            Scalar::Complex(value) => make([value.re, value.im], ACL_COMPLEX128, device),
            _ => Err(Error::Unsupported {
                call: "AclScalar::new",
                problem: "a kind of scalar that CANN lacks",
            }),
        }?;
        Ok(Self { value, device: device.clone(), handle })
    }

    /// The `aclScalar`; `self` owns it, and destroys it when dropped.
    #[must_use]
    pub fn as_raw(&self) -> *mut aclScalar {
        self.handle.get()
    }
}

/// Makes an `aclScalar`. `T` must be the storage type of `dtype`.
fn make<T>(mut value: T, dtype: aclDataType, device: &Device) -> Result<Handle<*mut aclScalar>> {
    // SAFETY: the pointer is to a value of the dtype's storage type, which CANN copies.
    let handle = unsafe { device.cann().aclCreateScalar((&raw mut value).cast(), dtype) }
        .map_err(Error::MissingSymbol)?;
    of_made("aclCreateScalar", handle).map(|handle| Handle::new(handle.as_ptr()))
}

impl fmt::Debug for AclScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AclScalar")
            .field("value", &self.value)
            .field("device", &self.device.id())
            .finish_non_exhaustive()
    }
}

impl Drop for AclScalar {
    fn drop(&mut self) {
        // SAFETY: `self` owns the scalar. Only phase one reads scalars, and no call of it can be
        // running with one that is being dropped.
        let destroyed = unsafe { aclnn!(self.device.cann(), aclDestroyScalar(self.handle.get())) };
        self.device.runtime().keep(destroyed);
    }
}
