//! A device and its default context.

use core::fmt;
use core::ptr;
use std::sync::Arc;

use aclnn_sys::{ACL_DDR_MEM, ACL_HBM_MEM, Cann, aclrtContext, fork};

use crate::call::acl;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::runtime::Runtime;
use crate::stream::Stream;

/// A device; it is reset when the last that holds it is gone. Cheap to clone.
///
/// # Threads
/// `Send` and `Sync`. CANN works with the context of the calling thread; every call of this crate
/// makes the device's default context the thread's first, so that devices and what is of them can
/// be used from any thread. The context stays the thread's afterwards.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    runtime: Runtime,
    id: i32,
    context: Handle<aclrtContext>,
}

/// Bytes of memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes that are free.
    pub free: usize,
    /// All bytes.
    pub total: usize,
}

impl Device {
    pub(crate) fn open(runtime: &Runtime, id: i32) -> Result<Self> {
        runtime.check()?;
        let cann = runtime.cann();
        // SAFETY: any number may be given.
        unsafe { acl!(cann, aclrtSetDevice(id)) }?;
        let mut context = ptr::null_mut();
        // SAFETY: there is a place for the context.
        let found = unsafe { acl!(cann, aclrtGetCurrentContext(&mut context)) };
        let device = Self(Arc::new(Inner { runtime: runtime.clone(), id, context: Handle::new(context) }));
        found.map(|()| device)
    }

    /// The device's number.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.0.id
    }

    /// The runtime that it is of.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    /// A new stream.
    ///
    /// # Errors
    /// What `aclrtCreateStream` returns; an error that a drop left.
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// The device's memory: high-bandwidth memory where it has that.
    ///
    /// # Errors
    /// What `aclrtGetMemInfo` returns; an error that a drop left.
    pub fn memory(&self) -> Result<MemoryInfo> {
        self.bind()?;
        let mut info = MemoryInfo { free: 0, total: 0 };
        for kind in [ACL_HBM_MEM, ACL_DDR_MEM] {
            // SAFETY: there are places for both numbers.
            unsafe { acl!(self.cann(), aclrtGetMemInfo(kind, &mut info.free, &mut info.total)) }?;
            if info.total > 0 {
                break;
            }
        }
        Ok(info)
    }

    /// Waits until all streams of the device have done their work, those of others in this process
    /// too.
    ///
    /// # Errors
    /// What `aclrtSynchronizeDevice` returns; an error that a drop left.
    pub fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: it takes nothing.
        unsafe { acl!(self.cann(), aclrtSynchronizeDevice()) }
    }

    /// Resets the device, unless others of the process use it.
    ///
    /// # Errors
    /// [`Error::InUse`] while a clone, stream, tensor … of this device is left; an error that a
    /// drop left; what `aclrtResetDevice` returns.
    pub fn close(self) -> Result<()> {
        let users = Arc::strong_count(&self.0) - 1;
        let inner = Arc::try_unwrap(self.0).map_err(|_| Error::InUse { what: "the device", users })?;
        let runtime = inner.runtime.clone();
        runtime.check()?;
        drop(inner);
        // What the drop may have left is this call's to return.
        runtime.check().map_err(|error| match error {
            Error::Dropped(error) => *error,
            other => other,
        })
    }

    pub(crate) fn cann(&self) -> &'static Cann {
        self.0.runtime.cann()
    }

    /// Makes the device's context the thread's, and returns an error that a drop left.
    #[inline]
    pub(crate) fn bind(&self) -> Result<()> {
        self.0.runtime.check()?;
        self.bind_quietly()
    }

    /// [`bind`](Self::bind) for drops, which have no call to return an error from.
    #[inline]
    pub(crate) fn bind_quietly(&self) -> Result<()> {
        fork::check()?;
        // SAFETY: the context is the device's, which stays as long as this does.
        unsafe { acl!(self.cann(), aclrtSetCurrentContext(self.0.context.get())) }
    }

    /// Whether something of `other` may be used with this.
    #[inline]
    pub(crate) fn expect_same(&self, call: &'static str, other: &Self) -> Result<()> {
        if Arc::ptr_eq(&self.0, &other.0) || self == other {
            return Ok(());
        }
        self.expect_same_cann(call, other)?;
        Err(Error::Device { call, expected: self.id(), got: other.id() })
    }

    /// Whether `other` is of the same CANN, to which handles of another are nothing.
    #[inline]
    pub(crate) fn expect_same_cann(&self, call: &'static str, other: &Self) -> Result<()> {
        if ptr::eq(self.cann(), other.cann()) { Ok(()) } else { Err(Error::OtherCann { call }) }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: the number is a device's that was set once by this.
        let reset = unsafe { acl!(self.runtime.cann(), aclrtResetDevice(self.id)) };
        self.runtime.keep(reset);
    }
}

impl AsRef<Device> for Device {
    fn as_ref(&self) -> &Device {
        self
    }
}

impl PartialEq for Device {
    /// Whether both are the same device of the same CANN.
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id && ptr::eq(self.cann(), other.cann())
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("id", &self.0.id).finish_non_exhaustive()
    }
}
