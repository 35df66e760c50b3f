//! The copies of kernels' status words to the host.
//!
//! A kernel can report an index out of range only by a status word in its workspace. On a device,
//! the stream copies the words to pinned memory after the kernel. There they are read, once they
//! have come, by the stream's next call, by one of another stream of the same context, or when the
//! caller asks for the stream's status. On host-cann the host function that runs the kernels reads
//! the words, so that the index is known even if the stream stops behind it.

use core::ffi::c_void;
use core::ptr;

use aclnn_sys::{
    ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_RECORDED_STATUS_COMPLETE,
    ACL_EVENT_RECORDED_STATUS_NOT_READY, ACL_EVENT_SYNC, ACL_MEMCPY_DEVICE_TO_HOST, ACLNN_ERR_RUNTIME_ERROR,
    AclError, Cann, LoadError, aclrtEvent, aclrtStream,
};
use scatter::Problem;
use scatter_kernels::tiling::Status;

use crate::executor::positions::Positions;
use crate::executor::scalar_fill::DeviceElement;
use crate::failure::{Failure, ensure};
use crate::function::Function;
use crate::phase_two::bad_index::BadIndex;
use crate::process::session::Session;

/// The status words of a launch, which a stream copies to the host. Memory and event are made
/// before the launch, so that a call that can't get them fails before it has written anything.
#[derive(Debug)]
pub(crate) struct StatusWords {
    session: &'static Session,
    origin: Origin,
    memory: *mut c_void,
    blocks: usize,
    /// The element that the launch reads; no longer used once the words have arrived.
    element: Option<DeviceElement>,
    /// Whether the words are to be read once they have arrived. False with `Check::Off`, and for a
    /// call that has failed, where only their arrival matters.
    are_read: bool,
    event: aclrtEvent,
    /// The address of the context in which they were made.
    context: usize,
}

/// The call to which status words belong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) function: Function,
    pub(crate) problem: Problem,
    pub(crate) positions: Positions,
}

impl Origin {
    /// The index out of range that the words of `blocks` blocks report, if any.
    ///
    /// # Safety
    /// The launch is done, and `words` points to its words, aligned.
    pub(crate) unsafe fn bad_index(&self, words: *const c_void, blocks: usize) -> Option<BadIndex> {
        if blocks == 0 {
            return None;
        }
        // SAFETY: the caller guarantees that `blocks` words are at this aligned address; any bytes
        // are valid words.
        let words = unsafe { core::slice::from_raw_parts(words.cast::<Status>(), blocks) };
        let error = scatter_kernels::bad_index(&self.problem, words)?;
        BadIndex::of(&error, self.function.c_name(), Some(self.positions))
    }
}

// SAFETY: only this value has the memory and the event, and CANN's functions take them on any
// thread.
unsafe impl Send for StatusWords {}

/// Turns what a function of CANN's returned into a result.
fn succeed(name: &str, returned: Result<AclError, LoadError>) -> Result<(), Failure> {
    let code = returned?;
    ensure!(code.is_success(), ACLNN_ERR_RUNTIME_ERROR, "stream: {name} returned {code}");
    Ok(())
}

impl StatusWords {
    /// Allocates memory for the words of all blocks of a launch.
    pub(crate) fn new(
        session: &'static Session,
        origin: Origin,
        blocks: usize,
        are_read: bool,
    ) -> Result<Self, Failure> {
        let cann = &session.cann;
        let (memory, event, mut context) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: `context` is a live local, to which CANN writes. Where that fails it stays null.
        let _ = unsafe { cann.aclrtGetCurrentContext(&mut context) };
        let context = context.addr();
        let mut words = Self { session, origin, memory, blocks, element: None, are_read, event, context };
        // SAFETY: CANN writes the address to a field of the local `words`.
        let memory = unsafe { cann.aclrtMallocHost(&mut words.memory, words.bytes()) };
        succeed("aclrtMallocHost", memory)?;
        // They report nothing if the stream drops the copy: then its event counts as recorded, too.
        for block in 0..blocks {
            // SAFETY: the memory is for `blocks` words and the host may write it. CANN aligns
            // pinned memory to at least 64 bytes.
            unsafe { words.memory.cast::<Status>().add(block).write(Status::GOOD) };
        }
        let flags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS;
        // SAFETY: CANN writes the event to a field of the local `words`.
        succeed("aclrtCreateEventWithFlag", unsafe {
            cann.aclrtCreateEventWithFlag(&mut words.event, flags)
        })?;
        Ok(words)
    }

