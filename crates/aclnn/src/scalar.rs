//! Scalars of C functions.

use aclnn_sys::{ACL_BOOL, ACL_COMPLEX128, ACL_DOUBLE, ACL_INT64, ACL_UINT64, aclDataType, aclScalar};
use scatter::Scalar;

use crate::call::{aclnn, of_made};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::Handle;

/// A host scalar as C functions take it, in the widest dtype of its kind: bool, int64 (uint64 where it must be), double or
/// complex128.
#[derive(Debug)]
pub struct AclScalar {
    device: Device,
    handle: Handle<*mut aclScalar>,
}

impl AclScalar {
    /// A scalar of this value. An integer that 64 bits can't hold is rounded to a double.
    ///
    /// # Errors
    /// What `aclCreateScalar` returns.
    pub fn new(value: impl Into<Scalar>, device: impl AsRef<Device>) -> Result<Self> {
        match value.into() {
            Scalar::Bool(value) => Self::of(u8::from(value), ACL_BOOL, device.as_ref()),
            Scalar::Int(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => Self::of(value, ACL_INT64, device.as_ref()),
                (_, Ok(value)) => Self::of(value, ACL_UINT64, device.as_ref()),
                _ => Self::of(value as f64, ACL_DOUBLE, device.as_ref()),
            },
            Scalar::Float(value) => Self::of(value, ACL_DOUBLE, device.as_ref()),
            Scalar::Complex(value) => Self::of([value.re, value.im], ACL_COMPLEX128, device.as_ref()),
            _ => Err(Error::Unsupported {
                call: "AclScalar::new",
                problem: "a kind of scalar that CANN lacks",
            }),
        }
    }

    /// `T` is the storage of the dtype.
    fn of<T>(mut value: T, dtype: aclDataType, device: &Device) -> Result<Self> {
        // SAFETY: the value is of the dtype's size, and is copied.
        let handle = unsafe { device.cann().aclCreateScalar((&raw mut value).cast(), dtype) }
            .map_err(Error::MissingSymbol)?;
        let handle = of_made("aclCreateScalar", handle)?;
        Ok(Self { device: device.clone(), handle: Handle::new(handle.as_ptr()) })
    }

    /// The `aclScalar`; it is this value's, which destroys it.
    #[must_use]
    pub fn as_raw(&self) -> *mut aclScalar {
        self.handle.get()
    }
}

impl Drop for AclScalar {
    fn drop(&mut self) {
        // SAFETY: the scalar is this one's; phase one, which alone takes scalars, has read it.
        let destroyed = unsafe { aclnn!(self.device.cann(), aclDestroyScalar(self.handle.get())) };
        self.device.runtime().keep(destroyed);
    }
}
