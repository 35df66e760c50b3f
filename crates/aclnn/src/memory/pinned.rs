//! Pinned memory of the host.

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr;

use scatter::Element;

use crate::call::acl;
use crate::device::Device;
use crate::error::Result;
use crate::handle::Handle;
use crate::memory::bytes_of;
use crate::stream::uses::Tracked;

/// Elements in pinned memory of the host. A device can copy from and to it while the host goes on.
/// Dereferences to a slice.
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// use aclnn::{PinnedBuffer, Runtime, Tensor};
///
/// let stream = Runtime::host()?.device(0)?.stream()?;
/// let mut data = PinnedBuffer::<f32>::new(&stream, 3)?;
/// data.copy_from_slice(&[1.0, 2.0, 3.0]);
/// let mut tensor = Tensor::<f32>::zeros([3], &stream)?;
/// let sent = tensor.copy_from_pinned(data, &stream)?; // the copy has the buffer
/// let data = sent.wait()?; // until it is done
/// assert_eq!(data[2], 3.0);
/// # Ok(())
/// # }
/// ```
///
/// # Threads
/// `Send` and `Sync`, like `Vec`.
pub struct PinnedBuffer<T> {
    memory: Tracked<PinnedMemory>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> PinnedBuffer<T> {
    /// A buffer of `len` zeros, for copies from and to this device.
    ///
    /// # Errors
    /// [`Error::TooManyElements`](crate::Error::TooManyElements); what `aclrtMallocHost` returns;
    /// the pending error of an earlier drop.
    pub fn new(device: impl AsRef<Device>, len: usize) -> Result<Self> {
        let device = device.as_ref();
        device.bind()?;
        let memory = PinnedMemory::new(device, bytes_of("PinnedBuffer::new", len, size_of::<T>())?)?;
        Ok(Self { memory: Tracked::new(memory), len, elements: PhantomData })
    }

    /// A buffer with a copy of a slice's elements, for copies to this device.
    ///
    /// # Errors
    /// As [`PinnedBuffer::new`].
    pub fn from_slice(device: impl AsRef<Device>, data: &[T]) -> Result<Self> {
        let mut buffer = Self::new(device, data.len())?;
        buffer.copy_from_slice(data);
        Ok(buffer)
    }
}

impl<T> PinnedBuffer<T> {
    pub(crate) fn tracked(&self) -> &Tracked<PinnedMemory> {
        &self.memory
    }
}

impl<T: Element> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory holds `len` initialised elements (zeros at first) of a type for which
        // any bytes are a value, aligned as `PinnedMemory::elements` says. No copy is writing it: a
        // `Transfer` would own the buffer.
        unsafe { core::slice::from_raw_parts(self.memory.elements(), self.len) }
    }
}

impl<T: Element> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the memory holds `len` initialised elements, aligned, and any bytes are a value
        // of their type. No copy uses it: a `Transfer` would own the buffer. `&mut self` makes this
        // the only reference.
        unsafe { core::slice::from_raw_parts_mut(self.memory.elements(), self.len) }
    }
}

impl<T: Element> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Pinned memory of the host, freed as soon as it is dropped. Its owner must not drop it before the
/// work that uses it is done.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    device: Device,
    address: Handle<*mut c_void>,
    bytes: usize,
}

impl PinnedMemory {
    /// Allocates zeros. The device's context must be current on this thread.
    fn new(device: &Device, bytes: usize) -> Result<Self> {
        let mut address = ptr::null_mut();
        if bytes > 0 {
            // SAFETY: `address` is a live local, to which CANN writes the address.
            unsafe { acl!(device.cann(), aclrtMallocHost(&mut address, bytes)) }?;
        }
        let memory = Self { device: device.clone(), address: Handle::new(address), bytes };
        if bytes > 0 {
            // SAFETY: `bytes` bytes of host memory were just allocated at `address`.
            unsafe { ptr::write_bytes(address.cast::<u8>(), 0, bytes) };
        }
        Ok(memory)
    }

    pub(crate) fn address(&self) -> *mut c_void {
        self.address.get()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The address of the first element, dangling where there is none. CANN aligns pinned memory to
    /// at least 64 bytes, which is enough for every element type.
    fn elements<T>(&self) -> *mut T {
        let start = self.address.get().cast::<T>();
        if start.is_null() { ptr::NonNull::dangling().as_ptr() } else { start }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let bound = self.device.bind_quietly();
            // SAFETY: `self` owns the memory, and is dropped only when no work uses it (see the
            // type).
            let freed = unsafe { acl!(self.device.cann(), aclrtFreeHost(self.address.get())) };
            self.device.runtime().keep(bound.and(freed));
        }
    }
}
