//! Devices, and their default contexts.

use core::fmt;
use core::ptr;
use std::sync::Arc;

use aclnn_sys::{ACL_DDR_MEM, ACL_HBM_MEM, Cann, aclrtContext, fork};

use crate::call::acl;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::runtime::Runtime;
use crate::stream::Stream;

/// A device. It is reset when its last clone, stream, tensor … is dropped. Cheap to clone.
///
/// # Threads
/// `Send` and `Sync`. CANN works with the context of the calling thread; every call of this crate
/// first makes the device's default context current, so that a device, its streams and its tensors
/// can be used from any thread. The context stays current afterwards.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    runtime: Runtime,
    id: i32,
    context: Handle<aclrtContext>,
}

/// How much memory a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Free bytes.
    pub free: usize,
    /// All bytes, free or not.
    pub total: usize,
}

impl Device {
    pub(crate) fn open(runtime: &Runtime, id: i32) -> Result<Self> {
        runtime.check()?;
        let cann = runtime.cann();
        // SAFETY: any number may be given; CANN refuses one that is not a device's.
        unsafe { acl!(cann, aclrtSetDevice(id)) }?;
        let mut context = ptr::null_mut();
        // SAFETY: `context` is a live local, to which CANN writes the context.
        let found = unsafe { acl!(cann, aclrtGetCurrentContext(&mut context)) };
        let device = Self(Arc::new(Inner { runtime: runtime.clone(), id, context: Handle::new(context) }));
        found.map(|()| device)
    }

    /// The device's number.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.0.id
    }

    /// The runtime that opened the device.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    /// A new stream.
    ///
    /// # Errors
    /// What `aclrtCreateStream` returns; the pending error of an earlier drop.
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// The size of the device's memory: of its high-bandwidth memory where it has that, of its DDR
    /// otherwise.
    ///
    /// # Errors
    /// What `aclrtGetMemInfo` returns; the pending error of an earlier drop.
    pub fn memory(&self) -> Result<MemoryInfo> {
        self.bind()?;
        let mut info = MemoryInfo { free: 0, total: 0 };
        for kind in [ACL_HBM_MEM, ACL_DDR_MEM] {
            // SAFETY: CANN writes both numbers to fields of the local `info`.
            unsafe { acl!(self.cann(), aclrtGetMemInfo(kind, &mut info.free, &mut info.total)) }?;
            if info.total > 0 {
                break;
            }
        }
        Ok(info)
    }

    /// Waits until all streams of the device have done their work, including streams that other
    /// code of this process made.
    ///
    /// # Errors
    /// What `aclrtSynchronizeDevice` returns; the pending error of an earlier drop.
    pub fn synchronize(&self) -> Result<()> {
        self.bind()?;
        // SAFETY: the function takes no argument and has no precondition.
        unsafe { acl!(self.cann(), aclrtSynchronizeDevice()) }
    }

    /// Resets the device, unless others of the process use it.
    ///
    /// # Errors
    /// [`Error::InUse`] while a clone, stream, tensor … of this device is left; the pending error
    /// of an earlier drop; what `aclrtResetDevice` returns.
    pub fn close(self) -> Result<()> {
        let users = Arc::strong_count(&self.0) - 1;
        let inner = Arc::try_unwrap(self.0).map_err(|_| Error::InUse { what: "the device", users })?;
        let runtime = inner.runtime.clone();
        runtime.check()?;
        drop(inner);
        // An error of this drop is returned by this call, as the error itself.
        runtime.check().map_err(|error| match error {
            Error::Dropped(error) => *error,
            other => other,
        })
    }

    pub(crate) fn cann(&self) -> &'static Cann {
        self.0.runtime.cann()
    }

    /// Makes the device's context current on this thread, and returns the pending error of an
    /// earlier drop.
    #[inline]
    pub(crate) fn bind(&self) -> Result<()> {
        self.0.runtime.check()?;
        self.bind_quietly()
    }

    /// [`bind`](Self::bind) for drops, which can't return the pending error of an earlier drop.
    #[inline]
    pub(crate) fn bind_quietly(&self) -> Result<()> {
        fork::check()?;
        // SAFETY: the context is the device's default one, which lives until `Inner` resets the
        // device.
        unsafe { acl!(self.cann(), aclrtSetCurrentContext(self.0.context.get())) }
    }

    /// Refuses to use something of device `other` together with this device, unless both are the
    /// same.
    #[inline]
    pub(crate) fn expect_same(&self, call: &'static str, other: &Self) -> Result<()> {
        if Arc::ptr_eq(&self.0, &other.0) || self == other {
            return Ok(());
        }
        self.expect_same_cann(call, other)?;
        Err(Error::Device { call, expected: self.id(), got: other.id() })
    }

    /// Refuses a device of another CANN: handles that one CANN made mean nothing to another.
    #[inline]
    pub(crate) fn expect_same_cann(&self, call: &'static str, other: &Self) -> Result<()> {
        if ptr::eq(self.cann(), other.cann()) { Ok(()) } else { Err(Error::OtherCann { call }) }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: `open` has set the device of this number once, and nothing that holds `Inner` is
        // left.
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