    const fn bytes(&self) -> usize {
        self.blocks * size_of::<Status>()
    }

    /// Lets the stream copy the launch's words after the launch, which reads `element`.
    ///
    /// # Safety
    /// `status` is the device address of the words, and valid until the stream has passed the copy.
    pub(crate) unsafe fn copy(
        mut self,
        status: *const c_void,
        element: Option<DeviceElement>,
        stream: aclrtStream,
    ) -> Result<Self, Failure> {
        self.element = element;
        let (cann, to, bytes) = (self.cann(), self.memory, self.bytes());
        let kind = ACL_MEMCPY_DEVICE_TO_HOST;
        // SAFETY: both addresses have `bytes` bytes: the caller guarantees the device's, and the
        // host's are freed only after the event, or never.
        let copied = unsafe { cann.aclrtMemcpyAsync(to, bytes, status, bytes, kind, stream) };
        let recorded = succeed("aclrtMemcpyAsync", copied).and_then(|()| {
            // SAFETY: `self` owns the event, and the launch has just used the stream.
            succeed("aclrtRecordEvent", unsafe { cann.aclrtRecordEvent(self.event, stream) })
        });
        match recorded {
            Ok(()) => Ok(self),
            Err(failure) => {
                self.give_up();
                Err(failure)
            }
        }
    }

    /// Waits for the stream, and returns the index out of range that the words report, if any. If
    /// this fails, the copy may still be under way.
    pub(crate) fn wait(&self, stream: aclrtStream) -> Result<Option<BadIndex>, Failure> {
        self.session.synchronize(stream)?;
        Ok(self.bad_index())
    }

    /// The same words, of which only the arrival matters any more.
    pub(crate) fn unread(mut self) -> Self {
        self.are_read = false;
        self
    }

    /// Leaks the memory, the event and the element: nothing tells when launch and copy are done, so
    /// the device may use them at any time.
    fn give_up(self) {
        core::mem::forget(self);
    }

    /// The address of the context in which they were made, or 0 if CANN didn't say.
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    /// Whether the copy is done, or was dropped.
    pub(crate) fn are_there(&self) -> bool {
        let mut status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: `self` owns the event; `status` is a live local, to which CANN writes.
        let asked = unsafe { self.cann().aclrtQueryEventStatus(self.event, &mut status) };
        matches!(asked, Ok(code) if code.is_success()) && status == ACL_EVENT_RECORDED_STATUS_COMPLETE
    }

    /// The index out of range that the words report, if any. The copy must be done or dropped.
    pub(crate) fn bad_index(&self) -> Option<BadIndex> {
        if !self.are_read {
            return None;
        }
        // SAFETY: the memory has `blocks` words: those of `new`, or those that the stream has
        // copied over them. CANN aligns pinned memory to at least 64 bytes.
        unsafe { self.origin.bad_index(self.memory, self.blocks) }
    }

    fn cann(&self) -> &Cann {
        &self.session.cann
    }
}

impl Drop for StatusWords {
    fn drop(&mut self) {
        // Errors are ignored: nobody could act on them, and after the runtime's end they are
        // expected.
        if !self.event.is_null() {
            // SAFETY: only `self` has the event.
            let _ = unsafe { self.cann().aclrtDestroyEvent(self.event) };
        }
        if !self.memory.is_null() {
            // SAFETY: only `self` has the memory. The copy to it is done, or was dropped or not
            // begun: until then `stream_errors` keeps `self`, and where nothing would tell,
            // `give_up` has leaked it.
            let _ = unsafe { self.cann().aclrtFreeHost(self.memory) };
        }
        if let Some(element) = self.element.take() {
            element.free(self.cann());
        }
    }
}
